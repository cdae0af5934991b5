"""Contact history as a table that survives new lists, new orders in memory, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.contact import contact_history
from dem.kernels.soft.contact.capsule_blending import SLOTS
from dem.kernels.soft.wall_contact import wall_history
from dem.kernels.soft.wall_contact.wall_arrays import IN_USE

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.kernels.soft.wall_contact.wall_arrays import Walls
    from dem.soft.per_body import Numbering


class ContactHistory(NamedTuple):
    """The table; spheres are numbered through all particles in the user's order."""

    i: np.ndarray  # (H,) int64, sphere
    # (H,) int64, the other sphere; -1 - face for a wall, or see `dem.kernels.soft.wall_contact.wall_history`
    j: np.ndarray
    history: np.ndarray  # (H, R), see `dem.kernels.laws` and `dem.kernels.soft.wall_contact.box_contacts`
    wall_contacts: np.ndarray  # (N,) contacts with rough walls so far, in the user's order

    @classmethod
    def of(
        cls, bodies: Bodies, neighbours: Neighbours, first_number: np.ndarray, numbering: Numbering | None,
        walls: Walls | None = None, *, width: int, capsules: bool = False,
    ) -> ContactHistory:  # fmt: skip
        """History of the contacts of these bodies, `width` numbers each; body b's first sphere is first_number[b].

        Rows of `wall_contacts` are those of the numbering, or without one of the bodies here.
        """
        others = wall_history.count_slots(walls) if walls and width else 0
        n = (_count(neighbours) if width else 0) + others
        contacts = numbering.by_row(bodies.identity, bodies.wall_contacts) if numbering else bodies.wall_contacts
        table = cls(np.empty(n, np.int64), np.empty(n, np.int64), np.zeros((n, width)), contacts)
        if n:
            contact_history.write_table(bodies, first_number, neighbours, table.i, table.j, table.history)
        if others:
            wall_history.write_slots(n - others, bodies, first_number, walls, table.i, table.j, table.history)
        if capsules and n and neighbours.history.shape[1]:
            table.history[:] = _without_ended(table, neighbours.history.shape[1] - 1)
        return table

    def ascending(self) -> ContactHistory:
        """Contact history sorted by i and then j, an order independent of the arrangement in memory."""
        order = np.lexsort((self.j, self.i))
        return self._replace(i=self.i[order], j=self.j[order], history=self.history[order])

    def only_walls(self, numbers: np.ndarray) -> ContactHistory:
        """Contact history for a run that keeps only some walls beside the box, of ascending numbers (K,)."""
        beside = self.j < -wall_history.FACES
        key = -1 - wall_history.FACES - self.j[beside]
        number, above = (
            (key >> wall_history.PIECE_BITS) & (wall_history.SIDE - 1),
            (key >> wall_history.PIECE_BITS) & ~(wall_history.SIDE - 1),
        )
        piece = key & ((1 << wall_history.PIECE_BITS) - 1)
        stays, j = np.ones(self.j.size, bool), self.j.copy()
        stays[beside] = np.isin(number, numbers)
        key = ((np.searchsorted(numbers, number) | above) << wall_history.PIECE_BITS) | piece
        j[beside] = -1 - wall_history.FACES - key
        return self._replace(i=self.i[stays], j=j[stays], history=self.history[stays])

    def indexed(self, spheres: int, first_number: np.ndarray) -> Index:
        """Index of the table by first sphere; the first sphere of body b has number first_number[b]."""
        first, order = np.zeros(spheres + 1, np.int64), np.empty(self.i.size, np.int64)
        if self.i.size:
            contact_history.index_table(self.i, first, order)
        return Index(first_number, self, first, order)


class Index(NamedTuple):
    """A table, and where the entries of each sphere are; it is for bodies where they are now."""

    first_number: np.ndarray  # (N,) number of the first sphere of each body
    table: ContactHistory
    first: np.ndarray  # (M + 1,) entries of sphere a are order[first[a]] to order[first[a + 1]]
    order: np.ndarray  # (H,)

    def load_box_walls(self, bodies: Bodies, neighbours: Neighbours) -> None:
        """Load the history of contacts with the walls of the box, before candidate pairs are built.

        See `dem.kernels.soft.contact.contact_history`.
        """
        if self.order.size:
            contact_history.read_walls(bodies, self.first_number, neighbours, *self.table[:3], self.first, self.order)
        else:  # as at the start, which need not wait for a kernel
            neighbours.wall_has_history[:] = 0

    def fill_slots(self, bodies: Bodies, walls: Walls) -> int:
        """Load the history of contacts with walls beside the box; returns the largest number of a sphere."""
        if not self.order.size:
            walls.sphere_records[:, IN_USE] = 0
            return 0
        return wall_history.read_slots(bodies, self.first_number, walls, *self.table[:3], self.first, self.order)

    def load_pairs(self, bodies: Bodies, neighbours: Neighbours) -> None:
        """Load the history of candidate pairs."""
        if self.order.size:
            contact_history.read_pairs(bodies, self.first_number, neighbours, *self.table[:3], self.first, self.order)


def _without_ended(table: ContactHistory, bits: int) -> np.ndarray:
    """Rows (H, R) with zeros for those contacts of two capsules that remember nothing; a column has these, as bits.

    What is there otherwise is of pairs that were in the same place before: it would tell how lists were made.
    """
    lasts = np.ones(table.history.shape, bool)
    rows, slot = np.flatnonzero(table.j >= 0), np.arange(bits) // (bits // SLOTS)
    lasts[rows, :bits] = table.history[rows, bits, None].astype(np.int64) >> slot & 1
    return np.where(lasts, table.history, 0.0)


def _count(neighbours: Neighbours) -> int:
    """Contacts that remember something."""
    room = neighbours.has_history.size // neighbours.pairs.size
    used = np.arange(room) < neighbours.pairs[:, None]
    pairs = neighbours.has_history[: used.size].reshape(used.shape)[used] if room else np.empty(0)
    return int(np.count_nonzero(pairs)) + int(np.count_nonzero(neighbours.wall_has_history))
