"""Fibres in a cellular flow of Taylor-Green vortices."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.immersed import ImmersedFibres
from dem.cases.shared.lattice import cubic
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class CellularFibres(ImmersedFibres):
    """Fibres with random initial directions rotate and drift in a cellular flow of Taylor-Green vortices."""

    name = "cellular-fibres"

    duration: PositiveFloat = Field(0.5, description="simulated time [s]")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    young: PositiveFloat = Field(200.0, description="Young's modulus [Pa]; low, for long time steps")
    density: PositiveFloat = Field(1000.0, description="density of the fibres [kg/m3]")
    drag: str = Field("stokes", description="drag law")
    rotation: str = Field("stokes", description="law of the torque that resists rotation")
    diameter: PositiveFloat = Field(5e-5, description="diameter of a fibre [m]")
    speed: PositiveFloat = Field(0.02, description="largest flow speed in the vortices [m/s]")
    wavenumber: PositiveFloat = Field(400.0, description="wavenumber k of the vortices [1/m]; each is π/k wide")
    n: PositiveInt = Field(216, description="number of fibres")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def flow(self) -> dem.TaylorGreenFlow:
        """Steady Taylor-Green vortices."""
        return dem.TaylorGreenFlow(speed=self.speed, wavenumber=self.wavenumber)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the fibres on a lattice in four vortices, in random directions, at the velocity of the fluid."""
        rng = np.random.default_rng(self.seed)
        k = math.ceil(round(self.n ** (1 / 3), 9))
        edge = 2 * math.pi / self.wavenumber
        places, _, shape = cubic(self.n, edge / k, 0.0)
        turned = dem.random_orientations(shape, edge / k, self.fibre(), rng)[: self.n]
        x, y, _ = (self.wavenumber * places).T
        velocity = self.speed * np.column_stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), np.zeros(self.n)])
        fibres = dem.Particles(self.fibre(), self.material(), position=places, orientation=turned, velocity=velocity)
        return fibres, dem.Box((0, 0, 0), (edge,) * 3, self.material(), periodic=("x", "y", "z"))
