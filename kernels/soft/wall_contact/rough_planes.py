"""Rough faces of a box and rough walls of any shape: the inclined planes that spheres touch in place of the wall.

A plane is drawn when a sphere that approaches begins to touch the flat wall (`dem.kernels.domain.roughness`). The plane
moves with the wall while they touch. It is at most σ R above or below the wall, so that a sphere that rolls along it
neither climbs nor falls through, and on a curved wall is soon on the wall again. A convex body touches the plane with
its support point against the plane's normal: it acts as a ball that touches the plane there, with the radius of the
body in contact laws (`at_plane`), and the overlap is exact for any rotation of the body. The inclination follows from
the number of the particle and the number of its wall contacts so far, so that it depends neither on threads nor lists.

The history of a contact begins with its plane: the normal, and the position of the sphere and the overlap at the last
step. At a wall these are in the wall's frame; at a face the position is relative to the displacement of the face.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.faces import BoxFaces, RoughFaces, inward
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.domain.roughness import tilted_normal
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import dot, load, subtract
from dem.kernels.soft.contact.convex_bodies import at_plane
from dem.kernels.soft.contact.surface_motion import radius_of, surface_velocity
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, in_world, slot_at, surface_velocity_at

PLANE = 7  # columns of histories that hold a plane
NO_PLANE = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0  # of smooth walls: normal, place, overlap


class Smooth(NamedTuple):
    """Marker of walls none of which is rough."""


class Rough(NamedTuple):
    """Roughness of W walls, some of which are rough."""

    roughness: np.ndarray  # (W,) standard deviation of the inclination [rad], 0 of smooth ones
    seed: np.ndarray  # (W,) int64, of the inclinations
    largest: float  # of all [rad]


@inline
def draw_plane(flat, n, v, roughness, seed, b, half, bodies):
    """Normal of a new random plane, and the overlap with it: the approach along the normal in this step [m].

    flat, n, v: overlap with the flat wall [m], its normal, velocity of the sphere's surface relative to it [m/s].
    Counts the contact in `bodies.wall_contacts`.
    """
    m = tilted_normal(n, v, roughness, seed, bodies.identity[b], bodies.wall_contacts[b])
    bodies.wall_contacts[b] += 1
    return m, -dot(v, m) * min(2.0 * half, -flat / dot(v, n))


@inline
def load_plane(rows, k):
    """Normal, place and overlap of the plane in row k of histories."""
    return (rows[k, 0], rows[k, 1], rows[k, 2]), (rows[k, 3], rows[k, 4], rows[k, 5]), rows[k, 6]


@inline
def store_plane(rows, k, first, plane):
    """Write a plane to seven columns of row k."""
    rows[k, first], rows[k, first + 1], rows[k, first + 2] = plane[0]
    rows[k, first + 3], rows[k, first + 4], rows[k, first + 5] = plane[1]
    rows[k, first + 6] = plane[2]


@inline
def limited_plane(m, overlap, n, flat, band):
    """Normal of a plane and overlap with it, or with one along the flat wall where that is farther than the band."""
    return (n, flat + math.copysign(band, overlap - flat)) if abs(overlap - flat) > band else (m, overlap)


# faces of a box


@inline
def flat_face(box, s, b, face, flat, half, rows, has_history, bodies, kinds):
    """Overlap with a smooth face, and its normal."""
    return flat, inward(face)


@inline
def rough_face(box, s, b, face, flat, half, rows, has_history, bodies, kinds):
    """Overlap [m] of sphere s of body b with its current random plane of a rough face, and the plane's normal.

    flat: overlap with the flat face [m]. Writes the plane to row 6 s + face of rows.
    """
    k, n = 6 * s + face, inward(face)
    if has_history[k] == 0:
        x = at_plane(kinds, s, b, n, bodies)
        v = subtract(surface_velocity(b, x, bodies, box), load(box.velocity, face))
        if not (flat > 0.0 and dot(v, n) < 0.0):
            return 0.0, n
        tilted, overlap = draw_plane(flat, n, v, box.roughness, box.seed, b, half, bodies)
        point = subtract(at_plane(kinds, s, b, tilted, bodies), load(box.shift, face))
    else:
        tilted, before, overlap = load_plane(rows, k)
        point = subtract(at_plane(kinds, s, b, tilted, bodies), load(box.shift, face))
        overlap -= dot(tilted, minimum_image(box, point, before))
    m, overlap = limited_plane(tilted, overlap, n, flat, box.roughness * radius_of(s, b, bodies, kinds))
    store_plane(rows, k, 0, (tilted, point, overlap))
    return overlap, m


@inline
def flat_face_now(box, k, face, flat, radius, neighbours):
    """Overlap with a smooth face, and its normal."""
    return flat, inward(face)


@inline
def rough_face_now(box, k, face, flat, radius, neighbours):
    """Overlap of a sphere with its random plane of a rough face in the last step, and the plane's normal."""
    normal = inward(face)
    if neighbours.wall_has_history[k] == 0:
        return 0.0, normal
    tilted, _place, overlap = load_plane(neighbours.wall_history, k)
    return overlap, tilted if abs(overlap - flat) < box.roughness * radius * (1.0 - 1e-9) else normal


