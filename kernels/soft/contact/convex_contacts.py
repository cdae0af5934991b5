"""Contacts of convex bodies: detection among the candidate pairs, and current overlaps for Python.

Up to rounding, the normal n of a pair is a function of the positions and orientations of its bodies. The solver takes
fewer steps if it starts from the n of the last step. The start affects the last bits; so the n of touching pairs is
stored behind the history of the contact law: it survives new lists, ranks and checkpoints as friction does, and the
bytes of a run do not depend on them. Pairs that do not touch start from the direction between their centres. The
direction that proved them apart in the last step is stored in the same columns until candidates are picked: most often
it is still a proof, by one value of both support functions. The gap between two bodies bounds how far they may move
until it has to be computed again, their *clearance*. No result depends on which proof was used.

Smooth pairs take steps of Newton's method in batches (`dem.kernels.convex.newton_batches`); pairs for which these do
not converge are solved one by one. For polyhedra, a direction that proves their cores apart is enough:
``polyhedron_contacts`` then finds the contacts from corners and edges.

The solver writes overlap, normal and contact point of a candidate that touches to `Neighbours.found`, from which
``convex_kinematics`` computes its kinematics.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import fast_call, func, inline, select, vector_loop
from dem.kernels.convex import newton_batches
from dem.kernels.convex.overlap import APART, BY_SHIFTS, UNFINISHED, USUAL, first_direction, overlap_of_cores
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.polyhedra import extent
from dem.kernels.convex.shape_registry import ZERO_VECTOR, has_facets, is_smooth_at, rounding_of, support_of
from dem.kernels.domain.deforming_cell import DeformingFaces
from dem.kernels.domain.faces import BoxFaces, inward, signed_distance
from dem.kernels.domain.periodic import minimum_image, nearest_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import add, dot, load, scale, store, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.simd.transpose import EIGHT, columns_of, write_lines
from dem.kernels.soft.bonds.overlap_release import FAR, slack_of
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.convex_bodies import (
    CENTRE,
    LINES,
    ROW,
    TURN,
    ConvexBodyKinds,
    FacetedBodyKinds,
    at_plane,
    centre_of,
    convex_body,
    piece_of,
)
from dem.kernels.soft.contact.result_sinks import is_report
from dem.kernels.soft.contact.surface_motion import radius_of

NORMAL_COLUMNS = 3  # columns of history with the normal, after those of the law
# numbers of a candidate in `Neighbours.found`: overlap, normal, contact point from the centre of j, one that is unused
FOUND_WIDTH = EIGHT
# columns of `chunk_sums`, of pairs of convex bodies that touch: number of pairs; solver steps, in all and the most of
# one pair; pairs solved by the fallback, and pairs without convergence, see `dem.kernels.convex.overlap`; pairs of
# polyhedra of which contacts were left out, see `dem.kernels.convex.polyhedra.MAX_CONTACTS`
SOLVED, SOLVER_STEPS, MAX_SOLVER_STEPS, FALLBACKS, UNCONVERGED, OMITTED, SOLVER_COLUMNS = range(7)
DEEPEST = 0.999  # overlap over the sum of the roundings, above which cores of polyhedra may meet
UNIT_TOLERANCE = 1e-12  # by which the square of a unit vector may be off
AHEAD = 4  # how many candidates ahead the lists of vertices and edges are prefetched
MARGIN = 1e-10  # over the sizes, far above rounding and the deviation of a unit vector


@inline
def touches_at_corners(law, a, b):
    """Whether a pair touches at the corners and edges of polyhedra, if its cores are apart."""
    return not laws.has_range(law) and not laws.largest_begin_gap(law) > 0.0 and has_facets(a) and has_facets(b)


@inline
def pair_of(k, kinds, neighbours, box):
    """Pieces j and i of candidate k, and the vector from the centre of j to that of i [m]."""
    i, j, lines = neighbours.sphere_i[k], neighbours.sphere_j[k], neighbours.lines
    r = minimum_image(box, centre_of(i, lines), centre_of(j, lines))
    return piece_of(j, kinds, lines), piece_of(i, kinds, lines), r


@inline
def solve(k, n, reach, bodies, kinds, neighbours, box):
    """Compute overlap, normal and contact point of candidate k, the point from the centre of sphere j.

    k, n: candidate; normal to begin with, or zeros.
    reach: separation beyond which the solver may stop [m].
    Returns the overlap [m], unit normal from j to i, midpoint of the deepest points from the centre of j [m], number of
        steps, status of the solver (`USUAL`, `BY_SHIFTS` or `UNFINISHED`).
    """
    a, b, r = pair_of(k, kinds, neighbours, box)
    overlap, n, x_j, x_i, steps, ending = convex_overlap(a, b, r, n, reach)
    return overlap, n, scale(0.5, add(x_j, add(r, x_i))), steps, ending


@inline
def store_overlap(k, overlap, n, point, neighbours):
    """Store overlap [m], normal and contact point [m] of candidate k until its force is evaluated."""
    found = neighbours.found
    found[k, 0], found[k, 1], found[k, 2], found[k, 3] = overlap, n[0], n[1], n[2]
    found[k, 4], found[k, 5], found[k, 6] = point


@inline
def found_normal(k, neighbours):
    """Normal of candidate k in `Neighbours.found`; arbitrary numbers if the solver has not stored one."""
    return neighbours.found[k, 1], neighbours.found[k, 2], neighbours.found[k, 3]


@inline
def load_overlap(k, neighbours, box):
    """Load overlap, normal and contact point of candidate k, see `solve`, and the vector from centre j to centre i.

    Returns the overlap [m], unit normal, contact point [m], vector [m], periodic cells between them.
    """
    found = neighbours.found
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r, image = nearest_image(box, centre_of(i, neighbours.lines), centre_of(j, neighbours.lines))
    n, point = found_normal(k, neighbours), (found[k, 4], found[k, 5], found[k, 6])
    return found[k, 0], n, point, r, image


@inline
def first_normal(law, k, neighbours):
    """Initial normal of the solver for candidate k: its last one, or zeros if there is none."""
    return (0.0, 0.0, 0.0) if neighbours.has_history[k] == 0 else stored_normal(law, k, neighbours)


@inline
def stored_normal(law, k, neighbours):
    """Contact normal stored for candidate k, in the three columns of history after those of the law."""
    column = laws.columns(law)
    return neighbours.history[k, column], neighbours.history[k, column + 1], neighbours.history[k, column + 2]


@inline
def proven_gap(law, k, min_overlap, bodies, kinds, neighbours, box):
    """Lower bound of `min_overlap` less the overlap of candidate k, from its stored direction [m]; else 0 or less.

    A margin is subtracted, so that the result of the solver does not depend on its start. A candidate with a history
    has no stored direction. The direction of a new candidate may be that of other bodies, which is valid as well, or
    arbitrary numbers, which are rejected because they are no unit vector.
    """
    if neighbours.has_history[k] != 0:
        return 0.0
    n = stored_normal(law, k, neighbours)
    if not abs(dot(n, n) - 1.0) < UNIT_TOLERANCE:
        return 0.0
    a, b, r = pair_of(k, kinds, neighbours, box)
    h_j, _ = support_of(a, n)
    h_i, _ = support_of(b, scale(-1.0, n))
    return min_overlap - MARGIN * (h_j + h_i) - (h_j + h_i - dot(n, r))


@inline
def pair_travelled(k, bodies, neighbours):
    """Sum of the lengths of the paths of both bodies of candidate k since candidates were picked [m]."""
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    return neighbours.travelled[b] + neighbours.travelled[c]


@inline
def record_clearance(sink, k, gap, bodies, neighbours):
    """Raise the clearance of candidate k; gap: least difference of its overlap from the smallest that is wanted [m].

    No point of a body moves farther than `Neighbours.travelled` increases. So two bodies approach each other by no more
    than the sum of both increases from now on.
    """
    if not is_report(sink):
        neighbours.clearance[k] = max(neighbours.clearance[k], gap + pair_travelled(k, bodies, neighbours))


@vector_loop
def list_doubtful(count, sphere_i, sphere_j, owner, travelled, clearance, has_history, overlap, listed):
    """List the candidates of a chunk that may touch: those whose bodies have travelled farther than the clearance.

    Writes overlap: (K,) -inf for all. Writes listed: (K,) counted from the first. Returns their number.
    """
    n = 0
    for k in range(count):
        length = travelled[owner[sphere_i[k]]] + travelled[owner[sphere_j[k]]]
        overlap[k] = -math.inf
        listed[n] = k
        # no branch on either condition, `and` would be one: it would be mispredicted often
        n += 0 if (has_history[k] == 0) & (length < clearance[k]) else 1
    return n


@vector_loop
def list_every(count, overlap, listed):
    """List all candidates of a chunk, see `list_doubtful`."""
    for k in range(count):
        overlap[k] = -math.inf
        listed[k] = k
    return count


@inline
def clear_all_slots(kinds, law, k, neighbours):
    """Clear the columns of history behind the normal of candidate k, a new contact; see ``polyhedron_contacts``."""
    for r in range(laws.columns(law) + NORMAL_COLUMNS, neighbours.history.shape[1]):
        neighbours.history[k, r] = 0.0


clear_slots = select("kinds", {ConvexBodyKinds: None, FacetedBodyKinds: clear_all_slots})


@inline
def begin_history(kinds, law, k, neighbours):
    """Clear the contact history and the normal of candidate k if its contact is new, and mark it as in use."""
    if neighbours.has_history[k] == 0:
        for r in range(laws.columns(law) + NORMAL_COLUMNS):
            neighbours.history[k, r] = 0.0
        clear_slots(kinds, law, k, neighbours)
        neighbours.has_history[k] = 1


@inline
def store_normal(law, k, n, neighbours):
    """Store the normal of candidate k for the next step."""
    column = laws.columns(law)
    neighbours.history[k, column], neighbours.history[k, column + 1], neighbours.history[k, column + 2] = n


@inline
def clear_solver(sums):
    """Begin the statistics of the solver in a pass."""
    for r in range(SOLVER_COLUMNS):
        sums[r] = 0


@inline
def count_steps(sums, steps, ending):
    """Count a touching pair in the statistics of the solver: pairs, steps, maximum, fallbacks, failures."""
    sums[SOLVED] += 1
    sums[SOLVER_STEPS] += steps
    sums[MAX_SOLVER_STEPS] = max(sums[MAX_SOLVER_STEPS], steps)
    sums[FALLBACKS] += 1 if ending == BY_SHIFTS else 0
    sums[UNCONVERGED] += 1 if ending == UNFINISHED else 0


@inline
def add_overlap(kinds, sink, law, k, m, min_overlap, depth, n, steps, ending, bodies, neighbours, overlap, sums):
    """Store overlap and normal of candidate k for this and the next step, and update the statistics of the solver.

    m, min_overlap: index of the candidate in its chunk; see `list_convex_overlaps`.
    depth, n, steps, ending: see `solve`.
    Writes overlap, neighbours, sums: see `list_convex_overlaps`.
    """
    overlap[m] = depth
    if not is_report(sink):
        if depth > 0.0:
            count_steps(sums, steps, ending)
            begin_history(kinds, law, k, neighbours)
        store_normal(law, k, n, neighbours)
    if depth < min_overlap:
        record_clearance(sink, k, min_overlap - depth - MARGIN * neighbours.contact_distance[k], bodies, neighbours)


@inline
def reach_of(law, k, min_overlap, neighbours):
    """Separation of candidate k beyond which the solver may stop: then it need not be known exactly [m]."""
    return math.inf if laws.has_range(law) and neighbours.has_history[k] != 0 else -min_overlap


@inline
def clear_all_lists(kinds, k, neighbours):
    """Discard the lists of vertices and edges of candidate k."""
    neighbours.listed_features[k, 0] = -math.inf


clear_lists = select("kinds", {ConvexBodyKinds: None, FacetedBodyKinds: clear_all_lists})


@func
def find_overlap_beyond(slack, kinds, sink, law, k, m, min_overlap, bodies, neighbours, box, overlap, sums):
    """Find the overlap of candidate k, less its slack: bonds hold its bodies together, or did so before they broke.

    Polyhedra have a single contact then. The slack shrinks with the overlap, so no clearance is recorded.

    slack: see `dem.kernels.soft.bonds.overlap_release` [m]; all others see `find_overlap`.
    """
    overlap[m] = -math.inf
    if not is_report(sink):
        clear_lists(kinds, k, neighbours)
    if slack > 0.5 * FAR:
        return
    reach, start = reach_of(law, k, min_overlap, neighbours), first_normal(law, k, neighbours)
    depth, n, middle, steps, ending = solve(k, start, reach, bodies, kinds, neighbours, box)
    overlap[m] = depth - slack
    store_overlap(k, depth - slack, n, middle, neighbours)
    if not is_report(sink) and depth > slack:
        count_steps(sums, steps, ending)
        begin_history(kinds, law, k, neighbours)
        store_normal(law, k, n, neighbours)


@func
def find_overlap(kinds, sink, law, k, m, min_overlap, bodies, neighbours, box, overlap, sums):
    """Find the overlap of candidate k, number m of its chunk; all others see `list_convex_overlaps`."""
    slack = slack_of(neighbours.bonds, k, bodies, kinds, neighbours)
    if slack != 0.0:
        find_overlap_beyond(slack, kinds, sink, law, k, m, min_overlap, bodies, neighbours, box, overlap, sums)
        return
    gap = proven_gap(law, k, min_overlap, bodies, kinds, neighbours, box)
    if gap > 0.0:
        overlap[m] = -math.inf
        record_clearance(sink, k, gap, bodies, neighbours)
        return
    reach = reach_of(law, k, min_overlap, neighbours)
    start = first_normal(law, k, neighbours)
    depth, n, middle, steps, ending = solve(k, start, reach, bodies, kinds, neighbours, box)
    store_overlap(k, depth, n, middle, neighbours)
    add_overlap(kinds, sink, law, k, m, min_overlap, depth, n, steps, ending, bodies, neighbours, overlap, sums)


@inline
def is_polyhedron_pair(law, k, kinds, bodies, neighbours):
    """Whether candidate k is one of two polyhedra without slack, see `touches_at_corners`."""
    i, j, lines = neighbours.sphere_i[k], neighbours.sphere_j[k], neighbours.lines
    if slack_of(neighbours.bonds, k, bodies, kinds, neighbours) != 0.0:
        return False
    return touches_at_corners(law, piece_of(j, kinds, lines), piece_of(i, kinds, lines))


@inline
def is_smooth_pair(k, kinds, bodies, neighbours):
    """Whether both bodies of candidate k are smooth and have no slack, so that Newton's method applies."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    if slack_of(neighbours.bonds, k, bodies, kinds, neighbours) != 0.0:
        return False
    kind_j = kinds.shape[int(neighbours.lines[j, ROW])]
    kind_i = kinds.shape[int(neighbours.lines[i, ROW])]
    return is_smooth_at(kinds.shapes, kind_j, ()) and is_smooth_at(kinds.shapes, kind_i, ())


