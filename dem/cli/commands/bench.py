"""``dem bench``: measure the speed on this machine."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dem.base import checks
from dem.base.compilation import announced
from dem.base.replace import replace_when_done
from dem.base.text import counted
from dem.bench import lammps, suite, timing, workloads
from dem.cli.application import app, bar, plain_errors, say
from dem.rotation.integrators import integrator_for_contacts

if TYPE_CHECKING:
    from collections.abc import Sequence


@app.command()
@plain_errors
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Benchmarks; default: all.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; default: all cores.")] = None,
    share: Annotated[float, typer.Option(help="Share of the usual number of steps, for a quick look.")] = 1.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures to this new file.")] = None,
    earlier: Annotated[
        Path | None, typer.Option("--compare", help="JSON file of an earlier run to compare with.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="lammps: run the same workload with LAMMPS, on one core each.")
    ] = None,
    spacing: Annotated[
        float | None, typer.Option(help="Spacing of the initial lattice of fibres, in diameters.")
    ] = None,
    integrator: Annotated[str | None, typer.Option(help="Rotational scheme; see `dem integrators`.")] = None,
    suite_file: Annotated[
        Path | None,
        typer.Option("--suite", help="Compare all installed programs; write or extend a JSON file."),
    ] = None,
    earlier_program: Annotated[
        Path | None, typer.Option("--earlier", help="For --suite: program dem of an earlier version.")
    ] = None,
) -> None:
    """Measure particle steps per second, and where the time goes."""
    if suite_file is not None or earlier_program is not None:
        if suite_file is None or threads or json_file or earlier or against or spacing or integrator:
            message = "--suite FILE goes with names of benchmarks, --share and --earlier only"
            raise ValueError(message)
        _suite(names or [*suite.WORKLOADS, suite.TIMES], share, suite_file, earlier_program)
        return
    parameters: dict[str, object] = {}
    if threads is not None:
        checks.whole("threads", threads, least=1)
    if spacing is not None:
        parameters["spacing"] = checks.number("spacing", spacing, above=0)
    if integrator is not None:
        integrator_for_contacts(integrator)
        parameters["integrator"] = integrator
    if against is not None:
        checks.one_of("peer", against, ["lammps"])
        if threads not in (None, 1) or json_file or earlier:
            message = "--against runs on one core and prints only: leave out --threads above 1, --json and --compare"
            raise ValueError(message)
        _against_lammps(names or workloads.names_with(parameters, stepping=True), share, parameters)
        return
    chosen = {name: workloads.benchmark(name, **parameters) for name in names or workloads.names_with(parameters)}
    checks.number("share", share, above=0)
    if json_file:
        checks.output(json_file)
    if earlier:
        workloads.compare({}, earlier)
    results = {}
    with bar() as shown:
        for name, benchmark in shown.each("measuring", chosen, how=f"{share:g} {threads}"):
            with announced():
                results[name] = benchmark.measure(share=share, threads=threads)
    if json_file:
        with replace_when_done(json_file) as partial:
            partial.write_text(
                json.dumps(
                    {"machine": timing.machine() | {"date": time.strftime("%Y-%m-%d")}, "results": results}, indent=1
                )
                + "\n"
            )
    ratios = workloads.compare(results, earlier) if earlier else {}
    for name, figures in results.items():
        compared = f"  {ratios[name]:.3f} times {earlier}" if name in ratios else ""
        _print_figures(name, chosen[name].unit, figures, compared)
    say(", ".join(f"{key} {value}" for key, value in timing.machine().items()))


SERIES = {
    "ns_per_particle_step": "ns a particle step",
    "ns_per_bond": "ns a bond",
    "ns_per_collision": "ns a collision",
    "speed_up": "times one thread",
    "us_per_call": "us a call",
    "times_dry": "times dry",
    "times_fixed": "times a fixed box",
}


def _print_figures(name: str, unit: str, figures: dict, compared: str) -> None:
    say(f"{name}  {figures[unit]:.4g} {unit.replace('_', ' ')}{compared}")
    for series, meaning in SERIES.items():
        if series in figures:
            say(f"    {meaning}: " + ", ".join(f"{k}: {v:.3g}" for k, v in figures[series].items()))
    if "share_of_walls" in figures:
        shares = ", ".join(f"{k}: {v:.1%}" for k, v in figures["share_of_walls"].items())
        say(f"    walls' share of a step: {shares}; {figures['near_walls']:.1%} of the particles are near them")
    if "ns_per_particle" in figures:
        split = ", ".join(f"{stage} {ns:.3g}" for stage, ns in figures["ns_per_particle"].items())
        say(f"    ns a particle: {split}")
        state, lists = figures["state_bytes_per_particle"], figures["list_bytes_per_particle"]
        threads = counted(figures["threads"], "thread")
        say(
            f"    {state:.0f} bytes a particle and {lists:.0f} of lists, "
            f"{figures['share_of_copy_bandwidth']:.0%} of one core's copy bandwidth, {threads}"
        )


def _against_lammps(names: list[str], share: float, parameters: dict[str, object]) -> None:
    """Print both rates and their ratio for each benchmark."""
    lammps.program()
    chosen = {name: workloads.benchmark(name, **parameters) for name in names}
    for name in set(names) - set(workloads.names_with({}, stepping=True)):
        message = f"benchmark {name} cannot be run in LAMMPS: take {', '.join(workloads.names_with({}, stepping=True))}"
        raise ValueError(message)
    checks.number("share", share, above=0)
    with bar() as shown:
        for name, benchmark in shown.each("measuring", chosen, how=f"{share:g} against LAMMPS"):
            with announced():
                rates = benchmark.against_lammps(share)
            ratio = rates["ours"] / rates["lammps"]
            drifts = ""
            if "our_drift" in rates:
                both = f"{rates['our_drift']:.1e} against {rates['lammps_drift']:.1e}"
                drifts = f"; energy drift {both} of the kinetic energy"
            shown.say(
                f"{name}  LAMMPS {rates['lammps']:.3g}, this engine {rates['ours']:.3g} particle steps per second on "
                f"one core: {ratio:.2f} times{drifts}"
            )
    say(", ".join(f"{key} {value}" for key, value in timing.machine().items()))


def _suite(names: Sequence[str], share: float, file: Path, earlier: Path | None) -> None:
    """Print and write the rates of all programs, row by row."""
    for name in names:
        checks.one_of("benchmark of the suite", name, [*suite.WORKLOADS, suite.TIMES])
    checks.number("share", share, above=0)
    if not file.is_file():  # else `earlier_part` says whether rows may be added to it
        checks.output(file)
    if earlier is not None and not (earlier.is_file() and os.access(earlier, os.X_OK)):
        message = f"--earlier {earlier} is no program: name the dem of an environment with an earlier version"
        raise ValueError(message)
    others = suite.peers(earlier)
    missing = [name for name in ("LAMMPS", "YADE") if name not in others]
    if missing:
        say(f"not installed, so not compared: {', '.join(missing)}")
    before = suite.earlier_part(file, suite.report({}, {}, share, others))
    done: dict[str, dict] = before["rates"]

    def write(times: dict[str, dict[str, float]]) -> None:
        with replace_when_done(file) as partial:
            partial.write_text(json.dumps(suite.report(done, times, share, others), indent=1) + "\n")

    for name, instructions, rates in suite.rows([one for one in names if one != suite.TIMES], share, others):
        done.setdefault(name, {})[instructions] = rates
        write(before["starts"])  # so that an interrupt costs one row
        ours = rates[suite.OURS]
        ratios = (f"{ours / rate:.2f} times {other}" for other, rate in rates.items() if other not in OWN)
        say(f"{name}, {instructions}: {ours:.4g} particle steps per second; " + ", ".join(ratios))
    if suite.TIMES not in names:
        return
    times = suite.starts()
    for case, seconds in times.items():
        said = ", ".join(f"{start} {value:.2f} s" for start, value in seconds.items())
        say(f"dem run {case}: {said}")
    write(times)


OWN = ("particles", suite.OURS)
