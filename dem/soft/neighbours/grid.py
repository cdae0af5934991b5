"""Cells for finding neighbours: where they are and how wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.neighbours import linked_cells

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell

CELLS_WITHIN_REACH = 2  # 0.8 times the search of 1; 3 are no better
MOST_CELLS_PER_BODY = 4
SAMPLE, FEW = 200, 4  # bodies that tell where most of them are, and how many on either side may be far away


def most_cells(n: int) -> int:
    """Cells that are worth having for n bodies."""
    return MOST_CELLS_PER_BODY * n + 64


def grid_for(
    position: np.ndarray, is_removed: np.ndarray, bound: np.ndarray, skin: float, cell: PeriodicCell
) -> linked_cells.Grid:
    """Cells for bodies at positions (3, N) that lie within the radii `bound` (G,), and are listed up to a skin apart.

    All in metres. Along the axes of a periodic cell the cells fill a period. Those removed, (1, N), are left out.
    """
    left = is_removed[0] != 0
    if left.any() and not left.all():
        position = position[:, ~left]
    lower, upper = _extent(position)
    periodic = cell.length > 0
    lower, upper = np.where(periodic, cell.corner, lower), np.where(periodic, cell.corner + cell.length, upper)
    size = (2 * bound.min() + skin) / CELLS_WITHIN_REACH
    shape, scale = _split(upper - lower, size, most_cells(position.shape[1]))
    edge = 1 / scale.max() if scale.max() > 0 else np.inf
    return linked_cells.Grid(
        *shape.tolist(), *lower.tolist(), *scale.tolist(), float(edge), bool(bound.min() == bound.max())
    )


def _extent(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,), (3,) of what holds the positions (3, N); without the few far away, who end up in its outer cells.

    As there are no more cells than bodies can use, one particle far away would make those of all others too wide.
    """
    if not position.size:
        return np.zeros(3), np.zeros(3)
    lower, upper = position.min(axis=1), position.max(axis=1)
    if position.shape[1] < SAMPLE:
        return lower, upper
    sample = np.sort(position[:, :: position.shape[1] // SAMPLE], axis=1)
    low, high = sample[:, FEW], sample[:, -1 - FEW]
    margin = 0.5 * (high - low)
    return np.maximum(lower, low - margin), np.minimum(upper, high + margin)


def _split(extent: np.ndarray, size: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells along each axis, none smaller than `size` and at most `most` in all; and cells a metre."""
    shape = np.clip(np.floor(extent / size), 1.0, most)
    while shape.prod() > most:
        shape = np.maximum(1.0, np.floor(shape / 1.26))
    shape = shape.astype(np.int64)
    split = shape > 1  # an axis that is not split has no scale: its extent may be anything down to nothing
    return shape, np.where(split, shape / np.where(split, extent, 1.0), 0.0)
