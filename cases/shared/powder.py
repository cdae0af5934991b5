"""Base of virtual tests of powders: grains with adhesion, and walls with a separate coefficient of friction."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.grains import Grains, grain_material, rolling_resistance
from pydantic import Field, NonNegativeFloat

import dem


class Powder(Grains):
    """Grains with optional adhesion, and walls with a separate coefficient of friction."""

    wall_friction: NonNegativeFloat | None = Field(
        None, description="coefficient of friction at walls; default: as between particles"
    )
    adhesion: NonNegativeFloat = Field(0.0, description="work of adhesion of grains (JKR) [J/m2]; 0: none")

    def material(self) -> dem.Material:
        """Material of the grains."""
        return grain_material(self, adhesion=dem.JKR(work=self.adhesion) if self.adhesion else None)

    def wall(self) -> dem.Material:
        """Material of the walls."""
        return dem.Material(young=self.young, poisson=0.25, name="wall")

    def contacts(self) -> dem.Contacts:
        """Contact laws; grains do not adhere to walls."""
        friction = self.friction if self.wall_friction is None else self.wall_friction
        rolling = rolling_resistance(self.rolling_friction, friction)
        pair = dem.Contact(restitution=self.restitution, friction=friction, rolling=rolling)
        return dem.Contacts({(self.material(), self.wall()): pair})

    def piled(self, area: float) -> float:
        """Upper bound of the height of a loose bed of `grains` on an area [m]."""
        step = 1.1 * self.diameter
        return step * (1 + math.ceil(1.25 * self.n * step**2 / area))

    def sides(self, width: float, low: float, high: float, name: str, **kept: object) -> list[dem.Rectangle]:
        """Four vertical walls of a square of this width about the z axis, named by `name` and their side."""
        half, middle, height = 0.5 * width, 0.5 * (low + high), high - low
        places = {"x-": (-half, 0), "x+": (half, 0), "y-": (0, -half), "y+": (0, half)}
        across = {"x": (0, width, 0), "y": (width, 0, 0)}
        return [
            dem.Rectangle(
                (x, y, middle), across[where[0]], (0, 0, height), material=self.wall(), name=f"{name} {where}", **kept
            )
            for where, (x, y) in places.items()
        ]  # fmt: skip


def load(run: dem.Trajectory, name: str) -> np.ndarray:
    """Mean force from frame to frame on all walls with names that begin with `name` (T, 3) [N]."""
    return sum(wall.mean_force for wall in run.walls if wall.name.startswith(name))
