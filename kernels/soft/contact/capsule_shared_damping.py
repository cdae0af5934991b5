"""Damping that several contacts of the same two bodies share, of bodies of several spheres beside capsules.

See ``shared_damping``. The contacts of two capsules are damped with the mass at their middle, those of others as here.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import add, cross, dot, load, subtract
from dem.kernels.soft.contact.batch_kinematics import MASS, flat, touch_of
from dem.kernels.soft.contact.capsule_blending import closest
from dem.kernels.soft.contact.capsule_kinematics import WEIGHT, pose, reach_of, touch_at, velocity_of_image, yielding
from dem.kernels.soft.contact.capsules import from_body, lone_or, radius_at
from dem.kernels.soft.contact.contact_detection import of_pair_of
from dem.kernels.soft.contact.shared_damping import add_contact, inverse_effective_mass, no_multi_contact
from dem.kernels.soft.contact.surface_motion import rolling_inertia, spin_of


@inline
def recalled(law, k, neighbours):
    """History of the contact of candidate k."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return laws.load(law, neighbours.history, k, 0)
    return laws.nothing(law)


@inline
def look(law, k, bodies, kinds, neighbours, box):
    """Kinematics of candidate k at its closest points: `laws.ContactKinematics`, and its place from both centres."""
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r_b, r_c = radius_at(kinds, i, b, bodies), radius_at(kinds, j, c, bodies)
    reach, stiffness = reach_of(k, kinds, neighbours)
    s, t = closest(x, u, v)
    normal, overlap, arm = touch_at(x, u, v, s, t, reach, r_b)
    of_b, of_c = from_body(kinds, i, arm), from_body(kinds, j, add(arm, x))
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    at_b = add(load(bodies.velocity_predicted, b), cross(w_b, of_b))
    v_c = add(load(bodies.velocity_predicted, c), velocity_of_image(i, j, bodies, kinds, box))
    at_c = add(v_c, cross(w_c, of_c))
    mass = 1.0 / (yielding(kinds, b, of_b, normal, bodies) + yielding(kinds, c, of_c, normal, bodies))
    rolling = 1.0 / rolling_inertia(r_b, b, bodies, kinds) + 1.0 / rolling_inertia(r_c, c, bodies, kinds)
    return laws.ContactKinematics(
        stiffness, mass, overlap, normal, subtract(at_b, at_c), 0.5 * dot(add(w_b, w_c), normal),
        relative_angular_velocity=subtract(w_b, w_c), radius=r_b * r_c / (r_b + r_c),
        reduced_mass=1.0 / (kinds.inverse_mass[bodies.kind[b]] + kinds.inverse_mass[bodies.kind[c]]),
        rolling_inertia=1.0 / rolling,
        may_begin=True,
    ), of_b, of_c  # fmt: skip


@func
def rate_of_pair(law, first, start, listed, half, bodies, kinds, neighbours, box):
    """End in the list of the contacts of a pair of bodies with capsules, and ω² of them together; 0 for a single one.

    The counterpart for spheres is `dem.kernels.soft.contact.contact_detection.rate_of_pair`.

    Parameters
    ----------
    law, first, start, half, bodies, kinds, neighbours, box : see there
    listed : those that touch

    Returns
    -------
    index in `listed`, ω² [1/s²]
    """
    k = start + listed[first]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    stop = first + 1
    while stop < listed.size and of_pair_of(start + listed[stop], b, c, bodies, neighbours):
        stop += 1
    push, rate = no_multi_contact(), 0.0
    for t in range(first, stop if stop - first > 1 else first):
        touch, of_b, of_c = look(law, start + listed[t], bodies, kinds, neighbours, box)
        history = recalled(law, start + listed[t], neighbours)
        m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        secant = laws.secant(law, m_i, m_j, touch, history, half)
        push = add_contact(push, secant, dot(touch.velocity, touch.normal), touch.normal, of_b, of_c)
    if push.square > 0.0:
        yielding_both = inverse_effective_mass(b, push.force, push.torque_b, bodies, kinds)
        rate = (yielding_both + inverse_effective_mass(c, push.force, push.torque_c, bodies, kinds)) / push.square
    return stop, rate


@inline
def share_nothing(law, number, start, first, listed, half, bodies, kinds, neighbours, box, known):
    """Elastic contacts are not damped.

    Parameters
    ----------
    law, number, start, first, listed, half, bodies, kinds, neighbours, box, known : see `share_mass`

    Returns
    -------
    None
    """
    return


@inline
def share_mass(law, number, start, first, listed, half, bodies, kinds, neighbours, box, known):
    """Write the masses by which contacts are damped where two bodies have several.

    Parameters
    ----------
    law, start, half, bodies, kinds, neighbours, box : see
    `kernels.soft.contact.capsule_batch_kinematics.compute_kinematics`
    number, first, listed : of contacts in a block, the first of them in the list of those that touch

    Writes
    ------
    known : MASS
    """
    end, rate = 0, 0.0
    for t in range(number if laws.shares_damping(law) else 0):
        k = start + listed[first + t]
        b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
        if t == end:
            begin = first + t  # or before it: a block may begin among them
            while begin > 0 and of_pair_of(start + listed[begin - 1], b, c, bodies, neighbours):
                begin -= 1
            stop, rate = rate_of_pair(law, begin, start, listed, half, bodies, kinds, neighbours, box)
            end = stop - first
        if rate > 0.0 and known[flat(WEIGHT, t)] > 0.0:
            touch = touch_of(known, t, True)
            m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
            known[flat(MASS, t)] = laws.secant(law, m_i, m_j, touch, recalled(law, k, neighbours), half) / rate


by_law = laws.elastic_or(share_nothing, share_mass)


@inline
def alone(kinds, law, number, start, first, listed, half, bodies, neighbours, box, known):
    """Two capsules have one contact, or several as one.

    Parameters
    ----------
    kinds, law, number, start, first, listed, half, bodies, neighbours, box, known : see `share_mass`

    Returns
    -------
    None
    """
    return


@inline
def together(kinds, law, number, start, first, listed, half, bodies, neighbours, box, known):
    """Bodies of several spheres have many.

    Parameters
    ----------
    kinds, law, number, start, first, listed, half, bodies, neighbours, box : see `share_mass`

    Writes
    ------
    known : as `share_mass`
    """
    by_law(law, number, start, first, listed, half, bodies, kinds, neighbours, box, known)


share = lone_or(alone, together)
