"""Drag in beds of equal spheres by lattice-Boltzmann simulations.

R. Beetstra, M. A. van der Hoef, J. A. M. Kuipers, AIChE J. 53 (2007) 489, equation 16: 3π μ d ε u_r F with φ = 1 - ε,
Re = ε ρ d |u_r|/μ and

    F = 10 φ/ε² + ε² (1 + 1.5 √φ) + 0.413 Re/(24 ε²) (1/ε + 3 ε φ + 8.4 Re^-0.343)/(1 + 10^(3φ) Re^(-(1 + 4φ)/2))

for φ up to 0.6 and Re up to 1000.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline

MIN_REYNOLDS = 1e-12  # Reynolds number of which powers are taken


class Beetstra(NamedTuple):
    """Selects the drag of Beetstra, van der Hoef and Kuipers."""

    whole: float  # 1 if the pressure gradient that drag causes is counted with it, else 0


@inline
def factor(part, reynolds, voidage):
    """Drag over Stokes drag at u_r; the Reynolds number is that of ε u_r."""
    re, solid = max(reynolds, MIN_REYNOLDS), max(1.0 - voidage, 0.0)
    square = voidage * voidage
    slow = 10.0 * solid / square + square * (1.0 + 1.5 * math.sqrt(solid))
    above = 1.0 / voidage + 3.0 * voidage * solid + 8.4 * re**-0.343
    below = 1.0 + 10.0 ** (3.0 * solid) * re ** (-0.5 * (1.0 + 4.0 * solid))
    return voidage * (slow + 0.413 * re / (24.0 * square) * above / below)
