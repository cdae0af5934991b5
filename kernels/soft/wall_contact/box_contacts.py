"""Contacts with the faces of a box, `dem.kernels.domain.faces`: in batches, or one by one.

A face is a sphere of infinite radius, so R* = R. `touch_faces` gathers contacts to columns, which the law evaluates as
it does those of pairs (``contact_batches``): one by one each waits for its own roots and divisions. Contacts with rough
faces, of convex bodies, in reports, and of bodies of several spheres where there are other walls go one by one. Elastic
contacts in a step have a loop of their own, `add_elastic`, which takes both faces across an axis at once.
"""

import numpy as np
from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import func, inline, noinline, select
from dem.kernels.domain.faces import are_rough, inward, signed_distance
from dem.kernels.laws import hertz
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, store, subtract
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    LOSS,
    MASS,
    MAY_BE_NEW,
    MIXED_TYPES,
    OF_FACES,
    OPEN_LOSS,
    SingleSpheres,
    kinematics_in_column,
    write_kinematics,
)
from dem.kernels.soft.contact.contact_batches import load_history, store_history
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, add_sums, add_work, no_energy, no_sums
from dem.kernels.soft.contact.contact_evaluation import FORCE, BatchSettings, contact_force, evaluate_new
from dem.kernels.soft.contact.convex_bodies import (
    ConvexBodyKinds,
    FacetedBodyKinds,
    bounding_radius,
    corners_of,
    place_at_plane,
    row_of,
)
from dem.kernels.soft.contact.result_sinks import batch_sink, is_report
from dem.kernels.soft.contact.shared_damping import add_contact, common_rate, no_multi_contact
from dem.kernels.soft.contact.surface_motion import (
    inverse_mass,
    radius_of,
    rolling_inertia,
    spheres_of,
    spin_of,
    surface_velocity,
)
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.rough_planes import PLANE, face_plane, face_plane_now
from dem.kernels.soft.wall_contact.wall_loads import (
    add_result,
    add_wall_heat,
    elastic_outcome,
    push,
    work_of_face,
)

FACES = 6
# slots for corners of a polyhedron at a face, at least: a key, 0 for none, and what the corner remembers; behind a row
FACE_SLOTS = 8


@inline
def add_elastic(law, b, sink, bodies, kinds, neighbours, box):
    """Add the elastic forces and torques of the faces on body b; they push along their normals only. Returns `Sums`."""
    elastic = 0.0
    largest = 0.0
    power = 0.0
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        bound = bounding_radius(kinds, row_of(s, b, bodies, kinds))
        if touches_face(load(bodies.sphere_position, s), bound, box):
            energy_s, overlap, power_s = push_elastic(kinds, law, s, b, bound, sink.first_body, bodies, box)
            elastic += energy_s
            largest = max(largest, overlap)
            power += power_s
    bits = bits_of_float(largest)
    work = as_words(sink.half * power, sink.per_joule) if box.moving else no_energy()
    return Sums(as_fixed(elastic, sink.per_joule), bits, np.int64(0), no_energy(), work, no_energy())


@inline
def push_sphere(kinds, law, s, b, bound, first_body, bodies, box):
    """Add the elastic forces of all faces on sphere s of body b, whose radius is `bound` [m].

    Returns elastic energy [J], largest overlap [m], power of faces that move [W].
    """
    x, x_s = load(bodies.position, b), load(bodies.sphere_position, s)
    f, energy, overlap, power = face_force(x_s, bound, kinds.wall_modulus[kinds.material[bodies.kind[b]]], box)
    push(b, first_body, f, subtract(x_s, x), bodies)
    return energy, overlap, power


