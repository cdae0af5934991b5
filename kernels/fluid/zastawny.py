"""Drag and lift of prolate ellipsoids by Zastawny et al., fitted to resolved flows at Re = 1 to 300.

M. Zastawny, G. Mallouppas, F. Zhao, B. van Wachem, Int. J. Multiphase Flow 39 (2012) 227: with the diameter of the
sphere of equal volume, and φ between the axis and the velocity relative to the fluid,

    C_D = C_0 + (C_90 - C_0) sin^a0 φ,  C_0 = a1/Re^a2 + a3/Re^a4,  C_90 = a5/Re^a6 + a7/Re^a8
    C_L = (b1/Re^b2 + b3/Re^b4) sin^(b5 + b6 Re^b7) φ cos^(b8 + b9 Re^b10) φ

Drag and lift make a force along the axis and one across it, hence resistances of both. The fits do not have Stokes'
limit (drag at Re = 0.1 is 12 to 18 % low), and grow without bound below: there the resistance is that at Re = 0.1.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import dot, load

MIN_REYNOLDS = 0.1  # Reynolds number below which the fits are not used
SLANT = 1e-3  # least sine and cosine of φ whose powers below 1 are divided by


class Zastawny(NamedTuple):
    """Coefficients of drag and lift by variant."""

    drag: np.ndarray  # (9, G) a0 to a8
    lift: np.ndarray  # (10, G) b1 to b10


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m]: π/8 μ d Re (C_D - C_L tan φ) along, (C_D + C_L cot φ) across the axis."""
    a, b = part.drag, part.lift
    axis, re = load(medium.axis, g), max(reynolds, MIN_REYNOLDS)
    square, along = dot(slip, slip), dot(axis, slip)
    cosine = min(abs(along) / math.sqrt(square), 1.0) if square > 0.0 else 1.0
    sine = math.sqrt(1.0 - cosine * cosine)
    straight = a[1, g] / re ** a[2, g] + a[3, g] / re ** a[4, g]
    broadside = a[5, g] / re ** a[6, g] + a[7, g] / re ** a[8, g]
    dragged = straight + (broadside - straight) * sine ** a[0, g]
    s, c = max(sine, SLANT), max(cosine, SLANT)
    lifted = b[0, g] / re ** b[1, g] + b[2, g] / re ** b[3, g]
    lifted *= s ** (b[4, g] + b[5, g] * re ** b[6, g] - 1.0) * c ** (b[7, g] + b[8, g] * re ** b[9, g] - 1.0)
    scale = math.pi / 8.0 * medium.viscosity * medium.diameter[g] * re
    lengthwise, crosswise = scale * (dragged - lifted * sine * sine), scale * (dragged + lifted * cosine * cosine)
    return (
        crosswise + (lengthwise - crosswise) * axis[0] * axis[0],
        crosswise + (lengthwise - crosswise) * axis[1] * axis[1],
        crosswise + (lengthwise - crosswise) * axis[2] * axis[2],
    )
