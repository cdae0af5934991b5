"""``dem init`` and ``dem check``: write case files, and check what they would run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dem.base import checks
from dem.base.notices import issue, refused_before_building
from dem.base.replace import replace_when_done
from dem.case import StudyCase, case, names
from dem.casefile import choose_case, with_text_parameters
from dem.cli.application import app, plain_errors, say, show
from dem.cli.commands.run import parameters
from dem.cli.completion import case_names, cases_and_files
from dem.files.writing.output_settings import check_ending


@app.command()
@plain_errors
def init(
    name: Annotated[
        str | None, typer.Argument(metavar="CASE", autocompletion=case_names, help="A case; see `dem cases`.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; default: CASE.toml, or blank.toml.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the case; repeatable.")
    ] = None,
    blank: Annotated[bool, typer.Option("--blank", help="Write a file to begin with, without a case.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
) -> None:
    """Write a case file with all keys: one that runs to the same bytes as a case, or a blank one (--blank).

    Each key has a comment with its unit and its possible values. If a case is a study, or is too large to be written
    out, the keys are its parameters.
    """
    from dem.casefile import write  # noqa: PLC0415, other commands need not wait for it

    if not (name or blank or settings or output):
        _list_choices()
        return
    if blank == (name is not None) or (blank and settings):
        message = "give a case, see dem cases, or --blank alone"
        raise ValueError(message)
    text = write.blank() if blank else write.example(with_text_parameters(case(name), parameters(settings or [])))
    path = checks.output(output or Path(f"{name or 'blank'}.toml"), overwrite=overwrite)
    checks.ending(path, [".toml"], "a case file is written", needed=True)
    with replace_when_done(path) as partial:
        partial.write_text(text, encoding="utf-8")
    say(f"{path}: run it with `dem run {path}`, look at it with `dem check {path}`")


def _list_choices() -> None:
    """Print the cases from which a case file can start."""
    cases = [(f"dem init {key}", (case(key).__doc__ or "").strip().partition("\n")[0]) for key in names()]
    show([("to begin with", "what it is"), *cases, ("dem init --blank", "Every key there is, of no case.")])


@app.command()
@plain_errors
def check(
    name: Annotated[
        str,
        typer.Argument(
            metavar="CASE|FILE.toml", autocompletion=cases_and_files, help="A case, see `dem cases`; or a case file."
        ),
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter or key; repeatable.")
    ] = None,
) -> None:
    """Validate a case file, and show what it would run and how long it would take.

    Warnings of the run are printed; an error of the run ends with exit status 2. The start of the run is computed for
    half a second, and judged as the whole run would be.
    """
    from dem.casefile.preview import measure_progress, rows, so_far  # noqa: PLC0415
    from dem.rotation.integrators import integrator  # noqa: PLC0415, it needs kernels

    chosen, _, output, _ = choose_case(name, parameters(settings or []))
    table, said = [], "nothing is wrong with it"
    if isinstance(chosen, StudyCase):
        integrator(chosen.integrator)
        steps = f"{chosen.duration:g} s in time steps of {chosen.time_step:g} s, {chosen.integrator}"
        table += [("outcome", f"a table with some {chosen.frames + 1} rows"), ("duration", steps)]
    else:
        if output:
            check_ending(output)
        with refused_before_building(strict=False, force=False):
            sim = chosen.simulation()
        warned = list(sim.foreseen())
        issue(warned, strict=False, force=False)
        table += rows(sim, measure_progress(sim, chosen.duration), chosen.duration)
        verdict = so_far(sim)
        table.append(("so far", str(verdict)))
        if warned or verdict.status != "PASS":
            said = "it would run, but may be inaccurate: see the warnings"
    say(f"{name}: {said}")
    show(table)
