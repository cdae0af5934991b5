"""An outlet in a run: which particles are in it, how many it has removed, and the energy that leaves with them.

A body is removed at a whole step n, and velocities are half a step ahead: the forces of that step, with those of the
contacts that end, have acted on the remaining bodies until n + 1/2. So the ledger books the energy that removed bodies
and their contacts have at n + 1/2: that at n, with the work of contacts on them in half a step, and the elastic energy
of the overlaps at n + 1/2. That makes the ledger second-order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.model.domain.box import FACES
from dem.model.insertion import STEPS
from dem.soft.contact.capsules import meetings
from dem.soft.contact.contact_forces import contact_forces
from dem.soft.contact.overlaps import away_from_walls, in_walls

if TYPE_CHECKING:
    from dem.model.insertion import Outlet
    from dem.soft.engine import Engine


class OutletInRun:
    """Region in which particles are removed, with their number and mass so far."""

    def __init__(self, outlet: Outlet, dt: float) -> None:
        self.outlet, self.region = outlet, outlet.place
        self.interval = STEPS if outlet.every is None else max(1, round(outlet.every / dt))
        self.number, self.mass = 0, 0.0
        self._identities_before, self._positions_before = np.zeros(0, np.int64), np.zeros((3, 0))  # at the last check

    @property
    def name(self) -> str:
        """Name of the outlet."""
        return self.outlet.word

    def __repr__(self) -> str:
        """Number and mass of the particles taken out."""
        return f"<{self.name}: {self.number} out, {self.mass:.4g} kg>"

    def next_event_step(self, step: int) -> int:
        """The first step after this one at which the region is checked."""
        return (step // self.interval + 1) * self.interval

    def is_event_step(self, step: int) -> bool:
        """Whether the region is checked at a step."""
        return step % self.interval == 0

    def find_removed(self, engine: Engine) -> np.ndarray:
        """Which bodies the outlet removes now, by index (N,)."""
        b = engine.bodies
        if self.region.flat:
            return self._crossing(engine)
        if not self.outlet.whole:
            return self._depth(engine, b.position.T) >= 0
        centres, first = engine.sphere_centres(), engine.first_sphere_of_row
        within = self._depth(engine, centres) >= engine.sphere_radii()
        rows = np.logical_and.reduceat(within, first) if first.size else np.zeros(0, bool)
        return rows[engine.numbering.rows(b.identity)]

    def _depth(self, engine: Engine, points: np.ndarray) -> np.ndarray:
        """How far inside the region the images of points (M, 3) nearest to its middle are (M,) [m]."""
        return self.region.depth(points - self.region.image_shift(points, engine.walls.cell()))

    def _crossing(self, engine: Engine) -> np.ndarray:
        """Which bodies crossed the surface within its rim since the last check, by index (N,)."""
        b, region = engine.bodies, self.region
        rows = engine.by_row(b.position)
        identities = engine.numbering.identities
        crossed = np.zeros(identities.size, bool)
        seen = np.flatnonzero(np.isin(identities, self._identities_before))
        before = self._positions_before[:, np.searchsorted(self._identities_before, identities[seen])].T
        now = rows[:, seen].T
        displacement = now - before
        now -= displacement - engine.walls.cell().nearest(displacement.T).T  # by minimum image
        for end in (before, now):  # images of the path of which this end is nearest to the region
            shift = region.image_shift(end, engine.walls.cell())
            first, last = before - shift, now - shift
            low, high = region.height(first), region.height(last)
            crosses = (low < 0) & (high >= 0)
            fraction = np.divide(-low, high - low, out=np.zeros_like(low), where=crosses)
            at = first + fraction[:, None] * (last - first)
            crossed[seen] |= crosses & (region.depth(at) >= 0)
        self._identities_before, self._positions_before = identities.copy(), rows.copy()
        return crossed[engine.numbering.rows(b.identity)]

    def count_removed(self, masses: np.ndarray) -> None:
        """Count removed particles, by their masses [kg]."""
        self.number += masses.size
        self.mass += float(masses.sum())

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        return {"numbers": np.array([self.number], np.int64), "mass": np.array([self.mass]),
                "who": self._identities_before.copy(), "then": self._positions_before.copy()}  # fmt: skip

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.number, self.mass = int(state["numbers"][0]), float(state["mass"][0])
        self._identities_before, self._positions_before = state["who"].copy(), state["then"].copy()


EXACT = 1e-9  # of all elastic energy: rounding between this sum and that of the kernels


class RemovedContacts(NamedTuple):
    """Elastic energy of contacts that end, as a body of them is removed."""

    energy: float  # now [J]
    energy_removed: float  # half a step later, with the work of contacts on the removed bodies until then [J]
    is_exact: bool  # whether the contact law has just this energy; if not, the next step finds the rest
    has_contacts: bool  # whether there are any

    def correct_expected_energy(self, engine: Engine, moving: float, *, is_fluid_work_exact: bool) -> None:
        """Subtract the energy of removed bodies from the expected energy; `moving`: kinetic and potential [J].

        `is_fluid_work_exact` says whether the energy of those without contacts is exact.
        """
        run_state, unit = engine.run_state, engine.energy_unit
        run_state.energy_start[0] -= (moving + self.energy_removed) * unit
        run_state.elastic[0] -= round(self.energy * unit)
        if not self.is_exact or not is_fluid_work_exact or (self.has_contacts and not engine.fluid.is_dry):
            run_state.leaving[0] = 1


def removed_energy(engine: Engine, is_removed: np.ndarray, state: list[np.ndarray]) -> RemovedContacts:
    """Elastic energy of the contacts of bodies at the indices where `is_removed` (N,) is true; `state` is the engine's.

    It is evaluated by the normal law. Where adhesion, hysteresis, several contacts of one pair or edges of walls change
    it, the sum over all contacts differs from that of the kernels, and the energy is not exact.
    """
    b, run_state = engine.bodies, engine.run_state
    overlaps = engine.overlaps()
    inverse, material = engine.kinds.inverse_mass[b.kind[b.owner]], engine.kinds.material[b.kind[b.owner]]
    deep = np.flatnonzero(overlaps.pair > 0)
    i, j = overlaps.i[deep], overlaps.j[deep]
    radius = overlaps.radius
    pairs = engine.springs.between(
        material[i], material[j], 1 / (1 / radius[i] + 1 / radius[j]), 1 / (inverse[i] + inverse[j])
    )
    s, face, depth, normal = _wall_contacts(engine, radius)
    walls = engine.springs.between(material[s], engine.springs.of_faces[face], radius[s], 1 / inverse[s])
    of_pairs, of_walls = pairs.energy(overlaps.pair[deep]), walls.energy(depth)
    sphere = is_removed[b.owner]
    ends, ends_at_wall = sphere[i] | sphere[j], sphere[s]
    ended_energy = float(of_pairs[ends].sum() + of_walls[ends_at_wall].sum())
    kernel_energy = float(run_state.elastic[0] - run_state.spring_energy[0]) / engine.energy_unit
    computed_energy = float(of_pairs.sum() + of_walls.sum())
    has_contacts = bool(ends.any() or ends_at_wall.any())
    exact = (
        abs(computed_energy - kernel_energy)
        <= EXACT * max(abs(kernel_energy), computed_energy) + (of_pairs.size + of_walls.size + 1) / engine.energy_unit
    )
    is_exact = exact or not (has_contacts or engine.range > 0)
    if not (has_contacts and is_exact):
        return RemovedContacts(ended_energy, ended_energy, is_exact, has_contacts)
    half, (velocity, arm) = 0.5 * engine.dt, _motion(engine, state)
    apart, arm_i, arm_j = meetings(b, engine.kinds, i, j, engine.walls.cell(), arm)
    parting = ((velocity(i, arm_i) - velocity(j, arm_j)) * apart).sum(0) / (np.linalg.norm(apart, axis=0) + TINY)
    leaving = ((velocity(s, arm[:, s]) - _wall_velocity(engine, s, face)) * normal).sum(0)
    later = float(
        pairs.energy(np.maximum(overlaps.pair[deep] - half * parting, 0.0))[ends].sum()
        + walls.energy(np.maximum(depth - half * leaving, 0.0))[ends_at_wall].sum()
    )
    energy_removed = later + half * _power(engine, is_removed, state)
    return RemovedContacts(ended_energy, energy_removed, is_exact, has_contacts)


def _motion(engine: Engine, state: list[np.ndarray]) -> tuple:
    """Velocities of points of spheres' bodies, a function of (spheres, arms (3, K)), and the arms of all spheres."""
    b = engine.bodies
    row = engine.numbering.rows(b.identity)[b.owner]
    v, w = state[1][:, row], state[3][:, row]
    return (lambda s, arm: v[:, s] + np.cross(w[:, s], arm, axis=0)), b.sphere_position - b.position[:, b.owner]


