"""Migration of bodies from one rank to another, with their contact history.

Bodies that stay are found without a search: only arriving bodies, ghosts and bodies of other ranks are searched by
number, because sorting the numbers of all bodies would take longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import empty
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.per_body import MOVING, PER_BODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.soft.state import Bodies, Kinds
    from dem.soft.contact.contact_history import Index


class HistoryTable(NamedTuple):
    """History of contacts, see `dem.soft.contact.contact_history.ContactHistory`."""

    i: np.ndarray  # (H,) int64, number of a sphere through all particles in the user's order
    j: np.ndarray  # (H,) int64, of the other one; negative for walls
    history: np.ndarray  # (H, R)

    @classmethod
    def of(cls, history: ContactHistory) -> HistoryTable:
        """The rows of a contact history."""
        return cls(*history[:3])

    def only(self, which: np.ndarray) -> HistoryTable:
        """Some of its rows."""
        return HistoryTable(self.i[which], self.j[which], self.history[which])

    @classmethod
    def concatenated(cls, tables: Sequence[HistoryTable]) -> HistoryTable:
        """Rows of all tables, which have no row in common."""
        return cls(*(np.concatenate(columns) for columns in zip(*tables, strict=True)))

    @classmethod
    def merged(cls, tables: Sequence[HistoryTable]) -> HistoryTable:
        """All rows, in order of numbers; rows that two ranks have are taken once.

        Raises AssertionError if two ranks have different histories of a contact.
        """
        i, j = (np.concatenate([table[k] for table in tables]) for k in range(2))
        history = np.concatenate([table.history for table in tables])
        order = np.lexsort((j, i))
        i, j, history = i[order], j[order], history[order]
        twin = np.zeros(i.size, bool)
        twin[1:] = (i[1:] == i[:-1]) & (j[1:] == j[:-1])
        bits = history.view(np.int64)
        differing = np.flatnonzero(twin[1:] & (bits[1:] != bits[:-1]).any(axis=1)) + 1
        if differing.size:
            k = differing[0]
            message = (
                f"two ranks remember different things of the contact of spheres {i[k]} and {j[k]}: {history[k - 1]} "
                f"and {history[k]}; their machines or libraries compute unlike, or this is an error of pcdm-dem"
            )
            raise AssertionError(message)
        return cls(i[~twin], j[~twin], history[~twin])


class BodyBatch(NamedTuple):
    """Some bodies: arrays of `dem.kernels.soft.state.Bodies` by name, numbers of first spheres, history of contacts."""

    arrays: dict[str, np.ndarray]  # (R, n) each
    number: np.ndarray  # (n,) int64
    table: HistoryTable

    @classmethod
    def of(
        cls, bodies: Bodies, number: np.ndarray, table: HistoryTable, which: np.ndarray, names: Sequence = MOVING
    ) -> BodyBatch:
        """The bodies with these indices."""
        arrays = {}
        for name in names:
            values = getattr(bodies, name)
            values = values if PER_BODY[name].axis == 1 else values[None]
            arrays[name] = values[:, which] if values.size else values[:, :0]
        return cls(arrays, number[which], table)

    @property
    def identity(self) -> np.ndarray:
        """Identities of the bodies (n,)."""
        return self.arrays["identity"][0]

    @property
    def position(self) -> np.ndarray:
        """Positions (3, n) [m]."""
        return self.arrays["position"]

    def only(self, which: np.ndarray, table: HistoryTable) -> BodyBatch:
        """Some of the bodies, with a table of their contacts."""
        arrays = {name: values[:, which] if values.shape[1] else values for name, values in self.arrays.items()}
        return BodyBatch(arrays, self.number[which], table)

    @classmethod
    def merged(cls, parts: Sequence[BodyBatch]) -> BodyBatch:
        """Batches of several ranks, one after the other."""
        arrays = {name: np.concatenate([part.arrays[name] for part in parts], axis=1) for name in parts[0].arrays}
        return cls(
            arrays, np.concatenate([part.number for part in parts]), HistoryTable.merged([p.table for p in parts])
        )

    def parcels(self, owner: np.ndarray, ranks: int, kinds: Kinds) -> list[BodyBatch]:
        """Batch for each rank, by the new owners of the bodies (n,), with the history of all their contacts."""
        ends = self.ends(owner, *(self.find(given, kinds)[1] for given in (self.table.i, self.table.j)))
        return [self.parcel(r, owner, ends) for r in range(ranks)]

    def parcel(self, rank: int, owner: np.ndarray, ends: tuple[np.ndarray, np.ndarray]) -> BodyBatch:
        """Batch for one rank; the bodies of each contact go to the ranks `ends`, see there."""
        return self.only(np.flatnonzero(owner == rank), self.table.only((ends[0] == rank) | (ends[1] == rank)))

    @staticmethod
    def ends(owner: np.ndarray, row_i: np.ndarray, row_j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ranks (H,) to which the two bodies of each contact go, -1 where there is none."""
        owner = np.append(owner, -1)
        return owner[np.maximum(row_i, -1)], owner[np.maximum(row_j, -1)]

    def find(self, number: np.ndarray, kinds: Kinds) -> tuple[np.ndarray, np.ndarray]:
        """Place within its body and row of that body, of the spheres with these numbers; -1 if no body here has it."""
        return find(number, self.number, self.arrays["kind"][0], kinds)


