"""What contacts remember, as a table that survives new lists, new orders in memory, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.soft import history

if TYPE_CHECKING:
    from kernels.soft.state import Bodies, Neighbours


class Held(NamedTuple):
    """The table; spheres are numbered through all particles in the user's order."""

    i: np.ndarray  # (H,) int64, sphere
    j: np.ndarray  # (H,) int64, the other sphere; -1 - face for a wall
    history: np.ndarray  # (H, R), see `kernels.laws` and `kernels.soft.walls`
    wall_contacts: np.ndarray  # (N,) contacts with rough walls so far, in the user's order

    @classmethod
    def of(cls, bodies: Bodies, neighbours: Neighbours, first_number: np.ndarray) -> Held:
        """What the contacts of these bodies remember."""
        width = neighbours.wall_history.shape[1]
        n = history.count_held(bodies, neighbours) if width else 0
        contacts = np.empty_like(bodies.wall_contacts)
        contacts[bodies.identity] = bodies.wall_contacts
        held = cls(np.empty(n, np.int64), np.empty(n, np.int64), np.zeros((n, width)), contacts)
        if n:
            history.write_table(bodies, first_number, neighbours, held.i, held.j, held.history)
        return held

    def indexed(self, spheres: int) -> tuple[np.ndarray, ...]:
        """The table, and where the entries of each of so many spheres are."""
        first, order = np.empty(spheres + 1, np.int64), np.empty(self.i.size, np.int64)
        history.index_table(self.i, first, order)
        return self.i, self.j, self.history, first, order