def _power(engine: Engine, is_removed: np.ndarray, state: list[np.ndarray]) -> float:
    """Power of contacts on the bodies that go [W]."""
    rows, forces = np.zeros(engine.owned, bool), contact_forces(engine)
    rows[engine.numbering.rows(engine.bodies.identity[is_removed])] = True
    v, w = state[1].T, state[3].T
    pairs = forces.j >= 0
    first, second = rows[forces.i], pairs & rows[np.maximum(forces.j, 0)]
    i, j = forces.i[first], forces.j[second]
    on_first = (forces.force[first] * (v[i] + np.cross(w[i], forces.arm[first]))).sum()
    arm = forces.arm[second] + forces.branch[second]
    on_second = (forces.force[second] * (v[j] + np.cross(w[j], arm))).sum()
    if forces.couple is not None:
        on_first += (forces.couple[first] * w[i]).sum()
        on_second += (forces.couple[second] * w[j]).sum()
    return float(on_first - on_second)


def _wall_velocity(engine: Engine, sphere: np.ndarray, face: np.ndarray) -> np.ndarray:
    """Velocities of walls at the centres of spheres (3, K) [m/s]."""
    faces, own = engine.walls.faces, face < len(FACES)
    found = np.where(own, faces.velocity[:, np.minimum(face, len(FACES) - 1)], 0.0)
    if has_walls(faces) and not own.all():
        poses, w = faces.walls.poses, face[~own] - len(FACES)
        arm = engine.bodies.sphere_position[:, sphere[~own]] - poses.middle[:, w]
        found[:, ~own] = poses.velocity[:, w] + np.cross(poses.spin[:, w], arm, axis=0)
    return found


def _wall_contacts(engine: Engine, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Spheres, walls, overlaps and normals of contacts with walls; of walls that are no faces only the deepest."""
    b, faces = engine.bodies, engine.walls.faces
    x = b.sphere_position
    height = np.stack([x - faces.lower[:, None], faces.upper[:, None] - x], axis=1).reshape(len(FACES), -1)
    depth = radius - height
    depth[:, away_from_walls(b, engine.kinds)] = -np.inf
    face, s = np.nonzero(depth > 0)
    deep, normal = depth[face, s], np.repeat(np.eye(3), 2, axis=1)[:, face] * (1.0 - 2.0 * (face % 2))
    if has_walls(faces):
        wall_overlap, wall, wall_normal, _ = in_walls(b, engine.kinds, faces)
        in_wall = np.flatnonzero(wall_overlap > 0)
        s, face = np.concatenate([s, in_wall]), np.concatenate([face, len(FACES) + wall[in_wall]])
        deep, normal = (
            np.concatenate([deep, wall_overlap[in_wall]]),
            np.concatenate([normal, wall_normal[:, in_wall]], axis=1),
        )
    return s, face, deep, normal
