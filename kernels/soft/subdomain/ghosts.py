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
from dem.kernels.compiler.jit import func, inline, kernel, select, spread
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import PeriodicFaces
from dem.kernels.numerics.vector import load
from dem.kernels.soft.chunks import Serial, Threaded, chunk_of
from dem.kernels.soft.neighbours.body_pairs import (
    SLACK,
    keep_pairs,
    list_entries,
    pair_room,
    reached,
    search_row,
    window,
)
from dem.kernels.soft.neighbours.body_pairs import search as search_owned
from dem.kernels.soft.neighbours.body_pairs import search_around as search_border_around
from dem.kernels.soft.neighbours.linked_cells import cell_at, row_of


@inline
def chunks_of_ghosts(neighbours):
    """Number of chunks that hold ghosts, which come before all blocks."""
    return neighbours.block[0]


@inline
def closed_windows(box, cell, span, grid):
    """First cell and number of cells to look into, along each axis."""
    return (
        window(cell[0], span, grid.shape_x, False), window(cell[1], span, grid.shape_y, False),
        window(cell[2], span, grid.shape_z, False),
    )  # fmt: skip


@inline
def folded_windows(box, cell, span, grid):
    """First cell and number of cells to search along each axis of a periodic box."""
    return (
        window(cell[0], span, grid.shape_x, box.length[0] > 0.0),
        window(cell[1], span, grid.shape_y, box.length[1] > 0.0),
        window(cell[2], span, grid.shape_z, box.length[2] > 0.0),
    )


windows = select("box", {BoxFaces: closed_windows, PeriodicFaces: folded_windows})


@inline
def search_around(box, b, skin, largest, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """Bodies of this rank whose bounding spheres come closer to that of ghost b than the skin, whatever their size.

    largest: bounding radius of all bodies [m].
    grid, cell_first, k, stop: see `dem.kernels.soft.neighbours.body_pairs.search_cells`.
    Writes neighbours.higher: from k on. Returns the end of what was found, beyond `stop` if there was no room.
    """
    centre, bound = load(bodies.position, b), kinds.bounding_radius[bodies.kind[b]]
    most = max(grid.shape_x, grid.shape_y, grid.shape_z)
    span = np.int64(min(math.ceil((bound + largest + skin) * SLACK / grid.size), most))
    (low_x, cells_x), (low_y, cells_y), (low_z, cells_z) = windows(box, cell_at(centre, grid), span, grid)
    first = low_x % grid.shape_x
    rest = max(first + cells_x - grid.shape_x, 0)
    for i in range(cells_z):
        for j in range(cells_y):
            base = row_of((low_y + j) % grid.shape_y, (low_z + i) % grid.shape_z, grid)
            for begin, end in ((first, first + cells_x - rest), (0, rest)):
                k = search_row(
                    box, cell_first[base + begin], cell_first[base + end], b, True, centre, bound, skin,
                    bodies.position, bodies.kind, kinds.bounding_radius, k, stop, neighbours.higher,
                )  # fmt: skip
    return k


@func
def search_ghosts(c, ghosts, skin, largest, grid, cell_first, bodies, kinds, neighbours, box):
    """List the pairs of the ghosts of chunk c; returns the room needed.

    See `kernels.soft.neighbours.body_pairs.search`.

    ghosts: their number; indices after them in their chunks are unused.
    largest, grid, cell_first: see `search_around`.
    Writes neighbours: as `dem.kernels.soft.neighbours.body_pairs.search`.
    """
    room = pair_room(neighbours)
    start = c * room
    end = start
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        neighbours.first[b] = end
        if b < ghosts:
            found = search_around(box, b, skin, largest, grid, cell_first, end, start + room, bodies, kinds, neighbours)
            end = keep_pairs(b, skin, end, found, start + room, bodies, kinds, neighbours, box)
        neighbours.count[b] = end - neighbours.first[b]
    if end - start <= room:
        neighbours.first_chunk_reached[c], neighbours.last_chunk_reached[c] = reached(
            low, neighbours.lower[start:end], neighbours.higher[start:end]
        )
    return end - start


@func
def search_border(c, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box):
    """List the pairs of the border bodies of chunk c, with each other and with inner bodies.

    largest, grid, cell_first: see `search_around`.
    inner_first: (cells + 1,) the first of the inner bodies of each cell.
    Writes neighbours: as `dem.kernels.soft.neighbours.body_pairs.search`.
    Returns the room needed, see `dem.kernels.soft.neighbours.body_pairs.search`.
    """
    room = pair_room(neighbours)
    start = c * room
    end, stop = start, start + room
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        neighbours.first[b] = end
        if b < bodies.n_active[0]:
            found = search_border_around(box, b, skin, grid, cell_first, end, stop, bodies, kinds, neighbours)
            found = search_around(box, b, skin, largest, grid, inner_first, found, stop, bodies, kinds, neighbours)
            end = keep_pairs(b, skin, end, found, stop, bodies, kinds, neighbours, box)
        neighbours.count[b] = end - neighbours.first[b]
    if end - start <= room:
        neighbours.first_chunk_reached[c], neighbours.last_chunk_reached[c] = reached(
            low, neighbours.lower[start:end], neighbours.higher[start:end]
        )
    return end - start


@inline
def note_chunk(c, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of a chunk, of ghosts or of bodies of this rank.

    ghosts, largest, grid, cell_first: see `search_ghosts`.
    inner, inner_first: first chunk of the inner bodies, see `search_border`.
    Writes neighbours, wanted: as `search_serial`.
    """
    if c < chunks_of_ghosts(neighbours):
        wanted[c] = search_ghosts(c, ghosts, skin, largest, grid, cell_first, bodies, kinds, neighbours, box)
    elif c < inner:
        wanted[c] = search_border(c, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box)
    else:
        wanted[c] = search_owned(c, skin, grid, inner_first, bodies, kinds, neighbours, box)


@kernel
def search_serial(ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of all bodies, and the room that each chunk needs.

    ghosts, inner, largest, grid, cell_first, inner_first: see `note_chunk`.
    Writes neighbours: as `dem.kernels.soft.neighbours.body_pairs.search`. Writes wanted: (C,) room for pairs.
    """
    for c in range(wanted.size):
        note_chunk(
            c, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, wanted
        )
    return list_entries(wanted, bodies, neighbours)


note_chunks = spread(note_chunk)


@kernel
def search_threaded(
    ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, wanted
):
    """List the pairs of all bodies and ghosts, and the room that each chunk needs, by threads.

    ghosts, inner, largest, grid, cell_first, inner_first: see `note_chunk`.
    Writes neighbours, wanted: as `search_serial`.
    """
    note_chunks(
        wanted.size, ghosts, inner, skin, largest, grid, cell_first, inner_first, bodies, kinds, neighbours, box, wanted
    )
    return list_entries(wanted, bodies, neighbours)


search = select("mode", {Serial: search_serial, Threaded: search_threaded}, handed=False)
