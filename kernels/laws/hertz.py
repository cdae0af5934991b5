"""Hertz contact of elastic spheres: F = 4/3 E* √R* δ^1.5, elastic energy 2/5 F δ.

H. Hertz, J. reine angew. Math. 92 (1882) 156; K. L. Johnson, Contact Mechanics (1985), eqs. (4.22), (4.23). The
stiffness K = 4/3 E* √R* of a pair is computed once. No other file has this force and its energy.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.laws import collision_time
from dem.kernels.laws.first_step import first_samples_of_root, first_step_fraction
from dem.kernels.laws.interface import PARTS, NormalForce, law_component


class Hertz(NamedTuple):
    """Normal force of elastic spheres. It needs no tables: K and R* stand in `ContactKinematics`."""


@inline
def stiffness(effective_young, effective_radius):
    """Hertz stiffness K = 4/3 E* √R* [N m^-1.5] of two bodies."""
    return 4.0 / 3.0 * effective_young * math.sqrt(effective_radius)


@inline
def force(hertz_stiffness, overlap):
    """Repulsive normal force K δ^1.5 [N]; overlap must not be negative."""
    return hertz_stiffness * overlap * math.sqrt(overlap)


@inline
def energy(hertz_stiffness, overlap):
    """Elastic energy 2/5 K δ^2.5 [J], the integral of the force; overlap must not be negative."""
    return 0.4 * overlap * force(hertz_stiffness, overlap)


@inline
def area_measure(part, contact):
    """`NormalForce.contact_area_measure`: the overlap."""
    return contact.overlap


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, memory):
    """Normal force of a contact."""
    fraction, root = first_step_fraction(contact, normal_velocity, dt), math.sqrt(contact.overlap)
    ahead = math.sqrt(max(contact.overlap, -normal_velocity * dt)) if contact.may_begin else root
    sampled, damped = first_samples_of_root(fraction, ahead)
    elastic = contact.stiffness * root * contact.overlap
    return NormalForce(
        force=elastic, conservative=elastic, energy=energy(contact.stiffness, contact.overlap),
        stiffness=contact.stiffness, stiffness_factor=root, contact_area_measure=area_measure(part, contact),
        area=contact.radius * contact.overlap,
        contact_time_fraction=fraction, first_step_stiffness_weight=sampled, first_step_damping_weight=damped,
        min_normal_force=0.0, detachment_overlap=-math.inf, friction_normal_offset=0.0, instantaneous_dissipation=0.0,
        persists=True,
    ), memory  # fmt: skip


def spring_of(part, i, j, pair):
    """Spring parameters of the law, for contact times computed in Python."""
    return collision_time.hertz(pair.modulus, pair.radius)


PARTS[Hertz] = law_component(normal_force, spring=spring_of, power=1.5, area_measure=area_measure)
