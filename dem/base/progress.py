"""Progress of a long task, with the remaining time, on a terminal or in a notebook.

A task that does not report its progress gets an estimate from its last duration. Durations are stored in the user's
cache folder, such as ~/.cache/pcdm-dem/durations.json; without permission to write there, less is shown.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from dem.base.replace import unused_name
from dem.base.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

MAX_DURATIONS = 1000  # stored durations


def durations_file() -> Path:
    """Path of the file of durations; raises OSError if the user has no cache folder."""
    from dem.kernels.compiler.private_folder import user_cache  # noqa: PLC0415, which waits for platformdirs

    return user_cache() / "durations.json"


def last_duration(what: str) -> float | None:
    """Seconds that a task took the last time; None if that is not known."""
    seconds = _durations().get(what)
    return float(seconds) if isinstance(seconds, int | float) and seconds >= 0 else None


def store_duration(what: str, seconds: float) -> None:
    """Store the duration of a task, for `last_duration`."""
    known = _durations()
    known.pop(what, None)  # the last entries of the file are kept
    known[what] = round(seconds, 2)
    with suppress(OSError):
        path = durations_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = unused_name(path, ".partial")
        unfinished.write_text(json.dumps(dict(list(known.items())[-MAX_DURATIONS:])))
        unfinished.replace(path)


def _durations() -> dict:
    """All stored durations by task; none if the file is missing or broken."""
    with suppress(OSError, ValueError):
        found = json.loads(durations_file().read_text())
        return found if isinstance(found, dict) else {}
    return {}


class RemainingTime:
    """Time left for some tasks, from their durations the last time.

    Parameters
    ----------
    things : mapping
        Names of the tasks, and the names by which their durations are stored.
    side_by_side : int
        Number of tasks that go on at a time.
    """

    def __init__(self, things: Mapping[str, str], side_by_side: int = 1) -> None:
        self._things, self._side_by_side = things, side_by_side
        self._expected = {name: last_duration(what) for name, what in things.items()}
        self._done: list[float] = []
        self._since = time.perf_counter()

    def end(self, name: str, seconds: float | None = None) -> None:
        """Record that a task is done, and its duration in seconds, or the time since the previous task."""
        now = time.perf_counter()
        if self._expected.pop(name, "none") != "none":
            self._done.append(now - self._since if seconds is None else seconds)
            store_duration(self._things[name], self._done[-1])
        self._since = now

    def left(self) -> float | None:
        """Expected seconds left; unknown tasks count with the mean of the finished ones. None if nothing is known."""
        mean = sum(self._done) / len(self._done) if self._done else None
        wanted = [mean if seconds is None else seconds for seconds in self._expected.values()]
        if not wanted or None in wanted:
            return None
        return max(0.0, max(*wanted, sum(wanted) / self._side_by_side) - (time.perf_counter() - self._since))


Thing = TypeVar("Thing")

PATIENCE = 3.0  # s of computing before a bar is shown without a request
LOOKS = 0.25  # s between two updates in a notebook
WIDTH = 40  # characters
MARKS = 256  # times and lengths done, from which a changing rate is computed


class Bar(Protocol):
    """Interface of a progress display."""

    def show(self, done: float, pace: str, left: str) -> None:
        """Show the share done, the pace, and the time that is left, in words."""

    def close(self) -> None:
        """End the display, and leave it visible."""


@contextmanager
def progress_bar(
    length: float, pace: Callable[[int, float], str], *, wanted: bool | None, steady: bool = True, slowing: bool = False
) -> Iterator[Callable[[float, int], None]]:
    """Progress bar on a terminal or in a notebook; call what it yields with the further length done, and further work.

    The bar shows ``pace(work, seconds)`` and the time left: at the mean rate for a steady task, else at the rate in the
    later half of the time, as an estimate, or as a lower bound for a task that is slowing down. With wanted=None the
    bar appears after some seconds.
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
    """Yield things of a name one by one, with a progress bar after some seconds."""
    with progress_bar(len(things), lambda n, _: counted(n, name), wanted=None) as moved:
        for each in things:
            yield each
            moved(1, 1)


class _Rate:
    """Rate in the later half of the time so far, from a limited number of marks."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = [(0.0, 0.0)]

    def note(self, seconds: float, way: float) -> None:
        """Record the progress at a time."""
        self._marks.append((seconds, way))
        if len(self._marks) > MARKS:
            self._marks = [self._marks[0], *self._marks[2:-1:2], self._marks[-1]]

    def left(self, length: float, word: str) -> str:
        """Time for the rest of the way, in words; empty without progress."""
        seconds, way = self._marks[-1]
        then, before = next(mark for mark in self._marks if mark[0] >= 0.5 * seconds)
        if way <= before:
            then, before = self._marks[0]
        return f"{word} {clock((seconds - then) * (length - way) / (way - before))} left" if way > before else ""


def kind_of_bar() -> type[Bar] | None:
    """Kind of bar for the present output; None for none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        return Notebook
    return Terminal if sys.stderr.isatty() else None


