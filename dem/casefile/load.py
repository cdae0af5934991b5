"""Case files as `dem run` takes them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dem.base import checks
from dem.case import StudyCase, case, with_parameters
from dem.casefile import errors
from dem.casefile.chosen import Chosen
from dem.casefile.file_case import FileCase
from dem.casefile.schema import CaseTable, HardTable, ShortTable, SteppedTable, Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from dem.hard.simulation import HardSpheres
    from dem.soft.simulation import Simulation

HDF5 = b"\x89HDF"  # how such files begin
METHODS = {"time-steps": SteppedTable, "hard-spheres": HardTable}


def read(path: str | Path, settings: dict | None = None) -> Chosen:
    """Read a case file; settings replace what stands at dotted paths, such as ``particles.0.velocity``.

    Raises
    ------
    ValueError, OSError
        If it cannot be read, or with one line for each thing in it that is wrong.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tilted.toml"
    ...     _ = path.write_text('case = "single-fibre"' + chr(10) + "parameters = {angle = 45.0}")
    ...     tilted = read(path, {"time_step": 1e-5})
    >>> tilted.name, tilted.case.angle, tilted.case.time_step
    ('tilted', 45.0, 1e-05)
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        message = f"no file {path}"
        raise FileNotFoundError(message) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path}: {str(error)[:1].lower()}{str(error)[1:]}"
        raise ValueError(message) from None
    try:
        content = _with(content, settings or {})
        return resolved(content, path.stem, path.parent.resolve())
    except ValueError as error:
        raise ValueError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


def load(path: str | Path, settings: dict | None = None) -> Simulation | HardSpheres:
    """The simulation that a case file describes, ready to run: what ``dem run FILE.toml`` makes of it.

    Duration and output are not part of it: they are given to `run`, and stand in ``sim.description["case_file"]``.

    Parameters
    ----------
    path : path
        A case file, see ``dem init``.
    settings : dict, optional
        Values in place of what stands at dotted paths, such as ``{"time_step": 1e-6, "particles.0.speed": 0.1}``.

    Returns
    -------
    Simulation or HardSpheres

    Raises
    ------
    ValueError, OSError
        If it cannot be read, or with one line for each thing in it that is wrong.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tilted.toml"
    ...     _ = path.write_text('case = "single-fibre"' + chr(10) + "parameters = {angle = 45.0}")
    ...     sim = load(path, {"time_step": 1e-5})
    >>> len(sim.particles), sim.time_step
    (1, 1e-05)
    """
    path = Path(path)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(HDF5)) == HDF5:
                message = (
                    f"{path} is no case file but HDF5: dem.Simulation.load goes on from checkpoints and trajectories"
                )
                raise ValueError(message)
    chosen = read(path, settings)
    if isinstance(chosen.case, StudyCase):
        message = (
            f"{path} describes no particles but a study, {type(chosen.case).name}: dem run {path} writes its table"
        )
        raise ValueError(message)
    return chosen.case.simulation()


def resolved(content: dict, name: str, folder: Path | None = None) -> Chosen:
    """The case that the content of a file describes; relative paths in it are relative to the folder."""
    if "case" in content:
        short = _validated(ShortTable, content, folder)
        frames = {"frames": short.output.frames} if "frames" in short.output.model_fields_set else {}
        chosen = with_parameters(case(short.case), frames | short.parameters)
        return Chosen(chosen, name, short.output.file and Path(short.output.file), short.output.options())
    method = content.get("method", "time-steps")
    table = _validated(METHODS[checks.one_of("method", method, METHODS)], content, folder)
    return Chosen(FileCase(name, table), name, table.output.file and Path(table.output.file), table.output.options())


def _validated(model: type[Table], content: dict, folder: Path | None) -> Table:
    context: dict[str, object] = {"folder": folder}
    if issubclass(model, CaseTable):
        for what in ("material", "shape"):
            table = content.get(f"{what}s", {})
            context[what] = list(table) if isinstance(table, dict) else []
    try:
        return model.model_validate(content, context=context)
    except ValidationError as error:
        raise ValueError("\n".join(errors.lines(error, model))) from None


def _with(content: dict, settings: dict) -> dict:
    """The content with settings put in; of a case by name, parameters."""
    for dotted, value in settings.items():
        *parents, last = dotted.split(".")
        if "case" in content and parents[:1] != ["output"]:
            if parents and parents != ["parameters"]:
                message = f"--set {dotted}: a file that names a case has parameters and output only"
                raise ValueError(message)
            parents = ["parameters"]
        elif dotted == "frames":
            parents = ["output"]
        node = content
        for depth, part in enumerate(parents):
            node = _child(node, part, ".".join(parents[: depth + 1]))
        if isinstance(node, list):
            node[_index(node, last, dotted)] = _plain(value)
        else:
            node[last] = _plain(value)
    return content


def _child(node: dict | list, part: str, dotted: str) -> dict | list:
    """What stands at the next part of a path, which is a table made now if there is none.

    The command line does not tell hyphens from underscores.
    """
    if isinstance(node, list):
        found = node[_index(node, part, dotted)]
    else:
        found = node.setdefault(next((key for key in node if key.replace("-", "_") == part), part), {})
    if not isinstance(found, (dict, list)):
        message = f"--set {dotted}: there is no table, but {found!r}"
        raise ValueError(message)
    return found


def _index(node: list, part: str, dotted: str) -> int:
    if not (part.isdecimal() and int(part) < len(node)):
        message = f"--set {dotted}: {part!r} is no number from 0 to {len(node) - 1}"
        raise ValueError(message)
    return int(part)


def _plain(value: object) -> object:
    """What words of the command line mean: TOML values, or else strings."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, str):
        return value
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value
