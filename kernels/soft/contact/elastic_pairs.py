"""Forces of all contacts: place the spheres, evaluate the candidate pairs; see ``force_accumulation`` for the sums.

Each pair is evaluated once, in a loop without branches that LLVM turns into vector code (a pair that does not touch
yields an exact zero); then each body sums its own pairs in a fixed order. So neither the number of threads nor the
age of the lists changes a bit of the result, and no two threads ever write to the same place.
"""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import hertz
from dem.kernels.numerics.energy import as_fixed
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.vector import add, dot, load, store
from dem.kernels.soft.chunks import candidate_room, chunk_of, first_candidate
from dem.kernels.soft.contact import contact_detection
from dem.kernels.soft.contact.capsule_batches import evaluate_capsules
from dem.kernels.soft.contact.capsules import capsules_or, place_axis, place_pieces
from dem.kernels.soft.contact.contact_batches import evaluate_listed
from dem.kernels.soft.contact.contact_detection import TINY, Sums, no_energy
from dem.kernels.soft.uniform_values import of_pair


@inline
def place_body(b, bodies, kinds):
    """Sphere centres x + q d q* of body b."""
    x = load(bodies.position, b)
    q = load_quaternion(bodies.orientation, b)
    o = kinds.first_offset[bodies.kind[b]] - bodies.first_sphere[b]
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        store(bodies.sphere_position, s, add(x, rotate(q, load(kinds.offset, s + o))))


@inline
def place_spheres(kinds, c, bodies, neighbours):
    """Place the spheres of the bodies of chunk c that have anything to touch."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        place_body(neighbours.with_contacts[k], bodies, kinds)


@inline
def place_capsules(kinds, c, bodies, neighbours):
    """Turn the axes of the bodies of chunk c that have anything to touch, and place the ends of those near walls."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        place_axis(neighbours.with_contacts[k], bodies, kinds)
    for k in range(low, low + neighbours.near_wall_count[c]):
        place_body(neighbours.near_wall[k], bodies, kinds)


@inline
def place_mixed(kinds, c, bodies, neighbours):
    """Place the spheres and capsule ends of the bodies of chunk c that have contacts or are near walls."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        place_pieces(neighbours.with_contacts[k], bodies, kinds)
    for k in range(low, low + neighbours.near_wall_count[c]):
        place_body(neighbours.near_wall[k], bodies, kinds)


place = capsules_or(place_spheres, place_capsules, place_mixed)


@inline
def have_no_axis(kinds, b, bodies):
    """Bodies made of spheres need none."""
    return


@inline
def have_axis(kinds, b, bodies):
    """Update the axis of body b, a capsule."""
    place_axis(b, bodies, kinds)


@inline
def have_pieces(kinds, b, bodies):
    """Update the pieces of body b, a capsule or several spheres."""
    place_pieces(b, bodies, kinds)


turn = capsules_or(have_no_axis, have_axis, have_pieces)


@func
def place_all(bodies, kinds):
    """Place the spheres of all bodies of several spheres, for output; single spheres lie where their bodies do."""
    if not kinds.all_single_spheres:
        for b in range(bodies.kind.size):
            place_body(b, bodies, kinds)
            turn(kinds, b, bodies)


@func
def place_off_line(c, bodies, kinds):
    """Place the spheres of those bodies of chunk c that are not on a line, before candidates are picked."""
    if kinds.all_single_spheres:
        return
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        if kinds.is_collinear[bodies.kind[b]] == 0:
            place_body(b, bodies, kinds)


@inline
def evaluate_elastic(law, scheme, c, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Evaluate the candidate pairs of chunk c.

    Spheres that are all alike do without reading reach and stiffness of each pair, a tenth of a step's memory traffic.

    Parameters
    ----------
    law, scheme, c, time_sign, half, per_joule, bodies, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    neighbours.pair_force : of the chunk's candidates [N]

    Returns
    -------
    `Sums`
    """
    number = neighbours.pairs[c]
    start = first_candidate(c, neighbours)
    stop = start + number
    column = neighbours.force_at[c]
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    force_x = neighbours.pair_force[0, column : column + number]
    force_y = neighbours.pair_force[1, column : column + number]
    force_z = neighbours.pair_force[2, column : column + number]
    if kinds.contact_distance > 0.0:
        elastic, largest = evaluate_pairs(
            box,
            bodies.sphere_position,
            sphere_i,
            sphere_j,
            kinds.contact_distance,
            kinds.stiffness,
            per_joule,
            force_x,
            force_y,
            force_z,
        )
    else:
        reach, stiffness = neighbours.contact_distance[start:stop], neighbours.stiffness[start:stop]
        elastic, largest = evaluate_pairs(
            box, bodies.sphere_position, sphere_i, sphere_j, reach, stiffness, per_joule, force_x, force_y, force_z
        )
    return Sums(elastic, largest, np.int64(0), no_energy(), no_energy(), no_energy())


