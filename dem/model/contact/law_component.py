"""Base class of law components and flows."""

from __future__ import annotations

import math
from dataclasses import MISSING, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy as np


DIRECTIONS = ("x", "y", "z")


class Key(NamedTuple):
    """Name, limits and meaning of one parameter of a part, for its own check and for case files.

    It is of the kind that the example is: a number, three of them, whether something holds, or a name.
    """

    about: str
    example: object
    unit: str = ""
    above: float = -math.inf
    least: float = -math.inf
    names: tuple[str, ...] = ()  # of which it is one, if it is no number; of directions, or three numbers

    def checked(self, name: str, value: object) -> object:
        """The value, numbers as floats; raises ValueError or TypeError if it is out of range."""
        if self.names == DIRECTIONS and not isinstance(value, str):
            return checks.direction(name, value, "a direction, or x, y or z")
        if isinstance(self.example, tuple):
            return checks.vector(name, value, f"[{self.unit}]")
        if self.names:
            return checks.one_of(name, value, self.names)
        if isinstance(self.example, bool):
            return checks.flag(name, value)
        return checks.number(name, value, above=self.above, least=self.least, unit=self.unit)


def number(
    about: str, *, example: float, default: object = MISSING, unit: str = "", above: float = -math.inf,
    least: float = -math.inf,
) -> object:  # fmt: skip
    """Field of a component: a number, required unless there is a default.

    Parameters
    ----------
    about : str
        What it is, for messages and the comments of case files.
    example : float
        Value that stands in a blank case file [`unit`].
    default : float or None, optional
        Default of the field [`unit`]; without one the number is required.
    unit : str
        SI unit, such as "N/m"; "" for numbers without one.
    above, least : float
        Limits [`unit`]: the number is to be above the one, and at least the other.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Spring(LawPart):
    ...     stiffness: float = number("stiffness", example=1e3, unit="N/m", above=0)
    >>> Spring(stiffness=-1.0)
    Traceback (most recent call last):
    ValueError: stiffness is -1 N/m, expected a finite number above 0
    """
    return field(default=default, metadata={"key": Key(about, example, unit, above, least)})


def vector(about: str, *, example: tuple[float, ...], unit: str, default: object = MISSING) -> object:
    """Field of a component: three numbers, required unless there is a default. Arguments are those of `number`."""
    return field(default=default, metadata={"key": Key(about, example, unit)})


def towards(about: str, default: str) -> object:
    """Field of a component: a direction, x, y or z, or three numbers."""
    return field(default=default, metadata={"key": Key(about, default, names=DIRECTIONS)})


def choice(about: str, *names: str) -> object:
    """Field of a component: one of some words, by default the first; `about` says what it is, as of `number`."""
    return field(default=names[0], metadata={"key": Key(about, names[0], names=names)})


def flag(about: str) -> object:
    """Field of a component: a boolean, false by default; `about` says what it is, as of `number`."""
    return field(default=False, metadata={"key": Key(about, example=False)})


def keys(part: type) -> dict[str, Key]:
    """Keys of a part or flow, by name."""
    return {each.name: each.metadata["key"] for each in fields(part) if "key" in each.metadata}


def missing_keys(part: type, given: Collection[str]) -> list[str]:
    """Keys of a component without a default that are not given."""
    needed = [each.name for each in fields(part) if "key" in each.metadata and each.default is MISSING]
    return [name for name in needed if name not in given]


def check_values(thing: object) -> None:
    """Check the values of a frozen dataclass by the descriptions of its fields, and convert numbers to floats.

    A value is None where it is left out. Raises ValueError or TypeError, naming the field.
    """
    for each in fields(thing):
        value = getattr(thing, each.name)
        if "key" in each.metadata and not (value is None and each.default is None):
            object.__setattr__(thing, each.name, each.metadata["key"].checked(each.name, value))


def arguments(thing: object) -> dict[str, object]:
    """Values that are not None, by name; the type among them."""
    return {each.name: value for each in fields(thing) if (value := getattr(thing, each.name)) is not None}


