"""Sides of capsules at walls, for who lists, measures or looks for them; see ``capsule_sides``."""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.vector import add_scaled, dot, load, scale, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.capsules import capsules_or
from dem.kernels.soft.contact.report_row import write
from dem.kernels.soft.neighbours.body_pairs import SLACK
from dem.kernels.soft.wall_contact.capsule_sides import axis_now, meet, place_of, reach_beyond, trees_of_side
from dem.kernels.soft.wall_contact.overlap_regions import DEEPEST, sum_of
from dem.kernels.soft.wall_contact.wall_arrays import SINGLE, acts_on
from dem.kernels.soft.wall_contact.wall_kinematics import encounter_at

FIRST_WALL = -7  # number of the first wall, after those of the faces of a box
OF_BODY = 2  # in place of the number of a sphere of the body: after those of its ends
LEAST = 1e-300  # in place of a length of zero


@inline
def near_none(kinds, near, free, look, b, skin, bodies, box):
    """Without sides walls are as near as spheres are.

    Parameters
    ----------
    kinds, near, free, look, b, skin, bodies, box : see `near_any`

    Returns
    -------
    near, free
    """
    return near, free


@inline
def near_any(kinds, near, free, look, b, skin, bodies, box):
    """Bits of the walls that body b is near, and how far it is free [m], with those that its side is near.

    Parameters
    ----------
    kinds, b, skin, bodies, box : see `dem.kernels.soft.state`
    near, free : of its ends
    look : `dem.kernels.soft.wall_contact.near_wall_bodies.look`

    Returns
    -------
    bits, distance
    """
    g = bodies.kind[b]
    if kinds.half[g] > 0.0:
        reach, walls = (kinds.bounding_radius[g] + skin) * SLACK, box.walls
        for w in range(walls.contact_slot.size):
            if acts_on(w, b, bodies, walls):
                away, _count = look(w, load(bodies.position, b), reach, walls.listed.shape[1], b // CHUNK, box)
                if away < 0.0:
                    near |= np.int64(1) << min(w, SINGLE)
                free = min(free, away)
    return near, free


near_side = capsules_or(near_none, near_any)


@inline
def list_none(kinds, n, law, b, half, bodies, box, who, what):
    """Where there are no sides.

    Parameters
    ----------
    kinds, n, law, b, half, bodies, box, who, what : see `list_sides`

    Returns
    -------
    n
    """
    return n


@inline
def elastic_now(law, w, t, count, b, x, u, half, bodies, kinds, box):
    """Hertz's force on a side, as it is summed over the pieces of a wall.

    Parameters
    ----------
    law, w, t, count, b, x, u, half, bodies, kinds, box : see `meet`

    Returns
    -------
    `laws.Touch`, point [m], force [N], energy taken up besides the elastic one [W], whether there is anything
    """
    total, radius = sum_of(w, 0, t, box), kinds.radius[kinds.first_offset[bodies.kind[b]]]
    s, _couple = place_of(w, 0, t, u, box)
    normal = scale(1.0 / math.sqrt(max(dot(total, total), LEAST)), total)
    overlap, at = box.walls.trees[0, t, DEEPEST], add_scaled(x, s, u)
    touch, point, _of_wall = encounter_at(w, at, radius, b, overlap, normal, bodies, kinds, box)
    return touch, point, scale(touch.stiffness, total), 0.0, True


@inline
def dissipative_now(law, w, t, count, b, x, u, half, bodies, kinds, box):
    """Force on a side by a law that needs velocities, at the time of what the contact remembers.

    Parameters
    ----------
    law, w, t, count, b, x, u, half, bodies, kinds, box : see `meet`

    Returns
    -------
    as `elastic_now`
    """
    touch, point, _of_wall, _c, history, lives = meet(law, w, 0, t, count, b, x, u, half, bodies, kinds, box)
    m, row = kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    outcome = laws.contact(law, m, row, touch, history, half, -1.0)[0]
    return touch, point, outcome.force, outcome.loss / half, lives


@inline
def no_range(law, walls):
    """Elastic contacts end where surfaces part."""
    return 0.0


range_now = laws.elastic_or(no_range, reach_beyond)
force_now = laws.elastic_or(elastic_now, dissipative_now)


@func
def list_sides(kinds, n, law, b, half, bodies, box, who, what):
    """List the contacts of the side of body b after n others; returns the number of all.

    Parameters
    ----------
    kinds, n, law, b, half, bodies, box : see `dem.kernels.soft.wall_contact.wall_report.list_all`

    Writes
    ------
    who, what : as `dem.kernels.soft.contact.contact_report.list_contacts`
    """
    walls, m = box.walls, kinds.material[bodies.kind[b]]
    radius, (x, u) = kinds.radius[kinds.first_offset[bodies.kind[b]]], axis_now(b, bodies)
    for w in range(walls.contact_slot.size if kinds.half[bodies.kind[b]] > 0.0 else 0):
        p = exponent(law, m, walls.contact_slot[w])
        acts = acts_on(w, b, bodies, walls)
        count = trees_of_side(w, 0, x, u, radius + range_now(law, walls), p, box) if acts else 0
        for t in range(count):
            touch, point, force, loss, lives = force_now(law, w, t, count, b, x, u, half, bodies, kinds, box)
            if lives:
                arm = subtract(point, load(bodies.position, b))
                branch, identity = scale(-1.0, arm), bodies.identity[b]
                write(n, identity, FIRST_WALL - w, OF_BODY, 0, touch, force, loss, arm, branch, who, what)
                n += 1
    return n


listed = capsules_or(list_none, list_sides)


@inline
def measure_none(kinds, b, bodies, box, overlap, wall, normal, number):
    """Where there are no sides.

    Parameters
    ----------
    kinds, b, bodies, box, overlap, wall, normal, number : see `measure_sides`

    Returns
    -------
    nothing
    """


@func
def measure_sides(kinds, b, bodies, box, overlap, wall, normal, number):
    """How deep the side of body b is in walls, told of its second end where that is less deep.

    Parameters
    ----------
    kinds, b, bodies, box : see `dem.kernels.soft.wall_contact.wall_report.measure`

    Writes
    ------
    overlap, wall, normal, number : as `dem.kernels.soft.wall_contact.wall_report.measure`
    """
    walls, (x, u), s = box.walls, axis_now(b, bodies), bodies.first_sphere[b + 1] - 1
    radius, there = kinds.radius[kinds.first_offset[bodies.kind[b]]], b < bodies.n_active[0]
    for w in range(walls.contact_slot.size if there and kinds.half[bodies.kind[b]] > 0.0 else 0):
        count = trees_of_side(w, 0, x, u, radius, 1.5, box) if acts_on(w, b, bodies, walls) else 0
        number[s] += count
        for t in range(count):
            if walls.trees[0, t, DEEPEST] > overlap[s]:
                overlap[s], wall[s] = walls.trees[0, t, DEEPEST], w
                total = sum_of(w, 0, t, box)
                size = math.sqrt(dot(total, total))
                for k in range(3):
                    normal[k, s] = total[k] / size


measure = capsules_or(measure_none, measure_sides)
