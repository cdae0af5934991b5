"""GSD, the file format of HOOMD-blue, which OVITO draws with the shapes of the particles.

Schema: https://gsd.readthedocs.io/en/stable/schema-hoomd.html, in SI units and single precision. What it does
differently, and what is done about it:

- Boxes have their centre at the origin and are periodic. Positions are shifted by that centre, which the first frame
  has as ``log/box_centre``, and on periodic axes wrapped, with the count in ``image``. On other axes the box is that of
  the run, widened if particles leave it; without a box, one that holds all spheres in all frames.
- ``angmom`` is the quaternion P = 2 q (0, I ω), with I ω in the body frame (HOOMD-blue, TwoStepNVE).
- ``diameter`` is left out: OVITO would scale sphere unions by it, which ``type_shapes`` gives in full.
- Angular velocities are no part of the schema: they are in ``log/particles/angular_velocity``.
- Further fields of particles, such as temperatures, are in the log too: ``log/particles/temperature``.
- If particles come and go, each frame has the present ones, and ``log/particles/identity`` has their numbers.

Time [s] and energies [J] are in the log, where `gsd.hoomd.read_log` finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import imports
from dem.files.exports.format import Format, further, only_balls
from dem.model.domain.box import AXES
from dem.model.particles.kinds import labels
from dem.model.shapes.bodies import body_axis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Variant


class FixedCell(NamedTuple):
    """The box of a GSD file."""

    lower: np.ndarray  # corner, in the coordinates of the run (3,) [m]
    size: np.ndarray  # (3,) [m]
    periodic: np.ndarray  # (3,)

    @property
    def centre(self) -> np.ndarray:
        """In the coordinates of the run (3,) [m]."""
        return self.lower + self.size / 2

    def wrap(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions about the centre of the cell, and how many cells they are away from it: (N, 3), (N, 3)."""
        image = np.where(self.periodic, np.floor((position - self.lower) / self.size), 0.0)
        inside = (position - self.centre - image * self.size).astype(np.float32)
        beyond = self.periodic & (inside >= (self.size / 2).astype(np.float32))  # by rounding
        return inside - beyond * self.size, image + beyond


def _fields(run: Trajectory) -> dict[str, tuple[str, ...]]:
    return {
        "position": ("position",) if only_balls(run) else ("position", "orientation"),
        "orientation": ("orientation",),
        "velocity": ("velocity",),
        "angular_momentum": ("orientation", "angular_velocity"),
        "angular_velocity": ("angular_velocity",),
    } | {name: (name,) for name in further(run)}


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    hoomd = imports.library("gsd.hoomd", extra="gsd", purpose="export to GSD")
    cell, energy, time, step, what = _cell(run, frames), run.energy, run.time, run.step, _Kinds.of(run)
    oriented = "orientation" in fields or not only_balls(run)
    with hoomd.open(path, "w") as file:
        for k in frames:
            frame, shot = hoomd.Frame(), run[k]
            if k == frames[0]:  # what later frames do not repeat stays as it is in the first one
                frame.configuration.box = [*cell.size, 0, 0, 0]
                frame.log["box_centre"] = cell.centre
                what.describe(frame.particles)
            if k == frames[0] or run.varies:
                what.tell(frame.particles, shot.columns)
            if run.varies:
                frame.log["particles/identity"] = shot.identity.astype(np.int64)
            frame.configuration.step = int(step[k])
            frame.log["time"] = time[k : k + 1]
            frame.log |= {f"{name}_energy": values[k : k + 1] for name, values in energy.items()}
            bodies = frame.particles
            bodies.N = len(shot.position)
            bodies.position, bodies.image = cell.wrap(shot.position)
            if oriented:
                bodies.orientation = shot.orientation
            if "velocity" in fields:
                bodies.velocity = shot.velocity
            if "angular_momentum" in fields:
                inertia = what.inertia[shot.columns]
                bodies.angmom = _angular_momentum(shot.orientation, inertia, shot.angular_velocity)
            for name in (each for each in ("angular_velocity", *further(run)) if each in fields):
                frame.log[f"particles/{name}"] = shot.field(name).astype(np.float32)
            file.append(frame)