@func
def push_convex(kinds, law, s, b, bound, first_body, bodies, box):
    """Add the elastic forces of all faces on piece s of body b, each where the piece touches it; as `push_sphere`.

    bound: radius of the bounding sphere of the piece [m].
    """
    energy, largest, power, radius = 0.0, 0.0, 0.0, radius_of(s, b, bodies, kinds)
    k = hertz.stiffness(kinds.wall_modulus[kinds.material[bodies.kind[b]]], radius)
    for face in range(6):
        if signed_distance(load(bodies.sphere_position, s), face, box) < bound:
            normal, corners = inward(face), corners_of(kinds, law, s, b, bodies)
            for n in range(max(corners, 1)):
                x = place_at_plane(kinds, s, b, n if corners > 0 else -1, normal, bodies)
                overlap = max(radius - signed_distance(x, face, box), 0.0)
                force = scale(hertz.force(k, overlap), normal)
                push(b, first_body, force, subtract(x, load(bodies.position, b)), bodies)
                energy += hertz.energy(k, overlap)
                largest = max(largest, overlap)
                power += dot(force, load(box.velocity, face))
    return energy, largest, power


push_elastic = select("kinds", {Kinds: push_sphere, ConvexBodyKinds: push_convex})


@inline
def touches_face(x, radius, box):
    """Whether a sphere at x overlaps any face."""
    return (
        min(x[0] - box.lower[0], x[1] - box.lower[1], x[2] - box.lower[2]) < radius
        or min(box.upper[0] - x[0], box.upper[1] - x[1], box.upper[2] - x[2]) < radius
    )


@func
def face_force(x, radius, modulus, box):
    """Force of the faces on a sphere at x, their elastic energy, the largest overlap, and the power of moving faces."""
    k = hertz.stiffness(modulus, radius)
    fx, e_x, d_x, p_x = opposite_faces(0, k, radius, x[0], box)
    fy, e_y, d_y, p_y = opposite_faces(1, k, radius, x[1], box)
    fz, e_z, d_z, p_z = opposite_faces(2, k, radius, x[2], box)
    return (fx, fy, fz), e_x + e_y + e_z, max(d_x, d_y, d_z), p_x + p_y + p_z


@inline
def opposite_faces(axis, k, radius, x, box):
    """Force along one axis of the two faces across it, their elastic energy, the larger overlap, and their power."""
    below = max(radius - (x - box.lower[axis]), 0.0)
    above = max(radius - (box.upper[axis] - x), 0.0)
    up, down = hertz.force(k, below), hertz.force(k, above)
    return (
        up - down,
        hertz.energy(k, below) + hertz.energy(k, above),
        max(below, above),
        up * box.velocity[axis, 2 * axis] - down * box.velocity[axis, 2 * axis + 1],
    )


@inline
def add_dissipative(law, b, sink, bodies, kinds, neighbours, box):
    """Add the forces and torques of the faces on body b by a law that needs velocities; returns `Sums`."""
    sums, rate_face, rate = no_sums(), -1, 0.0
    clears_when_apart = not (laws.has_range(law) or laws.largest_begin_gap(law) > 0.0 or are_rough(box))
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        bound = bounding_radius(kinds, row_of(s, b, bodies, kinds))
        if clears_when_apart and not touches_face(load(bodies.sphere_position, s), bound, box):
            forget(s, neighbours.wall_has_history)
        else:
            more, rate_face, rate = add_sphere(sink, law, s, b, rate_face, rate, bodies, kinds, neighbours, box)
            sums = add_sums(sums, more)
    return sums


