"""Rule E: contacts of a sphere with pieces of a surface that share edges, continuous and without double counting.

The potential of a sphere of radius R at x is

    U = Σ φ(R - d_f) - Σ φ(R - d_e),   φ(δ) = δ^(p+1) / (p+1) in contact, else 0,

over triangles f within reach, d_f < R, and those of their shared edges that a spanning forest of the graph of these
triangles takes when it takes edges in ascending d_e (Kruskal): the forest of the largest Σ φ(R - d_e), so U is
continuous. Triangles are convex, so {points of the surface nearer than d} falls into as many parts as the graph of
triangles and edges nearer than d has: each minimum of the distance counts in full when it appears, at d_f, and that
of the edge is subtracted where two parts join, at d_e. In terms of topology U is the sum over the pairs (b, d)
of the 0-dimensional persistence of the distance on the surface within reach of φ(R - b) - φ(R - d). It depends on the
surface only, not on how that is cut into triangles; a convex ridge or tip is one contact, a corner as many as it has
walls, and in a shallow valley two go over into one.

A triangle that is nearest at an edge it shares cancels with that edge, to the bit if they are left out together; an
edge with d_e = d_f, the least that an edge of f can have, is in some forest always. On a flat or convex surface this
leaves one triangle, and nothing is summed. Each tree of the forest is one contact.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import dot
from dem.kernels.walls.mesh_cells import REACH, is_outside, leaf_and_room, leaf_at
from dem.kernels.walls.potential_terms import add_piece, clear_contact, subtract_link
from dem.kernels.walls.triangles import NORMAL, from_closest, from_edge, from_piece, may_reach, triple, unit

# columns of scratch, a row a triangle within reach: from its closest point to the sphere (three); d²; its number; its
# region; its parent in the union-find; whether it is a local minimum of the distance (1 or 0); d² of its edges
# that may join two components, or infinite, or TAKEN if they did (three); the contact it is part of
SQUARED_DISTANCE, PIECE, REGION, PARENT, IS_MINIMUM, EDGES, CONTACT, COLUMNS = 3, 4, 5, 6, 7, 8, 11, 12
TAKEN = -math.inf


@inline
def gather(x, radius, listed, first, stop, geometry, scratch):
    """Write a row for each triangle listed from `first` to `stop` that is nearer than the radius; returns how many."""
    count = 0
    for entry in range(first, stop):
        f = listed[entry]
        if may_reach(geometry.triangle, f, x, radius):
            v, region = from_closest(geometry.triangle, f, x)
            near = dot(v, v)
            if near < radius * radius:
                scratch[count, 0], scratch[count, 1], scratch[count, 2] = v
                scratch[count, SQUARED_DISTANCE], scratch[count, PIECE], scratch[count, REGION] = near, f, region
                count += 1
    return count


@inline
def row_of(f, count, scratch):
    """Row of a triangle, or -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if scratch[middle, PIECE] < f:
            low = middle + 1
        else:
            high = middle
    return low if low < count and scratch[low, PIECE] == f else -1


@inline
def find_root(i, scratch):
    """The first row of the connected component that row i is in."""
    while scratch[i, PARENT] != i:
        i = int(scratch[i, PARENT])
    return i


@inline
def union(i, j, scratch):
    """Join two components, given the first row of each."""
    scratch[max(i, j), PARENT] = min(i, j)


@inline
def neighbour(i, edge, count, geometry, scratch):
    """Row of the triangle beyond an edge, or -1."""
    beyond = geometry.adjacent[int(scratch[i, PIECE]), edge]
    return row_of(beyond, count, scratch) if beyond >= 0 else -1


@inline
def edges_at(region):
    """Number of edges on which a closest point lies; 2 at a corner."""
    return 0 if region == 0 else (1 if region < 4 else 2)


@inline
def edge_at(region, turn):
    """Number of an edge at a region of a triangle: the edge itself, or one of the two at a corner."""
    return region - 1 if region < 4 else (region - 4 + 2 * turn) % 3


@inline
def is_nearest_at(f, region, other, geometry):
    """Whether triangle f is nearest at an edge that it shares with another: that leaves the other one, see `cancel`."""
    for turn in range(edges_at(region)):
        if geometry.adjacent[f, edge_at(region, turn)] == other:
            return True
    return False


@inline
def leave_out(i, j, scratch):
    """Remove row i and the edge that it shares with row j; returns False if both are already connected."""
    a, b = find_root(i, scratch), find_root(j, scratch)
    if a == b:
        return False
    union(a, b, scratch)
    scratch[i, IS_MINIMUM] = 0.0
    return True


@inline
def cancel(count, geometry, scratch):
    """Remove triangles that are nearest at a shared edge, each with the edge; returns the number of components."""
    for i in range(count):
        scratch[i, PARENT], scratch[i, IS_MINIMUM] = i, 1.0
    components = count
    for i in range(count):
        region = int(scratch[i, REGION])
        for turn in range(edges_at(region)):
            j = neighbour(i, edge_at(region, turn), count, geometry, scratch)
            if j >= 0 and leave_out(i, j, scratch):
                components -= 1
                break
    return components


@inline
def join_components(x, radius, count, components, geometry, scratch):
    """Join components along edges within reach, nearest first, and mark the edges; returns the number left."""
    for i in range(count):
        for edge in range(3):
            scratch[i, EDGES + edge] = math.inf
            j = neighbour(i, edge, count, geometry, scratch)
            if j >= 0 and find_root(i, scratch) != find_root(j, scratch):
                v = from_edge(geometry.triangle, int(scratch[i, PIECE]), edge, x)
                scratch[i, EDGES + edge] = dot(v, v)
    return join_in_order(count, components, radius * radius, geometry, scratch)


