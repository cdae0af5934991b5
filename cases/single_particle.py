"""One particle: it falls on a floor, slides and rolls down an incline, or rolls to and fro in a trough."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from dem.cases.shared.grains import grain_material
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class OneParticle(dem.Case):
    """A sphere and a floor of one material."""

    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    frames: PositiveInt = Field(300, description="frames written after the first")
    diameter: PositiveFloat = Field(4e-3, description="diameter of the particle [m]")
    density: PositiveFloat = Field(2500.0, description="density of the particle [kg/m3]")
    young: PositiveFloat = Field(5e6, description="Young's modulus of particle and floor [Pa]")
    restitution: float = Field(0.6, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.4, description="coefficient of friction")
    rolling_friction: NonNegativeFloat = Field(0.05, description="coefficient of rolling friction")

    def material(self) -> dem.Material:
        """Material of particle and floor."""
        return grain_material(self)

    def particle(self, place: tuple[float, float, float]) -> dem.Particles:
        """The sphere, at rest."""
        return dem.Particles(dem.Sphere(diameter=self.diameter), self.material(), position=[place], name="grain")


class Drop(OneParticle):
    """A particle falls on a floor; the height of its rebound gives the coefficient of restitution."""

    name = "drop-test"
    observable_names = ("apparent_restitution",)

    duration: PositiveFloat = Field(0.3, description="simulated time [s]")
    height: PositiveFloat = Field(0.05, description="height from which the particle falls [m]")

    def walls(self) -> list[dem.Plane]:
        """The floor."""
        return [dem.Plane((0, 0, 0), (0, 0, 1), material=self.material(), name="floor")]

    def build(self) -> tuple[dem.Particles, None]:
        """The particle above the floor."""
        return self.particle((0, 0, self.height + 0.5 * self.diameter)), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Coefficient of restitution by the height of the rebound; nan if the particle has not rebounded."""
        height = np.array([run.position[k][0, 2] for k in range(len(run))]) - 0.5 * self.diameter
        found = math.nan
        with suppress(ValueError):
            found = dem.statistics.rebound_restitution(height)
        return {"apparent_restitution": found}


class Incline(OneParticle):
    """A particle slides down a steep incline or rolls down a gentle one; its acceleration gives its friction."""

    name = "incline-test"
    observable_names = ("apparent_friction", "apparent_rolling_friction")

    duration: PositiveFloat = Field(0.2, description="simulated time [s]")
    angle: float = Field(20.0, gt=0, lt=90, description="angle of the incline to the horizontal [deg]")

    def along(self) -> np.ndarray:
        """Direction down the incline (3,)."""
        slope = math.radians(self.angle)
        return np.array([math.cos(slope), 0.0, -math.sin(slope)])

    def normal(self) -> tuple[float, float, float]:
        """Direction away from the incline."""
        slope = math.radians(self.angle)
        return math.sin(slope), 0.0, math.cos(slope)

    def walls(self) -> list[dem.Plane]:
        """The incline."""
        return [dem.Plane((0, 0, 0), self.normal(), material=self.material(), name="incline")]

    def build(self) -> tuple[dem.Particles, None]:
        """The particle on the incline."""
        return self.particle(tuple(0.5 * self.diameter * x for x in self.normal())), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Coefficient of sliding or rolling friction by the acceleration of a particle that slid or rolled."""
        ways = np.array([(run.position[k][0] * self.along()).sum() for k in range(len(run))])
        slope = math.radians(self.angle)
        later = run.time > 0.2 * run.time[-1]  # at first it finds its place on the incline
        time, ways = np.asarray(run.time)[later], ways[later]
        return {
            "apparent_friction": dem.statistics.incline_friction(time, ways, slope),
            "apparent_rolling_friction": dem.statistics.incline_friction(time, ways, slope, rolling=True),
        }


class RollingPendulum(OneParticle):
    """A particle rolls to and fro in a trough; the decay of its swings gives the rolling friction."""

    name = "rolling-pendulum"
    observable_names = ("apparent_rolling_friction",)

    duration: PositiveFloat = Field(1.5, description="simulated time [s]; three swings of the trough by default")
    radius: PositiveFloat = Field(0.05, description="radius of the trough [m]")
    angle: float = Field(20.0, gt=0, lt=90, description="initial angle of the particle from the lowest point [deg]")
    rolling_friction: NonNegativeFloat = Field(0.02, description="coefficient of rolling friction")

    def walls(self) -> list[dem.Cylinder]:
        """The trough, a tube."""
        far = 2 * self.diameter
        return [
            dem.Cylinder(
                (0, -far, self.radius), (0, far, self.radius), self.radius, material=self.material(), name="trough"
            )
        ]

    def build(self) -> tuple[dem.Particles, None]:
        """The particle on the side of the trough."""
        way, slope = self.radius - 0.5 * self.diameter, math.radians(self.angle)
        return self.particle((way * math.sin(slope), 0.0, self.radius - way * math.cos(slope))), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Coefficient of rolling friction by the decay of the swings; nan with fewer than two turning points."""
        places = [run.position[k][0] for k in range(len(run))]
        found = math.nan
        with suppress(ValueError):
            found = dem.statistics.pendulum_friction([math.atan2(x, self.radius - z) for x, _, z in places])
        return {"apparent_rolling_friction": found}
