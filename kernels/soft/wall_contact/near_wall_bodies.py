"""Find the bodies near walls, which are checked for wall contacts until candidate pairs are rebuilt."""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.numerics.quaternion import body_x, load_quaternion
from dem.kernels.numerics.vector import add, add_scaled, load
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.contact.convex_bodies import bounding_radius
from dem.kernels.soft.neighbours.neighbour_list import SLACK
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.rough_planes import largest_band_of, touches_rough_face
from dem.kernels.soft.wall_contact.wall_arrays import (
    IN_USE,
    NEAR_WALLS,
    SINGLE,
    WalledFaces,
    acts_on,
    image_for,
    image_in_frame,
    images_beside,
    in_frame,
    set_listed,
)
from dem.kernels.walls.contact_patches import list_triangles_near
from dem.kernels.walls.geometry import MESH, Unused, Used, clearance
from dem.kernels.walls.mesh_cells import sort_triangles

SHORT = 1.0 - 1e-6  # of a distance, for rounding


class SpheresOfBody(NamedTuple):
    """Where the spheres of a body are: on a line, or where they were placed. Read once, before a loop over them."""

    kind: int  # of the body
    is_collinear: bool
    first: int  # of its spheres
    row: int  # of the first one in the tables of kinds
    count: int
    position: tuple[float, float, float]  # of the body [m]
    axis: tuple[float, float, float]  # of the line, or zero


@inline
def read_spheres(b, bodies, kinds):
    """Read where the spheres of body b are."""
    g, axis = bodies.kind[b], (0.0, 0.0, 0.0)
    is_collinear, row = kinds.is_collinear[g] != 0, kinds.first_offset[g]
    if is_collinear:
        axis = body_x(load_quaternion(bodies.orientation, b))
    count = kinds.first_offset[g + 1] - row
    return SpheresOfBody(g, is_collinear, bodies.first_sphere[b], row, count, load(bodies.position, b), axis)


@inline
def centre(spheres, s, bodies, kinds):
    """Centre of sphere s of a body, of which `SpheresOfBody` are given [m]."""
    if spheres.is_collinear:
        return add_scaled(spheres.position, kinds.offset[0, spheres.row + s], spheres.axis)
    return load(bodies.sphere_position, spheres.first + s)


@inline
def is_clear(x, margin, box):
    """Whether a point is farther than the margin from all faces."""
    clear = True
    for axis in range(3):
        clear = clear and x[axis] - margin >= box.lower[axis] and x[axis] + margin <= box.upper[axis]
    return clear


@inline
def near_wall(b, skin, bodies, kinds, box):
    """Return 1 if a sphere of body b is closer to a face than the skin, else 0."""
    g = bodies.kind[b]
    if is_clear(load(bodies.position, b), (kinds.bounding_radius[g] + skin) * SLACK, box):
        return 0
    spheres = read_spheres(b, bodies, kinds)
    for s in range(spheres.count):
        radius = bounding_radius(kinds, spheres.row + s)
        if not is_clear(centre(spheres, s, bodies, kinds), (radius + skin) * SLACK, box):
            return 1
    return 0


@inline
def near_faces(box, b, skin, bodies, kinds, neighbours):
    """Return 1 if body b is near the faces of a box, or touches the tilted plane of a rough one, else 0."""
    near = near_wall(b, skin, bodies, kinds, box)
    return 1 if touches_rough_face(box, b, bodies, neighbours) else near


@inline
def sort_listed(start, count, c, box):
    """Sort the triangles listed from `start` on; returns the number of different ones."""
    return sort_triangles(box.walls.listed[c], start, count)


list_near_triangles = select("geometry.meshes", {Unused: (math.inf, 0), Used: list_triangles_near})
sort_near_triangles = select("box.walls.geometry.meshes", {Unused: 0, Used: sort_listed})


@inline
def list_near_image(w, u, reach, start, c, box):
    """Lower bound of the distance of a point u from wall w, in its frame [m], and number of triangles within reach.

    As `list_near_sphere`, for one image of a sphere.
    """
    geometry = box.walls.geometry
    if geometry.kind[w] == MESH:
        return list_near_triangles(u, reach, geometry.first_number[w], geometry, box.walls.listed[c], start)
    return clearance(w, u, geometry), 0


