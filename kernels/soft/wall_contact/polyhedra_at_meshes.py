"""Polyhedra at meshes: a face rests on triangles with its corners, however the surface is divided.

The core of a polyhedron is the polyhedron without its rounding R. Let a ball about each vertex of the core grow from
radius 0 to R, and with them the body that consists of all points within the same distance r of the core. The part of
the mesh within a ball, and the part within the body, consist of patches (see `dem.kernels.walls.contact_patches`).
The part within the body includes those within the balls. Each patch of it counts as often as there are patches of balls
in it, and once if there is none:

    U = ∫ (Σ_v N_v(r) + N_0(r)) φ'(R - r) dr,   r from 0 to R,   φ(δ) = δ^(p+1) / (p+1),

N_v(r) is the number of patches within the ball of vertex v, and N_0(r) the number of patches within the body that
include none of these. A face on a flat mesh has the energy of its corners on a plane. A ridge below the middle of a
face has the energy of one contact. U is continuous, as patches appear and merge at distances that are continuous. The
distances do not depend on how the surface is divided.

The first term is rule E of spheres. The second one, ∫ N_0 φ' dr, is rule E of the body (``convex_meshes``) with one
more node in the graph of triangles, which stands for all corners. It is linked to triangle f by the largest overlap
δ_vf of a corner v with f, and its own term is left out:

    ∫ N_0 φ' dr = Σ φ(δ_f) - Σ φ(δ_link)

The second sum is over the links of a spanning forest, edges and links to the corners, taken deepest first. If the body
is nearest to triangle f at a corner, then δ_f = δ_vf, and both terms are left out. On flat surfaces, in grooves and
inside of hollows nothing else remains: all contacts are those of corners.

Otherwise a patch has a contact between corners as well: where a ridge or a tip of the mesh touches a face or an edge of
the body. Its terms include -φ(δ_vf) of the patch's deepest corner. They are summed with the contact of that corner,
which they replace. If two patches have this contact in common, all are one contact: a corner in a valley between two
ridges. The force jumps where another corner becomes the deepest one of such a patch, but U does not.

Hysteretic and adhesive forces are no powers of the overlap, so they are not the gradient of U where terms are summed.
Also, a patch continues the history of one of the corners that merge into it. The ledger then has an error that does not
vanish with the time step (limits in ``docs/convex.md``).
"""

import math

from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.convex.polyhedra import number_of_vertices, vertex_of
from dem.kernels.convex.shape_registry import has_facets, rounding_of
from dem.kernels.numerics.vector import add, add_scaled, cross, dot
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds
from dem.kernels.soft.contact.convex_contacts import DEEPEST as DEEPEST_OVERLAP
from dem.kernels.soft.wall_contact.convex_meshes import (
    CONTACT_COLUMNS,
    CONTACT_POINT,
    CORNER_OVERLAP,
    CORNER_ROW,
    DEEPEST_CORNER,
    DEEPEST_ROW,
    DEPTH,
    IS_LINKED,
    PITCH,
    TAKES_CORNER,
    add_torque,
    add_triangle,
    begin_contact,
    complete_contact,
    contact_point,
    find_in_overlapped,
    find_on_mesh,
    gather_overlapped,
    gradient_in,
    subtract_edges,
    unit_of,
    write_contact_point,
    write_edge_keys,
)
from dem.kernels.walls.contact_patches import (
    CONTACT,
    EDGE_KEY,
    IS_MINIMUM,
    PIECE,
    SQUARED_DISTANCE,
    TAKEN,
    cancel_at_shared_edges,
    find_in_rows,
    find_root,
    gather_triangle,
    row_across_edge,
    union,
)
from dem.kernels.walls.potential_terms import ANCHOR, CORNER_STRIDE, DEEPEST, FIRST, LINKS, POTENTIAL, subtract_link
from dem.kernels.walls.triangles import NORMAL, from_closest, from_piece, triple

SAME_DEPTH = 1e-12  # of the size of a body: difference of overlaps at the same place, by rounding


