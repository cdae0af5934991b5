"""Brittle rods in a drum that rotates about its axis, y: the rods break as they tumble, most of them early."""

from __future__ import annotations

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class BreakingRods(dem.Case):
    """Brittle rods in a rotating drum."""

    name = "breaking-rods"

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    n: PositiveInt = Field(40, description="number of rods")
    diameter: PositiveFloat = Field(0.002, description="diameter of the rods [m]")
    segments: PositiveInt = Field(6, description="number of bonds of each rod")
    young: PositiveFloat = Field(2e7, description="Young's modulus of the bonds [Pa]")
    strength: PositiveFloat = Field(5e3, description="stress at which the rods break [Pa]")
    radius: PositiveFloat = Field(0.03, description="radius of the drum [m]")
    length: PositiveFloat = Field(0.02, description="length of the drum [m]")
    rate: float = Field(6.0, description="angular velocity of the drum about y [rad/s]")
    friction: NonNegativeFloat = Field(0.4, description="coefficient of friction")
    seed: int = Field(1, ge=0, description="seed of the random initial positions")

    def material(self) -> dem.Material:
        """Material of rods and drum."""
        return dem.Material(young=1e7, poisson=0.3, density=1200.0, restitution=0.5, friction=self.friction)

    def walls(self) -> list[dem.Cylinder]:
        """The drum."""
        half = 0.5 * self.length
        turning = dem.Motion(axis=(0, 1, 0), rate=self.rate)
        return [dem.Cylinder((0, -half, 0), (0, half, 0), self.radius, ends="both", material=self.material(),
                             motion=turning, name="drum")]  # fmt: skip

    def build(self) -> tuple[dem.Particles, None]:
        """Rods along the axis of the drum, row by row from below."""
        reach, pitch = self.radius - 0.8 * self.diameter, 1.2 * self.diameter
        x, z = (a.ravel() for a in np.meshgrid(np.arange(-reach, reach, pitch), np.arange(-reach, reach, pitch)))
        inside = np.flatnonzero(np.hypot(x, z) < reach)
        if len(inside) < self.n:
            message = f"{self.n} rods do not fit the drum, {len(inside)} do: give fewer, or a larger radius"
            raise ValueError(message)
        k = inside[np.lexsort((x[inside], z[inside]))][: self.n]
        rod = dem.FlexibleFibre(
            diameter=self.diameter, length=0.8 * self.length, segments=self.segments, young=self.young, damping=0.1,
            strength=self.strength,
        )  # fmt: skip
        half = 0.5**0.5
        return dem.Particles(
            rod, self.material(), position=np.column_stack([x[k], 0 * x[k], z[k]]),
            orientation=np.tile([half, 0, 0, half], (self.n, 1)), name="rod",
        ), None  # fmt: skip
