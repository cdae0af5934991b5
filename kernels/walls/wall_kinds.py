"""Registration of kinds of walls: one row of `KINDS` says all that kernels, checks and pictures want to know of one.

The kinds of this package are numbers, see ``geometry``. A kind of one's own is a class, a NamedTuple without fields,
with a row here, and a word like `dem.Torus` whose `made` returns a `WallShape` of that class:

    class BowlKind(NamedTuple):
        "The inside of a bowl."

    dem.register_wall(Bowl, BowlKind, WallKind(distance=distance, sides=CONVEX, triangles=triangles))

Kernels find the row by the class when they are compiled, so that runs without such walls pay nothing. A chain of
`OwnKinds`, one for each kind in a run, hands the classes on; it ends with `NoOwnKinds`.
"""

from operator import attrgetter
from typing import NamedTuple

from dem.kernels.compiler.jit import inline, select

FIRST_OWN = 1 << 20  # number of the first of one's own kinds in a run, above those of this package
# how sides of capsules meet a wall: not at all, so that capsules are refused; only with their ends, as at a plane; at
# one place, as the distance is convex along lines outside of it or concave inside; in a way of its own, see ``sides``
REFUSED, ENDS_ONLY, CONVEX, SPECIAL = range(4)


class WallKind(NamedTuple):
    """Functions of a kind of wall.

    ``distance`` is a formula of (x, numbers, k): the distance of a place x in the wall's frame from its surface, less
    than 0 where particles may not be [m], and the gradient of that, a unit vector; the wall's numbers begin at
    ``numbers[k]``. It is None where contacts are made of pieces, in a way of their own. ``sides`` is one of the words
    above. ``triangles`` is a function of the numbers that returns vertices (V, 3) and triangles (F, 3), for pictures;
    None where there are none.
    """

    distance: object
    sides: int = REFUSED
    triangles: object = None


KINDS: dict[int | type, WallKind] = {}


class NoOwnKinds(NamedTuple):
    """End of the chain of kinds of walls."""


class OwnKinds(NamedTuple):
    """A kind of one's own, and the others."""

    kind: tuple  # an instance of its class
    others: tuple


def chain_of(kinds):
    """The chain of some classes, in Python; raises KeyError for one that has no row."""
    chain = NoOwnKinds()
    for kind in reversed(kinds):
        _ = KINDS[kind]
        chain = OwnKinds(kind(), chain)
    return chain


distance_by_kind = select("kind", KINDS, attrgetter("distance"), handed=False)


@inline
def none_left(chain, number, x, numbers, k):
    """Walls whose kind is not in the chain do not come here: they are refused before a run."""
    return float("nan"), (0.0, 0.0, 0.0)


@inline
def first_or_others(chain, number, x, numbers, k):
    """Distance and gradient by the first kind of the chain, if that is the one with this number, or by the others."""
    if number == 0:
        return distance_by_kind(chain.kind, x, numbers, k)
    return own_distance(chain.others, number - 1, x, numbers, k)


own_distance = select("chain", {NoOwnKinds: none_left, OwnKinds: first_or_others})
