"""How far a run in time steps may go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dem.soft.verdict import OVERLAP_LIMIT

if TYPE_CHECKING:
    from kernels.soft.state import Kinds

DEEPEST = 0.5  # overlap over the smaller radius at which a run is stopped, unless told otherwise
FARTHEST = 0.15  # of the smallest diameter: in one step two particles may cross a usual skin, and no more


class Limits:
    """How far particles may go in a step and how deep contacts may be; the kernels come back when one is beyond.

    They know the overlap but not whose it is, so where radii differ they come back at the smallest one's limit, and
    the shares are found here; from then on they come back when the overlap has grown by another tenth.
    """

    def __init__(self, kinds: Kinds, limit: float, *, alone: bool) -> None:
        smallest = float(kinds.radius.min())
        self.limit = limit
        self.smallest, self.largest = kinds.radius.min(), kinds.radius.max()  # radii
        self.alike = smallest == self.largest
        self.farthest = math.inf if alone else FARTHEST * 2 * smallest
        self.deepest = (limit if self.alike else min(limit, OVERLAP_LIMIT)) * smallest
        self.seen = 0.0

    def passes(self, share: float, overlap: float) -> bool:
        """Whether contacts are not too deep after all, and may go on until they are deeper.

        `share` is the deepest one over the smaller radius, `overlap` the largest one so far.
        """
        self.seen = max(self.seen, share)
        self.deepest = 1.1 * overlap
        return not self.alike and share <= self.limit

    def share(self, overlap: float) -> float:
        """Largest overlap so far over the smaller radius, as far as it has been looked for."""
        if self.alike:
            return float(overlap / self.smallest)
        return max(self.seen, float(overlap / self.largest))
