"""Export every sphere of every particle as a point for ParaView, as a separate VTKHDF file.

Point data are ``radius`` [m], ``owner`` (number of the particle), ``kind`` (of the particle), ``identity`` (of the
sphere), ``velocity`` of the sphere's centre, v + ω × r [m/s], and further fields of the particle, such as
``temperature`` [K]. Numbers are as precise as those of the trajectory.
Where particles are inserted or removed, a frame has the spheres of those present; that needs ParaView 5.13 or VTK 9.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.exports.format import Format, has_only_spheres, scalar_fields
from dem.files.h5md.vtkhdf import begin_with_points, draw_lines, polydata, varying_points
from dem.files.storage.output_file import output_file
from dem.model.particles.fields import STATE
from dem.model.shapes.bodies import place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.frame import Frame
    from dem.files.reading.trajectory import Trajectory


def fields_of(run: Trajectory) -> dict[str, tuple[str, ...]]:
    """Fields of the points, with the field of the run from which each is computed; orientations only where visible."""
    made = {"position": ("position", "orientation"), "velocity": ("velocity", "orientation", "angular_velocity")}
    if has_only_spheres(run):
        made = {"position": ("position",), "velocity": ("velocity",)}
    return made | {name: (name,) for name in scalar_fields(run)}


def shape_of(name: str, size: int) -> tuple[int, ...]:
    """Shape of point data with a number of rows."""
    return (size, STATE[name].width) if STATE[name].width > 1 else (size,)


def write_scalar_fields(data: h5py.Group, shot: Frame, names: Sequence[str], here: slice, owner: np.ndarray) -> None:
    """Write scalar fields in one frame; each sphere has the value of its particle."""
    for name in names:
        rows = shot.field(name)[owner]
        data[name][here] = rows if rows.shape[1] > 1 else rows[:, 0]


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    if run.varies:
        _write_varying(run, path, frames, fields)
        return
    variants, variant, turning = run.variants, run.variant, not has_only_spheres(run)
    origin = np.zeros((len(variant), 3))
    unturned = np.tile([1.0, 0.0, 0.0, 0.0], (len(variant), 1))
    arms, radii, owner = place(origin, unturned, variant, variants)
    fixed = {"radius": radii, "owner": owner, "kind": run.kind[owner]}
    moving = [name for name in fields if name != "position"]
    with output_file(path) as file:
        view = polydata(file, time=run.time[list(frames)], points=len(owner), moving=moving, fixed=fixed)
        size = (len(frames) * len(owner), 3)
        if run.bonds is not None:  # between the first spheres of bodies
            pairs, first = run.bonds.pairs, np.searchsorted(owner, np.arange(len(variant)))
            draw_lines(view, np.where(pairs < 0, -1, first[pairs]), run.bonds.broken_at[list(frames)])
        points = view.create_dataset("Points", size, run.position.dtype)
        data, more = view["PointData"], [name for name in scalar_fields(run) if name in fields]
        for name in moving:
            data.create_dataset(name, shape_of(name, size[0]), run.position.dtype)
        for row, k in enumerate(frames):
            here = slice(row * len(owner), (row + 1) * len(owner))
            write_scalar_fields(data, run[k], more, here, owner)
            if turning:
                arms = place(origin, run.orientation[k], variant, variants).centres
            points[here] = run.position[k][owner] + arms
            if "velocity" in data:
                spin = np.cross(run.angular_velocity[k][owner], arms) if turning else 0.0
                data["velocity"][here] = run.velocity[k][owner] + spin


def _write_varying(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    """Write the spheres of a run with a varying number of particles, frame by frame, with their identities."""
    variants, turning = run.variants, not has_only_spheres(run)
    number = np.array([len(each.radii) for each in variants])[run.variant]  # of spheres, by column of the run
    first = np.cumsum(number) - number
    there = np.array([int(number[run[k].columns].sum()) for k in frames])
    ends, real = np.cumsum(there), run.position.dtype
    kinds = {"radius": float, "owner": np.int64, "kind": run.kind.dtype, "identity": np.int64}
    with output_file(path) as file:
        view = varying_points(file, run.time[list(frames)], there)
        size = int(ends[-1])
        points = view.create_dataset("Points", (size, 3), real)
        data = {name: view["PointData"].create_dataset(name, size, kind) for name, kind in kinds.items()}
        more = [name for name in scalar_fields(run) if name in fields]
        for name in ([] if "velocity" not in fields else ["velocity"]) + more:
            data[name] = view["PointData"].create_dataset(name, shape_of(name, size), real)
        begin_with_points(view)
        for k, end, count in zip(frames, ends, there, strict=True):
            if not count:
                continue
            shot, here = run[k], slice(end - count, end)
            pose = shot.orientation if turning else np.tile([1.0, 0.0, 0.0, 0.0], (len(shot.position), 1))
            arms, radii, owner = place(np.zeros_like(shot.position), pose, shot.variant, variants)
            within = np.arange(count) - np.searchsorted(owner, owner)  # which of its particle's
            points[here] = shot.position[owner] + arms
            data["radius"][here], data["owner"][here] = radii, shot.identity[owner]
            data["kind"][here], data["identity"][here] = shot.kind[owner], first[shot.columns][owner] + within
            write_scalar_fields(data, shot, more, here, owner)
            if "velocity" in data:
                spin = np.cross(shot.angular_velocity[owner], arms) if turning else 0.0
                data["velocity"][here] = shot.velocity[owner] + spin


FORMAT = Format((".spheres.vtkhdf", ".vtkhdf", ".hdf", ".h5"), fields_of, _write, always=("position",))
