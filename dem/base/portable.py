"""Functions of arrays that give the same bytes on every processor.

numpy has different code for exp, log, powers and cube roots on processors with AVX-512, and BLAS and LAPACK have
different code for inner products, matrix products and eigenvectors on each family of processors: their last bits
differ. Sums, products, quotients, square roots, and sums along an axis are the same on all processors. The initial
state of a run and the contents of files are computed with the functions of this module. Elementary functions are those
of Python's `math`, one number at a time, which are the C library's: one library gives the same bits on all processors
with FMA (x86: since 2013).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

MAX_SWEEPS = 60  # of Jacobi's rotations, of which some six are needed


def _each(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    """Function of arrays from a function of numbers; a number gives a number."""
    return np.vectorize(function, otypes=[float])


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf if x == x else x  # noqa: PLR0124, not a number stays that


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def _power(x: float, exponent: float) -> float:
    try:
        return math.pow(x, exponent)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if x == 0.0 else math.nan


def _cube_root(x: float) -> float:
    """Root of |x|, and a step by Newton's method, after which it is right to the last place or one beside it."""
    if x == 0.0 or not math.isfinite(x):
        return x
    y = math.copysign(math.pow(abs(x), 1.0 / 3.0), x)
    return y - (y - x / (y * y)) / 3.0


exp, log, power, cube_root = _each(_exp), _each(_log), _each(_power), _each(_cube_root)


def geometric(first: float, last: float, count: int) -> np.ndarray:
    """Numbers (count,) from the first to the last, both positive, whose ratios are equal.

    Examples
    --------
    >>> geometric(1.0, 16.0, 3)
    array([ 1.,  4., 16.])
    """
    low, high = math.log(first), math.log(last)
    made = exp(low + np.arange(count) / max(count - 1, 1) * (high - low))
    made[:1], made[1:][-1:] = first, last
    return made


def dot(a: ArrayLike, b: ArrayLike) -> float:
    """Inner product of two vectors.

    Examples
    --------
    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    return float(np.multiply(a, b, dtype=float).sum())


def length(vector: ArrayLike) -> float:
    """Euclidean length of a vector, also where squares would overflow.

    Examples
    --------
    >>> length([3.0, 4.0]), round(length([3e200, 4e200]) / 1e200, 9)
    (5.0, 5.0)
    """
    v = np.asarray(vector, dtype=float)
    largest = float(np.abs(v).max(initial=0.0))
    if 1e-140 < largest < 1e140 or not 0.0 < largest < math.inf:
        return math.sqrt(dot(v, v))
    unit = 2.0 ** math.frexp(largest)[1] if largest < 1e308 else 2.0**1023
    return math.sqrt(dot(v / unit, v / unit)) * unit


def eigen(symmetric: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (n,), ascending, and eigenvectors (n, n), as columns, of a small symmetric matrix, by Jacobi.

    Examples
    --------
    >>> values, vectors = eigen(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(12), np.abs(vectors).round(6).tolist()
    (array([1., 3.]), [[0.707107, 0.707107], [0.707107, 0.707107]])
    """
    a, n = np.array(symmetric, dtype=float), len(symmetric)
    vectors = np.eye(n)
    for _ in range(MAX_SWEEPS):
        if not np.triu(a, 1).any():
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) <= 1e-18 * math.sqrt(abs(a[p, p] * a[q, q])):
                    a[p, q] = a[q, p] = 0.0
                    continue
                half = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
                t = math.copysign(1.0, half) / (abs(half) + math.sqrt(half * half + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                for rows in (a, a.T, vectors.T):
                    one, other = rows[p].copy(), rows[q].copy()
                    rows[p], rows[q] = c * one - t * c * other, t * c * one + c * other
                a[p, q] = a[q, p] = 0.0
    order = np.argsort(np.diag(a), kind="stable")
    return np.diag(a)[order], vectors[:, order]


def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights (count,) of Gauss's and Legendre's quadrature from -1 to 1, by Newton's method.

    Examples
    --------
    >>> nodes, weights = gauss(3)
    >>> nodes.round(6), weights.round(6)
    (array([-0.774597,  0.      ,  0.774597]), array([0.555556, 0.888889, 0.555556]))
    """
    x = -np.array([math.cos(math.pi * (k + 0.75) / (count + 0.5)) for k in range(count)])
    for _ in range(9):
        before, now = np.ones(count), x
        for k in range(2, count + 1):
            before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
        slope = count * (x * now - before) / (x * x - 1.0)
        x = x - now / slope
    x = 0.5 * (x - x[::-1])
    return x, 2.0 / ((1.0 - x * x) * slope * slope)


def determinant(m: np.ndarray) -> float | np.ndarray:
    """Determinants of matrices (..., 3, 3); a float for one.

    Examples
    --------
    >>> determinant(np.diag([1.0, 2.0, 3.0]))
    6.0
    """
    m = np.moveaxis(np.asarray(m), (-2, -1), (0, 1))
    found = (
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        + m[0, 1] * (m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2])
        + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    )
    return found if found.ndim else float(found)


def inverse(m: np.ndarray) -> np.ndarray:
    """Inverse of a matrix (3, 3), by cofactors.

    Examples
    --------
    >>> inverse(np.diag([1.0, 2.0, 4.0])).diagonal()
    array([1.  , 0.5 , 0.25])
    """
    m = np.asarray(m, dtype=float)
    rows = [np.cross(m[:, (k + 1) % 3], m[:, (k + 2) % 3]) for k in range(3)]
    return np.array(rows) / determinant(m)


def times(m: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Matrix (3, 3) times vectors (3, ...).

    Examples
    --------
    >>> times(np.diag([1.0, 2.0, 3.0]), np.ones((3, 2)))[2]
    array([3., 3.])
    """
    return np.array([m[a, 0] * x[0] + m[a, 1] * x[1] + m[a, 2] * x[2] for a in range(3)])


def row_lengths(m: np.ndarray) -> np.ndarray:
    """Lengths of the rows of a matrix (3, 3).

    Examples
    --------
    >>> row_lengths(np.diag([1.0, 2.0, 3.0]))
    array([1., 2., 3.])
    """
    return np.sqrt(m[:, 0] * m[:, 0] + m[:, 1] * m[:, 1] + m[:, 2] * m[:, 2])
