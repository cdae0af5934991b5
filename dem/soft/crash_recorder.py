"""Crash recorder: keeps the last steps before a failure, at almost no cost during the run.

The recorder copies the state of the run at intervals. When the run fails, it restores the last copy and repeats the
steps from there, the last of them one by one into a trajectory of its own: ``run.crash.h5`` for ``run.h5``. The same
steps give the same bytes, so the trajectory shows what happened, and the simulation ends in the state of the failure.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice, warn
from dem.files.writing.output_settings import free_path
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.soft.run_errors import BrokenRunError
from dem.soft.time_step.impacts import RESOLVED
from dem.soft.verdict import ENERGY_BUDGET, drifts, energy_remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dem.soft.simulation import Simulation

# ruff: noqa: SLF001 (this is the other half of Simulation)

KEPT = 50  # steps that are written
PATIENCE = 300  # seconds of computing for one of copying: a third of a percent


class CrashRecorder:
    """Watches the energy error, and keeps the last two copies of the state if the run has a file."""

    def __init__(self, sim: Simulation, *, copying: bool, strict: bool) -> None:
        self.sim = sim
        self.strict = strict
        self.older = self.newer = sim._engine.snapshot() if copying else None
        self.due = 0.0 if copying else math.inf
        self.warned = sim.energy_error > ENERGY_BUDGET
        self.short_contact_reported = sim._engine.limits.shortest_contact.steps < RESOLVED

    def record_state(self, *, changed: bool = False) -> None:
        """Copy the state if it is time to; warn once of an energy error above its budget, and of a brief contact.

        Copies from before a change from outside would lead elsewhere: they are dropped.
        """
        start = time.perf_counter()
        if start >= self.due or (changed and self.newer is not None):
            copy = self.sim._engine.snapshot()
            self.older, self.newer = copy if changed else self.newer, copy
            done = time.perf_counter()
            self.due = done + PATIENCE * (done - start)
        sim, shortest = self.sim, self.sim._engine.limits.shortest_contact
        if not self.short_contact_reported and shortest.steps < RESOLVED:
            self.short_contact_reported = True
            reason = f"{shortest}, at least {RESOLVED} resolve it"
            self._warn(Notice("coarse-time-step", reason, shortest.remedy(sim.time_step)))
        if self.warned or not sim.energy_error > ENERGY_BUDGET:
            return
        with sim._ledger.unrecorded():
            sim.energy()  # what the error is relative to may have grown since the last frame
            found, (reference, _) = sim.energy_error, sim.energy_reference
        if found > ENERGY_BUDGET:
            self.warned = True
            reason = (
                f"at step {sim.step_count} (t = {sim.time:.6g} s) the energy error is {found:.2g} of {reference}, "
                f"above its budget of {ENERGY_BUDGET:g}"
            )
            self._warn(Notice("energy-error", reason, energy_remedy(drifts=drifts(sim._engine, sim.integrator))))

    def _warn(self, notice: Notice) -> None:
        if self.strict:
            message = f"{notice} (turned into an error by strict)"
            raise FloatingPointError(message)
        warn(notice)

    def write(self, path: Path, error: BrokenRunError, *, overwrite: bool) -> int:
        """Take the last steps before the error again and write them; returns how many states there are."""
        sim, last, code = self.sim, self.sim.step_count, self.sim._engine.code
        copy = self.older if self.newer.step > last - KEPT else self.newer
        sim._engine.restore(copy)
        sim._shown = -1
        with suppress(FloatingPointError):
            sim.step(max(0, last - KEPT - copy.step))
        with TrajectoryWriter.create(path, sim, every=None, overwrite=overwrite) as writer:
            writer.set_attributes(
                error=f"{type(error).__name__}: {error}",
                event=error.name,
                event_particles=np.array(error.particles, np.int64),
            )
            with suppress(FloatingPointError):
                while sim.step_count < last:  # and no further, if the disturbance does not occur again
                    sim.step()
                    writer.frame(writer.frames)
        sim._engine.code = code
        return writer.frames


@contextmanager
def crash_recording(
    sim: Simulation, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
) -> Iterator[Callable[..., None]]:
    """Record a run, if it has an output file; yields the function that notes the state now and then."""
    recorder = CrashRecorder(sim, copying=output is not None, strict=strict)
    try:
        yield recorder.record_state
    except BrokenRunError as error:
        if output is None:
            raise
        path = crash_path(Path(output), overwrite=overwrite)
        try:
            frames = recorder.write(path, error, overwrite=overwrite)
            last = "step" if frames == 1 else f"{frames} steps"
            message = f"{error}\nthe last {last} before: dem replay {path}"
        except OSError as trouble:
            message = f"{error}\nthe last steps before cannot be shown: {trouble}"
        raise BrokenRunError(message, error.name, error.particles) from None


def crash_path(output: Path, *, overwrite: bool) -> Path:
    """Path of the file of the last steps: ``run.crash.h5`` for ``run.h5``, or ``run.crash-2.h5`` if that exists."""
    return output.with_suffix(".crash" + output.suffix) if overwrite else free_path(output, "crash")
