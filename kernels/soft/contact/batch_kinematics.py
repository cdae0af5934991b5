"""Kinematics of a block of touching pairs for the contact law: rows of numbers, see ``contact_batches``.

Properties and motion of single spheres are gathered in rows first, and a second loop computes the kinematics from them.
The second loop also determines whether any contact may have begun in the last step, which is rare. Only then do laws
evaluate `dem.kernels.laws.first_step`, which takes a root and a division.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.deforming_cell import DeformingFaces, by_form
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import nearest_image, subtract_image_velocity
from dem.kernels.laws import ContactKinematics
from dem.kernels.laws.first_step import has_begun
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import add, cross, dot, load, scale, subtract
from dem.kernels.simd.transpose import pairs_of_lines
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.contact_detection import TINY
from dem.kernels.soft.contact.sphere_motion import lines_of_chunk
from dem.kernels.soft.contact.surface_motion import rolling_inertia

# gathered rows of pairs of spheres: vector from j to i [m], velocity of i less that of j [m/s], spins [rad/s], radii
# [m], inverse masses [1/kg], rolling inertias [kg m²]; CACHED_TYPE, in its first column: 1 + the kind of all spheres
# whose properties are in the rows, 0 if they have several kinds
GAP, SPEED, SPIN_I, SPIN_J, RADIUS_I, RADIUS_J = 0, 3, 6, 9, 12, 13
INVERSE_MASS_I, INVERSE_MASS_J, ROLL_INERTIA_I, ROLL_INERTIA_J, CACHED_TYPE = 14, 15, 16, 17, 18
# rows of kinematics: those of `ContactKinematics`; contact point from the centres of both bodies [m]; weights of the
# contacts of capsules and polyhedra, and their time derivatives [1/s], for laws that need velocities
NORMAL, VELOCITY, TURNING, STIFFNESS, MASS, OVERLAP, TWIST, RADIUS, REDUCED, ROLLING, ARM_I, ARM_J, WEIGHT = (
    0, 3, 6, 9, 10, 11, 12, 13, 14, 15, 16, 19, 22
)  # fmt: skip
WEIGHT_RATE = 24
# largest number of rows of kinematics (and of gathered rows), of results, and of integers
KINEMATICS_ROWS, RESULT_ROWS, ID_ROWS = 25, 18, 9
# rows of results: force on i, whether the contact persists, energy of a contact of capsules without its weight [J];
# loss: power for reports [W], energy dissipated in a step for heat [J]; for heat the part of it that is still to come
# or stored in springs [J]; the others are columns of `Neighbours.force_torque`: ON_I, ON_J
FORCE, PERSISTS, ENERGY, LOSS, OPEN_LOSS = 0, 3, 7, 8, 9
ELASTIC, SPRING_ENERGY, HALF_STEP_LOSS = 15, 16, 17  # energies of a contact [J], for `contact_evaluation.sum_energies`
# types of a block: pairs of any bodies; pairs of one kind, of which some, or none, may have just begun to touch
MIXED_TYPES, MAY_BE_NEW, ONGOING = range(3)
# rows of integers: materials; candidate, slot of the contact in it; whether it has a history; of polyhedra, number of
# the contact in its pair
OF_I, OF_J, CANDIDATE, SLOT, HAS_HISTORY, ORDER = range(6)
NO_CANDIDATE = -1  # candidate of a column without a contact
# first number of further rows, after the gathered ones, and of scratch of polyhedra (`polyhedra.SCRATCH`)
OF_PAIRS, OF_FACES, OF_POLYHEDRA, PARTS = (
    KINEMATICS_ROWS * BLOCK,
    2 * KINEMATICS_ROWS * BLOCK,
    3 * KINEMATICS_ROWS * BLOCK,
    6,
)


read_lines_of_pairs = pairs_of_lines(
    range(GAP, GAP + 6), range(SPIN_I, SPIN_I + 2), range(SPIN_J, SPIN_J + 2), in_turn=True
)


class SingleSpheres(NamedTuple):
    """Contact geometry of single spheres; their rotation has a scheme of its own."""


class SphereClusters(NamedTuple):
    """Contact geometry of bodies that consist of spheres, one or several."""


class Segments(NamedTuple):
    """Contact geometry of capsules; other bodies of the run may consist of spheres."""


class ConvexBodies(NamedTuple):
    """Contact geometry of bodies of which some are convex shapes, known by their support functions."""

    extends = (SphereClusters,)


class FacetedBodies(NamedTuple):
    """Contact geometry of bodies of which some are polyhedra, which touch each other at several places."""

    extends = (Segments,)


@inline
def weight_in_row(geometry, kinematics, t):
    """Weight of a contact of capsules or polyhedra, see ``capsule_blending`` and ``polyhedron_contacts``."""
    return kinematics[flat(WEIGHT, t)]


weight_of = select("geometry", {SingleSpheres: 1.0, SphereClusters: 1.0, Segments: weight_in_row})


@inline
def write_vector_columns(lines, k, r, v):
    """Write a vector to line k, to columns from r on."""
    lines[k, r], lines[k, r + 1], lines[k, r + 2] = v


@vector_loop
def gather_spheres(first, touching, sphere_i, sphere_j, position, velocity, spin, has_lines, lines, gathered):
    """Gather the positions and motion of pairs of single spheres, from `first` in the list on; without minimum images.

    first, touching: (T,) candidates that touch.
    sphere_i, sphere_j: (K,) the spheres of each candidate.
    position, velocity, spin: (3, N) [m, m/s, rad/s]; the last may be empty.
    has_lines, lines: whether most of it is in lines, and these, see ``sphere_motion``.
    Writes gathered: rows GAP to SPIN_J.
    """
    count, done = min(BLOCK, touching.size - first), 0
    if has_lines:
        done = read_lines_of_pairs(touching, None, sphere_i, sphere_j, lines, first, count, gathered, BLOCK)
    for t in range(done):
        k = touching[first + t]
        gathered[flat(SPIN_I + 2, t)], gathered[flat(SPIN_J + 2, t)] = spin[2, sphere_i[k]], spin[2, sphere_j[k]]
    for t in range(done, count):
        k = touching[first + t]
        i, j = sphere_i[k], sphere_j[k]
        put(gathered, GAP, t, subtract(load(position, i), load(position, j)))
        put(gathered, SPEED, t, subtract(load(velocity, i), load(velocity, j)))
        if spin.shape[1] > 0:
            put(gathered, SPIN_I, t, load(spin, i))
            put(gathered, SPIN_J, t, load(spin, j))


@inline
def write_sphere(gathered, i_or_j, t, b, bodies, kinds):
    """Write the constant properties of a sphere that is body b; i_or_j: 0 for i, 1 for j."""
    g = bodies.kind[b]
    gathered[flat(RADIUS_I + i_or_j, t)] = kinds.radius[kinds.first_offset[g]]
    gathered[flat(INVERSE_MASS_I + i_or_j, t)] = kinds.inverse_mass[g]
    gathered[flat(ROLL_INERTIA_I + i_or_j, t)] = rolling_inertia(kinds.radius[kinds.first_offset[g]], b, bodies, kinds)


@vector_loop
def write_pair_properties(count, gathered, kinematics):
    """Write the effective radius, effective mass and effective rolling inertia of each pair of spheres."""
    for t in range(count):
        r_i, r_j = gathered[flat(RADIUS_I, t)], gathered[flat(RADIUS_J, t)]
        inertia_i, inertia_j = gathered[flat(ROLL_INERTIA_I, t)], gathered[flat(ROLL_INERTIA_J, t)]
        kinematics[flat(RADIUS, t)] = r_i * r_j / (r_i + r_j)
        kinematics[flat(MASS, t)] = 1.0 / (gathered[flat(INVERSE_MASS_I, t)] + gathered[flat(INVERSE_MASS_J, t)])
        kinematics[flat(REDUCED, t)] = kinematics[flat(MASS, t)]
        kinematics[flat(ROLLING, t)] = inertia_i * inertia_j / (inertia_i + inertia_j)


@func
def gather_common_properties(b, bodies, kinds, gathered, kinematics, material_i, material_j):
    """Write the properties that all pairs of a block share, if all spheres have those of sphere b.

    b, bodies, kinds: sphere; see `dem.kernels.soft.state`.
    Writes gathered: rows RADIUS_I to CACHED_TYPE; SPIN_I and SPIN_J, for those that do not turn.
    Writes kinematics: rows STIFFNESS, MASS, RADIUS, REDUCED, ROLLING. Writes material_i, material_j: (BLOCK,).
    """
    for t in range(BLOCK):
        write_sphere(gathered, 0, t, b, bodies, kinds)
        write_sphere(gathered, 1, t, b, bodies, kinds)
        kinematics[flat(STIFFNESS, t)] = kinds.stiffness
        put(gathered, SPIN_I, t, (0.0, 0.0, 0.0))
        put(gathered, SPIN_J, t, (0.0, 0.0, 0.0))
        material_i[t] = material_j[t] = kinds.material[bodies.kind[b]]
    write_pair_properties(BLOCK, gathered, kinematics)
    gathered[flat(CACHED_TYPE, 0)] = bodies.kind[b] + 1.0


@vector_loop
def count_pairs_of_kind(g, first, count, touching, sphere_i, sphere_j, kind):
    """Number of pairs of a block in which both spheres are of kind g.

    g, first, count, touching, sphere_i, sphere_j: kind; see `gather_spheres`.
    kind: (N,) of each sphere.
    """
    n = 0
    for t in range(count):
        k = touching[first + t]
        n += 1 if kind[sphere_i[k]] == g and kind[sphere_j[k]] == g else 0
    return n


@vector_loop
def gather_stiffness(first, count, touching, stiffness, kinematics):
    """Write row STIFFNESS for pairs with different stiffnesses."""
    for t in range(count):
        kinematics[flat(STIFFNESS, t)] = stiffness[touching[first + t]]


@inline
def gather_properties(start, first, count, touching, bodies, kinds, neighbours, gathered, kinematics, ids):
    """Gather the properties of the spheres of a batch that do not change.

    start, first, count, touching: first candidate of the chunk; pairs in the list of those that touch.
    Writes gathered, kinematics: as `gather_common_properties`. Writes ids: OF_I and OF_J.
    Returns whether all spheres are of one kind.
    """
    sphere_i, sphere_j = neighbours.sphere_i[start:], neighbours.sphere_j[start:]
    b = sphere_i[touching[first]]
    g, are_all_alike = bodies.kind[b], kinds.contact_distance > 0.0
    alike = are_all_alike or count_pairs_of_kind(g, first, count, touching, sphere_i, sphere_j, bodies.kind) == count
    if alike and gathered[flat(CACHED_TYPE, 0)] != g + 1.0:
        gather_common_properties(b, bodies, kinds, gathered, kinematics, ids[OF_I], ids[OF_J])
    if not alike:
        for t in range(count):
            i, j = sphere_i[touching[first + t]], sphere_j[touching[first + t]]
            write_sphere(gathered, 0, t, i, bodies, kinds)
            write_sphere(gathered, 1, t, j, bodies, kinds)
            ids[OF_I, t], ids[OF_J, t] = kinds.material[bodies.kind[i]], kinds.material[bodies.kind[j]]
        write_pair_properties(count, gathered, kinematics)
        gathered[flat(CACHED_TYPE, 0)] = 0.0
    if not are_all_alike:
        gather_stiffness(first, count, touching, neighbours.stiffness[start:], kinematics)
    return alike


@inline
def write_nearest_image(box, gathered, t, gap):
    """Store the vector to the nearest image of each pair, for the stress."""
    put(gathered, GAP, t, gap)


write_gap = select("box", {BoxFaces: None, DeformingFaces: write_nearest_image})


@vector_loop
def compute_sphere_columns(box, count, alike, dt, gathered, kinematics):
    """Compute the kinematics of pairs of single spheres.

    count, alike, dt: of pairs; whether all spheres are alike; time step [s].
    Writes gathered: row GAP, from `gather_spheres`, to the nearest image.
    Writes kinematics: rows NORMAL, VELOCITY, TURNING, OVERLAP, TWIST, ARM_I; and ARM_J, if they are not alike.
    Returns the number of pairs that may have begun to touch in the last step.
    """
    new_contacts = 0
    for t in range(count):
        d, image = nearest_image(box, get(gathered, GAP, t), (0.0, 0.0, 0.0))
        write_gap(box, gathered, t, d)
        speed = subtract_image_velocity(box, get(gathered, SPEED, t), image, d)
        r_i, r_j = gathered[flat(RADIUS_I, t)], gathered[flat(RADIUS_J, t)]
        w_i, w_j = get(gathered, SPIN_I, t), get(gathered, SPIN_J, t)
        distance = math.sqrt(dot(d, d))
        normal = scale(1.0 / (distance + TINY), d)
        overlap = r_i + r_j - distance
        arm_i, arm_j = r_i - 0.5 * overlap, r_j - 0.5 * overlap
        weighted_spin = add(scale(arm_i, w_i), scale(arm_j, w_j))
        velocity = subtract(speed, cross(weighted_spin, normal))
        put(kinematics, NORMAL, t, normal)
        put(kinematics, VELOCITY, t, velocity)
        put(kinematics, TURNING, t, subtract(w_i, w_j))
        kinematics[flat(OVERLAP, t)] = overlap
        kinematics[flat(TWIST, t)] = 0.5 * dot(add(w_i, w_j), normal)
        put(kinematics, ARM_I, t, scale(-arm_i, normal))
        if not alike:
            put(kinematics, ARM_J, t, scale(arm_j, normal))
        new_contacts += 1 if has_begun(overlap, dot(velocity, normal), dt) else 0
    return new_contacts


@inline
def compute_columns_in_cell(box, count, alike, dt, gathered, kinematics):
    """Kinematics of pairs of single spheres in a cell that deforms; see `compute_sphere_columns`."""
    return compute_columns_by_form(box, (count, alike, dt, gathered, kinematics))


compute_columns_by_form = by_form(compute_sphere_columns)
compute_columns = select("box", {BoxFaces: compute_sphere_columns, DeformingFaces: compute_columns_in_cell})


@inline
def compute_sphere_kinematics(geometry, sink, c, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the pairs of single spheres from `first` in the list on, as many as a batch has room for.

    geometry, sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    c, first, touching: chunk; pairs in the list of those that touch.
    Writes gathered, kinematics: as the functions above. Writes ids: rows OF_I and OF_J.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES, MAY_BE_NEW or ONGOING.
    """
    bodies, kinds, neighbours, box = context.bodies, context.kinds, context.neighbours, context.box
    count, start = min(BLOCK, touching.size - first), first_candidate(c, neighbours)
    has_lines, lines = lines_of_chunk(c, neighbours)
    alike = gather_properties(start, first, count, touching, bodies, kinds, neighbours, gathered, kinematics, ids)
    gather_spheres(
        first, touching, neighbours.sphere_i[start:], neighbours.sphere_j[start:], bodies.position,
        bodies.velocity_predicted, bodies.angular_velocity_predicted, has_lines, lines, gathered,
    )  # fmt: skip
    new_contacts = compute_columns(box, count, alike, context.constants.dt, gathered, kinematics)
    batch_type = MIXED_TYPES
    if alike:
        batch_type = MAY_BE_NEW if new_contacts > 0 else ONGOING
    return count, first + count, batch_type


