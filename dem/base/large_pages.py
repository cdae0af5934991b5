"""Allocate arrays on large pages of memory, aligned to cache lines.

A processor translates addresses page by page and caches some two thousand translations. With the usual pages of 4 kB
these cover 8 MB, less than the arrays of 1e5 spheres. A loop that reads these arrays with gaps, such as that over the
spheres near walls, then waits longer for translations than for numbers. With pages of 2 MB it does not. Linux provides
them on request; numpy requests them for arrays of 4 MB or more, one by one.

Freed pages are kept for the next allocation, up to the number in use, because the system clears each page that it
provides, which may take milliseconds for a large page. Ranks allocate new arrays at each rebuild of the neighbour
lists; they hold all arrays twice during the rebuild anyway, so kept pages need no further memory.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE = 64  # bytes of a line of the cache
LARGE = 1 << 21  # bytes of a large page
MIN_BYTES = 1 << 17  # bytes of an array that is worth it
TOGETHER = 1 << 25  # bytes that arrays share; one that takes up a quarter of that has pages of its own
MORE = 8  # one part in so many, by which the next one may be larger and have the same pages
SPARE = 1 << 27  # bytes that are kept for others, or as many as are in use if these are more
ASKED = getattr(mmap, "MADV_HUGEPAGE", None)  # None: the system does not know of it


class LargePages:
    """Memory that arrays are cut from one after the other, and that is given back when the last of them goes."""

    def __init__(self, size: int) -> None:
        buffer, self.used = _take_spare(size), True
        if buffer is None:
            buffer, self.used = _new(size + LARGE), False
        _in_use[id(buffer)] = len(buffer)
        self.memory = np.frombuffer(buffer, np.uint8)
        weakref.finalize(self.memory, _give_back, buffer).atexit = False
        self.free = -self.memory.ctypes.data % LARGE
        self.end = self.free + size

    def take(self, size: int, *, clear: bool) -> np.ndarray | None:
        """Allocate a number of bytes, zeroed if they are to be clear; None if there are fewer left."""
        start = self.free
        if start + size > self.end:
            return None
        self.free += lines(size)
        found = self.memory[start : start + size]
        if clear and self.used:
            found[:] = 0
        return found


def _new(size: int) -> mmap.mmap:
    """Memory that is this process's alone, on large pages if the system has them after all."""
    try:
        buffer = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no memory for {size / 1e6:.0f} MB of arrays") from error
    with contextlib.suppress(OSError):
        buffer.madvise(ASKED)
    return buffer


class _Open:
    """Pages that are not full yet."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pages: LargePages | None = None

    def take(self, size: int, *, clear: bool) -> np.ndarray:
        with self.lock:
            found = self.pages.take(size, clear=clear) if self.pages else None
            if found is None:
                self.pages = LargePages(TOGETHER)
                found = self.pages.take(size, clear=clear)
            return found

    def close(self) -> None:
        with self.lock:
            self.pages = None


_open, _spare, _in_use = _Open(), deque(), {}


@contextlib.contextmanager
def own_pages() -> Iterator[None]:
    """Have arrays that are made meanwhile share pages with no others, as they all go at the same time."""
    _open.close()
    try:
        yield
    finally:
        _open.close()


def _take_spare(size: int) -> mmap.mmap | None:
    """Most recently freed buffer of at least this size and not much more; None if there is none.

    Its pages are those that the caches still know, and that the system has had to find already: taken by turns, all
    that is kept would be touched in the end, and a host may take 5 ms to find a page of 2 MB.
    """
    for buffer in reversed(list(_spare)):
        if size + LARGE <= len(buffer) <= 1.5 * size + LARGE:
            try:
                _spare.remove(buffer)
            except ValueError:  # another thread was faster
                continue
            return buffer
    return None


def _give_back(buffer: mmap.mmap) -> None:
    """Keep a freed buffer as the most recent one; the garbage collector calls this, at any time."""
    _in_use.pop(id(buffer), None)
    _spare.append(buffer)
    while sum(map(len, list(_spare))) > max(SPARE, sum(list(_in_use.values()))):
        with contextlib.suppress(IndexError):  # another thread was faster
            _spare.popleft()


def lines(size: int) -> int:
    """Bytes of the cache lines that a number of bytes occupies."""
    return -(-size // LINE) * LINE


def _array(shape: int | tuple[int, ...], dtype: type, *, clear: bool) -> np.ndarray:
    size = np.dtype(dtype).itemsize * (math.prod(shape) if isinstance(shape, tuple) else shape)
    if size < MIN_BYTES or ASKED is None:
        found = np.zeros(size + LINE, np.uint8)
        start = -found.ctypes.data % LINE
        found = found[start : start + size]
    elif 4 * size > TOGETHER:
        found = LargePages(-(-(size + size // MORE) // LARGE) * LARGE).take(size, clear=clear)
    else:
        found = _open.take(size, clear=clear)
    return found.view(dtype).reshape(shape)


def zeros(shape: int | tuple[int, ...], dtype: type = float) -> np.ndarray:
    """Zeros, the first of them the first of a line; on large pages if they are many.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : type

    Returns
    -------
    array

    Examples
    --------
    >>> rows = zeros((3, 100_000))
    >>> rows.shape, bool(rows.any()), rows.ctypes.data % LINE
    ((3, 100000), False, 0)
    """
    return _array(shape, dtype, clear=True)


def empty(shape: int | tuple[int, ...], dtype: type = float) -> np.ndarray:
    """Uninitialised array, aligned to a cache line; on large pages if it is large."""
    return _array(shape, dtype, clear=False)


def full(shape: int | tuple[int, ...], value: float, dtype: type) -> np.ndarray:
    """Array filled with a value, aligned to a cache line; on large pages if it is large."""
    found = empty(shape, dtype)
    found[...] = value
    return found


def copied(values: np.ndarray) -> np.ndarray:
    """A copy, its last index the fastest.

    Examples
    --------
    >>> copied(np.arange(6).reshape(2, 3).T).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    found = empty(values.shape, values.dtype)
    found[...] = values
    return found
