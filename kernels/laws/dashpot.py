"""A dashpot of constant coefficient: F = F_el - η v_n.

It sets in with a jump; ``onset`` keeps that from showing in the order of convergence.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.laws.onset import constant
from kernels.laws.touch import PARTS, forgetful


class Dashpot(NamedTuple):
    """The same coefficient at any overlap."""

    coefficient: np.ndarray  # (A, A) η of two materials [N s/m]


@formula
def dashpot(part, i, j, touch, press):
    """η [N s/m]."""
    return part.coefficient[i, j] * constant(press.share)


PARTS[Dashpot] = forgetful(dashpot)
