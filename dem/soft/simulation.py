"""A simulation: particles in a box, their time, and the run that moves them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks, compilation
from dem.model.box import Box
from dem.model.contacts import Contacts
from dem.model.contacts import law as contact_law
from dem.model.energy import Energy, datum
from dem.model.particles import Particles
from dem.rotation.integrators import integrator_for_contacts
from dem.rotation.names import DEFAULT
from dem.run.record import next_chunk
from dem.run.runnable import Runnable
from dem.soft import account, arrays
from dem.soft.advice import Advice, advise, foreseen
from dem.soft.checks import check_box, check_overlaps
from dem.soft.engine import Engine
from dem.soft.limits import DEEPEST
from dem.soft.recorder import recorded
from dem.soft.trouble import check_run
from dem.soft.verdict import ENERGY_BUDGET, Verdict
from dem.system.diagnosis import check_inside
from dem.system.plan import Segment, evenly, whole_steps
from kernels.base.jit import set_threads
from kernels.box.faces import move
from kernels.soft.advance import DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from os import PathLike

    from dem.base.notices import Notice
    from dem.rotation.integrators import Integrator


class Simulation(Runnable):
    """Rigid particles in a box, advanced in time.

    Parameters
    ----------
    particles : Particles
        Copied; `sim.particles` is the simulation's own.
    box : Box, optional
        None means no walls.
    gravity : (3,) floats
        [m/s²].
    time_step : float or "auto"
        [s]; "auto" takes the one that `advice` gives: 50 steps in the shortest contact that can be foreseen.
    integrator : str
        A name from `dem.INTEGRATORS`.
    threads : int, optional
        At most so many threads; default all cores, or NUMBA_NUM_THREADS. The number changes no bit of the result.
    contacts : Contacts, optional
        Restitution and friction by pair of materials; default: geometric means of what the materials say.
    deepest_overlap : float
        Share of the smaller radius; a run with a deeper contact stops with an error.
    description : dict, optional
        What describes the run for later readers; stored in the output file.

    Raises
    ------
    ValueError, TypeError
        For values out of range, particles outside the box, or deep overlaps.

    Notes
    -----
    One force evaluation a step. Positions and velocities form the leap-frog (velocity Verlet) pair, orientations and
    angular velocities are those of the chosen scheme; what `particles` shows is the state at the whole step.
    Contacts are Hertzian, F = 4/3 E* √R* δ^1.5, with damping and friction where the materials have them.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
    >>> box = dem.Box((0, 0, 0), (1, 1, 1), material=nylon)
    >>> sim = dem.Simulation(ball, box, time_step=1e-5)
    >>> sim.step(1000)
    >>> round(sim.time, 9), round(float(sim.particles.velocity[0, 2]), 9)
    (0.01, -0.0981)
    """

    unit: ClassVar[str] = "steps"  # of work

    def __init__(
        self,
        particles: Particles,
        box: Box | None = None,
        *,
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
        time_step: float | str,
        integrator: str = DEFAULT,
        threads: int | None = None,
        contacts: Contacts | None = None,
        deepest_overlap: float = DEEPEST,
        description: dict | None = None,
        _skin: tuple[float, float] | None = None,
        _resumed: bool = False,
    ) -> None:
        super().__init__(particles, box, gravity, description)
        checks.of_types(optional=True, contacts=(contacts, Contacts))
        self._contacts = contacts or Contacts()
        self._law = contact_law(self._contacts, arrays.materials(particles), box)
        if isinstance(time_step, str) and time_step == "auto":
            time_step = advise(particles, box, self._gravity).advised
        self._time_step = checks.number("time_step", time_step, above=0, unit="s")
        self._deepest = checks.number("deepest_overlap", deepest_overlap, above=0)
        self._integrator = integrator_for_contacts(integrator)
        self._threads = checks.threads(threads)
        self._skin = _skin
        self._datum = datum(particles, box, self._gravity)
        self._slice = 1  # steps between looks at the keyboard
        self._resumed = _resumed  # from a state that was right when it was saved
        set_threads(self._threads)
        with compilation.announced(Engine.tag(len(particles), box, self._integrator, self._law, self._threads)):
            self._start(step=0)
            self._engine.advance(0)  # no step, but everything is compiled now

    def _start(self, step: int) -> None:
        """Start the integrator from the particles' whole-step state; all that is kept of a run begins again."""
        engine = Engine(
            self._particles, self._box, self._gravity, self._datum, self._time_step, self._integrator, self._law,
            self._skin, self._threads, self._deepest,
        )  # fmt: skip
        if not self._resumed:
            move(step * self._time_step, engine.walls)
            check_inside(self._particles, self._box, engine.walls)
            check_box(self._box, engine)
        engine.start(step, self._engine.held() if hasattr(self, "_engine") else None)
        if not self._resumed:
            check_overlaps(engine)
        self._resumed = False
        self._engine = engine
        self._revision = self._particles.revision
        self._shown_step = step
        self._largest_kinetic = 0.0
        self.start_energy = self.energy()
        self._start_motion = self._motion()

    def _notice_changes(self) -> None:
        """Start again if the user has assigned to the state of the particles."""
        if self._particles.revision != self._revision:
            self._start(self.step_count)

    def _go_on(self, start_energy: Energy, largest_kinetic: float) -> None:
        """Take up the account of an earlier run."""
        self._shown_step, self._datum = self.step_count, self._engine.datum  # particles are as they were shown
        self.start_energy, self._largest_kinetic = start_energy, largest_kinetic
        self._start_motion = self._motion()

    @property
    def contacts(self) -> Contacts:
        """Restitution and friction by pair of materials."""
        return self._contacts

    @property
    def time_step(self) -> float:
        """[s]."""
        return self._time_step

    @property
    def integrator(self) -> Integrator:
        """Row of `dem.INTEGRATORS`."""
        return self._integrator

    @property
    def threads(self) -> int:
        """At most so many threads are used."""
        return self._threads

    @property
    def settings(self) -> dict:
        """What besides particles, box and gravity fixes the run."""
        contacts = self.contacts.describe(arrays.materials(self._particles), self.box)
        return {"time_step": self.time_step, "integrator": self.integrator.name, "contacts": contacts}

    def pace(self, steps: int, seconds: float) -> str:
        """How fast so many steps in so much computing time are, in words."""
        rate = steps / seconds
        return f"{rate:.3g} steps/s, {rate * len(self._particles):.3g} particle steps/s"

    @property
    def step_count(self) -> int:
        """Steps taken so far."""
        return int(self._engine.progress.step[0])

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times time step."""
        return self.step_count * self.time_step

    @property
    def particles(self) -> Particles:
        """The particles at the present whole step, in their original order."""
        if self._shown_step != self.step_count:
            views = (np.empty((width, len(self._particles))) for width in (3, 3, 4, 3))
            position, velocity, orientation, angular_velocity = views
            self._engine.synchronise(position, velocity, orientation, angular_velocity)
            self._particles._state.update(  # noqa: SLF001
                position=position.T, velocity=velocity.T, orientation=orientation.T, angular_velocity=angular_velocity.T
            )
            self._shown_step = self.step_count
        return self._particles

    def advice(self) -> Advice:
        """Which time step the present state needs, and why."""
        return advise(self.particles, self.box, self.gravity, self.time_step)

    def step(self, steps: int = 1) -> None:
        """Take a number of time steps.

        Raises
        ------
        FloatingPointError
            If the run breaks: a state that is not finite, a particle that turns or moves too fast. The particles are
            then where they broke, up to a step ahead; the simulation says so again until the state is assigned to.
        """
        steps = checks.whole("steps", steps, least=0)
        self._notice_changes()
        set_threads(self._threads)
        code = self._engine.advance(self.step_count + steps)
        self._check_run(code)

    def _check_run(self, code: int) -> None:
        if code != DONE:
            self._shown_step = -1  # somebody may have disturbed the state since it was shown
        check_run(code, self._engine, self.particles, self._box)

    def _foreseen(self) -> Iterator[Notice]:
        yield from super()._foreseen()
        yield from foreseen(self.particles, self.box, self.gravity, self.time_step)

    def _recorded(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[[], None]]:
        return recorded(self, output, overwrite=overwrite, strict=strict)

    @property
    def _now(self) -> int:
        """Where it is, in what plans are made of: the step."""
        return self.step_count

    def _segment(self, duration: float, frames: int) -> Segment:
        """Plan for a duration from now, rounded to whole steps."""
        steps = whole_steps(duration, self.time_step)
        return Segment(self.step_count, steps, min(frames, steps))

    @staticmethod
    def _stops(segment: Segment) -> list[int]:
        """Steps at which frames are due."""
        return evenly(*segment)

    def _reach(self, stop: int, moved: Callable, interrupted: Callable[[], bool]) -> None:
        """Advance to a step in slices of about SLICE seconds. How it is cut does not change the result."""
        while self.step_count < stop and not interrupted():
            start = time.perf_counter()
            taken = min(self._slice, stop - self.step_count)
            self.step(taken)
            moved(taken, taken)
            self._slice = next_chunk(taken, start)

    def energy(self) -> Energy:
        """Energies at the present step [J]."""
        self._notice_changes()
        result = Energy(*self._ledger(), **account.booked(self._engine))
        self._largest_kinetic = max(self._largest_kinetic, result.kinetic)
        return result

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kind of each particle, mass and inertia of each kind."""
        return self._particles.kind, self._engine.kinds.mass, self._engine.kinds.inertia

    @property
    def energy_error(self) -> float:
        """Largest departure of the total energy at any step, relative to the largest of these.

        The energy at the start, the kinetic energy, what contacts have taken, and the work of walls.
        """
        return account.energy_error(self._engine, self.start_energy.total, self._largest_kinetic)

    def _motion(self) -> tuple[np.ndarray, float]:
        """Momentum (3,), and the sum of the sizes of all particles' momenta [kg m/s]."""
        p = self._particles
        with np.errstate(over="ignore"):
            return self.momentum()[0], float(self._engine.kinds.mass[p.kind] @ np.linalg.norm(p.velocity, axis=1))

    def verdict(self) -> Verdict:
        """Judge the run since the start, or since the state was last assigned to.

        Raises
        ------
        FloatingPointError
            If the run broke.
        """
        self.energy()
        self._check_run(self._engine.code)
        norm = np.linalg.norm(self.particles.orientation, axis=1)
        engine = self._engine
        overlap, radius = float(engine.progress.largest_overlap[0]), engine.kinds.radius
        span = (self.step_count - engine.start_step) * self.time_step
        return Verdict(
            steps=self.step_count,
            time=self.time,
            energy_error=self.energy_error,
            norm_error=float(np.abs(norm - 1).max()),
            largest_overlap=overlap / (2 * float(radius.min())),
            engulfed=overlap >= float(radius.max()),
            energy_rate=self.energy_error / span if span else 0.0,
            energy_budget=ENERGY_BUDGET / span if span else 0.0,
            overlap_share=engine.limits.share(engine.progress.largest_overlap[0]),
            momentum_error=account.momentum_error(self._box, self._gravity, self._start_motion, self._motion()),
        )
