"""Any number of spheres: a dense collisional gas, for benchmarks."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.lattice import jittered
from dem.cases.shared.one_material import OneMaterial
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class ManySpheres(OneMaterial):
    """N spheres on a jittered lattice, with random velocities, without overlap."""

    name = "many-spheres"

    duration: PositiveFloat = Field(0.1, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    frames: PositiveInt = Field(10, description="frames written after the first")
    diameter: PositiveFloat = Field(0.01, description="diameter of the spheres [m]")
    n: PositiveInt = Field(1000, description="number of spheres")
    solid_fraction: PositiveFloat = Field(0.5, le=0.52, description="volume of the spheres over that of the lattice")
    speed: NonNegativeFloat = Field(0.5, description="initial root mean square velocity [m/s]")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the lattice of spheres and a box of its size."""
        rng = np.random.default_rng(self.seed)
        position, size = jittered(rng, self.n, self.diameter, self.solid_fraction)
        balls = dem.Particles(
            dem.Sphere(diameter=self.diameter),
            self.material(),
            position=position,
            velocity=dem.random_velocities(self.n, self.speed, rng),
        )
        return balls, self.box(*size)
