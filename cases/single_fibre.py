"""One falling fibre: test 1 of Zhao & van Wachem, Acta Mech. 224 (2013) 3091, Fig. 2.

From rest in the middle of a cube of 1 m, its axis 30 degrees from the floor; z is up. The first touch of the floor is
at t = 0.316066548690 s: a fall by h = 0.5 - R - 2 s sin 30° with R = 0.005 m, s = 0.005 m.
"""

from __future__ import annotations

import math

from dem.cases.shared.one_material import FallingFibres
from pydantic import Field

import dem


class SingleFibre(FallingFibres):
    """One fibre falls from rest at an angle to the floor (Zhao & van Wachem 2013, test 1)."""

    name = "single-fibre"

    angle: float = Field(30.0, description="angle of the fibre axis to the floor [deg]")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build the fibre and the unit cube."""
        half = math.radians(self.angle) / 2
        lifted = (math.cos(half), 0.0, -math.sin(half), 0.0)  # about -y: body x turns towards +z
        fibre = dem.Particles(self.fibre(), self.material(), position=[(0.5, 0.5, 0.5)], orientation=[lifted])
        return fibre, self.box(1.0, 1.0, 1.0)
