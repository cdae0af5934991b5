"""The gate for what is given to hard spheres alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dem import checks
from dem.hard_engine import LEAST_PERIOD, MARGIN
from kernels.impact import Law

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dem.box import Box
    from dem.particles import Particles

AXES = "xyz"
IDEAL = Law(restitution=1.0, tangential=-1.0, friction=math.inf)  # elastic and smooth


def law(prefix: str, e: float | None, xi: float | None, mu: float | None, default: Law = IDEAL) -> Law:
    """Checked parameters of an impact."""
    return Law(
        default.restitution if e is None else checks.number(f"{prefix}restitution", e, above=0, most=1),
        default.tangential if xi is None else checks.number(f"{prefix}tangential_restitution", xi, least=-1, most=1),
        default.friction if mu is None else checks.number(f"{prefix}friction", mu, least=0),
    )


def periodic_axes(names: Iterable[str], box: Box | None, particles: Particles) -> tuple[str, ...]:
    """Checked names of the periodic axes, in order."""
    given = {checks.one_of("periodic axis", name, AXES) for name in names}
    if given and box is None:
        message = f"periodic is {''.join(sorted(given))!r} but there is no box: give one that says how long a period is"
        raise ValueError(message)
    largest = max(2 * shape.radii[0] for shape, _ in particles.kinds)
    for name in sorted(given):
        size = box.size[AXES.index(name)]
        if size < LEAST_PERIOD * (1 + MARGIN) * largest:
            message = (
                f"box is {size:g} m long along the periodic axis {name}, expected at least {LEAST_PERIOD} times the "
                f"largest diameter, {largest:g} m: enlarge it"
            )
            raise ValueError(message)
    return tuple(sorted(given))
