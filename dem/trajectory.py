"""Read trajectories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import h5py
import numpy as np

from dem.writer import ENERGIES, FIELDS, FORMAT

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType


class Kind(NamedTuple):
    """What a kind of particles is made of, in its body frame."""

    offsets: np.ndarray  # centres of its spheres (S, 3) [m]
    radii: np.ndarray  # of its spheres (S,) [m]
    volume: float  # of their union [m³]
    mass: float  # [kg]
    inertia: np.ndarray  # principal moments (3,) [kg m²]


class Trajectory:
    """A run on disk, read as far as it is asked for.

    The state elements are h5py datasets: slices of them are read when taken, ``run.position[-1]`` the last frame,
    ``run.position[:, 3]`` the path of particle 3, ``run.position[:]`` everything.

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
    (11, (11, 1, 3), -0.981)
    """

    def __init__(self, path: str | PathLike) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            message = f"{self.path} is a folder" if self.path.is_dir() else f"no file {self.path}"
            raise FileNotFoundError(message)
        try:
            self._file = h5py.File(self.path, "r")
        except BlockingIOError:
            message = f"{self.path} is being written by another process: wait, or copy it and read the copy"
            raise ValueError(message) from None
        except OSError:
            message = f"{self.path} is not a readable HDF5 file"
            raise ValueError(message) from None
        problem = self._problem()
        if problem:
            self._file.close()
            message = f"{self.path} {problem}"
            raise ValueError(message)
        self._group = self._file["particles/trajectory"]

    def _problem(self) -> str | None:
        """What keeps the open file from being read."""
        try:
            written = int(self._file["parameters"].attrs["format"])
            complete = all(f"particles/trajectory/{name}" in self._file for name in ("position/step", *FIELDS))
        except (KeyError, TypeError, ValueError):
            return "is not a trajectory of this engine"
        if written > FORMAT:
            return f"has format {written}, this version reads up to {FORMAT}: upgrade pcdm-dem"
        return None if complete else "is not a complete trajectory: the run ended before its first frame"

    def __enter__(self) -> Trajectory:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; datasets taken from it can no longer be read."""
        self._file.close()

    def __len__(self) -> int:
        """Count the complete frames."""
        return len(self._group["position/step"])

    @property
    def step(self) -> np.ndarray:
        """Step of each frame (T,)."""
        return self._group["position/step"][:]

    @property
    def time(self) -> np.ndarray:
        """Time of each frame (T,) [s]."""
        return self._group["position/time"][: len(self)]

    @property
    def position(self) -> h5py.Dataset:
        """Centres of mass (T, N, 3) [m]."""
        return self._group["position/value"]

    @property
    def velocity(self) -> h5py.Dataset:
        """Velocities (T, N, 3) [m/s]."""
        return self._group["velocity/value"]

    @property
    def orientation(self) -> h5py.Dataset:
        """Unit quaternions (T, N, 4), scalar first, body to world."""
        return self._group["orientation/value"]

    @property
    def angular_velocity(self) -> h5py.Dataset:
        """Angular velocities (T, N, 3), world frame [rad/s]."""
        return self._group["angular_velocity/value"]

    @property
    def species(self) -> np.ndarray:
        """Kind of each particle (N,): a number that `kinds` is indexed with."""
        return self._group["species"][:]

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of particles, see `species`."""
        stored = self._file["parameters"].get("kinds", ())
        if not stored:
            message = f"{self.path} has format 1, which does not tell the shapes: run it again with this version"
            raise ValueError(message)
        groups = [stored[str(number)] for number in range(len(stored))]
        return [Kind(*(group[name][()] for name in Kind._fields)) for group in groups]

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Energies of the system at each frame, (T,) [J] each: translational, rotational, ..., total."""
        return {name: self._file[f"observables/{name}_energy/value"][: len(self)] for name in ENERGIES}

    @property
    def input(self) -> dict:
        """Resolved input of the run."""
        return json.loads(self._file["parameters"].attrs["input"])

    @property
    def versions(self) -> dict:
        """Versions of the engine and the libraries that wrote the file."""
        return json.loads(self._file["parameters"].attrs["versions"])

    @property
    def verdict(self) -> str | None:
        """Verdict line of a run that came to its end, or was stopped by hand."""
        return self._file["parameters"].attrs.get("verdict")

    @property
    def error(self) -> str | None:
        """What broke the run, if anything."""
        return self._file["parameters"].attrs.get("error")

    @property
    def event_particles(self) -> list[int]:
        """Whom it is about, in the file with the last steps before a run broke (``run.crash.h5``); else nobody."""
        return [int(n) for n in self._file["parameters"].attrs.get("event_particles", ())]
