"""Base class of all tables, types of keys, and descriptions of their allowed values.

Names of materials and shapes are checked against those that the file defines, which the validation context holds.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    Strict,
    Tag,
    ValidationInfo,
    WrapValidator,
)
from pydantic.fields import FieldInfo

from dem.base import checks, units
from dem.base.text import shown, with_article
from dem.files.writing.output_settings import Every
from dem.model.contact.contacts import RULES
from dem.model.domain.box import AXES, FACES
from dem.model.fluid.drag_registry import DRAGS, known_drag
from dem.model.particles.fields import STATE
from dem.rotation.integrators import integrator_for_contacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ONE, EACH, WORD = "<one>", "<each>", "<word>"  # tags of pydantic's, which are no part of a path
TAGS = (ONE, EACH, WORD)


def _measured(quantity: units.Quantity) -> object:
    return Annotated[float, Strict(), BeforeValidator(quantity.value)]


def _defined(what: str) -> AfterValidator:
    """Refuse names that the file does not define."""

    def check(name: str, info: ValidationInfo) -> str:
        known = (info.context or {}).get(what)
        return name if known is None else checks.one_of(what, name, known)

    return AfterValidator(check)


def _resolved(name: str, info: ValidationInfo) -> str:
    """Absolute path of a path that is relative to the folder of the case file."""
    folder = (info.context or {}).get("folder")
    return name if folder is None else str(folder / name)


def _existing(name: str) -> str:
    if not Path(name).is_file():
        raise ValueError(f"no file {name}")
    return name


class Among(NamedTuple):
    """Words that a key may have as its value, for its description."""

    names: tuple[str, ...]


def _one_of(what: str, names: Iterable[str]) -> object:
    return Annotated[str, Among(tuple(names)), AfterValidator(lambda name: checks.one_of(what, name, names))]


def _form(value: object) -> str:
    """Type of a value: one row for all particles, a list with one row for each, or a word."""
    if isinstance(value, str):
        return WORD
    return EACH if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)) else ONE


def _rows(row: object) -> object:
    """Type of a key: one row for all particles, or a list with one row for each."""
    kinds = Annotated[row, Tag(ONE)] | Annotated[list[row], Tag(EACH)]
    return Annotated[kinds, Discriminator(lambda value: EACH if _form(value) == EACH else ONE)]


def _by_temperature(value: object) -> object:
    """Type of a key: a value, or a list of rows of a temperature and the value at it."""
    kinds = Annotated[value, Tag(ONE)] | Annotated[list[tuple[Temperature, value]], Tag(EACH)]
    return Annotated[kinds, Discriminator(lambda given: EACH if isinstance(given, (list, tuple)) else ONE)]


BY_UNIT = {quantity.unit: _measured(quantity) for quantity in units.ALL}  # for keys that are described by their unit
Length = _measured(units.LENGTH)
Time = _measured(units.TIME)
Density = _measured(units.DENSITY)
Modulus = _measured(units.MODULUS)
Angle = _measured(units.ANGLE)
Frequency = _measured(units.FREQUENCY)
Speed = _measured(units.SPEED)
Spin = _measured(units.SPIN)
Acceleration = _measured(units.ACCELERATION)
Rate = _measured(units.RATE)
Curvature = _measured(units.WAVENUMBER)
Force = _measured(units.FORCE)
MassRate = _measured(units.MASS_RATE)
Inertia = _measured(units.INERTIA)
Mass = Annotated[_measured(units.MASS), Field(gt=0)]
Temperature = Annotated[_measured(units.TEMPERATURE), Field(gt=0)]
Conductivity = Annotated[_measured(units.CONDUCTIVITY), Field(gt=0)]
HeatCapacity = Annotated[_measured(units.HEAT_CAPACITY), Field(gt=0)]
ConductivityByTemperature = _by_temperature(Conductivity)
HeatCapacityByTemperature = _by_temperature(HeatCapacity)
Capacity = Annotated[_measured(units.CAPACITY), Field(gt=0)]
HeatFlux = _measured(units.HEAT_FLUX)
Expansion = Annotated[_measured(units.EXPANSION), Field(gt=0)]
GasConductivity = Annotated[_measured(units.CONDUCTIVITY), Field(ge=0)]
Gap = Annotated[Length, Field(ge=0)]
Volume = Annotated[_measured(units.VOLUME), Field(gt=0)]

Number = Annotated[float, Strict()]
Friction = Annotated[Number, Field(ge=0)]
Share = Annotated[Number, Field(gt=0, le=1)]
Factor = Annotated[Number, Field(gt=0)]
Whole = Annotated[int, Strict()]
Count = Annotated[Whole, Field(gt=0)]
Seed = Annotated[Whole, Field(ge=0)]
Size = Annotated[Length, Field(gt=0)]
Duration = Annotated[Time, Field(gt=0)]
Viscosity = Annotated[_measured(units.VISCOSITY), Field(gt=0)]

TimeStep = Annotated[
    Duration,
    WrapValidator(lambda value, check: value if value == "auto" else check(value)),
    PlainSerializer(lambda value: value),
]

StepsOrAuto = Annotated[
    Count,
    WrapValidator(lambda value, check: value if value == "auto" else check(value)),
    PlainSerializer(lambda value: value),
]

Point = tuple[Length, Length, Length]
Velocity = tuple[Speed, Speed, Speed]
Gravity = tuple[Acceleration, Acceleration, Acceleration]
Quaternion = tuple[Number, Number, Number, Number]
Velocities = _rows(Velocity)
Edges = _rows(Point)
VelocityGradient = _rows(tuple[Rate, Rate, Rate])
AngularVelocities = _rows(tuple[Spin, Spin, Spin])
Temperatures = Annotated[
    Annotated[Temperature, Tag(ONE)] | Annotated[list[Temperature], Tag(EACH)],
    Discriminator(lambda value: EACH if isinstance(value, (list, tuple)) else ONE),
]
NumberOrNumbers = Annotated[
    Annotated[float, Tag(ONE)] | Annotated[list[float], Tag(EACH)],
    Discriminator(lambda value: EACH if isinstance(value, (list, tuple)) else ONE),
]
Orientations = Annotated[
    Annotated[Quaternion, Tag(ONE)]
    | Annotated[list[Quaternion], Tag(EACH)]
    | Annotated[Literal["random", "as-given"], Tag(WORD)],
    Discriminator(_form),
]

NOT_HELD = "none"  # in place of a stress, where a rate is given
HeldStress = Annotated[
    Modulus,
    WrapValidator(lambda value, check: value if value == NOT_HELD else check(value)),
    PlainSerializer(lambda value: value),
]


def _rows_of_stress(value: object) -> object:
    """Refuse a list that is no matrix, before each of its parts is refused by itself."""
    if isinstance(value, list) and not (len(value) == 3 and all(isinstance(row, list) for row in value)):
        expected = f'a pressure, or three rows of three with "{NOT_HELD}" where a rate is prescribed [Pa]'
        raise ValueError(f"{shown(value)} is no stress, expected {expected}")
    return value


HeldStresses = Annotated[
    Annotated[Modulus, Tag(ONE)] | Annotated[list[tuple[HeldStress, HeldStress, HeldStress]], Tag(EACH)],
    Discriminator(lambda value: EACH if isinstance(value, (list, tuple)) else ONE),
    BeforeValidator(_rows_of_stress),
]

OutputFile = Annotated[str, Field(min_length=1), AfterValidator(_resolved)]
InputFile = Annotated[OutputFile, AfterValidator(_existing)]
FieldName = _one_of("field", STATE)
Interval = Annotated[str | int, AfterValidator(lambda value: Every.parse(value) and value)]
Name = Annotated[str, Field(min_length=1)]
MaterialName = Annotated[str, _defined("material")]
ShapeName = Annotated[str, _defined("shape")]
Face = _one_of("face", FACES)
MovingFace = _one_of("face", (*FACES, "all"))
Axis = _one_of("axis", AXES)
Rule = _one_of("rule", (*RULES, "none"))
Drag = Annotated[str, Among(tuple(DRAGS)), AfterValidator(known_drag)]
Integrator = Annotated[str, AfterValidator(lambda name: integrator_for_contacts(name) and name)]


class Table(BaseModel):
    """Base class of the tables of a case file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    def given(self) -> dict[str, Any]:
        """Keys that the file gives in this table, with their values."""
        return {key: value for key, value in self if value is not None}


