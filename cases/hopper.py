"""A hopper that empties into a tray, both surfaces of revolution about the z axis."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.grains import Grains
from dem.cases.shared.outflow import OUTFLOW, outflow
from pydantic import Field, PositiveFloat

import dem


class Hopper(Grains):
    """Grains flow out of a hopper into a tray."""

    name = "hopper"
    observable_names = OUTFLOW

    orifice: PositiveFloat = Field(0.012, description="radius of the hole [m]")
    radius: PositiveFloat = Field(0.03, description="radius of the bin above the cone [m]")
    angle: float = Field(45.0, gt=0, lt=90, description="angle of the cone to the floor [deg]")
    height: PositiveFloat = Field(0.12, description="height of the bin [m]")
    drop: PositiveFloat = Field(0.04, description="height of the hole above the tray [m]")
    tray: PositiveFloat = Field(0.06, description="radius of the tray [m]")

    @property
    def shoulder(self) -> float:
        """Height of the cone."""
        return (self.radius - self.orifice) * math.tan(math.radians(self.angle))

    def walls(self) -> list[dem.Revolution]:
        """Hopper and tray."""
        top, stuff = self.shoulder + self.height, self.material()
        hopper = [(self.orifice, 0), (self.radius, self.shoulder), (self.radius, top)]
        tray = [(0, -self.drop), (self.tray, -self.drop), (self.tray, -0.5 * self.drop)]
        return [
            dem.Revolution(hopper, material=stuff, name="hopper"),
            dem.Revolution(tray, material=stuff, name="tray"),
        ]

    def build(self) -> tuple[dem.Particles, None]:
        """Grains above the cone."""
        inner, r = self.radius - 0.6 * self.diameter, self.radius
        low = self.shoulder + 0.5 * self.diameter
        return self.grains(
            lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, low), (r, r, self.shoulder + 2 * self.height)
        ), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Discharged mass, discharge rate, and the time at which the discharge ends."""
        return outflow(run, 0.0, self.orifice)
