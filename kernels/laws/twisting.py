"""Twisting resistance: a torsional spring about the normal that sticks and slides.

Its stiffness is k = T a³ with a the radius of contact: T = 16/3 / Σ 1/G without slip (J. L. Lubkin, J. Appl. Mech. 18
(1951) 183: 8/3 G a³ for two equal spheres), or k_t a²/2 = 4 G* a³ after J. S. Marshall, J. Comput. Phys. 228 (2009)
1541, eq. (50). With a normal law other than Hertz's, k_t is that of friction with this law, and k/k_t is the same. The
spring slides at c μ a F_n: c = 3π/16 under Hertz's pressure, or Marshall's 2/3. The dashpot is η_t a²/2 with η_t that
of friction. The history has the couple half a step ahead, and k: the couple shrinks with k while contacts unload.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.friction import TINY
from dem.kernels.laws.interface import PARTS, law_component
from dem.kernels.numerics.vector import dot


class Twisting(NamedTuple):
    """Torsional spring and dashpot."""

    friction: np.ndarray  # (A, A) c μ of two materials
    stiffness: np.ndarray  # (A, A) k over a² and the ratio of normal force to overlap: T/(8 G*) times `Friction.shear`
    dashpot: np.ndarray  # (A, A) η_t/η


@inline
def twisting_torque(part, i, j, contact, normal_force, eta, normal_load, memory, area_before, half, time_sign):
    """Couple about the normal.

    part, i, j, contact, normal_force: see `dem.kernels.laws`.
    eta, normal_load, memory, area_before, half, time_sign: as of `dem.kernels.laws.friction.tangential_force`.
    Returns couple on i along the normal [N m], memory, energy of the spring [J].
    """
    rate = dot(contact.relative_angular_velocity, contact.normal)
    radius = math.sqrt(normal_force.area)
    spring, k_before = memory
    k = part.stiffness[i, j] * (normal_force.stiffness * normal_force.stiffness_factor) * normal_force.area
    unloading_ratio = min(k, k_before) / (k_before + TINY) if area_before > 0.0 else 0.0
    advance = time_sign * half if area_before > 0.0 else 0.5 * (1.0 + time_sign) * half  # k sets in smoothly enough
    max_torque = part.friction[i, j] * radius * normal_load
    spring = unloading_ratio * spring - advance * k * rate
    spring = max(min(spring, max_torque), -max_torque)
    couple = max(min(spring - 0.5 * eta * part.dashpot[i, j] * normal_force.area * rate, max_torque), -max_torque)
    return couple, (spring - half * k * rate, k), 0.5 * spring * spring / (k + TINY)


@inline
def no_twist(part, i, j, contact, normal_force, eta, normal_load, memory, area_before, half, time_sign):
    """Twisting torque of surfaces that twist freely: 0."""
    return 0.0, memory, 0.0


PARTS[Twisting] = law_component(twisting_torque, history=2)
FREE_TWISTING = law_component(no_twist)
