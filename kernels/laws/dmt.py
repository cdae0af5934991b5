"""Adhesion of stiff, small spheres: a constant pull 2π w R* while they touch, beside Hertz's force.

B. V. Derjaguin, V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314, in the usual form; energy
-2π w R* δ. It begins and ends with a jump; the weights of `first_step` keep impacts of second order. The normal force
of Coulomb's limit does not include the pull: the limit is μ (F + 2π w R*), with the sum F of both forces
(B. V. Derjaguin, Z. Phys. 88 (1934) 661).
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.first_step import weight_after_start, weight_near_jump
from dem.kernels.laws.interface import PARTS, AdhesionForce, law_component


class DMTAdhesion(NamedTuple):
    """Constant pull of stiff, small spheres while they touch."""

    work: np.ndarray  # (A, A) w of two materials [J/m²]


@inline
def strength(part, i, j, radius):
    """Pull 2π w R* of two surfaces that touch [N]."""
    return 2.0 * math.pi * part.work[i, j] * radius


@inline
def pull(part, i, j, contact, normal_force, normal_velocity, dt, memory):
    """Pull of a contact, with the weights of its first and last step.

    part, i, j, contact, normal_force, normal_velocity, dt, memory: see `dem.kernels.laws`.
    Returns `AdhesionForce`, memory.
    """
    size = strength(part, i, j, contact.radius)
    at_start = weight_after_start(contact.overlap, normal_velocity, dt)
    weight = at_start + weight_near_jump(contact.overlap, normal_velocity * dt) - 1.0
    return AdhesionForce(
        force=-weight * size, energy=-size * contact.overlap, instantaneous_dissipation=0.0, holds=False
    ), memory


@inline
def no_pull(part, i, j, contact, normal_force, normal_velocity, dt, memory):
    """Pull of surfaces without adhesion: 0."""
    return AdhesionForce(force=0.0, energy=0.0, instantaneous_dissipation=0.0, holds=False), memory


PARTS[DMTAdhesion] = law_component(pull, pull=strength)
NO_ADHESION = law_component(no_pull)