@func
def find_by_corners(kinds, convex, w, body, u, bound, beyond, power, geometry, contacts, scratch):
    """Write the contacts of a body with mesh w, of a polyhedron those of its corners; returns their number.

    All but kinds: see `convex_meshes.find_on_mesh`, which finds a single contact for each patch: of other shapes, for
    laws that act at a distance, where the core may meet the mesh, and where there are too few rows for all corners.
    """
    if beyond > 0.0 or not has_facets(body):
        return find_on_mesh(convex, w, body, u, bound, beyond, power, geometry, contacts, scratch)
    count = gather_overlapped(convex, w, body, u, bound, beyond, geometry, scratch)
    corners = -1
    if deepest_of(count, scratch) < DEEPEST_OVERLAP * rounding_of(body):
        corners = write_corner_contacts(body, u, power, count, geometry.first_triangle[w], geometry, contacts, scratch)
    if corners < 0:
        return find_in_overlapped(convex, w, body, u, beyond, power, count, geometry, contacts, scratch)
    cancel_at_shared_edges(count, geometry, scratch)
    begin_components(count, scratch)
    if link_deepest_corners(count, SAME_DEPTH * bound, scratch) == 0:
        return corners
    write_edge_keys(convex, w, body, u, beyond, count, geometry, scratch)
    join_with_corners(count, SAME_DEPTH * bound, geometry, scratch)
    return add_contacts_between_corners(convex, w, body, u, power, count, corners, geometry, contacts, scratch)


@inline
def deepest_of(count, scratch):
    """Largest overlap of the triangles in `count` rows of scratch [m]."""
    deepest = 0.0
    for i in range(count):
        deepest = max(deepest, scratch[i, DEPTH])
    return deepest


@inline
def write_corner_contacts(body, u, power, count, first, geometry, contacts, scratch):
    """Write the contacts of the corners with the triangles of `count` rows of scratch; their number, -1 if too many.

    A corner is a ball about a vertex of the core (`contact_patches`). The anchor of each contact tells its corner.
    Writes scratch: deepest corner of each row, and its overlap; rows from `count` on.
    """
    written, radius, rows = 0, rounding_of(body), scratch[count:]
    for i in range(count):
        scratch[i, DEEPEST_CORNER], scratch[i, CORNER_OVERLAP] = -1.0, 0.0
    for corner in range(number_of_vertices(body)):
        arm = vertex_of(body, corner)
        x, near = add(u, arm), 0
        for i in range(count):
            if gather_triangle(int(scratch[i, PIECE]), x, radius, near, geometry, rows) > near:
                overlap = radius - math.sqrt(rows[near, SQUARED_DISTANCE])
                near += 1
                if overlap > scratch[i, CORNER_OVERLAP]:
                    scratch[i, DEEPEST_CORNER], scratch[i, CORNER_OVERLAP] = corner, overlap
        found = find_in_rows(x, radius, power, near, first, geometry, contacts[written:], rows)
        if found < 0 or written + found == contacts.shape[0]:
            return -1
        mark_corner(contacts, written, found, corner, arm, radius)
        written += found
    return written


@inline
def mark_corner(contacts, first, count, corner, arm, radius):
    """Write to some contacts of a ball that they are those of a corner, and their contact points.

    arm, radius: of the ball, from the centre of the body, and its radius [m].
    """
    for t in range(first, first + count):
        contacts[t, ANCHOR] += (1 + corner) * CORNER_STRIDE
        write_contact_point(contacts, t, add_scaled(arm, -radius, unit_of(contacts, t)))


@inline
def begin_components(count, scratch):
    """Write the columns of roots to scratch: the deepest triangle of a component, and that of the deepest corner."""
    for i in range(count):
        scratch[i, IS_LINKED], scratch[i, TAKES_CORNER], scratch[i, CONTACT] = 0.0, 0.0, -1.0
        scratch[i, CORNER_ROW] = i
    for i in range(count):
        root = find_root(i, scratch)
        if scratch[i, IS_MINIMUM] > 0.0:
            scratch[root, DEEPEST_ROW] = i
        if scratch[i, CORNER_OVERLAP] > corner_overlap(root, scratch):
            scratch[root, CORNER_ROW] = i


@inline
def depth_of(root, scratch):
    """Overlap of the deepest triangle of a component [m]; root: its first row."""
    return scratch[int(scratch[root, DEEPEST_ROW]), DEPTH]


