"""Simulation of hard spheres: impacts take no time and are processed one after another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks, compilation
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.event_driven.checks import check_apart, check_box, check_going_on, check_spheres, describe, laws_of
from dem.event_driven.engine import HardEngine
from dem.event_driven.verdict import Collisions, HardVerdict
from dem.run.run_loop import next_chunk
from dem.run.simulation_base import SimulationBase
from dem.system.diagnosis import check_finite, check_inside
from dem.system.energy_ledger import EnergySums
from dem.system.system import FrameSegment

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles


@hinted
class HardSpheres(SimulationBase):
    """Hard spheres in a box, advanced from impact to impact.

    Parameters
    ----------
    particles : Particles
        Single spheres, of any sizes; copied.
    box : Box, optional
        None means no walls. Its faces may be rough or periodic; positions then go on beyond them.
    gravity : (3,) floats
        [m/s²].
    restitution, tangential_restitution : floats
        Coefficients e and ξ of two spheres: the relative velocity q at the contact becomes q' with n·q' = -e n·q,
        0 < e <= 1, and n × q' = -ξ n × q, -1 <= ξ <= 1. ξ = -1 is perfectly smooth, 1 perfectly rough.
    friction : float, optional
        Coefficient of friction: largest ratio of the tangential to the normal impulse. Default: no limit.
    wall_restitution, wall_tangential_restitution, wall_friction : floats, optional
        The same coefficients of a sphere and a wall; default: those of two spheres.
    contact_time : float
        [s]; an impact less than this after the last one of either partner belongs to a contact that lasts: e = 1 and,
        unless ξ = -1, ξ = 1, and sliding loses no more than keeps bounces from outlasting it.
    description : dict, optional
        Description of the run, stored in the output file.

    Raises
    ------
    ValueError, TypeError
        For values out of range, particles that are no single spheres, outside the box, or overlapping.

    Notes
    -----
    Impacts are binary and take no time, see `dem.kernels.event_driven.impact`; between them spheres fly freely, and the
    time of the next impact is exact. Particles that are hit again within `contact_time` t_c collide elastically, which
    keeps dissipative ones from colliding infinitely often in finite time (Luding & McNamara, Granular Matter 1 (1998)
    113); `dem.kernels.event_driven.impact` says what that means with friction. A ball on the floor ends in bounces of a
    height below g t_c²/8, and one that lies there is lifted to them. Young's modulus and Poisson's ratio do not matter,
    nor do time steps; the cost goes with the number of impacts, one to a dozen a sphere and t_c for heaps at rest,
    which are better left to `Simulation`: here they creep, by up to a few g t_c. The same input gives the same bytes,
    however it is cut.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.005 + 0.19620]])
    >>> box = dem.Box((0, 0, 0), (1, 1, 1), material=nylon)
    >>> sim = dem.HardSpheres(ball, box, restitution=0.5)
    >>> verdict = sim.run(0.25)
    >>> sim.collisions.wall, round(float(sim.particles.velocity[0, 2]), 4)
    (1, 0.4905)
    """

    unit: ClassVar[str] = "collision"  # of work
    _engine: HardEngine

    def __init__(
        self,
        particles: Particles,
        box: Box | None = None,
        *,
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
        restitution: float = 1.0,
        tangential_restitution: float = -1.0,
        friction: float | None = None,
        wall_restitution: float | None = None,
        wall_tangential_restitution: float | None = None,
        wall_friction: float | None = None,
        contact_time: float = 1e-5,
        description: dict | None = None,
    ) -> None:
        super().__init__(particles, box, gravity, description)
        self._set_up(
            contact_time=contact_time, restitution=restitution, tangential_restitution=tangential_restitution,
            friction=friction, wall_restitution=wall_restitution,
            wall_tangential_restitution=wall_tangential_restitution, wall_friction=wall_friction,
        )  # fmt: skip
        with compilation.announced():
            self._start(None)
            self._begin_ledger()
            self._engine.advance(0.0, 0)  # no event, but everything is compiled now

    def _set_up(self, **impacts: float | None) -> None:
        """Check and store the settings besides particles, box and gravity."""
        self._laws = laws_of(self._box, **impacts)
        check_spheres(self._particles)
        check_box(self._box, self._particles)

    def __repr__(self) -> str:
        """Particles, time and impacts."""
        return (
            f"<{type(self).__name__}: {counted(len(self._particles), 'particle')}, t = {self.time:.6g} s after "
            f"{counted(self.collisions.total, 'collision')}>"
        )

    def _new_engine(self, now: float) -> HardEngine:
        return HardEngine(self._particles, self._box, self._gravity, self._laws, now)

    def _start(self, before: HardEngine | None, *, keep: bool = False) -> None:
        engine = self._new_engine(before.time if before else 0.0)
        check_inside(self._particles, self._box)
        check_apart(engine)
        if keep:
            engine.follow(before)
        self._engine = engine
        self._revision = self._particles.revision
        self._shown = engine.time

    @property
    def settings(self) -> dict:
        """Settings of the run besides particles, box and gravity."""
        return {
            "method": "hard spheres, event-driven", "contact_time": self._laws.contact_time, **describe(self._laws),
        }  # fmt: skip

    @property
    def time_step(self) -> None:
        """None, as time goes from event to event."""
        return None

    @property
    def step_count(self) -> None:
        """None, as there are no time steps."""
        return None

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._engine.time

    @property
    def work_count(self) -> int:
        """Work done so far: number of collisions."""
        return self.collisions.total

    def pace(self, collisions: int, seconds: float) -> str:
        """Number of collisions per second of computing time, in words."""
        return f"{collisions / seconds:.3g} collisions/s"

    @property
    def _now(self) -> float:
        """Current time [s]: plans of frames count in seconds."""
        return self.time

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan of frames for a duration from the current time."""
        first = self.time
        if not first < first + duration / frames < np.inf:
            text = f"{duration:g} s in {counted(frames, 'frame')}"
            message = f"duration {text} cannot be told from none at t = {first:g} s"
            raise ValueError(message)
        return FrameSegment(first, duration, frames)

    @staticmethod
    def _stops(segment: FrameSegment) -> list[float]:
        """Times at which frames are due; writing frames does not change the run."""
        first, duration, frames = segment
        return [first + duration * (k / frames) for k in range(1, frames)] + [first + duration]

    @staticmethod
    def _stop_after(first: float, seconds: float) -> float:
        """Time that is so long after the time `first`."""
        return first + seconds

    def _advance_to(self, stop: float, on_advance: Callable, interrupted: Callable[[], bool]) -> None:
        """Advance to a time in slices of SLICE seconds or so of computing; the slices do not change the result."""
        chunk, engine = 1000, self._engine
        while self.time < stop and not interrupted():
            start, before, done = time.perf_counter(), self.time, self.collisions.total
            code = engine.advance(stop, chunk)
            check_going_on(code, engine)
            on_advance(self.time - before, self.collisions.total - done)
            chunk = next_chunk(chunk, start)

    def carry_on(self, duration: float) -> None:
        """Continue for a duration [s] without a file or a verdict, at least to the next representable time.

        Raises
        ------
        ValueError, TypeError
            If the duration is negative, or no number. Other errors are those of `run`.
        """
        duration = checks.number("duration", duration, least=0, unit="s")
        with self._lock:
            self._notice_changes()
            self._advance_to(self.time + max(duration, 1e-9 * self.time), lambda *_: None, lambda: False)

    def collide(self, most: int) -> None:
        """Process a number of events (impacts and cell crossings), or all if there are fewer; for benchmarks.

        Raises
        ------
        FloatingPointError
            If time stands still because a sphere has no room to move.
        RuntimeError
            If another thread of Python is moving these spheres.
        """
        with self._lock:
            self._notice_changes()
            check_going_on(self._engine.collide(most), self._engine)

    @property
    def collisions(self) -> Collisions:
        """Numbers of collisions and of impacts on walls since the start, or since the state was last assigned to."""
        return Collisions.of(self._engine.tally)

    def _sums(self) -> EnergySums:
        """Energies lost by the laws of impacts, and taken to lift spheres that rest."""
        tally = self._engine.tally
        return EnergySums(dissipated=float(tally.lost[0]), lifted=float(tally.lifted[0]))

    @property
    def energy_error(self) -> float:
        """Change of the energy, plus the losses by impact laws, over that at the start, see `HardVerdict`."""
        return self._errors()[0]

    def _errors(self) -> tuple[float, float, str]:
        """Unaccounted energy, and change of the energy, over a reference energy; and the name of that."""
        energy = self.energy()
        departure = energy.total - self.start_energy.total
        work = {"the work from outside": abs(self._ledger.external_work)}
        name, scale = self._ledger.reference(work)
        scale = scale or 1.0
        return abs(departure) / scale, (departure - energy.dissipated) / scale, name

    def verdict(self) -> HardVerdict:
        """Judge the run since the start, or since the state was last assigned to.

        Raises
        ------
        FloatingPointError
            If the run broke.
        """
        check_finite(self.particles, f"t = {self.time:.6g} s", "speeds or gravity are too large")
        error, change, reference = self._errors()
        (pair, *_), (wall, _) = self._engine.overlaps()
        return HardVerdict(
            collisions=self.collisions,
            time=self.time,
            energy_error=error,
            energy_change=change,
            energy_reference=reference,
            largest_overlap=max(0.0, pair, wall, float(self._engine.tally.overlap[0])),
        )
