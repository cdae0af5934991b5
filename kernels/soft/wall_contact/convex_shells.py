"""Contacts of convex bodies with thin walls of revolution: open cylinders, cones, polylines, and tori from outside.

A *shell* is what a segment sweeps about the axis a: a side, and a *rim* at each of its ends. Closed ends are discs. A
*ring* is a circle that a ball goes round, the tube of a torus. A surface of revolution has a shell for each segment of
its polyline, or a flat *annulus*, and for each point a *joint*, the rim of all segments that meet there.

The overlap δ(y) of a body with a point y of the wall, or with a ball about y, is largest at a contact: contacts are the
local maxima of δ over the wall. Let c be the centre of the body from the middle of the wall, h its support function,
and u a unit vector across the axis. In the half plane of u, the tangent plane of the side is n·y = d, with the outward
normal n. The features of the wall are:

    feature                  overlap             contact
    INSIDE of the side       h(n) + n·c - d      where it is largest over u, if the support point is between the ends
    OUTSIDE of the side      h(-n) - n·c + d     where it is least over u, likewise
    rims, RING and JOINT     δ(r u + z a)        where it is largest over u, if δ falls from there into the side

The overlap is stationary in u where the support point x about c has (x + c)·(a × u) = 0 for sides, and where the normal
of the contact has n·(a × u) = 0 for circles. This *slope* is computed for directions u all around. If it changes its
sign between two neighbours, false position finds the root (`find_maximum_between`).

The force is the gradient of the energy of δ. A contact goes from the side to a rim without a jump. Closed ends are
planes, and the side continues beyond them for bodies inside.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import func, inline
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.overlap import unit
from dem.kernels.convex.shape_registry import ConvexBody, support_of
from dem.kernels.numerics.vector import across, add, add_scaled, cross, dot, scale, subtract
from dem.kernels.soft.wall_contact.convex_meshes import write_contact_point
from dem.kernels.soft.wall_contact.wall_history import key_of_direction
from dem.kernels.walls.potential_terms import add_piece, clear_contact

INSIDE, OUTSIDE, LOW_RIM, HIGH_RIM, RING, JOINT = range(6)  # features; low: at the first end along the axis
# numbers of a shell: radius of the ball that goes round its rims, radii of its ends, half its length [m], whether its
# ends are closed. A ring is a shell whose radii are alike and whose length is 0
LOW_RADIUS, HIGH_RADIUS, HALF, LOW_CLOSED, HIGH_CLOSED, SHELL_NUMBERS = 1, 2, 3, 4, 5, 6
# numbers of a surface of revolution: radius of that ball, number of segments, number of joints; for each segment, the
# numbers of a shell from LOW_RADIUS on, and the height of its middle [m]; for each joint, its numbers
SEGMENTS, JOINTS, FIRST_SEGMENT = 1, 2, 3
SEGMENT_NUMBERS, MIDDLE_HEIGHT = SHELL_NUMBERS, SHELL_NUMBERS - 1
# numbers of a joint: radius and height [m], and unit vectors (r, z) into both segments that meet there, or zeros
RADIUS, HEIGHT, INTO_FIRST, INTO_SECOND, JOINT_NUMBERS = 0, 1, 2, 4, 6
UNTURNED = (1.0, 0.0, 0.0, 0.0)
MAX_STEPS = 60
GROUPS = 4  # of the directions of a search inside of a side
SAME_DIRECTION = 1e-30  # square of the angle between two directions, below which they are the same


class WallPart(NamedTuple):
    """Places of the numbers of a shell, ring or joint in `ConvexWalls`."""

    shape: int  # place of the ball in the chain of kinds
    ball: int  # where the numbers of the ball that goes round its circles begin
    k: int  # where the numbers of the part begin


class Search(NamedTuple):
    """Directions of a search for contacts, all across the axis."""

    directions: int  # their number, without the last one
    spread: float  # sine of the largest angle to `first`, which all directions are within; 0: they are all around
    first: tuple  # unit vector
    second: tuple  # unit vector across the axis and `first`


@func
def find_at_shell(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body with an open cylinder or a cone; returns their number.

    convex, w: ConvexWalls; number of the wall.
    body, c: ConvexBody; its centre from the middle of the wall [m].
    axis: unit vector along the axis, from the low end to the high one.
    bound, beyond: radius of the bounding sphere of the body, how far beyond touching contacts are wanted [m].
    power: p of the normal force, δ^p.
    Writes contacts: a row each, with the point where the body touches, about its centre [m].
    """
    k, reach = convex.first_number[w], bound + beyond
    part = WallPart(convex.shape[w], k, k)
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    is_inside, count = add_side_contacts(body, c, axis, reach, beyond, power, convex, part, contacts, 0)
    count = add_circle_contacts(LOW_RIM, body, c, axis, low, -half, reach, beyond, power, convex, part, contacts, count)
    count = add_circle_contacts(
        HIGH_RIM, body, c, axis, high, half, reach, beyond, power, convex, part, contacts, count
    )
    if convex.numbers[k + LOW_CLOSED] != 0.0:
        back = scale(-1.0, axis)
        count = add_disc_contact(body, c, back, low, half, is_inside, beyond, power, contacts, count)
    if convex.numbers[k + HIGH_CLOSED] != 0.0:
        count = add_disc_contact(body, c, axis, high, half, is_inside, beyond, power, contacts, count)
    return count


