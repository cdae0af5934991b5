"""What walls of any shape (`dem.kernels.soft.wall_contact.wall_arrays`) do to the bodies near them.

A wall is a sphere of infinite radius for the contact law, whatever its curvature, so R* = R. Where several pieces of a
wall are within reach, those that make one lowest region act as one contact, from one potential; see
`dem.kernels.walls.geometry`. That contact is pressed by N = K |Σ|, along Σ, and overlaps by δ = |Σ|^(1/p).
"""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, noinline, select
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws.merged_contacts import exponent, resistance
from dem.kernels.numerics.vector import add_scaled, dot, load, scale, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.contact_detection import joined, no_sums
from dem.kernels.soft.contact.contact_evaluation import contact_force
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.result_sinks import ReportSink, WallForceSink
from dem.kernels.soft.contact.shared_damping import add_contact, inverse_effective_mass, no_multi_contact
from dem.kernels.soft.contact.surface_motion import radius_near, spheres_of
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact import rough_walls, wall_history, wall_loads
from dem.kernels.soft.wall_contact.convex_at_walls import at_wall, convex_trees, trees_of_piece
from dem.kernels.soft.wall_contact.near_wall_record import NEAR, remember
from dem.kernels.soft.wall_contact.overlap_regions import (
    ANCHOR,
    DEEPEST,
    ENERGY,
    LINKS,
    beyond_of,
    region,
    sum_of,
    trees_at,
    trees_seen,
)
from dem.kernels.soft.wall_contact.wall_arrays import SERVO_KIND, acts_on, in_frame, is_near, velocity_at
from dem.kernels.soft.wall_contact.wall_kinematics import blended, encounter, encounter_at, touch_at
from dem.kernels.soft.wall_contact.wall_results import elastic_outcome, take_result, with_pieces
from dem.kernels.walls.potential_terms import LOBE

LEAST = 1e-300  # in place of a length of zero
FIRST_WALL = -7  # number of the first wall in reports, after those of the faces of a box


@inline
def add_body(sink, law, b, bodies, kinds, box):
    """Hand the contacts of the spheres of body b with walls to a sink.

    Parameters
    ----------
    sink : see ``result_sinks``
    law, b, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, box.walls, sink : as `take`

    Returns
    -------
    `Sums`
    """
    sums, walls = no_sums(), box.walls
    first, stop = spheres_of(b, bodies, kinds)
    near = walls_to_search(sink, first, b, bodies, walls)
    share(law, b, near, sink.half, bodies, kinds, box)
    for s in range(first, stop):
        n = 0
        open_history(sink, s, b, walls)
        for w in range(walls.contact_slot.size):
            if is_searched(sink, w, near, b, bodies, walls):
                more, n = add_wall(sink, law, w, s, b, n, bodies, kinds, box)
                sums = joined(sums, more)
    return sums


@inline
def any_wall(sink, s, b, bodies, walls):
    """Bits of walls: a report searches all of them."""
    return np.int64(-1)


@inline
def near_walls(sink, s, b, bodies, walls):
    """Bits of the walls that the body of sphere s is near."""
    return walls.at[s, NEAR]


@inline
def acts_in_report(sink, w, near, b, bodies, walls):
    """Whether a report searches wall w for body b: if it acts on it."""
    return acts_on(w, b, bodies, walls)


@inline
def is_near_in_step(sink, w, near, b, bodies, walls):
    """Whether body b is near wall w."""
    return is_near(w, near)


