"""Neighbours: the pairs of bodies that may meet while the list lasts, and each body's own list of them."""

import math

import numpy as np
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import PeriodicFaces, grid_place, minimum_image
from dem.kernels.numerics.distances import segment_distance_squared
from dem.kernels.numerics.quaternion import body_x, load_quaternion
from dem.kernels.numerics.vector import add_scaled, dot, load
from dem.kernels.soft.chunks import CHUNK, chunk_of
from dem.kernels.soft.fixed import is_fixed, leave_out_fixed
from dem.kernels.soft.neighbours.bond_exclusions import leave_out
from dem.kernels.soft.neighbours.linked_cells import cell_at, row_of

SLACK = 1.0 + 1e-9  # cut-offs are stretched by this, so that rounding never loses a pair


@inline
def pair_room(neighbours):
    """Pairs of bodies that a chunk has room for."""
    return (neighbours.lower.size - 1) // neighbours.pairs.size


@func
def search(c, skin, grid, cell_first, bodies, kinds, neighbours, box):
    """List the pairs of the bodies of chunk c, in cell order; returns the room needed.

    More pairs than the chunk's segment holds are counted but not written: the caller makes room and calls again.

    grid, cell_first: `linked_cells.Grid`; (cells + 1,) first body of each cell.
    Writes neighbours.first, neighbours.count, neighbours.lower, neighbours.higher: the chunk's pairs.
    Writes neighbours.first_chunk_reached, neighbours.last_chunk_reached: chunks that they reach.
    Writes neighbours.candidate_range: scratch.
    """
    room = pair_room(neighbours)
    start = c * room
    end = start
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        neighbours.first[b] = end
        if b < bodies.n_active[0]:
            found = search_around(box, b, skin, grid, cell_first, end, start + room, bodies, kinds, neighbours)
            end = keep_pairs(b, skin, end, found, start + room, bodies, kinds, neighbours, box)
        neighbours.count[b] = end - neighbours.first[b]
    if end - start <= room:
        neighbours.first_chunk_reached[c], neighbours.last_chunk_reached[c] = reached(
            low, neighbours.lower[start:end], neighbours.higher[start:end]
        )
    return end - start


@vector_loop
def reached(low, lower, higher):
    """First and last chunk that these pairs of the chunk beginning at body low reach, that chunk included."""
    first, last = np.int32(low), np.int32(low)
    for p in range(lower.size):
        first = min(first, lower[p], higher[p])
        last = max(last, lower[p], higher[p])
    return first // CHUNK, last // CHUNK


@inline
def near_body(box, b, skin, grid, bodies, kinds):
    """Centre and bounding radius of body b, its cell along each axis, and how many cells away it looks."""
    centre, bound = load(bodies.position, b), kinds.bounding_radius[bodies.kind[b]]
    most = max(grid.shape_x, grid.shape_y, grid.shape_z)
    span = np.int64(min(math.ceil((2.0 * bound + skin) * SLACK / grid.size), most))
    return centre, bound, cell_at(grid_place(box, centre), grid), span


