"""Contacts of the side of a capsule with a wall, in addition to those of its end spheres.

The distance of a wall along the segment of a capsule has local minima. A minimum at an end is the contact of the end
sphere (``contact_patches``, `geometry.distance`). A minimum between the ends, of the distance b, has the potential
φ(R - b), less the potential φ(R - d) that it has in common with an end: d is the distance at which the regions nearer
than d of the minimum and of the end merge. So over the pairs (b, d) of the 0-dimensional persistence (in the terms of
topology) of the distance on (segment x surface) relative to (ends x surface),

    U = Σ over both ends U_end + Σ φ(R - b) - φ(R - d),   φ(δ) = δ^(p+1) / (p+1) in contact, else 0.

U is continuous, depends on the surface only, and on flat and hollow walls it is that of both ends alone. With triangles
the distance is convex on (segment x triangle) and on (segment x edge): the rule is rule E with one more node, the ends,
to which each triangle is linked at the distance of the nearer end. Other walls here are convex, so that the distance is
convex along a segment; inside a ball, where it is concave, there is no minimum between the ends.
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

PARAMETER, SCRATCH = 12, 13  # columns of scratch: those of ``contact_patches``, and the position on the segment
HALVINGS = 60


@func
def find_side_contacts(w, x, u, radius, power, geometry, contacts, scratch):
    """Find the contacts of the side of a capsule at x, with half its axis u, in the frame of wall w; returns how many.

    As `dem.kernels.walls.geometry.find_contacts`. contacts: rows of SIDE_COLUMNS; scratch: (Q, SCRATCH), a row more
    than triangles that are near.
    """
    kind, k = geometry.kind[w], geometry.first_number[w]
    if kind == MESH:
        return find_side_at_triangles(w, x, u, radius, power, geometry, contacts, scratch)
    if kind == PLANE:  # both ends have all of it
        return 0
    if kind == REVOLUTION:
        return find_side_on_revolution(x, u, radius, power, geometry.numbers, k, contacts, scratch)
    if kind == TORUS:
        return find_side_on_torus(x, u, radius, power, geometry.numbers, k, contacts, scratch)
    return find_side_on_convex(kind, x, u, radius, power, geometry, k, contacts)


@func
def distance_and_slope(kind, x, u, s, geometry, k):
    """Distance from a wall at the point s of a segment, its gradient, and its derivative by s."""
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
def gather(w, x, u, radius, geometry, scratch):
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
def cancel(count, geometry, scratch):
    """Leave out triangles with the link they are nearest at, to ends or beyond an edge.

    The row after the last stands for the ends. Returns how many minima are left.
    """
    for i in range(count + 1):
        scratch[i, PARENT], scratch[i, IS_MINIMUM] = i, 1.0
    minima = count
    for i in range(count):
        region = int(scratch[i, REGION])
        for turn in range(1 if region == END else 0 if region == THROUGH else number_of_edges_at(region)):
            j = count if region == END else row_across_edge(i, edge_at(region, turn), count, geometry, scratch)
            if j >= 0 and cancel_with_link(i, j, scratch):
                minima -= 1
                break
    return minima


@inline
def link_of(i, edge, x, u, geometry, scratch):
    """Link of row i over an edge of its triangle, or by its nearer end if edge is 3: vector, parameter, d²."""
    f = int(scratch[i, PIECE])
    if edge < 3:
        v, s, _at = segment_from_edge(geometry.triangle, f, edge, x, u)
    else:
        v, s = segment_from_end(geometry.triangle, f, x, u)
    return v, s, dot(v, v)


@inline
def remove_link(t, i, edge, x, u, radius, power, geometry, scratch, contacts):
    """Subtract the term of a link from contact t; i, edge: see `link_of`."""
    v, s, near = link_of(i, edge, x, u, geometry, scratch)
    n = unit(v, near, triple(geometry.triangle, int(scratch[i, PIECE]), NORMAL))
    subtract_side_link(contacts, t, radius - math.sqrt(near), n, s, power)


@func
def sum_terms(t, root, count, x, u, radius, power, first, geometry, scratch, contacts):
    """Sum the terms of contact t, the component of a root; first: number of the mesh's first triangle."""
    clear_side_contact(contacts, t, int(scratch[root, PIECE]) - first)
    for i in range(count):
        if find_root(i, scratch) == root:
            f, near = int(scratch[i, PIECE]), scratch[i, SQUARED_DISTANCE]
            if scratch[i, IS_MINIMUM] > 0.0:
                n = unit((scratch[i, 0], scratch[i, 1], scratch[i, 2]), near, triple(geometry.triangle, f, NORMAL))
                if near == 0.0 and dot(n, subtract(x, triple(geometry.triangle, f, CORNER))) < 0.0:
                    n = scale(-1.0, n)
                add_side_term(contacts, t, radius - math.sqrt(near), n, scratch[i, PARAMETER], f - first, power)
            for edge in range(3):
                if scratch[i, EDGE_KEY + edge] == TAKEN:
                    remove_link(t, i, edge, x, u, radius, power, geometry, scratch, contacts)


@inline
def nearest_link(count, radius, x, u, geometry, scratch):
    """The nearest link of two components within reach: row, edge or 3 for the ends, other row; -1 if there is none."""
    nearest, row, best_edge, partner = radius * radius, -1, 0, 0
    for i in range(count):
        root = find_root(i, scratch)
        for edge in range(4):
            j = row_across_edge(i, edge, count, geometry, scratch) if edge < 3 else count
            if j >= 0 and find_root(j, scratch) != root:
                _v, _s, near = link_of(i, edge, x, u, geometry, scratch)
                if near < nearest:
                    nearest, row, best_edge, partner = near, i, edge, j
    return row, best_edge, partner


@inline
def find_side_on_mesh(w, x, u, radius, power, geometry, contacts, scratch):
    """Find the contacts of the side of a capsule with a mesh; returns their number."""
    count, first = gather(w, x, u, radius, geometry, scratch), geometry.first_triangle[w]
    minima = cancel(count, geometry, scratch) if count > 0 else 0
    if minima == 0:
        return 0
    for i in range(count):
        for edge in range(3):
            scratch[i, EDGE_KEY + edge] = math.inf
    written = 0
    while minima > 0:
        i, edge, j = nearest_link(count, radius, x, u, geometry, scratch)
        if i < 0:
            break
        a, b, ends = find_root(i, scratch), find_root(j, scratch), find_root(count, scratch)
        if ends in (a, b):
            sum_terms(written, b if a == ends else a, count, x, u, radius, power, first, geometry, scratch, contacts)
            remove_link(written, i, edge, x, u, radius, power, geometry, scratch, contacts)
            written += number_of_contacts(contacts, written, power)
        else:
            scratch[i, EDGE_KEY + edge] = TAKEN
        union(a, b, scratch)
        minima -= 1
    ends = find_root(count, scratch)
    for i in range(count):
        if find_root(i, scratch) == i and i != ends:
            sum_terms(written, i, count, x, u, radius, power, first, geometry, scratch, contacts)
            written += number_of_contacts(contacts, written, power)
    return written


find_side_at_triangles = select("geometry.meshes", {Unused: 0, Used: find_side_on_mesh})
