"""Layout of the send and receive buffers of the halo exchange.

Ranks of one machine share memory: a rank reads what another one sends where that one has written it. The buffer has
two sides, used in alternate steps. A rank may overwrite a side because all ranks have exchanged reports since they read
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        """Sizes for segments sent to other ranks and received of them; `members` are the ranks of this machine."""
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
        said, first = dict(zip(members, sizes, strict=True)), begins[rank]
        end, received = first + said[rank].sent, []
        for segment in of:
            begin = end
            if segment.rank in begins:
                begin = begins[segment.rank] + said[segment.rank].first[rank]
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
