"""A drum half full of grains that rotates about its axis, y; smooth, or made of flat segments."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.grains import Grains
from pydantic import Field, PositiveFloat

import dem


class RotatingDrum(Grains):
    """Grains in a rotating drum, smooth or faceted."""

    name = "rotating-drum"

    radius: PositiveFloat = Field(0.04, description="radius of the drum [m]")
    length: PositiveFloat = Field(0.02, description="length of the drum between its end plates [m]")
    rate: float = Field(3.0, description="angular velocity of the drum and its end plates about y [rad/s]")
    segments: int = Field(0, ge=0, description="number of flat sides of the drum, at least 3; 0: a smooth cylinder")

    def walls(self) -> list[dem.Cylinder | dem.Mesh]:
        """The drum."""
        turning = dem.Motion(axis=(0, 1, 0), rate=self.rate)
        half, kept = 0.5 * self.length, {"material": self.material(), "motion": turning, "name": "drum"}
        if not self.segments:
            return [dem.Cylinder((0, -half, 0), (0, half, 0), self.radius, ends="both", **kept)]
        profile = [(0, -half), (self.radius, -half), (self.radius, half), (0, half)]
        about_z = dem.Mesh.turned(profile, segments=self.segments, material=self.material())
        return [dem.Mesh(about_z.vertices[:, [0, 2, 1]], about_z.triangles, **kept)]

    def build(self) -> tuple[dem.Particles, None]:
        """Grains in the lower half of the drum."""
        size, half = self.radius * np.cos(np.pi / self.segments) if self.segments else self.radius, 0.5 * self.length
        inner = size - 0.6 * self.diameter
        lower, upper = (-self.radius, -half, -self.radius), (self.radius, half, self.radius)
        return self.grains(lambda x, _y, z: np.hypot(x, z) < inner, lower, upper), None
