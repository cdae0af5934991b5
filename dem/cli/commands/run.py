"""``dem run``: run a case."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dem.base.notices import refused_before_building
from dem.base.text import counted
from dem.base.units import TIME
from dem.case import StudyCase
from dem.casefile import choose_case
from dem.cli.application import app, plain_errors, report
from dem.cli.completion import cases_and_files
from dem.model.particles.fields import STATE
from dem.ranks.job_server import sharing_of_latest
from dem.run.running_table import chosen as chosen_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.case import Case, HardSphereCase
    from dem.event_driven.simulation import HardVerdict
    from dem.soft.verdict import Verdict


PATIENCE = 10.0  # s in which a page that is open gets the last frames


@app.command()
@plain_errors
def run(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="CASE|FILE.toml", autocompletion=cases_and_files, help="A case, see `dem cases`; or a case file."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write; default: a free name.")] = None,
    duration: Annotated[
        str | None,
        typer.Option(help="Total simulated time [s], also with --resume: 0.5, or '500 ms'; default: of the case."),
    ] = None,
    time_step: Annotated[
        str | None, typer.Option(help="Time step [s]: 1e-6, or '1 us', or auto; default: of the case.")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(help="Rotational scheme, see `dem integrators`; default: of the case.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; default: all cores. Results do not change.")] = None,
    frames: Annotated[int | None, typer.Option(help="Number of frames after the first; default: of the case.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Parameter, see dem cases CASE; or path of a key; repeatable."
        ),
    ] = None,
    fields: Annotated[
        str | None, typer.Option(help=f"Fields in each frame, among {','.join(STATE)}; default: all.")
    ] = None,
    float32: Annotated[bool, typer.Option("--float32", help="Write fields in single precision.")] = False,
    contacts: Annotated[bool, typer.Option("--contacts", help="Write contacts and forces at each frame.")] = False,
    compression: Annotated[
        str | None, typer.Option(help="gzip or lzf: a little smaller, much slower; default: none.")
    ] = None,
    checkpoint_every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Computing time between checkpoints, or steps; default: 10min.")
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Print a table of the run, row by row, and store it.")] = False,
    columns: Annotated[
        str | None,
        typer.Option(help="Columns of the table, such as time,kinetic,contacts,error; default: the usual ones."),
    ] = None,
    table_every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Simulated time between rows [s], such as '1 ms', or steps; default: for 100 rows."
        ),
    ] = None,
    resumed: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Continue the run in this file.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Turn warnings into errors.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Warn of input that is otherwise refused.")] = False,
    viewed: Annotated[bool, typer.Option("--view", help="Show the run in the browser while it computes.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Run a case and write its trajectory; cases of one rotating body write a table (.csv).

    Hard spheres take no time step, integrator or threads. Random collisions (DSMC) take a time step only.
    """
    from dem.base import compilation  # noqa: PLC0415, needs numba, for which help and completion do not wait

    compilation.SILENT = quiet
    options = {"duration": _number(duration), "time_step": _number(time_step)}
    options |= {"integrator": integrator, "threads": threads}
    options = {key: value for key, value in (options | {"frames": frames}).items() if value is not None}
    writing = {"fields": fields, "float32": float32, "compression": compression, "overwrite": overwrite, "force": force}
    writing |= {"contacts": contacts}
    writing |= {"table": table or table_every is not None if columns is None else columns, "table_every": table_every}
    writing = {key: value for key, value in writing.items() if value not in (None, False)}
    every = {"checkpoint_every": checkpoint_every} if checkpoint_every is not None else {}
    if resumed is not None:
        if name or output or settings or writing or options.keys() - {"duration", "threads"}:
            message = "--resume goes with --duration, --threads, --checkpoint-every, --strict; the file has the rest"
            raise ValueError(message)
        from dem.run.resume import resume  # noqa: PLC0415, few runs are resumed

        options |= {"duration": TIME.value(options["duration"])} if "duration" in options else {}
        with live_page(resumed) if viewed else nullcontext():
            verdict = resume(resumed, **options, **every, progress=not quiet, strict=strict)
        said = f"{resumed}: complete"
    elif name is None:
        message = "give a case, see dem cases, a case file, or --resume FILE"
        raise ValueError(message)
    else:
        chosen, name, wanted, said_there = choose_case(name, parameters(settings or []) | options)
        output = output or wanted
        if isinstance(chosen, StudyCase):
            if every or strict or viewed or (said_there | writing).keys() - {"overwrite"}:
                message = f"{name} writes a table: leave out what is about trajectories and warnings"
                raise ValueError(message)
            _write_table(chosen, output or _free_name(name, ".csv"), overwrite=overwrite, quiet=quiet)
            return
        path = output or _free_name(name, ".h5")
        asked = {"progress": not quiet, "strict": strict} | said_there | writing | every
        with live_page(path) if viewed else nullcontext():
            verdict, said = _run(chosen, path, None if output or viewed else name, **asked)
    if not quiet:
        report(said)
        report(f"{verdict}{sharing_of_latest()}")
    elif verdict.status != "PASS":
        report(f"{verdict}", error=True)
    if not verdict.passed or (strict and verdict.status != "PASS"):
        raise typer.Exit(1)


