"""Carry a simulation through time: frames, progress, a clean end whatever happens, and a verdict."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.hard_spheres import HardSpheres, HardVerdict
    from dem.plan import Segment
    from dem.simulation import Simulation
    from dem.writer import Observer

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
    def count(self) -> int:
        """Work done: steps."""
        return self.steps

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


class Interrupted(KeyboardInterrupt):
    """A run was stopped by Ctrl-C or SIGTERM, whose number is `signal`; what it had come to is in its file."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.signal = number


def record(
    sim: Simulation | HardSpheres, plan: list[Segment], observer: Observer, *, progress: bool, frames: int | None = None
) -> Verdict | HardVerdict:
    """Carry a simulation through what of a plan lies before it, or so many frames of it.

    The observer hears of every frame that is due.
    """
    stops = [stop for segment in plan for stop in sim._stops(segment)][:frames]  # noqa: SLF001
    length = stops[-1] - sim._now  # noqa: SLF001
    with observer, _interruptible() as interrupted, _bar(sim, length, shown=progress) as advance:

        def moved(way: float, work: int) -> None:
            advance(way, work)
            observer.idle()

        for k, stop in enumerate(stops, 1):
            if stop < sim._now:  # noqa: SLF001
                continue
            sim._reach(stop, moved, interrupted)  # noqa: SLF001
            if sim._now < stop:  # noqa: SLF001
                break
            observer.frame(k)
        verdict = sim.verdict()
        stopped = interrupted()
        observer.finish(verdict, interrupted=bool(stopped))
    if stopped:
        kept = f", {observer.frames} frames in {observer.path}: dem run --resume goes on" if observer.path else ""
        message = f"interrupted at t = {sim.time:.6g} s{kept}"
        raise Interrupted(message, stopped[0])
    return verdict


def next_chunk(taken: int, start: float) -> int:
    """How much to do next so that it takes SLICE seconds, when `taken` has been done since `start`."""
    return max(1, int(taken * min(10.0, SLICE / max(time.perf_counter() - start, 1e-9))))


@contextmanager
def _interruptible() -> Iterator[Callable[[], list[int]]]:
    """Collect Ctrl-C and SIGTERM, so that a frame is never cut in half; outside the main thread leave them alone."""
    hits: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: hits
        return
    before = {
        number: signal.signal(number, lambda number, _: hits.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: hits
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _bar(sim: Simulation | HardSpheres, length: float, *, shown: bool) -> Iterator[Callable[[float, int], None]]:
    """Progress bar with rate and remaining time on stderr, if that is a terminal; to be told way and work."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _, __: None
        return
    start, done = time.perf_counter(), 0
    columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %  {task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=length, rate="")

        def moved(way: float, work: int) -> None:
            nonlocal done
            done += work
            bar.update(task, advance=way, rate=sim.pace(done, time.perf_counter() - start))

        yield moved
