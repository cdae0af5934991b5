"""Keys of flexible fibres, beside those that they share with other shapes."""

from __future__ import annotations

from pydantic import Field

from dem.casefile.keys import Count, Modulus, Number
from dem.casefile.tables import Table
from dem.model.shapes.flexible import FlexibleFibre

SHAPE = {"flexible-fibre": FlexibleFibre}


class FlexibleKeys(Table):
    """What only a flexible fibre takes."""

    segments: Count | None = Field(None, description="of a flexible fibre: number of bonds", examples=[20])
    young: Modulus | None = Field(None, gt=0, description="of a flexible fibre's bending [Pa]", examples=[1e9])
    poisson: Number | None = Field(None, ge=0, le=0.5, description="of a flexible fibre's bonds", examples=[0.3])
    damping: Number | None = Field(None, ge=0, le=1, description="of its bonds, a share of critical", examples=[0.05])
    strength: Modulus | None = Field(None, gt=0, description="stress at which it breaks [Pa]", examples=[5e7])
    shear_strength: Modulus | None = Field(None, gt=0, description="the same in shear [Pa]", examples=[5e7])
    smooth: bool | None = Field(None, description="whether a flexible fibre is made of capsules", examples=[True])
    curvature: Number | None = Field(None, description="of a flexible fibre at rest [1/m]", examples=[10.0])
