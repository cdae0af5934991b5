"""A steel ball falls onto a bed of grains: case 3 of Dosta et al. (2024)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from dem.cases.shared.dosta import FILLED, Dosta, strewn
from pydantic import Field, PositiveFloat, PositiveInt

import dem

HALF, FLOOR, TOP = (0.049, 0.03), -0.0902431, 0.107757  # half widths in x and y, floor and upper rim [m]
BALL, HEIGHT, SPEED = 0.02, 0.06, 5.0  # diameter [m], height of its centre [m], speed downwards [m/s]
GRAIN = 2e-3  # diameter [m]


class Impact(Dosta):
    """A steel ball falls onto a bed of grains, coarser and softer than published (Dosta et al. 2024, case 3)."""

    name = "impact"
    published_step: ClassVar[float] = 5e-7
    compiled_by: ClassVar[dict] = {"coarse": 4.0, "softness": 10.0}

    duration: PositiveFloat = Field(0.1, description="simulated time [s]")
    frames: PositiveInt = Field(100, description="frames written after the first")
    time_step: dem.TimeStep = Field(
        3.16228e-6, description="time step [s], or auto; default: as published, scaled to these grains"
    )
    softness: PositiveFloat = Field(10.0, description="published Young's moduli over those of this run")
    n: PositiveInt = Field(25_000, description="number of grains of the published size that would fill the bed")
    filling_friction: float = Field(
        0.1,
        ge=0,
        description="coefficient of friction between grains while the bed settles; low values make dense beds",
    )

    @property
    def count(self) -> int:
        """Number of grains in the bed."""
        return max(1, round(self.n / self.coarse**3))

    def container(self, softness: float) -> tuple[dem.Box, list]:
        """The box, of steel, open above."""
        lower, upper = (-HALF[0], -HALF[1], FLOOR), (*HALF, TOP)
        return dem.Box(lower, upper, self.material("steel", softness=softness), open=["z+"]), []

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """The bed at rest, and the ball above it as the last particle."""
        d = GRAIN * self.coarse
        filled = self.count * np.pi / 6 * d**3 / (FILLED * 4 * HALF[0] * HALF[1])
        lower, upper = (-HALF[0], -HALF[1], FLOOR), (*HALF, FLOOR + 1.02 * filled + 2 * d)
        start = strewn(self.count, d, lower, upper, lambda x, _y, _z: np.full(len(x), fill_value=True), self.seed)
        places = self.bed([("M1", d, start)], self.container, friction=self.filling_friction)
        grains = dem.Particles(dem.Sphere(diameter=d), self.material("M1"), position=places, name="grain")
        ball = dem.Particles(
            dem.Sphere(diameter=BALL), self.material("steel"), position=[(0, 0, HEIGHT)], velocity=[(0, 0, -SPEED)],
            name="ball",
        )  # fmt: skip
        return dem.Particles.concatenate([grains, ball]), self.container(self.softness)[0]


class Impact25k(Impact):
    """A steel ball falls onto 25 000 grains (Dosta et al. 2024, case 3); others with n = 50000 or 100000."""

    name = "impact-25k"

    coarse: PositiveFloat = Field(1.0, description="diameter of the grains over the published one")
    softness: PositiveFloat = Field(1.0, description="published Young's moduli over those of this run")
    time_step: dem.TimeStep = Field(5e-7, description="time step [s], or auto; default: as published")
