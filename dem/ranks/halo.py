"""Which bodies others need to know of: those that come within reach of the box about their bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SLACK = 1.0 + 1e-9  # distances are stretched by this, so that rounding never loses anybody


class BoundingBox(NamedTuple):
    """The box about the centres of somebody's bodies [m]; empty if it has none."""

    lower: np.ndarray  # (3,)
    upper: np.ndarray  # (3,)

    @classmethod
    def about(cls, position: np.ndarray) -> BoundingBox:
        """About positions (3, n)."""
        if not position.shape[1]:
            return cls(np.full(3, np.inf), np.full(3, -np.inf))
        return cls(position.min(axis=1), position.max(axis=1))


def within(region: BoundingBox, reach: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Which of the positions (3, n) are closer to a region than their reach (n,) [m]; booleans (n,).

    Images count of a periodic cell at right angles, whose lengths (3,) are 0 along axes that are not periodic.

    Examples
    --------
    >>> import numpy as np
    >>> region = BoundingBox(np.zeros(3), np.ones(3))
    >>> x = np.array([[1.5, 9.8], [0.5, 0.5], [0.5, 0.5]])
    >>> within(region, np.array([0.4, 0.4]), x, np.zeros(3)).tolist()
    [False, False]
    >>> within(region, np.array([0.4, 0.4]), x, np.array([10.0, 0.0, 0.0])).tolist()
    [False, True]
    """
    if not region.lower[0] <= region.upper[0]:
        return np.zeros(position.shape[1], bool)
    near, square, most = np.arange(position.shape[1]), 0.0, (reach * SLACK) ** 2
    for axis in np.argsort(region.upper - region.lower, kind="stable"):  # its shortest side is where it was cut
        period, lower, upper, x = length[axis], region.lower[axis], region.upper[axis], position[axis, near]
        images = (-period, 0.0, period) if period > 0 else (0.0,)
        away = [np.maximum(np.maximum(lower - (x + s), (x + s) - upper), 0.0) for s in images]
        square = square + np.minimum.reduce(away) ** 2
        within = square <= most  # who is too far away along one axis need not be looked at along the others
        near, square, most = near[within], square[within], most[within]
    result = np.zeros(position.shape[1], bool)
    result[near] = True
    return result
