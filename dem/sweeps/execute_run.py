"""Execute one run of a sweep, in any process or thread; inspect its file and its progress."""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.notices import DemWarning
from dem.base.parsing import parse_json
from dem.base.text import error_in_words
from dem.case import StudyCase
from dem.casefile import ChosenCase, choose_case, with_text_parameters
from dem.files.h5md import layout
from dem.files.h5md.schema import PARTICLES
from dem.files.storage.journaled_file import being_written, is_blank, open_to_read
from dem.files.validation import hdf5_validation, input_validation
from dem.files.writing.output_settings import Output
from dem.model.particles.fields import STATE
from dem.run.resume import resume
from dem.sweeps.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    import h5py

    from dem.case import AnyCase
    from dem.casefile.file_case import FileCase
    from dem.sweeps.sweep_runs import SweepRun

FRUITLESS = "FloatingPointError"  # how the error of a run begins that would break again


class RunOnDisk(NamedTuple):
    """State of the file of a run.

    ``state`` is "nothing", "begun" (without a checkpoint yet), "unfinished" (it can be resumed), "running" (by
    another process), "finished", or "other": another run, described by ``outcome.error``.
    """

    state: str
    outcome: Outcome = Outcome()


def case_of(member: SweepRun) -> ChosenCase:
    """Case of a run with its parameters, and its number of threads if it takes threads.

    Raises ValueError or OSError with one line for each error.
    """
    found = _chosen(member, {})
    if member.threads is None or "threads" in member.settings or not has_threads(found):
        return found
    return _chosen(member, {"threads": member.threads})


def has_threads(run: ChosenCase) -> bool:
    """Whether a case takes a number of threads."""
    return hasattr(getattr(run.case, "table", run.case), "threads")


def _chosen(member: SweepRun, more: dict) -> ChosenCase:
    if isinstance(member.case, str):
        return choose_case(member.case, member.settings | more)
    return ChosenCase(with_text_parameters(member.case, member.settings | more), member.case.name, None, {})


def inspect_run(member: SweepRun, run: ChosenCase) -> RunOnDisk:
    """Read the state of a run from its file."""
    path = member.path
    if not path.exists():
        return RunOnDisk("nothing")
    if isinstance(run.case, StudyCase):  # whose tables say no more than their names
        return RunOnDisk("finished", Outcome("DONE"))
    if being_written(path):
        return RunOnDisk("running", Outcome(error="another process is writing it"))
    try:
        with open_to_read(path, input_validation.problem) as file:
            wrong = _difference(file, run, member)
            return RunOnDisk("other", Outcome(error=wrong)) if wrong else _state(file)
    except (OSError, ValueError) as error:
        if path.is_file() and is_blank(path):
            return RunOnDisk("begun")
        return RunOnDisk("other", Outcome(error=str(error)))


def _state(file: h5py.File) -> RunOnDisk:
    """Progress of a run in its file."""
    about = file["parameters"].attrs
    verdict, error = str(about.get("verdict", "")), str(about.get("error", ""))
    seconds = float(about["wall_time"]) if "wall_time" in about else None
    if error.startswith(FRUITLESS):
        return RunOnDisk("finished", Outcome("ERROR", seconds, error.partition(": ")[2]))
    status, _, rest = verdict.partition(":")
    if status in ("PASS", "WARN", "FAIL"):
        return RunOnDisk(
            "finished", Outcome(status, seconds, "; ".join(rest.split("; ")[1:]) if status == "FAIL" else "")
        )
    if not {"start", "latest"} & {*file.get("restart", ())}:
        return RunOnDisk("begun")
    return RunOnDisk("unfinished", Outcome("STOPPED" if verdict else "", seconds))


def _difference(file: h5py.File, run: ChosenCase, member: SweepRun) -> str | None:
    """First difference between a file and this run, in words; threads and machines are not compared."""
    from dem.kernels.compiler.jit import FINGERPRINT  # noqa: PLC0415, most files need not be looked at

    about = file["parameters"]
    stored, wanted = parse_json(hdf5_validation.text(about["input"]), "the input"), described(run.case)
    if stored.get("case") != wanted.pop("case"):
        return f"it is a run of {stored.get('case', 'no case')}"
    for what, sought in wanted.items():
        there = stored.get(what)
        if not isinstance(there, dict) or _bare(there) != _bare(sought):
            name, old, new = _first(there or {}, sought)
            return f"it is a run with {name} {old}, not {new}"
    names = ("fields", "float32", "compression", "contacts")
    asked = {name: value for name, value in (run.options | member.options).items() if name in names}
    output = Output.checked(**{"fields": None, "float32": False, "compression": None} | asked)
    position = file[f"{PARTICLES}/position/value"]
    fields = tuple(
        name
        for name, field in STATE.items()
        if f"{PARTICLES}/{name}/value" in file or (field.optional and name in output.fields)  # runs may lack those
    )
    written = Output(fields, position.dtype == np.float32, position.compression, layout.NUMBER in file)
    if written != output:
        return "it was written with other fields, precision, contacts or compression"
    if len(parse_json(about.attrs.get("plan", "[]"), "the plan")) > 1:
        return "it was made longer"
    old, new = parse_json(about.attrs["versions"], "versions").get("pcdm-dem"), version("pcdm-dem")
    if (old, about.attrs["kernels"]) != (new, FINGERPRINT):
        return f"it was run with other kernels, of pcdm-dem {old}"
    return None