@noinline
def add_sphere(sink, law, s, b, rate_face, rate, bodies, kinds, neighbours, box):
    """Write the contacts of sphere s of body b with the faces to a sink; returns `Sums`, rate_face, rate.

    A function of its own: in the loop of its caller LLVM would read ahead, for spheres that touch nothing too.
    rate_face, rate: see `evaluate_dissipative`.
    Writes neighbours.wall_history, neighbours.wall_has_history: rows 6 s + face, in steps.
    """
    sums, has_history = no_sums(), neighbours.wall_has_history
    corners = 0 if are_rough(box) else corners_of(kinds, law, s, b, bodies)  # the plane of a rough face has one contact
    for face in range(6):
        k = 6 * s + face
        radius = radius_of(s, b, bodies, kinds)
        free_slots(kinds, sink, law, s, b, face, corners, bodies, neighbours, box)
        for n in range(max(corners, 1)):
            corner = n if corners > 0 else -1
            flat = radius - signed_distance(place_at_plane(kinds, s, b, corner, inward(face), bodies), face, box)
            if is_report(sink):
                overlap, normal = face_plane_now(box, k, face, flat, radius, neighbours)
            else:
                overlap, normal = face_plane(
                    box, s, b, face, flat, sink.half, neighbours.wall_history, has_history, bodies, kinds
                )
            if overlap > -gap_of(sink, law) or (laws.has_range(law) and has_history[k] != 0):
                contact, x, outcome, history, rate_face, rate = evaluate(
                    law, s, b, face, corner, overlap, normal, rate_face, rate, sink.half, sink.time_sign, bodies, kinds,
                    neighbours, box,
                )  # fmt: skip
                if has_history.size > 0 and not is_report(sink):
                    store_row(kinds, law, k, corner, outcome, history, neighbours, box)
                more = add_result(
                    sink, b, s - bodies.first_sphere[b], -1 - face, contact, x, subtract(x, load(bodies.position, b)),
                    load(box.velocity, face), (0.0, 0.0, 0.0), outcome, laws.transmits_couples(law), bodies,
                )  # fmt: skip
                sums = add_sums(sums, more)
            elif has_history.size > 0 and not is_report(sink):
                forget_row(kinds, k, corner, has_history)
    return sums, rate_face, rate


@inline
def gap_of(sink, law):
    """Gap at which the law begins [m]; reported are surfaces that touch."""
    return 0.0 if is_report(sink) else laws.largest_begin_gap(law)


@inline
def store_in_row(kinds, law, k, corner, outcome, history, neighbours, box):
    """Store the history of the single contact of row k."""
    laws.store(law, neighbours.wall_history, k, PLANE if are_rough(box) else 0, history)
    neighbours.wall_has_history[k] = 1 if outcome.persists else 0


@inline
def store_corner(kinds, law, k, corner, outcome, history, neighbours, box):
    """Store the history of a corner in its slot of row k, or in a free one: there are as many as corners.

    The first contact clears the row, which may have been that of another body or never used.
    """
    if corner >= 0 and not outcome.persists:
        return
    if neighbours.wall_has_history[k] == 0 and not are_rough(box):
        for r in range(neighbours.wall_history.shape[1]):
            neighbours.wall_history[k, r] = 0.0
    column = PLANE if are_rough(box) else 0
    if corner >= 0:
        column = slot_of_corner(law, k, corner, neighbours)
        if column == 0:
            column = slot_of_corner(law, k, -1, neighbours)
        if column == 0:
            return
        neighbours.wall_history[k, column - 1] = corner + 1
    laws.store(law, neighbours.wall_history, k, column, history)
    neighbours.wall_has_history[k] = 1 if outcome.persists else 0


@inline
def face_slots(law, neighbours):
    """Slots of a row: at least `FACE_SLOTS`, and as many as the polyhedra of the run have vertices at most."""
    columns = laws.columns(law)
    return (neighbours.wall_history.shape[1] - columns) // (1 + columns)


@inline
def slot_of_corner(law, k, corner, neighbours):
    """Column in row k of the history of faces where the slot of a corner, or for -1 an empty one, begins; else 0."""
    columns = laws.columns(law)
    for slot in range(face_slots(law, neighbours)):
        column = columns + slot * (1 + columns)
        if neighbours.wall_history[k, column] == corner + 1:
            return column + 1
    return 0


@inline
def recall_row(kinds, law, k, corner, neighbours, box):
    """History of the single contact of row k."""
    if neighbours.wall_has_history.size > 0 and neighbours.wall_has_history[k] != 0:
        return laws.load(law, neighbours.wall_history, k, PLANE if are_rough(box) else 0)
    return laws.initial_history(law)


