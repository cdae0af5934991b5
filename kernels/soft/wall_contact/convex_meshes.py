"""Contacts of a convex body with a mesh: one contact for each patch of triangles that the body overlaps.

This is rule E (``contact_patches``) with overlaps of the body in place of distances of a sphere. With δ_f, the overlap
of the body with triangle f, and δ_e, that with an edge e which two triangles share, the potential is

    U = Σ φ(δ_f) - Σ φ(δ_e),   φ(δ) = δ^(p+1) / (p+1) for δ > 0, else 0.

The first sum is over all triangles, the second over the edges of a spanning forest of the triangles that overlap, taken
deepest first. Each tree is a contact. A triangle that the body touches at a shared edge or corner has δ_f = δ_e, and
both terms are left out. So one triangle remains on flat and convex surfaces; on a flat one its overlap is that of the
plane.

The overlap with a triangle or edge is that of two convex bodies (`dem.kernels.convex.overlap`), one of which has no
thickness. If the support point of the body against the plane of the triangle is over the triangle, δ_f is that of the
plane, in closed form. Otherwise the body touches an edge, and δ_f is the largest overlap with an edge.

Force and torque of a contact are sums over its terms. The *contact point* is where the force alone has this torque, but
for its part along the force; that part over the force is the *pitch* [m].
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.shape_registry import ConvexBody, support_of
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract
from dem.kernels.walls.contact_patches import (
    CONTACT,
    EDGE_KEY,
    IS_MINIMUM,
    PIECE,
    REGION,
    TAKEN,
    cancel_at_shared_edges,
    find_root,
    join_in_ascending_order,
    row_across_edge,
)
from dem.kernels.walls.mesh_cells import is_outside, leaf_at
from dem.kernels.walls.potential_terms import COLUMNS, LINKS, add_piece, clear_contact, power_of_overlap, subtract_link
from dem.kernels.walls.triangles import AB, AC, CORNER, NORMAL, closest, edge_of, from_edge, may_reach, triple

# columns of a contact besides those of ``potential_terms``: contact point about the centre of the body (three); pitch
CONTACT_POINT, PITCH, CONTACT_COLUMNS = COLUMNS, COLUMNS + 3, COLUMNS + 4
# columns of scratch, besides those of ``contact_patches``, of each triangle that overlaps; 0 to 2 are the normal to the
# body: overlap [m]; support point of the body about its centre (three); vertices of an edge, in the first row only.
# The others are those of ``polyhedra_at_meshes``
DEPTH, BODY_POINT, VERTICES, SCRATCH = 3, 12, 21, 30
DEEPEST_CORNER, CORNER_OVERLAP, CORNER_ROW, DEEPEST_ROW, IS_LINKED, TAKES_CORNER = range(15, 21)
END_TOLERANCE = 1e-9  # of the length of an edge, within which a point is its end
UNTURNED = (1.0, 0.0, 0.0, 0.0)


@func
def find_on_mesh(convex, w, body, u, bound, beyond, power, geometry, contacts, scratch):
    """Write the contacts of a body with mesh w; returns their number.

    convex, w: ConvexWalls; number of the wall.
    body, u: ConvexBody; its centre in the wall's frame [m].
    bound, beyond: radius of the bounding sphere of the body, how far beyond touching overlaps are wanted [m].
    power: p of the normal force, δ^p.
    geometry: see `dem.kernels.walls.geometry`.
    Writes contacts: a row a contact, with CONTACT_POINT and PITCH [m].
    Writes scratch: (Q, SCRATCH), a row a triangle that is near.
    """
    count = gather_overlapped(convex, w, body, u, bound, beyond, geometry, scratch)
    if count == 0:
        return 0
    return find_in_overlapped(convex, w, body, u, beyond, power, count, geometry, contacts, scratch)


@func
def find_in_overlapped(convex, w, body, u, beyond, power, count, geometry, contacts, scratch):
    """Write the contacts of a body with the triangles of `count` rows of scratch, as `find_on_mesh`."""
    components, first = cancel_at_shared_edges(count, geometry, scratch), geometry.first_triangle[w]
    minima = components
    if components > 1:
        components = join_overlapped(convex, w, body, u, beyond, count, components, geometry, scratch)
    return write_mesh_contacts(convex, w, body, u, beyond, power, count, minima > 1, first, geometry, contacts, scratch)


@func
def edge_overlap(convex, w, body, u, f, edge, n, beyond, geometry, numbers):
    """Overlap of a body with an edge of triangle f, normal to the body, point about its centre, share of the edge.

    convex, w, body, u, beyond, geometry: see `find_on_mesh`.
    n: unit vector from which the search for the normal begins.
    numbers: room for the vertices of the edge.
    """
    start, along = edge_of(geometry.triangle, f, edge)
    for k in range(3):
        numbers[k], numbers[3 + k], numbers[6 + k] = 0.0, along[k], along[k]
    piece = ConvexBody(convex.kinds, convex.shape[w], numbers, 0, UNTURNED)
    depth, n, x, point, _, _ = convex_overlap(piece, body, subtract(u, start), n, beyond)
    return depth, n, point, dot(x, along) / dot(along, along)


@inline
def overlap_bound(body, away):
    """Upper bound of the overlap of a body with an edge, from its closest point to the centre of the body, `away` [m].

    It is g in this direction, in which no point of the edge is farther than the closest one.
    """
    distance = math.sqrt(dot(away, away))
    return support_of(body, scale(-1.0 / distance, away))[0] - distance if distance > 0.0 else math.inf


@inline
def region_on_edge(edge, share):
    """Region of a triangle, see `dem.kernels.walls.triangles`, of a point on an edge."""
    if share <= END_TOLERANCE:
        return 5 if edge == 1 else 4
    if share >= 1.0 - END_TOLERANCE:
        return 5 if edge == 0 else 6
    return 1 + edge


@func
def touch_triangle(convex, w, body, u, f, beyond, geometry, numbers):
    """Overlap of a body with triangle f, normal to the body, point about its centre, and the region that touches.

    convex, w, body, u, f, beyond, geometry: see `find_on_mesh`.
    Returns the overlap, less than -beyond for those that are apart [m]; normal; point [m]; region.
    """
    n, p = triple(geometry.triangle, f, NORMAL), subtract(u, triple(geometry.triangle, f, CORNER))
    ab, ac, upward = triple(geometry.triangle, f, AB), triple(geometry.triangle, f, AC), n
    if dot(n, p) < 0.0:
        n = scale(-1.0, n)
    h, x = support_of(body, scale(-1.0, n))
    best = h - dot(n, p)
    if best + beyond <= 0.0:
        return best, n, x, 0
    _, region = closest(add(p, x), ab, ac, upward)
    if region == 0:
        return best, n, x, 0
    start, best = n, -math.inf
    for edge in range(3):
        if overlap_bound(body, from_edge(geometry.triangle, f, edge, u)) <= max(best, -beyond):
            continue
        depth, m, point, share = edge_overlap(convex, w, body, u, f, edge, start, beyond, geometry, numbers)
        if depth > best:
            best, n, x, region = depth, m, point, region_on_edge(edge, share)
    return best, n, x, region


@func
def gather_overlapped(convex, w, body, u, bound, beyond, geometry, scratch):
    """Write a row for each triangle of mesh w that a body overlaps; returns how many.

    convex, w, body, u, beyond, geometry: see `find_on_mesh`.
    bound: radius of the bounding sphere of the body [m].
    Writes scratch: rows.
    """
    count, k, numbers = 0, geometry.first_number[w], scratch[0, VERTICES:]
    if is_outside(u, geometry.numbers, k):
        return 0
    leaf = leaf_at(u, geometry.numbers, k, geometry.cells)
    for entry in range(geometry.cells[leaf, 1], geometry.cells[leaf, 2]):
        f = geometry.listed[entry]
        if may_reach(geometry.triangle, f, u, bound + beyond):
            depth, n, point, region = touch_triangle(convex, w, body, u, f, beyond, geometry, numbers)
            if depth + beyond > 0.0:
                scratch[count, 0], scratch[count, 1], scratch[count, 2] = n
                scratch[count, DEPTH], scratch[count, PIECE], scratch[count, REGION] = depth + beyond, f, region
                scratch[count, BODY_POINT], scratch[count, BODY_POINT + 1], scratch[count, BODY_POINT + 2] = point
                count += 1
    return count


@inline
def normal_in(scratch, i):
    """Normal stored in row i."""
    return scratch[i, 0], scratch[i, 1], scratch[i, 2]


@inline
def body_point_in(scratch, i):
    """Point on the body of row i, about its centre."""
    return scratch[i, BODY_POINT], scratch[i, BODY_POINT + 1], scratch[i, BODY_POINT + 2]


@func
def join_overlapped(convex, w, body, u, beyond, count, components, geometry, scratch):
    """Merge overlapped triangles along shared edges, deepest edge first; returns the number of contacts left."""
    write_edge_keys(convex, w, body, u, beyond, count, geometry, scratch)
    return join_in_ascending_order(count, components, 0.0, geometry, scratch)


@func
def write_edge_keys(convex, w, body, u, beyond, count, geometry, scratch):
    """Write the overlap of each edge between two components, with the sign changed, to EDGE_KEY of scratch."""
    numbers = scratch[0, VERTICES:]
    for i in range(count):
        for edge in range(3):
            scratch[i, EDGE_KEY + edge] = math.inf
            j = row_across_edge(i, edge, count, geometry, scratch)
            if j >= 0 and find_root(i, scratch) != find_root(j, scratch):
                f, n = int(scratch[i, PIECE]), normal_in(scratch, i)
                depth, _, _, _ = edge_overlap(convex, w, body, u, f, edge, n, beyond, geometry, numbers)
                scratch[i, EDGE_KEY + edge] = -(depth + beyond)


@inline
def contact_point(contacts, t):
    """Contact point of contact t [m]."""
    return contacts[t, CONTACT_POINT], contacts[t, CONTACT_POINT + 1], contacts[t, CONTACT_POINT + 2]


@inline
def gradient_in(contacts, t):
    """Sum Σ ± δ^p n of contact t, along its force."""
    return contacts[t, 0], contacts[t, 1], contacts[t, 2]


@inline
def unit_of(contacts, t):
    """Unit normal of contact t, zeros if it has none."""
    total = gradient_in(contacts, t)
    size = math.sqrt(dot(total, total))
    return scale(1.0 / size if size > 0.0 else 0.0, total)


@inline
def write_contact_point(contacts, t, point):
    """Write the point of a contact, about which its force has no torque."""
    contacts[t, CONTACT_POINT], contacts[t, CONTACT_POINT + 1], contacts[t, CONTACT_POINT + 2] = point
    contacts[t, PITCH] = 0.0


@func
def write_mesh_contacts(convex, w, body, u, beyond, power, count, has_links, first, geometry, contacts, scratch):
    """Write a row of contacts for each component, in the order of their first triangles; returns their number.

    convex, w, body, u, beyond, power, geometry, scratch: see `find_on_mesh`.
    count: rows of scratch. has_links: whether edges may have joined components.
    first: number of the first triangle of the mesh.
    Writes contacts: rows.
    """
    written = 0
    for i in range(count):
        root = find_root(i, scratch)
        if root == i:
            scratch[i, CONTACT] = written if written < contacts.shape[0] else -1
            if written < contacts.shape[0]:
                begin_contact(contacts, written, int(scratch[i, PIECE]) - first)
                written += 1
        t = int(scratch[root, CONTACT])
        if t >= 0 and scratch[i, IS_MINIMUM] > 0.0:
            add_triangle(contacts, t, i, first, power, scratch)
        if t >= 0 and has_links:
            subtract_edges(t, i, convex, w, body, u, beyond, power, geometry, contacts, scratch)
    for t in range(written):
        i = only_minimum(t, count, scratch)
        if i >= 0 and contacts[t, LINKS] == 0.0:
            write_contact_point(contacts, t, body_point_in(scratch, i))
        else:
            complete_contact(contacts, t)
    return written


@inline
def add_triangle(contacts, t, i, first, power, scratch):
    """Add the term of the triangle of row i to contact t."""
    n, depth = normal_in(scratch, i), scratch[i, DEPTH]
    add_piece(contacts, t, depth, n, int(scratch[i, PIECE]) - first, power)
    add_torque(contacts, t, 1.0, depth, n, body_point_in(scratch, i), power)


@inline
def begin_contact(contacts, t, piece):
    """Write an empty contact to row t."""
    clear_contact(contacts, t, piece)
    for k in range(CONTACT_POINT, PITCH + 1):
        contacts[t, k] = 0.0


@inline
def subtract_edges(t, i, convex, w, body, u, beyond, power, geometry, contacts, scratch):
    """Subtract the terms of the edges of row i that have joined components from contact t."""
    for edge in range(3):
        if scratch[i, EDGE_KEY + edge] == TAKEN:
            f, n, numbers = int(scratch[i, PIECE]), normal_in(scratch, i), scratch[0, VERTICES:]
            depth, n, x, _ = edge_overlap(convex, w, body, u, f, edge, n, beyond, geometry, numbers)
            subtract_link(contacts, t, depth + beyond, n, power)
            add_torque(contacts, t, -1.0, depth + beyond, n, x, power)


@inline
def add_torque(contacts, t, sign, depth, n, x, power):
    """Add the torque of a point x to the sums of contact t: δ^p x × n in CONTACT_POINT, δ^p x · n in PITCH."""
    term, along = sign * power_of_overlap(depth, power), cross(x, n)
    contacts[t, CONTACT_POINT] += term * along[0]
    contacts[t, CONTACT_POINT + 1] += term * along[1]
    contacts[t, CONTACT_POINT + 2] += term * along[2]
    contacts[t, PITCH] += term * dot(x, n)


@inline
def only_minimum(t, count, scratch):
    """Row of the only local minimum among the triangles of contact t, or -1 if there are several."""
    found, minima = -1, 0
    for i in range(count):
        if scratch[i, IS_MINIMUM] > 0.0 and int(scratch[find_root(i, scratch), CONTACT]) == t:
            found, minima = i, minima + 1
    return found if minima == 1 else -1


@inline
def complete_contact(contacts, t):
    """Compute contact point and pitch of contact t from the sums of force and torque.

    The force at the contact point has the torque, except its part along the force, which is the pitch times the force.
    """
    total, torque = gradient_in(contacts, t), contact_point(contacts, t)
    square = dot(total, total)
    if square == 0.0:
        return
    point = scale(1.0 / square, add_scaled(cross(total, torque), contacts[t, PITCH], total))
    write_contact_point(contacts, t, point)
    contacts[t, PITCH] = dot(torque, total) / square
