"""Ctrl-C and termination signals in the command ``dem``: one line of output, and exit status 130 (143 for SIGTERM).

While a command runs, a signal raises an exception, so that files are closed and incomplete files are removed. While
modules are imported there is nothing to clean up, and an exception would show a traceback of foreign code. While
kernels are compiled the compiler would lose the exception. In both cases the process ends at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


def signals() -> list[int]:
    """Signals that stop a run: Ctrl-C, SIGTERM, and SIGHUP (loss of the terminal) unless it is ignored, as by nohup."""
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    heard = hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM] + ([hangup] if heard else [])


@contextmanager
def handling(by: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle `signals` by a function meanwhile; outside of the main thread nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, by) for number in signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


COMPILER = {"numba", "llvmlite"}
SOON = 0.01  # [s]


def end_at_once() -> None:
    """Make Ctrl-C end the process immediately, except in background processes, which ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


class Stopped(KeyboardInterrupt):
    """A signal, of number `signal`, has asked to stop; incomplete files are removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Raise Stopped meanwhile when a signal asks to stop; once more if that is lost, as what callbacks raise."""

    def once_more(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, Stopped):
            again = threading.Timer(SOON, os.kill, (os.getpid(), lost.exc_value.signal))
            again.daemon = True
            again.start()
        else:
            plain(lost)

    plain, sys.unraisablehook = sys.unraisablehook, once_more
    try:
        with handling(_raise):
            yield
    finally:
        sys.unraisablehook = plain


def _raise(number: int, frame: FrameType | None) -> None:
    if _compiling(frame):
        os.write(2, b"\n")  # below what is said of compiling
        _end(number, frame)
    raise Stopped(number)


def _compiling(frame: FrameType | None) -> bool:
    """Whether somewhere below it the compiler is at work, which calls back in ways that lose exceptions."""
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] not in COMPILER:
        frame = frame.f_back
    return frame is not None


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    os.write(2, b"interrupted\n")
    os._exit(128 + number)
