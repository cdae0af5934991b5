"""Kinematics of contacts of convex bodies: of a batch of columns, or of one contact.

What found the contacts writes overlaps, normals and places to columns, and which candidates they are of. One loop
gathers what their bodies do from all over memory; the next has nothing but rows before it, and is made of vectors.
"""

from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.laws import ContactKinematics
from dem.kernels.numerics.columns import BLOCK, flat, get, get_quaternion, put, write_quaternion
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import add, cross, divide, dot, load, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM,
    CANDIDATE,
    KNOWN,
    MIXED_TYPES,
    NORMAL,
    OF_I,
    OF_J,
    OVERLAP,
    POINT,
    STIFFNESS,
    write_kinematics,
)
from dem.kernels.soft.contact.convex_contacts import FOUND, load_overlap
from dem.kernels.soft.contact.surface_motion import radius_of, spin_of

# rows that are gathered of both bodies of a contact: velocity [m/s], spin [rad/s], orientation, radius in laws [m]
SPEED_I, SPEED_J, SPIN_I, SPIN_J, TURN_I, TURN_J, RADIUS_I, RADIUS_J = 0, 3, 6, 9, 12, 16, 20, 21
PLACE = KNOWN + 6  # row of kinematics, behind those of ``facet_contacts``: place from the centre of sphere j [m]
KIND_I, KIND_J = 3, 4  # rows of integers: kinds of both bodies


class TouchingBody(NamedTuple):
    """A body at a contact."""

    arm: tuple  # from its centre of mass to the contact [m]
    velocity: tuple  # [m/s]
    spin: tuple  # [rad/s]
    orientation: tuple
    radius: float  # in contact laws [m]
    mass: float  # [kg]
    inverse_mass: float  # [1/kg]
    inertia: tuple  # [kg m²]


@inline
def inverse_mass_at(body, normal):
    """Velocity along the normal that a unit impulse along it at the contact gives a body there [1/kg]."""
    turned = rotate_back(body.orientation, cross(body.arm, normal))
    return dot(normal, normal) * body.inverse_mass + dot(turned, divide(turned, body.inertia))


@inline
def inverse_rolling_inertia(body):
    """Inverse of what resists rolling of a body, see `dem.kernels.soft.contact.surface_motion.rolling_inertia`."""
    own = (body.inertia[0] + body.inertia[1] + body.inertia[2]) / 3.0
    return 1.0 / (own + body.mass * body.radius * body.radius)


@inline
def joint_rolling_inertia(law, one, other):
    """What resists rolling of two bodies on each other [kg m²]; 0 for laws without couples, which do not ask for it."""
    if not laws.turns(law):
        return 0.0
    return 1.0 / (inverse_rolling_inertia(one) + inverse_rolling_inertia(other))


@inline
def kinematics_of(law, one, other, stiffness, overlap, normal):
    """`ContactKinematics` of two bodies that touch; normal: from the other to the one."""
    at_one = add(one.velocity, cross(one.spin, one.arm))
    velocity = subtract(at_one, add(other.velocity, cross(other.spin, other.arm)))
    return ContactKinematics(
        stiffness, 1.0 / (inverse_mass_at(one, normal) + inverse_mass_at(other, normal)), overlap, normal, velocity,
        0.5 * dot(add(one.spin, other.spin), normal), relative_angular_velocity=subtract(one.spin, other.spin),
        radius=one.radius * other.radius / (one.radius + other.radius),
        reduced_mass=1.0 / (one.inverse_mass + other.inverse_mass),
        rolling_inertia=joint_rolling_inertia(law, one, other), may_begin=True,
    )  # fmt: skip


@inline
def arms_at(box, place, r, x_i, x_j, centre_i, centre_j):
    """Place of a contact from the centres of mass of both bodies [m].

    place, r: from the centre of sphere j, of the contact and of sphere i [m].
    x_i, x_j, centre_i, centre_j: centres of the spheres, and of mass [m].
    """
    arm_i = add(subtract(place, r), minimum_image(box, x_i, centre_i))
    return arm_i, add(place, minimum_image(box, x_j, centre_j))