@inline
def corner_overlap(root, scratch):
    """Overlap of the deepest corner of a component [m]; root: its first row."""
    return scratch[int(scratch[root, CORNER_ROW]), CORNER_OVERLAP]


@inline
def cancels(root, overlap, tolerance, scratch):
    """Whether the term of a component cancels with that of a link, of this overlap [m]; both are left out then.

    root: first row of the component. tolerance: difference of overlaps at the same place [m].
    """
    if depth_of(root, scratch) - overlap > tolerance:
        return False
    scratch[int(scratch[root, DEEPEST_ROW]), IS_MINIMUM] = 0.0
    return True


@inline
def link_deepest_corners(count, tolerance, scratch):
    """Link the components that are deepest at a corner to it; returns how many others there are.

    tolerance: difference of overlaps at the same place [m].
    """
    others = 0
    for i in range(count):
        if find_root(i, scratch) == i:
            if cancels(i, corner_overlap(i, scratch), tolerance, scratch):
                scratch[i, IS_LINKED] = 1.0
            else:
                others += 1
    return others


@inline
def join_with_corners(count, tolerance, geometry, scratch):
    """Kruskal's algorithm: join components along edges and link them to their deepest corners, deepest link first.

    The node of all corners connects the components that are linked to one: two of these are not joined.
    Writes scratch: TAKEN as EDGE_KEY of edges and 1 as TAKES_CORNER of rows whose terms are subtracted.
    """
    row = 0
    while row >= 0:
        deepest, row, best_edge = 0.0, -1, -1
        for i in range(count):
            p = find_root(i, scratch)
            if p == i and scratch[p, IS_LINKED] == 0.0 and corner_overlap(p, scratch) > deepest:
                deepest, row, best_edge = corner_overlap(p, scratch), i, -1
            for edge in range(3):
                key = scratch[i, EDGE_KEY + edge]
                if TAKEN < key < -deepest:
                    q = find_root(row_across_edge(i, edge, count, geometry, scratch), scratch)
                    if p != q and scratch[p, IS_LINKED] + scratch[q, IS_LINKED] < 2.0:
                        deepest, row, best_edge = -key, i, edge
        if row >= 0 and best_edge < 0:
            if not cancels(row, deepest, tolerance, scratch):
                scratch[int(scratch[row, CORNER_ROW]), TAKES_CORNER] = 1.0
            scratch[row, IS_LINKED] = 1.0
        elif row >= 0:
            q = find_root(row_across_edge(row, best_edge, count, geometry, scratch), scratch)
            if not join_two(find_root(row, scratch), q, deepest, tolerance, scratch):
                scratch[row, EDGE_KEY + best_edge] = TAKEN


@inline
def join_two(p, q, overlap, tolerance, scratch):
    """Join two components, given by their first rows, along an edge; returns whether its term is left out.

    overlap: of the edge [m]. The component of the deeper triangle, or that which is linked to a corner, keeps its term.
    """
    if scratch[q, IS_LINKED] > scratch[p, IS_LINKED] or (
        scratch[p, IS_LINKED] == 0.0 and depth_of(q, scratch) > depth_of(p, scratch)
    ):
        p, q = q, p
    is_left_out, root = cancels(q, overlap, tolerance, scratch), min(p, q)
    corner_row, deepest_row, linked = scratch[p, CORNER_ROW], scratch[p, DEEPEST_ROW], scratch[p, IS_LINKED]
    if linked == 0.0 and corner_overlap(q, scratch) > corner_overlap(p, scratch):
        corner_row = scratch[q, CORNER_ROW]
    union(p, q, scratch)
    scratch[root, CORNER_ROW], scratch[root, DEEPEST_ROW], scratch[root, IS_LINKED] = corner_row, deepest_row, linked
    return is_left_out


