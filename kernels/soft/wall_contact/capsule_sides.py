"""Sides of capsules at walls of any shape: what they feel between their ends; see ``dem.kernels.walls.sides``.

Each tree is a contact as those of ``wall_contacts`` are, of a ball of the capsule's radius at the place of the tree
on its
axis. What it remembers is in the slots of the capsule's second end, with `slots.SIDE` in the number of the wall: they
have been taken up when the walls of that sphere were looked at, just before. Only capsules have sides: others pay
nothing.
"""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline
from dem.kernels.domain.periodic import by_box
from dem.kernels.laws import hertz
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, store, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.capsules import capsules_or
from dem.kernels.soft.contact.contact_detection import Sums, joined, no_energy, no_sums
from dem.kernels.soft.wall_contact import wall_history, wall_loads
from dem.kernels.soft.wall_contact.box_contacts import push
from dem.kernels.soft.wall_contact.near_wall_record import IN_USE, NEAR, remember
from dem.kernels.soft.wall_contact.overlap_regions import ANCHOR, DEEPEST, ENERGY, LINKS, region, sum_of
from dem.kernels.soft.wall_contact.wall_arrays import framed, image_for, in_world, is_near, velocity_at
from dem.kernels.soft.wall_contact.wall_contacts import tell_servo
from dem.kernels.soft.wall_contact.wall_kinematics import blended, encounter_at
from dem.kernels.soft.wall_contact.wear import wear
from dem.kernels.walls.potential_terms import LOBE
from dem.kernels.walls.side_potential_terms import MOMENT
from dem.kernels.walls.sides import feel_side


@inline
def axis_now(b, bodies):
    """Middle of capsule b, and from there to its second end, as its spheres have been placed."""
    one, other = load(bodies.sphere_position, bodies.first_sphere[b]), bodies.first_sphere[b + 1] - 1
    half = scale(0.5, subtract(load(bodies.sphere_position, other), one))
    return add(one, half), half


@inline
def same(box, w):
    """Number of the shape that sides feel of wall w."""
    return w


@inline
def longer(box, w):
    """The same beside periodic faces: walls as long as the period have no ends there (`dem.soft.contact.capsules`)."""
    return w + box.walls.geometry.kind.shape[0] - box.walls.contact_slot.size


shape_of = by_box(same, longer)


@inline
def trees_of_side(w, c, x, u, radius, power, box):
    """Write what the side of a capsule feels of wall w to the scratch of chunk c; returns the number of contacts."""
    walls, at = box.walls, image_for(box, w, x)
    middle = framed(w, at, box)
    tip, shape = subtract(framed(w, add(at, u), box), middle), shape_of(box, w)
    return feel_side(shape, middle, tip, radius, power, walls.geometry, walls.trees[c], walls.scratch[c])


@inline
def reach_beyond(law, walls):
    """How far beyond touching contacts of sides may live [m]; rough walls are smooth to them."""
    return walls.range if laws.has_range(law) else 0.0


@inline
def place_of(w, c, t, u, box):
    """Place of tree t on the axis, from -1 to 1, and the couple that its terms have besides, a unit of stiffness."""
    trees = box.walls.trees
    total = sum_of(w, c, t, box)
    moment = in_world(w, (trees[c, t, MOMENT], trees[c, t, MOMENT + 1], trees[c, t, MOMENT + 2]), box)
    size = dot(total, total)
    s = min(max(dot(total, moment) / size, -1.0), 1.0) if size > 0.0 else 0.0
    return s, cross(u, add_scaled(moment, -s, total))


@inline
def recall(law, c, w, t, count, box):
    """What the contact remembers that is tree t of a side at wall w."""
    return wall_history.recall(law, c, w + wall_history.SIDE, t, count, box.walls.trees[c], box.walls)


