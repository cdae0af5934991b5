"""Shapes of all walls in flat arrays, each in the frame of its wall, and contacts of a sphere with a wall.

A kind of wall is a formula of ``primitives``, the distance of a place and its gradient, and a row of ``wall_registry``;
``dem.model.walls.wall_shapes`` makes the numbers.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel, noinline, select
from dem.kernels.numerics.vector import load
from dem.kernels.walls import contact_patches, primitives, revolution
from dem.kernels.walls.potential_terms import add_piece, clear_contact
from dem.kernels.walls.wall_registry import CONVEX, ENDS_ONLY, FIRST_USER_KIND, KINDS, SPECIAL, WallKind, user_distance

MESH, REVOLUTION, PLANE, BALL, RECTANGLE, BLOCK, CAPSULE, TORUS = range(8)
PRIMITIVES = {
    PLANE: WallKind(primitives.plane_distance, ENDS_ONLY), BALL: WallKind(primitives.ball_distance, CONVEX),
    RECTANGLE: WallKind(primitives.rectangle_distance, CONVEX), BLOCK: WallKind(primitives.block_distance, CONVEX),
    CAPSULE: WallKind(primitives.capsule_distance, CONVEX), TORUS: WallKind(primitives.torus_distance, SPECIAL),
}  # fmt: skip
KINDS |= PRIMITIVES
KINDS |= {kind: WallKind(None, SPECIAL) for kind in (MESH, REVOLUTION)}


class Unused(NamedTuple):
    """Marker of a feature that no wall of the run has: no kernel has code for it."""


class Used(NamedTuple):
    """Marker of a feature that some wall of the run may have."""


def usage(is_used):
    """`Used` or `Unused`."""
    return Used() if is_used else Unused()


class Geometry(NamedTuple):
    """Shapes of W walls as arrays.

    ``kind`` (W,) int64 says what each is; ``first_number`` (W,) int64 where its numbers begin in ``numbers``;
    ``first_triangle`` (W,) int64 where its triangles begin in ``triangle`` (F, 16), see ``triangles``; ``adjacent``
    (F, 3) int64 is the next triangle around each of their edges, -1 where there is none, ``corner`` (F, 3) int64 their
    vertices; ``cells`` (C, 3) int64 and ``listed`` (E,) int32 say where they are, see ``mesh_cells``. ``room`` (2,)
    int64 is the number of rows that `find_contacts` needs of scratch, and W. ``own`` is the chain of kinds that are not
    of this package. ``meshes``, ``primitives`` (`PRIMITIVES`) and ``revolutions`` are `Used` or `Unused`.
    """

    kind: np.ndarray
    first_number: np.ndarray
    numbers: np.ndarray
    first_triangle: np.ndarray
    triangle: np.ndarray
    adjacent: np.ndarray
    corner: np.ndarray
    cells: np.ndarray
    listed: np.ndarray
    room: np.ndarray
    own: tuple
    meshes: tuple
    primitives: tuple
    revolutions: tuple


def _either(kind, own, others):
    """Function that evaluates one distance for a kind of wall, and another for all other kinds."""

    @inline
    def distance(given, x, geometry, k):
        if given == kind:
            return own(x, geometry.numbers, k)
        return others(given, x, geometry, k)

    return distance


@inline
def distance_of_user_kind(kind, x, geometry, k):
    """Distance and gradient of a kind of wall of another package."""
    return user_distance(geometry.own, kind - FIRST_USER_KIND, (x, geometry.numbers, k))


def _choice():
    """Function of (kind, x, geometry, k): distance of x from a primitive, less than 0 within, and its gradient."""
    found = distance_of_user_kind
    for kind, row in reversed(PRIMITIVES.items()):
        found = _either(kind, row.distance, found)
    return found


distance = select("geometry.primitives", {Unused: distance_of_user_kind, Used: _choice()})
find_in_mesh = select("geometry.meshes", {Unused: 0, Used: contact_patches.find_in_mesh})
distance_of_mesh = select("geometry.meshes", {Unused: np.inf, Used: contact_patches.distance})


def _of_revolution(without, function):
    """Function of walls with surfaces of revolution, the geometry before its arguments; a value without such walls."""
    return select("geometry.revolutions", {Unused: without, Used: function}, handed=False)


find_on_revolution = _of_revolution(0, revolution.find_on_revolution)
distance_of_revolution = _of_revolution(np.inf, revolution.distance)
same_or_adjacent_segments = _of_revolution(False, revolution.same_or_adjacent)


@noinline
def find_contacts(w, x, radius, power, geometry, contacts, scratch):
    """Find the contacts of a sphere with wall w, in the order of lowest pieces: a row of ``potential_terms`` for each.

    A function of its own, which gets all arrays as arguments.
    x, radius: centre in the wall's frame, radius [m], at most the reach of a mesh.
    power: p of the normal force, δ^p: 3/2 for Hertz's law, 1 for a linear one.
    contacts, scratch: rows of 8 numbers or more to write; `geometry.room[0]` rows or more of 12 or more to work in.
    Returns the number of contacts; if less than 0 there are too few rows, and as many as this are needed.
    """
    kind, k = geometry.kind[w], geometry.first_number[w]
    if kind == MESH:
        return find_in_mesh(x, radius, power, k, geometry.first_triangle[w], geometry, contacts, scratch)
    if kind == REVOLUTION:
        return find_on_revolution(geometry, x, radius, power, geometry.numbers, k, contacts, scratch)
    d, n = distance(kind, x, geometry, k)
    if d >= radius:
        return 0
    clear_contact(contacts, 0, 0)
    add_piece(contacts, 0, radius - d, n, 0, power)
    return 1


@func
def clearance(w, x, geometry):
    """Lower bound of the distance of x from wall w [m]: the distance itself within reach, less than 0 inside."""
    kind, k = geometry.kind[w], geometry.first_number[w]
    if kind == MESH:
        return distance_of_mesh(x, k, geometry)
    if kind == REVOLUTION:
        return distance_of_revolution(geometry, x, geometry.numbers, k)
    d, _n = distance(kind, x, geometry, k)
    return d


@func
def neighbours_of(w, piece, other, geometry):
    """Whether two pieces of a wall share an edge or vertex, or are the same, so that contacts move between them."""
    if geometry.kind[w] == REVOLUTION:
        return same_or_adjacent_segments(geometry, piece, other, geometry.numbers, geometry.first_number[w])
    if geometry.kind[w] == MESH:
        f, g = geometry.first_triangle[w] + piece, geometry.first_triangle[w] + other
        for a in range(3):
            for b in range(3):
                if geometry.corner[f, a] == geometry.corner[g, b]:
                    return True
        return False
    return piece == other


@kernel
def clearances(points, geometry, distances):
    """Write the `clearance` of each place (3, K) from the nearest wall to `distances` (K,) [m], walls as at time 0."""
    for k in range(distances.size):
        nearest = np.inf
        for w in range(geometry.kind.size):
            nearest = min(nearest, clearance(w, load(points, k), geometry))
        distances[k] = nearest
