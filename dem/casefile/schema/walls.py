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

WALL_OF_TYPE = {wall.type_name(): wall for wall in (
    Plane, Cylinder, Cone, Ball, Disc, Rectangle, Block, CapsuleWall, Torus, Revolution, Mesh,
    *registered_walls().values(),
)}  # fmt: skip
WallType = Literal[tuple(WALL_OF_TYPE)]
Direction = tuple[key.Number, key.Number, key.Number]


class MotionKeys(BaseModel):
    """Keys of motions of faces and of walls."""

    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="constant velocity [m/s]")
    amplitude: key.Point = Field((0.0, 0.0, 0.0), description="amplitude of the vibration [m]")
    frequency: key.Frequency = Field(0.0, ge=0, description="frequency of the vibration [Hz]")
    phase: key.Angle = Field(0.0, description="phase of the vibration [rad]")

    @model_validator(mode="after")
    def _moves(self) -> MotionKeys:
        """Refuse an incomplete vibration."""
        self.build()
        return self

    def build(self) -> Motion:
        """Make the motion."""
        return Motion(**{name: value for name, value in dict(self).items() if value is not None})


class MotionTable(Table, MotionKeys):
    """``[box.motion.FACE]``: motion of a face of the box."""


class WallMotionTable(Table, MotionKeys):
    """``[[walls.motion]]``: a motion of a wall."""

    axis: Direction = Field((0.0, 0.0, 1.0), description="direction of the axis of rotation")
    centre: key.Point = Field((0.0, 0.0, 0.0), description="a point on the axis of rotation [m]")
    rate: key.Spin = Field(0.0, description="angular velocity [rad/s]")
    start: key.Time = Field(0.0, description="time at which the motion begins [s]")
    stop: key.Duration | None = Field(
        None, description="time at which the motion ends [s]; default: never", examples=[2.0]
    )
    table: list[list[key.Number]] | None = Field(
        None, description="rows of time, displacement and, if wanted, angle [s, m, rad]",
        examples=[[[0.0, 0, 0, 0], [1.0, 0, 0, 0.1]]],
    )  # fmt: skip


class ServoTable(Table):
    """``[walls.servo]``: a wall that presses with a given force."""

    force: key.Force = Field(description="force on the particles [N]", examples=[1.0])
    axis: Direction = Field(description="direction of the force", examples=[[0.0, 0, -1]])
    fastest: key.Speed | None = Field(
        None, gt=0, description="largest speed [m/s]; default: from the size of the particles", examples=[0.05]
    )
    gain: key.Share = Field(0.02, description="share of the missing force that one step makes up")
    schedule: list[tuple[key.Duration, key.Force]] = Field(
        [], description="times, and the force from each of them on [s, N]", examples=[[[0.5, 0.5]]]
    )

    @model_validator(mode="after")
    def _presses(self) -> ServoTable:
        self.build()
        return self

    def build(self) -> Servo:
        """Make the servo."""
        return Servo(**dict(self))


class PIDTable(Table):
    """``[walls.pid]``: controller of a servo."""

    force: key.Force = Field(description="force on the particles [N]", examples=[1.0])
    axis: Direction = Field(description="direction of the force", examples=[[0.0, 0, -1]])
    fastest: key.Speed = Field(gt=0, description="largest speed [m/s]", examples=[0.05])
    proportional: key.Number = Field(
        0.0, ge=0, description="k_p: speed over the largest speed, for an error as large as the force"
    )
    integral: key.Rate = Field(0.0, ge=0, description="k_i: the same for the time integral of the error [1/s]")
    derivative: key.Time = Field(0.0, ge=0, description="k_d: the same for the time derivative of the error [s]")

    @model_validator(mode="after")
    def _acts(self) -> PIDTable:
        self.build()
        return self

    def build(self) -> PID:
        """Make the controller."""
        return PID(**dict(self))


