"""Neighbours: the pairs of bodies that may meet while the list lasts, and each body's own list of them."""

from kernels.chunks import chunk_of
from kernels.geometry import segment_distance_squared
from kernels.jit import formula, kernel
from kernels.quaternion import body_x, load_quaternion
from kernels.vector import add_scaled, dot, load, subtract

GROUP = 4  # entries of a body are gathered in groups of this many, see contact.gather_round
SLACK = 1.0 + 1e-9  # cut-offs are stretched by this, so that rounding never loses a pair


@kernel
def search(c, skin, shape, cell, cell_first, bodies, kinds, neighbours):
    """Fill first, count, lower and higher for the bodies of chunk c, in cell order; returns the room needed.

    Half of the surrounding cells hold all higher slots: the rest of the row, and four rows of three cells.
    More pairs than the chunk's segment holds are counted but not written: the caller makes room and calls again.
    """
    room = (neighbours.lower.size - 1) // neighbours.pairs.size
    start = c * room
    k = start
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        neighbours.first[b] = k
        x, yz = cell[b] % shape[0], cell[b] // shape[0]
        y, z = yz % shape[1], yz // shape[1]
        low, high = max(x - 1, 0), min(x + 2, shape[0])
        for row in range(5):
            # rows (y, z), (y + 1, z), (y - 1, z + 1), (y, z + 1), (y + 1, z + 1)
            cy = y if row == 0 else (y + 1 if row == 1 else y + row - 3)
            cz = z if row < 2 else z + 1
            if 0 <= cy < shape[1] and cz < shape[2]:
                base = shape[0] * (cy + shape[1] * cz)
                begin = b + 1 if row == 0 else cell_first[base + low]
                k = search_row(b, begin, cell_first[base + high], skin, k, start + room, bodies, kinds, neighbours)
        neighbours.count[b] = k - neighbours.first[b]
    return k - start


@formula
def search_row(b, begin, end, skin, k, stop, bodies, kinds, neighbours):
    """Append those of the slots begin to end that may meet body b; returns the new end of the list.

    Spheres go through without a branch: written always, counted if near.
    """
    g = bodies.kind[b]
    x = load(bodies.position, b)
    round_body = kinds.tip[g] == 0.0
    for c in range(begin, end):
        h = bodies.kind[c]
        gap = subtract(load(bodies.position, c), x)
        cut_off = (kinds.bound[g] + kinds.bound[h] + skin) * SLACK
        near = dot(gap, gap) < cut_off * cut_off
        if not (round_body and kinds.tip[h] == 0.0):
            near = near and capsules_meet(b, c, skin, bodies, kinds)
        if k < stop:
            in_order = bodies.identity[b] < bodies.identity[c]
            neighbours.lower[k] = b if in_order else c
            neighbours.higher[k] = c if in_order else b
        k += near
    return k


@kernel
def capsules_meet(b, c, skin, bodies, kinds):
    """Whether the capsules about two bodies come closer than the skin.

    Equal spheres on a line, body x, lie inside the capsule about it, so this loses no pair; it keeps one fibre pair in
    four of those whose bounding spheres meet. Bodies that are not on a line count as met.
    """
    g, h = bodies.kind[b], bodies.kind[c]
    if kinds.on_line[g] == 0 or kinds.on_line[h] == 0:
        return True
    x_b, x_c = load(bodies.position, b), load(bodies.position, c)
    u, w = body_x(load_quaternion(bodies.orientation, b)), body_x(load_quaternion(bodies.orientation, c))
    d2 = segment_distance_squared(
        add_scaled(x_b, -kinds.tip[g], u),
        add_scaled(x_b, kinds.tip[g], u),
        add_scaled(x_c, -kinds.tip[h], w),
        add_scaled(x_c, kinds.tip[h], w),
    )
    cut_off = (kinds.bound[g] - kinds.tip[g] + kinds.bound[h] - kinds.tip[h] + skin) * SLACK
    return d2 < cut_off * cut_off


@formula
def whole_groups(n):
    """N rounded up to whole groups."""
    return (n + GROUP - 1) // GROUP * GROUP


@formula
def entry_key(partner_identity, pair, side):
    """An entry as one integer that sorts by the partner's identity; side 1 is that of the higher identity."""
    return (partner_identity << 32) | (pair << 1) | side


@formula
def entry_pair(key):
    """Pair of an entry; its lowest bit is the side."""
    return (key & 0xFFFFFFFF) >> 1


@kernel
def list_entries(bodies, neighbours):
    """Fill first_entry and entry from the pairs; returns the entries needed, and fills nothing if that is too many."""
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
        first[b + 1] = first[b] + whole_groups(first[b + 1]) + 2 * GROUP
    if first[n] <= neighbours.entry.size:
        for b in range(n):
            for p in range(neighbours.first[b], neighbours.first[b] + neighbours.count[b]):
                i, j = neighbours.lower[p], neighbours.higher[p]
                insert_entry(i, entry_key(bodies.identity[j], p, 0), neighbours)
                insert_entry(j, entry_key(bodies.identity[i], p, 1), neighbours)
    return first[n]


@formula
def insert_entry(b, key, neighbours):
    """Insert into the short sorted list of body b, whose length so far is entry_count[b]."""
    entry = neighbours.entry
    start = neighbours.first_entry[b]
    m = start + neighbours.entry_count[b]
    neighbours.entry_count[b] += 1
    while m > start and entry[m - 1] > key:
        entry[m] = entry[m - 1]
        m -= 1
    entry[m] = key
