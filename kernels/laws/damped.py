"""Hertz contact with normal damping: F = K δ^1.5 - η v_n, never attractive, η = α √(m* K) δ^(1/4).

Y. Tsuji, T. Tanaka, T. Ishida, Powder Technol. 71 (1992) 239, eq. (19). The coefficient of restitution is then the same
at any speed. Tension is cut off: contact is felt until the total force vanishes. With y = √(4/5) x^(5/4) and
dτ = x^(1/4) dt the scaled impact x'' + α x^(1/4) x' + x^(3/2) = 0 is a damped linear oscillator, whose impact without
tension T. Schwager and T. Pöschel solve (Granul. Matter 9 (2007) 465); ``dem.model.contacts`` inverts that for α. The
dashpot sets in like a root; ``onset`` keeps that from showing in the order of convergence.
"""

import math
from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.base.vector import dot, scale
from kernels.laws.onset import fourth_root, share_of_step
from kernels.laws.touch import ContactLaw


class Damped(NamedTuple):
    """Normal damping, no friction."""

    damping: np.ndarray  # (A, A) α of two materials


@formula
def normal_force(alpha, touch, dt):
    """Force along the normal, the elastic part, η, the normal velocity (positive when parting), and `share_of_step`."""
    secant = touch.stiffness * math.sqrt(touch.overlap)
    parting = dot(touch.velocity, touch.normal)
    share = share_of_step(touch.overlap, parting, dt)
    eta = alpha * math.sqrt(touch.mass * secant) * fourth_root(share)
    elastic = secant * touch.overlap
    return max(elastic - eta * parting, 0.0), elastic, eta, parting, share


@formula
def contact(law, i, j, touch, history, half, time_sign):
    """Force of a damped contact; it remembers nothing."""
    force, elastic, _, parting, _ = normal_force(law.damping[i, j], touch, 2.0 * half)
    return scale(force, touch.normal), history, 0.0, -half * (force - elastic) * parting


@formula
def nothing():
    """No history."""
    return ()


@formula
def load(rows, k, at):
    """No history."""
    return ()


@formula
def store(rows, k, at, history):
    """No history."""
    return


DAMPED = ContactLaw(contact, nothing, load, store, 0)