@vector_loop
def prefetch_pairs(count, candidate, sphere_i, sphere_j, lines, history):
    """Prefetch the history of candidates and the first lines of their pieces."""
    for m in range(count):
        k = candidate[m]
        prefetch(history, k * history.shape[1])
        prefetch(lines, sphere_i[k] * LINES)
        prefetch(lines, sphere_j[k] * LINES)


@vector_loop
def gather_pairs(count, candidate, sphere_i, sphere_j, owner, piece_a, piece_b):
    """Write which candidates and pieces columns are of: owner, piece_a, piece_b; see `gather_columns`."""
    for t in range(count):
        k = candidate[t]
        owner[t], piece_a[t], piece_b[t] = k, sphere_j[k], sphere_i[k]


@vector_loop
def read_last_lines(first, count, piece_a, piece_b, lines, rows):
    """Read the lines of columns from the first on, of which `read_line_of_a` leaves a few or all."""
    for t in range(first, count):
        for r in range(EIGHT):
            rows[flat(newton_batches.LINE_A + r, t)] = lines[piece_a[t], r]
            rows[flat(newton_batches.LINE_B + r, t)] = lines[piece_b[t], r]


@vector_loop
def begin_columns(
    law, box, count, min_overlap, owner, shape, first_number, has_history, history, kind_a, first_a, kind_b, first_b,
    steps, read_rows, rows,
):  # fmt: skip
    """Begin columns of a batch of `dem.kernels.convex.newton_batches` whose lines have been read.

    owner, read_rows: candidate of each, rows of lines; the same array as `rows`.
    All others: see `gather_columns`.
    Writes rows, kind_a, first_a, kind_b, first_b, steps: these columns.
    """
    column = laws.columns(law)
    for t in range(count):
        k = owner[t]
        row_a = int(read_rows[flat(newton_batches.LINE_A + ROW, t)])
        row_b = int(read_rows[flat(newton_batches.LINE_B + ROW, t)])
        kind_a[t], first_a[t], kind_b[t], first_b[t] = (
            shape[row_a], first_number[row_a], shape[row_b], first_number[row_b],
        )  # fmt: skip
        x_a, x_b = get(read_rows, newton_batches.LINE_A + CENTRE, t), get(read_rows, newton_batches.LINE_B + CENTRE, t)
        r = minimum_image(box, x_b, x_a)
        put(rows, newton_batches.WAY, t, r)
        for u in range(4):
            rows[flat(newton_batches.TURN_A + u, t)] = read_rows[flat(newton_batches.LINE_A + TURN + u, t)]
            rows[flat(newton_batches.TURN_B + u, t)] = read_rows[flat(newton_batches.LINE_B + TURN + u, t)]
        n = (history[k, column], history[k, column + 1], history[k, column + 2])
        touches, is_kept = has_history[k] != 0, abs(dot(n, n) - 1.0) < UNIT_TOLERANCE
        lowest = -math.inf if laws.has_range(law) and touches else min_overlap
        margin = MARGIN if is_kept and not touches else 0.0  # the start must not be seen in what is found
        m = first_direction(r)
        n = n if is_kept or touches else m
        newton_batches.begin_at(t, n, lowest, margin, rows)
        steps[t] = 0


