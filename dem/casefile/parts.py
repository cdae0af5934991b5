"""Tables for the parts of contact laws: ``[materials.NAME.rolling]``, ``[contacts.rolling]`` and the like."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from dem.casefile.keys import Duration, Factor, Number, Size, Speed, Time
from dem.casefile.tables import Table
from dem.model.parts import SLOTS, WORDS, fit

if TYPE_CHECKING:
    from dem.model.parts import Part


class PartTable(Table):
    """A part of some type; which keys it takes depends on that."""

    SLOT: ClassVar[str]
    type: str

    @model_validator(mode="after")
    def _fits(self) -> PartTable:
        """Refuse keys of other types, and values that contradict each other."""
        given = self.model_fields_set - {"type"}
        takes = [each.name for each in fields(self._word()) if each.init]
        if not given <= set(takes):
            message = f"a {self.type} takes {', '.join(takes) or 'nothing'}, got {', '.join(sorted(given))}"
            raise ValueError(message)
        try:
            self.made()
        except TypeError as error:  # something is missing
            message = f"a {self.type} takes {', '.join(takes)}: {error}"
            raise ValueError(message) from None
        return self

    def _word(self) -> type[Part]:
        return next(word for word in WORDS[self.SLOT] if word.type == self.type)

    def made(self) -> Part:
        """The part."""
        return self._word()(**{key: getattr(self, key) for key in self.model_fields_set if key != "type"})


class NormalTable(PartTable):
    """Elastic force."""

    SLOT = "normal"
    type: Literal["hertz", "linear", "hysteretic", "power"] = Field(
        description="of the elastic force", examples=["linear"]
    )
    stiffness: Factor | None = Field(None, description="of a linear spring [N/m], or of a power law", examples=[1000.0])
    collision_time: Duration | None = Field(None, description="or: duration of an impact [s]", examples=[1e-4])
    overlap: Size | None = Field(None, description="or: largest overlap [m] of an impact at `speed`", examples=[1e-5])
    speed: Speed | None = Field(None, gt=0, description="[m/s]", examples=[1.0])
    tension: bool | None = Field(None, description="whether surfaces pull before they part", examples=[False])
    loading: Factor | None = Field(None, description="hysteretic: stiffness [N/m]", examples=[1000.0])
    unloading: Factor | None = Field(None, description="hysteretic: stiffness [N/m]", examples=[1600.0])
    cohesion: Number | None = Field(None, ge=0, description="hysteretic: pull over overlap [N/m]", examples=[400.0])
    depth: Factor | None = Field(None, description="hysteretic: largest plastic overlap over 2 R*", examples=[0.05])
    exponent: Number | None = Field(None, ge=1, description="of a power law", examples=[1.5])
    tangential: Factor | None = Field(None, description="tangential stiffness over normal one", examples=[2 / 7])


class DampingTable(PartTable):
    """Damping other than by restitution."""

    SLOT = "damping"
    type: Literal["viscoelastic", "dashpot"] = Field(description="of the damping", examples=["dashpot"])
    time: Time | None = Field(None, ge=0, description="viscoelastic: of relaxation [s]", examples=[1e-6])
    coefficient: Number | None = Field(None, ge=0, description="of a dashpot [N s/m]", examples=[0.01])


class RollingTable(PartTable):
    """Resistance to rolling."""

    SLOT = "rolling"
    type: Literal["rolling"] = Field("rolling", description="of the resistance")
    friction: Number | None = Field(None, ge=0, description="couple over R* F_n", examples=[0.1])
    model: Literal["spring", "constant"] | None = Field(None, description="of the couple", examples=["spring"])
    stiffness: Factor | None = Field(None, description="default: 2.25 times friction squared", examples=[0.0225])
    damping: Number | None = Field(None, ge=0, description="over critical damping", examples=[0.3])


class TwistingTable(PartTable):
    """Resistance to twisting."""

    SLOT = "twisting"
    type: Literal["twisting"] = Field("twisting", description="of the resistance")
    model: Literal["hertz", "marshall"] | None = Field(None, description="of couple and stiffness", examples=["hertz"])


class AdhesionTable(PartTable):
    """Attraction."""

    SLOT = "adhesion"
    type: Literal["dmt", "jkr", "bridge"] = Field(description="of the attraction", examples=["jkr"])
    work: Number | None = Field(None, ge=0, description="of adhesion [J/m2], by dmt and jkr", examples=[0.05])
    volume: Factor | None = Field(None, description="of each liquid bridge [m3]", examples=[1e-13])
    tension: Factor | None = Field(None, description="of its surface [N/m]", examples=[0.0728])
    angle: Number | None = Field(None, ge=0, description="of contact [rad]", examples=[0.5])
    rupture: Literal["lian", "willett"] | None = Field(None, description="which gap it is at", examples=["lian"])


class PartsTable(Table):
    """Tables of all slots."""

    normal: NormalTable | None = Field(
        None, description="elastic force; default: Hertz's", examples=[{"type": "hertz"}]
    )
    damping: DampingTable | None = Field(
        None, description="damping; default: by restitution", examples=[{"type": "dashpot", "coefficient": 0.01}]
    )
    rolling: RollingTable | None = Field(
        None, description="resistance to rolling; default: none", examples=[{"friction": 0.1}]
    )
    twisting: TwistingTable | None = Field(
        None, description="resistance to twisting; default: none", examples=[{"model": "hertz"}]
    )
    adhesion: AdhesionTable | None = Field(
        None, description="attraction; default: none", examples=[{"type": "dmt", "work": 0.05}]
    )

    @model_validator(mode="after")
    def _go_together(self) -> PartsTable:
        """Refuse parts that do not fit each other."""
        fit(**{key: value for key, value in self.values().items() if key in ("restitution", "friction", *SLOTS)})
        return self

    def values(self) -> dict[str, object]:
        """All values, parts made."""
        return {key: value.made() if isinstance(value, PartTable) else value for key, value in self}
