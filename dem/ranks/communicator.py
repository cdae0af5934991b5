"""What ranks say to each other by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from dem.ranks.buffer_layout import BufferLayout, Segment
    from dem.ranks.c_functions import Call

FEW = 32  # ranks up to which reports are handed on as they are: one short message each, and nobody combines them


class Channel:
    """Rows of R numbers that are told and heard again and again, on two sides by turns.

    What has been written to the rows told is sent by `start`. What is heard is there when `finish` has returned and
    reports have been swapped since `start`. In between neither may be touched, on this side: the one is being sent,
    the other is being written. The rows of a route are one stretch of memory, in whatever order.
    """

    def __init__(self, motion: np.ndarray, columns: int, places: BufferLayout) -> None:
        self.motion, self.columns, self.places = motion, columns, places  # (N R,) all rows; R; where they are
        self.far = 8 * columns * places.size_far()  # bytes that messages take each time, both ways

    def part(self, route: Segment, side: int) -> np.ndarray:
        """The rows of a route on a side, one number after the other."""
        first = route.first + side * self.places.room
        return self.motion[first * self.columns : (first + route.size) * self.columns]

    def start(self, side: int) -> None:
        """Send what has been written on a side, and be ready to hear."""
        raise NotImplementedError

    def hasten(self) -> None:
        """Let what is under way get on: most MPI libraries do nothing by themselves."""

    def finish(self) -> None:
        """Wait until rows have what others have told by messages."""
        raise NotImplementedError

    def close(self) -> None:
        """Forget it: there will be another one."""


class Communicator:
    """All ranks call the same of these, in the same order; objects that are handed on are never shared.

    `rank` is the number of this one, of `ranks` in all. `cores` are those of the rank that has fewest, where each core
    is divided among the ranks that may run on it.
    """

    rank: int
    ranks: int
    cores: float = 1.0

    def bcast(self, thing: object = None) -> object:
        """What rank 0 says, to all."""
        raise NotImplementedError

    def alltoall(self, parcels: list) -> list:
        """Hand parcel r to rank r; returns what came, by rank."""
        raise NotImplementedError

    def gather(self, thing: object) -> list | None:
        """What all say, by rank, at rank 0; None at others."""
        raise NotImplementedError

    def allgather(self, thing: object) -> list:
        """What all say, by rank, to all."""
        raise NotImplementedError

    def allreduce(self, sums: np.ndarray, most: np.ndarray) -> None:
        """Put in place of both what they are over all ranks: integers that are added, integers that are compared."""
        raise NotImplementedError

    def rows_of_reports(self) -> int:
        """Rows that `swap_reports` fills: one a rank, or one in all where ranks are many."""
        return self.ranks if self.ranks <= FEW else 1

    def swap_reports(self, report: np.ndarray, reports: np.ndarray, most: int) -> None:
        """What all ranks report (S,), int64, in rows (P, S); in one row the `most` first are maxima, others sums."""
        raise NotImplementedError

    def call_to_swap(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """A call by which kernels do the same with these arrays, which stay where they are; None if there is none."""
        return None

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Channel | None) -> Channel:
        """Way for rows of so many numbers to other ranks and from there, instead of one that there was before."""
        raise NotImplementedError

    def fail(self, error: BaseException) -> None:
        """End all ranks because of an error, which is said here."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """In words."""
        return f"{self.ranks} ranks"