@inline
def gather_columns(law, box, first, count, min_overlap, candidate, start, kinds, neighbours, integers, rows):
    """Write candidates to columns of a batch of `dem.kernels.convex.newton_batches`.

    first, count: of the columns; how many.
    min_overlap: see `list_convex_overlaps`.
    candidate: of each of these columns, counted from the chunk's first one, `start`.
    Writes integers, rows: these columns.
    """
    piece_a, piece_b = integers[newton_batches.PIECE_A, first:], integers[newton_batches.PIECE_B, first:]
    owner, lines, rows = integers[newton_batches.OWNER, first:], neighbours.lines, rows[first:]
    gather_pairs(count, candidate, neighbours.sphere_i[start:], neighbours.sphere_j[start:], owner, piece_a, piece_b)
    read_line_of_a(piece_a, lines, 0, rows, BLOCK, count)
    done = read_line_of_b(piece_b, lines, 0, rows, BLOCK, count)
    read_last_lines(done, count, piece_a, piece_b, lines, rows)
    begin_columns(
        law, box, count, min_overlap, owner, kinds.shape, kinds.first_number, neighbours.has_history[start:],
        neighbours.history[start:], integers[newton_batches.KIND_A, first:], integers[newton_batches.FIRST_A, first:],
        integers[newton_batches.KIND_B, first:], integers[newton_batches.FIRST_B, first:],
        integers[newton_batches.STEPS, first:], rows, rows,
    )  # fmt: skip


