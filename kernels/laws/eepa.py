"""Edinburgh elasto-plastic adhesive contacts: plastic powders that stick the more, the harder they were pressed.

S. C. Thakur, J. P. Morrissey, J. Sun, J. F. Chen, J. Y. Ooi, Granul. Matter 16 (2014) 383. With m the largest overlap
so far, λ the plasticity ratio and δ_p = λ^(1/n) m the plastic overlap,

    loading                 F = k_1 δ^n                   where δ grows beyond m
    unloading, reloading    F = k_2 (δ^n - δ_p^n)         k_2 = k_1/(1 - λ)
    adhesive limit          F = -k_a δ^χ                  where the line above would be below it

so that the three branches meet without a jump. k_a follows from the largest pull P = 3/2 π Δγ √(2 R* δ_p), with the
radius √(2 R* δ_p) of the patch that loading has flattened: the line of unloading meets the limit at F = -P. P is no
more than ½ k_2 δ_p^n, so that they do meet. When a contact moves along the limit, m decreases: it becomes the value
whose line of unloading meets the limit at the present overlap, and reloading follows that line. k_a stays until
the contact is loaded beyond m again. Without surface energy the contact stays flat, and has no force below δ_p.

The stored energy is what unloading returns, U = k_2 [(δ^(n+1) - δ_p^(n+1))/(n+1) - δ_p^n (δ - δ_p)]. All other work is
lost at once: on loading (1 - e²) k_1 m^(n+1)/(n+1), and along the limit, from δ on, k_a δ^(χ+1)/(χ+1) + U(δ). Both are
functions of the state alone, so that losses are booked without error, whatever the step.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.collision_time import Spring
from dem.kernels.laws.first_step import first_step_fraction, power_weight
from dem.kernels.laws.interface import PARTS, NormalForce, law_component

NEWTON_STEPS = 60  # never reached: from above, the steps on a convex function double the digits


class EEPA(NamedTuple):
    """Numbers of plastic contacts whose adhesion grows with their plastic overlap."""

    stiffness: np.ndarray  # (A, A) k_1 [N/m^n] of two materials; 0 where it is 4/3 E* √R*
    plasticity: np.ndarray  # (A, A) λ
    surface_energy: np.ndarray  # (A, A) Δγ [J/m²]
    exponent: np.ndarray  # (A, A) n
    adhesive_exponent: np.ndarray  # (A, A) χ


@inline
def returned(k_2, n, overlap, plastic):
    """Energy that unloading from an overlap returns [J]."""
    power_term = (overlap ** (n + 1.0) - plastic ** (n + 1.0)) / (n + 1.0)
    return k_2 * (power_term - plastic**n * (overlap - plastic))


@inline
def share_returned(plasticity, n, ratio):
    """Share of the work of loading that unloading returns, e², by λ and the ratio δ_p/m = λ^(1/n)."""
    return (1.0 - plasticity * (n + 1.0 - n * ratio)) / (1.0 - plasticity)


@inline
def lost_along_limit(k_2, n, k_a, chi, overlap):
    """Energy that is lost from an overlap on the adhesive limit to where the surfaces part [J]."""
    plastic = (overlap**n + k_a / k_2 * overlap**chi) ** (1.0 / n)
    return k_a * overlap ** (chi + 1.0) / (chi + 1.0) + returned(k_2, n, overlap, plastic)


@inline
def overlap_at_limit(k_2, n, k_a, chi, plastic):
    """Overlap at which the line of unloading to a plastic overlap meets the adhesive limit [m], by Newton's method."""
    overlap, target = plastic, plastic**n
    for _ in range(NEWTON_STEPS):
        elastic, pull = overlap**n, k_a / k_2 * overlap**chi
        step = (elastic + pull - target) * overlap / (n * elastic + chi * pull)
        overlap -= step
        if step <= 1e-15 * overlap:
            break
    return overlap


@inline
def adhesive_stiffness(k_2, n, chi, surface_energy, radius, plastic):
    """k_a of a contact with a plastic overlap [N/m^χ]."""
    elastic = plastic**n
    if surface_energy == 0.0 or elastic == 0.0:  # vanishing overlaps, too
        return 0.0
    pull = min(1.5 * math.pi * surface_energy * math.sqrt(2.0 * radius * plastic), 0.5 * k_2 * elastic)
    return pull / (elastic - pull / k_2) ** (chi / n)


@inline
def normal_force(part, i, j, contact, normal_velocity, dt, memory):
    """Normal force of a contact, which remembers its largest overlap and k_a."""
    n, chi, plasticity = part.exponent[i, j], part.adhesive_exponent[i, j], part.plasticity[i, j]
    k_1 = part.stiffness[i, j] if part.stiffness[i, j] > 0.0 else contact.stiffness
    k_2 = k_1 / (1.0 - plasticity)
    ratio = plasticity ** (1.0 / n)
    max_overlap, k_a = memory
    dissipation = 0.0
    if contact.overlap > max_overlap:
        work = k_1 / (n + 1.0) * (contact.overlap ** (n + 1.0) - max_overlap ** (n + 1.0))
        dissipation = (1.0 - share_returned(plasticity, n, ratio)) * work
        max_overlap = contact.overlap
        k_a = adhesive_stiffness(k_2, n, chi, part.surface_energy[i, j], contact.radius, ratio * max_overlap)
    plastic = ratio * max_overlap
    elastic, pull = contact.overlap**n, k_a * contact.overlap**chi
    force = k_2 * (elastic - plasticity * max_overlap**n)
    if force < 0.0 and k_a == 0.0:
        force = 0.0
    elif force < -pull:
        start = overlap_at_limit(k_2, n, k_a, chi, plastic)
        dissipation += lost_along_limit(k_2, n, k_a, chi, start) - lost_along_limit(k_2, n, k_a, chi, contact.overlap)
        force = -pull
        plastic = (elastic + pull / k_2) ** (1.0 / n)
        max_overlap = plastic / ratio
    fraction, root = first_step_fraction(contact, normal_velocity, dt), contact.overlap ** (n - 1.0)
    damped = power_weight(fraction, 0.5 * (n - 1.0))
    return NormalForce(
        force=force, conservative=force, energy=returned(k_2, n, contact.overlap, plastic) if force != 0.0 else 0.0,
        stiffness=k_1, stiffness_factor=root, contact_area_measure=root * root, area=contact.radius * contact.overlap,
        contact_time_fraction=fraction, first_step_stiffness_weight=root * power_weight(fraction, n - 1.0),
        first_step_damping_weight=root * damped * damped,
        min_normal_force=-math.inf if k_a > 0.0 else 0.0, detachment_overlap=0.0 if k_a > 0.0 else -math.inf,
        friction_normal_offset=pull, instantaneous_dissipation=dissipation, persists=True,
    ), (max_overlap, k_a)  # fmt: skip


@inline
def exponent(part, i, j):
    """Power of the overlap, n."""
    return part.exponent[i, j]


def spring(part, i, j, pair):
    """Spring parameters of the law, for contact times computed in Python."""
    hertz = 4 / 3 * pair.modulus * np.sqrt(pair.radius)
    loading = np.where(part.stiffness[i, j] > 0, part.stiffness[i, j], hertz)
    return Spring(loading / (1 - part.plasticity[i, j]), part.exponent[i, j], loading)


PARTS[EEPA] = law_component(normal_force, history=2, spring=spring, power=exponent)
