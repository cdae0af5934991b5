"""``dem calibrate``: find parameters such that virtual tests give measured values."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dem.calibration.calibrate import REPORT, prepare, run_calibration
from dem.calibration.runs import RunsLeftError
from dem.cli.application import app, plain_errors, report, say

if TYPE_CHECKING:
    from dem.sweeps.sweep_runs import SweepRun
    from dem.sweeps.table import Outcome


@app.command()
@plain_errors
def calibrate(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="Parameters, tests and measured values.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Folder to write to; default: STUDY-calibration."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Processes; default: cores over threads.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of each run; default: cores over jobs.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Print a command for each run of the next batch, and run none.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Find parameters such that virtual tests give measured values.

    Runs are made in batches, and the best parameters so far are printed after each. The same command goes on where an
    earlier one was interrupted. FOLDER/report.html has parameters with uncertainties, and what the tests do not
    determine.
    """
    checked, folder, ways = prepare(study, output, jobs, threads)
    try:
        found = run_calibration(
            checked, folder, tell=None if quiet or listed else report, report_run=_errors, listed=listed,
            progress=False if quiet or not sys.stderr.isatty() else None, **ways,
        )  # fmt: skip
    except RunsLeftError as left:
        say("\n".join(left.commands))
        return
    if not (quiet or listed):
        report(f"{found}\nsee {folder / REPORT}")


def _errors(member: SweepRun, outcome: Outcome) -> None:
    """Report warnings and errors of a run on stderr."""
    for text in (*outcome.warnings, *([outcome.error] if outcome.error else [])):
        report(f"dem: {member.words}: {text}", error=True)
