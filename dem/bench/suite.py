"""`dem bench --suite FILE`: this engine, LAMMPS, YADE and an earlier version in one run, one core each.

Each workload is measured for each instruction set in a process of its own (`main`), since numba compiles a process for
one processor. In it the programs run by turns from the present state of one simulation, and medians are kept. The other
programs are as they were installed, whatever the instruction set. `starts` are the times of first and later commands.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import dem
from dem.bench import lammps, timing, yade
from dem.bench.stepping import StepBenchmark, share_of
from dem.bench.workloads import benchmark
from dem.kernels.compiler.processor import instruction_sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORKLOADS = ("nine_fibres", "fibres_1e3", "fibres_1e4", "fibres_heap", "capsules_1e4", "capsules_heap", "spheres_1e4",
             "spheres_1e5", "friction_1e4", "friction_1e4_spins", "friction_1e5", "friction_1e5_spins", "bed_1e4",
             "bed_1e4_spins", "bed_1e5", "bed_1e5_spins", "friction_heap")  # fmt: skip
TIMES = "starts"  # goes with the names of workloads
STARTS = {"nine-fibres": ("--duration", "1e-4"), "rotating-drum": ("--duration", "5e-4")}
OURS, ROUNDS = "pcdm-dem", 5
YADE_SHARE = 0.1  # of the steps, as it takes that many times as long


def peers(earlier: Path | None) -> dict[str, str]:
    """Path of each other program that is installed."""
    found = {} if earlier is None else {"earlier": str(earlier)}
    for name, program in (("LAMMPS", lammps.program), ("YADE", yade.program)):
        try:
            found[name] = program()
        except ValueError:
            continue
    return found


def rates(name: str, share: float, rounds: int, others: dict[str, str]) -> dict[str, float]:
    """Median particle steps per second of each program, measured in turn; others start from the present state."""
    work = benchmark(name)
    sim = work.prepare(share=share, threads=1)
    shown = work.with_chains().prepare(share=share, threads=1) if work.parameters.get("smooth") else sim
    steps = share_of(min(work.steps, 200_000), share)
    got: dict[str, list[float]] = {}
    for _ in range(rounds):
        got.setdefault(OURS, []).append(StepBenchmark.rate(sim, steps))
        if "LAMMPS" in others:
            got.setdefault("LAMMPS", []).append(lammps.run(shown, steps)[0])
        if "YADE" in others:
            got.setdefault("YADE", []).append(yade.rate(shown, max(1, int(steps * YADE_SHARE))))
        if "earlier" in others:
            version, rate = _rate_of_earlier(others["earlier"], name, share)
            got.setdefault(version, []).append(rate)
    return {"particles": len(sim.particles), **{program: statistics.median(all_) for program, all_ in got.items()}}


def _rate_of_earlier(program: str, name: str, share: float) -> tuple[str, float]:
    """Version of another installation of this engine, and its rate; raises ValueError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.json"
        command = [program, "bench", name, "--threads", "1", "--share", repr(share), "--json", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            message = f"{program} failed: {done.stderr.strip()[-500:]}"
            raise ValueError(message)
        told = json.loads(file.read_text())
    return f"pcdm-dem {told['machine']['pcdm-dem']}", told["results"][name][StepBenchmark.unit]


def rows(
    names: Sequence[str], share: float, others: dict[str, str], rounds: int = ROUNDS
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield workload, instruction set and rates, row by row; raises ValueError if a program fails."""
    for name in names:
        for instructions, more in instruction_sets().items():
            command = [sys.executable, "-m", "dem.bench.suite", json.dumps([name, share, rounds, others])]
            done = subprocess.run(command, env=os.environ | more, capture_output=True, text=True, check=False)
            if done.returncode:
                message = f"{name}: {done.stderr.strip().splitlines()[-1]}"
                raise ValueError(message)
            yield name, instructions, json.loads(done.stdout)


def starts() -> dict[str, dict[str, float]]:
    """Seconds of the first and of a later command of a case, and CPU seconds of a first one on one core.

    Modules are in bytecode, as after an installation.
    """
    for package in (dem, dem.kernels):
        compileall.compile_dir(next(iter(package.__path__)), quiet=1)
    return {
        case: {
            "first": _start(case, first=True)[0],
            "first, processor": _start(case, first=True, NUMBA_NUM_THREADS="1")[1],
            "later": _start(case, first=False)[0],
        }
        for case in STARTS
    }


def _start(case: str, *, first: bool, **more: str) -> tuple[float, float]:
    """Wall-clock and CPU seconds of a command, with an empty cache or as the second of two."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "PYTHONDONTWRITEBYTECODE": ""} | more
        for k in range(1 if first else 2):
            command = [sys.executable, "-m", "dem", "run", case, *STARTS[case], "-o", f"{folder}/{k}.h5", "--quiet"]
            begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, env=environment, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def earlier_part(file: Path, told: dict) -> dict:
    """Report in the file of a part of the suite, to which rows are added; an empty report if there is no file.

    told: report without rates.

    Raises
    ------
    ValueError
        If the part was measured on another machine, by other programs or for another share of the steps.
    """
    try:
        found = json.loads(file.read_text())
        mine, there = ({**one["machine"], "date": "", "threading_layer": ""} for one in (told, found))
        alike = mine == there and found["share"] == told["share"] and {"rates", "starts"} <= set(found)
    except FileNotFoundError:
        return told
    except (ValueError, KeyError, TypeError):
        alike = False
    if not alike:
        message = f"{file} is no part of this suite: it has another machine, other programs or another --share"
        raise ValueError(message)
    return found


def report(done: dict, times: dict, share: float, others: dict[str, str]) -> dict:
    """Content of the file, see `docs/make/pages.py`."""
    machine = timing.machine() | {
        "instruction_sets": " and ".join(instruction_sets()), "date": time.strftime("%Y-%m-%d"),
        **{name: _version(name, path) for name, path in others.items() if name != "earlier"},
    }  # fmt: skip
    return {"machine": machine, "share": share, "rates": done, "starts": times}


def _version(name: str, program: str) -> str:
    """Version of LAMMPS or YADE in its own words."""
    words = {"LAMMPS": [program, "-h"], "YADE": [program, "--version"]}[name]
    library = Path(program).resolve().parent.parent / "lib"
    paths = os.pathsep.join(filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")]))
    done = subprocess.run(
        words, env=os.environ | {"LD_LIBRARY_PATH": paths}, capture_output=True, text=True, check=False
    )
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return next((line for line in said if "version" in line.lower() or " - " in line), said[0] if said else "unknown")


def main() -> None:
    """Print the rates of one workload as JSON; `rows` starts this program."""
    print(json.dumps(rates(*json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
