"""Systems that run, are saved, and go on from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.base.notices import tell
from dem.files import checkpoint
from dem.files.output import EVERY
from dem.files.writer import TrajectoryWriter
from dem.run.record import record
from dem.run.request import checked
from dem.system.observer import Observer
from dem.system.system import System

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Self

    from dem.system.verdict import Judgement


class Runnable(System):
    """A system that is carried through time, with a file of what it did."""

    def run(
        self,
        duration: float,
        *,
        output: str | PathLike | None = None,
        frames: int = 200,
        progress: bool = False,
        overwrite: bool = False,
        fields: Iterable[str] | None = None,
        float32: bool = False,
        compression: str | None = None,
        checkpoint_every: str | int | None = EVERY,
        strict: bool = False,
        force: bool = False,
    ) -> Judgement:
        """Run for a duration, writing evenly spaced frames to an HDF5 file.

        Parameters
        ----------
        duration : float
            Simulated time to add [s]; where there are time steps, rounded to whole ones.
        output : path, optional
            File to write (H5MD, see `dem.Trajectory`). It must not exist, unless `overwrite`.
        frames : int
            Number of frames after the first one.
        progress : bool
            Show a progress bar with rate and remaining time on a terminal.
        overwrite : bool
            Replace the output file.
        fields : list of str, optional
            Of position, velocity, orientation, angular_velocity; default all, position always.
        float32 : bool
            Write these fields in single precision; checkpoints stay exact.
        compression : str, optional
            "gzip" or "lzf": saves some 13 %, writing takes ten or three times as long.
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
        Verdict or HardVerdict
            Energy error and what else tells whether the run can be trusted.

        Raises
        ------
        ValueError
            If the input cannot lead to a sound run and is not forced; nothing has been simulated then.
        FileExistsError, OSError
            If the output exists or cannot be written; nothing has been simulated then. If the disk is full later, what
            was written is safe.
        FloatingPointError
            If the run breaks, or time stands still because somebody has no room to move; the frames up to then are in
            the file, and the last steps before in another one, see `dem.soft.recorder`.
        RuntimeError
            If another thread of Python is moving this system.
        """
        duration, frames, contents = checked(
            duration, output=output, frames=frames, overwrite=overwrite, fields=fields, float32=float32,
            compression=compression, checkpoint_every=checkpoint_every,
        )  # fmt: skip
        with self._turn:
            self._notice_changes()
            tell(self.foreseen(), strict=strict, force=force)
            plan = [self._segment(duration, frames)]
            observer = Observer()
            if output is not None:
                observer = TrajectoryWriter.create(
                    output, self, plan, contents, every=checkpoint_every, overwrite=overwrite
                )
            recorder = self._recorded(output, overwrite=overwrite, strict=strict)
            return record(self, plan, observer, progress=progress, recorder=recorder)

    def save(self, path: str | PathLike) -> None:
        """Write all that decides how this goes on to a file; an old one is replaced when the new one is complete.

        Raises
        ------
        OSError, TypeError
            If it cannot be written, or for shapes whose class is no dataclass.
        """
        self._notice_changes()
        checkpoint.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike, *, threads: int | None = None) -> Self:
        """Go on from a file that `save` wrote, or from the latest checkpoint of a trajectory.

        The bytes are the same as if the run had never stopped. Threads are for simulations in time steps.

        Raises
        ------
        OSError, ValueError
            If there is no such file, or no complete checkpoint in it, or it is of another kind.
        """
        sim = checkpoint.load(path, threads)
        if not isinstance(sim, cls):
            message = f"{path} holds {type(sim).__name__}: load it with dem.{type(sim).__name__}.load"
            raise ValueError(message)
        return sim