@inline
def write_kinematics(t, contact, kinematics):
    """Write the `ContactKinematics` of a contact to column t."""
    put(kinematics, NORMAL, t, contact.normal)
    put(kinematics, VELOCITY, t, contact.velocity)
    put(kinematics, TURNING, t, contact.relative_angular_velocity)
    kinematics[flat(STIFFNESS, t)], kinematics[flat(MASS, t)] = contact.stiffness, contact.mass
    kinematics[flat(OVERLAP, t)], kinematics[flat(TWIST, t)] = contact.overlap, contact.twist_rate
    kinematics[flat(RADIUS, t)], kinematics[flat(REDUCED, t)] = contact.radius, contact.reduced_mass
    kinematics[flat(ROLLING, t)] = contact.rolling_inertia


@inline
def kinematics_in_column(kinematics, t, may_begin, spring_aligned):
    """Kinematics of a contact, read from its column; the last two fields of `ContactKinematics` are given."""
    return ContactKinematics(
        kinematics[flat(STIFFNESS, t)], kinematics[flat(MASS, t)], kinematics[flat(OVERLAP, t)],
        get(kinematics, NORMAL, t), get(kinematics, VELOCITY, t), kinematics[flat(TWIST, t)],
        get(kinematics, TURNING, t), kinematics[flat(RADIUS, t)],
        kinematics[flat(REDUCED, t)], kinematics[flat(ROLLING, t)], may_begin, spring_aligned,
    )  # fmt: skip
