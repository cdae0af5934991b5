"""How far a run in time steps may go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.soft.time_step.impacts import RESOLVED
from dem.soft.time_step.short_contacts import Brief
from dem.soft.verdict import OVERLAP_LIMIT

if TYPE_CHECKING:
    from dem.kernels.soft.state import Kinds

FARTHEST = 0.15  # of the smallest diameter: in one step two particles may cross a usual skin, and no more


class Limits:
    """How far particles may go in a step and how deep contacts may be; the kernels come back when one is beyond.

    They know the overlap but not whose it is, so where radii differ they come back at the smallest one's limit, and
    the shares are found here; from then on they come back when the overlap has grown by another tenth. For contacts of
    too few steps see `dem.soft.time_step.short_contacts`.
    """

    def __init__(self, kinds: Kinds, limit: float, max_acceleration: float, *, alone: bool) -> None:
        smallest = float(kinds.radius.min())
        self.limit = limit
        self.smallest, self.largest = kinds.radius.min(), kinds.radius.max()  # radii
        self.alike = smallest == self.largest
        self.farthest = math.inf if alone else FARTHEST * 2 * smallest
        self.deepest = (limit if self.alike else min(limit, OVERLAP_LIMIT)) * smallest
        self.seen = 0.0
        self.max_acceleration = max_acceleration
        self.brief = Brief()

    def follow(self, before: Limits, overlap: float) -> float:
        """Go on with what others, of particles of other sizes, have seen; returns the largest overlap in these sizes.

        `overlap` is the largest one before; its share of the radius stays the same.
        """
        self.brief, self.seen = before.brief, before.share(overlap)
        return float(self.seen * self.smallest) if self.alike else overlap

    def passes(self, share: float, overlap: float) -> bool:
        """Whether contacts are not too deep after all, and may go on until they are deeper.

        `share` is the deepest one over the smaller radius, `overlap` the largest one so far.
        """
        self.seen = max(self.seen, share)
        self.deepest = 1.1 * overlap
        return not self.alike and share <= self.limit

    def note(self, contact: Brief, acceleration: float) -> None:
        """Keep a contact if it has too few steps and the fewest so far, and go on to the next larger acceleration."""
        if contact.steps < min(RESOLVED, self.brief.steps):
            self.brief = contact
        self.max_acceleration = 1.2 * acceleration

    @property
    def watch(self) -> np.ndarray:
        """What has been seen, and where to come back next."""
        return np.array([self.seen, self.deepest, self.max_acceleration, *self.brief])

    @watch.setter
    def watch(self, values: np.ndarray) -> None:
        self.seen, self.deepest, self.max_acceleration, steps, *numbers = values.tolist()
        self.brief = Brief(steps, *map(int, numbers))

    def share(self, overlap: float) -> float:
        """Largest overlap so far over the smaller radius, as far as it has been looked for."""
        if self.alike:
            return float(overlap / self.smallest)
        return max(self.seen, float(overlap / self.largest))
