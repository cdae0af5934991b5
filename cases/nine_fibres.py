"""Nine falling fibres: test 2 of Zhao & van Wachem, Acta Mech. 224 (2013) 3091, Figs. 3 to 5.

3 x 3 fibres on the vertical plane z = 0.5 of a cube of 1 m, at x, y = 0.25, 0.5, 0.75, thrown with (1, -1, 0) m/s,
their axes in the plane at 75 degrees to the floor. The paper leaves open which axis is vertical and how the grid lies;
y is taken to be up, because with z up the given velocity would be horizontal.
"""

from __future__ import annotations

import math

from dem.cases.shared.one_material import FallingFibres
from pydantic import Field

import dem


class NineFibres(FallingFibres):
    """Nine fibres are thrown through a box (Zhao & van Wachem 2013, test 2, with y assumed to be up)."""

    name = "nine-fibres"

    gravity: tuple[float, float, float] = Field(
        (0.0, -9.81, 0.0), description="acceleration by gravity [m/s2]; y points up"
    )
    angle: float = Field(75.0, description="angle of the fibre axes to the floor [deg]")
    velocity: tuple[float, float, float] = Field((1.0, -1.0, 0.0), description="initial velocity [m/s]")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the 3 x 3 fibres and the unit cube."""
        grid = (0.25, 0.5, 0.75)
        half = math.radians(self.angle) / 2
        position = [(x, y, 0.5) for y in grid for x in grid]
        fibres = dem.Particles(
            self.fibre(),
            self.material(),
            position=position,
            orientation=[(math.cos(half), 0.0, 0.0, math.sin(half))] * 9,
            velocity=[self.velocity] * 9,
        )
        return fibres, self.box(1.0, 1.0, 1.0)
