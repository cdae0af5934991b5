"""Export the surfaces of all particles as triangles for ParaView, as a separate VTKHDF file.

Convex shapes have their own surfaces; other particles have those of their spheres, of which parts may be inside of
others. Cell data are ``owner`` (number of the particle), ``kind`` (of the particle), ``velocity`` of the
particle's centre of mass [m/s], and further fields of the particle, such as ``temperature`` [K]. Where particles are
inserted or removed, a frame has the surfaces of those present; that needs ParaView 5.13 or VTK 9.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.exports.format import Format, check_room, scalar_fields
from dem.files.exports.spheres_vtkhdf import fields_of, shape_of, write_scalar_fields
from dem.files.h5md.vtkhdf import GROUP
from dem.files.storage.output_file import output_file
from dem.model.shapes.bodies import SurfaceMesh, place_surfaces
from dem.model.shapes.ellipsoid import cube_mesh

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.frame import Frame
    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Surfaces, Variant

CELLS = 4  # of spheres, along an edge of the cube that is projected on them
POLYGONS = 2  # place among VTK's kinds of cells: vertices, lines, polygons, strips


def with_surface(variant: Variant) -> Variant:
    """Variant with a surface mesh: that of its spheres if it has none of its own."""
    if variant.surface is not None:
        return variant
    cube, triangles = cube_mesh(CELLS)
    ball = cube / np.linalg.norm(cube, axis=1)[:, None]
    corners = (variant.offsets[:, None] + variant.radii[:, None, None] * ball).reshape(-1, 3)
    first = len(ball) * np.arange(len(variant.radii))
    return variant._replace(surface=SurfaceMesh(corners, (first[:, None, None] + triangles).reshape(-1, 3), 1.0))


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    variants, turning = [with_surface(each) for each in run.variants], "orientation" in run.fields
    each = np.array([(len(v.surface.vertices), len(v.surface.triangles)) for v in variants]).reshape(-1, 2)
    there = [run[k].columns for k in frames] if run.varies else [slice(None)]
    points, cells = np.array([each[run.variant[columns]].sum(axis=0) for columns in there]).T
    moving = [name for name in ("velocity", *scalar_fields(run)) if name in fields]
    size = len(frames) if len(points) == 1 else 1
    width = 4 * size * sum(np.prod(shape_of(name, 1)) for name in moving) + 40  # bytes of a triangle, with its numbers
    needed = int(3 * run.position.dtype.itemsize * size * points.sum() + width * cells.sum())
    what = f"{needed:.3g} bytes, some {cells.max(initial=0):.3g} triangles in each frame"
    check_room(path, needed, f"{run.path} as surfaces.vtkhdf takes {what}", "or spheres.vtkhdf")
    with output_file(path) as file:
        view = _layout(file, run.time[list(frames)], points, cells)
        corners = view.create_dataset("Points", (size * points.sum(), 3), run.position.dtype)
        data, many = view["CellData"], int(cells.sum())
        owner, kind = (data.create_dataset(name, many, np.int64) for name in ("owner", "kind"))
        for name in moving:
            data.create_dataset(name, shape_of(name, size * many), np.float32)
            step = np.cumsum(cells) - cells if run.varies else many * np.arange(len(frames))
            view[f"Steps/CellDataOffsets/{name}"] = step
        begin = np.zeros(2, np.int64)
        for row, k in enumerate(frames):
            shot = run[k]
            drawn = _placed(shot, variants, turning=turning)
            end = begin + np.array([len(drawn.vertices), len(drawn.triangles)])
            corners[begin[0] : end[0]] = drawn.vertices
            write_scalar_fields(data, shot, moving, slice(begin[1], end[1]), drawn.owner)
            if row == 0 or run.varies:
                here = slice(begin[1], end[1])
                owner[here], kind[here] = shot.identity[drawn.owner], shot.kind[drawn.owner]
                view["Polygons/Connectivity"][3 * here.start : 3 * here.stop] = drawn.triangles.ravel()
            begin = end


def _placed(shot: Frame, variants: list[Variant], *, turning: bool) -> Surfaces:
    pose = shot.orientation if turning else np.tile([1.0, 0.0, 0.0, 0.0], (len(shot.position), 1))
    return place_surfaces(shot.position, pose, shot.variant, variants)


def _layout(file: h5py.File, time: np.ndarray, points: np.ndarray, cells: np.ndarray) -> h5py.Group:
    """Write everything that is the same in all frames; numbers of points and triangles are constant or (T,)."""
    view, many = file.create_group(GROUP), len(points) > 1
    view.attrs["Version"], view.attrs["Type"] = np.array([2, 0]), np.bytes_(b"PolyData")
    view["NumberOfPoints"] = points
    for kind in ("Vertices", "Lines", "Polygons", "Strips"):
        own = cells if kind == "Polygons" else 0 * cells
        view[f"{kind}/NumberOfCells"], view[f"{kind}/NumberOfConnectivityIds"] = own, 3 * own
        view[f"{kind}/Offsets"] = 3 * np.arange(own.max(initial=0) + 1)  # the same in all frames, as all are triangles
        view.create_dataset(f"{kind}/Connectivity", 3 * int(own.sum()), np.int64)
    view.create_group("CellData")
    steps, zeros = view.create_group("Steps"), np.zeros(len(time), np.int64)
    first = np.cumsum(cells) - cells if many else zeros
    steps.attrs["NSteps"] = len(time)
    steps["Values"], steps["NumberOfParts"] = time, zeros + 1
    steps["PartOffsets"] = np.arange(len(time)) if many else zeros
    steps["PointOffsets"] = np.cumsum(points) - points if many else points * np.arange(len(time))
    steps["CellOffsets"] = np.zeros((len(time), 4), np.int64)
    steps["ConnectivityIdOffsets"] = 3 * first[:, None] * (np.arange(4) == POLYGONS)
    for name in ("owner", "kind"):
        steps[f"CellDataOffsets/{name}"] = first
    return view


def _fields(run: Trajectory) -> dict[str, tuple[str, ...]]:
    return fields_of(run) | {"velocity": ("velocity",)}


FORMAT = Format((".surfaces.vtkhdf", ".vtkhdf", ".hdf", ".h5"), _fields, _write, always=("position",))
