"""Which triangles of a mesh single spheres touch, many at a time: what goes before ``obstacle_blocks``.

A sphere near a mesh has two or three triangles listed and touches one of them, mostly. So the spheres of a block are
paired with those listed for them, and what each pair comes to is found out in a loop that LLVM makes vector code of;
only who touches several pieces is looked at by itself (`kernels.walls.forest`).
"""

from kernels.base.jit import formula, loop, part
from kernels.base.vector import dot, load
from kernels.laws.joining import exponent
from kernels.soft.coming import fetch_slots, fetch_triangle
from kernels.soft.known import BLOCK, flat, get, put
from kernels.soft.regions import beyond_of, listed_for, trees_at
from kernels.soft.surfaces import radius_near
from kernels.soft.walled import NEAR, in_frame, is_near
from kernels.walls.geometry import MESH
from kernels.walls.terms import DEEPEST, POTENTIAL, begin, raised
from kernels.walls.triangles import from_closest, from_piece, may_reach

PAIRS = 4 * BLOCK
# rows of `Walls.paired`, of `Walls.seen` (places, three, how near counts) and of `Walls.met`, see `kernels.walls.terms`
OF_SPHERE, PIECE, FIRST, END, PAIRED = 0, PAIRS, 2 * PAIRS, 2 * PAIRS + BLOCK, 2 * PAIRS + 2 * BLOCK
REACH, SEEN = 3, 4
OVERLAP, TOTAL, ENERGY, HIT, MET = 0, PAIRS, 4 * PAIRS, 5 * PAIRS, 6 * PAIRS


@formula
def look_ahead(law, c, spheres, bodies, kinds, neighbours, box):
    """Find out where walls that any of these spheres is near see all of them, and which triangles of a mesh they touch.

    Parameters
    ----------
    law, c, bodies, kinds, neighbours : see `kernels.soft.state`
    spheres : numbers of a block of them at most

    Writes
    ------
    box.walls : seen, paired and met of the block

    Returns
    -------
    The wall whose triangles have been looked at, -1 if none have
    """
    near, walls, block, searched = 0, box.walls, neighbours.block_of[c], -1
    for b in spheres:
        near |= walls.at[b, NEAR]
        fetch_slots(b, walls)
    for w in range(walls.row.size):
        if is_near(w, near):
            see(law, w, spheres, bodies, kinds, box, walls.seen[block, w])
            if searched < 0 and walls.geometry.kind[w] == MESH:
                searched = w
    if searched >= 0:
        search(law, searched, c, block, spheres, bodies, kinds, walls)
    return searched


@loop
def see(law, w, spheres, bodies, kinds, box, seen):
    """Places of spheres as wall w sees them, and how near to it counts.

    Parameters
    ----------
    law, bodies, kinds, box : see `kernels.soft.state`
    w, spheres : wall, numbers of spheres

    Writes
    ------
    seen : all rows
    """
    for t in range(spheres.size):
        radius = radius_near(spheres[t], spheres[t], bodies, kinds)
        put(seen, 0, t, in_frame(w, load(bodies.position, spheres[t]), box))
        seen[flat(REACH, t)] = radius + beyond_of(law, w, radius, box.walls)


@part
def search(law, w, c, block, spheres, bodies, kinds, walls):
    """Pair spheres with the triangles of wall w listed for them, as far as there is room, and meet them.

    Parameters
    ----------
    law, c, bodies, kinds : see `kernels.soft.state`
    w, block, spheres : wall, block of scratch, numbers of spheres

    Writes
    ------
    walls.paired, walls.met : of the block
    """
    paired, number = walls.paired[block], 0
    for t in range(spheres.size):
        start, stop = listed_for(w, spheres[t], c, walls)
        enough = start >= 0 and number + stop - start <= PAIRS
        paired[FIRST + t] = number if enough else -1
        for entry in range(start, stop if enough else start):
            paired[OF_SPHERE + number], paired[PIECE + number] = t, walls.listed[c, entry]
            fetch_triangle(walls.listed[c, entry], walls.geometry)
            number += 1
        paired[END + t] = number
    meet(law, w, number, paired, spheres, bodies, kinds, walls, walls.seen[block, w], walls.met[block])


@loop
def meet(law, w, number, paired, spheres, bodies, kinds, walls, seen, met):
    """Find out what so many triangles are to spheres.

    Parameters
    ----------
    law, bodies, kinds : see `kernels.soft.state`
    w, number, paired, spheres, walls, seen : wall, pairs; see `search` and `see`

    Writes
    ------
    met : all rows
    """
    rows = walls.geometry.triangle
    for p in range(number):
        t, f = paired[OF_SPHERE + p], paired[PIECE + p]
        x, reach = get(seen, 0, t), seen[flat(REACH, t)]
        power = exponent(law, kinds.material[bodies.kind[spheres[t]]], walls.row[w])
        v, region = from_closest(rows, f, x)
        near = dot(v, v)
        touches = may_reach(rows, f, x, reach) and near < reach * reach
        overlap, n = from_piece(v, near, region > 0, f, reach, rows)
        term = raised(overlap if touches else 0.0, power)
        for k in range(3):
            met[TOTAL + k * PAIRS + p] = 0.0 + term * n[k]
        met[OVERLAP + p], met[ENERGY + p] = overlap, term * overlap / (power + 1.0)
        met[HIT + p] = 1.0 if touches else 0.0


@formula
def trees_found(w, s, c, t, power, searched, paired, met, seen, walls):
    """Write the contacts of sphere s, the t-th of its block, with wall w to the scratch of chunk c.

    Parameters
    ----------
    w, s, c, t, searched : wall, sphere, chunk, column; see `look_ahead`
    power : exponent of its overlap
    paired, met, seen : see `search` and `see`

    Writes
    ------
    walls.trees : rows of the chunk

    Returns
    -------
    number of contacts
    """
    hits, last, trees = 2, 0, walls.trees[c]
    if w == searched and paired[FIRST + t] >= 0:
        hits = 0
        for p in range(paired[FIRST + t], paired[END + t]):
            if met[HIT + p] > 0.0:
                hits, last = hits + 1, p
    if hits > 1:
        return trees_at(w, s, c, get(seen, 0, t), seen[flat(REACH, t)], power, walls)
    if hits == 1:
        begin(trees, 0, paired[PIECE + last] - walls.geometry.first_triangle[w])
        for k in range(3):
            trees[0, k] = met[TOTAL + k * PAIRS + last]
        trees[0, POTENTIAL], trees[0, DEEPEST] = met[ENERGY + last], max(met[OVERLAP + last], 0.0)
    return hits
