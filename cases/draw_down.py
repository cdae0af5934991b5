"""Draw-down and ledge tests: grains leave a box through a slot or over a ledge; angles of the remaining slopes."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from dem.cases.shared.powder import Powder
from pydantic import Field, PositiveFloat, PositiveInt

import dem

SETTLING = 0.15  # before gates open [s]
OPENING = 1.0  # speed of gates [m/s]


class Slope(Powder):
    """Base of draw-down and ledge tests: grains in a box that is a periodic slice along y."""

    n: PositiveInt = Field(1100, description="number of grains")
    diameter: PositiveFloat = Field(3e-3, description="diameter of the grains [m]")
    width: PositiveFloat = Field(0.08, description="width of the box along x [m]")
    thickness: PositiveFloat = Field(0.012, description="thickness of the periodic slice along y [m]")

    def plate(self, low: float, high: float, z: float, **more: object) -> dem.Rectangle:
        """A horizontal plate from x = `low` to x = `high`."""
        return dem.Rectangle(
            (0.5 * (low + high), 0, z), (high - low, 0, 0), (0, self.thickness, 0), **({"material": self.wall()} | more)
        )

    def filled(self, low: float, high: float, floor: float) -> dem.Particles:
        """Grains above a floor, from x = `low` to x = `high`."""
        half = 0.5 * self.thickness
        tall = floor + 4 * self.diameter + 2 * self.n * self.diameter**3 / (self.thickness * (high - low))
        return self.grains(lambda x, _y, _z: x == x, (low, -half, floor), (high, half, tall))  # noqa: PLR0124, all

    def box(self, low: float, high: float, floor: float, top: float, *open_to: str) -> dem.Box:
        """The box: periodic along y and open at the top."""
        half = 0.5 * self.thickness
        return dem.Box((low, -half, floor), (high, half, top), self.wall(), periodic=["y"], open=["z+", *open_to])

    def profile(self, spheres: dem.statistics.Spheres, low: float, high: float) -> dem.statistics.Profile:
        """Height profile of the surface between two values of x, in columns one diameter wide."""
        edges = np.linspace(low, high, 1 + max(2, round((high - low) / self.diameter)))
        return dem.statistics.height_profile(spheres, edges)


def flank(profile: dem.statistics.Profile, base: float, *, falls: int) -> float:
    """Slope angle of a surface that descends towards +x or -x [deg]; nan if the surface is flat."""
    edges, value = (profile.edges, profile.value) if falls > 0 else (-profile.edges[::-1], profile.value[::-1])
    with suppress(ValueError):
        return math.degrees(dem.statistics.heap_shape(dem.statistics.Profile(edges, value), base=base).slope.angle)
    return math.nan


def among(spheres: dem.statistics.Spheres, chosen: np.ndarray) -> dem.statistics.Spheres:
    """Select spheres by a mask."""
    return dem.statistics.Spheres(*(part[chosen] for part in spheres[:3]))


class DrawDown(Slope):
    """Draw-down test: grains flow from an upper box through a slot in its floor into a lower box (Coetzee 2017)."""

    name = "draw-down"
    observable_names = ("upper_angle_deg", "lower_angle_deg", "left_kg", "rate_kg_per_s")

    duration: PositiveFloat = Field(1.2, description="simulated time [s]")
    slot: PositiveFloat = Field(0.02, description="width of the slot [m]")
    drop: PositiveFloat = Field(0.06, description="height of the slot above the floor of the lower box [m]")

    def walls(self) -> list[dem.Rectangle]:
        """Floor of the upper box, and two gates half a diameter below it that open the slot."""
        half, gap = 0.5 * self.width, 0.5 * self.slot
        shelves = [self.plate(-half, -gap, 0.0, name="shelf"), self.plate(gap, half, 0.0, name="shelf")]
        gates = []
        for side in (-1, 1):
            away = dem.Motion(velocity=(side * OPENING, 0, 0), start=SETTLING, stop=SETTLING + 1.5 * gap / OPENING)
            low, high = sorted((0.0, side * gap))
            gates.append(self.plate(low, high, -0.5 * self.diameter, motion=away, name="gate"))
        return [*shelves, *gates]

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains in the upper box."""
        half = 0.5 * self.width
        grains = self.filled(-half, half, 0.0)
        return grains, self.box(-half, half, -self.drop, 10 * self.width)

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Slope angles in the upper box and of the heap below, means of both sides; remaining mass, discharge rate."""
        spheres, time, mass = run.spheres(-1), run.time, run.mass
        half, gap = 0.5 * self.width, 0.5 * self.slot
        above, below = (among(spheres, chosen) for chosen in (spheres.centres[:, 2] > 0, spheres.centres[:, 2] <= 0))
        sides, layer = (-1, 1), self.diameter  # angles are those of what lies above a single layer
        shelves = [self.profile(above, *sorted((side * gap, side * half))) for side in sides]
        upper = [flank(each, layer, falls=-side) for each, side in zip(shelves, sides, strict=True)]
        heap = [self.profile(below, *sorted((0.0, side * half))) for side in sides]
        lower = [flank(each, layer - self.drop, falls=side) for each, side in zip(heap, sides, strict=True)]
        flow = dem.statistics.mass_flow(time, run.position, mass, (0, 0, 0), (0, 0, -1))
        moved = flow.total > 0.1 * flow.total[-1]
        late = flow.total > 0.9 * flow.total[-1]
        a, b = int(moved.argmax()), int(late.argmax())
        rate = (flow.total[b] - flow.total[a]) / (time[b] - time[a]) if b > a else math.nan
        return {
            "upper_angle_deg": 0.5 * sum(upper), "lower_angle_deg": 0.5 * sum(lower),
            "left_kg": float(mass.sum() - flow.total[-1]), "rate_kg_per_s": float(rate),
        }  # fmt: skip


class Ledge(Slope):
    """One side of a box is lifted, and grains fall over the ledge until a stable slope remains."""

    name = "ledge"
    observable_names = ("angle_deg", "left_kg")

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    n: PositiveInt = Field(1000, description="number of grains")
    width: PositiveFloat = Field(0.05, description="width of the box along x [m]")
    drop: PositiveFloat = Field(0.05, description="height of the ledge above the floor [m]")

    def walls(self) -> list[dem.Rectangle]:
        """The ledge, and the side that is lifted."""
        tall = self.tall()
        up = dem.Motion(velocity=(0, 0, OPENING), start=SETTLING, stop=SETTLING + tall / OPENING)
        side = dem.Rectangle(
            (self.width, 0, 0.5 * tall), (0, self.thickness, 0), (0, 0, tall), material=self.wall(), motion=up,
            name="gate",
        )  # fmt: skip
        return [self.plate(0.0, self.width, 0.0, name="ledge"), side]

    def tall(self) -> float:
        """Approximate initial height of the grains [m]."""
        return 6 * self.diameter + 2 * self.n * self.diameter**3 / (self.thickness * self.width)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains on the ledge."""
        grains = self.filled(0.0, self.width, 0.0)
        return grains, self.box(0.0, 100 * self.width, -self.drop, 10 * self.width, "x+")

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Angle of the slope on the ledge, and mass that remains there."""
        spheres = run.spheres(-1)
        on = (spheres.centres[:, 2] > 0) & (spheres.centres[:, 0] < self.width)
        profile = self.profile(among(spheres, on), 0.0, self.width)
        left = float(run.mass[spheres.owner[on]].sum())
        return {"angle_deg": flank(profile, self.diameter, falls=1), "left_kg": left}
