"""One flexible fibre rotates and bends in free flight: shows bonds, and the conservation of energy and momentum."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class FlexibleFibreCase(dem.Case):
    """A flexible fibre in free flight, which breaks where the stress exceeds an optional strength."""

    name = "flexible-fibre"

    duration: PositiveFloat = Field(0.05, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-6, description="time step [s], or auto")
    integrator: str = Field("splitting", description="rotational scheme")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    diameter: PositiveFloat = Field(0.001, description="diameter of the fibre [m]")
    length: PositiveFloat = Field(0.011, description="length of the fibre with its ends [m]")
    segments: PositiveInt = Field(10, description="number of bonds")
    young: PositiveFloat = Field(1e7, description="Young's modulus of the bonds [Pa]")
    damping: NonNegativeFloat = Field(0.0, le=1, description="damping of each bond, over critical damping")
    strength: PositiveFloat | None = Field(None, description="stress at which the fibre breaks [Pa]; default: never")
    spin: float = Field(500.0, description="initial angular speed, about an axis that is inclined to the fibre [rad/s]")
    swing: float = Field(0.5, description="amplitude of the initial velocities across the fibre [m/s]")

    def build(self) -> tuple[dem.Particles, None]:
        """The fibre, which the simulation divides into nodes; `moved` gives their initial velocities."""
        fibre = dem.FlexibleFibre(
            diameter=self.diameter, length=self.length, segments=self.segments, young=self.young, damping=self.damping,
            strength=self.strength or math.inf,
        )  # fmt: skip
        stuff = dem.Material(young=1e7, poisson=0.3, density=1000.0)
        spin = self.spin * np.array([[0.6, 0.0, 0.8]])
        return dem.Particles(fibre, stuff, position=[(0, 0, 0)], angular_velocity=spin), None

    def simulation(self) -> dem.Simulation:
        """The simulation, with the initial velocities of the swinging fibre."""
        sim = super().simulation()
        s = np.pi * np.arange(self.segments + 1) / self.segments
        swing = np.column_stack([0 * s, np.sin(2 * s), np.cos(2 * s)])
        sim.particles.velocity = sim.particles.velocity + self.swing * (swing - swing.mean(0))
        return sim
