"""Tables of inserters and outlets in case files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from dem.casefile.schema import key_types as key
from dem.casefile.schema.key_types import Table
from dem.casefile.schema.sizes import SizesTable
from dem.casefile.schema.walls import FreeTable, PIDTable, ServoTable, WallKeys
from dem.model.insertion import Inserter, Outlet
from dem.model.materials import Material

if TYPE_CHECKING:
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall


class RegionTable(Table, WallKeys):
    """``region``: a wall of any type, of which only the shape is used."""

    material: key.MaterialName | None = Field(None, description="not needed", examples=["glass"])

    servo: ServoTable | None = Field(
        None, description="for walls only", examples=[{"force": 1.0, "axis": [0.0, 0.0, -1.0]}]
    )
    pid: PIDTable | None = Field(
        None, description="for walls only", examples=[{"force": 1.0, "axis": [0.0, 0.0, -1.0], "fastest": 0.1}]
    )
    free: FreeTable | None = Field(None, description="for walls only", examples=[{"mass": 1.0}])

    @model_validator(mode="after")
    def _is_region(self) -> RegionTable:
        if self.type == "mesh":
            message = "a mesh is no region: take a block, cylinder, cone, ball, capsule, torus, revolution or disc"
            raise ValueError(message)
        return self

    def place(self) -> Wall:
        """Make the shape."""
        return self.build({self.material: Material(young=1.0, poisson=0.0)})


class InserterTable(Table):
    """``[[inserters]]``: regions where particles are inserted during the run."""

    shape: key.ShapeName = Field(description="name of a shape", examples=["bead"])
    material: key.MaterialName = Field(description="name of a material", examples=["glass"])
    region: RegionTable = Field(description="region of insertion: inside a wall, or on a disc or rectangle")
    number: key.Count | None = Field(None, description="total number of particles; default: no limit", examples=[100])
    mass: key.Mass | None = Field(None, description="total mass, in place of number [kg]", examples=[0.1])
    rate: key.Frequency | None = Field(None, gt=0, description="particles inserted per second [1/s]", examples=[100.0])
    mass_rate: key.MassRate | None = Field(
        None, gt=0, description="mass inserted per second, in place of rate [kg/s]", examples=[0.1]
    )
    start: key.Time = Field(0.0, ge=0, description="time at which insertion begins [s]")
    stop: key.Duration | None = Field(
        None, description="time at which insertion ends [s]; default: never", examples=[1.0]
    )
    every: key.Duration | None = Field(
        None, description="time between two insertions [s]; default: the time to leave the region", examples=[0.01]
    )
    sizes: SizesTable | None = Field(
        None, description="distribution of sizes; default: those of the shape",
        examples=[{"type": "uniform", "lower": 1e-3, "upper": 2e-3}],
    )  # fmt: skip
    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="initial velocity [m/s]")
    spread: key.Speed = Field(0.0, ge=0, description="standard deviation of each component of the velocity [m/s]")
    orientation: key.Quaternion | Literal["as-given"] | None = Field(
        None, description="orientation of all, or a word; default: random, uniform", examples=[[1.0, 0.0, 0.0, 0.0]]
    )
    angular_velocity: tuple[key.Spin, key.Spin, key.Spin] = Field(
        (0.0, 0.0, 0.0), description="initial angular velocity [rad/s]"
    )
    temperature: key.Temperature | None = Field(
        None, description="initial temperature [K]; default with heat: 293.15", examples=["20 degC"]
    )
    fields: dict[str, float] = Field(
        {}, description="registered fields with one number, by name", examples=[{"moisture": 8.0}]
    )
    attempts: key.Count = Field(100, description="positions that are tried for each particle at an insertion")
    debt: Literal["keep", "drop"] = Field(
        "keep", description="whether particles without a free place wait, or are left out"
    )
    seed: key.Seed = Field(1, description="seed of all random numbers of the inserter")
    name: key.Name | None = Field(
        None, description="name of the inserter, and of the kind of its particles", examples=["rain"]
    )

    def build(self, shapes: dict[str, Shape], materials: dict[str, Material]) -> Inserter:
        """Make the inserter, with some shapes and materials."""
        own = {key: value for key, value in self.given().items() if key not in ("shape", "material", "region", "sizes")}
        sizes = self.sizes.build() if self.sizes else None
        return Inserter(shapes[self.shape], materials[self.material], region=self.region.place(), sizes=sizes, **own)


class OutletTable(Table):
    """``[[outlets]]``: regions where particles are removed."""

    region: RegionTable = Field(
        description="region inside which particles are removed, or surface that they cross",
        examples=[{"type": "plane"}],
    )
    every: key.Duration | None = Field(
        None, description="time between two checks [s]; default: 100 steps", examples=[0.001]
    )
    whole: bool = Field(False, description="whether a particle must be inside with all its spheres")
    recycle: key.Name | None = Field(
        None, description="name of an inserter that inserts one more particle for each one removed", examples=["rain"]
    )
    name: key.Name | None = Field(None, description="name of the outlet", examples=["drain"])

    def build(self) -> Outlet:
        """Make the outlet."""
        own = {key: value for key, value in self.given().items() if key != "region"}
        return Outlet(self.region.place(), **own)
