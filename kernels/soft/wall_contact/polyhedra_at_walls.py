"""Polyhedra at blocks and rectangles, which are sharp polyhedra: contacts of corners and edges, as between two bodies.

The energy is that of `dem.kernels.convex.polyhedra` with A the body and B the wall. A contact of the overlap δ and the
weight w has the potential w φ(δ), φ(δ) = δ^(p+1) / (p+1). So its row of `dem.kernels.walls.potential_terms` has the
gradient w δ^p n + φ(δ) ∇w, and its torque likewise.
"""

from dem.kernels.compiler.jit import func, inline, select
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
    triple,
)
from dem.kernels.convex.shape_registry import has_facets, rounding_of
from dem.kernels.numerics.vector import add_scaled, cross, dot, scale
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds
from dem.kernels.soft.contact.convex_contacts import DEEPEST as DEEPEST_OVERLAP
from dem.kernels.soft.wall_contact.convex_meshes import PITCH, complete_contact, write_contact_point
from dem.kernels.walls.potential_terms import DEEPEST, LINKS, POTENTIAL, clear_contact, power_of_overlap

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


find_at_facets = select("kinds", {ConvexBodyKinds: NOT_BY_FACETS, FacetedBodyKinds: find_facet_contacts})
