"""Repeat a run and compare the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dem.base.text import counted
from dem.files.checkpoints import checkpoint
from dem.files.h5md import layout
from dem.files.reading.trajectory import Trajectory
from dem.files.storage.journaled_file import open_to_read
from dem.files.writing.frame_schedule import check_frames, plan_of
from dem.run import callbacks
from dem.run.run_loop import run_plan
from dem.system.system import Observer

if TYPE_CHECKING:
    from os import PathLike

    import h5py

    from dem.system.system import System


@dataclass(frozen=True)
class Comparison:
    """A run next to the one that a file holds.

    Attributes
    ----------
    frames : int
        Number of frames that were compared.
    frame : int or None
        First frame that differs; None if none does.
    difference : str or None
        Where the frame differs and by how much.
    changed : dict of str to (object, object)
        What is not as it was when the file was written, such as versions: the former and the present value by name.

    Examples
    --------
    >>> then = Comparison(frames=11, frame=4, difference="position of particle 2 by 1e-16 m", changed={})
    >>> then.same, str(then)
    (False, 'the bytes differ from frame 4 on: position of particle 2 by 1e-16 m')
    """

    frames: int
    frame: int | None
    difference: str | None
    changed: dict[str, tuple[object, object]]

    @property
    def same(self) -> bool:
        """Whether all bytes are the same."""
        return self.frame is None

    def __str__(self) -> str:
        """One line, and one more for each thing that has changed."""
        line = f"all bytes of {counted(self.frames, 'frame')} are the same"
        if not self.same:
            line = f"the bytes differ from frame {self.frame} on: {self.difference}"
        return "\n".join([line, *(f"{name}: {old} then, {new} now" for name, (old, new) in self.changed.items())])


class _Differs(Exception):  # noqa: N818
    """Nothing after this frame needs to be computed."""


class _Comparer(Observer):
    """Compares the frames of a run with those of a file."""

    def __init__(self, file: h5py.File, sim: System) -> None:
        self.sim, self.datasets = sim, layout.frame_datasets(file)

    def frame(self, k: int) -> None:
        difference = layout.difference(
            self.datasets, layout.rows(self.sim, k, contacts=layout.NUMBER in self.datasets), k
        )
        if difference:
            raise _Differs(k, difference)


def rerun(path: str | PathLike, *, threads: int | None = None, progress: bool = False) -> Comparison:
    """Repeat a run from the state that its file keeps of the start, and compare all frames with those in the file.

    The file stays as it is; nothing is written. A run that was stopped is repeated as far as its frames go.

    Parameters
    ----------
    path : path
        Trajectory that `Simulation.run` or ``dem run`` has written.
    threads : int, optional
        Largest number of threads; default: all cores. The result is the same for any number.
    progress : bool
        Whether to show a bar.

    Returns
    -------
    Comparison
        Whether the bytes are the same, or where they differ, and what else has changed since.

    Raises
    ------
    OSError, ValueError
        If there is no such file, or it cannot be run again: a function that was called meanwhile changed it.

    Examples
    --------
    >>> import dem, tempfile
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/fall.h5"
    ...     verdict = dem.Simulation(ball, time_step=1e-4).run(duration=0.1, output=path, frames=10)
    ...     print(dem.rerun(path))
    all bytes of 11 frames are the same
    """
    Trajectory(path).close()  # says what is wrong with it
    with open_to_read(Path(path)) as file:
        sim = checkpoint.read(file["restart/start"], threads) if "restart/start" in file else None
        plan = plan_of(file, steps=sim.step_count is not None) if sim else []
        if not plan:
            message = f"{path} does not keep the state at the start: it cannot be run again"
            raise ValueError(message)
        callbacks.check_repeatable(path, file)
        check_frames(file, sim, plan)
        frames = len(layout.frame_datasets(file)["step"])
        comparer = _Comparer(file, sim)
        frame, difference = None, None
        try:
            comparer.frame(0)
            if frames > 1:
                run_plan(sim, plan, comparer, progress=progress, frames=frames - 1)
        except _Differs as differs:
            frame, difference = differs.args
        return Comparison(frames, frame, difference, layout.changed(file, sim))
