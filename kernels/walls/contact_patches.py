"""Contacts of a sphere with a mesh: one contact for each patch of the surface within reach (rule E).

A sphere overlaps several triangles of a mesh at a time. A force from each of them would make a plane of small triangles
stiffer than a plane of large ones. A force from the nearest triangle alone would jump where another one becomes the
nearest. Rule E is continuous, and its result is that of the surface, however this is divided into triangles.

With d_f, the distance of the sphere's centre from triangle f, and d_e, that from an edge e which two triangles share,
the potential of a sphere of radius R is

    U = Σ φ(R - d_f) - Σ φ(R - d_e),   φ(δ) = δ^(p+1) / (p+1) for δ > 0, else 0.

The first sum is over the triangles within reach, d_f < R. The second sum is over some of the edges that these triangles
share: those of a minimum spanning forest. Triangles are the nodes of a graph, and shared edges its links. Kruskal's
algorithm takes the links in ascending d_e, and leaves out those whose triangles are connected already.

Why: let a ball about the sphere's centre grow from radius 0 to R. The surface within the ball consists of *patches*. A
patch appears at each local minimum of the distance, and U adds φ of that minimum. Two patches merge at a point of an
edge, and U subtracts φ there. A triangle is convex, so it has one patch at most, and the graph has as many trees as the
surface has patches. (In topology, U is the sum of φ(R - b) - φ(R - d) over the pairs of birth b and death d of the
0-dimensional persistent homology of the distance.) The minimum spanning forest has the largest Σ φ(R - d_e) of all
forests, so U is continuous.

Each tree of the forest is one contact. A convex ridge or tip is one contact, and a corner of several walls is one
contact with each of them. In a shallow valley two contacts merge into one.

Most terms cancel. If triangle f is nearest at a shared edge, then d_e = d_f. No edge of f is nearer than this one, so a
minimum spanning forest contains it, and both terms are left out. On a flat or convex surface one triangle remains.

The steps of `find_among_triangles` are `gather_within_reach`, `cancel_at_shared_edges`, `join_components` (Kruskal's
algorithm, if several minima remain) and `write_contacts_of_components`.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import dot
from dem.kernels.walls.mesh_cells import REACH, is_outside, leaf_and_room, leaf_at
from dem.kernels.walls.potential_terms import add_piece, clear_contact, subtract_link
from dem.kernels.walls.triangles import NORMAL, from_closest, from_edge, from_piece, may_reach, triple, unit

# columns of scratch, one row for each triangle within reach:
#   0, 1, 2           vector from its closest point to the centre of the sphere [m]
#   SQUARED_DISTANCE  square of the length of that vector [m²]
#   PIECE             number of the triangle; rows are in ascending order of these
#   REGION            region of the closest point, see `triangles`
#   PARENT            row of the parent in the union-find structure of connected triangles
#   IS_MINIMUM        1 if the triangle has a term in U, 0 if that is cancelled
#   EDGE_KEY (three)  d_e² of an edge that may join two components [m²]; TAKEN if it has joined two; else infinite
#   CONTACT           row of the contact that the tree with this root is
SQUARED_DISTANCE, PIECE, REGION, PARENT, IS_MINIMUM, EDGE_KEY, CONTACT, COLUMNS = 3, 4, 5, 6, 7, 8, 11, 12
TAKEN = -math.inf


@inline
def find_in_mesh(x, radius, power, k, first_triangle, geometry, contacts, scratch):
    """Find the contacts of a sphere with a mesh, as `dem.kernels.walls.geometry.find_contacts` does.

    k: where the numbers of the mesh begin in `Geometry.numbers`.
    first_triangle: number of the first triangle of the mesh.
    """
    if is_outside(x, geometry.numbers, k):
        return 0
    leaf = leaf_at(x, geometry.numbers, k, geometry.cells)
    start, stop = geometry.cells[leaf, 1], geometry.cells[leaf, 2]
    return find_among_triangles(
        x, radius, power, first_triangle, geometry.listed, start, stop, geometry, contacts, scratch
    )


@func
def find_among_triangles(x, radius, power, first_triangle, listed, start, stop, geometry, contacts, scratch):
    """Find the contacts of a sphere with some triangles of a mesh, as `dem.kernels.walls.geometry.find_contacts` does.

    listed: numbers of triangles; entries `start` to `stop` are in ascending order and include all within reach.
    Writes contacts: a row of ``potential_terms`` for each contact, in the order of their first triangles.
    Returns the number of contacts; minus that number if there are too few rows.
    """
    count = gather_within_reach(x, radius, listed, start, stop, geometry, scratch)
    return find_in_rows(x, radius, power, count, first_triangle, geometry, contacts, scratch)


@inline
def find_in_rows(x, radius, power, count, first_triangle, geometry, contacts, scratch):
    """Find the contacts of a sphere with the triangles of `count` rows of scratch, as `find_among_triangles` does."""
    if count == 0:
        return 0
    if count == 1:
        clear_contact(contacts, 0, int(scratch[0, PIECE]) - first_triangle)
        add_triangle_term(0, 0, radius, power, first_triangle, geometry, scratch, contacts)
        return 1
    minima = cancel_at_shared_edges(count, geometry, scratch)
    components = minima
    if minima > 1:
        components = join_components(x, radius, count, minima, geometry, scratch)
    if components > contacts.shape[0]:
        return -components
    write_contacts_of_components(x, radius, power, count, minima > 1, first_triangle, geometry, scratch, contacts)
    return components


@inline
def gather_within_reach(x, radius, listed, start, stop, geometry, scratch):
    """Write a row of scratch for each of the listed triangles within reach of a sphere; returns the number of rows."""
    count = 0
    for entry in range(start, stop):
        f = listed[entry]
        if may_reach(geometry.triangle, f, x, radius):
            count = gather_triangle(f, x, radius, count, geometry, scratch)
    return count


@inline
def gather_triangle(f, x, radius, count, geometry, scratch):
    """Write row `count` of scratch for triangle f if it is within reach of a sphere; returns the number of rows."""
    v, region = from_closest(geometry.triangle, f, x)
    near = dot(v, v)
    if near < radius * radius:
        scratch[count, 0], scratch[count, 1], scratch[count, 2] = v
        scratch[count, SQUARED_DISTANCE], scratch[count, PIECE], scratch[count, REGION] = near, f, region
        count += 1
    return count


@inline
def row_of_triangle(f, count, scratch):
    """Row of triangle f among `count` rows of scratch, or -1; by bisection."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if scratch[middle, PIECE] < f:
            low = middle + 1
        else:
            high = middle
    return low if low < count and scratch[low, PIECE] == f else -1