@inline
def join_in_order(count, components, limit, geometry, scratch):
    """Join components along edges in ascending EDGES below a limit, and mark them; returns the number left."""
    while components > 1:
        nearest, row, best_edge, a, b = limit, -1, 0, 0, 0
        for i in range(count):
            for edge in range(3):
                near = scratch[i, EDGES + edge]
                if TAKEN < near < nearest:
                    p = find_root(i, scratch)
                    q = find_root(neighbour(i, edge, count, geometry, scratch), scratch)
                    if p != q:
                        nearest, row, best_edge, a, b = near, i, edge, p, q
        if row < 0:
            break
        union(a, b, scratch)
        scratch[row, EDGES + best_edge] = TAKEN
        components -= 1
    return components


@inline
def add_row(i, t, radius, power, first, geometry, scratch, contacts):
    """Add the term of row i to contact t; first: number of the mesh's first triangle."""
    f, v = int(scratch[i, PIECE]), (scratch[i, 0], scratch[i, 1], scratch[i, 2])
    normal = triple(geometry.triangle, f, NORMAL)
    overlap, n = from_piece(v, scratch[i, SQUARED_DISTANCE], scratch[i, REGION] > 0.0, radius, normal)
    add_piece(contacts, t, overlap, n, f - first, power)


@inline
def sum_terms(x, radius, power, count, joined, first, geometry, scratch, contacts):
    """Write a contact for each component, in the order of their first triangles.

    joined: whether there are edges to take off; first: number of the mesh's first triangle.
    """
    written = 0
    for i in range(count):
        root = find_root(i, scratch)
        if root == i:
            clear_contact(contacts, written, int(scratch[i, PIECE]) - first)
            scratch[i, CONTACT] = written
            written += 1
        t = int(scratch[root, CONTACT])
        if scratch[i, IS_MINIMUM] > 0.0:
            add_row(i, t, radius, power, first, geometry, scratch, contacts)
        if joined:
            for edge in range(3):
                if scratch[i, EDGES + edge] == TAKEN:
                    f = int(scratch[i, PIECE])
                    v = from_edge(geometry.triangle, f, edge, x)
                    near = dot(v, v)
                    n = unit(v, near, triple(geometry.triangle, f, NORMAL))
                    subtract_link(contacts, t, radius - math.sqrt(near), n, power)


@inline
def find_in_mesh(x, radius, power, k, first, geometry, contacts, scratch):
    """Find the contacts of a sphere with a mesh, as `dem.kernels.walls.geometry.find_contacts` does.

    k, first: where the numbers of the mesh begin, number of its first triangle.
    """
    if is_outside(x, geometry.numbers, k):
        return 0
    leaf = leaf_at(x, geometry.numbers, k, geometry.cells)
    begin_at, stop = geometry.cells[leaf, 1], geometry.cells[leaf, 2]
    return find_listed(x, radius, power, first, geometry.listed, begin_at, stop, geometry, contacts, scratch)


@func
def find_listed(x, radius, power, first, listed, begin_at, stop, geometry, contacts, scratch):
    """Find the contacts of a sphere with listed triangles, in ascending order, which include all within reach.

    As `dem.kernels.walls.geometry.find_contacts`; the triangles are listed from `begin_at` to `stop`.
    """
    count = gather(x, radius, listed, begin_at, stop, geometry, scratch)
    if count == 0:
        return 0
    if count == 1:
        clear_contact(contacts, 0, int(scratch[0, PIECE]) - first)
        add_row(0, 0, radius, power, first, geometry, scratch, contacts)
        return 1
    components = cancel(count, geometry, scratch)
    minima = components
    if components > 1:
        components = join_components(x, radius, count, components, geometry, scratch)
    if components > contacts.shape[0]:
        return -components
    sum_terms(x, radius, power, count, minima > 1, first, geometry, scratch, contacts)
    return components


@func
def distance(x, k, geometry):
    """Distance of x from a mesh; a lower bound of it if it is larger than the reach of the mesh."""
    numbers = geometry.numbers
    reach = numbers[k + REACH]
    if is_outside(x, numbers, k):
        off = 0.0
        for axis in range(3):
            lower, size = numbers[k + axis], numbers[k + 3]
            beyond = max(lower - x[axis], x[axis] - lower - size, 0.0)
            off += beyond * beyond
        return math.sqrt(off) + reach
    leaf, room = leaf_and_room(x, numbers, k, geometry.cells)
    farthest = reach + room
    nearest = farthest * farthest
    for entry in range(geometry.cells[leaf, 1], geometry.cells[leaf, 2]):
        f = geometry.listed[entry]
        if may_reach(geometry.triangle, f, x, farthest):
            v, _region = from_closest(geometry.triangle, f, x)
            nearest = min(nearest, dot(v, v))
    return math.sqrt(nearest)


@func
def list_near(x, reach, k, geometry, listed, start):
    """List the triangles closer to x than `reach` (at most that of the mesh), in ascending order.

    Writes listed: from `start` on, as many as there is room for. Returns what the distance of x from the mesh is not
    below [m], 0 if any triangle is near; and how many are.
    """
    if is_outside(x, geometry.numbers, k):
        return distance(x, k, geometry), 0
    leaf, count = leaf_at(x, geometry.numbers, k, geometry.cells), 0
    for entry in range(geometry.cells[leaf, 1], geometry.cells[leaf, 2]):
        f = geometry.listed[entry]
        if may_reach(geometry.triangle, f, x, reach):
            v, _region = from_closest(geometry.triangle, f, x)
            if dot(v, v) < reach * reach:
                if start + count < listed.size:
                    listed[start + count] = f
                count += 1
    return (0.0 if count > 0 else distance(x, k, geometry)), count
