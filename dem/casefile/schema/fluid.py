"""Table ``[fluid]`` of case files, and its nested tables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dem.casefile.schema.key_types import (
    Axis,
    Density,
    Drag,
    InputFile,
    Point,
    Size,
    StepsOrAuto,
    Table,
    Velocity,
    Viscosity,
    wrong_keys,
)
from dem.casefile.schema.law_components import table_of
from dem.casefile.schema.packages import build_declared
from dem.model.contact.law_component import keys, missing_keys
from dem.model.contact.lubrication import Lubrication
from dem.model.fluid.cells import Cells
from dem.model.fluid.coupling import Coupling
from dem.model.fluid.flows import Flow
from dem.model.fluid.fluid import FLOWS, Fluid
from dem.model.fluid.given_flows import FunctionFlow, GriddedFlow

GROUP = "dem.couplings"  # entry-point group of dataclasses that compute flows; any installed package may add to it
Count = Annotated[int, Field(ge=1)]


class CellsTable(Table):
    """Cells in which the voidage is computed."""

    number: tuple[Count, Count, Count] | None = Field(
        None,
        description="number of cells along x, y and z; default: cells as wide as three of the largest particles",
        examples=[[4, 4, 10]],
    )
    size: Size | None = Field(None, description="wanted width of the cells, in place of number [m]", examples=[5e-3])
    lower: Point | None = Field(
        None, description="lower corner [m]; default: that of the box", examples=[[0.0, 0.0, 0.0]]
    )
    upper: Point | None = Field(
        None, description="upper corner [m]; default: that of the box", examples=[[0.1, 0.1, 0.1]]
    )
    every: int = Field(10, ge=1, description="time steps between two evaluations of the solid fraction")

    @model_validator(mode="after")
    def _fits(self) -> CellsTable:
        """Refuse contradictory keys."""
        self.build()
        return self

    def build(self) -> Cells:
        """Make the cells."""
        return Cells(**self.given())


class LubricationTable(Table):
    """Lubrication forces between surfaces that approach each other."""

    roughness: Size = Field(description="smallest gap, at which asperities touch [m]", examples=[1e-6])
    reach: float = Field(0.1, gt=0, description="largest gap with lubrication, over the effective radius")

    def build(self) -> Lubrication:
        """Make the `dem.Lubrication`."""
        return Lubrication(roughness=self.roughness, reach=self.reach)


class CouplingTable(Table):
    """Two-way coupling to a program that computes the flow and receives the reaction of the particles."""

    function: str = Field(description="name of an entry point of the group dem.couplings", examples=["gas-column"])
    implicit: bool = Field(False, description="whether the coupling is implicit: stable for any strength of the drag")
    parameters: dict[str, Any] = Field(
        {}, description="parameters of the function", examples=[{"start": 0.0, "end": 1.0}]
    )

    @model_validator(mode="after")
    def _fits(self) -> CouplingTable:
        """Refuse unknown couplings and wrong parameters."""
        self.build()
        return self

    def build(self) -> Coupling:
        """Make the coupling; raises ValueError for an unknown coupling or wrong parameters."""
        function = build_declared(GROUP, "function", self.function, self.parameters)
        return Coupling(function=function, implicit=self.implicit)


FLOW_OF_TYPE = {flow.type: flow for flow in FLOWS if flow is not FunctionFlow}
OF_GRID = ("file", "periodic")


class OneFlowTable(Table):
    """A flow field of any type; the type decides which keys it takes."""

    type: str
    file: InputFile | None = Field(
        None, description="grid: HDF5 or NPZ, velocity, x, y, z, and time if it changes", examples=["flow.h5"]
    )
    periodic: list[Axis] | None = Field(
        None, description="grid: axes along which the flow is periodic", examples=[["x"]]
    )

    @model_validator(mode="after")
    def _fits(self) -> OneFlowTable:
        """Refuse keys of other types, and contradictory values."""
        given = self.given().keys() - {"type"}
        flow = FLOW_OF_TYPE[self.type]
        takes = OF_GRID if flow is GriddedFlow else list(keys(flow))
        needed = ["file"] if flow is GriddedFlow else missing_keys(flow, given)
        if message := wrong_keys(f"{self.type} flow", takes, given, needed):
            raise ValueError(message)
        self.build()
        return self

    def build(self) -> Flow:
        """Make the flow field."""
        values = {key: value for key, value in self.given().items() if key != "type"}
        if self.type == "grid":
            return GriddedFlow.read(values["file"], periodic=tuple(values.get("periodic", ())))
        return FLOW_OF_TYPE[self.type](**values)


FlowTable = table_of("Flow", OneFlowTable, tuple(FLOW_OF_TYPE.values()), "shear")


class FluidTable(Table):
    """``[fluid]``: properties, flow field and forces of a fluid."""

    density: Density = Field(gt=0, description="density [kg/m3]", examples=[1000.0])
    viscosity: Viscosity = Field(description="dynamic viscosity [Pa s]", examples=[1e-3])
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="uniform velocity [m/s]; or give flow")
    flow: FlowTable | None = Field(
        None, description="velocity field that varies in space", examples=[{"type": "shear", "rate": 10.0}]
    )
    drag: Drag = Field(
        "schiller-naumann",
        description="drag law; di-felice, gidaspow, huilin-gidaspow, beetstra by voidage in cells",
    )
    rotation: Literal["dennis", "stokes", "none"] = Field(
        "dennis", description="law of the torque that resists rotation"
    )
    lift: Literal["saffman", "mei", "none"] = Field("none", description="lift on spheres in shear")
    magnus: Literal["rubinow-keller", "oesterle-bui-dinh", "none"] = Field(
        "none", description="lift on spheres that spin"
    )
    pressure: bool = Field(True, description="pressure gradient of the flow, and buoyancy")
    added_mass: bool = Field(True, description="added mass: half of the displaced fluid")
    every: StepsOrAuto = Field("auto", description="time steps for which evaluated fluid forces are used, or auto")
    cells: CellsTable | None = Field(
        None, description="cells for drag in dense beds and for couplings; default: they fill the box"
    )
    model: Literal["A", "B"] | None = Field(
        None, description="B: drag in dense beds with the pressure gradient it causes; A: for couplings", examples=["B"]
    )
    lubrication: LubricationTable | None = Field(
        None, description="lubrication forces between close surfaces; default: none"
    )
    coupling: CouplingTable | None = Field(None, description="program that computes the flow; default: none")

    @model_validator(mode="after")
    def _flows(self) -> FluidTable:
        """Refuse two flow fields."""
        if self.flow is not None and "velocity" in self.model_fields_set and any(self.velocity):
            raise ValueError("velocity and flow are both given: leave one out")
        return self

    def build(self) -> Fluid:
        """Make the fluid."""
        values = {key: None if value == "none" else value for key, value in self if key != "flow"}
        values = {key: value.build() if isinstance(value, Table) else value for key, value in values.items()}
        return Fluid(**values | ({"velocity": self.flow.build()} if self.flow else {}))
