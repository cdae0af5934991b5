"""Power law: F = k δ^n, elastic energy k δ^(n+1)/(n + 1).

Hertz's law is n = 3/2, a linear spring n = 1. With the dashpot of a restitution, η = α √(m* S), S = k δ^(n-1), an
impact is a damped linear oscillator in y = √(2/(n+1)) x^((n+1)/2), of ζ = α/√(2 (n + 1)), see ``damping``.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.collision_time import Spring
from dem.kernels.laws.first_step import first_step_fraction, power_weight
from dem.kernels.laws.interface import PARTS, NormalForce, law_component


class Power(NamedTuple):
    """Stiffnesses and exponents of springs whose force is a power of the overlap."""

    stiffness: np.ndarray  # (A, A) k [N/m^n] of two materials
    exponent: np.ndarray  # (A, A) n


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, memory):
    """Normal force of a contact."""
    k, more = part.stiffness[i, j], part.exponent[i, j] - 1.0
    fraction = first_step_fraction(contact, normal_velocity, dt)
    root = contact.overlap**more
    elastic = k * root * contact.overlap
    weight = power_weight(fraction, 0.5 * more)
    return NormalForce(
        force=elastic, conservative=elastic, energy=elastic * contact.overlap / (more + 2.0),
        stiffness=k, stiffness_factor=root, contact_area_measure=root * root, area=contact.radius * contact.overlap,
        contact_time_fraction=fraction, first_step_stiffness_weight=root * power_weight(fraction, more),
        first_step_damping_weight=root * weight * weight,
        min_normal_force=0.0, detachment_overlap=-math.inf, friction_normal_offset=0.0, instantaneous_dissipation=0.0,
        persists=True,
    ), memory  # fmt: skip


@inline
def exponent(part, i, j):
    """Power of the overlap, n."""
    return part.exponent[i, j]


def spring(part, i, j, pair):
    """Spring parameters of the law, for contact times computed in Python."""
    return Spring(part.stiffness[i, j], part.exponent[i, j])


PARTS[Power] = law_component(normal_force, spring=spring, power=exponent)
