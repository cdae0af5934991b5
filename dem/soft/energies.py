"""How much energy there is at the start, which the unit that energies are summed in is chosen by."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.fluid import Dry, sampling
from dem.kernels.fluid.schiller_naumann import C_NEWTON
from dem.kernels.fluid.stokes import Stokes
from dem.kernels.numerics.energy import REFERENCE_BITS

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Kinds
    from dem.soft.contact.overlaps import Overlaps
    from dem.soft.time_step.springs import Springs


def unit_of(energy: float) -> float:
    """Power of two [1/J] in which an energy [J] is about 2^REFERENCE_BITS."""
    return 2.0 ** min(max(REFERENCE_BITS - math.frexp(energy)[1], -1000), 1000)


def energies_of_motion(
    kinds: Kinds,
    kind: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    gravity: tuple[float, float, float],
    datum: float,
) -> float:
    """Kinetic and gravitational energies of bodies of the given kinds (N,), summed without regard to sign [J].

    Their positions, velocities and angular velocities are (3, N). As rounding depends on the order, it should be one
    that owes nothing to where bodies lie in memory.
    """
    mass = kinds.mass[kind]
    kinetic = 0.5 * (mass * (velocity**2).sum(0)).sum()
    gravitational = np.abs(mass * (datum - (np.array(gravity)[:, None] * position).sum(0))).sum()
    turning = 0.5 * (kinds.inertia.max(0)[kind] * (spin**2).sum(0)).sum()
    return float(kinetic + gravitational + turning)


def energies_of_contacts(kinds: Kinds, springs: Springs, overlaps: Overlaps) -> float:
    """Elastic energies, as if all contacts were the stiffest possible, summed by size [J]."""
    own = np.arange(springs.wall)
    i, j = np.meshgrid(own, [*own, *springs.surfaces()])
    every = springs.between(i.ravel(), j.ravel(), kinds.radius.max(), kinds.mass.max())
    stiffest = every._replace(stiffness=np.max(every.stiffness), power=np.max(every.power))
    deep = (np.sort(np.maximum(d, 0.0)) for d in (overlaps.pair, overlaps.wall))
    return float(sum(stiffest.energy(d).sum() for d in deep))


def energies_of_flow(
    fluid: tuple,
    kinds: Kinds,
    kind: np.ndarray,
    position: np.ndarray,
    gravity: tuple[float, float, float],
    faces: BoxFaces,
) -> float:
    """What bodies of the given kinds (N,) at positions (3, N) have once they go with the fluid, or sink in it [J].

    Heavy ones would sink much faster in Stokes flow than they ever do: inertia of the fluid bounds that, and the box.
    """
    if isinstance(fluid, Dry):
        return 0.0
    speed, medium = np.empty(kind.size), fluid.medium
    sampling.speeds(fluid.field, medium.clock[0], np.ascontiguousarray(position), speed)
    weight = portable.length(gravity) * kinds.mass
    sinking = (weight / (medium.viscosity * medium.translation.min(0))) ** 2
    if not isinstance(fluid.drag, Stokes):
        sinking = np.minimum(sinking, weight / (C_NEWTON * math.pi / 8 * medium.density * medium.diameter**2))
    with np.errstate(invalid="ignore"):  # along axes without walls
        fallen = np.abs(gravity) * (faces.upper - faces.lower)
    sinking = np.minimum(sinking, 2 * fallen[np.abs(gravity) > 0].sum())
    return float((kinds.mass[kind] * (speed**2 + sinking[kind])).sum())


def energies_to_come(
    kinds: Kinds, kind: np.ndarray, swing: float, fastest: float, gravity: tuple[float, float, float]
) -> float:
    """What walls that move and vibrate at most so may give, and a little that even a system at rest has [J]."""
    driven = 0.0
    if fastest > 0:
        driven = kinds.mass[kind].sum() * (fastest**2 + portable.length(gravity) * swing)
    return float(driven + 1e-9 * kinds.modulus.max() * float(kinds.radius.min()) ** 3)
