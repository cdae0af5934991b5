"""Rotating-drum test of powders: a short drum between two panes, photographed from the side."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.powder import Powder
from pydantic import Field, PositiveFloat, PositiveInt, model_validator

import dem

PIXELS = 200  # across the drum
STATIONS = (-0.5, -0.25, 0.0, 0.25, 0.5)  # where the height of the surface is told, in radii
IMAGE_OBSERVABLES = (
    "occupied_mm2", "angle_deg", "lower_angle_deg", "upper_angle_deg",
    *(f"height_{k}_mm" for k in range(1, len(STATIONS) + 1)),
)  # fmt: skip


class DrumTest(Powder):
    """Grains in a drum at a low and a high speed; images from the side give the occupied area and the surface.

    The second half of the run is observed. With `fast_rate` the drum turns fast first, and then at its `rate`: the
    second half of each part is observed, and the grains of the slow part need not be mixed slowly before that.
    """

    name = "drum-test"

    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    frames: PositiveInt = Field(80, description="frames written after the first")
    n: PositiveInt = Field(700, description="number of grains")
    diameter: PositiveFloat = Field(3.6e-3, description="diameter of the grains [m]")
    radius: PositiveFloat = Field(0.042, description="radius of the drum [m]")
    length: PositiveFloat = Field(0.02, description="length of the drum between its panes [m]")
    rate: PositiveFloat = Field(1.5708, description="angular velocity of the drum [rad/s]; default: 15 rpm")
    fast_rate: PositiveFloat | None = Field(
        None, description="angular velocity until fast_until [rad/s]; default: no fast rotation"
    )
    fast_until: PositiveFloat = Field(1.0, description="end of the fast rotation, if there is one [s]")

    @model_validator(mode="after")
    def _slows_down(self) -> DrumTest:
        """Refuse a run that ends during the fast rotation."""
        if self.fast_rate is not None and self.fast_until >= self.duration:
            raise ValueError(f"fast_until is {self.fast_until:g} s, expected less than the duration")
        return self

    @property
    def observable_names(self) -> tuple[str, ...]:
        """Names of the observables: of the whole run, or of its slow and its fast part."""
        return (*IMAGE_OBSERVABLES, *(f"fast_{name}" for name in IMAGE_OBSERVABLES if self.fast_rate is not None))

    def walls(self) -> list[dem.Cylinder]:
        """The drum, which rotates about y so that its side at x > 0 moves up."""
        half, about = 0.5 * self.length, (0, 1, 0)
        turning = [dem.Motion(axis=about, rate=-self.rate)]
        if self.fast_rate is not None:
            turning = [
                dem.Motion(axis=about, rate=-self.fast_rate, stop=self.fast_until),
                dem.Motion(axis=about, rate=-self.rate, start=self.fast_until),
            ]
        return [
            dem.Cylinder(
                (0, -half, 0), (0, half, 0), self.radius, ends="both", material=self.wall(), motion=turning, name="drum"
            )
        ]

    def build(self) -> tuple[dem.Particles, None]:
        """Grains in the lower part of the drum."""
        inner, half = self.radius - 0.6 * self.diameter, 0.5 * self.length
        lower, upper = (-self.radius, -half, -self.radius), (self.radius, half, self.radius)
        return self.grains(lambda x, _y, z: np.hypot(x, z) < inner, lower, upper), None

    def image(self, run: dem.Trajectory, first: float, last: float) -> tuple[np.ndarray, float]:
        """Mean of the images between two times [s], and the edge of a pixel [m]."""
        pixel, corner = 2 * self.radius / PIXELS, (self.radius, self.radius)
        low = (-self.radius, -self.radius)
        shots = [
            dem.statistics.silhouette(run.spheres(k), low, corner, pixel)
            for k in range(len(run))
            if first < run.time[k] <= last
        ]
        return np.mean(shots, axis=0), pixel

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Occupied area, angles of the surface, and its height at five places, in mean images."""
        start, end = 0.0 if self.fast_rate is None else self.fast_until, float(run.time[-1])
        found = self.image_observables(*self.image(run, 0.5 * (start + end), end))
        if self.fast_rate is not None:
            fast = self.image_observables(*self.image(run, 0.5 * start, start))
            found |= {f"fast_{name}": value for name, value in fast.items()}
        return found

    def image_observables(self, image: np.ndarray, pixel: float) -> dict[str, float]:
        """Occupied area, angles of the surface, and its height at five places, in one image."""
        surface = dem.statistics.image_surface(image, pixel, lower=(-self.radius, -self.radius))
        found = {"occupied_mm2": 1e6 * dem.statistics.occupied_area(image, pixel)}
        angles = dem.statistics.surface_angles(surface)
        for name, slope in angles._asdict().items():
            found["angle_deg" if name == "whole" else f"{name}_angle_deg"] = math.degrees(slope.angle)
        for k, place in enumerate(STATIONS, start=1):
            near = np.abs(surface.middle - place * self.radius) < 2 * pixel
            found[f"height_{k}_mm"] = 1e3 * float(surface.value[near].mean())
        return found
