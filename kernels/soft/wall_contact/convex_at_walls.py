"""Convex bodies at walls beside the box: their contacts, as rows of `dem.kernels.walls.potential_terms`.

Outside of a convex wall - a ball, block, capsule, closed cylinder, rectangle - the overlap is that of two convex
bodies, the minimum over unit vectors of g (`dem.kernels.convex.overlap`). Polyhedra touch blocks and rectangles with
their corners and edges (``polyhedra_at_walls``). Inside of a hollow ball or of a closed cylinder the overlap is

    f(n) = h(n) + n·c - R,   n any unit vector, or one across the axis of the cylinder,

with the body's centre c relative to that of the wall. Each local maximum above 0 is a contact: a rod across a pipe
touches twice. There the support point x has x + c along n, so ∂f/∂c = n, and the force is the gradient of one energy.
If all radii of curvature of a body are less than R, f > 0 is stationary at such maxima only, and contacts begin and end
without a jump. Ends of a cylinder are planes. The inside of a torus is a cylinder in each plane through its axis.

A contact goes on as that of a ball with the radius of the body in contact laws, which touches the wall where the body
does: its centre is stored with the contact. Nothing is kept of the last step, so that the bytes of a run do not depend
on lists and restarts. Meshes: ``convex_meshes``; open cylinders, cones, tori: ``convex_shells``.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.overlap import unit
from dem.kernels.convex.shape_registry import ConvexBody, along_two, has_facets, rounding_of, support_of, surface_of
from dem.kernels.numerics.quaternion import body_x, conjugate, load_quaternion, product
from dem.kernels.numerics.vector import across, add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, at_plane, convex_body, row_of
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.convex_meshes import PITCH, contact_point, unit_of, write_contact_point
from dem.kernels.soft.wall_contact.convex_shells import (
    add_contact,
    direction_in_arc,
    find_at_profile,
    find_at_ring,
    find_at_shell,
)
from dem.kernels.soft.wall_contact.overlap_regions import find_all_contacts
from dem.kernels.soft.wall_contact.polyhedra_at_meshes import find_at_triangles
from dem.kernels.soft.wall_contact.polyhedra_at_walls import (
    NOT_BY_FACETS,
    add_corners,
    find_at_corners_inside,
    find_at_facets,
    find_at_planes,
)
from dem.kernels.soft.wall_contact.wall_arrays import in_frame, in_world
from dem.kernels.walls.potential_terms import DEEPEST, add_piece, clear_contact

# what a wall is to convex bodies; a hollow cylinder is closed, a shell is a cone or a cylinder with an open end, a
# profile is a surface of revolution
FLAT, OUTSIDE, HOLLOW_BALL, HOLLOW_CYLINDER, TRIANGLES, SHELL, TORUS, PROFILE, HOLLOW_TORUS = range(9)
MAX_STEPS = 60
TUBE_STARTS, TURNS = 8, 8  # in a tube: directions to start from all around, and turns about the axis on either side
WIDE = 0.99  # sine of the angle within which the body is seen from the axis, at most
RINGS = 4  # of directions to start from around the one to the centre
SAME = 1e-3  # distance of places over the size of a body, below which two maxima are one
STRAIGHT = 1e-30  # square of the angle by which a normal to a face may differ from it by rounding
JUMP = 1e-6  # of the size of the body, and in rad: a root to rounding is far below it, a jump at a false one far above
NOISE = 1e-16  # of f, over the sizes


class PlaneOverlap(NamedTuple):
    """Largest overlap of a body with a torus in a plane through the axis, where a direction u points."""

    slope: float  # (x + c)·(axis × u), see `find_inside_torus` [m]
    overlap: float  # [m]
    n: tuple  # unit normal from body to wall
    x: tuple  # support point about the centre of the body [m]


class NoConvexWalls(NamedTuple):
    """Walls in runs without convex bodies."""


class ConvexWalls(NamedTuple):
    """Shapes of W walls for contacts with convex bodies, in the wall's frame."""

    side: np.ndarray  # (W,) int64, one of FLAT to HOLLOW_TORUS
    kinds: tuple  # chain of the kinds of shapes, see `dem.kernels.convex.shape_registry`
    shape: np.ndarray  # (W,) int64, place of the shape of each in the chain
    first_number: np.ndarray  # (W,) int64, where its numbers begin
    numbers: np.ndarray  # (P,) numbers of all shapes
    centre: np.ndarray  # (3, W) [m]
    turn: np.ndarray  # (4, W) unit quaternion, shape to frame; the axis of a cylinder is x of the shape
    radius: np.ndarray  # (W,) of hollows [m]
    half: np.ndarray  # (W,) half the length of cylinders [m]
    circle: np.ndarray  # (2, D) unit vectors all around
    sphere: np.ndarray  # (3, E) the same in space


