"""Linear spring: F = k δ, elastic energy ½ k δ².

P. A. Cundall, O. D. L. Strack, Géotechnique 29 (1979) 47. With the dashpot of a restitution, η = α √(m* k), an impact
is a damped linear oscillator of ζ = α/2. It ends either when the force vanishes, as Hertzian contacts do (T. Schwager,
T. Pöschel, Granul. Matter 9 (2007) 465), or when the surfaces part, after they have pulled at each other for a while.
The dashpot begins, and then ends, with a jump; the weights of `first_step` keep impacts of second order.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import in_python, inline
from dem.kernels.laws.collision_time import Spring, hertz
from dem.kernels.laws.first_step import constant_weight, first_step_fraction, weight_after_start
from dem.kernels.laws.interface import PARTS, NormalForce, law_component


class Linear(NamedTuple):
    """Stiffnesses of linear springs."""

    # k of two materials follows from one of `stiffness`, `rate` and `speed`; the other two are zero
    stiffness: np.ndarray  # (A, A) k [N/m]
    rate: np.ndarray  # (A, A) k over the reduced mass of the two bodies [1/s²]
    pulls: np.ndarray  # (A, A) 1 where contacts end when surfaces part, 0 where the force vanishes
    speed: np.ndarray  # (A, A) speed [m/s] of the undamped impact with the same largest overlap as by Hertz's law


@inline
def stiffness_for_hertz_overlap(k, mass, speed):
    """Linear stiffness [N/m] with the same largest overlap in an impact as Hertz's law of stiffness k, 0.8 k √δ."""
    return 0.8 * k**0.8 * (1.25 * mass * speed * speed) ** 0.2


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, memory):
    """Normal force of a contact."""
    fraction = first_step_fraction(contact, normal_velocity, dt)
    pulls = part.pulls[i, j] > 0.0
    k = part.stiffness[i, j] + part.rate[i, j] * contact.reduced_mass
    if part.speed[i, j] > 0.0:
        k = stiffness_for_hertz_overlap(contact.stiffness, contact.reduced_mass, part.speed[i, j])
    elastic, weight = k * contact.overlap, weight_after_start(contact.overlap, normal_velocity, dt)
    return NormalForce(
        force=elastic, conservative=elastic, energy=0.5 * elastic * contact.overlap,
        stiffness=k, stiffness_factor=1.0, contact_area_measure=1.0, area=contact.radius * contact.overlap,
        contact_time_fraction=fraction, first_step_stiffness_weight=constant_weight(fraction),
        first_step_damping_weight=weight * weight,
        min_normal_force=-math.inf if pulls else 0.0, detachment_overlap=0.0 if pulls else -math.inf,
        friction_normal_offset=0.0, instantaneous_dissipation=0.0, persists=True,
    ), memory  # fmt: skip


def spring(part, i, j, pair):
    """Spring parameters of the law, for contact times computed in Python."""
    equivalent = in_python(stiffness_for_hertz_overlap)(
        hertz(pair.modulus, pair.radius).stiffness, pair.reduced, part.speed[i, j]
    )
    return Spring(part.stiffness[i, j] + part.rate[i, j] * pair.reduced + equivalent, 1.0)


PARTS[Linear] = law_component(normal_force, spring=spring, power=1.0, area_measure=1.0)
