"""Newton's method of `overlap` for batches of pairs of smooth bodies, in vector instructions.

A batch has a column for each pair. `evaluate_normals` evaluates g and its derivatives at the normal of every column,
and takes one full step. `STATUS` says whether a column needs another step, no step, or the trust region of `overlap`.
Each column is treated alone, so that results depend neither on its neighbours nor on the width of vectors.
"""

import math

from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.convex.overlap import (
    BEND,
    FIRST_RADIUS,
    NOISE,
    SHORTEST,
    NoLines,
    combine,
    curvature_corrected_step,
    frame_across,
    has_flat,
    multiply_symmetric,
    solve_symmetric,
    surfaces_at,
    unit,
)
from dem.kernels.convex.shape_registry import ConvexBody
from dem.kernels.numerics.columns import flat, get, get_quaternion, put
from dem.kernels.numerics.vector import add, dot, scale, subtract

WIDTH = 8  # columns are evaluated in multiples of this number, so that none is left over by vectors
# rows that a column keeps from step to step: vector from A to B [m], orientations, normal; g before the last step [m],
# and its predicted decrease [m]; bodies are apart if g is below `LOWEST` by `MARGIN` times the sizes
WAY, TURN_A, TURN_B, AXIS, BEFORE, EXPECTED, LOWEST, MARGIN, KEPT = 0, 3, 7, 11, 14, 15, 16, 17, 18
# rows that an evaluation writes: next normal; predicted g there, and g at the present normal; status; margin by which
# g proves bodies to be apart [m]; results, eight rows of which the last is unused: overlap [m], normal, and contact
# point from the centre of A [m]
NEXT, VALUE, VALUE_BEFORE, STATUS, GAP, RESULT, ROWS = 18, 21, 22, 23, 24, 25, 33
# rows that are scratch of new columns: a cache line of both bodies each
LINE_A, LINE_B = ROWS, ROWS + 8
# rows of integers that a column keeps: kind and first number of A and of B, whose column it is, steps so far; scratch
# of new columns: both bodies
KIND_A, FIRST_A, KIND_B, FIRST_B, OWNER, STEPS, INTEGERS = range(7)
PIECE_A, PIECE_B = INTEGERS, INTEGERS + 1
MAX_STEPS = 10  # of a column, after which `overlap` takes over
# angle of a last step, if support points move by no more than this times the sizes. What it leaves out is of second
# order in the normal and in places, some 1e-10, and of third order in the overlap
SMALL = 1e-5
UNDECIDED, FOUND, APART, UNUSUAL = 0.0, 1.0, 2.0, 3.0


@inline
def is_last(decrease, s_1, s_2, g_1, g_2, size):
    """Whether a Newton step is the last one: its remainder is small, or no larger than rounding.

    decrease: predicted decrease of g [m].
    s_1, s_2: the step. g_1, g_2: gradient of g, by which support points move [m].
    """
    is_small = (s_1 * s_1 + s_2 * s_2 < SMALL * SMALL) & (g_1 * g_1 + g_2 * g_2 < (SMALL * size) * (SMALL * size))
    return is_small | (decrease <= SHORTEST * size)


