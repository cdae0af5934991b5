"""The tables ``[fluid.cells]``, ``[fluid.lubrication]`` and ``[fluid.coupling]`` of case files."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib.metadata import entry_points
from typing import Annotated, Any

from pydantic import Field, model_validator

from dem.base import checks
from dem.casefile.schema.key_types import Point, Size
from dem.casefile.schema.table_base import Table
from dem.model.contact.lubrication import Lubrication
from dem.model.fluid.cells import Cells
from dem.model.fluid.coupling import Coupling

GROUP = "dem.couplings"  # entry-point group of dataclasses that compute flows; any installed package may add to it
Count = Annotated[int, Field(ge=1)]


class CellsTable(Table):
    """Cells in which is counted how much of each place is fluid."""

    number: tuple[Count, Count, Count] | None = Field(
        None, description="along x, y and z; default: of three of the largest particles", examples=[[4, 4, 10]]
    )
    size: Size | None = Field(None, description="wanted width, in place of number [m]", examples=[5e-3])
    lower: Point | None = Field(None, description="corner [m]; default: of the box", examples=[[0.0, 0.0, 0.0]])
    upper: Point | None = Field(
        None, description="opposite corner [m]; default: of the box", examples=[[0.1, 0.1, 0.1]]
    )
    every: int = Field(10, ge=1, description="time steps between two counts")

    @model_validator(mode="after")
    def _fits(self) -> CellsTable:
        """Refuse what contradicts itself."""
        self.made()
        return self

    def made(self) -> Cells:
        """The cells."""
        return Cells(**self.given())


class LubricationTable(Table):
    """Resistance of a fluid between surfaces that approach each other."""

    roughness: Size = Field(description="smallest gap, where asperities meet [m]", examples=[1e-6])
    reach: float = Field(0.1, gt=0, description="largest gap over the effective radius")

    def made(self) -> Lubrication:
        """What is between surfaces."""
        return Lubrication(roughness=self.roughness, reach=self.reach)


class CouplingTable(Table):
    """Who computes the flow, and is told what particles give to it."""

    function: str = Field(description="name of an entry point of the group dem.couplings", examples=["gas-column"])
    implicit: bool = Field(False, description="whether it is stable however strong the drag")
    parameters: dict[str, Any] = Field({}, description="what the function takes", examples=[{"start": 0.0, "end": 1.0}])

    @model_validator(mode="after")
    def _fits(self) -> CouplingTable:
        """Refuse what is not there, or takes something else."""
        self.made()
        return self

    def made(self) -> Coupling:
        """The coupling; raises ValueError if there is none of that name, or it takes other parameters."""
        found = {entry.name: entry for entry in entry_points(group=GROUP)}
        kind = found[checks.one_of("function", self.function, found)].load()
        if not (isinstance(kind, type) and is_dataclass(kind)):
            message = f"function {self.function} is {kind!r}, expected a dataclass"
            raise ValueError(message)
        takes = [each.name for each in fields(kind) if each.init]
        try:
            return Coupling(function=kind(**self.parameters), implicit=self.implicit)
        except TypeError as error:
            message = f"parameters of {self.function} are {', '.join(takes)}: {error}"
            raise ValueError(message) from None
