"""Any number of fibres: a collisional gas that settles under gravity, for benchmarks and as a start for beds."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.lattice import cubic
from dem.cases.shared.one_material import FallingFibres
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class ManyFibres(FallingFibres):
    """N fibres in random directions on a lattice, with random velocities, without overlap."""

    name = "many-fibres"

    duration: PositiveFloat = Field(0.1, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    frames: PositiveInt = Field(10, description="frames written after the first")
    n: PositiveInt = Field(1000, description="number of fibres")
    spacing: PositiveFloat = Field(2.0, description="spacing of the initial lattice, in diameters")
    speed: NonNegativeFloat = Field(0.5, description="initial root mean square velocity [m/s]")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the lattice of fibres and a box of its size."""
        rng = np.random.default_rng(self.seed)
        fibre = self.fibre()
        pitch = self.spacing * self.diameter
        length = self.aspect_ratio * self.diameter
        margin = max(0.0, (length - pitch) / 2) * 1.001
        position, size, shape = cubic(self.n, pitch, margin)
        orientation = dem.random_orientations(shape, pitch, fibre, rng)
        particles = dem.Particles(
            fibre,
            self.material(),
            position=position,
            orientation=orientation[: self.n],
            velocity=dem.random_velocities(self.n, self.speed, rng),
        )
        return particles, self.box(*size)
