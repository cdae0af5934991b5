"""Spheres of many sizes are inserted above a hopper, and removed below it, during the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, PositiveFloat, PositiveInt

import dem

if TYPE_CHECKING:
    from collections.abc import Sequence


class Rain(dem.Case):
    """Spheres of many sizes are inserted above a hopper, and removed below it, during the run.

    Spheres that have left the hopper are removed, and as many are inserted again above it.
    """

    name = "rain"
    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    frames: PositiveInt = Field(200, description="frames written after the first")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    number: PositiveInt = Field(
        2000, description="number of inserted spheres; those that leave the hopper are inserted again"
    )
    diameter: PositiveFloat = Field(0.004, description="median diameter by mass [m]")
    rate: PositiveFloat = Field(4000.0, description="number of spheres inserted per second [1/s]")
    orifice: PositiveFloat = Field(0.012, description="radius of the outlet of the hopper [m]")
    friction: float = Field(
        0.3, ge=0, description="coefficient of friction of spheres with each other and with the hopper"
    )

    def build(self) -> tuple[dem.Particles | None, dem.Box | None]:
        """Start without particles and without a box."""
        return None, None

    def _glass(self) -> dem.Material:
        return dem.Material(young=1e7, poisson=0.3, density=2500.0, restitution=0.6, friction=self.friction)

    def walls(self) -> Sequence[dem.Revolution]:
        """A hopper of 45 degrees with a tube above."""
        profile = [(self.orifice, 0.0), (0.05, 0.05 - self.orifice), (0.05, 0.25)]
        return [dem.Revolution(profile, material=self._glass(), name="hopper")]

    def inserters(self) -> Sequence[dem.Inserter]:
        """Inserter: a cylinder at the top of the tube."""
        cloud = dem.Cylinder((0, 0, 0.15), (0, 0, 0.24), 0.045)
        sizes = dem.LogNormalSizes(
            median=self.diameter, geometric_deviation=1.2, lower=0.6 * self.diameter, upper=1.6 * self.diameter
        )
        rain = dem.Inserter(
            dem.Sphere(diameter=self.diameter), self._glass(), region=cloud, number=self.number, rate=self.rate,
            sizes=sizes, velocity=(0, 0, -1), spread=0.1, name="rain",
        )  # fmt: skip
        return [rain]

    def outlets(self) -> Sequence[dem.Outlet]:
        """Outlet: the region below the hopper."""
        return [dem.Outlet(dem.Plane((0, 0, -0.05), (0, 0, 1)), recycle="rain", name="drain")]
