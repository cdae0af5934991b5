"""A rotating drum mixes a layer of small grains with large grains below it: case 2 of Dosta et al. (2024)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from dem.cases.shared.dosta import Dosta, strewn
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem

RADIUS, HALF, RATE = 0.1, 0.03, -2.0  # inner radius, half the length [m], rotation about y [rad/s]
LEVEL = 0.69  # of its height above the wall is where a grain counts, so that the bed comes to rest level
SMALL, LARGE = (30_000, 2e-3), (8_000, 4e-3)  # of M1 and of M2: number, diameter [m]


class Drum(Dosta):
    """Small and large grains mix in a rotating drum, coarser and softer than published (Dosta et al. 2024, case 2)."""

    name = "drum"
    published_step: ClassVar[float] = 8e-7
    compiled_by: ClassVar[dict] = {"coarse": 3.0, "softness": 100.0}

    duration: PositiveFloat = Field(5.0, description="simulated time [s]")
    frames: PositiveInt = Field(50, description="frames written after the first")
    time_step: dem.TimeStep = Field(
        1.6e-5, description="time step [s], or auto; default: as published, scaled to these grains"
    )
    filling_friction: NonNegativeFloat = Field(
        1.0, description="coefficient of friction between grains while the bed settles; low values make dense beds"
    )

    def made_of(self) -> tuple[str, ...]:
        """Names of the materials in this case."""
        return "M1", "M2", "steel"

    def counts(self) -> tuple[int, int]:
        """Numbers of grains of M1 and of M2."""
        return tuple(max(1, round(n / self.coarse**3)) for n, _ in (SMALL, LARGE))

    def drum(self, softness: float, motion: dem.Motion | None = None) -> dem.Cylinder:
        """Shell and end plates."""
        return dem.Cylinder(
            (0, -HALF, 0), (0, HALF, 0), RADIUS, ends="both", material=self.material("steel", softness=softness),
            motion=motion, name="drum",
        )  # fmt: skip

    def walls(self) -> list[dem.Cylinder]:
        """The drum, which rotates about y so that its side at x > 0 moves up."""
        return [self.drum(self.softness, dem.Motion(axis=(0, 1, 0), rate=RATE))]

    def build(self) -> tuple[dem.Particles, None]:
        """Grains at rest: a level bed of M2, and M1 poured on top of it."""
        (small, large), (fine, thick) = self.counts(), (d * self.coarse for _, d in (SMALL, LARGE))
        lower = [-RADIUS, -HALF, -RADIUS]

        def within(d: float) -> object:
            return lambda x, _y, z: np.hypot(x, z) < RADIUS - 0.51 * d

        def at_rest(x: np.ndarray, _y: np.ndarray, z: np.ndarray) -> np.ndarray:
            floor = -np.sqrt(RADIUS**2 - x**2)
            return floor + LEVEL * (z - floor)

        def drum(softness: float) -> tuple[None, list[dem.Cylinder]]:
            return None, [self.drum(softness)]

        below = strewn(large, thick, lower, (RADIUS, HALF, RADIUS), within(thick), self.seed, at_rest)
        below = self.bed([("M2", thick, below)], drum, friction=self.filling_friction)
        lower[2] = float(below[:, 2].max()) + 0.51 * (fine + thick)
        above = strewn(small, fine, lower, (RADIUS, HALF, RADIUS), within(fine), self.seed + 1)
        both = [("M1", fine, above), ("M2", thick, below)]
        places = self.bed(both, drum, friction=self.filling_friction)
        grains = [
            dem.Particles(dem.Sphere(diameter=d), self.material(name), position=x, name=name)
            for name, d, x in (("M1", fine, places[:small]), ("M2", thick, places[small:]))
        ]
        return dem.Particles.concatenate(grains), None


class Drum38k(Drum):
    """30 000 small and 8 000 large grains mix in a rotating drum (Dosta et al. 2024, case 2)."""

    name = "drum-38k"

    coarse: PositiveFloat = Field(1.0, description="diameter of the grains over the published one")
    softness: PositiveFloat = Field(1.0, description="published Young's moduli over those of this run")
    time_step: dem.TimeStep = Field(8e-7, description="time step [s], or auto; default: as published")
