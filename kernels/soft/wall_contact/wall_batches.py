"""Contacts of single spheres with walls of any shape, many at a time, as those with faces are: see ``box_contacts``.

All of a contact but the search for its pieces is in loops that LLVM makes vector code of: how the surfaces move, the
law, what the wall feels. One by one (`wall_contacts.add_wall`) are contacts of several pieces, and those with walls
that are rough, wear, hold a force or have a belt.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.energy import add_words, as_words
from dem.kernels.numerics.vector import add, dot, load, store
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.batch_kinematics import (
    BLOCK,
    MAY_BE_NEW,
    MIXED_TYPES,
    NORMAL,
    OF_FACES,
    ONGOING,
    OVERLAP,
    SingleSpheres,
    flat,
    get,
    put,
)
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, joined, no_energy, no_sums
from dem.kernels.soft.contact.contact_evaluation import FORCE, LASTS, evaluate_batch
from dem.kernels.soft.contact.result_sinks import ForceSink
from dem.kernels.soft.contact.surface_motion import radius_near
from dem.kernels.soft.wall_contact import rough_walls, wall_history, wall_loads
from dem.kernels.soft.wall_contact.box_contacts import add_walls, has_faces
from dem.kernels.soft.wall_contact.mesh_contacts import detect_mesh_contacts, trees_found
from dem.kernels.soft.wall_contact.near_wall_record import NEAR, remember
from dem.kernels.soft.wall_contact.overlap_regions import ANCHOR, DEEPEST, beyond_of, is_plain
from dem.kernels.soft.wall_contact.wall_arrays import SERVO_KIND, SINGLE, has_belt, is_near
from dem.kernels.soft.wall_contact.wall_contacts import add_tree
from dem.kernels.soft.wall_contact.wall_kinematics import (
    KEPT,
    KEY,
    OF_I,
    OF_J,
    OF_WALL,
    PLACE,
    SPHERE,
    WALL,
    meet_walls,
)


@inline
def touch_obstacles(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces and torques of all walls on the single spheres of chunk c that are near them.

    Parameters
    ----------
    law, scheme, c, kinds : see `dem.kernels.soft.state`
    sink : see ``result_sinks``

    Writes
    ------
    bodies, neighbours, box.walls : as `dem.kernels.soft.wall_contact.body_wall_forces.add_all`

    Returns
    -------
    `Sums`
    """
    sums, number, walls, block = no_sums(), 0, box.walls, neighbours.block_of[c]
    known, told, kept = (
        neighbours.batch_kinematics[block][OF_FACES:],
        neighbours.batch_ids[block],
        neighbours.batch_history[block].T,
    )
    pairs, pair_results = walls.pairs[block], walls.pair_results[block]
    low, _ = chunk_of(c, bodies.kind.size)
    stop = low + neighbours.near_wall_count[c]
    for first in range(low, stop, BLOCK):
        spheres = neighbours.near_wall[first : min(first + BLOCK, stop)]
        searched = detect_mesh_contacts(law, c, spheres, bodies, kinds, neighbours, box)
        for t in range(spheres.size):
            b, n = spheres[t], 0
            if has_faces(box):
                more = add_walls(law, b, sink, bodies, kinds, neighbours, box)
                sums = joined(sums, more)
            if remember(walls):
                wall_history.move_to_scratch(c, b, walls)
            for w in range(walls.contact_slot.size):
                if is_near(w, walls.at[b, NEAR]):
                    power = exponent(law, kinds.material[bodies.kind[b]], walls.contact_slot[w])
                    count = trees_found(w, b, c, t, power, searched, pairs, pair_results, walls.places[block, w], walls)
                    number, n, sums = take_contacts(
                        law, w, c, b, count, number, n, sink, bodies, kinds, neighbours,
                        box, known, told, kept, sums,
                    )  # fmt: skip
    if number > 0:
        sums, _ = evaluate(law, number, c, sink, bodies, kinds, neighbours, box, sums)
    return sums


@inline
def take_contacts(
    law, w, c, b, count, number, n, sink, bodies, kinds, neighbours, box, known, told,
    kept, sums,
):  # fmt: skip
    """Take up the contacts of sphere b with wall w, after so many columns of a block; its forces are added in order.

    Parameters
    ----------
    law, c, kinds : see `dem.kernels.soft.state`
    sink : see ``result_sinks``
    w, b, count : wall, sphere, number of contacts
    number, n, sums : columns before, contacts of the sphere that have been kept before these; sums so far

    Writes
    ------
    bodies, neighbours, box.walls : as `touch_obstacles`
    known, told, kept : columns of a block

    Returns
    -------
    columns, contacts that have been kept, `Sums`
    """
    walls, radius = box.walls, radius_near(b, b, bodies, kinds)
    m, row = kinds.material[bodies.kind[b]], walls.contact_slot[w]
    beyond = beyond_of(law, w, radius, walls)
    for t in range(count):
        if is_single(w, box) or not is_plain(c, t, walls):
            if number > 0 and told[SPHERE, number - 1] == b:
                sums, n = evaluate(law, number, c, sink, bodies, kinds, neighbours, box, sums)
                number = 0
            more, n = add_tree(law, sink, w, b, b, t, count, n, bodies, kinds, box)
            sums = joined(sums, more)
            continue
        overlap = walls.trees[c, t, DEEPEST] - beyond
        history, found = wall_history.recall(law, c, w, t, count, walls.trees[c], walls)
        if overlap > 0.0 or found > 0:
            put(known, NORMAL, number, (walls.trees[c, t, 0], walls.trees[c, t, 1], walls.trees[c, t, 2]))
            known[flat(OVERLAP, number)] = overlap
            told[OF_I, number], told[OF_J, number], told[SPHERE, number], told[WALL, number] = m, row, b, w
            told[KEY, number], told[KEPT, number] = wall_history.key_of(w, walls.trees[c, t, ANCHOR]), n
            laws.store(law, kept, number, 0, history)
            number += 1
        if number == BLOCK:
            sums, n = evaluate(law, number, c, sink, bodies, kinds, neighbours, box, sums)
            number = 0
    return number, n, sums


