"""Exact sums and products of floats, as a float and the rest that rounding leaves, for ledgers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dem.kernels.heat.exchange import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

SPLIT = 2.0**27 + 1  # T. J. Dekker, Numer. Math. 18 (1971) 224

Exact = tuple[float, float]  # a sum, and what rounding leaves out of it


def exact_sum(parts: Iterable[list[float]]) -> Exact:
    """Sum of numbers, and the rest that rounding leaves."""
    numbers = [number for part in parts for number in part]
    total = math.fsum(numbers)
    return total, math.fsum([*numbers, -total])


def product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Products of floats, and the rests that rounding leaves (Dekker 1971)."""
    of_a, of_b = (SPLIT * each - (SPLIT * each - each) for each in (a, b))
    rest_a, rest_b, result = a - of_a, b - of_b, a * b
    return result, rest_a * rest_b - (((result - of_a * of_b) - rest_a * of_b) - of_a * rest_b)


def whole(words: list[int]) -> int:
    """Units of a sum of two words."""
    return (words[0] << WORD) + words[1]
