"""Carry a simulation through time: frames, progress, a clean end whatever happens, and a verdict."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from dem.writer import TrajectoryWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dem.simulation import Simulation

SLICE = 0.1  # s of computing between looks at the keyboard and the progress bar
ENERGY_BUDGET = 0.01  # of the reference energy; beyond it the run is not resolved
NORM_BUDGET = 1e-9


@dataclass(frozen=True)
class Verdict:
    """What tells whether a run can be trusted.

    ``energy_error`` is the largest departure of the total energy at any step over the energy at the start (or the
    largest kinetic energy, if larger); ``norm_error`` the largest ||q| - 1|; ``largest_overlap`` is over the smallest
    diameter, ``engulfed`` tells that it came to half of the largest one: spheres sank into each other or a wall.
    """

    steps: int
    time: float
    energy_error: float
    norm_error: float
    largest_overlap: float
    engulfed: bool

    @property
    def passed(self) -> bool:
        """Whether energy and unit length are conserved within budget, and no sphere sank into another."""
        return self.energy_error <= ENERGY_BUDGET and self.norm_error <= NORM_BUDGET and not self.engulfed

    def __str__(self) -> str:
        """One line."""
        line = (
            f"{'PASS' if self.passed else 'FAIL'}: {self.steps} steps to t = {self.time:.6g} s, largest energy error "
            f"{self.energy_error:.2e} of the start, quaternion norm error {self.norm_error:.1e}, largest overlap "
            f"{self.largest_overlap:.2%} of the smallest diameter"
        )
        if self.energy_error > ENERGY_BUDGET:
            line += f"; energy error above {ENERGY_BUDGET:.0%}: lower the time step or use a second-order integrator"
        if self.engulfed:
            line += "; spheres sank into each other or a wall: raise young, or lower the speeds"
        return line


def record(
    sim: Simulation,
    steps: int,
    *,
    output: str | PathLike | None,
    frames: int,
    progress: bool,
    overwrite: bool,
) -> Verdict:
    """Take `steps` steps with `frames` evenly spaced frames after the first; see `Simulation.run`."""
    first = sim.step_count
    due = sorted({first + (steps * k + frames // 2) // frames for k in range(1, frames + 1)} | {first + steps})
    file = nullcontext() if output is None else TrajectoryWriter(output, sim, overwrite=overwrite)
    with file as writer, _interruptible() as interrupted, _bar(sim, steps, shown=progress) as moved:
        if writer:
            writer.append()
        for frame in due:
            _reach(sim, frame, moved, interrupted)
            if writer and sim.step_count > writer.last_step:
                writer.append()
            if interrupted():
                break
        verdict = sim.verdict()
        stopped = interrupted()
        if writer:
            writer.close_with(verdict, interrupted=stopped)
    if stopped:
        kept = f", {writer.frames} frames in {writer.path}" if writer else ""
        message = f"interrupted at t = {sim.time:.6g} s{kept}"
        raise KeyboardInterrupt(message)
    return verdict


def _reach(sim: Simulation, stop: int, moved: Callable[[int], None], interrupted: Callable[[], bool]) -> None:
    """Advance to step `stop` in slices of about SLICE seconds. How it is cut does not change the result."""
    chunk = 1
    while sim.step_count < stop and not interrupted():
        start = time.perf_counter()
        taken = min(chunk, stop - sim.step_count)
        sim.step(taken)
        moved(taken)
        chunk = max(1, int(taken * min(10.0, SLICE / max(time.perf_counter() - start, 1e-9))))


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a flag, so that a frame is never cut in half; outside the main thread leave it alone."""
    hits: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda number, _: hits.append(number))
    try:
        yield lambda: bool(hits)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(sim: Simulation, steps: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Progress bar with rate and remaining time on stderr, if that is a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _: None
        return
    start, done, n = time.perf_counter(), 0, len(sim.particles)
    columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %  {task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=steps, rate="")

        def moved(taken: int) -> None:
            nonlocal done
            done += taken
            rate = done / (time.perf_counter() - start)
            bar.update(task, completed=done, rate=f"{rate:.3g} steps/s, {rate * n:.3g} particle steps/s")

        yield moved
