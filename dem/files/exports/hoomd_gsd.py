"""Export GSD, the format of HOOMD-blue, which OVITO draws with the shapes of the particles.

Schema: https://gsd.readthedocs.io/en/stable/schema-hoomd.html, in SI units and single precision. What it does
differently, and what is done about it:

- Boxes have their centre at the origin and are periodic. Positions are shifted by that centre, which the first frame
  has as ``log/box_centre``, and on periodic axes wrapped, with the count in ``image``. On other axes the box is that of
  the run, widened if particles leave it; without a box, one that holds all spheres in all frames.
- The edges of a `dem.Cell` are the box of each frame. The first edge of a GSD box is along x, and the second one in the
  xy plane. So each frame is turned: what it has as u is ``log/rotation`` · u in the run, and the centre is in
  ``log/box_centre`` of each frame. Diagonal cells, and those of `dem.Cell.shear`, are not turned. Velocities are
  peculiar, as in the run; the velocity gradient of the cell, turned likewise, is ``log/rate``.
- ``angmom`` is the quaternion P = 2 q (0, I ω), with I ω in the body frame (HOOMD-blue, TwoStepNVE).
- ``diameter`` is left out: OVITO would scale sphere unions by it, which ``type_shapes`` gives in full.
- Angular velocities are no part of the schema: they are in ``log/particles/angular_velocity``.
- Further fields of particles, such as temperatures, are in the log too: ``log/particles/temperature``.
- If particles come and go, each frame has the present ones, and ``log/particles/identity`` has their numbers.
- Bonds between particles are in ``bonds`` until they break. Those to the ground, which is no particle, are left out.

Time [s] and energies [J] are in the log, where `gsd.hoomd.read_log` finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import imports
from dem.base.portable import inverse, length, times
from dem.base.quaternions import conjugate, product, quaternion_of
from dem.files.exports.format import Format, has_only_spheres, scalar_fields
from dem.model.domain.box import AXES
from dem.model.particles.kinds import labels
from dem.model.shapes.bodies import body_axis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.frame import Frame
    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Variant


class FixedCell(NamedTuple):
    """Simulation box of a GSD file that is the same in all frames."""

    lower: np.ndarray  # corner, in the coordinates of the run (3,) [m]
    size: np.ndarray  # (3,) [m]
    periodic: np.ndarray  # (3,)

    @property
    def centre(self) -> np.ndarray:
        """Centre of the box in the coordinates of the run (3,) [m]."""
        return self.lower + self.size / 2

    @property
    def box(self) -> list[float]:
        """Lengths and tilt factors of the GSD schema (6,) [m]."""
        return [*self.size, 0, 0, 0]

    def wrap(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Wrap positions into the box about its centre; returns positions (N, 3) and image numbers (N, 3)."""
        image = np.where(self.periodic, np.floor((position - self.lower) / self.size), 0.0)
        inside = (position - self.centre - image * self.size).astype(np.float32)
        beyond = self.periodic & (inside >= (self.size / 2).astype(np.float32))  # by rounding
        return inside - beyond * self.size, image + beyond


