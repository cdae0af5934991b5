"""Viscoelastic spheres: F = K (δ^(3/2) + 3/2 A √δ δ'), a dashpot that goes with the stiffness of Hertz's law.

N. V. Brilliantov, F. Spahn, J.-M. Hertzsch, T. Pöschel, Phys. Rev. E 53 (1996) 5382, eq. (15). The coefficient of
restitution falls with the speed: e = 1 - C x + 3/5 C² x² - ..., x = 3/2 A (K/m*)^(2/5) v^(1/5), C = √π Γ(3/5)/(2^(1/5)
5^(2/5) Γ(21/10)) = 1.15344 (R. Ramírez, T. Pöschel, N. V. Brilliantov, T. Schwager, Phys. Rev. E 60 (1999) 4465).
Contacts end where the force vanishes, which shows in the next term, of x^(5/2).
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.interface import PARTS, law_component


class Viscoelastic(NamedTuple):
    """A dashpot in proportion to the stiffness."""

    time: np.ndarray  # (A, A) A of two materials [s]


@inline
def dashpot(part, i, j, contact, normal_force):
    """Coefficient η of the normal dashpot of a viscoelastic contact [N s/m]."""
    return 1.5 * part.time[i, j] * normal_force.stiffness * normal_force.first_step_stiffness_weight


def damping_ratio(part, i, j, mass, secant):
    """Damping ratio, for time steps chosen in Python."""
    return 0.75 * part.time[i, j] * np.sqrt(secant / mass)


PARTS[Viscoelastic] = law_component(dashpot, damping_ratio=damping_ratio)
