"""Products, determinants and inverses of small matrices: sums in a fixed order, so the same bits on all processors."""

from __future__ import annotations

import numpy as np


def determinant(m: np.ndarray) -> float:
    """Determinant of a matrix (3, 3).

    Examples
    --------
    >>> determinant(np.diag([1.0, 2.0, 3.0]))
    6.0
    """
    m = np.asarray(m)
    return float(
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        + m[0, 1] * (m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2])
        + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    )


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
