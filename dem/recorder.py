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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.checkpoint.soft import bodies_of, put_back
from dem.notices import DemWarning, Notice
from dem.verdict import ENERGY_BUDGET
from dem.watch import BrokenRunError
from dem.writer import TrajectoryWriter
from kernels import advance as loop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from dem.held import Held
    from dem.simulation import Simulation

KEPT = 50  # steps that are written
PATIENCE = 300  # seconds of computing for one of copying: a third of a percent


class Copy(NamedTuple):
    """All that decides how a run goes on."""

    step: int
    bodies: dict[str, np.ndarray]
    held: Held
    progress: dict[str, np.ndarray]

    @classmethod
    def of(cls, sim: Simulation) -> Copy:
        """What a simulation has come to."""
        engine = sim._engine  # noqa: SLF001
        return cls(
            step=sim.step_count,
            bodies=bodies_of(engine),
            held=engine.held(),
            progress={name: values.copy() for name, values in engine.progress._asdict().items()},
        )

    def restore(self, sim: Simulation) -> None:
        """Take the simulation back."""
        engine = sim._engine  # noqa: SLF001
        put_back(engine, self.bodies, self.held, self.progress)
        engine.code, sim._shown_step = loop.DONE, -1  # noqa: SLF001
        engine.go_on(self.held, engine.setting.unit, engine.datum, engine.start_step)


class Recorder:
    """Keeps an eye on the energy, and the last two copies if there is a file to write them next to."""

    def __init__(self, sim: Simulation, *, copying: bool, strict: bool) -> None:
        self.sim = sim
        self.strict = strict
        self.older = self.newer = Copy.of(sim) if copying else None
        self.due = 0.0 if copying else math.inf
        self.warned = sim.energy_error > ENERGY_BUDGET

    def note(self) -> None:
        """Copy the state if it is time to, and warn once if the energy error passes its budget."""
        start = time.perf_counter()
        if start >= self.due:
            self.older, self.newer = self.newer, Copy.of(self.sim)
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
        remedy = "lower time_step, or take a second-order integrator (see `dem integrators`)"
        notice = Notice("energy-error", reason, remedy)
        if self.strict:
            message = f"{notice} (turned into an error by strict)"
            raise FloatingPointError(message)
        warnings.warn(str(notice), DemWarning, stacklevel=2)

    def write(self, path: Path, error: BrokenRunError, *, overwrite: bool) -> int:
        """Take the last steps before the error again and write them; returns how many states there are."""
        sim, last, code = self.sim, self.sim.step_count, self.sim._engine.code  # noqa: SLF001
        copy = self.older if self.newer.step > last - KEPT else self.newer
        copy.restore(sim)
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
        sim._engine.code = code  # noqa: SLF001
        return writer.frames


@contextmanager
def recorded(
    sim: object, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
) -> Iterator[Callable[[], None]]:
    """Record a run of soft particles, if it has an output file; to be told to note the state now and then."""
    if not hasattr(sim, "step_count"):
        yield lambda: None
        return
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
