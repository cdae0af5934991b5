"""Read trajectories."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem import labelled, layout, selection, summary
from dem.bodies import Kind
from dem.box import Box, Motion
from dem.checkpoint.recipes import made
from dem.frame import Frame
from dem.layout import ENERGIES, FIELDS
from dem.materials import Material
from dem.series import MEANINGS, Series, read_rows, row
from dem.store import open_to_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from types import TracebackType

    import h5py
    import pandas as pd
    import xarray

    from dem.bodies import Spheres
    from dem.shapes import Shape


class Trajectory:
    """A run on disk, read as far as it is asked for.

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

    _part: range | None = None  # of the frames in the file; None: all of them

    def __init__(self, path: str | PathLike) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            message = f"{self.path} is a folder" if self.path.is_dir() else f"no file {self.path}"
            raise FileNotFoundError(message)
        try:
            self._file = open_to_read(self.path)
        except BlockingIOError:
            message = f"{self.path} is being written by another program: wait, or copy it and read the copy"
            raise ValueError(message) from None
        except OSError as error:
            message = f"{self.path} is not a readable HDF5 file ({error}): dem repair may save its frames"
            raise ValueError(message) from None
        problem = layout.problem(self._file)
        if problem:
            self._file.close()
            message = f"{self.path} {problem}"
            raise ValueError(message)

    def __enter__(self) -> Trajectory:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; datasets taken from it can no longer be read."""
        self._file.close()

    def _stored(self, name: str = ".") -> h5py.Group | h5py.Dataset:
        """What is under a name in the group of the particles, or of the file if it starts with /."""
        if not self._file:
            message = f"{self.path} is closed: read what is wanted before"
            raise ValueError(message)
        return self._file["particles/trajectory"][name]

    def __len__(self) -> int:
        """Count the complete frames."""
        return len(self.frames)

    def __repr__(self) -> str:
        """File, frames, time, particles and fields."""
        if not self._file:
            return f"<Trajectory {self.path}: closed>"
        time, shapes = self.time, [kind["shape"] for kind in self.input["kinds"]]
        counts = np.bincount(self.species, minlength=len(shapes))
        what = ", ".join(f"{n} x {shape}" for n, shape in zip(counts, shapes, strict=True))
        when = f"{time[0]:.6g} to {time[-1]:.6g} s" if len(time) else "no time"
        return f"<Trajectory {self.path}: {len(self)} frames, {when}; {what}; {', '.join(self.fields)}>"

    def __getitem__(self, key: int | slice) -> Frame | Trajectory:
        """A frame, or for a slice that part of the run; raises IndexError for a frame that is not there."""
        if isinstance(key, slice):
            part = copy.copy(self)
            part._part = self.frames[key]  # noqa: SLF001, of its own kind
            return part
        return Frame(self, key, row(self.frames, key))

    def __iter__(self) -> Iterator[Frame]:
        """Frame after frame."""
        return (self[k] for k in range(len(self)))

    def at(self, time: float) -> Frame:
        """The frame nearest to a time [s]; raises ValueError for times more than half an interval outside the run."""
        return self[selection.nearest(self.time, time)]

    def between(self, start: float, end: float) -> Trajectory:
        """The part of the run from one time to another [s], both included; raises ValueError if no frame lies there."""
        return self[selection.between(self.time, start, end)]

    @property
    def frames(self) -> range:
        """Numbers in the file of the frames of this run, or part of a run."""
        return range(len(self._stored("position/step"))) if self._part is None else self._part

    @property
    def step(self) -> np.ndarray:
        """Step of each frame (T,)."""
        return read_rows(self._stored("position/step"), self.frames, slice(None))

    @property
    def time(self) -> np.ndarray:
        """Time of each frame (T,) [s]."""
        return read_rows(self._stored("position/time"), self.frames, slice(None))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that the file holds."""
        return tuple(name for name in FIELDS if f"{name}/value" in self._stored())

    def series(self, name: str) -> Series:
        """A field of that name, ``axis`` included; raises ValueError with the names there are."""
        known = self.fields
        if name not in MEANINGS or MEANINGS[name].stored not in known:
            message = f"{self.path} has no {name}: its fields are {', '.join(known)}"
            raise ValueError(message)
        return Series(name, self._stored(f"{MEANINGS[name].stored}/value"), self.frames)

    @property
    def position(self) -> Series:
        """Centres of mass (T, N, 3) [m], going on beyond a periodic box."""
        return self.series("position")

    @property
    def velocity(self) -> Series:
        """Velocities (T, N, 3) [m/s]."""
        return self.series("velocity")

    @property
    def orientation(self) -> Series:
        """Unit quaternions (T, N, 4), scalar first, body to world."""
        return self.series("orientation")

    @property
    def angular_velocity(self) -> Series:
        """Angular velocities (T, N, 3), world frame [rad/s]."""
        return self.series("angular_velocity")

    @property
    def axis(self) -> Series:
        """Unit vectors along the body x axes (T, N, 3), a fibre's own, world frame."""
        return self.series("axis")

    def spheres(self, frame: int) -> Spheres:
        """All spheres at a frame: centres (S, 3), radii (S,) [m], and the particle each belongs to (S,)."""
        return self[frame].spheres()

    @property
    def mass(self) -> np.ndarray:
        """Mass of each particle (N,) [kg]."""
        return self._stored("mass")[:]

    @property
    def species(self) -> np.ndarray:
        """Kind of each particle (N,): a number that `kinds` is indexed with."""
        return self._stored("species")[:]

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of particles, see `species`."""
        stored = self._stored("/parameters").get("kinds", ())
        if not stored:
            message = f"{self.path} has format 1, which does not tell the shapes: run it again with this version"
            raise ValueError(message)
        stored = {name: dataset[()] for name, dataset in stored.items()}
        cuts = stored["first"][1:-1]
        spheres = (np.split(stored[name], cuts) for name in ("offsets", "radii"))
        return [Kind(*row) for row in zip(*spheres, stored["volume"], stored["mass"], stored["inertia"], strict=True)]

    @property
    def shapes(self) -> list[tuple[Shape, Material]]:
        """Shape and material of each kind, as they were given; raises ValueError for one that cannot be made again."""
        restart = self._stored("/restart")
        if "start" not in restart:
            message = f"{self.path} does not tell how to make its shapes: {restart.attrs['unavailable']}"
            raise ValueError(message)
        given = json.loads(restart["start/input"].asstr()[()])
        return [tuple(made(each) for each in pair) for pair in given["kinds"]]

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Energies of the system at each frame, (T,) [J] each: translational, rotational, ..., total.

        ``pandas.DataFrame(run.energy, index=run.time)`` is a table of them.
        """
        stored = self._stored("/observables")
        return {name: read_rows(stored[f"{name}_energy/value"], self.frames, slice(None)) for name in ENERGIES}

    @property
    def box(self) -> Box | None:
        """The box as it was given; walls that move are where `Frame.walls` says."""
        given = self.input["box"]
        if given is None:
            return None
        motion = {face: Motion(**moved) for face, moved in given["motion"].items()}
        return Box(**{**given, "material": Material(**given["material"]), "motion": motion})

    def to_pandas(self, fields: Sequence[str] | None = None, frames: slice = slice(None)) -> pd.DataFrame:
        """Table with a row for each particle in each frame: frame, time, particle, species, x, y, z, v_x, ...

        `fields` are names of `Trajectory.fields`, or "axis" (p_x, p_y, p_z); default: all that the file holds, in the
        `frames` chosen. SI units are in ``attrs["units"]``. Raises ImportError if pandas is not installed, ValueError
        if the file lacks a field.
        """
        return labelled.to_pandas(self[frames], self.fields if fields is None else fields)

    def to_xarray(self, fields: Sequence[str] | None = None) -> xarray.Dataset:
        """Fields over time, particle and component (quaternion: w, x, y, z), and energies over time, with units.

        `fields` as in `to_pandas`. They stay on disk until their values are used, so keep this trajectory open, or
        ``.load()`` them. Raises ImportError if xarray is not installed, ValueError if the file lacks a field.
        """
        return labelled.to_xarray(self, self.fields if fields is None else fields)

    def summary(self) -> dict:
        """All about the file but its fields: what ``dem info --json`` shows."""
        return summary.of(self, self._file)

    @property
    def input(self) -> dict:
        """Resolved input of the run."""
        parameters = self._stored("/parameters")
        return json.loads(parameters["input"].asstr()[()] if "input" in parameters else parameters.attrs["input"])

    @property
    def versions(self) -> dict:
        """Versions of the engine and the libraries that wrote the file."""
        return json.loads(self._stored("/parameters").attrs["versions"])

    @property
    def verdict(self) -> str | None:
        """Verdict line of a run that came to its end, or was stopped by hand."""
        return self._stored("/parameters").attrs.get("verdict")

    @property
    def error(self) -> str | None:
        """What broke the run, if anything."""
        return self._stored("/parameters").attrs.get("error")

    @property
    def event_particles(self) -> list[int]:
        """Whom it is about, in the file with the last steps before a run broke (``run.crash.h5``); else nobody."""
        return [int(n) for n in self._stored("/parameters").attrs.get("event_particles", ())]
