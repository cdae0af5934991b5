"""Distances in periodic space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dem.base.portable import inverse, times


class PeriodicCell(NamedTuple):
    """Cell of a periodic domain, whose edges need not be at right angles.

    Attributes
    ----------
    corner : ndarray (3,)
        Corner of the cell [m].
    edges : ndarray (3, 3)
        Edges of the cell in columns [m]; upper triangular unless all axes are periodic, and the edge along an axis that
        is not periodic is zero.

    Examples
    --------
    >>> cell = PeriodicCell.orthogonal([0.0, 0.0, 0.0], [1.0, 0.0, 1.0])
    >>> cell.nearest(np.array([0.75, 0.75, -1.25]))
    array([-0.25,  0.75, -0.25])
    """

    corner: np.ndarray
    edges: np.ndarray

    @classmethod
    def orthogonal(cls, corner: object = (0.0, 0.0, 0.0), length: object = (0.0, 0.0, 0.0)) -> PeriodicCell:
        """Cell with edges along the axes; lengths (3,) are 0 along axes that are not periodic [m]."""
        return cls(np.array(corner, dtype=float), np.diag(np.array(length, dtype=float)))

    @property
    def length(self) -> np.ndarray:
        """Lengths of the cell along the axes (3,) [m], 0 along axes that are not periodic."""
        return np.diagonal(self.edges)

    def nearest(self, gap: np.ndarray) -> np.ndarray:
        """Differences of positions (3, ...) to the nearest images [m]."""
        gap = np.array(gap, dtype=float)
        if np.tril(self.edges, -1).any():
            image = np.floor(times(inverse(self.edges), gap) + 0.5)
            return gap - times(self.edges, image)
        for axis in np.flatnonzero(self.length)[::-1]:
            image = np.floor(gap[axis] / self.length[axis] + 0.5)
            for other in np.flatnonzero(self.edges[:, axis]):
                gap[other] -= self.edges[other, axis] * image
        return gap


def nearest_image(gap: np.ndarray, period: np.ndarray) -> np.ndarray:
    """Differences of positions (..., 3) to the nearest images; the period (3,) is 0 along axes that have none.

    Examples
    --------
    >>> nearest_image(np.array([0.75, 0.75, -1.25]), np.array([1.0, 0.0, 1.0]))
    array([-0.25,  0.75, -0.25])
    """
    return np.ascontiguousarray(PeriodicCell.orthogonal(length=period).nearest(gap.T).T)
