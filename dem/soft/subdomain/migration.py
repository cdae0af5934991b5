"""Migration of bodies from one rank to another, with their contact history."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import empty
from dem.soft.per_body import MOVING, PER_BODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.soft.state import Bodies, Kinds
    from dem.soft.contact.contact_history import ContactHistory


class HistoryTable(NamedTuple):
    """What contacts remember, see `dem.soft.contact.contact_history.ContactHistory`."""

    i: np.ndarray  # (H,) int64, number of a sphere through all particles in the user's order
    j: np.ndarray  # (H,) int64, of the other one; negative for walls
    history: np.ndarray  # (H, R)

    @classmethod
    def of(cls, history: ContactHistory) -> HistoryTable:
        """Of such a table."""
        return cls(*history[:3])

    def only(self, which: np.ndarray) -> HistoryTable:
        """Some of its rows."""
        return HistoryTable(self.i[which], self.j[which], self.history[which])

    @classmethod
    def side_by_side(cls, tables: Sequence[HistoryTable]) -> HistoryTable:
        """All rows of tables that have none in common."""
        return cls(*(np.concatenate(columns) for columns in zip(*tables, strict=True)))

    @classmethod
    def joined(cls, tables: Sequence[HistoryTable]) -> HistoryTable:
        """All rows, in order of numbers, those that two ranks had once.

        Raises
        ------
        AssertionError
            If two ranks do not remember the same of a contact.
        """
        i, j = (np.concatenate([table[k] for table in tables]) for k in range(2))
        history = np.concatenate([table.history for table in tables])
        order = np.lexsort((j, i))
        i, j, history = i[order], j[order], history[order]
        twin = np.zeros(i.size, bool)
        twin[1:] = (i[1:] == i[:-1]) & (j[1:] == j[:-1])
        bits = history.view(np.int64)
        unlike = np.flatnonzero(twin[1:] & (bits[1:] != bits[:-1]).any(axis=1)) + 1
        if unlike.size:
            k = unlike[0]
            message = (
                f"two ranks remember different things of the contact of spheres {i[k]} and {j[k]}: {history[k - 1]} "
                f"and {history[k]}; their machines or libraries compute unlike, or this is an error of pcdm-dem"
            )
            raise AssertionError(message)
        return cls(i[~twin], j[~twin], history[~twin])


class BodyBatch(NamedTuple):
    """Some bodies: arrays of `kernels.soft.state.Bodies` by name, the number of each one's first sphere, its memory."""

    arrays: dict[str, np.ndarray]  # (R, n) each
    number: np.ndarray  # (n,) int64
    table: HistoryTable

    @classmethod
    def of(
        cls, bodies: Bodies, number: np.ndarray, table: HistoryTable, which: np.ndarray, names: Sequence = MOVING
    ) -> BodyBatch:
        """Those of the bodies with these indices."""
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
        """Where they are (3, n) [m]."""
        return self.arrays["position"]

    def only(self, which: np.ndarray, table: HistoryTable) -> BodyBatch:
        """Some of the bodies, with a table of their contacts."""
        arrays = {name: values[:, which] if values.shape[1] else values for name, values in self.arrays.items()}
        return BodyBatch(arrays, self.number[which], table)

    @classmethod
    def joined(cls, parts: Sequence[BodyBatch]) -> BodyBatch:
        """Sets or tables of several ranks, one after the other."""
        arrays = {name: np.concatenate([part.arrays[name] for part in parts], axis=1) for name in parts[0].arrays}
        return cls(
            arrays, np.concatenate([part.number for part in parts]), HistoryTable.joined([p.table for p in parts])
        )

    def parcels(self, owner: np.ndarray, ranks: int, kinds: Kinds) -> list[BodyBatch]:
        """What each rank gets if it has the bodies that are its own now (n,): they take rows of all contacts along."""
        ends = self.ends(owner, *(self.find(given, kinds)[1] for given in (self.table.i, self.table.j)))
        return [self.parcel(r, owner, ends) for r in range(ranks)]

    def parcel(self, rank: int, owner: np.ndarray, ends: tuple[np.ndarray, np.ndarray]) -> BodyBatch:
        """What one rank gets; the contacts' ends go to these ranks, see `ends`."""
        return self.only(np.flatnonzero(owner == rank), self.table.only((ends[0] == rank) | (ends[1] == rank)))

    @staticmethod
    def ends(owner: np.ndarray, row_i: np.ndarray, row_j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ranks (H,) that the bodies in these rows go to, -1 where there is none."""
        owner = np.append(owner, -1)
        return owner[np.maximum(row_i, -1)], owner[np.maximum(row_j, -1)]

    def find(self, number: np.ndarray, kinds: Kinds) -> tuple[np.ndarray, np.ndarray]:
        """Which of their spheres have these numbers, and of which bodies: place within the body, row; -1 if of none."""
        return find(number, self.number, self.arrays["kind"][0], kinds)


class MigrationSet(NamedTuple):
    """Bodies that stay and bodies that arrived, in that order, before they are copied to their places."""

    old: BodyBatch
    stay: np.ndarray  # (k,) which of these rows do
    late: BodyBatch
    table: HistoryTable  # of the contacts of all of them
    known: tuple[np.ndarray, np.ndarray]  # of the first of these, of bodies that stay: old rows of either body
    met: np.ndarray  # old rows of bodies that the others may be of, besides those that come

    @property
    def size(self) -> int:
        """Number of bodies."""
        return self.stay.size + self.late.number.size

    def places(self, which: np.ndarray | None = None) -> Places:
        """Where the values of all bodies come from, or of some in that order."""
        size = self.old.number.size
        source = np.concatenate([self.stay, np.arange(size, size + self.late.number.size)])
        source = source if which is None else source[which]
        return Places(source, np.flatnonzero(source >= size))

    def values(self, name: str, places: Places, room: int = 0) -> np.ndarray:
        """An array of the bodies at some places: (R, n), after room for so many others; or (R, 0)."""
        old, late = self.old.arrays[name], self.late.arrays[name]
        if old.shape[1] < self.old.number.size or late.shape[1] < self.late.number.size:
            return self.none_of(name)
        return _taken(old, late, places, room)

    def none_of(self, name: str) -> np.ndarray:
        """Empty array (R, 0)."""
        values = self.old.arrays[name]
        return np.zeros((values.shape[0], 0), values.dtype)

    def numbers(self, places: Places, room: int = 0) -> np.ndarray:
        """Numbers of their first spheres, likewise."""
        return _taken(self.old.number[None], self.late.number[None], places, room)[0]

    def rows(self, names: Sequence, which: np.ndarray) -> BodyBatch:
        """Some of the bodies, without contact history."""
        nothing, places = self.table.only(np.zeros(0, np.intp)), self.places(which)
        return BodyBatch({name: self.values(name, places) for name in names}, self.numbers(places), nothing)


class Places(NamedTuple):
    """Where values come from: found once for all arrays of the same bodies."""

    source: np.ndarray  # (n,) rows of the old ones, and after them of the late ones
    came: np.ndarray  # which of these are late


def _taken(old: np.ndarray, late: np.ndarray, places: Places, room: int) -> np.ndarray:
    """Values (R, n) after room for so many others."""
    source, came = places
    new = empty((old.shape[0], room + source.size), old.dtype)
    new[:, :room] = 0
    if old.shape[1]:
        for k in range(old.shape[0]):
            old[k].take(source, mode="clip", out=new[k, room:])
    new[:, room + came] = late[:, source[came] - old.shape[1]]
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
