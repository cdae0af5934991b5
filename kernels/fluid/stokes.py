"""Stokes drag: the resistance tensor as it is, F = μ R (u - v)."""

from typing import NamedTuple

from kernels.base.jit import formula
from kernels.base.vector import load, scale


class Stokes(NamedTuple):
    """Selects Stokes drag."""


@formula
def drag(part, medium, g, reynolds, slip):
    """Resistance along the body axes [N s/m] of variant g, whose velocity relative to the fluid is not looked at."""
    return scale(medium.viscosity, load(medium.translation, g))
