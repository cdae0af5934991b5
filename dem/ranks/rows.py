"""Where ranks have the rows that they tell each other: those of one machine in memory that all of them see.

What a rank tells, those of its machine read where it has written it. There are two sides, told on by turns: who writes
one may know that all have read what it had before, because since then all have swapped reports once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.ranks.communicator import Route

if TYPE_CHECKING:
    from collections.abc import Sequence


class Wants(NamedTuple):
    """What a rank has in the rows of its machine, on either side."""

    told: int  # rows that it tells
    far: int  # rows that it hears from ranks of other machines
    first: dict[int, int]  # by rank, the first of those that it tells this one

    @classmethod
    def of(cls, to: Sequence[Route], of: Sequence[Route], members: Sequence[int]) -> Wants:
        """Of a rank with these ways to others and from others, of which the members are on its machine."""
        far = sum(route.stop - route.first for route in of if route.rank not in members)
        return cls(max((route.stop for route in to), default=0), far, {route.rank: route.first for route in to})


class Places(NamedTuple):
    """Where a rank finds its rows; on the other side all are so many rows further."""

    first: int  # the first that it tells
    room: int  # rows of a side
    at: np.ndarray  # (G,) int64, rows that it hears, in order
    to: list[Route]  # to ranks of other machines
    of: list[Route]  # from these

    @classmethod
    def among(
        cls, rank: int, members: Sequence[int], wants: Sequence[Wants], to: Sequence[Route], of: Sequence[Route]
    ) -> Places:
        """Those of one of the members of a machine, all of which say what they want.

        Examples
        --------
        Rank 0 tells two rows to rank 1 and one to rank 2, which is elsewhere, and hears as many.

        >>> ways = [Route(1, 0, 2), Route(2, 2, 3)]
        >>> wants = [Wants.of(ways, ways, (0, 1)), Wants.of([Route(0, 0, 2)], [Route(0, 0, 2)], (0, 1))]
        >>> places = Places.among(0, (0, 1), wants, ways, ways)
        >>> places.room, places.at.tolist(), places.to, places.of
        (4, [8, 9, 3], [Route(rank=2, first=2, stop=3)], [Route(rank=2, first=3, stop=4)])
        """
        room = max(each.told + each.far for each in wants)
        begins = {member: 2 * room * k for k, member in enumerate(members)}
        said, first = dict(zip(members, wants, strict=True)), begins[rank]
        end, at, far = first + said[rank].told, [np.zeros(0, np.int64)], []
        for route in of:
            n = route.stop - route.first
            if route.rank in begins:
                begin = begins[route.rank] + said[route.rank].first[rank]
            else:
                begin, end = end, end + n
                far.append(Route(route.rank, begin, end))
            at.append(np.arange(begin, begin + n))
        out = [Route(r.rank, first + r.first, first + r.stop) for r in to if r.rank not in begins]
        return cls(first, room, np.concatenate(at), out, far)

    def numbers(self) -> tuple[int, int]:
        """Rows told to other machines and heard from them."""
        return tuple(sum(route.stop - route.first for route in routes) for routes in (self.to, self.of))
