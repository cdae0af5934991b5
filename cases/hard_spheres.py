"""Gases of hard spheres: in a box, where inelastic spheres settle, and in periodic space, where they cool."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.lattice import jittered
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class ManyHardSpheres(dem.HardSphereCase):
    """N hard spheres on a jittered lattice in a box, with random velocities; event-driven."""

    name = "hard-spheres"

    duration: PositiveFloat = Field(0.5, description="simulated time [s]")
    frames: PositiveInt = Field(50, description="frames written after the first")
    diameter: PositiveFloat = Field(0.01, description="diameter of the spheres [m]")
    density: PositiveFloat = Field(1100.0, description="density of the spheres [kg/m3]")
    n: PositiveInt = Field(1000, description="number of spheres")
    solid_fraction: PositiveFloat = Field(0.3, le=0.52, description="volume of the spheres over that of the lattice")
    speed: NonNegativeFloat = Field(0.5, description="initial root mean square velocity [m/s]")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the lattice of spheres and a box of its size."""
        rng = np.random.default_rng(self.seed)
        position, size = jittered(rng, self.n, self.diameter, self.solid_fraction)
        # impacts of hard spheres need only its density
        stuff = dem.Material(young=5e7, poisson=0.35, density=self.density, name="grain")
        balls = dem.Particles(
            dem.Sphere(diameter=self.diameter),
            stuff,
            position=position,
            velocity=dem.random_velocities(self.n, self.speed, rng),
        )
        return balls, dem.Box((0, 0, 0), size, stuff, periodic=self.periodic, roughness=self.roughness, seed=self.seed)


class GranularCooling(ManyHardSpheres):
    """A periodic gas of inelastic hard spheres that cools by Haff's law."""

    name = "granular-cooling"

    duration: PositiveFloat = Field(5.0, description="simulated time [s]")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    restitution: float = Field(0.9, gt=0, le=1, description="coefficient of normal restitution of two spheres")
    contact_time: PositiveFloat = Field(
        1e-9, description="an impact within this time after another one of either partner is elastic [s]"
    )
    periodic: dem.Axes = Field(("x", "y", "z"), description="periodic axes, which have no walls")
    solid_fraction: PositiveFloat = Field(0.1, le=0.52, description="volume of the spheres over that of the lattice")
