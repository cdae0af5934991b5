"""Interface of all communication between ranks: collective calls, and channels for the halo exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from dem.ranks.buffer_layout import BufferLayout, Segment
    from dem.ranks.c_functions import Call

FEW = 32  # up to so many ranks, every rank receives the report of each rank and combines them itself


class Channel:
    """Buffer of rows of R numbers that ranks exchange at every step, on its two sides alternately.

    `start` sends the rows written on a side. Rows received on that side may be read after `finish` has returned and
    reports have been exchanged since `start`. In between, neither may be touched: rows are being sent and received.
    The rows of a segment are contiguous in memory; their order within is up to the sender.
    """

    def __init__(self, motion: np.ndarray, columns: int, layout: BufferLayout) -> None:
        self.motion, self.columns, self.layout = motion, columns, layout  # (N R,) all rows; R
        self.remote_bytes = 8 * columns * layout.remote_rows()  # size of the messages of a step, both ways [bytes]

    def part(self, segment: Segment, side: int) -> np.ndarray:
        """View of the rows of a segment on a side (size R,)."""
        first = segment.first + side * self.layout.side_rows
        return self.motion[first * self.columns : (first + segment.size) * self.columns]

    def start(self, side: int) -> None:
        """Start to send the rows written on a side, and to receive."""
        raise NotImplementedError

    def hasten(self) -> None:
        """Give the library time to progress messages: most MPI libraries have no thread for it."""

    def finish(self) -> None:
        """Wait until all messages of this side have arrived."""
        raise NotImplementedError

    def close(self) -> None:
        """Free the requests of this channel."""


class Communicator:
    """Collective operations: all ranks call the same methods in the same order. Objects received are copies.

    `rank` is the number of this rank among `ranks`. `cores` is the number of cores of the rank that has the fewest; a
    core on which several ranks may run is divided among them.
    """

    rank: int
    ranks: int
    cores: float = 1.0

    def bcast(self, thing: object = None) -> object:
        """Broadcast an object from rank 0 to all ranks."""
        raise NotImplementedError

    def alltoall(self, parcels: list) -> list:
        """Send parcel r to rank r; returns the parcels received, by rank of the sender."""
        raise NotImplementedError

    def gather(self, thing: object) -> list | None:
        """Objects of all ranks, by rank, on rank 0; None on other ranks."""
        raise NotImplementedError

    def allgather(self, thing: object) -> list:
        """Objects of all ranks, by rank, on every rank."""
        raise NotImplementedError

    def allreduce(self, sums: np.ndarray, most: np.ndarray) -> None:
        """Replace integers by their sums, and others by their maxima, over all ranks."""
        raise NotImplementedError

    def report_rows(self) -> int:
        """Number of rows that `exchange_reports` fills: one for each rank, or one in all if there are many ranks."""
        return self.ranks if self.ranks <= FEW else 1

    def exchange_reports(self, report: np.ndarray, reports: np.ndarray, most: int) -> None:
        """Fill `reports` (P, S) from the reports (S,) of all ranks; a single row has `most` maxima first, then sums."""
        raise NotImplementedError

    def exchange_call(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """C call by which kernels exchange these arrays themselves, which must not move; None if there is none."""
        return None

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Channel | None) -> Channel:
        """Channel for rows of `columns` numbers, sent to and received of other ranks; replaces the one before."""
        raise NotImplementedError

    def fail(self, error: BaseException) -> None:
        """Report an error of this rank, and end all ranks."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """Number of ranks in words."""
        return f"{self.ranks} ranks"
