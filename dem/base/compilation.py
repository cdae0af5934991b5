"""Tell the user why a first run takes a few seconds, and of what."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kernels.base.jit import WHY, tell_of_compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SILENT = False  # set by --quiet


class _Told:
    """What has been said of compiling so far."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.start = 0.0
        self.together = False  # one line for all
        self.to: Callable[[str], None] | None = None  # who is told instead

    def begin(self, name: str) -> None:
        """A kernel is to be compiled."""
        if self.to is not None:
            self.to(name)
        elif not self.names:
            self.start = time.perf_counter()
            _say(f"compiling kernels ({WHY}): {name}")
        elif name != self.names[-1]:
            _say(f", {name}")
        self.names.append(name)

    def end(self) -> None:
        """It is."""
        if not self.together:
            self.close()

    def close(self) -> None:
        """Nothing more is to be compiled."""
        if self.to is not None:
            self.to("")
        elif self.names:
            _say(f", {time.perf_counter() - self.start:.1f} s\n")
        self.names.clear()


_told = _Told()
tell_of_compiling(_told.begin, _told.end)


@contextmanager
def announced() -> Iterator[None]:
    """Say on stderr which kernels are compiled here, and why, in one line; nothing if all are in the cache."""
    _told.together = True
    try:
        yield
    finally:
        _told.together = False
        _told.close()


@contextmanager
def told_to(someone: Callable[[str], None]) -> Iterator[None]:
    """Tell somebody the names of kernels as they are compiled, and "" when they are, rather than stderr."""
    before, _told.to = _told.to, someone
    try:
        yield
    finally:
        _told.to = before


def _say(text: str) -> None:
    if not SILENT:
        sys.stderr.write(text)
        sys.stderr.flush()
