"""Contacts of capsules: which pairs touch, kinematics, history, and the forces of pairs of bodies.

The axis of a capsule is a segment c + s u, -1 <= s <= 1, with the centre c and the half axis u. Let x be the vector
from the centre of capsule j to that of capsule i, v the half axis of j, and s and t the parameters of a point of each
axis. The contact there has

    d = x + s u - t v                  from the point of j to that of i [m]
    δ = R_i + R_j - |d|                overlap [m]
    n = d / |d|                        unit normal from j to i
    r_i = s u + (δ/2 - R_i) n          point of contact from the centre of i [m]; r_j = r_i + x from that of j

A pair touches at the closest points of both axes. A nearly parallel pair also touches at its ends: it has up to five
contacts, each with a number, its *slot*, and a weight. ``capsule_blending`` defines these, with sources. Laws evaluate
each contact as if its weight were 1, and multiply the result by it; the gradient of the weights adds a force
(`sum_parallel_contacts`).

All contacts of a pair are damped with one effective mass m, where r_i and r_j are at the centre of the overlaps:

    1/m = 1/m_i + (I_i⁻¹ (r_i × n)) · (r_i × n) + 1/m_j + (I_j⁻¹ (r_j × n)) · (r_j × n)

A pair of bodies has one candidate, one row of `Neighbours.force_torque` (force on i, torques on i and j) and one row of
history: the histories of its slots one after the other, and then a number whose bits are the slots in use. So friction
of nearly parallel capsules belongs to their ends, and not to a point that moves.

Contacts are evaluated in batches, a column each, with the rows of ``batch_kinematics`` and those below; all contacts of
a pair are in one batch. To read: `list_overlaps` finds the pairs that touch, `compute_capsule_kinematics` makes a
batch of them, `load_capsule_history` and `store_capsule_history` go before and after the law, and
`scatter_capsule_forces` sums the contacts of each pair.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
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
    AXIS_I,
    AXIS_J,
    INVERSE_I,
    INVERSE_J,
    PAIR_ROWS,
    POSE_NUMBERS,
    SEPARATION,
    Capsules,
    Mixed,
    axis_of,
    centre_of,
    closest_separation,
    from_body,
    mean_radius,
    radius_at,
    read_poses,
    row_of,
)
from dem.kernels.soft.contact.cluster_kinematics import distance_and_stiffness_of
from dem.kernels.soft.contact.contact_detection import FORCE_J, ON_I, ON_J, TINY, of_pair
from dem.kernels.soft.contact.dissipated_heat import write_heat_of_pair
from dem.kernels.soft.contact.surface_motion import inverse_effective_mass, rolling_inertia, spin_of

# rows of the geometry of pairs: an array of its own, because LLVM does not vectorise a loop that reads and writes one
# array. PARALLEL is a row of kinematics
CONTACT_DISTANCE, RADIUS_I, MEAN_RADIUS = range(PAIR_ROWS, PAIR_ROWS + 3)
PARALLEL = 23
PAIRS = 32  # pairs in a batch, at most


@vector_loop
def list_overlaps(box, pose, owner, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap):
    """Compute the overlap of each candidate pair at its closest points, or `min_overlap` if that is larger.

    Pairs are copied into rows of numbers, a block at a time, so that LLVM vectorises the loop over a block. Otherwise
    it uses gather instructions, which take twice as long on processors that had to make these safe.

    pose, owner: of `Capsules`; (M,) row in there of each sphere.
    sphere_i, sphere_j, contact_distance: (K,) a sphere of each body, R_i + R_j [m] or one for all.
    min_overlap: least overlap wanted [m].
    Writes rows: scratch of `PAIR_ROWS` rows or more, see `dem.kernels.numerics.columns.flat`.
    Writes overlap: (K,) [m].
    """
    for first in range(0, sphere_i.size, BLOCK):
        count = min(BLOCK, sphere_i.size - first)
        for k in range(first + count, min(first + count + BLOCK, sphere_i.size)):
            prefetch(pose, owner[sphere_i[k]] * POSE_NUMBERS)
            prefetch(pose, owner[sphere_j[k]] * POSE_NUMBERS)
        read_poses(pose, None, owner, sphere_i, sphere_j, first, count, rows)
        for t in range(count):
            d = closest_separation(box, t, rows)
            pair_overlap = of_pair(contact_distance, first + t) - math.sqrt(dot(d, d))
            overlap[first + t] = pair_overlap if pair_overlap > min_overlap else min_overlap


@inline
def list_capsule_overlaps(
    kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
):
    """Compute the overlaps of candidate pairs of capsules, which are whole bodies; see `list_overlaps`."""
    list_overlaps(box, kinds.pose, bodies.owner, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap)


@inline
def list_piece_overlaps(
    kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
):
    """Compute the overlaps of candidate pairs of pieces, capsules or spheres of bodies; see `list_overlaps`."""
    list_overlaps(box, kinds.pose, kinds.own, sphere_i, sphere_j, contact_distance, min_overlap, rows, overlap)


@inline
def contact_at(x, u, v, s, t, contact_distance, radius):
    """Normal, overlap and point of a contact at parameters s and t, see module.

    x, u, v, s, t: see `capsule_blending.separation_at`.
    contact_distance, radius: R_i + R_j, R_i [m].
    Returns the unit normal from the second capsule to the first; overlap; point from the centre of the first one [m].
    """
    d = separation_at(x, u, v, s, t)
    distance = math.sqrt(dot(d, d))
    normal, overlap = scale(1.0 / (distance + TINY), d), contact_distance - distance
    return normal, overlap, add_scaled(scale(s, u), 0.5 * overlap - radius, normal)


@inline
def pair_geometry(k, bodies, kinds, neighbours, box):
    """Bodies of candidate k, vector from the centre of the second piece to that of the first, and their half axes."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    p, q = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    x = minimum_image(box, subtract(centre_of(kinds.pose, p), centre_of(kinds.pose, q)), (0.0, 0.0, 0.0))
    return bodies.owner[i], bodies.owner[j], x, axis_of(kinds.pose, p), axis_of(kinds.pose, q)


