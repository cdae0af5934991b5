"""Interfaces of an engine and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.integration.time_loop import OutputState, RunState
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.model.domain.box import Box
    from dem.soft.arrays import Layout
    from dem.soft.bonds.engine_bonds import EngineBonds
    from dem.soft.contact.contact_history import ContactHistory
    from dem.soft.contact.overlaps import Overlaps
    from dem.soft.fluid.engine_fluid import EngineFluid
    from dem.soft.neighbours.engine_lists import EngineLists
    from dem.soft.particle_ids import Numbering
    from dem.soft.thread_count import Pace
    from dem.soft.time_step.springs import Springs
    from dem.soft.walls.engine_walls import EngineWalls


class EngineState(Protocol):
    """What parts that are handed an engine read and change of it, see `dem.soft.engine.Engine`."""

    kinds: Kinds
    law: tuple
    fluid: EngineFluid
    bodies: Bodies
    lists: EngineLists
    walls: EngineWalls
    bonds: EngineBonds | None
    box: Box | None
    springs: Springs
    numbering: Numbering
    pace: Pace
    layout: Layout
    workspace: tuple
    chunk_sums: np.ndarray
    progress: RunState
    mode: tuple
    most_threads: int
    owned: int
    first_sphere_of_row: np.ndarray
    population: Events | None
    rows: dict[str, object]
    rotating: bool
    gravity: tuple[float, float, float]
    datum: float
    dt: float
    start_step: int
    energy_to_come: float

    @property
    def energy_unit(self) -> float:
        """Units per joule in which energies are summed."""

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Values (..., N) of bodies by index, in the order of the user's rows."""

    def state(self) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity at the whole step, (3 or 4, N) in the user's order."""

    def left(self) -> np.ndarray:
        """Rows of the particles that have left for good."""

    def execute(
        self, order: int, stop: int = 0, view: OutputState | None = None,
        bodies: Bodies | None = None, progress: RunState | None = None, fluid: tuple | None = None,
    ) -> int:  # fmt: skip
        """Have the kernels carry out an order."""

    def rebuild(self, history: ContactHistory | None = None) -> None:
        """Rebuild the neighbour lists."""

    def history(self) -> ContactHistory:
        """History of all contacts."""

    def overlaps(self) -> Overlaps:
        """Overlaps of the present candidate pairs."""

    def bond_loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Elastic energy and load of each bond."""


class Events(Protocol):
    """What changes the number of particles, at whole steps: a `Population`, or something else that does."""

    def process(self, engine: EngineState) -> None:
        """Insert and remove the particles that are due at the present step, once."""

    def following(self, step: int) -> int:
        """The first step after this one at which something may be due."""

    def check(self, engine: EngineState) -> None:
        """Refuse what cannot be, before the first event."""

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""


class Subdomains(Protocol):
    """Ranks that take the steps of an engine, see `dem.soft.subdomain.engine_subdomains`."""

    @property
    def have_state(self) -> bool:
        """Whether the subdomains have the present state."""

    @property
    def have_newer_state(self) -> bool:
        """Whether the subdomains alone have the present state."""

    def forget(self) -> None:
        """Note that the engine has changed the state."""

    def fetch(self, engine: EngineState) -> None:
        """Gather the state of all bodies in the engine."""

    def take_steps(self, engine: EngineState, stop: int) -> int:
        """Take steps until `stop` are complete; returns DONE or which limit is passed."""

    def state(self, engine: EngineState) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity in the user's order."""

    def field_rows(self, engine: EngineState) -> np.ndarray:
        """Registered fields of all bodies in the user's order."""

    def snapshot(self, engine: EngineState) -> tuple[dict[str, np.ndarray], ContactHistory, dict[str, np.ndarray]]:
        """Bodies, contacts and bonds of a snapshot."""

    def are_sound(self, faces: BoxFaces | None) -> bool:
        """Whether all bodies have finite states, and are inside the box."""