@inline
def evaluate_dissipative(law, scheme, c, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Evaluate the touching among the candidate pairs of chunk c.

    Parameters
    ----------
    law, scheme, c, time_sign, half, per_joule, bodies, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    neighbours.overlap, neighbours.touching, neighbours.contact_slot, neighbours.force_torque : of the chunk's segment
    neighbours.history, neighbours.has_history : of its candidates

    Returns
    -------
    `Sums`
    """
    number = neighbours.pairs[c]
    room = candidate_room(neighbours)
    start, column = c * room, neighbours.force_at[c]
    stop = start + number
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    overlap, listed = neighbours.overlap[column : column + number], neighbours.touching[column : column + room]
    least = -math.inf if laws.has_range(law) else 0.0 - laws.begins(law)
    if kinds.contact_distance > 0.0:
        contact_detection.list_touching_pairs(
            box, bodies.sphere_position, sphere_i, sphere_j, kinds.contact_distance, least, overlap
        )
    else:
        contact_detection.list_touching_pairs(
            box, bodies.sphere_position, sphere_i, sphere_j, neighbours.contact_distance[start:stop], least, overlap
        )
    if neighbours.has_history.size > 0 and not laws.has_range(law):
        contact_detection.forget(overlap, neighbours.has_history[start:stop])
    listed = listed[: contact_detection.list_chunk(law, c, overlap, listed, neighbours)]
    return evaluate_listed(scheme, law, c, listed, time_sign, half, per_joule, bodies, kinds, neighbours, box)


by_law = laws.elastic_or(evaluate_elastic, evaluate_dissipative)


@inline
def evaluate_spheres(kinds, law, scheme, c, time_sign, half, per_joule, bodies, neighbours, box):
    """Evaluate the candidate pairs of chunk c, which are spheres.

    Parameters
    ----------
    kinds, law, scheme, c, time_sign, half, per_joule, bodies, box : see `dem.kernels.soft.state`

    Writes
    ------
    neighbours : as the two above

    Returns
    -------
    `Sums`
    """
    return by_law(law, scheme, c, time_sign, half, per_joule, bodies, kinds, neighbours, box)


evaluate = capsules_or(evaluate_spheres, evaluate_capsules)


@vector_loop
def evaluate_pairs(box, sphere_position, sphere_i, sphere_j, reach, stiffness, per_joule, force_x, force_y, force_z):
    """Hertz force on sphere i of each candidate pair.

    Parameters
    ----------
    box, per_joule : see `dem.kernels.soft.state`
    sphere_position : (3, M) centres [m]
    sphere_i, sphere_j : (K,) the spheres of each pair
    reach, stiffness : (K,) or one float for all, R_i + R_j [m] and K [N m^-1.5]

    Writes
    ------
    force_x, force_y, force_z : (K,) world frame [N], zero for pairs that are apart

    Returns
    -------
    elastic energy in units, bits of the largest overlap
    """
    elastic = np.int64(0)
    largest = np.int64(0)
    for k in range(sphere_i.size):
        d = minimum_image(box, load(sphere_position, sphere_i[k]), load(sphere_position, sphere_j[k]))
        distance = math.sqrt(dot(d, d))
        overlap = of_pair(reach, k) - distance
        overlap = overlap if overlap > 0.0 else 0.0
        f = hertz.force(of_pair(stiffness, k), overlap) / (distance + TINY)
        force_x[k] = f * d[0]
        force_y[k] = f * d[1]
        force_z[k] = f * d[2]
        elastic += as_fixed(hertz.energy(of_pair(stiffness, k), overlap), per_joule)
        bits = bits_of_float(overlap)
        largest = bits if bits > largest else largest
    return elastic, largest
