"""Stokes drag by the translational resistance tensor: F = μ R (u - v)."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import load, scale


class Stokes(NamedTuple):
    """Selects Stokes drag."""


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m] of variant g; it does not depend on the slip velocity."""
    return scale(medium.viscosity, load(medium.translation, g))
