"""Sides of capsules at walls of any shape: what they feel between their ends; see ``dem.kernels.walls.sides``.

Each tree is a contact as those of ``wall_contacts`` are, of a ball of the capsule's radius at the place of the tree on
its axis. What it remembers is in the slots of the capsule's second end, with `wall_history.SIDE` in the number of the
wall: they have been taken up when the walls of that sphere were looked at, just before. Only capsules have sides:
others pay nothing.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import PeriodicFaces
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.contact.contact_detection import joined, no_sums
from dem.kernels.soft.contact.contact_evaluation import contact_force
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact import rough_walls, wall_history
from dem.kernels.soft.wall_contact.near_wall_record import IN_USE
from dem.kernels.soft.wall_contact.overlap_regions import ANCHOR, ENERGY, LINKS, region, sum_of
from dem.kernels.soft.wall_contact.wall_arrays import framed, image_for, in_world
from dem.kernels.soft.wall_contact.wall_contacts import (
    elastic_force,
    is_searched,
    keep,
    take,
    walls_to_search,
)
from dem.kernels.soft.wall_contact.wall_kinematics import blended, encounter_at
from dem.kernels.soft.wall_contact.wall_results import with_pieces
from dem.kernels.walls.side_potential_terms import MOMENT
from dem.kernels.walls.sides import feel_side

OF_BODY = 2  # in reports in place of the number of a sphere of the body: after those of its ends


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
    """Number of the shape that sides feel of wall w beside periodic faces.

    Walls as long as the period have no ends there (`dem.soft.contact.nonspherical`).
    """
    return w + box.walls.geometry.kind.shape[0] - box.walls.contact_slot.size


shape_of = select("box", {BoxFaces: same, PeriodicFaces: longer})


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
    """History of the contact that is tree t of a side at wall w."""
    return wall_history.recall(law, c, w + wall_history.SIDE, t, count, box.walls.trees[c], box.walls)


@inline
def no_sides(kinds, sink, law, b, bodies, box):
    """Bodies made of spheres have no sides."""
    return no_sums()


@inline
def add_side(kinds, sink, law, b, bodies, box):
    """Hand the contacts of the side of body b, if it is a capsule, with walls to a sink.

    Parameters
    ----------
    kinds, law, b, bodies : see `dem.kernels.soft.state`
    sink : see ``result_sinks``

    Writes
    ------
    bodies, box.walls, sink : as `dem.kernels.soft.wall_contact.wall_contacts.take`

    Returns
    -------
    `Sums`
    """
    sums, walls = no_sums(), box.walls
    if kinds.half[bodies.kind[b]] > 0.0:
        last = bodies.first_sphere[b + 1] - 1
        near = walls_to_search(sink, bodies.first_sphere[b], b, bodies, walls)
        n = walls.at[last, IN_USE]  # contacts of the second end that have been kept, in the slots for those of the side
        for w in range(walls.contact_slot.size):
            if is_searched(sink, w, near, b, bodies, walls):
                more, n = add_wall(sink, law, w, b, n, bodies, kinds, box)
                sums = joined(sums, more)
    return sums


add_sides = select("kinds", {Kinds: no_sides, Capsules: add_side})


@func
def add_wall(sink, law, w, b, n, bodies, kinds, box):
    """Hand the contacts of the side of capsule b with wall w to a sink; see `add_side`.

    Parameters
    ----------
    sink, law, b, bodies, kinds, box : see `add_side`
    w, n : wall; number of contacts that have been kept

    Writes
    ------
    bodies, box.walls, sink : as `dem.kernels.soft.wall_contact.wall_contacts.take`

    Returns
    -------
    `Sums`, n
    """
    sums, m, row = no_sums(), kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    radius, (x, u) = kinds.radius[kinds.first_offset[bodies.kind[b]]], axis_now(b, bodies)
    reach = radius + reach_beyond(law, box.walls)
    count = trees_of_side(w, b // CHUNK, x, u, reach, exponent(law, m, row), box)
    for t in range(count):
        more, n = add_tree(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box)
        sums = joined(sums, more)
    return sums, n


@inline
def add_elastic(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box):
    """Hand an elastic contact to a sink: its force is summed over the pieces of the wall.

    Parameters
    ----------
    law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box : see `add_dissipative`

    Writes
    ------
    bodies, box.walls, sink : as `dem.kernels.soft.wall_contact.wall_contacts.take`

    Returns
    -------
    `Sums`, n
    """
    c = b // CHUNK
    s, couple = place_of(w, c, t, u, box)
    place = add_scaled(x, s, u)
    touch, point, moves, outcome = elastic_force(sink, w, c, t, place, radius, b, bodies, kinds, box)
    outcome = with_pieces(outcome, scale(touch.stiffness, couple), 0.0)
    return take(sink, w, b, OF_BODY, touch, point, scale(s, u), moves, outcome, True, bodies, box), n


@inline
def add_dissipative(law, sink, w, b, t, count, n, x, u, radius, bodies, kinds, box):
    """Hand a contact by a law that needs velocities to a sink.

    Parameters
    ----------
    sink, law, w, b, n, bodies, kinds, box : see `add_wall`
    t, count : tree, of how many
    x, u, radius : middle and half axis of the capsule, its radius [m]

    Writes
    ------
    bodies, box.walls, sink : as `dem.kernels.soft.wall_contact.wall_contacts.take`

    Returns
    -------
    `Sums`, n
    """
    walls, c, m, row = box.walls, b // CHUNK, kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    p = exponent(law, m, row)
    overlap, normal = region(w, c, t, reach_beyond(law, walls), p, box)
    history, found = recall(law, c, w, t, count, box)
    if not (overlap > 0.0 or found > 0):
        return no_sums(), n
    s, couple = place_of(w, c, t, u, box)
    touch, point, of_wall = encounter_at(w, add_scaled(x, s, u), radius, b, overlap, normal, bodies, kinds, box)
    couple = couple_of(law, m, row, w, c, t, couple, touch, history, sink.half, box)
    _touch, outcome, history = contact_force(law, m, row, touch, 0.0, history, sink.half, sink.time_sign)
    if laws.turns(law):
        couple = add(couple, outcome.couple)
    energy = 0.0
    if walls.trees[c, t, LINKS] != 0.0 and not laws.has_range(law):
        energy = blended(law, m, row, touch, history, sink.half, walls.trees[c, t, ENERGY], p)
    outcome = with_pieces(outcome, couple, energy)
    arm, last = subtract(point, load(bodies.position, b)), bodies.first_sphere[b + 1] - 1
    key = wall_history.key_of(w + wall_history.SIDE, walls.trees[c, t, ANCHOR])
    n = keep(sink, law, c, w, last, n, key, rough_walls.nowhere(), p, m, row, touch, outcome, history, box)
    return take(sink, w, b, OF_BODY, touch, point, arm, of_wall, outcome, True, bodies, box), n


@inline
def couple_of(law, m, row, w, c, t, couple, touch, history, half, box):
    """Couple of a contact of several terms besides that of its force [N m].

    Parameters
    ----------
    law, m, row, touch, history, half : see `dem.kernels.laws.secant`
    w, c, t, box : wall, chunk, tree; see `dem.kernels.soft.state`
    couple : of a unit of stiffness, see `place_of`

    Returns
    -------
    couple
    """
    total = sum_of(w, c, t, box)
    size = math.sqrt(dot(total, total))
    if box.walls.trees[c, t, LINKS] == 0.0 or size == 0.0 or touch.overlap <= 0.0:
        return 0.0, 0.0, 0.0
    return scale(laws.secant(law, m, row, touch, history, half) * touch.overlap / size, couple)


add_tree = select("law", {laws.Elastic: add_elastic, laws.Composite: add_dissipative})
