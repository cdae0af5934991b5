"""Damped Hertz contact with Coulomb friction: a tangential spring of Mindlin's stiffness that sticks and slides.

The spring's force f follows the slip of the surfaces, df = -k_t v_t dt with k_t = 8 G* √(R* δ) = (6 G*/E*) K √δ
(Mindlin 1949; 1/G* = Σ (2 - ν)/G), and turns with the contact plane. While the contact unloads f shrinks as k_t does,
or grazing impacts would gain energy (C. Thornton, S. J. Cummins, P. W. Cleary, Powder Technol. 233 (2013) 30). With a
dashpot η_t = η √(k_t/S_n), S_n = 2 E* √(R* δ), the trial force is t = f - η_t v_t. Contacts stick while |t| <= μ F_n;
beyond, they slide with μ F_n t/|t|: in lasting sliding that is -v_t/|v_t|, and at a reversal of the slip the force does
not jump. The spring by itself holds no more than μ F_n; set to the sliding force it would store the dashpot's share,
and outcomes would jump with the angle of incidence.

One spring sticks or slides as a whole: no slip grows from the edge of the contact inwards, and near-normal impacts
keep more tangential velocity than by Maw, Barber & Fawcett (Wear 38 (1976) 101), see ``dem.validation.annuli``.

Integrated by the trapezium rule: what is remembered is f half a step ahead, f_n - dt/2 k_t v_t. In its first step k_t
sets in like a root, see ``onset``. The spring is cut to μ F_n before the dashpot is added: the other way round t would
hold what μ F_n has fallen by in a step, and impacts that slide while they unload would be of first order.
"""

import math
from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.base.vector import add, add_scaled, cross, dot, scale
from kernels.laws.damped import normal_force
from kernels.laws.onset import square_root
from kernels.laws.touch import ContactLaw

TINY = 1e-300  # keeps the direction of a vanishing force finite


class Frictional(NamedTuple):
    """Normal damping, friction with tangential spring and dashpot."""

    damping: np.ndarray  # (A, A) α of two materials
    friction: np.ndarray  # (A, A) μ
    shear: np.ndarray  # (A, A) 6 G*/E*, so that k_t = shear K √δ
    dashpot: np.ndarray  # (A, A) η_t/η = √(2/3 shear)


@formula
def contact(law, i, j, touch, history, half, time_sign):
    """Force of a contact with friction; history = (spring half a step ahead, δ)."""
    force_n, elastic, eta, parting, share = normal_force(law.damping[i, j], touch, 2.0 * half)
    slip = add_scaled(touch.velocity, -parting, touch.normal)
    k_t = law.shear[i, j] * touch.stiffness * math.sqrt(touch.overlap)
    ahead, before = history
    lead = time_sign * half if before > 0.0 else (1.0 + time_sign) * half * (square_root(share) - 0.5)
    spring = carry(ahead, touch.overlap, before, touch.normal, (1.0 + time_sign) * half * touch.twist)
    spring = add_scaled(spring, -lead * k_t, slip)
    limit = law.friction[i, j] * force_n
    spring = scale(min(limit / math.sqrt(dot(spring, spring) + TINY), 1.0), spring)
    trial = add_scaled(spring, -eta * law.dashpot[i, j], slip)
    size = dot(trial, trial)
    slides = size > limit * limit
    sliding = scale(limit / math.sqrt(size + TINY), trial)
    force_t = sliding if slides else trial
    stored = 0.5 * dot(spring, spring) / k_t
    loss = -half * (dot(force_t, slip) + (force_n - elastic) * parting)
    ahead = add_scaled(spring, -half * k_t, slip)
    return add(scale(force_n, touch.normal), force_t), (ahead, touch.overlap), stored, loss


@formula
def carry(spring, overlap, before, normal, angle):
    """Spring force of the last step in the contact plane of this one, turned by an angle about the normal.

    As long as it was, or less by √(δ/δ_before) while the contact unloads; zero if it was no contact.
    """
    size = dot(spring, spring)
    spring = add_scaled(spring, angle, cross(normal, spring))
    spring = add_scaled(spring, -dot(spring, normal), normal)
    square = size * min(overlap, before) / (dot(spring, spring) * before + TINY)
    return scale(math.sqrt(square), spring)


@formula
def nothing():
    """A spring at rest."""
    return (0.0, 0.0, 0.0), 0.0


@formula
def load(rows, k, at):
    """Spring and overlap of contact k."""
    return (rows[k, at], rows[k, at + 1], rows[k, at + 2]), rows[k, at + 3]


@formula
def store(rows, k, at, history):
    """Write spring and overlap of contact k."""
    spring, overlap = history
    rows[k, at], rows[k, at + 1], rows[k, at + 2] = spring
    rows[k, at + 3] = overlap


FRICTIONAL = ContactLaw(contact, nothing, load, store, 4)
