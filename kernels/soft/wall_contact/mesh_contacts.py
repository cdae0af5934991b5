"""Contacts of single spheres with meshes: which triangles they touch, many at a time, before ``wall_batches``.

A contact with a mesh is made in these steps. Triangles near each body are listed with the neighbour list, from cells
(`near_wall_bodies.look`, `dem.kernels.walls.mesh_cells`). Each step a sphere meets its listed triangles: here those of
a block of spheres, in loops that LLVM makes vector code of, since a sphere has two or three triangles listed and
touches one of them, mostly; a sphere that touches several goes to `overlap_regions.trees_at` and
`dem.kernels.walls.contact_patches`, which counts an edge or a corner that triangles share once. Either writes the
contacts to `Walls.trees`. From there on they are those with any other wall: ``wall_batches``, ``wall_contacts``.
"""

from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.vector import dot, load, subtract
from dem.kernels.soft.contact.batch_kinematics import BLOCK, flat, get, put
from dem.kernels.soft.contact.surface_motion import radius_near
from dem.kernels.soft.wall_contact.near_wall_record import NEAR
from dem.kernels.soft.wall_contact.overlap_regions import beyond_of, listed_for, trees_at
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, is_near
from dem.kernels.soft.wall_contact.wall_prefetch import fetch_triangle
from dem.kernels.walls import triangles
from dem.kernels.walls.contact_patches import is_nearest_at
from dem.kernels.walls.geometry import MESH
from dem.kernels.walls.potential_terms import ANCHOR, DEEPEST, POTENTIAL, begin, raised
from dem.kernels.walls.triangles import closest, from_piece, triple

PAIRS = 4 * BLOCK
# rows of `Walls.paired`, of `Walls.seen` (places, three, how near counts) and of `Walls.batch_ids`, see
# `kernels.walls.potential_terms`
OF_SPHERE, PIECE, FIRST, END, PAIRED = 0, PAIRS, 2 * PAIRS, 2 * PAIRS + BLOCK, 2 * PAIRS + 2 * BLOCK
REACH, SEEN = 3, 4
OVERLAP, TOTAL, ENERGY, HIT = 0, PAIRS, 4 * PAIRS, 5 * PAIRS  # a hit is 1 and its region
GATHERED = 6 * PAIRS  # rows of BLOCK pairs: from corner A to the sphere, its reach, B - A, C - A, normal
AB, AC, NORMAL, TRIANGLE = 4, 7, 10, 13
MET = GATHERED + TRIANGLE * BLOCK
SEVERAL = 3  # triangles that are looked at together


@inline
def look_ahead(law, c, spheres, bodies, kinds, neighbours, box):
    """Find out where walls that any of these spheres is near see all of them, and which triangles of a mesh they touch.

    Parameters
    ----------
    law, c, bodies, kinds, neighbours : see `dem.kernels.soft.state`
    spheres : numbers of a block of them at most

    Writes
    ------
    box.walls : seen, paired and met of the block

    Returns
    -------
    The wall whose triangles have been looked at, -1 if none have
    """
    near, walls, block, searched, number = 0, box.walls, neighbours.block_of[c], -1, 0
    paired, seen = walls.paired[block], walls.seen[block]
    for b in spheres:
        near |= walls.at[b, NEAR]
    for w in range(walls.contact_slot.size):
        if searched < 0 and is_near(w, near) and walls.geometry.kind[w] == MESH:
            searched, number = w, search(w, c, paired, spheres, walls)
    for w in range(walls.contact_slot.size):
        if is_near(w, near):
            see(law, w, spheres, bodies, kinds, box, seen[w])
    met, gathered = walls.batch_ids[block], walls.batch_ids[block, GATHERED:]
    for first in range(0, number, BLOCK):
        some = min(BLOCK, number - first)
        gather_triangles(first, some, paired, walls.geometry.triangle, seen[searched], gathered)
        meet_triangles(law, searched, first, some, paired, spheres, bodies, kinds, walls, gathered, met)
    return searched


@vector_loop
def see(law, w, spheres, bodies, kinds, box, seen):
    """Places of spheres as wall w sees them, and how near to it counts.

    Parameters
    ----------
    law, bodies, kinds, box : see `dem.kernels.soft.state`
    w, spheres : wall, numbers of spheres

    Writes
    ------
    seen : all rows
    """
    for t in range(spheres.size):
        radius = radius_near(spheres[t], spheres[t], bodies, kinds)
        put(seen, 0, t, in_frame(w, load(bodies.position, spheres[t]), box))
        seen[flat(REACH, t)] = radius + beyond_of(law, w, radius, box.walls)


