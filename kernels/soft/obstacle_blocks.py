"""Contacts of single spheres with walls of any shape, many at a time, as those with faces are: see ``wall_blocks``.

All of a contact but the search for its pieces is in loops that LLVM makes vector code of: how the surfaces move, the
law, what the wall feels. One by one (`obstacles.add_tree`) are contacts of several pieces, and those with walls that
are rough, wear, hold a force or have a belt.
"""

from kernels import laws
from kernels.base.energy import add_words, as_words
from kernels.base.jit import formula, loop, part
from kernels.base.vector import add, dot, load, store
from kernels.laws.joining import exponent
from kernels.rotation.spherical import SphericalPCDM
from kernels.soft import felt, rough, slots
from kernels.soft.all_walls import has_faces
from kernels.soft.chunks import chunk_of
from kernels.soft.columns import FORCE, LASTS, act
from kernels.soft.known import BEGINNING, BLOCK, NORMAL, OF_FACES, ON, OVERLAP, UNLIKE, flat, get, put
from kernels.soft.near_rows import NEAR, remember
from kernels.soft.obstacles import add_tree
from kernels.soft.regions import ANCHOR, DEEPEST, beyond_of, is_plain
from kernels.soft.surfaces import radius_near
from kernels.soft.touching import ON_I, ON_J, Sums, joined, no_energy, no_sums
from kernels.soft.triangle_blocks import look_ahead, trees_found
from kernels.soft.wall_meetings import KEPT, KEY, OF_I, OF_J, OF_WALL, PLACE, SPHERE, WALL, meet_walls
from kernels.soft.walled import SINGLE, has_belt, is_near
from kernels.soft.walls import add_walls


@formula
def touch_obstacles(box, law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add the forces and torques of all walls on the single spheres of chunk c that are near them.

    Parameters
    ----------
    law, c, shift, time_sign, half, per_joule, kinds : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, box.walls : as `kernels.soft.all_walls.add_all`

    Returns
    -------
    `Sums`
    """
    sums, number, walls, block = no_sums(), 0, box.walls, neighbours.block_of[c]
    known, told, kept = neighbours.known[block][OF_FACES:], neighbours.met[block], neighbours.kept[block].T
    paired, met = walls.paired[block], walls.met[block]
    low, _ = chunk_of(c, bodies.kind.size)
    stop = low + neighbours.walled_count[c]
    for first in range(low, stop, BLOCK):
        spheres = neighbours.walled[first : min(first + BLOCK, stop)]
        searched = look_ahead(law, c, spheres, bodies, kinds, neighbours, box)
        for t in range(spheres.size):
            b, n = spheres[t], 0
            if has_faces(box):
                more = add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
                sums = joined(sums, more)
            if remember(walls):
                slots.take_up(c, b, walls)
            for w in range(walls.row.size):
                if is_near(w, walls.at[b, NEAR]):
                    power = exponent(law, kinds.material[bodies.kind[b]], walls.row[w])
                    count = trees_found(w, b, c, t, power, searched, paired, met, walls.seen[block, w], walls)
                    number, n, sums = take_contacts(
                        law, w, c, b, count, number, n, shift, time_sign, half, per_joule, bodies, kinds, neighbours,
                        box, known, told, kept, sums,
                    )  # fmt: skip
    if number > 0:
        sums, _ = evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums)
    return sums


@formula
def take_contacts(
    law, w, c, b, count, number, n, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, known, told,
    kept, sums,
):  # fmt: skip
    """Take up the contacts of sphere b with wall w, after so many columns of a block; its forces are added in order.

    Parameters
    ----------
    law, c, shift, time_sign, half, per_joule, kinds : see `kernels.soft.state`
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
    m, row = kinds.material[bodies.kind[b]], walls.row[w]
    beyond = beyond_of(law, w, radius, walls)
    for t in range(count):
        if is_single(w, box) or not is_plain(c, t, walls):
            if number > 0 and told[SPHERE, number - 1] == b:
                sums, n = evaluate(
                    law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums
                )
                number = 0
            more, n = add_tree(law, w, b, b, t, count, n, shift, time_sign, half, per_joule, bodies, kinds, box)
            sums = joined(sums, more)
            continue
        overlap = walls.trees[c, t, DEEPEST] - beyond
        history, found = slots.recall(law, c, w, t, count, walls.trees[c], walls)
        if overlap > 0.0 or found > 0:
            put(known, NORMAL, number, (walls.trees[c, t, 0], walls.trees[c, t, 1], walls.trees[c, t, 2]))
            known[flat(OVERLAP, number)] = overlap
            told[OF_I, number], told[OF_J, number], told[SPHERE, number], told[WALL, number] = m, row, b, w
            told[KEY, number], told[KEPT, number] = slots.key_of(w, walls.trees[c, t, ANCHOR]), n
            laws.store(law, kept, number, 0, history)
            number += 1
        if number == BLOCK:
            sums, n = evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums)
            number = 0
    return number, n, sums


