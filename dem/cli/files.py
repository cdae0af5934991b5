"""What to do with trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dem.cli.common import app, out, plain_errors
from dem.repair import repair as mend
from dem.rerun import rerun as repeat
from dem.trajectory import Trajectory


@app.command()
@plain_errors
def info(file: Annotated[Path, typer.Argument(help="A trajectory.")]) -> None:
    """Show what a trajectory holds."""
    with Trajectory(file) as run:
        table = Table(show_header=False, box=None, pad_edge=False)
        frames = len(run)
        table.add_row("frames", str(frames))
        if frames:
            table.add_row("time", f"{run.time[0]:.6g} to {run.time[-1]:.6g} s, step {run.step[-1]}")
            for name, values in run.energy.items():
                table.add_row(f"{name} energy", f"{values[0]:.6g} to {values[-1]:.6g} J")
        for name, value in {**run.input, **run.versions}.items():
            table.add_row(name, str(value))
        table.add_row("verdict", run.verdict or "none: the run did not come to its end")
        if run.error:
            table.add_row("error", run.error)
    out.print(table)


@app.command()
@plain_errors
def repair(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="New file, if one is needed.")] = None,
) -> None:
    """Save what a broken trajectory still has.

    What a killed run left in its journal is put into the file. A file that lost its end stays as it is, and its whole
    frames go into a new one.
    """
    out.print(mend(file, output))


@app.command()
@plain_errors
def rerun(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    threads: Annotated[int | None, typer.Option(help="Threads; default all cores. Changes no bit.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Repeat a run and say whether the bytes match. Exit status 1 if they do not."""
    comparison = repeat(file, threads=threads, progress=not quiet)
    if not quiet:
        out.print(f"{file}: {comparison}")
    if not comparison.same:
        raise typer.Exit(1)
