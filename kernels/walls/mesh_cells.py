"""Octree of a mesh for the search of triangles near a point: cells are split until few triangles are near each.

The root of a mesh is a cube that exceeds the mesh by its *reach*. A cell that too many triangles are near is split into
eight. A leaf lists, in ascending order, all triangles within the reach of any place in it. So a search descends one
path and finds no triangle twice, whatever the sizes of the triangles.

A row of `Geometry.cells` is: the first of the eight parts, in the order of x + 2 y + 4 z, or 0 for a leaf; the first
entry of its list in `Geometry.listed`; the entry after its last one.
"""

from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.walls.triangles import NORMAL, triple

SIZE, ROOT, REACH, NUMBERS = 3, 4, 5, 6  # numbers of a mesh: corner of the cube (3), its size, its row, reach


@inline
def is_outside(x, numbers, k):
    """Whether a point is outside of the cube of a mesh."""
    size = numbers[k + SIZE]
    u, v, w = x[0] - numbers[k], x[1] - numbers[k + 1], x[2] - numbers[k + 2]
    return not (0.0 <= u < size and 0.0 <= v < size and 0.0 <= w < size)


@inline
def leaf_at(x, numbers, k, cells):
    """Leaf of a place in the cube of a mesh whose numbers begin at k."""
    return leaf_and_room(x, numbers, k, cells)[0]


@inline
def leaf_and_room(x, numbers, k, cells):
    """Leaf of a place in the cube of a mesh, and the distance to other leaves, a margin for unlisted triangles."""
    half = 0.5 * numbers[k + SIZE]
    u, v, w = x[0] - numbers[k] - half, x[1] - numbers[k + 1] - half, x[2] - numbers[k + 2] - half
    c = int(numbers[k + ROOT])
    while cells[c, 0] > 0:
        half *= 0.5
        part = 0
        if u >= 0.0:
            part += 1
            u -= half
        else:
            u += half
        if v >= 0.0:
            part += 2
            v -= half
        else:
            v += half
        if w >= 0.0:
            part += 4
            w -= half
        else:
            w += half
        c = cells[c, 0] + part
    return c, max(half - max(abs(u), abs(v), abs(w)), 0.0)


@inline
def near_part(k, c, half, reach, f, middle, rows):
    """Whether triangle f may be near part k of a cell with centre c and half edge `half`, by its box and plane.

    middle, rows: middle and half size of each triangle's box; `Geometry.triangle`.
    """
    x = c[0] + (half if k & 1 else -half)
    y = c[1] + (half if k & 2 else -half)
    z = c[2] + (half if k & 4 else -half)
    limit = half + reach
    if abs(x - middle[f, 0]) > limit + middle[f, 3]:
        return False
    if abs(y - middle[f, 1]) > limit + middle[f, 4] or abs(z - middle[f, 2]) > limit + middle[f, 5]:
        return False
    u, v, w = triple(rows, f, NORMAL)
    height = u * (x - rows[f, 0]) + v * (y - rows[f, 1]) + w * (z - rows[f, 2])
    return abs(height) <= half * (abs(u) + abs(v) + abs(w)) + reach


@kernel
def mark(cell, triangle, centre, half, reach, middle, rows, masks, counts):
    """Write which of the eight parts of cells triangles may be near to masks (K,), and numbers to counts (8 C,).

    cell, triangle, centre: (K,) pairs of a cell and a triangle near it, (C, 3) middles of the cells; half: half the
    size of the parts; middle, rows: see `near_part`.
    """
    for e in range(cell.shape[0]):
        i = cell[e]
        c = centre[i, 0], centre[i, 1], centre[i, 2]
        mask = 0
        for k in range(8):
            if near_part(k, c, half, reach, triangle[e], middle, rows):
                mask |= 1 << k
                counts[8 * i + k] += 1
        masks[e] = mask


@kernel
def distribute_triangles(cell, triangle, masks, following, cell_out, triangle_out):
    """Write the pairs of parts and triangles sorted by part, in their former order within a part.

    following: (8 C,) where the next pair of each part goes, which counts on.
    """
    for e in range(cell.shape[0]):
        for k in range(8):
            if masks[e] & (1 << k):
                part = 8 * cell[e] + k
                row = following[part]
                cell_out[row], triangle_out[row] = part, triangle[e]
                following[part] += 1


@inline
def sort_triangles(listed, start, count):
    """Sort `count` triangles, listed from `start` on, and remove duplicates; returns how many are left.

    Lists for which there is no room stay as they are.
    """
    if start + count > listed.size:
        return count
    kept = 0
    for entry in range(start, start + count):
        f, k = listed[entry], start + kept
        while k > start and listed[k - 1] > f:
            k -= 1
        if k > start and listed[k - 1] == f:
            continue
        for later in range(start + kept, k, -1):
            listed[later] = listed[later - 1]
        listed[k] = f
        kept += 1
    return kept
