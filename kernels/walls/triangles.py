"""Closest points of triangles and their edges to points and segments.

A row of `Geometry.triangle` is: the smallest circle about the triangle, centre (3) and radius; unit normal (3); corner
A (3); B - A (3); C - A (3). Edges are 0 from A to B, 1 from B to C, 2 from C to A; the *region* in which the closest
point lies is 0 for the face, 1 to 3 for edges 0 to 2, 4 to 6 for corners A to C.

A segment is x + s u, s from -1 to 1. Of a triangle it may be nearest at one of its ends, at an edge or a corner of the
triangle, or anywhere if it passes through; distances are convex along it, so that nothing else is left.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, dot, scale, subtract

RADIUS, NORMAL, CORNER, AB, AC, NUMBERS = 3, 4, 7, 10, 13, 16
LONGER = 1.0 + 1e-9
TINY_SQUARE = 1e-300  # in place of a length of zero
TIE = 1e-12  # of squared distances: what is nearer by less is as near
END, THROUGH = 0, 7  # regions of segments besides: nearest at an end of the segment, or through the face


@inline
def triple(rows, t, k):
    """Three numbers of a row."""
    return rows[t, k], rows[t, k + 1], rows[t, k + 2]


@inline
def may_reach(rows, t, x, reach):
    """Whether a triangle's circumcircle is within reach of the circle that the sphere cuts out of its plane.

    Rounding never excludes a triangle within reach, so that a search for the closest point gives the same result.
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
def edge_of(rows, t, edge):
    """First point of an edge of triangle t, and the vector along it."""
    start, along = triple(rows, t, CORNER), triple(rows, t, AB)
    if edge == 1:
        return add(start, along), subtract(triple(rows, t, AC), along)
    return start, triple(rows, t, AC) if edge == 2 else along


@inline
def from_edge(rows, t, edge, x):
    """Vector from the closest point of an edge of triangle t to x."""
    start, along = edge_of(rows, t, edge)
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
    """Overlap of a sphere of this radius with a triangle of unit normal n [m], and the unit vector away from it.

    v, near, beside: from the closest point to the sphere's centre, its square, whether it is on an edge or a corner.
    """
    if beside:
        n = unit(v, near, n)
    elif dot(v, n) < 0.0:
        n = scale(-1.0, n)
    return radius - math.sqrt(near), n


@inline
def segment_from_edge(rows, t, edge, x, u):
    """Vector from the closest point of an edge of triangle t to that of a segment; parameters, 0 to 1 on the edge.

    C. Ericson, Real-Time Collision Detection (2005), section 5.1.9.
    """
    start, along = edge_of(rows, t, edge)
    r = subtract(x, start)
    a, b, e, c, f = dot(u, u), dot(u, along), dot(along, along), dot(u, r), dot(along, r)
    s = min(max((b * f - c * e) / max(a * e - b * b, TINY_SQUARE), -1.0), 1.0)
    t_edge = min(max((b * s + f) / e, 0.0), 1.0)
    s = min(max((b * t_edge - c) / max(a, TINY_SQUARE), -1.0), 1.0)
    return add_scaled(add_scaled(r, s, u), -t_edge, along), s, t_edge


@inline
def segment_from_end(rows, t, x, u):
    """Vector from triangle t to the nearer end of a segment, and which that is, -1 or 1."""
    low, _region = from_closest(rows, t, subtract(x, u))
    high, _region = from_closest(rows, t, add(x, u))
    return (high, 1.0) if dot(high, high) < dot(low, low) else (low, -1.0)


@inline
def corner_at(edge, t_edge):
    """Region of the corner at an end of an edge."""
    if edge == 2:
        return 4 if t_edge <= 0.0 else 6
    return 4 + edge if t_edge <= 0.0 else 5 + edge


@inline
def passes_through(rows, t, x, u):
    """Whether a segment passes through triangle t, not in its plane."""
    n, p = triple(rows, t, NORMAL), subtract(x, triple(rows, t, CORNER))
    height, rise = dot(p, n), dot(u, n)
    if abs(height) >= abs(rise):
        return False
    _v, region = from_closest(rows, t, add_scaled(x, -height / rise, u))
    return region == 0


@inline
def segment_from_triangle(rows, t, x, u):
    """Vector from the closest point of triangle t to that of a segment, its parameter on the segment, and the region.

    The region is END if an end is nearest, `THROUGH` if the segment passes through, else that of `triangles`.
    """
    best, best_s = segment_from_end(rows, t, x, u)
    nearest, region = dot(best, best) * (1.0 - TIE), END
    for edge in range(3):
        v, s, t_edge = segment_from_edge(rows, t, edge, x, u)
        near = dot(v, v)
        if near < nearest and abs(s) < 1.0:
            best, best_s, nearest = v, s, near
            region = 1 + edge if 0.0 < t_edge < 1.0 else corner_at(edge, t_edge)
    if passes_through(rows, t, x, u):
        return (0.0, 0.0, 0.0), 0.0, THROUGH
    return best, best_s, region
