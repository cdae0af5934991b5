"""Overlap of two convex bodies: the minimum over unit vectors n of g(n) = h_A(n) + h_B(-n) - n · r.

For smooth bodies the minimum is found by Newton's method in the plane across n, with a trust region. The gradient there
is the part of e = x_A - r - x_B across n, and the second derivatives are those of h_A and h_B less g. Steps that do not
lower g are shortened.

For all other bodies, and where Newton's method does not converge, B is shifted along n until the bodies are apart, and
their distance is computed (``closest_points``). With a shift s, this distance is the largest s n · m - g(m), so that
its normal m has g(m) <= g(n) - s (1 - n · m). Repeated shifts converge to a minimum of g for any shapes, after a few
shifts where faces, edges or vertices meet. The distance is that of the cores, without their rounding: bodies whose
cores are apart need no shift.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import func, inline, noinline, select
from dem.kernels.convex.closest_points import MAX_STEPS as MAX_STEPS_OF_DISTANCE
from dem.kernels.convex.closest_points import ZERO_VECTOR, closest_points
from dem.kernels.convex.shape_registry import (
    along_two,
    has_flat_places,
    is_smooth,
    lines_of,
    normal_of,
    rounding_of,
    support_of,
    surface_of,
)
from dem.kernels.numerics.vector import across, add, add_scaled, dot, scale, subtract

MAX_STEPS = 60  # of Newton's method
MAX_SHIFTS = 60
MAX_NEWTON_RESTARTS = 4  # times that Newton's method is tried at the end of shifts
# predicted decrease of g, over the sizes, below which a step is the last one: SHORTEST at the level of rounding; SHORT
# for a step of a small angle, which is then taken to first order
SHORTEST, SHORT, SMALL_ANGLE = 1e-16, 1e-13, 1e-6
FIRST_RADIUS = 0.5  # of the trust region, an angle
APART = 1e-3  # distance of cores over their sizes, above which its direction is precise
COARSE = 1e-11  # of g, over the sizes, by which a shift has to lower it
PARALLEL = 1e-5  # angle of lines that count as parallel, and length over the sizes of lines that count as none
FLAT = 1e-9  # the sizes over the radius of curvature of a straight line
NEAR = 1e-3  # distance over the sizes
SHIFT = 0.05  # beyond touching, over the sizes
BEND = 0.1  # weight of a step of the normal itself, over the sizes
NOISE = 1e-14  # of g, over the sizes
# how a search ends: as is usual for the shapes; by shifts of smooth bodies, of which Newton's method had not ended;
# with the best normal so far, after the most steps allowed
USUAL, BY_SHIFTS, UNFINISHED = range(3)


@inline
def unit(u):
    """Vector u divided by its length."""
    return scale(1.0 / math.sqrt(dot(u, u)), u)


@inline
def first_direction(r):
    """Initial normal: from centre to centre, or arbitrary if the centres coincide."""
    return unit(r) if dot(r, r) > 0.0 else (0.0, 0.0, 1.0)


@inline
def function_at(a, b, r, n):
    """g(n) [m], support points of A and B about their centres [m], and the magnitude h_A + h_B + |n · r| [m]."""
    h_a, x_a = support_of(a, n)
    h_b, x_b = support_of(b, scale(-1.0, n))
    along = dot(n, r)
    return h_a + h_b - along, x_a, x_b, h_a + h_b + abs(along)


@inline
def surfaces_at(a, b, r, n):
    """Results of `function_at`, and the curvatures of A at n and of B at -n."""
    h_a, x_a, of_a = surface_of(a, n)
    h_b, x_b, of_b = surface_of(b, scale(-1.0, n))
    along = dot(n, r)
    return h_a + h_b - along, x_a, x_b, h_a + h_b + abs(along), (of_a, of_b)


@inline
def solve_symmetric(k_11, k_12, k_22, g_1, g_2):
    """Solution s = -k⁻¹ g for a symmetric matrix k, and the last pivot of the elimination.

    The first diagonal element of k is not much less than the last.
    """
    per_first = 1.0 / k_11
    share = k_12 * per_first
    pivot = k_22 - share * k_12
    s_2 = (share * g_1 - g_2) / pivot
    return -(g_1 + k_12 * s_2) * per_first, s_2, pivot


@inline
def newton_step(g_1, g_2, k_11, k_12, k_22, radius):
    """Step (s_1, s_2) of Newton's method within a radius.

    If the second derivatives are not positive, or the step is too long, a shift is added to both diagonal elements.
    """
    gradient_norm = math.sqrt(g_1 * g_1 + g_2 * g_2)
    half = 0.5 * (k_11 - k_22)
    largest = 0.5 * (k_11 + k_22) + math.sqrt(half * half + k_12 * k_12)
    if largest > 0.0 and k_11 > 0.0:
        s_1, s_2, pivot = solve_symmetric(k_11, k_12, k_22, g_1, g_2)
        smallest = pivot * (k_11 / largest)
        if smallest > 0.0 and s_1 * s_1 + s_2 * s_2 <= radius * radius:
            return s_1, s_2
    else:
        smallest = 2.0 * half + 2.0 * k_22 - largest
    shift = max(gradient_norm / radius - smallest, 0.0)
    s_1, s_2, pivot = solve_symmetric(k_11 + shift, k_12, k_22 + shift, g_1, g_2)
    if not (k_11 + shift > 0.0 and pivot > 0.0):
        return 0.0, 0.0
    return s_1, s_2


@inline
def saddle_step(k_11, k_12, k_22, radius):
    """Step of a given length along the direction of least curvature."""
    half = 0.5 * (k_11 - k_22)
    spread = math.sqrt(half * half + k_12 * k_12)
    s_1, s_2 = (-k_12, half + spread) if half > 0.0 else (half - spread, k_12)
    length = math.sqrt(s_1 * s_1 + s_2 * s_2)
    return (radius * s_1 / length, radius * s_2 / length) if length > 0.0 else (radius, 0.0)


@inline
def multiply_symmetric(k, s_1, s_2):
    """Symmetric matrix (11, 12, 22) times a vector."""
    return k[0] * s_1 + k[1] * s_2, k[1] * s_1 + k[2] * s_2


@inline
def combine(s_1, s_2, t_1, t_2):
    """Vector s_1 t_1 + s_2 t_2."""
    return add(scale(s_1, t_1), scale(s_2, t_2))


@inline
def step_of_normal(body, sign, y, n, t_1, t_2, s_1, s_2):
    """Step from n to sign times the outward normal of a body, at its surface point on the ray through y."""
    if not has_flat_places(body):
        return s_1, s_2
    m = normal_of(body, y)
    along = sign * dot(m, n)
    if not along > 0.0:
        return s_1, s_2
    return sign * dot(m, t_1) / along, sign * dot(m, t_2) / along


@inline
def curvature_corrected_step(a, b, n, t_1, t_2, x_a, x_b, of_a, of_b, s_1, s_2, size):
    """Step of n that moves the support points, rather than n itself, by Newton's step (s_1, s_2).

    To first order both are the same. Where a body is flat, n hardly turns while x(n) moves far, and linear in x is
    the better model; where it is curved, linear in n is. The steps of A, of B, and of n are averaged with the radii of
    curvature of A and B and with the sizes as weights.
    """
    moved_a, moved_b = multiply_symmetric(of_a, s_1, s_2), multiply_symmetric(of_b, s_1, s_2)
    y_a = add(x_a, combine(moved_a[0], moved_a[1], t_1, t_2))
    y_b = subtract(x_b, combine(moved_b[0], moved_b[1], t_1, t_2))
    a_1, a_2 = step_of_normal(a, 1.0, y_a, n, t_1, t_2, s_1, s_2)
    b_1, b_2 = step_of_normal(b, -1.0, y_b, n, t_1, t_2, s_1, s_2)
    by_a, by_b = multiply_symmetric(of_a, a_1, a_2), multiply_symmetric(of_b, b_1, b_2)
    c_1, c_2 = by_a[0] + by_b[0] + size * s_1, by_a[1] + by_b[1] + size * s_2
    k_11, k_12, k_22 = of_a[0] + of_b[0] + size, of_a[1] + of_b[1], of_a[2] + of_b[2] + size
    d_1, d_2, _ = solve_symmetric(k_11, k_12, k_22, -c_1, -c_2)
    return d_1, d_2


@inline
def principal_directions(k_11, k_12, k_22, t_1, t_2):
    """Vectors t_1, t_2 turned to the principal directions of a symmetric matrix, the larger first."""
    half = 0.5 * (k_11 - k_22)
    spread = math.sqrt(half * half + k_12 * k_12)
    c, s = (half + spread, k_12) if half > 0.0 else (k_12, spread - half)
    length = math.sqrt(c * c + s * s)
    if length == 0.0:
        return t_1, t_2
    per_length = 1.0 / length
    c, s = c * per_length, s * per_length
    return add(scale(c, t_1), scale(s, t_2)), add(scale(-s, t_1), scale(c, t_2))


@inline
def unit_part_across(u, e, least):
    """Unit vector along the part of u across a unit vector or zeros, e; zeros if u is not longer than some length."""
    length = math.sqrt(dot(u, u))
    v = add_scaled(u, -dot(u, e), e)
    remaining_length = math.sqrt(dot(v, v))
    if remaining_length <= PARALLEL * length or length <= least:
        return ZERO_VECTOR
    return scale(1.0 / remaining_length, v)


@inline
def add_line(curvature, line, flat, t_1, t_2):
    """Curvature of a body that has a straight line on its surface, a unit vector or zeros: flat, a large radius."""
    u_1, u_2 = dot(line, t_1), dot(line, t_2)
    return curvature[0] + flat * u_1 * u_1, curvature[1] + flat * u_1 * u_2, curvature[2] + flat * u_2 * u_2


@func
def lines_where_touching(body, shares, p_0, p_1, p_2, p_3, least):
    """Two unit vectors across each other, along straight lines on a body between its support points, or zeros."""
    e_1 = e_2 = ZERO_VECTOR
    for share, p in ((shares[1], p_1), (shares[2], p_2), (shares[3], p_3)):
        if share > 0.0:
            for line in lines_of(body, p_0, p):
                if dot(e_1, e_1) == 0.0:
                    e_1 = unit_part_across(line, ZERO_VECTOR, least)
                elif dot(e_2, e_2) == 0.0:
                    e_2 = unit_part_across(line, e_1, least)
    return e_1, e_2


class NoLines(NamedTuple):
    """Bodies without straight lines where they touch."""


class Lines(NamedTuple):
    """Directions of the edges or straight generators of A and of B at their contact: unit vectors, or zeros."""

    a_1: tuple
    a_2: tuple  # across a_1
    b_1: tuple
    b_2: tuple  # across b_1
    u_1: tuple  # orthonormal basis of all of them, zeros if there are fewer than two directions
    u_2: tuple


@func
def lines_between(a_1, a_2, b_1, b_2):
    """Straight lines of A and of B as `Lines`, with an orthonormal basis (u_1, u_2) of at most two of their directions.

    Lines at a contact are across its normal, so two directions span them all. Where rounding or a coarse normal leaves
    a third direction, it is not in the basis.
    """
    u_1 = a_1 if dot(a_1, a_1) > 0.0 else b_1
    u_2 = a_2
    if dot(u_2, u_2) == 0.0:
        u_2 = unit_part_across(b_1, u_1, 0.0)
    if dot(u_2, u_2) == 0.0:
        u_2 = unit_part_across(b_2, u_1, 0.0)
    return Lines(a_1, a_2, b_1, b_2, u_1, u_2)


@inline
def unchanged(u, lines):
    """Return u."""
    return u


@inline
def without_lines(u, lines):
    """Part of u that is across all lines."""
    u = add_scaled(u, -dot(u, lines.u_1), lines.u_1)
    return add_scaled(u, -dot(u, lines.u_2), lines.u_2)


across_lines = select("lines", {NoLines: unchanged, Lines: without_lines})


@inline
def has_flat(a, b):
    """Whether one of two bodies is flat in places."""
    return has_flat_places(a) or has_flat_places(b)


@inline
def frame_of_surfaces(a, b, n, surfaces, size, lines):
    """Two unit vectors across n, and the curvatures of A and B along them; where bodies are flat, principal ones."""
    t_1, t_2 = across(n)
    of_a, of_b = along_two(surfaces[0], t_1, t_2), along_two(surfaces[1], t_1, t_2)
    if has_flat(a, b):  # small curvatures beside large ones keep their digits
        t_1, t_2 = principal_directions(of_a[0] + of_b[0], of_a[1] + of_b[1], of_a[2] + of_b[2], t_1, t_2)
        of_a, of_b = along_two(surfaces[0], t_1, t_2), along_two(surfaces[1], t_1, t_2)
    return t_1, t_2, of_a, of_b


@inline
def frame_of_lines(a, b, n, surfaces, size, lines):
    """Two unit vectors across n, and the curvatures of A and B along them, with large radii along straight lines."""
    t_1, t_2 = across(n)
    of_a, of_b = curvatures_with_lines(surfaces, t_1, t_2, size / FLAT, lines)
    t_1, t_2 = principal_directions(of_a[0] + of_b[0], of_a[1] + of_b[1], of_a[2] + of_b[2], t_1, t_2)
    of_a, of_b = curvatures_with_lines(surfaces, t_1, t_2, size / FLAT, lines)
    return t_1, t_2, of_a, of_b


@func
def curvatures_with_lines(surfaces, t_1, t_2, flat, lines):
    """Curvatures of A and B along two vectors across n, with a large radius along straight lines."""
    of_a, of_b = along_two(surfaces[0], t_1, t_2), along_two(surfaces[1], t_1, t_2)
    of_a = add_line(add_line(of_a, lines.a_1, flat, t_1, t_2), lines.a_2, flat, t_1, t_2)
    return of_a, add_line(add_line(of_b, lines.b_1, flat, t_1, t_2), lines.b_2, flat, t_1, t_2)


frame_across = select("lines", {NoLines: frame_of_surfaces, Lines: frame_of_lines})


@inline
def is_positive(k_11, k_12, k_22):
    """Whether a symmetric matrix whose first element is not much less than the last has no negative eigenvalues."""
    return k_11 >= 0.0 and k_22 - k_12 * (k_12 / k_11) >= 0.0


# beside straight lines a small angle moves the support point far
largest_last_decrease = select("lines", {NoLines: SHORT, Lines: SHORTEST})


@inline
def is_last(decrease, s_1, s_2, size, lines):
    """Whether a step (s_1, s_2) with a predicted decrease of g [m] is short enough to be the last one."""
    short = largest_last_decrease(lines) if s_1 * s_1 + s_2 * s_2 < SMALL_ANGLE * SMALL_ANGLE else SHORTEST
    return decrease <= short * size


@func
def newton_overlap(a, b, r, n, lowest, lines):
    """Minimum of g by Newton's method from a normal n on, see `overlap`, and whether it was found.

    A body with a straight line on its surface where the other touches it is one without curvature along it: n stays
    across the line, and with a large radius there the step moves the support point along the line as far as needed.
    """
    g, x_a, x_b, size, surfaces = surfaces_at(a, b, r, n)
    steps, radius = 1, FIRST_RADIUS
    may_correct, is_corrected = has_flat(a, b), False
    while steps < MAX_STEPS and g >= lowest:
        t_1, t_2, of_a, of_b = frame_across(a, b, n, surfaces, size, lines)
        e = subtract(subtract(x_a, x_b), r)
        g_1, g_2 = dot(e, t_1), dot(e, t_2)
        k_11, k_12, k_22 = of_a[0] + of_b[0] - g, of_a[1] + of_b[1], of_a[2] + of_b[2] - g
        s_1, s_2 = newton_step(g_1, g_2, k_11, k_12, k_22, radius)
        gradient = across_lines(e, lines)
        decrease = -0.5 * (s_1 * dot(gradient, t_1) + s_2 * dot(gradient, t_2))
        share, accepted, first = 1.0, False, True
        if is_last(decrease, s_1, s_2, size, lines) and is_positive(k_11, k_12, k_22):
            break
        if decrease <= SHORTEST * size:
            s_1, s_2 = saddle_step(k_11, k_12, k_22, radius)
        length = math.sqrt(s_1 * s_1 + s_2 * s_2)
        while steps < MAX_STEPS:
            d_1, d_2 = share * s_1, share * s_2
            if is_corrected:
                d_1, d_2 = curvature_corrected_step(a, b, n, t_1, t_2, x_a, x_b, of_a, of_b, d_1, d_2, BEND * size)
            m = unit(across_lines(add(n, combine(d_1, d_2, t_1, t_2)), lines))
            g_m, y_a, y_b, _, surfaces_m = surfaces_at(a, b, r, m)
            steps += 1
            expected = share * (2.0 - share) * decrease
            accepted = g_m <= g - 0.1 * expected
            if accepted or decrease <= NOISE * size:
                break
            if may_correct and first:
                is_corrected, first = not is_corrected, False
            else:
                share, first = 0.25 * share, True
                radius = share * length
        if not accepted:
            break
        if g - g_m > 0.7 * expected:
            radius = max(radius, 2.0 * length)
        g, n, x_a, x_b, surfaces, decrease = g_m, m, y_a, y_b, surfaces_m, math.inf
    if g < lowest:
        return g, n, x_a, x_b, steps, True
    # the last step, to first order: of support points, of which n does not keep the digits where bodies are flat
    found = (decrease <= NOISE * size or is_last(decrease, s_1, s_2, size, lines)) and is_positive(k_11, k_12, k_22)
    s_1, s_2 = newton_step(g_1, g_2, k_11, k_12, k_22, math.inf)  # a small radius predicts little as well
    decrease = -0.5 * (s_1 * dot(gradient, t_1) + s_2 * dot(gradient, t_2))
    found = found and (decrease <= NOISE * size or is_last(decrease, s_1, s_2, size, lines))
    if found:
        moved_a, moved_b = multiply_symmetric(of_a, s_1, s_2), multiply_symmetric(of_b, s_1, s_2)
        x_a = add(x_a, combine(moved_a[0], moved_a[1], t_1, t_2))
        x_b = subtract(x_b, combine(moved_b[0], moved_b[1], t_1, t_2))
        g, n = g - decrease, unit(across_lines(add(n, combine(s_1, s_2, t_1, t_2)), lines))
    return g, n, x_a, x_b, steps, found


@noinline
def overlap_by_shifts(a, b, r, n, lowest):
    """Minimum of g of two bodies of any shape from a normal n on, see `overlap`."""
    rounding = rounding_of(a) + rounding_of(b)
    g, x_a, x_b, size = function_at(a, b, r, n)
    steps, ended, polished = 1, False, 0
    for _ in range(MAX_SHIFTS):
        if g < lowest:
            return g, n, x_a, x_b, steps, True
        core = g - rounding
        shift = 0.0 if core < -APART * size else core + SHIFT * size
        m, y, further_steps, shares, points = closest_points(a, b, add_scaled(r, shift, n), n)
        g_m, _, _, _ = function_at(a, b, r, m)
        steps += further_steps
        end = shift == 0.0 or g_m > g - COARSE * size
        point_a = add_scaled(y, rounding_of(a), m)
        if g_m <= g + COARSE * size:
            # the places nearest to each other, once B has been shifted along the normal that is found again
            g, n, x_a = g_m, m, point_a
            x_b = subtract(add_scaled(x_a, -g, n), r)
        if end:
            ended = further_steps < MAX_STEPS_OF_DISTANCE
            p_0, p_1, p_2, p_3 = points
            d_1, d_2 = lines_where_touching(a, shares, p_0[0], p_1[0], p_2[0], p_3[0], PARALLEL * size)
            e_1, e_2 = lines_where_touching(
                b, shares, subtract(p_0[0], p_0[1]), subtract(p_1[0], p_1[1]), subtract(p_2[0], p_2[1]),
                subtract(p_3[0], p_3[1]), PARALLEL * size,
            )  # fmt: skip
            lines = lines_between(d_1, d_2, e_1, e_2)
            m = across_lines(n, lines)
            m = unit(m) if dot(m, m) > 0.5 else n
            g_m, m, y_a, y_b, further_steps, found = newton_overlap(a, b, r, m, -math.inf, lines)
            steps += further_steps
            if found and g_m <= g + COARSE * size:
                g, n, x_a, x_b = g_m, m, y_a, y_b
                moved = subtract(point_a, y_a)
                parallel = dot(d_1, d_1) > 0.0 and dot(e_1, e_1) > 0.0
                if parallel and dot(moved, moved) > (NEAR * size) * (NEAR * size):
                    # of lines side by side, a place within both
                    x_a = point_a
                    x_b = subtract(add_scaled(x_a, -g, n), r)
            elif g_m < g:  # at a corner, where the sign of rounding decides which end of an edge is the support point
                g, n, x_a = g_m, m, point_a
                x_b = subtract(add_scaled(x_a, -g, n), r)
            # where bodies are flat, a distance has few digits of the normal: Newton's method may need a nearer start
            polished += 1
            is_sure = found and (polished > 1 or not has_flat(a, b))
            if is_sure or polished == MAX_NEWTON_RESTARTS:
                break
    return g, n, x_a, x_b, steps, ended


@func
def overlap_of_cores(a, b, r, n, lowest):
    """Overlap of two bodies whose cores are apart, from the distance of the cores; without the places of contact.

    The distance of cores that are apart has one minimum, which is found from any n; the overlap of bodies has others.

    a, b, r, n, lowest: as of `overlap_by_shifts`; n may be zeros.
    Returns the overlap [m]; unit normal; number of steps; False where the cores are not apart, or too near for a
        precise normal.
    """
    if dot(n, n) == 0.0:
        n = first_direction(r)
    g, _, _, _ = function_at(a, b, r, n)
    if g < lowest:
        return g, n, 1, True
    m, _, steps, _, _ = closest_points(a, b, r, n)
    g, _, _, size = function_at(a, b, r, m)
    return g, m, steps + 2, g - rounding_of(a) - rounding_of(b) < -APART * size


@func
def overlap(a, b, r, n_start, reach):
    """Overlap of two convex bodies, the normal, the places that touch, and the number of steps.

    Parameters
    ----------
    a, b : ConvexBody
    r : (3,) floats
        From the centre of A to that of B [m].
    n_start : (3,) floats
        Normal to start from, a unit vector such as that of the last time step; or zeros.
    reach : float
        Bodies that are farther apart are only proven to be so: the overlap is then some number below -reach [m]. 0
        for contacts, infinite for distances.

    Returns
    -------
    overlap [m], less than 0 for bodies that are apart; unit normal from A to B; place on A about its centre, place on
    B about its centre [m], world frame; number of steps, each of which evaluates both support functions; USUAL,
    BY_SHIFTS or UNFINISHED
    """
    n = n_start
    if dot(n, n) == 0.0:
        n = first_direction(r)
    steps, ending = 0, USUAL
    if is_smooth(a) and is_smooth(b):
        g, n, x_a, x_b, steps, found = newton_overlap(a, b, r, n, -reach, NoLines())
        if found:
            return g, n, x_a, x_b, steps, ending
        ending = BY_SHIFTS
    g, n, x_a, x_b, more, ended = overlap_by_shifts(a, b, r, n, -reach)
    return g, n, x_a, x_b, steps + more, ending if ended else UNFINISHED
