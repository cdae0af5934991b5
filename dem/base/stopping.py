"""Signals that ask a process to stop."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


def signals() -> list[int]:
    """Ctrl-C, SIGTERM, and SIGHUP, which comes when the terminal goes; not that one if it is ignored, as by nohup."""
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    heard = hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM] + ([hangup] if heard else [])


@contextmanager
def answered(by: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Have them answered by a function of one's own; outside the main thread they are left alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, by) for number in signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
