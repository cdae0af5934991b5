"""Say in words what is wrong with a start or with a run: which particle, against what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels import advance as loop
from kernels import events

if TYPE_CHECKING:
    from dem.box import Box
    from dem.engine import Engine
    from dem.hard_engine import HardEngine
    from dem.particles import Particles
    from dem.simulation import Simulation
    from kernels.state import Box as Walls

DEEPEST_START = 0.1  # overlap over the smaller radius at the start; Hertz theory assumes small overlaps
ROUNDING = 1e-9  # how deep hard spheres may overlap at the start, over the sum of their radii


def check_inside(particles: Particles, box: Box | None, walls: Walls | None = None) -> None:
    """Refuse particles whose centre is outside the walls of the box, as they are now or at the start."""
    if box is None:
        return
    position = particles.position
    outside = _outside(position, *((walls.lower, walls.upper) if walls else box.bounds))
    if len(outside):
        i = outside[0]
        message = (
            f"position of particle {i} is {_point(position[i])} m, outside the box from {_point(box.lower)} to "
            f"{_point(box.upper)} m ({len(outside)} such): move it inside or enlarge the box"
        )
        raise ValueError(message)


def _outside(position: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Numbers of the positions (N, 3) beyond the bounds (3,), (3,)."""
    return np.flatnonzero((position < lower).any(1) | (position > upper).any(1))


def check_box(box: Box | None, engine: Engine) -> None:
    """Refuse walls that move too far in a step, and periodic cells in which a particle could meet another one twice."""
    if box is None:
        return
    for face, motion in box.motion.items():
        farthest = motion.fastest * engine.dt
        if farthest > 0.5 * engine.skins.candidates:
            message = (
                f"face {face} moves up to {farthest:.3g} m in a time step, at most {0.5 * engine.skins.candidates:.3g} "
                f"m can be followed: lower time_step (now {engine.dt:g} s), or the velocity, amplitude or frequency"
            )
            raise ValueError(message)
    reach = 2 * float(engine.kinds.bound.max()) + engine.skins.candidates
    for axis, size in zip("xyz", box.size, strict=True):
        if axis in box.periodic and size < 2 * reach:
            message = (
                f"the box is {size:g} m long along its periodic axis {axis}, at least {2 * reach:.3g} m for these "
                "particles: enlarge it"
            )
            raise ValueError(message)


def check_overlaps(engine: Engine) -> None:
    """Refuse a start from deep overlaps, naming the deepest one."""
    o = engine.overlaps()
    deep = o.pair / np.minimum(o.radius[o.i], o.radius[o.j])
    if deep.size and deep.max() > DEEPEST_START:
        k = int(deep.argmax())
        first, second = sorted((int(o.owner[o.i[k]]), int(o.owner[o.j[k]])))
        message = f"particles {first} and {second} overlap by {_share(o.pair[k], deep[k])}: move them apart"
        raise ValueError(message)
    deep = o.wall / o.radius
    if deep.max() > DEEPEST_START:
        s = int(deep.argmax())
        message = (
            f"particle {o.owner[s]} overlaps a wall by {_share(o.wall[s], deep[s])}: move it inside or enlarge the box"
        )
        raise ValueError(message)


def check_spheres(particles: Particles) -> None:
    """Refuse particles that are no single spheres about their centre."""
    for k, (shape, material) in enumerate(particles.kinds):
        inertia = np.asarray(shape.mass_properties(material.density).inertia)
        if len(shape.radii) != 1 or np.any(shape.offsets) or np.ptp(inertia) > ROUNDING * inertia.max():
            i = int(np.flatnonzero(particles.kind == k)[0])
            message = f"particle {i} is {shape}, expected a dem.Sphere: impacts are for spheres, take dem.Simulation"
            raise ValueError(message)


def check_apart(engine: HardEngine) -> None:
    """Refuse hard spheres that overlap each other or a wall at the start by more than rounding."""
    (pair, i, j), (wall, k) = engine.overlaps()
    hard = f"hard spheres may touch, {ROUNDING:g} of the radii for rounding"
    if pair > ROUNDING:
        message = f"particles {i} and {j} overlap by {pair:.3g} of their radii at the start ({hard}): move them apart"
        raise ValueError(message)
    if wall > ROUNDING:
        message = (
            f"particle {k} overlaps a wall by {wall:.3g} of its radius at the start ({hard}): move it inside or "
            "enlarge the box"
        )
        raise ValueError(message)


def check_going_on(code: int, engine: HardEngine) -> None:
    """Raise FloatingPointError if events come one after the other and time does not go on."""
    if code == events.STUCK:
        i, j = engine.tally.latest.tolist()
        other = f"particle {j}" if j >= 0 else "a wall"
        message = (
            f"t = {engine.time:.6g} s: time stands still, particle {i} and {other} meet again and again at one moment: "
            "give the spheres more room, or raise contact_time"
        )
        raise FloatingPointError(message)


def check_finite(particles: Particles, where: str, cause: str) -> None:
    """Raise FloatingPointError if some value of the state is not finite."""
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        bad = np.flatnonzero(~np.isfinite(getattr(particles, name)).all(1))
        if len(bad):
            count = f"{len(bad)} of {len(particles)} particles, first particle {bad[0]}"
            message = f"{where}: {name} not finite for {count}; {cause}"
            raise FloatingPointError(message)


def _share(overlap: float, share: float) -> str:
    return f"{overlap:.3g} m at the start, {share:.0%} of a radius (at most {DEEPEST_START:.0%})"


def check_run(code: int, sim: Simulation) -> None:
    """Raise FloatingPointError if the run went wrong, saying where and the likely cause."""
    where = f"step {sim.step_count} (t = {sim.time:.6g} s)"
    cause = (
        f"a time step that does not resolve the contacts is the usual cause: lower time_step (now {sim.time_step:g} s)"
    )
    if code == loop.NOT_FINITE:
        v = np.abs(sim._engine.bodies.velocity).max(0)  # noqa: SLF001
        slot = int(np.flatnonzero(~np.isfinite(v))[0]) if not np.isfinite(v).all() else int(v.argmax())
        i = int(sim._engine.bodies.identity[slot])  # noqa: SLF001
        message = f"{where}: particle {i} moves at {v[slot]:.3g} m/s, faster than can be followed; {cause}"
        raise FloatingPointError(message)
    if code == loop.TURNS_TOO_FAST:
        spin = np.linalg.norm(sim.particles.angular_velocity, axis=1)
        i = int(spin.argmax())
        message = (
            f"{where}: particle {i} turns {spin[i] * sim.time_step:.3g} rad in one time step, at most "
            f"{loop.LARGEST_TURN:g} can be followed; lower time_step (now {sim.time_step:g} s)"
        )
        raise FloatingPointError(message)
    check_finite(sim.particles, where, cause)
    if sim.box is not None:
        position = sim.particles.position
        outside = _outside(position, sim._engine.walls.lower, sim._engine.walls.upper)  # noqa: SLF001
        if len(outside):
            i = outside[0]
            place = f"at {_point(position[i])} m ({len(outside)} such)"
            message = f"{where}: particle {i} has left the box, {place}; {cause}"
            raise FloatingPointError(message)


def _point(x: object) -> str:
    return "(" + ", ".join(f"{v:.6g}" for v in np.asarray(x)) + ")"