@inline
def row_across_edge(i, edge, count, geometry, scratch):
    """Row of the triangle on the other side of an edge of that of row i, or -1 if it is not within reach."""
    other = geometry.adjacent[int(scratch[i, PIECE]), edge]
    return row_of_triangle(other, count, scratch) if other >= 0 else -1


@inline
def find_root(i, scratch):
    """First row of the connected component of row i."""
    while scratch[i, PARENT] != i:
        i = int(scratch[i, PARENT])
    return i


@inline
def union(i, j, scratch):
    """Join two components, given the first row of each."""
    scratch[max(i, j), PARENT] = min(i, j)


@inline
def number_of_edges_at(region):
    """Number of edges of a triangle that a region belongs to: 0 for the face, 1 for an edge, 2 for a corner."""
    return 0 if region == 0 else (1 if region < 4 else 2)


@inline
def edge_at(region, turn):
    """Number of an edge that a region belongs to; of the two at a corner that of `turn`, 0 or 1."""
    return region - 1 if region < 4 else (region - 4 + 2 * turn) % 3


@inline
def is_nearest_at_edge_with(other, f, region, geometry):
    """Whether the closest point of triangle f, in a region, lies on an edge that f shares with another triangle."""
    for turn in range(number_of_edges_at(region)):
        if geometry.adjacent[f, edge_at(region, turn)] == other:
            return True
    return False


@inline
def cancel_with_link(i, j, scratch):
    """Cancel the term of row i with that of its link to row j; returns False if both are connected already."""
    a, b = find_root(i, scratch), find_root(j, scratch)
    if a == b:
        return False
    union(a, b, scratch)
    scratch[i, IS_MINIMUM] = 0.0
    return True


@inline
def cancel_at_shared_edges(count, geometry, scratch):
    """Cancel the terms of triangles that are nearest at a shared edge; returns how many components are left.

    Each component has one triangle whose term is left, a local minimum of the distance.
    """
    for i in range(count):
        scratch[i, PARENT], scratch[i, IS_MINIMUM] = i, 1.0
    components = count
    for i in range(count):
        region = int(scratch[i, REGION])
        for turn in range(number_of_edges_at(region)):
            j = row_across_edge(i, edge_at(region, turn), count, geometry, scratch)
            if j >= 0 and cancel_with_link(i, j, scratch):
                components -= 1
                break
    return components


