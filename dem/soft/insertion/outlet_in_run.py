"""An outlet in a run: which particles are in it, and how many it has removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.insertion import STEPS

if TYPE_CHECKING:
    from dem.model.insertion import Outlet
    from dem.soft.engine import Engine


class OutletInRun:
    """Region in which particles are removed, with their number and mass so far."""

    def __init__(self, outlet: Outlet, dt: float) -> None:
        self.outlet, self.region = outlet, outlet.place
        self.interval = STEPS if outlet.every is None else max(1, round(outlet.every / dt))
        self.number, self.mass = 0, 0.0
        self._who, self._then = np.zeros(0, np.int64), np.zeros((3, 0))  # identities and positions at the check before

    @property
    def name(self) -> str:
        """Name of the outlet."""
        return self.outlet.word

    def __repr__(self) -> str:
        """Number and mass of the particles taken out."""
        return f"<{self.name}: {self.number} out, {self.mass:.4g} kg>"

    def following(self, step: int) -> int:
        """The first step after this one at which the region is checked."""
        return (step // self.interval + 1) * self.interval

    def happens(self, step: int) -> bool:
        """Whether the region is checked at a step."""
        return step % self.interval == 0

    def going(self, engine: Engine) -> np.ndarray:
        """Indices of the bodies to take out (N,)."""
        b = engine.bodies
        if self.region.flat:
            return self._crossing(engine)
        if not self.outlet.whole:
            return self.region.depth(b.position.T) >= 0
        centres, first = engine.sphere_centres(), engine.first_sphere_of_row
        within = self.region.depth(centres) >= engine.sphere_radii()
        rows = np.logical_and.reduceat(within, first) if first.size else np.zeros(0, bool)
        return rows[engine.numbering.rows(b.identity)]

    def _crossing(self, engine: Engine) -> np.ndarray:
        """Indices of bodies that crossed a surface within its rim since the check before (N,), as truths."""
        b, region = engine.bodies, self.region
        rows = engine.by_row(b.position)
        who = engine.numbering.identities
        crossed = np.zeros(who.size, bool)
        seen = np.flatnonzero(np.isin(who, self._who))
        before = self._then[:, np.searchsorted(self._who, who[seen])].T
        now = rows[:, seen].T
        gone = now - before
        now -= gone - engine.walls.cell().nearest(gone.T).T  # by minimum image
        low, high = region.height(before), region.height(now)
        passes = (low < 0) & (high >= 0)
        share = np.divide(-low, high - low, out=np.zeros_like(low), where=passes)
        at = before + share[:, None] * (now - before)
        crossed[seen] = passes & (region.depth(at) >= 0)
        self._who, self._then = who.copy(), rows.copy()
        return crossed[engine.numbering.rows(b.identity)]

    def take(self, masses: np.ndarray) -> None:
        """Count removed particles, by their masses [kg]."""
        self.number += masses.size
        self.mass += float(masses.sum())

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        return {"numbers": np.array([self.number], np.int64), "mass": np.array([self.mass]), "who": self._who.copy(),
                "then": self._then.copy()}  # fmt: skip

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.number, self.mass = int(state["numbers"][0]), float(state["mass"][0])
        self._who, self._then = state["who"].copy(), state["then"].copy()