@formula
def is_single(w, box):
    """Whether contacts with wall w are evaluated one by one."""
    walls = box.walls
    return rough.is_rough(walls.rough, w) or walls.servo[6, w] != 0.0 or walls.first_worn[w] >= 0 or has_belt(w, box)


@part
def evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums):
    """Evaluate so many contacts, and add what they come to.

    Parameters
    ----------
    law, c, shift, time_sign, half, per_joule, kinds : see `kernels.soft.state`
    number, sums : of columns; sums so far

    Writes
    ------
    bodies.force, bodies.torque : columns b - shift, added to [N, N m]
    box.walls : what walls feel, and what contacts with them remember
    neighbours.known, neighbours.kept, neighbours.out : scratch

    Returns
    -------
    `Sums` of both, and how many contacts of the last sphere have been kept
    """
    block, walls = neighbours.block_of[c], box.walls
    known, told = neighbours.known[block][OF_FACES:], neighbours.met[block]
    kept, out = neighbours.kept[block], neighbours.out[block]
    others, began = meet_walls(number, 2.0 * half, bodies, kinds, box, told, known)
    way = ON if began == 0 else BEGINNING
    if others > 0 or laws.turns(law):  # with couples the torque is wanted by itself
        way = UNLIKE
    more = act(SphericalPCDM(), law, number, way, time_sign, half, per_joule, known, told[OF_I], told[OF_J], kept, out)
    n, present = 0, 0
    for t in range(number):
        b, force = told[SPHERE, t], get(out, FORCE, t)
        n = told[KEPT, t] if t == 0 or told[SPHERE, t - 1] != b else n
        present |= 1 << min(told[WALL, t], SINGLE)
        store(bodies.force, b - shift, add(load(bodies.force, b - shift), force))
        if bodies.torque.shape[1] > 0:
            torque = add(load(bodies.torque, b - shift), get(out, ON_I, t))
            store(bodies.torque, b - shift, add(torque, get(out, ON_J, t)) if laws.turns(law) else torque)
        if remember(walls) and out[flat(LASTS, t)] > 0.0:
            rough.note_plane(walls.rough, b, n, rough.nowhere(), walls)
            n = slots.note(law, c, b, n, told[KEY, t], laws.load(law, kept.T, t, 0), walls)
    work = no_energy()
    for w in range(walls.row.size):
        if is_near(w, present):
            feeling = feel(law, w, number, half, per_joule, told, known, out, box)
            felt.take(c, w, feeling, box)
            work = add_words(work, feeling.work)
    sums = joined(sums, more)
    return Sums(sums.elastic, sums.overlap, sums.stored, sums.loss, add_words(sums.work, work), sums.jump), n


@loop
def feel(law, w, number, half, per_joule, told, known, out, box):
    """What wall w feels of so many contacts.

    Parameters
    ----------
    law, half, per_joule, box : see `kernels.soft.state`
    w, number : wall, number of columns
    told, known, out : columns, not all of this wall

    Returns
    -------
    `felt.Feeling`
    """
    feeling = felt.nobody()
    for t in range(number):
        force, couple = get(out, FORCE, t), get(out, ON_J, t) if laws.turns(law) else (0.0, 0.0, 0.0)
        power = dot(force, get(known, OF_WALL, t))
        if laws.turns(law):
            power += dot(couple, load(box.walls.poses.spin, w))
        more = felt.feel(w, get(known, PLACE, t), force, couple, as_words(half * power, per_joule), box)
        feeling = felt.both(feeling, more, 1 if told[WALL, t] == w else 0)
    return feeling
