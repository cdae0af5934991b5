"""Sums over inserted and removed particles: numbers, mass, energy, momentum; and records of each, for files."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

EVENT = np.dtype([
    ("step", "<i8"), ("time", "<f8"), ("particle", "<i8"), ("variant", "<i4"), ("gate", "<i4"),
    ("position", "<f8", 3), ("velocity", "<f8", 3),
])  # fmt: skip
SUMS = ("inserted", "removed", "come", "gone", "stirred")  # energies [J], masses [kg], momentum [kg m/s]


@dataclass
class InsertionLedger:
    """Sums since the ledger was begun, and numbers since the very start."""

    born: int = 0  # numbers given to particles so far
    out: int = 0  # particles taken out
    inserted: float = 0.0  # energy that particles brought, since the ledger was begun [J]
    removed: float = 0.0  # and took along [J]
    come: float = 0.0  # mass put in [kg]
    gone: float = 0.0  # mass taken out [kg]
    stirred: float = 0.0  # sizes of the momenta that particles brought, since the ledger was begun [kg m/s]
    brought: np.ndarray = field(default_factory=lambda: np.zeros(3))  # momentum, in less out [kg m/s]
    listening: bool = False  # whether records are wanted
    events: list[np.ndarray] = field(default_factory=list)  # of EVENT, not fetched yet

    def begin(self) -> None:
        """Begin the ledger anew."""
        self.inserted = self.removed = self.stirred = 0.0
        self.brought = np.zeros(3)

    def note(
        self, step: int, time: float, particle: np.ndarray, variant: np.ndarray, gate: np.ndarray,
        position: np.ndarray, velocity: np.ndarray,
    ) -> None:  # fmt: skip
        """Record the particles that come or go at a step, (K,) and (K, 3) each, if records are wanted."""
        if self.listening and particle.size:
            rows = np.empty(particle.size, EVENT)
            rows["step"], rows["time"] = step, time
            rows["particle"], rows["variant"], rows["gate"] = particle, variant, gate
            rows["position"], rows["velocity"] = position, velocity
            self.events.append(rows)

    def fetch(self) -> np.ndarray:
        """Records since the last call; the first call begins to keep them."""
        self.listening = True
        found, self.events = self.events, []
        return np.concatenate([np.empty(0, EVENT), *found])

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        sums = [getattr(self, name) for name in SUMS]
        return {"born": np.array([self.born, self.out], np.int64), "sums": np.array([*sums, *self.brought])}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.born, self.out = state["born"].tolist()
        *sums, x, y, z = state["sums"].tolist()
        for name, value in zip(SUMS, sums, strict=True):
            setattr(self, name, value)
        self.brought, self.events = np.array([x, y, z]), []