def described(case: AnyCase | FileCase) -> dict:
    """Case of a run as stored in its file, as plain values."""
    if hasattr(case, "contents"):
        description = {"case": case.name, "case_file": case.contents()}
    else:
        description = {"case": case.name, "parameters": case.model_dump(mode="json")}
    return json.loads(json.dumps(description))


def _bare(description: dict) -> dict:
    """Description without threads and output settings."""
    output = description.get("output")
    output = {"output": {"frames": output.get("frames")}} if isinstance(output, dict) else {}
    return {name: value for name, value in (description | output).items() if name != "threads"}


def _first(stored: dict, wanted: dict) -> tuple[str, object, object]:
    """First difference between two descriptions, with both values."""
    one, other = _bare(stored), _bare(wanted)
    name = next(name for name in (*other, *one) if one.get(name) != other.get(name))
    old, new = (str(each.get(name, "not given")) for each in (one, other))
    return name, old if len(old) <= 60 else "otherwise", new if len(new) <= 60 else "as it is now"


def carry_out(member: SweepRun, *, quiet: bool = False) -> Outcome:
    """Start or resume a run, or skip it if it is finished; returns its outcome, errors included.

    If `quiet`, warnings of the engine are recorded in the outcome instead of shown, in a process of its own.
    """
    start = time.perf_counter()
    with _warnings_kept(wanted=quiet) as kept:
        try:
            outcome = _carried_out(member)
        except KeyboardInterrupt:
            outcome = Outcome("STOPPED")
        except MemoryError:
            outcome = Outcome("ERROR", error="there is not enough memory for this many particles, spheres or triangles")
        except Exception as error:  # the table shows the error; other runs continue
            outcome = Outcome("ERROR", time.perf_counter() - start, error_in_words(error))
    return outcome._replace(warnings=tuple(dict.fromkeys(kept)))


def _carried_out(member: SweepRun) -> Outcome:
    run = case_of(member)
    found = inspect_run(member, run)
    if found.state == "running":
        raise OSError(found.outcome.error)
    if found.state == "finished":
        return found.outcome
    if isinstance(run.case, StudyCase):
        start = time.perf_counter()
        run.case.write(member.path, overwrite=member.overwrite)
        return Outcome("DONE", time.perf_counter() - start)
    if found.state == "unfinished":
        options = {name: value for name, value in member.options.items() if name in ("strict", "checkpoint_every")}
        verdict = resume(member.path, threads=member.threads, progress=False, **options)
    else:
        verdict = run.case.simulation().run(
            run.case.duration, output=member.path, frames=run.case.frames, progress=False,
            overwrite=member.overwrite or found.state == "begun", **(run.options | member.options),
        )  # fmt: skip
    outcome = inspect_run(member, run).outcome
    return outcome if outcome.verdict == verdict.status else outcome._replace(verdict=verdict.status, error="")


def compile_for(member: SweepRun, *, quiet: bool = False) -> None:
    """Compile the kernels of a run by one step into a temporary file; errors are left to the run itself."""
    with _warnings_kept(wanted=quiet):
        try:
            run = case_of(member)
            if isinstance(run.case, StudyCase):
                return  # whose outcome it would be
            sim = run.case.simulation()
            with tempfile.TemporaryDirectory() as folder:
                sim.run(sim.time_step or 1e-9, output=Path(folder, "run.h5"), frames=1, progress=False, force=True)
        except Exception:
            return


@contextmanager
def _warnings_kept(*, wanted: bool) -> Iterator[list[str]]:
    """Collect warnings of the engine as text."""
    kept: list[str] = []
    if not wanted:
        yield kept
        return
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DemWarning)
        yield kept
    for each in found:
        if issubclass(each.category, DemWarning):
            name = each.message.name
            kept.append(f"warning [{name}]{str(each.message).removeprefix(name)}")