@inline
def list_near_sphere(w, x, reach, start, c, box):
    """Lower bound of the distance of a sphere at x from wall w beyond the reach [m], and number of near triangles.

    Triangles near other images of the sphere that may be the nearest soon count as well.
    Writes box.walls.listed: row c, from `start` on, numbers of the triangles.
    """
    d, count = list_near_image(w, in_frame(w, x, box), reach, start, c, box)
    room, axes, beyond = images_beside(box, w, x, reach)
    if axes != 0:
        image = image_for(box, w, x)
        for k in range(1, 8):
            if k & axes == k:
                moved = (k & 1) * beyond[0], (k >> 1 & 1) * beyond[1], (k >> 2) * beyond[2]
                away, more = list_near_image(w, image_in_frame(w, add(image, moved), box), reach, start + count, c, box)
                d, count = min(d, away), count + more
        count = sort_near_triangles(start, count, c, box)
    return min(d - reach, room), count


@inline
def without_side(kinds, near, free, b, skin, bodies, box):
    """Walls near a body, and the distance that it may move freely [m], by its spheres alone."""
    return near, free


@inline
def with_side(kinds, near, free, b, skin, bodies, box):
    """Walls near a body (bits), and the distance that it may move freely [m], by its ends and the side of a capsule."""
    g = bodies.kind[b]
    if kinds.half[g] > 0.0:
        reach, walls = (kinds.bounding_radius[g] + skin) * SLACK, box.walls
        for w in range(walls.material_row.size):
            if acts_on(w, b, bodies, walls):
                x, nowhere = load(bodies.position, b), walls.listed.shape[1]
                away, _count = list_near_sphere(w, x, reach, nowhere, b // CHUNK, box)
                if away < 0.0:
                    near |= np.int64(1) << min(w, SINGLE)
                free = min(free, away)
    return near, free


near_side = select("kinds", {Kinds: without_side, Capsules: with_side})


@func
def list_near_body(box, b, skin, bodies, kinds):
    """Bits of the walls that body b is near, whose triangles are listed; a body that is near none has no history.

    Writes box.walls: skip_distance, at, listed, wanted.
    """
    near, walls, spheres = np.int64(0), box.walls, read_spheres(b, bodies, kinds)
    c, free = b // CHUNK, math.inf
    for s in range(spheres.count):
        radius = bounding_radius(kinds, spheres.row + s)
        band = largest_band_of(walls.rough, max(radius, kinds.radius[spheres.row + s]))
        reach = (radius + band + skin) * SLACK
        x, start = centre(spheres, s, bodies, kinds), walls.wanted[c]
        for w in range(walls.material_row.size):
            away, count = math.inf, 0
            if acts_on(w, b, bodies, walls):
                away, count = list_near_sphere(w, x, reach, walls.wanted[c], c, box)
            if away < 0.0:
                near |= np.int64(1) << min(w, SINGLE)
            free = min(free, away)
            walls.wanted[c] += count
        listed = walls.wanted[c] <= walls.listed.shape[1]
        set_listed(spheres.first + s, start if listed else -1, walls.wanted[c] if listed else -1, walls)
    near, free = near_side(kinds, near, free, b, skin, bodies, box)
    for s in range(spheres.first, spheres.first + spheres.count):
        walls.sphere_records[s, NEAR_WALLS] = near
        if near == 0:
            walls.sphere_records[s, IN_USE] = 0
    if near == 0:
        walls.skip_distance[b] = walls.displacement_since_list[0] + free * SHORT
    return near


@inline
def near_any(box, b, skin, bodies, kinds, neighbours):
    """Whether body b is near a face or any other wall; records the walls near it."""
    walls, near = box.walls, np.int64(0)
    if b % CHUNK == 0:
        walls.wanted[b // CHUNK] = 0
    if walls.displacement_since_list[0] >= walls.skip_distance[b]:
        near = list_near_body(box, b, skin, bodies, kinds)
    return 1 if near != 0 else near_faces(box, b, skin, bodies, kinds, neighbours)


is_walled = select("box", {BoxFaces: near_faces, WalledFaces: near_any})