@func
def add_contacts_between_corners(convex, w, body, u, power, count, corners, geometry, contacts, scratch):
    """Write a contact for each component that has terms left; returns the number of contacts.

    corners: number of contacts of corners. That of the deepest corner of a component becomes part of its contact.
    """
    written, first = corners, geometry.first_triangle[w]
    for i in range(count):
        root = find_root(i, scratch)
        is_new = scratch[i, IS_MINIMUM] > 0.0 and scratch[root, CONTACT] < 0.0
        if is_new and written < contacts.shape[0]:
            begin_contact(contacts, written, int(scratch[i, PIECE]) - first)
            scratch[root, CONTACT] = written
            written += 1
    for i in range(count):
        t = int(scratch[find_root(i, scratch), CONTACT])
        if t >= 0:
            if scratch[i, IS_MINIMUM] > 0.0:
                add_triangle(contacts, t, i, first, power, scratch)
            if scratch[i, TAKES_CORNER] > 0.0:
                subtract_corner(contacts, t, i, body, u, power, geometry, scratch)
            subtract_edges(t, i, convex, w, body, u, 0.0, power, geometry, contacts, scratch)
    for i in range(count):
        t = int(scratch[i, CONTACT])
        if t >= 0 and find_root(i, scratch) == i and scratch[i, IS_LINKED] > 0.0:
            add_corner_contact(contacts, t, int(scratch[i, CORNER_ROW]), corners, scratch)
    for t in range(corners, written):
        complete_contact(contacts, t)
    return remove_empty(contacts, written)


@inline
def subtract_corner(contacts, t, i, body, u, power, geometry, scratch):
    """Subtract the term of the deepest corner of row i from contact t."""
    f, radius = int(scratch[i, PIECE]), rounding_of(body)
    arm = vertex_of(body, int(scratch[i, DEEPEST_CORNER]))
    v, region = from_closest(geometry.triangle, f, add(u, arm))
    overlap, n = from_piece(v, dot(v, v), region > 0, radius, triple(geometry.triangle, f, NORMAL))
    subtract_link(contacts, t, overlap, n, power)
    add_torque(contacts, t, -1.0, overlap, n, add_scaled(arm, -radius, n), power)


@inline
def add_corner_contact(contacts, t, row, corners, scratch):
    """Make the contact of the deepest corner of a row part of contact t, or t part of the contact that it is part of.

    Writes contacts: of a contact that becomes part of another one, DEEPEST with the sign changed, and this as FIRST.
    """
    best, nearest = -1, math.inf
    for k in range(corners):
        if contacts[k, ANCHOR] // CORNER_STRIDE == 1.0 + scratch[row, DEEPEST_CORNER]:
            difference = abs(abs(contacts[k, DEEPEST]) - scratch[row, CORNER_OVERLAP])
            if difference < nearest:
                best, nearest = k, difference
    if best < 0:
        return
    if contacts[best, DEEPEST] > 0.0:
        total, point = gradient_in(contacts, best), contact_point(contacts, best)
        move_contact(contacts, best, t, cross(point, total), dot(point, total))
    else:
        move_contact(contacts, t, int(contacts[best, FIRST]), contact_point(contacts, t), contacts[t, PITCH])


@inline
def move_contact(contacts, k, t, torque, along):
    """Add contact k to the sums of contact t. torque, along: its sums Σ ± δ^p x × n, Σ ± δ^p x · n."""
    total = gradient_in(contacts, k)
    for axis in range(3):
        contacts[t, axis] += total[axis]
        contacts[t, CONTACT_POINT + axis] += torque[axis]
    contacts[t, PITCH] += along
    contacts[t, POTENTIAL] += contacts[k, POTENTIAL]
    contacts[t, LINKS] += 1.0
    if contacts[k, DEEPEST] > contacts[t, DEEPEST]:
        contacts[t, DEEPEST], contacts[t, ANCHOR] = contacts[k, DEEPEST], contacts[k, ANCHOR]
    contacts[k, DEEPEST], contacts[k, FIRST] = -contacts[k, DEEPEST], t


@inline
def remove_empty(contacts, count):
    """Remove the contacts that have become part of others; returns how many are left."""
    left = 0
    for t in range(count):
        if contacts[t, DEEPEST] > 0.0:
            for column in range(CONTACT_COLUMNS):
                contacts[left, column] = contacts[t, column]
            left += 1
    return left


@inline
def find_by_patches(kinds, convex, w, body, u, bound, beyond, power, geometry, contacts, scratch):
    """Write the contacts of a body with mesh w, where no body is a polyhedron; returns their number."""
    return find_on_mesh(convex, w, body, u, bound, beyond, power, geometry, contacts, scratch)


find_at_triangles = select("kinds", {ConvexBodyKinds: find_by_patches, FacetedBodyKinds: find_by_corners})