def watched() -> bool:
    """Whether the output goes to a terminal or notebook."""
    return kind_of_bar() is not None


def in_notebook() -> bool:
    """Whether the output goes to a notebook."""
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
        """End the display, and leave it visible."""
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


TICK = 0.5  # s between two looks at the clock


Expected = tuple[float, float] | None  # s, from and to; None if unknown


def time_left_in_words(seconds: float, expected: Expected) -> str:
    """Time left in words, after some seconds of an expected duration.

    Examples
    --------
    >>> [time_left_in_words(seconds, (15.0, 45.0)) for seconds in (3.0, 20.0)]
    ['about 0:00:12 to 0:00:42 left', 'up to about 0:00:25 left']
    >>> time_left_in_words(3.0, (15.0, 15.0))
    'about 0:00:12 left'
    >>> time_left_in_words(50.0, (15.0, 45.0)), time_left_in_words(3.0, None)
    ('0:00:50 so far, expected 0:00:45', '0:00:03 so far')
    """
    if expected is None:
        return f"{clock(seconds)} so far"
    least, most = (clock(each - seconds) for each in expected)
    if seconds >= expected[1]:
        return f"{clock(seconds)} so far, expected {clock(expected[1])}"
    if seconds >= expected[0]:
        return f"up to about {most} left"
    return f"about {least} left" if least == most else f"about {least} to {most} left"


@contextmanager
def show_time_left(doing: str, how: str = "") -> Iterator[None]:
    """Show the time left of a task that takes some seconds, by its duration the last time.

    `how` distinguishes tasks of one name that take different times. Nothing is shown beside the bar of a command.
    """
    kind = _kind_of_line()
    if kind is None:
        yield
        return
    what = f"{doing} {how}".strip()
    seconds, start = last_duration(what), time.perf_counter()
    line = _Line(kind, PATIENCE)
    stop = _ticking(lambda passed: line.show(doing, passed, seconds and (seconds, seconds)))
    try:
        yield
        store_duration(what, time.perf_counter() - start)
    finally:
        stop()
        line.close(doing)


def _kind_of_line() -> type[Bar] | None:
    """Class of a progress bar that can be shown; None within a bar of rich, above which all lines stay."""
    return None if hasattr(sys.stderr, "rich_proxied_file") else kind_of_bar()


def _ticking(show: Callable[[float], None]) -> Callable[[], None]:
    """Show the elapsed seconds at intervals, until the returned function is called."""
    start, ended = time.perf_counter(), threading.Event()

    def tick() -> None:
        while not ended.wait(TICK):
            show(time.perf_counter() - start)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()

    def stop() -> None:
        ended.set()
        thread.join()

    return stop


class Countdown:
    """Display of the time left at intervals, on a terminal or in a notebook; nothing elsewhere."""

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None
        self._below: _Line | None = None

    def begin(self, name: str, expected: Expected) -> None:
        """Begin a task of an expected duration [s]."""
        self.stop()
        kind = _kind_of_line()
        if kind is None:
            return
        if kind is Notebook:
            self._below = self._below or _Line(kind)
        line = self._below or _Behind()
        end = _ticking(lambda seconds: line.show(f"compiling {name}", seconds, expected))

        def stop() -> None:
            end()
            line.wipe()

        self._stop = stop

    def stop(self) -> None:
        """End the countdown."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()

    def close(self) -> None:
        """End the display after the last task."""
        self.stop()
        below, self._below = self._below, None
        if below is not None:
            below.close("compiled")


class _Behind:
    """Text behind the last word on stderr; the cursor stays before it."""

    shown = False

    def show(self, _: str, seconds: float, expected: Expected) -> None:
        """Show the time left."""
        text = f" ({time_left_in_words(seconds, expected)})"
        sys.stderr.write(f"{text}\x1b[K" + "\b" * len(text))
        sys.stderr.flush()
        self.shown = True

    def wipe(self) -> None:
        """Erase the text."""
        if self.shown:
            sys.stderr.write("\x1b[K")
            sys.stderr.flush()


class _Line:
    """A line of its own, whose last words stay."""

    def __init__(self, kind: type[Bar], patience: float = 0.0) -> None:
        self._kind, self._patience = kind, patience
        self._bar: Bar | None = None

    def show(self, doing: str, seconds: float, expected: Expected) -> None:
        """Show the time left."""
        if seconds < self._patience:
            return
        self._bar = self._bar or self._kind()
        share = min(1.0, seconds / expected[1]) if expected else 0.0
        self._bar.show(share, doing, time_left_in_words(seconds, expected))

    def wipe(self) -> None:
        """Keep the line, for the next task."""

    def close(self, done: str) -> None:
        """End the display, and leave it visible."""
        if self._bar is not None:
            self._bar.show(1.0, done, "")
            self._bar.close()
