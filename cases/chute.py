"""A layer of grains flows down a rough inclined plane that is periodic along and across the flow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

import dem

if TYPE_CHECKING:
    from typing import Self

G = 9.81  # [m/s²]


def inclined(angle: float) -> tuple[float, float, float]:
    """Gravity in the axes of a plane inclined at an angle [deg] (3,) [m/s²]."""
    theta = math.radians(angle)
    return G * math.sin(theta), 0.0, -G * math.cos(theta)


class Chute(dem.Case):
    """Grains flow down an endless rough inclined plane; x points down the plane, z away from it."""

    name = "chute"

    duration: PositiveFloat = Field(4.0, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1.5e-5, description="time step [s], or auto")
    frames: PositiveInt = Field(100, description="frames written after the first")
    angle: float = Field(25.0, gt=0, lt=90, description="angle of the plane to the horizontal [deg]")
    n: PositiveInt = Field(500, description="number of grains")
    diameter: PositiveFloat = Field(4e-3, description="mean diameter of the grains [m]")
    spread: float = Field(
        0.3,
        ge=0,
        lt=0.5,
        description="half width of the uniform distribution of diameters, over the mean",
    )
    length: PositiveFloat = Field(8.0, description="length of the periodic domain down the plane, in diameters")
    width: PositiveFloat = Field(5.0, description="width of the periodic domain across the plane, in diameters")
    density: PositiveFloat = Field(2500.0, description="density of the grains [kg/m3]")
    young: PositiveFloat = Field(2e6, description="Young's modulus [Pa]")
    restitution: float = Field(0.88, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.5, description="coefficient of friction between grains")
    speed: NonNegativeFloat = Field(0.5, description="initial speed down the plane [m/s]")
    seed: int = Field(1, ge=0, description="seed of the random numbers")
    gravity: tuple[float, float, float] = Field(
        inclined(25.0), description="acceleration by gravity [m/s2]; default: from the angle"
    )

    @model_validator(mode="after")
    def _goes_with_angle(self) -> Self:
        """Compute gravity from the angle, unless gravity is given."""
        if "gravity" not in self.model_fields_set:
            object.__setattr__(self, "gravity", inclined(self.angle))
        found = math.degrees(math.atan2(self.gravity[0], -self.gravity[2]))
        if abs(found - self.angle) > 1e-6:
            message = f"gravity is {self.gravity}, at {found:g}°, and angle is {self.angle:g}: give one of them"
            raise ValueError(message)
        return self

    def material(self) -> dem.Material:
        """Material of the grains."""
        return dem.Material(
            young=self.young, poisson=0.25, density=self.density, restitution=self.restitution, friction=self.friction,
            name="grain",
        )  # fmt: skip

    def plane(self) -> dem.Material:
        """Material of the plane."""
        return dem.Material(young=self.young, poisson=0.25, name="plane")

    def contacts(self) -> dem.Contacts:
        """Contact laws: grains neither slide nor roll on the plane, so that resting grains make it rough."""
        held = dem.Contact(restitution=self.restitution, friction=2.0, rolling=dem.Rolling(friction=1.0))
        return dem.Contacts({(self.material(), self.plane()): held})

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains on a lattice, moving."""
        rng = np.random.default_rng(self.seed)
        d = self.diameter * (1 + self.spread * rng.uniform(-1, 1, self.n))
        widest = self.diameter * (1 + self.spread)
        size = self.length * self.diameter, self.width * self.diameter
        counts = [max(1, int(side / (1.02 * widest))) for side in size]
        layers = math.ceil(self.n / math.prod(counts))
        index = np.indices((layers, *counts)).reshape(3, -1).T[: self.n, [1, 2, 0]]
        pitch = np.array([*(side / count for side, count in zip(size, counts, strict=True)), 1.02 * widest])
        places = (index + 0.5) * pitch
        places[:, :2] += 0.4 * (pitch[:2] - widest) * rng.uniform(-1, 1, (self.n, 2))
        grains = dem.Particles(
            [dem.Sphere(diameter=each) for each in d], self.material(), position=places, name="grain",
            velocity=np.tile([self.speed, 0, 0], (self.n, 1)),
        )  # fmt: skip
        top = 1.5 * layers * widest
        return grains, dem.Box((0, 0, 0), (*size, top), self.plane(), periodic=["x", "y"], open=["z+"])
