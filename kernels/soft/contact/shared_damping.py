"""Shared damping: several contacts of one pair of bodies, damped together.

A dashpot follows from the restitution and the effective mass. If n contacts of one pair of bodies were each damped as
if alone, the damping would be too strong: a fibre of five spheres that lands flat would have a restitution of 0.83 in
place of 0.9.
Together they are a system of springs S_k. For the present mode of motion it oscillates at the rate ω² = fᵀ G f /
Σ f_k²/S_k (Rayleigh's quotient). There f_k = S_k v_k is the change of the forces at the normal velocities v_k, and
fᵀ G f = F²/m + T·I⁻¹ T, summed over both bodies, with the sum F and the torque T of all f_k. A single contact has
ω² = S/m*. Each of several contacts is damped with the mass S_k/ω², which is exact for any mode of motion: n equally
loaded contacts share the mass of the body, and contacts at the tips of a rotating fibre get the effective mass there.
The ledger books the loss of the forces as they act. Two capsules are damped with the mass at their middle instead, see
``capsule_contacts``.
"""

from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.numerics.columns import flat, get
from dem.kernels.numerics.vector import add, cross, dot, load, scale, subtract
from dem.kernels.soft.contact import cluster_kinematics
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    MASS,
    ORDER,
    FacetedBodies,
    Segments,
    SingleSpheres,
    SphereClusters,
    kinematics_in_column,
    weight_of,
)
from dem.kernels.soft.contact.capsule_blending import closest_parameters
from dem.kernels.soft.contact.capsule_contacts import contact_at, inverse_contact_mass, pair_geometry, velocity_of_image
from dem.kernels.soft.contact.capsules import Capsules, Mixed, from_body, radius_at
from dem.kernels.soft.contact.cluster_kinematics import distance_and_stiffness_of
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.surface_motion import inverse_effective_mass, pair_kinematics, spin_of
from dem.kernels.soft.state import Kinds


class MultiContact(NamedTuple):
    """Sum F of the changes of force f_k of the contacts of bodies b and c, their torques, Σ f_k²/S_k, and number."""

    force: tuple[float, float, float]
    torque_b: tuple[float, float, float]
    torque_c: tuple[float, float, float]
    square: float
    count: int


@inline
def no_multi_contact():
    """Sums over the contacts of two bodies before any is added."""
    zero = (0.0, 0.0, 0.0)
    return MultiContact(zero, zero, zero, 0.0, 0)


@inline
def add_contact(push, secant, normal_velocity, normal, arm_b, arm_c):
    """Add a contact of stiffness S, at arms from the centres of mass, to the sums over contacts."""
    f = scale(secant * normal_velocity, normal)
    return MultiContact(
        add(push.force, f), add(push.torque_b, cross(arm_b, f)), add(push.torque_c, cross(arm_c, f)),
        push.square + secant * normal_velocity * normal_velocity, push.count + 1,
    )  # fmt: skip


@inline
def common_rate(b, push, bodies, kinds):
    """Common ω² of the contacts of body b with one wall [1/s²], from their sums; 0 for one, or if they cancel."""
    if push.count < 2 or not push.square > 0.0:
        return 0.0
    return inverse_effective_mass(b, push.force, push.torque_b, bodies, kinds) / push.square


@inline
def of_mass(contact, mass):
    """Contact kinematics with `mass` in place of the effective mass, for the damping [kg]."""
    return laws.ContactKinematics(
        contact.stiffness, mass, contact.overlap, contact.normal, contact.velocity, contact.twist_rate,
        contact.relative_angular_velocity, contact.radius,
        contact.reduced_mass, contact.rolling_inertia, contact.may_begin, contact.spring_aligned,
    )  # fmt: skip


@inline
def is_of_bodies(k, b, c, bodies, neighbours):
    """Whether candidate k is one of bodies b and c."""
    return bodies.owner[neighbours.sphere_i[k]] == b and bodies.owner[neighbours.sphere_j[k]] == c


@inline
def history_of(law, k, neighbours):
    """History of the contact of candidate k."""
    if neighbours.has_history.size > 0 and neighbours.has_history[k] != 0:
        return laws.load(law, neighbours.history, k, 0)
    return laws.initial_history(law)


