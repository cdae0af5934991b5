"""Choose what the command line is to run: a case by name, or a case file."""

from __future__ import annotations

from dem.case import case, with_parameters
from dem.casefile.chosen import Chosen


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
