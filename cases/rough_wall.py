"""Impacts of spheres and fibres on a rough floor, which scatters their velocities and spins.

Equal particles of each kind fly at a floor at the same angle; every impact meets a floor inclined at random (Sommerfeld
& Huber 1999). Without friction a sphere gets no spin, so an inclination changes only the direction of its velocity. A
fibre is hit at its tip and begins to rotate: its velocity scatters less, and its spin more.
"""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class RoughWall(dem.StudyCase):
    """Scatter of the velocities and spins of spheres and fibres after an impact on a rough floor."""

    name = "rough-wall"

    duration: PositiveFloat = Field(2e-3, description="simulated time [s], long enough for the impact")
    frames: PositiveInt = Field(5, description="number of roughness values above 0, up to the largest")
    n: PositiveInt = Field(400, description="number of particles of each kind")
    diameter: PositiveFloat = Field(0.01, description="diameter of spheres and fibres [m]")
    speed: PositiveFloat = Field(1.0, description="speed of the particles before the impact [m/s]")
    incidence: float = Field(45.0, gt=0, le=90, description="angle of the velocity to the floor [deg]")
    tilt: float = Field(30.0, ge=-90, le=90, description="angle of the fibre axes to the floor [deg]")
    roughness: float = Field(
        0.1, gt=0, le=1, description="largest standard deviation of the inclination of the floor [rad]"
    )
    seed: int = Field(1, ge=0, description="seed of the random inclinations of the floor")

    def table(self) -> tuple[np.ndarray, str, str]:
        """Table of the scatter against the roughness of the floor."""
        sphere, fibre = dem.Sphere(diameter=self.diameter), dem.Fibre(diameter=self.diameter, aspect_ratio=3)
        rows = []
        for sigma in np.linspace(0, self.roughness, self.frames + 1):
            rows.append([sigma, *self.scatter(sphere, sigma), *self.scatter(fibre, sigma)])
        header = "roughness_rad,sphere_velocity,sphere_spin,fibre_velocity,fibre_spin"
        last = rows[-1]
        said = (
            f"at {last[0]:g} rad the velocities of spheres scatter by {last[1]:.3g} of their speed and those of fibres "
            f"by {last[3]:.3g}; spins, times half a length over the speed, by {last[2]:.3g} and {last[4]:.3g}"
        )
        return np.array(rows), header, said

    def scatter(self, shape: dem.Shape, roughness: float) -> tuple[float, float]:
        """Dimensionless standard deviations of velocities and of spins after the impact."""
        stuff = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        side = math.ceil(math.sqrt(self.n))
        reach = float((np.linalg.norm(shape.offsets, axis=1) + shape.radii).max())
        lift = float((np.abs(shape.offsets[:, 0]) * math.sin(math.radians(self.tilt)) + shape.radii).max())
        place = np.arange(self.n)
        position = np.column_stack([place % side, place // side, np.zeros(self.n)]) * 3 * reach
        position[:, 2] = lift + 0.01 * self.diameter
        angle, half = math.radians(self.incidence), math.radians(self.tilt) / 2
        particles = dem.Particles(
            shape, stuff, position=position,
            orientation=np.tile([math.cos(half), 0.0, math.sin(half), 0.0], (self.n, 1)),
            velocity=np.tile([self.speed * math.cos(angle), 0.0, -self.speed * math.sin(angle)], (self.n, 1)),
        )  # fmt: skip
        far = 3 * reach * side + 1.0
        box = dem.Box((-1, -1, 0), (far, far, 1), stuff, roughness=roughness, seed=self.seed)
        sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=self.time_step, integrator=self.integrator)
        sim.run(self.duration, frames=1)
        departures = [a - a.mean(0) for a in (sim.particles.velocity, sim.particles.angular_velocity * reach)]
        return tuple(float(np.sqrt((a**2).sum(1).mean())) / self.speed for a in departures)
