"""Read and check a case file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dem.base import checks
from dem.base.text import counted, cut, shown
from dem.base.user_classes import synonym_hint
from dem.case import StudyCase, case, with_parameters
from dem.casefile.chosen_case import ChosenCase
from dem.casefile.file_case import FileCase
from dem.casefile.schema.case_tables import CaseKeys, HardTable, ShortTable, SteppedTable, StochasticTable
from dem.casefile.schema.key_types import TAGS, Table, meaning, table_in
from dem.casefile.set_options import put
from dem.casefile.toml import parsed
from dem.files.writing.output_settings import SIGNATURE

if TYPE_CHECKING:
    from dem.dsmc.simulation import StochasticSpheres
    from dem.event_driven.simulation import HardSpheres
    from dem.soft.simulation import Simulation

METHODS = {"time-steps": SteppedTable, "hard-spheres": HardTable, "stochastic": StochasticTable}


def read(path: str | Path, settings: dict | None = None) -> ChosenCase:
    """Read a case file; settings replace values at dotted paths, such as ``particles.0.velocity``.

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
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {path}") from None
    except UnicodeDecodeError as error:
        problem = f"which is text in UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        if error.object.startswith(SIGNATURE):
            problem = "but HDF5: dem.Simulation.load reads a state, dem run --resume continues a run"
        raise ValueError(f"{path} is no case file, {problem}") from None
    try:
        content = parsed(text)
        settings = settings or {}
        content = put(
            content, settings, model_of(content | {key: settings[key] for key in settings if key == "method"})
        )
        return resolved(content, path.stem, path.parent.resolve())
    except ValueError as error:
        raise ValueError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


def load(path: str | Path, settings: dict | None = None) -> Simulation | HardSpheres | StochasticSpheres:
    """Load the simulation that a case file describes, as ``dem run FILE.toml`` does.

    Duration and output are not part of it: they are given to `run`, and stand in ``sim.description["case_file"]``.

    Parameters
    ----------
    path : path
        A case file, see ``dem init``.
    settings : dict, optional
        Values in place of what stands at dotted paths, such as ``{"time_step": 1e-6, "particles.0.speed": 0.1}``.

    Returns
    -------
    Simulation, HardSpheres or StochasticSpheres

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
    chosen = read(path, settings)
    if isinstance(chosen.case, StudyCase):
        raise ValueError(
            f"{path} describes no particles but a study, {type(chosen.case).name}: dem run {path} writes its table"
        )
    return chosen.case.simulation()


def model_of(content: dict) -> type[Table]:
    """Schema for the content of a file, by its method; raises ValueError for an unknown method."""
    if "case" in content:
        return ShortTable
    return METHODS[checks.one_of("method", content.get("method", "time-steps"), METHODS)]


def resolved(content: dict, name: str, folder: Path | None = None) -> ChosenCase:
    """Case described by the content of a file; relative paths in it start at the folder."""
    if "case" in content:
        short = _validated(ShortTable, content, folder)
        frames = {"frames": short.output.frames} if "frames" in short.output.model_fields_set else {}
        chosen = with_parameters(case(short.case), frames | short.parameters)
        return ChosenCase(chosen, name, short.output.file and Path(short.output.file), short.output.options())
    table = _validated(model_of(content), content, folder)
    return ChosenCase(
        FileCase(name, table), name, table.output.file and Path(table.output.file), table.output.options()
    )


def _validated(model: type[Table], content: dict, folder: Path | None) -> Table:
    context: dict[str, object] = {"folder": folder}
    if issubclass(model, CaseKeys):
        for what in ("material", "shape"):
            table = content.get(f"{what}s", {})
            context[what] = list(table) if isinstance(table, dict) else []
    try:
        return model.model_validate(content, context=context)
    except ValidationError as error:
        raise ValueError("\n".join(error_lines(error, model))) from None


WORDS = {"valid tuple": "list", "valid list": "list", "valid dictionary": "table", "Input": "input"}  # as TOML says


def error_lines(error: ValidationError, model: type[Table]) -> list[str]:
    """Lines of error messages; each begins with the path of a key in the file."""
    return [_error_line(each, model) for each in error.errors()]


def _error_line(error: dict, model: type[Table]) -> str:
    path = [part for part in error["loc"] if part not in (*TAGS, "[key]")]
    if error["type"] == "value_error" and not path:  # of the whole file
        return str(error["ctx"]["error"])
    where = ".".join(cut(str(part)) for part in path)
    table = _table_at(model, path[:-1])
    if error["type"] == "extra_forbidden":
        name, known = str(path[-1]), table.model_fields
        hint = synonym_hint(name, known)
        try:
            checks.one_of("key", name, known)
        except ValueError as unknown:
            return f"{where}: unknown key {shown(name)}: {hint[0].lower()}{hint[1:]}" if hint else f"{where}: {unknown}"
    if error["type"] == "missing":
        field = table.model_fields.get(path[-1])  # none in a list of fixed length
        return f"{where} is missing" + (f": {meaning(field)}" if field else "")
    if error["type"] == "value_error":
        return f"{where}: {error['ctx']['error']}"
    said = error["msg"]
    if error["type"] == "model_type":
        keys = ", ".join(_table_at(model, path).model_fields)
        return f"{where} is {shown(error['input'])}: input should be a table, with keys of {keys}"
    if error["type"] == "literal_error":
        near = checks.nearest(str(error["input"]), re.findall(r"'([^']*)'", error["ctx"]["expected"]))
        said += f": did you mean {near}?" if near else ""
    if error["type"] == "too_short":
        said = f"input should have at least {counted(error['ctx']['min_length'], 'value')}"
    if error["type"] == "too_long":
        said = f"input should have {error['ctx']['max_length']} values, not {error['ctx']['actual_length']}"
    for word, better in WORDS.items():
        said = said.replace(word, better)
    return f"{where} is {shown(error['input'])}: {said}"


def _table_at(model: type[Table], path: list) -> type[Table]:
    """Schema of the table at a path."""
    for part in path:
        if part in model.model_fields:
            model = table_in(model.model_fields[part].annotation) or model
    return model
