"""Polyhedra at walls that are no meshes: contacts of corners and edges.

**Planes, and the inside of balls and closed cylinders.** A body overlaps them most at a corner. Each vertex of its core
is a ball, with a contact of its own: U = Σ_v φ(δ_v), φ(δ) = δ^(p+1) / (p+1).

**Blocks and rectangles** are sharp polyhedra. The energy is that of `dem.kernels.convex.polyhedra` with A the body and
B the wall. A contact of the overlap δ and the weight w has the potential w φ(δ). So its row of
`dem.kernels.walls.potential_terms` has the gradient w δ^p n + φ(δ) ∇w, and its torque likewise.

**The outside of round convex walls**: U is that of ``polyhedra_at_meshes``. The surface of such a wall within a body is
a single patch. With δ, the overlap of the whole body, U = Σ_v φ(δ_v) + φ(δ) - φ(δ_m), m the deepest corner: if the body
touches the wall between its corners, this contact replaces that of the deepest corner.
"""

import math

from dem.kernels.compiler.jit import argument, func, inline, select
from dem.kernels.convex.overlap import overlap, overlap_of_cores
from dem.kernels.convex.polyhedra import (
    BY_POSITION,
    BY_ROTATION,
    COLUMNS,
    DEPTH,
    FOUND_AT,
    KEY,
    NO_LISTS,
    NORMAL,
    POINT,
    WEIGHT,
    find_contacts,
    number_of_vertices,
    triple,
    vertex_of,
)
from dem.kernels.convex.shape_registry import has_facets, rounding_of
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds, place_at_plane
from dem.kernels.soft.contact.convex_contacts import DEEPEST as DEEPEST_OVERLAP
from dem.kernels.soft.wall_contact.convex_meshes import PITCH, complete_contact, write_contact_point
from dem.kernels.soft.wall_contact.polyhedra_at_meshes import SAME_DEPTH, mark_corner, remove_empty
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, in_world
from dem.kernels.walls import geometry
from dem.kernels.walls.potential_terms import DEEPEST, LINKS, POTENTIAL, add_piece, clear_contact, power_of_overlap

NOT_BY_FACETS = -1  # the shapes have no facets, or their cores meet


@inline
def write_weighted_contact(contacts, t, row, scratch, power):
    """Write a contact of `polyhedra.find_contacts` to row t; its numbers in `scratch` begin at `row`."""
    depth, weight = scratch[row + DEPTH], scratch[row + WEIGHT]
    n = triple(scratch, row + NORMAL)
    x = add_scaled(triple(scratch, row + POINT), 0.5 * depth, n)  # deepest point of the body
    term = power_of_overlap(depth, power)
    energy = term * depth / (power + 1.0)
    force = add_scaled(scale(-weight * term, n), -energy, triple(scratch, row + BY_POSITION))
    clear_contact(contacts, t, int(scratch[row + KEY]))
    contacts[t, 0], contacts[t, 1], contacts[t, 2] = force
    contacts[t, POTENTIAL], contacts[t, DEEPEST] = weight * energy, depth
    write_contact_point(contacts, t, x)
    if weight < 1.0:
        torque = add_scaled(scale(-weight * term, cross(x, n)), -energy, triple(scratch, row + BY_ROTATION))
        write_contact_point(contacts, t, torque)
        contacts[t, PITCH], contacts[t, LINKS] = dot(x, force), 1.0
        complete_contact(contacts, t)


@func
def find_facet_contacts(kinds, body, wall, r, start, power, contacts, scratch):
    """Write the contacts of a polyhedron with a wall that is one; returns their number, or `NOT_BY_FACETS`.

    body, wall, r: ConvexBody, ConvexBody, from the centre of the body to that of the wall [m].
    start: unit vector, about from the body to the wall. power: p of the normal force, δ^p.
    Writes contacts: rows. Writes scratch: see `polyhedra.find_contacts`.
    """
    if not (has_facets(body) and has_facets(wall)):
        return NOT_BY_FACETS
    depth, n, _, is_precise = overlap_of_cores(body, wall, r, start, 0.0)
    if not is_precise:  # where they nearly touch, over the size of the wall
        depth, n, _, _, _, _ = overlap(body, wall, r, start, 0.0)
    if depth >= DEEPEST_OVERLAP * (rounding_of(body) + rounding_of(wall)):
        return NOT_BY_FACETS
    if not depth > 0.0:
        return 0
    count, omits, _, _ = find_contacts(body, wall, r, n, 0.0, NO_LISTS, scratch)
    if omits or count > contacts.shape[0]:
        return NOT_BY_FACETS
    for t in range(count):
        write_weighted_contact(contacts, t, FOUND_AT + t * COLUMNS, scratch, power)
    return count


