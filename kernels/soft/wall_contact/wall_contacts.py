"""Contacts of bodies with walls of any shape, one by one: of spheres, of convex bodies, and of the sides of capsules.

A wall is a sphere of infinite radius for the contact law, whatever its curvature, so R* = R. Where several pieces of a
wall are within reach, those that make one lowest region act as one contact, from one potential; see
`dem.kernels.walls.geometry`. That contact is pressed by N = K |Σ|, along Σ, and overlaps by δ = |Σ|^(1/p).

The side of a capsule is the part between its ends; see ``dem.kernels.walls.capsule_sides``. Each contact of a side is
that of a ball of the capsule's radius at a place on its axis. Its history is in the slots of the capsule's second end,
with `wall_history.SIDE` in the number of the wall: these slots have been read when the contacts of that end were
evaluated, just before.

Here w is a wall, c a chunk, s a sphere, and t a row of the chunk's scratch `Walls.contacts`; m and row are materials of
body and wall, p the exponent of overlaps; n is the number of contacts of the sphere that have been kept before.
"""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import argument, func, inline, noinline, select, type_is
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws.merged_contacts import exponent, resistance
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.contact.contact_detection import add_sums, no_sums
from dem.kernels.soft.contact.contact_evaluation import contact_force
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, at_plane
from dem.kernels.soft.contact.result_sinks import ReportSink, WallForceSink, is_report
from dem.kernels.soft.contact.shared_damping import add_contact, common_rate, no_multi_contact
from dem.kernels.soft.contact.surface_motion import radius_near, spheres_of
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact import wall_history, wall_loads
from dem.kernels.soft.wall_contact.convex_at_walls import at_wall, find_contacts_of_piece, find_convex_contacts
from dem.kernels.soft.wall_contact.convex_meshes import PITCH
from dem.kernels.soft.wall_contact.overlap_regions import (
    beyond_of,
    find_all_contacts,
    find_contacts_of,
    gradient_of,
    region,
)
from dem.kernels.soft.wall_contact.rough_planes import NO_PLANE, is_rough, store_rough_plane, wall_plane, wall_plane_now
from dem.kernels.soft.wall_contact.wall_arrays import (
    IN_USE,
    NEAR_WALLS,
    SERVO_KIND,
    acts_on,
    has_history,
    image_for,
    image_in_frame,
    in_frame,
    in_world,
    is_near,
    motion_of,
    velocity_at,
)
from dem.kernels.soft.wall_contact.wall_kinematics import (
    contact_kinematics,
    contact_kinematics_at,
    energy_of_pieces,
    touch_at,
)
from dem.kernels.walls.capsule_sides import find_side_contacts
from dem.kernels.walls.geometry import Unused, Used
from dem.kernels.walls.potential_terms import ANCHOR, DEEPEST, LINKS, MOMENT, POTENTIAL

TINY_SQUARE = 1e-300  # in place of a length of zero
FIRST_WALL = -7  # number of the first wall in reports, after those of the faces of a box
OF_SIDE = 2  # in reports in place of the number of a sphere of the body: after those of a capsule's ends


@inline
def walls_to_search(sink, s, walls):
    """Bits of the walls to search for the body of sphere s: in a step the walls near it, for a report all."""
    return np.int64(-1) if is_report(sink) else walls.sphere_records[s, NEAR_WALLS]


@inline
def is_searched(sink, w, near, b, bodies, walls):
    """Whether wall w is to be searched for body b."""
    return acts_on(w, b, bodies, walls) if is_report(sink) else is_near(w, near)


