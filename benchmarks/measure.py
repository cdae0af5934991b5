"""What all benchmarks share: compile first, warm up, repeat, median; one number on stdout."""

from __future__ import annotations

import platform
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numba

import dem
from dem.writer import TrajectoryWriter

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 5


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
        "threads": numba.get_num_threads(),
        "threading_layer": numba.config.THREADING_LAYER,
        "python": platform.python_version(),
        **{name: version(name) for name in ("pcdm-dem", "numba", "llvmlite", "numpy", "h5py")},
    }


def median_rate(work: Callable[[], float], verbose: bool) -> float:
    """Median over REPEATS of the amount that `work` returns per second it takes."""
    rates = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        amount = work()
        rates.append(amount / (time.perf_counter() - start))
    if verbose:
        sys.stderr.write("".join(f"{rate:.4g} " for rate in sorted(rates)) + "\n")
    return statistics.median(rates)


class Stepping:
    """Particle steps per second of a built-in case."""

    unit = "particle_steps_per_second"

    def __init__(self, case: str, warm: int, steps: int, **parameters: float) -> None:
        self.case, self.warm, self.steps, self.parameters = case, warm, steps, parameters

    def run(self, *, verbose: bool, share: float = 1.0) -> float:
        """Measure; `share` scales the numbers of steps, for a quick look."""
        sim = dem.cases()[self.case](**self.parameters).simulation()
        sim.step(max(1, int(self.warm * share)))
        steps = max(1, int(self.steps * share))

        def work() -> float:
            sim.step(steps)
            return steps * len(sim.particles)

        rate = median_rate(work, verbose)
        if verbose:
            engine = sim._engine  # noqa: SLF001
            candidates = engine.neighbours.pairs.sum() / len(sim.particles)
            sys.stderr.write(
                f"{len(sim.particles)} particles, {engine.bodies.first_sphere[-1]} spheres, {candidates:.2f} candidate "
                f"pairs a particle, energy error {sim.energy_error:.1e}\n"
            )
        return rate


class Writing:
    """Frames per second of the trajectory writer."""

    unit = "frames_per_second"

    def __init__(self, n: int, frames: int) -> None:
        self.n, self.frames = n, frames

    def run(self, *, verbose: bool, share: float = 1.0) -> float:
        """Measure on a temporary file."""
        sim = dem.cases()["many-fibres"](n=self.n).simulation()
        frames = max(2, int(self.frames * share))

        def work() -> float:
            with tempfile.TemporaryDirectory() as folder, TrajectoryWriter(Path(folder) / "run.h5", sim) as writer:
                for _ in range(frames):
                    writer.append()
            return frames

        return median_rate(work, verbose)


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
