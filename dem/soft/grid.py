"""Cells for finding neighbours: where they are and how wide."""

from __future__ import annotations

import numpy as np

from kernels.soft import cells

CELLS_WITHIN_REACH = 2  # 0.8 times the search of 1; 3 are no better
MOST_CELLS_PER_BODY = 4


def most_cells(n: int) -> int:
    """Cells that are worth having for n bodies."""
    return MOST_CELLS_PER_BODY * n + 64


def grid_for(position: np.ndarray, bound: np.ndarray, skin: float, periods: list[tuple[float, float]]) -> cells.Grid:
    """Cells for bodies at positions (3, N) that lie within the radii `bound` (G,), and are listed up to a skin apart.

    All in metres. Along periodic axes, whose corner and length are given, the cells fill a period.
    """
    lower, upper = position.min(axis=1), position.max(axis=1)
    for axis, (corner, length) in enumerate(periods):
        if length > 0:
            lower[axis], upper[axis] = corner, corner + length
    size = (2 * bound.min() + skin) / CELLS_WITHIN_REACH
    shape, scale = _split(upper - lower, size, most_cells(position.shape[1]))
    edge = 1 / scale.max() if scale.max() > 0 else np.inf
    return cells.Grid(*shape.tolist(), *lower.tolist(), *scale.tolist(), float(edge), bool(bound.min() == bound.max()))


def _split(extent: np.ndarray, size: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells along each axis, none smaller than `size` and at most `most` in all; and cells a metre."""
    shape = np.clip(np.floor(extent / size), 1.0, most)
    while shape.prod() > most:
        shape = np.maximum(1.0, np.floor(shape / 1.26))
    shape = shape.astype(np.int64)
    split = shape > 1  # an axis that is not split has no scale: its extent may be anything down to nothing
    return shape, np.where(split, shape / np.where(split, extent, 1.0), 0.0)
