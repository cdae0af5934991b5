"""`dem.Trajectory`: reader of the file of a run."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.files.reading import summary, tables
from dem.files.reading.frame import Frame
from dem.files.reading.stored_field import row
from dem.files.reading.stored_run import StoredRun
from dem.model.particles.kinds import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    import pandas as pd
    import xarray

    from dem.model.shapes.bodies import Spheres


class Trajectory(StoredRun):
    """A run on disk. Only the data that are accessed are read.

    ``run[10]`` and ``run[-1]`` are frames, `run.at(0.5)` the one nearest to a time; ``run[10:20:2]`` and
    `run.between(0.2, 0.4)` are parts of the run, trajectories again. Its fields stay on disk and are sliced like arrays
    (T, N, k): ``run.position[-1]`` is read from the last frame, ``run.position[:, 3]`` is the path of particle 3,
    ``run.position[:]`` everything.

    Parameters
    ----------
    path : path
        A file written by `Simulation.run` or ``dem run``.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such file, or it is no trajectory of this engine.

    Examples
    --------
    >>> import dem, tempfile, pathlib
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> sim = dem.Simulation(ball, time_step=1e-4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "fall.h5"
    ...     verdict = sim.run(duration=0.1, output=path, frames=10)
    ...     with dem.Trajectory(path) as run:
    ...         len(run), run.position.shape, round(float(run.velocity[-1, 0, 2]), 9)
    ...         run.at(0.05), [frame.index for frame in run.between(0.07, 0.09)]
    (11, (11, 1, 3), -0.981)
    (<Frame 5: t = 0.05 s, step 500>, [7, 8, 9])
    """

    def __enter__(self) -> Trajectory:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def __len__(self) -> int:
        """Number of complete frames."""
        return len(self.frames)

    def __repr__(self) -> str:
        """File, frames, time, particles and fields."""
        if not self._file:
            return f"<Trajectory {self.path}: closed>"
        time, what = self.time, in_words(self.describe())
        when = f"{time[0]:.6g} to {time[-1]:.6g} s" if len(time) else "no time"
        return f"<Trajectory {self.path}: {counted(len(self), 'frame')}, {when}; {what}; {', '.join(self.fields)}>"

    def __getitem__(self, key: int | slice) -> Frame | Trajectory:
        """A frame, or by a slice a part of the run; raises IndexError for a frame that does not exist."""
        if isinstance(key, slice):
            part = copy.copy(self)
            part._part = self.frames[key]  # noqa: SLF001, of its own kind
            return part
        return Frame(self, key, row(self.frames, key))

    def __iter__(self) -> Iterator[Frame]:
        """Iterate over the frames."""
        return (self[k] for k in range(len(self)))

    def at(self, time: float) -> Frame:
        """The frame nearest to a time [s]; raises ValueError for times more than half an interval outside the run."""
        return self[_nearest(self.time, time)]

    def between(self, start: float, end: float) -> Trajectory:
        """The part of the run from one time to another [s], both included; raises ValueError if no frame lies there."""
        return self[_between(self.time, start, end)]

    def spheres(self, frame: int) -> Spheres:
        """All spheres at a frame: centres (S, 3), radii (S,) [m], and the particle each belongs to (S,)."""
        return self[frame].spheres()

    def contacts(self, frame: int) -> pd.DataFrame:
        """Table of the contacts in a frame, one row each: bodies, contact point, forces.

        Columns are ``i`` and ``j``, particles by their permanent numbers (the column ``particle`` of `to_pandas`) or,
        negative, walls (see `dem.statistics.ContactForces`), ``overlap``,
        ``normal_force`` (positive if it pushes), ``tangential_force``, and by components ``normal``, ``force`` (on i),
        ``point``, ``branch``, and ``couple`` (on i) if there may be any; SI units are in ``attrs["units"]``. Raises
        ValueError if the run wrote no contacts (``contacts=True``, ``--contacts``), ImportError if pandas is not
        installed.
        """
        shot = self[frame]
        return tables.contacts(shot.contact_forces(), shot.identity)

    def to_pandas(self, fields: Sequence[str] | None = None, frames: slice | int = slice(None)) -> pd.DataFrame:
        """Table with a row for each particle in each frame: frame, time, particle, kind, x, y, z, v_x, ...

        `fields` are names of `Trajectory.fields`, or "axis" (p_x, p_y, p_z); default: all that the file holds. `frames`
        is a slice, or the number of one frame; default: all. SI units are in ``attrs["units"]``. Raises ImportError if
        pandas is not installed, ValueError if the file lacks a field.
        """
        if not isinstance(frames, slice):
            first = row(range(len(self)), frames)
            frames = slice(first, first + 1)
        return tables.to_pandas(self[frames], self._chosen(fields))

    def to_xarray(self, fields: Sequence[str] | None = None) -> xarray.Dataset:
        """Fields over time, particle and component (quaternion: w, x, y, z), and energies over time, with units.

        `fields` as in `to_pandas`. They stay on disk until their values are used, so keep this trajectory open, or
        ``.load()`` them. Raises ImportError if xarray is not installed, ValueError if the file lacks a field.
        """
        return tables.to_xarray(self, self._chosen(fields))

    def _chosen(self, fields: Sequence[str] | None) -> Sequence[str]:
        return self.fields if fields is None else checks.listed("fields", fields, "position")

    def summary(self) -> dict:
        """All information about the file except its fields: what ``dem info --json`` prints."""
        return summary.of(self, self._file)


ROUNDING = 1e-9  # of the largest time: k dt and a time typed in differ in their last digits


def _nearest(times: np.ndarray, time: float) -> int:
    """Number of the frame nearest to a time; raises ValueError if it is more than half an interval away."""
    _check_time("time", time)
    margin = 0.5 * np.ptp(times) / max(1, len(times) - 1) if len(times) else 0.0
    if not (len(times) and times.min() - margin <= time <= times.max() + margin):
        raise ValueError(f"no frame at {time:g} s: {_extent(times)}")
    return int(np.abs(times - time).argmin())


def _between(times: np.ndarray, start: float, end: float) -> slice:
    """Frames from one time to another, both included to rounding; raises ValueError if there are none."""
    _check_time("start", start)
    _check_time("end", end)
    rounding = ROUNDING * np.abs(times).max(initial=0.0)
    chosen = np.flatnonzero((start - rounding <= times) & (times <= end + rounding))
    if not chosen.size:
        raise ValueError(f"no frame between {start:g} and {end:g} s: {_extent(times)}")
    return slice(int(chosen[0]), int(chosen[-1]) + 1)


def _check_time(name: str, time: float) -> None:
    """Refuse a time that is not a number; infinite times are allowed in comparisons."""
    if not (isinstance(time, float) and not math.isfinite(time)):
        checks.number(name, time)


def _extent(times: np.ndarray) -> str:
    return f"there are {len(times)}, from {times.min():g} to {times.max():g} s" if len(times) else "there are none"
