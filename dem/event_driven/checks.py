"""Check the input of hard spheres, and the progress of their events."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.event_driven.engine import MARGIN, MIN_PERIOD
from dem.kernels.event_driven import events
from dem.kernels.event_driven.events import ImpactLaws
from dem.kernels.event_driven.impact import ImpactLaw
from dem.model.domain.box import AXES
from dem.model.shapes.convex import is_convex
from dem.model.shapes.shape import kind_of_shape

if TYPE_CHECKING:
    from dem.event_driven.engine import HardEngine
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles

ROUNDING = 1e-9  # how deep hard spheres may overlap at the start, over the sum of their radii
IDEAL = ImpactLaw(restitution=1.0, tangential=-1.0, friction=math.inf)  # elastic and smooth


def law(prefix: str, e: float | None, xi: float | None, mu: float | None, default: ImpactLaw = IDEAL) -> ImpactLaw:
    """Check the parameters of an impact law."""
    return ImpactLaw(
        default.restitution if e is None else checks.number(f"{prefix}restitution", e, above=0, most=1),
        default.tangential if xi is None else checks.number(f"{prefix}tangential_restitution", xi, least=-1, most=1),
        default.friction if mu is None else checks.number(f"{prefix}friction", mu, least=0),
    )


def laws_of(
    box: Box | None, *, contact_time: float, restitution: float, tangential_restitution: float, friction: float | None,
    wall_restitution: float | None, wall_tangential_restitution: float | None, wall_friction: float | None,
) -> ImpactLaws:  # fmt: skip
    """Check the parameters of impacts between spheres and with walls."""
    pair = law("", restitution, tangential_restitution, friction)
    wall = law("wall_", wall_restitution, wall_tangential_restitution, wall_friction, pair)
    contact_time = checks.number("contact_time", contact_time, above=0, unit="s")
    return ImpactLaws(pair, wall, contact_time, box.roughness if box else 0.0, box.seed if box else 0)


def describe(laws: ImpactLaws) -> dict[str, float | None]:
    """Parameters from which the impact laws were made, by name."""
    values = {}
    for prefix, impact in (("", laws.pair), ("wall_", laws.wall)):
        values[f"{prefix}restitution"] = impact.restitution
        values[f"{prefix}tangential_restitution"] = impact.tangential
        values[f"{prefix}friction"] = impact.friction if math.isfinite(impact.friction) else None
    return values


def check_box(box: Box | None, particles: Particles) -> None:
    """Refuse boxes with open or moving faces, and boxes that are too short along a periodic axis."""
    if box is None:
        return
    if box.open or box.motion:
        message = "box has open or moving faces, which hard spheres cannot have: take dem.Simulation, or a closed box"
        raise ValueError(message)
    largest = max(2 * shape.radii[0] for shape, _ in particles.variants)
    for name in box.periodic:
        size = box.size[AXES.index(name)]
        if size < MIN_PERIOD * (1 + MARGIN) * largest:
            message = (
                f"box is {size:g} m long along the periodic axis {name}, expected at least {MIN_PERIOD} times the "
                f"largest diameter, {largest:g} m: enlarge it"
            )
            raise ValueError(message)


def check_spheres(particles: Particles) -> None:
    """Refuse particles other than single spheres about their centre of mass."""
    for k, (shape, material) in enumerate(particles.variants):
        inertia = np.asarray(shape.mass_properties(material.density).inertia)
        ball = len(shape.radii) == 1 and not is_convex(shape) and not np.any(shape.offsets)
        if not ball or np.ptp(inertia) > ROUNDING * inertia.max():
            i = int(np.flatnonzero(particles.variant == k)[0])
            message = (
                f"particle {i} is {kind_of_shape(shape)}, expected a dem.Sphere: hard spheres are single spheres, take "
                "dem.Simulation"
            )
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
    """Raise FloatingPointError if events follow each other without progress of time."""
    if code == events.STUCK:
        i, j = engine.tally.latest.tolist()
        other = f"particle {j}" if j >= 0 else "a wall"
        message = (
            f"t = {engine.time:.6g} s: time stands still, particle {i} and {other} meet again and again at one moment: "
            "give the spheres more room, or raise contact_time"
        )
        raise FloatingPointError(message)
