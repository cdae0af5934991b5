"""What contacts of capsules are: which of a pair's there are, how surfaces move there, what they weigh.

See ``capsule_blending``.

A block has rows of numbers as for other bodies (``batch_kinematics``), and some more; all contacts of a pair are in
one block.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM,
    MASS,
    NORMAL,
    OVERLAP,
    POINT,
    RADIUS,
    REDUCED,
    ROLLING,
    STIFFNESS,
    TURNING,
    TWIST,
    VELOCITY,
    flat,
    get,
    put,
)
from dem.kernels.soft.contact.capsule_blending import (
    LEAST,
    alone,
    are_nearly_parallel,
    between,
    place_of,
    weight_of,
    weights,
)
from dem.kernels.soft.contact.capsules import (
    SLOTS,
    axis_of,
    centre_of,
    from_body,
    lone_or,
    mean_radius,
    radius_at,
    row_of,
)
from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.contact.shared_damping import inverse_effective_mass
from dem.kernels.soft.contact.surface_motion import rolling_inertia, spin_of

WEIGHT = 22  # a row besides: what the contact counts
OF_I, OF_J, CANDIDATE, SLOT, RECALLS = range(5)  # rows of integers: materials, whose contact, if it remembers


@inline
def touch_at(x, u, v, s, t, reach, radius):
    """Normal and overlap of a contact at places s and t, and its place from the centre of the first, of this radius."""
    d = between(x, u, v, s, t)
    distance = math.sqrt(dot(d, d))
    normal, overlap = scale(1.0 / (distance + TINY), d), reach - distance
    return normal, overlap, add_scaled(scale(s, u), 0.5 * overlap - radius, normal)


@inline
def pose(k, bodies, kinds, neighbours, box):
    """The bodies of candidate k, from the centre of the second one's piece to that of the first's, and half axes."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    x = minimum_image(box, subtract(centre_of(kinds.pose, b), centre_of(kinds.pose, c)), (0.0, 0.0, 0.0))
    return bodies.owner[i], bodies.owner[j], x, axis_of(kinds.pose, b), axis_of(kinds.pose, c)


@inline
def velocity_of_image(i, j, bodies, kinds, box):
    """Velocity of the image of sphere j's body that is nearest to sphere i's, less that of the body [m/s]."""
    b, c = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    return image_velocity(box, nearest_image(box, centre_of(kinds.pose, b), centre_of(kinds.pose, c))[1])


@inline
def weights_of(x, u, v, mean):
    """`Weights` of two capsules, nearly parallel or not."""
    return weights(x, u, v, mean) if are_nearly_parallel(u, v, mean) else alone()


@inline
def reach_of(k, kinds, neighbours):
    """R_i + R_j of candidate k, and its stiffness."""
    if kinds.contact_distance > 0.0:
        return kinds.contact_distance, kinds.stiffness
    return neighbours.contact_distance[k], neighbours.stiffness[k]


@func
def add_pair(law, start, counted, number, bodies, kinds, neighbours, box, known, told):
    """Write the contacts of one pair, those of its closest points first; the new number of contacts.

    Parameters
    ----------
    start, counted, number : first candidate of the chunk, which one counted from that, contacts so far
    law, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Writes
    ------
    known, told : columns from `number` on
    """
    k = start + counted
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    bits = remembering(law, k, neighbours)
    q = weights_of(x, u, v, mean_radius(b, c, bodies, kinds))
    first = number
    for slot in range(SLOTS if q.closest < 1.0 else 1):
        counts, remembers = weight_of(slot, q), bits >> slot & 1
        if slot == 0 or counts > 0.0:
            place = place_of(slot, x, u, v)
            put_contact(law, number, k, b, c, x, u, v, place, bodies, kinds, neighbours, box, known)
            known[flat(WEIGHT, number)] = counts
            told[CANDIDATE, number], told[SLOT, number], told[RECALLS, number] = counted, slot, remembers
            tell_materials(law, number, b, c, bodies, kinds, told)
            held = laws.has_range(law) and remembers == 1
            number += 1 if slot == 0 or held or known[flat(OVERLAP, number)] > 0.0 - laws.begins(law) else 0
    weigh(law, first, number, b, c, x, bodies, kinds, known)
    return number


@inline
def tell_nothing(law, t, b, c, bodies, kinds, told):
    """All is alike to elastic contacts but for their stiffness."""
    return


@inline
def tell_of_both(law, t, b, c, bodies, kinds, told):
    """Write the materials of bodies b and c to column t."""
    told[OF_I, t], told[OF_J, t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]


tell_materials = laws.elastic_or(tell_nothing, tell_of_both)


@inline
def remember_nothing(law, k, neighbours):
    """Elastic contacts do not."""
    return 0


