"""Export walls beside the box, or a deforming cell, as triangles for ParaView, as a separate VTKHDF file.

Triangles are stored once; their corners for each frame, or once if no wall moves. Cell data are ``wall`` (its
number), ``force`` (of all particles on that wall, at the frame [N]) and, where any wall wears, ``worn``: the volume
worn off the triangle since the run began [m³]; of walls other than meshes it is spread over the whole wall. Planes,
which are infinite, are drawn as squares about the particles of the first frame that has any. The faces of a cell that
deforms are numbered from 0: those at the beginning and at the end of its first edge, of the second and of the third.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base.quaternions import rotate
from dem.files.exports.format import Format
from dem.files.h5md.vtkhdf import begin_polydata, write_cells, write_steps
from dem.files.storage.output_file import output_file
from dem.model.domain.cell import Cell
from dem.model.walls.wall_triangles import triangles_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.h5md.walls import StoredWall
    from dem.files.reading.trajectory import Trajectory

WIDER = 1.5  # edge of a square that shows a plane, over the extent of the particles


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    if isinstance(run.box, Cell):
        _write_cell(run, path, frames)
        return
    if not run.walls:
        raise ValueError(f"{run.path} has no walls beside a box: nothing to export to walls.vtkhdf")
    middle, size = _extent(run, frames)
    shown = [triangles_of(wall.wall.shape, middle, size) for wall in run.walls]
    counts = [len(triangles) for _, triangles in shown]
    still = not any(_moves(wall, frames) for wall in run.walls)
    corners = np.cumsum([0, *(len(vertices) for vertices, _ in shown)])
    cells = np.concatenate([triangles + k for (_, triangles), k in zip(shown, corners, strict=False)])
    with output_file(path) as file:
        view = _layout(file, run.time[list(frames)], int(corners[-1]), cells, still=still)
        view["CellData/wall"] = np.repeat(np.arange(len(counts)), counts)
        points = view.create_dataset("Points", ((1 if still else len(frames)) * corners[-1], 3), float)
        for row, k in enumerate(frames[:1] if still else frames):
            placed = [_placed(vertices, wall, k) for (vertices, _), wall in zip(shown, run.walls, strict=True)]
            points[row * corners[-1] : (row + 1) * corners[-1]] = np.concatenate(placed)
        if "force" in fields:
            force = view["CellData"].create_dataset("force", (len(frames) * len(cells), 3), np.float32)
            for row, k in enumerate(frames):
                own = np.array([wall.force[k] for wall in run.walls])
                force[row * len(cells) : (row + 1) * len(cells)] = np.repeat(own, counts, axis=0)
            view["Steps/CellDataOffsets/force"] = len(cells) * np.arange(len(frames))
        if any(wall.worn.size for wall in run.walls):
            worn = view["CellData"].create_dataset("worn", len(frames) * len(cells), float)
            for row, k in enumerate(frames):
                own = [_worn(wall, k, *one) for wall, one in zip(run.walls, shown, strict=True)]
                worn[row * len(cells) : (row + 1) * len(cells)] = np.concatenate(own)
            view["Steps/CellDataOffsets/worn"] = len(cells) * np.arange(len(frames))


def _extent(run: Trajectory, frames: range) -> tuple[np.ndarray, float]:
    """Middle (3,) and edge [m] of the squares that show planes, from the particles of the first frame with any."""
    x = next((x for x in (run[k].position for k in frames) if len(x)), np.zeros((1, 3)))
    size = WIDER * float(np.linalg.norm(np.ptp(x, axis=0)))
    return 0.5 * (x.min(0) + x.max(0)), size or 4 * max(float(variant.radii.max()) for variant in run.variants)


def _write_cell(run: Trajectory, path: Path, frames: range) -> None:
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * 3, indexing="ij"), -1).reshape(-1, 3)  # 4 x + 2 y + z is the number
    faces = [np.flatnonzero(corners[:, axis] == end) for axis in range(3) for end in (0, 1)]
    triangles = np.array([corner for a, b, c, d in faces for corner in ((a, b, d), (a, d, c))])
    edges = run.cell.edges[list(frames)]
    with output_file(path) as file:
        view = _layout(file, run.time[list(frames)], len(corners), triangles, still=False)
        view["CellData/wall"] = np.repeat(np.arange(len(faces)), 2)
        view["Points"] = np.einsum("tab,nb->tna", edges, corners).reshape(-1, 3)


def _worn(wall: StoredWall, frame: int, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Wear volume of each triangle of a wall [m³]; other walls than meshes have it spread in proportion to areas."""
    gone = wall.worn[frame]
    if gone.size == len(triangles):
        return gone
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return gone.sum() * area / area.sum()


def _moves(wall: StoredWall, frames: range) -> bool:
    """Whether a wall changes its place between frames."""
    poses = wall.position[list(frames)], wall.orientation[list(frames)]
    return any((values != values[0]).any() for values in poses)


def _placed(vertices: np.ndarray, wall: StoredWall, frame: int) -> np.ndarray:
    """Points of a wall (V, 3) [m] moved from time 0 to a frame."""
    return wall.position[frame] + rotate(wall.orientation[frame], vertices - wall.wall.middle)


def _layout(file: h5py.File, time: np.ndarray, points: int, cells: np.ndarray, *, still: bool) -> h5py.Group:
    """Write everything but points and cell data; only triangles have cells, see `dem.files.h5md.vtkhdf`."""
    view = begin_polydata(file)
    view["NumberOfPoints"] = np.array([points])
    write_cells(view, "Polygons", np.array([len(cells)]), 3, cells.ravel())
    steps = write_steps(view, time, (0 if still else points) * np.arange(len(time)), parts=False)
    steps["CellDataOffsets/wall"] = np.zeros(len(time), np.int64)
    view.create_group("CellData")
    return view


FORMAT = Format((".walls.vtkhdf", ".vtkhdf", ".hdf", ".h5"), lambda _: {"force": ("position",)}, _write)
