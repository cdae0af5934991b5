"""Rough walls of any shape: the planes that they show spheres.

See rough faces of a box do (`kernels.soft.wall_contact.box_contacts`.

A plane is drawn when a sphere comes to touch the wall, and stays with the wall, wherever that moves, while they touch.
It is no higher or deeper than σ R about the wall: who rolls along one on a curved wall is on the wall again soon.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.domain.roughness import tilted_normal
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import dot, subtract
from dem.kernels.soft.contact.surface_motion import radius_of, surface_velocity
from dem.kernels.soft.wall_contact.near_wall_record import slot_at
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, in_world, surface_velocity_at

PLANE = 7  # columns that hold a plane, in the wall's frame: normal, where the sphere was last, the overlap there


class Smooth(NamedTuple):
    """Marker of walls none of which is rough."""


class Rough(NamedTuple):
    """Roughness of W walls, some of which are rough."""

    roughness: np.ndarray  # (W,) standard deviation of the inclination [rad], 0 of smooth ones
    seed: np.ndarray  # (W,) int64, of the inclinations
    largest: float  # of all [rad]


@inline
def nowhere():
    """Plane of a smooth wall, which has none: zeros."""
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0


@inline
def no_room(rough, radius):
    """How far from a smooth wall its plane may be [m]: it is the wall itself."""
    return 0.0


@inline
def most_room(rough, radius):
    """How far from a wall the planes may be that it shows a sphere [m], of all walls."""
    return rough.largest * radius


@inline
def no_band(rough, w, radius):
    """How far from a smooth wall its plane may be [m]: it is the wall itself."""
    return 0.0


@inline
def band_of(rough, w, radius):
    """How far from rough wall w the plane may be that it shows a sphere of this radius [m]."""
    return rough.roughness[w] * radius


@inline
def first_column(rough):
    """Column of a slot's row at which the history of laws begins."""
    return 0


@inline
def column_after(rough):
    """Column of a slot's row at which the history of laws begins, after the plane of a rough wall."""
    return PLANE


@inline
def never(rough, w):
    """Whether wall w is rough."""
    return False


@inline
def is_any(rough, w):
    """Whether wall w is rough."""
    return rough.roughness[w] > 0.0


@inline
def as_it_is(rough, c, w, s, b, k, flat, normal, half, bodies, kinds, box):
    """Overlap and normal of a smooth wall.

    Parameters
    ----------
    rough, c, w, s, b, k, flat, normal, half, bodies, kinds, box : see `plane_seen`

    Returns
    -------
    as `plane_seen`
    """
    return flat, normal, nowhere()


@inline
def kept(row, rows):
    """Plane of a rough wall in a row of the history."""
    return (
        (rows[row, 0], rows[row, 1], rows[row, 2]), (rows[row, 3], rows[row, 4], rows[row, 5]), rows[row, 6]
    )  # fmt: skip


@inline
def plane_seen(rough, c, w, s, b, k, flat, normal, half, bodies, kinds, box):
    """Overlap of sphere s of body b with the plane that wall w shows it, and the plane's normal.

    As `dem.kernels.soft.wall_contact.rough_faces.plane_seen`, for walls that may turn and be curved.

    Parameters
    ----------
    rough, c, w, s, b : `Rough`, chunk, wall, sphere, its body
    k : which of the slots that have been taken up has the plane, or -1
    flat, normal : overlap with the wall itself [m], its unit normal
    half, kinds, box : half a step [s]; see `dem.kernels.soft.state`

    Writes
    ------
    bodies.wall_contacts : one more for a new plane

    Returns
    -------
    overlap [m], unit normal from the wall, plane to keep
    """
    if rough.roughness[w] == 0.0:
        return flat, normal, nowhere()
    x = (bodies.sphere_position[0, s], bodies.sphere_position[1, s], bodies.sphere_position[2, s])
    place, m, tilted, overlap = in_frame(w, x, box), normal, normal, 0.0
    if k < 0:
        v = subtract(surface_velocity(b, x, bodies, box), surface_velocity_at(w, x, normal, box))
        if not (flat > 0.0 and dot(v, normal) < 0.0):
            return 0.0, normal, nowhere()
        m = tilted_normal(normal, v, rough.roughness[w], rough.seed[w], bodies.identity[b], bodies.wall_contacts[b])
        bodies.wall_contacts[b] += 1
        tilted, overlap = in_own_frame(w, m, box), -dot(v, m) * min(2.0 * half, -flat / dot(v, normal))
    else:
        tilted, before, overlap = kept(k, box.walls.old_history[c])
        m = in_world(w, tilted, box)
        overlap -= dot(m, minimum_image(box, in_world(w, place, box), in_world(w, before, box)))
    band = rough.roughness[w] * radius_of(s, b, bodies, kinds)
    if abs(overlap - flat) > band:
        m, overlap = normal, flat + math.copysign(band, overlap - flat)
    return overlap, m, (tilted, place, overlap)


@inline
def in_own_frame(w, u, box):
    """A direction in the world as wall w sees it."""
    return rotate_back(load_quaternion(box.walls.poses.orientation, w), u) if box.walls.moving else u


@inline
def keep_nothing(rough, s, n, plane, walls):
    """Keep no plane: walls are smooth."""
    return


@inline
def keep(rough, s, n, plane, walls):
    """Write a plane to the n-th slot of sphere s, if it has so many."""
    at = slot_at(n, walls) + 1
    if n < walls.old_key.shape[1]:
        walls.history[s, at], walls.history[s, at + 1], walls.history[s, at + 2] = plane[0]
        walls.history[s, at + 3], walls.history[s, at + 4], walls.history[s, at + 5] = plane[1]
        walls.history[s, at + 6] = plane[2]


@inline
def as_it_was(rough, c, w, k, flat, normal, radius, box):
    """Overlap and normal of a smooth wall.

    Parameters
    ----------
    rough, c, w, k, flat, normal, radius, box : see `plane_last_seen`

    Returns
    -------
    as `plane_last_seen`
    """
    return flat, normal


@inline
def plane_last_seen(rough, c, w, k, flat, normal, radius, box):
    """Overlap and normal as of the last forces, of a sphere whose slots have been looked up.

    Parameters
    ----------
    rough, c, w, k, flat, normal, box : see `plane_seen`
    radius : of the sphere [m]

    Returns
    -------
    overlap [m], unit normal from the wall
    """
    if rough.roughness[w] == 0.0:
        return flat, normal
    if k < 0:
        return 0.0, normal
    tilted, _place, overlap = kept(k, box.walls.old_history[c])
    within = abs(overlap - flat) < rough.roughness[w] * radius * (1.0 - 1e-9)
    return overlap, in_world(w, tilted, box) if within else normal


room = select("rough", {Smooth: no_room, Rough: most_room})
band = select("rough", {Smooth: no_band, Rough: band_of})
column = select("rough", {Smooth: first_column, Rough: column_after})
is_rough = select("rough", {Smooth: never, Rough: is_any})
seen = select("rough", {Smooth: as_it_is, Rough: plane_seen})
note_plane = select("rough", {Smooth: keep_nothing, Rough: keep})
last_seen = select("rough", {Smooth: as_it_was, Rough: plane_last_seen})
