"""Neighbour list: pairs of bodies that may touch until the next rebuild, and the list of each body."""

import math

import numpy as np
from dem.kernels.compiler.jit import argument, fast_call, func, inline, select, spread, vector_loop
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import NoImages, PeriodicFaces, minimum_image, position_in_grid, position_in_image
from dem.kernels.numerics.distances import rod_distance_squared
from dem.kernels.numerics.quaternion import body_x, load_quaternion
from dem.kernels.numerics.vector import dot, load
from dem.kernels.simd import compress
from dem.kernels.simd.compress import EIGHT, list_near_of_eight
from dem.kernels.simd.sort import sort_short
from dem.kernels.soft.bonds.bond_types import Brittle, Lasting, NoBonds
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded, chunk_of
from dem.kernels.soft.fixed_bodies import is_fixed, leave_out_fixed
from dem.kernels.soft.neighbours.linked_cells import cell_at, row_of

CHECKED_TOGETHER = 128  # pairs of bodies that are no spheres: a loop over few of them would be scalar for the most part
SLACK = 1.0 + 1e-9  # cut-offs are stretched by this, so that rounding never loses a pair


@inline
def pair_room(neighbours):
    """Pairs of bodies that a chunk has room for."""
    return (neighbours.lower.size - 1) // neighbours.pairs.size


@inline
def record_pairs(c, end, neighbours):
    """Record the chunks that the pairs of chunk c reach, if there was room for them; returns the room needed."""
    start = c * pair_room(neighbours)
    if end - start <= pair_room(neighbours):
        neighbours.first_chunk_reached[c], neighbours.last_chunk_reached[c] = chunk_range_of_pairs(
            c * CHUNK, neighbours.lower[start:end], neighbours.higher[start:end]
        )
    return end - start


@func
def search_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box):
    """List the pairs of the bodies of chunk c, in cell order; returns the room needed.

    More pairs than the chunk's segment holds are counted but not written: the caller makes room and calls again.

    grid, cell_first: `linked_cells.Grid`; (cells + 1,) first body of each cell.
    Writes neighbours.first, neighbours.count, neighbours.lower, neighbours.higher: the chunk's pairs.
    Writes neighbours.first_chunk_reached, neighbours.last_chunk_reached: chunks that they reach.
    Writes neighbours.candidate_range: scratch.
    """
    end = c * pair_room(neighbours)
    stop = end + pair_room(neighbours)
    low, high = chunk_of(c, bodies.kind.size)
    unchecked = low
    for b in range(low, high):
        neighbours.first[b] = end
        if b < bodies.n_active[0]:
            found = search_around(box, b, skin, grid, cell_first, end, stop, bodies, kinds, neighbours)
            end = store_pairs(b, end, found, stop, bodies, kinds, neighbours)
        unchecked, end = end_body(b, high, unchecked, end, stop, skin, bodies, kinds, neighbours, box)
    return record_pairs(c, end, neighbours)


@vector_loop
def chunk_range_of_pairs(low, lower, higher):
    """First and last chunk with a body of these pairs, including the chunk that begins at body low."""
    first, last = np.int32(low), np.int32(low)
    for p in range(lower.size):
        first = min(first, lower[p], higher[p])
        last = max(last, lower[p], higher[p])
    return first // CHUNK, last // CHUNK


@inline
def search_range(box, b, skin, grid, bodies, kinds):
    """Centre and bounding radius of body b, its cell, and the number of cells to search in each direction."""
    centre, bound = load(bodies.position, b), kinds.bounding_radius[bodies.kind[b]]
    limit = max(grid.shape_x, grid.shape_y, grid.shape_z)
    span = np.int64(min(math.ceil((2.0 * bound + skin) * SLACK / grid.size), limit))
    return centre, bound, cell_at(position_in_grid(box, centre), grid), span


