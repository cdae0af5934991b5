"""Contacts of capsules: which pairs touch, kinematics, history, and the force of all contacts of a pair.

``capsule_blending`` defines the contacts of a pair and their weights. A batch has the rows of other bodies
(``batch_kinematics``), and some more; all contacts of a pair are in one batch.

A pair of bodies has one candidate, one row of `Neighbours.force_torque` and one row of history. That has the histories
of its contacts one after the other, and then bits that tell which of them are in use. So the friction history of nearly
parallel capsules belongs to their ends, and not to a point that moves. A row of force_torque has the force on the first
body and the torques on both. Laws evaluate a contact as if its weight were 1, and multiply the result by its weight.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.contact.batch_kinematics import (
    ARM,
    CANDIDATE,
    ENERGY,
    FORCE,
    HAS_HISTORY,
    MASS,
    MIXED_TYPES,
    NO_CANDIDATE,
    NORMAL,
    OF_I,
    OF_J,
    OVERLAP,
    PERSISTS,
    POINT,
    RADIUS,
    REDUCED,
    ROLLING,
    SLOT,
    STIFFNESS,
    TURNING,
    TWIST,
    VELOCITY,
    WEIGHT,
    WEIGHT_RATE,
    write_vector_columns,
)
from dem.kernels.soft.contact.capsule_blending import (
    CLOSEST,
    FIRST_END_A,
    FIRST_END_B,
    SECOND_END_A,
    SECOND_END_B,
    SLOTS,
    TINY_SQUARE,
    WeightRates,
    are_nearly_parallel,
    are_nearly_parallel_given_inverses,
    closest_parameters_given_inverses,
    compute_weight_rates,
    compute_weights,
    contact_parameters,
    separation_at,
    single_contact_weights,
    weight_gradient_forces,
    weight_of_slot,
    weight_rate_of_slot,
)
from dem.kernels.soft.contact.capsules import (
    INVERSE_SQUARE,
    Capsules,
    Mixed,
    axis_of,
    centre_of,
    from_body,
    mean_radius,
    radius_at,
    row_of,
)
from dem.kernels.soft.contact.cluster_kinematics import distance_and_stiffness_of
from dem.kernels.soft.contact.contact_detection import FORCE_J, ON_I, ON_J, TINY, of_pair
from dem.kernels.soft.contact.dissipated_heat import write_heat_of_pair
from dem.kernels.soft.contact.surface_motion import inverse_effective_mass, rolling_inertia, spin_of

# rows of fetched data, an array of its own, because LLVM does not vectorise a loop that reads and writes one array; and
# PARALLEL, a row of kinematics
SEPARATION, AXIS_I, AXIS_J, REACH, RADIUS_I, MEAN, INVERSE_I, INVERSE_J = 0, 3, 6, 9, 10, 11, 12, 13
PARALLEL = 23
PAIRS = 32  # pairs at a time
AHEAD, WIDTH = 12, 8  # how many pairs ahead poses are prefetched; numbers of a pose


@vector_loop
def list_overlaps(box, pose, owner, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap):
    """Overlap of each candidate pair at its closest points, or `min_overlap` if that is larger.

    Pairs are fetched one by one into rows of numbers, a block at a time, so that LLVM vectorises the loop over a block.
    Otherwise it uses gather instructions, which take twice as long on processors that had to make these safe. The
    column n is counted, not computed from k, for the same reason.

    pose, owner: of `Capsules`; (M,) row in there of each sphere.
    sphere_i, sphere_j, contact_distance: (K,) a sphere of each body, R_i + R_j [m] or one for all.
    min_overlap: least overlap wanted [m].
    Writes rows: scratch of 11 rows or more, see `batch_kinematics.flat`.
    Writes overlap: (K,) [m].
    """
    for first in range(0, sphere_i.size, BLOCK):
        count, n = min(BLOCK, sphere_i.size - first), 0
        last = sphere_i.size - 1
        for k in range(first, first + count):
            b, c = owner[sphere_i[k]], owner[sphere_j[k]]
            ahead = min(k + AHEAD, last)
            prefetch(pose, owner[sphere_i[ahead]] * WIDTH)
            prefetch(pose, owner[sphere_j[ahead]] * WIDTH)
            put(rows, 0, n, subtract(centre_of(pose, b), centre_of(pose, c)))
            put(rows, 3, n, axis_of(pose, b))
            put(rows, 6, n, axis_of(pose, c))
            rows[flat(9, n)], rows[flat(10, n)] = pose[b, INVERSE_SQUARE], pose[c, INVERSE_SQUARE]
            n += 1 if sphere_i[k] >= 0 else 0
        for m in range(count):
            x, u, v = minimum_image(box, get(rows, 0, m), (0.0, 0.0, 0.0)), get(rows, 3, m), get(rows, 6, m)
            s, t = closest_parameters_given_inverses(x, u, v, rows[flat(9, m)], rows[flat(10, m)])
            d = separation_at(x, u, v, s, t)
            deep = of_pair(contact_distance, first + m) - math.sqrt(dot(d, d))
            overlap[first + m] = deep if deep > min_overlap else min_overlap


@inline
def list_capsule_overlaps(kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap):
    """Overlap of each candidate pair of capsules, which are whole bodies; see `list_overlaps`."""
    list_overlaps(box, kinds.pose, bodies.owner, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap)


@inline
def list_piece_overlaps(kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap):
    """Overlap of each candidate pair of capsules or spheres of bodies that have several; see `list_overlaps`."""
    list_overlaps(box, kinds.pose, kinds.own, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap)


@inline
def contact_at(x, u, v, s, t, contact_distance, radius):
    """Normal, overlap and point of a contact at parameters s, t, from the centre of the first capsule, of `radius`."""
    d = separation_at(x, u, v, s, t)
    distance = math.sqrt(dot(d, d))
    normal, overlap = scale(1.0 / (distance + TINY), d), contact_distance - distance
    return normal, overlap, add_scaled(scale(s, u), 0.5 * overlap - radius, normal)


@inline
def pose(k, bodies, kinds, neighbours, box):
    """Bodies of candidate k, vector from the centre of the second piece to that of the first, and half axes."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    x = minimum_image(box, subtract(centre_of(kinds.pose, b), centre_of(kinds.pose, c)), (0.0, 0.0, 0.0))
    return bodies.owner[i], bodies.owner[j], x, axis_of(kinds.pose, b), axis_of(kinds.pose, c)


