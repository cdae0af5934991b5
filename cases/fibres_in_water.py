"""Nine fibres fall through water: test 2 of Zhao & van Wachem (2013) in a box filled with water."""

from __future__ import annotations

from dem.cases.nine_fibres import NineFibres
from pydantic import Field, PositiveFloat

import dem


class FibresInWater(NineFibres):
    """Nine fibres are thrown through a box of water, slow down, and settle (after Zhao & van Wachem 2013, test 2)."""

    name = "fibres-in-water"

    duration: PositiveFloat = Field(3.0, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    restitution: float = Field(0.6, gt=0, le=1, description="coefficient of restitution")
    friction: float = Field(0.3, ge=0, description="coefficient of friction between particles")
    fluid_density: PositiveFloat = Field(1000.0, description="density of the fluid [kg/m3]")
    viscosity: PositiveFloat = Field(1e-3, description="dynamic viscosity of the fluid [Pa s]")
    drag: str = Field("schiller-naumann", description="drag law")

    def fluid(self) -> dem.Fluid:
        """Water at rest."""
        return dem.Fluid(density=self.fluid_density, viscosity=self.viscosity, drag=self.drag)
