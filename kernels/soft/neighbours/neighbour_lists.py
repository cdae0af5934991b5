"""Making lists, over all chunks: bodies put in order, neighbours searched, and pairs listed; by threads or without."""

from dem.kernels.compiler.jit import inline, kernel, select, spread
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded, chunk_of
from dem.kernels.soft.neighbours import linked_cells
from dem.kernels.soft.neighbours.body_pairs import list_entries
from dem.kernels.soft.neighbours.body_pairs import search as search_chunk


@inline
def take_chunk(c, order, row, scratch):
    """Put a chunk of a row in order, in scratch."""
    low, high = chunk_of(c, order.size)
    linked_cells.take(low, high, row, order, scratch)


@inline
def copy_chunk(c, row, scratch):
    """Copy the entries of chunk c of a row back from scratch."""
    low, high = chunk_of(c, row.size)
    linked_cells.copy(low, high, scratch, row)


take_chunks, copy_chunks = spread(take_chunk), spread(copy_chunk)


@kernel
def reorder(order, rows, scratch):
    """Permute each row of a component-major array (R, N): new index b holds what old index order[b] held."""
    chunks = (order.size + CHUNK - 1) // CHUNK
    for r in range(rows.shape[0]):
        take_chunks(chunks, order, rows[r], scratch)
        copy_chunks(chunks, rows[r], scratch)


@inline
def note_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of a chunk.

    c: its number.
    grid, cell_first: see `dem.kernels.soft.neighbours.body_pairs.search`.
    Writes neighbours, wanted: as `search_serial`.
    """
    wanted[c] = search_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box)


@kernel
def search_serial(skin, grid, cell_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of all bodies, and the room that each chunk wants.

    grid, cell_first: see `dem.kernels.soft.neighbours.body_pairs.search`.
    Writes neighbours: as `dem.kernels.soft.neighbours.body_pairs.search`. Writes wanted: (C,) room for pairs.
    """
    for c in range(wanted.size):
        note_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box, wanted)
    return list_entries(wanted, bodies, neighbours)


note_chunks = spread(note_chunk)


@kernel
def search_threaded(skin, grid, cell_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of all bodies, and the room that each chunk wants, by threads.

    grid, cell_first: see `dem.kernels.soft.neighbours.body_pairs.search`.
    Writes neighbours, wanted: as `search_serial`.
    """
    note_chunks(wanted.size, skin, grid, cell_first, bodies, kinds, neighbours, box, wanted)
    return list_entries(wanted, bodies, neighbours)


search = select("mode", {Serial: search_serial, Threaded: search_threaded}, handed=False)
