"""Closest points of triangles and of their edges.

A row of `Geometry.triangle` is: the smallest circle about the triangle, centre (3) and radius; unit normal (3); corner
A (3); B - A (3); C - A (3). Edges are 0 from A to B, 1 from B to C, 2 from C to A; the *region* in which the closest
point lies is 0 for the face, 1 to 3 for edges 0 to 2, 4 to 6 for corners A to C.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, dot, scale, subtract

RADIUS, NORMAL, CORNER, AB, AC, NUMBERS = 3, 4, 7, 10, 13, 16
LONGER = 1.0 + 1e-9


@inline
def triple(rows, t, k):
    """Three numbers of a row."""
    return rows[t, k], rows[t, k + 1], rows[t, k + 2]


@inline
def may_reach(rows, t, x, reach):
    """Whether the circle about the triangle is within reach: in its plane, that of what the sphere cuts out of it.

    What is in reach is never left out for rounding, so that who asks for the closest point at once finds the same.
    """
    reach *= LONGER
    p = subtract(x, triple(rows, t, 0))
    h = dot(p, triple(rows, t, NORMAL))
    cut = reach * reach - h * h
    if cut <= 0.0:
        return False
    r = rows[t, RADIUS] * rows[t, RADIUS]
    beyond = dot(p, p) - h * h - r - cut  # of the squares, less than 2 r √cut; no root, which branches would wait for
    return beyond < 0.0 or beyond * beyond < 4.0 * r * cut


@inline
def from_closest(rows, t, x):
    """Vector from the closest point of triangle t to x, and its region."""
    p = subtract(x, triple(rows, t, CORNER))
    return closest(p, triple(rows, t, AB), triple(rows, t, AC), triple(rows, t, NORMAL))


@inline
def closest(p, ab, ac, n):  # noqa: PLR0911, one for each region
    """Vector from the closest point of a triangle to p, and its region; p, B - A and C - A are relative to corner A.

    C. Ericson, Real-Time Collision Detection (2005), section 5.1.5; over the face by the normal, which slivers do not
    spoil.
    """
    d1, d2 = dot(ab, p), dot(ac, p)
    if d1 <= 0.0 and d2 <= 0.0:
        return p, 4
    q = subtract(p, ab)
    d3, d4 = dot(ab, q), dot(ac, q)
    if d3 >= 0.0 and d4 <= d3:
        return q, 5
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return add_scaled(p, -(d1 / (d1 - d3)), ab), 1
    r = subtract(p, ac)
    d5, d6 = dot(ab, r), dot(ac, r)
    if d6 >= 0.0 and d5 <= d6:
        return r, 6
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return add_scaled(p, -(d2 / (d2 - d6)), ac), 3
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return add_scaled(q, -s, subtract(ac, ab)), 2
    return scale(dot(p, n), n), 0


@inline
def from_edge(rows, t, edge, x):
    """Vector from the closest point of an edge of triangle t to x."""
    start = triple(rows, t, CORNER)
    along = triple(rows, t, AB)
    if edge == 1:
        start = add(start, along)
        along = subtract(triple(rows, t, AC), along)
    elif edge == 2:
        along = triple(rows, t, AC)
    p = subtract(x, start)
    s = dot(p, along) / dot(along, along)
    return add_scaled(p, -min(max(s, 0.0), 1.0), along)


@inline
def unit(v, near, n):
    """The vector v of length² `near`, of unit length; on the surface itself the triangle's normal n."""
    if near > 0.0:
        return scale(1.0 / math.sqrt(near), v)
    return n


@inline
def from_piece(v, near, beside, radius, n):
    """Overlap of a sphere with a triangle, and the direction away from it.

    Parameters
    ----------
    v, near, beside : from the closest point to the sphere's centre, its square, whether it is on an edge or a corner
    radius, n : of the sphere [m], unit normal of the triangle

    Returns
    -------
    overlap [m], unit vector
    """
    if beside:
        n = unit(v, near, n)
    elif dot(v, n) < 0.0:
        n = scale(-1.0, n)
    return radius - math.sqrt(near), n
