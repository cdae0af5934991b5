"""Interface of simulations of all methods, with the plan, observer and verdict of a run.

Files, runs, cases and commands ask a `System`; its base is `dem.run.simulation_base`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from os import PathLike
    from pathlib import Path
    from types import TracebackType

    import numpy as np

    from dem.base.notices import Notice
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.domain.box import Box
    from dem.model.energy import Energy
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles


class Judgement:
    """Verdict of a run: failures and doubts, each with a remedy; as text, one line."""

    @property
    def count(self) -> int:
        """Work done, in units of the system: steps."""
        return self.steps

    @property
    def failures(self) -> list[str]:
        """Why the run is not to be trusted, each with a remedy."""
        raise NotImplementedError

    @property
    def doubts(self) -> list[str]:
        """Reasons to doubt the run, each with a remedy."""
        return []

    @property
    def status(self) -> str:
        """PASS, WARN or FAIL."""
        return "FAIL" if self.failures else "WARN" if self.doubts else "PASS"

    @property
    def passed(self) -> bool:
        """Whether nothing fails."""
        return not self.failures


MAX_STEPS = 2.0**62  # what a 64-bit counter holds, with room


class FrameSegment(NamedTuple):
    """A stretch of a run with evenly spaced frames, in steps or, for hard spheres, in seconds."""

    first: float
    length: float
    frames: int

    @property
    def last(self) -> float:
        """Last step or time [s] of the segment."""
        return self.first + self.length


def evenly_spaced_stops(first: int, steps: int, frames: int) -> list[int]:
    """Steps of `frames` evenly spaced frames, the last one after `steps` steps."""
    return sorted({first + (steps * k + frames // 2) // frames for k in range(1, frames + 1)} | {first + steps})


def whole_steps(duration: float, time_step: float) -> int:
    """Number of time steps in a duration, rounded; raises ValueError if it is zero or too large."""
    if not duration / time_step < MAX_STEPS:
        message = f"duration {duration:g} s is too many time steps of {time_step:g} s"
        raise ValueError(message)
    steps = math.floor(duration / time_step + 0.5)
    if steps < 1:
        message = f"duration {duration:g} s is shorter than one time step of {time_step:g} s"
        raise ValueError(message)
    return steps


class Change(NamedTuple):
    """Changes that a user's function made in a run."""

    time: float  # [s]
    step: int  # 0 where there are none
    work: float  # that it did [J]
    gravity: tuple[float, float, float]  # from then on [m/s²]


class Observer:
    """Observer of a run; this one ignores all events."""

    frames = 0
    path: Path | None = None

    def __enter__(self) -> Observer:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Receive the end of the context: the run has ended, maybe by an error."""

    def frame(self, k: int) -> None:
        """Store or show the present state as frame k; frame 0 is the start."""

    def changed(self, change: Change) -> None:
        """Receive a change of the state by a user's function."""

    def row(self, values: tuple, kind: np.dtype, units: dict[str, str]) -> None:
        """Receive a row of the running table: values, types by name, units."""

    def idle(self) -> None:
        """Use the time between frames; called about ten times a second."""

    def finish(self, verdict: Judgement, *, interrupted: bool) -> None:
        """Receive the end of the run, or its stop by the user."""


class StepAdvice(Protocol):
    """Advice on the time step."""

    @property
    def advised(self) -> float:
        """Time step to take [s]."""

    @property
    def lines(self) -> list[str]:
        """Reasons, in words."""


class VariablePopulation(Protocol):
    """Inserters and outlets of a run, see `dem.soft.insertion.population.Population`."""

    inserters: list
    outlets: list

    @property
    def totals(self) -> InsertionRecords:
        """Sums, and records of insertions and removals."""

    def expected(self, own: int) -> int:
        """Approximate largest number of particles at a time, given `own` at the start."""

    def doubts(self, step: int) -> list[str]:
        """Insertions and removals that did not take place up to a step, in words."""


class InsertionRecords(Protocol):
    """Insertions and removals of particles, one by one."""

    def fetch(self) -> np.ndarray:
        """Records since the last call; the first call begins to keep them."""


class System(Protocol):
    """Particles in a box under gravity, at a time.

    Not all methods have time steps, threads, contacts or bonds: attributes of those that have none are None, empty or
    zero, so that no code asks for the class of a simulation.
    """

    unit: ClassVar[str]  # of work: step or collision
    description: dict  # for later readers of the output file
    start_energy: Energy  # [J]
    box: Box | None
    gravity: tuple[float, float, float]  # [m/s²]
    particles: Particles  # at the present time, in the user's order
    walls: tuple  # beside the box, each with the loads on it
    population: VariablePopulation | None  # None where the number of particles is fixed
    not_integrated: tuple[str, ...]  # fields of particles that are not computed
    identities: np.ndarray  # (N,), only where it varies
    bonds: object | None
    fluid: Fluid | None
    settings: dict  # what besides particles, box and gravity fixes the run
    time: float  # [s]
    time_step: float | None  # [s]; None if time goes from event to event
    step_count: int | None  # steps taken so far
    work_count: int  # work done so far, in units
    threads: int  # at most so many are used
    energy_error: float  # relative
    contact_count: int
    has_contact_couples: bool  # whether contacts may have couples, see `ContactForces.couple`
    memory: int  # of all arrays [bytes]
    _now: float  # steps or time, whichever plans are made of

    def contact_forces(self) -> ContactForces:
        """Present contacts with their forces; raises ValueError for hard spheres, whose impacts take no time."""

    def advice(self) -> StepAdvice | None:
        """Advice on the time step for the present state; None for methods without a time step."""

    def foreseen(self) -> Iterator[Notice]:
        """Notices to give before a run begins."""

    def carry_on(self, duration: float) -> None:
        """Continue for a duration [s], by at least one step, without a file or a verdict."""

    def energy(self) -> Energy:
        """Energies at the present time [J]."""

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""

    def verdict(self) -> Judgement:
        """Verdict on the run since its start, or since the state was last assigned."""

    def pace(self, work: int, seconds: float) -> str:
        """Computing speed in words, from an amount of work and its computing time."""

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan of frames for a duration from now; raises ValueError if it is impossible."""

    @staticmethod
    def _stops(segment: FrameSegment) -> list:
        """Steps or times at which frames are due."""

    def _stop_after(self, first: float, seconds: float) -> float:
        """Step or time at a duration [s] after another one."""

    def _advance_to(
        self, stop: float, on_advance: Callable[[float, int], None], interrupted: Callable[[], bool]
    ) -> None:
        """Advance to a step or time unless interrupted; call `on_advance` regularly with the progress and the work."""

    def _call_user_function(self, function: Callable[[System], object]) -> Change | None:
        """Call a function that may change the system; returns its changes, or None."""

    def _crash_recording(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[..., None]]:
        """Record a run for crash replay; yields a function that records the state, or a change of it."""
