"""Drag of spheres by Schiller and Naumann: 1 + 0.15 Re^0.687 times Stokes' up to Re = 1000, beyond C_D = 0.44.

L. Schiller, A. Naumann, Z. Ver. Dtsch. Ing. 77 (1935) 318. Of other bodies the same factor, with the Reynolds number of
the sphere of equal volume, multiplies the resistance tensor: right for Re -> 0, positive definite, with lift.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import power
from dem.kernels.numerics.vector import load, scale

NEWTON = 1000.0  # Reynolds number beyond which the drag coefficient is constant
C_NEWTON = 0.44


class SchillerNaumann(NamedTuple):
    """Selects the drag of Schiller and Naumann."""


@inline
def factor(reynolds):
    """Drag over Stokes drag, by the Reynolds number."""
    return C_NEWTON / 24.0 * reynolds if reynolds > NEWTON else 1.0 + 0.15 * power(reynolds, 0.687)


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m] of variant g."""
    return scale(medium.viscosity * factor(reynolds), load(medium.translation, g))