@inline
def join_components(x, radius, count, components, geometry, scratch):
    """Join components along shared edges within reach, nearest edge first; returns how many are left.

    Writes scratch: EDGE_KEY.
    """
    for i in range(count):
        for edge in range(3):
            scratch[i, EDGE_KEY + edge] = math.inf
            j = row_across_edge(i, edge, count, geometry, scratch)
            if j >= 0 and find_root(i, scratch) != find_root(j, scratch):
                v = from_edge(geometry.triangle, int(scratch[i, PIECE]), edge, x)
                scratch[i, EDGE_KEY + edge] = dot(v, v)
    return join_in_ascending_order(count, components, radius * radius, geometry, scratch)


@inline
def join_in_ascending_order(count, components, limit, geometry, scratch):
    """Kruskal's algorithm: join components along edges in ascending EDGE_KEY below a limit; returns how many are left.

    Writes scratch: TAKEN as EDGE_KEY of each edge that has joined two components.
    """
    while components > 1:
        least, row, best_edge, a, b = limit, -1, 0, 0, 0
        for i in range(count):
            for edge in range(3):
                key = scratch[i, EDGE_KEY + edge]
                if TAKEN < key < least:
                    p = find_root(i, scratch)
                    q = find_root(row_across_edge(i, edge, count, geometry, scratch), scratch)
                    if p != q:
                        least, row, best_edge, a, b = key, i, edge, p, q
        if row < 0:
            break
        union(a, b, scratch)
        scratch[row, EDGE_KEY + best_edge] = TAKEN
        components -= 1
    return components


@inline
def write_contacts_of_components(x, radius, power, count, has_links, first_triangle, geometry, scratch, contacts):
    """Write a contact for each component, in the order of their first triangles.

    has_links: whether edges may have joined components, so that EDGE_KEY is written.
    """
    written = 0
    for i in range(count):
        root = find_root(i, scratch)
        if root == i:
            clear_contact(contacts, written, int(scratch[i, PIECE]) - first_triangle)
            scratch[i, CONTACT] = written
            written += 1
        t = int(scratch[root, CONTACT])
        if scratch[i, IS_MINIMUM] > 0.0:
            add_triangle_term(i, t, radius, power, first_triangle, geometry, scratch, contacts)
        if has_links:
            subtract_edge_terms(i, t, x, radius, power, geometry, scratch, contacts)


@inline
def add_triangle_term(i, t, radius, power, first_triangle, geometry, scratch, contacts):
    """Add the term of the triangle of row i to contact t."""
    f = int(scratch[i, PIECE])
    normal = triple(geometry.triangle, f, NORMAL)
    is_beside_face = scratch[i, REGION] > 0.0
    overlap, n = from_piece(triple(scratch, i, 0), scratch[i, SQUARED_DISTANCE], is_beside_face, radius, normal)
    add_piece(contacts, t, overlap, n, f - first_triangle, power)


@inline
def subtract_edge_terms(i, t, x, radius, power, geometry, scratch, contacts):
    """Subtract the terms of the edges of row i that have joined components from contact t."""
    for edge in range(3):
        if scratch[i, EDGE_KEY + edge] == TAKEN:
            f = int(scratch[i, PIECE])
            v = from_edge(geometry.triangle, f, edge, x)
            near = dot(v, v)
            n = unit(v, near, triple(geometry.triangle, f, NORMAL))
            subtract_link(contacts, t, radius - math.sqrt(near), n, power)


@func
def distance(x, k, geometry):
    """Distance of x from a mesh [m]; if that is larger than the reach of the mesh, a lower bound of it.

    k: where the numbers of the mesh begin in `Geometry.numbers`.
    """
    numbers = geometry.numbers
    reach = numbers[k + REACH]
    if is_outside(x, numbers, k):
        return distance_from_cells(x, k, numbers) + reach
    leaf, room = leaf_and_room(x, numbers, k, geometry.cells)
    farthest = reach + room
    nearest = farthest * farthest
    for entry in range(geometry.cells[leaf, 1], geometry.cells[leaf, 2]):
        f = geometry.listed[entry]
        if may_reach(geometry.triangle, f, x, farthest):
            v, _region = from_closest(geometry.triangle, f, x)
            nearest = min(nearest, dot(v, v))
    return math.sqrt(nearest)


@inline
def distance_from_cells(x, k, numbers):
    """Distance of x from the cube of the cells of a mesh [m], see ``mesh_cells``."""
    square = 0.0
    for axis in range(3):
        lower, size = numbers[k + axis], numbers[k + 3]
        beyond = max(lower - x[axis], x[axis] - lower - size, 0.0)
        square += beyond * beyond
    return math.sqrt(square)


@func
def list_triangles_near(x, reach, k, geometry, listed, start):
    """List the triangles of a mesh nearer to x than `reach` (at most that of the mesh), in ascending order.

    Writes listed: from `start` on, as many as there is room for.
    Returns a lower bound of the distance of x from the mesh [m], 0 if any triangle is near; number of triangles near.
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
