"""Case files as `dem run` takes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dem.base import checks
from dem.case import StudyCase, case, with_parameters
from dem.casefile import errors
from dem.casefile.chosen import Chosen
from dem.casefile.file_case import FileCase
from dem.casefile.schema.case_tables import CaseKeys, HardTable, ShortTable, SteppedTable
from dem.casefile.schema.stochastic import StochasticTable
from dem.casefile.schema.table_base import Table
from dem.casefile.set_options import put
from dem.casefile.toml import parsed
from dem.files.writing.output_settings import SIGNATURE

if TYPE_CHECKING:
    from dem.dsmc.simulation import StochasticSpheres
    from dem.event_driven.simulation import HardSpheres
    from dem.soft.simulation import Simulation

METHODS = {"time-steps": SteppedTable, "hard-spheres": HardTable, "stochastic": StochasticTable}


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
        text = path.read_text("utf-8")
    except FileNotFoundError:
        message = f"no file {path}"
        raise FileNotFoundError(message) from None
    except UnicodeDecodeError as error:
        problem = f"which is text in UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        if error.object.startswith(SIGNATURE):
            problem = "but HDF5: dem.Simulation.load reads a state, dem run --resume continues a run"
        message = f"{path} is no case file, {problem}"
        raise ValueError(message) from None
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
        message = (
            f"{path} describes no particles but a study, {type(chosen.case).name}: dem run {path} writes its table"
        )
        raise ValueError(message)
    return chosen.case.simulation()


def model_of(content: dict) -> type[Table]:
    """What may stand in a file with this content; raises ValueError if its method is unknown."""
    if "case" in content:
        return ShortTable
    return METHODS[checks.one_of("method", content.get("method", "time-steps"), METHODS)]


def resolved(content: dict, name: str, folder: Path | None = None) -> Chosen:
    """The case that the content of a file describes; relative paths in it are relative to the folder."""
    if "case" in content:
        short = _validated(ShortTable, content, folder)
        frames = {"frames": short.output.frames} if "frames" in short.output.model_fields_set else {}
        chosen = with_parameters(case(short.case), frames | short.parameters)
        return Chosen(chosen, name, short.output.file and Path(short.output.file), short.output.options())
    table = _validated(model_of(content), content, folder)
    return Chosen(FileCase(name, table), name, table.output.file and Path(table.output.file), table.output.options())


def _validated(model: type[Table], content: dict, folder: Path | None) -> Table:
    context: dict[str, object] = {"folder": folder}
    if issubclass(model, CaseKeys):
        for what in ("material", "shape"):
            table = content.get(f"{what}s", {})
            context[what] = list(table) if isinstance(table, dict) else []
    try:
        return model.model_validate(content, context=context)
    except ValidationError as error:
        raise ValueError("\n".join(errors.lines(error, model))) from None
