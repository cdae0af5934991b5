"""Drag in beds by Di Felice, with an exponent of the voidage: C_D U² ε^-χ.

R. Di Felice, Int. J. Multiphase Flow 20 (1994) 153, equations 9 to 11: with the velocity ε u_r that fluid and particles
have relative to each other over the whole cross-section and its Reynolds number Re = ε ρ d |u_r|/μ,
F_d = π/8 C_D ρ d² |u_r| u_r ε^(2-χ), C_D = (0.63 + 4.8/√Re)² (J. M. DallaValle, Micromeritics (1948)) and
χ = 3.7 - 0.65 exp(-(1.5 - log10 Re)²/2). Of one particle alone that is DallaValle's drag, 4 % below Stokes' for
Re -> 0.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline

MIN_REYNOLDS = 1e-12  # Reynolds number whose logarithm is taken


class DiFelice(NamedTuple):
    """Selects the drag of Di Felice."""

    whole: float  # 1 if the pressure gradient that drag causes is counted with it, else 0


@inline
def factor(part, reynolds, voidage):
    """Drag over Stokes' for u_r; the Reynolds number is that of ε u_r."""
    re = max(reynolds, MIN_REYNOLDS)
    apart = 1.5 - math.log10(re)
    chi = 3.7 - 0.65 * math.exp(-0.5 * apart * apart)
    root = 0.63 * math.sqrt(re) + 4.8
    return root * root / 24.0 * voidage ** (1.0 - chi)