read_line_of_a = columns_of(*range(newton_batches.LINE_A, newton_batches.LINE_A + EIGHT))
read_line_of_b = columns_of(*range(newton_batches.LINE_B, newton_batches.LINE_B + EIGHT))


@inline
def are_lists_valid(k, bodies, neighbours):
    """Whether the lists of vertices and edges of candidate k, a pair of polyhedra, hold; its cores are apart then."""
    return pair_travelled(k, bodies, neighbours) < neighbours.listed_features[k, 0]


@func
def find_corners(kinds, sink, law, k, m, bodies, neighbours, box, overlap, sums):
    """Bound the overlap of candidate k, a pair of polyhedra; corners and edges may touch, or the cores intersect.

    The direction of the last step, in `Neighbours.found`, most often proves the cores to be apart, and bounds their
    distance. If that is less than the sum of the roundings, ``polyhedron_contacts`` finds the contacts, which do not
    depend on the direction: after new lists it may be that of other bodies, or arbitrary. A pair that touched in the
    last step is not looked at while its lists of vertices and edges hold.

    m: index of the candidate in its chunk; all others see `list_convex_overlaps`.
    Writes overlap: a number above 0 if the candidate may touch, not more than the overlap if it is less.
    """
    if not is_report(sink):
        if neighbours.has_history[k] != 0 and are_lists_valid(k, bodies, neighbours):
            overlap[m] = math.inf
            return
        neighbours.listed_features[k, 0] = -math.inf
    a, b, r = pair_of(k, kinds, neighbours, box)
    n, reach, bound = found_normal(k, neighbours), rounding_of(a) + rounding_of(b), -math.inf
    if abs(dot(n, n) - 1.0) < UNIT_TOLERANCE:
        h_a, h_b, along = extent(a, n), extent(b, scale(-1.0, n)), dot(n, r)
        size = h_a + h_b + abs(along)
        if along - h_a - h_b > reach + MARGIN * size:
            overlap[m] = -math.inf
            record_clearance(sink, k, along - h_a - h_b - reach - MARGIN * size, bodies, neighbours)
            return
        if along - h_a - h_b > APART * size:
            bound = reach + 2.0 * MARGIN * size - (along - h_a - h_b)
    else:
        n = ZERO_VECTOR
    if bound == -math.inf:
        bound, n, _, found = overlap_of_cores(a, b, r, n, 0.0)
        if not found:
            n = first_normal(law, k, neighbours)  # not from lists: the last bits of the result depend on it
            if bound < reach:
                _, n, _, _ = overlap_of_cores(a, b, r, n, -math.inf)
            bound, n, middle, steps, ending = solve(k, n, 0.0, bodies, kinds, neighbours, box)
            if bound >= DEEPEST * reach:
                store_overlap(k, bound, n, middle, neighbours)
                add_overlap(kinds, sink, law, k, m, 0.0, bound, n, steps, ending, bodies, neighbours, overlap, sums)
                return
        if bound < 0.0:
            record_clearance(sink, k, -bound - MARGIN * neighbours.contact_distance[k], bodies, neighbours)
    overlap[m] = bound
    store_overlap(k, bound, n, ZERO_VECTOR, neighbours)
    if bound > 0.0 and not is_report(sink):
        begin_history(kinds, law, k, neighbours)


