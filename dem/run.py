"""Carry a simulation through time: frames, progress, a clean end whatever happens."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from dem.recorder import recorded
from dem.writer import TrajectoryWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dem.hard_spheres import HardSpheres, HardVerdict
    from dem.simulation import Simulation
    from dem.verdict import Verdict

SLICE = 0.1  # s of computing between looks at the keyboard and the progress bar


def evenly(first: int, steps: int, frames: int) -> list[int]:
    """The steps at which `frames` frames are due, the last one after `steps` more."""
    return sorted({first + (steps * k + frames // 2) // frames for k in range(1, frames + 1)} | {first + steps})


def record(
    sim: Simulation | HardSpheres,
    stops: list,
    length: float,
    reach: Callable,
    *,
    output: str | PathLike | None,
    progress: bool,
    overwrite: bool,
    strict: bool = False,
) -> Verdict | HardVerdict:
    """Carry a simulation to each of its stops, which are steps or times, with a frame first and one at each.

    ``reach(sim, stop, moved, interrupted)`` carries it to a stop; it says now and then what part of the whole length
    it has come since, with how much work, and returns early when interrupted.
    """
    file = nullcontext() if output is None else TrajectoryWriter(output, sim, overwrite=overwrite)
    with (
        file as writer,
        _interruptible() as interrupted,
        _bar(sim, length, shown=progress) as shown,
        recorded(sim, output, overwrite=overwrite, strict=strict) as note,
    ):

        def moved(way: float, work: int) -> None:
            shown(way, work)
            note()

        if writer:
            writer.append()
        for stop in stops:
            reach(sim, stop, moved, interrupted)
            if writer and sim.time > writer.last_time:
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


def reach_step(
    sim: Simulation, stop: int, moved: Callable[[float, int], None], interrupted: Callable[[], bool]
) -> None:
    """Advance to step `stop` in slices of about SLICE seconds. How it is cut does not change the result."""
    chunk = 1
    while sim.step_count < stop and not interrupted():
        start = time.perf_counter()
        taken = min(chunk, stop - sim.step_count)
        sim.step(taken)
        moved(taken, taken)
        chunk = next_chunk(taken, start)


def next_chunk(taken: int, start: float) -> int:
    """How much to do next so that it takes SLICE seconds, when `taken` has been done since `start`."""
    return max(1, int(taken * min(10.0, SLICE / max(time.perf_counter() - start, 1e-9))))


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
