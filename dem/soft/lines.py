"""Arrays as the cache of a processor likes them."""

import math

import numpy as np


def in_lines(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros whose first is the first of a line of the cache: a row of eight numbers is one line then, and not two."""
    size = math.prod(shape)
    numbers = np.zeros(size + 8)
    first = -numbers.ctypes.data % 64 // 8
    return numbers[first : first + size].reshape(shape)