class ConvexMeshes(ConvexWalls):
    """Walls of which some are meshes."""

    extends = (ConvexWalls,)


class ConvexShells(ConvexMeshes):
    """Walls of which some are shells, profiles or tori, from outside or inside, and some may be meshes."""

    extends = (ConvexMeshes,)


@inline
def overlap_along(body, c, radius, n):
    """Overlap f(n) along a unit vector n [m], the support point [m], and the curvature of the body there."""
    h, x, curvature = surface_of(body, n)
    return h + dot(n, c) - radius, x, curvature


@inline
def direction_across(v, axis):
    """Unit vector along the part of v across an axis, which may be zero."""
    return unit(add_scaled(v, -dot(v, axis), axis))


@func
def find_local_maximum(body, c, radius, axis, n):
    """Local maximum of f from a unit vector n on: its value [m], normal, and support point [m].

    By Newton's method where f is concave and rises with the step; else to the direction of x + c, which never lowers f,
    as h is convex. c: centre of the body from that of the hollow [m]; axis: unit vector that n stays across, or zeros.
    """
    f, x, curvature = overlap_along(body, c, radius, n)
    for _ in range(MAX_STEPS):
        e = add(x, c)
        if dot(axis, axis) > 0.0:
            t_1, t_2 = cross(axis, n), axis
        else:
            t_1, t_2 = across(n)
        k_11, k_12, k_22 = along_two(curvature, t_1, t_2)
        g_1, g_2, reach = dot(e, t_1), dot(e, t_2), f + radius
        if dot(axis, axis) > 0.0:
            g_2, k_12, k_22 = 0.0, 0.0, 0.0
        # of second derivatives k - (f + R), the negative
        a, b, d = reach - k_11, -k_12, reach - k_22
        concave = a > 0.0 and a * d - b * b > 0.0
        if concave:
            s_2 = (a * g_2 - b * g_1) / (a * d - b * b)
            s_1 = (g_1 - b * s_2) / a
            moved = add(scale(s_1, t_1), scale(s_2, t_2))
            gain = 0.5 * (s_1 * g_1 + s_2 * g_2)
            if gain <= NOISE * (radius + abs(f)):
                turned_1, turned_2 = k_11 * s_1 + k_12 * s_2, k_12 * s_1 + k_22 * s_2
                x = add(x, add(scale(turned_1, t_1), scale(turned_2, t_2)))
                return f + gain, unit(add(n, moved)), x
            m = unit(add(n, moved))
            f_m, x_m, curvature_m = overlap_along(body, c, radius, m)
            if f_m > f:
                f, n, x, curvature = f_m, m, x_m, curvature_m
                continue
        m = direction_across(e, axis)
        f_m, x_m, curvature_m = overlap_along(body, c, radius, m)
        if not f_m > f:
            break
        f, n, x, curvature = f_m, m, x_m, curvature_m
    return f, n, x


@inline
def add_maximum(contacts, count, body, c, radius, axis, n, beyond, size, power):
    """Find the local maximum of the overlap from normal n on, and write it unless it is known; returns the number."""
    f, n, x = find_local_maximum(body, c, radius, axis, n)
    return add_unless_known(contacts, count, f + beyond, n, x, size, power)


