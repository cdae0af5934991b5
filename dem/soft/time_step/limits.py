"""Limits of overlap and displacement during a run, and detection of contacts resolved by too few time steps.

Of two bodies in contact the lighter one is accelerated more, and the shorter the contact, the larger the acceleration:
at the force F = K δ^1.5 the contact lasts 3.291 √(m*/(K √δ)) = 3.291 √m*/(K^(1/3) F^(1/6)). The kernels, which have all
accelerations, return at the acceleration at which some contact may last fewer than RESOLVED steps. This module then
determines whether a contact does, from its masses, stiffness and overlap. From then on the kernels return at
accelerations larger by a fifth, in contacts shorter by 3 %. After a false alarm, by a body that is not the lightest and
stiffest, contacts of somewhat fewer steps than RESOLVED may pass unnoticed until a body is accelerated more. Adhesion
makes contacts shorter at the same acceleration: they are as short as at rest when the forces are in balance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.integration import time_loop as loop
from dem.soft.contact.capsules import meetings
from dem.soft.contact.convex_bodies import convex_meetings, lowest_arms
from dem.soft.contact.overlaps import Overlaps, largest
from dem.soft.time_step.impacts import ADVISED, RESOLVED, effective_masses, kind_of_row, rounded_down
from dem.soft.walls.wall_arrays import face_name

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.soft.engine import Engine
    from dem.soft.time_step.impacts import Springs


class ShortestContact(NamedTuple):
    """The contact of the fewest steps that a run has had, if they were too few."""

    steps: float = math.inf
    step: int = -1  # when
    particle: int = -1  # identity
    partner: int = -1  # identity, or -1 - face for a wall, of those beside the box -7 - its number

    def __str__(self) -> str:
        """Shortest contact, as a sentence."""
        if self.particle < 0:
            return "no contact of too few time steps has been seen"
        partner = f"particle {self.partner}" if self.partner >= 0 else face_name(-1 - self.partner)
        contact = f"the contact of particle {self.particle} with {partner} at step {self.step}"
        return f"{contact} has {self.steps:.3g} time steps"

    def remedy(self, time_step: float) -> str:
        """Advice on the time step, as a sentence."""
        if self.particle < 0:
            return f"keep time_step at {time_step:g} s"
        return f"lower time_step from {time_step:g} s to {rounded_down(self.steps * time_step / ADVISED):g} s"


def max_resolved_acceleration(kinds: Kinds, springs: Springs, dt: float, *, single_body: bool) -> float:
    """Acceleration by contacts below which all have RESOLVED steps, if they act on a body one at a time [m/s²].

    The lighter one of a pair has at most twice the effective mass of both.
    """
    kind = kind_of_row(kinds)
    mass, whole, material = effective_masses(kinds), kinds.mass[kind], kinds.material[kind]
    force_limit = np.full(mass.shape, math.inf)
    for row in springs.surfaces():
        wall = springs.between(material, np.full_like(material, row), kinds.radius, whole)
        force_limit = np.minimum(force_limit, wall.force_of_time(mass, RESOLVED * dt))
    radius, reduced = 1 / (1 / kinds.radius + 1 / kinds.radius.max()), 1 / (1 / whole + 1 / whole.max())
    for other in np.unique(material) if not single_body else ():
        pair = springs.between(material, np.full_like(material, other), radius, reduced)
        force_limit = np.minimum(force_limit, pair.force_of_time(0.5 * mass, RESOLVED * dt))
    return float((force_limit / whole).min())


def shortest_contact(engine: Engine) -> ShortestContact:
    """The contact of the fewest steps among those that the last forces were of; rough walls are taken for flat."""
    b, kinds = engine.bodies, engine.kinds
    engine.place_spheres()
    arm = b.sphere_position - b.position[:, b.owner]
    x = b.sphere_position - _displacement_since_forces(engine, arm)
    cell = engine.walls.cell()
    placed, convex = b._replace(sphere_position=x), isinstance(kinds, ConvexBodyKinds)
    o = Overlaps.of(placed, kinds, engine.walls.faces, engine.candidates(), cell)
    touching = np.flatnonzero(o.pair > 0)
    i, j = o.i[touching], o.j[touching]
    normal, arm_i, arm_j = normals_and_arms(engine, placed, i, j, arm)
    kind = b.kind[b.owner]
    material, mass = kinds.material[kind], kinds.mass[kind]  # of the bodies of all spheres
    inverse = _inverse_mass(engine, i, arm_i, normal) + _inverse_mass(engine, j, arm_j, normal)
    pair = engine.springs.between(
        material[i], material[j], 1 / (1 / o.radius[i] + 1 / o.radius[j]), 1 / (1 / mass[i] + 1 / mass[j])
    )  # fmt: skip
    s = np.flatnonzero(o.wall > 0)
    axes, faces = o.normal(s), engine.springs.of_faces[o.face[s]]
    wall = engine.springs.between(material[s], faces, o.radius[s], mass[s])
    at_walls = lowest_arms(placed, kinds, engine.walls.faces, s, axes) if convex else arm[:, s]
    of_walls = 1 / _inverse_mass(engine, s, at_walls, axes)
    times = np.concatenate([
        pair.time(1 / inverse, o.pair[touching]), wall.time(of_walls, o.wall[s])
    ])  # fmt: skip
    if not times.size:
        return ShortestContact()
    particle, partner = np.concatenate([o.owner[i], o.owner[s]]), np.concatenate([o.owner[j], -1 - o.face[s]])
    k = largest(-times, particle, partner)
    return ShortestContact(
        float(times[k]) / engine.dt, int(engine.run_state.step[0]), int(particle[k]), int(partner[k])
    )


def normals_and_arms(
    engine: Engine, placed: Bodies, i: np.ndarray, j: np.ndarray, arm: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit normals (3, T) of contacts of spheres i and j, and where they are about the centres of the bodies [m].

    placed: bodies with their spheres placed. arm: of all spheres (3, M), about the centres of their bodies [m].
    """
    if isinstance(engine.kinds, ConvexBodyKinds):
        _, normal, arm_i, arm_j = convex_meetings(placed, engine.kinds, engine.walls.faces, i, j)
        return normal, arm_i, arm_j
    gap, arm_i, arm_j = meetings(placed, engine.kinds, i, j, engine.walls.cell(), arm)
    return gap / np.maximum(np.linalg.norm(gap, axis=0), TINY), arm_i, arm_j


