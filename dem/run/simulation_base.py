"""Base of the simulations of all methods: particles in a box under gravity, their energy ledger, runs and files."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks
from dem.base.notices import issue
from dem.base.text import counted
from dem.base.user_classes import OneAtATime, frozen, hinted, set_declared
from dem.files.checkpoints import checkpoint
from dem.files.writing.output_settings import EVERY
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.kernels.numerics import energy as energy_kernels
from dem.model.domain.box import Box
from dem.model.domain.box_walls import has_moving_images
from dem.model.energy import reference_potential
from dem.model.fluid.coupling import with_coupling_function
from dem.model.particles.fields import MOTION
from dem.model.particles.particles import Particles
from dem.model.walls.wall import Wall
from dem.ranks.job_server import refuse
from dem.run import callbacks
from dem.run.callbacks import Callback
from dem.run.run_loop import check_written, checked, next_chunk, run_plan
from dem.run.running_table import TABLE, RunningTable
from dem.system.diagnosis import densities
from dem.system.energy_ledger import NO_SUMS, EnergyLedger
from dem.system.system import Change, FrameSegment, Observer, evenly_spaced_stops, whole_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from os import PathLike
    from typing import Protocol, Self

    from dem.base.notices import Notice
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.energy import Energy
    from dem.model.fluid.coupling import Exchange, FlowState
    from dem.model.fluid.fluid import Fluid
    from dem.system.energy_ledger import EnergySums
    from dem.system.system import Judgement, StepAdvice, VariablePopulation

    class MovingState(Protocol):
        """Engine of any method."""

        def state(self) -> list[np.ndarray]:
            """Position, velocity, orientation and angular velocity, component-major."""

        def arrays(self) -> Iterator[np.ndarray]:
            """All its arrays; some may come twice."""


class SimulationBase:
    """Base class of simulations in a box under gravity, with runs and files; `System` declares its public interface.

    The class of a method adds its engine. Time goes in steps, which `step` takes, unless the class says otherwise. The
    attributes for walls, bonds, threads, contacts and advice are those of methods without any.
    """

    __setattr__ = set_declared

    unit: ClassVar[str] = "step"  # of work
    shared: ClassVar[bool] = False  # whether several ranks can compute it together
    not_integrated: tuple[str, ...] = ()  # fields of particles that stay as they were given; files leave them out
    has_contact_couples: bool = False  # whether contacts may have couples, which files store only then
    takes_fixed: ClassVar[bool] = False  # whether particles may be fixed
    takes_moving_images: ClassVar[bool] = False  # whether periodic images may move, as in a cell that deforms
    description: dict  # for later readers, goes to the output file
    _engine: MovingState
    _time_step: float
    _shown: float  # step or time that the particles show
    _slice = 1  # steps between checks for an interruption
    _exchanges = 0  # number of exchanges of scalars at fixed places that a user has called for

    def __init__(
        self, particles: Particles, box: Box | None, gravity: Iterable[float], description: dict | None
    ) -> None:
        if not self.shared:
            refuse(type(self).__name__)
        joined = "join groups by dem.Particles.concatenate(...)" if isinstance(particles, (list, tuple)) else ""
        checks.of_types(particles=(particles, Particles), hint=joined)
        if not self.takes_fixed and particles.fixed.any():
            message = (
                f"particle {np.flatnonzero(particles.fixed)[0]} is fixed ({particles.fixed.sum()} in all), expected "
                f"particles that move in a {type(self).__name__}: take dem.Simulation (time steps) for fixed ones"
            )
            raise ValueError(message)
        beside = isinstance(box, Wall) or (isinstance(box, (list, tuple)) and any(isinstance(w, Wall) for w in box))
        checks.of_types(optional=True, box=(box, Box), hint="give walls by keyword, walls=[...]" if beside else "")
        if has_moving_images(box) and not self.takes_moving_images:
            message = (
                f"box is a {type(box).__name__}, whose periodic images move, expected one whose images are at rest in "
                f"a {type(self).__name__}: take dem.Simulation (time steps)"
            )
            raise ValueError(message)
        checks.of_types(optional=True, description=(description, dict))
        checks.of_types(**{"parameters of the description": ((description or {}).get("parameters", {}), dict)})
        self._box = box
        self._gravity = checks.vector("gravity", gravity, "acceleration [m/s2]")
        self._particles = particles.copy()
        self._lock = OneAtATime()  # for the threads of Python that move it
        self._revision = self._particles.revision  # of their state, at which the run began
        self._ledger = EnergyLedger(reference_potential(particles, box, self._gravity))
        self._visited = False  # whether a function that a run called is at work
        self.description = description or {}

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
            as work, noted in the file (`Trajectory.changes`), and is no energy error. `dem.rerun` cannot repeat such a
            run, and `dem.resume` wants the function again. One that only looks changes no bit.
        table : True, or list of str
            Print a row of these columns now and then, and keep them in the file (`Trajectory.table`): names of
            `dem.run.running_table.COLUMNS`, such as ``["time", "kinetic", "contacts"]``; True takes the usual ones.
            `dem.register_column` adds one of your own.
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
            "gzip" or "lzf": files are a little smaller, and writing takes much longer; default: none.
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
            If the input cannot lead to a sound run and is not forced, or `fields`, `float32`, `compression` or
            `contacts` is given without an output; nothing has been simulated then.
        RuntimeError
            If the function carries the simulation on, or another thread of Python is moving it.
        FileExistsError, OSError
            If the output exists or cannot be written; nothing has been simulated then. If the disk is full later, what
            was written is safe. If the file is removed, replaced or changed later, the message says where its data are.
        FloatingPointError
            If the run breaks, or time stands still because a sphere has no room to move; the frames up to then are in
            the file, and the last steps before in another one, see `dem.soft.crash_recorder`.

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
        check_written(
            output, fields=fields is not None, float32=float32, compression=compression is not None, contacts=contacts
        )
        with self._lock:
            self._notice_changes()
            issue(self.foreseen(), strict=strict, force=force)
            given = set(contents.fields) if fields is not None else set()
            absent, standing = given - set(self._particles.fields), given & set(self.not_integrated)
            if standing:
                message = (
                    f"fields has {', '.join(standing)}, which the integrator {self.integrator.name} does not compute: "
                    "leave it out, or choose another integrator"
                )
                raise ValueError(message)
            if absent:
                message = f"fields has {', '.join(sorted(absent))}, which the particles do not have: leave it out"
                raise ValueError(message)
            plan = [self._segment(duration, frames)]
            calls = [] if every is None else [Callback.checked(every, self, plan[0].first)]
            rows = RunningTable(self, table, table_every, plan, shown=progress is not False) if table else None
            observer = Observer()
            if output is not None:
                observer = TrajectoryWriter.create(
                    output, self, plan, contents, every=checkpoint_every, overwrite=overwrite,
                    about=callbacks.callback_attributes(calls) | ({TABLE: rows.described} if rows else {}),
                )  # fmt: skip
            recorder = self._crash_recording(output, overwrite=overwrite, strict=strict)
            shown = False if table else progress
            return run_plan(self, plan, observer, progress=shown, recorder=recorder, calls=calls, table=rows)

    def save(self, path: str | PathLike) -> None:
        """Write the complete state to a file; an old file is replaced when the new one is complete.

        ``copy.copy``, ``copy.deepcopy`` and ``pickle`` of a simulation take the same, in memory: a copy shares nothing
        with the original, save the function of a coupling, of which ``copy.deepcopy`` makes a copy as well.

        Raises
        ------
        OSError, TypeError
            If it cannot be written, or for shapes whose class is no dataclass.
        FloatingPointError
            If the run broke, until the state is assigned to: it does not go on from there.
        """
        self._notice_changes()
        checkpoint.save(self, path)

    def __reduce__(self) -> tuple:
        """State of pickles and copies: all that `save` writes, so that each continues to the same bytes."""
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
        """Load a simulation from a file written by `save`, or from the latest checkpoint of a trajectory.

        The bytes are the same as if the run had never stopped. Threads are for simulations in time steps; so is a
        coupling, the function of a fluid that was coupled, where it cannot be found by its name, see `dem.Coupling`.

        Raises
        ------
        OSError, ValueError
            If there is no such file, or no complete checkpoint in it, or it is of another kind.
        """
        with with_coupling_function(coupling):
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
        """Continue for a duration [s], by at least one step, without a file or a verdict.

        Raises
        ------
        ValueError, TypeError
            If the duration is negative, or no number. Other errors are those of `step`.
        """
        duration = checks.number("duration", duration, least=0, unit="s")
        self.step(max(1, round(duration / self.time_step)))

    def pace(self, steps: int, seconds: float) -> str:
        """Steps per second of computing time, in words."""
        rate = steps / seconds
        return f"{rate:.3g} steps/s, {rate * len(self._particles):.3g} particle steps/s"

    @property
    def _now(self) -> int:
        """Present step, the unit of plans of this simulation."""
        return self.step_count

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan for a duration from now, rounded to whole steps."""
        steps = whole_steps(duration, self.time_step)
        return FrameSegment(self.step_count, steps, min(frames, steps))

    @staticmethod
    def _stops(segment: FrameSegment) -> list[int]:
        """Steps at which frames are due."""
        return evenly_spaced_stops(*segment)

    def _stop_after(self, first: int, seconds: float) -> int:
        """The step nearest to `seconds` after the step `first`."""
        return first + math.floor(seconds / self.time_step + 0.5)

    def _advance_to(self, stop: int, on_advance: Callable, interrupted: Callable[[], bool]) -> None:
        """Advance to a step in slices of about SLICE seconds. How it is cut does not change the result."""
        while self.step_count < stop and not interrupted():
            start = time.perf_counter()
            taken = min(self._slice, stop - self.step_count)
            self.step(taken)
            on_advance(taken, taken)
            self._slice = next_chunk(taken, start)

    @property
    def particles(self) -> Particles:
        """The particles at the present time, in their original order."""
        if self._shown != self._now:
            motion = dict(zip(MOTION, (rows.T for rows in self._engine.state()), strict=True))
            self._particles._set_motion(motion)  # noqa: SLF001 (its own)
            self._shown = self._now
        return self._particles

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
            self._change_gravity(gravity, reference_potential(self.particles, self._box, gravity))

    @property
    def walls(self) -> tuple:
        """Walls beside the box, each with the loads on it; empty where there are none."""
        return ()

    @property
    def population(self) -> VariablePopulation | None:
        """Inserters and outlets with their sums; None where the number of particles is fixed."""
        return None

    @property
    def bonds(self) -> object | None:
        """Bonds between particles, with their state; None if there are none."""
        return None

    @property
    def fluid(self) -> Fluid | None:
        """The fluid about the particles, or None."""
        return None

    @property
    def threads(self) -> int:
        """Largest number of threads to use."""
        return 1

    @property
    def contact_count(self) -> int:
        """Number of spheres in touch with each other or a wall, each pair once; none where impacts take no time."""
        return 0

    def contact_forces(self) -> ContactForces:
        """Contacts with their forces; raises ValueError for methods in which impacts take no time."""
        message = (
            "hard spheres have no contact forces, as impacts take no time: count collisions, or take dem.Simulation"
        )
        raise ValueError(message)

    def advice(self) -> StepAdvice | None:
        """Which time step the present state needs; None if there is none to choose."""
        return None

    def foreseen(self) -> Iterator[Notice]:
        """Notices to give before a run begins."""
        return densities(self.particles)

    @property
    def memory(self) -> int:
        """Bytes of all its arrays."""
        p = self.particles
        arrays = [*self._engine.arrays(), p.kind, p.variant, p.position, p.orientation, p.velocity, p.angular_velocity]
        return sum({id(a): a.nbytes for a in arrays}.values())

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""
        self._notice_changes()
        linear, angular = energy_kernels.momenta(*self._bodies(), *self._state())
        return np.array(linear), np.array(angular)

    def energy(self) -> Energy:
        """Energies at the present time [J]."""
        self._notice_changes()
        found = self._energies(self._state())
        self._ledger.largest_kinetic = max(self._ledger.largest_kinetic, found.kinetic - self._kinetic_of_escaped())
        return found

    @property
    def start_energy(self) -> Energy:
        """Energies at the start, or when the state was last assigned to [J]."""
        return self._ledger.start_energy

    def _energies(self, state: list[np.ndarray]) -> Energy:
        """Energies of a component-major state, with the sums of the engine."""
        moving = energy_kernels.mechanical_energies(
            *self._bodies(), self._gravity, self._ledger.reference_potential, *state
        )
        return self._ledger.energy(moving, self._sums())

    def _energies_of(self, rows: slice | np.ndarray = slice(None)) -> tuple[float, float, float]:
        """Translational, rotational and gravitational energy of the particles in these rows [J]."""
        kind, mass, inertia = self._bodies()
        kind = frozen(kind[rows])  # as that of all particles is: nothing is compiled for another type
        state = (np.ascontiguousarray(values[:, rows]) for values in self._state())
        return energy_kernels.mechanical_energies(
            kind, mass, inertia, self._gravity, self._ledger.reference_potential, *state
        )

    def _sums(self) -> EnergySums:
        """Energies that the engine has summed."""
        return NO_SUMS

    def _kinetic_of_escaped(self) -> float:
        """Kinetic energy of the particles that have left through open faces [J]."""
        return 0.0

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variant of each particle (N,), mass (G,) and principal moments of inertia (3, G) of each variant."""
        properties = [shape.mass_properties(material.density) for shape, material in self._particles.variants]
        inertia = np.array([p.inertia for p in properties]).T.copy()
        return self._particles.variant, np.array([p.mass for p in properties]), inertia

    def _crash_recording(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[..., None]]:
        """Record a run for the case that it breaks; yields a function that notes the state, or that it was changed."""
        del output, overwrite, strict
        return nullcontext(lambda **_: None)

    def _notice_changes(self) -> None:
        """Start again, at the present time, if the user has assigned to the state of the particles.

        Where a function that a run called did that, the ledger goes on and books it as work.
        """
        if self._particles.revision == self._revision:
            return
        if self._visited:
            self._start_booked(self._gravity, self._ledger.reference_potential)
        else:
            self._start(self._engine)
            self._begin_ledger()

    def _start(self, before: MovingState | None, *, keep: bool = False) -> None:
        """Make an engine from the state of the particles; with `keep` it continues the sums of the previous one."""
        raise NotImplementedError

    def _begin_ledger(self) -> None:
        """Begin the energy ledger anew, from the present state."""
        self._ledger.begin(self.step_count or 0)
        self._ledger.start_energy = self.energy()

    def _start_booked(self, gravity: tuple[float, float, float], reference_potential: float) -> None:
        """Start again where something was changed from outside, and book the change of the energy as work."""
        before = self._energies(self._engine.state())
        self._gravity, self._ledger.reference_potential = gravity, reference_potential
        self._start(self._engine, keep=True)
        self._ledger.external_work += self._energies(self._state()).mechanical - before.mechanical

    def _change_gravity(self, gravity: tuple[float, float, float], reference_potential: float) -> None:
        """Continue with another gravity and zero of the potential energy; the change of energy counts as work."""
        self._start_booked(gravity, reference_potential)

    def _call_user_function(self, function: Callable[[Self], object]) -> Change | None:
        """Call a function that may change the system; returns its changes, or None.

        The energies that it asks for leave the verdict as it is.

        Raises
        ------
        RuntimeError
            If it carries the system on.
        """
        self._notice_changes()
        now, given = self._now, self._ledger.external_work
        before = self._particles.revision, self._gravity, self._exchanges
        self._visited = True
        try:
            with self._ledger.unrecorded():
                function(self)
                self._notice_changes()
        finally:
            self._visited = False
        if self._now != now:
            message = f"{function!r} carried the run on from {now} to {self._now}: it may look and assign, but not step"
            raise RuntimeError(message)
        if (self._particles.revision, self._gravity, self._exchanges) == before:
            return None
        return Change(self.time, self.step_count or 0, self._ledger.external_work - given, self._gravity)

    def _state(self) -> list[np.ndarray]:
        """Present state, component-major."""
        return [np.array(getattr(self.particles, name).T, order="C") for name in MOTION]
