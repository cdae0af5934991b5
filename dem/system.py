"""What simulations of soft and of hard particles have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem import checkpoint, checks
from dem.advice import foreseen
from dem.box import Box
from dem.notices import tell
from dem.observer import Observer
from dem.particles import Particles
from dem.plan import EVERY, Output
from dem.recorder import recorded
from dem.run import record
from dem.writer import TrajectoryWriter
from kernels import energy as energy_kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Self

    from dem.hard_verdict import HardVerdict
    from dem.plan import Segment
    from dem.verdict import Verdict


class System:
    """Particles in a box under gravity; those who inherit from it move them."""

    def __init__(
        self, particles: Particles, box: Box | None, gravity: Iterable[float], description: dict | None
    ) -> None:
        checks.of_types(particles=(particles, Particles))
        checks.of_types(optional=True, box=(box, Box), description=(description, dict))
        self._box = box
        self._gravity = checks.vector("gravity", gravity, "acceleration [m/s2]")
        self._particles = particles.copy()
        self.description = description or {}

    @property
    def box(self) -> Box | None:
        """The walls."""
        return self._box

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration [m/s²]."""
        return self._gravity

    @property
    def particles(self) -> Particles:
        """The particles at the present time, in their original order."""
        raise NotImplementedError

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
    ) -> Verdict | HardVerdict:
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
            the file, and the last steps before in another one, see `dem.recorder`.
        """
        duration = checks.number("duration", duration, above=0, unit="s")
        frames = checks.whole("frames", frames, least=1)
        chosen = Output.checked(fields, float32=float32, compression=compression)
        self._notice_changes()
        tell(foreseen(self), strict=strict, force=force)
        plan = [self._segment(duration, frames)]
        observer = Observer()
        if output is not None:
            observer = TrajectoryWriter.create(output, self, plan, chosen, every=checkpoint_every, overwrite=overwrite)
        recorder = recorded(self, output, overwrite=overwrite, strict=strict)
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

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""
        self._notice_changes()
        linear, angular = energy_kernels.momenta(*self._bodies(), *self._state())
        return np.array(linear), np.array(angular)

    def _ledger(self) -> tuple[float, float, float]:
        """Translational, rotational and gravitational energy [J]."""
        return energy_kernels.ledger(*self._bodies(), self._gravity, self._datum, *self._state())

    @property
    def _now(self) -> float:
        """Where it is, in what plans are made of: steps or time."""
        raise NotImplementedError

    def _segment(self, duration: float, frames: int) -> Segment:
        """Plan for a duration from now; raises ValueError if that cannot be."""
        raise NotImplementedError

    @staticmethod
    def _stops(segment: Segment) -> list:
        """Where frames are due."""
        raise NotImplementedError

    def _reach(self, stop: float, moved: Callable[[float, int], None], interrupted: Callable[[], bool]) -> None:
        """Go to a stop, telling now and then what part of the way was made with how much work; or be interrupted."""
        raise NotImplementedError

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kind of each particle (N,), mass (G,) and principal moments (3, G) of each kind."""
        raise NotImplementedError

    def _notice_changes(self) -> None:
        """Start again if the user has assigned to the state of the particles."""
        raise NotImplementedError

    def _state(self) -> list[np.ndarray]:
        """Present state, component-major."""
        p = self.particles
        views = (p.position, p.velocity, p.orientation, p.angular_velocity)
        return [np.array(view.T, order="C") for view in views]