def _cell(run: Trajectory, frames: range) -> FixedCell:
    """Simulation cell of a run, extended where particles leave it."""
    box = run.input["box"]
    if run.cell is not None:
        raise ValueError(
            f"{run.path} has a dem.Cell, whose edges turn, and boxes of GSD begin along x: take h5md, or the "
            "trajectory itself, which MDAnalysis and ParaView read"
        )
    reach = max((np.linalg.norm(each.offsets, axis=1) + each.radii).max() for each in run.variants)
    ends = [(x.min(axis=0), x.max(axis=0)) for x in (run[k].position for k in frames) if len(x)]
    ends = np.array(ends or [(box["lower"], box["upper"]) if box else np.zeros((2, 3))])
    lower, upper = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
    if not box:
        return FixedCell(lower - reach, upper - lower + 2 * reach, np.zeros(3, bool))
    periodic = np.array([axis in box["periodic"] for axis in AXES])
    lower = np.where(periodic | (lower > box["lower"]), box["lower"], lower - reach)
    upper = np.where(periodic | (upper < box["upper"]), box["upper"], upper + reach)
    return FixedCell(lower, upper - lower, periodic)


class _Kinds(NamedTuple):
    """Types of particles: of each column of the run, and shape of each type, which is a variant of a kind."""

    types: list[str]
    shapes: list[dict]  # of each type
    typeid: np.ndarray  # (N,)
    mass: np.ndarray  # (N,) [kg]
    inertia: np.ndarray  # (N, 3) [kg m²]

    @classmethod
    def of(cls, run: Trajectory) -> _Kinds:
        """Types, shapes, masses and inertias of the particles of a run."""
        variants, variant, names = run.variants, run.variant, [kind.name for kind in run.kinds]
        pairs, which = np.unique(np.stack([run.kind, variant], axis=1), axis=0, return_inverse=True)
        return cls(
            labels(names[k] for k, _ in pairs), [_shape(variants[v]) for v in pairs[:, 1]], which.ravel(),
            np.array([each.mass for each in variants])[variant], np.array([each.inertia for each in variants])[variant],
        )  # fmt: skip

    def describe(self, bodies: object) -> None:
        """Set the types and shapes of particles; GSD's defaults if no frame has a particle."""
        if self.types:
            bodies.types, bodies.type_shapes = self.types, self.shapes

    def tell(self, bodies: object, columns: np.ndarray | slice) -> None:
        """Say of what type, mass and inertia those of these columns are."""
        bodies.typeid, bodies.mass, bodies.moment_inertia = (each[columns] for each in self[2:])


def _shape(variant: Variant) -> dict:
    if not variant.offsets.any():
        return {"type": "Sphere", "diameter": 2 * float(variant.radii[0])}
    if variant.surface:
        corners, triangles = variant.surface.scale * variant.surface.vertices, variant.surface.triangles
        return {"type": "Mesh", "vertices": corners.tolist(), "indices": triangles.tolist()}
    return {"type": "SphereUnion", "centers": variant.offsets.tolist(), "diameters": (2 * variant.radii).tolist()}


def _angular_momentum(orientation: np.ndarray, inertia: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """P = 2 q (0, s), with s = I ω in the body frame (N, 4)."""
    s = inertia * np.stack([(body_axis(orientation, k) * angular_velocity).sum(axis=1) for k in range(3)], axis=1)
    w, v = orientation[:, :1], orientation[:, 1:]
    return 2 * np.hstack([-(v * s).sum(axis=1, keepdims=True), w * s + np.cross(v, s)])


FORMAT = Format((".gsd",), _fields, _write, always=("position",))
