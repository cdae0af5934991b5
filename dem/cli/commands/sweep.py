"""``dem sweep``: run a case with several values of its parameters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dem.cli.application import app, plain_errors, report, say
from dem.cli.completion import cases_and_files
from dem.sweeps.parameter_words import of_settings
from dem.sweeps.sweep import Ways, carry_out, planned, shares
from dem.sweeps.sweep_runs import MANY
from dem.sweeps.table import FAILED

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.sweeps.sweep import Plan
    from dem.sweeps.sweep_runs import SweepRun
    from dem.sweeps.table import Outcome

SETS = "Values 1,2,3 or lo:hi:count, both ends included; vectors in [brackets]; repeatable."


@app.command()
@plain_errors
def sweep(
    name: Annotated[
        str,
        typer.Argument(
            metavar="CASE|FILE.toml", autocompletion=cases_and_files, help="A case, see `dem cases`; or a case file."
        ),
    ],
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUES", help=SETS)] = None,
    duration: Annotated[str | None, typer.Option(help="As of `dem run`, or values as of --set duration=.")] = None,
    time_step: Annotated[str | None, typer.Option(help="As of `dem run`, or values as of --set time_step=.")] = None,
    integrator: Annotated[str | None, typer.Option(help="As of `dem run`, or values.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Processes; default: cores over threads.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Folder to write to; default: CASE-sweep. It may hold finished runs.",
        ),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of each run; default: cores over jobs.")] = None,
    zipped: Annotated[
        bool, typer.Option("--zip", help="Combine first values with first ones, second with second.")
    ] = False,
    random: Annotated[
        int | None,
        typer.Option("--random", metavar="N", help="Run only N of all combinations, drawn at random; default: all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of --random.")] = 1,
    listed: Annotated[
        bool, typer.Option("--list", help="Print a command for each unfinished run, and run none.")
    ] = False,
    collect: Annotated[
        bool, typer.Option("--collect", help="Write the table of the finished runs, and run none.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help=f"Run more than {MANY}.")] = False,
    fields: Annotated[str | None, typer.Option(help="As of `dem run`.")] = None,
    float32: Annotated[bool, typer.Option("--float32", help="As of `dem run`.")] = False,
    contacts: Annotated[bool, typer.Option("--contacts", help="As of `dem run`.")] = False,
    compression: Annotated[str | None, typer.Option(help="As of `dem run`.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="As of `dem run`.")] = False,
    force: Annotated[bool, typer.Option("--force", help="As of `dem run`.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files of other runs.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Run a case for each combination of parameter values, and make a table of results.

    Several processes compute the runs, a file each. Runs that are finished already are kept, unfinished ones are
    resumed, and failed ones are skipped (exit status 1). FOLDER/sweep.csv has a line for each run.
    """
    if listed and collect:
        message = "--list and --collect are two things: give one"
        raise ValueError(message)
    options = {"fields": fields, "float32": float32, "contacts": contacts, "compression": compression}
    options |= {"strict": strict, "force": force}
    alike = {"duration": duration, "time_step": time_step, "integrator": integrator}
    settings = [*(settings or []), *(f"{key}={value}" for key, value in alike.items() if value is not None)]
    ways = Ways(zipped, random, seed, None if yes else MANY)
    shares(1, jobs, threads)
    plan = planned(
        name, of_settings(settings), folder=output, ways=ways, threads=threads, overwrite=overwrite,
        options={key: value for key, value in options.items() if value not in (None, False)},
    )  # fmt: skip
    if listed:
        plan.table.path.parent.mkdir(parents=True, exist_ok=True)  # which the commands want
        say("\n".join(plan.commands()))
        return
    (_collect if collect else _make)(plan, jobs, threads, quiet=quiet)
    if not quiet:
        report(str(plan.table))
    wrong = (*FAILED, "WARN") if strict else FAILED
    if any(row.verdict in wrong for row in plan.rows):
        raise typer.Exit(1)


def _collect(plan: Plan, *_: object, quiet: bool) -> None:
    """Write the table of the runs that exist."""
    del quiet
    if not plan.table.path.parent.is_dir():
        message = f"no folder {plan.table.path.parent}: nothing has been run"
        raise FileNotFoundError(message)
    plan.table.write()
    plan.observe()


def _make(plan: Plan, jobs: int | None, threads: int | None, *, quiet: bool) -> None:
    """Compute all runs that are not finished, and report progress."""
    left, there = len(plan.left), len(plan.members)
    if not quiet:
        done = f", {there - left} of {there} are done" if left < there else ""
        report(f"{plan.table.path.parent}: {left} to run{done}")
    lines = not (quiet or sys.stderr.isatty())
    carry_out(
        plan, jobs=jobs, threads=threads, progress=False if quiet else True if not lines else None,
        tell=_teller(left, lines=lines),
    )  # fmt: skip


def _teller(left: int, *, lines: bool) -> Callable[[SweepRun, Outcome], None]:
    """Function that reports the end of each run: a line without a progress bar, errors on stderr."""
    ended = 0

    def tell(member: SweepRun, outcome: Outcome) -> None:
        nonlocal ended
        ended += 1
        for warning in outcome.warnings:
            report(f"dem: {member.words}: {warning}", error=True)
        if outcome.error:
            report(f"dem: {member.words}: {outcome.error}", error=True)
        if lines:
            took = "" if outcome.seconds is None else f", {outcome.seconds:.2f} s"
            report(f"{ended}/{left} {member.words}: {outcome.verdict}{took}")

    return tell