@func
def find_corner_contacts(kinds, w, s, b, body, contacts, radius, power, bodies, box):
    """Write the contacts of the corners of a polyhedron, piece s of body b, with a plane w; returns their number.

    body, radius: in the world, radius in contact laws [m]. The anchor of each contact is the number of its corner.
    """
    k, numbers, count = box.walls.geometry.first_number[w], box.walls.geometry.numbers, 0
    n = (numbers[k], numbers[k + 1], numbers[k + 2])
    for corner in range(number_of_vertices(body)):
        x = place_at_plane(kinds, s, b, corner, in_world(w, n, box), bodies)
        overlap = radius - (dot(n, in_frame(w, x, box)) - numbers[k + 3])
        if overlap > 0.0 and count < contacts.shape[0]:
            clear_contact(contacts, count, corner)
            add_piece(contacts, count, overlap, n, corner, power)
            write_contact_point(contacts, count, x)
            count += 1
    return count


@inline
def add_corner(contacts, count, corner, piece, overlap, n, arm, radius, power):
    """Write the contact of a corner with a piece of a wall, if it touches; returns the number of contacts.

    n: unit normal from the wall. arm, radius: of the ball of the corner, from the centre of the body, its radius [m].
    """
    if not overlap > 0.0 or count >= contacts.shape[0]:
        return count
    clear_contact(contacts, count, piece)
    add_piece(contacts, count, overlap, n, piece, power)
    mark_corner(contacts, count, 1, corner, arm, radius)
    return count + 1


@func
def find_corners_inside(kinds, body, c, axis, wall_radius, half, power, contacts):
    """Write the contacts of the corners of a polyhedron inside a ball or a closed cylinder; returns their number.

    c: centre of the body from that of the wall [m]. axis: unit vector of the cylinder, zeros for a ball.
    wall_radius, half: of the wall, half its length [m].
    """
    count, radius = 0, rounding_of(body)
    for corner in range(number_of_vertices(body)):
        arm = vertex_of(body, corner)
        y = add(c, arm)
        along = dot(y, axis)
        off = add_scaled(y, -along, axis)
        far = math.sqrt(dot(off, off))
        if far > 0.0:
            n = scale(-1.0 / far, off)
            count = add_corner(contacts, count, corner, 0, far + radius - wall_radius, n, arm, radius, power)
        if dot(axis, axis) > 0.0:
            for end in range(2):
                outwards = 1.0 - 2.0 * end
                overlap, n = outwards * along + radius - half, scale(-outwards, axis)
                count = add_corner(contacts, count, corner, 1 + end, overlap, n, arm, radius, power)
    return count


@func
def add_corners_outside(kinds, w, body, wall, u, bound, power, count, walls, contacts, scratch):
    """Write the contacts of the corners of a polyhedron outside of a convex wall w, after that of the whole body.

    wall: ConvexBody. u: centre of the body in the frame of the wall [m]. bound: radius of its bounding sphere [m].
    count: 1 if the body touches the wall, else 0.
    Returns the number of contacts.
    """
    radius, deepest = rounding_of(body), 0
    if count == 0 or not has_facets(body) or has_facets(wall) or contacts[0, DEEPEST] >= DEEPEST_OVERLAP * radius:
        return count
    for corner in range(number_of_vertices(body)):
        arm = vertex_of(body, corner)
        found = geometry.find_contacts(w, add(u, arm), radius, power, walls.geometry, contacts[count:], scratch)
        if found < 0:
            return 1
        mark_corner(contacts, count, found, corner, arm, radius)
        if found > 0 and (deepest == 0 or contacts[count, DEEPEST] > contacts[deepest, DEEPEST]):
            deepest = count
        count += found
    if deepest > 0:
        touches_at_corner = contacts[0, DEEPEST] - contacts[deepest, DEEPEST] <= SAME_DEPTH * bound
        contacts[0 if touches_at_corner else deepest, DEEPEST] = 0.0
    return remove_empty(contacts, count)


add_corners = select("kinds", {ConvexBodyKinds: argument("count"), FacetedBodyKinds: add_corners_outside})
find_at_corners_inside = select("kinds", {ConvexBodyKinds: 0, FacetedBodyKinds: find_corners_inside})
find_at_planes = select("kinds", {ConvexBodyKinds: 0, FacetedBodyKinds: find_corner_contacts})
find_at_facets = select("kinds", {ConvexBodyKinds: NOT_BY_FACETS, FacetedBodyKinds: find_facet_contacts})
