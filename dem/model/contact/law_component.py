"""What words for the parts of a contact, and for flows, have in common."""

from __future__ import annotations

import math
from dataclasses import MISSING, field, fields
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Table = Callable[[Callable[..., float]], np.ndarray]  # what a contact and its two materials have, for all pairs


DIRECTIONS = ("x", "y", "z")


class Key(NamedTuple):
    """What one of the values that a part takes is, for its own check and for case files.

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
    """A number that a part takes; needed unless there is a default."""
    return field(default=default, metadata={"key": Key(about, example, unit, above, least)})


def vector(about: str, *, example: tuple[float, ...], unit: str, default: object = MISSING) -> object:
    """Three numbers that a part takes; needed unless there is a default."""
    return field(default=default, metadata={"key": Key(about, example, unit)})


def towards(about: str, default: str) -> object:
    """A direction: x, y or z, or three numbers."""
    return field(default=default, metadata={"key": Key(about, default, names=DIRECTIONS)})


def choice(about: str, *names: str) -> object:
    """One of some words, by default the first."""
    return field(default=names[0], metadata={"key": Key(about, names[0], names=names)})


def flag(about: str) -> object:
    """Whether something holds; by default it does not."""
    return field(default=False, metadata={"key": Key(about, example=False)})


def keys(word: type[Part]) -> dict[str, Key]:
    """What a part takes, by name."""
    return {each.name: each.metadata["key"] for each in fields(word) if "key" in each.metadata}


class Part:
    """One part of a contact, or a flow: values, checked by what their fields say; what is None has not been said."""

    SLOT: ClassVar[str] = ""  # of a contact, that it fills; none of a flow
    ALIKE: ClassVar[tuple[str, ...]] = ()  # numbers that have no mean

    def __post_init__(self) -> None:
        """Check all of it, and keep numbers as floats."""
        for each in fields(self):
            value = getattr(self, each.name)
            if "key" in each.metadata and not (value is None and each.default is None):
                object.__setattr__(self, each.name, each.metadata["key"].checked(each.name, value))
        self._fits()

    def _fits(self) -> None:
        """Refuse values that contradict each other; raises ValueError."""

    def said(self) -> dict[str, object]:
        """What has been said, by name; the type among it."""
        return {each.name: v for each in fields(self) if (v := getattr(self, each.name)) is not None}

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        values = (f"{name}={value!r}" for name, value in self.said().items() if name != "type")
        return f"{type(self).__name__}({', '.join(values)})"

    def mean(self, other: Part, rule: Callable[[float, float], float]) -> Part:
        """What two materials that say this and that do to each other; raises ValueError if nothing follows."""
        one, two = self.said(), other.said()
        if type(self) is not type(other) or one.keys() != two.keys():
            message = f"nothing follows from {self} and {other}: give the two materials an entry in contacts"
            raise ValueError(message)
        made = {}
        for name, value in one.items():
            number = isinstance(value, float) and name not in self.ALIKE
            if not number and value != two[name]:
                message = f"{self} and {other} differ in {name}: give the two materials an entry in contacts"
                raise ValueError(message)
            made[name] = rule(value, two[name]) if number else value
        return type(self)(**{name: value for name, value in made.items() if name != "type"})


def kind(name: str) -> object:
    """The word by which files and case files know a part."""
    return field(default=name, init=False, repr=False)
