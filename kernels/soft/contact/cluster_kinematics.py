"""Kinematics of contacts between bodies of several spheres.

A first loop gathers the places of both spheres and the motion of their bodies from scattered memory into rows. The
second loop reads only these rows, so that LLVM vectorises it.
"""

import math
from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import ContactKinematics
from dem.kernels.numerics.columns import BLOCK, flat, get, get_quaternion, put, write_quaternion
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, subtract
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    CACHED_TYPE,
    CANDIDATE,
    MIXED_TYPES,
    OF_I,
    OF_J,
    OF_POLYHEDRA,
    write_kinematics,
)
from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.convex_kinematics import kinematics_of_convex
from dem.kernels.soft.contact.result_sinks import is_report
from dem.kernels.soft.contact.surface_motion import (
    inverse_mass_at,
    radius_of,
    rolling_inertia,
    spin_of,
    velocity_at,
)
from dem.kernels.soft.state import Kinds

# rows that are gathered, in scratch of polyhedra, which is free then: centres of both spheres [m], stiffness
# [N m^-1.5], distance at which they begin to touch [m], and from BODY_I and BODY_J on what `BodyOfSphere` has
PLACE_I = OF_POLYHEDRA // BLOCK
PLACE_J, STIFFNESS, DISTANCE, BODY_I, BODY_J = PLACE_I + 3, PLACE_I + 6, PLACE_I + 7, PLACE_I + 8, PLACE_I + 27
CENTRE, TURN, VELOCITY, SPIN, RADIUS, INVERSE_MASS, INERTIA, ROLL_INERTIA = 0, 3, 7, 10, 13, 14, 15, 18
NO_TURN = (math.inf, math.inf, math.inf)


class BodyOfSphere(NamedTuple):
    """Motion and inertia of a body that touches another one with one of its spheres."""

    centre: tuple  # of mass [m]
    orientation: tuple
    velocity: tuple  # at the forces [m/s]
    spin: tuple  # [rad/s]
    radius: float  # of the sphere [m]
    inverse_mass: float  # [1/kg]
    inertia: tuple  # [kg m²]; infinite where every body is one sphere, which a normal force does not turn
    rolling_inertia: float  # [kg m²]; 0 for laws without couples


@inline
def body_of_sphere(law, s, b, bodies, kinds):
    """Body b, which touches another one with sphere s."""
    g, radius = bodies.kind[b], radius_of(s, b, bodies, kinds)
    return BodyOfSphere(
        load(bodies.position, b), load_quaternion(bodies.orientation, b), load(bodies.velocity_predicted, b),
        spin_of(b, bodies), radius, kinds.inverse_mass[g],
        NO_TURN if kinds.all_single_spheres else load(kinds.inertia, g),
        rolling_inertia(radius, b, bodies, kinds) if laws.transmits_couples(law) else 0.0,
    )  # fmt: skip


@inline
def write_motion(rows, first, t, body):
    """Write place and motion of a body to column t of rows from `first` on."""
    put(rows, first + CENTRE, t, body.centre)
    write_quaternion(rows, first + TURN, t, body.orientation)
    put(rows, first + VELOCITY, t, body.velocity)
    put(rows, first + SPIN, t, body.spin)


@inline
def write_properties(rows, first, t, body):
    """Write what does not change of a body to column t of rows from `first` on."""
    rows[flat(first + RADIUS, t)], rows[flat(first + INVERSE_MASS, t)] = body.radius, body.inverse_mass
    put(rows, first + INERTIA, t, body.inertia)
    rows[flat(first + ROLL_INERTIA, t)] = body.rolling_inertia


@inline
def body_of_column(rows, first, t):
    """The body in column t of rows from `first` on."""
    return BodyOfSphere(
        get(rows, first + CENTRE, t), get_quaternion(rows, first + TURN, t), get(rows, first + VELOCITY, t),
        get(rows, first + SPIN, t), rows[flat(first + RADIUS, t)], rows[flat(first + INVERSE_MASS, t)],
        get(rows, first + INERTIA, t), rows[flat(first + ROLL_INERTIA, t)],
    )  # fmt: skip


