"""Drag law of Hölzer and Sommerfeld for non-spherical bodies, by their sphericities along the slip velocity.

A. Hölzer, M. Sommerfeld, Powder Technol. 184 (2008) 361, equation 10:
C_D = 8/(Re √Φ_∥) + 16/(Re √Φ) + 3/(√Re Φ^(3/4)) + 0.42·10^(0.4 (-log10 Φ)^0.2)/Φ_⊥. Between a body that goes along its
axis and one that goes across it is C_0 + (C_90 - C_0) sin²φ, which is exact in Stokes flow and good up to Re = 2000
(S. K. P. Sanjeevi, J. T. Padding, J. Fluid Mech. 820 (2017) R1). The coefficients follow from the shape before a run
(`dem.model.shapes.spheroid.ProjectedAreas.coefficients`).
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import dot, load


class HoelzerSommerfeld(NamedTuple):
    """Coefficients by variant for motion along and across the axis of a body: C_D Re = a + b √Re + c Re."""

    along: np.ndarray  # (3, G) a, b, c
    across: np.ndarray  # (3, G)


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance [N s/m] of variant g, the same along all axes: 3πμd C_D Re/24."""
    axis = load(medium.axis, g)
    square = dot(slip, slip)
    cosine = dot(axis, slip)
    sine_squared = 1.0 - min(cosine * cosine / square, 1.0) if square > 0.0 else 0.0
    root = math.sqrt(reynolds)
    straight = part.along[0, g] + part.along[1, g] * root + part.along[2, g] * reynolds
    broadside = part.across[0, g] + part.across[1, g] * root + part.across[2, g] * reynolds
    both = straight + (broadside - straight) * sine_squared
    resistance = math.pi / 8.0 * medium.viscosity * medium.diameter[g] * both
    return resistance, resistance, resistance
