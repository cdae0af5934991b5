"""JKR adhesion of soft or large spheres, whose contacts persist beyond touch until pull-off.

K. L. Johnson, K. Kendall, A. D. Roberts, Proc. R. Soc. A 324 (1971) 301. With a the radius of contact, w the work of
adhesion, s³ = π w R*²/E* and α = a/s:

    δ = s²/R* (α² - √(2α))    F = π w R* (4/3 α³ - 2 √2 α^(3/2))    U = π w s² (8/15 α⁵ - 4 √2/3 α^(7/2) + α²)

dU = F dδ. Surfaces snap together where they touch, at δ = 0, and apart at δ = -3/4 s²/R*, where α = 1/2: no larger gap
has a contact radius. A contact begins at δ = 0 with U = -3/5 2^(2/3) π w s², and ends with U = π w s²/10. Both amounts
are lost at once, when the contact forms and when it ends (K. L. Johnson, H. M. Pollock, J. Adhesion Sci. Technol. 8
(1994) 1323: 7.09 (w⁵ R*⁴/E*²)^(1/3) in all). The force begins and ends with a jump, and before its end it changes like
a root of time; the weights of ``first_step`` keep impacts of second order. Pairs without adhesion have Hertz's force.

Coulomb's limit is μ |F + 2 F_po| with the pull-off force F_po = 3/2 π w R* (C. Thornton, J. Phys. D 24 (1991) 1942).
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import in_python, inline
from dem.kernels.laws import hertz
from dem.kernels.laws.collision_time import Spring
from dem.kernels.laws.first_step import (
    NOT_FIRST_STEP,
    constant_weight,
    end_correction_of_constant,
    end_correction_of_square_root,
    first_step_fraction,
    last_step_fraction,
)
from dem.kernels.laws.interface import PARTS, NormalForce, law_component

TINY = 1e-150  # m, keeps a contact without adhesion from dividing by zero where it ends
LOSS_AT_CONTACT = 0.6 * 2.0 ** (2.0 / 3.0)  # energy over π w s² below zero at δ = 0
LOSS_AT_SEPARATION = 0.1  # and above it where the contact ends


class JKR(NamedTuple):
    """Work of adhesion of elastic spheres."""

    work: np.ndarray  # (A, A) w of two materials [J/m²]


@inline
def length(work, modulus, radius):
    """Length s = (π w R*²/E*)^⅓ by which overlaps are scaled [m]."""
    return np.cbrt(math.pi * work * radius * radius / modulus)


@inline
def cutoff(part, i, j, modulus, radius):
    """Distance of the surfaces at which a contact ends [m]: 3/4 s²/R*."""
    ratio = math.pi * part.work[i, j] / modulus
    return 0.75 * np.cbrt(ratio * ratio * radius)


@inline
def radius_of_contact(scaled):
    """α of δ R*/s² from -3/4 on: the square of the larger root of y⁴ - √2 y = δ R*/s², by Ferrari's formula."""
    a = np.cbrt(0.125 + math.sqrt(max(0.015625 + scaled * scaled * scaled / 27.0, 0.0)))
    b = -scaled / (3.0 * a)
    u = a + b if scaled < 0.0 else 0.25 / (a * a + scaled / 3.0 + b * b)  # the same without cancellation
    y = 0.5 * (math.sqrt(2.0 * u) + math.sqrt(max(2.0 / math.sqrt(u) - 2.0 * u, 0.0)))
    return y * y


@inline
def scaled_force(alpha):
    """Normal force over π w R*, as a function of the scaled contact radius."""
    return 4.0 / 3.0 * alpha * alpha * alpha - 2.0 * math.sqrt(2.0) * alpha * math.sqrt(alpha)


