"""Distances by which pairs are excluded from further tests."""

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, subtract

TINY = 1e-300  # keeps a quotient of parallel segments finite


@inline
def clamp(s):
    """S limited to [0, 1]."""
    return min(max(s, 0.0), 1.0)


@inline
def segment_distance_squared(p0, p1, q0, q1):
    """Squared distance of the segments p0 p1 and q0 q1, points included.

    C. Ericson, Real-Time Collision Detection (2005), section 5.1.9, without its branches: the closest points of the two
    lines, limited to the segments one after the other. For nearly parallel segments the place is ill-conditioned but
    the distance is not.
    """
    u = subtract(p1, p0)
    v = subtract(q1, q0)
    r = subtract(p0, q0)
    a, b, e = dot(u, u), dot(u, v), dot(v, v)
    c, f = dot(u, r), dot(v, r)
    denominator = a * e - b * b
    s = clamp((b * f - c * e) / denominator) if denominator > 0.0 else 0.0
    t = clamp((b * s + f) / e) if e > 0.0 else 0.0
    s = clamp((b * t - c) / a) if a > 0.0 else 0.0
    gap = subtract(add_scaled(p0, s, u), add_scaled(q0, t, v))
    return dot(gap, gap)


@inline
def rod_distance_squared(x, u, v, half_u, half_v):
    """Squared distance of two segments of given directions and half lengths; see `segment_distance_squared`.

    One division in place of three. Of parallel segments, where it is zero by zero, any place on the first line will do.

    x: from the middle of the second to that of the first [m].
    u, v: unit vectors. half_u, half_v: half lengths [m].
    """
    uv, ux, vx = dot(u, v), dot(u, x), dot(v, x)
    s = min(max((uv * vx - ux) / max(1.0 - uv * uv, TINY), -half_u), half_u)
    t = min(max(uv * s + vx, -half_v), half_v)
    s = min(max(uv * t - ux, -half_u), half_u)
    gap = add_scaled(add_scaled(x, s, u), -t, v)
    return dot(gap, gap)
