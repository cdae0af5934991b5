"""Errors that stop a run: particles, time, cause and remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.text import counted
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.integration.chunk_step import DISPLACEMENT
from dem.model.domain.box import FACES
from dem.model.particles.fields import MOTION
from dem.soft.time_step.impacts import ADVISED, RESOLVED, effective_masses, rounded_down
from dem.soft.time_step.limits import FARTHEST
from dem.soft.walls.wall_arrays import face_name, face_velocity
from dem.system.diagnosis import outside, point

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.soft.contact.overlaps import Overlaps
    from dem.soft.engine import Engine

THROUGH = 0.5  # overlap over the radius from which a sphere may come out on the other side of a wall


class BrokenRunError(FloatingPointError):
    """A run that cannot continue; ``name`` is the cause, ``particles`` are those concerned."""

    def __init__(self, message: str, name: str, particles: tuple[int, ...]) -> None:
        super().__init__(message)
        self.name, self.particles = name, particles


class _Moment(NamedTuple):
    """Moment at which a run was interrupted."""

    engine: Engine
    particles: Particles
    box: Box | None

    @property
    def time_step(self) -> float:
        """Time step [s]."""
        return self.engine.dt

    def identity_of(self, row: int) -> int:
        """Identity of the particle in a row of the user's arrays."""
        return int(self.engine.numbering.identities[row])

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Values (..., N) by index, in the order of the user's rows."""
        return self.engine.numbering.by_row(self.engine.bodies.identity, values)


def check_run(code: int, engine: Engine, particles: Particles, box: Box | None) -> None:
    """Raise `BrokenRunError` if the run went wrong; the particles are those that the engine has now."""
    step = int(engine.run_state.step[0])
    where, now = f"step {step} (t = {step * engine.dt:.6g} s)", _Moment(engine, particles, box)
    if code == loop.NOT_FINITE:
        _check_numbers(now, where)
    _check_finite(now, where)
    if code in (loop.TURNS_TOO_FAST, loop.TOO_FAST):
        _raise_too_fast(now, where)
    if code == loop.TOO_DEEP:
        _raise_too_deep(now, where)
    if now.box is not None:
        _check_box(now, where)


def _check_numbers(now: _Moment, where: str) -> None:
    """Raise if a speed is a number, but its square is not."""
    v = now.by_row(np.abs(now.engine.bodies.velocity).max(0))
    if not np.isnan(v).any():
        row = int(v.argmax())
        i = now.identity_of(row)
        message = (
            f"{where}: particle {i} moves at {v[row]:.3g} m/s, faster than can be followed; a time step that does not "
            f"resolve the contacts is the usual cause: lower time_step (now {now.time_step:g} s), or gravity and speeds"
        )
        raise BrokenRunError(message, "too-fast", (i,))


def _check_finite(now: _Moment, where: str) -> None:
    """Raise if a value of the state is not finite, naming it and its particle."""
    bad = {name: ~np.isfinite(getattr(now.particles, name)).all(1) for name in MOTION}
    concerned = np.flatnonzero(np.any(list(bad.values()), axis=0))
    if len(concerned):
        names, first = " and ".join(name for name, rows in bad.items() if rows.any()), now.identity_of(concerned[0])
        particles = counted(len(now.particles), "particle")
        message = (
            f"{where}: {names} not finite for {len(concerned)} of {particles}, first particle "
            f"{first}; values are not numbers because they were set so, or because a time step too large (now "
            f"{now.time_step:g} s) made the contacts explode: look at the steps before, or lower time_step"
        )
        raise BrokenRunError(message, "not-finite", (first,))


def _raise_too_fast(now: _Moment, where: str) -> None:
    """Name the particle that turns or moves too far in a step."""
    p, dt, engine = now.particles, now.time_step, now.engine
    with np.errstate(over="ignore"):
        spin = np.linalg.norm(p.angular_velocity, axis=1)
    there = now.by_row(engine.bodies.is_removed[0] == 0)
    row = int(spin.argmax())
    i = now.identity_of(row)
    if spin[row] * dt > loop.MAX_ROTATION_ANGLE:
        message = (
            f"{where}: particle {i} turns {spin[row] * dt:.3g} rad in one time step, at most "
            f"{loop.MAX_ROTATION_ANGLE:g} can be followed; lower time_step (now {dt:g} s)"
        )
        raise BrokenRunError(message, "turns-too-fast", (i,))
    surface = there * (
        now.by_row(np.linalg.norm(engine.bodies.velocity, axis=0)) + spin * engine.kinds.max_sphere_offset[p.variant]
    )
    row = int(surface.argmax())
    i = now.identity_of(row)
    farthest, gone = engine.limits.farthest, float(engine.chunk_sums[:, DISPLACEMENT].max().view(np.float64))
    message = (
        f"{where}: particle {i} moves {gone:.3g} m in one time step at {surface[row]:.3g} m/s, more than the "
        f"skin of {farthest:.3g} m ({FARTHEST:.0%} of the smallest diameter), and could pass through others unseen; "
        f"lower time_step from {dt:g} s to {rounded_down(0.1 * dt * farthest / gone):g} s, or gravity and the speeds"
    )
    raise BrokenRunError(message, "too-fast", (i,))