@inline
def velocity_of_image(i, j, bodies, kinds, box):
    """Velocity of the image of sphere j's body nearest to sphere i's body, less that of the body itself [m/s]."""
    gap, image = nearest_image(box, load(bodies.position, bodies.owner[i]), load(bodies.position, bodies.owner[j]))
    return image_velocity(box, image, gap)


@inline
def weights_of_pair(x, u, v, mean):
    """`Weights` of the contacts of two capsules of a mean radius; of one contact unless they are nearly parallel."""
    return compute_weights(x, u, v, mean) if are_nearly_parallel(u, v, mean) else single_contact_weights()


@inline
def weight_rates_of_pair(law, k, b, c, x, u, v, weights, bodies, kinds, neighbours, box):
    """Rates of change of the weights of candidate k, of bodies b and c, as `WeightRates`; 0 for laws without springs.

    x, u, v, weights: see `capsule_blending`. A capsule is all of its body, so their centres are the same.
    """
    if not laws.needs_velocity(law):
        return WeightRates(0.0, 0.0, 0.0)
    velocity = subtract(load(bodies.velocity_predicted, b), load(bodies.velocity_predicted, c))
    image = velocity_of_image(neighbours.sphere_i[k], neighbours.sphere_j[k], bodies, kinds, box)
    return compute_weight_rates(x, u, v, weights, subtract(velocity, image), spin_of(b, bodies), spin_of(c, bodies))


