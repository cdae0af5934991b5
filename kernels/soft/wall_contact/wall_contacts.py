"""What walls of any shape (`dem.kernels.soft.wall_contact.wall_arrays`) do to the bodies near them.

A wall is a sphere of infinite radius for the contact law, whatever its curvature, so R* = R. Where several pieces of a
wall are within reach, those that make one lowest region act as one contact, from one potential; see
`dem.kernels.walls.geometry`. That contact is pressed by N = K |Σ|, along Σ, and overlaps by δ = |Σ|^(1/p).
"""

import math

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, noinline
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import hertz
from dem.kernels.laws.merged_contacts import exponent, resistance
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, store, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.contact_detection import Sums, joined, no_energy, no_sums
from dem.kernels.soft.contact.shared_damping import add_contact, inverse_effective_mass, no_multi_contact, of_mass
from dem.kernels.soft.contact.surface_motion import radius_near, spheres_of
from dem.kernels.soft.wall_contact import rough_walls, wall_history, wall_loads
from dem.kernels.soft.wall_contact.box_contacts import push
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
    trees_of,
)
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, is_near, velocity_at
from dem.kernels.soft.wall_contact.wall_kinematics import blended, encounter
from dem.kernels.soft.wall_contact.wear import wear


@inline
def add_elastic(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Add the elastic forces and torques of walls on body b; they push along their normals only.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds, neighbours : see `dem.kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what walls feel

    Returns
    -------
    `Sums`
    """
    elastic, largest, work = np.int64(0), 0.0, no_energy()
    walls, c, none = box.walls, b // CHUNK, (0.0, 0.0, 0.0)
    first, stop = spheres_of(b, bodies, kinds)
    for s in range(first, stop):
        radius, x, near = radius_near(s, b, bodies, kinds), load(bodies.sphere_position, s), walls.at[s, NEAR]
        for w in range(walls.contact_slot.size):
            count = trees_at(w, s, c, in_frame(w, x, box), radius, 1.5, walls) if is_near(w, near) else 0
            k = hertz.stiffness(walls.modulus[kinds.material[bodies.kind[b]], w], radius)
            for t in range(count):
                total = sum_of(w, c, t, box)
                force = scale(k, total)
                push(b, shift, force, subtract(x, load(bodies.position, b)), bodies)
                elastic += as_fixed(k * walls.trees[c, t, ENERGY], per_joule)
                largest = max(largest, walls.trees[c, t, DEEPEST])
                done = as_words(half * dot(force, velocity_at(w, x, box)), per_joule)
                wall_loads.add_load(c, w, x, force, none, done, box)
                if walls.servo[6, w] != 0.0:
                    wall_loads.book_contact(c, w, 1.5 * k * math.sqrt(walls.trees[c, t, DEEPEST]), 0.0, none, box)
                work = add_words(work, done)
    return Sums(elastic, bits_of_float(largest), np.int64(0), no_energy(), work, no_energy())


@inline
def add_dissipative(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Add the forces and torques of walls on body b by a law that needs velocities.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds, neighbours : see `dem.kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what walls feel, and what contacts with them remember

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    walls, c = box.walls, b // CHUNK
    first, stop = spheres_of(b, bodies, kinds)
    if laws.shares_damping(law):
        share(law, c, b, walls.at[first, NEAR], half, bodies, kinds, box)
    for s in range(first, stop):
        if remember(walls):
            wall_history.take_up(c, s, walls)
        n, near = 0, walls.at[s, NEAR]
        for w in range(walls.contact_slot.size):
            if is_near(w, near):
                more, n = add_wall(law, w, s, b, n, shift, time_sign, half, per_joule, bodies, kinds, box)
                sums = joined(sums, more)
    return sums


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
    wall_loads.book_contact(c, w, p * spring, resistance(law, m, row, touch, history, half), lost, box)


@noinline
def add_wall(law, w, s, b, n, shift, time_sign, half, per_joule, bodies, kinds, box):
    """Add the forces and torques of wall w on sphere s of body b, n of whose contacts have been kept.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`
    w, s, n : wall, sphere, number of contacts

    Writes
    ------
    bodies.force, bodies.torque, box.walls : as `add_tree`

    Returns
    -------
    `Sums`, number of contacts that have been kept
    """
    sums, radius = no_sums(), radius_near(s, b, bodies, kinds)
    m, row = kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    u, reach = in_frame(w, load(bodies.sphere_position, s), box), radius + beyond_of(law, w, radius, box.walls)
    count = trees_at(w, s, b // CHUNK, u, reach, exponent(law, m, row), box.walls)
    for t in range(count):
        more, n = add_tree(law, w, s, b, t, count, n, shift, time_sign, half, per_joule, bodies, kinds, box)
        sums = joined(sums, more)
    return sums, n


@noinline
def add_tree(law, w, s, b, t, count, n, shift, time_sign, half, per_joule, bodies, kinds, box):
    """Add the force and torque of one contact.

    A function of its own: in the loop of its caller LLVM reads all that it might use ahead, and keeps it on the stack.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`
    w, s, t, count, n : wall, sphere, tree, of how many, number of contacts that have been kept

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]
    box.walls : what the wall feels, and what contacts with it remember

    Returns
    -------
    `Sums`, number of contacts that have been kept
    """
    walls, c, is_rough = box.walls, b // CHUNK, rough_walls.is_rough(box.walls.rough, w)
    m, row, radius = kinds.material[bodies.kind[b]], walls.contact_slot[w], radius_near(s, b, bodies, kinds)
    p = exponent(law, m, row)
    overlap, normal = region(w, c, t, beyond_of(law, w, radius, walls), p, box)
    history, found = wall_history.recall(law, c, w, t, count, walls.trees[c], walls)
    k = wall_history.first_heir(c, w, t, count, walls) if is_rough else -1
    overlap, normal, plane = rough_walls.seen(walls.rough, c, w, s, b, k, overlap, normal, half, bodies, kinds, box)
    if not (overlap > 0.0 or (found > 0 and (laws.has_range(law) or not is_rough))):
        return no_sums(), n
    touch, point, of_wall = encounter(w, s, b, overlap, normal, bodies, kinds, box)
    if laws.shares_damping(law) and not is_rough and walls.rate[c, w] > 0.0:
        touch = of_mass(touch, laws.secant(law, m, row, touch, history, half) / walls.rate[c, w])
    outcome, history = laws.contact(law, m, row, touch, history, half, time_sign)
    if remember(walls) and outcome.persists:
        rough_walls.note_plane(walls.rough, s, n, plane, walls)
        n = wall_history.note(law, c, s, n, wall_history.key_of(w, walls.trees[c, t, ANCHOR]), history, walls)
    push(b, shift, outcome.force, subtract(point, load(bodies.position, b)), bodies)
    power = dot(outcome.force, of_wall)
    if laws.turns(law):
        store(bodies.torque, b - shift, add(load(bodies.torque, b - shift), outcome.couple))
        power += dot(outcome.couple, load(walls.poses.spin, w))
    more = 0.0
    if walls.trees[c, t, LINKS] != 0.0 and not (laws.has_range(law) or is_rough):
        more = blended(law, m, row, touch, history, half, walls.trees[c, t, ENERGY], p)
    done = as_words(half * power, per_joule)
    wall_loads.add_load(c, w, point, outcome.force, outcome.couple, done, box)
    if walls.first_worn[w] >= 0 and time_sign > 0.0:
        wear(w, np.int64(walls.trees[c, t, ANCHOR]), outcome, touch, per_joule, walls)
    if walls.servo[6, w] != 0.0:
        tell_servo(law, m, row, c, w, p, touch, history, outcome.force, half, box)
    return Sums(
        as_fixed(outcome.elastic + more, per_joule), bits_of_float(max(overlap, 0.0)),
        as_fixed(outcome.stored, per_joule), as_words(outcome.loss, per_joule), done,
        as_words(outcome.instantaneous_dissipation, per_joule),
    ), n  # fmt: skip


@inline
def share(law, c, b, near, half, bodies, kinds, box):
    """Note the ω² of body b at all walls that it is near, before any of its contacts is taken up.

    Parameters
    ----------
    law, half, bodies, kinds : see `dem.kernels.soft.state`
    c, b, near : chunk, body, bits of walls

    Writes
    ------
    box.walls.rate : row c
    """
    for w in range(box.walls.contact_slot.size):
        if is_near(w, near) and not rough_walls.is_rough(box.walls.rough, w):
            box.walls.rate[c, w] = rate_at_wall(law, c, w, b, half, bodies, kinds, box)


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
        radius, x = radius_near(s, b, bodies, kinds), load(bodies.sphere_position, s)
        beyond = beyond_of(law, w, radius, box.walls)
        wall_history.look_up(c, s, box.walls)
        count = trees_of(w, c, x, radius + beyond, p, box)
        for t in range(count):
            overlap, normal = region(w, c, t, beyond, p, box)
            history, found = wall_history.recall(law, c, w, t, count, box.walls.trees[c], box.walls)
            if overlap > 0.0 or (found > 0 and laws.has_range(law)):
                touch, point, _ = encounter(w, s, b, overlap, normal, bodies, kinds, box)
                secant = laws.secant(law, m, row, touch, history, half)
                arm = minimum_image(box, point, load(bodies.position, b))
                pushed = add_contact(pushed, secant, dot(touch.velocity, normal), normal, arm, nowhere)
                number += 1
    return (
        inverse_effective_mass(b, pushed.force, pushed.torque_b, bodies, kinds) / pushed.square
        if number > 1 and pushed.square > 0.0
        else 0.0
    )


add_obstacles = laws.elastic_or(add_elastic, add_dissipative)
