"""Cells that triangles of a mesh are looked up in, see ``kernels.walls.cells``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.walls.triangles import CORNER, NORMAL

if TYPE_CHECKING:
    from dem.model.surfaces import Surface

FEW = 8  # triangles that are near a cell which is not worth cutting
DEEPEST = 40  # cuts one after the other; the cube is a billion times larger than a cell then
PARTS = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) * 2 - 1  # where the eight parts of a cell lie


class Cells(NamedTuple):
    """Cells of one mesh: corner and size of the cube, rows, lists of triangles."""

    lower: np.ndarray
    size: float
    cells: np.ndarray
    listed: np.ndarray


def cells_of(surface: Surface, reach: float) -> Cells:
    """Cells for spheres of a radius up to the reach [m]; those larger than the reach are cut while many are near."""
    corners = surface.vertices[surface.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle, half_extent = 0.5 * (low + high), 0.5 * (high - low)
    reach *= 1 + 1e-9
    size = 2 * reach + float((high.max(axis=0) - low.min(axis=0)).max())
    size *= 1 + 1e-9
    lower = 0.5 * (high.max(axis=0) + low.min(axis=0)) - 0.5 * size
    rows, lists = [np.zeros((1, 3), dtype=np.int64)], []
    centre, half = (lower + 0.5 * size)[None], 0.5 * size
    first, cell, triangle = 0, np.zeros(len(corners), dtype=np.int64), np.arange(len(corners))
    for level in range(DEEPEST + 1):
        counts = np.bincount(cell, minlength=len(centre))
        cut = (counts > FEW) & (2 * half > reach) & (level < DEEPEST)
        _list_leaves(rows[-1], cut, counts, cell, triangle, lists)
        if not cut.any():
            break
        kept = cut[cell]
        cell, triangle = (np.cumsum(cut) - 1)[cell[kept]], triangle[kept]
        centre, half = centre[cut], 0.5 * half
        rows[-1][cut, 0] = first + len(rows[-1]) + 8 * np.arange(len(centre))
        first += len(rows[-1])
        near = _near_parts(centre[cell], half, reach, middle[triangle], half_extent[triangle], surface.rows[triangle])
        at, part = np.nonzero(near)
        order = np.argsort(8 * cell[at] + part, kind="stable")
        cell, triangle = (8 * cell[at] + part)[order], triangle[at[order]]
        centre = (centre[:, None] + half * PARTS).reshape(-1, 3)
        rows.append(np.zeros((len(centre), 3), dtype=np.int64))
    listed = np.concatenate(lists) if lists else np.zeros(0)
    return Cells(lower, size, np.concatenate(rows), listed.astype(np.int32))


def _list_leaves(
    rows: np.ndarray, cut: np.ndarray, counts: np.ndarray, cell: np.ndarray, triangle: np.ndarray, lists: list
) -> None:
    """Append the lists of cells that are not cut, and write where they are."""
    before = sum(map(len, lists))
    own = np.where(cut, 0, counts)
    ends = before + np.cumsum(own)
    rows[:, 1], rows[:, 2] = ends - own, ends
    lists.append(triangle[~cut[cell]])


def _near_parts(
    centre: np.ndarray, half: float, reach: float, middle: np.ndarray, half_extent: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Which of the eight parts (K, 8), of half the size `half`, triangles may come near: by box and by plane."""
    normal = rows[:, NORMAL : NORMAL + 3]
    off = centre - middle
    most = half_extent + (half + reach)
    within = [np.abs(off + sign * half) <= most for sign in (-1, 1)]
    height = np.einsum("ij,ij->i", normal, centre - rows[:, CORNER : CORNER + 3])
    thickness = half * np.abs(normal).sum(axis=1) + reach
    near = np.empty((len(centre), 8), dtype=bool)
    for k, signs in enumerate(PARTS):
        near[:, k] = np.abs(height + half * (normal @ signs)) <= thickness
        for axis in range(3):
            near[:, k] &= within[(signs[axis] + 1) // 2][:, axis]
    return near