@inline
def velocity_of_image(i, j, bodies, kinds, box):
    """Velocity of the image of sphere j's body that is nearest to sphere i's, less that of the body [m/s]."""
    gap, image = nearest_image(box, load(bodies.position, bodies.owner[i]), load(bodies.position, bodies.owner[j]))
    return image_velocity(box, image, gap)


@inline
def weights_of(x, u, v, mean):
    """`Weights` of two capsules, nearly parallel or not."""
    return compute_weights(x, u, v, mean) if are_nearly_parallel(u, v, mean) else single_contact_weights()


@inline
def rates_of(law, k, b, c, x, u, v, q, bodies, kinds, neighbours, box):
    """`WeightRates` of candidate k, of bodies b and c; 0 for laws without springs.

    x, u, v: see `capsule_blending`; q: `Weights`. A capsule is all of its body, so their centres are the same.
    """
    if not laws.needs_velocity(law):
        return WeightRates(0.0, 0.0, 0.0)
    velocity = subtract(load(bodies.velocity_predicted, b), load(bodies.velocity_predicted, c))
    image = velocity_of_image(neighbours.sphere_i[k], neighbours.sphere_j[k], bodies, kinds, box)
    return compute_weight_rates(x, u, v, q, subtract(velocity, image), spin_of(b, bodies), spin_of(c, bodies))


@func
def add_pair(law, start, m, count, bodies, kinds, neighbours, box, kinematics, ids):
    """Write the contacts of one pair, starting at the closest points; returns the new number of contacts.

    start, m, count: first candidate of the chunk, which one counted from that, contacts so far.
    Writes kinematics, ids: columns from `count` on.
    """
    k = start + m
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    bits = history_bits(law, k, neighbours)
    q = weights_of(x, u, v, mean_radius(b, c, bodies, kinds))
    rates, first = rates_of(law, k, b, c, x, u, v, q, bodies, kinds, neighbours, box), count
    for slot in range(SLOTS if q.closest < 1.0 else 1):
        weight, has_history = weight_of_slot(slot, q), bits >> slot & 1
        if slot == CLOSEST or weight > 0.0:
            params = contact_parameters(slot, x, u, v)
            write_contact(law, count, k, b, c, x, u, v, params, bodies, kinds, neighbours, box, kinematics)
            kinematics[flat(WEIGHT, count)] = weight
            kinematics[flat(WEIGHT_RATE, count)] = weight_rate_of_slot(slot, q, rates)
            ids[CANDIDATE, count], ids[SLOT, count], ids[HAS_HISTORY, count] = m, slot, has_history
            write_materials(law, count, b, c, bodies, kinds, ids)
            persists = laws.has_range(law) and has_history == 1
            count += (
                1
                if slot == CLOSEST or persists or kinematics[flat(OVERLAP, count)] > 0.0 - laws.largest_begin_gap(law)
                else 0
            )
    assign_damping_masses(law, first, count, b, c, x, bodies, kinds, kinematics)
    return count


