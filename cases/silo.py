"""A silo empties: case 1 of Dosta et al. (2024)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from dem.cases.shared.dosta import Dosta, strewn
from dem.cases.shared.outflow import OUTFLOW, outflow
from pydantic import Field, PositiveFloat, PositiveInt

import dem

RADIUS, GRAIN = 0.1, 4e-3  # inner radius of the cylinder, diameter of the grains [m]
ORIFICES = {  # radius of the orifice and its height, where the cone of 45° ends, upper rim [m]
    "large": (0.03, -0.0554222, 0.0145778, 0.314578),
    "small": (0.02, -0.0593008, 0.0206992, 0.320699),
}
TRAY = (0.16, 0.15)  # radius, and how far below the orifice [m]


class Silo(Dosta):
    """Grains flow out of a silo, coarser and softer than published (Dosta et al. 2024, case 1)."""

    name = "silo"
    observable_names = OUTFLOW
    published_step: ClassVar[float] = 1.5e-6

    coarse: PositiveFloat = Field(2.5, description="diameter of the grains over the published one")
    duration: PositiveFloat = Field(5.0, description="simulated time [s]")
    frames: PositiveInt = Field(50, description="frames written after the first")
    time_step: dem.TimeStep = Field(
        3.75e-5, description="time step [s], or auto; default: as published, scaled to these grains"
    )
    n: PositiveInt = Field(100_000, description="number of grains of the published size that would fill the silo")
    orifice: Literal["large", "small"] = Field("large", description="size of the orifice, large or small")
    stuff: Literal["M1", "M2"] = Field("M1", description="material of the grains, M1 or M2")

    def made_of(self) -> tuple[str, str]:
        """Names of the materials in this case."""
        return self.stuff, "steel"

    @property
    def count(self) -> int:
        """Number of grains."""
        return max(1, round(self.n / self.coarse**3))

    def profile(self) -> list[tuple[float, float]]:
        """Profile of the wall: radii and heights from the orifice up [m]."""
        hole, lip, shoulder, top = ORIFICES[self.orifice]
        return [(hole, lip), (RADIUS, shoulder), (RADIUS, top)]

    def closed(self, softness: float) -> tuple[None, list[dem.Revolution]]:
        """The silo for filling: its orifice is closed, and its wall extends up to z = 1 m."""
        steel = self.material("steel", softness=softness)
        (hole, lip), shoulder, _ = self.profile()
        wall = [(0, lip), (hole, lip), shoulder, (RADIUS, 1.0)]
        return None, [dem.Revolution(wall, material=steel, name="silo")]

    def walls(self) -> list[dem.Revolution]:
        """The silo, and a tray far below that collects the grains."""
        steel, (radius, drop), lip = self.material("steel"), TRAY, self.profile()[0][1]
        tray = [(0, lip - drop), (radius, lip - drop), (radius, lip)]
        return [
            dem.Revolution(self.profile(), material=steel, name="silo"),
            dem.Revolution(tray, material=steel, name="tray"),
        ]

    def build(self) -> tuple[dem.Particles, None]:
        """Grains at rest above the orifice, which opens at time 0."""
        d = GRAIN * self.coarse
        (hole, lip), (_, shoulder), _ = self.profile()

        def inside(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
            # a sphere on a cone of 45° is √2 radii from it horizontally, and one radius from the cylinder
            wide = np.minimum(RADIUS, hole + (z - lip) - 0.22 * d)
            return np.hypot(x, y) < wide - 0.51 * d

        filled = self.count * np.pi / 6 * d**3 / (0.25 * np.pi * RADIUS**2)
        start = strewn(self.count, d, (-RADIUS, -RADIUS, lip), (RADIUS, RADIUS, shoulder + filled), inside, self.seed)
        places = self.bed([(self.stuff, d, start)], self.closed)
        return dem.Particles(dem.Sphere(diameter=d), self.material(self.stuff), position=places, name="grain"), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Discharged mass, discharge rate, and the time at which the discharge ends."""
        radius, lip = self.profile()[0]
        return outflow(run, lip, radius)


class Silo100k(Silo):
    """100 000 grains flow out of a silo (Dosta et al. 2024, case 1)."""

    name = "silo-100k"

    coarse: PositiveFloat = Field(1.0, description="diameter of the grains over the published one")
    softness: PositiveFloat = Field(1.0, description="published Young's moduli over those of this run")
    time_step: dem.TimeStep = Field(1.5e-6, description="time step [s], or auto; default: as published")
