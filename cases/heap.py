"""A tube full of grains is lifted off a floor; the grains flow out and form a heap."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from dem.cases.shared.grains import Grains
from pydantic import Field, PositiveFloat, PositiveInt

import dem

SETTLING = 0.15  # before the tube is lifted [s]


class Heap(Grains):
    """Grains flow out below a lifted tube and form a heap."""

    name = "heap"
    observable_names = ("angle_of_repose_deg", "angle_error_deg", "height_m", "base_m")

    n: PositiveInt = Field(600, description="number of grains")
    radius: PositiveFloat = Field(0.018, description="radius of the tube [m]")
    lift: PositiveFloat = Field(0.1, description="upward speed of the tube [m/s]")

    def walls(self) -> list[dem.Cylinder]:
        """The tube, which is lifted clear of the grains after they have settled."""
        height = self.tall()
        rise = dem.Motion(velocity=(0, 0, self.lift), start=SETTLING, stop=self.lifted)
        kept = {"material": self.material(), "motion": rise, "name": "tube"}
        return [dem.Cylinder((0, 0, 0), (0, 0, 1.2 * height), self.radius, **kept)]

    @property
    def lifted(self) -> float:
        """Time at which the tube is clear of the grains [s]."""
        return SETTLING + self.tall() / self.lift

    def tall(self) -> float:
        """Approximate height of the grains in the tube [m]."""
        inner = self.radius - 0.5 * self.diameter
        return 4 * self.diameter + self.n * self.diameter**3 / (6 * 0.37 * inner**2)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains in the tube, on a floor without end."""
        r, inner = self.radius, self.radius - 0.55 * self.diameter
        grains = self.grains(lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, 0), (r, r, 3 * self.tall()))
        far = 100 * r
        open_to = ["x-", "x+", "y-", "y+", "z+"]
        return grains, dem.Box((-far, -far, 0), (far, far, far), self.floor(), open=open_to)

    def floor(self) -> dem.Material:
        """Material of the floor."""
        return dem.Material(young=self.young, poisson=0.25, name="floor")

    def contacts(self) -> dem.Contacts:
        """Contact laws: grains neither slide nor roll on the floor."""
        held = dem.Contact(restitution=self.restitution, friction=2.0, rolling=dem.Rolling(friction=1.0))
        return dem.Contacts({(self.material(), self.floor()): held})

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Slope of the heap between 0.2 and 0.8 of its height, its height and foot; nan before the tube is clear.

        Heights are those above a single layer of grains, which lies about the foot and has no slope.
        """
        angle = error = height = base = math.nan
        if run.time[-1] >= self.lifted:
            spheres = run.spheres(-1)
            widest = np.hypot(*spheres.centres[:, :2].T).max()
            edges = self.diameter * np.arange(2 + int(widest / self.diameter))
            profile = dem.statistics.cone_profile(spheres, edges, centre=(0, 0))
            with suppress(ValueError):  # it is so flat that it has no flank
                (angle, error, *_), height, base = dem.statistics.heap_shape(profile, base=self.diameter)
        return {
            "angle_of_repose_deg": math.degrees(angle), "angle_error_deg": math.degrees(error), "height_m": height,
            "base_m": base,
        }  # fmt: skip
