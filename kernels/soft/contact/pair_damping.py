"""Damping shared by several contacts of the same two bodies, see ``shared_damping``: written over a batch's masses.

The contacts of two capsules are damped with the mass at their middle, those of all others as here.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.numerics.vector import add, cross, dot, load, subtract
from dem.kernels.soft.contact import cluster_kinematics
from dem.kernels.soft.contact.batch_kinematics import MASS, flat, touch_of, weight_of
from dem.kernels.soft.contact.capsule_blending import closest
from dem.kernels.soft.contact.capsule_kinematics import pose, touch_at, velocity_of_image, yielding
from dem.kernels.soft.contact.capsules import Capsules, Mixed, from_body, radius_at
from dem.kernels.soft.contact.cluster_kinematics import reach_of
from dem.kernels.soft.contact.shared_damping import add_contact, inverse_effective_mass, no_multi_contact
from dem.kernels.soft.contact.surface_motion import rolling_inertia, spin_of
from dem.kernels.soft.state import Kinds


@inline
def of_pair_of(k, b, c, bodies, neighbours):
    """Whether candidate k is one of bodies b and c."""
    return bodies.owner[neighbours.sphere_i[k]] == b and bodies.owner[neighbours.sphere_j[k]] == c


@inline
def recalled(law, k, neighbours):
    """History of the contact of candidate k."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return laws.load(law, neighbours.history, k, 0)
    return laws.nothing(law)


@inline
def look_at_capsules(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k at its closest points, and its place from the centres of both bodies.

    k: see `dem.kernels.soft.contact.cluster_kinematics.look_at_spheres`.
    Returns what `dem.kernels.soft.contact.cluster_kinematics.look_at_spheres` does.
    """
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


look = select("kinds", {Kinds: cluster_kinematics.look, Capsules: look_at_capsules})


@func
def rate_of_pair(law, first, start, touching, half, bodies, kinds, neighbours, box):
    """End of the contacts of one pair of bodies, and ω² of them together, see ``shared_damping``; 0 for a single one.

    first: the first of them in `touching`.
    start, touching: see `share_damping`.
    Returns the index in `touching`, ω² [1/s²].
    """
    k = start + touching[first]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    stop = first + 1
    while stop < touching.size and of_pair_of(start + touching[stop], b, c, bodies, neighbours):
        stop += 1
    push, rate = no_multi_contact(), 0.0
    for t in range(first, stop if stop - first > 1 else first):
        touch, arm_b, arm_c = look(kinds, law, start + touching[t], bodies, neighbours, box)
        history = recalled(law, start + touching[t], neighbours)
        m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        secant = laws.secant(law, m_i, m_j, touch, history, half)
        push = add_contact(push, secant, dot(touch.velocity, touch.normal), touch.normal, arm_b, arm_c)
    if push.square > 0.0:
        yielding_both = inverse_effective_mass(b, push.force, push.torque_b, bodies, kinds)
        rate = (yielding_both + inverse_effective_mass(c, push.force, push.torque_c, bodies, kinds)) / push.square
    return stop, rate


@inline
def share_damping(geometry, first, stop, start, touching, context, kinematics):
    """Write with which mass those contacts are damped of which there are several of the same two bodies.

    geometry: see `dem.kernels.soft.contact.batch_kinematics`.
    first, stop, touching: the pairs of a batch in the list of those that touch, in its first columns.
    start: first candidate of the chunk, from which the list counts.
    Writes kinematics: row MASS.
    """
    law, half, bodies, kinds = context.law, 0.5 * context.constants.dt, context.bodies, context.kinds
    neighbours, box, end, rate = context.neighbours, context.box, first, 0.0
    for at in range(first, stop if laws.shares_damping(law) else first):
        k = start + touching[at]
        b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
        if at == end:
            begin = at  # or before it: a batch may begin among them
            while begin > 0 and of_pair_of(start + touching[begin - 1], b, c, bodies, neighbours):
                begin -= 1
            end, rate = rate_of_pair(law, begin, start, touching, half, bodies, kinds, neighbours, box)
        t = at - first
        if rate > 0.0 and weight_of(geometry, kinematics, t) > 0.0:
            touch = touch_of(kinematics, t, True)
            m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
            kinematics[flat(MASS, t)] = laws.secant(law, m_i, m_j, touch, recalled(law, k, neighbours), half) / rate


@inline
def one_contact(geometry, first, stop, start, touching, context, kinematics):
    """Two capsules have one contact, or several as one."""
    return


share = select("context.kinds", {Kinds: share_damping, Capsules: one_contact, Mixed: share_damping})