@inline
def add_unless_known(contacts, count, overlap, n, x, size, power):
    """Write a contact of outward normal n unless it equals an earlier one, see `SAME`; returns their number."""
    is_known = False
    for t in range(count):
        away = subtract(x, contact_point(contacts, t))
        is_known = is_known or dot(away, away) < (SAME * size) * (SAME * size)
    return count if is_known else add_contact(overlap, scale(-1.0, n), x, power, contacts, count)


@inline
def cosine_within(spread, distance):
    """Lower bound of n·m for two unit vectors near a third one, u.

    spread: n and m make angles with u whose sines are at most this.
    distance: their components across u differ by a vector that is at most this long.
    """
    height = math.sqrt((1.0 - spread) * (1.0 + spread))
    lower = max(spread - distance, 0.0)
    fall = math.sqrt((1.0 - lower) * (1.0 + lower)) - height
    return 1.0 - 0.5 * (distance * distance + fall * fall)


@vector_loop
def evaluate_starts(starts, pitch, body, c, u, v, least, values, ahead):
    """Evaluate h(n) + n·c at unit vectors around u [m], and how far ahead the direction of x + c is.

    starts, pitch: number of vectors, and distance of the sines of their angles to u.
    least: length that x + c across the axis is not shorter than [m].
    Writes values, ahead: (starts,) [m]; sine of the angle of x + c to u, within those of the starts, less that of n.
    """
    last = 0.5 * pitch * (starts - 1)
    for k in range(starts):
        y = pitch * k - last
        n = direction_in_arc(y, u, v)
        h, x = support_of(body, n)
        e = add(x, c)
        along, aside = dot(e, u), dot(e, v)
        nearest = aside / max(math.sqrt(along * along + aside * aside), least)
        values[k], ahead[k] = h + dot(n, c), min(max(nearest, -last), last) - y


@func
def find_maxima_of_arc(convex, w, body, c, axis, bound, beyond, power, spread, u, contacts, scratch):
    """Write the contacts of a body inside a cylinder, along unit vectors around u; returns their number.

    With the angle of n, f'' + f + R is the radius of curvature, which is not negative. So the next maximum in the
    direction in which f rises is not nearer than the direction of x + c. Newton's method begins at those starts for
    which this direction is nearer than the next start. At a maximum x + c is along n, and h(n) + n·c is its
    length, more than R. At other unit vectors this function is not less than that length times the cosine of the angle
    between them. So a start where it is less than R times the cosine of the angle between neighbouring starts is not
    near a contact, and is left out.

    c, axis, bound, beyond: as of `find_maxima`; spread: sine of the largest angle to u.
    """
    radius, v, starts, count = convex.radius[w], cross(axis, u), convex.circle.shape[1], 0
    pitch = 2.0 * spread / starts
    last = 0.5 * pitch * (starts - 1)
    values, ahead = scratch[:starts], scratch[starts : 2 * starts]
    evaluate_starts(starts, pitch, body, c, u, v, SAME * bound, values, ahead)
    least = (radius - beyond) * cosine_within(spread, pitch)
    for k in range(starts):
        if values[k] >= least and abs(ahead[k]) < pitch:
            n = direction_in_arc(pitch * k - last, u, v)
            count = add_maximum(contacts, count, body, c, radius, axis, n, beyond, bound, power)
    return count