@func
def search(w, c, paired, spheres, walls):
    """Pair spheres with the triangles of wall w listed for them, as far as there is room; returns how many pairs.

    Parameters
    ----------
    w, c, spheres, walls : wall, chunk, numbers of spheres; see `dem.kernels.soft.wall_contact.wall_arrays`

    Writes
    ------
    paired : of all spheres, and of as many pairs
    """
    number = 0
    for t in range(spheres.size):
        start, stop = listed_for(w, spheres[t], c, walls)
        enough = start >= 0 and number + stop - start <= PAIRS
        paired[FIRST + t] = number if enough else -1
        for entry in range(start, stop if enough else start):
            paired[OF_SPHERE + number], paired[PIECE + number] = t, walls.listed[c, entry]
            fetch_triangle(walls.listed[c, entry], walls.geometry)
            number += 1
        paired[END + t] = number
    return number


@vector_loop
def gather_triangles(first, number, paired, triangle, seen, gathered):
    """What a block of pairs is to be told, side by side.

    Parameters
    ----------
    first, number : the first pair, and how many
    paired, triangle, seen : see `search`, `triangles` and `see`

    Writes
    ------
    gathered : all rows
    """
    for p in range(number):
        t, f = paired[OF_SPHERE + first + p], paired[PIECE + first + p]
        put(gathered, 0, p, subtract(get(seen, 0, t), triple(triangle, f, triangles.CORNER)))
        gathered[flat(REACH, p)] = seen[flat(REACH, t)]
        put(gathered, AB, p, triple(triangle, f, triangles.AB))
        put(gathered, AC, p, triple(triangle, f, triangles.AC))
        put(gathered, NORMAL, p, triple(triangle, f, triangles.NORMAL))


@vector_loop
def meet_triangles(law, w, first, number, paired, spheres, bodies, kinds, walls, gathered, met):
    """Find out what triangles are to spheres.

    Parameters
    ----------
    law, bodies, kinds : see `dem.kernels.soft.state`
    w, first, number, paired, spheres, walls, gathered : wall, pairs; see `search` and `gather_triangles`

    Writes
    ------
    met : rows OVERLAP to HIT
    """
    for p in range(number):
        power = exponent(
            law, kinds.material[bodies.kind[spheres[paired[OF_SPHERE + first + p]]]], walls.contact_slot[w]
        )
        reach, normal = gathered[flat(REACH, p)], get(gathered, NORMAL, p)
        v, region = closest(get(gathered, 0, p), get(gathered, AB, p), get(gathered, AC, p), normal)
        near = dot(v, v)
        touches = near < reach * reach
        overlap, n = from_piece(v, near, region > 0, reach, normal)
        term = raised(overlap if touches else 0.0, power)
        for k in range(3):
            met[TOTAL + k * PAIRS + first + p] = 0.0 + term * n[k]
        met[OVERLAP + first + p], met[ENERGY + first + p] = overlap, term * overlap / (power + 1.0)
        met[HIT + first + p] = 1.0 + region if touches else 0.0


@inline
def left_of(p, q, paired, met, geometry):
    """Which of two triangles in reach counts, if the other is nearest at an edge that they share; -1 if both do.

    Parameters
    ----------
    p, q : two pairs of one sphere
    paired, met, geometry : see `search`

    Returns
    -------
    one of the pairs, or -1
    """
    f, g = paired[PIECE + p], paired[PIECE + q]
    if is_nearest_at(f, int(met[HIT + p]) - 1, g, geometry):
        return q
    return p if is_nearest_at(g, int(met[HIT + q]) - 1, f, geometry) else -1


@inline
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
    first, geometry = walls.geometry.first_triangle[w], walls.geometry
    hits, low, last, trees = SEVERAL, 0, 0, walls.trees[c]
    if w == searched and paired[FIRST + t] >= 0:
        hits = 0
        for p in range(paired[FIRST + t], paired[END + t]):
            if met[HIT + p] > 0.0:
                low, last = last if hits > 0 else p, p
                hits += 1
    if hits == 2:
        last = left_of(low, last, paired, met, geometry)
        hits = 1 if last >= 0 else SEVERAL
    if hits >= SEVERAL:
        return trees_at(w, s, c, get(seen, 0, t), seen[flat(REACH, t)], power, walls)
    if hits == 1:
        begin(trees, 0, paired[PIECE + low] - first)
        for k in range(3):
            trees[0, k] = met[TOTAL + k * PAIRS + last]
        trees[0, POTENTIAL], trees[0, DEEPEST] = met[ENERGY + last], max(met[OVERLAP + last], 0.0)
        if met[OVERLAP + last] > 0.0:
            trees[0, ANCHOR] = paired[PIECE + last] - first
    return hits
