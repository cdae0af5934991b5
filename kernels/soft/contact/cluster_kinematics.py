"""Kinematics of contacts between bodies that carry spheres, one after the other."""

import math

from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.columns import BLOCK, put
from dem.kernels.numerics.vector import add_scaled, dot, load, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import ARM, CANDIDATE, MIXED_TYPES, OF_I, OF_J, POINT, write_kinematics
from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.convex_kinematics import kinematics_of_convex
from dem.kernels.soft.contact.result_sinks import is_report
from dem.kernels.soft.contact.surface_motion import inverse_mass, pair_kinematics, radius_of, surface_velocity
from dem.kernels.soft.state import Kinds


@inline
def distance_and_stiffness_of(k, kinds, neighbours):
    """R_i + R_j of candidate k [m], and its stiffness [N m^-1.5]."""
    if kinds.contact_distance > 0.0:
        return kinds.contact_distance, kinds.stiffness
    return neighbours.contact_distance[k], neighbours.stiffness[k]


@inline
def kinematics_of_spheres(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k, and its place from the centres of both bodies.

    k: candidate.
    Returns `dem.kernels.laws.ContactKinematics`, arms from the centres of both bodies [m].
    """
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    contact_distance, stiffness = distance_and_stiffness_of(k, kinds, neighbours)
    contact, x = sphere_contact_kinematics(i, b, j, c, contact_distance, stiffness, bodies, kinds, box)
    return contact, minimum_image(box, x, load(bodies.position, b)), minimum_image(box, x, load(bodies.position, c))


candidate_kinematics = select("kinds", {Kinds: kinematics_of_spheres, ConvexBodyKinds: kinematics_of_convex})


@inline
def sphere_contact_kinematics(i, b, j, c, contact_distance, stiffness, bodies, kinds, box):
    """Kinematics of sphere i of body b and sphere j of body c, and the point halfway between their surfaces.

    i, b, j, c: the two spheres, each with its body.
    contact_distance, stiffness: R_i + R_j [m], K [N m^-1.5].
    Returns `dem.kernels.laws.ContactKinematics`, point [m].
    """
    x_i = load(bodies.sphere_position, i)
    d = minimum_image(box, x_i, load(bodies.sphere_position, j))
    distance = math.sqrt(dot(d, d))
    normal = scale(1.0 / (distance + TINY), d)
    overlap = contact_distance - distance
    radius = 0.5 * contact_distance if kinds.contact_distance > 0.0 else radius_of(i, b, bodies, kinds)
    x = add_scaled(x_i, 0.5 * overlap - radius, normal)
    velocity = subtract(surface_velocity(b, x, bodies, box), surface_velocity(c, x, bodies, box))
    mass = 1.0 / (inverse_mass(b, x, normal, bodies, kinds, box) + inverse_mass(c, x, normal, bodies, kinds, box))
    r_i, r_j = radius_of(i, b, bodies, kinds), radius_of(j, c, bodies, kinds)
    return pair_kinematics(b, c, r_i, r_j, stiffness, mass, overlap, normal, velocity, bodies, kinds), x


@func
def compute_cluster_kinematics(geometry, sink, start, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts from `first` in the list on, as many as a batch has room for.

    sink: in steps the torques on two equal spheres are the same, and need one arm; reports have both arms.
    geometry, gathered: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    start, first, touching: first candidate of the chunk; pairs in the list of those that touch.
    Writes kinematics: all rows but WEIGHT. Writes ids: rows OF_I, OF_J and CANDIDATE.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    law, bodies, kinds = context.law, context.bodies, context.kinds
    neighbours, box = context.neighbours, context.box
    count = min(BLOCK, touching.size - first)
    alike = kinds.all_single_spheres and kinds.contact_distance > 0.0 and not is_report(sink)
    for t in range(count):
        k = start + touching[first + t]
        b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
        ids[OF_I, t], ids[OF_J, t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        ids[CANDIDATE, t] = touching[first + t]
        contact, arm, other = kinematics_of_spheres(kinds, law, k, bodies, neighbours, box)
        write_kinematics(t, contact, kinematics)
        put(kinematics, POINT, t, arm)
        put(kinematics, ARM, t, scale(-1.0, arm) if alike else other)
    return count, first + count, MIXED_TYPES
