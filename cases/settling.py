"""Spheres and fibres that settle in a fluid without touching each other."""

from __future__ import annotations

import numpy as np
from dem.cases.shared.immersed import Immersed, ImmersedFibres
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class SettlingSpheres(Immersed):
    """Spheres of many sizes fall from rest through water, from the Stokes to the Newton regime of drag."""

    name = "settling-spheres"

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    time_step: dem.TimeStep = Field(
        1e-5, description="time step [s], or auto; in one, spheres move much less than the smallest diameter"
    )
    n: PositiveInt = Field(12, description="number of spheres")
    smallest: PositiveFloat = Field(5e-5, description="diameter of the first sphere [m]")
    largest: PositiveFloat = Field(
        1e-2, description="diameter of the last sphere [m]; the logarithms of all diameters are evenly spaced"
    )

    def build(self) -> tuple[dem.Particles, None]:
        """Build a row of spheres along x at z = 1 m."""
        diameters = [self.smallest * (self.largest / self.smallest) ** (k / max(self.n - 1, 1)) for k in range(self.n)]
        places = np.column_stack([2 * self.largest * np.arange(self.n), np.zeros(self.n), np.ones(self.n)])
        shapes = [dem.Sphere(diameter=float(d)) for d in diameters]
        return dem.Particles(shapes, self.material(), position=places), None


class SettlingFibres(ImmersedFibres):
    """Fibres at various angles to gravity fall through water in Stokes flow and drift sideways."""

    name = "settling-fibres"

    duration: PositiveFloat = Field(0.05, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    diameter: PositiveFloat = Field(4e-5, description="diameter of a fibre [m]")
    drag: str = Field("stokes", description="drag law")
    n: PositiveInt = Field(19, description="number of fibres, from upright to horizontal")

    def angles(self) -> np.ndarray:
        """Angles between the axes of the particles and gravity (n,) [rad]."""
        return np.linspace(0.0, 0.5 * np.pi, self.n)

    def build(self) -> tuple[dem.Particles, None]:
        """Build a row of fibres along y, their axes in planes of x and z."""
        half = 0.5 * (0.5 * np.pi - self.angles())  # about -y: body x turns towards z
        zeros = np.zeros(self.n)
        places = np.column_stack([zeros, 2 * self.aspect_ratio * self.diameter * np.arange(self.n), zeros])
        turned = np.column_stack([np.cos(half), zeros, -np.sin(half), zeros])
        return dem.Particles(self.fibre(), self.material(), position=places, orientation=turned), None