@inline
def write_materials(law, t, b, c, bodies, kinds, ids):
    """Write the materials of bodies b and c to column t."""
    if laws.needs_velocity(law):
        ids[OF_I, t], ids[OF_J, t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]


@inline
def history_bits(law, k, neighbours):
    """Bits of the contacts of candidate k that have a history; stored behind the histories."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return int(neighbours.history[k, SLOTS * laws.columns(law)])
    return 0


@inline
def write_contact(law, t, k, b, c, x, u, v, params, bodies, kinds, neighbours, box, kinematics):
    """Write position and kinematics of a contact to a column.

    t, k, b, c: its column; candidate, bodies.
    x, u, v, params: see `capsule_blending.separation_at`; params: (s, t).
    Writes kinematics: column t, without mass and weight.
    """
    contact_distance, stiffness = distance_and_stiffness_of(k, kinds, neighbours)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    normal, overlap, arm = contact_at(x, u, v, params[0], params[1], contact_distance, radius_at(kinds, i, b, bodies))
    put(kinematics, NORMAL, t, normal)
    put(kinematics, POINT, t, from_body(kinds, i, arm))
    put(kinematics, ARM, t, from_body(kinds, j, add(arm, x)))
    kinematics[flat(STIFFNESS, t)], kinematics[flat(OVERLAP, t)] = stiffness, overlap
    write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics)


@inline
def write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics):
    """Write relative velocities of the surfaces at a contact, and effective radius, mass and rolling inertia.

    t, i, j: its column, of which NORMAL, POINT and ARM are known; spheres of the pieces that touch.
    Writes kinematics: VELOCITY, TURNING, TWIST, RADIUS, REDUCED and ROLLING of column t.
    """
    if not laws.needs_velocity(law):
        return
    b, c = bodies.owner[i], bodies.owner[j]
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    surface_b = add(load(bodies.velocity_predicted, b), cross(w_b, get(kinematics, POINT, t)))
    v_c = add(load(bodies.velocity_predicted, c), velocity_of_image(i, j, bodies, kinds, box))
    surface_c = add(v_c, cross(w_c, get(kinematics, ARM, t)))
    put(kinematics, VELOCITY, t, subtract(surface_b, surface_c))
    put(kinematics, TURNING, t, subtract(w_b, w_c))
    kinematics[flat(TWIST, t)] = 0.5 * dot(add(w_b, w_c), get(kinematics, NORMAL, t))
    g, h = bodies.kind[b], bodies.kind[c]
    r_b, r_c = radius_at(kinds, i, b, bodies), radius_at(kinds, j, c, bodies)
    kinematics[flat(RADIUS, t)] = r_b * r_c / (r_b + r_c)
    kinematics[flat(REDUCED, t)] = 1.0 / (kinds.inverse_mass[g] + kinds.inverse_mass[h])
    kinematics[flat(ROLLING, t)] = 1.0 / (
        1.0 / rolling_inertia(r_b, b, bodies, kinds) + 1.0 / rolling_inertia(r_c, c, bodies, kinds)
    )


@inline
def inverse_contact_mass_any(kinds, b, arm, normal, bodies):
    """Inverse effective mass of body b along the normal at a contact point [1/kg]."""
    return inverse_effective_mass(b, normal, cross(arm, normal), bodies, kinds)


@inline
def inverse_contact_mass_of_capsule(kinds, b, arm, normal, bodies):
    """Inverse effective mass of body b along the normal at an arm [1/kg]; the body is symmetric about its axis."""
    g, u, lever = bodies.kind[b], axis_of(kinds.pose, b), cross(arm, normal)
    axial, across = 1.0 / kinds.inertia[0, g], 1.0 / kinds.inertia[1, g]
    along = dot(lever, u)
    turned = dot(lever, lever) * across + along * along / max(dot(u, u), TINY_SQUARE) * (axial - across)
    return kinds.inverse_mass[g] + turned


inverse_contact_mass = select("kinds", {Capsules: inverse_contact_mass_of_capsule, Mixed: inverse_contact_mass_any})


@inline
def middle_of(first, stop, kinematics):
    """Centre of the contacts of one pair, weighted with their weights and overlaps."""
    total_weight, middle = 0.0, (0.0, 0.0, 0.0)
    for t in range(first, stop):
        weight = kinematics[flat(WEIGHT, t)] * max(kinematics[flat(OVERLAP, t)], 0.0)
        total_weight += weight
        middle = add_scaled(middle, weight, get(kinematics, POINT, t))
    return scale(1.0 / total_weight, middle) if total_weight > 0.0 else get(kinematics, POINT, first)


@inline
def assign_damping_masses(law, first, stop, b, c, x, bodies, kinds, kinematics):
    """Write the damping mass of the contacts of one pair: that at the centre of their overlaps.

    first, stop: columns of its contacts.
    b, c, x: its bodies, from the second's centre to the first's [m].
    Writes kinematics: MASS of those columns.
    """
    if not laws.needs_velocity(law):
        return
    several, middle = stop - first > 1, middle_of(first, stop, kinematics)
    for t in range(first, stop):
        arm = middle if several else get(kinematics, POINT, t)
        normal = get(kinematics, NORMAL, t)
        kinematics[flat(MASS, t)] = 1.0 / (
            inverse_contact_mass(kinds, b, arm, normal, bodies)
            + inverse_contact_mass(kinds, c, add(arm, x), normal, bodies)
        )


@inline
def write_empty_contact(t, kinematics, ids):
    """Fill column t with a contact of zero overlap and of the constant weight 0, for a pair without contacts.

    Laws evaluate the column with all others and multiply their results by its weight, so all results must be finite.
    """
    none = (0.0, 0.0, 0.0)
    kinematics[flat(WEIGHT, t)] = kinematics[flat(WEIGHT_RATE, t)] = 0.0
    kinematics[flat(OVERLAP, t)] = kinematics[flat(TWIST, t)] = 0.0
    put(kinematics, VELOCITY, t, none)
    put(kinematics, TURNING, t, none)
    kinematics[flat(MASS, t)] = kinematics[flat(RADIUS, t)] = kinematics[flat(REDUCED, t)] = kinematics[
        flat(ROLLING, t)
    ] = 1.0
    ids[CANDIDATE, t], ids[HAS_HISTORY, t], ids[SLOT, t], ids[OF_I, t], ids[OF_J, t] = NO_CANDIDATE, 0, 0, 0, 0


@inline
def pair_parameters(k, i, b, c, bodies, kinds, neighbours):
    """R_i + R_j, stiffness, R_i and mean radius of candidate k, with sphere i of body b and one of body c."""
    if kinds.contact_distance > 0.0:
        radius = kinds.radius[0]
        return kinds.contact_distance, kinds.stiffness, radius, radius
    radius = radius_at(kinds, i, b, bodies)
    return neighbours.contact_distance[k], neighbours.stiffness[k], radius, mean_radius(b, c, bodies, kinds)


@inline
def load_pair(t, k, bodies, kinds, neighbours, fetched, kinematics):
    """Load positions, axes and radii of the bodies of candidate k into column t; see `compute_closest_points`."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    p, q = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    put(fetched, SEPARATION, t, subtract(centre_of(kinds.pose, p), centre_of(kinds.pose, q)))
    put(fetched, AXIS_I, t, axis_of(kinds.pose, p))
    put(fetched, AXIS_J, t, axis_of(kinds.pose, q))
    fetched[flat(INVERSE_I, t)], fetched[flat(INVERSE_J, t)] = (
        kinds.pose[p, INVERSE_SQUARE],
        kinds.pose[q, INVERSE_SQUARE],
    )
    contact_distance, kinematics[flat(STIFFNESS, t)], radius, mean = pair_parameters(
        k, i, b, c, bodies, kinds, neighbours
    )
    fetched[flat(REACH, t)], fetched[flat(RADIUS_I, t)], fetched[flat(MEAN, t)] = contact_distance, radius, mean


