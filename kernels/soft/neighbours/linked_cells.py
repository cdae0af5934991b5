"""Linked cells: sort bodies into cells, and store them in memory in that order.

Allen & Tildesley, Computer Simulation of Liquids, section 5.3. Neighbours in space are then neighbours in memory, and
three cells in a row are one contiguous stretch of indices.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, spread, vector_loop
from dem.kernels.numerics.vector import load
from dem.kernels.soft.chunks import CHUNK, chunk_of


class Grid(NamedTuple):
    """Grid of cells for the neighbour search."""

    shape_x: int  # cells along x
    shape_y: int
    shape_z: int
    lower_x: float  # corner of the first cell [m]
    lower_y: float
    lower_z: float
    scale_x: float  # cells a metre
    scale_y: float
    scale_z: float
    size: float  # shortest edge of a cell [m]
    equal_sizes: bool  # all bodies have the same bounding sphere


@inline
def cell_along(x, lower, scale, cells):
    """Number of the cell of a coordinate x along one axis."""
    return min(max(np.int64((x - lower) * scale), 0), cells - 1)


@inline
def cell_at(x, grid):
    """Cell that holds the point x, along each axis."""
    return (
        cell_along(x[0], grid.lower_x, grid.scale_x, grid.shape_x),
        cell_along(x[1], grid.lower_y, grid.scale_y, grid.shape_y),
        cell_along(x[2], grid.lower_z, grid.scale_z, grid.shape_z),
    )


@inline
def row_of(y, z, grid):
    """Number of the first cell of the row along x at y and z."""
    return grid.shape_x * (y + grid.shape_y * z)


@kernel
def cell_order(position, left, grid, cell, cell_first, order):
    """Counting sort of the bodies by cell: bodies of cell c are order[cell_first[c]:cell_first[c + 1]].

    Those that have left, (1, N) of `Bodies`, come last, in a cell of their own; returns the number of the others.
    """
    n = position.shape[1]
    outside = grid.shape_x * grid.shape_y * grid.shape_z
    cells = outside + 1
    for c in range(cells + 1):
        cell_first[c] = 0
    for b in range(n):
        x, y, z = cell_at(load(position, b), grid)
        c = outside if left[0, b] != 0 else row_of(y, z, grid) + x
        cell[b] = c
        cell_first[c + 1] += 1
    for c in range(cells):
        cell_first[c + 1] += cell_first[c]
    for b in range(n - 1, -1, -1):
        c = cell[b]
        cell_first[c + 1] -= 1
        order[cell_first[c + 1]] = b
    for c in range(cells):
        cell_first[c] = cell_first[c + 1]
    cell_first[cells] = n
    return cell_first[outside]


@vector_loop
def take(low, high, source, order, target):
    """target[b] = source[order[b]] for the bodies low to high."""
    for b in range(low, high):
        target[b] = source[order[b]]


@vector_loop
def copy(low, high, source, target):
    """target[b] = source[b] for the bodies low to high."""
    for b in range(low, high):
        target[b] = source[b]


@inline
def take_chunk(c, order, row, scratch):
    """Copy a chunk of a row in the new order to scratch."""
    low, high = chunk_of(c, order.size)
    take(low, high, row, order, scratch)


@inline
def copy_chunk(c, row, scratch):
    """Copy the entries of chunk c of a row back from scratch."""
    low, high = chunk_of(c, row.size)
    copy(low, high, scratch, row)


take_chunks, copy_chunks = spread(take_chunk), spread(copy_chunk)


@kernel
def reorder(order, rows, scratch):
    """Permute each row of a component-major array (R, N): new index b gets the value of old index order[b]."""
    chunks = (order.size + CHUNK - 1) // CHUNK
    for r in range(rows.shape[0]):
        take_chunks(chunks, order, rows[r], scratch)
        copy_chunks(chunks, rows[r], scratch)