@vector_loop
def evaluate_normals(count, shapes, numbers, integers, rows, written):
    """Evaluate g of columns at their normals, and take a full step of Newton's method.

    Between bodies that are flat in places, the step of the normal is corrected for curvature.

    count: columns, a multiple of `WIDTH`.
    shapes, numbers: chain of kinds, numbers of all shapes.
    integers, rows: (INTEGERS, BLOCK), (ROWS BLOCK,) what columns keep.
    Writes written: (ROWS BLOCK,) the same array, rows from `KEPT` on.
    """
    for t in range(count):
        n, r = get(rows, AXIS, t), get(rows, WAY, t)
        a = ConvexBody(shapes, integers[KIND_A, t], numbers, integers[FIRST_A, t], get_quaternion(rows, TURN_A, t))
        b = ConvexBody(shapes, integers[KIND_B, t], numbers, integers[FIRST_B, t], get_quaternion(rows, TURN_B, t))
        g, x_a, x_b, size, surfaces = surfaces_at(a, b, r, n)
        t_1, t_2, of_a, of_b = frame_across(a, b, n, surfaces, size, NoLines())
        e = subtract(subtract(x_a, x_b), r)
        g_1, g_2 = dot(e, t_1), dot(e, t_2)
        k_11, k_12, k_22 = of_a[0] + of_b[0] - g, of_a[1] + of_b[1], of_a[2] + of_b[2] - g
        s_1, s_2, pivot = solve_symmetric(k_11, k_12, k_22, g_1, g_2)
        decrease, square = -0.5 * (s_1 * g_1 + s_2 * g_2), s_1 * s_1 + s_2 * s_2
        is_usual = k_11 > 0.0 and pivot > 0.0 and square <= FIRST_RADIUS * FIRST_RADIUS
        expected = rows[flat(EXPECTED, t)]
        is_noise = expected <= NOISE * size  # predicted decrease of the last step
        is_usual = is_usual and (is_noise or g <= rows[flat(BEFORE, t)] - 0.1 * expected)
        status = FOUND if is_noise or is_last(decrease, s_1, s_2, g_1, g_2, size) else UNDECIDED
        status = status if is_usual else UNUSUAL
        gap = rows[flat(LOWEST, t)] - rows[flat(MARGIN, t)] * size - g
        status = APART if gap > 0.0 else status
        moved_a, moved_b = multiply_symmetric(of_a, s_1, s_2), multiply_symmetric(of_b, s_1, s_2)
        if has_flat(a, b):
            d_1, d_2 = curvature_corrected_step(a, b, n, t_1, t_2, x_a, x_b, of_a, of_b, s_1, s_2, BEND * size)
            is_short = d_1 * d_1 + d_2 * d_2 <= FIRST_RADIUS * FIRST_RADIUS
            s_1, s_2 = (d_1, d_2) if is_short else (s_1, s_2)
        m, is_found = unit(add(n, combine(s_1, s_2, t_1, t_2))), status == FOUND
        place_a = add(x_a, combine(moved_a[0], moved_a[1], t_1, t_2))
        place_b = subtract(x_b, combine(moved_b[0], moved_b[1], t_1, t_2))
        put(written, NEXT, t, m)
        written[flat(VALUE, t)], written[flat(VALUE_BEFORE, t)] = g - decrease, g
        written[flat(STATUS, t)], written[flat(GAP, t)] = status, gap
        written[flat(RESULT, t)] = g - decrease if is_found else g
        put(written, RESULT + 1, t, m if is_found else n)
        put(written, RESULT + 4, t, scale(0.5, add(place_a, add(r, place_b))))


@inline
def begin_at(t, n, lowest, margin, rows):
    """Begin the search of column t at a normal.

    lowest, margin: see `LOWEST`, `MARGIN`.
    Writes rows: column t.
    """
    put(rows, AXIS, t, n)
    rows[flat(BEFORE, t)], rows[flat(EXPECTED, t)] = math.inf, 1.0
    rows[flat(LOWEST, t)], rows[flat(MARGIN, t)] = lowest, margin


@inline
def begin_next_step(t, integers, rows):
    """Start the next Newton step of column t from the normal of the last one."""
    put(rows, AXIS, t, get(rows, NEXT, t))
    decrease = rows[flat(VALUE_BEFORE, t)] - rows[flat(VALUE, t)]
    rows[flat(BEFORE, t)], rows[flat(EXPECTED, t)] = rows[flat(VALUE_BEFORE, t)], decrease
    integers[STEPS, t] += 1


@inline
def result_of(t, rows):
    """Overlap of the bodies of column t [m], normal, and contact point from the centre of A [m].

    Without a minimum, the results are those at the normal of the column, which proves the bodies to be apart.
    """
    return rows[flat(RESULT, t)], get(rows, RESULT + 1, t), get(rows, RESULT + 4, t)


@inline
def copy_column(source, t, integers, rows):
    """Copy the stored rows of a column to column t."""
    for r in range(KEPT):
        rows[flat(r, t)] = rows[flat(r, source)]
    for r in range(INTEGERS):
        integers[r, t] = integers[r, source]


@inline
def fill_to_width(count, integers, rows):
    """Copy the first column to further ones up to a multiple of `WIDTH`; returns the number of columns."""
    stop = (count + WIDTH - 1) // WIDTH * WIDTH
    for t in range(count, stop):
        copy_column(0, t, integers, rows)
    return stop
