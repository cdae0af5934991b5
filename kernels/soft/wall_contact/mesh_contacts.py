"""Contacts of single spheres with meshes: which triangles they touch, many at a time, before ``body_wall_forces``.

A contact with a mesh is made in these steps. Triangles near each body are listed with the neighbour list, from cells
(`near_wall_bodies.list_near_sphere`, `dem.kernels.walls.mesh_cells`). Each step a sphere meets its listed triangles:
here those of a block of spheres, in loops that LLVM makes vector code of, since a sphere has two or three listed and
touches one of them, mostly; a sphere that touches several goes to `overlap_regions.find_contacts_of` and
`dem.kernels.walls.contact_patches`, which counts an edge or a corner that triangles share once. Either writes the
contacts to `Walls.contacts`. From there on they are those with any other wall: ``body_wall_forces``, ``wall_contacts``.
"""

from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.vector import dot, load, subtract
from dem.kernels.soft.contact.surface_motion import radius_near
from dem.kernels.soft.wall_contact.overlap_regions import beyond_of, find_contacts_of, listed_for
from dem.kernels.soft.wall_contact.wall_arrays import NEAR_WALLS, in_frame, is_near
from dem.kernels.soft.wall_contact.wall_prefetch import prefetch_triangle
from dem.kernels.walls import triangles
from dem.kernels.walls.contact_patches import is_nearest_at_edge_with
from dem.kernels.walls.geometry import MESH, Unused, Used
from dem.kernels.walls.potential_terms import ANCHOR, DEEPEST, POTENTIAL, clear_contact, power_of_overlap
from dem.kernels.walls.triangles import closest, from_piece, triple

PAIRS = 4 * BLOCK
# columns of `Walls.pairs`: of each pair, then of each sphere; rows of `Walls.centres`, after the centre; columns of
# `Walls.pair_results`, see `dem.kernels.walls.potential_terms`
PAIR_SPHERE, PAIR_TRIANGLE, FIRST_PAIR, END_PAIR = 0, PAIRS, 2 * PAIRS, 2 * PAIRS + BLOCK
PAIR_COLUMNS = 2 * PAIRS + 2 * BLOCK
REACH, CENTRE_ROWS = 3, 4
OVERLAP, TOTAL, ENERGY, REGION = 0, PAIRS, 4 * PAIRS, 5 * PAIRS  # REGION: 0 of a pair apart, else 1 + region
GATHERED = 6 * PAIRS  # rows of BLOCK pairs: from corner A to the sphere, its reach, B - A, C - A, normal
AB, AC, NORMAL, TRIANGLE = 4, 7, 10, 13
PAIR_RESULT_COLUMNS = GATHERED + TRIANGLE * BLOCK
UNDECIDED = 3  # number of hits for which `find_contacts_of` evaluates all triangles of the sphere together


@inline
def write_centres_near_walls(law, near, spheres, block, bodies, kinds, box):
    """Write the centres of a block of spheres in the frames of the walls whose bits are given."""
    for w in range(box.walls.material_row.size):
        if is_near(w, near):
            write_centres_in_frame(law, w, spheres, bodies, kinds, box, box.walls.centres[block, w])


@inline
def walls_near(spheres, walls):
    """Bits of the walls that any of some spheres is near."""
    near = 0
    for b in spheres:
        near |= walls.sphere_records[b, NEAR_WALLS]
    return near


@inline
def write_centres(law, c, spheres, bodies, kinds, neighbours, box):
    """Find the centres of a block of spheres in the frames of walls without meshes; returns -1."""
    write_centres_near_walls(law, walls_near(spheres, box.walls), spheres, neighbours.block_of[c], bodies, kinds, box)
    return -1


@inline
def detect_mesh_contacts(law, c, spheres, bodies, kinds, neighbours, box):
    """Find the triangles of a mesh that a block of spheres touches, and their centres in the frames of walls.

    Returns the wall whose triangles have been looked at, -1 if none have.
    Writes box.walls: places, pairs and pair_results of the block.
    """
    walls, block, searched, count = box.walls, neighbours.block_of[c], -1, 0
    near, pairs, centres = walls_near(spheres, walls), walls.pairs[block], walls.centres[block]
    for w in range(walls.material_row.size):
        if searched < 0 and is_near(w, near) and walls.geometry.kind[w] == MESH:
            searched, count = w, pair_with_triangles(w, c, pairs, spheres, walls)
    write_centres_near_walls(law, near, spheres, block, bodies, kinds, box)
    pair_results, gathered = walls.pair_results[block], walls.pair_results[block, GATHERED:]
    for first in range(0, count, BLOCK):
        n = min(BLOCK, count - first)
        gather_triangles(first, n, pairs, walls.geometry.triangle, centres[searched], gathered)
        touch_triangles(law, searched, first, n, pairs, spheres, bodies, kinds, walls, gathered, pair_results)
    return searched


@func
def write_centres_in_frame(law, w, spheres, bodies, kinds, box, centres):
    """Write the centres of spheres in the frame of wall w, and their reach, to all rows of places."""
    for t in range(spheres.size):
        radius = radius_near(spheres[t], spheres[t], bodies, kinds)
        put(centres, 0, t, in_frame(w, load(bodies.position, spheres[t]), box))
        centres[flat(REACH, t)] = radius + beyond_of(law, w, radius, box.walls)


