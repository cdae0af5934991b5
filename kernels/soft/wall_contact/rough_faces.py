"""Rough faces of a box: the plane that one shows a sphere, which is kept as long as they touch."""

import math

from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.faces import BoxFaces, RoughFaces, inward
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.domain.roughness import tilted_normal
from dem.kernels.numerics.vector import dot, load, subtract
from dem.kernels.soft.contact.surface_motion import radius_of, surface_velocity

PLANE = 7  # columns of wall_history that hold the plane of a rough wall: normal, last place, overlap there


@inline
def flat_seen(box, s, b, face, flat, half, rows, has_history, bodies, kinds):
    """Overlap of a sphere with a smooth face, and its normal.

    Parameters
    ----------
    box, s, b, face, flat, half, rows, has_history, bodies, kinds : see `rough_seen`

    Returns
    -------
    overlap [m], unit normal into the box
    """
    return flat, inward(face)


@inline
def rough_seen(box, s, b, face, flat, half, rows, has_history, bodies, kinds):
    """Overlap of sphere s of body b with the plane that a rough face shows it, and the plane's normal.

    Drawn when the sphere comes to touch the flat wall while it approaches, and kept while they touch: the normal m,
    where the sphere was relative to the face at the last step, and the overlap then; at first that is what it came in
    along m in this step. Planes are no higher or deeper than σ R about the flat wall, so that who rolls along one
    neither climbs it nor falls through. The particle's number, and that of its wall contacts so far, say which
    inclination it is: neither threads nor lists matter.

    Parameters
    ----------
    s, b, face : sphere, its body, number of the face
    flat : overlap with the flat wall [m]
    half, has_history, kinds, box : half a step [s]; (6 M,) whether a plane is known; see `dem.kernels.soft.state`

    Writes
    ------
    rows : row 6 s + face, the plane
    bodies.wall_contacts : one more for a new plane

    Returns
    -------
    overlap [m], unit normal into the box
    """
    k = 6 * s + face
    n = inward(face)
    x = load(bodies.sphere_position, s)
    place = subtract(x, load(box.shift, face))
    if has_history[k] == 0:
        v = subtract(surface_velocity(b, x, bodies, box), load(box.velocity, face))
        if not (flat > 0.0 and dot(v, n) < 0.0):
            return 0.0, n
        m = tilted_normal(n, v, box.roughness, box.seed, bodies.identity[b], bodies.wall_contacts[b])
        bodies.wall_contacts[b] += 1
        rows[k, 0], rows[k, 1], rows[k, 2] = m
        overlap = -dot(v, m) * min(2.0 * half, -flat / dot(v, n))
    else:
        m = (rows[k, 0], rows[k, 1], rows[k, 2])
        before = (rows[k, 3], rows[k, 4], rows[k, 5])
        overlap = rows[k, 6] - dot(m, minimum_image(box, place, before))
    band = box.roughness * radius_of(s, b, bodies, kinds)
    if abs(overlap - flat) > band:
        m, overlap = n, flat + math.copysign(band, overlap - flat)
    rows[k, 3], rows[k, 4], rows[k, 5] = place
    rows[k, 6] = overlap
    return overlap, m


plane_seen = select("box", {BoxFaces: flat_seen, RoughFaces: rough_seen})


@inline
def no_plane(box, b, bodies, neighbours):
    """Where all planes are the faces themselves."""
    return False


@inline
def in_touch(box, b, bodies, neighbours):
    """Whether a sphere of body b is in touch with the plane that a rough wall shows it."""
    touches = False
    for k in range(6 * bodies.first_sphere[b], 6 * bodies.first_sphere[b + 1]):
        touches = touches or neighbours.wall_has_history[k] != 0
    return touches


touches_rough = select("box", {BoxFaces: no_plane, RoughFaces: in_touch})


@inline
def flat_now(box, k, face, flat, radius, neighbours):
    """Overlap with a smooth face, and its normal."""
    return flat, inward(face)


@inline
def rough_now(box, k, face, flat, radius, neighbours):
    """Overlap with the plane that a rough face showed a sphere at the last step, and its normal."""
    normal = inward(face)
    if neighbours.wall_has_history[k] == 0:
        return 0.0, normal
    overlap = neighbours.wall_history[k, 6]
    if abs(overlap - flat) < box.roughness * radius * (1.0 - 1e-9):
        normal = (neighbours.wall_history[k, 0], neighbours.wall_history[k, 1], neighbours.wall_history[k, 2])
    return overlap, normal


plane_now = select("box", {BoxFaces: flat_now, RoughFaces: rough_now})
