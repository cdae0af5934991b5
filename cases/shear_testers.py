"""Rotational shear testers, annular cell and shear head: preshear, shear to failure, yield locus."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.shear_to_failure import ShearToFailure
from pydantic import Field, PositiveFloat, PositiveInt, model_validator

import dem

SEGMENTS = 64  # of a ring in the mesh of the lid


class RotationalShear(ShearToFailure):
    """Base of rotational shear testers: grains between a rotating cell and a loaded lid, both with vanes.

    Some devices turn the lid in place of the cell; only their relative motion counts.
    """

    clearance: PositiveFloat = Field(1e-3, description="gap between the lid and the walls of the cell [m]")
    vanes: PositiveInt = Field(16, description="number of vanes on the floor, and as many below the lid")
    vane_height: PositiveFloat = Field(2e-3, description="height of a vane [m]")

    @model_validator(mode="after")
    def _has_room(self) -> RotationalShear:
        """Refuse a cell that is too small for its grains."""
        near, far = self.rim
        if not (near < far and (not self.inner or self.clearance < self.inner < self.outer)):
            message = (
                f"the lid from {self.inner:g} to {self.outer:g} m leaves no room for grains of {self.diameter:g} m"
            )
            raise ValueError(message)
        return self

    @property
    def outer(self) -> float:
        """Outer radius of the lid [m]."""
        raise NotImplementedError

    @property
    def inner(self) -> float:
        """Inner radius of the lid [m]; 0 for a disc."""
        return 0.0

    @property
    def area(self) -> float:
        """Area of the lid [m²]."""
        return math.pi * (self.outer**2 - self.inner**2)

    @property
    def rim(self) -> tuple[float, float]:
        """Smallest and largest radius of grain centres in the cell [m]."""
        far, room = self.outer + self.clearance, 0.55 * self.diameter
        return (self.inner - self.clearance + room if self.inner else 0.0), far - room

    @property
    def start(self) -> float:
        """Height of the lid above the loose grains [m]."""
        near, far = self.rim
        return 2 * self.vane_height + self.diameter + self.piled(math.pi * (far**2 - near**2))

    def turning(self) -> dem.Motion:
        """Rotation of the cell about z."""
        radius = 2 / 3 * (self.outer**3 - self.inner**3) / (self.outer**2 - self.inner**2)  # mean over the lid
        return dem.Motion(table=[(time, 0.0, 0.0, 0.0, way / radius) for time, way in self.displacements()])

    def sheets(self, inner: float, outer: float, low: float) -> list[tuple[np.ndarray, np.ndarray]]:
        """Vertical vanes between two radii above a height, each of two triangles."""
        made = []
        for angle in 2 * math.pi * (0.5 + np.arange(self.vanes)) / self.vanes:
            x, y = math.cos(angle), math.sin(angle)
            corners = [(r * x, r * y, z) for z in (low, low + self.vane_height) for r in (inner, outer)]
            made.append((np.array(corners), np.array([(0, 1, 3), (0, 3, 2)])))
        return made

    def mesh(self, parts: list[tuple[np.ndarray, np.ndarray]], **wall: object) -> dem.Mesh:
        """One mesh of several sheets."""
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
        """Mean normal and shear stress between frames at the lower edge of the lid's vanes (T,), (T,) [Pa]."""
        lid = next(wall for wall in run.walls if wall.name == "lid")
        edge = lid.position[:, 2] - 0.5 * self.vane_height  # the position is that of the middle
        above = np.array([run.mass[run.position[k][:, 2] > edge[k]].sum() for k in range(len(run))])
        normal = (lid.mean_force[:, 2] - self.gravity[2] * above) / self.area
        return normal, dem.statistics.torsional_stress(lid.mean_torque[:, 2], self.outer, self.inner)


class RingShear(RotationalShear):
    """Ring shear tester, smaller than Schulze's small one (24 cm²): preshear, shear to failure, yield locus."""

    name = "ring-shear"

    n: PositiveInt = Field(1200, description="number of grains; it determines the height of the sample")
    diameter: PositiveFloat = Field(2.5e-3, description="diameter of the grains [m]")
    inner_radius: PositiveFloat = Field(0.01, description="inner radius of the lid [m]; 16 mm in the device")
    outer_radius: PositiveFloat = Field(0.022, description="outer radius of the lid [m]; 32 mm in the device")

    @property
    def outer(self) -> float:
        """Outer radius of the lid [m]."""
        return self.outer_radius

    @property
    def inner(self) -> float:
        """Inner radius of the lid [m]."""
        return self.inner_radius


class ShearHead(RotationalShear):
    """Shear head of a powder rheometer: a vaned head of 48 mm in a vessel of 50 mm, yield locus."""

    name = "shear-head"

    n: PositiveInt = Field(1200, description="number of grains; it determines the height of the sample")
    diameter: PositiveFloat = Field(3.2e-3, description="diameter of the grains [m]")
    radius: PositiveFloat = Field(0.024, description="radius of the head [m]")
    vane_height: PositiveFloat = Field(3e-3, description="height of a vane [m]")

    @property
    def outer(self) -> float:
        """Radius of the head [m]."""
        return self.radius