@vector_loop
def compute_closest_points(box, count, fetched, kinematics):
    """Compute the closest points of pairs, and whether they are nearly parallel, in vector code.

    count, fetched: of columns; what `load_pair` has written, in one dimension.
    Writes kinematics: NORMAL, OVERLAP, POINT, ARM, PARALLEL of these columns.
    """
    for t in range(count):
        x = minimum_image(box, get(fetched, SEPARATION, t), (0.0, 0.0, 0.0))
        u, v = get(fetched, AXIS_I, t), get(fetched, AXIS_J, t)
        inverse_i, inverse_j = fetched[flat(INVERSE_I, t)], fetched[flat(INVERSE_J, t)]
        mean = fetched[flat(MEAN, t)]
        is_parallel = are_nearly_parallel_given_inverses(u, v, mean, inverse_i, inverse_j)
        kinematics[flat(PARALLEL, t)] = 1.0 if is_parallel else 0.0
        s_i, s_j = closest_parameters_given_inverses(x, u, v, inverse_i, inverse_j)
        normal, overlap, arm = contact_at(x, u, v, s_i, s_j, fetched[flat(REACH, t)], fetched[flat(RADIUS_I, t)])
        put(kinematics, NORMAL, t, normal)
        put(kinematics, POINT, t, arm)
        put(kinematics, ARM, t, add(arm, x))
        kinematics[flat(OVERLAP, t)] = overlap