@func
def list_each(kinds, sink, law, start, listed, min_overlap, rows, integers, bodies, neighbours, box, overlap, sums):
    """Overlap of each of the candidates listed, one after the other; see `list_convex_overlaps`."""
    features = neighbours.listed_features
    for m in range(listed.size):
        prefetch(features, (start + listed[min(m + AHEAD, listed.size - 1)]) * features.shape[1])
        k = start + listed[m]
        if is_polyhedron_pair(law, k, kinds, bodies, neighbours):
            find_corners(kinds, sink, law, k, k - start, bodies, neighbours, box, overlap, sums)
        else:
            find_overlap(kinds, sink, law, k, k - start, min_overlap, bodies, neighbours, box, overlap, sums)


@func
def list_in_batches(
    kinds, sink, law, start, listed, min_overlap, rows, integers, bodies, neighbours, box, overlap, sums
):
    """Overlap of each of the candidates listed, smooth pairs in batches; see `list_convex_overlaps`.

    Columns whose pairs are finished are closed up, and the next candidates are written behind the others.
    """
    smooth = 0
    for m in range(listed.size):
        k = start + listed[m]
        if is_smooth_pair(k, kinds, bodies, neighbours):
            listed[smooth], listed[m] = listed[m], listed[smooth]
            smooth += 1
        else:
            find_overlap(kinds, sink, law, k, k - start, min_overlap, bodies, neighbours, box, overlap, sums)
    taken = count = 0
    while True:
        more = min(BLOCK - count, smooth - taken)
        gather_columns(law, box, count, more, min_overlap, listed[taken:], start, kinds, neighbours, integers, rows)
        count, taken = count + more, taken + more
        if count == 0:
            return
        prefetch_pairs(
            min(BLOCK, smooth - taken), listed[taken:], neighbours.sphere_i[start:], neighbours.sphere_j[start:],
            neighbours.lines, neighbours.history[start:],
        )  # fmt: skip
        filled = newton_batches.fill_to_width(count, integers, rows)
        newton_batches.evaluate_normals(filled, kinds.shapes, kinds.numbers, integers, rows, rows)
        store_results(filled, integers[newton_batches.OWNER], rows, neighbours.found[start:])
        left = 0
        for t in range(count):
            if is_finished(
                kinds, sink, law, t, start, min_overlap, integers, rows, bodies, neighbours, box, overlap, sums
            ):
                continue
            if left < t:
                newton_batches.copy_column(t, left, integers, rows)
            left += 1
        count = left


