"""Where to look for the triangles near a place: cells that are cut in eight until few triangles are near each.

A mesh has one cube about it, farther by its *reach* than the mesh. A cell that too many triangles are near is cut; a
leaf lists all that come as near as the reach to any place in it, in ascending order, so that a place is looked up
going down one path, and no triangle is met twice. Triangles may be of any size.

A row of `Geometry.cells` is: the first of the eight parts, in the order of x + 2 y + 4 z, or 0 for a leaf; the first
entry of its list in `Geometry.listed`, the one after the last.
"""

from kernels.base.jit import formula

SIZE, ROOT, REACH, NUMBERS = 3, 4, 5, 6  # numbers of a mesh: corner of the cube (3), its size, its row, reach


@formula
def is_outside(x, numbers, k):
    """Whether a place is off the cube of a mesh."""
    size = numbers[k + SIZE]
    u, v, w = x[0] - numbers[k], x[1] - numbers[k + 1], x[2] - numbers[k + 2]
    return not (0.0 <= u < size and 0.0 <= v < size and 0.0 <= w < size)


@formula
def leaf_at(x, numbers, k, cells):
    """Leaf of a place in the cube of a mesh whose numbers begin at k."""
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
    return c
