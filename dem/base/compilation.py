"""Tell the user which kernels are being compiled, and how long that takes."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dem.base import progress
from dem.base.notices import Notice, warn
from dem.base.progress import Countdown, in_notebook, watched
from dem.base.text import write_log
from dem.kernels.compiler.jit import CACHE, REFUSED, WHY, compile_side_by_side, most_threads, on_compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SILENT = False  # set by --quiet
BESIDE: int | None = None  # processes that compile beside this one, at most; None: one on each further core
RANKS = "PCDM_DEM_MPI"  # set where a launcher has started several processes
ANEW = WHY != "first run of this combination"  # there are no parts that were compiled before
# [s] where nothing was compiled before, on a Zen 5 on 2026-11-29: of nine-fibres with two processes, and twice those of
# rotating-drum with one, because older processors take twice as long
USUAL = {"cell_order": (0.1, 0.2), "search": (0.7, 1.4), "execute": (1.1, 16.0), "move_walled": (0.1, 0.7)}


class _ShownMessages:
    """Messages about compiling that have been shown so far."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.held = ""  # text for the end, in a notebook, where a bar is in between
        self.start = 0.0
        self.together = False  # whether all kernels are named in one line
        self.since = 0.0
        self.countdown = Countdown()
        self.to: Callable[[str], None] | None = None  # gets the names in place of stderr

    def begin(self, name: str) -> None:
        """Begin the message on a kernel that is to be compiled."""
        self.since = time.perf_counter()
        if self.to is not None:
            self.to(name)
        elif not self.names:
            self.start = self.since
            self._say(f"compiling kernels ({WHY}): {name}")
        elif name != self.names[-1]:
            self._say(f", {name}")
        if self.to is None and watched() and not SILENT:
            self.countdown.begin(name, expected(name))
        self.names.append(name)

    def end(self) -> None:
        """End the message."""
        self.countdown.stop()
        if watched() and not SILENT:
            progress.store_duration(_key(self.names[-1]), time.perf_counter() - self.since)
        if not self.together:
            self.close()

    def close(self) -> None:
        """End the line, as nothing more is to be compiled."""
        self.countdown.close()
        if self.to is not None:
            self.to("")
        elif self.names:
            _say(f"{self.held}, {time.perf_counter() - self.start:.1f} s\n")
        self.names.clear()
        self.held = ""

    def _say(self, text: str) -> None:
        if in_notebook():
            self.held += text
        else:
            _say(text)


def _key(name: str) -> str:
    return f"compiling {name} {'anew' if ANEW else 'for another combination'}"


def expected(name: str) -> tuple[float, float] | None:
    """Seconds that a kernel takes, from and to: those of the last time, else the usual; None if unknown."""
    seconds = progress.last_duration(_key(name))
    return (seconds, seconds) if seconds is not None else USUAL.get(name) if ANEW else None


_told = _ShownMessages()
on_compiling(_told.begin, _told.end)
if REFUSED:
    warn(
        Notice(
            "cache-not-used",
            f"compiled kernels are not kept where they should be: {REFUSED}",
            f"{CACHE} is used; set NUMBA_CACHE_DIR to a folder that only you can write to",
        )
    )


@contextmanager
def announced() -> Iterator[None]:
    """Say on stderr which kernels are compiled here, and why, in one line; nothing if all are in the cache.

    Other processes compile beside this one, unless MPI has started several, which all compile.
    """
    compile_side_by_side(0 if RANKS in os.environ else most_threads() - 1 if BESIDE is None else BESIDE)
    _told.together = True
    try:
        yield
    finally:
        _told.together = False
        _told.close()


@contextmanager
def messages_to(someone: Callable[[str], None]) -> Iterator[None]:
    """Send the names of kernels that are compiled to a function instead of stderr, and "" at the end."""
    before, _told.to = _told.to, someone
    try:
        yield
    finally:
        _told.to = before


def _say(text: str) -> None:
    if not SILENT:
        write_log(sys.stderr, text)
