"""A bale of flexible fibres: they fall into a box, and a plate presses them with a constant force."""

from __future__ import annotations

import math

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class FibreBale(dem.Case):
    """Flexible fibres in a box, pressed by a plate."""

    name = "fibre-bale"

    duration: PositiveFloat = Field(0.5, description="simulated time [s]")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    n: PositiveInt = Field(60, description="number of fibres")
    diameter: PositiveFloat = Field(0.001, description="diameter of the fibres [m]")
    aspect_ratio: PositiveFloat = Field(16.0, gt=1, description="length over diameter")
    segments: PositiveInt = Field(15, description="number of bonds of each fibre")
    young: PositiveFloat = Field(1e7, description="Young's modulus of the bonds [Pa]")
    damping: NonNegativeFloat = Field(0.1, le=1, description="damping of each bond, over critical damping")
    strength: PositiveFloat | None = Field(None, description="stress at which the fibres break [Pa]; default: never")
    friction: NonNegativeFloat = Field(0.3, description="coefficient of friction")
    force: PositiveFloat = Field(0.4, description="force of the plate on the fibres [N]")
    size: PositiveFloat = Field(0.025, description="edge of the box [m]")
    seed: int = Field(1, ge=0, description="seed of the random initial positions")

    def material(self) -> dem.Material:
        """Material of fibres and walls."""
        return dem.Material(young=1e7, poisson=0.3, density=1000.0, restitution=0.5, friction=self.friction)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Fibres at random places."""
        hair = dem.FlexibleFibre(
            diameter=self.diameter, aspect_ratio=self.aspect_ratio, segments=self.segments, young=self.young,
            damping=self.damping, strength=self.strength or math.inf,
        )  # fmt: skip
        box = dem.Box((0, 0, 0), (self.size, self.size, 2 * self.size), self.material())
        top = 2 * self.size - 2 * self.diameter
        return dem.pack(
            hair, self.material(), box, number=self.n, upper=(self.size, self.size, top), seed=self.seed
        ), box

    def walls(self) -> list[dem.Block]:
        """The plate."""
        rim, high = 0.002 * self.size, 2 * self.size - 1.1 * self.diameter
        servo = dem.Servo(axis=(0, 0, -1), force=self.force, fastest=0.1)
        upper = (self.size - rim, self.size - rim, high + self.diameter)
        return [dem.Block((rim, rim, high), upper, material=self.material(), servo=servo, name="plate")]
