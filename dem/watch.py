"""Watch a run: how far it may go, and what went wrong in words: who, with whom, when, why, and what to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.advice import ADVISED, RESOLVED, contact_time, effective_masses, rounded_down
from dem.box import FACES
from dem.diagnosis import outside, point
from dem.particles import STATE
from dem.verdict import OVERLAP_LIMIT
from kernels import advance as loop
from kernels import hertz
from kernels.sweeps import TRAVEL
from kernels.travel import as_float

if TYPE_CHECKING:
    from dem.engine import Engine
    from dem.overlaps import Overlaps
    from dem.simulation import Simulation
    from kernels.state import Kinds

DEEPEST = 0.5  # overlap over the smaller radius at which a run is stopped, unless told otherwise
FARTHEST = 0.15  # of the smallest diameter: in one step two particles may cross a usual skin, and no more


class BrokenRunError(FloatingPointError):
    """A run that cannot go on; ``name`` says of what kind, ``particles`` who is concerned."""

    def __init__(self, message: str, name: str, particles: tuple[int, ...]) -> None:
        super().__init__(message)
        self.name, self.particles = name, particles


class Watch:
    """How far particles may go in a step and how deep contacts may be; the kernels come back when one is beyond.

    They know the overlap but not whose it is, so where radii differ they come back at the smallest one's limit, and
    the shares are found here; from then on they come back when the overlap has grown by another tenth.
    """

    def __init__(self, kinds: Kinds, limit: float, *, alone: bool) -> None:
        smallest = float(kinds.radius.min())
        self.limit = limit
        self.alike = smallest == kinds.radius.max()
        self.farthest = math.inf if alone else FARTHEST * 2 * smallest
        self.deepest = (limit if self.alike else min(limit, OVERLAP_LIMIT)) * smallest
        self.seen = 0.0

    def passes(self, engine: Engine) -> bool:
        """Whether contacts are not too deep after all, and may go on until they are deeper."""
        share = engine.overlaps().deepest().share
        self.seen = max(self.seen, share)
        self.deepest = 1.1 * float(engine.progress.largest_overlap[0])
        return not self.alike and share <= self.limit

    def share(self, engine: Engine) -> float:
        """Largest overlap so far over the smaller radius, as far as it has been looked for."""
        if self.alike:
            return float(engine.progress.largest_overlap[0] / engine.kinds.radius.min())
        largest = float(engine.progress.largest_overlap[0] / engine.kinds.radius.max())
        return max(self.seen, largest)


def check_run(code: int, sim: Simulation) -> None:
    """Raise `BrokenRunError` if the run went wrong."""
    where = f"step {sim.step_count} (t = {sim.time:.6g} s)"
    if code != loop.DONE:
        sim._shown_step = -1  # noqa: SLF001, somebody may have disturbed the state since it was shown
    if code == loop.NOT_FINITE:
        _check_numbers(sim, where)
    _check_finite(sim, where)
    if code in (loop.TURNS_TOO_FAST, loop.TOO_FAST):
        _raise_too_fast(sim, where)
    if code == loop.TOO_DEEP:
        _raise_too_deep(sim, where)
    if sim.box is not None:
        _check_box(sim, where)


def _check_numbers(sim: Simulation, where: str) -> None:
    """Raise if a speed is a number, but its square is not."""
    bodies = sim._engine.bodies  # noqa: SLF001
    v = np.abs(bodies.velocity).max(0)
    if not np.isnan(v).any():
        slot = int(v.argmax())
        i = int(bodies.identity[slot])
        message = (
            f"{where}: particle {i} moves at {v[slot]:.3g} m/s, faster than can be followed; a time step that does not "
            f"resolve the contacts is the usual cause: lower time_step (now {sim.time_step:g} s), or gravity and speeds"
        )
        raise BrokenRunError(message, "too-fast", (i,))


def _check_finite(sim: Simulation, where: str) -> None:
    """Raise if some value of the state is not finite, saying which and whose."""
    bad = {name: ~np.isfinite(getattr(sim.particles, name)).all(1) for name in STATE}
    concerned = np.flatnonzero(np.any(list(bad.values()), axis=0))
    if len(concerned):
        names = " and ".join(name for name, rows in bad.items() if rows.any())
        message = (
            f"{where}: {names} not finite for {len(concerned)} of {len(sim.particles)} particles, first particle "
            f"{concerned[0]}; values are not numbers because they were set so, or because a time step too large (now "
            f"{sim.time_step:g} s) made the contacts explode: look at the steps before, or lower time_step"
        )
        raise BrokenRunError(message, "not-finite", (int(concerned[0]),))


def _raise_too_fast(sim: Simulation, where: str) -> None:
    """Name who turns or goes too far in a step."""
    p, dt, engine = sim.particles, sim.time_step, sim._engine  # noqa: SLF001
    with np.errstate(over="ignore"):
        spin = np.linalg.norm(p.angular_velocity, axis=1)
    i = int(spin.argmax())
    if spin[i] * dt > loop.LARGEST_TURN:
        message = (
            f"{where}: particle {i} turns {spin[i] * dt:.3g} rad in one time step, at most "
            f"{loop.LARGEST_TURN:g} can be followed; lower time_step (now {dt:g} s)"
        )
        raise BrokenRunError(message, "turns-too-fast", (i,))
    ahead = np.empty_like(spin)
    ahead[engine.bodies.identity] = np.linalg.norm(engine.bodies.velocity, axis=0)
    surface = ahead + spin * engine.kinds.tip[p.kind]
    i = int(surface.argmax())
    farthest, gone = engine.watch.farthest, float(as_float(engine.partial[:, TRAVEL].max()))
    message = (
        f"{where}: particle {i} moves {gone:.3g} m in one time step at {surface[i]:.3g} m/s, more than the "
        f"skin of {farthest:.3g} m ({FARTHEST:.0%} of the smallest diameter), and could pass through others unseen; "
        f"lower time_step from {dt:g} s to {rounded_down(0.1 * dt * farthest / gone):g} s, or gravity and the speeds"
    )
    raise BrokenRunError(message, "too-fast", (i,))


class _Meeting(NamedTuple):
    """Two that are too deep in each other."""

    particles: tuple[int, ...]
    partner: str
    overlap: float  # [m]
    share: float  # of the smaller radius
    speed: float  # relative, at the contact [m/s]
    steps: float  # in an impact at the speed that its energy, elastic energy included, amounts to


def _raise_too_deep(sim: Simulation, where: str) -> None:
    """Name the deepest contact, and what made it so deep."""
    meeting, limit = _deepest_meeting(sim), sim._engine.watch.limit  # noqa: SLF001
    dt = sim.time_step
    message = (
        f"{where}: particle {meeting.particles[0]} overlaps {meeting.partner} by {meeting.overlap:.3g} m, "
        f"{meeting.share:.0%} of the smaller radius (at most {limit:.0%}), at {meeting.speed:.3g} m/s, "
        f"{meeting.steps:.2g} steps a contact; "
    )
    if meeting.steps < RESOLVED:
        advised = rounded_down(meeting.steps * dt / ADVISED)
        message += f"the time step does not resolve the contact: lower time_step from {dt:g} s to {advised:g} s"
    else:
        message += "contacts are too soft for the speeds or loads here: raise young, or lower the speeds or gravity"
    raise BrokenRunError(message, "too-deep", meeting.particles)


def _deepest_meeting(sim: Simulation) -> _Meeting:
    engine = sim._engine  # noqa: SLF001
    o, kinds, b = engine.overlaps(), engine.kinds, engine.bodies
    deep = o.deepest()
    s, t = deep.sphere, deep.other
    kind = b.kind[b.owner[s]]
    tips = effective_masses(kinds)
    mass, radius, material = tips[_row(engine, s)], o.radius[s], kinds.material[kind]
    x, who = b.sphere_position[:, s], int(o.owner[s])
    if t < 0:
        face = -1 - t
        modulus, partner, particles = kinds.wall_modulus[material], f"the wall {FACES[face]}", (who,)
        velocity = _surface_velocity(sim, o, s, x) - engine.walls.velocity[:, face]
    else:
        particles = tuple(sorted((who, int(o.owner[t]))))
        mass, modulus = (
            1 / (1 / mass + 1 / tips[_row(engine, t)]),
            kinds.modulus[material, kinds.material[b.kind[b.owner[t]]]],
        )
        radius, partner = 1 / (1 / radius + 1 / o.radius[t]), f"particle {particles[1]}"
        velocity = _surface_velocity(sim, o, s, x) - _surface_velocity(sim, o, t, b.sphere_position[:, t])
    speed = float(np.linalg.norm(velocity))
    elastic = hertz.energy(hertz.stiffness(modulus, radius), deep.overlap)
    steps = contact_time(mass, radius, modulus, math.sqrt(speed**2 + 2 * elastic / mass)) / sim.time_step
    return _Meeting(particles, partner, deep.overlap, deep.share, speed, float(steps))


def _row(engine: Engine, sphere: int) -> int:
    """Row of a sphere in the tables of kinds."""
    b = engine.bodies
    return int(engine.kinds.first_offset[b.kind[b.owner[sphere]]] + sphere - b.first_sphere[b.owner[sphere]])


def _surface_velocity(sim: Simulation, o: Overlaps, sphere: int, x: np.ndarray) -> np.ndarray:
    """Velocity of the centre of a sphere [m/s]."""
    b, p, n = sim._engine.bodies, sim.particles, int(o.owner[sphere])  # noqa: SLF001
    arm = x - b.position[:, b.owner[sphere]]
    return p.velocity[n] + np.cross(p.angular_velocity[n], arm)


def _check_box(sim: Simulation, where: str) -> None:
    """Refuse to go on when a centre is beyond a wall."""
    walls, position = sim._engine.walls, sim.particles.position  # noqa: SLF001
    beyond = outside(position, walls.lower, walls.upper)
    if len(beyond):
        i = int(beyond[0])
        speed = np.linalg.norm(sim.particles.velocity[i])
        message = (
            f"{where}: particle {i} has left the box, at {point(position[i])} m ({len(beyond)} such), at {speed:.3g} "
            f"m/s; the wall is too soft for such a speed, or the time step does not resolve the contact: raise young, "
            f"or lower time_step (now {sim.time_step:g} s), gravity or the speeds"
        )
        raise BrokenRunError(message, "outside", (i,))