@inline
def distance_and_stiffness_of(k, kinds, neighbours):
    """R_i + R_j of candidate k, less the slack of a bond [m], and its stiffness [N m^-1.5]."""
    if kinds.contact_distance > 0.0:
        return kinds.contact_distance, kinds.stiffness
    return neighbours.contact_distance[k], neighbours.stiffness[k]


@inline
def inverse_mass_of(body, arm, normal):
    """Inverse effective mass of a body along the normal at an arm from its centre of mass [1/kg]."""
    return inverse_mass_at(body.inverse_mass, body.inertia, body.orientation, arm, normal)


@inline
def sphere_contact_kinematics(law, box, turns, x_i, x_j, body_i, body_j, contact_distance, stiffness):
    """Kinematics of two spheres that touch, and the contact point from the centres of mass of both bodies.

    turns: whether bodies can turn.
    x_i, x_j, body_i, body_j: centres of the spheres [m], both `BodyOfSphere`.
    contact_distance, stiffness: see `distance_and_stiffness_of`.
    Returns `dem.kernels.laws.ContactKinematics`, arms to the point halfway between the surfaces [m].
    """
    d = minimum_image(box, x_i, x_j)
    distance = math.sqrt(dot(d, d))
    normal = scale(1.0 / (distance + TINY), d)
    r_i, r_j = body_i.radius, body_j.radius
    overlap = contact_distance - distance
    x = add_scaled(x_i, 0.5 * overlap - r_i, normal)
    arm_i, arm_j = minimum_image(box, x, body_i.centre), minimum_image(box, x, body_j.centre)
    v_i = velocity_at(x, body_i.centre, body_i.velocity, body_i.spin, turns, box)
    velocity = subtract(v_i, velocity_at(x, body_j.centre, body_j.velocity, body_j.spin, turns, box))
    mass = 1.0 / (inverse_mass_of(body_i, arm_i, normal) + inverse_mass_of(body_j, arm_j, normal))
    rolling = 0.0
    if laws.transmits_couples(law):
        rolling = 1.0 / (1.0 / body_i.rolling_inertia + 1.0 / body_j.rolling_inertia)
    contact = ContactKinematics(
        stiffness, mass, overlap, normal, velocity, 0.5 * dot(add(body_i.spin, body_j.spin), normal),
        relative_angular_velocity=subtract(body_i.spin, body_j.spin), radius=r_i * r_j / (r_i + r_j),
        reduced_mass=1.0 / (body_i.inverse_mass + body_j.inverse_mass),
        rolling_inertia=rolling, may_begin=True, spring_aligned=False,
    )  # fmt: skip
    return contact, arm_i, arm_j


