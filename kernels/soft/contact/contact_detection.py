"""Contacts with a law that needs velocities: find the touching among the candidate pairs, evaluate those only.

In passes, because a touching pair costs ten times what finding it costs, and one candidate in four touches. Where
contacts live beyond touching, a pair that remembers anything is evaluated as if it touched: the law says when it ends.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.energy import add_words
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, store, subtract
from dem.kernels.simd.compress import compress
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.shared_damping import add_contact, inverse_effective_mass, no_multi_contact, of_mass
from dem.kernels.soft.contact.surface_motion import inverse_mass, radius_of, rolling_inertia, spin_of, surface_velocity
from dem.kernels.soft.uniform_values import of_pair

LINE = 8  # numbers in a line of the cache
ON_I, FORCE_J, ON_J = 4, 8, 12  # columns of wrenches, of which each body has a line: torque on i; of j force, torque
SHARED, HALF = (
    12,
    4,
)  # columns of wrenches of single spheres with torques of their own: that on j, force on i, that on i
TINY = 1e-300  # keeps the direction of two coincident spheres finite (zero) instead of 0/0


class Sums(NamedTuple):
    """Sums over contacts, energies in units, and the largest overlap; pairs of integers are `energy.as_words`."""

    elastic: int  # of normal laws and adhesion
    overlap: int  # bits of the largest
    stored: int  # of other springs
    loss: tuple[int, int]  # energy taken up besides `elastic` in half a step
    work: tuple[int, int]  # done by walls that move, in half a step
    jump: tuple[int, int]  # energy lost at once


@inline
def no_energy():
    """An energy of two words, to add to."""
    return np.int64(0), np.int64(0)


@inline
def no_sums():
    """Sums over no contacts."""
    return Sums(np.int64(0), np.int64(0), np.int64(0), no_energy(), no_energy(), no_energy())


@inline
def joined(one, other):
    """Sums over the contacts of both."""
    return Sums(
        one.elastic + other.elastic, max(one.overlap, other.overlap), one.stored + other.stored,
        add_words(one.loss, other.loss), add_words(one.work, other.work), add_words(one.jump, other.jump),
    )  # fmt: skip


@vector_loop
def list_touching_pairs(box, position, sphere_i, sphere_j, reach, least, overlap):
    """Overlap of each candidate pair, or the least wanted: zero for those that are apart, if nothing lasts beyond."""
    for k in range(sphere_i.size):
        d = minimum_image(box, load(position, sphere_i[k]), load(position, sphere_j[k]))
        deep = of_pair(reach, k) - math.sqrt(dot(d, d))
        overlap[k] = deep if deep > least else least


@vector_loop
def forget(overlap, has_history):
    """Pairs that are apart remember nothing."""
    for k in range(overlap.size):
        has_history[k] = has_history[k] if overlap[k] > 0.0 else 0


@vector_loop
def list_touching(first, overlap, beyond, touching, row):
    """List the candidates that overlap, or are not as far apart as `beyond` [m], and give them rows; returns how many.

    Parameters
    ----------
    first : row of the first of them
    overlap, beyond : (K,) of the candidates of a chunk [m]

    Writes
    ------
    touching : the list
    row : (K,) that of each candidate, 0 for all others
    """
    n, looked_at = compress(overlap, -beyond, first, touching, row)
    for k in range(looked_at, overlap.size):
        touching[n] = k
        counts = overlap[k] > -beyond
        row[k] = first + n if counts else 0
        n += 1 if counts else 0
    return n


@vector_loop
def list_lasting(first, overlap, has_history, touching, row):
    """List the candidates that overlap, or did and have not let go since, and give them rows; return how many.

    Parameters
    ----------
    first, overlap : see `list_touching`
    has_history : (K,) of the candidates

    Writes
    ------
    touching, row : as `list_touching`
    """
    n = 0
    for k in range(overlap.size):
        touching[n] = k
        counts = overlap[k] > 0.0 or has_history[k] != 0
        row[k] = first + n if counts else 0
        n += 1 if counts else 0
    return n


@inline
def list_chunk(law, c, overlap, listed, neighbours):
    """List the candidates of chunk c that touch, or have not let go since; returns their number.

    Parameters
    ----------
    law, c : see `dem.kernels.soft.state`
    overlap : (K,) of the candidates of the chunk [m]

    Writes
    ------
    listed : the list, of candidates counted from the chunk's first
    neighbours.contact_slot : of its candidates

    Returns
    -------
    number of those listed, whose rows of `Neighbours.force_torque` are from `first_row` on
    """
    column, start = neighbours.force_at[c], first_candidate(c, neighbours)
    row, first = neighbours.contact_slot[column : column + overlap.size], first_row(c, neighbours)
    if laws.has_range(law):
        return list_lasting(first, overlap, neighbours.has_history[start : start + overlap.size], listed, row)
    return list_touching(first, overlap, laws.begins(law), listed, row)


@inline
def first_row(c, neighbours):
    """Row of `Neighbours.force_torque` of the first contact of chunk c: the first row of all is zero."""
    return neighbours.force_at[c] + 1


@inline
def look(law, k, b, c, bodies, kinds, neighbours, box):
    """Kinematics of the contact of candidate k, of bodies b and c, the point of contact, and its history.

    Parameters
    ----------
    k, b, c : candidate, and its two bodies
    law, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.ContactKinematics`, point [m], history
    """
    reach, stiffness = kinds.contact_distance, kinds.stiffness
    if reach == 0.0:
        reach, stiffness = neighbours.contact_distance[k], neighbours.stiffness[k]
    touch, x = meeting(neighbours.sphere_i[k], b, neighbours.sphere_j[k], c, reach, stiffness, bodies, kinds, box)
    history = laws.nothing(law)
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        history = laws.load(law, neighbours.history, k, 0)
    return touch, x, history


@inline
def of_pair_of(k, b, c, bodies, neighbours):
    """Whether candidate k is one of bodies b and c."""
    return bodies.owner[neighbours.sphere_i[k]] == b and bodies.owner[neighbours.sphere_j[k]] == c


@inline
def look_together(law, t, start, end, rate, touching, half, bodies, kinds, neighbours, box):
    """Kinematics of the t-th contact in a list, damped together with the others of its pair of bodies.

    Parameters
    ----------
    t, start, touching : its place in the list of those that touch, whose numbers are counted from `start`
    end, rate : of the last pair looked at, where its contacts end in the list and its ω² [1/s²]; at first t and 0
    law, half, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.ContactKinematics`, with the mass that is to be damped; point [m]; history; end; rate
    """
    k = start + touching[t]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    touch, x, history = look(law, k, b, c, bodies, kinds, neighbours, box)
    if laws.shares_damping(law):
        if t == end:
            begin = t  # or before it: a block may begin among them
            while begin > 0 and of_pair_of(start + touching[begin - 1], b, c, bodies, neighbours):
                begin -= 1
            end, rate = rate_of_pair(law, begin, start, touching, half, bodies, kinds, neighbours, box)
        if rate > 0.0:
            m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
            touch = of_mass(touch, laws.secant(law, m_i, m_j, touch, history, half) / rate)
    return touch, x, history, end, rate


@func
def rate_of_pair(law, first, start, touching, half, bodies, kinds, neighbours, box):
    """End of the contacts of one pair of bodies, and ω² of them together, see ``shared_damping``; 0 for a single one.

    Parameters
    ----------
    first : the first of them in `touching`
    law, start, touching, half, bodies, kinds, neighbours, box
        see `kernels.soft.contact.batch_kinematics.compute_body_kinematics`

    Returns
    -------
    index in `touching`, ω² [1/s²]
    """
    k = start + touching[first]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    stop = first + 1
    while stop < touching.size and of_pair_of(start + touching[stop], b, c, bodies, neighbours):
        stop += 1
    push = no_multi_contact()
    if stop - first > 1:
        m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        for t in range(first, stop):
            touch, x, history = look(law, start + touching[t], b, c, bodies, kinds, neighbours, box)
            arm_b, arm_c = (
                minimum_image(box, x, load(bodies.position, b)),
                minimum_image(box, x, load(bodies.position, c)),
            )
            secant = laws.secant(law, m_i, m_j, touch, history, half)
            push = add_contact(push, secant, dot(touch.velocity, touch.normal), touch.normal, arm_b, arm_c)
    rate = 0.0
    if push.square > 0.0:
        yielding = inverse_effective_mass(b, push.force, push.torque_b, bodies, kinds)
        rate = (yielding + inverse_effective_mass(c, push.force, push.torque_c, bodies, kinds)) / push.square
    return stop, rate


@inline
def meeting(i, b, j, c, reach, stiffness, bodies, kinds, box):
    """Kinematics of sphere i of body b and sphere j of body c, and the point halfway between their surfaces.

    Parameters
    ----------
    i, b, j, c : the two spheres, each with its body
    reach, stiffness : R_i + R_j [m], K [N m^-1.5]
    bodies, kinds, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.ContactKinematics`, point [m]
    """
    x_i = load(bodies.sphere_position, i)
    d = minimum_image(box, x_i, load(bodies.sphere_position, j))
    distance = math.sqrt(dot(d, d))
    normal = scale(1.0 / (distance + TINY), d)
    overlap = reach - distance
    radius = 0.5 * reach if kinds.contact_distance > 0.0 else radius_of(i, b, bodies, kinds)
    x = add_scaled(x_i, 0.5 * overlap - radius, normal)
    velocity = subtract(surface_velocity(b, x, bodies, box), surface_velocity(c, x, bodies, box))
    twist = 0.5 * dot(add(spin_of(b, bodies), spin_of(c, bodies)), normal)
    mass = 1.0 / (inverse_mass(b, x, normal, bodies, kinds, box) + inverse_mass(c, x, normal, bodies, kinds, box))
    r_i, r_j = radius_of(i, b, bodies, kinds), radius_of(j, c, bodies, kinds)
    return laws.ContactKinematics(
        stiffness, mass, overlap, normal, velocity, twist,
        relative_angular_velocity=subtract(spin_of(b, bodies), spin_of(c, bodies)), radius=r_i * r_j / (r_i + r_j),
        reduced_mass=1.0 / (kinds.inverse_mass[bodies.kind[b]] + kinds.inverse_mass[bodies.kind[c]]),
        rolling_inertia=1.0 / (1.0 / rolling_inertia(r_i, b, bodies, kinds) + 1.0 / rolling_inertia(r_j, c, bodies,
        kinds)),
        may_begin=True,
    ), x  # fmt: skip


@inline
def clear(sums):
    """Begin the sums of a body: four numbers of its force, four of its torque."""
    for r in range(LINE):
        sums[r] = 0.0


@inline
def write_force_torque(sums, b, force, torque):
    """Write the sums of a body to column b, which those that cannot turn have no torque in."""
    store(force, b, (sums[0], sums[1], sums[2]))
    if torque.shape[1] > 0:
        store(torque, b, (sums[ON_I], sums[ON_I + 1], sums[ON_I + 2]))
