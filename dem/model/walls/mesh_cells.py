"""Cells for the search of triangles of a mesh, see ``dem.kernels.walls.mesh_cells``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.walls.mesh_cells import distribute_triangles, mark

if TYPE_CHECKING:
    from dem.model.walls.surfaces import Surface

FEW = 8  # triangles that are near a cell which is not worth cutting
SMALL, LESS_SMALL = 1.0, 2.0  # size of such a cell, times the reach; of meshes of many triangles, for memory
MANY = 200_000
DEEPEST = 40  # cuts one after the other; the cube is a billion times larger than a cell then
MAX_ENTRIES, MAX_PER_TRIANGLE = 2**23, 64  # entries of all lists: so many, and so many more for each triangle
PARTS = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) * 2 - 1  # where the eight parts of a cell lie


class MeshCells(NamedTuple):
    """Cells of one mesh: corner and size of the cube, rows, lists of triangles."""

    lower: np.ndarray
    size: float
    cells: np.ndarray
    listed: np.ndarray


def cells_of(surface: Surface, reach: float) -> MeshCells:
    """Cells for spheres of a radius up to the reach [m], divided while many triangles are near and cells are large.

    Lists hold at most `MAX_ENTRIES` entries and `MAX_PER_TRIANGLE` a triangle. Where cutting all cells of a size would
    exceed that, only the cells near most triangles are cut. Contacts do not depend on it, only how many triangles are
    tested.
    """
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
        half *= 0.5
        near = half, reach, middle, surface.rows
        masks, part_counts = _marked(cut, cell, triangle, centre, *near)
        entries = part_counts.reshape(-1, 8).sum(axis=1)
        room = MAX_ENTRIES + MAX_PER_TRIANGLE * len(corners) - sum(map(len, lists)) - int(counts[~cut].sum())
        if entries.sum() > room:
            cut[np.flatnonzero(cut)[_too_many(counts[cut], entries, room)]] = False
            masks, part_counts = _marked(cut, cell, triangle, centre, *near)
        rows.append(_leaves(cut, counts, sum(map(len, lists))))
        kept = cut[cell]
        lists.append(triangle[~kept])
        if not cut.any():
            break
        rows[-1][cut, 0] = before + 8 * np.arange(cut.sum())
        before += 8 * int(cut.sum())
        cell, triangle = _dealt(cut, cell[kept], triangle[kept], masks, part_counts)
        counts = part_counts
        centre = (centre[cut][:, None] + half * PARTS).reshape(-1, 3)
    return MeshCells(lower, size, np.concatenate(rows), np.concatenate(lists))


def _leaves(cut: np.ndarray, counts: np.ndarray, before: int) -> np.ndarray:
    """Rows of cells: start and end of the list of each undivided cell."""
    own = np.where(cut, 0, counts)
    ends = before + np.cumsum(own)
    return np.column_stack([np.zeros_like(ends), ends - own, ends]).astype(np.int64)


def _marked(
    cut: np.ndarray, cell: np.ndarray, triangle: np.ndarray, centre: np.ndarray, *near: object
) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the subcells that each triangle may be near, and number of triangles of each subcell."""
    kept = cut[cell]
    masks, counts = np.zeros(int(kept.sum()), dtype=np.uint8), np.zeros(8 * int(cut.sum()), dtype=np.int64)
    if len(masks):
        mark(_renumbered(cut, cell[kept]), triangle[kept], np.ascontiguousarray(centre[cut]), *near, masks, counts)
    return masks, counts


def _renumbered(cut: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """Numbers of cells among the divided ones."""
    return (np.cumsum(cut, dtype=np.int32) - 1)[cell]


def _too_many(counts: np.ndarray, entries: np.ndarray, room: int) -> np.ndarray:
    """Cells that are not divided, so that all lists fit into memory: those near the fewest triangles."""
    order = np.argsort(-counts, kind="stable")
    total = np.cumsum((entries - counts)[order]) + counts.sum()
    return order[np.maximum.accumulate(total) > room]


def _dealt(
    cut: np.ndarray, cell: np.ndarray, triangle: np.ndarray, masks: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a subcell and a triangle near it, from the pairs of a divided cell and a triangle."""
    following = np.cumsum(counts) - counts
    cell_out, triangle_out = (np.zeros(int(counts.sum()), dtype=np.int32) for _ in range(2))
    distribute_triangles(_renumbered(cut, cell), triangle, masks, following, cell_out, triangle_out)
    return cell_out, triangle_out