@inline
def slots_with_history(law, k, neighbours):
    """Bits of the slots of candidate k that have a history; its row has them behind the histories."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return int(neighbours.history[k, SLOTS * laws.columns(law)])
    return 0


@inline
def write_materials(law, t, b, c, bodies, kinds, ids):
    """Write the materials of bodies b and c to column t."""
    if laws.needs_velocity(law):
        ids[OF_I, t], ids[OF_J, t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]


@inline
def write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics):
    """Write relative velocities of the surfaces at a contact, and effective radius, mass and rolling inertia.

    t: column, of which NORMAL, ARM_I and ARM_J are there.
    i, j: spheres of the pieces that touch.
    Writes kinematics: VELOCITY, TURNING, TWIST, RADIUS, REDUCED and ROLLING of column t.
    """
    if not laws.needs_velocity(law):
        return
    b, c = bodies.owner[i], bodies.owner[j]
    spin_b, spin_c = spin_of(b, bodies), spin_of(c, bodies)
    surface_b = add(load(bodies.velocity_predicted, b), cross(spin_b, get(kinematics, ARM_I, t)))
    velocity_c = add(load(bodies.velocity_predicted, c), velocity_of_image(i, j, bodies, kinds, box))
    surface_c = add(velocity_c, cross(spin_c, get(kinematics, ARM_J, t)))
    put(kinematics, VELOCITY, t, subtract(surface_b, surface_c))
    put(kinematics, TURNING, t, subtract(spin_b, spin_c))
    kinematics[flat(TWIST, t)] = 0.5 * dot(add(spin_b, spin_c), get(kinematics, NORMAL, t))
    kind_b, kind_c = bodies.kind[b], bodies.kind[c]
    radius_b, radius_c = radius_at(kinds, i, b, bodies), radius_at(kinds, j, c, bodies)
    kinematics[flat(RADIUS, t)] = radius_b * radius_c / (radius_b + radius_c)
    kinematics[flat(REDUCED, t)] = 1.0 / (kinds.inverse_mass[kind_b] + kinds.inverse_mass[kind_c])
    kinematics[flat(ROLLING, t)] = 1.0 / (
        1.0 / rolling_inertia(radius_b, b, bodies, kinds) + 1.0 / rolling_inertia(radius_c, c, bodies, kinds)
    )


@inline
def inverse_contact_mass_any(kinds, b, arm, normal, bodies):
    """Inverse effective mass 1/m + (I⁻¹ (r × n)) · (r × n) of body b at an arm r along a normal n [1/kg]."""
    return inverse_effective_mass(b, normal, cross(arm, normal), bodies, kinds)


@inline
def inverse_contact_mass_of_capsule(kinds, b, arm, normal, bodies):
    """Inverse effective mass of a body that is symmetric about its axis, at an arm along a normal [1/kg]."""
    kind, u, lever = bodies.kind[b], axis_of(kinds.pose, b), cross(arm, normal)
    axial, across = 1.0 / kinds.inertia[0, kind], 1.0 / kinds.inertia[1, kind]
    along = dot(lever, u)
    by_rotation = dot(lever, lever) * across + along * along / max(dot(u, u), TINY_SQUARE) * (axial - across)
    return kinds.inverse_mass[kind] + by_rotation


inverse_contact_mass = select("kinds", {Capsules: inverse_contact_mass_of_capsule, Mixed: inverse_contact_mass_any})


@inline
def centre_of_overlaps(first, stop, kinematics):
    """Centre of the contacts of one pair, from column `first` to `stop`: mean with weight times overlap [m]."""
    total_weight, centre = 0.0, (0.0, 0.0, 0.0)
    for t in range(first, stop):
        weight = kinematics[flat(WEIGHT, t)] * max(kinematics[flat(OVERLAP, t)], 0.0)
        total_weight += weight
        centre = add_scaled(centre, weight, get(kinematics, ARM_I, t))
    return scale(1.0 / total_weight, centre) if total_weight > 0.0 else get(kinematics, ARM_I, first)


@inline
def write_damping_masses(law, first, stop, b, c, x, bodies, kinds, kinematics):
    """Write the effective masses with which the contacts of one pair are damped: those at the centre of their overlaps.

    first, stop: columns of its contacts.
    b, c, x: its bodies; vector from the centre of the second to that of the first [m].
    Writes kinematics: MASS of those columns.
    """
    if not laws.needs_velocity(law):
        return
    has_several, centre = stop - first > 1, centre_of_overlaps(first, stop, kinematics)
    for t in range(first, stop):
        arm = centre if has_several else get(kinematics, ARM_I, t)
        normal = get(kinematics, NORMAL, t)
        kinematics[flat(MASS, t)] = 1.0 / (
            inverse_contact_mass(kinds, b, arm, normal, bodies)
            + inverse_contact_mass(kinds, c, add(arm, x), normal, bodies)
        )


@inline
def pair_parameters(k, i, b, c, bodies, kinds, neighbours):
    """R_i + R_j [m], stiffness, R_i and mean radius [m] of candidate k, of sphere i of body b and one of body c."""
    if kinds.contact_distance > 0.0:
        radius = kinds.radius[0]
        return kinds.contact_distance, kinds.stiffness, radius, radius
    radius = radius_at(kinds, i, b, bodies)
    return neighbours.contact_distance[k], neighbours.stiffness[k], radius, mean_radius(b, c, bodies, kinds)


@inline
def load_capsules(kinds, listed, sphere_i, sphere_j, first, pairs, bodies, geometry):
    """Load the poses of pairs of capsules, which are whole bodies; see `read_poses`."""
    read_poses(kinds.pose, listed, bodies.owner, sphere_i, sphere_j, first, pairs, geometry)


@inline
def load_pieces(kinds, listed, sphere_i, sphere_j, first, pairs, bodies, geometry):
    """Load the poses of pairs of pieces, capsules or spheres of bodies; see `read_poses`."""
    read_poses(kinds.pose, listed, kinds.own, sphere_i, sphere_j, first, pairs, geometry)


load_poses = select("kinds", {Capsules: load_capsules, Mixed: load_pieces})


@inline
def load_geometry(first, pairs, start, touching, bodies, kinds, neighbours, geometry, kinematics):
    """Load poses and radii of the bodies of pairs into columns, and the stiffness of each pair.

    first, pairs, touching: which of the pairs that touch, and how many; their candidates, counted from `start`.
    Writes geometry, kinematics: rows SEPARATION and on; STIFFNESS.
    """
    sphere_i, sphere_j = neighbours.sphere_i[start:], neighbours.sphere_j[start:]
    load_poses(kinds, touching, sphere_i, sphere_j, first, pairs, bodies, geometry)
    for t in range(pairs):
        m = touching[first + t]
        b, c = bodies.owner[sphere_i[m]], bodies.owner[sphere_j[m]]
        contact_distance, stiffness, radius, mean = pair_parameters(
            start + m, sphere_i[m], b, c, bodies, kinds, neighbours
        )
        geometry[flat(CONTACT_DISTANCE, t)], geometry[flat(RADIUS_I, t)] = contact_distance, radius
        geometry[flat(MEAN_RADIUS, t)], kinematics[flat(STIFFNESS, t)] = mean, stiffness


@vector_loop
def compute_closest_points(box, count, geometry, kinematics):
    """Compute the contacts of pairs at their closest points, and whether they are nearly parallel, in vector code.

    count, geometry: number of columns; rows that `load_geometry` has written, in one dimension.
    Writes kinematics: NORMAL, OVERLAP, ARM_I, ARM_J, PARALLEL of these columns.
    """
    for t in range(count):
        x = minimum_image(box, get(geometry, SEPARATION, t), (0.0, 0.0, 0.0))
        u, v = get(geometry, AXIS_I, t), get(geometry, AXIS_J, t)
        inverse_i, inverse_j = geometry[flat(INVERSE_I, t)], geometry[flat(INVERSE_J, t)]
        mean = geometry[flat(MEAN_RADIUS, t)]
        is_parallel = are_nearly_parallel_given_inverses(u, v, mean, inverse_i, inverse_j)
        kinematics[flat(PARALLEL, t)] = 1.0 if is_parallel else 0.0
        s_i, s_j = closest_parameters_given_inverses(x, u, v, inverse_i, inverse_j)
        contact_distance, radius = geometry[flat(CONTACT_DISTANCE, t)], geometry[flat(RADIUS_I, t)]
        normal, overlap, arm = contact_at(x, u, v, s_i, s_j, contact_distance, radius)
        put(kinematics, NORMAL, t, normal)
        put(kinematics, ARM_I, t, arm)
        put(kinematics, ARM_J, t, add(arm, x))
        kinematics[flat(OVERLAP, t)] = overlap


@inline
def refer_pieces_to_bodies(kinds, t, i, j, kinematics):
    """Shift a contact point from the centres of pieces i and j to the centres of their bodies."""
    put(kinematics, ARM_I, t, from_body(kinds, i, get(kinematics, ARM_I, t)))
    put(kinematics, ARM_J, t, from_body(kinds, j, get(kinematics, ARM_J, t)))


refer_to_bodies = select("kinds", {Capsules: None, Mixed: refer_pieces_to_bodies})


@inline
def complete_single_contact(law, t, start, m, bodies, kinds, neighbours, box, kinematics, ids):
    """Complete the column of a pair that has a single contact, after `compute_closest_points`.

    t, start, m: column; first candidate of the chunk, which one counted from that.
    Writes kinematics, ids: column t.
    """
    k = start + m
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    refer_to_bodies(kinds, t, i, j, kinematics)
    kinematics[flat(WEIGHT, t)], kinematics[flat(WEIGHT_RATE, t)] = 1.0, 0.0
    ids[CANDIDATE, t], ids[SLOT, t] = m, CLOSEST
    ids[HAS_HISTORY, t] = slots_with_history(law, k, neighbours) & 1
    write_materials(law, t, b, c, bodies, kinds, ids)
    write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics)
    x = subtract(get(kinematics, ARM_J, t), get(kinematics, ARM_I, t))
    write_damping_masses(law, t, t + 1, b, c, x, bodies, kinds, kinematics)


@inline
def write_contact(law, t, k, b, c, x, u, v, parameters, bodies, kinds, neighbours, box, kinematics):
    """Write position and kinematics of a contact of a nearly parallel pair to column t.

    k, b, c: candidate, bodies.
    x, u, v, parameters: see `capsule_blending.separation_at`; parameters: (s, t).
    Writes kinematics: column t, without mass and weight.
    """
    contact_distance, stiffness = distance_and_stiffness_of(k, kinds, neighbours)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    (s_i, s_j), radius = parameters, radius_at(kinds, i, b, bodies)
    normal, overlap, arm = contact_at(x, u, v, s_i, s_j, contact_distance, radius)
    put(kinematics, NORMAL, t, normal)
    put(kinematics, ARM_I, t, from_body(kinds, i, arm))
    put(kinematics, ARM_J, t, from_body(kinds, j, add(arm, x)))
    kinematics[flat(STIFFNESS, t)], kinematics[flat(OVERLAP, t)] = stiffness, overlap
    write_surface_motion(law, t, i, j, bodies, kinds, box, kinematics)


@func
def add_parallel_contacts(law, start, m, count, bodies, kinds, neighbours, box, kinematics, ids):
    """Write the contacts of a nearly parallel pair: that of the closest points, then those of ends that have a weight.

    start, m, count: first candidate of the chunk, which one counted from that, contacts so far.
    Writes kinematics, ids: columns from `count` on.
    Returns the new number of contacts.
    """
    k = start + m
    b, c, x, u, v = pair_geometry(k, bodies, kinds, neighbours, box)
    slots_in_use = slots_with_history(law, k, neighbours)
    weights = weights_of_pair(x, u, v, mean_radius(b, c, bodies, kinds))
    rates, first = weight_rates_of_pair(law, k, b, c, x, u, v, weights, bodies, kinds, neighbours, box), count
    for slot in range(SLOTS if weights.closest < 1.0 else 1):
        weight, has_history = weight_of_slot(slot, weights), slots_in_use >> slot & 1
        if slot == CLOSEST or weight > 0.0:
            parameters = contact_parameters(slot, x, u, v)
            write_contact(law, count, k, b, c, x, u, v, parameters, bodies, kinds, neighbours, box, kinematics)
            kinematics[flat(WEIGHT, count)] = weight
            kinematics[flat(WEIGHT_RATE, count)] = weight_rate_of_slot(slot, weights, rates)
            ids[CANDIDATE, count], ids[SLOT, count], ids[HAS_HISTORY, count] = m, slot, has_history
            write_materials(law, count, b, c, bodies, kinds, ids)
            persists = laws.has_range(law) and has_history == 1
            touches = kinematics[flat(OVERLAP, count)] > 0.0 - laws.largest_begin_gap(law)
            count += 1 if slot == CLOSEST or persists or touches else 0
    write_damping_masses(law, first, count, b, c, x, bodies, kinds, kinematics)
    return count


@inline
def write_empty_contact(t, kinematics, ids):
    """Fill column t with a contact of zero overlap and of the constant weight 0, for a pair without contacts there.

    Laws evaluate this column like all others and multiply the results by the weight, so all results must be finite.
    """
    zero = (0.0, 0.0, 0.0)
    kinematics[flat(WEIGHT, t)] = kinematics[flat(WEIGHT_RATE, t)] = 0.0
    kinematics[flat(OVERLAP, t)] = kinematics[flat(TWIST, t)] = 0.0
    put(kinematics, VELOCITY, t, zero)
    put(kinematics, TURNING, t, zero)
    kinematics[flat(MASS, t)] = kinematics[flat(RADIUS, t)] = 1.0
    kinematics[flat(REDUCED, t)] = kinematics[flat(ROLLING, t)] = 1.0
    ids[CANDIDATE, t], ids[HAS_HISTORY, t], ids[SLOT, t], ids[OF_I, t], ids[OF_J, t] = NO_CANDIDATE, 0, 0, 0, 0


@inline
def compute_capsule_kinematics(geometry, sink, c, first, touching, context, gathered, kinematics, ids):
    """Compute the kinematics of the contacts of pairs from `first` in a list on, as many as a batch has room for.

    Each pair has a column. That of a nearly parallel pair is empty; its contacts follow behind all pairs.

    geometry, sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    c, first, touching: chunk; pairs in the list of those that touch.
    Writes kinematics, ids: a column a contact; the latter (`batch_kinematics.ID_ROWS`, BLOCK).
    Writes gathered: scratch of 14 rows or more, for `load_geometry`.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    law, bodies, kinds = context.law, context.bodies, context.kinds
    neighbours, box = context.neighbours, context.box
    start, pairs = first_candidate(c, neighbours), min(PAIRS, touching.size - first)
    load_geometry(first, pairs, start, touching, bodies, kinds, neighbours, gathered, kinematics)
    compute_closest_points(box, pairs, gathered, kinematics)
    count, complete_pairs = pairs, pairs
    for t in range(pairs):
        m = touching[first + t]
        if kinematics[flat(PARALLEL, t)] == 0.0:
            complete_single_contact(law, t, start, m, bodies, kinds, neighbours, box, kinematics, ids)
            continue
        write_empty_contact(t, kinematics, ids)
        if count + SLOTS <= BLOCK and complete_pairs == pairs:
            count = add_parallel_contacts(law, start, m, count, bodies, kinds, neighbours, box, kinematics, ids)
        elif complete_pairs == pairs:
            complete_pairs = t
    for t in range(complete_pairs, pairs):
        write_empty_contact(t, kinematics, ids)
    return count, first + complete_pairs, MIXED_TYPES


