"""Regions in which spheres overlap walls of any shape: one lowest part of a wall each, and one contact.

Contacts with a wall are rows of `Walls.contacts`, scratch of a chunk, see `dem.kernels.walls.potential_terms`.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import inline, select
from dem.kernels.numerics.vector import dot, scale
from dem.kernels.soft.wall_contact.rough_planes import band_of
from dem.kernels.soft.wall_contact.wall_arrays import LISTED, in_world, listed_at
from dem.kernels.walls.contact_patches import find_among_triangles
from dem.kernels.walls.geometry import MESH, Unused, Used, find_contacts
from dem.kernels.walls.potential_terms import DEEPEST, LINKS

FLAT = 1e-90  # overlap of whose powers the squares may vanish [m]


@inline
def find_all_contacts(w, c, u, radius, power, walls):
    """Write the contacts with wall w of a sphere at a place u in the wall's frame; return their number."""
    return find_contacts(w, u, radius, power, walls.geometry, walls.contacts[c], walls.scratch[c])


@inline
def listed_for(w, s, c, walls):
    """Range of the triangles of wall w in the list of its chunk for sphere s; negative if they are not listed."""
    geometry, (start, stop) = walls.geometry, listed_at(s, walls)
    lowest = geometry.first_triangle[w]
    if start < 0:
        return start, start
    while start < stop and walls.listed[c, start] < lowest:
        start += 1
    if w + 1 < walls.material_row.size:
        following = geometry.first_triangle[w + 1]
        while stop > start and walls.listed[c, stop - 1] >= following:
            stop -= 1
    return start, stop


find_among_listed = select("geometry.meshes", {Unused: 0, Used: find_among_triangles})


@inline
def find_contacts_of(s, w, c, u, radius, power, walls):
    """Write the contacts of sphere s at u with wall w, of a mesh those with listed triangles; return the number."""
    geometry = walls.geometry
    if geometry.kind[w] != MESH or walls.sphere_records[s, LISTED] < 0:
        return find_all_contacts(w, c, u, radius, power, walls)
    start, stop = listed_for(w, s, c, walls)
    if start == stop:
        return 0
    return find_among_listed(
        u, radius, power, geometry.first_triangle[w], walls.listed[c], start, stop, geometry, walls.contacts[c],
        walls.scratch[c],
    )  # fmt: skip


@inline
def gradient_of(w, c, t, box):
    """Gradient of the potential of contact t, summed over its pieces, in the world."""
    contacts = box.walls.contacts
    return in_world(w, (contacts[c, t, 0], contacts[c, t, 1], contacts[c, t, 2]), box)


@inline
def region(w, c, t, beyond, power, box):
    """Overlap in contact t with wall w [m], and the unit normal from the wall.

    The sphere was taken for larger by `beyond` [m]; so the overlap may be negative.
    """
    contacts, total = box.walls.contacts, gradient_of(w, c, t, box)
    size = math.sqrt(dot(total, total))
    if size == 0.0:
        return 0.0, total
    overlap = contacts[c, t, DEEPEST] if contacts[c, t, LINKS] == 0.0 else size ** (1.0 / power)
    return overlap - beyond, scale(1.0 / size, total)


@inline
def is_of_one_piece(c, t, walls):
    """Whether contact t has one piece and is deep enough to have a direction; `region` then needs no distinction."""
    return walls.contacts[c, t, LINKS] == 0.0 and walls.contacts[c, t, DEEPEST] > FLAT


@inline
def beyond_of(law, w, radius, walls):
    """Margin of a sphere's radius for contacts that persist beyond touch, and for planes before a rough wall [m]."""
    return (walls.range if laws.has_range(law) else 0.0) + band_of(walls.rough, w, radius)
