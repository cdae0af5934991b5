"""Contacts of the side of a capsule with a wall, in addition to those of its end spheres.

The distance of a wall along the segment of a capsule has local minima. A minimum at an end is the contact of the end
sphere, which touches the wall as any sphere does (``contact_patches``, `geometry.distance`). A minimum between the ends
is a contact of the side. Where it merges with an end, it must vanish without a jump of the force.

So this is the rule of ``contact_patches`` (rule E) with one more node, the ends. Let d grow from 0 to the radius R of
the capsule. The region of (segment x surface) that is nearer than d consists of parts. A part that appears between the
ends, at d = b, adds φ(R - b). The term φ(R - d) is subtracted at the d at which this part merges with another one or
with the region of an end. The potential of a capsule is

    U = Σ over both ends U_end + Σ φ(R - b) - φ(R - d),   φ(δ) = δ^(p+1) / (p+1) in contact, else 0.

U is continuous and depends on the surface only. On flat and hollow walls it is that of both ends alone. (In topology,
the pairs (b, d) are the 0-dimensional persistent homology of the distance on (segment x surface) relative to (ends x
surface).)

Meshes: the distance is convex on (segment x triangle) and on (segment x edge), so each triangle has one minimum, each
shared edge is one link, and each triangle has one more link to the ends, at the distance of the nearer end. Walls of
revolution: ``axisymmetric_sides``. The distance from any other wall is convex along a segment, with one minimum, or
concave, inside a ball, with none between the ends.
"""

import math

from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract
from dem.kernels.walls.axisymmetric_sides import find_side_on_revolution, find_side_on_torus
from dem.kernels.walls.contact_patches import (
    EDGE_KEY,
    IS_MINIMUM,
    PARENT,
    PIECE,
    REGION,
    SQUARED_DISTANCE,
    TAKEN,
    cancel_with_link,
    edge_at,
    find_root,
    number_of_edges_at,
    row_across_edge,
    union,
)
from dem.kernels.walls.geometry import MESH, PLANE, REVOLUTION, TORUS, Unused, Used, distance
from dem.kernels.walls.mesh_cells import is_outside, leaf_at
from dem.kernels.walls.potential_terms import add_side_term, clear_side_contact, number_of_contacts, subtract_side_link
from dem.kernels.walls.triangles import (
    CORNER,
    END,
    NORMAL,
    THROUGH,
    may_reach,
    segment_from_edge,
    segment_from_end,
    segment_from_triangle,
    triple,
    unit,
)

# scratch has a row for each triangle, as in ``contact_patches``, with a column more for s; the row after the last
# triangle stands for the ends
PARAMETER, SCRATCH = 12, 13
BY_END = 3  # number of the link of a triangle to the ends, after those of its edges
HALVINGS = 60


@func
def find_side_contacts(w, x, u, radius, power, geometry, contacts, scratch):
    """Find the contacts of the side of a capsule with wall w, as `dem.kernels.walls.geometry.find_contacts` does.

    x, u: centre of the capsule and half axis in the wall's frame [m]; points of its segment are x + s u, |s| ≤ 1.
    contacts: (T, SIDE_COLUMNS) rows to write. scratch: (Q, SCRATCH), a row more than triangles that are near.
    Returns the number of contacts.
    """
    kind, k = geometry.kind[w], geometry.first_number[w]
    if kind == MESH:
        return find_side_at_triangles(w, x, u, radius, power, geometry, contacts, scratch)
    if kind == PLANE:  # touches the ends only
        return 0
    if kind == REVOLUTION:
        return find_side_on_revolution(x, u, radius, power, geometry.numbers, k, contacts, scratch)
    if kind == TORUS:
        return find_side_on_torus(x, u, radius, power, geometry.numbers, k, contacts, scratch)
    return find_side_on_convex(kind, x, u, radius, power, geometry, k, contacts)


@func
def distance_and_slope(kind, x, u, s, geometry, k):
    """Distance of the point s of a segment from a wall [m], its gradient, and its derivative by s [m]."""
    d, n = distance(kind, add_scaled(x, s, u), geometry, k)
    return d, n, dot(n, u)


