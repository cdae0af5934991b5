"""What the falling-fibre cases of Zhao & van Wachem (2013), Table 1, have in common."""

from __future__ import annotations

from dem.cases.one_material import OneMaterial
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class OneShape(dem.Case):
    """Sphere-clustered fibres of one shape."""

    diameter: PositiveFloat = Field(0.01, description="fibre diameter [m]")
    aspect_ratio: float = Field(3.0, ge=1, description="fibre length over diameter")
    spheres: PositiveInt = Field(5, description="spheres in a fibre; 5 make the published volume but for 0.13 %")

    smooth: bool = Field(False, description="capsules in place of chains of spheres")

    def fibre(self) -> dem.Fibre | dem.Capsule:
        """Shape of the fibres."""
        if self.smooth:
            return dem.Capsule(diameter=self.diameter, aspect_ratio=self.aspect_ratio)
        return dem.Fibre(diameter=self.diameter, aspect_ratio=self.aspect_ratio, spheres=self.spheres)


class FallingFibres(OneMaterial, OneShape):
    """Sphere-clustered fibres in a box."""
