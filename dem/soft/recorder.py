"""Flight recorder: what happened just before a run broke, step by step, at next to no cost while it goes on.

Now and then all that decides how the run goes on is copied. When the run breaks, it goes back to the last copy and
takes the same steps again, the last of them one by one into a trajectory of its own: ``run.crash.h5`` for ``run.h5``.
The same steps give the same bytes, so this is what happened, and the simulation is then where it broke.
"""

from __future__ import annotations

import math
import time
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dem.base.notices import DemWarning, Notice
from dem.files.writer import TrajectoryWriter
from dem.soft import account
from dem.soft.trouble import BrokenRunError
from dem.soft.verdict import ENERGY_BUDGET, energy_remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dem.model.energy import Energy
    from dem.rotation.integrators import Integrator
    from dem.soft.engine import Engine

# ruff: noqa: SLF001 (this is the other half of Simulation)

KEPT = 50  # steps that are written
PATIENCE = 300  # seconds of computing for one of copying: a third of a percent


class Recorded(Protocol):
    """What is recorded: a `dem.Simulation`."""

    _engine: Engine
    _shown_step: int
    integrator: Integrator
    step_count: int
    time: float
    energy_error: float

    def energy(self) -> Energy:
        """Energies at the present step [J]."""

    def step(self, steps: int = 1) -> None:
        """Take a number of time steps."""


class Recorder:
    """Keeps an eye on the energy, and the last two copies if there is a file to write them next to."""

    def __init__(self, sim: Recorded, *, copying: bool, strict: bool) -> None:
        self.sim = sim
        self.strict = strict
        self.older = self.newer = sim._engine.snapshot() if copying else None
        self.due = 0.0 if copying else math.inf
        self.warned = sim.energy_error > ENERGY_BUDGET

    def note(self) -> None:
        """Copy the state if it is time to, and warn once if the energy error passes its budget."""
        start = time.perf_counter()
        if start >= self.due:
            self.older, self.newer = self.newer, self.sim._engine.snapshot()
            done = time.perf_counter()
            self.due = done + PATIENCE * (done - start)
        if not self.warned and self.sim.energy_error > ENERGY_BUDGET:
            self.sim.energy()  # what the error is relative to may have grown since the last frame
            if self.sim.energy_error > ENERGY_BUDGET:
                self._warn()

    def _warn(self) -> None:
        self.warned = True
        sim = self.sim
        reason = (
            f"at step {sim.step_count} (t = {sim.time:.6g} s) the energy error is {sim.energy_error:.2g} of the start, "
            f"above its budget of {ENERGY_BUDGET:g}"
        )
        remedy = energy_remedy(drifts=account.drifts(sim._engine, sim.integrator))
        notice = Notice("energy-error", reason, remedy)
        if self.strict:
            message = f"{notice} (turned into an error by strict)"
            raise FloatingPointError(message)
        warnings.warn(str(notice), DemWarning, stacklevel=2)

    def write(self, path: Path, error: BrokenRunError, *, overwrite: bool) -> int:
        """Take the last steps before the error again and write them; returns how many states there are."""
        sim, last, code = self.sim, self.sim.step_count, self.sim._engine.code
        copy = self.older if self.newer.step > last - KEPT else self.newer
        sim._engine.restore(copy)
        sim._shown_step = -1
        with suppress(FloatingPointError):
            sim.step(max(0, last - KEPT - copy.step))
        with TrajectoryWriter.create(path, sim, every=None, overwrite=overwrite) as writer:
            writer.note(
                error=f"{type(error).__name__}: {error}",
                event=error.name,
                event_particles=np.array(error.particles, np.int64),
            )
            with suppress(FloatingPointError):
                while sim.step_count < last:  # and no further, should whoever disturbed it not do so again
                    sim.step()
                    writer.frame(writer.frames)
        sim._engine.code = code
        return writer.frames


@contextmanager
def recorded(
    sim: Recorded, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
) -> Iterator[Callable[[], None]]:
    """Record a run, if it has an output file; to be told to note the state now and then."""
    recorder = Recorder(sim, copying=output is not None, strict=strict)
    try:
        yield recorder.note
    except BrokenRunError as error:
        if output is None:
            raise
        path = crash_path(Path(output), overwrite=overwrite)
        try:
            frames = recorder.write(path, error, overwrite=overwrite)
            message = f"{error}\nthe last {frames} steps before are in {path}: dem replay {path}"
        except OSError as trouble:
            message = f"{error}\nthe last steps before cannot be shown: {trouble}"
        raise BrokenRunError(message, error.name, error.particles) from None


def crash_path(output: Path, *, overwrite: bool) -> Path:
    """``run.crash.h5`` for ``run.h5``, or ``run.crash-2.h5`` and so on, if it is there already."""
    path, k = output.with_suffix(".crash" + output.suffix), 1
    while path.exists() and not overwrite:
        k += 1
        path = output.with_suffix(f".crash-{k}{output.suffix}")
    return path