@vector_loop
def store_results(count, owner, rows, found):
    """Store the results of columns, also of those that are not the last, see `store_overlap`; a multiple of `WIDTH`.

    owner, found: candidate of each column, `Neighbours.found`, from the chunk's first candidate on.
    """
    first = flat(newton_batches.RESULT, 0)
    results = rows[first : first + EIGHT * BLOCK].reshape(EIGHT, BLOCK)
    for t in range(write_lines(owner, found, 0, count, results), count):
        for r in range(FOUND_WIDTH):
            found[owner[t], r] = results[r, t]


@inline
def is_finished(kinds, sink, law, t, start, min_overlap, integers, rows, bodies, neighbours, box, overlap, sums):
    """Store the result of column t of a batch if its solver has ended, else prepare its next step; return which.

    t: column.
    integers, rows: see `dem.kernels.convex.newton_batches`; all others see `list_convex_overlaps`.
    """
    m, status = integers[newton_batches.OWNER, t], rows[flat(newton_batches.STATUS, t)]
    k = start + m
    if rows[flat(newton_batches.MARGIN, t)] > 0.0:
        if status == newton_batches.APART:
            record_clearance(sink, k, rows[flat(newton_batches.GAP, t)], bodies, neighbours)
            return True
        r, lowest = get(rows, newton_batches.WAY, t), rows[flat(newton_batches.LOWEST, t)]
        newton_batches.begin_at(t, first_direction(r), lowest, 0.0, rows)
        integers[newton_batches.STEPS, t] = 0
        return False
    steps = integers[newton_batches.STEPS, t] + 1
    if status == newton_batches.UNDECIDED and steps < newton_batches.MAX_STEPS:
        newton_batches.begin_next_step(t, integers, rows)
        return False
    is_found, is_apart = status == newton_batches.FOUND, status == newton_batches.APART
    if is_found or is_apart:
        depth, n, _ = newton_batches.result_of(t, rows)
        add_overlap(kinds, sink, law, k, m, min_overlap, depth, n, steps, USUAL, bodies, neighbours, overlap, sums)
    else:
        find_overlap(kinds, sink, law, k, m, min_overlap, bodies, neighbours, box, overlap, sums)
    return True