@inline
def recall_slot(kinds, law, k, corner, neighbours, box):
    """History of a corner at the face that row k is for."""
    if neighbours.wall_has_history.size > 0 and neighbours.wall_has_history[k] != 0:
        first = PLANE if are_rough(box) else 0
        column = slot_of_corner(law, k, corner, neighbours) if corner >= 0 else first
        if column > 0 or corner < 0:
            return laws.load(law, neighbours.wall_history, k, column)
    return laws.initial_history(law)


@inline
def forget_contact(kinds, k, corner, has_history):
    """Clear the history of the single contact of row k."""
    has_history[k] = 0


@inline
def forget_whole(kinds, k, corner, has_history):
    """Clear the history of a contact of row k, unless it belongs to a corner, see `free_slots`."""
    if corner < 0:
        has_history[k] = 0


@inline
def free_slots_in_step(kinds, sink, law, s, b, face, corners, bodies, neighbours, box):
    """Empty the history slots of corners of piece s of body b that no longer touch a face.

    What is not in use is zero, so that a checkpoint does not show which contacts the row was for before.

    Writes neighbours.wall_history, neighbours.wall_has_history: row of the piece and the face.
    """
    k, columns, has = 6 * s + face, laws.columns(law), False
    if corners == 0 or is_report(sink) or neighbours.wall_has_history.size == 0 or neighbours.wall_has_history[k] == 0:
        return
    for slot in range(face_slots(law, neighbours)):
        column = columns + slot * (1 + columns)
        corner = int(neighbours.wall_history[k, column]) - 1
        if corner >= 0:
            x = place_at_plane(kinds, s, b, corner, inward(face), bodies)
            if signed_distance(x, face, box) < radius_of(s, b, bodies, kinds):
                has = True
            else:
                for r in range(column, column + 1 + columns):
                    neighbours.wall_history[k, r] = 0.0
    neighbours.wall_has_history[k] = 1 if has else 0


store_row = select("kinds", {Kinds: store_in_row, FacetedBodyKinds: store_corner})
recall = select("kinds", {Kinds: recall_row, FacetedBodyKinds: recall_slot})
forget_row = select("kinds", {Kinds: forget_contact, FacetedBodyKinds: forget_whole})
free_slots = select("kinds", {Kinds: None, FacetedBodyKinds: free_slots_in_step})


@inline
def forget(s, has_history):
    """Clear the history of sphere s with all faces, as it touches none."""
    if has_history.size > 0:
        for face in range(6):
            has_history[6 * s + face] = 0


@inline
def evaluate_elastic(
    law, s, b, face, corner, overlap, normal, rate_face, rate, half, time_sign, bodies, kinds, neighbours, box
):  # fmt: skip
    """Hertz's force of a face; see `evaluate_dissipative`."""
    contact, x = face_contact_kinematics(s, b, face, corner, overlap, normal, bodies, kinds, box)
    force = scale(hertz.force(contact.stiffness, contact.overlap), contact.normal)
    return contact, x, elastic_outcome(force, hertz.energy(contact.stiffness, contact.overlap)), (), rate_face, rate


@inline
def evaluate_dissipative(
    law, s, b, face, corner, overlap, normal, rate_face, rate, half, time_sign, bodies, kinds, neighbours, box
):  # fmt: skip
    """Force of a face by a law that needs velocities, damped together with other contacts of the body at this face.

    rate_face, rate: the face whose ω² was computed last, and this ω² [1/s²]; at first -1 and 0.
    Returns `dem.kernels.laws.ContactKinematics`, point [m], `dem.kernels.laws.ContactForce`, history, rate_face, rate.
    """
    contact, x = face_contact_kinematics(s, b, face, corner, overlap, normal, bodies, kinds, box)
    history = recall(kinds, law, 6 * s + face, corner, neighbours, box)
    # contacts of one face come one after the other, but in a corner
    if laws.shares_damping(law) and not are_rough(box) and face != rate_face:
        rate_face, rate = face, rate_at_face(law, b, face, half, bodies, kinds, neighbours, box)
    m, wall = kinds.material[bodies.kind[b]], kinds.modulus.shape[0]
    contact, outcome, history = contact_force(law, m, wall, contact, rate, history, half, time_sign)
    return contact, x, outcome, history, rate_face, rate


