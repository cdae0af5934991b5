"""Adhesion of stiff, small spheres: a constant pull 2π w R* while they touch, beside Hertz's force.

B. V. Derjaguin, V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314, in the usual form; energy
-2π w R* δ. It sets in and ends with a jump; `onset` keeps that from showing in the order of convergence.
"""

import math
from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.laws.onset import constant, last
from kernels.laws.touch import forgetful


class Adhesion(NamedTuple):
    """Constant pull."""

    work: np.ndarray  # (A, A) w of two materials [J/m²]


@formula
def pull(part, i, j, touch, press, parting, dt, memory):
    """Pull of a contact.

    Parameters
    ----------
    part, i, j, touch, press, parting, dt, memory : see `kernels.laws`; velocity of parting [m/s]

    Returns
    -------
    normal force [N], its energy [J], memory
    """
    size = 2.0 * math.pi * part.work[i, j] * touch.radius
    weight = constant(press.share) + last(touch.overlap, parting, dt)
    return -weight * size, -size * touch.overlap, memory


@formula
def no_pull(part, i, j, touch, press, parting, dt, memory):
    """None.

    Parameters
    ----------
    part, i, j, touch, press, parting, dt, memory : see `pull`

    Returns
    -------
    as `pull`
    """
    return 0.0, 0.0, memory


DMT, NO_ADHESION = forgetful(pull), forgetful(no_pull)