@inline
def touches_any_plane(box, b, bodies, neighbours):
    """Whether a sphere of body b touches its random plane of a rough face."""
    touches = False
    for k in range(6 * bodies.first_sphere[b], 6 * bodies.first_sphere[b + 1]):
        touches = touches or neighbours.wall_has_history[k] != 0
    return touches


face_plane = select("box", {BoxFaces: flat_face, RoughFaces: rough_face})
face_plane_now = select("box", {BoxFaces: flat_face_now, RoughFaces: rough_face_now})
touches_rough_face = select("box", {BoxFaces: False, RoughFaces: touches_any_plane})


# walls of any shape


@inline
def largest_band(rough, radius):
    """Largest distance of the planes of rough walls from their walls [m], over all walls."""
    return rough.largest * radius


@inline
def band_at(rough, w, radius):
    """Largest distance of the plane of rough wall w, for a sphere of this radius, from the wall [m]."""
    return rough.roughness[w] * radius


@inline
def is_rough_wall(rough, w):
    """Whether wall w is rough."""
    return rough.roughness[w] > 0.0


@inline
def flat_wall(rough, c, w, s, b, k, flat, normal, half, bodies, kinds, box):
    """Overlap with a smooth wall, its normal, and no plane."""
    return flat, normal, NO_PLANE


@inline
def rough_wall(rough, c, w, s, b, k, flat, normal, half, bodies, kinds, box):
    """Overlap [m] of sphere s of body b with its random plane of wall w, the normal, and the plane to store.

    k: which of the slots that have been taken up has the plane, or -1; flat, normal: overlap with the wall itself [m],
    its unit normal.
    """
    if rough.roughness[w] == 0.0:
        return flat, normal, NO_PLANE
    if k < 0:
        x = at_plane(kinds, s, b, normal, bodies)
        v = subtract(surface_velocity(b, x, bodies, box), surface_velocity_at(w, x, normal, box))
        if not (flat > 0.0 and dot(v, normal) < 0.0):
            return 0.0, normal, NO_PLANE
        m, overlap = draw_plane(flat, normal, v, rough.roughness[w], rough.seed[w], b, half, bodies)
        tilted = rotate_back(load_quaternion(box.walls.poses.orientation, w), m) if box.walls.moving else m
        point = in_frame(w, at_plane(kinds, s, b, m, bodies), box)
    else:
        tilted, before, overlap = load_plane(box.walls.old_history[c], k)
        m = in_world(w, tilted, box)
        point = in_frame(w, at_plane(kinds, s, b, m, bodies), box)
        overlap -= dot(m, minimum_image(box, in_world(w, point, box), in_world(w, before, box)))
    m, overlap = limited_plane(m, overlap, normal, flat, rough.roughness[w] * radius_of(s, b, bodies, kinds))
    return overlap, m, (tilted, point, overlap)


@inline
def store_in_slot(rough, s, n, plane, walls):
    """Store a plane in the n-th slot of sphere s, if there is such a slot."""
    if n < walls.old_key.shape[1]:
        store_plane(walls.history, s, slot_at(n, walls) + 1, plane)


@inline
def flat_wall_now(rough, c, w, k, flat, normal, radius, box):
    """Overlap with a smooth wall, and its normal."""
    return flat, normal


@inline
def rough_wall_now(rough, c, w, k, flat, normal, radius, box):
    """Overlap and normal at the last forces, of a sphere whose slots have been read; see `rough_wall`."""
    if rough.roughness[w] == 0.0:
        return flat, normal
    if k < 0:
        return 0.0, normal
    tilted, _place, overlap = load_plane(box.walls.old_history[c], k)
    within = abs(overlap - flat) < rough.roughness[w] * radius * (1.0 - 1e-9)
    return overlap, in_world(w, tilted, box) if within else normal


largest_band_of = select("rough", {Smooth: 0.0, Rough: largest_band})
band_of = select("rough", {Smooth: 0.0, Rough: band_at})
history_column = select("rough", {Smooth: 0, Rough: PLANE}, handed=False)  # of a slot's row, where that of laws begins
is_rough = select("rough", {Smooth: False, Rough: is_rough_wall})
wall_plane = select("rough", {Smooth: flat_wall, Rough: rough_wall})
wall_plane_now = select("rough", {Smooth: flat_wall_now, Rough: rough_wall_now})
store_rough_plane = select("rough", {Smooth: None, Rough: store_in_slot})
