"""Making lists, over all chunks: bodies put in order, neighbours searched, and pairs listed; by threads or without."""

from numba import prange

from kernels.base.jit import kernel, threaded
from kernels.soft import cells
from kernels.soft.chunks import CHUNK, by_mode, chunk_of
from kernels.soft.neighbours import list_entries
from kernels.soft.neighbours import search as search_chunk


@threaded
def reorder(order, rows, scratch):
    """Permute each row of a component-major array (R, N): new index b holds what old index order[b] held."""
    n = order.size
    for r in range(rows.shape[0]):
        for c in prange((n + CHUNK - 1) // CHUNK):
            low, high = chunk_of(c, n)
            cells.take(low, high, rows[r], order, scratch)
        for c in prange((n + CHUNK - 1) // CHUNK):
            low, high = chunk_of(c, n)
            cells.copy(low, high, scratch, rows[r])


@kernel
def search_serial(skin, grid, cell_first, bodies, kinds, neighbours, box, wanted):
    """List the pairs of all bodies, and the room that each chunk wants.

    Parameters
    ----------
    skin, grid, cell_first, bodies, kinds, box : see `kernels.soft.neighbours.search`

    Writes
    ------
    neighbours : as `kernels.soft.neighbours.search`
    wanted : (C,) room for pairs
    """
    for c in range(wanted.size):
        wanted[c] = search_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box)
    return list_entries(wanted, bodies, neighbours)


@threaded
def search_threaded(skin, grid, cell_first, bodies, kinds, neighbours, box, wanted):
    """The same by threads.

    Parameters
    ----------
    skin, grid, cell_first, bodies, kinds, box : see `kernels.soft.neighbours.search`

    Writes
    ------
    neighbours, wanted : as `search_serial`
    """
    for c in prange(wanted.size):
        wanted[c] = search_chunk(c, skin, grid, cell_first, bodies, kinds, neighbours, box)
    return list_entries(wanted, bodies, neighbours)


search = by_mode(search_serial, search_threaded)