@inline
def add_body(sink, law, b, bodies, kinds, box):
    """Write the contacts of the spheres of body b with walls to a sink; returns `Sums`.

    Writes bodies, box.walls, sink: as `add_result_at_wall`.
    """
    sums, walls = no_sums(), box.walls
    first, stop = spheres_of(b, bodies, kinds)
    near = walls_to_search(sink, first, walls)
    set_shared_damping(law, b, near, sink.half, bodies, kinds, box)
    for s in range(first, stop):
        n = 0
        if has_history(walls):
            wall_history.copy_to_scratch(b // CHUNK, s, walls)
            if not is_report(sink):
                walls.sphere_records[s, IN_USE] = 0
        for w in range(walls.material_row.size):
            if is_searched(sink, w, near, b, bodies, walls):
                more, n = add_wall(sink, law, w, s, b, n, bodies, kinds, box)
                sums = add_sums(sums, more)
    return sums


@inline
def find_of_sphere(kinds, sink, w, s, b, reach, power, bodies, box):
    """Write the contacts of sphere s of body b with wall w: in a step with the pieces that are listed; their number."""
    u, c = in_frame(w, load(bodies.sphere_position, s), box), b // CHUNK
    if is_report(sink):
        return find_all_contacts(w, c, u, reach, power, box.walls)
    return find_contacts_of(s, w, c, u, reach, power, box.walls)


@inline
def find_of_convex(kinds, sink, w, s, b, reach, power, bodies, box):
    """Write the contacts of convex piece s of body b with wall w; returns their number."""
    return find_convex_contacts(kinds, w, s, b, b // CHUNK, reach, power, bodies, box)


find_of_body = select("kinds", {Kinds: find_of_sphere, ConvexBodyKinds: find_of_convex})


@noinline
def add_wall(sink, law, w, s, b, n, bodies, kinds, box):
    """Write the contacts of sphere s of body b with wall w to a sink; returns `Sums`, n."""
    sums, radius = no_sums(), radius_near(s, b, bodies, kinds)
    m, row = kinds.material[bodies.kind[b]], box.walls.material_row[w]
    reach = radius + beyond_of(law, w, radius, box.walls)
    count = find_of_body(kinds, sink, w, s, b, reach, exponent(law, m, row), bodies, box)
    set_rate_of_single_piece(law, w, s, b, count, sink.half, bodies, kinds, box)
    for t in range(count):
        more, n = add_of_sphere(law, sink, w, s, b, t, count, n, bodies, kinds, box)
        sums = add_sums(sums, more)
    return sums, n


@inline
def with_couple(kinds, b, t, outcome, along, box):
    """Add the couple of the pieces of contact t of body b to an outcome, given its force along the normal [N]."""
    pitch = box.walls.contacts[b // CHUNK, t, PITCH]
    return wall_loads.with_pieces(outcome, add_scaled(outcome.couple, pitch, along), 0.0)


@inline
def with_couple_of_spring(kinds, law, m, row, b, t, outcome, contact, history, half, box):
    """Add the couple of the pieces of contact t of body b, that of its spring, to an outcome by a dissipative law.

    Damping resists the velocity of the contact point: a couple of its force would do work that is not in its loss.
    """
    if box.walls.contacts[b // CHUNK, t, PITCH] == 0.0:
        return outcome
    spring = laws.secant(law, m, row, contact, history, half)
    return with_couple(kinds, b, t, outcome, scale(spring * contact.overlap, contact.normal), box)


couple_of_pieces = select("kinds", {Kinds: argument("outcome"), ConvexBodyKinds: with_couple})
couple_of_spring = select("kinds", {Kinds: argument("outcome"), ConvexBodyKinds: with_couple_of_spring})
has_couples = type_is(lambda kind: issubclass(kind, ConvexBodyKinds))


@inline
def add_elastic(law, sink, w, s, b, t, count, n, bodies, kinds, box):
    """Write an elastic contact of sphere s to a sink, its force summed over the pieces of the wall; `Sums`, n."""
    c, x, radius = b // CHUNK, at_wall(kinds, w, s, b, t, bodies, box), radius_near(s, b, bodies, kinds)
    contact, point, of_wall, outcome = elastic_force(sink, w, c, t, x, radius, b, bodies, kinds, box)
    outcome = couple_of_pieces(kinds, b, t, outcome, outcome.force, box)
    of_b, arm = s - bodies.first_sphere[b], subtract(point, load(bodies.position, b))
    turning = has_couples(kinds)
    return add_result_at_wall(sink, w, b, of_b, contact, point, arm, of_wall, outcome, turning, bodies, box), n


@inline
def elastic_force(sink, w, c, t, x, radius, b, bodies, kinds, box):
    """Elastic force of wall w on a sphere of body b at x, summed over the pieces of a contact.

    Returns `dem.kernels.laws.ContactKinematics`, point where the force acts [m], velocity of the wall there [m/s],
    `dem.kernels.laws.ContactForce`.
    """
    total, deepest = gradient_of(w, c, t, box), box.walls.contacts[c, t, DEEPEST]
    contact, point = elastic_kinematics(sink, w, x, radius, b, deepest, total, bodies, kinds, box)
    k = contact.stiffness
    if not is_report(sink):
        wall_loads.add_servo_terms(c, w, 1.5 * k * math.sqrt(deepest), 0.0, (0.0, 0.0, 0.0), box)
    outcome = wall_loads.elastic_outcome(scale(k, total), k * box.walls.contacts[c, t, POTENTIAL])
    return contact, point, velocity_at(motion_of(w, box), point, box), outcome


@inline
def kinematics_reported(sink, w, x, radius, b, overlap, total, bodies, kinds, box):
    """Kinematics of an elastic contact for a report, and the point between the surfaces."""
    normal = scale(1.0 / math.sqrt(max(dot(total, total), TINY_SQUARE)), total)
    contact, point, _ = contact_kinematics_at(w, x, radius, b, overlap, normal, bodies, kinds, box)
    return contact, point


@inline
def kinematics_in_step(sink, w, x, radius, b, overlap, total, bodies, kinds, box):
    """Stiffness and overlap of an elastic contact; no velocity is known, and its force may act at the centre."""
    modulus, none = box.walls.modulus[kinds.material[bodies.kind[b]], w], (0.0, 0.0, 0.0)
    return touch_at(overlap, none, none, none, none, modulus, radius, 1.0, 0.0, 0.0), x


elastic_kinematics = select("sink", {ReportSink: kinematics_reported, WallForceSink: kinematics_in_step})


@noinline
def add_dissipative(law, sink, w, s, b, t, count, n, bodies, kinds, box):
    """Write a contact of sphere s, of `count`, by a law that needs velocities to a sink; returns `Sums`, n.

    A function of its own: in the loop of its caller LLVM reads all that it might use ahead, and keeps it on the stack.
    """
    walls, c, rough = box.walls, b // CHUNK, is_rough(box.walls.rough, w)
    m, row, radius = kinds.material[bodies.kind[b]], walls.material_row[w], radius_near(s, b, bodies, kinds)
    p = exponent(law, m, row)
    overlap, normal = region(w, c, t, beyond_of(law, w, radius, walls), p, box)
    history, found = wall_history.recall(law, c, w, t, count, walls.contacts[c], walls)
    k = wall_history.first_predecessor_slot(c, w, t, count, walls) if rough else -1
    plane = NO_PLANE
    if is_report(sink):
        overlap, normal = wall_plane_now(walls.rough, c, w, k, overlap, normal, radius, box)
    else:
        overlap, normal, plane = wall_plane(walls.rough, c, w, s, b, k, overlap, normal, sink.half, bodies, kinds, box)
    if not (overlap > 0.0 or (found > 0 and (laws.has_range(law) or not rough))):
        return no_sums(), n
    if rough:
        centre = at_plane(kinds, s, b, normal, bodies)
        contact, point, of_wall = contact_kinematics_at(w, centre, radius, b, overlap, normal, bodies, kinds, box)
    else:
        contact, point, of_wall = contact_kinematics(w, s, b, t, overlap, normal, bodies, kinds, box)
    rate = walls.rate[c, w] if laws.shares_damping(law) and not rough else 0.0
    contact, outcome, history = contact_force(law, m, row, contact, rate, history, sink.half, sink.time_sign)
    if not rough:
        outcome = couple_of_spring(kinds, law, m, row, b, t, outcome, contact, history, sink.half, box)
    of_b, turning = s - bodies.first_sphere[b], laws.transmits_couples(law) or has_couples(kinds)
    return add_dissipative_result(
        sink, law, w, s, b, t, n, of_b, False, rough, plane, outcome.couple, turning, contact, point, of_wall, outcome,
        history, bodies, kinds, box,
    )  # fmt: skip


@inline
def add_dissipative_result(
    sink, law, w, s, b, t, n, of_b, side, rough, plane, couple, turning, contact, point, of_wall, outcome, history,
    bodies, kinds, box,
):  # fmt: skip
    """Add the energy of several pieces to a contact, store its history in a slot of sphere s, and write it to a sink.

    of_b, side: number of the sphere in reports, whether it is of the side of a capsule; couple, turning: on the body
    [N m], whether there may be one; point, of_wall: where it is [m], velocity of the wall there [m/s].
    Returns `Sums`, n.
    """
    walls, c, m, row = box.walls, b // CHUNK, kinds.material[bodies.kind[b]], box.walls.material_row[w]
    p, energy = exponent(law, m, row), 0.0
    if walls.contacts[c, t, LINKS] != 0.0 and not (laws.has_range(law) or rough):
        energy = energy_of_pieces(law, m, row, contact, history, sink.half, walls.contacts[c, t, POTENTIAL], p)
    outcome = wall_loads.with_pieces(outcome, couple, energy)
    arm = subtract(point, load(bodies.position, b))
    key = wall_history.key_of(w + wall_history.SIDE if side else w, walls.contacts[c, t, ANCHOR])
    n = store_contact(sink, law, c, w, s, n, key, plane, p, m, row, contact, outcome, history, box)
    return add_result_at_wall(sink, w, b, of_b, contact, point, arm, of_wall, outcome, turning, bodies, box), n


@inline
def store_nothing(sink, law, c, w, s, n, key, plane, p, m, row, contact, outcome, history, box):
    """A report keeps nothing; returns n."""
    return n


@inline
def store_in_step(sink, law, c, w, s, n, key, plane, p, m, row, contact, outcome, history, box):
    """Store history, plane, wear and servo terms of a contact; returns the next n."""
    walls = box.walls
    if has_history(walls) and outcome.persists:
        store_rough_plane(walls.rough, s, n, plane, walls)
        n = wall_history.store_slot(law, c, s, n, key, history, walls)
    store_extras(sink, law, c, w, key, p, m, row, contact, outcome, history, box)
    return n


@inline
def store_wear_and_servo_terms(sink, law, c, w, key, p, m, row, contact, outcome, history, box):
    """Keep what a contact wears off, and terms for a servo."""
    walls = box.walls
    if walls.first_worn[w] >= 0 and sink.time_sign > 0.0:
        piece = wall_history.piece_alone(wall_history.piece_of(key))
        wall_loads.wear(w, piece, outcome, contact, sink.per_joule, walls)
    if walls.servo[SERVO_KIND, w] != 0.0:
        spring = laws.secant(law, m, row, contact, history, sink.half)
        lost = add_scaled(outcome.force, -spring * contact.overlap, contact.normal)
        lost = scale(0.0 if laws.has_range(law) else 1.0, lost)
        damping = resistance(law, m, row, contact, history, sink.half)
        wall_loads.add_servo_terms(c, w, p * spring, damping, lost, box)


store_extras = select("box.walls.extras", {Unused: None, Used: store_wear_and_servo_terms})


@inline
def add_result_at_wall(sink, w, b, of_b, contact, point, arm, of_wall, outcome, turning, bodies, box):
    """Add a contact to the loads of body b and wall w and to energies, or write a row of a report; returns `Sums`.

    Writes bodies, sink: as `wall_loads.add_result`. Writes box.walls.chunk_loads: row of the chunk and w, in steps.
    """
    motion, partner = motion_of(w, box), FIRST_WALL - w
    sums = wall_loads.add_result(
        sink, b, of_b, partner, contact, point, arm, of_wall, motion.spin, outcome, turning, bodies
    )
    if not is_report(sink):
        units = wall_loads.units_of(box.walls)
        more = wall_loads.load_of_contact(motion, units, point, outcome.force, outcome.couple, sums.work, box)
        wall_loads.add_to_loads(b // CHUNK, w, more, box)
    return sums


store_contact = select("sink", {ReportSink: store_nothing, WallForceSink: store_in_step})
add_of_sphere = select("law", {laws.Elastic: add_elastic, laws.Composite: add_dissipative})


@inline
def is_single_piece(b, bodies):
    """Whether body b has one sphere or piece."""
    return bodies.first_sphere[b + 1] - bodies.first_sphere[b] == 1


@inline
def set_rates(law, b, near, half, bodies, kinds, box):
    """Write the ω² of body b, of several pieces, at the walls near it to box.walls.rate, before its contacts."""
    if laws.shares_damping(law) and not is_single_piece(b, bodies):
        for w in range(box.walls.material_row.size):
            if is_near(w, near) and not is_rough(box.walls.rough, w):
                box.walls.rate[b // CHUNK, w] = rate_at_wall(law, b // CHUNK, w, b, half, bodies, kinds, box)


@inline
def set_rate_of_rows(law, w, s, b, count, half, bodies, kinds, box):
    """Write the ω² of body b at wall w to box.walls.rate, from the rows of its only piece, which have been found."""
    if laws.shares_damping(law) and is_single_piece(b, bodies) and not is_rough(box.walls.rough, w):
        pushed = push_of_contacts(law, w, s, b, count, half, no_multi_contact(), bodies, kinds, box)
        box.walls.rate[b // CHUNK, w] = common_rate(b, pushed, bodies, kinds)


set_shared_damping = select("law", {laws.Elastic: None, laws.Composite: set_rates})
set_rate_of_single_piece = select("law", {laws.Elastic: None, laws.Composite: set_rate_of_rows})


@func
def rate_at_wall(law, c, w, b, half, bodies, kinds, box):
    """ω² of body b at wall w [1/s²], see ``shared_damping``; 0 for fewer than two contacts, or if they cancel.

    Writes box.walls: scratch of the chunk.
    """
    pushed = no_multi_contact()
    p = exponent(law, kinds.material[bodies.kind[b]], box.walls.material_row[w])
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = radius_near(s, b, bodies, kinds)
        beyond = beyond_of(law, w, radius, box.walls)
        wall_history.copy_to_scratch(c, s, box.walls)
        count = find_contacts_of_piece(kinds, w, s, b, c, radius + beyond, p, bodies, box)
        pushed = push_of_contacts(law, w, s, b, count, half, pushed, bodies, kinds, box)
    return common_rate(b, pushed, bodies, kinds)


@inline
def push_of_contacts(law, w, s, b, count, half, pushed, bodies, kinds, box):
    """Add the contacts of piece s of body b with wall w, which have been found, to the sums of `MultiContact`."""
    c, m, row, no_arm = b // CHUNK, kinds.material[bodies.kind[b]], box.walls.material_row[w], (0.0, 0.0, 0.0)
    p, beyond = exponent(law, m, row), beyond_of(law, w, radius_near(s, b, bodies, kinds), box.walls)
    for t in range(count):
        overlap, normal = region(w, c, t, beyond, p, box)
        history, found = wall_history.recall(law, c, w, t, count, box.walls.contacts[c], box.walls)
        if overlap > 0.0 or (found > 0 and laws.has_range(law)):
            contact, point, _ = contact_kinematics(w, s, b, t, overlap, normal, bodies, kinds, box)
            secant = laws.secant(law, m, row, contact, history, half)
            arm = minimum_image(box, point, load(bodies.position, b))
            pushed = add_contact(pushed, secant, dot(contact.velocity, normal), normal, arm, no_arm)
    return pushed


# sides of capsules


@inline
def axis_now(b, bodies):
    """Middle of capsule b, and the vector from there to its second end, from the placed spheres."""
    low, last = load(bodies.sphere_position, bodies.first_sphere[b]), bodies.first_sphere[b + 1] - 1
    half = scale(0.5, subtract(load(bodies.sphere_position, last), low))
    return add(low, half), half


@inline
def find_of_side(w, c, x, u, radius, power, box):
    """Write the contacts of the side of a capsule at x, with half its axis u, with wall w; returns their number.

    Beside periodic faces, shapes for sides follow those of all walls: walls as long as the period have no ends there
    (`dem.soft.contact.capsules`).
    """
    walls, image = box.walls, image_for(box, w, x)
    middle = image_in_frame(w, image, box)
    tip, shape = (
        subtract(image_in_frame(w, add(image, u), box), middle),
        w + walls.geometry.kind.size - walls.material_row.size,
    )
    return find_side_contacts(shape, middle, tip, radius, power, walls.geometry, walls.contacts[c], walls.scratch[c])


@inline
def reach_beyond(law, walls):
    """Largest separation at which contacts of sides persist [m]; rough walls are smooth to them."""
    return walls.range if laws.has_range(law) else 0.0


@inline
def position_on_axis(w, c, t, u, box):
    """Position of contact t on the axis, from -1 to 1, and the couple of its terms about it per unit of stiffness."""
    contacts = box.walls.contacts
    total = gradient_of(w, c, t, box)
    moment = in_world(w, (contacts[c, t, MOMENT], contacts[c, t, MOMENT + 1], contacts[c, t, MOMENT + 2]), box)
    size = dot(total, total)
    s = min(max(dot(total, moment) / size, -1.0), 1.0) if size > 0.0 else 0.0
    return s, cross(u, add_scaled(moment, -s, total))


@inline
def no_side(kinds, sink, law, b, bodies, box):
    """Bodies made of spheres have no sides."""
    return no_sums()


@inline
def add_side(kinds, sink, law, b, bodies, box):
    """Write the contacts of the side of body b, if it is a capsule, with walls to a sink, after `add_body`; `Sums`."""
    sums, walls = no_sums(), box.walls
    if kinds.half[bodies.kind[b]] > 0.0:
        last = bodies.first_sphere[b + 1] - 1
        near = walls_to_search(sink, bodies.first_sphere[b], walls)
        # contacts of the second end that have been kept, in the slots for those of the side
        n = walls.sphere_records[last, IN_USE]
        for w in range(walls.material_row.size):
            if is_searched(sink, w, near, b, bodies, walls):
                more, n = add_wall_at_side(sink, law, w, b, n, bodies, kinds, box)
                sums = add_sums(sums, more)
    return sums


add_sides = select("kinds", {Kinds: no_side, Capsules: add_side})


@func
def add_wall_at_side(sink, law, w, b, n, bodies, kinds, box):
    """Write the contacts of the side of capsule b with wall w to a sink; returns `Sums`, n."""
    sums, m, row = no_sums(), kinds.material[bodies.kind[b]], box.walls.material_row[w]
    radius, (x, u) = kinds.radius[kinds.first_offset[bodies.kind[b]]], axis_now(b, bodies)
    reach = radius + reach_beyond(law, box.walls)
    count = find_of_side(w, b // CHUNK, x, u, reach, exponent(law, m, row), box)
    for t in range(count):
        more, n = add_of_side(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box)
        sums = add_sums(sums, more)
    return sums, n


@inline
def add_elastic_side(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box):
    """Write an elastic contact of a side to a sink, its force summed over the pieces of the wall; `Sums`, n."""
    c = b // CHUNK
    s, couple = position_on_axis(w, c, t, u, box)
    centre = add_scaled(x, s, u)
    contact, point, of_wall, outcome = elastic_force(sink, w, c, t, centre, radius, b, bodies, kinds, box)
    outcome = wall_loads.with_pieces(outcome, scale(contact.stiffness, couple), 0.0)
    return add_result_at_wall(sink, w, b, OF_SIDE, contact, point, scale(s, u), of_wall, outcome, True, bodies, box), n


@inline
def add_dissipative_side(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box):
    """Write contact t, of `count`, of a side by a law that needs velocities to a sink; returns `Sums`, n.

    x, u, radius: middle and half axis of the capsule, its radius [m].
    """
    walls, c, m, row = box.walls, b // CHUNK, kinds.material[bodies.kind[b]], box.walls.material_row[w]
    overlap, normal = region(w, c, t, reach_beyond(law, walls), exponent(law, m, row), box)
    history, found = wall_history.recall(law, c, w + wall_history.SIDE, t, count, walls.contacts[c], walls)
    if not (overlap > 0.0 or found > 0):
        return no_sums(), n
    s, couple = position_on_axis(w, c, t, u, box)
    contact, point, of_wall = contact_kinematics_at(
        w, add_scaled(x, s, u), radius, b, overlap, normal, bodies, kinds, box
    )
    couple = couple_of(law, m, row, w, c, t, couple, contact, history, sink.half, box)
    _touch, outcome, history = contact_force(law, m, row, contact, 0.0, history, sink.half, sink.time_sign)
    if laws.transmits_couples(law):
        couple = add(couple, outcome.couple)
    last = bodies.first_sphere[b + 1] - 1
    return add_dissipative_result(
        sink, law, w, last, b, t, n, OF_SIDE, True, False, NO_PLANE, couple, True, contact, point, of_wall, outcome,
        history, bodies, kinds, box,
    )  # fmt: skip


@inline
def couple_of(law, m, row, w, c, t, couple, contact, history, half, box):
    """Couple of a contact of several terms, besides that of its force [N m], from that per unit of stiffness."""
    total = gradient_of(w, c, t, box)
    size = math.sqrt(dot(total, total))
    if box.walls.contacts[c, t, LINKS] == 0.0 or size == 0.0 or contact.overlap <= 0.0:
        return 0.0, 0.0, 0.0
    return scale(laws.secant(law, m, row, contact, history, half) * contact.overlap / size, couple)


add_of_side = select("law", {laws.Elastic: add_elastic_side, laws.Composite: add_dissipative_side})
