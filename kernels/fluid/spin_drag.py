"""Torque of the fluid on a rotating body: rotational resistance tensor, with a factor at higher Reynolds numbers.

Of a sphere πμd³ (Ω - ω), and T = ρ/2 (d/2)⁵ C_R |Ω - ω|(Ω - ω), C_R = 12.9/√Re_R + 128.4/Re_R, Re_R = ρ d² |Ω - ω|/μ,
from 32 to 1000 (S. C. R. Dennis, S. N. Singh, D. B. Ingham, J. Fluid Mech. 101 (1980) 257). Of other bodies the same
factor, with the Reynolds number of the sphere of equal volume, multiplies the tensor.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline

SLOW = 32.0  # rotational Reynolds number up to which the resistance is that of Stokes flow


class Creeping(NamedTuple):
    """Selects the torque in Stokes flow."""


class Dennis(NamedTuple):
    """Selects the formula of Dennis et al. for higher Reynolds numbers."""


@inline
def dennis(part, rotational_reynolds):
    """Torque over that in Stokes flow, at a rotational Reynolds number."""
    if rotational_reynolds > SLOW:
        return (12.9 * math.sqrt(rotational_reynolds) + 128.4) / (64.0 * math.pi)
    return 1.0