@func
def find_at_ring(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body outside of a torus; as `find_at_shell`."""
    k = convex.first_number[w]
    radius, reach = convex.numbers[k + HIGH_RADIUS], bound + beyond + convex.numbers[k]
    part = WallPart(convex.shape[w], k, k)
    return add_circle_contacts(RING, body, c, axis, radius, 0.0, reach, beyond, power, convex, part, contacts, 0)


@func
def find_at_profile(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body with a surface of revolution; as `find_at_shell`.

    c: centre of the body from where r and z are 0 [m].
    """
    k, reach, count = convex.first_number[w], bound + beyond, 0
    segments, joints = int(convex.numbers[k + SEGMENTS]), int(convex.numbers[k + JOINTS])
    row = k + FIRST_SEGMENT
    for _ in range(segments):
        part = WallPart(convex.shape[w], k, row - LOW_RADIUS)
        low, high, half = (
            convex.numbers[part.k + LOW_RADIUS], convex.numbers[part.k + HIGH_RADIUS], convex.numbers[part.k + HALF],
        )  # fmt: skip
        from_middle = add_scaled(c, -convex.numbers[row + MIDDLE_HEIGHT], axis)
        if half == 0.0:
            count = add_annulus_contact(body, from_middle, axis, low, high, beyond, power, contacts, count)
        elif abs(dot(from_middle, axis)) < half + reach:
            _, count = add_side_contacts(body, from_middle, axis, reach, beyond, power, convex, part, contacts, count)
        row += SEGMENT_NUMBERS
    for _ in range(joints):
        part = WallPart(convex.shape[w], k, row)
        radius, height = convex.numbers[row + RADIUS], convex.numbers[row + HEIGHT]
        if abs(dot(c, axis) - height) < reach:
            count = add_circle_contacts(
                JOINT, body, c, axis, radius, height, reach, beyond, power, convex, part, contacts, count
            )
        row += JOINT_NUMBERS
    return count


@func
def add_side_contacts(body, c, axis, reach, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body with the side of a shell.

    c: centre of the body from the middle of the shell [m].
    reach: largest distance of a contact from that centre [m].
    Returns whether the centre is within the side, beside the axis; the new number of contacts.
    """
    k = part.k
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    up, width = dot(c, axis), high - low
    length = math.sqrt(width * width + 4.0 * half * half)
    middle = add_scaled(c, -up, axis)
    radius_at_centre = 0.5 * (low + high) + 0.5 * width * up / half
    n_across = 2.0 * half / length  # part of the normal across the axis
    is_inside = math.sqrt(dot(middle, middle)) < radius_at_centre
    min_along = radius_at_centre - reach / n_across
    count = add_contacts_around(INSIDE, body, c, axis, min_along, reach, beyond, power, convex, part, contacts, count)
    if not is_inside:
        min_along = radius_at_centre
        count = add_contacts_around(
            OUTSIDE, body, c, axis, min_along, reach, beyond, power, convex, part, contacts, count
        )
    return is_inside, count


@func
def add_circle_contacts(feature, body, c, axis, radius, height, reach, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body with a rim, ring or joint; returns the new number of contacts.

    radius, height: of the circle, 0 for the tip of a cone; along the axis from where c begins [m].
    reach: largest distance of the circle from the centre of the body [m].
    """
    if radius == 0.0:
        return add_tip_contact(feature, body, c, axis, beyond, power, convex, part, contacts, count)
    up = dot(c, axis) - height
    min_along = 0.5 * (radius * radius + dot(c, c) - dot(c, axis) * dot(c, axis) + up * up - reach * reach) / radius
    return add_contacts_around(feature, body, c, axis, min_along, reach, beyond, power, convex, part, contacts, count)


@inline
def direction_in_arc(y, u, v):
    """Unit vector u turned towards v, a unit vector across u, by the angle of the sine y."""
    return unit(add_scaled(scale(math.sqrt((1.0 - y) * (1.0 + y)), u), y, v))


@inline
def search_direction(k, search, convex):
    """Direction k of a search, a unit vector across the axis."""
    if search.spread > 0.0:
        y = search.spread * (2.0 * k - search.directions) / search.directions
        return direction_in_arc(y, search.first, search.second)
    direction = k % search.directions
    return unit(
        add(scale(convex.circle[0, direction], search.first), scale(convex.circle[1, direction], search.second))
    )


@func
def add_contacts_around(feature, body, c, axis, min_along, reach, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body with one feature, at all directions u; returns the new number of contacts.

    min_along: contacts are possible only where u·c is larger [m].
    reach: largest distance of a contact from the centre of the body [m].
    """
    middle = add_scaled(c, -dot(c, axis), axis)
    far = math.sqrt(dot(middle, middle))
    if far <= min_along:
        return count
    first, spread = scale(1.0 / far, middle) if far > 0.0 else across(axis)[0], 0.0
    if min_along > 0.0:
        share = min_along / far
        spread = math.sqrt((1.0 - share) * (1.0 + share))
    search = Search(convex.circle.shape[1], spread, first, cross(axis, first))
    if feature == INSIDE and min_along > 0.0:
        return add_contacts_inside(body, c, axis, search, far + reach, beyond, power, convex, part, contacts, count)
    return add_contacts_between(
        feature, body, c, axis, search, 0, search.directions, beyond, power, convex, part, contacts, count
    )


@func
def add_contacts_inside(body, c, axis, search, farthest, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body inside of a side; leaves out groups of directions without contacts.

    Where the overlap is largest over u, the support point is in the plane of the axis and u. From there to the nearer
    end of a group, at half the angle of the group or less, the overlap falls by no more than the distance of this point
    from the axis times (1 - cosine of the angle).

    farthest: largest distance of a contact from the axis [m].
    Returns the new number of contacts.
    """
    group = search.directions // GROUPS
    end = search_direction(0, search, convex)
    overlap, _, _, _, _ = overlap_with_side(INSIDE, body, c, axis, end, convex, part.k)
    for begin in range(0, search.directions, group):
        last_end, last_overlap = end, overlap
        end = search_direction(begin + group, search, convex)
        overlap, _, _, _, _ = overlap_with_side(INSIDE, body, c, axis, end, convex, part.k)
        fall = farthest * (1.0 - math.sqrt(0.5 + 0.5 * dot(end, last_end)))
        if max(overlap, last_overlap) + beyond + fall < 0.0:
            continue
        count = add_contacts_between(
            INSIDE, body, c, axis, search, begin, begin + group, beyond, power, convex, part, contacts, count
        )
    return count


@func
def add_contacts_between(feature, body, c, axis, search, begin, end, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body with one feature between two directions of a search, given by their numbers.

    Returns the new number of contacts.
    """
    start, u, slope_u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for k in range(begin, end + 1):
        v = search_direction(k, search, convex)
        _, slope_v, n, _, _ = overlap_at_direction(feature, body, c, axis, v, start, convex, part)
        if feature > OUTSIDE:
            start = n
        if k > begin and slope_u > 0.0 and slope_v <= 0.0:
            deepest, n, x, is_contact = find_maximum_between(
                feature, body, c, axis, u, slope_u, v, slope_v, start, convex, part
            )
            if is_contact:
                count = add_contact(deepest + beyond, n, x, power, contacts, count)
        u, slope_u = v, slope_v
    return count


@func
def overlap_at_direction(feature, body, c, axis, u, start, convex, part):
    """Overlap of a body with a feature at the direction u, see module.

    start: unit vector from which the search for the normal at a circle begins, or zeros.
    Returns the overlap [m]; its slope, positive if the maximum is farther along a × u; unit normal from wall to body;
    support point about the centre of the body [m]; whether a maximum over u is a contact.
    """
    if feature == INSIDE or feature == OUTSIDE:  # noqa: PLR1714
        return overlap_with_side(feature, body, c, axis, u, convex, part.k)
    return overlap_with_circle(feature, body, c, axis, u, start, convex, part)


@inline
def overlap_with_side(feature, body, c, axis, u, convex, k):
    """Overlap of a body with the tangent plane of a side at the direction u; as `overlap_at_direction`."""
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    forward, along = cross(axis, u), add(scale(high - low, u), scale(2.0 * half, axis))
    length = math.sqrt(dot(along, along))
    along = scale(1.0 / length, along)
    n = scale(1.0 / length, subtract(scale(2.0 * half, u), scale(high - low, axis)))
    low_end = add_scaled(scale(low, u), -half, axis)
    height, sign = dot(n, subtract(c, low_end)), 1.0 if feature == INSIDE else -1.0  # n·c - d
    h, x = support_of(body, scale(sign, n))
    y = add(x, c)
    s = dot(subtract(y, low_end), along)
    is_beyond_low, is_beyond_high = s < 0.0, s > length
    if feature == INSIDE:
        up = dot(c, axis)
        is_beyond_low = is_beyond_low and not (convex.numbers[k + LOW_CLOSED] != 0.0 and up > -half)
        is_beyond_high = is_beyond_high and not (convex.numbers[k + HIGH_CLOSED] != 0.0 and up < half)
    is_contact = sign * height < 0.0 and not is_beyond_low and not is_beyond_high
    return h + sign * height, dot(y, forward), scale(-sign, n), x, is_contact


@inline
def overlap_with_circle(feature, body, c, axis, u, start, convex, part):
    """Overlap of a body with the point of a circle at the direction u, or a ball; as `overlap_at_direction`."""
    k = part.k
    if feature == JOINT:
        centre = add_scaled(scale(convex.numbers[k + RADIUS], u), convex.numbers[k + HEIGHT], axis)
    elif feature == LOW_RIM:
        centre = add_scaled(scale(convex.numbers[k + LOW_RADIUS], u), -convex.numbers[k + HALF], axis)
    else:
        centre = add_scaled(scale(convex.numbers[k + HIGH_RADIUS], u), convex.numbers[k + HALF], axis)
    separation = subtract(c, centre)
    if dot(start, start) == 0.0:
        start = unit(separation)
    ball = ConvexBody(convex.kinds, part.shape, convex.numbers, part.ball, UNTURNED)
    overlap, n, _, x, _, _ = convex_overlap(ball, body, separation, start, math.inf)
    return overlap, dot(n, cross(axis, u)), n, x, falls_from_circle(feature, n, axis, u, convex, k)


@inline
def falls_from_circle(feature, n, axis, u, convex, k):
    """Whether the overlap falls from a circle into the sides that meet there; n: unit normal from wall to body."""
    if feature == RING:
        return True
    if feature == JOINT:
        n_r, n_z, falls = dot(n, u), dot(n, axis), True
        for into in (k + INTO_FIRST, k + INTO_SECOND):
            falls = falls and n_r * convex.numbers[into] + n_z * convex.numbers[into + 1] <= 0.0
        return falls
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    along = add(scale(high - low, u), scale(2.0 * half, axis))
    is_low = feature == LOW_RIM
    is_closed = convex.numbers[k + LOW_CLOSED] != 0.0 if is_low else convex.numbers[k + HIGH_CLOSED] != 0.0
    falls = dot(n, along) * (-1.0 if is_low else 1.0) >= 0.0
    return falls and (not is_closed or dot(n, u) >= 0.0)


@func
def find_maximum_between(feature, body, c, axis, u, slope_u, v, slope_v, start, convex, part):
    """Overlap at the root of the slope between two directions; as `overlap_at_direction`, without the slope.

    By the Illinois method of false position. slope_u, slope_v: slopes at u, positive, and at v, not positive.
    """
    _, _, _, x_u, _ = overlap_at_direction(feature, body, c, axis, u, start, convex, part)
    overlap, slope, n, x_v, is_contact = overlap_at_direction(feature, body, c, axis, v, start, convex, part)
    x, exact_u, exact_v, last = x_v, slope_u, slope_v, 0
    for _ in range(MAX_STEPS):
        gap = subtract(v, u)
        if slope == 0.0 or dot(gap, gap) < SAME_DIRECTION:
            break
        middle = unit(add(scale(-slope_v, u), scale(slope_u, v)))
        start = n if feature > OUTSIDE else start
        overlap, slope, n, x, is_contact = overlap_at_direction(feature, body, c, axis, middle, start, convex, part)
        if slope > 0.0:
            u, slope_u, exact_u, x_u = middle, slope, slope, x
            slope_v = 0.5 * slope_v if last > 0 else slope_v
            last = 1
        else:
            v, slope_v, exact_v, x_v = middle, slope, slope, x
            slope_u = 0.5 * slope_u if last < 0 else slope_u
            last = -1
    gap = subtract(v, u)
    jumps = dot(gap, gap) < SAME_DIRECTION and exact_u > exact_v
    if feature == OUTSIDE and jumps:  # from one vertex of the body to another: the contact is on the edge between them
        x = add(scale(-exact_v / (exact_u - exact_v), x_u), scale(exact_u / (exact_u - exact_v), x_v))
    return overlap, n, x, is_contact


@func
def add_tip_contact(feature, body, c, axis, beyond, power, convex, part, contacts, count):
    """Write the contact of a body with the tip of a cone; returns the new number of contacts."""
    u = across(axis)[0]
    _, _, n, _, _ = overlap_at_direction(feature, body, c, axis, u, (0.0, 0.0, 0.0), convex, part)
    off = add_scaled(n, -dot(n, axis), axis)
    if dot(off, off) > 0.0:
        u = unit(off)
    overlap, _, n, x, is_contact = overlap_at_direction(feature, body, c, axis, u, n, convex, part)
    return add_contact(overlap + beyond, n, x, power, contacts, count) if is_contact else count


@func
def add_disc_contact(body, c, axis, radius, height, is_inside, beyond, power, contacts, count):
    """Write the contact of a body with a closed end of a shell; returns the new number of contacts.

    axis: outward normal of the end. radius, height: of the end; along that axis [m].
    is_inside: whether the centre of the body is within the side, beside the axis.
    """
    side = -1.0 if dot(c, axis) < height else 1.0
    h, x = support_of(body, scale(-side, axis))
    overlap, y = h - side * (dot(c, axis) - height), add(x, c)
    off = add_scaled(y, -dot(y, axis), axis)
    is_over_disc = is_inside if side < 0.0 else dot(off, off) <= radius * radius
    return add_contact(overlap + beyond, scale(side, axis), x, power, contacts, count) if is_over_disc else count


@func
def add_annulus_contact(body, c, axis, low, high, beyond, power, contacts, count):
    """Write the contact of a body with a flat segment, from one radius to another; returns the new number of contacts.

    c: centre of the body from the middle of the annulus [m]. low, high: radii in any order [m].
    """
    side = -1.0 if dot(c, axis) < 0.0 else 1.0
    h, x = support_of(body, scale(-side, axis))
    y = add(x, c)
    off = add_scaled(y, -dot(y, axis), axis)
    square, inner, outer = dot(off, off), min(low, high), max(low, high)
    if not inner * inner <= square <= outer * outer:
        return count
    return add_contact(h - side * dot(c, axis) + beyond, scale(side, axis), x, power, contacts, count)


@func
def add_contact(overlap, n, x, power, contacts, count):
    """Write a contact if there is an overlap, and room for it; returns the new number of contacts.

    n, x: unit normal from wall to body, which identifies the contact; support point about the centre of the body [m].
    """
    if not overlap > 0.0 or count >= contacts.shape[0]:
        return count
    clear_contact(contacts, count, key_of_direction(n))
    add_piece(contacts, count, overlap, n, key_of_direction(n), power)
    write_contact_point(contacts, count, x)
    return count + 1
