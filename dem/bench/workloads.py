"""Table of benchmarks: particle steps per second of built-in cases, costs of features, comparisons."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import dem
from dem.base import checks
from dem.bench.costs import Bonding, Calling, Deforming, Flowing, Walling
from dem.bench.drum import Drumming
from dem.bench.stepping import RATE, GrainGas, PressedBed, SettledHeap, Shear, StepBenchmark, share_of
from dem.bench.timing import cost_by_turns, median_rate
from dem.case import case
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.rotation import SPIN_ONLY

WORK = 2_000_000  # particle steps at each size of a series
EVENTS = 1_000_000  # of hard spheres, likewise


class SizeScaling:
    """Nanoseconds per particle step against the number of particles."""

    unit = RATE

    def __init__(self, case: str, *sizes: int) -> None:
        self.case, self.sizes = case, sizes

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Cost at each size, and the rate at the largest."""
        cost = {}
        for n in self.sizes:
            steps = max(120, WORK // n)
            sim = StepBenchmark(self.case, 150, steps, n=n).prepare(share=share, threads=threads)
            cost[str(n)] = 1e9 / StepBenchmark.rate(sim, share_of(steps, share))
        return {
            "threads": sim.threads,
            "share": share,
            self.unit: 1e9 / cost[str(self.sizes[-1])],
            "ns_per_particle_step": cost,
        }


class Speedup:
    """Speed-up on 1, 2, 4, ... and all threads over one thread, from least times of alternating runs."""

    unit = RATE

    def __init__(self, work: StepBenchmark) -> None:
        self.work = work

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Speed-up for each number of threads, and the rate on all."""
        most = checks.threads(threads)
        counts = sorted({1, most, *(2**k for k in range(most.bit_length()) if 2**k <= most)})
        steps = share_of(self.work.steps, share)
        runs = {str(t): self.work.prepare(share=share, threads=t) for t in counts}
        cost = {t: min(c) for t, c in cost_by_turns(runs, steps, clock=time.perf_counter).items()}
        return {
            "particles": self.work.parameters["n"],
            "threads": most,
            "share": share,
            self.unit: 1e9 * self.work.parameters["n"] / cost[str(most)],
            "speed_up": {t: cost["1"] / one for t, one in cost.items()},
        }


class Colliding:
    """Collisions per second of hard spheres against their number."""

    unit = "collisions_per_second"

    def __init__(self, *sizes: int, **parameters: float | str | tuple) -> None:
        self.sizes, self.parameters = sizes, parameters

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Cost at each size, including events and cells, and the rate at the largest size, on one thread."""
        del threads
        rates = {}
        for n in self.sizes:
            sim = case("hard-spheres")(n=n, **self.parameters).simulation()
            sim.collide(share_of(20 * n, share))  # away from the lattice

            def work(sim: dem.HardSpheres = sim) -> float:
                before = sim.collisions.total
                sim.collide(share_of(EVENTS, share))
                return sim.collisions.total - before

            rates[str(n)] = median_rate(work)
        return {
            "threads": 1,
            "share": share,
            self.unit: rates[str(self.sizes[-1])],
            "ns_per_collision": {n: 1e9 / rate for n, rate in rates.items()},
        }


class Writing:
    """Frames per second of the trajectory writer."""

    unit = "frames_per_second"

    def __init__(self, n: int, frames: int) -> None:
        self.n, self.frames = n, frames

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Frames per second into a temporary file, and bytes a frame."""
        sim = case("many-fibres")(n=self.n, threads=threads).simulation()
        frames = max(2, int(self.frames * share))
        size = 0

        def work() -> float:
            nonlocal size
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.h5"
                with TrajectoryWriter.create(path, sim) as writer:
                    for k in range(1, frames):
                        writer.frame(k)
                size = path.stat().st_size
            return frames

        return {
            "particles": self.n,
            "threads": sim.threads,
            "share": share,
            self.unit: median_rate(work),
            "bytes_per_frame": size / frames,
        }


FRICTION = {"restitution": 0.9, "friction": 0.5, "wall_friction": 0.0}
SPINS = FRICTION | {"integrator": SPIN_ONLY}  # as in LAMMPS, whose spheres have no orientation
GOING = {"drag and lift": {"lift": "mei", "rotation": None}}
TURNING = {"and rotation": {"lift": "mei", "magnus": "oesterle-bui-dinh"}}
BENCHMARKS = {
    "nine_fibres": StepBenchmark("nine-fibres", 1000, 500_000),
    "calls_nine": Calling("nine-fibres", 2000),
    "fibres_1e3": StepBenchmark("many-fibres", 500, 1000, n=1000),
    "fibres_1e4": StepBenchmark("many-fibres", 500, 200, n=10_000),
    "fibres_1e5": StepBenchmark("many-fibres", 200, 120, n=100_000),
    "fibres_dense": StepBenchmark("many-fibres", 500, 200, n=10_000, spacing=1.75),
    "fibres_heap": SettledHeap("many-fibres", 120, 1000, n=1000, speed=0.0),
    "capsules_1e4": StepBenchmark("many-fibres", 500, 200, n=10_000, smooth=True),
    "capsules_dense": StepBenchmark("many-fibres", 500, 200, n=10_000, spacing=1.75, smooth=True),
    "capsules_heap": SettledHeap("many-fibres", 120, 1000, n=1000, speed=0.0, smooth=True),
    "bonds_1e4": Bonding(300, 100, n=10_000),
    "spheres_1e4": StepBenchmark("many-spheres", 500, 500, n=10_000),
    "spheres_1e5": StepBenchmark("many-spheres", 500, 120, n=100_000),
    "spheres_1e6": StepBenchmark("many-spheres", 150, 120, n=1_000_000),
    "friction_1e4": StepBenchmark("many-spheres", 500, 500, n=10_000, **FRICTION),
    "friction_1e5": StepBenchmark("many-spheres", 500, 120, n=100_000, **FRICTION),
    "bed_1e4": SettledHeap("many-spheres", 80, 500, n=10_000, speed=0.0, **FRICTION),
    "bed_1e5": SettledHeap("many-spheres", 80, 120, n=100_000, speed=0.0, **FRICTION),
    "friction_1e4_spins": StepBenchmark("many-spheres", 500, 500, n=10_000, **SPINS),
    "friction_1e5_spins": StepBenchmark("many-spheres", 500, 120, n=100_000, **SPINS),
    "bed_1e4_spins": SettledHeap("many-spheres", 80, 500, n=10_000, speed=0.0, **SPINS),
    "bed_1e5_spins": SettledHeap("many-spheres", 80, 120, n=100_000, speed=0.0, **SPINS),
    "bed_rolling": SettledHeap("many-spheres", 80, 500, n=10_000, speed=0.0, rolling_friction=0.1, **FRICTION),
    "bed_sizes": PressedBed("", 180, 500, n=10_000, **FRICTION),
    "friction_ellipsoids": GrainGas("", 500, 500, n=10_000, shape="ellipsoid", restitution=0.9, friction=0.5),
    "friction_superellipsoids": GrainGas("", 500, 500, n=10_000, shape="superellipsoid", restitution=0.9, friction=0.5),
    "friction_cubes": GrainGas("", 500, 500, n=10_000, shape="cube", restitution=0.9, friction=0.5),
    "bed_ellipsoids": PressedBed("", 36, 200, n=10_000, shape="ellipsoid", restitution=0.9, friction=0.5),
    "bed_superellipsoids": PressedBed("", 36, 100, n=10_000, shape="superellipsoid", restitution=0.9, friction=0.5),
    "bed_cubes": PressedBed("", 36, 100, n=10_000, shape="cube", restitution=0.9, friction=0.5),
    "bed_shear": Shear("", 10, 500, n=10_000, solid_fraction=0.605, speed=0.2, restitution=0.9, friction=0.5),
    "cells_1e4": Deforming(4000, 100, n=10_000),
    "drum_1e4": Drumming("", 30, 500, n=10_000, restitution=0.5, friction=0.5),
    "drum_1e5": Drumming("", 30, 120, n=100_000, restitution=0.5, friction=0.5),
    "drum_smooth": Drumming("", 30, 120, n=100_000, restitution=0.5, friction=0.5, smooth=True),
    "drum_walls": Walling(30, 60, n=100_000, restitution=0.5, friction=0.5),
    "drum_threads": Speedup(Drumming("", 30, 120, n=100_000, restitution=0.5, friction=0.5)),
    "friction_heap": SettledHeap("many-fibres", 120, 1000, n=1000, speed=0.0, **FRICTION),
    "spheres_sizes": SizeScaling("many-spheres", 100, 1000, 10_000, 100_000, 1_000_000),
    "fibres_sizes": SizeScaling("many-fibres", 100, 1000, 10_000, 100_000),
    "spheres_threads": Speedup(StepBenchmark("many-spheres", 150, 120, n=100_000)),
    "fibres_threads": Speedup(StepBenchmark("many-fibres", 150, 120, n=100_000)),
    "flow_spheres": Flowing("many-spheres", 150, 64, GOING, n=100_000),
    "flow_friction": Flowing("many-spheres", 150, 64, GOING | TURNING, n=100_000, **FRICTION),
    "flow_fibres": Flowing("many-fibres", 150, 192, {"drag and torque": {}}, n=10_000),
    "hard_spheres": Colliding(1000, 10_000, 100_000, solid_fraction=0.3, periodic="xyz", gravity=(0, 0, 0)),
    "write_trajectory": Writing(10_000, 50),
}


def names_with(parameters: dict, *, stepping: bool = False) -> list[str]:
    """Names of the benchmarks that accept these parameters; with `stepping`, only those that time steps of a case."""
    stepping = stepping or bool(parameters)
    return [
        name
        for name, b in BENCHMARKS.items()
        if not stepping or (isinstance(b, StepBenchmark) and parameters.keys() <= accepted_parameters(b))
    ]


def accepted_parameters(benchmark: StepBenchmark) -> set[str]:
    """Parameters that a benchmark accepts."""
    return set(case(benchmark.case).model_fields) if benchmark.case else set(benchmark.parameters)


def benchmark(
    name: str, **parameters: float | str
) -> StepBenchmark | SizeScaling | Speedup | Flowing | Walling | Bonding | Deforming | Calling | Colliding | Writing:
    """Look up a benchmark, with other parameters of its case if wanted; raises ValueError with the nearest name."""
    found = BENCHMARKS[checks.one_of("benchmark", name, BENCHMARKS)]
    if not parameters:
        return found
    if name not in names_with(parameters):
        message = f"benchmark {name} has no parameter {', '.join(parameters)}"
        raise ValueError(message)
    return type(found)(found.case, found.warm, found.steps, **(found.parameters | parameters))


def compare(results: dict, path: Path) -> dict[str, float]:
    """Ratio of the main figures to those of an earlier JSON file, by name; raises ValueError for other files."""
    try:
        earlier = json.loads(path.read_text())["results"]
    except (OSError, ValueError, KeyError, TypeError):
        message = f"{path} is no file that dem bench --json wrote"
        raise ValueError(message) from None
    for name, figures in results.items():
        for setting in ("share", "threads"):
            then = earlier.get(name, figures).get(setting)
            if then != figures.get(setting):
                message = (
                    f"{name} ran with {setting} {then} in {path}, now with {figures.get(setting)}: run alike to compare"
                )
                raise ValueError(message)
    units = (RATE, Calling.unit, Colliding.unit, Writing.unit)
    return {
        name: figures[unit] / earlier[name][unit]
        for name, figures in results.items()
        for unit in units
        if unit in figures and unit in earlier.get(name, {})
    }
