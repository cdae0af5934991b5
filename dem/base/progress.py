"""How far something has come that takes a while, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from dem.base.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Thing = TypeVar("Thing")

PATIENCE = 3.0  # s of computing before a bar is shown that nobody has asked for
LOOKS = 0.25  # s between two looks of a notebook
WIDTH = 40  # characters
MARKS = 256  # of the way so far, by which a changing rate is known


class Bar(Protocol):
    """Something that shows how far it has come."""

    def show(self, done: float, pace: str, left: str) -> None:
        """Show the share done, the pace, and the time that is left, in words."""

    def close(self) -> None:
        """Leave it as it is."""


@contextmanager
def progress_bar(
    length: float, pace: Callable[[int, float], str], *, wanted: bool | None, steady: bool = True, slowing: bool = False
) -> Iterator[Callable[[float, int], None]]:
    """Progress bar, to be told way and work; on a terminal, or in a notebook.

    It shows the pace, which is asked for with work and seconds so far, and the time that is left: at the mean rate if
    the way is made at a steady one, else about that at the rate of the later half of the time, or at least that if it
    is slowing down. None as to whether it is wanted shows it when some seconds have passed.
    """
    kind = kind_of_bar()
    if kind is None or wanted is False:
        yield lambda _, __: None
        return
    start, way, work = time.perf_counter(), 0.0, 0
    rate = _Rate()
    bar: Bar | None = None

    def moved(more_way: float, more_work: int) -> None:
        nonlocal way, work, bar
        way, work = way + more_way, work + more_work
        seconds = time.perf_counter() - start
        if not steady:
            rate.note(seconds, way)
        if bar is None and (wanted or seconds > PATIENCE):
            bar = kind()
        if bar is not None:
            usual = f"{clock(seconds * (length - way) / way)} left" if way > 0 else ""
            left = usual if steady else rate.left(length, "at least" if slowing else "about")
            bar.show(way / length, pace(work, seconds), left)

    try:
        yield moved
    finally:
        if bar is not None:
            bar.close()


def through(things: Sequence[Thing], name: str) -> Iterator[Thing]:
    """Go through things of a name one by one, and show how far when some seconds have passed."""
    with progress_bar(len(things), lambda n, _: counted(n, name), wanted=None) as moved:
        for each in things:
            yield each
            moved(1, 1)


class _Rate:
    """How fast it has been lately: in the later half of the time, of which some marks are kept."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = [(0.0, 0.0)]

    def note(self, seconds: float, way: float) -> None:
        """So far it has come in this time."""
        self._marks.append((seconds, way))
        if len(self._marks) > MARKS:
            self._marks = [self._marks[0], *self._marks[2:-1:2], self._marks[-1]]

    def left(self, length: float, word: str) -> str:
        """Seconds for the rest of the way, in words; nothing where it does not come on."""
        seconds, way = self._marks[-1]
        then, before = next(mark for mark in self._marks if mark[0] >= 0.5 * seconds)
        if way <= before:
            then, before = self._marks[0]
        return f"{word} {clock((seconds - then) * (length - way) / (way - before))} left" if way > before else ""


def kind_of_bar() -> type[Bar] | None:
    """What a bar can be shown on, if on anything."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        return Notebook
    return Terminal if sys.stderr.isatty() else None


def watched() -> bool:
    """Whether somebody may be looking at what is shown."""
    return kind_of_bar() is not None


def in_notebook() -> bool:
    """Whether it is shown below the cell of a notebook."""
    return kind_of_bar() is Notebook


class Terminal:
    """A line on stderr."""

    def __init__(self) -> None:
        from rich.console import Console  # noqa: PLC0415, only for people who watch
        from rich.errors import LiveError  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

        columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %  {task.fields[pace]}  {task.fields[left]}"))
        self._bar = Progress(*columns, console=Console(stderr=True), redirect_stdout=sys.stdout.isatty())
        self._task = self._bar.add_task("", total=1.0, pace="", left="")
        with suppress(LiveError):  # within another bar, which before rich 14.1 is the only one
            self._bar.start()

    def show(self, done: float, pace: str, left: str) -> None:
        """Show the share done, the pace, and the time that is left, in words."""
        self._bar.update(self._task, completed=done, pace=pace, left=left)

    def close(self) -> None:
        """Leave it as it is."""
        self._bar.stop()


class Notebook:
    """A line below the cell."""

    def __init__(self) -> None:
        from IPython.display import display  # noqa: PLC0415, it is there, see `kind_of_bar`

        self._display, self._handle, self._next = display, None, 0.0
        self._line = ""

    def show(self, done: float, pace: str, left: str) -> None:
        """Show the share done, the pace, and the time that is left, in words."""
        full = round(WIDTH * min(done, 1.0))
        self._line = f"[{'#' * full}{'.' * (WIDTH - full)}] {done:4.0%}  {pace}  {left}"
        if time.perf_counter() >= self._next:
            self._draw()

    def _draw(self) -> None:
        content = {"text/plain": self._line}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)
        self._next = time.perf_counter() + LOOKS

    def close(self) -> None:
        """Show the end."""
        self._draw()


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