evaluate = select("law", {laws.Elastic: evaluate_elastic, laws.Composite: evaluate_dissipative})


@func
def rate_at_face(law, b, face, half, bodies, kinds, neighbours, box):
    """ω² of body b at one face [1/s²], see ``shared_damping``; 0 if fewer than two of its spheres touch it."""
    pushed, m, no_arm = no_multi_contact(), kinds.material[bodies.kind[b]], (0.0, 0.0, 0.0)
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        corners = corners_of(kinds, law, s, b, bodies)
        for n in range(max(corners, 1)):
            corner = n if corners > 0 else -1
            x = place_at_plane(kinds, s, b, corner, inward(face), bodies)
            overlap = radius_of(s, b, bodies, kinds) - signed_distance(x, face, box)
            persists = laws.has_range(law) and neighbours.wall_has_history[6 * s + face] != 0
            if overlap > 0.0 or persists:
                contact, x = face_contact_kinematics(s, b, face, corner, overlap, inward(face), bodies, kinds, box)
                history = recall(kinds, law, 6 * s + face, corner, neighbours, box)
                secant = laws.secant(law, m, kinds.modulus.shape[0], contact, history, half)
                arm = subtract(x, load(bodies.position, b))
                pushed = add_contact(pushed, secant, dot(contact.velocity, contact.normal), contact.normal, arm, no_arm)
    return common_rate(b, pushed, bodies, kinds)


@inline
def face_contact_kinematics(s, b, face, corner, overlap, normal, bodies, kinds, box):
    """Kinematics of sphere s of body b and a face, and the point halfway between their surfaces [m].

    corner: vertex of a polyhedron, -1 for all other bodies; overlap, normal: with the plane of the face [m], and its
    unit normal into the box.
    """
    radius = radius_of(s, b, bodies, kinds)
    x = add_scaled(place_at_plane(kinds, s, b, corner, normal, bodies), 0.5 * overlap - radius, normal)
    velocity = subtract(surface_velocity(b, x, bodies, box), load(box.velocity, face))
    twist = 0.5 * dot(spin_of(b, bodies), normal)
    mass = 1.0 / inverse_mass(b, x, normal, bodies, kinds, box)
    stiffness = hertz.stiffness(kinds.wall_modulus[kinds.material[bodies.kind[b]]], radius)
    return laws.ContactKinematics(
        stiffness, mass, overlap, normal, velocity, twist, relative_angular_velocity=spin_of(b, bodies), radius=radius,
        reduced_mass=kinds.mass[bodies.kind[b]], rolling_inertia=rolling_inertia(radius, b, bodies, kinds),
        may_begin=True, spring_aligned=False,
    ), x  # fmt: skip


add_faces = select("law", {laws.Elastic: add_elastic, laws.Composite: add_dissipative})


# rows of integers: materials; 6 s + face for sphere s, body; see `Neighbours.batch_ids`
OF_I, OF_J, FACE, BODY = 2, 3, 4, 5


