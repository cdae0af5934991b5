"""Systems that run, are saved, and go on from files."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, ClassVar

from dem.base.notices import tell
from dem.base.text import counted
from dem.base.typo_hints import hinted
from dem.files.checkpoints import checkpoint
from dem.files.writing.output_settings import EVERY
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.model.fluid.coupling import given_again
from dem.run import callback_record
from dem.run.callbacks import Callback
from dem.run.record import next_chunk, record
from dem.run.request import checked
from dem.run.running_table import TABLE, RunningTable
from dem.system.observer import Observer
from dem.system.plan import FrameSegment, evenly, whole_steps
from dem.system.system import System

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Self

    from dem.model.fluid.coupling import Exchange, FlowState
    from dem.system.verdict import Judgement


class Runnable(System):
    """A system that is carried through time, with a file of what it did.

    Time goes in steps, which `step` takes, unless a class says otherwise.
    """

    unit: ClassVar[str] = "step"  # of work
    _time_step: float
    _slice = 1  # steps between looks at the keyboard

    @hinted
    def run(
        self,
        duration: float,
        *,
        output: str | PathLike | None = None,
        frames: int = 200,
        every: tuple[int | float | str, Callable[[Self], object]] | None = None,
        table: Iterable[str] | str | bool = False,
        table_every: float | str | None = None,
        progress: bool | None = None,
        overwrite: bool = False,
        fields: Iterable[str] | None = None,
        float32: bool = False,
        compression: str | None = None,
        contacts: bool = False,
        checkpoint_every: str | int | None = EVERY,
        strict: bool = False,
        force: bool = False,
    ) -> Judgement:
        """Run for a duration, writing evenly spaced frames to an HDF5 file.

        Parameters
        ----------
        duration : float
            Simulated time of this run, from now on [s]; where there are time steps, rounded to whole ones. A run that
            is resumed is the same run: its duration goes on counting from its first frame.
        output : path, optional
            File to write (H5MD, see `dem.Trajectory`). It must not exist, unless `overwrite`.
        frames : int
            Number of frames after the first one.
        every : (interval, function), optional
            Call ``function(sim)`` every so many steps (a whole number), or so often in simulated seconds (a float, or a
            text such as "2 ms", rounded to steps), on exact steps and before the frame of that step. It may look at
            everything, and change the state (``sim.particles.velocity = v``) and the gravity: what that does is booked
            as work, told in the file (`Trajectory.changes`), and is no energy error. `dem.rerun` cannot repeat such a
            run, and `dem.resume` wants the function again. One that only looks changes no bit.
        table : True, or list of str
            Print a row of these columns now and then, and keep them in the file (`Trajectory.table`): names of
            `dem.run.running_table.COLUMNS`, such as ``["time", "kinetic", "contacts"]``; True takes the usual ones.
        table_every : int, float or str, optional
            Steps, or simulated seconds, as in `every`; default: a hundred rows. There is one at the start and the end.
        progress : bool, optional
            Show a bar with rate and remaining time, on a terminal or in a notebook; default: if the run takes more than
            some seconds. With a table there is none; False prints neither.
        overwrite : bool
            Replace the output file.
        fields : list of str, optional
            Of position, velocity, orientation, angular_velocity; default all, position always.
        float32 : bool
            Write these fields in single precision; checkpoints stay exact.
        compression : str, optional
            "gzip" or "lzf": saves some 13 %, writing takes ten or three times as long.
        contacts : bool
            Write the contacts of each frame with their forces, see `Frame.contact_forces`: some 110 bytes each.
        checkpoint_every : str or int, optional
            Computing time between checkpoints, such as "10 min", or a number of steps; None: at the start and the end
            only. `dem.resume` goes on from the latest one.
        strict : bool
            Turn every warning (`dem.DemWarning`) into an error.
        force : bool
            Only warn of what is refused otherwise: contacts that no time step resolves, or that are far too soft, and
            densities that no solid has.

        Returns
        -------
        Verdict, HardVerdict or StochasticVerdict
            Energy error and what else tells whether the run can be trusted.

        Raises
        ------
        ValueError
            If the input cannot lead to a sound run and is not forced; nothing has been simulated then.
        RuntimeError
            If the function carries the simulation on, or another thread of Python is moving it.
        FileExistsError, OSError
            If the output exists or cannot be written; nothing has been simulated then. If the disk is full later, what
            was written is safe. If the file is removed, replaced or changed later, the message says where its data are.
        FloatingPointError
            If the run breaks, or time stands still because somebody has no room to move; the frames up to then are in
            the file, and the last steps before in another one, see `dem.soft.recorder`.

        Examples
        --------
        A tumbler, whose gravity turns by a degree every 20 steps:

        >>> import dem, math
        >>> sand = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5, friction=0.5)
        >>> grains = dem.Particles(dem.Sphere(diameter=0.01), sand, position=[[0.02 * k, 0, 0.02] for k in range(3)])
        >>> sim = dem.Simulation(grains, dem.Box((-0.1, -0.1, 0), (0.1, 0.1, 0.2), sand), time_step=1e-5)
        >>> def turn(sim):
        ...     angle = math.radians(sim.step_count / 20)
        ...     sim.gravity = (9.81 * math.sin(angle), 0, -9.81 * math.cos(angle))
        >>> sim.run(0.01, every=(20, turn)).passed, round(sim.gravity[0], 3)
        (True, 7.515)
        """
        duration, frames, contents = checked(
            duration, output=output, frames=frames, overwrite=overwrite, fields=fields, float32=float32,
            compression=compression, contacts=contacts, checkpoint_every=checkpoint_every,
        )  # fmt: skip
        with self._turn:
            self._notice_changes()
            tell(self.foreseen(), strict=strict, force=force)
            plan = [self._segment(duration, frames)]
            calls = [] if every is None else [Callback.checked(every, self, plan[0].first)]
            rows = RunningTable(self, table, table_every, plan, shown=progress is not False) if table else None
            observer = Observer()
            if output is not None:
                observer = TrajectoryWriter.create(
                    output, self, plan, contents, every=checkpoint_every, overwrite=overwrite,
                    about=callback_record.marks(calls) | ({TABLE: rows.described} if rows else {}),
                )  # fmt: skip
            recorder = self._recorded(output, overwrite=overwrite, strict=strict)
            shown = False if table else progress
            return record(self, plan, observer, progress=shown, recorder=recorder, calls=calls, table=rows)

    def save(self, path: str | PathLike) -> None:
        """Write all that decides how this goes on to a file; an old one is replaced when the new one is complete.

        ``copy.copy``, ``copy.deepcopy`` and ``pickle`` of a simulation take the same, in memory: a copy shares nothing
        with the original, save the function of a coupling, of which ``copy.deepcopy`` makes a copy as well.

        Raises
        ------
        OSError, TypeError
            If it cannot be written, or for shapes whose class is no dataclass.
        """
        self._notice_changes()
        checkpoint.save(self, path)

    def __reduce__(self) -> tuple:
        """What pickles and copies hold: all that `save` writes, so that each goes on by itself to the same bytes."""
        self._notice_changes()
        coupling = self.fluid and self.fluid.coupling
        return checkpoint.unpacked, (checkpoint.packed(self), self.threads, coupling and coupling.function)

    @classmethod
    def load(
        cls,
        path: str | PathLike,
        *,
        threads: int | None = None,
        coupling: Callable[[Exchange], FlowState] | None = None,
    ) -> Self:
        """Go on from a file that `save` wrote, or from the latest checkpoint of a trajectory.

        The bytes are the same as if the run had never stopped. Threads are for simulations in time steps; so is a
        coupling, the function of a fluid that was coupled, where it cannot be found by its name, see `dem.Coupling`.

        Raises
        ------
        OSError, ValueError
            If there is no such file, or no complete checkpoint in it, or it is of another kind.
        """
        with given_again(coupling):
            sim = checkpoint.load(path, threads)
        if not isinstance(sim, cls):
            message = f"{path} holds {type(sim).__name__}: load it with dem.{type(sim).__name__}.load"
            raise ValueError(message)
        return sim

    def __repr__(self) -> str:
        """Particles and time."""
        return (
            f"<{type(self).__name__}: {counted(len(self._particles), 'particle')}, t = {self.time:.6g} s after "
            f"{counted(self.step_count, 'step')} of {self.time_step:.6g} s>"
        )

    @property
    def time_step(self) -> float:
        """[s]."""
        return self._time_step

    @property
    def work_count(self) -> int:
        """Work done so far: steps."""
        return self.step_count

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times time step."""
        return self.step_count * self.time_step

    def carry_on(self, duration: float) -> None:
        """Go on for about so long [s], by one step at least, without a file or a verdict."""
        self.step(max(1, round(duration / self.time_step)))

    def pace(self, steps: int, seconds: float) -> str:
        """How fast so many steps in so much computing time are, in words."""
        rate = steps / seconds
        return f"{rate:.3g} steps/s, {rate * len(self._particles):.3g} particle steps/s"

    @property
    def _now(self) -> int:
        """Where it is, in what plans are made of: the step."""
        return self.step_count

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan for a duration from now, rounded to whole steps."""
        steps = whole_steps(duration, self.time_step)
        return FrameSegment(self.step_count, steps, min(frames, steps))

    @staticmethod
    def _stops(segment: FrameSegment) -> list[int]:
        """Steps at which frames are due."""
        return evenly(*segment)

    def _mark(self, first: int, seconds: float) -> int:
        """The step nearest to so long after the step `first`."""
        return first + math.floor(seconds / self.time_step + 0.5)

    def _reach(self, stop: int, moved: Callable, interrupted: Callable[[], bool]) -> None:
        """Advance to a step in slices of about SLICE seconds. How it is cut does not change the result."""
        while self.step_count < stop and not interrupted():
            start = time.perf_counter()
            taken = min(self._slice, stop - self.step_count)
            self.step(taken)
            moved(taken, taken)
            self._slice = next_chunk(taken, start)