def _raise_too_deep(now: _Moment, where: str) -> None:
    """Raise the error of the deepest contact, with its cause."""
    engine, dt = now.engine, now.time_step
    o, kinds, b = engine.overlaps(), engine.kinds, engine.bodies
    deep = o.deepest()
    s, t = deep.sphere, deep.other
    kind = b.kind[b.owner[s]]
    tips = effective_masses(kinds)
    mass, radius, reduced, material = tips[_row(engine, s)], o.radius[s], kinds.mass[kind], kinds.material[kind]
    x, body = b.sphere_position[:, s], int(o.owner[s])
    if t < 0:
        face = -1 - t
        other, partner, particles = engine.springs.of_faces[face], face_name(face, engine.walls.names), (body,)
        velocity = _sphere_velocity(now, o, s, x) - face_velocity(engine.walls.faces, face, x)
    else:
        particles = tuple(sorted((body, int(o.owner[t]))))
        kind = b.kind[b.owner[t]]
        mass, other = 1 / (1 / mass + 1 / tips[_row(engine, t)]), kinds.material[kind]
        radius, reduced = 1 / (1 / radius + 1 / o.radius[t]), 1 / (1 / reduced + 1 / kinds.mass[kind])
        partner = f"particle {particles[1]}"
        velocity = _sphere_velocity(now, o, s, x) - _sphere_velocity(now, o, t, b.sphere_position[:, t])
    speed = float(np.linalg.norm(velocity))
    spring = engine.springs.between(material, other, radius, reduced)
    energy = 0.5 * mass * speed**2 + spring.energy(deep.overlap)  # an impact at the speed that this amounts to
    steps = float(spring.time(mass, spring.overlap(energy)) / dt)
    message = (
        f"{where}: particle {particles[0]} overlaps {partner} by {deep.overlap:.3g} m, {deep.share:.0%} of the smaller "
        f"radius (at most {engine.limits.limit:.0%}), at {speed:.3g} m/s, {steps:.2g} steps a contact; "
    )
    if t < -len(FACES) and deep.share > THROUGH:
        message += f"at {point(x)} m it goes through that wall, for "
    if steps < RESOLVED:
        advised = rounded_down(steps * dt / ADVISED)
        message += f"the time step does not resolve the contact: lower time_step from {dt:g} s to {advised:g} s"
    else:
        message += "contacts are too soft for the speeds or loads here: raise young, or lower the speeds or gravity"
    raise BrokenRunError(message, "too-deep", particles)


def _row(engine: Engine, sphere: int) -> int:
    """Row of a sphere in the tables of kinds."""
    b = engine.bodies
    return int(engine.kinds.first_offset[b.kind[b.owner[sphere]]] + sphere - b.first_sphere[b.owner[sphere]])


def _sphere_velocity(now: _Moment, o: Overlaps, sphere: int, x: np.ndarray) -> np.ndarray:
    """Velocity of the centre of a sphere [m/s]."""
    b, p, n = now.engine.bodies, now.particles, now.engine.numbering.rows(o.owner[sphere])
    arm = x - b.position[:, b.owner[sphere]]
    return p.velocity[n] + np.cross(p.angular_velocity[n], arm)


def _check_box(now: _Moment, where: str) -> None:
    """Refuse to continue with a centre beyond a wall."""
    faces, position = now.engine.walls.faces, now.particles.position
    beyond = outside(position, faces.lower, faces.upper)
    beyond = beyond[now.by_row(now.engine.bodies.is_removed[0])[beyond] == 0]
    if len(beyond):
        row = beyond[0]
        i, speed = now.identity_of(row), np.linalg.norm(now.particles.velocity[row])
        message = (
            f"{where}: particle {i} has left the box, at {point(position[row])} m ({len(beyond)} in all), at "
            f"{speed:.3g} m/s; the wall is too soft for such a speed, or the time step does not resolve the contact: "
            f"raise young, or lower time_step (now {now.time_step:g} s), gravity or the speeds"
        )
        raise BrokenRunError(message, "outside", (i,))
