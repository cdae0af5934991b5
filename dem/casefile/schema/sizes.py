"""Table ``sizes`` of particles at random positions: size distributions."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from dem.casefile.schema.key_types import InputFile, Number, Size, Table
from dem.model.particles.sizes import LAWS, TABLES, SizeDistribution, read_sizes

KINDS = {sizes.type: sizes for sizes in (*LAWS, *TABLES)}


class SizesTable(Table):
    """``[particles.random.sizes]``: distribution of the diameters of spheres, or of the spheres of fibres."""

    type: Literal["uniform", "normal", "log-normal", "rosin-rammler", "sieve", "list", "file"] = Field(
        description="type of the distribution", examples=["log-normal"]
    )
    by: Literal["mass", "number"] = Field("mass", description="quantity of which the shares are given")
    lower: Size | None = Field(None, description="smallest size [m]; log-normal: may be left out", examples=[1e-3])
    upper: Size | None = Field(
        None, description="largest size [m]; log-normal, rosin-rammler: may be left out", examples=[4e-3]
    )
    mean: Size | None = Field(None, description="normal: mean [m]", examples=[2e-3])
    deviation: Size | None = Field(None, description="normal: standard deviation [m]", examples=[2e-4])
    median: Size | None = Field(None, description="log-normal: median [m]", examples=[2e-3])
    geometric_deviation: Number | None = Field(
        None,
        gt=1,
        description="log-normal: geometric standard deviation; 84 % are below this many medians",
        examples=[1.3],
    )
    scale: Size | None = Field(None, description="rosin-rammler: size that 37 % exceed [m]", examples=[2e-3])
    exponent: Number | None = Field(
        None, gt=0, description="rosin-rammler: exponent; large for narrow distributions", examples=[3.0]
    )
    apertures: list[Size] | None = Field(
        None, description="sieve: apertures, ascending [m]", examples=[[1e-3, 2e-3, 4e-3]]
    )
    shares: list[Number] | None = Field(
        None,
        description="sieve: share retained by each sieve but the coarsest; list: share of each size",
        examples=[[0.4, 0.6]],
    )
    passing: list[Number] | None = Field(
        None, description="sieve, in place of shares: share that passes each sieve", examples=[[0.0, 0.4, 1.0]]
    )
    diameters: list[Size] | None = Field(None, description="list: diameters, ascending [m]", examples=[[1e-3, 2e-3]])
    file: InputFile | None = Field(
        None,
        description="file: CSV with columns aperture [mm] and passing [%], aperture and share, or diameter and share",
        examples=["sieves.csv"],
    )

    @model_validator(mode="after")
    def _fits(self) -> SizesTable:
        """Refuse keys of other types, and contradictory values."""
        given = self.given().keys() - {"type", "by"}
        takes = (
            [each.name for each in fields(KINDS[self.type]) if each.name != "by"] if self.type != "file" else ["file"]
        )
        if not given <= set(takes) or (self.type == "file" and not given):
            message = f"{self.type} sizes take {', '.join(takes)}, got {', '.join(sorted(given)) or 'none'}"
            raise ValueError(message)
        try:
            self.build()
        except (TypeError, OSError) as error:  # something is missing
            raise ValueError(f"{self.type} sizes take {', '.join(takes)}: {error}") from None
        return self

    def build(self) -> SizeDistribution:
        """Make the distribution."""
        if self.type == "file":
            return read_sizes(Path(self.file), by=self.by)
        return KINDS[self.type](**{key: value for key, value in self.given().items() if key != "type"})
