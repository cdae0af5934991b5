"""Slices of a round rod: the nodes of flexible fibres."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dem.base import checks
from dem.base.readonly import frozen
from dem.model.shapes.shape import MassProperties


@dataclass(frozen=True, kw_only=True)
class FibreSegment:
    """A slice of a round rod, with a sphere or a capsule of its diameter to touch others with.

    Parameters
    ----------
    diameter : float
        Of the rod and the sphere [m].
    length : float
        Of the slice [m].
    axis : float
        Length of the segment of a line about which the capsule is, without its half balls [m]; 0: a sphere.

    Examples
    --------
    >>> round(FibreSegment(diameter=0.001, length=0.002).mass_properties(1000.0).mass, 12)  # ρ π D²/4 l
    1.570796e-06
    """

    diameter: float
    length: float
    axis: float = 0.0

    def __post_init__(self) -> None:
        """Check the sizes."""
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit="m"))
        object.__setattr__(self, "axis", checks.number("axis", self.axis, least=0, unit="m"))

    @property
    def half_length(self) -> float:
        """From its centre to the centre of either end of a capsule, 0 of a sphere [m]."""
        return 0.5 * self.axis

    @property
    def offsets(self) -> np.ndarray:
        """The centre, (1, 3), or both ends of a capsule (2, 3) [m]."""
        x = np.array([-self.half_length, self.half_length] if self.axis else [0.0])
        return frozen(np.column_stack([x, 0 * x, 0 * x]))

    @property
    def radii(self) -> np.ndarray:
        """The radius of each, (1,) or (2,) [m]."""
        return frozen(np.full(2 if self.axis else 1, 0.5 * self.diameter))

    def mass_properties(self, density: float) -> MassProperties:
        """Mass and moments of the cylinder along x: m r²/2 about its axis, m (r²/4 + l²/12) across."""
        checks.number("density", density, above=0, unit="kg/m3")
        r = 0.5 * self.diameter
        volume = math.pi * r**2 * self.length
        mass = density * volume
        across = mass * (r**2 / 4 + self.length**2 / 12)
        return MassProperties(volume, mass, (0.0,) * 3, (0.5 * mass * r**2, across, across), (1.0, 0.0, 0.0, 0.0))
