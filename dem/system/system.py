"""What files, runs, cases and commands may ask of a simulation, of whatever method: see `dem.run.simulation_base`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from os import PathLike

    import numpy as np

    from dem.base.notices import Notice
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.domain.box import Box
    from dem.model.energy import Energy
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles
    from dem.system.observer import Change
    from dem.system.plan import FrameSegment
    from dem.system.verdict import Judgement


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

    sources: list  # inserters
    sinks: list  # outlets

    @property
    def ledger(self) -> InsertionRecords:
        """Sums, and records of insertions and removals."""

    def expected(self, own: int) -> int:
        """About how many particles there may be at a time, of `own` at the start."""

    def doubts(self, step: int) -> list[str]:
        """What inserters and outlets have not done up to a step, in words."""


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
    traffic: VariablePopulation | None  # None where the number of particles is fixed
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
    memory: int  # of all arrays [bytes]
    _now: float  # steps or time, whichever plans are made of

    def contact_forces(self) -> ContactForces:
        """Present contacts with their forces; raises ValueError where impacts take no time."""

    def advice(self) -> StepAdvice | None:
        """Advice on the time step for the present state; None if there is none to choose."""

    def foreseen(self) -> Iterator[Notice]:
        """Notices to give before a run begins."""

    def carry_on(self, duration: float) -> None:
        """Go on for about so long [s], by one step at least, without a file or a verdict."""

    def energy(self) -> Energy:
        """Energies at the present time [J]."""

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s], each (3,)."""

    def verdict(self) -> Judgement:
        """Judge the run since the start, or since the state was last assigned to."""

    def pace(self, work: int, seconds: float) -> str:
        """How fast so much work in so much computing time is, in words."""

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan for a duration from now; raises ValueError if that cannot be."""

    @staticmethod
    def _stops(segment: FrameSegment) -> list:
        """Steps or times at which frames are due."""

    def _mark(self, first: float, seconds: float) -> float:
        """Step or time that is so long [s] after another one."""

    def _reach(self, stop: float, moved: Callable[[float, int], None], interrupted: Callable[[], bool]) -> None:
        """Go to a step or time, unless interrupted; call `moved` now and then with the distance and the work."""

    def _visit(self, function: Callable[[System], object]) -> Change | None:
        """Let a function look at the system and change it; returns what it changed, or None."""

    def _recorded(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[..., None]]:
        """Record a run for the case that it breaks; yields a function that notes the state, or that it was changed."""
