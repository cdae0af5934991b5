"""Contacts of smooth convex bodies that touched in the last step: from the solver to kinematics in one batch.

One or two steps of Newton's method from their last normal find nearly all of them. So the cache lines of both pieces
and of the history are read once for the solver, the kinematics and the law, and results stay in the columns of the
batch. Pairs that have come apart, or for which the solver does not converge, are removed from the batch:
``convex_contacts`` evaluates them, with the same bits, together with the candidates that did not touch.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.convex import newton_batches
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.simd.memory import prefetch
from dem.kernels.simd.transpose import EIGHT, read_lines, write_lines
from dem.kernels.soft.contact.batch_kinematics import CANDIDATE, NORMAL, OVERLAP, PERSISTS, STIFFNESS
from dem.kernels.soft.contact.convex_bodies import CENTRE, LINES, ROW, TURN
from dem.kernels.soft.contact.convex_contacts import (
    MAX_SOLVER_STEPS,
    NORMAL_COLUMNS,
    SOLVED,
    SOLVER_STEPS,
    images_rest,
    is_smooth_pair,
    list_overlaps_of,
)
from dem.kernels.soft.contact.convex_kinematics import (
    LINE_I,
    LINE_J,
    PIECE_I,
    PIECE_J,
    POINT_FROM_J,
    compute_from_lines,
    gather_pieces,
    read_lines_of_pieces,
)

# rows of `dem.kernels.convex.newton_batches`, behind the lines of both pieces; rows of its integers, which those of
# pieces are free for once their lines have been read
NEWTON, INTEGERS = LINE_J + LINES, PIECE_I


@func
def list_ongoing(count, start, has_history, kinds, bodies, neighbours, overlap, row, listed):
    """List the candidates of a chunk that touched in the last step and are smooth.

    count, start: number of candidates, first of them. has_history: of these.
    Writes overlap, row: (K,) zeros. Writes listed: (K,) counted from the first. Returns their number.
    """
    n = 0
    for k in range(count):
        overlap[k], row[k], listed[n] = 0.0, 0, k
        n += 1 if (has_history[k] != 0) & is_smooth_pair(start + k, kinds, bodies, neighbours) else 0
    return n


@vector_loop
def prefetch_contacts(count, candidate, sphere_i, sphere_j, lines, history):
    """Prefetch the history of candidates and both lines of their pieces."""
    for m in range(count):
        k = candidate[m]
        prefetch(history, k * history.shape[1])
        for part in range(0, LINES, EIGHT):
            prefetch(lines, sphere_i[k] * LINES + part)
            prefetch(lines, sphere_j[k] * LINES + part)


@vector_loop
def load_rows(columns, count, candidate, history, has_history, batch_history):
    """Load the history of candidates and their normals, the first columns of their rows."""
    for t in range(read_lines(candidate, history, has_history, 0, count, batch_history), count):
        for r in range(columns):
            batch_history[r, t] = history[candidate[t], r]


@vector_loop
def store_rows(columns, count, candidate, batch_history, history):
    """Store the history of candidates and their normals, see `load_rows`."""
    for t in range(write_lines(candidate, history, 0, count, batch_history), count):
        for r in range(columns):
            history[candidate[t], r] = batch_history[r, t]


@vector_loop
def write_shape(count, line, kind_row, first_row, shape, first_number, gathered, integers):
    """Write the kind of shape and the first number of the pieces of one side.

    line, kind_row, first_row: first row of their lines, rows of integers.
    shape, first_number: of `dem.kernels.soft.contact.convex_bodies.ConvexBodyKinds`.
    """
    if shape.size == 1:
        for t in range(count):
            integers[kind_row, t], integers[first_row, t] = shape[0], first_number[0]
    else:
        for t in range(count):
            row = int(gathered[flat(line + ROW, t)])
            integers[kind_row, t], integers[first_row, t] = shape[row], first_number[row]


@vector_loop
def begin_columns(law, box, count, min_overlap, gathered, batch_history, owner, steps, rows):
    """Begin the search of columns at their last normals, see `newton_batches.begin_at`.

    gathered, batch_history: lines of both pieces, history of each column.
    Writes owner, steps, rows: of `newton_batches`.
    """
    column = laws.columns(law)
    for t in range(count):
        x_a, x_b = get(gathered, LINE_J + CENTRE, t), get(gathered, LINE_I + CENTRE, t)
        put(rows, newton_batches.WAY, t, minimum_image(box, x_b, x_a))
        for u in range(4):
            rows[flat(newton_batches.TURN_A + u, t)] = gathered[flat(LINE_J + TURN + u, t)]
            rows[flat(newton_batches.TURN_B + u, t)] = gathered[flat(LINE_I + TURN + u, t)]
        n = (batch_history[column, t], batch_history[column + 1, t], batch_history[column + 2, t])
        newton_batches.begin_at(t, n, min_overlap, 0.0, rows)
        owner[t], steps[t] = t, 0


@vector_loop
def write_results(law, count, rows, kinematics, batch_history):
    """Write the results of all columns: overlaps, 0 without any; normals, also those for the next step; points.

    rows: of `newton_batches`.
    Writes kinematics: rows OVERLAP, NORMAL and POINT_FROM_J. Writes batch_history: normals.
    Returns the number of columns whose solver has to take another step.
    """
    column, undecided = laws.columns(law), 0
    for t in range(count):
        status, n = rows[flat(newton_batches.STATUS, t)], get(rows, newton_batches.RESULT + 1, t)
        kinematics[flat(OVERLAP, t)] = rows[flat(newton_batches.RESULT, t)] if status == newton_batches.FOUND else 0.0
        put(kinematics, NORMAL, t, n)
        put(kinematics, POINT_FROM_J, t, get(rows, newton_batches.RESULT + 4, t))
        batch_history[column, t], batch_history[column + 1, t], batch_history[column + 2, t] = n
        undecided += 1 if status == newton_batches.UNDECIDED else 0
    return undecided


@inline
def write_result(law, t, owner, rows, kinematics, batch_history):
    """Write the result of column t of the solver to the column that it is of, see `write_results`."""
    overlap, n, point = newton_batches.result_of(t, rows)
    column = laws.columns(law)
    kinematics[flat(OVERLAP, owner)] = overlap
    put(kinematics, NORMAL, owner, n)
    put(kinematics, POINT_FROM_J, owner, point)
    batch_history[column, owner], batch_history[column + 1, owner], batch_history[column + 2, owner] = n


@inline
def keep_undecided(count, integers, rows):
    """Begin the next step of the columns of the solver that need one, and close them up; returns their number."""
    left = 0
    for t in range(count):
        is_undecided = rows[flat(newton_batches.STATUS, t)] == newton_batches.UNDECIDED
        if is_undecided and integers[newton_batches.STEPS, t] + 1 < newton_batches.MAX_STEPS:
            newton_batches.begin_next_step(t, integers, rows)
            if left < t:
                newton_batches.copy_column(t, left, integers, rows)
            left += 1
    return left


@func
def take_further_steps(law, count, kinds, sums, rows, integers, kinematics, batch_history):
    """Take the further steps of the solver that columns need, and write their results.

    count: columns, all of which have taken the first step.
    Writes kinematics, batch_history: see `write_results`. Writes sums: numbers of the solver.
    """
    left = keep_undecided(count, integers, rows)
    while left > 0:
        filled = newton_batches.fill_to_width(left, integers, rows)
        newton_batches.evaluate_normals(filled, kinds.shapes, kinds.numbers, integers, rows, rows)
        for t in range(left):
            if rows[flat(newton_batches.STATUS, t)] == newton_batches.FOUND:
                write_result(law, t, integers[newton_batches.OWNER, t], rows, kinematics, batch_history)
                if rows[flat(newton_batches.RESULT, t)] > 0.0:
                    further = integers[newton_batches.STEPS, t]
                    sums[SOLVER_STEPS] += further
                    sums[MAX_SOLVER_STEPS] = max(sums[MAX_SOLVER_STEPS], 1 + further)
        left = keep_undecided(left, integers, rows)


@vector_loop
def number_of_others(count, kinematics):
    """Number of columns that are not ongoing contacts."""
    others = 0
    for t in range(count):
        others += 0 if kinematics[flat(OVERLAP, t)] > 0.0 else 1
    return others


@func
def remove_others(count, gathered, kinematics, batch_history, ids):
    """Move the last columns into the places of those that are no ongoing contacts; returns the number of columns left.

    Writes gathered, kinematics, batch_history, ids: lines, results and stiffness, history, candidates.
    """
    t = 0
    while t < count:
        if kinematics[flat(OVERLAP, t)] > 0.0:
            t += 1
            continue
        count -= 1
        for r in range(LINE_I, LINE_J + LINES):
            gathered[flat(r, t)] = gathered[flat(r, count)]
        for r in range(batch_history.shape[0]):
            batch_history[r, t] = batch_history[r, count]
        kinematics[flat(OVERLAP, t)] = kinematics[flat(OVERLAP, count)]
        kinematics[flat(STIFFNESS, t)] = kinematics[flat(STIFFNESS, count)]
        put(kinematics, NORMAL, t, get(kinematics, NORMAL, count))
        put(kinematics, POINT_FROM_J, t, get(kinematics, POINT_FROM_J, count))
        ids[CANDIDATE, t] = ids[CANDIDATE, count]
    return count


@vector_loop
def write_force_rows(row, count, candidate, overlap, force_row):
    """Write the rows of forces of contacts, which begin at a row, and mark their candidates by an overlap above 0."""
    for t in range(count):
        overlap[candidate[t]], force_row[candidate[t]] = 1.0, row + t


@func
def find_ongoing(
    first, row, listed, start, column, min_overlap, sums, context, gathered, kinematics, batch_history, ids
):
    """Find the overlaps and kinematics of a batch of listed candidates that touched in the last step.

    first, listed: candidates from the first on in the list of `list_ongoing`, as many as a batch has room for.
    row: of `Neighbours.force_torque`, for the first contact.
    start, column: first candidate of the chunk, and its place in `Neighbours.force_row`.
    min_overlap: smallest overlap wanted [m].
    Writes gathered, kinematics, batch_history, ids: a column for each contact that goes on.
    Writes context.neighbours: overlap and force_row of these. Writes sums: numbers of the solver.
    Returns the number of columns.
    """
    law, kinds, neighbours = context.law, context.kinds, context.neighbours
    count, candidate = min(BLOCK, listed.size - first), ids[CANDIDATE]
    history, has_history = neighbours.history[start:], neighbours.has_history[start:]
    sphere_i, sphere_j = neighbours.sphere_i[start:], neighbours.sphere_j[start:]
    for t in range(count):
        candidate[t] = listed[first + t]
    load_rows(laws.columns(law) + NORMAL_COLUMNS, count, candidate, history, has_history, batch_history)
    gather_pieces(
        count, candidate, sphere_i, sphere_j, neighbours.stiffness[start:], ids[PIECE_I], ids[PIECE_J], kinematics
    )
    read_lines_of_pieces(count, ids[PIECE_I], ids[PIECE_J], neighbours.lines, gathered)
    following = listed[first + count :]
    prefetch_contacts(min(BLOCK, following.size), following, sphere_i, sphere_j, neighbours.lines, history)
    rows, integers = gathered[NEWTON * BLOCK :], ids[INTEGERS:]
    for line, kind, number in (
        (LINE_J, newton_batches.KIND_A, newton_batches.FIRST_A),
        (LINE_I, newton_batches.KIND_B, newton_batches.FIRST_B),
    ):
        write_shape(count, line, kind, number, kinds.shape, kinds.first_number, gathered, integers)
    begin_columns(
        law, context.box, count, min_overlap, gathered, batch_history, integers[newton_batches.OWNER],
        integers[newton_batches.STEPS], rows,
    )  # fmt: skip
    filled = newton_batches.fill_to_width(count, integers, rows)
    newton_batches.evaluate_normals(filled, kinds.shapes, kinds.numbers, integers, rows, rows)
    if write_results(law, count, rows, kinematics, batch_history) > 0:
        take_further_steps(law, count, kinds, sums, rows, integers, kinematics, batch_history)
    if number_of_others(count, kinematics) > 0:
        count = remove_others(count, gathered, kinematics, batch_history, ids)
    write_force_rows(row, count, candidate, neighbours.overlap[column:], neighbours.force_row[column:])
    sums[SOLVED] += count
    sums[SOLVER_STEPS] += count
    sums[MAX_SOLVER_STEPS] = max(sums[MAX_SOLVER_STEPS], min(count, 1))
    compute_from_lines(count, context, gathered, kinematics, ids)
    return count


@vector_loop
def store_ongoing(law, remembers, count, candidate, batch_history, out, history, has_history):
    """Store the history and the normals of the contacts of a batch.

    remembers: whether the law decides which contacts go on.
    candidate, batch_history, out: columns of the batch.
    Writes history, has_history: of those candidates.
    """
    store_rows(laws.columns(law) + NORMAL_COLUMNS, count, candidate, batch_history, history)
    for t in range(count if remembers else 0):
        has_history[candidate[t]] = 1 if out[flat(PERSISTS, t)] > 0.0 else 0


@vector_loop
def list_others(count, images_rest, sphere_i, sphere_j, travelled, clearance, has_history, overlap, listed):
    """List the candidates of a chunk that may touch and are not found yet; see `convex_contacts.list_doubtful`.

    images_rest: whether clearances hold.
    sphere_i, sphere_j: (K,) bodies, as each has one piece.
    overlap: above 0 for candidates that are found.
    Writes overlap: -inf for all. Writes listed: counted from the first. Returns their number.
    """
    n = 0
    for k in range(count):
        length = travelled[sphere_i[k]] + travelled[sphere_j[k]]
        is_apart = images_rest & (has_history[k] == 0) & (length < clearance[k])
        listed[n] = k
        n += 0 if is_apart | (overlap[k] > 0.0) else 1
        overlap[k] = -math.inf
    return n


@vector_loop
def list_touching_others(first, count, max_gap, overlap, listed, has_history, row):
    """Keep those of the listed candidates that touch or have a gap below `max_gap` [m]; return their number.

    first, count: row of the first of them; number of the listed ones. overlap: of all candidates.
    Writes listed; row: of those that touch; has_history: 0 of those that do not.
    """
    n = 0
    for m in range(count):
        k = listed[m]
        has_history[k] = has_history[k] if overlap[k] > 0.0 else 0
        touches = overlap[k] > -max_gap
        listed[n], row[k] = k, first + n if touches else 0
        n += 1 if touches else 0
    return n


@inline
def find_others(sink, row, start, count, column, min_overlap, listed, sums, context, gathered, ids):
    """List the candidates of a chunk that touch besides those of `find_ongoing`; returns their number.

    sink, row: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`; that of the first of them.
    start, count, column, min_overlap: see `find_ongoing`; number of candidates.
    Writes listed: the list. Writes the rest as `dem.kernels.soft.contact.convex_contacts.list_convex_overlaps`.
    """
    bodies, kinds, neighbours, box = context.bodies, context.kinds, context.neighbours, context.box
    overlap, has_history = neighbours.overlap[column : column + count], neighbours.has_history[start:]
    others = list_others(
        count, images_rest(box), neighbours.sphere_i[start:], neighbours.sphere_j[start:], neighbours.travelled,
        neighbours.clearance[start:], has_history, overlap, listed,
    )  # fmt: skip
    list_overlaps_of(
        kinds, sink, context.law, start, listed[:others], min_overlap, gathered, ids, bodies, neighbours, box, overlap,
        sums,
    )  # fmt: skip
    return list_touching_others(row, others, -min_overlap, overlap, listed, has_history, neighbours.force_row[column:])
