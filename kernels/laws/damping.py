"""Normal damping: F = F_el - η v_n, with η = α √(m* S) and the secant stiffness S, elastic force over overlap.

Y. Tsuji, T. Tanaka, T. Ishida, Powder Technol. 71 (1992) 239, eq. (19): S = K √δ for Hertz's law. The coefficient of
restitution is then the same at any speed. Where tension is cut off, the contact acts until the total force vanishes.
With y = √(4/5) x^(5/4) and dτ = x^(1/4) dt the scaled impact x'' + α x^(1/4) x' + x^(3/2) = 0 is a damped linear
oscillator, whose impact without tension T. Schwager and T. Pöschel solve (Granul. Matter 9 (2007) 465);
``model.contact.restitution`` inverts that for α. At the start of a contact the dashpot grows like a root of time; the
weights of ``first_step`` keep impacts of second order.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.interface import PARTS, law_component


class Damping(NamedTuple):
    """A dashpot that grows with stiffness and mass."""

    alpha: np.ndarray  # (A, A) α of two materials


class SharedDamping(NamedTuple):
    """A dashpot shared by the contacts of two bodies, see `dem.kernels.soft.contact.shared_damping`."""

    alpha: np.ndarray  # (A, A) α of two materials


@inline
def dashpot(part, i, j, contact, normal_force):
    """Coefficient η of the normal dashpot [N s/m] for a given restitution."""
    size = math.sqrt(contact.mass * (normal_force.stiffness * abs(normal_force.first_step_damping_weight)))
    return part.alpha[i, j] * (size if normal_force.first_step_damping_weight >= 0.0 else -size)


def damping_ratio(part, i, j, mass, secant):
    """Damping ratio, half of α, for time steps chosen in Python."""
    return 0.5 * part.alpha[i, j]


PARTS[Damping] = PARTS[SharedDamping] = law_component(dashpot, damping_ratio=damping_ratio)
UNDAMPED = law_component(0.0)