@func
def find_maxima(convex, w, body, c, axis, bound, beyond, power, contacts, scratch):
    """Write the contacts of a body inside a hollow; returns their number.

    f > 0 is possible only where bound + n·c > R. Starts are spread over these directions. c, axis: as of
    `find_local_maximum`; bound, beyond: radius of the bounding sphere, how far beyond touching contacts are wanted [m].
    The contact points are the support points about the body's centre. Starts are left out as in `find_maxima_of_arc`.
    """
    count, radius = 0, convex.radius[w]
    middle = add_scaled(c, -dot(c, axis), axis)
    far = math.sqrt(dot(middle, middle))
    min_along = radius - beyond - bound
    if far <= min_along:
        return 0
    is_planar = dot(axis, axis) > 0.0
    if min_along > 0.0:
        u, share = scale(1.0 / far, middle), min_along / far
        spread = math.sqrt((1.0 - share) * (1.0 + share))
        if is_planar:
            return find_maxima_of_arc(convex, w, body, c, axis, bound, beyond, power, spread, u, contacts, scratch)
        v_1, v_2 = across(u)
        least = (radius - beyond) * cosine_within(spread, spread / RINGS)
        for ring in range(RINGS):
            y = spread * (ring + 0.5) / RINGS
            for k in range(0, convex.circle.shape[1], 2):
                sideways = add(scale(y * convex.circle[0, k], v_1), scale(y * convex.circle[1, k], v_2))
                n = unit(add_scaled(sideways, math.sqrt(1.0 - y * y), u))
                if support_of(body, n)[0] + dot(n, c) >= least:
                    count = add_maximum(contacts, count, body, c, radius, axis, n, beyond, bound, power)
        return count
    if is_planar:
        v_1, v_2 = across(axis)
        for k in range(convex.circle.shape[1]):
            n = unit(add(scale(convex.circle[0, k], v_1), scale(convex.circle[1, k], v_2)))
            count = add_maximum(contacts, count, body, c, radius, axis, n, beyond, bound, power)
        return count
    for k in range(convex.sphere.shape[1]):
        count = add_maximum(contacts, count, body, c, radius, axis, load(convex.sphere, k), beyond, bound, power)
    return count


@inline
def overlap_in_plane(body, c, axis, ring, tube, u, n):
    """Largest overlap of a body with a torus in the plane of the axis and of a direction u across it.

    ring, tube: radii [m]. n: unit normal from which the search begins.
    """
    forward = cross(axis, u)
    overlap, n, x = find_local_maximum(body, add_scaled(c, -ring, u), tube, forward, direction_across(n, forward))
    return PlaneOverlap(dot(add(x, c), forward), overlap, n, x)


