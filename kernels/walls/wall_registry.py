"""Registry of kinds of walls: a row of `KINDS` describes a kind for kernels, checks and pictures.

The kinds of this package are numbers, see ``geometry``. A kind of your own is a class, a NamedTuple without fields,
with a row here, and a class for users like `dem.Torus` whose `build_shape` returns a `WallShape` of that kind:

    class BowlKind(NamedTuple):
        "The inside of a bowl."

    dem.register_wall(Bowl, BowlKind, WallKind(distance=distance, sides=CONVEX, triangles=triangles))

Kernels find the rows of these kinds by their chain in a run (`dem.kernels.compiler.kind_chain`).
"""

from operator import attrgetter
from typing import NamedTuple

from dem.kernels.compiler.jit import select
from dem.kernels.compiler.kind_chain import KindTable, by_place, chain_of

FIRST_USER_KIND = 1 << 20  # number of the first kind of users in a run, above those of this package
# how sides of capsules touch a wall: not at all, so that capsules are refused; only with their ends, as at a plane; at
# one place, as the distance is convex along lines outside of it or concave inside; at several, see ``capsule_sides``
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


KINDS: dict[int | type, WallKind] = KindTable("distance")


def user_kinds(kinds):
    """Chain of the given classes of walls, in Python; raises KeyError for a class without a row."""
    for kind in kinds:
        _ = KINDS[kind]
    return chain_of(kinds)


# function of (chain, place, (x, numbers, k)): distance and gradient; kinds without a row are refused before a run
user_distance = by_place(select("kind", KINDS, attrgetter("distance"), handed=False), (float("nan"), (0.0, 0.0, 0.0)))
