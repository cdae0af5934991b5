"""Coulomb friction: a tangential spring of Mindlin's stiffness that sticks and slides.

The tangential part of `dem.kernels.laws.Composite`. ``rolling`` uses its `spring_dashpot_slider`, too.

The spring's force f follows the slip of the surfaces, df = -k_t v_t dt with k_t = 8 G* √(R* δ) = (6 G*/E*) K √δ
(R. D. Mindlin, J. Appl. Mech. 16 (1949) 259; 1/G* = Σ (2 - ν)/G; the history of P. A. Cundall, O. D. L. Strack,
Géotechnique 29 (1979) 47). It turns with the contact plane: f of the last step, turned about the normal with the pair,
is projected on the present plane and gets its former length (S. Luding, Granul. Matter 10 (2008) 235; see
`align_spring`). While the contact unloads f shrinks as k_t does, or grazing impacts would gain energy
(C. Thornton, S. J. Cummins, P. W. Cleary, Powder Technol. 233 (2013) 30). With a dashpot η_t, the trial force is
t = f - η_t v_t. η_t = η √(k_t/S_n) with the slope S_n of the normal force, 2 E* √(R* δ) of Hertz's; linear and
hysteretic springs have η_t = η/2. Contacts stick while |t| <= μ F_n. Beyond, they slide with
μ F_n t/|t|: in lasting sliding t/|t| is -v_t/|v_t|, and at a reversal of the slip the force does not jump. The spring
by itself holds no more than μ F_n. If it were set to the sliding force, it would store the dashpot's share, and
outcomes would jump with the angle of incidence.

One spring sticks or slides as a whole: no slip grows from the edge of the contact inwards, and near-normal impacts
keep more tangential velocity than by Maw, Barber & Fawcett (Wear 38 (1976) 101), see
``dem.validation.contacts.partial_slip``.

The spring is integrated by the trapezium rule: the history has f half a step ahead, f_n - dt/2 k_t v_t. In the first
step of a contact k_t grows from zero like √t, see ``first_step``. The spring is cut to μ F_n before the dashpot is
added. In the other order t would keep the amount by which μ F_n falls in a step, and impacts that slide while they
unload would be of first order.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.interface import PARTS, law_component
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale

TINY = 1e-300  # keeps the direction of a vanishing force finite


class Friction(NamedTuple):
    """Tangential spring and dashpot."""

    friction: np.ndarray  # (A, A) μ of two materials
    shear: np.ndarray  # (A, A) k_t over stiffness·root of the normal law; 6 G*/E* of Hertz's
    dashpot: np.ndarray  # (A, A) η_t/η; √(2/3 shear) of Hertz's law


@inline
def tangential_force(part, i, j, contact, normal_force, eta, normal_load, slip, spring, area_before, half, time_sign):
    """Force of a tangential spring.

    part, i, j, contact, normal_force: see `dem.kernels.laws`.
    eta, normal_load, slip: normal dashpot [N s/m], normal force that friction counts [N], velocity of the surfaces in
        the plane of contact.
    spring: force of the spring half a step ahead [N].
    area_before: `NormalForce.contact_area_measure` at the last step, 0 if there was no contact.
    half, time_sign: see `dem.kernels.laws`.
    Returns the force on i [N], memory, energy of the spring [J], distance that the surfaces have slid in the last step
    [m].
    """
    prefactor = part.shear[i, j] * normal_force.stiffness
    dashpot, max_force = eta * part.dashpot[i, j], part.friction[i, j] * normal_load
    return spring_dashpot_slider(
        prefactor, scale(-dashpot, slip), max_force, slip, contact, normal_force, spring, area_before, half, time_sign
    )


@inline
def spring_dashpot_slider(
    prefactor, damping, limit, velocity, contact, normal_force, spring, area_before, half, time_sign
):
    """Force of a spring in the plane of contact that follows a velocity, and of a dashpot, up to a limit.

    prefactor, damping, limit: stiffness over `NormalForce.stiffness_factor`, force of the dashpot [N], largest force
        [N].
    velocity: in the plane of contact [m/s].
    contact, normal_force, spring, area_before, half, time_sign: see `tangential_force`.
    Returns the force on i [N], memory, energy of the spring [J], distance slid in the last step [m]: what the limit
        took off the spring over k.
    """
    k = prefactor * normal_force.stiffness_factor
    first_step_k = (1.0 + time_sign) * (prefactor * normal_force.first_step_stiffness_weight - 0.5 * k)
    half_step_k = half * (time_sign * k if area_before > 0.0 else first_step_k)
    if not contact.spring_aligned:
        spring = align_spring(contact, spring, normal_force.contact_area_measure, area_before, half, time_sign)
    trial = add_scaled(spring, -half_step_k, velocity)
    sliding_distance = max(math.sqrt(dot(trial, trial)) - limit, 0.0) / (k + TINY)
    spring, force = coulomb_limit(trial, damping, limit)
    return force, add_scaled(spring, -half * k, velocity), 0.5 * dot(spring, spring) / (k + TINY), sliding_distance


@inline
def coulomb_limit(spring, damping, limit):
    """Force of a spring cut to a limit, and its sum with the force of a dashpot, cut to the limit again."""
    spring = scale(min(limit / math.sqrt(dot(spring, spring) + TINY), 1.0), spring)
    trial = add(spring, damping)
    size = dot(trial, trial)
    slides = size > limit * limit
    sliding = scale(limit / math.sqrt(size + TINY), trial)
    return spring, sliding if slides else trial


@inline
def align_spring(contact, spring, area_measure, area_before, half, time_sign):
    """Spring force of the last step in the present contact plane, turned about the normal with the two surfaces.

    As long as it was, or less by √(area_measure/area_before) while the contact unloads; zero if it was no contact.
    area_measure: `NormalForce.contact_area_measure`.
    contact, spring, area_before, half, time_sign: see `tangential_force`.
    """
    normal, angle = contact.normal, (1.0 + time_sign) * half * contact.twist_rate
    size = dot(spring, spring)
    spring = add_scaled(spring, angle, cross(normal, spring))
    spring = add_scaled(spring, -dot(spring, normal), normal)
    square = size * min(area_measure, area_before) / (dot(spring, spring) * area_before + TINY)
    return scale(math.sqrt(abs(square)), spring)  # negative where surfaces have parted, whose spring is not used


@inline
def no_friction(part, i, j, contact, normal_force, eta, normal_load, slip, spring, area_before, half, time_sign):
    """No force: all of the slip is sliding."""
    return (0.0, 0.0, 0.0), spring, 0.0, 2.0 * half * math.sqrt(dot(slip, slip))


PARTS[Friction] = law_component(tangential_force, history=3, align=align_spring)
FRICTIONLESS = law_component(no_friction)
