"""Drag in beds by Gidaspow: Ergun's equation where the bed is dense, the law of Wen and Yu where it is dilute.

D. Gidaspow, Multiphase Flow and Fluidization, Academic Press (1994); S. Ergun, Chem. Eng. Prog. 48 (1952) 89; C. Y.
Wen, Y. H. Yu, Chem. Eng. Prog. Symp. Ser. 62 (1966) 100. A particle of volume V feels V β u_r/(1-ε),

    β = 150 (1-ε)² μ/(ε d²) + 1.75 (1-ε) ρ |u_r|/d      for ε < 0.8
    β = 3/4 C_D ε (1-ε) ρ |u_r|/d ε^-2.65                from there

with C_D of Schiller and Naumann at Re = ε ρ d |u_r|/μ. That jumps at 0.8: at Re -> 0 from 2.08 to 1.81 times Stokes'
drag, beyond Re = 1000 from 0.122 Re to 0.033 Re times. `HuilinGidaspow` passes from one to the other smoothly, by
w = 1/2 + atan(262.5 (ε - 0.8))/π (L. Huilin, D. Gidaspow, Chem. Eng. Sci. 58 (2003) 3777).
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid import schiller_naumann

DENSE = 0.8  # voidage below which Ergun's equation holds
STEEP = 150.0 * 1.75  # of the passage from one to the other


class Gidaspow(NamedTuple):
    """Selects the drag of Gidaspow."""

    whole: float  # 1 if the pressure gradient that drag causes is counted with it, else 0


class HuilinGidaspow(NamedTuple):
    """Selects Gidaspow's drag with a smooth transition (Huilin & Gidaspow)."""

    whole: float


@inline
def ergun(reynolds, voidage):
    """Drag over Stokes' in a dense bed."""
    return (150.0 * (1.0 - voidage) / voidage + 1.75 * reynolds / voidage) / 18.0


@inline
def wen_yu(reynolds, voidage):
    """Drag over Stokes' in a dilute bed (Wen & Yu)."""
    return schiller_naumann.factor(reynolds) * voidage**-2.65


@inline
def factor(part, reynolds, voidage):
    """Drag over Stokes' for u_r; the Reynolds number is that of ε u_r."""
    return ergun(reynolds, voidage) if voidage < DENSE else wen_yu(reynolds, voidage)


@inline
def smooth_factor(part, reynolds, voidage):
    """Drag over Stokes', with a smooth transition between dense and dilute beds."""
    weight = 0.5 + math.atan(STEEP * (voidage - DENSE)) / math.pi
    return (1.0 - weight) * ergun(reynolds, voidage) + weight * wen_yu(reynolds, voidage)