@inline
def touch_faces(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces and torques of the faces of a box on the bodies of chunk c that are near them; returns `Sums`."""
    sums, count = no_sums(), 0
    low, _ = chunk_of(c, bodies.kind.size)
    has_history, block = neighbours.wall_has_history, neighbours.block_of[c]
    kinematics, ids = neighbours.batch_kinematics[block][OF_FACES:], neighbours.batch_ids[block]
    clears_when_apart = not (laws.has_range(law) or laws.largest_begin_gap(law) > 0.0)
    for n in range(low, low + neighbours.near_wall_count[c]):
        b = neighbours.near_wall[n]
        first, last = spheres_of(b, bodies, kinds)
        for s in range(first, last):
            wanted = FACES * (last - first if s == first else 1)  # columns: those of a body go together if they can
            if count > 0 and count + wanted > BLOCK:
                sums = evaluate_columns(law, scheme, count, c, sink, bodies, kinds, neighbours, box, sums)
                count = 0
            x, radius = load(bodies.sphere_position, s), radius_of(s, b, bodies, kinds)
            if clears_when_apart and not touches_face(x, radius, box):
                forget(s, has_history)
                continue
            for face in range(FACES):
                k, overlap = FACES * s + face, radius - signed_distance(x, face, box)
                if overlap > -laws.largest_begin_gap(law) or (laws.has_range(law) and has_history[k] != 0):
                    compute_kinematics(count, s, b, face, overlap, bodies, kinds, box, kinematics, ids)
                    count += 1
                elif has_history.size > 0:
                    has_history[k] = 0
    if count > 0:
        sums = evaluate_columns(law, scheme, count, c, sink, bodies, kinds, neighbours, box, sums)
    return sums


@inline
def compute_kinematics(t, s, b, face, overlap, bodies, kinds, box, kinematics, ids):
    """Write the kinematics of the contact of sphere s of body b with a face to column t."""
    contact, x = face_contact_kinematics(s, b, face, -1, overlap, inward(face), bodies, kinds, box)
    write_kinematics(t, contact, kinematics)
    put(kinematics, ARM_I, t, subtract(x, load(bodies.position, b)))
    ids[OF_I, t], ids[OF_J, t] = kinds.material[bodies.kind[b]], kinds.modulus.shape[0]
    ids[FACE, t], ids[BODY, t] = FACES * s + face, b


@func
def rate_of_columns(law, first, count, face, half, bodies, kinds, neighbours, box, ids, kinematics):
    """ω² of a body at one face [1/s²], as `rate_at_face`, from the columns of its contacts.

    first, count: first column of the body; columns in all.
    """
    b = ids[BODY, first]
    begin, end = spheres_of(b, bodies, kinds)
    if FACES * (end - begin) > BLOCK:  # others of its contacts may be in another batch
        return rate_at_face(law, b, face, half, bodies, kinds, neighbours, box)
    t, pushed, no_arm = first, no_multi_contact(), (0.0, 0.0, 0.0)
    while t < count and ids[BODY, t] == b:
        contact, k = kinematics_in_column(kinematics, t, True, False), ids[FACE, t]
        persists = laws.has_range(law) and neighbours.wall_has_history[k] != 0
        if k % FACES == face and (contact.overlap > 0.0 or persists):
            history = recall(kinds, law, k, -1, neighbours, box)
            secant = laws.secant(law, ids[OF_I, t], ids[OF_J, t], contact, history, half)
            arm = get(kinematics, ARM_I, t)
            pushed = add_contact(pushed, secant, dot(contact.velocity, contact.normal), contact.normal, arm, no_arm)
        t += 1
    return common_rate(b, pushed, bodies, kinds)


@inline
def share_damping_at_faces(scheme, law, count, half, bodies, kinds, neighbours, box, ids, kinematics):
    """Write the mass by which each contact is damped, for bodies with several contacts at one face.

    Writes kinematics: row MASS.
    """
    first, rate_face, rate = 0, -1, 0.0
    for t in range(count if laws.shares_damping(law) else 0):
        if ids[BODY, t] != ids[BODY, first]:
            first, rate_face = t, -1
        face = ids[FACE, t] % FACES
        if face != rate_face:
            rate = rate_of_columns(law, first, count, face, half, bodies, kinds, neighbours, box, ids, kinematics)
            rate_face = face
        if rate > 0.0:
            contact = kinematics_in_column(kinematics, t, True, False)
            history = recall(kinds, law, ids[FACE, t], -1, neighbours, box)
            secant = laws.secant(law, ids[OF_I, t], ids[OF_J, t], contact, history, half)
            kinematics[flat(MASS, t)] = secant / rate


share_damping = select("scheme", {rotation.SphericalPCDM: None, object: share_damping_at_faces})


@inline
def add_torque_of_sphere(scheme, law, t, alike, column, out, bodies):
    """Add the torque of a contact of a single sphere; the couple has rows of its own where spheres are not alike."""
    torque = get(out, ON_I, t)
    if laws.transmits_couples(law) and not alike:
        torque = add(torque, get(out, ON_J, t))
    store(bodies.torque, column, add(load(bodies.torque, column), torque))


@inline
def add_torque_of_body(scheme, law, t, alike, column, out, bodies):
    """Add the torque of a contact of any body, and then the couple."""
    torque = add(load(bodies.torque, column), get(out, ON_I, t))
    store(bodies.torque, column, add(torque, get(out, ON_J, t)) if laws.transmits_couples(law) else torque)


add_torque = select("scheme", {rotation.SphericalPCDM: add_torque_of_sphere, object: add_torque_of_body})


@inline
def are_spheres_alike(scheme, law, kinds):
    """Whether contacts of single spheres with faces are evaluated as those of spheres that are alike."""
    return kinds.contact_distance > 0.0


@inline
def are_bodies_alike(scheme, law, kinds):
    """Whether contacts with faces are of one material and without couples; other torques are written separately."""
    return kinds.modulus.size == 1 and not laws.transmits_couples(law)


are_alike = select("scheme", {rotation.SphericalPCDM: are_spheres_alike, object: are_bodies_alike})


@func
def evaluate_columns(law, scheme, count, c, sink, bodies, kinds, neighbours, box, sums):
    """Evaluate a batch of contacts; returns their `Sums`.

    Writes bodies.force, bodies.torque: columns b - first_body, added to [N, N m].
    Writes neighbours.wall_history, neighbours.wall_has_history: rows 6 s + face. Writes neighbours: scratch of batches.
    """
    block = neighbours.block_of[c]
    kinematics, ids = neighbours.batch_kinematics[block][OF_FACES:], neighbours.batch_ids[block]
    batch_history, out = neighbours.batch_history[block], neighbours.batch_forces[block]
    history, has_history = neighbours.wall_history, neighbours.wall_has_history
    share_damping(scheme, law, count, sink.half, bodies, kinds, neighbours, box, ids, kinematics)
    if has_history.size > 0:
        load_history(SingleSpheres(), law, 0, count, ids[FACE], ids, history, has_history, batch_history)
    alike = are_alike(scheme, law, kinds)
    settings = BatchSettings(
        SingleSpheres(), batch_sink(sink), law, sink.time_sign, sink.half, sink.per_joule, kinds.modulus.size == 1
    )
    batch_type = MAY_BE_NEW if alike else MIXED_TYPES
    more = evaluate_new(settings, count, batch_type, kinematics, ids[OF_I], ids[OF_J], batch_history, out)
    if has_history.size > 0:
        store_history(SingleSpheres(), law, 0, count, ids[FACE], ids, batch_history, out, history, has_history)
    work = no_energy()
    for t in range(count):
        b, face, force = ids[BODY, t], ids[FACE, t] % FACES, get(out, FORCE, t)
        column = b - sink.first_body
        store(bodies.force, column, add(load(bodies.force, column), force))
        if bodies.torque.shape[1] > 0:
            add_torque(scheme, law, t, alike, column, out, bodies)
        work = add_words(work, work_of_face(face, force, sink, box))
        add_wall_heat(sink, b, out[flat(LOSS, t)], out[flat(OPEN_LOSS, t)], bodies)
    return add_work(add_sums(sums, more), work)
