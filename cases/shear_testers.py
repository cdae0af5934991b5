"""Rotational shear testers, an annular cell and a head in a vessel: preshear, shear to failure, yield locus."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from dem.cases.shared.powder import Powder
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

import dem

FALLING, GAIN = 0.2, 0.2  # largest speed of the lid [m/s], and gain of its servo
SEGMENTS = 64  # of a ring in the mesh of the lid
LOCUS = (
    "consolidation_stress_Pa", "unconfined_strength_Pa", "flow_function", "cohesion_Pa", "internal_friction_deg",
    "effective_friction_deg", "steady_friction_deg",
)  # fmt: skip


class Station(NamedTuple):
    """A part of the test: until when it lasts, how far the cell turns, and what the lid presses with."""

    name: str
    start: float  # [s]
    end: float  # [s]
    way: float  # at the mean radius [m]
    stress: float  # [Pa]


class RotationalShear(Powder):
    """Grains between a cell that turns and a lid that presses; both have vanes.

    The sample is presheared to steady flow, and sheared to failure under a smaller normal stress, once for each of
    these stresses. Of cell and lid either turns in devices: only their relative motion counts.
    """

    duration: PositiveFloat = Field(0.52, description="simulated time [s]; after the last station nothing turns")
    young: PositiveFloat = Field(2e6, description="Young's modulus of grains and walls [Pa]")
    frames: PositiveInt = Field(200, description="frames written after the first")
    clearance: PositiveFloat = Field(1e-3, description="of the lid from the walls of the cell [m]")
    vanes: PositiveInt = Field(16, description="number of them, on the floor and below the lid")
    vane_height: PositiveFloat = Field(2e-3, description="[m]")
    preshear_stress: PositiveFloat = Field(2e3, description="normal stress of preshear [Pa]")
    normal_stresses: tuple[PositiveFloat, ...] = Field((700.0, 1400.0), description="of shear to failure [Pa]")
    speed: PositiveFloat = Field(0.03, description="of shear, at the mean radius [m/s]")
    preshear: PositiveFloat = Field(3e-3, description="way of preshear, at the mean radius [m]")
    shear: PositiveFloat = Field(1.2e-3, description="way of shear to failure, at the mean radius [m]")
    release: NonNegativeFloat = Field(3e-4, description="way back before the normal stress is reduced [m]")
    rest: NonNegativeFloat = Field(0.03, description="between a smaller normal stress and shear to failure [s]")
    consolidated: PositiveFloat = Field(0.15, description="when the first preshear begins [s]")

    @model_validator(mode="after")
    def _has_room(self) -> RotationalShear:
        """Refuse a cell without room, and failure under more than preshear."""
        near, far = self.rim
        if not (near < far and (not self.inner or self.clearance < self.inner < self.outer)):
            message = (
                f"the lid from {self.inner:g} to {self.outer:g} m leaves no room for grains of {self.diameter:g} m"
            )
            raise ValueError(message)
        if not self.normal_stresses or max(self.normal_stresses) >= self.preshear_stress:
            message = f"normal_stresses are {self.normal_stresses}, expected some below {self.preshear_stress:g} Pa"
            raise ValueError(f"{message}, the preshear_stress")
        return self

    @property
    def observable_names(self) -> tuple[str, ...]:
        """A failure for each normal stress, and what follows from all."""
        failures = (f"failure_{k}_Pa" for k in range(1, len(self.normal_stresses) + 1))
        return (*failures, "preshear_Pa", *LOCUS)

    @property
    def outer(self) -> float:
        """Outer radius of the lid [m]."""
        raise NotImplementedError

    @property
    def inner(self) -> float:
        """Inner radius of the lid [m]; 0 of a disc."""
        return 0.0

    @property
    def area(self) -> float:
        """Of the lid [m²]."""
        return math.pi * (self.outer**2 - self.inner**2)

    @property
    def rim(self) -> tuple[float, float]:
        """Radii between which the middles of grains may be [m]."""
        far, room = self.outer + self.clearance, 0.55 * self.diameter
        return (self.inner - self.clearance + room if self.inner else 0.0), far - room

    @property
    def start(self) -> float:
        """Height of the lid above the loose grains [m]."""
        near, far = self.rim
        return 2 * self.vane_height + self.diameter + self.piled(math.pi * (far**2 - near**2))

    def stations(self) -> list[Station]:
        """Parts of the test, from the first preshear on."""
        found, time = [], self.consolidated
        for stress in self.normal_stresses:
            for name, way, pressed in (
                ("preshear", self.preshear, self.preshear_stress), ("release", -self.release, self.preshear_stress),
                ("rest", 0.0, stress), ("failure", self.shear, stress),
            ):  # fmt: skip
                lasts = abs(way) / self.speed if way else self.rest
                found.append(Station(name, time, time + lasts, way, pressed))
                time = found[-1].end
        return found

    def turning(self) -> dem.Motion:
        """Of the cell about z."""
        radius = 2 / 3 * (self.outer**3 - self.inner**3) / (self.outer**2 - self.inner**2)  # mean of all its points
        rows, angle = [(0.0, 0.0, 0.0, 0.0, 0.0), (self.consolidated, 0.0, 0.0, 0.0, 0.0)], 0.0
        for each in self.stations():
            angle += each.way / radius
            if each.end > rows[-1][0]:
                rows.append((each.end, 0.0, 0.0, 0.0, angle))
        return dem.Motion(table=rows)

    def servo(self) -> dem.Servo:
        """Servo that presses the lid down."""
        changes = [(b.start, b.stress * self.area) for a, b in pairwise(self.stations()) if a.stress != b.stress]
        force = self.preshear_stress * self.area
        return dem.Servo(force=force, axis=(0, 0, -1), fastest=FALLING, gain=GAIN, schedule=changes)

    def sheets(self, inner: float, outer: float, low: float) -> list[tuple[np.ndarray, np.ndarray]]:
        """Upright vanes from one radius to another, each of two triangles, above a height."""
        made = []
        for angle in 2 * math.pi * (0.5 + np.arange(self.vanes)) / self.vanes:
            x, y = math.cos(angle), math.sin(angle)
            corners = [(r * x, r * y, z) for z in (low, low + self.vane_height) for r in (inner, outer)]
            made.append((np.array(corners), np.array([(0, 1, 3), (0, 3, 2)])))
        return made

    def mesh(self, parts: list[tuple[np.ndarray, np.ndarray]], **wall: object) -> dem.Mesh:
        """One wall of several sheets."""
        first = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
        triangles = [rows + k for (_, rows), k in zip(parts, first, strict=False)]
        vertices = np.concatenate([vertices for vertices, _ in parts])
        return dem.Mesh(vertices, np.concatenate(triangles), material=self.wall(), **wall)

    def lid(self) -> dem.Mesh:
        """A ring with vanes below it."""
        ring = dem.Mesh.turned(
            [(self.inner, self.start), (self.outer, self.start)], segments=SEGMENTS, material=self.wall()
        )
        low = max(self.inner, 0.1 * self.outer)
        vanes = self.sheets(low, self.outer, self.start - self.vane_height)
        return self.mesh([(ring.vertices, ring.triangles), *vanes], servo=self.servo(), name="lid")

    def walls(self) -> list[dem.Cylinder | dem.Mesh]:
        """Cell, vanes on its floor, and the lid."""
        top, turning, stuff = 2 * self.start, self.turning(), self.wall()
        outside, inside = self.outer + self.clearance, self.inner and self.inner - self.clearance
        cell = dem.Cylinder((0, 0, 0), (0, 0, top), outside, ends="start", material=stuff, motion=turning, name="cell")
        vanes = self.sheets(max(inside, 0.1 * outside), outside, 0.0)
        walls = [cell, self.mesh(vanes, motion=turning, name="floor vanes"), self.lid()]
        if inside:
            core = dem.Cylinder(
                (0, 0, 0), (0, 0, top), inside, inside=False, ends="none", material=stuff, motion=turning, name="core"
            )
            walls.append(core)
        return walls

    def build(self) -> tuple[dem.Particles, None]:
        """Loose grains in the cell, between the vanes."""
        (near, far), edge = self.rim, self.outer + self.clearance
        low, top = self.vane_height + 0.1 * self.diameter, self.start - self.vane_height

        def between(x: np.ndarray, y: np.ndarray, _z: np.ndarray) -> np.ndarray:
            r = np.hypot(x, y)
            return (r < far) & (r >= near)

        return self.grains(between, (-edge, -edge, low), (edge, edge, top)), None

    def traces(self, run: dem.Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Mean normal and shear stress between frames, at the lower edge of the vanes of the lid (T,), (T,) [Pa]."""
        lid = next(wall for wall in run.walls if wall.name == "lid")
        edge = lid.position[:, 2] - 0.5 * self.vane_height  # the position is that of the middle
        above = np.array([run.mass[run.position[k][:, 2] > edge[k]].sum() for k in range(len(run))])
        normal = (lid.mean_force[:, 2] - self.gravity[2] * above) / self.area
        return normal, dem.statistics.torsional_stress(lid.mean_torque[:, 2], self.outer, self.inner)

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Steady and failure stresses, and what the yield locus makes of them; nan if the run has ended too early."""
        time, (normal, shear) = np.asarray(run.time), self.traces(run)
        steady, failed = [], []
        for each in self.stations():
            during = (time > each.start) & (time <= each.end * (1 + 1e-9))
            if each.name == "preshear":
                during &= time > each.end - 0.3 * (each.end - each.start)
                steady.append((normal[during].mean(), shear[during].mean()) if during.any() else (math.nan, math.nan))
            elif each.name == "failure":
                k = int(np.where(during, shear, -math.inf).argmax())
                failed.append((normal[k], shear[k]) if during.any() else (math.nan, math.nan))
        (before, flowing), (pressed, peak) = np.array(steady).T, np.array(failed).T
        found = {f"failure_{k}_Pa": float(value) for k, value in enumerate(peak, start=1)}
        found |= {"preshear_Pa": float(flowing.mean())} | dict.fromkeys(LOCUS, math.nan)
        with suppress(ValueError):
            test = dem.statistics.shear_test(pressed, peak, before, flowing)
            values = (
                test.consolidation_stress, test.unconfined_strength, test.flow_function, test.locus.cohesion,
                math.degrees(test.locus.angle), math.degrees(test.effective_angle), math.degrees(test.steady_angle),
            )  # fmt: skip
            found |= {
                name: value if math.isfinite(value) else math.nan for name, value in zip(LOCUS, values, strict=True)
            }
        return found


class RingShear(RotationalShear):
    """An annular cell, a smaller one than of a small ring shear tester (Schulze; 24 cm²), with a yield locus."""

    name = "ring-shear"

    n: PositiveInt = Field(1200, description="number of grains; the sample is as high as they pile")
    diameter: PositiveFloat = Field(2.5e-3, description="of the grains [m]")
    inner_radius: PositiveFloat = Field(0.01, description="of the lid [m]; 16 mm in the device")
    outer_radius: PositiveFloat = Field(0.022, description="of the lid [m]; 32 mm in the device")

    @property
    def outer(self) -> float:
        """Outer radius of the lid [m]."""
        return self.outer_radius

    @property
    def inner(self) -> float:
        """Inner radius of the lid [m]."""
        return self.inner_radius


class ShearHead(RotationalShear):
    """A head of 48 mm with vanes in a vessel of 50 mm, as powder rheometers have it, with a yield locus."""

    name = "shear-head"

    n: PositiveInt = Field(1200, description="number of grains; the sample is as high as they pile")
    diameter: PositiveFloat = Field(3.2e-3, description="of the grains [m]")
    radius: PositiveFloat = Field(0.024, description="of the head [m]")
    vane_height: PositiveFloat = Field(3e-3, description="[m]")

    @property
    def outer(self) -> float:
        """Radius of the head [m]."""
        return self.radius