class FreeTable(Table):
    """``[walls.free]``: a wall that the particles move."""

    mass: key.Mass = Field(description="mass of the wall [kg]", examples=[0.2])
    inertia: tuple[key.Inertia, key.Inertia, key.Inertia] | None = Field(
        None, description="moments of inertia about the centre of mass [kg m2]; default: no rotation",
        examples=[[1e-4, 1e-4, 2e-4]],
    )  # fmt: skip
    centre: key.Point | None = Field(
        None, description="centre of mass [m]; default: the middle", examples=[[0.0, 0, 0.1]]
    )
    pivot: key.Point | None = Field(
        None, description="fixed point about which the wall rotates [m]", examples=[[0.0, 0, 0.2]]
    )
    locked: list[Literal["x", "y", "z", "rx", "ry", "rz"]] = Field(
        [], description="axes along and about which the wall does not move", examples=[["x", "y"]]
    )
    force: tuple[key.Force, key.Force, key.Force] = Field((0.0, 0.0, 0.0), description="load beside its weight [N]")
    velocity: key.Velocity = Field((0.0, 0.0, 0.0), description="initial velocity [m/s]")
    angular_velocity: tuple[key.Spin, key.Spin, key.Spin] = Field(
        (0.0, 0.0, 0.0), description="initial angular velocity [rad/s]"
    )

    @model_validator(mode="after")
    def _moves(self) -> FreeTable:
        self.build()
        return self

    def build(self) -> RigidWall:
        """Make the `dem.RigidWall`."""
        return RigidWall(**dict(self))


