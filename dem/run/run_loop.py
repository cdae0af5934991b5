"""Loop of a run: checks of arguments, frames, progress, interruption and verdict."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from dem.base import checks, interrupts
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.files.writing.output_settings import EVERY, Every, Output
from dem.files.writing.trajectory_writer import check_output
from dem.rotation.integrators import integrator_for_contacts
from dem.system.system import whole_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike

    from dem.run.callbacks import Callback
    from dem.run.running_table import RunningTable
    from dem.system.system import FrameSegment, Judgement, Observer, System


class Request(NamedTuple):
    """Plan of a run."""

    duration: float  # [s]
    frames: int
    contents: Output


def checked(
    duration: float,
    *,
    output: str | PathLike | None = None,
    frames: int = 200,
    overwrite: bool = False,
    fields: Iterable[str] | None = None,
    float32: bool = False,
    compression: str | None = None,
    contacts: bool = False,
    checkpoint_every: str | int | None = EVERY,
) -> Request:
    """Arguments of `SimulationBase.run`.

    Raises ValueError, TypeError or OSError if it makes no sense, or there can be no such file.
    """
    duration = checks.number("duration", duration, above=0, unit="s")
    frames = checks.whole("frames", frames, least=1)
    contents = Output.checked(fields, float32=float32, compression=compression, contacts=contacts)
    Every.parse(checkpoint_every)
    if output is not None:
        check_output(output, overwrite=overwrite)
    return Request(duration, frames, contents)


def check_written(output: str | PathLike | None, **given: bool) -> None:
    """Raise ValueError if options of the output file are given without a file."""
    names = ", ".join(name for name, value in given.items() if value)
    if output is None and names:
        message = f"there is no output for {names}: give output='run.h5' as well, or leave {names} out"
        raise ValueError(message)


def check_steps(duration: float, time_step: float | str, integrator: str, threads: int | None) -> None:
    """Check integrator, threads and number of steps of a run; raises ValueError."""
    integrator_for_contacts(integrator)
    checks.threads(threads)
    if not isinstance(time_step, str):
        whole_steps(duration, time_step)


# ruff: noqa: SLF001 (a run uses methods of a system that are not for users)

SLICE = 0.1  # s of computing between checks for an interruption and updates of the progress bar


class Interrupted(KeyboardInterrupt):
    """A run was stopped by a signal of number `signal`, such as Ctrl-C; its file has all data so far."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.signal = number


def run_plan(
    sim: System,
    plan: list[FrameSegment],
    observer: Observer,
    *,
    progress: bool | None,
    recorder: AbstractContextManager | None = None,
    frames: int | None = None,
    calls: Sequence[Callback] = (),
    table: RunningTable | None = None,
) -> Judgement:
    """Run a simulation through the remaining frames of a plan, or a number of them.

    The observer is called at every frame; the recorder, see `dem.soft.crash_recorder`, copies the state in between.
    Where a function of `calls` is due at a frame, it is called before the frame is written, and before any checkpoint.
    """
    stopped: list[int] = []  # signals to stop
    stops = [stop for segment in plan for stop in sim._stops(segment)][:frames]
    length = stops[-1] - sim._now
    with (
        observer,
        interrupts.handling(lambda number, _: stopped.append(number)),  # so that a frame is never cut in half
        progress_bar(length, sim.pace, wanted=progress) as advance,
        recorder or nullcontext(lambda **_: None) as record_state,
    ):
        if table:
            calls = [*calls, table.call(observer)]
            table.begin(sim)
        frame_loop = _FrameLoop(sim, observer, record_state, advance, stopped, calls)
        for k, stop in enumerate(stops, 1):
            if stop < sim._now:
                continue
            if not frame_loop.advance_to(stop):
                break
            sim.energy()  # the verdict knows the same states without a file as with one
            observer.frame(k)
        with sim._ledger.unrecorded() if stopped else nullcontext():
            verdict = sim.verdict()
        if table and not stopped:
            table.end(sim)
        observer.finish(verdict, interrupted=bool(stopped))
    if stopped:
        message = f"interrupted at t = {sim.time:.6g} s"
        if observer.path:
            message += f", {counted(observer.frames, 'frame')} in {observer.path}: dem run --resume continues it"
        raise Interrupted(message, stopped[0])
    return verdict


class _FrameLoop(NamedTuple):
    """Advances a run from frame to frame, with all calls that are due in between."""

    sim: System
    observer: Observer
    record_state: Callable[..., None]
    advance: Callable[[float, int], None]
    stopped: list[int]
    calls: Sequence[Callback]

    def advance_to(self, frame: float) -> bool:
        """Advance to the step or time of a frame; returns False if interrupted."""
        sim, stop = self.sim, None
        while stop != frame:
            due = [call.next_call(sim) for call in self.calls]
            stop = min([frame, *due])

            def on_advance(distance: float, work: int, stop: float = stop, due: list = due) -> None:
                self.advance(distance, work)
                if sim._now < stop or stop not in due:
                    self.record_state()
                    self.observer.idle()

            sim._advance_to(stop, on_advance, lambda: bool(self.stopped))
            if sim._now < stop:
                return False
            for call in (call for call, at in zip(self.calls, due, strict=True) if at == stop):
                change = sim._call_user_function(call.function)
                if change:
                    self.observer.changed(change)
                self.record_state(changed=bool(change))
            if stop != frame:
                self.observer.idle()
        return True


def next_chunk(taken: int, start: float) -> int:
    """Number of steps that will take SLICE seconds, at the rate of `taken` steps since `start`."""
    return max(1, int(taken * min(10.0, SLICE / max(time.perf_counter() - start, 1e-9))))
