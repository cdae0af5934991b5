"""Stokes drag: the resistance tensor as it is, F = μ R (u - v)."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import load, scale


class Stokes(NamedTuple):
    """Selects Stokes drag."""


@inline
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m] of variant g, whose velocity relative to the fluid is not looked at."""
    return scale(medium.viscosity, load(medium.translation, g))
