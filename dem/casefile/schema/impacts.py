"""The table ``[impacts]`` of case files."""

from __future__ import annotations

from pydantic import Field

from dem.casefile.schema.key_types import Duration, Friction, Number, Share
from dem.casefile.schema.table_base import Table


class ImpactTable(Table):
    """``[impacts]``: of hard spheres."""

    restitution: Share = Field(1.0, description="of two spheres, normal")
    tangential_restitution: Number = Field(-1.0, ge=-1, le=1, description="of two spheres; -1: smooth, 1: rough")
    friction: Friction | None = Field(None, description="of two spheres, Coulomb's; default: no limit", examples=[0.3])
    wall_restitution: Share | None = Field(None, description="with a wall; default: as of two spheres", examples=[1.0])
    wall_tangential_restitution: Number | None = Field(None, ge=-1, le=1, description="with a wall", examples=[-1.0])
    wall_friction: Friction | None = Field(None, description="with a wall", examples=[0.3])
    contact_time: Duration = Field(1e-5, description="impacts that follow within it are elastic [s]")
