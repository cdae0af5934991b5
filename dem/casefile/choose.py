"""What the command line is to run: a case by name, or a case file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dem.case import BaseCase, case, with_parameters

if TYPE_CHECKING:
    from pathlib import Path

    from dem.casefile.load import FileCase


class Chosen(NamedTuple):
    """What is to run."""

    case: BaseCase | FileCase
    name: str  # for files that it writes
    output: Path | None  # the file that it wants to write
    options: dict[str, Any]  # what it says about writing, for `Simulation.run`


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
    return Chosen(with_parameters(case(name), parameters), name, None, {})
