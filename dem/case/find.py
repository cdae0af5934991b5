"""Find cases by name, and make them with parameters."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from dem.base import checks, imports, units
from dem.case.bases import BaseCase
from dem.case.study import StudyCase

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pydantic.fields import FieldInfo

AnyCase = BaseCase | StudyCase  # a trajectory or a table
GROUP = "dem.cases"  # entry-point group; any installed package may add to it


@cache
def installed() -> dict[str, EntryPoint]:
    """Entry points of all installed cases, by name; the search reads the metadata of every installed package."""
    return imports.installed(GROUP)


def names() -> list[str]:
    """Names of all installed cases."""
    return list(installed())


def cases() -> dict[str, type[AnyCase]]:
    """All installed cases by name.

    Returns
    -------
    dict of str to type
        Classes of cases, to be called with parameters.

    Raises
    ------
    ValueError
        If one of them cannot be loaded.

    Examples
    --------
    >>> cases()["single-fibre"](angle=45.0).duration
    2.0
    """
    return {name: _load(entry) for name, entry in installed().items()}


def case(name: str) -> type[AnyCase]:
    """Look up a case; raises ValueError with the nearest name, or if it cannot be loaded."""
    if name not in installed():
        installed.cache_clear()  # it may have been installed a moment ago, from a notebook
    return _load(installed()[checks.one_of("case", name, names())])


def _load(entry: EntryPoint) -> type[AnyCase]:
    kind = imports.load_entry("case", entry)
    if not (isinstance(kind, type) and issubclass(kind, AnyCase) and getattr(kind, "name", None) == entry.name):
        message = f"case {entry.name}: {entry.value} is no dem.Case or dem.RotationCase whose name is {entry.name!r}"
        raise ValueError(message)
    return kind


def with_parameters(kind: type[AnyCase], parameters: dict) -> AnyCase:
    """Make a case; raises ValueError with one line for each parameter that is unknown or out of range.

    Numbers may be strings with a unit, such as "5 mm", if the description of the parameter tells its unit.
    """
    found, wrong = {}, []
    for name, value in parameters.items():
        try:
            found[name] = _measured(kind.model_fields.get(name), value)
        except ValueError as error:
            wrong.append(f"{name}: {error}")
    try:
        made = kind(**found)
    except ValueError as error:
        wrong.append(str(error))
    if wrong:
        raise ValueError("\n".join(wrong))
    return made


def _measured(field: FieldInfo | None, value: object) -> object:
    """SI value of a text, or of the texts in a list, if the field has a unit."""
    if isinstance(value, list):
        return [_measured(field, each) for each in value]
    told = re.search(r"\[(.+?)\]", field.description or "") if field else None
    quantity = next((each for each in units.ALL if told and each.unit == told[1]), None)
    parts = units.NUMBER.fullmatch(value) if quantity and isinstance(value, str) else None
    return quantity.value(value) if parts and parts[2] else value