@inline
def search_cells(box, b, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """Find bodies whose bounding spheres are closer to that of b than the skin.

    Cells have the size of the smallest bodies. A body looks for those that are not larger than itself, so only the
    large ones look far. Among equals it looks for higher indices, which half of the surrounding cells hold.

    grid, cell_first: `linked_cells.Grid`; (cells + 1,) first body of each cell.
    k, stop: where to write, and the end of the room.
    Writes neighbours.higher: from k on. Returns the end of what was found, beyond `stop` if there was no room.
    """
    centre, bound, (x, y, z), span = search_range(box, b, skin, grid, bodies, kinds)
    for cz in range(z if grid.equal_sizes else max(z - span, 0), min(z + span + 1, grid.shape_z)):
        for cy in range(y if grid.equal_sizes and cz == z else max(y - span, 0), min(y + span + 1, grid.shape_y)):
            base = row_of(cy, cz, grid)
            begin = b + 1 if grid.equal_sizes and cy == y and cz == z else cell_first[base + max(x - span, 0)]
            end = cell_first[base + min(x + span + 1, grid.shape_x)]
            k = search_row(
                NoImages(), begin, end, b, grid.equal_sizes, grid.equal_sizes, centre, bound, skin, bodies.position,
                bodies.kind, kinds.bounding_radius, k, stop, neighbours.higher,
            )  # fmt: skip
    return k


@inline
def search_periodic(box, b, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """List bodies near b in a periodic box, where cells beyond a face are those on the other side.

    All boxes could be searched like this. But in a box that is not periodic a row of cells is one range of bodies, and
    equal bodies need only half of the cells, which makes `search_cells` faster.

    grid, cell_first, k, stop: see `search_cells`.
    Writes neighbours.higher: from k on.
    """
    _, _, cell, span = search_range(box, b, skin, grid, bodies, kinds)
    windows = windows_of(box, cell, span, grid)
    return search_windows(box, windows, b, False, skin, grid, cell_first, k, stop, bodies, kinds, neighbours)


@inline
def search_windows(box, windows, b, takes_all, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """List bodies near b in cells of which those beyond a face are the ones on the other side.

    A window that does not reach all cells tells the image that a body is near in; else the nearest one is sought.

    windows: first cell and number of cells along each axis, see `windows_of`.
    takes_all: see `search_row`.
    grid, cell_first, k, stop: see `search_cells`.
    Writes neighbours.higher: from k on. Returns the end of what was found, beyond `stop` if there was no room.
    """
    centre, bound = load(bodies.position, b), kinds.bounding_radius[bodies.kind[b]]
    (low_x, cells_x), (low_y, cells_y), (low_z, cells_z) = windows
    x = periods_beyond(low_x, grid.shape_x)
    first = low_x - x * grid.shape_x
    rest = max(first + cells_x - grid.shape_x, 0)
    known = cells_x < grid.shape_x and cells_y < grid.shape_y and cells_z < grid.shape_z
    for i in range(low_z, low_z + cells_z):
        z = periods_beyond(i, grid.shape_z)
        for j in range(low_y, low_y + cells_y):
            y = periods_beyond(j, grid.shape_y)
            base = row_of(j - y * grid.shape_y, i - z * grid.shape_z, grid)
            for n, begin, end in ((x, first, first + cells_x - rest), (x + 1, 0, rest)):
                if known:
                    k = search_row(
                        NoImages(), cell_first[base + begin], cell_first[base + end], b, takes_all, grid.equal_sizes,
                        position_in_image(box, centre, (n, y, z)), bound, skin, bodies.position, bodies.kind,
                        kinds.bounding_radius, k, stop, neighbours.higher,
                    )  # fmt: skip
                else:
                    k = search_row(
                        box, cell_first[base + begin], cell_first[base + end], b, takes_all, False, centre, bound, skin,
                        bodies.position, bodies.kind, kinds.bounding_radius, k, stop, neighbours.higher,
                    )  # fmt: skip
    return k


@inline
def periods_beyond(x, cells):
    """Periods of some cells that cell x of a window is beyond the first one: -1, 0 or 1."""
    return (1 if x >= cells else 0) - (1 if x < 0 else 0)


@inline
def window(x, span, cells, periodic):
    """First cell that may hold something near cell x, below 0 beyond a periodic face, and the number of them."""
    low = x - span if periodic else max(x - span, 0)
    high = x + span + 1 if periodic else min(x + span + 1, cells)
    return (0, cells) if high - low >= cells else (low, high - low)


@inline
def bounded_windows(box, cell, span, grid):
    """First cell and number of cells to look into, along each axis."""
    return (
        window(cell[0], span, grid.shape_x, False), window(cell[1], span, grid.shape_y, False),
        window(cell[2], span, grid.shape_z, False),
    )  # fmt: skip


@inline
def periodic_windows(box, cell, span, grid):
    """First cell and number of cells to search along each axis of a periodic box."""
    return (
        window(cell[0], span, grid.shape_x, box.length[0] > 0.0),
        window(cell[1], span, grid.shape_y, box.length[1] > 0.0),
        window(cell[2], span, grid.shape_z, box.length[2] > 0.0),
    )


windows_of = select("box", {BoxFaces: bounded_windows, PeriodicFaces: periodic_windows})
search_around = select("box", {BoxFaces: search_cells, PeriodicFaces: search_periodic})
knows_image = select("box", {NoImages: True, BoxFaces: False})


@inline
def search_row(box, begin, end, b, takes_all, equal_sizes, centre, bound, skin, position, kind, bounds, k, stop, found):
    """Append those of the bodies begin to end that are within reach; returns the new end of the list.

    begin, end: bodies of a row of cells.
    b, centre, bound: the body that looks, its centre as seen from their image, and bounding radius [m].
    takes_all: whether to list all bodies within reach, not only the smaller and, of equal ones, the second of a pair.
    equal_sizes: whether all bodies are of one size, and their image is known.
    position, kind, bounds: (3, N) [m], (N,), (G,) bounding radii [m].
    k, stop: where to write, and the end of the room.
    Writes found: from k on.
    """
    if equal_sizes and not takes_all:
        begin = max(begin, b + 1)
    if equal_sizes or (knows_image(box) and not takes_all):
        start = k
        begin, k = compare_some(begin, end, centre, (bound + bound + skin) * SLACK, position, k, stop, found)
        if not equal_sizes:
            k = keep_listed(start, k, b, centre, bound, skin, position, kind, bounds, found)
    return compare_each(
        box, begin, end, b, takes_all or equal_sizes, centre, bound, skin, position, kind, bounds, k, stop, found
    )


@inline
def is_listed(box, c, b, takes_all, centre, bound, skin, position, kind, bounds):
    """Whether body c is listed with body b: it is within reach, and smaller or, if equal, after b; as `search_row`."""
    d, bound_c = minimum_image(box, load(position, c), centre), bounds[kind[c]]
    cut_off = (bound_c + bound + skin) * SLACK
    near = dot(d, d) < cut_off * cut_off
    if not takes_all:
        near = near and (bound_c < bound or (bound_c == bound and np.int64(c) > b))
    return near


@vector_loop
def keep_listed(start, k, b, centre, bound, skin, position, kind, bounds, found):
    """Keep those found, from `start` to k, that are listed with body b; returns the new end."""
    end = start
    for m in range(start, k):
        c = found[m]
        found[end] = c
        end += 1 if is_listed(NoImages(), c, b, False, centre, bound, skin, position, kind, bounds) else 0
    return end


@inline
def compare_by_eights(begin, end, centre, reach, position, k, stop, found):
    """Append those of the bodies begin to end that are nearer than a reach [m], eight at a time; as `search_row`.

    Rows have few bodies. A loop over each ends after a number of turns that the processor cannot predict.
    Returns the first body that is left for `compare_each`, the new end of the list.
    """
    last = position.shape[1] - EIGHT
    while last >= 0 and begin < end and k + EIGHT <= stop:
        c = min(begin, last)
        k += list_near_of_eight(position, c, begin, end, centre, reach * reach, k, found)
        begin = c + EIGHT
    return begin, k


@inline
def compare_none(begin, end, centre, reach, position, k, stop, found):
    """Leave all bodies to `compare_each`, without vectors or without a compiler."""
    return begin, k


compare_some = compare_by_eights if compress.available else compare_none


@vector_loop
def compare_each(box, begin, end, b, takes_all, centre, bound, skin, position, kind, bounds, k, stop, found):
    """Append those of the bodies begin to end that are within reach, as `search_row`.

    No branch on the distance: every body is written, and counts if it is near.
    """
    for c in range(begin, end):
        if k < stop:
            found[k] = c
        k += 1 if is_listed(box, c, b, takes_all, centre, bound, skin, position, kind, bounds) else 0
    return k


# Bodies that unbreakable bonds connect never touch: they are left out of the list. Bodies whose bonds may break are
# listed, and have no contact while these bonds are intact, see ``overlap_release``.


@vector_loop
def without_bonded(b, found, apart_first, apart, higher):
    """Remove excluded bodies from those found near body b; returns the number of those left.

    b, found: body, and how many were found near it.
    apart_first, apart: of `ExcludedPairs`.
    Writes higher: those found.
    """
    n = 0
    for m in range(found):
        c, meets = higher[m], 1
        for e in range(apart_first[b], apart_first[b + 1]):
            meets = 0 if apart[e] == c else meets
        higher[n] = c
        n += meets
    return n


lasting_or_not = select("brittle", {Lasting: without_bonded, Brittle: argument("found")}, handed=False)


@inline
def remove_bonded(bonds, b, found, higher):
    """Exclude bonded bodies from those found near body b; returns the number of those left."""
    return lasting_or_not(bonds.form.brittle, b, found, bonds.excluded.apart_first, bonds.excluded.apart, higher)


exclude_bonded = select("bonds", {NoBonds: argument("found"), object: remove_bonded})


@inline
def store_pairs(b, start, found, stop, bodies, kinds, neighbours):
    """Store the bodies found for body b as pairs in order of identity; returns their end.

    start, found, stop: where the bodies begin and end in `neighbours.higher`, and the end of the room.
    Writes neighbours.lower, neighbours.higher: from start on.
    """
    if found > stop:
        return found
    found = start + exclude_bonded(neighbours.bonds, b, found - start, neighbours.higher[start:found])
    if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
        found = start + leave_out_fixed(found - start, bodies.kind, kinds.inverse_mass, neighbours.higher[start:found])
    order_pairs(b, bodies.identity, neighbours.lower[start:found], neighbours.higher[start:found])
    return found


@inline
def end_body(b, high, unchecked, end, stop, skin, bodies, kinds, neighbours, box):
    """End the pairs of body b, the last one of which is `high` - 1; check pairs if there are enough of them.

    Bodies that are no spheres are closer than their bounding spheres tell: those of a few bodies are checked together.

    unchecked: first body whose pairs have not been checked. end, stop: of the pairs, and the end of the room.
    Writes neighbours.first, neighbours.count: of the bodies.
    Writes neighbours.lower, neighbours.higher, neighbours.candidate_range: of their pairs; the last is scratch.
    Returns the first body whose pairs have not been checked, the end of the pairs.
    """
    neighbours.count[b] = end - neighbours.first[b]
    if kinds.all_single_spheres or (end - neighbours.first[unchecked] < CHECKED_TOGETHER and b + 1 < high):
        return unchecked, end
    if end <= stop:
        flag_pairs(neighbours.first[unchecked], end, skin, bodies, kinds, neighbours, box)
        end = neighbours.first[unchecked]
        for each in range(unchecked, b + 1):
            first, last = neighbours.first[each], neighbours.first[each] + neighbours.count[each]
            neighbours.first[each] = end
            end = move_flagged(first, last, end, neighbours.candidate_range, neighbours.lower, neighbours.higher)
            neighbours.count[each] = end - neighbours.first[each]
    return b + 1, end


@inline
def flag_pairs(first, last, skin, bodies, kinds, neighbours, box):
    """Flag the pairs first to last of bodies that may touch, in `Neighbours.candidate_range`; see `flag_near`."""
    flag_near(
        box, skin, neighbours.lower[first:last], neighbours.higher[first:last], bodies.position, bodies.orientation,
        bodies.kind, kinds.max_sphere_offset, kinds.bounding_radius, kinds.is_collinear,
        neighbours.candidate_range[first:last],
    )  # fmt: skip


@vector_loop
def order_pairs(b, identity, lower, higher):
    """Pairs of body b and the bodies in `higher`, lower identity first."""
    for m in range(higher.size):
        c = higher[m]
        b_first = identity[b] < identity[c]
        lower[m] = b if b_first else c
        higher[m] = c if b_first else b


@vector_loop
def move_flagged(first, last, end, near, lower, higher):
    """Move those of the pairs first to last that are flagged to the end of others; returns the new end."""
    for p in range(first, last):
        lower[end], higher[end] = lower[p], higher[p]
        end += near[p]
    return end


@vector_loop
def flag_near(box, skin, lower, higher, position, orientation, kind, tip, bound, is_collinear, near):
    """Flag the pairs of bodies whose capsules are closer than the skin.

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
        x = minimum_image(box, load(position, b), load(position, c))
        u, v = body_x(load_quaternion(orientation, b)), body_x(load_quaternion(orientation, c))
        d2 = rod_distance_squared(x, u, v, tip[g], tip[h])
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
def list_entries(needed, bodies, neighbours):
    """Fill first_entry and body_entries from the pairs, if there was room for all pairs of each chunk.

    Returns the largest number of pairs of a chunk, and the entries needed; fills nothing if there is no room.
    """
    max_room = np.int64(0)
    for c in range(needed.size):
        max_room = max(max_room, needed[c])
    if max_room > pair_room(neighbours):
        return max_room, np.int64(0)
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
                append_entry(i, entry_key(bodies.identity[j], p, 0), neighbours)
                append_entry(j, entry_key(bodies.identity[i], p, 1), neighbours)
        for b in range(n):
            sort_short(neighbours.body_entries, first[b], neighbours.entry_count[b])
    return max_room, first[n]


@inline
def append_entry(b, key, neighbours):
    """Append an entry to the list of body b, and count it in `entry_count`."""
    neighbours.body_entries[neighbours.first_entry[b] + neighbours.entry_count[b]] = key
    neighbours.entry_count[b] += 1


@inline
def scan_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box, needed):
    """List the pairs of a chunk.

    c: its number.
    grid, cell_first: see `search_chunk`.
    Writes neighbours, needed: as `search`.
    """
    needed[c] = search_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box)


@inline
def scan_one_by_one(chunks, skin, grid, cell_first, bodies, kinds, neighbours, box, needed):
    """List the pairs of all chunks, see `scan_chunk`, in one thread."""
    for c in range(chunks):
        scan_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box, needed)


scan_chunks = select("mode", {Serial: scan_one_by_one, Threaded: spread(scan_chunk)}, handed=False)


@fast_call
def search(mode, skin, grid, cell_first, bodies, kinds, neighbours, box, needed):
    """List the pairs of all bodies; returns what `list_entries` does.

    grid, cell_first: see `search_chunk`.
    Writes neighbours: as `search_chunk`. Writes needed: (C,) room for pairs that each chunk wants.
    """
    scan_chunks(mode, needed.size, skin, grid, cell_first, bodies, kinds, neighbours, box, needed)
    return list_entries(needed, bodies, neighbours)