@inline
def refer_pieces_to_bodies(kinds, t, i, j, kinematics):
    """Shift a contact point from the centres of pieces i and j to the centres of their bodies."""
    put(kinematics, POINT, t, from_body(kinds, i, get(kinematics, POINT, t)))
    put(kinematics, ARM, t, from_body(kinds, j, get(kinematics, ARM, t)))


refer_to_bodies = select("kinds", {Capsules: None, Mixed: refer_pieces_to_bodies})


@inline
def complete_single_contact(law, t, start, m, bodies, kinds, neighbours, box, kinematics, ids):
    """Complete the column of a pair that has a single contact.

    t, start, m: column; first candidate of the chunk, which one counted from that.
    Writes kinematics, ids: column t.
    """
    k = start + m
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    refer_to_bodies(kinds, t, i, j, kinematics)
    kinematics[flat(WEIGHT, t)], kinematics[flat(WEIGHT_RATE, t)] = 1.0, 0.0
    ids[CANDIDATE, t], ids[SLOT, t] = m, CLOSEST
    ids[HAS_HISTORY, t] = history_bits(law, k, neighbours) & 1
    write_materials(law, t, b, c, bodies, kinds, ids)
    write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics)
    assign_damping_masses(
        law, t, t + 1, b, c, subtract(get(kinematics, ARM, t), get(kinematics, POINT, t)), bodies, kinds, kinematics
    )


