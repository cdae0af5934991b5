"""Find cases by name, and make them with parameters."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dem.base import checks, shadows
from dem.case.bases import BaseCase

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "dem.cases"  # entry-point group; any installed package may add to it


def names() -> list[str]:
    """Names of all installed cases."""
    return sorted(entry.name for entry in entry_points(group=GROUP))


def cases() -> dict[str, type[BaseCase]]:
    """All installed cases by name."""
    return {name: case(name) for name in names()}


def case(name: str) -> type[BaseCase]:
    """Look up a case; raises ValueError with the nearest name, or if it cannot be loaded."""
    checks.one_of("case", name, names())
    return _load(next(iter(entry_points(group=GROUP, name=name))))


def _load(entry: EntryPoint) -> type[BaseCase]:
    try:
        if entry.dist is not None and entry.dist.name == "pcdm-dem":
            shadows.check("cases")
        kind = entry.load()
    except Exception as error:
        message = f"case {entry.name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ValueError(message) from error
    if not (isinstance(kind, type) and issubclass(kind, BaseCase) and getattr(kind, "name", None) == entry.name):
        message = f"case {entry.name}: {entry.value} is no dem.Case or dem.RotationCase whose name is {entry.name!r}"
        raise ValueError(message)
    return kind


def with_parameters(kind: type[BaseCase], parameters: dict) -> BaseCase:
    """Make a case; raises ValueError with one line for each parameter that is unknown or out of range."""
    try:
        return kind(**parameters)
    except ValidationError as error:
        raise ValueError("\n".join(_line(kind, e) for e in error.errors())) from None


def _line(kind: type[BaseCase], error: dict) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        try:
            checks.one_of(f"parameter of {kind.name}", name, kind.model_fields)
        except ValueError as unknown:
            return str(unknown)
    return f"{name} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"
