"""The gate for what is given to hard spheres alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dem import checks
from dem.box import AXES
from dem.hard_engine import LEAST_PERIOD, MARGIN
from kernels.impact import Law

if TYPE_CHECKING:
    from dem.box import Box
    from dem.particles import Particles

IDEAL = Law(restitution=1.0, tangential=-1.0, friction=math.inf)  # elastic and smooth


def law(prefix: str, e: float | None, xi: float | None, mu: float | None, default: Law = IDEAL) -> Law:
    """Checked parameters of an impact."""
    return Law(
        default.restitution if e is None else checks.number(f"{prefix}restitution", e, above=0, most=1),
        default.tangential if xi is None else checks.number(f"{prefix}tangential_restitution", xi, least=-1, most=1),
        default.friction if mu is None else checks.number(f"{prefix}friction", mu, least=0),
    )


def check_box(box: Box | None, particles: Particles) -> None:
    """Refuse boxes with faces that impacts cannot do, or too short along a periodic axis."""
    if box is None:
        return
    if box.open or box.motion:
        message = "box has open or moving faces, which hard spheres do not know: take dem.Simulation, or a closed box"
        raise ValueError(message)
    largest = max(2 * shape.radii[0] for shape, _ in particles.kinds)
    for name in box.periodic:
        size = box.size[AXES.index(name)]
        if size < LEAST_PERIOD * (1 + MARGIN) * largest:
            message = (
                f"box is {size:g} m long along the periodic axis {name}, expected at least {LEAST_PERIOD} times the "
                f"largest diameter, {largest:g} m: enlarge it"
            )
            raise ValueError(message)
