"""What simulations of soft and of hard particles have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem import checks
from dem.advice import foreseen
from dem.box import Box
from dem.notices import tell
from dem.particles import Particles
from dem.run import record
from kernels import energy as energy_kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from dem.hard_verdict import HardVerdict
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
            If the output exists or cannot be written; nothing has been simulated then.
        FloatingPointError
            If the run breaks, or time stands still because somebody has no room to move; the frames up to then are in
            the file, and the last steps before in another one, see `dem.recorder`.
        """
        duration = checks.number("duration", duration, above=0, unit="s")
        frames = checks.whole("frames", frames, least=1)
        self._notice_changes()
        tell(foreseen(self), strict=strict, force=force)
        stops, length, reach = self._stops(duration, frames)
        return record(self, stops, length, reach, output=output, progress=progress, overwrite=overwrite, strict=strict)

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""
        self._notice_changes()
        linear, angular = energy_kernels.momenta(*self._bodies(), *self._state())
        return np.array(linear), np.array(angular)

    def _ledger(self) -> tuple[float, float, float]:
        """Translational, rotational and gravitational energy [J]."""
        return energy_kernels.ledger(*self._bodies(), self._gravity, self._datum, *self._state())

    def _stops(self, duration: float, frames: int) -> tuple[list, float, Callable]:
        """Where frames are due, the length of the run, and how to reach a stop; see `dem.run.record`."""
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