@func
def pair_with_triangles(w, c, pairs, spheres, walls):
    """Pair spheres with the triangles of wall w listed for them, as far as there is room; returns how many pairs."""
    count = 0
    for t in range(spheres.size):
        start, stop = listed_for(w, spheres[t], c, walls)
        fits = start >= 0 and count + stop - start <= PAIRS
        pairs[FIRST_PAIR + t] = count if fits else -1
        for entry in range(start, stop if fits else start):
            pairs[PAIR_SPHERE + count], pairs[PAIR_TRIANGLE + count] = t, walls.listed[c, entry]
            prefetch_triangle(walls.listed[c, entry], walls.geometry)
            count += 1
        pairs[END_PAIR + t] = count
    return count


@vector_loop
def gather_triangles(first, count, pairs, triangle, centres, gathered):
    """Write the data of pairs for `touch_triangles`, from the first one on, in columns."""
    for p in range(count):
        t, f = pairs[PAIR_SPHERE + first + p], pairs[PAIR_TRIANGLE + first + p]
        put(gathered, 0, p, subtract(get(centres, 0, t), triple(triangle, f, triangles.CORNER)))
        gathered[flat(REACH, p)] = centres[flat(REACH, t)]
        put(gathered, AB, p, triple(triangle, f, triangles.AB))
        put(gathered, AC, p, triple(triangle, f, triangles.AC))
        put(gathered, NORMAL, p, triple(triangle, f, triangles.NORMAL))


@vector_loop
def touch_triangles(law, w, first, count, pairs, spheres, bodies, kinds, walls, gathered, pair_results):
    """Find closest points of triangles to spheres, overlaps, and terms of force and energy.

    Writes pair_results: columns OVERLAP to REGION.
    """
    for p in range(count):
        power = exponent(
            law, kinds.material[bodies.kind[spheres[pairs[PAIR_SPHERE + first + p]]]], walls.material_row[w]
        )
        reach, normal = gathered[flat(REACH, p)], get(gathered, NORMAL, p)
        v, region = closest(get(gathered, 0, p), get(gathered, AB, p), get(gathered, AC, p), normal)
        near = dot(v, v)
        touches = near < reach * reach
        overlap, n = from_piece(v, near, region > 0, reach, normal)
        term = power_of_overlap(overlap if touches else 0.0, power)
        for k in range(3):
            pair_results[TOTAL + k * PAIRS + first + p] = 0.0 + term * n[k]
        pair_results[OVERLAP + first + p], pair_results[ENERGY + first + p] = overlap, term * overlap / (power + 1.0)
        pair_results[REGION + first + p] = 1.0 + region if touches else 0.0


@inline
def remaining_pair(p, q, pairs, pair_results, geometry):
    """The pair that counts of two of a sphere, if the other is nearest at an edge that they share; else -1."""
    f, g = pairs[PAIR_TRIANGLE + p], pairs[PAIR_TRIANGLE + q]
    if is_nearest_at_edge_with(g, f, int(pair_results[REGION + p]) - 1, geometry):
        return q
    return p if is_nearest_at_edge_with(f, g, int(pair_results[REGION + q]) - 1, geometry) else -1


@inline
def find_one(w, s, c, t, power, searched, pairs, pair_results, centres, walls):
    """Write the contacts of sphere s, the t-th of its block, with wall w, if none is a mesh; returns their number."""
    return find_contacts_of(s, w, c, get(centres, 0, t), centres[flat(REACH, t)], power, walls)


@inline
def find_batched(w, s, c, t, power, searched, pairs, pair_results, centres, walls):
    """Write the contacts of sphere s, the t-th of its block, with wall w; returns their number.

    searched: the wall whose triangles have been looked at, see `detect_mesh_contacts`.
    """
    first, geometry = walls.geometry.first_triangle[w], walls.geometry
    hits, first_hit, last_hit, contacts = UNDECIDED, 0, 0, walls.contacts[c]
    if w == searched and pairs[FIRST_PAIR + t] >= 0:
        hits = 0
        for p in range(pairs[FIRST_PAIR + t], pairs[END_PAIR + t]):
            if pair_results[REGION + p] > 0.0:
                first_hit, last_hit = last_hit if hits > 0 else p, p
                hits += 1
    if hits == 2:
        last_hit = remaining_pair(first_hit, last_hit, pairs, pair_results, geometry)
        hits = 1 if last_hit >= 0 else UNDECIDED
    if hits >= UNDECIDED:
        return find_contacts_of(s, w, c, get(centres, 0, t), centres[flat(REACH, t)], power, walls)
    if hits == 1:
        clear_contact(contacts, 0, pairs[PAIR_TRIANGLE + first_hit] - first)
        for k in range(3):
            contacts[0, k] = pair_results[TOTAL + k * PAIRS + last_hit]
        contacts[0, POTENTIAL] = pair_results[ENERGY + last_hit]
        contacts[0, DEEPEST] = max(pair_results[OVERLAP + last_hit], 0.0)
        if pair_results[OVERLAP + last_hit] > 0.0:
            contacts[0, ANCHOR] = pairs[PAIR_TRIANGLE + last_hit] - first
    return hits


detect = select("box.walls.geometry.meshes", {Unused: write_centres, Used: detect_mesh_contacts})
find_in_block = select("walls.geometry.meshes", {Unused: find_one, Used: find_batched})
