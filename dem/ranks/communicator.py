"""What ranks say to each other by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class Route(NamedTuple):
    """Rows of an array that go to another rank, or come from there, again and again: from `first` to `stop`."""

    rank: int
    first: int
    stop: int


FEW = 32  # ranks up to which reports are handed on as they are: one short message each, and nobody combines them


class Channel:
    """The same arrays, told again and again: `start` sends, `finish` returns when all has come in.

    In between neither may be touched: the one is being sent, the other is being written.
    """

    def start(self) -> None:
        """Send what is in the array that is told, and be ready to hear."""
        raise NotImplementedError

    def hasten(self) -> None:
        """Let what is under way get on: most MPI libraries do nothing by themselves."""

    def finish(self) -> None:
        """Wait until the array that is heard has what others have told."""
        raise NotImplementedError

    def close(self) -> None:
        """Forget it: there will be another one."""


class Communicator:
    """All ranks call the same of these, in the same order; objects that are handed on are never shared.

    `rank` is the number of this one, of `ranks` in all.
    """

    rank: int
    ranks: int

    def told(self, thing: object = None) -> object:
        """What rank 0 says, to all."""
        raise NotImplementedError

    def deal(self, parcels: list) -> list:
        """Hand parcel r to rank r; returns what came, by rank."""
        raise NotImplementedError

    def collect(self, thing: object) -> list | None:
        """What all say, by rank, at rank 0; None at others."""
        raise NotImplementedError

    def all_told(self, thing: object) -> list:
        """What all say, by rank, to all."""
        raise NotImplementedError

    def combine(self, sums: np.ndarray, most: np.ndarray) -> None:
        """Put in place of both what they are over all ranks: integers that are added, integers that are compared."""
        raise NotImplementedError

    def rows_of_reports(self) -> int:
        """Rows that `swap_reports` fills: one a rank, or one in all where ranks are many."""
        return self.ranks if self.ranks <= FEW else 1

    def swap_reports(self, report: np.ndarray, reports: np.ndarray, most: int) -> None:
        """What all ranks report (S,), int64, in rows (P, S); in one row the `most` first are maxima, others sums."""
        raise NotImplementedError

    def channel(self, told: np.ndarray, to: list[Route], heard: np.ndarray, of: list[Route]) -> Channel:
        """Way for rows of one array (L, R) to other ranks, and from there to rows of another one (G, R)."""
        raise NotImplementedError

    def fail(self, error: BaseException) -> None:
        """End all ranks because of an error, which is said here."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """In words."""
        return f"{self.ranks} ranks"
