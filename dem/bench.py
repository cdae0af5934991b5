"""Benchmarks: particle steps per second of built-in cases, where the time goes, and how that compares."""

from __future__ import annotations

import json
import platform
import statistics
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem import checks, lammps
from dem.case import case
from dem.writer import TrajectoryWriter
from kernels import stages
from kernels.jit import most_threads, threading_layer

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.engine import Engine
    from dem.simulation import Simulation

REPEATS = 5
STAGE_SECONDS = 0.2


def processor() -> str:
    """Model of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> dict:
    """What a figure depends on besides the code."""
    return {
        "cpu": processor(),
        "threads": most_threads(),
        "threading_layer": threading_layer(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("pcdm-dem", "numba", "llvmlite", "numpy", "h5py")},
    }


def copy_bandwidth() -> float:
    """Bytes a second that one core reads and writes when it copies 64 MB."""
    source = np.ones(1 << 23)
    target = np.empty_like(source)
    return 2 * source.nbytes * median_rate(lambda: np.copyto(target, source) or 1.0)


def median_rate(work: Callable[[], float]) -> float:
    """Median over REPEATS of the amount that `work` returns per second it takes."""
    rates = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        amount = work()
        rates.append(amount / (time.perf_counter() - start))
    return statistics.median(rates)


class Stepping:
    """Particle steps per second of a built-in case."""

    unit = "particle_steps_per_second"

    def __init__(self, case: str, warm: int, steps: int, **parameters: float) -> None:
        self.case, self.warm, self.steps, self.parameters = case, warm, steps, parameters

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> Simulation:
        """The simulation, past its first steps."""
        sim = case(self.case)(**self.parameters, threads=threads).simulation()
        sim.step(max(1, int(self.warm * share)))
        return sim

    def rate(self, sim: Simulation, share: float = 1.0) -> float:
        """Particle steps per second, lists included."""
        steps = max(1, int(self.steps * share))

        def work() -> float:
            sim.step(steps)
            return steps * len(sim.particles)

        return median_rate(work)

    def against_lammps(self, share: float = 1.0) -> dict[str, float]:
        """Rates of LAMMPS and of this engine on one core, from the same initial state, one right after the other."""
        sim = case(self.case)(**self.parameters, threads=1).simulation()
        warm, steps = (max(1, int(s * share)) for s in (self.warm, min(self.steps, 200_000)))
        theirs = lammps.rate(sim, warm, REPEATS * steps)
        sim.step(warm)
        return {"lammps": theirs, "ours": self.rate(sim, share)}

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """All figures of this workload."""
        sim = self.prepare(share=share, threads=threads)
        rate = self.rate(sim, share)
        engine = sim._engine  # noqa: SLF001
        n = len(sim.particles)
        figures = {
            "particles": n,
            "spheres": int(engine.bodies.first_sphere[-1]),
            "threads": sim.threads,
            "share": share,
            self.unit: rate,
            "sphere_steps_per_second": rate * int(engine.bodies.first_sphere[-1]) / n,
            "candidate_pairs_per_particle": float(engine.neighbours.pairs.sum() / n),
            "energy_error": sim.energy_error,
            "state_bytes_per_particle": sum(a.nbytes for a in _owners(engine.bodies)) / n,
            "list_bytes_per_particle": sum(a.nbytes for a in _owners(engine.neighbours)) / n,
        }
        if split:
            figures["ns_per_particle"] = stage_times(engine, n)
            moved = 2 * figures["state_bytes_per_particle"] * rate  # each step reads and writes the state about once
            figures["share_of_copy_bandwidth"] = moved / copy_bandwidth()
        return figures


class Writing:
    """Frames per second of the trajectory writer."""

    unit = "frames_per_second"

    def __init__(self, n: int, frames: int) -> None:
        self.n, self.frames = n, frames

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Frames per second into a temporary file, and bytes a frame."""
        del split
        sim = case("many-fibres")(n=self.n, threads=threads).simulation()
        frames = max(2, int(self.frames * share))
        size = 0

        def work() -> float:
            nonlocal size
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.h5"
                with TrajectoryWriter(path, sim) as writer:
                    for _ in range(frames):
                        writer.append()
                size = path.stat().st_size
            return frames

        return {
            "particles": self.n,
            "threads": sim.threads,
            "share": share,
            self.unit: median_rate(work),
            "bytes_per_frame": size / frames,
        }


BENCHMARKS = {
    "nine_fibres": Stepping("nine-fibres", 1000, 500_000),
    "fibres_1e3": Stepping("many-fibres", 500, 1000, n=1000),
    "fibres_1e4": Stepping("many-fibres", 500, 200, n=10_000),
    "fibres_1e5": Stepping("many-fibres", 200, 20, n=100_000),
    "spheres_1e4": Stepping("many-spheres", 500, 500, n=10_000),
    "spheres_1e5": Stepping("many-spheres", 500, 50, n=100_000),
    "spheres_1e6": Stepping("many-spheres", 150, 10, n=1_000_000),
    "write_trajectory": Writing(10_000, 50),
}


def benchmark(name: str) -> Stepping | Writing:
    """Look up a benchmark; raises ValueError with the nearest name."""
    return BENCHMARKS[checks.one_of("benchmark", name, BENCHMARKS)]


def _owners(arrays: tuple) -> list[np.ndarray]:
    """Arrays of a tuple, each once."""
    return list({id(a): a for a in arrays}.values())


def stage_times(engine: Engine, n: int) -> dict[str, float]:
    """Nanoseconds a particle for each part of a step, and for one making of each list; the state is put back after."""
    e, still = engine, engine.setting._replace(dt=0.0)
    before = [a.copy() for a in e.bodies]
    lists = (e.bodies, e.kinds, e.neighbours)
    timed = {
        "predict": lambda k: stages.repeat_predict(k, e.scheme, *lists, e.partial),
        "evaluate": lambda k: stages.repeat_evaluate(k, still.unit, *lists, e.partial),
        "correct": lambda k: stages.repeat_correct(k, e.scheme, still, *lists, e.walls, e.partial),
        "step": lambda k: stages.repeat_step(k, e.mode, e.scheme, still, *lists, e.walls, e.partial),
        "pick candidates": lambda k: stages.repeat_pick(k, e.mode, still.candidate_skin, *lists, e.walls),
        "list neighbours": lambda k: [e.rebuild() for _ in range(k)],
    }
    result = {}
    for name, repeat in timed.items():
        repeat(1)
        start = time.perf_counter()
        repeat(1)
        times = max(1, int(STAGE_SECONDS / max(time.perf_counter() - start, 1e-7)))
        result[name] = 1e9 / n / median_rate(lambda times=times, repeat=repeat: _counted(repeat, times))
    for array, values in zip(e.bodies, before, strict=True):
        array[...] = values
    e.rebuild()
    return result


def _counted(repeat: Callable[[int], object], times: int) -> int:
    repeat(times)
    return times


def compare(results: dict, path: Path) -> dict[str, float]:
    """Ratio of the main figures to those of an earlier JSON file, by name; raises ValueError if it is none."""
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
    units = (Stepping.unit, Writing.unit)
    return {
        name: figures[unit] / earlier[name][unit]
        for name, figures in results.items()
        for unit in units
        if unit in figures and unit in earlier.get(name, {})
    }
