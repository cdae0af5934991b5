"""Magnus lift on a sphere that turns otherwise than the fluid: π/8 d³ ρ (ω_p - Ω) × (v - u), for Re small against 1.

S. I. Rubinow, J. B. Keller, J. Fluid Mech. 11 (1961) 447. For more B. Oesterlé & T. Bui Dinh, Exp. Fluids 25 (1998) 16,
measured the coefficient C_L = 0.45 + (Re_R/Re - 0.45) exp(-0.05684 Re_R^0.4 Re^0.3), Re_R = ρ d² |Ω - ω_p|/μ, for Re up
to 140; Rubinow & Keller's is Re_R/Re.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import exponential, power
from dem.kernels.numerics.vector import cross, scale


class RubinowKeller(NamedTuple):
    """Selects the formula for slow flow."""


class OesterleBuiDinh(NamedTuple):
    """Selects the measured coefficient."""


@inline
def slow(part, medium, g, reynolds, rotational_reynolds, slip, excess):
    """Lift [N] on a sphere of variant g with u - v = slip [m/s] and ω_p - Ω = excess [rad/s]."""
    return scale(math.pi / 8.0 * medium.diameter[g] ** 3 * medium.density, cross(slip, excess))


@inline
def measured(part, medium, g, reynolds, rotational_reynolds, slip, excess):
    """Lift [N] on a sphere of variant g with u - v = slip [m/s] and ω_p - Ω = excess [rad/s]."""
    if not (rotational_reynolds > 0.0 and reynolds > 0.0):
        return 0.0, 0.0, 0.0
    ratio = rotational_reynolds / reynolds
    coefficient = 0.45 + (ratio - 0.45) * exponential(-0.05684 * power(rotational_reynolds, 0.4) * power(reynolds, 0.3))
    return scale(coefficient / ratio, slow(part, medium, g, reynolds, rotational_reynolds, slip, excess))