@inline
def copy_history(sink, s, b, walls):
    """Copy the history of the contacts of sphere s."""
    if remember(walls):
        wall_history.copy_to_scratch(b // CHUNK, s, walls)


@inline
def move_history(sink, s, b, walls):
    """Take up the history of the contacts of sphere s; none has been kept anew."""
    if remember(walls):
        wall_history.move_to_scratch(b // CHUNK, s, walls)


walls_to_search = select("sink", {ReportSink: any_wall, WallForceSink: near_walls})
is_searched = select("sink", {ReportSink: acts_in_report, WallForceSink: is_near_in_step})
open_history = select("sink", {ReportSink: copy_history, WallForceSink: move_history})


@inline
def trees_anywhere(sink, w, s, c, u, reach, power, walls):
    """Contacts of sphere s with wall w, from all of its pieces."""
    return trees_seen(w, c, u, reach, power, walls)


@inline
def trees_in_step(sink, w, s, c, u, reach, power, walls):
    """Contacts of sphere s with wall w, from the pieces that are listed."""
    return trees_at(w, s, c, u, reach, power, walls)


find_trees = select("sink", {ReportSink: trees_anywhere, WallForceSink: trees_in_step})


@inline
def contacts_of_sphere(kinds, sink, w, s, b, reach, power, bodies, box):
    """Contacts of sphere s of body b with wall w; returns their number."""
    u = in_frame(w, load(bodies.sphere_position, s), box)
    return find_trees(sink, w, s, b // CHUNK, u, reach, power, box.walls)


@inline
def contacts_of_convex(kinds, sink, w, s, b, reach, power, bodies, box):
    """Contacts of convex piece s of body b with wall w; returns their number."""
    return convex_trees(kinds, w, s, b, b // CHUNK, reach, power, bodies, box)


find_contacts = select("kinds", {Kinds: contacts_of_sphere, ConvexBodyKinds: contacts_of_convex})


@noinline
def add_wall(sink, law, w, s, b, n, bodies, kinds, box):
    """Hand the contacts of sphere s of body b with wall w to a sink.

    Parameters
    ----------
    sink : see ``result_sinks``
    law, b, kinds : see `dem.kernels.soft.state`
    w, s, n : wall, sphere; number of contacts of the sphere that have been kept

    Writes
    ------
    bodies, box.walls, sink : as `take`

    Returns
    -------
    `Sums`, n
    """
    sums, radius = no_sums(), radius_near(s, b, bodies, kinds)
    m, row = kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    reach = radius + beyond_of(law, w, radius, box.walls)
    count = find_contacts(kinds, sink, w, s, b, reach, exponent(law, m, row), bodies, box)
    for t in range(count):
        more, n = add_tree(law, sink, w, s, b, t, count, n, bodies, kinds, box)
        sums = joined(sums, more)
    return sums, n


@inline
def add_elastic(law, sink, w, s, b, t, count, n, bodies, kinds, box):
    """Hand an elastic contact to a sink: its force is summed over the pieces of the wall.

    Parameters
    ----------
    law, sink, w, s, b, t, count, n, bodies, kinds, box : see `add_dissipative`

    Writes
    ------
    bodies, box.walls, sink : as `take`

    Returns
    -------
    `Sums`, n
    """
    c, x, radius = b // CHUNK, at_wall(kinds, w, s, b, t, bodies, box), radius_near(s, b, bodies, kinds)
    touch, point, moves, outcome = elastic_force(sink, w, c, t, x, radius, b, bodies, kinds, box)
    of_b, arm = s - bodies.first_sphere[b], subtract(point, load(bodies.position, b))
    return take(sink, w, b, of_b, touch, point, arm, moves, outcome, False, bodies, box), n


@inline
def elastic_force(sink, w, c, t, x, radius, b, bodies, kinds, box):
    """Elastic force of wall w, as it is summed over the pieces of a tree.

    Parameters
    ----------
    sink, w, c, t : see ``result_sinks``; wall, chunk, tree
    x, radius, b : centre and radius of a sphere [m], its body
    bodies, kinds, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.ContactKinematics`, point where the force acts [m], velocity of the wall there [m/s], `laws.ContactForce`
    """
    total, deepest = sum_of(w, c, t, box), box.walls.trees[c, t, DEEPEST]
    touch, point = elastic_kinematics(sink, w, x, radius, b, deepest, total, bodies, kinds, box)
    k = touch.stiffness
    tell_elastic(sink, c, w, k, deepest, box)
    outcome = elastic_outcome(scale(k, total), k * box.walls.trees[c, t, ENERGY])
    return touch, point, velocity_at(w, point, box), outcome


@inline
def kinematics_reported(sink, w, x, radius, b, overlap, total, bodies, kinds, box):
    """Kinematics of an elastic contact for a report, and the point between the surfaces."""
    normal = scale(1.0 / math.sqrt(max(dot(total, total), LEAST)), total)
    touch, point, _ = encounter_at(w, x, radius, b, overlap, normal, bodies, kinds, box)
    return touch, point


@inline
def kinematics_in_step(sink, w, x, radius, b, overlap, total, bodies, kinds, box):
    """Stiffness and overlap of an elastic contact; no velocity is known, and its force may act at the centre."""
    modulus, none = box.walls.modulus[kinds.material[bodies.kind[b]], w], (0.0, 0.0, 0.0)
    return touch_at(overlap, none, none, none, none, modulus, radius, 1.0, 0.0, 0.0), x


@inline
def tell_none(sink, c, w, k, deepest, box):
    """A report tells servos nothing."""


@inline
def tell_stiffness(sink, c, w, k, deepest, box):
    """Note the stiffness of an elastic contact for the servo of wall w."""
    if box.walls.servo[SERVO_KIND, w] != 0.0:
        wall_loads.add_servo_terms(c, w, 1.5 * k * math.sqrt(deepest), 0.0, (0.0, 0.0, 0.0), box)


elastic_kinematics = select("sink", {ReportSink: kinematics_reported, WallForceSink: kinematics_in_step})
tell_elastic = select("sink", {ReportSink: tell_none, WallForceSink: tell_stiffness})


@noinline
def add_dissipative(law, sink, w, s, b, t, count, n, bodies, kinds, box):
    """Hand one contact by a law that needs velocities to a sink.

    A function of its own: in the loop of its caller LLVM reads all that it might use ahead, and keeps it on the stack.

    Parameters
    ----------
    sink : see ``result_sinks``
    law, b, kinds : see `dem.kernels.soft.state`
    w, s, t, count, n : wall, sphere, tree, of how many; number of contacts that have been kept

    Writes
    ------
    bodies, box.walls, sink : as `take`

    Returns
    -------
    `Sums`, n
    """
    walls, c, is_rough = box.walls, b // CHUNK, rough_walls.is_rough(box.walls.rough, w)
    m, row, radius = kinds.material[bodies.kind[b]], walls.contact_slot[w], radius_near(s, b, bodies, kinds)
    p = exponent(law, m, row)
    overlap, normal = region(w, c, t, beyond_of(law, w, radius, walls), p, box)
    history, found = wall_history.recall(law, c, w, t, count, walls.trees[c], walls)
    k = wall_history.first_heir(c, w, t, count, walls) if is_rough else -1
    overlap, normal, plane = plane_of(sink, w, s, b, k, overlap, normal, radius, bodies, kinds, box)
    if not (overlap > 0.0 or (found > 0 and (laws.has_range(law) or not is_rough))):
        return no_sums(), n
    touch, point, of_wall = encounter(w, s, b, t, overlap, normal, bodies, kinds, box)
    rate = walls.rate[c, w] if laws.shares_damping(law) and not is_rough else 0.0
    touch, outcome, history = contact_force(law, m, row, touch, rate, history, sink.half, sink.time_sign)
    energy = 0.0
    if walls.trees[c, t, LINKS] != 0.0 and not (laws.has_range(law) or is_rough):
        energy = blended(law, m, row, touch, history, sink.half, walls.trees[c, t, ENERGY], p)
    outcome = with_pieces(outcome, outcome.couple, energy)
    arm, of_b = subtract(point, load(bodies.position, b)), s - bodies.first_sphere[b]
    key = wall_history.key_of(w, walls.trees[c, t, ANCHOR])
    n = keep(sink, law, c, w, s, n, key, plane, p, m, row, touch, outcome, history, box)
    return take(sink, w, b, of_b, touch, point, arm, of_wall, outcome, laws.turns(law), bodies, box), n


@inline
def plane_reported(sink, w, s, b, k, overlap, normal, radius, bodies, kinds, box):
    """Overlap with the plane that a rough wall showed at the last forces, its normal, and no plane to keep."""
    overlap, normal = rough_walls.last_seen(box.walls.rough, b // CHUNK, w, k, overlap, normal, radius, box)
    return overlap, normal, rough_walls.nowhere()


@inline
def plane_in_step(sink, w, s, b, k, overlap, normal, radius, bodies, kinds, box):
    """Overlap with the plane that a rough wall shows, its normal, and the plane."""
    return rough_walls.seen(box.walls.rough, b // CHUNK, w, s, b, k, overlap, normal, sink.half, bodies, kinds, box)


@inline
def keep_nothing(sink, law, c, w, s, n, key, plane, p, m, row, touch, outcome, history, box):
    """A report keeps nothing; returns n."""
    return n


@inline
def keep_in_step(sink, law, c, w, s, n, key, plane, p, m, row, touch, outcome, history, box):
    """Keep what a contact remembers, what it wears off its wall, and what the servo of the wall wants to know.

    Parameters
    ----------
    sink, law, c, w, s, n, p, m, row : see `add_dissipative`
    key, plane : see `dem.kernels.soft.wall_contact.wall_history`, `dem.kernels.soft.wall_contact.rough_walls`
    touch, outcome, history : see `dem.kernels.laws.contact`

    Writes
    ------
    box.walls : slots of sphere s, worn, part

    Returns
    -------
    number of contacts that have been kept
    """
    walls = box.walls
    if remember(walls) and outcome.persists:
        rough_walls.note_plane(walls.rough, s, n, plane, walls)
        n = wall_history.note(law, c, s, n, key, history, walls)
    if walls.first_worn[w] >= 0 and sink.time_sign > 0.0:
        piece = wall_history.piece_of(key) & (LOBE - 1)
        wall_loads.wear(w, piece, outcome, touch, sink.per_joule, walls)
    if walls.servo[SERVO_KIND, w] != 0.0:
        tell_servo(law, m, row, c, w, p, touch, history, outcome.force, sink.half, box)
    return n


@inline
def tell_servo(law, m, row, c, w, p, touch, history, force, half, box):
    """Note of a contact what the servo of its wall wants to know.

    Parameters
    ----------
    law, m, row, touch, history, half : see `dem.kernels.laws.secant`
    c, w, p, force : chunk, wall, exponent; on the sphere [N]

    Writes
    ------
    box.walls.part : row c, w
    """
    spring = laws.secant(law, m, row, touch, history, half)
    lost = add_scaled(force, -spring * touch.overlap, touch.normal)
    lost = scale(0.0 if laws.has_range(law) else 1.0, lost)
    wall_loads.add_servo_terms(c, w, p * spring, resistance(law, m, row, touch, history, half), lost, box)


@inline
def load_no_wall(sink, w, b, point, outcome, work, box):
    """A report loads no wall."""


@inline
def load_wall(sink, w, b, point, outcome, work, box):
    """Add the force, couple and work of a contact to the load on wall w."""
    wall_loads.add_load(b // CHUNK, w, point, outcome.force, outcome.couple, work, box)


@inline
def take(sink, w, b, of_b, touch, point, arm, of_wall, outcome, turning, bodies, box):
    """Hand the result of a contact to the sink: body, wall and energies, or a row of a report.

    Parameters
    ----------
    sink, w, b, of_b : see ``result_sinks``; wall, body, number of the sphere in the body
    touch, outcome : `laws.ContactKinematics`, `laws.ContactForce`
    point, arm, of_wall : where the force acts [m], from the body's centre [m], velocity of the wall there [m/s]
    turning : whether there is a couple
    bodies, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, sink : as `dem.kernels.soft.wall_contact.wall_results.take_result`
    box.walls.part : row of the chunk and w, in steps

    Returns
    -------
    `Sums`
    """
    spin = load(box.walls.poses.spin, w)
    sums = take_result(sink, b, of_b, FIRST_WALL - w, touch, point, arm, of_wall, spin, outcome, turning, bodies)
    load_walls(sink, w, b, point, outcome, sums.work, box)
    return sums


plane_of = select("sink", {ReportSink: plane_reported, WallForceSink: plane_in_step})
keep = select("sink", {ReportSink: keep_nothing, WallForceSink: keep_in_step})
load_walls = select("sink", {ReportSink: load_no_wall, WallForceSink: load_wall})
add_tree = select("law", {laws.Elastic: add_elastic, laws.Composite: add_dissipative})


@inline
def share_none(law, b, near, half, bodies, kinds, box):
    """Elastic contacts are not damped."""


@inline
def share_damping(law, b, near, half, bodies, kinds, box):
    """Note the ω² of body b at all walls that it is near, before any of its contacts is taken up.

    Parameters
    ----------
    law, half, bodies, kinds : see `dem.kernels.soft.state`
    b, near : body, bits of walls

    Writes
    ------
    box.walls.rate : row of its chunk
    """
    if laws.shares_damping(law):
        for w in range(box.walls.contact_slot.size):
            if is_near(w, near) and not rough_walls.is_rough(box.walls.rough, w):
                box.walls.rate[b // CHUNK, w] = rate_at_wall(law, b // CHUNK, w, b, half, bodies, kinds, box)


share = select("law", {laws.Elastic: share_none, laws.Composite: share_damping})


@func
def rate_at_wall(law, c, w, b, half, bodies, kinds, box):
    """ω² of body b at wall w, see ``shared_damping``; 0 where fewer than two contacts of it are there, or are held.

    Parameters
    ----------
    law, b, half, bodies, kinds : see `dem.kernels.soft.state`
    c, w : chunk, for its scratch; number of the wall

    Writes
    ------
    box.walls : scratch of the chunk, what is taken up of a sphere among it

    Returns
    -------
    ω² [1/s²]
    """
    number, pushed = 0, no_multi_contact()
    m, row, nowhere = kinds.material[bodies.kind[b]], box.walls.contact_slot[w], (0.0, 0.0, 0.0)
    p = exponent(law, m, row)
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = radius_near(s, b, bodies, kinds)
        beyond = beyond_of(law, w, radius, box.walls)
        wall_history.copy_to_scratch(c, s, box.walls)
        count = trees_of_piece(kinds, w, s, b, c, radius + beyond, p, bodies, box)
        for t in range(count):
            overlap, normal = region(w, c, t, beyond, p, box)
            history, found = wall_history.recall(law, c, w, t, count, box.walls.trees[c], box.walls)
            if overlap > 0.0 or (found > 0 and laws.has_range(law)):
                touch, point, _ = encounter(w, s, b, t, overlap, normal, bodies, kinds, box)
                secant = laws.secant(law, m, row, touch, history, half)
                arm = minimum_image(box, point, load(bodies.position, b))
                pushed = add_contact(pushed, secant, dot(touch.velocity, normal), normal, arm, nowhere)
                number += 1
    return (
        inverse_effective_mass(b, pushed.force, pushed.torque_b, bodies, kinds) / pushed.square
        if number > 1 and pushed.square > 0.0
        else 0.0
    )