@inline
def find_side_on_convex(kind, x, u, radius, power, geometry, k, contacts):
    """Find the contact with a wall whose distance is convex, or concave, along lines; returns their number, 0 or 1."""
    d_a, n_a, slope_a = distance_and_slope(kind, x, u, -1.0, geometry, k)
    d_b, n_b, slope_b = distance_and_slope(kind, x, u, 1.0, geometry, k)
    if slope_a >= 0.0 or slope_b <= 0.0:
        return 0
    low, high = -1.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        _d, _n, slope = distance_and_slope(kind, x, u, middle, geometry, k)
        if slope < 0.0:
            low = middle
        else:
            high = middle
    s = 0.5 * (low + high)
    d, n, _slope = distance_and_slope(kind, x, u, s, geometry, k)
    if d >= min(radius, min(d_a, d_b)):
        return 0
    clear_side_contact(contacts, 0, 0)
    add_side_term(contacts, 0, radius - d, n, s, 0, power)
    if min(d_a, d_b) < radius:
        if d_a <= d_b:
            subtract_side_link(contacts, 0, radius - d_a, n_a, -1.0, power)
        else:
            subtract_side_link(contacts, 0, radius - d_b, n_b, 1.0, power)
    return 1


@inline
def find_side_on_mesh(w, x, u, radius, power, geometry, contacts, scratch):
    """Find the contacts of the side of a capsule with a mesh; returns their number.

    By Kruskal's algorithm. A tree that a link joins to the ends is a contact, whose terms are those of the tree and of
    this link. So is a tree that no link within reach joins to the ends.
    """
    count, first_triangle = gather_near_segment(w, x, u, radius, geometry, scratch), geometry.first_triangle[w]
    trees = cancel_at_links(count, geometry, scratch) if count > 0 else 0
    if trees == 0:
        return 0
    for i in range(count):
        for edge in range(3):
            scratch[i, EDGE_KEY + edge] = math.inf
    written = 0
    while trees > 0:
        i, link, j = nearest_mesh_link(count, radius, x, u, geometry, scratch)
        if i < 0:
            break
        a, b, ends = find_root(i, scratch), find_root(j, scratch), find_root(count, scratch)
        if ends in (a, b):
            root = b if a == ends else a
            write_side_contact(written, root, count, x, u, radius, power, first_triangle, geometry, scratch, contacts)
            subtract_mesh_link(written, i, link, x, u, radius, power, geometry, scratch, contacts)
            written += number_of_contacts(contacts, written, power)
        else:
            scratch[i, EDGE_KEY + link] = TAKEN
        union(a, b, scratch)
        trees -= 1
    ends = find_root(count, scratch)
    for i in range(count):
        if find_root(i, scratch) == i and i != ends:
            write_side_contact(written, i, count, x, u, radius, power, first_triangle, geometry, scratch, contacts)
            written += number_of_contacts(contacts, written, power)
    return written


@inline
def gather_near_segment(w, x, u, radius, geometry, scratch):
    """Write a row for each triangle of a mesh that is nearer to a segment than the radius; returns how many."""
    count, k = 0, geometry.first_number[w]
    if is_outside(x, geometry.numbers, k):
        return 0
    leaf, reach = leaf_at(x, geometry.numbers, k, geometry.cells), radius + math.sqrt(dot(u, u))
    for entry in range(geometry.cells[leaf, 1], geometry.cells[leaf, 2]):
        f = geometry.listed[entry]
        if may_reach(geometry.triangle, f, x, reach):
            v, s, region = segment_from_triangle(geometry.triangle, f, x, u)
            near = dot(v, v)
            if near < radius * radius:
                scratch[count, 0], scratch[count, 1], scratch[count, 2] = v
                scratch[count, SQUARED_DISTANCE], scratch[count, PIECE], scratch[count, REGION] = near, f, region
                scratch[count, PARAMETER] = s
                count += 1
    return count