class WallKeys(BaseModel):
    """Keys of tables with the shape of a wall."""

    type: WallType = Field(description="type of the wall", examples=["plane"])
    material: key.MaterialName = Field(description="material of the wall", examples=["glass"])
    name: key.Name | None = Field(None, description="name of the wall; default: its type", examples=["drum"])
    point: key.Point | None = Field(None, description="a point of a plane [m]", examples=[[0.0, 0, 0]])
    normal: Direction | None = Field(
        None, description="normal of a plane or disc, of any length", examples=[[0.0, 0, 1]]
    )
    start: key.Point | None = Field(
        None, description="middle of an end of a cylinder, cone or capsule [m]", examples=[[0.0, 0, 0]]
    )
    end: key.Point | None = Field(None, description="middle of the other end [m]", examples=[[0.0, 0, 0.1]])
    radius: key.Size | None = Field(
        None, description="radius of a cylinder, ball, disc, capsule or torus [m]", examples=[0.1]
    )
    inside: bool | None = Field(
        None, description="whether particles are inside a cylinder, ball or torus", examples=[True]
    )
    ends: Literal["none", "start", "end", "both"] | None = Field(
        None, description="closed ends of a cylinder or cone", examples=["both"]
    )
    start_radius: key.Length | None = Field(
        None, ge=0, description="radius of a cone at its start [m]", examples=[0.02]
    )
    end_radius: key.Length | None = Field(None, ge=0, description="radius of a cone at its end [m]", examples=[0.1])
    inner_radius: key.Length | None = Field(None, ge=0, description="radius of the hole of a disc [m]", examples=[0.02])
    centre: key.Point | None = Field(
        None, description="centre of a ball, disc, rectangle or torus [m]", examples=[[0.0, 0, 0]]
    )
    edge: key.Point | None = Field(
        None, description="an edge of a rectangle, from end to end [m]", examples=[[0.2, 0, 0]]
    )
    other_edge: key.Point | None = Field(
        None, description="the other edge of a rectangle, at right angles to edge [m]", examples=[[0.0, 0.1, 0]]
    )
    lower: key.Point | None = Field(None, description="lower corner of a block [m]", examples=[[0.0, 0, 0]])
    upper: key.Point | None = Field(None, description="upper corner of a block [m]", examples=[[0.1, 0.1, 0.02]])
    axis: Direction | None = Field(
        None, description="axis of a torus or revolution, of any length", examples=[[0.0, 0, 1]]
    )
    tube: key.Size | None = Field(None, description="radius of the tube of a torus [m]", examples=[0.02])
    points: list[tuple[key.Length, key.Length]] | None = Field(
        None, description="points (r, z) of the profile of a revolution [m]", examples=[[[0.03, 0.0], [0.1, 0.07]]]
    )
    origin: key.Point | None = Field(
        None, description="point on the axis of a revolution at which r and z are 0 [m]", examples=[[0.0, 0, 0]]
    )
    file: key.InputFile | None = Field(
        None, description="file of a mesh: STL, or another mesh format", examples=["drum.stl"]
    )
    scale: key.Size | None = Field(
        None, description="length of a unit of the file of a mesh [m]; default 1", examples=[0.001]
    )
    surface_velocity: key.Velocity = Field(
        (0.0, 0.0, 0.0), description="velocity of the surface along itself, as of a conveyor belt [m/s]"
    )
    roughness: key.Angle = Field(
        0.0, ge=0, le=1, description="standard deviation of the inclination of a rough wall [rad]"
    )
    seed: key.Seed = Field(0, description="seed of the inclinations")
    wear: key.Number = Field(0.0, ge=0, description="volume worn off per newton of force and metre of sliding [1/Pa]")
    temperature: key.Temperature | None = Field(
        None,
        description="temperature of the surface, for heat [K]; default: no heat passes by conduction",
        examples=["80 degC"],
    )
    heat_capacity: key.Capacity | None = Field(
        None,
        description="heat capacity of the whole wall [J/K]; default: its temperature stays constant",
        examples=["500 J/K"],
    )
    heat_flux: key.HeatFlux = Field(
        0.0, description="heat flux into the cross-section of particles in contact, for heat [W/m2]"
    )
    present_from: key.Time = Field(0.0, ge=0, description="time at which the wall appears [s]", examples=[0.1])
    present_until: key.Duration | None = Field(
        None, description="time at which the wall vanishes [s]; default: never", examples=[0.4]
    )
    acts_on: list[key.Name] = Field(
        [], description="kinds of particles on which the wall acts; default: all", examples=[["coarse"]]
    )
    ignores: list[key.Name] = Field(
        [], description="kinds of particles on which the wall does not act", examples=[["fine"]]
    )
    servo: ServoTable | None = Field(None, description="control of the force of the wall on particles")
    pid: PIDTable | None = Field(None, description="PID control of the force, in place of a servo")
    free: FreeTable | None = Field(None, description="makes the wall a rigid body that particles move")
    motion: list[WallMotionTable] = Field([], description="motions; each one moves what those before it have moved")

    COMMON: ClassVar[tuple[str, ...]] = ("type", "material", "pid", *DEFAULTS)

    @model_validator(mode="before")
    @classmethod
    def _of_0_2(cls, given: object) -> object:
        """Accept the type and the default name of capsules in files of version 0.2."""
        if isinstance(given, dict) and given.get("type") == "rod":
            return {"name": "rod", **given, "type": "capsule"}
        return given

    @model_validator(mode="before")
    @classmethod
    def _one_motion(cls, given: object) -> object:
        """Accept one motion without a list, as `dem.Plane(..., motion=...)` does."""
        if isinstance(given, dict) and isinstance(given.get("motion"), dict):
            return {**given, "motion": [given["motion"]]}
        return given

    @model_validator(mode="after")
    def _fits(self) -> WallKeys:
        """Refuse keys of other walls, and contradictory sizes."""
        if self.servo and self.pid:
            raise ValueError("servo and pid both hold a force on it: leave one out")
        takes = {"file": True, "scale": False}
        if self.type != "mesh":
            own = [each for each in fields(WALL_OF_TYPE[self.type]) if each.name not in self.COMMON]
            takes = {each.name: each.default is MISSING for each in own}
        given = self.given().keys() - set(self.COMMON)
        needed = [name for name, is_needed in takes.items() if is_needed]
        if message := key.wrong_keys(self.type, takes, given, needed):
            raise ValueError(message)
        if self.type != "mesh":  # which is read once
            self.build({self.material: Material(young=1.0, poisson=0.0)})
        return self

    def build(self, materials: dict[str, Material]) -> Wall:
        """Make the wall, with one of some materials."""
        given = {name: value for name, value in self.given().items() if name not in self.COMMON}
        make = WALL_OF_TYPE[self.type]
        if self.type == "mesh":
            make = partial(Mesh.from_file, given.pop("file"))
        return make(
            **given, material=materials[self.material], motion=[each.build() for each in self.motion],
            servo=(self.servo or self.pid) and (self.servo or self.pid).build(), free=self.free and self.free.build(),
            acts_on=self.acts_on, ignores=self.ignores, present_from=self.present_from,
            present_until=math.inf if self.present_until is None else self.present_until,
            surface_velocity=self.surface_velocity, roughness=self.roughness, seed=self.seed, wear=self.wear,
            temperature=self.temperature, heat_capacity=self.heat_capacity, heat_flux=self.heat_flux,
            name=self.name or "",
        )  # fmt: skip


OWN_KEYS = {  # of walls of other packages, that no other wall has
    name: key_field({wall_type: key}, everywhere=False)
    for wall_type, wall in registered_walls().items()
    for name, key in keys(wall).items()
    if name not in WallKeys.model_fields
}
if OWN_KEYS:
    WallKeys = create_model("WallKeys", __base__=WallKeys, __doc__=WallKeys.__doc__, **OWN_KEYS)


class WallTable(Table, WallKeys):
    """``[[walls]]``: shape, material and motion of a wall."""