def _inverse_mass(engine: Engine, sphere: np.ndarray, arm: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Inverse effective mass along the normal [1/kg] of spheres (T,), at arms along normals (3, T).

    The NumPy counterpart of `dem.kernels.soft.contact.surface_motion.inverse_mass`.
    """
    b, kinds = engine.bodies, engine.kinds
    kind = b.kind[b.owner[sphere]]
    if kinds.all_single_spheres:
        return kinds.inverse_mass[kind]
    lever = lever_arms(engine, sphere, arm, normal)
    return kinds.inverse_mass[kind] + (lever**2 / kinds.inertia[:, kind]).sum(0)


def lever_arms(engine: Engine, sphere: np.ndarray, arm: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Torque about the centre of a body of a unit force along a normal, on its principal axes (3, T) [m]."""
    b = engine.bodies
    body = b.owner[sphere]
    lever = np.cross(arm, normal, axis=0)
    w, axis = b.orientation[0, body], -b.orientation[1:, body]
    twice = 2 * np.cross(axis, lever, axis=0)
    return lever + w * twice + np.cross(axis, twice, axis=0)


def _displacement_since_forces(engine: Engine, arm: np.ndarray) -> np.ndarray:
    """Displacement of spheres since forces were last computed (3, M) [m], to first order in rotation."""
    b = engine.bodies
    if engine.run_state.phase[0] != loop.PREDICTED:
        return np.zeros_like(arm)
    displacement = b.velocity[:, b.owner]
    if not engine.kinds.all_single_spheres:
        spin = engine.state()[-1][:, engine.numbering.rows(b.identity)]
        displacement += np.cross(spin[:, b.owner], arm, axis=0)
    return engine.dt * displacement


# Of the smaller radius: where a contact with a wall is half as wide as the sphere, a = √(R δ) = R/2. Hertz puts a
# parabola for the sphere, which at the edge of the contact is off by a²/4R² = δ/4R of its depth: 6 % here. The
# published fibres come to 20 %, and would to 23.5 % if all their energy went into one impact.
OVERLAP_LIMIT = 0.25
FARTHEST = 0.15  # of the smallest diameter: in one step two particles may cross a usual skin, and no more


class Limits:
    """Limits of displacement in a step and of overlap, beyond which kernels return.

    They know the overlap but not whose it is, so where radii differ they come back at the smallest one's limit, and
    the shares are found here; from then on they come back when the overlap has grown by another tenth. For contacts of
    too few steps see `dem.soft.time_step.limits`.
    """

    def __init__(self, kinds: Kinds, limit: float, max_acceleration: float, *, is_isolated: bool) -> None:
        smallest = float(kinds.radius.min())
        self.limit = limit
        self.smallest, self.largest = kinds.radius.min(), kinds.radius.max()  # radii
        self.has_equal_radii = smallest == self.largest
        self.farthest = math.inf if is_isolated else FARTHEST * 2 * smallest
        self.returning_overlap = (limit if self.has_equal_radii else min(limit, OVERLAP_LIMIT)) * smallest
        self.largest_share = 0.0
        self.max_acceleration = max_acceleration
        self.shortest_contact = ShortestContact()

    def inherit(self, before: Limits, overlap: float) -> float:
        """Take over the extremes of limits for other particle sizes; returns the largest overlap in the present sizes.

        `overlap` is the largest one before; its share of the radius stays the same.
        """
        self.shortest_contact, self.largest_share = before.shortest_contact, before.relative_overlap(overlap)
        return float(self.largest_share * self.smallest) if self.has_equal_radii else overlap

    def accept_overlap(self, relative_overlap: float, overlap: float, *, record: bool) -> bool:
        """Whether the deepest overlap is within the limit; with `record`, raises that at which kernels return next.

        `relative_overlap` is the deepest one over the smaller radius, `overlap` the largest one so far.
        """
        if record:
            self.largest_share = max(self.largest_share, relative_overlap)
            self.returning_overlap = 1.1 * overlap
        return not self.has_equal_radii and relative_overlap <= self.limit

    def record_contact(self, contact: ShortestContact, acceleration: float) -> None:
        """Keep a contact that has too few steps and the fewest so far; raise the limit of acceleration."""
        if contact.steps < min(RESOLVED, self.shortest_contact.steps):
            self.shortest_contact = contact
        self.max_acceleration = 1.2 * acceleration

    @property
    def watch(self) -> np.ndarray:
        """Extremes so far, and the limits at which the loop returns next."""
        return np.array([self.largest_share, self.returning_overlap, self.max_acceleration, *self.shortest_contact])

    @watch.setter
    def watch(self, values: np.ndarray) -> None:
        self.largest_share, self.returning_overlap, self.max_acceleration, steps, *numbers = values.tolist()
        self.shortest_contact = ShortestContact(steps, *map(int, numbers))

    def relative_overlap(self, overlap: float) -> float:
        """Largest overlap so far over the smaller radius; a lower bound where radii differ."""
        if self.has_equal_radii:
            return float(overlap / self.smallest)
        return max(self.largest_share, float(overlap / self.largest))
