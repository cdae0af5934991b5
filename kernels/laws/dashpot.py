"""A dashpot of constant coefficient: F = F_el - η v_n.

The force begins with a jump; the weights of ``first_step`` keep impacts of second order.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.first_step import constant_weight
from dem.kernels.laws.interface import PARTS, law_component


class Dashpot(NamedTuple):
    """A dashpot whose coefficient does not depend on the overlap."""

    coefficient: np.ndarray  # (A, A) η of two materials [N s/m]


@inline
def dashpot(part, i, j, contact, normal_force):
    """Coefficient η of the normal dashpot [N s/m], the same at any overlap."""
    return part.coefficient[i, j] * constant_weight(normal_force.contact_time_fraction)


def damping_ratio(part, i, j, mass, secant):
    """Damping ratio, for time steps chosen in Python."""
    return 0.5 * part.coefficient[i, j] / np.sqrt(mass * secant)


PARTS[Dashpot] = law_component(dashpot, damping_ratio=damping_ratio)
