"""The tables ``[fluid]`` and ``[fluid.flow]`` of case files."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dem.casefile.keys import (
    Angle,
    Axis,
    Density,
    Frequency,
    InputFile,
    Number,
    Point,
    Size,
    Speed,
    Spin,
    Velocity,
    Viscosity,
)
from dem.casefile.tables import Table
from dem.model.flows import Flow
from dem.model.fluid import FLOWS, Fluid
from dem.model.known_flows import FunctionFlow, GriddedFlow

WORDS = {word.type: word for word in FLOWS if word is not FunctionFlow}
OF_GRID = ("file", "periodic")


class FlowTable(Table):
    """A velocity field of some type; which keys it takes depends on that."""

    type: Literal["uniform", "shear", "rotating", "channel", "pipe", "taylor-green", "abc", "grid"] = Field(
        description="of the flow", examples=["shear"]
    )
    velocity: Velocity | None = Field(None, description="uniform; shear: at the centre [m/s]", examples=[[0, 0, 0.1]])
    amplitude: Velocity | None = Field(None, description="uniform: of an oscillation [m/s]", examples=[[0.1, 0, 0]])
    frequency: Frequency | None = Field(None, ge=0, description="of the oscillation [Hz]", examples=[50.0])
    phase: Angle | None = Field(None, description="of the oscillation [rad]", examples=[0.0])
    rate: Number | None = Field(None, description="of shear [1/s]", examples=[10.0])
    direction: Literal["x", "y", "z"] | None = Field(None, description="of shear, channel or pipe", examples=["x"])
    gradient: Literal["x", "y", "z"] | None = Field(None, description="along which shear grows", examples=["y"])
    normal: Literal["x", "y", "z"] | None = Field(None, description="of a channel's plates", examples=["z"])
    centre: Point | None = Field(None, description="a point of the axis or midplane [m]", examples=[[0.0, 0.0, 0.0]])
    angular_velocity: tuple[Spin, Spin, Spin] | None = Field(
        None, description="of a rotating flow [rad/s]", examples=[[0.0, 0.0, 5.0]]
    )
    peak: Speed | None = Field(None, description="velocity in the middle of a channel or pipe [m/s]", examples=[0.15])
    half_gap: Size | None = Field(None, description="half the distance of a channel's plates [m]", examples=[0.01])
    radius: Size | None = Field(None, description="of a pipe [m]", examples=[0.01])
    speed: Speed | None = Field(None, description="largest of Taylor-Green vortices [m/s]", examples=[0.1])
    a: Speed | None = Field(None, description="of an ABC flow [m/s]", examples=[0.1])
    b: Speed | None = Field(None, description="of an ABC flow [m/s]", examples=[0.1])
    c: Speed | None = Field(None, description="of an ABC flow [m/s]", examples=[0.1])
    wavenumber: Number | None = Field(None, gt=0, description="of vortices [1/m]", examples=[100.0])
    decays: bool | None = Field(None, description="whether vortices fade by viscosity", examples=[False])
    file: InputFile | None = Field(
        None, description="of a grid, HDF5 or NPZ: velocity, x, y, z, and time if it changes", examples=["flow.h5"]
    )
    periodic: list[Axis] | None = Field(None, description="axes along which the grid repeats", examples=[["x"]])

    @model_validator(mode="after")
    def _fits(self) -> FlowTable:
        """Refuse keys of other types, and values that contradict each other."""
        given = self.given().keys() - {"type"}
        word = WORDS[self.type]
        takes = OF_GRID if word is GriddedFlow else [each.name for each in fields(word) if each.init]
        if not given <= set(takes) or (word is GriddedFlow and self.file is None):
            message = f"a {self.type} flow takes {', '.join(takes)}, got {', '.join(sorted(given)) or 'none of them'}"
            raise ValueError(message)
        try:
            self.made()
        except TypeError as error:  # something is missing
            message = f"a {self.type} flow takes {', '.join(takes)}: {error}"
            raise ValueError(message) from None
        return self

    def made(self) -> Flow:
        """The flow."""
        values = {key: value for key, value in self.given().items() if key != "type"}
        if self.type == "grid":
            return GriddedFlow.read(values["file"], periodic=tuple(values.get("periodic", ())))
        return WORDS[self.type](**values)


class FluidTable(Table):
    """``[fluid]``."""

    density: Density = Field(gt=0, description="[kg/m3]", examples=[1000.0])
    viscosity: Viscosity = Field(description="dynamic [Pa s]", examples=[1e-3])
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="[m/s]; or give flow")
    flow: FlowTable | None = Field(
        None, description="a velocity that is not the same everywhere", examples=[{"type": "shear", "rate": 10.0}]
    )
    drag: Literal["stokes", "schiller-naumann", "hoelzer-sommerfeld"] = Field(
        "schiller-naumann", description="resistance to translation"
    )
    rotation: Literal["dennis", "stokes", "none"] = Field("dennis", description="resistance to rotation")
    lift: Literal["saffman", "mei", "none"] = Field("none", description="of spheres in shear")
    magnus: Literal["rubinow-keller", "oesterle-bui-dinh", "none"] = Field("none", description="of spheres that turn")
    pressure: bool = Field(True, description="pressure gradient of the flow, and buoyancy")
    added_mass: bool = Field(True, description="half of what is displaced")
    every: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        "auto", description="steps for which what the laws say is used"
    )

    @model_validator(mode="after")
    def _flows(self) -> FluidTable:
        """Refuse two velocities."""
        if self.flow is not None and "velocity" in self.model_fields_set and any(self.velocity):
            message = "velocity and flow are both given: leave one out"
            raise ValueError(message)
        return self

    def made(self) -> Fluid:
        """The fluid."""
        values = {key: None if value == "none" else value for key, value in self if key != "flow"}
        return Fluid(**values | ({"velocity": self.flow.made()} if self.flow else {}))
