"""The container."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dem import checks
from dem.materials import Material


@dataclass(frozen=True)
class Box:
    """A box of six fixed, flat, frictionless walls along the axes.

    Parameters
    ----------
    lower, upper : (3,) floats
        Opposite corners [m], lower below upper on each axis.
    material : Material
        Of the walls.

    Raises
    ------
    ValueError
        If the corners do not span a volume.

    Examples
    --------
    >>> Box((0, 0, 0), (1, 1, 1), material=Material(young=5e7, poisson=0.23)).size
    (1.0, 1.0, 1.0)
    """

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    material: Material

    def __post_init__(self) -> None:
        """Check the corners."""
        lower = checks.vector("lower", self.lower, "a corner of the box [m]")
        upper = checks.vector("upper", self.upper, "the opposite corner of the box [m]")
        if not all(low < high for low, high in zip(lower, upper, strict=True)):
            message = f"box from {lower} to {upper} has no volume: lower must be below upper on each axis"
            raise ValueError(message)
        if not all(math.isfinite(high - low) for low, high in zip(lower, upper, strict=True)):
            message = f"box from {lower} to {upper} is too large to measure"
            raise ValueError(message)
        if not isinstance(self.material, Material):
            message = f"material of the box is {self.material!r}, expected a dem.Material"
            raise TypeError(message)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    def size(self) -> tuple[float, float, float]:
        """Edge lengths [m]."""
        x, y, z = (high - low for low, high in zip(self.lower, self.upper, strict=True))
        return x, y, z