@inline
def is_single(w, box):
    """Whether contacts with wall w are evaluated one by one."""
    walls = box.walls
    return (
        rough_walls.is_rough(walls.rough, w)
        or walls.servo[SERVO_KIND, w] != 0.0
        or walls.first_worn[w] >= 0
        or has_belt(w, box)
    )


@func
def evaluate(law, number, c, sink, bodies, kinds, neighbours, box, sums):
    """Evaluate so many contacts, and add what they come to.

    Parameters
    ----------
    law, c, kinds : see `dem.kernels.soft.state`
    sink : see ``result_sinks``
    number, sums : of columns; sums so far

    Writes
    ------
    bodies.force, bodies.torque : columns b - shift, added to [N, N m]
    box.walls : what walls feel, and what contacts with them remember
    neighbours.batch_kinematics, neighbours.batch_history, neighbours.batch_forces : scratch

    Returns
    -------
    `Sums` of both, and how many contacts of the last sphere have been kept
    """
    block, walls = neighbours.block_of[c], box.walls
    known, told = neighbours.batch_kinematics[block][OF_FACES:], neighbours.batch_ids[block]
    kept, out = neighbours.batch_history[block], neighbours.batch_forces[block]
    others, began = meet_walls(number, 2.0 * sink.half, bodies, kinds, box, told, known)
    way = ONGOING if began == 0 else MAY_BE_NEW
    if others > 0 or laws.turns(law):  # with couples the torque is wanted by itself
        way = MIXED_TYPES
    more = evaluate_batch(
        SingleSpheres(), ForceSink(), law, number, way, sink.time_sign, sink.half, sink.per_joule, known,
        told[OF_I], told[OF_J], kept, out,
    )  # fmt: skip
    n, present = 0, 0
    for t in range(number):
        b, force = told[SPHERE, t], get(out, FORCE, t)
        n = told[KEPT, t] if t == 0 or told[SPHERE, t - 1] != b else n
        present |= 1 << min(told[WALL, t], SINGLE)
        store(bodies.force, b - sink.shift, add(load(bodies.force, b - sink.shift), force))
        if bodies.torque.shape[1] > 0:
            torque = add(load(bodies.torque, b - sink.shift), get(out, ON_I, t))
            store(bodies.torque, b - sink.shift, add(torque, get(out, ON_J, t)) if laws.turns(law) else torque)
        if remember(walls) and out[flat(LASTS, t)] > 0.0:
            rough_walls.note_plane(walls.rough, b, n, rough_walls.nowhere(), walls)
            n = wall_history.note(law, c, b, n, told[KEY, t], laws.load(law, kept.T, t, 0), walls)
    work = no_energy()
    for w in range(walls.contact_slot.size):
        if is_near(w, present):
            wall_load = load_of_batch(law, w, number, sink.half, sink.per_joule, told, known, out, box)
            wall_loads.add_to_loads(c, w, wall_load, box)
            work = add_words(work, wall_load.work)
    sums = joined(sums, more)
    return Sums(sums.elastic, sums.overlap, sums.stored, sums.loss, add_words(sums.work, work), sums.jump), n


@vector_loop
def load_of_batch(law, w, number, half, per_joule, told, known, out, box):
    """Load on wall w of a number of contacts.

    Parameters
    ----------
    law, half, per_joule, box : see `dem.kernels.soft.state`
    w, number : wall, number of columns
    told, known, out : columns, not all of this wall

    Returns
    -------
    `wall_loads.WallLoad`
    """
    wall_load = wall_loads.zero_load()
    for t in range(number):
        force, couple = get(out, FORCE, t), get(out, ON_J, t) if laws.turns(law) else (0.0, 0.0, 0.0)
        power = dot(force, get(known, OF_WALL, t))
        if laws.turns(law):
            power += dot(couple, load(box.walls.poses.spin, w))
        work = as_words(half * power, per_joule)
        more = wall_loads.load_of_contact(w, get(known, PLACE, t), force, couple, work, box)
        wall_load = wall_loads.sum_of_loads(wall_load, more, 1 if told[WALL, t] == w else 0)
    return wall_load