def without_none(kind: object) -> object:
    """The type inside an optional type."""
    if get_origin(kind) in (Union, UnionType):
        return next(member for member in get_args(kind) if member is not NoneType)
    return kind


def table_in(kind: object) -> type[Table] | None:
    """Table class inside a type, directly or in a list or mapping; None for plain values."""
    inner = without_none(kind)
    if get_origin(inner) in (list, dict):
        inner = get_args(inner)[-1]
    return inner if inspect.isclass(inner) and issubclass(inner, Table) else None


def wrong_keys(what: str, takes: Iterable[str], given: Iterable[str], needed: Iterable[str] = ()) -> str | None:
    """Message that names the keys which a table does not take, and those that it lacks; None if there are none.

    Examples
    --------
    >>> wrong_keys("ellipsoid", ["semi_axes", "contact_radius"], ["exponents"], ["semi_axes"])
    'an ellipsoid takes semi_axes, contact_radius, got exponents: exponents is unknown here, semi_axes is missing'
    >>> wrong_keys("sphere", ["diameter"], ["diameter"], ["diameter"])
    """
    takes, given = list(takes), sorted(given)
    wrong = [f"{name} is unknown here" for name in given if name not in takes]
    wrong += [f"{name} is missing" for name in sorted(needed) if name not in given]
    if not wrong:
        return None
    listed = ", ".join(takes) or "nothing"
    return f"{with_article(what)} takes {listed}, got {', '.join(given) or 'none'}: {', '.join(wrong)}"