@inline
def add_elastic(law, b, shift, time_sign, half, per_joule, bodies, kinds, box):
    """Add the elastic forces and torques of walls on the side of capsule b.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what walls feel

    Returns
    -------
    `Sums`
    """
    elastic, largest, work = np.int64(0), 0.0, no_energy()
    walls, c, none, g = box.walls, b // CHUNK, (0.0, 0.0, 0.0), bodies.kind[b]
    x, u = axis_now(b, bodies)
    radius = kinds.radius[kinds.first_offset[g]]
    for w in range(walls.contact_slot.size):
        count = trees_of_side(w, c, x, u, radius, 1.5, box) if is_near(w, walls.at[bodies.first_sphere[b], NEAR]) else 0
        k = hertz.stiffness(walls.modulus[kinds.material[g], w], radius)
        for t in range(count):
            s, couple = place_of(w, c, t, u, box)
            force, couple, at = scale(k, sum_of(w, c, t, box)), scale(k, couple), add_scaled(x, s, u)
            push(b, shift, force, scale(s, u), bodies)
            store(bodies.torque, b - shift, add(load(bodies.torque, b - shift), couple))
            elastic += as_fixed(k * walls.trees[c, t, ENERGY], per_joule)
            largest = max(largest, walls.trees[c, t, DEEPEST])
            power = dot(force, velocity_at(w, at, box)) + dot(couple, load(walls.poses.spin, w))
            done = as_words(half * power, per_joule)
            wall_loads.add_load(c, w, at, force, couple, done, box)
            if walls.servo[6, w] != 0.0:
                wall_loads.book_contact(c, w, 1.5 * k * math.sqrt(walls.trees[c, t, DEEPEST]), 0.0, none, box)
            work = add_words(work, done)
    return Sums(elastic, bits_of_float(largest), np.int64(0), no_energy(), work, no_energy())


