"""Drag and lift of elongated bodies by Rosendahl: coefficients between those along and across the axis.

L. Rosendahl, Appl. Math. Model. 24 (2000) 11: C_D = C_0 + (C_90 - C_0) sin³φ; C_0 and C_90 are those of Hölzer and
Sommerfeld here. Lift by the cross-flow principle, C_L = C_D sin²φ cos φ (S. F. Hoerner, Fluid-Dynamic Drag (1965)).
Both are of inertial flow: in Stokes flow it is sin²φ, and lift follows from the two resistances.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import dot, load


class Rosendahl(NamedTuple):
    """Coefficients by variant for motion along and across the axis of a body: C_D Re = a + b √Re + c Re."""

    along: np.ndarray  # (3, G) a, b, c
    across: np.ndarray  # (3, G)


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m]: C_D (1 - sin³φ) along the axis of the body, C_D (1 + sin φ cos²φ) across.

    Spheres have no long axis, and C_D alone.
    """
    axis, root = load(medium.axis, g), math.sqrt(reynolds)
    square, along = dot(slip, slip), dot(axis, slip)
    cosine = min(abs(along) / math.sqrt(square), 1.0) if square > 0.0 else 1.0
    sine = math.sqrt(1.0 - cosine * cosine)
    straight = part.along[0, g] + part.along[1, g] * root + part.along[2, g] * reynolds
    broadside = part.across[0, g] + part.across[1, g] * root + part.across[2, g] * reynolds
    both = math.pi / 8.0 * medium.viscosity * medium.diameter[g] * (straight + (broadside - straight) * sine**3)
    long = 1.0 - medium.is_sphere[g]
    lengthwise, crosswise = both * (1.0 - long * sine**3), both * (1.0 + long * sine * cosine * cosine)
    return (
        crosswise + (lengthwise - crosswise) * axis[0] * axis[0],
        crosswise + (lengthwise - crosswise) * axis[1] * axis[1],
        crosswise + (lengthwise - crosswise) * axis[2] * axis[2],
    )