class TurnedCell(NamedTuple):
    """Simulation box of one frame of a GSD file, for a deforming cell."""

    edges: np.ndarray  # in columns, in the coordinates of the run (3, 3) [m]
    rotation: np.ndarray  # Q, from the coordinates of the file to those of the run (3, 3)
    turned: np.ndarray  # Qᵀ edges, an upper triangle (3, 3) [m]

    @classmethod
    def of(cls, edges: np.ndarray) -> TurnedCell:
        """Rotate the edges of a cell so that the first one is along x and the second one in the xy plane.

        Examples
        --------
        >>> TurnedCell.of(np.array([[0.0, -2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])).turned
        array([[1., 0., 0.],
               [0., 2., 0.],
               [0., 0., 3.]])
        """
        across = np.cross(edges[:, 0], edges[:, 1])
        first, third = edges[:, 0] / length(edges[:, 0]), across / length(across)
        rotation = np.stack([first, np.cross(third, first), third], axis=1)
        return cls(edges, rotation, np.triu(times(rotation.T, edges)) + 0.0)

    @property
    def centre(self) -> np.ndarray:
        """Centre of the box in the coordinates of the run (3,) [m]."""
        return 0.5 * (self.edges[:, 0] + self.edges[:, 1] + self.edges[:, 2])

    @property
    def box(self) -> list[float]:
        """Lengths and tilt factors of the GSD schema (6,): xy, xz and yz are over the lengths along y and z."""
        (x, xy, xz), (_, y, yz), (_, _, z) = self.turned.tolist()
        return [x, y, z, xy / y, xz / z, yz / z]

    def turn(self, vectors: np.ndarray) -> np.ndarray:
        """Rotate vectors (N, 3) into the coordinates of the file."""
        return times(self.rotation.T, vectors.T).T

    def wrap(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Wrap positions into the box about its centre and rotate them; returns them and image numbers, (N, 3) each."""
        image = np.floor(times(inverse(self.edges), position.T)).T
        inside = self.turn(position - self.centre - times(self.edges, image.T).T).astype(np.float32)
        share = times(inverse(self.turned), inside.T.astype(float)).T
        beyond = (share >= 0.5).astype(float) - (share < -0.5)  # by rounding
        return inside - times(self.turned, beyond.T).T, image + beyond


def _fields(run: Trajectory) -> dict[str, tuple[str, ...]]:
    return {
        "position": ("position",) if has_only_spheres(run) else ("position", "orientation"),
        "orientation": ("orientation",),
        "velocity": ("velocity",),
        "angular_momentum": ("orientation", "angular_velocity"),
        "angular_velocity": ("angular_velocity",),
    } | {name: (name,) for name in scalar_fields(run)}


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    hoomd = imports.library("gsd.hoomd", extra="gsd", purpose="export to GSD")
    fixed = _cell(run, frames) if run.cell is None else None
    energy, time, step, what, bonds = run.energy, run.time, run.step, _Kinds.of(run), run.bonds
    oriented = "orientation" in fields or not has_only_spheres(run)
    logged = [name for name in ("angular_velocity", *scalar_fields(run)) if name in fields]
    with hoomd.open(path, "w") as file:
        for k in frames:
            frame, shot = hoomd.Frame(), run[k]
            cell = fixed or TurnedCell.of(shot.cell.edges)
            if k == frames[0] or not fixed:  # what later frames do not repeat stays as it is in the first one
                frame.configuration.box = cell.box
                frame.log["box_centre"] = cell.centre
            if k == frames[0]:
                what.describe(frame.particles)
            if k == frames[0] or run.varies:
                what.set_properties(frame.particles, shot.columns)
            if run.varies:
                frame.log["particles/identity"] = shot.identity.astype(np.int64)
            if bonds is not None:
                _set_bonds(frame.bonds, bonds.pairs[(bonds.pairs >= 0).all(axis=1) & (bonds.broken_at[k] < 0)])
            frame.configuration.step = int(step[k])
            frame.log["time"] = time[k : k + 1]
            frame.log |= {f"{name}_energy": values[k : k + 1] for name, values in energy.items()}
            frame.particles.N = len(shot.position)
            frame.particles.position, frame.particles.image = cell.wrap(shot.position)
            turned = _turned(shot, fields, None if fixed else cell, oriented=oriented)
            if not fixed:
                frame.log["rotation"] = cell.rotation
                frame.log["rate"] = cell.turn(cell.turn(shot.cell.rate).T).T
            _set_motion(frame.particles, turned, what.inertia[shot.columns], fields)
            for name in logged:
                values = turned[name] if name in turned else shot.field(name)
                frame.log[f"particles/{name}"] = np.ascontiguousarray(values, np.float32)
            file.append(frame)


def _set_bonds(bonds: object, held: np.ndarray) -> None:
    """Write the bonds of a frame, from the numbers (K, 2) of the particles that they hold."""
    bonds.types, bonds.N = ["bond"], len(held)
    bonds.group, bonds.typeid = held.astype(np.int32), np.zeros(len(held), np.uint32)


def _set_motion(bodies: object, turned: dict[str, np.ndarray], inertia: np.ndarray, fields: Sequence[str]) -> None:
    """Write how the particles of a frame are turned and move, from vectors as of `_turned` and moments of inertia."""
    if "orientation" in turned:
        bodies.orientation = turned["orientation"]
    if "velocity" in fields:
        bodies.velocity = turned["velocity"]
    if "angular_momentum" in fields:
        bodies.angmom = _angular_momentum(turned["orientation"], inertia, turned["angular_velocity"])


def _turned(shot: Frame, fields: Sequence[str], cell: TurnedCell | None, *, oriented: bool) -> dict[str, np.ndarray]:
    """Orientations and vectors of the particles in a frame by name, in the coordinates of the file."""
    names = {"orientation": oriented, "velocity": "velocity" in fields}
    names["angular_velocity"] = bool({"angular_velocity", "angular_momentum"} & set(fields))
    found = {name: getattr(shot, name) for name, wanted in names.items() if wanted}
    if cell is None or (cell.rotation == np.eye(3)).all():
        return found
    back = conjugate(quaternion_of(cell.rotation))
    return {
        name: product(np.broadcast_to(back, values.shape), values) if name == "orientation" else cell.turn(values)
        for name, values in found.items()
    }


def _cell(run: Trajectory, frames: range) -> FixedCell:
    """Simulation box of a run, extended to contain all particles."""
    box = run.input["box"]
    reach = max(each.reach for each in run.variants)
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
    """GSD particle types: the type of each column of the run, and the shape of each type (a variant of a kind)."""

    types: list[str]
    shapes: list[dict]  # of each type
    typeid: np.ndarray  # (N,)
    mass: np.ndarray  # (N,) [kg]
    inertia: np.ndarray  # (N, 3) [kg m²]

    @classmethod
    def of(cls, run: Trajectory) -> _Kinds:
        """Types, shapes, masses and moments of inertia of the particles of a run."""
        variants, variant, names = run.variants, run.variant, [kind.name for kind in run.kinds]
        pairs, which = np.unique(np.stack([run.kind, variant], axis=1), axis=0, return_inverse=True)
        return cls(
            labels(names[k] for k, _ in pairs), [_shape(variants[v]) for v in pairs[:, 1]], which.ravel(),
            np.array([each.mass for each in variants])[variant], np.array([each.inertia for each in variants])[variant],
        )  # fmt: skip

    def describe(self, bodies: object) -> None:
        """Write the types and their shapes; the defaults of GSD if no frame has a particle."""
        if self.types:
            bodies.types, bodies.type_shapes = self.types, self.shapes

    def set_properties(self, bodies: object, columns: np.ndarray | slice) -> None:
        """Write type, mass and moments of inertia of the particles in some columns."""
        bodies.typeid, bodies.mass, bodies.moment_inertia = (each[columns] for each in self[2:])


def _shape(variant: Variant) -> dict:
    if not variant.offsets.any():
        return {"type": "Sphere", "diameter": 2 * float(variant.radii[0])}
    if variant.surface:
        corners, triangles = variant.surface.scale * variant.surface.vertices, variant.surface.triangles
        return {"type": "Mesh", "vertices": corners.tolist(), "indices": triangles.tolist()}
    return {"type": "SphereUnion", "centers": variant.offsets.tolist(), "diameters": (2 * variant.radii).tolist()}


def _angular_momentum(orientation: np.ndarray, inertia: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """Angular momentum as a quaternion, P = 2 q (0, s), with s = I ω in the body frame (N, 4)."""
    s = inertia * np.stack([(body_axis(orientation, k) * angular_velocity).sum(axis=1) for k in range(3)], axis=1)
    w, v = orientation[:, :1], orientation[:, 1:]
    return 2 * np.hstack([-(v * s).sum(axis=1, keepdims=True), w * s + np.cross(v, s)])


FORMAT = Format((".gsd",), _fields, _write, always=("position",))
