"""One thread at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


class OneAtATime:
    """Context manager for what two threads of Python must not do at once; who comes second is refused, not kept.

    A thread that is within may enter again. Copies, and those from pickles, are free.

    Raises
    ------
    RuntimeError
        If another thread is within.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        """Enter, if nobody else is there."""
        if not self._lock.acquire(blocking=False):
            message = (
                "another thread is moving this simulation: let one thread have it at a time, or give each its own; "
                "one simulation uses several cores by `threads`"
            )
            raise RuntimeError(message)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let others in."""
        self._lock.release()

    def __reduce__(self) -> tuple:
        """A new one; locks cannot be copied."""
        return OneAtATime, ()
