"""Where ranks have the rows that they tell each other: those of one machine in memory that all of them see.

What a rank tells, those of its machine read where it has written it. There are two sides, told on by turns: who writes
one may know that all have read what it had before, because since then all have swapped reports once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class Segment(NamedTuple):
    """Rows of an array that go to another rank, or come from there, again and again: from `first` to `stop`."""

    rank: int
    first: int
    stop: int

    @property
    def size(self) -> int:
        """How many."""
        return self.stop - self.first


class BufferSizes(NamedTuple):
    """What a rank has in the rows of its machine, on either side."""

    told: int  # rows that it tells
    far: int  # rows that it hears from ranks of other machines
    first: dict[int, int]  # by rank, the first of those that it tells this one

    @classmethod
    def of(cls, to: Sequence[Segment], of: Sequence[Segment], members: Sequence[int]) -> BufferSizes:
        """Of a rank with these ways to others and from others, of which the members are on its machine."""
        far = sum(route.size for route in of if route.rank not in members)
        return cls(max((route.stop for route in to), default=0), far, {route.rank: route.first for route in to})


class BufferLayout(NamedTuple):
    """Where a rank finds its rows, on the first side; on the other all are so many rows further."""

    room: int  # rows of a side
    told: list[Segment]  # to each rank
    heard: list[Segment]  # from each rank
    members: Sequence[int]  # ranks of this machine

    @classmethod
    def among(
        cls,
        rank: int,
        members: Sequence[int],
        wants: Sequence[BufferSizes],
        to: Sequence[Segment],
        of: Sequence[Segment],
    ) -> BufferLayout:
        """Those of one of the members of a machine, all of which say what they want.

        Examples
        --------
        Rank 0 tells two rows to rank 1 and one to rank 2, which is elsewhere, and hears as many.

        >>> ways = [Segment(1, 0, 2), Segment(2, 2, 3)]
        >>> wants = [BufferSizes.of(ways, ways, (0, 1)), BufferSizes.of([Segment(0, 0, 2)], [Segment(0, 0, 2)], (0, 1))]
        >>> places = BufferLayout.among(0, (0, 1), wants, ways, ways)
        >>> places.room, places.heard, places.far(places.told)
        (4, [Segment(rank=1, first=8, stop=10), Segment(rank=2, first=3, stop=4)], [Segment(rank=2, first=2, stop=3)])
        """
        room = max(each.told + each.far for each in wants)
        begins = {member: 2 * room * k for k, member in enumerate(members)}
        said, first = dict(zip(members, wants, strict=True)), begins[rank]
        end, heard = first + said[rank].told, []
        for route in of:
            begin = end
            if route.rank in begins:
                begin = begins[route.rank] + said[route.rank].first[rank]
            else:
                end += route.size
            heard.append(Segment(route.rank, begin, begin + route.size))
        told = [Segment(route.rank, first + route.first, first + route.stop) for route in to]
        return cls(room, told, heard, members)

    def far(self, routes: Sequence[Segment]) -> list[Segment]:
        """Those to other machines, or from there."""
        return [route for route in routes if route.rank not in self.members]

    def size_far(self) -> int:
        """Rows told to other machines and heard from them."""
        return sum(route.size for route in self.far(self.told + self.heard))


def routes(numbers: list[int]) -> list[Segment]:
    """Rows of an array that has so many for each rank, one after the other."""
    stops = np.cumsum(numbers)
    return [Segment(r, int(stops[r]) - n, int(stops[r])) for r, n in enumerate(numbers) if n]


def stretches(ways: list[Segment]) -> np.ndarray:
    """First row of each route, and how many it has (A, 2)."""
    return np.array([(route.first, route.size) for route in ways], np.int64).reshape(-1, 2)
