"""Choose the case that the command line runs: by the name of a case, or by the path of a case file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dem.base import checks
from dem.case import case, names, with_parameters
from dem.casefile.chosen_case import ChosenCase
from dem.files.writing.output_settings import ENDINGS

if TYPE_CHECKING:
    from dem.case import AnyCase


def choose_case(name: str, parameters: dict) -> ChosenCase:
    """Case by its name or by the path of a case file, with some parameters or keys set.

    Raises
    ------
    ValueError, OSError
        With one line for each thing that is wrong.
    """
    if name.endswith(".toml"):
        from dem.casefile.load import read  # noqa: PLC0415, the schema takes a moment that other commands do not need

        return read(name, parameters)
    if name not in names():
        _check_no_file(name)
    return ChosenCase(with_text_parameters(case(name), parameters), name, None, {})


def _check_no_file(name: str) -> None:
    """Refuse a name that looks like a file or is one, and suggest the intended name."""
    path = Path(name)
    file = path.with_suffix(".toml") if path.name else path
    if not (path.suffix or os.sep in name or file.is_file()):
        return
    if path.suffix in ENDINGS:
        message = f"{name} looks like a trajectory, expected a case or a case file: --resume {name} continues it"
        raise ValueError(message)
    there = [each.name for each in path.parent.glob("*.toml")]
    near = file.name if file.name in there else checks.nearest(path.name, there)
    hint = f"did you mean {path.with_name(near)}?" if near else "the name of a case file ends in .toml"
    if path.suffix == ".py":
        hint = f"run it as a script, python {name}, or install its case (dem guide own)"
    raise ValueError(f"{name} is neither a case (see dem cases) nor a case file: {hint}")


def with_text_parameters(kind: type[AnyCase], parameters: dict) -> AnyCase:
    """Make a case with parameters as text of the command line: names with hyphens, lists separated by commas."""
    return with_parameters(kind, {name.replace("-", "_"): _listed(value) for name, value in parameters.items()})


def _listed(value: object) -> object:
    parts = value.strip("()[] ").split(",") if isinstance(value, str) else ()
    return [part.strip() for part in parts] if len(parts) > 1 else value
