"""Spheres with stochastic collisions: a cooling gas, and a gas driven by turbulence."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class StochasticCooling(dem.StochasticCase):
    """A periodic gas of inelastic spheres that cools by Haff's law; collisions are sampled by DSMC."""

    name = "stochastic-cooling"

    duration: PositiveFloat = Field(5.0, description="simulated time [s]")
    frames: PositiveInt = Field(50, description="frames written after the first")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    restitution: float = Field(0.9, gt=0, le=1, description="coefficient of normal restitution of two spheres")
    periodic: dem.Axes = Field(("x", "y", "z"), description="periodic axes, which have no walls")
    diameter: PositiveFloat = Field(0.01, description="diameter of the spheres [m]")
    density: PositiveFloat = Field(1100.0, description="density of the spheres [kg/m3]")
    n: PositiveInt = Field(5000, description="number of spheres")
    solid_fraction: PositiveFloat = Field(0.05, le=0.5, description="volume of the spheres over that of the box")
    speed: PositiveFloat = Field(0.5, description="initial root mean square velocity [m/s]")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build spheres at random positions in a cube, clear of the walls."""
        rng = np.random.default_rng(self.seed)
        edge = (self.n * math.pi / 6 * self.diameter**3 / self.solid_fraction) ** (1 / 3)
        stuff = dem.Material(young=5e7, poisson=0.35, density=self.density, name="grain")  # impacts need the density
        balls = dem.Particles(
            dem.Sphere(diameter=self.diameter),
            stuff,
            position=rng.uniform(0.5 * self.diameter, edge - 0.5 * self.diameter, (self.n, 3)),
            velocity=dem.random_velocities(self.n, self.speed, rng),
        )
        return balls, dem.Box((0, 0, 0), (edge,) * 3, stuff, periodic=self.periodic, roughness=self.roughness)


class TurbulentGas(StochasticCooling):
    """Spheres carried by homogeneous isotropic turbulence, which collide with fictitious partners (Sommerfeld 2001)."""

    name = "turbulent-gas"

    collisions: str = Field("partners", pattern="^partners$", description="collisions with fictitious partners")
    restitution: float = Field(1.0, gt=0, le=1, description="coefficient of normal restitution of two spheres")
    diameter: PositiveFloat = Field(1e-4, description="diameter of the spheres [m]")
    density: PositiveFloat = Field(2500.0, description="density of the spheres [kg/m3]")
    solid_fraction: PositiveFloat = Field(0.01, le=0.5, description="volume of the spheres over that of the box")
    fluid_speed: PositiveFloat = Field(
        0.5, description="root mean square of a component of the velocity fluctuation of the fluid [m/s]"
    )
    time_scale: PositiveFloat = Field(0.05, description="Lagrangian time scale of the fluid [s]")
    viscosity: PositiveFloat = Field(1.8e-5, description="dynamic viscosity of the fluid [Pa s]")
    duration: PositiveFloat = Field(0.5, description="simulated time [s]")

    def turbulence(self) -> dem.Turbulence:
        """The turbulent fluid."""
        return dem.Turbulence(rms=self.fluid_speed, time_scale=self.time_scale, viscosity=self.viscosity)
