"""Tables of walls beside the box in case files."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, Field, create_model, model_validator

from dem.casefile.schema import key_types as key
from dem.casefile.schema.key_types import Table
from dem.casefile.schema.law_components import key_field
from dem.model.contact.law_component import keys
from dem.model.materials import Material
from dem.model.walls.mesh import Mesh
from dem.model.walls.motion import Motion
from dem.model.walls.primitives import (
    Ball,
    Block,
    CapsuleWall,
    Cone,
    Cylinder,
    Disc,
    Plane,
    Rectangle,
    Revolution,
    Torus,
)
from dem.model.walls.rigid_body import RigidWall
from dem.model.walls.servo import PID, Servo
from dem.model.walls.wall import DEFAULTS
from dem.model.walls.wall_registry import registered_walls

if TYPE_CHECKING:
    from dem.model.walls.wall import Wall

WORDS = {word.type_name(): word for word in (
    Plane, Cylinder, Cone, Ball, Disc, Rectangle, Block, CapsuleWall, Torus, Revolution, Mesh,
    *registered_walls().values(),
)}  # fmt: skip
WallType = Literal[tuple(WORDS)]
Direction = tuple[key.Number, key.Number, key.Number]


class WallMotionTable(Table):
    """``[[walls.motion]]``: a motion of a wall."""

    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="[m/s]")
    amplitude: key.Point = Field((0.0, 0.0, 0.0), description="of the vibration [m]")
    frequency: key.Frequency = Field(0.0, ge=0, description="of the vibration [Hz]")
    phase: key.Angle = Field(0.0, description="of the vibration [rad]")
    axis: Direction = Field((0.0, 0.0, 1.0), description="direction of the axis that the wall turns about")
    centre: key.Point = Field((0.0, 0.0, 0.0), description="a point of that axis [m]")
    rate: key.Spin = Field(0.0, description="at which it turns [rad/s]")
    start: key.Time = Field(0.0, description="when it begins [s]")
    stop: key.Duration | None = Field(None, description="when it ends [s]; default: never", examples=[2.0])
    table: list[list[key.Number]] | None = Field(
        None, description="rows of time, displacement and maybe angle [s, m, rad]",
        examples=[[[0.0, 0, 0, 0], [1.0, 0, 0, 0.1]]],
    )  # fmt: skip

    @model_validator(mode="after")
    def _moves(self) -> WallMotionTable:
        self.made()
        return self

    def made(self) -> Motion:
        """Make the motion."""
        return Motion(**{name: value for name, value in dict(self).items() if value is not None})


class ServoTable(Table):
    """``[walls.servo]``: a wall that presses with a given force."""

    force: key.Number = Field(description="with which it presses [N]", examples=[1.0])
    axis: Direction = Field(description="in which it presses", examples=[[0.0, 0, -1]])
    fastest: key.Speed | None = Field(
        None, gt=0, description="largest speed [m/s]; default: what can be followed", examples=[0.05]
    )
    gain: key.Share = Field(0.02, description="share of what lacks that is made up in a step")
    schedule: list[tuple[key.Duration, key.Number]] = Field(
        [], description="times and the forces from then on [s, N]", examples=[[[0.5, 0.5]]]
    )

    @model_validator(mode="after")
    def _presses(self) -> ServoTable:
        self.made()
        return self

    def made(self) -> Servo:
        """Make the servo."""
        return Servo(**dict(self))


class PIDTable(Table):
    """``[walls.pid]``: controller of a servo."""

    force: key.Number = Field(description="with which it presses [N]", examples=[1.0])
    axis: Direction = Field(description="in which it presses", examples=[[0.0, 0, -1]])
    fastest: key.Speed = Field(gt=0, description="largest speed [m/s]", examples=[0.05])
    proportional: key.Number = Field(0.0, ge=0, description="share of that speed for an error as large as the force")
    integral: key.Number = Field(0.0, ge=0, description="the same for its time integral [1/s]")
    derivative: key.Number = Field(0.0, ge=0, description="the same for its rate [s]")

    @model_validator(mode="after")
    def _acts(self) -> PIDTable:
        self.made()
        return self

    def made(self) -> PID:
        """Make the controller."""
        return PID(**dict(self))


class FreeTable(Table):
    """``[walls.free]``: a wall that the particles move."""

    mass: key.Number = Field(gt=0, description="of the wall [kg]", examples=[0.2])
    inertia: tuple[key.Number, key.Number, key.Number] | None = Field(
        None, description="moments about its centre of mass and the axes [kg m2]; default: it does not turn",
        examples=[[1e-4, 1e-4, 2e-4]],
    )  # fmt: skip
    centre: key.Point | None = Field(None, description="of mass [m]; default: the middle", examples=[[0.0, 0, 0.1]])
    pivot: key.Point | None = Field(None, description="held, it turns about it [m]", examples=[[0.0, 0, 0.2]])
    locked: list[Literal["x", "y", "z", "rx", "ry", "rz"]] = Field(
        [], description="motions and turns that are held", examples=[["x", "y"]]
    )
    force: Direction = Field((0.0, 0.0, 0.0), description="besides its weight [N]")
    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="at time 0 [m/s]")
    angular_velocity: Direction = Field((0.0, 0.0, 0.0), description="at time 0 [rad/s]")

    @model_validator(mode="after")
    def _moves(self) -> FreeTable:
        self.made()
        return self

    def made(self) -> RigidWall:
        """Make the `dem.RigidWall`."""
        return RigidWall(**dict(self))


class WallKeys(BaseModel):
    """Keys of tables with the shape of a wall."""

    type: WallType = Field(description="of the wall", examples=["plane"])
    material: key.MaterialName = Field(description="of the wall", examples=["glass"])
    name: key.Name | None = Field(None, description="by which it is called; default: its type", examples=["drum"])
    point: key.Point | None = Field(None, description="of a plane [m]", examples=[[0.0, 0, 0]])
    normal: Direction | None = Field(None, description="of a plane or disc, any length", examples=[[0.0, 0, 1]])
    start: key.Point | None = Field(
        None, description="middle of an end of a cylinder, cone or capsule [m]", examples=[[0.0, 0, 0]]
    )
    end: key.Point | None = Field(None, description="middle of the other end [m]", examples=[[0.0, 0, 0.1]])
    radius: key.Size | None = Field(None, description="of a cylinder, ball, disc, capsule or torus [m]", examples=[0.1])
    inside: bool | None = Field(
        None, description="of a cylinder, ball or torus: whether particles are inside", examples=[True]
    )
    ends: Literal["none", "start", "end", "both"] | None = Field(
        None, description="of a cylinder or cone: which are closed", examples=["both"]
    )
    start_radius: key.Length | None = Field(None, ge=0, description="of a cone [m]", examples=[0.02])
    end_radius: key.Length | None = Field(None, ge=0, description="of a cone [m]", examples=[0.1])
    inner_radius: key.Length | None = Field(None, ge=0, description="of the hole of a disc [m]", examples=[0.02])
    centre: key.Point | None = Field(
        None, description="of a ball, disc, rectangle or torus [m]", examples=[[0.0, 0, 0]]
    )
    edge: key.Point | None = Field(None, description="of a rectangle, from end to end [m]", examples=[[0.2, 0, 0]])
    other_edge: key.Point | None = Field(
        None, description="of a rectangle, at right angles to edge [m]", examples=[[0.0, 0.1, 0]]
    )
    lower: key.Point | None = Field(None, description="a corner of a block [m]", examples=[[0.0, 0, 0]])
    upper: key.Point | None = Field(None, description="the opposite corner of a block [m]", examples=[[0.1, 0.1, 0.02]])
    axis: Direction | None = Field(None, description="of a torus or revolution, any length", examples=[[0.0, 0, 1]])
    tube: key.Size | None = Field(None, description="radius of the tube of a torus [m]", examples=[0.02])
    points: list[tuple[key.Length, key.Length]] | None = Field(
        None, description="(r, z) of a revolution [m]", examples=[[[0.03, 0.0], [0.1, 0.07]]]
    )
    origin: key.Point | None = Field(
        None, description="of a revolution, where r and z are 0 [m]", examples=[[0.0, 0, 0]]
    )
    file: key.InputFile | None = Field(
        None, description="of a mesh: STL, or what else can be read", examples=["drum.stl"]
    )
    scale: key.Factor | None = Field(
        None, description="of a mesh: metres a unit of the file; default 1", examples=[0.001]
    )
    surface_velocity: key.Velocity = Field(
        (0.0, 0.0, 0.0), description="of its surface along itself, as a belt's [m/s]"
    )
    roughness: key.Angle = Field(0.0, ge=0, le=1, description="standard deviation of its inclination [rad]")
    seed: key.Seed = Field(0, description="of the inclinations")
    wear: key.Number = Field(0.0, ge=0, description="volume worn off by a newton and metre of sliding [1/Pa]")
    temperature: key.Temperature | None = Field(
        None, description="of its surface, for heat [K]; default: no heat passes by conduction", examples=["80 degC"]
    )
    heat_capacity: key.Capacity | None = Field(
        None, description="of the whole wall [J/K]; default: its temperature stays", examples=["500 J/K"]
    )
    heat_flux: key.HeatFlux = Field(
        0.0, description="that particles in contact take up by their cross-section, for heat [W/m2]"
    )
    present_from: key.Time = Field(0.0, ge=0, description="when it appears [s]", examples=[0.1])
    present_until: key.Duration | None = Field(None, description="when it is gone [s]; default: never", examples=[0.4])
    acts_on: list[key.Name] = Field([], description="kinds of particles that it acts on alone", examples=[["coarse"]])
    ignores: list[key.Name] = Field([], description="kinds of particles that it does not act on", examples=[["fine"]])
    servo: ServoTable | None = Field(None, description="what holds a force on it")
    pid: PIDTable | None = Field(None, description="what holds a force on it, in place of a servo")
    free: FreeTable | None = Field(None, description="makes it a body that particles move")
    motion: list[WallMotionTable] = Field([], description="one moves what those before it have moved")

    COMMON: ClassVar[tuple[str, ...]] = ("type", "material", "pid", *DEFAULTS)

    @model_validator(mode="before")
    @classmethod
    def _of_0_2(cls, given: object) -> object:
        """Accept the type and the default name of capsules in files of version 0.2."""
        if isinstance(given, dict) and given.get("type") == "rod":
            return {"name": "rod", **given, "type": "capsule"}
        return given

    @model_validator(mode="after")
    def _fits(self) -> WallKeys:
        """Refuse keys of other walls, and contradictory sizes."""
        if self.servo and self.pid:
            raise ValueError("servo and pid both hold a force on it: leave one out")
        takes = {"file": True, "scale": False}
        if self.type != "mesh":
            own = [each for each in fields(WORDS[self.type]) if each.name not in self.COMMON]
            takes = {each.name: each.default is MISSING for each in own}
        given = self.given().keys() - set(self.COMMON)
        if given - takes.keys() or {name for name, needed in takes.items() if needed} - given:
            message = f"a {self.type} takes {', '.join(takes)}, got {', '.join(sorted(given)) or 'none of them'}"
            raise ValueError(message)
        if self.type != "mesh":  # which is read once
            self.made({self.material: Material(young=1.0, poisson=0.0)})
        return self

    def made(self, materials: dict[str, Material]) -> Wall:
        """Make the wall, with one of some materials."""
        given = {name: value for name, value in self.given().items() if name not in self.COMMON}
        make = WORDS[self.type]
        if self.type == "mesh":
            make = partial(Mesh.from_file, given.pop("file"))
        return make(
            **given, material=materials[self.material], motion=[each.made() for each in self.motion],
            servo=(self.servo or self.pid) and (self.servo or self.pid).made(), free=self.free and self.free.made(),
            acts_on=self.acts_on, ignores=self.ignores, present_from=self.present_from,
            present_until=math.inf if self.present_until is None else self.present_until,
            surface_velocity=self.surface_velocity, roughness=self.roughness, seed=self.seed, wear=self.wear,
            temperature=self.temperature, heat_capacity=self.heat_capacity, heat_flux=self.heat_flux,
            name=self.name or "",
        )  # fmt: skip


OWN_KEYS = {  # of walls of other packages, that no other wall has
    name: key_field({word: key}, everywhere=False)
    for word, wall in registered_walls().items()
    for name, key in keys(wall).items()
    if name not in WallKeys.model_fields
}
if OWN_KEYS:
    WallKeys = create_model("WallKeys", __base__=WallKeys, __doc__=WallKeys.__doc__, **OWN_KEYS)


class WallTable(Table, WallKeys):
    """``[[walls]]``: shape, material and motion of a wall."""
