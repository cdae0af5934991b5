"""Drag and lift of elongated and flat bodies by Rosendahl: coefficients between those along and across the body.

L. Rosendahl, Appl. Math. Model. 24 (2000) 11: C_D = C_0 + (C_90 - C_0) sin³α; C_0 and C_90 are those of Hölzer and
Sommerfeld here. Lift by the cross-flow principle, C_L = C_D sin²α cos α (S. F. Hoerner, Fluid-Dynamic Drag (1965)).
α is the angle between the relative velocity and the axis of an elongated body, or the plane of a flat one. Lift turns
the force away from that axis or plane. Both laws are of inertial flow: in Stokes flow it is sin²α, and lift follows
from the two resistances.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import dot, load


class Rosendahl(NamedTuple):
    """Coefficients by variant for motion along the axis or plane of a body, and across: C_D Re = a + b √Re + c Re."""

    along: np.ndarray  # (3, G) a, b, c
    across: np.ndarray  # (3, G)
    elongation: np.ndarray  # (G,) 1 of elongated bodies, -1 of flat ones, 0 of bodies without lift


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m].

    C_D (1 - sin³α) along the axis of an elongated body, C_D (1 + sin α cos²α) across it; the reverse for a flat body.
    """
    axis, root, elongation = load(medium.axis, g), math.sqrt(reynolds), part.elongation[g]
    square, along = dot(slip, slip), dot(axis, slip)
    cosine = min(abs(along) / math.sqrt(square), 1.0) if square > 0.0 else 1.0
    sine = math.sqrt(1.0 - cosine * cosine)
    s, c = (cosine, sine) if elongation < 0.0 else (sine, cosine)
    straight = part.along[0, g] + part.along[1, g] * root + part.along[2, g] * reynolds
    broadside = part.across[0, g] + part.across[1, g] * root + part.across[2, g] * reynolds
    both = math.pi / 8.0 * medium.viscosity * medium.diameter[g] * (straight + (broadside - straight) * s**3)
    lifted = abs(elongation)
    inward, outward = both * (1.0 - lifted * s**3), both * (1.0 + lifted * s * c * c)
    lengthwise, crosswise = (outward, inward) if elongation < 0.0 else (inward, outward)
    return (
        crosswise + (lengthwise - crosswise) * axis[0] * axis[0],
        crosswise + (lengthwise - crosswise) * axis[1] * axis[1],
        crosswise + (lengthwise - crosswise) * axis[2] * axis[2],
    )