def _write_table(chosen: StudyCase, path: Path, *, overwrite: bool, quiet: bool) -> None:
    message = chosen.write(path, overwrite=overwrite)
    if not quiet:
        report(f"{path}: {message}")


def _run(
    chosen: Case | HardSphereCase, path: Path, name: str | None, **options: object
) -> tuple[Verdict | HardVerdict, str]:
    """Run a case; returns the verdict and a summary in words. Arguments are checked before the simulation is built.

    With a `name` the path is only a free one: if another run takes it while this one compiles, the next one is chosen.
    """
    from dem.run import run_loop  # noqa: PLC0415, as above

    later = ("progress", "strict", "force", "table", "table_every")
    there = {key: value for key, value in options.items() if key not in later}
    chosen_columns(options.get("table", False))
    if path.exists() and any(path.samefile(before) for before in getattr(chosen, "earlier_runs", ())):
        message = f"output {path} cannot be written: the run begins with the last frame of this file"
        raise OSError(message)
    run_loop.checked(chosen.duration, output=path, frames=chosen.frames, **there)
    stepped = getattr(chosen, "table", chosen)  # of a case file
    if hasattr(stepped, "integrator"):
        run_loop.check_steps(chosen.duration, stepped.time_step, stepped.integrator, stepped.threads)
    with refused_before_building(strict=bool(options["strict"]), force=bool(options.get("force"))):
        sim = chosen.simulation()
    start = time.perf_counter()
    try:
        verdict = sim.run(chosen.duration, output=path, frames=chosen.frames, **options)
    except FileExistsError:
        if not name:
            raise
        return _run(chosen, _free_name(name, ".h5"), name, **options)
    seconds = time.perf_counter() - start
    pace = sim.pace(verdict.count, seconds)
    done = f"{counted(len(sim.particles), 'particle')}, {counted(verdict.count, sim.unit)}"
    return verdict, f"{path}: {done} in {seconds:.2f} s ({pace})"


def _number(time: str | None) -> float | str | None:
    """Number of seconds if the text is a number; any other text is left to the case to check."""
    try:
        return None if time is None else float(time)
    except ValueError:
        return time


def parameters(settings: list[str]) -> dict[str, str]:
    """Parameters from ``--set NAME=VALUE``, as strings."""
    result: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            message = f"--set {setting}: expected NAME=VALUE"
            raise ValueError(message)
        result[name.strip()] = value
    return result


def _free_name(name: str, ending: str) -> Path:
    """CASE.h5, or CASE-2.h5 and so on."""
    path, k = Path(name + ending), 1
    while path.exists():
        k += 1
        path = Path(f"{name}-{k}{ending}")
    return path


@contextmanager
def live_page(path: Path) -> Iterator[None]:
    """Start a separate process that shows the run in the browser; the run never waits for the page."""
    command = [sys.executable, "-m", "dem", "view", str(path), "--live", "--since", str(time.time())]
    follower = subprocess.Popen(
        command, stdin=subprocess.PIPE
    )  # the process ends when this pipe closes, however this one ends
    try:
        yield
    finally:
        follower.stdin.close()
        try:
            follower.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            follower.terminate()
