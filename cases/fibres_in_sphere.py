"""Test 2 of Zhao & van Wachem, Acta Mech. 224 (2013) 3091, nine fibres, in a hollow ball in place of the cube."""

from __future__ import annotations

from dem.cases.nine_fibres import NineFibres
from pydantic import Field, PositiveFloat

import dem


class FibresInSphere(NineFibres):
    """Nine fibres are thrown through a hollow ball."""

    name = "fibres-in-sphere"

    radius: PositiveFloat = Field(0.5, description="radius of the hollow ball [m]")

    def walls(self) -> list[dem.Ball]:
        """The hollow ball, in place of the cube."""
        return [dem.Ball((0.5, 0.5, 0.5), self.radius, inside=True, material=self.wall())]

    def build(self) -> tuple[dem.Particles, None]:
        """Nine fibres, and no box."""
        return super().build()[0], None