@inline
def compute_capsule_kinematics(geometry, sink, start, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts of pairs from `first` in a list on, as many as a batch has room for.

    Each pair has a column. That of a nearly parallel pair is empty; its contacts follow behind all pairs.

    geometry, sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    start, first, touching: first candidate of the chunk; pairs in the list of those that touch.
    Writes kinematics, ids: a column a contact; the latter (`batch_kinematics.ID_ROWS`, BLOCK).
    Writes gathered: scratch of 14 rows or more.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    law, bodies, kinds = context.law, context.bodies, context.kinds
    neighbours, box = context.neighbours, context.box
    pairs = min(PAIRS, touching.size - first)
    for t in range(pairs):
        load_pair(t, start + touching[first + t], bodies, kinds, neighbours, gathered, kinematics)
    compute_closest_points(box, pairs, gathered, kinematics)
    count, done = pairs, pairs
    for t in range(pairs):
        m = touching[first + t]
        if kinematics[flat(PARALLEL, t)] == 0.0:
            complete_single_contact(law, t, start, m, bodies, kinds, neighbours, box, kinematics, ids)
            continue
        write_empty_contact(t, kinematics, ids)
        if count + SLOTS <= BLOCK and done == pairs:
            count = add_pair(law, start, m, count, bodies, kinds, neighbours, box, kinematics, ids)
        elif done == pairs:
            done = t
    for t in range(done, pairs):
        write_empty_contact(t, kinematics, ids)
    return count, first + done, MIXED_TYPES


@vector_loop
def load_capsule_history(geometry, law, first, count, touching, ids, history, has_history, batch_history):
    """Gather the history of contacts; zeros for new contacts."""
    columns = laws.columns(law)
    for t in range(count):
        k, column = ids[CANDIDATE, t], columns * ids[SLOT, t]
        for r in range(columns):
            batch_history[r, t] = history[k, column + r] if ids[HAS_HISTORY, t] != 0 else 0.0


@vector_loop
def store_capsule_history(geometry, law, first, count, touching, ids, batch_history, out, history, has_history):
    """Store the history of contacts.

    count, ids, batch_history, out: columns of the batch.
    Writes history, has_history: of their candidates.
    """
    columns, bits = laws.columns(law), 0
    for t in range(count):
        k, column = ids[CANDIDATE, t], columns * ids[SLOT, t]
        if k == NO_CANDIDATE:
            continue
        for r in range(columns):
            history[k, column + r] = batch_history[r, t]
        bits = 0 if ids[SLOT, t] == CLOSEST else bits
        bits |= 1 << ids[SLOT, t] if out[flat(PERSISTS, t)] > 0.0 else 0
        history[k, SLOTS * columns] = bits
        has_history[k] = 1 if bits != 0 else 0


@inline
def total_of_pair(first, count, start, context, kinematics, ids, out):
    """Force on the first body of a pair and torques on both, and the column after its last contact.

    first, count, start: its first column, of so many; first candidate of the chunk.
    kinematics, ids, out: columns of a block.
    Returns the force [N], torque on the first, on the second [N m], column.
    """
    force, on_i, on_j = get(out, FORCE, first), get(out, ON_I, first), get(out, ON_J, first)
    if kinematics[flat(WEIGHT, first)] == 1.0:
        return force, on_i, on_j, first + 1
    return total_of_parallel(first, count, force, on_i, on_j, start, context, kinematics, ids, out)


@func
def total_of_parallel(first, count, force, on_i, on_j, start, context, kinematics, ids, out):
    """Force and torques of all contacts of two nearly parallel capsules, with those of the gradient of their weights.

    first, count, start, kinematics, ids, out: see `total_of_pair`.
    force, on_i, on_j: of the first contact [N, N m].
    Returns what `total_of_pair` does.
    """
    bodies, kinds, neighbours, box = context.bodies, context.kinds, context.neighbours, context.box
    first_i, second_i, first_j, second_j = 0.0, 0.0, 0.0, 0.0
    t = first + 1
    while t < count and ids[SLOT, t] > CLOSEST:
        force = add(force, get(out, FORCE, t))
        on_i, on_j = add(on_i, get(out, ON_I, t)), add(on_j, get(out, ON_J, t))
        slot, energy = ids[SLOT, t], out[flat(ENERGY, t)]
        first_i = energy if slot == FIRST_END_A else first_i
        second_i = energy if slot == SECOND_END_A else second_i
        first_j = energy if slot == FIRST_END_B else first_j
        second_j = energy if slot == SECOND_END_B else second_j
        t += 1
    k = start + ids[CANDIDATE, first]
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    mean = mean_radius(b, c, bodies, kinds)
    energies = (out[flat(ENERGY, first)], first_i, second_i, first_j, second_j)
    f, more_i, more_j = weight_gradient_forces(x, u, v, weights_of(x, u, v, mean), energies)
    return add(force, f), add(on_i, more_i), add(on_j, more_j), t


@inline
def scatter_capsule_forces(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Write the rows of `Neighbours.force_torque` of pairs of capsules, of the candidates of the batch.

    count, start, kinematics, ids, out: see `total_of_pair`.
    """
    t, force_torque = 0, context.neighbours.force_torque
    while t < count:
        if ids[CANDIDATE, t] == NO_CANDIDATE:
            t += 1
            continue
        r, begin = context.neighbours.force_row[start + ids[CANDIDATE, t]], t
        force, on_i, on_j, t = total_of_pair(t, count, start, context, kinematics, ids, out)
        write_heat_of_pair(sink, r, begin, t, out, force_torque)
        write_vector_columns(force_torque, r, 0, force)
        write_vector_columns(force_torque, r, ON_I, on_i)
        write_vector_columns(force_torque, r, FORCE_J, scale(-1.0, force))
        write_vector_columns(force_torque, r, ON_J, on_j)
