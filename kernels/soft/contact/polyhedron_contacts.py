"""Several contacts per pair of polyhedra: kinematics, history, total force and torque.

A pair has one candidate and one row of `Neighbours.force_torque`; each of its contacts (`dem.kernels.convex.polyhedra`)
is a column, evaluated as if its weight were 1, and multiplied by its weight. Weights have forces as well, E ∇w.

A row of history has the history of a pair with a single contact, its normal, and then a slot for each contact that
`find_contacts` may find: the key of the features that touch, and the history of that contact. So friction belongs to
corners, and not to a point that jumps between them. Slots are filled from the first one on in each step, and the key 0
ends them: most pairs read and write the first slots only.

Pairs have one contact if a body is no polyhedron, the cores intersect, the law acts beyond touch, or their bond broke
while they overlapped.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.convex.overlap import APART, USUAL, overlap_of_cores
from dem.kernels.convex.polyhedra import (
    BY_POSITION,
    BY_ROTATION,
    COLUMNS,
    DEPTH,
    FOUND_AT,
    KEY,
    MAX_CONTACTS,
    NO_LISTS,
    find_contacts,
    triple,
)
from dem.kernels.convex.polyhedra import NORMAL as FOUND_NORMAL
from dem.kernels.convex.polyhedra import POINT as FOUND_POINT
from dem.kernels.convex.polyhedra import WEIGHT as FOUND_WEIGHT
from dem.kernels.convex.shape_registry import ZERO_VECTOR, rounding_of
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.bonds.overlap_release import slack_of
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    CANDIDATE,
    ENERGY,
    FORCE,
    KINEMATICS_ROWS,
    MASS,
    MIXED_TYPES,
    NO_CANDIDATE,
    NORMAL,
    OF_I,
    OF_J,
    OF_POLYHEDRA,
    ORDER,
    OVERLAP,
    PERSISTS,
    VELOCITY,
    WEIGHT,
    WEIGHT_RATE,
    kinematics_in_column,
    write_vector_columns,
)
from dem.kernels.soft.contact.contact_detection import FORCE_J, LINE, ON_I, ON_J
from dem.kernels.soft.contact.convex_bodies import KIND, LINES, SPIN, piece_of
from dem.kernels.soft.contact.convex_contacts import (
    DEEPEST,
    FOUND_WIDTH,
    MARGIN,
    NORMAL_COLUMNS,
    OMITTED,
    are_lists_valid,
    count_steps,
    images_rest,
    load_overlap,
    pair_travelled,
    record_clearance,
    store_normal,
    store_overlap,
    touches_at_corners,
)
from dem.kernels.soft.contact.convex_kinematics import LINE_I, LINE_J, POINT_FROM_J, compute_kinematics_of_columns
from dem.kernels.soft.contact.dissipated_heat import write_heat_of_pair
from dem.kernels.soft.contact.result_sinks import is_report
from dem.kernels.soft.contact.shared_damping import add_contact, column_after_contacts, no_multi_contact
from dem.kernels.soft.contact.surface_motion import inverse_effective_mass_of
from dem.kernels.soft.state import SOLVER

LIST_MARGIN = 0.05  # over the sum of the roundings, for which lists of vertices and edges hold
SLOTS = MAX_CONTACTS  # contacts of a pair that have a history: all of them
PREFETCHED_SLOTS = 8  # 3 are as good in a bed of cubes, of one or two contacts a pair; with 1 a step takes 4 % longer
# rows behind those of kinematics, which faces of the box use at other times: ∇w, as force and torque, about the centre
# of the first body in the end; elastic force over overlap [N/m]
WEIGHT_FORCE, WEIGHT_TORQUE, SECANT = KINEMATICS_ROWS, KINEMATICS_ROWS + 3, KINEMATICS_ROWS + 6
# further rows of integers: candidate of a column, also if that is NO_CANDIDATE; key; column of its history, 0 if it is
# new
PAIR, SLOT_KEY, HISTORY_AT = 8, 6, 7


@inline
def slot_at(law, slot):
    """Column of the key of a slot in a row of history; the history of its contact follows."""
    columns = laws.columns(law)
    return columns + NORMAL_COLUMNS + slot * (1 + columns)


@inline
def has_several_contacts(law, a, b, depth, slack):
    """Whether a pair of this overlap and slack is treated by contacts of vertices and edges."""
    if slack != 0.0:
        return False
    return touches_at_corners(law, a, b) and 0.0 < depth < DEEPEST * (rounding_of(a) + rounding_of(b))


@inline
def write_contact_geometry(t, depth, normal, point, kinematics):
    """Write a contact to column t: overlap [m], unit normal from j to i, point from the centre of sphere j [m]."""
    kinematics[flat(OVERLAP, t)] = depth
    put(kinematics, NORMAL, t, normal)
    put(kinematics, POINT_FROM_J, t, point)


@inline
def write_weight(t, weight, by_position, by_rotation, kinematics):
    """Write the weight of column t, and its gradient by position and rotation of sphere j, about its centre."""
    kinematics[flat(WEIGHT, t)] = weight
    put(kinematics, WEIGHT_FORCE, t, by_position)
    put(kinematics, WEIGHT_TORQUE, t, by_rotation)


@func
def recall_slots(law, first, count, k, neighbours, ids):
    """Find the histories of the contacts of candidate k by their keys.

    law, first, count, k, neighbours: see `dem.kernels.soft.state`; columns from the first on, how many; candidate.
    Writes ids: HISTORY_AT of the columns.
    """
    for t in range(first, first + count):
        ids[HISTORY_AT, t] = 0
    if not laws.remembers(law) or neighbours.has_history.size == 0 or neighbours.has_history[k] == 0:
        return
    for slot in range(SLOTS):
        column = slot_at(law, slot)
        key = int(neighbours.history[k, column])
        if key == 0:
            return
        for t in range(first, first + count):
            if ids[SLOT_KEY, t] == key:
                ids[HISTORY_AT, t] = column + 1


@func
def share_damping(law, first, count, k, half, bodies, kinds, neighbours, kinematics, ids):
    """Write the masses with which the contacts of one pair are damped together, see ``shared_damping``.

    law, k, half, bodies, kinds, neighbours: see `dem.kernels.soft.state`; candidate.
    first, count: columns from the first on, how many.
    ids: all rows of these.
    Writes kinematics: rows MASS and SECANT.
    """
    push, rate, lines = no_multi_contact(), 0.0, neighbours.lines
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    for t in range(first, first + count):
        contact = kinematics_in_column(kinematics, t, True, False)
        secant = laws.secant(
            law, ids[OF_I, t], ids[OF_J, t], contact, history_of_contact(law, t, k, neighbours, ids), half
        )
        kinematics[flat(SECANT, t)] = secant
        weighted_secant, normal_velocity = kinematics[flat(WEIGHT, t)] * secant, dot(contact.velocity, contact.normal)
        push = add_contact(
            push, weighted_secant, normal_velocity, contact.normal, get(kinematics, ARM_I, t), get(kinematics, ARM_J, t)
        )
    if push.square > 0.0:
        q_i, q_j = piece_of(i, kinds, lines).q, piece_of(j, kinds, lines).q
        of_i = inverse_effective_mass_of(push.force, push.torque_b, int(lines[i, KIND]), q_i, kinds)
        of_j = inverse_effective_mass_of(push.force, push.torque_c, int(lines[j, KIND]), q_j, kinds)
        rate = (of_i + of_j) / push.square
    for t in range(first, first + count if rate > 0.0 else first):
        kinematics[flat(MASS, t)] = kinematics[flat(SECANT, t)] / rate


@inline
def share_all_damping(law, start, count, half, bodies, kinds, neighbours, kinematics, ids):
    """Write the masses of pairs that have several contacts, see `share_damping`; start: first candidate."""
    t = 0
    while t < count:
        first, k = t, start + ids[PAIR, t]
        t = column_after_contacts(t, count, ids)
        if t - first > 1:
            share_damping(law, first, t - first, k, half, bodies, kinds, neighbours, kinematics, ids)


@inline
def history_of_contact(law, t, k, neighbours, ids):
    """History of the contact of column t, of candidate k."""
    if ids[HISTORY_AT, t] > 0:
        return laws.load(law, neighbours.history, k, ids[HISTORY_AT, t])
    return laws.initial_history(law)


@inline
def write_facet(t, row, scratch, kinematics, ids):
    """Copy a contact of `polyhedra.find_contacts` to column t; its numbers in `scratch` begin at `row`."""
    normal, point = triple(scratch, row + FOUND_NORMAL), triple(scratch, row + FOUND_POINT)
    by_position, by_rotation = triple(scratch, row + BY_POSITION), triple(scratch, row + BY_ROTATION)
    write_contact_geometry(t, scratch[row + DEPTH], normal, point, kinematics)
    write_weight(t, scratch[row + FOUND_WEIGHT], by_position, by_rotation, kinematics)
    ids[SLOT_KEY, t] = int(scratch[row + KEY])


@inline
def store_lists(k, reach, r, n, gap, found, bodies, neighbours):
    """Store the lists of vertices and edges of candidate k, and how far its bodies may travel until these may be wrong.

    reach: sum of the roundings [m]. r, n: see `add_polyhedra`. gap, found: see `polyhedra.find_contacts`.
    """
    lists, lasting = neighbours.listed_features, min(LIST_MARGIN * reach, gap - 2.0 * APART * dot(n, r))
    until = lasting - MARGIN * neighbours.contact_distance[k] + pair_travelled(k, bodies, neighbours)
    lists[k, 0] = until if found[0] != 0 and found[1] != 0 else -math.inf
    lists[k, 1], lists[k, 2], lists[k, 3], lists[k, 4] = found


@func
def add_polyhedra(sink, law, first, k, a, b, r, n, bodies, neighbours, box, scratch, kinematics, ids):
    """Write the contacts of two polyhedra to columns from the first on, the deepest before the others.

    first, k: column, candidate.
    a, b, r, n: sphere j and sphere i of the candidate, from the one to the other [m]; a unit vector, about from the one
        to the other.
    sink, law, bodies, neighbours, box: see `add_pair`.
    Writes scratch: see `polyhedra.find_contacts`. Writes neighbours: listed_features, in steps.
    Writes kinematics: `write_contact_geometry` and `write_weight`. Writes ids: SLOT_KEY and HISTORY_AT.
    Returns the number of contacts, and whether further ones may have been left out for want of room.
    """
    keeps, lists, reach = not is_report(sink) and images_rest(box), NO_LISTS, rounding_of(a) + rounding_of(b)
    listed = neighbours.listed_features
    if keeps and are_lists_valid(k, bodies, neighbours):
        lists = int(listed[k, 1]), int(listed[k, 2]), int(listed[k, 3]), int(listed[k, 4])
    is_new, margin = lists[0] == 0, LIST_MARGIN * reach if keeps else 0.0
    count, omits, lists, gap = find_contacts(a, b, r, n, margin, lists, scratch)
    if keeps and is_new:
        store_lists(k, reach, r, n, gap, lists, bodies, neighbours)
    deepest = 0
    for m in range(1, count):
        if scratch[FOUND_AT + m * COLUMNS + DEPTH] > scratch[FOUND_AT + deepest * COLUMNS + DEPTH]:
            deepest = m
    for m in range(count):
        at = deepest if m == 0 else m - 1 if m <= deepest else m
        write_facet(first + m, FOUND_AT + at * COLUMNS, scratch, kinematics, ids)
    recall_slots(law, first, count, k, neighbours, ids)
    return count, omits


@inline
def record_corners(sink, law, first, count, k, a, b, r, n, bodies, neighbours, kinematics, sums):
    """Store the direction that separates the cores of two polyhedra best; they may turn out not to touch.

    first, count: first column, contacts.
    sink, k, a, b, r, n: see `add_polyhedra`.
    Writes neighbours: found, clearance; normal in history of one that touches, has_history of one that does not.
    Writes sums: see `dem.kernels.soft.contact.convex_contacts.count_steps`.
    """
    if count > 0:
        n = get(kinematics, NORMAL, first)
        store_overlap(k, kinematics[flat(OVERLAP, first)], n, ZERO_VECTOR, neighbours)
        store_normal(law, k, n, neighbours)
        count_steps(sums, 1, USUAL)
    else:
        neighbours.has_history[k] = 0
        overlap, n, _, _ = overlap_of_cores(a, b, r, n, -math.inf)
        store_overlap(k, overlap, n, ZERO_VECTOR, neighbours)
        if overlap < 0.0:
            record_clearance(sink, k, -overlap - MARGIN * neighbours.contact_distance[k], bodies, neighbours)


@func
def add_pair(sink, law, first, m, k, bodies, kinds, neighbours, box, scratch, kinematics, ids, sums):
    """Write the contacts of one pair, from the first column on; returns their number.

    A pair that turns out to have none gets a column of the weight 0, which is no candidate's.

    sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    first, m, k: column, candidate counted from the chunk's first, and from that of all.
    law, bodies, kinds, neighbours, box: see `dem.kernels.soft.state`.
    Writes scratch, kinematics, ids: as `add_polyhedra`; ids: PAIR, CANDIDATE and ORDER as well.
    Writes neighbours, sums: see `record_corners`, in steps.
    """
    depth, normal, point, r, _ = load_overlap(k, neighbours, box)
    a = piece_of(neighbours.sphere_j[k], kinds, neighbours.lines)
    b = piece_of(neighbours.sphere_i[k], kinds, neighbours.lines)
    count, weight, none = 0, 1.0, (0.0, 0.0, 0.0)
    is_listed = not is_report(sink) and are_lists_valid(k, bodies, neighbours)
    slack = slack_of(neighbours.bonds, k, bodies, kinds, neighbours)
    if is_listed or has_several_contacts(law, a, b, depth, slack):
        count, omits = add_polyhedra(
            sink, law, first, k, a, b, r, normal, bodies, neighbours, box, scratch, kinematics, ids
        )
        if not is_report(sink):
            record_corners(sink, law, first, count, k, a, b, r, normal, bodies, neighbours, kinematics, sums)
            sums[OMITTED] += 1 if omits else 0
        if count == 0:
            depth, weight = 0.0, 0.0
    if count == 0:
        write_contact_geometry(first, depth, normal, point, kinematics)
        write_weight(first, weight, none, none, kinematics)
        has_history = weight > 0.0 and neighbours.has_history.size > 0 and neighbours.has_history[k] != 0
        ids[SLOT_KEY, first], ids[HISTORY_AT, first] = 0, 1 if has_history else 0
        count = 1
    for t in range(first, first + count):
        ids[PAIR, t], ids[ORDER, t], ids[CANDIDATE, t] = m, t - first, m if weight > 0.0 else NO_CANDIDATE
    return count


@vector_loop
def turn_gradients(count, gathered, known, kinematics):
    """Shift the gradients of weights from the centre of sphere j to that of the first body.

    gathered, known: lines of both pieces, see ``convex_kinematics``; the same array as `kinematics`.
    Writes kinematics: rows WEIGHT_TORQUE and WEIGHT_RATE.
    """
    for t in range(count):
        force = get(known, WEIGHT_FORCE, t)
        at_point = subtract(get(known, WEIGHT_TORQUE, t), cross(get(known, POINT_FROM_J, t), force))
        spin = subtract(get(gathered, LINE_I + SPIN, t), get(gathered, LINE_J + SPIN, t))
        kinematics[flat(WEIGHT_RATE, t)] = -dot(force, get(known, VELOCITY, t)) - dot(at_point, spin)
        centre = subtract(get(known, ARM_I, t), get(known, POINT_FROM_J, t))
        put(kinematics, WEIGHT_TORQUE, t, add(get(known, WEIGHT_TORQUE, t), cross(centre, get(known, WEIGHT_FORCE, t))))


@inline
def prefetch_pair(law, k, neighbours):
    """Prefetch cache lines of the history and the pieces of candidate k, while the one before is evaluated."""
    history, width = neighbours.history, neighbours.history.shape[1]
    for r in range(0, min(width, slot_at(law, PREFETCHED_SLOTS)), LINE):
        prefetch(history, k * width + r)
    for r in range(0, LINES, LINE):
        prefetch(neighbours.lines, neighbours.sphere_i[k] * LINES + r)
        prefetch(neighbours.lines, neighbours.sphere_j[k] * LINES + r)
    prefetch(neighbours.found, k * FOUND_WIDTH)  # what the last step found


@func
def compute_facet_kinematics(geometry, sink, c, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts of pairs from `first` in a list on, as many as a batch has room for.

    geometry, sink, context: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    c, first, touching: chunk; pairs in the list of those that touch.
    Writes kinematics, ids: a column a contact; the latter (`batch_kinematics.ID_ROWS`, BLOCK).
    Writes gathered: see ``convex_kinematics``; behind all rows scratch, see `polyhedra.SCRATCH`.
    Writes context.neighbours, context.chunk_sums: see `record_corners`, in steps.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    law, bodies, kinds, neighbours = context.law, context.bodies, context.kinds, context.neighbours
    start, count, pair, sums = first_candidate(c, neighbours), 0, first, context.chunk_sums[c, SOLVER:]
    scratch = gathered[OF_POLYHEDRA:]
    while pair < touching.size and count + MAX_CONTACTS <= BLOCK:
        prefetch_pair(law, start + touching[min(pair + 1, touching.size - 1)], neighbours)
        k = start + touching[pair]
        count += add_pair(
            sink, law, count, touching[pair], k, bodies, kinds, neighbours, context.box, scratch, kinematics, ids, sums
        )
        pair += 1
    compute_kinematics_of_columns(start, count, ids[PAIR], context, gathered, kinematics, ids)
    turn_gradients(count, gathered, kinematics, kinematics)
    if laws.needs_velocity(law) and laws.shares_damping(law):
        share_all_damping(law, start, count, 0.5 * context.constants.dt, bodies, kinds, neighbours, kinematics, ids)
    return count, pair, MIXED_TYPES


@vector_loop
def load_facet_history(geometry, law, first, count, touching, ids, history, has_history, batch_history):
    """Gather the history of contacts; zeros for new contacts."""
    columns = laws.columns(law)
    for t in range(count):
        column = ids[HISTORY_AT, t]
        for r in range(columns):
            batch_history[r, t] = 0.0
            if column > 0:
                # contacts of one place begin the row
                batch_history[r, t] = history[ids[CANDIDATE, t], (0 if ids[SLOT_KEY, t] == 0 else column) + r]


@vector_loop
def store_facet_history(geometry, law, first, count, touching, ids, batch_history, out, history, has_history):
    """Store the history of contacts; those of one pair fill its slots from the first one on, in their order.

    law, count, ids: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    batch_history, out: history and results, a column a contact.
    Writes history, has_history: of their candidates.
    """
    columns, slot = laws.columns(law), 0
    for t in range(count):
        k, persists = ids[CANDIDATE, t], out[flat(PERSISTS, t)] > 0.0
        if k == NO_CANDIDATE:
            continue
        if ids[SLOT_KEY, t] == 0:
            has_history[k] = 1 if persists else 0
            for r in range(columns):
                history[k, r] = batch_history[r, t]
        elif laws.remembers(law):
            slot = slot if ids[ORDER, t] > 0 else 0
            if persists:
                column = slot_at(law, slot)
                history[k, column] = ids[SLOT_KEY, t]
                for r in range(columns):
                    history[k, column + 1 + r] = batch_history[r, t]
                slot += 1
            if slot < SLOTS:
                history[k, slot_at(law, slot)] = 0.0


@inline
def total_of_facets(first, count, kinematics, ids, out):
    """Force on the first body of a pair and torques on both, and the column after its last contact.

    first, count: its first column, of so many.
    kinematics, ids, out: columns of a batch.
    Returns the force [N], torque on the first, on the second [N m], column.
    """
    force = on_i = on_j = (0.0, 0.0, 0.0)
    t = first
    while t < count and (t == first or ids[ORDER, t] > 0):
        energy = out[flat(ENERGY, t)]
        weight_force = scale(energy, get(kinematics, WEIGHT_FORCE, t))
        weight_torque = scale(energy, get(kinematics, WEIGHT_TORQUE, t))
        # from the centre of the second body to that of the first
        between = subtract(get(kinematics, ARM_J, t), get(kinematics, ARM_I, t))
        force = add(force, add(get(out, FORCE, t), weight_force))
        on_i = add(on_i, add(get(out, ON_I, t), weight_torque))
        on_j = subtract(add(on_j, get(out, ON_J, t)), add(weight_torque, cross(between, weight_force)))
        t += 1
    return force, on_i, on_j, t


@inline
def scatter_facet_forces(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Write a row of forces and torques for each pair, in the order of the pairs.

    count, row: of columns; row of the first pair.
    kinematics, ids, out: see `total_of_facets`.
    Writes context.neighbours.force_torque: rows from `row` on.
    """
    t, force_torque = 0, context.neighbours.force_torque
    while t < count:
        begin = t
        force, on_i, on_j, t = total_of_facets(t, count, kinematics, ids, out)
        write_heat_of_pair(sink, row, begin, t, out, force_torque)
        write_vector_columns(force_torque, row, 0, force)
        write_vector_columns(force_torque, row, ON_I, on_i)
        write_vector_columns(force_torque, row, FORCE_J, scale(-1.0, force))
        write_vector_columns(force_torque, row, ON_J, on_j)
        row += 1


@inline
def arm_of(first, stop, force, on_i, kinematics):
    """Point, from the centre of the first body, at which the force has its torque except the part along the force.

    Of all such places that nearest to the middle of the contacts, in columns from the first to `stop`.
    """
    whole, middle = 0.0, (0.0, 0.0, 0.0)
    for t in range(first, stop):
        share = kinematics[flat(WEIGHT, t)] * max(kinematics[flat(OVERLAP, t)], 0.0)
        whole += share
        middle = add_scaled(middle, share, get(kinematics, ARM_I, t))
    square = dot(force, force)
    if not (whole > 0.0 and square > 0.0) or stop - first == 1:
        return get(kinematics, ARM_I, first)
    middle = scale(1.0 / whole, middle)
    return add_scaled(scale(1.0 / square, cross(force, on_i)), dot(middle, force) / square, force)
