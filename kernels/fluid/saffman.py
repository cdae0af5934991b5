"""Lift on a sphere in a sheared flow.

P. G. Saffman, J. Fluid Mech. 22 (1965) 385 and 31 (1968) 624: 1.615 d² √(ρμ/|ω|) (u - v) × ω with ω = ∇×u, for Re
small against √(Re_G) and that against 1. R. Mei, Int. J. Multiphase Flow 18 (1992) 145, after simulations of Dandy and
Dwyer, multiplies by C(Re, β), β = d |ω|/(2 |u - v|), for Re up to 100 and 0.005 < β < 0.4.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import exponential
from dem.kernels.numerics.vector import cross, dot, scale

ROOT_HALF = math.sqrt(0.5)
BEYOND = 40.0  # Reynolds number from which Mei's second formula holds


class Saffman(NamedTuple):
    """Selects Saffman's lift."""


class Mei(NamedTuple):
    """Selects Saffman's lift with Mei's factor."""


@inline
def saffman(part, medium, g, reynolds, slip, vorticity):
    """Lift [N] on a sphere of variant g with u - v = slip [m/s]."""
    size = math.sqrt(dot(vorticity, vorticity))
    if not size > 0.0:
        return 0.0, 0.0, 0.0
    d = medium.diameter[g]
    return scale(1.615 * d * d * math.sqrt(medium.density * medium.viscosity / size), cross(slip, vorticity))


@inline
def mei(part, medium, g, reynolds, slip, vorticity):
    """Lift [N] on a sphere of variant g with u - v = slip [m/s].

    Of C √(ρμ/|ω|), C = 0.3314 √β + (1 - 0.3314 √β) exp(-Re/10) or 0.0524 √(β Re), as √(β Re ρμ/|ω|) = ρ d/√2: a sphere
    that goes with the flow has β = ∞, Re = 0 and no lift.
    """
    d, size = medium.diameter[g], math.sqrt(dot(vorticity, vorticity))
    if not (size > 0.0 and reynolds > 0.0):
        return 0.0, 0.0, 0.0
    sheared, kept = ROOT_HALF * medium.density * d, exponential(-0.1 * reynolds)
    slow = math.sqrt(medium.density * medium.viscosity / size)
    near = 0.3314 * sheared / math.sqrt(reynolds) * (1.0 - kept) + slow * kept
    return scale(1.615 * d * d * (0.0524 * sheared if reynolds > BEYOND else near), cross(slip, vorticity))
