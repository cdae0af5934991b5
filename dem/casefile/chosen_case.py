"""Record of a chosen case and the settings of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from dem.case import AnyCase
    from dem.casefile.file_case import FileCase


class ChosenCase(NamedTuple):
    """A case with the settings of its run, chosen by name or by file."""

    case: AnyCase | FileCase
    name: str  # for files that it writes
    output: Path | None  # the file that it wants to write
    options: dict[str, Any]  # what it says about writing, for `Simulation.run`