@inline
def search_cells(box, b, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """Bodies whose bounding spheres come closer to that of b than the skin.

    Cells have the size of the smallest bodies. A body looks for those that are not larger than itself, so only the
    large ones look far. Among equals it looks for higher indices, which half of the surrounding cells hold.

    grid, cell_first: `linked_cells.Grid`; (cells + 1,) first body of each cell.
    k, stop: where to write, and the end of the room.
    Writes neighbours.higher: from k on. Returns the end of what was found, beyond `stop` if there was no room.
    """
    centre, bound, (x, y, z), span = near_body(box, b, skin, grid, bodies, kinds)
    for cz in range(z if grid.equal else max(z - span, 0), min(z + span + 1, grid.shape_z)):
        for cy in range(y if grid.equal and cz == z else max(y - span, 0), min(y + span + 1, grid.shape_y)):
            base = row_of(cy, cz, grid)
            begin = b + 1 if grid.equal and cy == y and cz == z else cell_first[base + max(x - span, 0)]
            end = cell_first[base + min(x + span + 1, grid.shape_x)]
            k = search_row(
                box, begin, end, b, grid.equal, centre, bound, skin, bodies.position, bodies.kind,
                kinds.bounding_radius, k, stop,
                neighbours.higher,
            )  # fmt: skip
    return k


@inline
def search_folded(box, b, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """List bodies near b in a periodic box, where cells beyond a face are those on the other side.

    All boxes could be searched like this. But where nothing folds a row of cells is one stretch of bodies, and equal
    bodies need half of the cells only: without `search_cells` 1e4 spheres took a fifth longer, 1e4 fibres an eighth.

    grid, cell_first, k, stop: see `search_cells`.
    Writes neighbours.higher: from k on.
    """
    centre, bound, (x, y, z), span = near_body(box, b, skin, grid, bodies, kinds)
    low_x, cells_x = window(x, span, grid.shape_x, box.length[0] > 0.0)
    low_y, cells_y = window(y, span, grid.shape_y, box.length[1] > 0.0)
    low_z, cells_z = window(z, span, grid.shape_z, box.length[2] > 0.0)
    first = low_x % grid.shape_x
    rest = max(first + cells_x - grid.shape_x, 0)
    for i in range(cells_z):
        for j in range(cells_y):
            base = row_of((low_y + j) % grid.shape_y, (low_z + i) % grid.shape_z, grid)
            for begin, end in ((first, first + cells_x - rest), (0, rest)):
                k = search_row(
                    box, cell_first[base + begin], cell_first[base + end], b, False, centre, bound, skin,
                    bodies.position, bodies.kind, kinds.bounding_radius, k, stop, neighbours.higher,
                )  # fmt: skip
    return k


@inline
def window(x, span, cells, periodic):
    """First cell that may hold something near cell x, below 0 beyond a periodic face, and the number of them."""
    low = x - span if periodic else max(x - span, 0)
    high = x + span + 1 if periodic else min(x + span + 1, cells)
    return (0, cells) if high - low >= cells else (low, high - low)


search_around = select("box", {BoxFaces: search_cells, PeriodicFaces: search_folded})


@vector_loop
def search_row(box, begin, end, b, equal, centre, bound, skin, position, kind, bounds, k, stop, found):
    """Append those of the bodies begin to end that are within reach; returns the new end of the list.

    No branch on the distance: every body is written, and counts if it is near.

    begin, end: bodies of a row of cells.
    b, centre, bound: the body that looks, its centre and bounding radius [m].
    equal: whether all bodies are of one size.
    position, kind, bounds: (3, N) [m], (N,), (G,) bounding radii [m].
    k, stop: where to write, and the end of the room.
    Writes found: from k on.
    """
    for c in range(begin, end):
        d = minimum_image(box, load(position, c), centre)
        cut_off = (bounds[kind[c]] + bound + skin) * SLACK
        near = dot(d, d) < cut_off * cut_off
        if not equal:
            near = near and (bounds[kind[c]] < bound or (bounds[kind[c]] == bound and np.int64(c) > b))
        if k < stop:
            found[k] = c
        k += 1 if near else 0
    return k


@inline
def keep_pairs(b, skin, start, found, stop, bodies, kinds, neighbours, box):
    """Keep those bodies found for body b that it may meet, as pairs in order of identity; return their end.

    start, found, stop: where the bodies begin and end in `neighbours.higher`, and the end of the room.
    Writes neighbours.lower, neighbours.higher, neighbours.candidate_range: from start on; the last is scratch.
    """
    if found > stop:
        return found
    found = start + leave_out(neighbours.bonds, b, found - start, neighbours.higher[start:found])
    if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
        found = start + leave_out_fixed(found - start, bodies.kind, kinds.inverse_mass, neighbours.higher[start:found])
    lower, higher = neighbours.lower[start:found], neighbours.higher[start:found]
    order_pairs(b, bodies.identity, lower, higher)
    if kinds.all_single_spheres:
        return found
    near = neighbours.candidate_range[start:found]
    flag_near(
        box,
        skin,
        lower,
        higher,
        bodies.position,
        bodies.orientation,
        bodies.kind,
        kinds.max_sphere_offset,
        kinds.bounding_radius,
        kinds.is_collinear,
        near,
    )
    return start + keep_flagged(near, lower, higher)


@vector_loop
def order_pairs(b, identity, lower, higher):
    """Pairs of body b and the bodies in `higher`, lower identity first."""
    for m in range(higher.size):
        c = higher[m]
        b_first = identity[b] < identity[c]
        lower[m] = b if b_first else c
        higher[m] = c if b_first else b


@vector_loop
def keep_flagged(near, lower, higher):
    """Close the gaps that pairs not flagged leave; returns the number of pairs left."""
    n = 0
    for m in range(near.size):
        lower[n], higher[n] = lower[m], higher[m]
        n += near[m]
    return n


@vector_loop
def flag_near(box, skin, lower, higher, position, orientation, kind, tip, bound, is_collinear, near):
    """Flag the pairs of bodies whose capsules come closer than the skin.

    Equal spheres on a line, body x, lie inside the capsule about it, so this loses no pair; it keeps one fibre pair in
    four of those whose bounding spheres meet. Bodies that are not on a line count as near.

    lower, higher: (P,) bodies of each pair.
    position, orientation, kind: (3, N) [m], (4, N), (N,).
    tip, bound, is_collinear: (G,) of `Kinds`.
    Writes near: (P,) int, 1 or 0.
    """
    for p in range(lower.size):
        b, c = lower[p], higher[p]
        g, h = kind[b], kind[c]
        x_b = (0.0, 0.0, 0.0)
        x_c = minimum_image(box, load(position, c), load(position, b))
        u, w = body_x(load_quaternion(orientation, b)), body_x(load_quaternion(orientation, c))
        d2 = segment_distance_squared(
            add_scaled(x_b, -tip[g], u), add_scaled(x_b, tip[g], u),
            add_scaled(x_c, -tip[h], w), add_scaled(x_c, tip[h], w),
        )  # fmt: skip
        cut_off = (bound[g] - tip[g] + bound[h] - tip[h] + skin) * SLACK
        met = 1 if d2 < cut_off * cut_off else 0
        near[p] = met | (1 - (is_collinear[g] & is_collinear[h]))


@inline
def entry_key(partner_identity, pair, side):
    """An entry as one integer that sorts by the partner's identity; side 1 is that of the higher identity."""
    return (partner_identity << 32) | (pair << 1) | side


@inline
def entry_pair(key):
    """Pair of an entry; its lowest bit is the side."""
    return (key & 0xFFFFFFFF) >> 1


@func
def list_entries(wanted, bodies, neighbours):
    """Fill first_entry and entry from the pairs, if there was room for what each chunk wanted.

    Returns the most pairs that a chunk wants, and the entries needed; fills nothing if that is too many.
    """
    most = np.int64(0)
    for c in range(wanted.size):
        most = max(most, wanted[c])
    if most > pair_room(neighbours):
        return most, np.int64(0)
    first = neighbours.first_entry
    n = bodies.kind.size
    for b in range(n + 1):
        first[b] = 0
    for b in range(n):
        neighbours.entry_count[b] = 0
        first[b + 1] += neighbours.count[b]
        for p in range(neighbours.first[b], neighbours.first[b] + neighbours.count[b]):
            first[neighbours.lower[p] + neighbours.higher[p] - b + 1] += 1
    for b in range(n):
        first[b + 1] += first[b]
    if first[n] <= neighbours.body_entries.size:
        for b in range(n):
            for p in range(neighbours.first[b], neighbours.first[b] + neighbours.count[b]):
                i, j = neighbours.lower[p], neighbours.higher[p]
                insert_entry(i, entry_key(bodies.identity[j], p, 0), neighbours)
                insert_entry(j, entry_key(bodies.identity[i], p, 1), neighbours)
    return most, first[n]


@inline
def insert_entry(b, key, neighbours):
    """Insert into the short sorted list of body b, whose length so far is entry_count[b]."""
    entry = neighbours.body_entries
    start = neighbours.first_entry[b]
    m = start + neighbours.entry_count[b]
    neighbours.entry_count[b] += 1
    while m > start and entry[m - 1] > key:
        entry[m] = entry[m - 1]
        m -= 1
    entry[m] = key
