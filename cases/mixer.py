"""A vessel with a mixer; the mesh of its blades is generated in code or read from a file."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.grains import Grains
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class Mixer(Grains):
    """Rotating blades stir grains in a vessel."""

    name = "mixer"

    radius: PositiveFloat = Field(0.03, description="radius of the vessel [m]")
    height: PositiveFloat = Field(0.08, description="height of the vessel [m]")
    rate: float = Field(10.0, description="angular velocity of the blades about z [rad/s]")
    blades: PositiveInt = Field(2, description="number of blades")
    pitch: float = Field(45.0, description="angle of a blade about its own axis [deg]")
    gap: PositiveFloat = Field(1e-3, description="gap between the blades and the vessel [m]")
    stl: str = Field("", description="STL file of blades that turn about z; default: blades made in code")
    scale: PositiveFloat = Field(1.0, description="length of a unit of the file `stl` [m]")

    def walls(self) -> list[dem.Cylinder | dem.Mesh]:
        """Vessel and blades."""
        stuff, turning = self.material(), dem.Motion(rate=self.rate)
        vessel = dem.Cylinder((0, 0, 0), (0, 0, self.height), self.radius, ends="start", material=stuff, name="vessel")
        return [vessel, self.mixer(material=stuff, motion=turning, name="blades")]

    def mixer(self, **wall: object) -> dem.Mesh:
        """The blades, just above the floor."""
        if self.stl:
            return dem.Mesh.from_file(self.stl, scale=self.scale, **wall)
        tall = 2.5 * self.diameter
        made = dem.Mesh.blades(
            self.radius - self.gap, tall, count=self.blades, pitch=self.pitch, material=self.material()
        )
        low = float(made.vertices[:, 2].min())
        return dem.Mesh(made.vertices + np.array([0, 0, self.gap - low]), made.triangles, **wall)

    def build(self) -> tuple[dem.Particles, None]:
        """Grains above the blades."""
        r, top = self.radius, float(self.mixer(material=self.material()).vertices[:, 2].max())
        inner = r - 0.6 * self.diameter
        return self.grains(
            lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, top + self.diameter), (r, r, 3 * self.height)
        ), None
