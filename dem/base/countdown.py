"""The time that is left of one thing that cannot say how far it is, told by a second thread while it goes on."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dem.base import past_durations, progress
from dem.base.progress import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TICK = 0.5  # s between two looks at the clock


Expected = tuple[float, float] | None  # s, from and to; None if nobody knows


def words(seconds: float, expected: Expected) -> str:
    """What to say after some seconds of so many that are expected.

    Examples
    --------
    >>> words(3.0, (15.0, 15.0)), words(3.0, (15.0, 45.0)), words(20.0, (15.0, 45.0))
    ('about 0:00:12 left', 'about 0:00:12 to 0:00:42 left', 'up to about 0:00:25 left')
    >>> words(50.0, (15.0, 45.0)), words(3.0, None)
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
def told(doing: str, how: str = "") -> Iterator[None]:
    """Tell of what goes on here, when it has for some seconds, how long it will, by how long it took the last time.

    `how` tells apart short work from long. Commands have bars of their own, beside which nothing is shown.
    """
    kind = _kind_of_line()
    if kind is None:
        yield
        return
    what = f"{doing} {how}".strip()
    seconds, start = past_durations.before(what), time.perf_counter()
    line = _Line(kind, progress.PATIENCE)
    stop = _ticking(lambda passed: line.show(doing, passed, seconds and (seconds, seconds)))
    try:
        yield
        past_durations.note(what, time.perf_counter() - start)
    finally:
        stop()
        line.close(doing)


def _kind_of_line() -> type[progress.Bar] | None:
    """What a line that changes can be shown on; on nothing where a bar of rich is, above which all lines stay."""
    return None if hasattr(sys.stderr, "rich_proxied_file") else progress.kind_of_bar()


def _ticking(show: Callable[[float], None]) -> Callable[[], None]:
    """Show the seconds so far every now and then, until what is returned is called."""
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
    """Shows now and then how long things go on, on a terminal or in a notebook; elsewhere nothing."""

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None
        self._below: _Line | None = None

    def begin(self, name: str, expected: Expected) -> None:
        """One begins, and is expected to take so many seconds."""
        self.stop()
        kind = _kind_of_line()
        if kind is None:
            return
        if kind is progress.Notebook:
            self._below = self._below or _Line(kind)
        line = self._below or _Behind()
        end = _ticking(lambda seconds: line.show(f"compiling {name}", seconds, expected))

        def stop() -> None:
            end()
            line.wipe()

        self._stop = stop

    def stop(self) -> None:
        """It has ended."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()

    def close(self) -> None:
        """All have."""
        self.stop()
        below, self._below = self._below, None
        if below is not None:
            below.close("compiled")


class _Behind:
    """Behind the last word on stderr, where the cursor stays."""

    shown = False

    def show(self, _: str, seconds: float, expected: Expected) -> None:
        """Say how far it is."""
        text = f" ({words(seconds, expected)})"
        sys.stderr.write(f"{text}\x1b[K" + "\b" * len(text))
        sys.stderr.flush()
        self.shown = True

    def wipe(self) -> None:
        """Wipe it away."""
        if self.shown:
            sys.stderr.write("\x1b[K")
            sys.stderr.flush()


class _Line:
    """A line of its own, whose last words stay."""

    def __init__(self, kind: type[progress.Bar], patience: float = 0.0) -> None:
        self._kind, self._patience = kind, patience
        self._bar: progress.Bar | None = None

    def show(self, doing: str, seconds: float, expected: Expected) -> None:
        """Say how far it is."""
        if seconds < self._patience:
            return
        self._bar = self._bar or self._kind()
        share = min(1.0, seconds / expected[1]) if expected else 0.0
        self._bar.show(share, doing, words(seconds, expected))

    def wipe(self) -> None:
        """Another one may follow."""

    def close(self, done: str) -> None:
        """Leave it as it is, at its end."""
        if self._bar is not None:
            self._bar.show(1.0, done, "")
            self._bar.close()