class MigrationSet(NamedTuple):
    """Bodies that stay and bodies that arrived, in that order, before they are copied into the arrays."""

    old: BodyBatch
    stay: np.ndarray  # (k,) which of these rows stay
    arrived: BodyBatch
    table: HistoryTable  # of the contacts of all of them
    known_rows: tuple[np.ndarray, np.ndarray]  # of the first of these, between bodies that stay: old rows of either
    partner_rows: np.ndarray  # old rows of bodies that the other contacts may belong to, besides those that arrive

    @property
    def size(self) -> int:
        """Number of bodies."""
        return self.stay.size + self.arrived.number.size

    def selection(self, which: np.ndarray | None = None) -> RowSelection:
        """Rows from which the values of all bodies are taken, or of some of them in that order."""
        size = self.old.number.size
        source = np.concatenate([self.stay, np.arange(size, size + self.arrived.number.size)])
        source = source if which is None else source[which]
        return RowSelection(source, np.flatnonzero(source >= size))

    def values(self, name: str, selection: RowSelection, room: int = 0) -> np.ndarray:
        """Values of an array for the selected bodies (R, n), after room for others; or (R, 0)."""
        old, arrived = self.old.arrays[name], self.arrived.arrays[name]
        if old.shape[1] < self.old.number.size or arrived.shape[1] < self.arrived.number.size:
            return self.none_of(name)
        return _joined(old, arrived, selection, room)

    def none_of(self, name: str) -> np.ndarray:
        """Empty array (R, 0)."""
        values = self.old.arrays[name]
        return np.zeros((values.shape[0], 0), values.dtype)

    def numbers(self, selection: RowSelection, room: int = 0) -> np.ndarray:
        """Numbers of the first spheres of the selected bodies, after room for others."""
        return _joined(self.old.number[None], self.arrived.number[None], selection, room)[0]

    def rows(self, names: Sequence, which: np.ndarray) -> BodyBatch:
        """Some of the bodies, without contact history."""
        nothing, selection = self.table.only(np.zeros(0, np.intp)), self.selection(which)
        return BodyBatch({name: self.values(name, selection) for name in names}, self.numbers(selection), nothing)


class RowSelection(NamedTuple):
    """Rows from which values are taken: computed once for all arrays of the same bodies."""

    source: np.ndarray  # (n,) rows of the old bodies, and after them of those that arrived
    arrived_rows: np.ndarray  # which of these have arrived


def _joined(old: np.ndarray, arrived: np.ndarray, selection: RowSelection, room: int) -> np.ndarray:
    """Values (R, n) after room for a number of others."""
    source, arrived_rows = selection
    new = empty((old.shape[0], room + source.size), old.dtype)
    new[:, :room] = 0
    if old.shape[1]:
        for k in range(old.shape[0]):
            old[k].take(source, mode="clip", out=new[k, room:])
    new[:, room + arrived_rows] = arrived[:, source[arrived_rows] - old.shape[1]]
    return new


def find(
    number: np.ndarray, first: np.ndarray, kind: np.ndarray, kinds: Kinds, order: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Place within its body of the sphere of each number, and that body; -1 if it is of none of these.

    Bodies have the numbers `first`, which `order` sorts if that is known.
    """
    if not first.size:
        return np.full(number.size, -1), np.full(number.size, -1)
    order = np.argsort(first, kind="stable") if order is None else order
    row = order[np.clip(np.searchsorted(first[order], number, side="right") - 1, 0, None)]
    within = number - first[row]
    spheres = np.diff(kinds.first_offset)[kind[row]]
    found = (within >= 0) & (within < spheres) & (number >= 0)
    return np.where(found, within, -1), np.where(found, row, -1)


MISSING = np.iinfo(np.int64).min


def history_index(
    migration: MigrationSet, new_row: np.ndarray, ghosts: int, number: np.ndarray, b: Bodies, kinds: Kinds
) -> Index:
    """Contact history indexed by the spheres of this rank, without rows of other spheres.

    new_row: row of each old body, and then of those that arrived; negative if a body is no longer here.
    """
    table, known, spheres = migration.table, migration.known_rows[0].size, []
    few = np.concatenate([np.arange(ghosts), new_row[migration.partner_rows], new_row[migration.old.number.size :]])
    few = few[few >= 0]
    order = np.argsort(number[few], kind="stable")
    for given, row in zip((table.i, table.j), migration.known_rows, strict=True):
        body, first, rest = new_row[np.maximum(row, -1)], given[:known], given[known:]
        first = np.where(first < 0, first, b.first_sphere[body] + first - number[body])
        within, row_of = find(rest, number[few], b.kind[few], kinds, order)
        rest = np.where(row_of >= 0, b.first_sphere[few[row_of]] + within, np.where(rest < 0, rest, MISSING))
        spheres.append(np.concatenate([first, rest]))
    here = (spheres[0] != MISSING) & (spheres[1] != MISSING)
    return ContactHistory(spheres[0][here], spheres[1][here], table.history[here], b.wall_contacts).indexed(
        b.owner.size, b.first_sphere[:-1]
    )