@func
def find_inside_torus(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body inside of a torus; as `find_maxima`.

    Let R and r be the radii of the ring and the tube, a the axis, and u a unit vector across it. In the plane of a and
    u the torus is a circle about R u, and the overlap is

        f(u) = max h(n) + n·(c - R u) - r     over unit vectors n in the plane

    The point of the ring nearest to a point y is R u, with u along the part of y across the axis. So contacts are where
    the *slope* of the support point x, (x + c)·(a × u), is 0; f is stationary over u there as well. From each of
    `TUBE_STARTS` normals, `bracket_root` finds two directions between which the slope changes its sign, and
    `find_contact_between` the root.
    """
    k, count = convex.first_number[w], 0
    tube, ring = convex.numbers[k], convex.numbers[k + 1]
    middle = add_scaled(c, -dot(c, axis), axis)
    far = math.sqrt(dot(middle, middle))
    middle = scale(1.0 / far, middle) if far > 0.0 else across(axis)[0]
    from_ring = add_scaled(c, -ring, middle)
    if math.sqrt(dot(from_ring, from_ring)) + bound + beyond <= tube:
        return 0
    share = min(bound / max(far, bound), WIDE)
    spread = 1.01 * share / math.sqrt((1.0 - share) * (1.0 + share))
    for start in range(TUBE_STARTS):
        direction = start * (convex.circle.shape[1] // TUBE_STARTS)
        n = add(scale(convex.circle[0, direction], middle), scale(convex.circle[1, direction], axis))
        found, u, at_u, v, at_v = bracket_root(body, c, axis, ring, tube, middle, spread, n)
        if found:
            is_contact, overlap, n, x = find_contact_between(body, c, axis, ring, tube, u, at_u, v, at_v, bound)
            if is_contact:
                count = add_unless_known(contacts, count, overlap + beyond, n, x, bound, power)
    return count


@func
def bracket_root(body, c, axis, ring, tube, middle, spread, n):
    """Find two neighbouring directions between which the slope changes its sign, from `middle` on to where it points.

    middle: unit vector across the axis, towards the body. spread: tangent of the largest angle to it.
    n: unit normal from which the search begins.
    Returns whether they are found; the first and the second direction, each with its `PlaneOverlap`.
    """
    sideways, u, v, turn = cross(axis, middle), middle, middle, 0
    at_u = at_v = overlap_in_plane(body, c, axis, ring, tube, middle, n)
    side = 1.0 if at_u.slope > 0.0 else -1.0
    while at_v.slope * side > 0.0 and turn < TURNS:
        turn += 1
        u, at_u = v, at_v
        v = unit(add_scaled(middle, side * spread * turn / TURNS, sideways))
        at_v = overlap_in_plane(body, c, axis, ring, tube, v, at_u.n)
    return not at_v.slope * side > 0.0, u, at_u, v, at_v


@func
def find_contact_between(body, c, axis, ring, tube, u, at_u, v, at_v, bound):
    """Find the root of the slope between two directions by false position, with the Illinois modification.

    M. Dowell, P. Jarratt, BIT 11 (1971) 168.

    If the sign changes in a jump, the support point goes from one end of a straight edge to the other, and the contact
    is between them; or f goes to another of its maxima in the plane, and there is no contact.

    u, at_u, v, at_v: as of `bracket_root`. bound: radius of the bounding sphere of the body [m].
    Returns whether there is a contact; its overlap [m], normal, support point about the centre of the body [m].
    """
    side = 1.0 if at_u.slope > 0.0 else -1.0
    latest, slope_u, slope_v, last_side = at_v, at_u.slope, at_v.slope, 0
    for _ in range(MAX_STEPS):
        gap = subtract(v, u)
        if latest.slope == 0.0 or dot(gap, gap) < STRAIGHT:
            break
        between = unit(add(scale(-side * slope_v, u), scale(side * slope_u, v)))
        latest = overlap_in_plane(body, c, axis, ring, tube, between, latest.n)
        if latest.slope * side > 0.0:
            u, at_u, slope_u = between, latest, latest.slope
            slope_v = 0.5 * slope_v if last_side > 0 else slope_v
            last_side = 1
        else:
            v, at_v, slope_v = between, latest, latest.slope
            slope_u = 0.5 * slope_u if last_side < 0 else slope_u
            last_side = -1
    if abs(latest.slope) <= JUMP * bound:
        return True, latest.overlap, latest.n, latest.x
    turned = subtract(at_u.n, at_v.n)
    if abs(at_u.overlap - at_v.overlap) > JUMP * bound or dot(turned, turned) > JUMP * JUMP:
        return False, latest.overlap, latest.n, latest.x
    share = at_u.slope / (at_u.slope - at_v.slope)
    return True, latest.overlap, latest.n, add(scale(1.0 - share, at_u.x), scale(share, at_v.x))


find_in_shell = select("convex", {ConvexWalls: 0, ConvexShells: find_at_shell})
find_on_profile = select("convex", {ConvexWalls: 0, ConvexShells: find_at_profile})
find_in_torus = select("convex", {ConvexWalls: 0, ConvexShells: find_inside_torus})
find_on_ring = select("convex", {ConvexWalls: 0, ConvexShells: find_at_ring})
find_on_triangles = select("convex", {ConvexWalls: 0, ConvexMeshes: find_at_triangles})


@inline
def add_end(contacts, count, body, along, half, n, beyond, power):
    """Write the contact with an end of a cylinder, a plane of inward normal n; returns the number of contacts."""
    h, x = support_of(body, scale(-1.0, n))
    return add_contact(h - (along + half) + beyond, n, x, power, contacts, count)


@func
def find_inside_cylinder(convex, w, body, c, axis, bound, beyond, power, contacts, scratch):
    """Write the contacts of a body inside a closed cylinder; as `find_maxima`."""
    count = find_maxima(convex, w, body, c, axis, bound, beyond, power, contacts, scratch)
    along = dot(c, axis)
    count = add_end(contacts, count, body, along, convex.half[w], axis, beyond, power)
    return add_end(contacts, count, body, -along, convex.half[w], scale(-1.0, axis), beyond, power)


@inline
def is_within(convex, w, c, axis):
    """Whether a point is inside of a closed cylinder."""
    along = dot(c, axis)
    off = add_scaled(c, -along, axis)
    return abs(along) < convex.half[w] and dot(off, off) < convex.radius[w] * convex.radius[w]


@func
def find_outside(kinds, w, body, u, turn, radius, bound, beyond, power, walls, c, count):
    """Write the contacts of a body with a convex wall, starting from that of its bounding sphere; returns their number.

    Polyhedra touch at several places, see ``polyhedra_at_walls``. All others have one contact.
    u, turn: centre of the body in the wall's frame [m], unit quaternion of the wall's shape; radius, bound, beyond,
    count: of the body in contact laws [m], of its bounding sphere, how far beyond touching contacts are wanted [m],
    contacts of the bounding sphere. Writes rows of contacts.
    """
    convex, contacts, deepest = walls.convex, walls.contacts[c], 0
    wall = ConvexBody(convex.kinds, convex.shape[w], convex.numbers, convex.first_number[w], turn)
    from_middle = subtract(u, load(convex.centre, w))
    for t in range(1, count):
        if contacts[t, DEEPEST] > contacts[deepest, DEEPEST]:
            deepest = t
    start = unit_of(contacts, deepest)
    if beyond > 0.0:
        return find_single(w, body, wall, u, from_middle, start, radius, beyond, power, walls, c)
    way, scratch = scale(-1.0, from_middle), walls.scratch[c].reshape(-1)
    found = find_at_facets(kinds, body, wall, way, scale(-1.0, start), power, contacts, scratch)
    if found != NOT_BY_FACETS:
        return found
    count = find_single(w, body, wall, u, from_middle, start, radius, beyond, power, walls, c)
    return add_corners(kinds, w, body, wall, u, bound, power, count, walls, contacts, walls.scratch[c])


@inline
def find_single(w, body, wall, u, from_middle, start, radius, beyond, power, walls, c):
    """Write the contact of the largest overlap of a body with a convex wall; returns the number of contacts, 0 or 1.

    On a face, in closed form: if its support point against the normal from the wall to its centre is above the face,
    as a ball there tells. start: this normal, zeros if there is none; the others: see `find_outside`.
    """
    contacts = walls.contacts[c]
    if dot(start, start) > 0.0:
        x = support_of(body, scale(-1.0, start))[1]
        count = find_all_contacts(w, c, add_scaled(add(u, x), radius, start), radius + beyond, power, walls)
        turned = subtract(unit_of(contacts, 0), start)
        if count == 1 and dot(turned, turned) < STRAIGHT:
            write_contact_point(contacts, 0, x)
            return 1
    overlap, n, _, x, _, _ = convex_overlap(wall, body, from_middle, start, beyond)
    if not overlap + beyond > 0.0:
        return 0
    clear_contact(contacts, 0, 0)
    add_piece(contacts, 0, overlap + beyond, n, 0, power)
    write_contact_point(contacts, 0, x)
    return 1


@func
def find_convex_contacts(kinds, w, s, b, c, reach, power, bodies, box):  # noqa: PLR0912, one for each kind of wall
    """Write the contacts of piece s of body b with wall w; returns their number.

    reach: radius in contact laws, and how far beyond touching contacts are wanted [m].
    """
    walls, row = box.walls, row_of(s, b, bodies, kinds)
    convex, contacts, radius, x = walls.convex, walls.contacts[c], kinds.radius[row], load(bodies.sphere_position, s)
    body, bound, beyond = convex_body(s, b, bodies, kinds), kinds.bound[row], reach - kinds.radius[row]
    if convex.side[w] == FLAT and beyond == 0.0 and has_facets(body):
        return find_at_planes(kinds, w, s, b, body, contacts, radius, power, bodies, box)
    if bound == rounding_of(body) or convex.side[w] == FLAT:
        if convex.side[w] == FLAT:
            k = walls.geometry.first_number[w]
            numbers = walls.geometry.numbers
            x = at_plane(kinds, s, b, in_world(w, (numbers[k], numbers[k + 1], numbers[k + 2]), box), bodies)
        count = find_all_contacts(w, c, in_frame(w, x, box), reach, power, walls)
        for t in range(count):
            write_contact_point(contacts, t, x)
        return count
    u, count = in_frame(w, x, box), 0
    if convex.side[w] != TRIANGLES:
        count = find_all_contacts(w, c, u, bound + beyond, power, walls)
        if count == 0:
            return 0
    if walls.moving:
        q = product(conjugate(load_quaternion(walls.poses.orientation, w)), body.q)
        body = ConvexBody(body.kinds, body.number, body.numbers, body.at, q)
    from_middle, turn = subtract(u, load(convex.centre, w)), load_quaternion(convex.turn, w)
    scratch = walls.scratch[c].reshape(-1)
    axis, side = body_x(turn), convex.side[w]
    is_inside = side == HOLLOW_BALL or (side == HOLLOW_CYLINDER and is_within(convex, w, from_middle, axis))
    if is_inside and beyond == 0.0 and has_facets(body):
        along, size = axis if side == HOLLOW_CYLINDER else (0.0, 0.0, 0.0), convex.radius[w]
        count = find_at_corners_inside(kinds, body, from_middle, along, size, convex.half[w], power, contacts)
    elif side == HOLLOW_BALL:
        count = find_maxima(convex, w, body, from_middle, (0.0, 0.0, 0.0), bound, beyond, power, contacts, scratch)
    elif is_inside:
        count = find_inside_cylinder(convex, w, body, from_middle, axis, bound, beyond, power, contacts, scratch)
    elif side == TRIANGLES:
        count = find_on_triangles(
            kinds, convex, w, body, u, bound, beyond, power, walls.geometry, contacts, walls.scratch[c]
        )
    elif side == SHELL:
        count = find_in_shell(convex, w, body, from_middle, axis, bound, beyond, power, contacts)
    elif side == HOLLOW_TORUS:
        count = find_in_torus(convex, w, body, from_middle, axis, bound, beyond, power, contacts)
    elif side == PROFILE:
        count = find_on_profile(convex, w, body, from_middle, axis, bound, beyond, power, contacts)
    elif side == TORUS:
        count = find_on_ring(convex, w, body, from_middle, axis, bound, beyond, power, contacts)
    else:
        count = find_outside(kinds, w, body, u, turn, radius, bound, beyond, power, walls, c, count)
    for t in range(count):
        pitch, point = contacts[t, PITCH], in_world(w, contact_point(contacts, t), box)
        write_contact_point(contacts, t, add_scaled(add(x, point), radius, in_world(w, unit_of(contacts, t), box)))
        contacts[t, PITCH] = pitch
    return count


@inline
def find_sphere_contacts(kinds, w, s, b, c, reach, power, bodies, box):
    """Write the contacts of sphere s with wall w, from all of its pieces; returns their number."""
    return find_all_contacts(w, c, in_frame(w, load(bodies.sphere_position, s), box), reach, power, box.walls)


@inline
def sphere_at_wall(kinds, w, s, b, t, bodies, box):
    """Centre of sphere s of body b [m]."""
    return load(bodies.sphere_position, s)


@inline
def ball_at_wall(kinds, w, s, b, t, bodies, box):
    """Centre of the ball with which piece s of body b touches wall w, in contact t of the latest search [m]."""
    return contact_point(box.walls.contacts[b // CHUNK], t)


find_contacts_of_piece = select("kinds", {Kinds: find_sphere_contacts, ConvexBodyKinds: find_convex_contacts})
at_wall = select("kinds", {Kinds: sphere_at_wall, ConvexBodyKinds: ball_at_wall})
