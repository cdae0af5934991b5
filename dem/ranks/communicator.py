"""Interface of all communication between ranks: collective calls, and channels for the halo exchange.

Ranks of one machine share memory: a rank reads what another one sends where that one has written it. The buffer has
two sides, used in alternate steps. A rank may overwrite a side because all ranks have exchanged reports since they read
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.ranks.c_functions import Call


class Segment(NamedTuple):
    """Rows from `first` to `stop` of an array, sent to another rank or received from it at every step."""

    rank: int
    first: int
    stop: int

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.stop - self.first


class BufferSizes(NamedTuple):
    """Numbers of rows of a rank in the buffer of its machine, on either side."""

    sent: int  # rows that it sends
    remote: int  # rows that it receives from ranks of other machines
    first: dict[int, int]  # by rank, the first of the rows sent to it

    @classmethod
    def of(cls, to: Sequence[Segment], of: Sequence[Segment], members: Sequence[int]) -> BufferSizes:
        """Sizes for segments sent to other ranks and received from them; `members` are the ranks of this machine."""
        remote = sum(segment.size for segment in of if segment.rank not in members)
        return cls(max((segment.stop for segment in to), default=0), remote, {each.rank: each.first for each in to})


class BufferLayout(NamedTuple):
    """Where a rank finds its rows on the first side; on the second side they are `side_rows` further."""

    side_rows: int  # rows of a side
    sent: list[Segment]  # to each rank
    received: list[Segment]  # from each rank
    members: Sequence[int]  # ranks of this machine

    @classmethod
    def among(
        cls,
        rank: int,
        members: Sequence[int],
        sizes: Sequence[BufferSizes],
        to: Sequence[Segment],
        of: Sequence[Segment],
    ) -> BufferLayout:
        """Layout of one member of a machine, given the sizes of all members.

        Examples
        --------
        Rank 0 sends two rows to rank 1 and one to rank 2, which is on another machine, and receives as many.

        >>> segments = [Segment(1, 0, 2), Segment(2, 2, 3)]
        >>> other = [Segment(0, 0, 2)]
        >>> sizes = [BufferSizes.of(segments, segments, (0, 1)), BufferSizes.of(other, other, (0, 1))]
        >>> layout = BufferLayout.among(0, (0, 1), sizes, segments, segments)
        >>> layout.side_rows, layout.remote(layout.sent)
        (4, [Segment(rank=2, first=2, stop=3)])
        >>> layout.received
        [Segment(rank=1, first=8, stop=10), Segment(rank=2, first=3, stop=4)]
        """
        side_rows = max(each.sent + each.remote for each in sizes)
        begins = {member: 2 * side_rows * k for k, member in enumerate(members)}
        sizes_of, first = dict(zip(members, sizes, strict=True)), begins[rank]
        end, received = first + sizes_of[rank].sent, []
        for segment in of:
            begin = end
            if segment.rank in begins:
                begin = begins[segment.rank] + sizes_of[segment.rank].first[rank]
            else:
                end += segment.size
            received.append(Segment(segment.rank, begin, begin + segment.size))
        sent = [Segment(segment.rank, first + segment.first, first + segment.stop) for segment in to]
        return cls(side_rows, sent, received, members)

    def remote(self, segments: Sequence[Segment]) -> list[Segment]:
        """Segments sent to other machines, or received from them."""
        return [segment for segment in segments if segment.rank not in self.members]

    def remote_rows(self) -> int:
        """Number of rows sent to other machines and received from them."""
        return sum(segment.size for segment in self.remote(self.sent + self.received))


def consecutive_segments(numbers: list[int]) -> list[Segment]:
    """Segments of an array that has `numbers[r]` rows for rank r, one rank after the other; none for empty ones."""
    stops = np.cumsum(numbers)
    return [Segment(r, int(stops[r]) - n, int(stops[r])) for r, n in enumerate(numbers) if n]


def first_and_size(segments: list[Segment]) -> np.ndarray:
    """First row and number of rows of each segment, int64 (A, 2)."""
    return np.array([(segment.first, segment.size) for segment in segments], np.int64).reshape(-1, 2)


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

    def allreduce(self, sums: np.ndarray, maxima: np.ndarray) -> None:
        """Replace integers by their sums, and others by their maxima, over all ranks."""
        raise NotImplementedError

    def report_rows(self) -> int:
        """Number of rows that `exchange_reports` fills: one for each rank, or one in all if there are many ranks."""
        return self.ranks if self.ranks <= FEW else 1

    def exchange_reports(self, report: np.ndarray, reports: np.ndarray, n_maxima: int) -> None:
        """Fill `reports` (P, S) from the reports (S,) of all ranks; a single row has `n_maxima` maxima, then sums."""
        raise NotImplementedError

    def exchange_call(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """C call by which kernels exchange these arrays themselves, which must not move; None if there is none."""
        return None

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Channel | None) -> Channel:
        """Channel for rows of `columns` numbers, sent to and received from other ranks; replaces the one before."""
        raise NotImplementedError

    def fail(self, error: BaseException) -> None:
        """Report an error of this rank, and end all ranks."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """Number of ranks in words."""
        return f"{self.ranks} ranks"
