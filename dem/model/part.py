"""What words for the parts of a contact have in common."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, ClassVar

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Table = Callable[[Callable[..., float]], np.ndarray]  # what a contact and its two materials have, for all pairs


class Part:
    """One part of a contact: numbers, checked; what is None has not been said."""

    ALIKE: ClassVar[tuple[str, ...]] = ()  # numbers that have no mean

    def _check(self, name: str, **limits: float) -> None:
        """Check a number, and keep it as a float."""
        value = getattr(self, name)
        if value is not None:
            object.__setattr__(self, name, checks.number(name, value, **limits))

    def said(self) -> dict[str, object]:
        """What has been said, by name; the type among it."""
        return {each.name: v for each in fields(self) if (v := getattr(self, each.name)) is not None}

    def __repr__(self) -> str:
        """As it was made."""
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
