"""Timing of benchmarks: the machine, its memory bandwidth, rates, the parts of a step, alternating runs."""

from __future__ import annotations

import platform
import statistics
import time
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.base.cpu_info import processor
from dem.kernels.compiler.jit import most_threads, threading_layer
from dem.kernels.fluid import Dry
from dem.kernels.soft.integration import stage_benchmark as kernels
from dem.kernels.soft.state import StepContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


# ruff: noqa: SLF001 (what a step takes is measured within the engine)

REPEATS = 3
STAGE_SECONDS = 0.2
ROUNDS = 9


def machine() -> dict:
    """Machine and versions of software, on which the figures depend."""
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
    """Nanoseconds per particle of each part of a step and of one rebuild of each list; the state is restored."""
    result = {}
    with stages(sim) as timed:
        for name, repeat in timed.items():
            times = _repetitions(repeat)
            seconds = 1 / median_rate(lambda times=times, repeat=repeat: _repeat(repeat, times))
            result[name] = 1e9 * seconds / len(sim.particles)
    return result


def _repetitions(repeat: Callable[[int], object]) -> int:
    """Repetitions that take about STAGE_SECONDS. A few do not tell: the call itself takes a millisecond."""
    repeat(1)
    times = 1
    while True:
        start = time.perf_counter()
        repeat(times)
        seconds = time.perf_counter() - start
        if seconds > STAGE_SECONDS / 2:
            return times
        times *= max(2, int(STAGE_SECONDS / seconds))


def _repeat(repeat: Callable[[int], object], times: int) -> int:
    repeat(times)
    return times


@contextmanager
def stages(sim: dem.Simulation) -> Iterator[dict[str, Callable[[int], object]]]:
    """Functions that repeat each part of a step and the rebuild of each list; the state is restored."""
    e = sim._engine
    before, still = [a.copy() for a in e.bodies], e.constants._replace(dt=0.0)
    context = StepContext(
        e.scheme, e.law, e.fluid.model, still, e.bodies, e.kinds, e.lists.arrays, e.walls.faces, e.chunk_sums
    )
    dry = context._replace(fluid=Dry())
    yield {
        "predict": lambda k: kernels.predict(k, dry),
        "evaluate": lambda k: kernels.evaluate(k, dry),
        "correct": lambda k: kernels.gather_and_correct(k, context),
        "step": lambda k: kernels.step(k, e.mode, context),
        "pick candidates": lambda k: kernels.rebuild_candidates(k, e.mode, context),
        "list neighbours": lambda k: [e.rebuild() for _ in range(k)],
    }
    for array, values in zip(e.bodies, before, strict=True):
        array[...] = values
    e.rebuild()


class Sizes(NamedTuple):
    """Numbers of spheres, pairs and bodies near walls, and bytes of arrays, of a simulation."""

    spheres: int
    candidate_pairs: int  # of spheres, at present
    near_walls: int  # bodies that a step looks at walls for, at present
    state: int  # bytes of all arrays of bodies
    lists: int  # bytes of all lists of neighbours
    moved: int  # bytes that a step reads and writes at least

    @classmethod
    def of(cls, sim: dem.Simulation) -> Sizes:
        """Sizes of the arrays of a simulation's engine."""
        engine = sim._engine
        b = engine.bodies
        in_a_step = [b.position, b.velocity]
        if engine.rotating:
            in_a_step += [b.orientation, b.memory_q, b.memory_w, b.memory_a]
        return cls(
            spheres=int(b.first_sphere[-1]),
            candidate_pairs=int(engine.lists.arrays.pairs.sum()),
            near_walls=int(engine.lists.arrays.near_wall_count.sum()),
            state=_bytes(b),
            lists=_bytes(engine.lists.arrays),
            moved=2 * sum(a.nbytes for a in in_a_step),
        )


def _bytes(arrays: Iterable) -> int:
    """Bytes of arrays, each counted once."""
    return sum({id(a): a.nbytes for a in arrays if isinstance(a, np.ndarray)}.values())


def cost_by_turns(
    runs: Mapping[str, dem.Simulation],
    steps: int,
    *,
    rounds: int = ROUNDS,
    before: Callable[[dem.Simulation], None] = lambda sim: None,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Nanoseconds per step (rounds,) of alternating runs; `before` prepares each run and is not timed."""
    cost: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, sim in runs.items():
            before(sim)
            start = clock()
            sim.step(steps)
            cost[name].append(1e9 * (clock() - start) / steps)
    return cost
