"""What may stand in a case file whose spheres collide at random."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dem.casefile.schema.case_tables import CaseKeys, ImpactTable
from dem.casefile.schema.key_types import Duration, Modulus, Number, Seed, Size, Speed, TimeStep, Velocity, Viscosity
from dem.casefile.schema.table_base import Table
from dem.model.fluid.solids_pressure import SolidsPressure
from dem.model.fluid.turbulence import Turbulence


class TurbulenceTable(Table):
    """``[turbulence]``: a fluid that drags the spheres along."""

    rms: Speed = Field(gt=0, description="root mean square of a component of the fluctuation [m/s]", examples=[0.5])
    time_scale: Duration = Field(description="Lagrangian integral time scale [s]", examples=[0.05])
    viscosity: Viscosity = Field(description="dynamic [Pa s]", examples=[1.8e-5])
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="mean [m/s]")

    def made(self) -> Turbulence:
        """The fluid."""
        return Turbulence(**dict(self))


class PressureTable(Table):
    """``[pressure]``: of the solids, which keeps pairs apart."""

    scale: Modulus = Field(gt=0, description="P of P φ^β/(φ_cp - φ) [Pa]", examples=[10.0])
    exponent: Number = Field(2.0, ge=1, le=10, description="β")
    packing: Number = Field(0.6, gt=0, le=0.62, description="φ_cp, solid fraction of close packing")
    softness: Number = Field(1e-3, gt=0, le=0.1, description="ε, how near to that it grows no more")

    def made(self) -> SolidsPressure:
        """The pressure."""
        return SolidsPressure(**dict(self))


class StochasticTable(Table, CaseKeys):
    """Collisions that are drawn at random, in time steps."""

    method: Literal["stochastic"] = Field(description="time-steps, hard-spheres or stochastic")
    time_step: TimeStep = Field(description="time step [s], or auto", examples=["auto"])
    collisions: Literal["pairs", "partners"] = Field("pairs", description="of pairs in cells, or fictitious partners")
    cell: Size | None = Field(
        None, description="width of the cells, about [m]; default: as fine as is of use", examples=[0.01]
    )
    correlation: Literal["full", "particle", "none"] = Field("full", description="of partners in turbulence")
    seed: Seed = Field(1, description="of the collisions")
    impacts: ImpactTable = Field(ImpactTable(), description="of spheres, and with walls")
    turbulence: TurbulenceTable | None = Field(None, description="a fluid, for partners; default: none")
    pressure: PressureTable | None = Field(None, description="of the solids, for pairs; default: none")
