"""Magnus lift on a sphere that rotates relative to the fluid: π/8 d³ ρ (ω_p - Ω) × (v - u) for Re small against 1.

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
    """Selects the formula of Rubinow and Keller for creeping flow."""


class OesterleBuiDinh(NamedTuple):
    """Selects the measured lift coefficient of Oesterlé and Bui Dinh."""


@inline
def slow(part, medium, g, reynolds, rotational_reynolds, slip, excess):
    """Lift [N] of Rubinow and Keller on a sphere of variant g; slip = u - v [m/s], excess = ω_p - Ω [rad/s]."""
    return scale(math.pi / 8.0 * medium.diameter[g] ** 3 * medium.density, cross(slip, excess))


@inline
def measured(part, medium, g, reynolds, rotational_reynolds, slip, excess):
    """Lift [N] of Oesterlé and Bui Dinh on a sphere of variant g; slip = u - v [m/s], excess = ω_p - Ω [rad/s]."""
    if not (rotational_reynolds > 0.0 and reynolds > 0.0):
        return 0.0, 0.0, 0.0
    ratio = rotational_reynolds / reynolds
    coefficient = 0.45 + (ratio - 0.45) * exponential(-0.05684 * power(rotational_reynolds, 0.4) * power(reynolds, 0.3))
    return scale(coefficient / ratio, slow(part, medium, g, reynolds, rotational_reynolds, slip, excess))
