"""Ghosts: copies of bodies of other ranks that may touch bodies of this rank, and the search for their pairs.

Ghosts have the first indices, in chunks of their own, and are never gathered, corrected or predicted: after each
prediction their motion is received from the rank that moves them. A pair of a ghost and a body of this rank is stored
with the ghost; pairs of two ghosts are not listed. So sums over the chunks of ghosts are those over the pairs that
another rank evaluates as well, bit for bit.

Next come the bodies that are ghosts of other ranks, filled up to whole chunks: the border. Ghosts have pairs with the
border only, and a pair of a border body and an inner body is stored with the border. So the border can be moved first
and be sent while the inner bodies are moved. Border and inner bodies are each in cell order, with their own cell table.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import fast_call, func, inline, select, spread
from dem.kernels.domain.periodic import position_in_grid
from dem.kernels.numerics.vector import load
from dem.kernels.soft.chunks import Serial, Threaded, chunk_of
from dem.kernels.soft.neighbours.linked_cells import cell_at
from dem.kernels.soft.neighbours.neighbour_list import (
    SLACK,
    end_body,
    list_entries,
    pair_room,
    record_pairs,
    search_around,
    search_chunk,
    search_windows,
    store_pairs,
    windows_of,
)


@inline
def search_other_table(box, b, skin, largest, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """Find the bodies of a cell table, which lacks body b, with bounding spheres within the skin of that of b.

    largest: bounding radius of all bodies [m].
    grid, cell_first, k, stop: see `dem.kernels.soft.neighbours.neighbour_list.search_cells`.
    Writes neighbours.higher: from k on. Returns the end of what was found, beyond `stop` if there was no room.
    """
    centre, bound = load(bodies.position, b), kinds.bounding_radius[bodies.kind[b]]
    limit = max(grid.shape_x, grid.shape_y, grid.shape_z)
    span = np.int64(min(math.ceil((bound + largest + skin) * SLACK / grid.size), limit))
    windows = windows_of(box, cell_at(position_in_grid(box, centre), grid), span, grid)
    return search_windows(box, windows, b, True, skin, grid, cell_first, k, stop, bodies, kinds, neighbours)


@func
def search_ghosts(c, ghosts, skin, largest, grid, cell_first, bodies, kinds, neighbours, box):
    """List the pairs of the ghosts of chunk c; returns the room needed.

    See `dem.kernels.soft.neighbours.neighbour_list.search_chunk`.

    ghosts: their number; indices after them in their chunks are unused.
    largest, grid, cell_first: see `search_other_table`.
    Writes neighbours: as `dem.kernels.soft.neighbours.neighbour_list.search_chunk`.
    """
    end = c * pair_room(neighbours)
    stop = end + pair_room(neighbours)
    low, high = chunk_of(c, bodies.kind.size)
    unchecked = low
    for b in range(low, high):
        neighbours.first[b] = end
        if b < ghosts:
            found = search_other_table(box, b, skin, largest, grid, cell_first, end, stop, bodies, kinds, neighbours)
            end = store_pairs(b, end, found, stop, bodies, kinds, neighbours)
        unchecked, end = end_body(b, high, unchecked, end, stop, skin, bodies, kinds, neighbours, box)
    return record_pairs(c, end, neighbours)


@func
def search_border(c, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box):
    """List the pairs of the border bodies of chunk c, with each other and with inner bodies.

    largest, grid, cell_first: see `search_other_table`.
    inner_first: (cells + 1,) the first of the inner bodies of each cell.
    Writes neighbours: as `dem.kernels.soft.neighbours.neighbour_list.search_chunk`.
    Returns the room needed, see `dem.kernels.soft.neighbours.neighbour_list.search_chunk`.
    """
    end = c * pair_room(neighbours)
    stop = end + pair_room(neighbours)
    low, high = chunk_of(c, bodies.kind.size)
    unchecked = low
    for b in range(low, high):
        neighbours.first[b] = end
        if b < bodies.n_active[0]:
            found = search_around(box, b, skin, grid, cell_first, end, stop, bodies, kinds, neighbours)
            found = search_other_table(box, b, skin, largest, grid, inner_first, found, stop, bodies, kinds, neighbours)
            end = store_pairs(b, end, found, stop, bodies, kinds, neighbours)
        unchecked, end = end_body(b, high, unchecked, end, stop, skin, bodies, kinds, neighbours, box)
    return record_pairs(c, end, neighbours)


@inline
def scan_chunk(c, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, needed):
    """List the pairs of a chunk, of ghosts or of bodies of this rank.

    ghosts, largest, grid, cell_first: see `search_ghosts`.
    inner, inner_first: first chunk of the inner bodies, see `search_border`.
    Writes neighbours, needed: as `search`.
    """
    if c < neighbours.block[0]:  # chunks of ghosts come before all blocks
        needed[c] = search_ghosts(c, ghosts, skin, largest, grid, cell_first, bodies, kinds, neighbours, box)
    elif c < inner:
        needed[c] = search_border(c, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box)
    else:
        needed[c] = search_chunk(c, skin, grid, inner_first, bodies, kinds, neighbours, box)


@inline
def scan_one_by_one(
    chunks, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, needed
):
    """List the pairs of all chunks, see `scan_chunk`, in one thread."""
    for c in range(chunks):
        scan_chunk(
            c, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, needed
        )


scan_chunks = select("mode", {Serial: scan_one_by_one, Threaded: spread(scan_chunk)}, handed=False)


@fast_call
def search(mode, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, needed):
    """List the pairs of all bodies and ghosts; returns what `list_entries` does.

    ghosts, inner, largest, grid, cell_first, inner_first: see `scan_chunk`.
    Writes neighbours: as `dem.kernels.soft.neighbours.neighbour_list.search_chunk`. Writes needed: (C,) room for pairs
        that each chunk wants.
    """
    scan_chunks(
        mode, needed.size, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box,
        needed,
    )  # fmt: skip
    return list_entries(needed, bodies, neighbours)
