"""Distance of two convex bodies of any shape, from their support points alone.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, IEEE J. Robot. Autom. 4 (1988) 193-203: of the differences w = x_A - r -
x_B of support points, up to four are kept as a simplex. Its point v nearest to the origin gives the next direction. The
vertices, edges and faces of the simplex are searched in closed form; of four points only those that contain the newest
one count. If the bodies are not apart, the simplex contains the origin, and the search ends there or nearby.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.convex.shape_registry import rounding_of, support_of
from dem.kernels.numerics.vector import add, dot, scale, subtract

MAX_STEPS = 100
PRECISION = 1e-13  # of a distance, over the sizes that it is a difference of
TOUCHING = 1e-15  # distance over the sizes of cores that are not apart
ZERO_VECTOR = (0.0, 0.0, 0.0)


@inline
def nearest_of_segment(p, q):
    """Squared distance of a segment from the origin, and the share of q; infinite if it is nearest at an end."""
    e = subtract(q, p)
    square = dot(e, e)
    share = -dot(p, e)
    if not 0.0 < share < square:
        return math.inf, 0.0
    share /= square
    v = add(p, scale(share, e))
    return dot(v, v), share


@inline
def nearest_of_triangle(p, q, s):
    """Squared distance of a triangle from the origin, and the shares of q and s; infinite if not nearest inside."""
    e, f = subtract(q, p), subtract(s, p)
    ee, ef, ff, pe, pf = dot(e, e), dot(e, f), dot(f, f), -dot(p, e), -dot(p, f)
    area = ee * ff - ef * ef
    of_q, of_s = ff * pe - ef * pf, ee * pf - ef * pe
    if not (of_q > 0.0 and of_s > 0.0 and of_q + of_s < area):
        return math.inf, 0.0, 0.0
    of_q, of_s = of_q / area, of_s / area
    v = add(p, add(scale(of_q, e), scale(of_s, f)))
    return dot(v, v), of_q, of_s


@func
def nearest_part(count, w_0, w_1, w_2, w_3):
    """Weights of the vertices of a simplex in its point nearest to the origin, which depends on the first vertex."""
    best, shares = dot(w_0, w_0), (1.0, 0.0, 0.0, 0.0)
    if count > 1:
        square, share = nearest_of_segment(w_0, w_1)
        if square < best:
            best, shares = square, (1.0 - share, share, 0.0, 0.0)
    if count > 2:
        square, share = nearest_of_segment(w_0, w_2)
        if square < best:
            best, shares = square, (1.0 - share, 0.0, share, 0.0)
        square, share, other = nearest_of_triangle(w_0, w_1, w_2)
        if square < best:
            best, shares = square, (1.0 - share - other, share, other, 0.0)
    if count > 3:
        square, share = nearest_of_segment(w_0, w_3)
        if square < best:
            best, shares = square, (1.0 - share, 0.0, 0.0, share)
        square, share, other = nearest_of_triangle(w_0, w_1, w_3)
        if square < best:
            best, shares = square, (1.0 - share - other, share, 0.0, other)
        square, share, other = nearest_of_triangle(w_0, w_2, w_3)
        if square < best:
            best, shares = square, (1.0 - share - other, 0.0, share, other)
    return best, shares


@inline
def weighted(shares, u_0, u_1, u_2, u_3):
    """Sum of vectors by their shares."""
    return add(add(scale(shares[0], u_0), scale(shares[1], u_1)), add(scale(shares[2], u_2), scale(shares[3], u_3)))


@inline
def append_if(share, count, p, p_1, p_2, p_3):
    """Points that are kept, and p as a further one if it has a share."""
    if not share > 0.0:
        return count, p_1, p_2, p_3
    if count == 1:
        return 2, p, p_2, p_3
    if count == 2:
        return 3, p_1, p, p_3
    return 4, p_1, p_2, p


@inline
def core_points(a, b, r, n):
    """Support point of the core of A, and its difference from that of the core of B at r, for a normal from A to B."""
    _, x_a = support_of(a, n)
    _, x_b = support_of(b, scale(-1.0, n))
    x_a = subtract(x_a, scale(rounding_of(a), n))
    x_b = add(x_b, scale(rounding_of(b), n))
    return x_a, subtract(subtract(x_a, x_b), r)


@func
def closest_points(a, b, r, n):
    """Places on the cores of two bodies that are apart, at which they are nearest.

    Parameters
    ----------
    a, b : ConvexBody
    r : (3,) floats
        From the centre of A to that of B [m].
    n : (3,) floats
        Unit vector to begin with.

    Returns
    -------
    unit normal from A to B, which proves the cores to be apart if any does, closest place on the core of A about its
    centre [m], number of steps; the shares of four support points, of which some are 0, and those points on A and as
    differences [m]
    """
    p_0 = core_points(a, b, r, n)
    p_1 = p_2 = p_3 = (ZERO_VECTOR, ZERO_VECTOR)
    v = p_0[1]
    square, shares, steps = dot(v, v), (1.0, 0.0, 0.0, 0.0), 0
    size = math.sqrt(dot(p_0[0], p_0[0])) + math.sqrt(square) + math.sqrt(dot(r, r))
    while steps < MAX_STEPS and square > (TOUCHING * size) * (TOUCHING * size):
        steps += 1
        length = math.sqrt(square)
        p = core_points(a, b, r, scale(-1.0 / length, v))
        if square - dot(v, p[1]) <= PRECISION * size * length:
            break
        count, q_1, q_2, q_3 = append_if(shares[0], 1, p_0, p_3, p_3, p_3)
        count, q_1, q_2, q_3 = append_if(shares[1], count, p_1, q_1, q_2, q_3)
        count, q_1, q_2, q_3 = append_if(shares[2], count, p_2, q_1, q_2, q_3)
        count, q_1, q_2, q_3 = append_if(shares[3], count, p_3, q_1, q_2, q_3)
        nearer, parts = nearest_part(count, p[1], q_1[1], q_2[1], q_3[1])
        if not nearer < square:  # rounding
            break
        square, shares, p_0, p_1, p_2, p_3 = nearer, parts, p, q_1, q_2, q_3
        v = weighted(shares, p_0[1], p_1[1], p_2[1], p_3[1])
    place = weighted(shares, p_0[0], p_1[0], p_2[0], p_3[0])
    normal = scale(-1.0 / math.sqrt(square), v) if square > 0.0 else n
    return normal, place, steps, shares, (p_0, p_1, p_2, p_3)
