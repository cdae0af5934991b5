"""Base of cases with grains in containers that are no boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem

if TYPE_CHECKING:
    from collections.abc import Callable

SHIFT = 0.04  # largest random shift of a grain from its lattice site along each axis, over its diameter


def rolling_resistance(rolling_friction: float, friction: float) -> dem.Rolling | None:
    """Rolling resistance, or None without rolling friction or sliding friction."""
    return dem.Rolling(friction=rolling_friction) if rolling_friction and friction else None


def grain_material(case: dem.Case, **more: object) -> dem.Material:
    """Material of grains with the parameters of a case."""
    return dem.Material(
        young=case.young, poisson=0.25, density=case.density, restitution=case.restitution, friction=case.friction,
        rolling=rolling_resistance(case.rolling_friction, case.friction), name="grain", **more,
    )  # fmt: skip


class Grains(dem.Case):
    """Base of cases of frictional spheres, softer than glass, as is usual for simulations of flow."""

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    frames: PositiveInt = Field(100, description="frames written after the first")
    n: PositiveInt = Field(300, description="number of grains")
    diameter: PositiveFloat = Field(4e-3, description="diameter of the grains [m]")
    density: PositiveFloat = Field(2500.0, description="density of the grains [kg/m3]")
    young: PositiveFloat = Field(5e6, description="Young's modulus of grains and walls [Pa]")
    restitution: float = Field(0.6, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.4, description="coefficient of friction")
    rolling_friction: NonNegativeFloat = Field(0.05, description="coefficient of rolling friction")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def material(self) -> dem.Material:
        """Material of grains and walls."""
        return grain_material(self)

    def grains(self, inside: Callable, lower: tuple, upper: tuple) -> dem.Particles:
        """Grains at the lowest n lattice sites between two corners for which `inside(x, y, z)` holds; x, y, z: (K,)."""
        rng = np.random.default_rng(self.seed)
        step, room = 1.1 * self.diameter, (0.5 + SHIFT) * self.diameter  # from the last site to the upper corner
        axes = (np.arange(low + 0.5 * step, high - room, step) for low, high in zip(lower, upper, strict=True))
        places = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
        places = places[inside(*places.T)]
        if len(places) < self.n:
            message = f"n is {self.n}, but the container holds {len(places)} grains of {self.diameter:g} m"
            raise ValueError(message)
        places = places[np.argsort(places[:, 2], kind="stable")][: self.n]
        places += rng.uniform(-SHIFT, SHIFT, places.shape) * self.diameter
        return dem.Particles(dem.Sphere(diameter=self.diameter), self.material(), position=places, name="grain")