@inline
def velocity_of(b, bodies):
    """Velocity of body b; zero where the law needs none."""
    return load(bodies.velocity_predicted, b) if bodies.velocity_predicted.shape[1] > 0 else (0.0, 0.0, 0.0)


@inline
def touching_body(s, b, arm, velocity, bodies, kinds):
    """Body b that touches with sphere s, at an arm from its centre [m], as it moves at a velocity [m/s]."""
    g = bodies.kind[b]
    return TouchingBody(
        arm, velocity, spin_of(b, bodies), load_quaternion(bodies.orientation, b), radius_of(s, b, bodies, kinds),
        kinds.mass[g], kinds.inverse_mass[g], load(kinds.inertia, g),
    )  # fmt: skip


@inline
def kinematics_of_convex(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k, and its place from the centres of both bodies.

    k: see `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres`.
    Returns what `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres` does.
    """
    depth, normal, place, r, image = load_overlap(k, bodies, neighbours, box)
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    arm_i, arm_j = arms_at(
        box, place, r, load(bodies.sphere_position, i), load(bodies.sphere_position, j),
        load(bodies.position, b), load(bodies.position, c),
    )  # fmt: skip
    v_c = add(velocity_of(c, bodies), image_velocity(box, image, subtract(arm_j, arm_i)))
    one = touching_body(i, b, arm_i, velocity_of(b, bodies), bodies, kinds)
    other = touching_body(j, c, arm_j, v_c, bodies, kinds)
    return kinematics_of(law, one, other, neighbours.stiffness[k], depth, normal), arm_i, arm_j


@vector_loop
def load_found(number, candidate, found, kinematics):
    """Read what the solver found of candidates.

    candidate, found: (BLOCK,) of each column; of `Neighbours`, from the chunk's first candidate on.
    Writes kinematics: rows OVERLAP, NORMAL and PLACE.
    """
    for t in range(number):
        at = FOUND * candidate[t]
        kinematics[flat(OVERLAP, t)] = found[at]
        put(kinematics, NORMAL, t, (found[at + 1], found[at + 2], found[at + 3]))
        put(kinematics, PLACE, t, (found[at + 4], found[at + 5], found[at + 6]))


@vector_loop
def gather_bodies(
    box, number, candidate, sphere_i, sphere_j, stiffness, owner, first_sphere, kind, first_offset, radius, material,
    sphere_position, position, orientation, velocity, spin, known, kinematics, gathered, kind_i, kind_j, material_i,
    material_j,
):  # fmt: skip
    """Gather the bodies of contacts.

    candidate: (BLOCK,) of each column, counted from the chunk's first one.
    sphere_i, sphere_j, stiffness: of the candidates of a chunk.
    owner, first_sphere, kind, sphere_position, position, orientation, velocity, spin: of `Bodies`.
    first_offset, radius, material: of `Kinds`.
    known: row PLACE of kinematics; the same array as `kinematics`.
    Writes kinematics: rows STIFFNESS, POINT and ARM. Writes gathered: rows SPEED_I to RADIUS_J.
    Writes kind_i, kind_j, material_i, material_j: (BLOCK,).
    """
    for t in range(number):
        k = candidate[t]
        i, j = sphere_i[k], sphere_j[k]
        b, c = owner[i], owner[j]
        g, h = kind[b], kind[c]
        x_i, x_j = load(sphere_position, i), load(sphere_position, j)
        r, image = nearest_image(box, x_i, x_j)
        arm_i, arm_j = arms_at(box, get(known, PLACE, t), r, x_i, x_j, load(position, b), load(position, c))
        put(kinematics, POINT, t, arm_i)
        put(kinematics, ARM, t, arm_j)
        kinematics[flat(STIFFNESS, t)] = stiffness[k]
        gathered[flat(RADIUS_I, t)] = radius[first_offset[g] + i - first_sphere[b]]
        gathered[flat(RADIUS_J, t)] = radius[first_offset[h] + j - first_sphere[c]]
        write_quaternion(gathered, TURN_I, t, load_quaternion(orientation, b))
        write_quaternion(gathered, TURN_J, t, load_quaternion(orientation, c))
        kind_i[t], kind_j[t], material_i[t], material_j[t] = g, h, material[g], material[h]
        v_b = v_c = w_b = w_c = (0.0, 0.0, 0.0)
        if velocity.shape[1] > 0:
            v_b = load(velocity, b)
            v_c = add(load(velocity, c), image_velocity(box, image, subtract(arm_j, arm_i)))
        if spin.shape[1] > 0:
            w_b, w_c = load(spin, b), load(spin, c)
        put(gathered, SPEED_I, t, v_b)
        put(gathered, SPEED_J, t, v_c)
        put(gathered, SPIN_I, t, w_b)
        put(gathered, SPIN_J, t, w_c)


@vector_loop
def compute_columns(law, number, kind_i, kind_j, mass, inverse_mass, inertia, gathered, known, kinematics):
    """Compute the kinematics of contacts from what has been gathered.

    kind_i, kind_j, gathered: see `gather_bodies`.
    mass, inverse_mass, inertia: of `Kinds`.
    known: rows OVERLAP, NORMAL, STIFFNESS, POINT and ARM of kinematics; the same array as `kinematics`.
    Writes kinematics: see `dem.kernels.soft.contact.batch_kinematics.write_kinematics`.
    """
    for t in range(number):
        g, h = kind_i[t], kind_j[t]
        one = TouchingBody(
            get(known, POINT, t), get(gathered, SPEED_I, t), get(gathered, SPIN_I, t),
            get_quaternion(gathered, TURN_I, t), gathered[flat(RADIUS_I, t)], mass[g], inverse_mass[g],
            load(inertia, g),
        )  # fmt: skip
        other = TouchingBody(
            get(known, ARM, t), get(gathered, SPEED_J, t), get(gathered, SPIN_J, t),
            get_quaternion(gathered, TURN_J, t), gathered[flat(RADIUS_J, t)], mass[h], inverse_mass[h],
            load(inertia, h),
        )  # fmt: skip
        stiffness, overlap = known[flat(STIFFNESS, t)], known[flat(OVERLAP, t)]
        write_kinematics(t, kinematics_of(law, one, other, stiffness, overlap, get(known, NORMAL, t)), kinematics)


@inline
def compute_kinematics_of_columns(start, number, candidate, context, gathered, kinematics, ids):
    """Kinematics of contacts whose overlap, normal and place are in columns.

    start, number, candidate: first candidate of the chunk; columns; (BLOCK,) candidate of each.
    Writes gathered, kinematics, ids: as the loops above.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    gather_bodies(
        context.box, number, candidate, neighbours.sphere_i[start:], neighbours.sphere_j[start:],
        neighbours.stiffness[start:], bodies.owner, bodies.first_sphere, bodies.kind, kinds.first_offset, kinds.radius,
        kinds.material, bodies.sphere_position, bodies.position, bodies.orientation, bodies.velocity_predicted,
        bodies.angular_velocity_predicted, kinematics, kinematics, gathered, ids[KIND_I], ids[KIND_J], ids[OF_I],
        ids[OF_J],
    )  # fmt: skip
    compute_columns(
        context.law, number, ids[KIND_I], ids[KIND_J], kinds.mass, kinds.inverse_mass, kinds.inertia, gathered,
        kinematics, kinematics,
    )  # fmt: skip


@func
def compute_convex_kinematics(geometry, sink, start, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts from `first` in the list on, as many as a batch has room for.

    geometry, sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    start, first, touching: first candidate of the chunk; pairs in the list of those that touch.
    Writes gathered, kinematics: all rows but WEIGHT. Writes ids: rows OF_I, OF_J and CANDIDATE.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    number = min(BLOCK, touching.size - first)
    for t in range(number):
        ids[CANDIDATE, t] = touching[first + t]
    load_found(number, ids[CANDIDATE], context.neighbours.found[FOUND * start :], kinematics)
    compute_kinematics_of_columns(start, number, ids[CANDIDATE], context, gathered, kinematics, ids)
    return number, first + number, MIXED_TYPES