LIMITS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}  # as pydantic calls them


def allowed(field: FieldInfo) -> str:
    """Allowed words and limits of a key, in words; empty if any value of its type is allowed.

    Examples
    --------
    >>> from dem.casefile.schema.case_tables import BoxTable, OutputTable
    >>> allowed(OutputTable.model_fields["compression"]), allowed(BoxTable.model_fields["roughness"])
    ('gzip or lzf', 'at least 0 and at most 1')
    """
    if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1:
        return ""  # distinguishes one table from another
    return "; ".join(dict.fromkeys([*_limits_in(field.metadata), *_inside(field.annotation)]))


def meaning(field: FieldInfo) -> str:
    """Meaning and allowed values of a key."""
    limits = allowed(field)
    return f"{field.description}{f' ({limits})' if limits else ''}"


def _inside(kind: object) -> Iterator[str]:
    """Allowed values by a type and the types inside it, in words."""
    if kind is bool:
        yield "true or false"
    if get_origin(kind) is Literal:
        words = [str(word) for word in get_args(kind)]
        yield f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
        return
    yield from _limits_in(getattr(kind, "__metadata__", ()))
    for part in get_args(kind):
        yield from _inside(part)


def _limits_in(metadata: Iterable[object]) -> Iterator[str]:
    """Allowed values and limits by annotations, in words."""
    limits = []
    for each in metadata:
        if isinstance(each, FieldInfo):
            yield from _limits_in(each.metadata)
        elif isinstance(each, Among):
            yield ", ".join(each.names)
        limits += [f"{words} {getattr(each, name):g}" for name, words in LIMITS.items() if hasattr(each, name)]
    if limits:
        yield " and ".join(limits)