list_overlaps_of = select("kinds", {ConvexBodyKinds: list_in_batches, FacetedBodyKinds: list_each})


# whether images of bodies move only as the bodies do
images_rest = select("box", {BoxFaces: True, DeformingFaces: False})


@func
def list_convex_overlaps(
    kinds, sink, law, c, count, min_overlap, rows, integers, bodies, neighbours, box, listed, overlap, sums
):
    """Compute the overlap of each candidate of a chunk; one below `min_overlap` is a bound only [m].

    sink: steps keep normals of pairs that touch.
    c, count: chunk, number of its candidates.
    rows, integers, listed: scratch.
    Writes overlap: (K,) [m].
    Writes neighbours.history, neighbours.has_history: of those that touch; directions that prove others to be apart.
    Writes neighbours.found: of those that touch; clearance: of those that do not, in steps.
    Writes sums: (SOLVER_COLUMNS,), in steps.
    """
    if not is_report(sink):
        clear_solver(sums)
    min_overlap, start = 0.0 if laws.has_range(law) else min_overlap, first_candidate(c, neighbours)
    if is_report(sink) or not images_rest(box):
        doubtful = list_every(count, overlap, listed)
    else:
        doubtful = list_doubtful(
            count, neighbours.sphere_i[start:], neighbours.sphere_j[start:], bodies.owner, neighbours.travelled,
            neighbours.clearance[start:], neighbours.has_history[start:], overlap, listed,
        )  # fmt: skip
    list_overlaps_of(
        kinds, sink, law, start, listed[:doubtful], min_overlap, rows, integers, bodies, neighbours, box, overlap, sums
    )


