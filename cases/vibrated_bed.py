"""Brazil-nut effect: a large grain rises through a vibrated bed of small grains."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.grains import Grains
from pydantic import Field, NonNegativeFloat, PositiveFloat

import dem


class VibratedBed(Grains):
    """A large intruder rises in a vibrated bed of grains (Brazil-nut effect)."""

    name = "vibrated-bed"

    radius: PositiveFloat = Field(0.022, description="radius of the cup [m]")
    height: PositiveFloat = Field(0.1, description="height of the cup [m]")
    amplitude: NonNegativeFloat = Field(2e-3, description="amplitude of the vibration of the cup [m]")
    frequency: PositiveFloat = Field(15.0, description="frequency of the vibration [Hz]")
    intruder: PositiveFloat = Field(0.012, description="diameter of the large grain [m]")

    def walls(self) -> list[dem.Cylinder]:
        """The cup."""
        shaken = dem.Motion(amplitude=(0, 0, self.amplitude), frequency=self.frequency) if self.amplitude else None
        return [
            dem.Cylinder((0, 0, 0), (0, 0, self.height), self.radius, ends="start", material=self.material(),
                         motion=shaken, name="cup")
        ]  # fmt: skip

    def build(self) -> tuple[dem.Particles, None]:
        """The intruder on the floor, with grains around and above it."""
        r, big = self.radius, 0.5 * self.intruder

        def free(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
            off = np.sqrt(x**2 + y**2 + (z - 1.01 * big) ** 2)
            return (np.hypot(x, y) < r - 0.6 * self.diameter) & (off > big + 0.6 * self.diameter)

        grains = self.grains(free, (-r, -r, 0), (r, r, 2 * self.height))
        nut = dem.Particles(
            dem.Sphere(diameter=self.intruder), self.material(), position=[(0, 0, 1.01 * big)], name="intruder"
        )
        return dem.Particles.concatenate([grains, nut]), None