@inline
def add_dissipative(law, b, shift, time_sign, half, per_joule, bodies, kinds, box):
    """The same by a law that needs velocities.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what walls feel, and what contacts with them remember

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    n = box.walls.at[bodies.first_sphere[b + 1] - 1, IN_USE]
    for w in range(box.walls.contact_slot.size):
        if is_near(w, box.walls.at[bodies.first_sphere[b], NEAR]):
            more, n = add_wall(law, w, b, n, shift, time_sign, half, per_joule, bodies, kinds, box)
            sums = joined(sums, more)
    return sums


@inline
def meet(law, w, c, t, count, b, x, u, half, bodies, kinds, box):
    """Contact t of a side at wall w: what it is, where, what it remembers, and the couple it has besides its force.

    Parameters
    ----------
    law, w, c, t, count, b : law; wall, chunk, tree, of how many; the capsule
    x, u : its middle and half axis [m]
    half, bodies, kinds, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.Touch`, point [m], velocity of the wall there [m/s], couple [N m], history, whether there is anything
    """
    m, row, radius = (
        kinds.material[bodies.kind[b]],
        box.walls.contact_slot[w],
        kinds.radius[kinds.first_offset[bodies.kind[b]]],
    )
    overlap, normal = region(w, c, t, reach_beyond(law, box.walls), exponent(law, m, row), box)
    history, found = recall(law, c, w, t, count, box)
    s, couple = place_of(w, c, t, u, box)
    touch, point, of_wall = encounter_at(w, add_scaled(x, s, u), radius, b, overlap, normal, bodies, kinds, box)
    total = sum_of(w, c, t, box)
    size = math.sqrt(dot(total, total))
    if box.walls.trees[c, t, LINKS] == 0.0 or size == 0.0 or overlap <= 0.0:
        couple = (0.0, 0.0, 0.0)
    else:
        couple = scale(laws.secant(law, m, row, touch, history, half) * overlap / size, couple)
    return touch, point, of_wall, couple, history, overlap > 0.0 or found > 0


@func
def add_wall(law, w, b, n, shift, time_sign, half, per_joule, bodies, kinds, box):
    """Add what wall w does to the side of capsule b, in the slots of whose second end n contacts are kept.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`
    w, n : wall, number of contacts

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what the wall feels, and what contacts with it remember

    Returns
    -------
    `Sums`, number of contacts that have been kept
    """
    elastic, stored, loss, work, jump = np.int64(0), np.int64(0), no_energy(), no_energy(), no_energy()
    walls, c, largest, m = box.walls, b // CHUNK, 0.0, kinds.material[bodies.kind[b]]
    row, radius, last = (
        walls.contact_slot[w],
        kinds.radius[kinds.first_offset[bodies.kind[b]]],
        bodies.first_sphere[b + 1] - 1,
    )
    (x, u), p = axis_now(b, bodies), exponent(law, m, row)
    count = trees_of_side(w, c, x, u, radius + reach_beyond(law, walls), p, box)
    for t in range(count):
        touch, point, of_wall, couple, history, lives = meet(law, w, c, t, count, b, x, u, half, bodies, kinds, box)
        if lives:
            outcome, history = laws.contact(law, m, row, touch, history, half, time_sign)
            if remember(walls) and outcome.persists:
                key = wall_history.key_of(w + wall_history.SIDE, walls.trees[c, t, ANCHOR])
                n = wall_history.note(law, c, last, n, key, history, walls)
            if laws.turns(law):
                couple = add(couple, outcome.couple)
            push(b, shift, outcome.force, subtract(point, load(bodies.position, b)), bodies)
            store(bodies.torque, b - shift, add(load(bodies.torque, b - shift), couple))
            power = dot(outcome.force, of_wall) + dot(couple, load(walls.poses.spin, w))
            more = 0.0
            if walls.trees[c, t, LINKS] != 0.0 and not laws.has_range(law):
                more = blended(law, m, row, touch, history, half, walls.trees[c, t, ENERGY], p)
            done = as_words(half * power, per_joule)
            wall_loads.add_load(c, w, point, outcome.force, couple, done, box)
            if walls.first_worn[w] >= 0 and time_sign > 0.0:
                piece = np.int64(walls.trees[c, t, ANCHOR]) & (LOBE - 1)
                wear(w, piece, outcome, touch, per_joule, walls)
            if walls.servo[6, w] != 0.0:
                tell_servo(law, m, row, c, w, p, touch, history, outcome.force, half, box)
            elastic += as_fixed(outcome.elastic + more, per_joule)
            stored += as_fixed(outcome.stored, per_joule)
            loss, work = add_words(loss, as_words(outcome.loss, per_joule)), add_words(work, done)
            jump = add_words(jump, as_words(outcome.instantaneous_dissipation, per_joule))
            largest = max(largest, touch.overlap)
    return Sums(elastic, bits_of_float(largest), stored, loss, work, jump), n


add_sides = laws.elastic_or(add_elastic, add_dissipative)


@inline
def have_none(kinds, sums, law, b, shift, time_sign, half, per_joule, bodies, box):
    """Bodies made of spheres have no sides.

    Parameters
    ----------
    kinds, sums, law, b, shift, time_sign, half, per_joule, bodies, box : see `have_sides`

    Returns
    -------
    sums
    """
    return sums


@inline
def have_sides(kinds, sums, law, b, shift, time_sign, half, per_joule, bodies, box):
    """Sums over what walls do to a capsule, with what they do to its side.

    Parameters
    ----------
    kinds, sums, law, b, shift, time_sign, half, per_joule : see `dem.kernels.soft.state`; over its ends

    Writes
    ------
    bodies, box : as `add_dissipative`

    Returns
    -------
    `Sums`
    """
    if kinds.half[bodies.kind[b]] > 0.0:
        more = add_sides(law, b, shift, time_sign, half, per_joule, bodies, kinds, box)
        sums = joined(sums, more)
    return sums


with_sides = capsules_or(have_none, have_sides)
