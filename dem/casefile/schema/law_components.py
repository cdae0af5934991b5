"""Tables for the components of contact laws: ``[materials.NAME.rolling]``, ``[contacts.rolling]`` and the like."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, Field, create_model, model_validator

from dem.casefile.schema.key_types import BY_UNIT, Number, Table, wrong_keys
from dem.model.contact.law_component import keys, missing_keys
from dem.model.contact.law_registry import SLOTS, fit, parts_of_slot

if TYPE_CHECKING:
    from dem.model.contact.law_component import Key, LawPart


class PartTable(Table):
    """A law component of any type; the type decides which keys it takes."""

    SLOT: ClassVar[str]
    type: str

    @model_validator(mode="after")
    def _fits(self) -> PartTable:
        """Refuse keys of other types, and contradictory values."""
        given = self.model_fields_set - {"type"}
        takes = list(keys(self._part()))
        if message := wrong_keys(self.type, takes, given, missing_keys(self._part(), given)):
            raise ValueError(message)
        self.build()
        return self

    def _part(self) -> type[LawPart]:
        return next(part for part in parts_of_slot(self.SLOT) if part.type == self.type)

    def build(self) -> LawPart:
        """Make the law component."""
        return self._part()(**{key: getattr(self, key) for key in self.model_fields_set if key != "type"})


def table_of(name: str, base: type[Table], parts: tuple[type[LawPart], ...], example: str) -> type[Table]:
    """Make a table class for some components from their own key descriptions, on a given base class."""
    takes: dict[str, dict[str, Key]] = {}
    for part in parts:
        for key, description in keys(part).items():
            takes.setdefault(key, {})[part.type] = description
    types = tuple(part.type for part in parts)
    type_of = Field(types[0] if len(types) == 1 else ..., description="of which kind", examples=[example])
    return create_model(
        f"{name}Table", __base__=base, __doc__=base.__doc__, type=(Literal[types], type_of),
        **{key: key_field(by_type, everywhere=len(by_type) == len(types)) for key, by_type in takes.items()},
    )  # fmt: skip


def _table(slot: str, about: str) -> type[PartTable]:
    """Table class for the registered components of a slot."""
    there = parts_of_slot(slot)
    made = table_of(slot.capitalize(), PartTable, there, there[-1].type)
    made.SLOT, made.__doc__ = slot, about
    return made


def key_field(by_type: dict[str, Key], *, everywhere: bool) -> tuple[object, object]:
    """Type and field of a key; only limits that all types share are checked here."""
    one, abouts = next(iter(by_type.values())), {}
    for name, key in by_type.items():
        abouts.setdefault(f"{key.about}{f' [{key.unit}]' if key.unit else ''}", []).append(name)
    descriptions = (about if everywhere and len(abouts) == 1 else f"{', '.join(names)}: {about}"
            for about, names in abouts.items())  # fmt: skip
    measured = BY_UNIT.get(one.unit, Number) if len({key.unit for key in by_type.values()}) == 1 else Number
    kind = Literal[one.names] if one.names else bool if isinstance(one.example, bool) else measured
    if isinstance(one.example, tuple):
        kind = tuple[kind, kind, kind]
    limits = {
        theirs: getattr(one, ours)
        for ours, theirs in (("above", "gt"), ("least", "ge"))
        if getattr(one, ours) > -math.inf and len({getattr(key, ours) for key in by_type.values()}) == 1
    }
    return kind | None, Field(None, description="; ".join(descriptions), examples=[one.example], **limits)


NormalTable = _table("normal", "Elastic force.")
DampingTable = _table("damping", "Damping other than by restitution.")
RollingTable = _table("rolling", "Resistance to rolling.")
TwistingTable = _table("twisting", "Resistance to twisting.")
AdhesionTable = _table("adhesion", "Attraction.")


class LawPartKeys(BaseModel):
    """Keys of the tables with a nested table for each component of a contact law."""

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
    def _go_together(self) -> LawPartKeys:
        """Refuse components that do not fit each other."""
        fit(**{key: value for key, value in self.values().items() if key in ("restitution", "friction", *SLOTS)})
        return self

    def values(self) -> dict[str, object]:
        """All values, with law components made."""
        return {key: value.build() if isinstance(value, PartTable) else value for key, value in self}


if parts_of_slot("tangential"):  # of other packages only
    LawPartKeys = create_model(
        "LawPartKeys", __base__=LawPartKeys, __doc__=LawPartKeys.__doc__,
        tangential=(
            _table("tangential", "Force in the plane of contact.") | None,
            Field(None, description="force in the plane of contact, in place of friction"),
        ),
    )  # fmt: skip
