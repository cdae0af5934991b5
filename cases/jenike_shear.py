"""Jenike's translational shear tester: a ring is pushed over a base, under a lid with a load."""

from __future__ import annotations

import math

import numpy as np
from dem.cases.shared.powder import load
from dem.cases.shared.shear_to_failure import ShearToFailure
from pydantic import Field, PositiveFloat, PositiveInt, model_validator

import dem

GAP = 0.1  # between base and ring, in diameters of a grain


class JenikeShear(ShearToFailure):
    """Small Jenike shear tester with base, ring and lid: preshear, shear to failure, yield locus.

    The device takes a new sample for each failure. Here the ring returns under the normal stress of preshear, and the
    next preshear makes the same steady flow again.
    """

    name = "jenike-shear"
    returns = True

    duration: PositiveFloat = Field(0.6, description="simulated time [s]; after the last failure nothing moves")
    n: PositiveInt = Field(1200, description="number of grains; it determines the height of the sample")
    diameter: PositiveFloat = Field(2.5e-3, description="diameter of the grains [m]")
    radius: PositiveFloat = Field(0.02, description="inner radius of base and ring [m]; 47.6 mm in the device")
    base_height: PositiveFloat = Field(
        6e-3, description="height of the base, up to the shear plane [m]; 13 mm in the device"
    )
    rim: PositiveFloat = Field(5e-3, description="width of the walls of base and ring, which touch [m]")
    speed: PositiveFloat = Field(0.04, description="speed of the ring [m/s]")
    preshear: PositiveFloat = Field(3.5e-3, description="shear displacement of preshear [m]")

    @model_validator(mode="after")
    def _stays_closed(self) -> JenikeShear:
        """Refuse a ring that opens a gap for grains, or that contains no grains."""
        if self.preshear + self.shear > self.rim:
            message = f"the ring moves by preshear and shear, {self.preshear + self.shear:g} m"
            raise ValueError(f"{message}, over a rim of {self.rim:g} m: expected less")
        if not 0.55 * self.diameter < self.radius:
            message = f"a cell with a radius of {self.radius:g} m has no room for grains of {self.diameter:g} m"
            raise ValueError(message)
        filled = 0.9 * self.n * self.diameter**3 / (math.pi * self.radius**2)
        if filled < self.base_height + self.diameter:
            message = f"n is {self.n}: the sample is some {filled:.2g} m high"
            raise ValueError(f"{message}, expected more than the base_height of {self.base_height:g} m and a grain")
        return self

    @property
    def area(self) -> float:
        """Cross-section of the cell [m²]."""
        return math.pi * self.radius**2

    @property
    def start(self) -> float:
        """Height of the lid above the loose grains [m]."""
        return self.diameter + self.piled(math.pi * (self.radius - 0.55 * self.diameter) ** 2)

    def walls(self) -> list[dem.Cylinder | dem.Mesh | dem.Disc]:
        """Base, ring and lid, and the rims on which the ring slides."""
        push = dem.Motion(table=[(time, way, 0.0, 0.0) for time, way in self.displacements()])
        r, stuff, half = self.radius, self.wall(), 0.5 * GAP * self.diameter
        low, high = self.base_height - half, self.base_height + half
        base = dem.Cylinder((0, 0, 0), (0, 0, low), r, ends="start", material=stuff, name="base")
        ring = dem.Cylinder(
            (0, 0, high), (0, 0, self.start + self.diameter), r, ends="none", material=stuff, motion=push, name="ring"
        )
        rims = [
            dem.Mesh.turned([(r, z), (r + self.rim, z)], material=stuff, name=f"{wall.name} rim", motion=wall.motion)
            for wall, z in ((base, low), (ring, high))
        ]
        lid = dem.Disc((0, 0, self.start), (0, 0, -1), r, material=stuff, motion=push, servo=self.servo(), name="lid")
        return [base, ring, *rims, lid]

    def build(self) -> tuple[dem.Particles, None]:
        """Loose grains in base and ring."""
        r, inner = self.radius, self.radius - 0.55 * self.diameter
        return self.grains(lambda x, y, _z: np.hypot(x, y) < inner, (-r, -r, 0), (r, r, self.start)), None

    def traces(self, run: dem.Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Mean normal and shear stress between frames in the plane of shear (T,), (T,) [Pa].

        They are the load on ring and lid and the weight of the grains above the plane, over the area of the cell.
        """
        upper = load(run, "ring") + load(run, "lid")
        above = np.array([run.mass[run.position[k][:, 2] > self.base_height].sum() for k in range(len(run))])
        return (upper[:, 2] - self.gravity[2] * above) / self.area, -upper[:, 0] / self.area
