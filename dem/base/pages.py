"""Arrays as memory likes them: on large pages, and beginning with lines of the cache.

Where a number is in memory the processor looks up page by page, and remembers some two thousand pages: of the usual
4 kB these are 8 MB, less than the arrays of 1e5 spheres. Who goes through these with gaps, as walls do that touch one
sphere in twenty, waits longer for pages than for numbers. On pages of 2 MB a drum of triangles takes a tenth less time,
colliding spheres with friction a twentieth; a settled bed, whose arrays are gone through from end to end, as much as
before. Linux has to be asked for them; numpy asks for arrays of 4 MB or more, one by one.
"""

import math
import mmap
import threading

import numpy as np

LINE = 64  # bytes of a line of the cache
LARGE = 1 << 21  # bytes of a large page
LEAST = 1 << 17  # bytes of an array that is worth it
TOGETHER = 1 << 25  # bytes that arrays share; one that takes up a quarter of that has pages of its own
ASKED = getattr(mmap, "MADV_HUGEPAGE", None)  # None: the system does not know of it


class Pages:
    """Memory that arrays are cut from one after the other, and that goes when the last of them does."""

    def __init__(self, size: int) -> None:
        buffer = mmap.mmap(-1, size + LARGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        buffer.madvise(ASKED)
        self.memory = np.frombuffer(buffer, np.uint8)
        self.free = -self.memory.ctypes.data % LARGE
        self.end = self.free + size

    def take(self, size: int) -> np.ndarray | None:
        """So many bytes, all of them 0; None if there are fewer left."""
        start = self.free
        if start + size > self.end:
            return None
        self.free += lines(size)
        return self.memory[start : start + size]


class _Open:
    """Pages that are not full yet."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pages: Pages | None = None

    def take(self, size: int) -> np.ndarray:
        with self.lock:
            found = self.pages.take(size) if self.pages else None
            if found is None:
                self.pages = Pages(TOGETHER)
                found = self.pages.take(size)
            return found


_open = _Open()


def lines(size: int) -> int:
    """Bytes of the whole lines that so many bytes take up."""
    return -(-size // LINE) * LINE


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
    item = np.dtype(dtype).itemsize
    size = item * (math.prod(shape) if isinstance(shape, tuple) else shape)
    if size < LEAST or ASKED is None:
        found = np.zeros(size + LINE, np.uint8)
        start = -found.ctypes.data % LINE
        found = found[start : start + size]
    elif 4 * size > TOGETHER:
        found = Pages(-(-size // LARGE) * LARGE).take(size)
    else:
        found = _open.take(size)
    return found.view(dtype).reshape(shape)


def full(shape: int | tuple[int, ...], value: float, dtype: type) -> np.ndarray:
    """The same with another value."""
    found = zeros(shape, dtype)
    found[...] = value
    return found


def copied(values: np.ndarray) -> np.ndarray:
    """A copy, its last index the fastest.

    Examples
    --------
    >>> copied(np.arange(6).reshape(2, 3).T).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    found = zeros(values.shape, values.dtype)
    found[...] = values
    return found
