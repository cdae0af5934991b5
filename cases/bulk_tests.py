"""Bulk tests of powders: poured and tapped density, uniaxial compression with unconfined strength, direct shear."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from dem.cases.shared.powder import Powder, load
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

import dem

SETTLING = 0.2  # before anything moves [s]
SIDEWAYS = 0.5  # speed of the sides that set a sample free [m/s]


class BulkDensity(Powder):
    """Grains fall into a cylinder, which is then tapped."""

    name = "bulk-density"
    observable_names = ("poured_kg_per_m3", "tapped_kg_per_m3", "hausner_ratio")

    duration: PositiveFloat = Field(1.2, description="simulated time [s]")
    n: PositiveInt = Field(600, description="number of grains")
    radius: PositiveFloat = Field(0.02, description="radius of the cylinder [m]")
    poured: PositiveFloat = Field(0.5, description="time for the grains to come to rest [s]")
    amplitude: PositiveFloat = Field(1e-3, description="amplitude of tapping [m]")
    frequency: PositiveFloat = Field(30.0, description="frequency of tapping [Hz]")
    taps: PositiveInt = Field(15, description="number of taps")

    def walls(self) -> list[dem.Cylinder]:
        """The cylinder, which is tapped vertically after the grains have come to rest."""
        tapping = dem.Motion(
            amplitude=(0, 0, self.amplitude), frequency=self.frequency, start=self.poured,
            stop=self.poured + self.taps / self.frequency,
        )  # fmt: skip
        return [
            dem.Cylinder(
                (0, 0, 0), (0, 0, self.tall()), self.radius, ends="start", material=self.wall(), motion=tapping,
                name="cylinder",
            )
        ]  # fmt: skip

    def tall(self) -> float:
        """Height of the cylinder [m]."""
        return 10 * self.diameter + 3 * self.n * self.diameter**3 / (math.pi * self.radius**2)

    def build(self) -> tuple[dem.Particles, None]:
        """Loose grains in the cylinder."""
        inner, r = self.radius - 0.55 * self.diameter, self.radius
        return self.grains(lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, self.diameter), (r, r, self.tall())), None

    def bulk_density(self, run: dem.Trajectory, frame: int) -> float:
        """Bulk density of the bed between 0.1 and 0.7 of its height [kg/m³]."""
        spheres = run.spheres(frame)
        top = float(np.quantile(spheres.centres[:, 2], 0.95)) + 0.5 * self.diameter
        half = 0.5 * math.sqrt(math.pi) * self.radius  # of a square as large as the cylinder
        low, high = (-half, -half, 0.1 * top), (half, half, 0.7 * top)
        return self.density * float(dem.statistics.solid_fraction(spheres, low, high, bins=1).value[0])

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Bulk densities before and after tapping, and their ratio (Hausner ratio)."""
        before = int(np.flatnonzero(run.time <= self.poured)[-1])
        poured, tapped = self.bulk_density(run, before), self.bulk_density(run, -1)
        return {"poured_kg_per_m3": poured, "tapped_kg_per_m3": tapped, "hausner_ratio": tapped / poured}


class Sample(Powder):
    """Grains in a square box with four separate side walls."""

    n: PositiveInt = Field(500, description="number of grains")
    width: PositiveFloat = Field(0.032, description="width of the box [m]")

    def tall(self) -> float:
        """Approximate height to which the grains are placed [m]."""
        return 3 * self.diameter + 1.6 * self.n * self.diameter**3 / self.width**2

    def build(self) -> tuple[dem.Particles, None]:
        """Loose grains in the box."""
        half, inner = 0.5 * self.width, 0.5 * self.width - 0.55 * self.diameter
        return self.grains(
            lambda x, y, _z: np.maximum(abs(x), abs(y)) < inner, (-half, -half, 0), (half, half, 2 * self.tall())
        ), None

    def floor(self) -> dem.Plane:
        """Floor under the sample."""
        return dem.Plane((0, 0, 0), (0, 0, 1), material=self.wall(), name="floor")


