"""Run a case."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from dem import compilation
from dem.case import StudyCase, case, with_parameters
from dem.cli.common import app, out, plain_errors


@app.command()
@plain_errors
def run(
    name: Annotated[str, typer.Argument(metavar="CASE", help="A case; see `dem cases`.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write; default: a free name.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time [s].")] = None,
    time_step: Annotated[str | None, typer.Option(help="Time step [s], or auto.")] = None,
    integrator: Annotated[str | None, typer.Option(help="Rotational scheme; see `dem integrators`.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; default all cores. Changes no bit.")] = None,
    frames: Annotated[int | None, typer.Option(help="Frames written after the first.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the case; repeatable.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Turn warnings into errors.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Only warn of what is refused otherwise.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Run a case and write its trajectory, or a table (.csv) for a case of one rotating body.

    Hard spheres have neither time step nor integrator nor threads.
    """
    compilation.SILENT = quiet
    kind = case(name)
    parameters = _parameters(settings or [])
    options = {"duration": duration, "time_step": _number(time_step), "integrator": integrator, "threads": threads}
    options["frames"] = frames
    parameters |= {key: value for key, value in options.items() if value is not None}
    chosen = with_parameters(kind, parameters)
    if isinstance(chosen, StudyCase):
        path = output or _free_name(name, ".csv")
        message = chosen.write(path, overwrite=overwrite)
        if not quiet:
            out.print(f"{path}: {message}")
        return
    path = output or _free_name(name, ".h5")
    sim = chosen.simulation()
    start = time.perf_counter()
    verdict = sim.run(
        chosen.duration, output=path, frames=chosen.frames, progress=not quiet, overwrite=overwrite, strict=strict,
        force=force,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if not quiet:
        pace = sim.pace(verdict.count, seconds)
        out.print(f"{path}: {len(sim.particles)} particles, {verdict.count} {sim.unit} in {seconds:.2f} s ({pace})")
        out.print(str(verdict))
    elif verdict.status != "PASS":
        sys.stderr.write(f"{verdict}\n")
    if not verdict.passed or (strict and verdict.status != "PASS"):
        raise typer.Exit(1)


def _parameters(settings: list[str]) -> dict[str, object]:
    result: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            message = f"--set {setting}: expected NAME=VALUE"
            raise ValueError(message)
        parts = value.strip("()[] ").split(",")
        result[name.strip().replace("-", "_")] = parts if len(parts) > 1 else value
    return result


def _number(text: str | None) -> float | str | None:
    """The number that a text spells; other texts, such as auto, as they are."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _free_name(name: str, ending: str) -> Path:
    """CASE.h5, or CASE-2.h5 and so on."""
    path, k = Path(name + ending), 1
    while path.exists():
        k += 1
        path = Path(f"{name}-{k}{ending}")
    return path