@inline
def kinematics_of_capsules(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k at its closest points, and its place from the centres of both bodies.

    k: see `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres`.
    Returns what `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres` does.
    """
    b, c, x, u, v = pair_geometry(k, bodies, kinds, neighbours, box)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r_b, r_c = radius_at(kinds, i, b, bodies), radius_at(kinds, j, c, bodies)
    contact_distance, stiffness = distance_and_stiffness_of(k, kinds, neighbours)
    s, t = closest_parameters(x, u, v)
    normal, overlap, arm = contact_at(x, u, v, s, t, contact_distance, r_b)
    of_b, of_c = from_body(kinds, i, arm), from_body(kinds, j, add(arm, x))
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    at_b = add(load(bodies.velocity_predicted, b), cross(w_b, of_b))
    v_c = add(load(bodies.velocity_predicted, c), velocity_of_image(i, j, bodies, kinds, box))
    at_c = add(v_c, cross(w_c, of_c))
    mass = 1.0 / (
        inverse_contact_mass(kinds, b, of_b, normal, bodies) + inverse_contact_mass(kinds, c, of_c, normal, bodies)
    )
    velocity = subtract(at_b, at_c)
    return pair_kinematics(b, c, r_b, r_c, stiffness, mass, overlap, normal, velocity, bodies, kinds), of_b, of_c


candidate_kinematics = select(
    "kinds", {Kinds: cluster_kinematics.candidate_kinematics, Capsules: kinematics_of_capsules}
)


@inline
def kinematics_of_candidate(geometry, law, t, first, stop, start, touching, bodies, kinds, neighbours, box, kinematics):
    """Kinematics of contact t of the list, and its place from the centres of both bodies, see `candidate_kinematics`.

    first, stop: contacts of the list whose kinematics are in the columns of a batch.
    start, touching: see `assign_damping_masses_of_clusters`.
    """
    return candidate_kinematics(kinds, law, start + touching[t], bodies, neighbours, box)


@inline
def kinematics_in_batch(geometry, law, t, first, stop, start, touching, bodies, kinds, neighbours, box, kinematics):
    """Kinematics of contact t of the list, read from its column if it has one, see `kinematics_of_candidate`.

    Other contacts of the same two bodies may be in the batch before or after this one.
    """
    if first <= t < stop:
        column = t - first
        contact = kinematics_in_column(kinematics, column, True, False)
        return contact, get(kinematics, ARM_I, column), get(kinematics, ARM_J, column)
    return candidate_kinematics(kinds, law, start + touching[t], bodies, neighbours, box)


# pairs of capsules and of polyhedra may have several columns
listed_kinematics = select("geometry", {SphereClusters: kinematics_in_batch, Segments: kinematics_of_candidate})


@inline
def following_column(t, count, ids):
    """Column of the next pair in a batch, in which pairs of one column each come first."""
    return t + 1


@inline
def column_after_contacts(t, count, ids):
    """Column of the next pair in a batch, behind all contacts of the one that begins at column t."""
    t += 1
    while t < count and ids[ORDER, t] > 0:
        t += 1
    return t


next_column = select("geometry", {object: following_column, FacetedBodies: column_after_contacts}, handed=False)


@func
def oscillation_rate(
    geometry, law, begin, first, stop, start, touching, half, bodies, kinds, neighbours, box, kinematics
):
    """Index after the last contact of one pair of bodies, and their common ω² (top of this file); 0 for a single one.

    begin: the first of them in `touching`.
    first, stop: of the list, those whose kinematics are in the columns of a batch.
    geometry, start, touching: see `assign_damping_masses_of_clusters`.
    Returns the index in `touching`, ω² [1/s²].
    """
    k = start + touching[begin]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    end = begin + 1
    while end < touching.size and is_of_bodies(start + touching[end], b, c, bodies, neighbours):
        end += 1
    push, rate = no_multi_contact(), 0.0
    for t in range(begin, end if end - begin > 1 else begin):
        contact, arm_b, arm_c = listed_kinematics(
            geometry, law, t, first, stop, start, touching, bodies, kinds, neighbours, box, kinematics
        )
        history = history_of(law, start + touching[t], neighbours)
        m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        secant = laws.secant(law, m_i, m_j, contact, history, half)
        push = add_contact(push, secant, dot(contact.velocity, contact.normal), contact.normal, arm_b, arm_c)
    if push.square > 0.0:
        inverse_mass_b = inverse_effective_mass(b, push.force, push.torque_b, bodies, kinds)
        rate = (inverse_mass_b + inverse_effective_mass(c, push.force, push.torque_c, bodies, kinds)) / push.square
    return end, rate


@inline
def assign_damping_masses_of_clusters(geometry, first, stop, start, touching, count, context, ids, kinematics):
    """Write the mass by which each contact is damped, for those bodies that touch with several spheres or capsules.

    geometry: see `dem.kernels.soft.contact.batch_kinematics`.
    first, stop, touching: the pairs of a batch in the list of those that touch.
    start, count: first candidate of the chunk, from which the list counts; columns of the batch.
    ids: integers of the columns.
    Writes kinematics: row MASS.
    """
    law, half, bodies, kinds = context.law, 0.5 * context.constants.dt, context.bodies, context.kinds
    neighbours, box, end, rate, t = context.neighbours, context.box, first, 0.0, 0
    for pair in range(first, stop if laws.shares_damping(law) else first):
        k = start + touching[pair]
        b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
        if pair == end:
            begin = pair  # or before it: a batch may begin among them
            while begin > 0 and is_of_bodies(start + touching[begin - 1], b, c, bodies, neighbours):
                begin -= 1
            end, rate = oscillation_rate(
                geometry, law, begin, first, stop, start, touching, half, bodies, kinds, neighbours, box, kinematics
            )
        if rate > 0.0 and weight_of(geometry, kinematics, t) > 0.0:
            contact = kinematics_in_column(kinematics, t, True, False)
            m_i, m_j = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
            kinematics[flat(MASS, t)] = laws.secant(law, m_i, m_j, contact, history_of(law, k, neighbours), half) / rate
        t = next_column(geometry, t, count, ids)


@inline
def assign_damping_masses_of_convex(geometry, first, stop, start, touching, count, context, ids, kinematics):
    """Do so in a run with convex bodies: those of a single piece have one contact, or their masses already."""
    if not context.kinds.is_centred:
        assign_damping_masses_of_clusters(geometry, first, stop, start, touching, count, context, ids, kinematics)


# the contacts of two capsules have their masses already, and so have those of two polyhedra
assign_by_kinds = select(
    "context.kinds",
    {
        Kinds: assign_damping_masses_of_clusters,
        Capsules: None,
        Mixed: assign_damping_masses_of_clusters,
        ConvexBodyKinds: assign_damping_masses_of_convex,
    },
)
# two single spheres have one contact
assign_damping_masses = select("geometry", {SingleSpheres: None, object: assign_by_kinds})
