"""Choose what the command line is to run: a case by name, or a case file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.case import case, with_parameters
from dem.casefile.chosen import Chosen

if TYPE_CHECKING:
    from dem.case import BaseCase


def chosen_case(name: str, parameters: dict) -> Chosen:
    """The case of this name, or of the case file with this path, with some parameters or keys set.

    Raises
    ------
    ValueError, OSError
        With one line for each thing that is wrong.
    """
    if name.endswith(".toml"):
        from dem.casefile.load import read  # noqa: PLC0415, the schema takes a moment that other commands do not need

        return read(name, parameters)
    return Chosen(with_words(case(name), parameters), name, None, {})


def with_words(kind: type[BaseCase], parameters: dict) -> BaseCase:
    """Make a case with parameters as the command line gives them: with hyphens, lists separated by commas."""
    return with_parameters(kind, {name.replace("-", "_"): _listed(value) for name, value in parameters.items()})


def _listed(value: object) -> object:
    parts = value.strip("()[] ").split(",") if isinstance(value, str) else ()
    return [part.strip() for part in parts] if len(parts) > 1 else value