@func
def kinematics_of_spheres(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k, and its place from the centres of both bodies.

    k: candidate.
    Returns `dem.kernels.laws.ContactKinematics`, arms from the centres of both bodies [m].
    """
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    body_i = body_of_sphere(law, i, bodies.owner[i], bodies, kinds)
    body_j = body_of_sphere(law, j, bodies.owner[j], bodies, kinds)
    contact_distance, stiffness = distance_and_stiffness_of(k, kinds, neighbours)
    return sphere_contact_kinematics(
        law, box, bodies.angular_velocity_predicted.shape[1] > 0, load(bodies.sphere_position, i),
        load(bodies.sphere_position, j), body_i, body_j, contact_distance, stiffness,
    )  # fmt: skip


candidate_kinematics = select("kinds", {Kinds: kinematics_of_spheres, ConvexBodyKinds: kinematics_of_convex})


@func
def gather_motion(law, start, first, count, touching, bodies, kinds, neighbours, gathered):
    """Gather the places of the spheres of contacts, and how their bodies move.

    start, first, count, touching: see `compute_cluster_kinematics`; of columns.
    Writes gathered: rows PLACE_I and PLACE_J, CENTRE to SPIN of both bodies.
    """
    for t in range(count):
        k = start + touching[first + t]
        i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
        put(gathered, PLACE_I, t, load(bodies.sphere_position, i))
        put(gathered, PLACE_J, t, load(bodies.sphere_position, j))
        write_motion(gathered, BODY_I, t, body_of_sphere(law, i, bodies.owner[i], bodies, kinds))
        write_motion(gathered, BODY_J, t, body_of_sphere(law, j, bodies.owner[j], bodies, kinds))


@func
def gather_properties(law, start, first, count, touching, bodies, kinds, neighbours, gathered, material_i, material_j):
    """Gather what does not change of the bodies of contacts; once for all columns and steps if all have the same.

    start, first, count, touching: see `gather_motion`.
    Writes gathered: rows STIFFNESS, DISTANCE and CACHED_TYPE, RADIUS to ROLL_INERTIA of both bodies.
    Writes material_i, material_j: (BLOCK,).
    """
    alike = kinds.contact_distance > 0.0 and kinds.mass.size == 1
    if alike and gathered[flat(CACHED_TYPE, 0)] > 0.0:
        return
    for t in range(BLOCK if alike else count):
        k = start + touching[first + (0 if alike else t)]
        i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
        b, c = bodies.owner[i], bodies.owner[j]
        gathered[flat(DISTANCE, t)], gathered[flat(STIFFNESS, t)] = distance_and_stiffness_of(k, kinds, neighbours)
        write_properties(gathered, BODY_I, t, body_of_sphere(law, i, b, bodies, kinds))
        write_properties(gathered, BODY_J, t, body_of_sphere(law, j, c, bodies, kinds))
        material_i[t], material_j[t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
    gathered[flat(CACHED_TYPE, 0)] = 1.0 if alike else 0.0


@vector_loop
def compute_columns(law, box, turns, alike, count, gathered, kinematics):
    """Compute the kinematics of contacts from what `gather_motion` and `gather_properties` have written.

    turns, alike: whether bodies can turn; whether the torques on both are the same, which need one arm.
    Writes kinematics: rows ARM_I and ARM_J, and those of `dem.kernels.soft.contact.batch_kinematics.write_kinematics`.
    """
    for t in range(count):
        contact, arm_i, arm_j = sphere_contact_kinematics(
            law, box, turns, get(gathered, PLACE_I, t), get(gathered, PLACE_J, t), body_of_column(gathered, BODY_I, t),
            body_of_column(gathered, BODY_J, t), gathered[flat(DISTANCE, t)], gathered[flat(STIFFNESS, t)],
        )  # fmt: skip
        write_kinematics(t, contact, kinematics)
        put(kinematics, ARM_I, t, arm_i)
        put(kinematics, ARM_J, t, scale(-1.0, arm_i) if alike else arm_j)


@func
def compute_cluster_kinematics(geometry, sink, c, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts from `first` in the list on, as many as a batch has room for.

    sink: in steps the torques on two equal spheres are the same, and need one arm; reports have both arms.
    geometry: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    c, first, touching: chunk; pairs in the list of those that touch.
    Writes gathered, kinematics: all rows but WEIGHT. Writes ids: rows OF_I, OF_J and CANDIDATE.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    start, count = first_candidate(c, neighbours), min(BLOCK, touching.size - first)
    alike = kinds.all_single_spheres and kinds.contact_distance > 0.0 and not is_report(sink)
    for t in range(count):
        ids[CANDIDATE, t] = touching[first + t]
    gather_properties(
        context.law, start, first, count, touching, bodies, kinds, neighbours, gathered, ids[OF_I], ids[OF_J]
    )
    gather_motion(context.law, start, first, count, touching, bodies, kinds, neighbours, gathered)
    turns = bodies.angular_velocity_predicted.shape[1] > 0
    compute_columns(context.law, context.box, turns, alike, count, gathered, kinematics)
    return count, first + count, MIXED_TYPES
