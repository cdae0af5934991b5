"""Bounding boxes of the bodies of ranks: which bodies of one rank are ghosts of another.

The ghosts are packed and unpacked in `dem.kernels.soft.subdomain.halo_exchange`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SLACK = 1.0 + 1e-9  # factor on reaches, so that rounding never loses a ghost


class BoundingBox(NamedTuple):
    """Axis-parallel box about the centres of the bodies of a rank [m]; empty (lower > upper) without bodies."""

    lower: np.ndarray  # (3,)
    upper: np.ndarray  # (3,)

    @classmethod
    def about(cls, position: np.ndarray) -> BoundingBox:
        """Bounding box of positions (3, n)."""
        if not position.shape[1]:
            return cls(np.full(3, np.inf), np.full(3, -np.inf))
        return cls(position.min(axis=1), position.max(axis=1))


def is_within_reach(region: BoundingBox, reach: np.ndarray, position: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Whether each of the positions (3, n) is closer to a box than its reach (n,) [m]; booleans (n,).

    Periodic images count, of a cell at right angles with lengths (3,) [m], 0 along axes that are not periodic.

    Examples
    --------
    >>> import numpy as np
    >>> region = BoundingBox(np.zeros(3), np.ones(3))
    >>> x = np.array([[1.5, 9.8], [0.5, 0.5], [0.5, 0.5]])
    >>> is_within_reach(region, np.array([0.4, 0.4]), x, np.zeros(3)).tolist()
    [False, False]
    >>> is_within_reach(region, np.array([0.4, 0.4]), x, np.array([10.0, 0.0, 0.0])).tolist()
    [False, True]
    """
    if not region.lower[0] <= region.upper[0]:
        return np.zeros(position.shape[1], bool)
    near, square, most = np.arange(position.shape[1]), 0.0, (reach * SLACK) ** 2
    for axis in np.argsort(region.upper - region.lower, kind="stable"):  # shortest side first: it rejects most
        period, lower, upper, x = length[axis], region.lower[axis], region.upper[axis], position[axis, near]
        images = (-period, 0.0, period) if period > 0 else (0.0,)
        away = [np.maximum(np.maximum(lower - (x + s), (x + s) - upper), 0.0) for s in images]
        square = square + np.minimum.reduce(away) ** 2
        still = square <= most  # bodies out of reach along one axis are not tested along the others
        near, square, most = near[still], square[still], most[still]
    result = np.zeros(position.shape[1], bool)
    result[near] = True
    return result