@fast_call
def measure_pairs(bodies, kinds, box, sphere_i, sphere_j, overlap, normal, arm_i, arm_j):
    """Contacts of pairs of pieces, which have been placed.

    sphere_i, sphere_j: (K,) pieces of each pair.
    Writes overlap: (K,) [m]; less than 0 for pairs that are apart.
    Writes normal, arm_i, arm_j: (3, K) from j to i, contact from the centres of both bodies [m].
    """
    for k in range(sphere_i.size):
        i, j = sphere_i[k], sphere_j[k]
        b, c = bodies.owner[i], bodies.owner[j]
        r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
        deep, n, x_j, x_i, _, _ = convex_overlap(
            convex_body(j, c, bodies, kinds), convex_body(i, b, bodies, kinds), r, (0.0, 0.0, 0.0), 0.0
        )
        middle = scale(0.5, add(x_j, add(r, x_i)))
        overlap[k] = deep
        store(normal, k, n)
        of_b = minimum_image(box, load(bodies.sphere_position, i), load(bodies.position, b))
        of_c = minimum_image(box, load(bodies.sphere_position, j), load(bodies.position, c))
        store(arm_i, k, add(subtract(middle, r), of_b))
        store(arm_j, k, add(middle, of_c))


@fast_call
def measure_faces(bodies, kinds, box, overlap):
    """Overlaps of all pieces, which have been placed, with the faces of a box.

    Writes overlap: (6, M) [m]; less than 0 for those that are apart.
    """
    for b in range(bodies.kind.size):
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            for face in range(6):
                x = at_plane(kinds, s, b, inward(face), bodies)
                overlap[face, s] = radius_of(s, b, bodies, kinds) - signed_distance(x, face, box)


@fast_call
def measure_arms(bodies, kinds, box, sphere, normal, arm):
    """Support points of pieces opposite to given normals, relative to the centres of their bodies.

    sphere, normal: (T,), (3, T) pieces, which have been placed, unit vectors.
    Writes arm: (3, T) [m].
    """
    for t in range(sphere.size):
        s, b = sphere[t], bodies.owner[sphere[t]]
        centre = minimum_image(box, load(bodies.sphere_position, s), load(bodies.position, b))
        store(arm, t, add(centre, support_of(convex_body(s, b, bodies, kinds), scale(-1.0, load(normal, t)))[1]))
