"""Compute one run of a sweep, in any process or thread."""

from __future__ import annotations

import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dem.base.notices import DemWarning
from dem.base.text import error_in_words
from dem.case import StudyCase
from dem.run.resume import resume
from dem.sweeps.stored import chosen, look
from dem.sweeps.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.casefile import Chosen
    from dem.sweeps.members import Member


def carry_out(member: Member, *, quiet: bool = False) -> Outcome:
    """Start or resume a run, or skip it if it is finished; returns its outcome, also for errors.

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


def _carried_out(member: Member) -> Outcome:
    run = chosen(member)
    found = look(member, run)
    if found.state == "running":
        raise OSError(found.outcome.error)
    if found.state == "finished":
        return found.outcome
    if isinstance(run.case, StudyCase):
        start = time.perf_counter()
        run.case.write(member.path, overwrite=member.overwrite)
        return Outcome("DONE", time.perf_counter() - start)
    if found.state == "unfinished":
        said = {name: value for name, value in member.options.items() if name in ("strict", "checkpoint_every")}
        verdict = resume(member.path, threads=member.threads, progress=False, **said)
    else:
        verdict = _run(run, member, overwrite=member.overwrite or found.state == "begun")
    outcome = look(member, run).outcome
    return outcome if outcome.verdict == verdict.status else outcome._replace(verdict=verdict.status, error="")


def _run(run: Chosen, member: Member, *, overwrite: bool) -> object:
    case, options = run.case, run.options | member.options
    return case.simulation().run(
        case.duration, output=member.path, frames=case.frames, progress=False, overwrite=overwrite, **options
    )


def compile_for(member: Member, *, quiet: bool = False) -> None:
    """Compile the kernels of a run by one step into a temporary file; errors are left to the run itself."""
    with _warnings_kept(wanted=quiet):
        try:
            run = chosen(member)
            if isinstance(run.case, StudyCase):
                return  # whose outcome it would be
            sim = run.case.simulation()
            with tempfile.TemporaryDirectory() as folder:
                sim.run(sim.time_step or 1e-9, output=Path(folder, "run.h5"), frames=1, progress=False, force=True)
        except Exception:
            return


@contextmanager
def _warnings_kept(*, wanted: bool) -> Iterator[list[str]]:
    """Warnings of the engine as texts, instead of where they would go."""
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
