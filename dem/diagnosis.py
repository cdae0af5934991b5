"""Say in words what is wrong with a start: which particle, against what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels import events

if TYPE_CHECKING:
    from dem.box import Box
    from dem.engine import Engine
    from dem.hard_engine import HardEngine
    from dem.particles import Particles
    from kernels.state import Box as Walls

DEEPEST_START = 0.1  # overlap over the smaller radius at the start; Hertz theory assumes small overlaps
ROUNDING = 1e-9  # how deep hard spheres may overlap at the start, over the sum of their radii


def check_inside(particles: Particles, box: Box | None, walls: Walls | None = None) -> None:
    """Refuse particles whose centre is outside the walls of the box, as they are now or at the start."""
    if box is None:
        return
    position = particles.position
    beyond = outside(position, *((walls.lower, walls.upper) if walls else box.bounds))
    if len(beyond):
        i = beyond[0]
        message = (
            f"position of particle {i} is {point(position[i])} m, outside the box from {point(box.lower)} to "
            f"{point(box.upper)} m ({len(beyond)} such): move it inside or enlarge the box"
        )
        raise ValueError(message)


def outside(position: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
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
    deep = o.deepest()
    if not deep.share > DEEPEST_START:
        return
    share = f"{deep.overlap:.3g} m at the start, {deep.share:.0%} of a radius (at most {DEEPEST_START:.0%})"
    if deep.other < 0:
        message = f"particle {o.owner[deep.sphere]} overlaps a wall by {share}: move it inside or enlarge the box"
        raise ValueError(message)
    first, second = sorted((int(o.owner[deep.sphere]), int(o.owner[deep.other])))
    message = f"particles {first} and {second} overlap by {share}: move them apart"
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


def point(x: object) -> str:
    """Coordinates in words."""
    return "(" + ", ".join(f"{v:.6g}" for v in np.asarray(x)) + ")"
