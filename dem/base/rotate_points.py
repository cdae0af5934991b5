"""Points turned by unit quaternions, scalar first, in numpy."""

import numpy as np


def turned(q: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (..., 3) after a turn by a unit quaternion (4,).

    Examples
    --------
    >>> turned(np.array([0.5, 0.5, 0.5, 0.5]), np.array([1.0, 2.0, 3.0]))  # a third of a turn about (1, 1, 1)
    array([3., 1., 2.])
    """
    w, u = q[0], q[1:]
    twice = 2 * np.cross(u, points)
    return points + w * twice + np.cross(u, twice)


def turned_back(q: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (..., 3) rotated by the inverse of a quaternion (4,)."""
    return turned(np.array([q[0], *-q[1:]]), points)
