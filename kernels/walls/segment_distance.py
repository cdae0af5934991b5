"""Closest points of segments and triangles, and of segments and edges.

A segment is x + s u, s from -1 to 1. Of a triangle it may be nearest at one of its ends, at an edge or a corner of the
triangle, or anywhere if it passes through; distances are convex along it, so that nothing else is left.
"""

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, dot, subtract
from dem.kernels.walls.triangles import AB, AC, CORNER, NORMAL, from_closest, triple

LEAST = 1e-300  # in place of a length of zero
TIE = 1e-12  # of squared distances: what is nearer by less is as near
END, THROUGH = 0, 7  # regions, beside those of ``triangles``: nearest at an end of the segment, or through the face


@inline
def within(s, low):
    """S limited to [low, 1]."""
    return min(max(s, low), 1.0)


@inline
def from_edge(rows, t, edge, x, u):
    """Vector from the closest point of an edge of triangle t to that of a segment; places on both, 0 to 1 on the edge.

    C. Ericson, Real-Time Collision Detection (2005), section 5.1.9.
    """
    start, along = triple(rows, t, CORNER), triple(rows, t, AB)
    if edge == 1:
        start, along = add(start, along), subtract(triple(rows, t, AC), along)
    elif edge == 2:
        along = triple(rows, t, AC)
    r = subtract(x, start)
    a, b, e, c, f = dot(u, u), dot(u, along), dot(along, along), dot(u, r), dot(along, r)
    s = within((b * f - c * e) / max(a * e - b * b, LEAST), -1.0)
    t_edge = within((b * s + f) / e, 0.0)
    s = within((b * t_edge - c) / max(a, LEAST), -1.0)
    return add_scaled(add_scaled(r, s, u), -t_edge, along), s, t_edge


@inline
def from_end(rows, t, x, u):
    """Vector from triangle t to the nearer end of a segment, and which that is, -1 or 1."""
    one, _region = from_closest(rows, t, subtract(x, u))
    other, _region = from_closest(rows, t, add(x, u))
    return (other, 1.0) if dot(other, other) < dot(one, one) else (one, -1.0)


@inline
def corner_at(edge, place):
    """Region of the corner at an end of an edge."""
    if edge == 2:
        return 4 if place <= 0.0 else 6
    return 4 + edge if place <= 0.0 else 5 + edge


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
def from_triangle(rows, t, x, u):
    """Vector from the closest point of triangle t to that of a segment, its place on the segment, and the region.

    That is END where an end is as near as any, `THROUGH` where the segment passes through, else that of `triangles`.
    """
    best, place = from_end(rows, t, x, u)
    nearest, region = dot(best, best) * (1.0 - TIE), END
    for edge in range(3):
        v, s, at = from_edge(rows, t, edge, x, u)
        near = dot(v, v)
        if near < nearest and abs(s) < 1.0:
            best, place, nearest = v, s, near
            region = 1 + edge if 0.0 < at < 1.0 else corner_at(edge, at)
    if passes_through(rows, t, x, u):
        return (0.0, 0.0, 0.0), 0.0, THROUGH
    return best, place, region
