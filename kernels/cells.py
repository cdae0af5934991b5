"""Linked cells: sort bodies into cells and list for each the others it may meet while the list lasts.

Allen & Tildesley, Computer Simulation of Liquids, section 5.3. Bodies are put into cell order first, so that
neighbours in space are neighbours in memory and three cells in a row are one contiguous stretch of slots.
"""

import numpy as np

from kernels.geometry import segment_distance_squared
from kernels.jit import kernel, loop
from kernels.vector import dot, load, subtract

SLACK = 1.0 + 1e-9  # cut-offs are stretched by this, so that rounding never loses a pair


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


@kernel
def may_meet(b, c, skin, bodies, kinds):
    """Whether two bodies come closer than the skin: by bounding spheres, then by capsules."""
    g = bodies.kind[b]
    h = bodies.kind[c]
    cut_off = (kinds.bound[g] + kinds.bound[h] + skin) * SLACK
    gap = subtract(load(bodies.position, b), load(bodies.position, c))
    if dot(gap, gap) >= cut_off * cut_off:
        return False
    if kinds.tip[g] == 0.0 and kinds.tip[h] == 0.0:
        return True
    return capsules_meet(b, c, skin, bodies, kinds)


@kernel
def capsules_meet(b, c, skin, bodies, kinds):
    """Whether the capsules about two bodies come closer than the skin.

    Spheres on a line lie inside the capsule about it, so this loses no pair; it keeps one fibre pair in four
    of those whose bounding spheres meet. Bodies that are not on a line count as met.
    """
    g = bodies.kind[b]
    h = bodies.kind[c]
    if kinds.on_line[g] == 0 or kinds.on_line[h] == 0:
        return True
    s = bodies.sphere_position
    d2 = segment_distance_squared(
        load(s, bodies.first_sphere[b]), load(s, bodies.first_sphere[b + 1] - 1),
        load(s, bodies.first_sphere[c]), load(s, bodies.first_sphere[c + 1] - 1),
    )  # fmt: skip
    cut_off = (kinds.bound[g] - kinds.tip[g] + kinds.bound[h] - kinds.tip[h] + skin) * SLACK
    return d2 < cut_off * cut_off


@kernel
def list_neighbours(skin, shape, cell, cell_first, bodies, kinds, neighbours):
    """Fill first, count, owned and partner for bodies that are in cell order; returns the entries needed.

    More entries than the arrays hold are counted but not written: the caller makes room and calls again.
    """
    capacity = neighbours.partner.size
    entry = np.int64(0)
    for b in range(bodies.kind.size):
        first = entry
        x, yz = cell[b] % shape[0], cell[b] // shape[0]
        y, z = yz % shape[1], yz // shape[1]
        for cz in range(max(z - 1, 0), min(z + 2, shape[2])):
            for cy in range(max(y - 1, 0), min(y + 2, shape[1])):
                row = shape[0] * (cy + shape[1] * cz)
                for c in range(cell_first[row + max(x - 1, 0)], cell_first[row + min(x + 2, shape[0])]):
                    if c != b and may_meet(b, c, skin, bodies, kinds):
                        if entry < capacity:
                            neighbours.partner[entry] = c
                        entry += 1
        neighbours.first[b] = first
        neighbours.count[b] = entry - first
        if entry <= capacity:
            sort_by_identity(neighbours.partner, first, entry, bodies.identity)
            owned = first
            while owned < entry and bodies.identity[neighbours.partner[owned]] < bodies.identity[b]:
                owned += 1
            neighbours.owned[b] = owned - first
    return entry


@kernel
def sort_by_identity(partner, start, stop, identity):
    """Insertion sort of the short list partner[start:stop] by identity."""
    for k in range(start + 1, stop):
        c = partner[k]
        m = k
        while m > start and identity[partner[m - 1]] > identity[c]:
            partner[m] = partner[m - 1]
            m -= 1
        partner[m] = c


@kernel
def join_twins(first, count, owned, partner, twin):
    """For each entry, the entry of the same pair at the other body."""
    for b in range(first.size):
        for e in range(first[b] + owned[b], first[b] + count[b]):
            c = partner[e]
            t = first[c]
            while partner[t] != b:
                t += 1
            twin[e] = t
            twin[t] = e
