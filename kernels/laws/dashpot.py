"""A dashpot of constant coefficient: F = F_el - η v_n.

It sets in with a jump, and ends with another where contacts pull until surfaces part; ``onset`` keeps both from
showing in the order of convergence.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.laws.onset import constant, last
from kernels.laws.touch import forgetful


class Dashpot(NamedTuple):
    """The same coefficient at any overlap."""

    coefficient: np.ndarray  # (A, A) η of two materials [N s/m]


@formula
def dashpot(part, i, j, touch, press, parting, dt):
    """η [N s/m]."""
    weight = constant(press.share)
    if press.floor < 0.0:
        weight += last(touch.overlap, parting, dt)
    return part.coefficient[i, j] * weight


DASHPOT = forgetful(dashpot)