def shown(thing: object) -> str:
    """Constructor call of an object, by its `arguments`."""
    values = (f"{name}={value!r}" for name, value in thing.arguments().items() if name != "type")
    return f"{type(thing).__name__}({', '.join(values)})"


class LawTables(Protocol):
    """Pairs of materials; a law component turns their values into tables of the kernels."""

    shear: np.ndarray  # (A, A) tangential stiffness over normal force over overlap
    dashpot: np.ndarray  # (A, A) tangential dashpot over the normal one

    def __call__(self, value: Callable[..., float]) -> np.ndarray:
        """Symmetric table (A, A) of a function of a contact and its two materials."""

    def values(self, slot: str, name: str) -> np.ndarray:
        """Table (A, A) of a value of the parts in a slot; 0 where a pair has no such part, or none was given."""


class LawPart:
    """Component of a contact law: its parameters, with checks, and its interface to other components and kernels.

    Derived classes are frozen dataclasses of values, which say in their fields what they take: see `number`, `choice`,
    `flag` and `vector`. `dem.register_law_part` brings one to Python, case files and files of runs.

    Examples
    --------
    >>> import dem
    >>> isinstance(dem.Linear(stiffness=1000.0), dem.LawPart), dem.Linear.SLOT
    (True, 'normal')
    """

    SLOT: ClassVar[str] = ""  # of a contact: normal, damping, tangential, rolling, twisting or adhesion
    ACTS_AS: ClassVar[str] = ""  # slot of the kernels, where that is another one
    ALIKE: ClassVar[tuple[str, ...]] = ()  # numbers of which two materials have no mean
    ELASTIC: ClassVar[bool] = True  # False of a normal force that loses energy, so that restitution follows from it
    TABLES: ClassVar[type | str] = ""  # tables of the kernels, a NamedTuple; those of dem as module.name

    arguments, __repr__ = arguments, shown

    def __post_init__(self) -> None:
        """Check all values."""
        check_values(self)
        self._fits()

    def _fits(self) -> None:
        """Refuse values that contradict each other; raises ValueError."""

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of the kernels, for all pairs of materials: by default of the values of the same names."""
        made = self.TABLES
        if isinstance(made, str):
            module, _, name = made.partition(".")
            made = getattr(import_module(f"dem.kernels.laws.{module}"), name)  # runs are read without numba
        return made(*(pairs.values(self.SLOT, name) for name in made._fields))

    def shear(self, mindlin: float) -> float:
        """Tangential stiffness over normal force over overlap, of a normal force; that of Hertz's law is given."""
        del mindlin
        return self.tangential

    def alpha(self, wanted: float) -> float:
        """Coefficient of `dem.kernels.laws.damping` of a normal force for a restitution; ValueError if it has none."""
        if wanted != 1:
            message = f"restitution is {wanted}, and {self} has no damping for it: leave it out, or take dem.Dashpot"
            raise ValueError(message)
        return 0.0

    def dashpot(self, shear: float) -> float:
        """Tangential dashpot over the normal one, of a normal force: by default half."""
        del shear
        return 0.5

    def mean(self, other: LawPart, rule: Callable[[float, float], float]) -> LawPart:
        """Component of a pair by the mixing rule of two materials; raises ValueError if there is none."""
        one, two = self.arguments(), other.arguments()
        if type(self) is not type(other) or one.keys() != two.keys():
            raise ValueError(f"nothing follows from {self} and {other}: give the two materials an entry in contacts")
        made = {}
        for name, value in one.items():
            number = isinstance(value, float) and name not in self.ALIKE
            if not number and value != two[name]:
                raise ValueError(f"{self} and {other} differ in {name}: give the two materials an entry in contacts")
            made[name] = rule(value, two[name]) if number else value
        return type(self)(**{name: value for name, value in made.items() if name != "type"})


def kind(name: str) -> object:
    """Name of a component in files and case files."""
    return field(default=name, init=False, repr=False)
