"""Flow energies: a blade moves down and up through a powder on a helical path, as in a powder rheometer."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from dem.cases.shared.powder import Powder
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

import dem


class FlowEnergy(Powder):
    """A twisted blade moves down and up through a powder: basic flow energy, specific energy, stability.

    On its way down the leading face of the blade looks down and pushes the powder against the floor; on its way up the
    blade turns the other way round and lifts the powder. In cycles of conditioning it cuts through the powder on both
    ways. The excess that devices take off between conditioning and test stays.
    """

    name = "flow-energy"
    observable_names = ("flow_energy_mJ", "specific_energy_mJ_per_g", "first_flow_energy_mJ", "stability")

    duration: PositiveFloat = Field(1.4, description="simulated time [s]; after the last cycle the blade rests")
    young: PositiveFloat = Field(2e6, description="Young's modulus of grains and walls [Pa]")
    frames: PositiveInt = Field(200, description="frames written after the first")
    n: PositiveInt = Field(500, description="number of grains")
    diameter: PositiveFloat = Field(2.5e-3, description="diameter of the grains [m]")
    radius: PositiveFloat = Field(0.0125, description="radius of the vessel [m]")
    blade_radius: PositiveFloat = Field(0.01175, description="radius of the blade [m]")
    blade_height: PositiveFloat = Field(6e-3, description="width of the blade, perpendicular to its radius [m]")
    pitch: float = Field(20.0, ge=0, lt=90, description="angle of the blade about its own axis, in the middle [deg]")
    tip_pitch: float = Field(
        55.0, ge=0, lt=90, description="angle of the blade at its tips [deg]; the blade is twisted"
    )
    stl: str = Field("", description="STL file of a blade that turns about z; default: a blade made in code")
    scale: PositiveFloat = Field(1.0, description="length of a unit of the file `stl` [m]")
    top: PositiveFloat = Field(0.016, description="height of the middle of the blade at the ends of a cycle [m]")
    bottom: PositiveFloat = Field(6e-3, description="lowest height of the middle of the blade [m]")
    tip_speed: PositiveFloat = Field(0.1, description="speed of the blade tips along the helix [m/s]")
    helix: float = Field(10.0, gt=0, lt=90, description="helix angle of the path of the blade tips [deg]; 5 in devices")
    conditioning: NonNegativeInt = Field(
        0, description="number of conditioning cycles, which cut through the powder before the test"
    )
    cycles: PositiveInt = Field(1, description="number of test cycles; several of them give the stability")
    settling: PositiveFloat = Field(
        0.2, description="time before the first cycle [s]; the blade moves into place in its second half"
    )

    @model_validator(mode="after")
    def _fits(self) -> FlowEnergy:
        """Refuse a blade that touches the vessel."""
        tip = 0.5 * self.blade_height * math.sin(math.radians(self.tip_pitch))
        corner = self.blade_radius if self.stl else math.hypot(self.blade_radius, tip)
        half = 0.5 * self.blade_height * math.cos(math.radians(min(self.pitch, self.tip_pitch)))
        if not (corner < self.radius and half < self.bottom < self.top):
            message = f"a blade of {corner:.4g} m in a vessel of {self.radius:g} m goes from a top of {self.top:g} m"
            raise ValueError(
                f"{message} to a bottom of {self.bottom:g} m: expected a smaller blade, and a bottom below the top and "
                f"above half the height of the pitched blade, {half:.3g} m"
            )
        return self

    @property
    def start(self) -> float:
        """Height of the middle of the blade above the loose grains [m]."""
        return max(self.top, self.piled(math.pi * (self.radius - 0.55 * self.diameter) ** 2) + self.blade_height)

    def way(self) -> list[tuple[float, float, float, float, float]]:
        """Rows of the motion of the blade: time, displacement, angle."""
        drop, slope = self.top - self.bottom, math.radians(self.helix)
        lasts, turn = drop / (self.tip_speed * math.sin(slope)), drop / (math.tan(slope) * self.blade_radius)
        ready, angle = self.top - self.start, 0.0
        rows = [
            (0.0, 0.0, 0.0, 0.0, 0.0),
            (0.5 * self.settling, 0.0, 0.0, 0.0, 0.0),
            (self.settling, 0.0, 0.0, ready, 0.0),
        ]
        for k in range(self.conditioning + self.cycles):
            for depth in (drop, 0.0):
                angle += turn if depth and k >= self.conditioning else -turn
                rows.append((rows[-1][0] + lasts, 0.0, 0.0, ready - depth, angle))
        return rows

    def blade(self) -> dem.Mesh:
        """The blade above the powder."""
        wall = {"material": self.wall(), "motion": dem.Motion(table=self.way()), "name": "blade"}
        if self.stl:
            return dem.Mesh.from_file(self.stl, scale=self.scale, **wall)
        made = dem.Mesh.blades(
            self.blade_radius, self.blade_height, pitch=self.pitch, tip_pitch=self.tip_pitch, material=self.wall()
        )
        return dem.Mesh(made.vertices + np.array([0, 0, self.start]), made.triangles, **wall)

    def walls(self) -> list[dem.Cylinder | dem.Mesh]:
        """Vessel and blade."""
        vessel = dem.Cylinder(
            (0, 0, 0), (0, 0, 2 * self.start), self.radius, ends="start", material=self.wall(), name="vessel"
        )
        return [vessel, self.blade()]

    def build(self) -> tuple[dem.Particles, None]:
        """Loose grains below the blade."""
        inner, r = self.radius - 0.55 * self.diameter, self.radius
        under = float(self.blade().vertices[:, 2].min()) - 0.1 * self.diameter
        return self.grains(lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, 0), (r, r, under)), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Flow energies of the last cycle and of the first descent, and their ratio; nan for unfinished cycles."""
        blade = next(wall for wall in run.walls if wall.name == "blade")
        time, rows = np.asarray(run.time), self.way()[2 + 2 * self.conditioning :]
        middle = np.append(time[:1], 0.5 * (time[1:] + time[:-1]))  # of the times that forces are means of
        energies = []
        for k, (first, last) in enumerate(pairwise(rows)):
            inside = np.flatnonzero((middle > first[0]) & (middle < last[0]))
            if time[-1] < last[0] * (1 - 1e-9) or len(inside) < 2:
                energies.append(math.nan)
                continue
            sense, inside = 1 if k % 2 == 0 else -1, inside[[0, *range(len(inside)), -1]]
            height = np.interp(middle[inside], [first[0], last[0]], [first[3], last[3]])
            height[[0, -1]] = first[3], last[3]
            force, torque = sense * blade.mean_force[inside, 2], -sense * blade.mean_torque[inside, 2]
            slope = math.radians(self.helix)
            energies.append(dem.statistics.flow_energy(height, force, torque, self.blade_radius, slope))
        flow, specific = energies[-2], energies[-1] / float(run.mass.sum())
        return {
            "flow_energy_mJ": 1e3 * flow, "specific_energy_mJ_per_g": specific,
            "first_flow_energy_mJ": 1e3 * energies[0], "stability": flow / energies[0],
        }  # fmt: skip
