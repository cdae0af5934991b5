"""A rod clamped at one end swings under its own weight about the static deflection of beam theory."""

from __future__ import annotations

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class Cantilever(dem.Case):
    """A clamped rod of bonded slices is released under gravity; its tip swings about a deflection ρ A g L⁴/(8 E I)."""

    name = "cantilever"

    duration: PositiveFloat = Field(0.1, description="simulated time [s]")
    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    integrator: str = Field("splitting", description="rotational scheme; undamped bonds need one that adds no energy")
    diameter: PositiveFloat = Field(0.001, description="diameter of the rod [m]")
    length: PositiveFloat = Field(0.02, description="length of the rod [m]")
    segments: PositiveInt = Field(10, description="number of bonds")
    young: PositiveFloat = Field(1e7, description="Young's modulus of the bonds [Pa]")
    poisson: float = Field(0.3, ge=0, le=0.5, description="Poisson's ratio")
    damping: NonNegativeFloat = Field(0.0, le=1, description="damping of each bond, over critical damping")

    def build(self) -> tuple[dem.Particles, None]:
        """Slices of the rod; the last one is half as long as the others."""
        stuff, piece = dem.Material(young=1e7, poisson=0.3, density=1000.0), self.length / self.segments
        whole = dem.FibreSegment(diameter=self.diameter, length=piece)
        half = dem.FibreSegment(diameter=self.diameter, length=piece / 2)
        x = piece * np.arange(1, self.segments + 1)
        nodes = [whole] * (self.segments - 1) + [half]
        return dem.Particles(nodes, stuff, position=np.column_stack([x, 0 * x, 0 * x]), name="slice"), None

    def bonds(self) -> dem.Bonds:
        """Bonds from the ground, at the origin, to the tip."""
        pairs = [(0, -1)] + [(k, k + 1) for k in range(self.segments - 1)]
        return dem.Bonds(
            pairs, ground=[(0.0, 0.0, 0.0)], young=self.young, poisson=self.poisson, diameter=self.diameter,
            damping=self.damping,
        )  # fmt: skip
