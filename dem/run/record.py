"""Carry a simulation through time: frames, progress, a clean end whatever happens, and a verdict."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from dem.base import stopping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from dem.system.observer import Observer
    from dem.system.plan import Segment
    from dem.system.system import System
    from dem.system.verdict import Judgement

SLICE = 0.1  # s of computing between looks at the keyboard and the progress bar


class Interrupted(KeyboardInterrupt):
    """A run was stopped by a signal, Ctrl-C for one, of number `signal`; what it had come to is in its file."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.signal = number


def record(
    sim: System,
    plan: list[Segment],
    observer: Observer,
    *,
    progress: bool,
    recorder: AbstractContextManager | None = None,
    frames: int | None = None,
) -> Judgement:
    """Carry a simulation through what of a plan lies before it, or so many frames of it.

    The observer hears of every frame that is due; the recorder, see `dem.run.runnable`, takes note of the state now and
    then.
    """
    stops = [stop for segment in plan for stop in sim._stops(segment)][:frames]  # noqa: SLF001
    length = stops[-1] - sim._now  # noqa: SLF001
    with (
        observer,
        _interruptible() as interrupted,
        _bar(sim, length, shown=progress) as advance,
        recorder or nullcontext(lambda: None) as note,
    ):

        def moved(way: float, work: int) -> None:
            advance(way, work)
            note()
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
    """Collect signals to stop, so that a frame is never cut in half; outside the main thread leave them alone."""
    hits: list[int] = []
    with stopping.answered(lambda number, _: hits.append(number)):
        yield lambda: hits


@contextmanager
def _bar(sim: System, length: float, *, shown: bool) -> Iterator[Callable[[float, int], None]]:
    """Progress bar with rate and remaining time on stderr, if that is a terminal; to be told way and work."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _, __: None
        return
    from rich.console import Console  # noqa: PLC0415, only for people who watch
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    start, done = time.perf_counter(), 0
    columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %  {task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=length, rate="")

        def moved(way: float, work: int) -> None:
            nonlocal done
            done += work
            bar.update(task, advance=way, rate=sim.pace(done, time.perf_counter() - start))

        yield moved
