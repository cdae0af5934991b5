"""Regions in which spheres overlap walls of any shape: one lowest part of a wall each, and one contact."""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import inline, noinline
from dem.kernels.numerics.vector import dot, scale
from dem.kernels.soft.wall_contact import rough_walls
from dem.kernels.soft.wall_contact.near_wall_record import LISTED, listed_at
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, in_world
from dem.kernels.walls.contact_patches import feel_listed
from dem.kernels.walls.geometry import MESH, feel

ENERGY, DEEPEST, ANCHOR, FIRST, LINKS = 3, 4, 5, 6, 7  # columns of a tree, see `dem.kernels.walls.geometry.feel`
FLAT = 1e-90  # overlap of whose powers the squares may vanish [m]


@inline
def trees_of(w, c, x, radius, power, box):
    """Write the contacts of a sphere at x with wall w to the scratch of chunk c; returns their number."""
    return trees_seen(w, c, in_frame(w, x, box), radius, power, box.walls)


@inline
def trees_seen(w, c, u, radius, power, walls):
    """Write the contacts with wall w of a sphere at a place u in the wall's frame; return their number."""
    return feel_any(w, u, radius, power, walls.geometry, walls.trees[c], walls.scratch[c])


@noinline
def feel_any(w, x, radius, power, geometry, trees, scratch):
    """Write the contacts of a sphere at x with wall w, compiled as one function of arrays.

    Functions here get all arrays as arguments; see `dem.kernels.walls.geometry.feel`.

    Parameters
    ----------
    w, x, radius, power, geometry, scratch : see `dem.kernels.walls.geometry.feel`

    Writes
    ------
    trees : rows
    """
    return feel(w, x, radius, power, geometry, trees, scratch)


@inline
def listed_for(w, s, c, walls):
    """Where the triangles of wall w that are listed for sphere s begin and end; before 0 if they are not listed."""
    geometry, (start, stop) = walls.geometry, listed_at(s, walls)
    lowest = geometry.first_triangle[w]
    if start < 0:
        return start, start
    while start < stop and walls.listed[c, start] < lowest:
        start += 1
    if w + 1 < walls.contact_slot.size:
        following = geometry.first_triangle[w + 1]
        while stop > start and walls.listed[c, stop - 1] >= following:
            stop -= 1
    return start, stop


@inline
def trees_at(w, s, c, u, radius, power, walls):
    """Write the contacts of sphere s with wall w; return their number.

    With a mesh only the triangles that are listed for the sphere are searched.
    """
    geometry = walls.geometry
    if geometry.kind[w] != MESH or walls.at[s, LISTED] < 0:
        return trees_seen(w, c, u, radius, power, walls)
    start, stop = listed_for(w, s, c, walls)
    if start == stop:
        return 0
    return feel_listed(
        u, radius, power, geometry.first_triangle[w], walls.listed[c], start, stop, geometry, walls.trees[c],
        walls.scratch[c],
    )  # fmt: skip


@inline
def sum_of(w, c, t, box):
    """Sum of tree t over its pieces, in the world."""
    trees = box.walls.trees
    return in_world(w, (trees[c, t, 0], trees[c, t, 1], trees[c, t, 2]), box)


@inline
def region(w, c, t, beyond, power, box):
    """Overlap of a sphere with tree t of wall w, and the unit normal; negative where the sphere was taken for larger.

    Parameters
    ----------
    w, c, t, box : wall, chunk, tree; see `dem.kernels.soft.state`
    beyond, power : by how much larger the sphere was taken [m]; of the overlap in the sums

    Returns
    -------
    overlap [m], unit normal from the wall
    """
    trees, total = box.walls.trees, sum_of(w, c, t, box)
    size = math.sqrt(dot(total, total))
    if size == 0.0:
        return 0.0, total
    overlap = trees[c, t, DEEPEST] if trees[c, t, LINKS] == 0.0 else size ** (1.0 / power)
    return overlap - beyond, scale(1.0 / size, total)


@inline
def is_plain(c, t, walls):
    """Whether tree t is of one piece, and deep enough to have a direction: `region` has no cases to tell apart."""
    return walls.trees[c, t, LINKS] == 0.0 and walls.trees[c, t, DEEPEST] > FLAT


@inline
def beyond_of(law, w, radius, walls):
    """How much larger a sphere is taken, for contacts that live beyond touching, and planes before a wall [m]."""
    return (walls.range if laws.has_range(law) else 0.0) + rough_walls.band(walls.rough, w, radius)
