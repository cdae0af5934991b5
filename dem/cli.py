"""The command line. Exit status 0 for success, 2 for bad input, 1 for a run that broke or failed, 130 after Ctrl-C."""

from __future__ import annotations

import functools
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from dem import bench as benches
from dem import checks, compilation, timing, validation
from dem.case import StudyCase, case, with_parameters
from dem.case import names as case_names
from dem.integrators import INTEGRATORS, integrator_for_contacts
from dem.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(
    name="dem",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console(markup=False, highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 160)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"pcdm-dem {version('pcdm-dem')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version_: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Discrete element simulations of rigid spheres and sphere-clustered fibres."""


def plain_errors(command: Callable) -> Callable:
    """Turn exceptions into one line each on stderr and the exit status."""

    @functools.wraps(command)
    def wrapped(*args: object, **kwargs: object) -> None:
        try:
            command(*args, **kwargs)
        except FloatingPointError as error:
            _complain(error, status=1)
        except (ValueError, TypeError, OSError, OverflowError) as error:
            _complain(error, status=2)
        except MemoryError:
            _complain(MemoryError("there is not enough memory for this many particles or spheres"), status=2)
        except KeyboardInterrupt as stopped:
            sys.stderr.write(f"{stopped or 'interrupted'}\n")
            raise typer.Exit(130) from None

    return wrapped


def _complain(error: Exception, status: int) -> None:
    for line in str(error).splitlines():
        sys.stderr.write(f"dem: {line}\n")
    raise typer.Exit(status) from None


@app.command()
@plain_errors
def run(
    name: Annotated[str, typer.Argument(metavar="CASE", help="A case; see `dem cases`.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write; default: a free name.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time [s].")] = None,
    time_step: Annotated[float | None, typer.Option(help="Time step [s].")] = None,
    integrator: Annotated[str | None, typer.Option(help="Rotational scheme; see `dem integrators`.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; default all cores. Changes no bit.")] = None,
    frames: Annotated[int | None, typer.Option(help="Frames written after the first.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the case; repeatable.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Run a case and write its trajectory, or a table (.csv) for a case of one rotating body.

    Hard spheres have neither time step nor integrator nor threads.
    """
    compilation.SILENT = quiet
    kind = case(name)
    parameters = _parameters(settings or [])
    options = {"duration": duration, "time_step": time_step, "integrator": integrator, "threads": threads}
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
    verdict = sim.run(chosen.duration, output=path, frames=chosen.frames, progress=not quiet, overwrite=overwrite)
    seconds = time.perf_counter() - start
    if not quiet:
        pace = sim.pace(verdict.count, seconds)
        out.print(f"{path}: {len(sim.particles)} particles, {verdict.count} {sim.unit} in {seconds:.2f} s ({pace})")
        out.print(str(verdict))
    elif not verdict.passed:
        sys.stderr.write(f"{verdict}\n")
    if not verdict.passed:
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


def _free_name(name: str, ending: str) -> Path:
    """CASE.h5, or CASE-2.h5 and so on."""
    path, k = Path(name + ending), 1
    while path.exists():
        k += 1
        path = Path(f"{name}-{k}{ending}")
    return path


@app.command("cases")
@plain_errors
def list_cases(
    name: Annotated[str | None, typer.Argument(metavar="[CASE]", help="Show the parameters of this case.")] = None,
) -> None:
    """List the cases, or the parameters of one."""
    if name is None:
        table = Table("case", "what it is", box=None, pad_edge=False)
        for key in case_names():
            table.add_row(key, _summary(key))
    else:
        table = Table("parameter", "default", "meaning", box=None, pad_edge=False)
        for key, field in case(name).model_fields.items():
            table.add_row(key, str(field.default), field.description)
    out.print(table)


def _summary(name: str) -> str:
    """First line of a case's docstring; one that cannot be loaded does not hide the others."""
    try:
        return (case(name).__doc__ or "").strip().partition("\n")[0]
    except ValueError as error:
        return str(error)


@app.command()
@plain_errors
def integrators() -> None:
    """List the rotational integrators."""
    table = Table(
        "integrator", "order", "torques", "|q| = 1 by", "energy", "momentum", "reference", box=None, pad_edge=False
    )
    for row in INTEGRATORS.values():
        table.add_row(row.name, str(row.order), str(row.torques), row.norm, row.energy, row.momentum, row.reference)
    out.print(table)


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
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Benchmarks; default: all.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; default all cores.")] = None,
    share: Annotated[float, typer.Option(help="Of the usual number of steps, for a quick look.")] = 1.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures to this new file.")] = None,
    earlier: Annotated[Path | None, typer.Option("--compare", help="JSON file of an earlier run.")] = None,
    against: Annotated[str | None, typer.Option(help="lammps: run the same workload there, on one core each.")] = None,
    spacing: Annotated[float | None, typer.Option(help="Of the lattice that fibres start on, in diameters.")] = None,
    integrator: Annotated[str | None, typer.Option(help="Rotational scheme; see `dem integrators`.")] = None,
) -> None:
    """Measure particle steps per second, and where the time goes."""
    parameters: dict[str, object] = {}
    if threads is not None:
        checks.whole("threads", threads, least=1)
    if spacing is not None:
        parameters["spacing"] = checks.number("spacing", spacing, above=0)
    if integrator is not None:
        parameters["integrator"] = integrator_for_contacts(integrator).name
    if against is not None:
        checks.one_of("peer", against, ["lammps"])
        if threads or json_file or earlier:
            message = "--against runs on one core and prints only: leave out --threads, --json and --compare"
            raise ValueError(message)
        _against_lammps(names or benches.names_with(parameters, stepping=True), share, parameters)
        return
    chosen = {name: benches.benchmark(name, **parameters) for name in names or benches.names_with(parameters)}
    checks.number("share", share, above=0)
    if json_file and json_file.exists():
        message = f"{json_file} exists already: choose another name"
        raise ValueError(message)
    if earlier:
        benches.compare({}, earlier)
    results = {}
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        for name, benchmark in bar.track(chosen.items(), description="measuring"):
            results[name] = benchmark.measure(share=share, threads=threads)
    if json_file:
        json_file.write_text(json.dumps({"machine": timing.machine(), "results": results}, indent=1) + "\n")
    ratios = benches.compare(results, earlier) if earlier else {}
    for name, figures in results.items():
        compared = f"  {ratios[name]:.3f} times {earlier}" if name in ratios else ""
        _print_figures(name, chosen[name].unit, figures, compared)
    out.print(", ".join(f"{key} {value}" for key, value in timing.machine().items()))


def _print_figures(name: str, unit: str, figures: dict, compared: str) -> None:
    out.print(f"{name}  {figures[unit]:.4g} {unit.replace('_', ' ')}{compared}")
    series_of = {"ns_per_particle_step": "ns a particle step", "ns_per_collision": "ns a collision"}
    for series, meaning in (series_of | {"speed_up": "times one thread"}).items():
        if series in figures:
            out.print(f"    {meaning}: " + ", ".join(f"{k}: {v:.3g}" for k, v in figures[series].items()))
    if "ns_per_particle" in figures:
        split = ", ".join(f"{stage} {ns:.3g}" for stage, ns in figures["ns_per_particle"].items())
        out.print(f"    ns a particle: {split}")
        state, lists = figures["state_bytes_per_particle"], figures["list_bytes_per_particle"]
        out.print(
            f"    {state:.0f} bytes a particle and {lists:.0f} of lists, "
            f"{figures['share_of_copy_bandwidth']:.0%} of one core's copy bandwidth, {figures['threads']} threads"
        )


def _against_lammps(names: list[str], share: float, parameters: dict[str, object]) -> None:
    """Print both rates and their ratio for each benchmark."""
    benches.lammps.program()
    chosen = {name: benches.benchmark(name, **parameters) for name in names}
    for name in set(names) - set(benches.names_with({}, stepping=True)):
        message = f"benchmark {name} cannot be run in LAMMPS: take {', '.join(benches.names_with({}, stepping=True))}"
        raise ValueError(message)
    for name, benchmark in chosen.items():
        rates = benchmark.against_lammps(checks.number("share", share, above=0))
        ratio = rates["ours"] / rates["lammps"]
        drifts = f"energy drift {rates['our_drift']:.1e} against {rates['lammps_drift']:.1e} of the kinetic energy"
        out.print(
            f"{name}  LAMMPS {rates['lammps']:.3g}, this engine {rates['ours']:.3g} particle steps per second on one "
            f"core: {ratio:.2f} times; {drifts}"
        )
    out.print(", ".join(f"{key} {value}" for key, value in timing.machine().items()))


@app.command()
@plain_errors
def validate(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Studies; default: all.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="New or empty folder.")] = Path("validation"),
    quick: Annotated[bool, typer.Option("--quick", help="Larger steps, in under a minute.")] = False,
) -> None:
    """Reproduce the published tables and figures, next to the exact values."""
    chosen = {name: validation.study(name) for name in names or validation.STUDIES}
    validation.check_folder(output)
    reports = []
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        for study in bar.track(chosen.values(), description="validating"):
            reports.append(study(quick=quick))
            reports[-1].write(output)
    validation.write_index(output, reports)
    for report in reports:
        failed = [check.quantity for check in report.checks if not check.passed]
        verdict = "FAIL: " + "; ".join(failed) if failed else f"PASS, {len(report.checks)} checks"
        out.print(f"{output / report.name}.md  {verdict}")
    if not all(report.passed for report in reports):
        raise typer.Exit(1)


def main() -> None:
    """Entry point of the command `dem`."""
    app()


if __name__ == "__main__":
    main()