@inline
def remembered(law, k, neighbours):
    """Which of the contacts of candidate k remember anything: bits, kept behind what they remember."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return int(neighbours.history[k, SLOTS * laws.columns(law)])
    return 0


remembering = laws.elastic_or(remember_nothing, remembered)


@inline
def put_contact(law, t, k, b, c, x, u, v, place, bodies, kinds, neighbours, box, known):
    """Write where a contact is and how the surfaces move there.

    Parameters
    ----------
    t, k, b, c : its column; candidate, bodies
    x, u, v, place : as of `capsule_blending.between`, the last two in one [m]
    law, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Writes
    ------
    known : column t, without mass and weight
    """
    reach, stiffness = reach_of(k, kinds, neighbours)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    normal, overlap, arm = touch_at(x, u, v, place[0], place[1], reach, radius_at(kinds, i, b, bodies))
    put(known, NORMAL, t, normal)
    put(known, POINT, t, from_body(kinds, i, arm))
    put(known, ARM, t, from_body(kinds, j, add(arm, x)))
    known[flat(STIFFNESS, t)], known[flat(OVERLAP, t)] = stiffness, overlap
    put_motion(law, t, i, j, bodies, kinds, box, known)


@inline
def put_no_motion(law, t, i, j, bodies, kinds, box, known):
    """Elastic contacts do not look at it.

    Parameters
    ----------
    law, t, i, j, bodies, kinds, box, known : see `put_motion_of`
    """
    return


@inline
def put_motion_of(law, t, i, j, bodies, kinds, box, known):
    """Write how the surfaces move at a contact, and what resists rolling.

    Parameters
    ----------
    t, i, j : its column, of which NORMAL, POINT and ARM are known; spheres that stand for what touches
    law, bodies, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    known : VELOCITY, TURNING, TWIST, RADIUS, REDUCED and ROLLING of column t
    """
    b, c = bodies.owner[i], bodies.owner[j]
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    at_b = add(load(bodies.velocity_predicted, b), cross(w_b, get(known, POINT, t)))
    of_c = add(load(bodies.velocity_predicted, c), velocity_of_image(i, j, bodies, kinds, box))
    at_c = add(of_c, cross(w_c, get(known, ARM, t)))
    put(known, VELOCITY, t, subtract(at_b, at_c))
    put(known, TURNING, t, subtract(w_b, w_c))
    known[flat(TWIST, t)] = 0.5 * dot(add(w_b, w_c), get(known, NORMAL, t))
    g, h = bodies.kind[b], bodies.kind[c]
    r_b, r_c = radius_at(kinds, i, b, bodies), radius_at(kinds, j, c, bodies)
    known[flat(RADIUS, t)] = r_b * r_c / (r_b + r_c)
    known[flat(REDUCED, t)] = 1.0 / (kinds.inverse_mass[g] + kinds.inverse_mass[h])
    known[flat(ROLLING, t)] = 1.0 / (
        1.0 / rolling_inertia(r_b, b, bodies, kinds) + 1.0 / rolling_inertia(r_c, c, bodies, kinds)
    )


put_motion = laws.elastic_or(put_no_motion, put_motion_of)


@inline
def yielding_any(kinds, b, arm, normal, bodies):
    """Velocity along the normal that a unit impulse along it at an arm gives body b there [1/kg]."""
    return inverse_effective_mass(b, normal, cross(arm, normal), bodies, kinds)


@inline
def yielding_round(kinds, b, arm, normal, bodies):
    """Velocity along the normal that a unit impulse at an arm gives body b, round about its axis, there [1/kg]."""
    g, u, lever = bodies.kind[b], axis_of(kinds.pose, b), cross(arm, normal)
    axial, across = 1.0 / kinds.inertia[0, g], 1.0 / kinds.inertia[1, g]
    along = dot(lever, u)
    turned = dot(lever, lever) * across + along * along / max(dot(u, u), LEAST) * (axial - across)
    return kinds.inverse_mass[g] + turned


yielding = lone_or(yielding_round, yielding_any)


@inline
def middle_of(first, stop, known):
    """Middle of the contacts of one pair, in these columns, weighed by what they count and their overlaps."""
    whole, middle = 0.0, (0.0, 0.0, 0.0)
    for t in range(first, stop):
        share = known[flat(WEIGHT, t)] * max(known[flat(OVERLAP, t)], 0.0)
        whole += share
        middle = add_scaled(middle, share, get(known, POINT, t))
    return scale(1.0 / whole, middle) if whole > 0.0 else get(known, POINT, first)


@inline
def weigh_nothing(law, first, stop, b, c, x, bodies, kinds, known):
    """Elastic contacts are not damped.

    Parameters
    ----------
    law, first, stop, b, c, x, bodies, kinds, known : see `weigh_contacts`

    Returns
    -------
    None
    """
    return


@inline
def weigh_contacts(law, first, stop, b, c, x, bodies, kinds, known):
    """Write the mass with which the contacts of one pair are damped: that at the middle of their overlaps.

    Parameters
    ----------
    first, stop : columns of its contacts
    b, c, x : its bodies, from the second's centre to the first's [m]
    law, bodies, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    known : MASS of those columns
    """
    several, middle = stop - first > 1, middle_of(first, stop, known)
    for t in range(first, stop):
        arm = middle if several else get(known, POINT, t)
        normal = get(known, NORMAL, t)
        known[flat(MASS, t)] = 1.0 / (
            yielding(kinds, b, arm, normal, bodies) + yielding(kinds, c, add(arm, x), normal, bodies)
        )


weigh = laws.elastic_or(weigh_nothing, weigh_contacts)
