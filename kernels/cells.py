"""Linked cells: sort bodies into cells, and keep them in memory in that order.

Allen & Tildesley, Computer Simulation of Liquids, section 5.3. Neighbours in space are then neighbours in memory, and
three cells in a row are one contiguous stretch of slots.
"""

import numpy as np

from kernels.jit import kernel, loop


@loop
def bounding_box(position, lower, upper):
    """Smallest box that holds all centres, written to lower and upper (3,)."""
    for axis in range(3):
        low = position[axis, 0]
        high = low
        for b in range(position.shape[1]):
            x = position[axis, b]
            low = min(low, x)
            high = max(high, x)
        lower[axis] = low
        upper[axis] = high


@kernel
def cell_order(position, lower, scale, shape, cell, cell_first, order):
    """Counting sort of the bodies by cell: slots of cell c are order[cell_first[c]:cell_first[c + 1]].

    There are shape (3,) cells, scale (3,) of them a metre, from the corner lower (3,) on.
    """
    n = position.shape[1]
    cells = shape[0] * shape[1] * shape[2]
    for c in range(cells + 1):
        cell_first[c] = 0
    for b in range(n):
        c = np.int64(0)
        for axis in range(2, -1, -1):
            i = np.int64((position[axis, b] - lower[axis]) * scale[axis])
            c = c * shape[axis] + min(max(i, 0), shape[axis] - 1)
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


@loop
def reorder(order, rows, scratch):
    """Permute each row of a component-major array (R, N): new slot b holds what old slot order[b] held."""
    for r in range(rows.shape[0]):
        for b in range(order.size):
            scratch[b] = rows[r, order[b]]
        for b in range(order.size):
            rows[r, b] = scratch[b]
