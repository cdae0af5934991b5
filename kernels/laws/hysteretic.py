"""Hysteretic springs: plastic contacts, stiffer when they unload than when they are loaded.

O. R. Walton, R. L. Braun, J. Rheol. 30 (1986) 949; S. Luding, Granul. Matter 10 (2008) 235. With m the
largest overlap so far, F = k_1 δ while m grows, and F = k_2 (δ - m) + k_1 m below m, but not less than -k_c δ. When the
contact is pulled along that limit, m decreases to the value whose line of slope k_2 meets the limit at the present
overlap, and reloading follows that line. Without cohesion, k_c = 0, m stays. With a depth δ_p, k_2 grows from k_1 to
k_p, k_2 = k_1 + (k_p - k_1) m/δ_p, and m is at most δ_p: beyond it the contact is elastic.

The stored energy is what unloading returns, F²/(2 k_2). All other work is lost at once, as m changes: on loading
½ k_1 m² (1 - k_1/k_2), and at the limit, from δ on, ½ k_c δ² (1 + k_c/k_2). Both are functions of m alone, so that
losses are booked without error, whatever the step.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.collision_time import Spring
from dem.kernels.laws.first_step import constant_weight, first_step_fraction
from dem.kernels.laws.interface import PARTS, NormalForce, law_component


class Hysteretic(NamedTuple):
    """Stiffnesses of springs that are stiffer at unloading than at loading."""

    loading: np.ndarray  # (A, A) k_1 [N/m] of two materials
    unloading: np.ndarray  # (A, A) k_2, or k_p where there is a depth [N/m]
    cohesion: np.ndarray  # (A, A) k_c [N/m]
    depth: np.ndarray  # (A, A) δ_p over R*, or zero where k_2 is the same at any overlap


@inline
def unloading(k_1, k_p, depth, max_overlap):
    """Unloading stiffness k_2 for a largest overlap [N/m]."""
    return k_1 + (k_p - k_1) * (max_overlap / depth) if depth > 0.0 else k_p


@inline
def loading_loss(k_1, k_2, max_overlap):
    """Energy dissipated by loading up to the largest overlap [J]."""
    return 0.5 * k_1 * max_overlap * max_overlap * (1.0 - k_1 / k_2)


@inline
def pull_off_loss(k_1, k_2, k_c, max_overlap):
    """Energy dissipated from the point where the contact reaches its tensile limit to separation [J]."""
    overlap = (k_2 - k_1) / (k_2 + k_c) * max_overlap
    return 0.5 * k_c * overlap * overlap * (1.0 + k_c / k_2)


@inline
def max_overlap_at_limit(k_1, k_p, k_c, depth, overlap):
    """Largest overlap of a contact that is on its limit: where k_2 (δ - m) + k_1 m is -k_c δ."""
    if depth > 0.0:
        half = 0.5 * overlap
        return half + math.sqrt(half * half + (k_1 + k_c) * overlap * depth / (k_p - k_1))
    return (k_p + k_c) / (k_p - k_1) * overlap


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, memory):
    """Normal force of a contact, whose largest overlap is remembered."""
    k_1, k_p, k_c = part.loading[i, j], part.unloading[i, j], part.cohesion[i, j]
    depth = part.depth[i, j] * contact.radius
    fraction = first_step_fraction(contact, normal_velocity, dt)
    weight = constant_weight(fraction)
    max_overlap = min(max(memory, contact.overlap), depth) if depth > 0.0 else max(memory, contact.overlap)
    k_2, before = unloading(k_1, k_p, depth, max_overlap), unloading(k_1, k_p, depth, memory)
    dissipation = loading_loss(k_1, k_2, max_overlap) - loading_loss(k_1, before, memory)
    force = k_2 * (contact.overlap - max_overlap) + k_1 * max_overlap
    if force < -k_c * contact.overlap:
        force = -k_c * contact.overlap
        if k_c > 0.0:
            max_overlap = max_overlap_at_limit(k_1, k_p, k_c, depth, contact.overlap)
            dissipation = pull_off_loss(k_1, k_2, k_c, memory)
            k_2 = unloading(k_1, k_p, depth, max_overlap)
            dissipation -= pull_off_loss(k_1, k_2, k_c, max_overlap)
    return NormalForce(
        force=force, conservative=force, energy=0.5 * force * force / k_2,
        stiffness=k_1, stiffness_factor=1.0, contact_area_measure=1.0, area=contact.radius * contact.overlap,
        contact_time_fraction=fraction, first_step_stiffness_weight=weight, first_step_damping_weight=weight * weight,
        min_normal_force=-math.inf if k_c > 0.0 else 0.0, detachment_overlap=0.0 if k_c > 0.0 else -math.inf,
        friction_normal_offset=k_c * contact.overlap, instantaneous_dissipation=dissipation, persists=True,
    ), max_overlap  # fmt: skip


def spring(part, i, j, pair):
    """Spring parameters of the law, for contact times computed in Python."""
    return Spring(part.unloading[i, j], 1.0, part.loading[i, j])


PARTS[Hysteretic] = law_component(normal_force, history=1, spring=spring, power=1.5, area_measure=1.0)
