"""``dem compile``: compile kernels in advance."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from dem.base.cpu_info import cores
from dem.base.progress import RemainingTime
from dem.case.prepare import everything, prepare_all
from dem.casefile import choose_case
from dem.cli.application import app, bar, plain_errors, say
from dem.cli.commands.run import parameters
from dem.cli.completion import cases_and_files

if TYPE_CHECKING:
    from dem.case import Case, HardSphereCase, StudyCase


@app.command("compile")
@plain_errors
def compile_kernels(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CASE|FILE.toml ...]", autocompletion=cases_and_files, help="Cases or case files to compile for."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the cases; repeatable.")
    ] = None,
    everything_: Annotated[
        bool,
        typer.Option("--all", help="All cases; spheres and fibres without losses, with damping, and with friction."),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes side by side; default: cores.")
    ] = None,
) -> None:
    """Compile the kernels of runs in advance, so that the runs start at once.

    If the nodes of a cluster have different processors, set NUMBA_CPU_NAME and NUMBA_CPU_FEATURES for this command and
    for the runs: see dem guide batch.
    """
    from dem.kernels.compiler.jit import CACHE, WHY  # noqa: PLC0415, for which help and completion do not wait

    wanted = [(name, parameters(settings or [])) for name in names or []]
    for name, given in wanted:
        choose(name, given)  # errors are reported before anything is compiled
    wanted += everything() if everything_ else []
    if not wanted:
        message = "give cases or case files, or --all"
        raise ValueError(message)
    start, failed = time.perf_counter(), []
    together = min(jobs or cores(), len(wanted))
    with bar() as shown:
        names = {} if shown.disable else {in_words(*each): f"compiling {in_words(*each)} {WHY}" for each in wanted}
        took = RemainingTime(names, together)
        task = shown.add_task("compiling", total=len(wanted), left=took.left)
        for name, given, seconds in prepare_all(choose, wanted, together):
            what = in_words(name, given)
            if isinstance(seconds, Exception):
                failed.append(what)
                sys.stderr.write(f"dem: {what}: {seconds}\n")
            else:
                took.end(what, seconds)
                shown.say(f"{what}: {seconds:.1f} s")
            shown.advance(task)
    say(f"{len(wanted) - len(failed)} of {len(wanted)} prepared in {time.perf_counter() - start:.1f} s, in {CACHE}")
    if failed:
        raise typer.Exit(2)


def in_words(name: str, given: dict) -> str:
    """A case with its settings, in words."""
    return " ".join([name, *(f"{key}={value}" for key, value in given.items())])


def choose(name: str, given: dict) -> Case | HardSphereCase | StudyCase:
    """The case, or that of a case file, with some parameters set."""
    return choose_case(name, given).case
