"""Locks between processes: a stage is compiled by one process at a time, and the others then find it on disk.

Processes that compile for a run (`dem.kernels.compiler.compile_processes`), the ranks of a run and the runs of a sweep
may come to the same stage at the same time. Each stage is a byte of one file, locked by the process that compiles it.
The system unlocks what a process had locked when it ends, however it ends.
"""

import os
import time
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numba

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same stage
    fcntl = None

NAME = "stages.lock"
DIGITS = 12  # hexadecimal, at the end of a symbol: place of its byte
PATIENCE = 120.0  # s, longer than any stage takes: the process that has the lock may have been stopped
PAUSE = 0.01  # s between attempts


@cache
def lock_file(folder):
    """Descriptor of the file of locks, open until the process ends, because closing it releases all locks."""
    return os.open(Path(folder) / NAME, os.O_WRONLY | os.O_CREAT, 0o600)


def lock_when_free(file, place):
    """Lock a byte when no other process has locked it; returns False if that takes too long, or without locks."""
    end = time.monotonic() + PATIENCE
    while fcntl and time.monotonic() < end:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):  # it is locked
            time.sleep(PAUSE)
        else:
            return True
    return False


@contextmanager
def locked(symbol):
    """Lock a stage during the block, when no other process has locked it; without locks, only run the block."""
    place, has_lock = int(symbol[-DIGITS:], 16), False
    with suppress(OSError):
        file = lock_file(numba.config.CACHE_DIR)
        has_lock = lock_when_free(file, place)
    try:
        yield
    finally:
        if has_lock:
            with suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)