class UniaxialCompression(Sample):
    """Grains are compressed in a box, the sides are removed, and a second compression crushes the free sample."""

    name = "uniaxial-compression"
    observable_names = ("consolidation_stress_Pa", "unconfined_strength_Pa", "flow_function", "compressed_kg_per_m3")

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    adhesion: NonNegativeFloat = Field(4.0, description="work of adhesion of grains (JKR) [J/m2]; 0: none")
    height: PositiveFloat = Field(0.034, description="height of the sample at maximum compression [m]")
    speed: PositiveFloat = Field(0.1, description="speed of the piston [m/s]")

    @model_validator(mode="after")
    def _check_height(self) -> UniaxialCompression:
        """Refuse a sample that the piston would not reach on its way down."""
        if not self.height < self.tall() + 4 * self.diameter:
            message = f"height is {self.height:g} m, expected less than that of the piston at the start"
            raise ValueError(f"{message}, {self.tall() + 4 * self.diameter:.3g} m: raise n, or lower height")
        return self

    def stations(self) -> tuple[float, float, float, float]:
        """Times [s]: piston lowest, piston raised, start of the second compression, end of the second compression."""
        lowest = SETTLING + (self.tall() + 4 * self.diameter - self.height) / self.speed
        free = lowest + 0.5 * self.diameter / self.speed
        crush = free + 0.1
        return lowest, free, crush, crush + 0.5 * self.height / self.speed

    def walls(self) -> list:
        """Floor, piston, and sides that move away once the piston is raised."""
        lowest, free, crush, end = self.stations()
        top, start = self.tall() + 4 * self.diameter, SETTLING
        down, up = self.height - top, self.height - top + 0.5 * self.diameter
        rows = [(0, 0, 0, 0), (lowest - start, 0, 0, down), (free - start, 0, 0, up), (crush - start, 0, 0, up)]
        rows.append((end - start, 0, 0, up - 0.5 * self.height))
        piston = dem.Plane(
            (0, 0, top), (0, 0, -1), material=self.wall(), motion=dem.Motion(table=rows, start=start), name="piston"
        )
        sides = []
        for wall in self.sides(self.width, 0.0, 2 * top, "side"):
            x, y, _ = SIDEWAYS * np.sign(wall.centre)
            gone = dem.Motion(velocity=(x, y, 0.0), start=free, stop=free + 0.1)
            sides.append(replace(wall, motion=gone))
        return [self.floor(), piston, *sides]

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Largest stress of each compression, their ratio (flow function), and the bulk density under compression.

        The strength is nan if the run ends before the free sample has been crushed.
        """
        _, free, crush, end = self.stations()
        stress, time = load(run, "piston")[:, 2] / self.width**2, np.asarray(run.time)
        major = float(stress[time <= free].max())
        strength = float(stress[time > crush].max(initial=0.0)) if time[-1] >= end else math.nan
        volume = self.width**2 * self.height
        return {
            "consolidation_stress_Pa": major, "unconfined_strength_Pa": strength,
            "flow_function": major / strength if strength > 0 else math.nan,
            "compressed_kg_per_m3": float(run.mass.sum()) / volume,
        }  # fmt: skip


class DirectShear(Sample):
    """The upper half of a shear box is pushed over the lower half under a given normal stress."""

    name = "direct-shear"
    observable_names = ("peak_shear_stress_Pa", "shear_stress_Pa", "normal_stress_Pa", "friction_angle_deg")

    duration: PositiveFloat = Field(0.7, description="simulated time [s]")
    normal_stress: PositiveFloat = Field(2e3, description="normal stress on the lid [Pa]")
    speed: PositiveFloat = Field(0.02, description="speed of the upper half [m/s]")
    consolidated: PositiveFloat = Field(0.3, description="time at which shear begins [s]")

    @property
    def middle(self) -> float:
        """Height of the plane of shear [m]."""
        return 0.4 * self.n * self.diameter**3 / self.width**2

    def walls(self) -> list:
        """Floor and lower sides at rest, upper sides and lid that move along the plane of shear."""
        top, push = 2 * self.tall(), dem.Motion(velocity=(self.speed, 0, 0), start=self.consolidated)
        servo = dem.Servo(force=self.normal_stress * self.width**2, axis=(0, 0, -1), fastest=0.2)
        lid = dem.Plane((0, 0, top), (0, 0, -1), material=self.wall(), motion=push, servo=servo, name="lid")
        gap = 0.1 * self.diameter
        lower = self.sides(self.width, 0.0, self.middle - 0.5 * gap, "lower")
        upper = self.sides(self.width, self.middle + 0.5 * gap, top, "upper", motion=push)
        return [self.floor(), lid, *lower, *upper]

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Peak and final shear stress, normal stress in the plane of shear, and the angle of friction."""
        time = np.asarray(run.time)
        pushed = load(run, "upper") + load(run, "lid")
        shear = -pushed[:, 0] / self.width**2
        above = [run.mass[run.position[k][:, 2] > self.middle].sum() for k in range(len(run))]
        normal = (pushed[:, 2] - self.gravity[2] * np.array(above)) / self.width**2
        width = max(1, len(time) // 20)
        smooth = np.convolve(shear, np.full(width, 1 / width), mode="same")
        sheared = time > self.consolidated
        late = time > time[-1] - 0.3 * (time[-1] - self.consolidated)
        steady, pressed = float(shear[late].mean()), float(normal[late].mean())
        return {
            "peak_shear_stress_Pa": float(smooth[sheared].max()), "shear_stress_Pa": steady,
            "normal_stress_Pa": pressed, "friction_angle_deg": math.degrees(math.atan2(steady, pressed)),
        }  # fmt: skip