@vector_loop
def load_capsule_history(geometry, law, first, count, touching, ids, history, has_history, batch_history):
    """Copy the history of contacts from the rows of their pairs into a batch; zeros for new contacts."""
    columns = laws.columns(law)
    for t in range(count):
        k, column = ids[CANDIDATE, t], columns * ids[SLOT, t]
        for r in range(columns):
            batch_history[r, t] = history[k, column + r] if ids[HAS_HISTORY, t] != 0 else 0.0


@vector_loop
def store_capsule_history(geometry, law, first, count, touching, ids, batch_history, out, history, has_history):
    """Copy the history of contacts from a batch into the rows of their pairs, and the slots in use as bits.

    count, ids, batch_history, out: columns of the batch.
    Writes history, has_history: of their candidates.
    """
    columns, slots_in_use = laws.columns(law), 0
    for t in range(count):
        k, column = ids[CANDIDATE, t], columns * ids[SLOT, t]
        if k == NO_CANDIDATE:
            continue
        for r in range(columns):
            history[k, column + r] = batch_history[r, t]
        slots_in_use = 0 if ids[SLOT, t] == CLOSEST else slots_in_use
        slots_in_use |= 1 << ids[SLOT, t] if out[flat(PERSISTS, t)] > 0.0 else 0
        history[k, SLOTS * columns] = slots_in_use
        has_history[k] = 1 if slots_in_use != 0 else 0


