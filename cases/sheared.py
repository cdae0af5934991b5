"""Fibres in a shear flow: one fibre that tumbles, and many fibres that collide."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.immersed import ImmersedFibres
from dem.cases.shared.lattice import cubic
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class Sheared(ImmersedFibres):
    """Base of cases of weightless fibres in a shear flow along x with a gradient along y."""

    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    rate: PositiveFloat = Field(10.0, description="shear rate [1/s]")
    density: PositiveFloat = Field(1000.0, description="density of the fibres [kg/m3]")
    viscosity: PositiveFloat = Field(0.01, description="dynamic viscosity of the fluid [Pa s]")
    drag: str = Field("stokes", description="drag law")
    rotation: str = Field("stokes", description="law of the torque that resists rotation")

    def flow(self) -> dem.ShearFlow:
        """The shear flow."""
        return dem.ShearFlow(rate=self.rate)


class JefferyOrbit(Sheared):
    """A fibre tumbles in a shear flow; with little inertia it follows an orbit of Jeffery (1922)."""

    name = "jeffery-orbit"

    duration: PositiveFloat = Field(6.6, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-3, description="time step [s], or auto")
    integrator: str = Field("splitting", description="rotational scheme")
    tilt: float = Field(0.0, description="initial angle between the fibre axis and the plane of the flow [deg]")

    def build(self) -> tuple[dem.Particles, None]:
        """Build the fibre."""
        tilt = math.radians(self.tilt) / 2  # first about -y, then about z by a right angle
        half = math.sqrt(0.5)
        turned = (half * math.cos(tilt), half * math.sin(tilt), -half * math.sin(tilt), half * math.cos(tilt))
        return dem.Particles(self.fibre(), self.material(), position=[(0, 0, 0)], orientation=[turned]), None


class ShearedFibres(Sheared):
    """Many fibres tumble and collide in a shear flow between two walls."""

    name = "sheared-fibres"

    duration: PositiveFloat = Field(
        3.3, description="simulated time [s]; default: one period of a Jeffery orbit at the default rate"
    )
    young: PositiveFloat = Field(2000.0, description="Young's modulus [Pa]; low, for long time steps")
    restitution: float = Field(0.5, gt=0, le=1, description="coefficient of restitution")
    friction: float = Field(0.3, ge=0, description="coefficient of friction")
    n: PositiveInt = Field(216, description="number of fibres")
    spacing: PositiveFloat = Field(0.6, description="spacing of the initial lattice, in fibre lengths")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def flow(self) -> dem.ShearFlow:
        """The shear flow, at rest in the middle of the box."""
        return dem.ShearFlow(rate=self.rate, centre=tuple(0.5 * np.array(self.lattice()[1])))

    def lattice(self) -> tuple[np.ndarray, tuple[float, float, float], tuple[int, int, int]]:
        """Positions of the fibres, size of the box, and number of fibres along each axis."""
        length = self.aspect_ratio * self.diameter
        pitch = self.spacing * length
        return cubic(self.n, pitch, max(0.0, 0.5 * (length - pitch)) * 1.001)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the fibres, in random directions, at the velocity of the fluid."""
        rng = np.random.default_rng(self.seed)
        places, size, shape = self.lattice()
        pitch = self.spacing * self.aspect_ratio * self.diameter
        turned = dem.random_orientations(shape, pitch, self.fibre(), rng)[: self.n]
        velocity = np.zeros_like(places)
        velocity[:, 0] = self.rate * (places[:, 1] - 0.5 * size[1])
        fibres = dem.Particles(
            self.fibre(), self.material(), position=places, orientation=turned, velocity=velocity,
            angular_velocity=[(0, 0, -0.5 * self.rate)] * self.n,
        )  # fmt: skip
        return fibres, dem.Box((0, 0, 0), size, self.material(), periodic=("x", "z"))
