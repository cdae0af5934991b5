"""``dem repair`` and ``dem rerun``: repair a trajectory, and repeat a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dem.cli.application import app, plain_errors, say
from dem.files.storage.repair import repair
from dem.run.rerun import rerun


@app.command("repair")
@plain_errors
def repair_file(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write, if a new one is needed.")
    ] = None,
) -> None:
    """Recover the complete frames of a damaged trajectory.

    What a killed run left in its journal is put into the file. A file that lost its end stays as it is, and its whole
    frames go into a new one.
    """
    say(repair(file, output))


@app.command("rerun")
@plain_errors
def rerun_file(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    threads: Annotated[int | None, typer.Option(help="Threads; default: all cores. Results do not change.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Repeat a run and say whether the bytes match. Exit status 1 if they do not."""
    comparison = rerun(file, threads=threads, progress=not quiet)
    if not quiet:
        say(f"{file}: {comparison}")
    if not comparison.same:
        raise typer.Exit(1)