@inline
def sum_forces_of_pair(first, count, start, context, kinematics, ids, out):
    """Sum force and torques of the contacts of one pair.

    first, count: its first column, of so many.
    start: first candidate of the chunk.
    kinematics, ids, out: columns of a batch.
    Returns the force on the first body [N], the torques on the first and the second [N m], the column after the last.
    """
    force, on_i, on_j = get(out, FORCE, first), get(out, ON_I, first), get(out, ON_J, first)
    if kinematics[flat(WEIGHT, first)] == 1.0:
        return force, on_i, on_j, first + 1
    return sum_parallel_contacts(first, count, force, on_i, on_j, start, context, kinematics, ids, out)


@func
def sum_parallel_contacts(first, count, force, on_i, on_j, start, context, kinematics, ids, out):
    """Sum force and torques of the contacts of a nearly parallel pair, with those of the gradient of their weights.

    force, on_i, on_j: of the first contact [N, N m].
    Other arguments and what it returns: see `sum_forces_of_pair`.
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
    b, c, x, u, v = pair_geometry(k, bodies, kinds, neighbours, box)
    weights = weights_of_pair(x, u, v, mean_radius(b, c, bodies, kinds))
    energies = (out[flat(ENERGY, first)], first_i, second_i, first_j, second_j)
    of_weights, more_i, more_j = weight_gradient_forces(x, u, v, weights, energies)
    return add(force, of_weights), add(on_i, more_i), add(on_j, more_j), t


@inline
def scatter_capsule_forces(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Write force and torques of each pair of a batch to its row of `Neighbours.force_torque`.

    count, start, kinematics, ids, out: see `sum_forces_of_pair`.
    """
    t, force_torque = 0, context.neighbours.force_torque
    while t < count:
        if ids[CANDIDATE, t] == NO_CANDIDATE:
            t += 1
            continue
        pair_row, first = context.neighbours.force_row[start + ids[CANDIDATE, t]], t
        force, on_i, on_j, t = sum_forces_of_pair(t, count, start, context, kinematics, ids, out)
        write_heat_of_pair(sink, pair_row, first, t, out, force_torque)
        write_vector_columns(force_torque, pair_row, 0, force)
        write_vector_columns(force_torque, pair_row, ON_I, on_i)
        write_vector_columns(force_torque, pair_row, FORCE_J, scale(-1.0, force))
        write_vector_columns(force_torque, pair_row, ON_J, on_j)
