"""Cells that triangles of a mesh are looked up in, see ``kernels.walls.cells``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.walls.cells import deal, mark

if TYPE_CHECKING:
    from dem.model.surfaces import Surface

FEW = 8  # triangles that are near a cell which is not worth cutting
SMALL, LESS_SMALL = 1.0, 2.0  # size of such a cell, times the reach; of meshes of many triangles, for memory
MANY = 200_000
DEEPEST = 40  # cuts one after the other; the cube is a billion times larger than a cell then
PARTS = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) * 2 - 1  # where the eight parts of a cell lie


class Cells(NamedTuple):
    """Cells of one mesh: corner and size of the cube, rows, lists of triangles."""

    lower: np.ndarray
    size: float
    cells: np.ndarray
    listed: np.ndarray


def cells_of(surface: Surface, reach: float) -> Cells:
    """Cells for spheres of a radius up to the reach [m]; cut while many triangles are near and they are not small."""
    corners = surface.vertices[surface.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = np.ascontiguousarray(np.concatenate([0.5 * (low + high), 0.5 * (high - low)], axis=1))
    reach *= 1 + 1e-9
    size = (2 * reach + float((high.max(axis=0) - low.min(axis=0)).max())) * (1 + 1e-9)
    lower = 0.5 * (high.max(axis=0) + low.min(axis=0)) - 0.5 * size
    small = reach * (SMALL if len(corners) <= MANY else LESS_SMALL)
    rows, lists = [], []
    centre, half, before = (lower + 0.5 * size)[None], 0.5 * size, 1
    cell, triangle = np.zeros(len(corners), dtype=np.int32), np.arange(len(corners), dtype=np.int32)
    counts = np.array([len(corners)])
    for level in range(DEEPEST + 1):
        cut = (counts > FEW) & (2 * half > small) & (level < DEEPEST)
        rows.append(_leaves(cut, counts, sum(map(len, lists))))
        kept = cut[cell]
        lists.append(triangle[~kept])
        if not cut.any():
            break
        rows[-1][cut, 0] = before + 8 * np.arange(cut.sum())
        before += 8 * int(cut.sum())
        cell, triangle = (np.cumsum(cut, dtype=np.int32) - 1)[cell[kept]], triangle[kept]
        centre, half = np.ascontiguousarray(centre[cut]), 0.5 * half
        cell, triangle, counts = _dealt(cell, triangle, centre, half, reach, middle, surface.rows)
        centre = (centre[:, None] + half * PARTS).reshape(-1, 3)
    return Cells(lower, size, np.concatenate(rows), np.concatenate(lists))


def _leaves(cut: np.ndarray, counts: np.ndarray, before: int) -> np.ndarray:
    """Rows of cells: where the lists of those begin and end that are not cut."""
    own = np.where(cut, 0, counts)
    ends = before + np.cumsum(own)
    return np.column_stack([np.zeros_like(ends), ends - own, ends]).astype(np.int64)


def _dealt(
    cell: np.ndarray, triangle: np.ndarray, centre: np.ndarray, half: float, reach: float, middle: np.ndarray,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Pairs of a part and a triangle that may come near it, and how many each part has."""
    masks, counts = np.zeros(len(cell), dtype=np.uint8), np.zeros(8 * len(centre), dtype=np.int64)
    mark(cell, triangle, centre, half, reach, middle, rows, masks, counts)
    following = np.cumsum(counts) - counts
    cell_out, triangle_out = (np.zeros(int(counts.sum()), dtype=np.int32) for _ in range(2))
    deal(cell, triangle, masks, following, cell_out, triangle_out)
    return cell_out, triangle_out, counts
