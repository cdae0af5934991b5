"""What a benchmark needs besides a workload: the machine, its memory bandwidth, rates, the parts of a step."""

from __future__ import annotations

import platform
import statistics
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.base.cpu_info import processor
from dem.kernels.compiler.jit import most_threads, threading_layer

if TYPE_CHECKING:
    from collections.abc import Callable


REPEATS = 3
STAGE_SECONDS = 0.2


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


def stage_times(sim: dem.Simulation) -> dict[str, float]:
    """Nanoseconds a particle for each part of a step, and for one making of each list; the state is put back after."""
    result = {}
    with sim.stages() as timed:
        for name, repeat in timed.items():
            repeat(1)
            start = time.perf_counter()
            repeat(1)
            times = max(1, int(STAGE_SECONDS / max(time.perf_counter() - start, 1e-7)))
            seconds = 1 / median_rate(lambda times=times, repeat=repeat: _counted(repeat, times))
            result[name] = 1e9 * seconds / len(sim.particles)
    return result


def _counted(repeat: Callable[[int], object], times: int) -> int:
    repeat(times)
    return times