@inline
def scaled_energy(alpha):
    """Energy over π w s², as a function of the scaled contact radius."""
    square = alpha * alpha
    return square * (8.0 / 15.0 * square * alpha - 4.0 * math.sqrt(2.0) / 3.0 * alpha * math.sqrt(alpha) + 1.0)


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, was_in_contact):
    """Normal force of a contact; `was_in_contact` is 1 if the surfaces were in contact at the last step."""
    work, modulus = part.work[i, j], 0.75 * contact.stiffness / math.sqrt(contact.radius)
    s = length(work, modulus, contact.radius)
    remaining = contact.overlap + cutoff(part, i, j, modulus, contact.radius)
    if remaining <= 0.0:
        undamped = force_after_separation(work, s, -remaining, contact, normal_velocity, dt)
    elif work > 0.0:
        fraction = NOT_FIRST_STEP if was_in_contact > 0.0 else first_step_fraction(contact, normal_velocity, dt)
        undamped = adhering_force(work, s, fraction, contact, was_in_contact)
    else:
        undamped, _ = hertz.normal_force(part, i, j, contact, normal_velocity, dt, was_in_contact)
    return undamped, 1.0


@inline
def adhering_force(work, s, fraction, contact, was_in_contact):
    """Force of an adhering contact with the length scale s, which exists for this fraction of the last step."""
    unit, unit_force = math.pi * work * s * s, math.pi * work * contact.radius
    alpha, weight = radius_of_contact(contact.overlap * contact.radius / (s * s)), constant_weight(fraction)
    force, a = weight * unit_force * scaled_force(alpha), alpha * s
    root = a / math.sqrt(contact.radius)
    return NormalForce(
        force=force, conservative=force, energy=unit * scaled_energy(alpha),
        stiffness=contact.stiffness, stiffness_factor=root, contact_area_measure=a * a / contact.radius, area=a * a,
        contact_time_fraction=fraction, first_step_stiffness_weight=root * weight, first_step_damping_weight=root *
        weight * weight,
        min_normal_force=-math.inf, detachment_overlap=-math.inf, friction_normal_offset=3.0 * unit_force,
        instantaneous_dissipation=0.0 if was_in_contact > 0.0 else LOSS_AT_CONTACT * unit, persists=True,
    )  # fmt: skip


@inline
def force_after_separation(work, s, beyond, contact, normal_velocity, dt):
    """Correction of the force of a contact that ended in the last step, `beyond` [m] ago; without friction.

    Near the end F is π w R* (-5/6 - 2 √(2/3 (δ - δ_c) R*/s²)).
    """
    unit, unit_force = math.pi * work * s * s, math.pi * work * contact.radius
    theta = last_step_fraction(beyond, normal_velocity, dt)
    step = max(normal_velocity, 0.0) * dt * contact.radius / max(s * s, TINY)
    correction = end_correction_of_constant(theta)
    force = unit_force * (
        correction * scaled_force(0.5) - 2.0 * math.sqrt(2.0 / 3.0 * step) * end_correction_of_square_root(theta)
    )
    a = 0.5 * s + TINY
    root = a / math.sqrt(contact.radius)
    return NormalForce(
        force=force, conservative=force, energy=0.0,
        stiffness=contact.stiffness, stiffness_factor=root, contact_area_measure=0.0, area=a * a,
        contact_time_fraction=NOT_FIRST_STEP, first_step_stiffness_weight=root,
        first_step_damping_weight=root * correction * abs(correction),
        min_normal_force=-math.inf, detachment_overlap=-math.inf, friction_normal_offset=-math.inf,
        instantaneous_dissipation=LOSS_AT_SEPARATION * unit, persists=False,
    )  # fmt: skip


_radii_of_contact = np.vectorize(in_python(radius_of_contact), otypes=[float])


def spring(part, i, j, pair):
    """Spring parameters for contact times: Hertz's for d = a²/R*, F = K d^1.5 (1 - 3/√2 (d R*/s²)^(-3/4))."""
    k = 4.0 / 3.0 * pair.modulus * np.sqrt(pair.radius)
    unit = in_python(length)(part.work[i, j], pair.modulus, pair.radius) ** 2 / pair.radius

    def effective_overlap(overlap):
        sticks = unit > 0.0
        scaled = np.maximum(np.divide(overlap, np.where(sticks, unit, 1.0)), -0.75)
        return np.where(sticks, unit * _radii_of_contact(scaled) ** 2, overlap)

    return Spring(
        k, 1.5, pull=k * 3.0 / math.sqrt(2.0) * unit**0.75, pull_power=0.75, effective_overlap=effective_overlap
    )


PARTS[JKR] = law_component(normal_force, history=1, cutoff=cutoff, spring=spring, power=1.5)
