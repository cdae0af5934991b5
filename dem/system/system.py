"""What simulations of soft and of hard particles have in common: particles in a box, at a time."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from dem.base import checks
from dem.base.declared import set_declared
from dem.base.readonly import frozen
from dem.base.thread_lock import OneAtATime
from dem.kernels.numerics import energy as energy_kernels
from dem.model.domain.box import Box
from dem.model.domain.box_walls import has_moving_images
from dem.model.energy import datum
from dem.model.particles.fields import MOTION
from dem.model.particles.particles import Particles
from dem.model.walls.wall import Wall
from dem.ranks.job_server import refuse
from dem.system.diagnosis import densities
from dem.system.observer import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from os import PathLike

    from dem.base.notices import Notice
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.energy import Energy
    from dem.model.fluid.fluid import Fluid
    from dem.system.plan import FrameSegment
    from dem.system.verdict import Judgement


class Counsel(Protocol):
    """Advice on the time step; `advised` is one to take [s], `lines` say why."""

    @property
    def advised(self) -> float:
        """[s]."""

    @property
    def lines(self) -> list[str]:
        """In words."""


class Comings(Protocol):
    """What files want to know of particles that come and go."""

    def events(self) -> np.ndarray:
        """Records of who came or went since this was asked for before; from the first time on they are kept for it."""

    def born(self) -> tuple[int, np.ndarray]:
        """How many numbers have been given to particles so far."""


class System:
    """Particles in a box under gravity; those who inherit from it move them, see `dem.run.runnable`.

    Not all go in time steps, on threads, or have advice to give: what is said here of these holds for those who have
    none, so that nobody needs to ask of which kind a system is.
    """

    __setattr__ = set_declared

    unit: ClassVar[str]  # one of what work is counted in
    shared: ClassVar[bool] = False  # whether several ranks can compute it together
    takes_fixed: ClassVar[bool] = False  # whether particles may be fixed
    takes_moving_images: ClassVar[bool] = False  # whether periodic images may move, as in a cell that deforms
    start_energy: Energy
    description: dict  # for later readers, goes to the output file

    def __init__(
        self, particles: Particles, box: Box | None, gravity: Iterable[float], description: dict | None
    ) -> None:
        if not self.shared:
            refuse(type(self).__name__)
        joined = "join groups by dem.Particles.concatenate(...)" if isinstance(particles, (list, tuple)) else ""
        checks.of_types(particles=(particles, Particles), hint=joined)
        if not self.takes_fixed and particles.fixed.any():
            message = (
                f"particle {np.flatnonzero(particles.fixed)[0]} is fixed ({particles.fixed.sum()} such), expected "
                f"particles that move in a {type(self).__name__}: take dem.Simulation (time steps) for fixed ones"
            )
            raise ValueError(message)
        beside = isinstance(box, Wall) or (isinstance(box, (list, tuple)) and any(isinstance(w, Wall) for w in box))
        checks.of_types(optional=True, box=(box, Box), hint="give walls by keyword, walls=[...]" if beside else "")
        if has_moving_images(box):
            refuse(f"a {type(box).__name__}, whose periodic images move,")
            if not self.takes_moving_images:
                message = (
                    f"box is a {type(box).__name__}, whose periodic images move, expected one whose images are at rest "
                    f"in a {type(self).__name__}: take dem.Simulation (time steps)"
                )
                raise ValueError(message)
        checks.of_types(optional=True, description=(description, dict))
        checks.of_types(**{"parameters of the description": ((description or {}).get("parameters", {}), dict)})
        self._box = box
        self._gravity = checks.vector("gravity", gravity, "acceleration [m/s2]")
        self._particles = particles.copy()
        self._turn = OneAtATime()  # of the threads of Python that move it
        self._revision = self._particles.revision  # of their state, at which the run began
        self._datum = datum(particles, box, self._gravity)
        self._largest_kinetic = 0.0  # [J], of those that were looked at
        self._given = 0.0  # work done from outside, by changes of gravity and in visits [J]
        self._visited = False
        self.description = description or {}

    @property
    def box(self) -> Box | None:
        """The walls."""
        return self._box

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration [m/s²]; may be set between steps, and the jump of the potential energy is then booked as work.

        Zero of the potential energy is then the lowest corner of the box under the new gravity, or without a box the
        present centre of mass.
        """
        return self._gravity

    @gravity.setter
    def gravity(self, value: Iterable[float]) -> None:
        gravity = checks.vector("gravity", value, "acceleration [m/s2]")
        self._notice_changes()
        if gravity != self._gravity:
            self._change_gravity(gravity, datum(self.particles, self._box, gravity))

    @property
    def walls(self) -> tuple:
        """Walls beside the box, each with what it feels; most systems have none."""
        return ()

    @property
    def traffic(self) -> Comings | None:
        """Who comes and goes while a run goes on; None if nobody does."""
        return None

    @property
    def bonds(self) -> object | None:
        """Bonds between particles, with what has become of them; None if there are none."""
        return None

    @property
    def fluid(self) -> Fluid | None:
        """What flows about the particles; None if nothing does."""
        return None

    @property
    def particles(self) -> Particles:
        """The particles at the present time, in their original order."""
        raise NotImplementedError

    @property
    def settings(self) -> dict:
        """What besides particles, box and gravity fixes the run."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        raise NotImplementedError

    @property
    def time_step(self) -> float | None:
        """Time step [s]; None if time goes from event to event."""
        return None

    @property
    def step_count(self) -> int | None:
        """Steps taken so far; None if there are none to take."""
        return None

    @property
    def threads(self) -> int:
        """At most so many threads are used."""
        return 1

    @property
    def energy_error(self) -> float:
        """Largest departure of the energy from what is booked, relative to what there is, see `verdict`."""
        raise NotImplementedError

    @property
    def work_count(self) -> int:
        """Work done so far, in its unit: steps or collisions."""
        raise NotImplementedError

    @property
    def contact_count(self) -> int:
        """Number of spheres in touch with each other or a wall, each pair once; none where impacts take no time."""
        return 0

    def contact_forces(self) -> ContactForces:
        """Contacts with their forces; raises ValueError where impacts take no time, so that there are none."""
        message = (
            "hard spheres have no contact forces, as impacts take no time: count collisions, or take dem.Simulation"
        )
        raise ValueError(message)

    def advice(self) -> Counsel | None:
        """Which time step the present state needs; None if there is none to choose."""
        return None

    def foreseen(self) -> Iterator[Notice]:
        """What should be known before a run begins."""
        return densities(self.particles)

    @property
    def memory(self) -> int:
        """Bytes of all its arrays."""
        p = self.particles
        arrays = [*self._arrays(), p.kind, p.variant, p.position, p.orientation, p.velocity, p.angular_velocity]
        return sum({id(a): a.nbytes for a in arrays}.values())

    def carry_on(self, duration: float) -> None:
        """Go on for about so long [s], by one step at least, without a file or a verdict."""
        raise NotImplementedError

    def energy(self) -> Energy:
        """Energies at the present time [J]."""
        raise NotImplementedError

    def verdict(self) -> Judgement:
        """Judge the run since the start, or since the state was last assigned to."""
        raise NotImplementedError

    def pace(self, work: int, seconds: float) -> str:
        """How fast so much work in so much computing time is, in words."""
        raise NotImplementedError

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""
        self._notice_changes()
        linear, angular = energy_kernels.momenta(*self._bodies(), *self._state())
        return np.array(linear), np.array(angular)

    def _ledger(self, rows: slice | np.ndarray = slice(None)) -> tuple[float, float, float]:
        """Translational, rotational and gravitational energy of the particles in these rows [J]."""
        kind, mass, inertia = self._bodies()
        kind = frozen(kind[rows])  # as that of all particles is: nothing is compiled for another type
        state = (np.ascontiguousarray(values[:, rows]) for values in self._state())
        return energy_kernels.ledger(kind, mass, inertia, self._gravity, self._datum, *state)

    @property
    def _now(self) -> float:
        """Where it is, in what plans are made of: steps or time."""
        raise NotImplementedError

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan for a duration from now; raises ValueError if that cannot be."""
        raise NotImplementedError

    @staticmethod
    def _stops(segment: FrameSegment) -> list:
        """Where frames are due."""
        raise NotImplementedError

    def _mark(self, first: float, seconds: float) -> float:
        """What is so long after the place `first` [s], in what plans are made of."""
        raise NotImplementedError

    def _reach(self, stop: float, moved: Callable[[float, int], None], interrupted: Callable[[], bool]) -> None:
        """Go to a stop, telling now and then what part of the way was made with how much work; or be interrupted."""
        raise NotImplementedError

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kind of each particle (N,), mass (G,) and principal moments (3, G) of each kind."""
        raise NotImplementedError

    def _recorded(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[..., None]]:
        """Record a run for the case that it breaks; to be told to note the state, or that it was changed."""
        del output, overwrite, strict
        return nullcontext(lambda **_: None)

    def _arrays(self) -> Iterator[np.ndarray]:
        """All arrays by which the particles are moved; some may come twice."""
        raise NotImplementedError

    def _notice_changes(self) -> None:
        """Start again if the user has assigned to the state of the particles."""
        if self._particles.revision != self._revision:
            self._restart()

    def _restart(self) -> None:
        """Start again, at the present time, from the state of the particles that has been assigned to.

        In a visit the ledger goes on: what has changed is booked as work.
        """
        raise NotImplementedError

    def _change_gravity(self, gravity: tuple[float, float, float], datum: float) -> None:
        """Go on under another gravity, with the zero of the potential energy there, and book what that does as work."""
        raise NotImplementedError

    def _visit(self, function: Callable[[System], object]) -> Change | None:
        """Let a function look at the system and change it; returns what it changed, or None.

        Raises
        ------
        RuntimeError
            If it carries the system on.
        """
        self._notice_changes()
        now, before, given = self._now, (self._particles.revision, self._gravity), self._given
        self._visited = True
        try:
            function(self)
            self._notice_changes()
        finally:
            self._visited = False
        if self._now != now:
            message = f"{function!r} carried the run on from {now} to {self._now}: it may look and assign, but not step"
            raise RuntimeError(message)
        if (self._particles.revision, self._gravity) == before:
            return None
        return Change(self.time, self.step_count or 0, self._given - given, self._gravity)

    def _state(self) -> list[np.ndarray]:
        """Present state, component-major."""
        return [np.array(getattr(self.particles, name).T, order="C") for name in MOTION]
