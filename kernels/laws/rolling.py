"""Rolling resistance: a couple that grows with the angle rolled, like the force of a spring, up to μ_r R* F_n.

S. Luding, Granul. Matter 10 (2008) 235. With the largest couple μ_r R* F_n this is type C of J. Ai,
J.-F. Chen, J. M. Rotter, J. Y. Ooi, Powder Technol. 206 (2011) 269, except that the dashpot acts within this limit. The
velocity of rolling is v_r = R* ω_r × n, with ω_r the angular velocity of i relative to j: zero where the two turn as
one body, not zero for gears. The spring's force f follows it as that of friction follows the slip, df = -k_r v_r dt. It
is stored, rotated, reduced on unloading and limited like the force of friction, see ``friction``. The couple on i is
R* n × f. The stiffness is k_r = c F_n/δ, c = 2.25 μ_r² (Ai et al., eq. (20), in three dimensions), and the dashpot is
2 ζ √(k_r I_r)/R*, with 1/I_r = Σ 1/(I + m R²).
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.friction import TINY, spring_dashpot_slider
from dem.kernels.laws.interface import PARTS, law_component
from dem.kernels.numerics.vector import add_scaled, cross, dot, scale

# Half of I/(I + m R²) of solid spheres: half of the couple that stops rolling in one step. The whole couple would make
# spheres oscillate for ever, because the spin at the time of the forces is extrapolated.
HALF_OWN = 1.0 / 7.0


class Rolling(NamedTuple):
    """Spring and dashpot against rolling."""

    friction: np.ndarray  # (A, A) μ_r of two materials
    spring: np.ndarray  # (A, A) c
    damping: np.ndarray  # (A, A) ζ


class ConstantTorque(NamedTuple):
    """Type A of Ai et al.: the largest couple at any angle, but no more than stops rolling within a few steps."""

    friction: np.ndarray  # (A, A) μ_r of two materials


@inline
def rolling_torque(part, i, j, contact, normal_force, normal_load, spring, area_before, half, time_sign):
    """Couple of a rolling spring.

    part, i, j, contact, normal_force: see `dem.kernels.laws`.
    normal_load, spring, area_before, half, time_sign: as of `dem.kernels.laws.friction.tangential_force`.
    Returns couple on i [N m], memory, energy of the spring [J].
    """
    rolling = cross(contact.relative_angular_velocity, contact.normal)
    prefactor = part.spring[i, j] * normal_force.stiffness
    damping = scale(
        -2.0 * part.damping[i, j] * math.sqrt(prefactor * normal_force.stiffness_factor * contact.rolling_inertia),
        rolling,
    )  # R* cancels out
    velocity, max_torque = scale(contact.radius, rolling), part.friction[i, j] * normal_load
    force, spring, spring_energy, _ = spring_dashpot_slider(
        prefactor, damping, max_torque, velocity, contact, normal_force, spring, area_before, half, time_sign
    )
    return scale(contact.radius, cross(contact.normal, force)), spring, spring_energy


@inline
def constant_torque(part, i, j, contact, normal_force, normal_load, spring, area_before, half, time_sign):
    """Rolling torque of constant magnitude, against the rolling velocity (type A of Ai et al.)."""
    rolling = add_scaled(
        contact.relative_angular_velocity, -dot(contact.relative_angular_velocity, contact.normal), contact.normal
    )
    rate = math.sqrt(dot(rolling, rolling) + TINY)
    max_torque = part.friction[i, j] * contact.radius * normal_load
    return scale(-min(max_torque / rate, HALF_OWN * contact.rolling_inertia / (2.0 * half)), rolling), spring, 0.0


@inline
def no_rolling(part, i, j, contact, normal_force, normal_load, spring, area_before, half, time_sign):
    """Rolling torque of surfaces that roll freely: 0."""
    return (0.0, 0.0, 0.0), spring, 0.0


PARTS[Rolling], PARTS[ConstantTorque] = law_component(rolling_torque, history=3), law_component(constant_torque)
FREE_ROLLING = law_component(no_rolling)
