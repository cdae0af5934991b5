"""Objects of other packages in case files: classes that installed packages declare by entry points."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.imports import installed, load_installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def known_name(group: str, key: str, name: str, ours: Iterable[str]) -> str:
    """Check that a name is one of `dem` or of an entry point of a group; raises ValueError with the nearest name."""
    ours = [*ours]
    return name if name in ours else checks.one_of(key, name, [*ours, *installed(group)])


def build_declared(group: str, key: str, name: str, parameters: Mapping[str, object]) -> object:
    """Make an instance of the dataclass that an entry point names; `key` of the case file is for messages.

    Raises
    ------
    ValueError
        If no installed package declares the name or it cannot be loaded, if it is no dataclass, or takes other
        parameters.
    """
    kind = load_installed(group, key, name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ValueError(f"{key} {name} is {kind!r}, expected a dataclass")
    takes = [each.name for each in fields(kind) if each.init]
    try:
        return kind(**parameters)
    except TypeError as error:
        raise ValueError(f"parameters of {name} are {', '.join(takes)}: {error}") from None