@inline
def number_of_links_at(region):
    """Number of links that the closest point of a triangle lies on, by its region."""
    if region == END:
        return 1
    return 0 if region == THROUGH else number_of_edges_at(region)


@inline
def cancel_at_links(count, geometry, scratch):
    """Cancel the terms of triangles that are nearest at a link, to the ends or across an edge, with that of the link.

    Returns how many trees are left besides that of the ends.
    """
    for i in range(count + 1):
        scratch[i, PARENT], scratch[i, IS_MINIMUM] = i, 1.0
    trees = count
    for i in range(count):
        region = int(scratch[i, REGION])
        for turn in range(number_of_links_at(region)):
            j = count if region == END else row_across_edge(i, edge_at(region, turn), count, geometry, scratch)
            if j >= 0 and cancel_with_link(i, j, scratch):
                trees -= 1
                break
    return trees


@inline
def point_of_link(i, link, x, u, geometry, scratch):
    """Where a link of row i is nearest to the segment: vector from it to the segment [m], s, square of its length [m²].

    link: number of an edge of the triangle, or BY_END.
    """
    f = int(scratch[i, PIECE])
    if link < BY_END:
        v, s, _at = segment_from_edge(geometry.triangle, f, link, x, u)
    else:
        v, s = segment_from_end(geometry.triangle, f, x, u)
    return v, s, dot(v, v)


@inline
def nearest_mesh_link(count, radius, x, u, geometry, scratch):
    """The nearest link within reach that joins two trees: its row, -1 if there is none; its number; the other row."""
    nearest, row, best_link, partner = radius * radius, -1, 0, 0
    for i in range(count):
        root = find_root(i, scratch)
        for link in range(BY_END + 1):
            j = row_across_edge(i, link, count, geometry, scratch) if link < BY_END else count
            if j >= 0 and find_root(j, scratch) != root:
                _v, _s, near = point_of_link(i, link, x, u, geometry, scratch)
                if near < nearest:
                    nearest, row, best_link, partner = near, i, link, j
    return row, best_link, partner


@func
def write_side_contact(t, root, count, x, u, radius, power, first_triangle, geometry, scratch, contacts):
    """Write the terms of a tree to contact t: its triangles, less the edges that have joined them.

    root: row of its root. first_triangle: number of the first triangle of the mesh.
    """
    clear_side_contact(contacts, t, int(scratch[root, PIECE]) - first_triangle)
    for i in range(count):
        if find_root(i, scratch) == root:
            if scratch[i, IS_MINIMUM] > 0.0:
                add_side_triangle(t, i, x, radius, power, first_triangle, geometry, scratch, contacts)
            for edge in range(3):
                if scratch[i, EDGE_KEY + edge] == TAKEN:
                    subtract_mesh_link(t, i, edge, x, u, radius, power, geometry, scratch, contacts)


@inline
def add_side_triangle(t, i, x, radius, power, first_triangle, geometry, scratch, contacts):
    """Add the term of the triangle of row i to contact t."""
    f, near = int(scratch[i, PIECE]), scratch[i, SQUARED_DISTANCE]
    n = unit(triple(scratch, i, 0), near, triple(geometry.triangle, f, NORMAL))
    if near == 0.0 and dot(n, subtract(x, triple(geometry.triangle, f, CORNER))) < 0.0:
        n = scale(-1.0, n)
    add_side_term(contacts, t, radius - math.sqrt(near), n, scratch[i, PARAMETER], f - first_triangle, power)


@inline
def subtract_mesh_link(t, i, link, x, u, radius, power, geometry, scratch, contacts):
    """Subtract the term of a link from contact t; i, link: see `point_of_link`."""
    v, s, near = point_of_link(i, link, x, u, geometry, scratch)
    n = unit(v, near, triple(geometry.triangle, int(scratch[i, PIECE]), NORMAL))
    subtract_side_link(contacts, t, radius - math.sqrt(near), n, s, power)


find_side_at_triangles = select("geometry.meshes", {Unused: 0, Used: find_side_on_mesh})
