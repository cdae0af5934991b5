"""Convex bodies at open cylinders, cones, surfaces of revolution, and outside of tori: thin shells and rings.

A place y of such a wall is as deep in a body as the overlap δ(y) of the two; contacts are the local maxima of δ over
all places of the wall. With c, the centre of the body from the middle of the wall, a direction u across the axis a, and
the outward normal n(u) of the side, these are, for a body

    inside of the side     h(n) + n·c - d        where largest over u, if its support point is between the ends
    outside of the side    h(-n) - n·c + d       where least over u, likewise
    at a rim or ring       δ(r u + s a)          where largest over u, if δ falls from the rim into the side

d is that of the tangent plane n·x = d. In each of them the support point x has (x + c) · (a × u) = 0, or the normal of
the contact n · (a × u) = 0: a root between two directions, found by false position. The force is the gradient of the
energy of δ, and contacts go from the side to its rim without a jump. Closed ends are planes, which the side continues
beyond for bodies inside. A surface of revolution has a side for each segment of its polyline; at a joint δ falls into
both of its segments.
"""

import math

from dem.kernels.compiler.jit import func
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.overlap import unit
from dem.kernels.convex.shape_registry import ConvexBody, support_of
from dem.kernels.numerics.vector import across, add, add_scaled, cross, dot, scale, subtract
from dem.kernels.soft.wall_contact.convex_meshes import CONTACT_POINT, PITCH
from dem.kernels.soft.wall_contact.wall_history import key_of_direction
from dem.kernels.walls.potential_terms import add_piece, clear_contact

# numbers of a shell behind the radius of a ball that goes round its rings: radii at both ends, half its length, whether
# the ends are closed. A ring is a shell of one rim
LOW_RADIUS, HIGH_RADIUS, HALF, LOW_CLOSED, HIGH_CLOSED, SHELL_NUMBERS = 1, 2, 3, 4, 5, 6
INSIDE, OUTSIDE, LOW_RIM, HIGH_RIM, RING, JOINT = range(6)
# numbers of a surface of revolution behind the radius of a ball: segments, joints; of each segment those of a shell,
# and the height of its middle [m]; of each joint radius and height [m], unit vectors (r, z) into its segments, or zeros
SEGMENT, JOINT_NUMBERS = SHELL_NUMBERS, 6
MAX_STEPS = 60
SAME_DIRECTION = 1e-30  # square of the angle between directions that are one


@func
def at_direction(feature, body, c, axis, u, start, beyond, convex, part):
    """Overlap at a direction u across the axis; see above.

    feature: INSIDE, OUTSIDE, LOW_RIM, HIGH_RIM, RING or JOINT.
    start: unit vector, or zeros, to begin the overlap at a rim with.
    part: shape of the ball that goes round rings, where its numbers and those of the shell or joint begin.
    Returns the overlap [m], a value that is positive if the maximum is farther along a × u, normal from wall to body,
    support point about the centre of the body [m], whether it is a contact if the overlap is a maximum.
    """
    shape, first, k = part
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    low_closed, high_closed = convex.numbers[k + LOW_CLOSED] != 0.0, convex.numbers[k + HIGH_CLOSED] != 0.0
    forward, along = cross(axis, u), add(scale(high - low, u), scale(2.0 * half, axis))
    length = math.sqrt(dot(along, along))
    if feature == INSIDE or feature == OUTSIDE:  # noqa: PLR1714
        along = scale(1.0 / length, along)
        n = scale(1.0 / length, subtract(scale(2.0 * half, u), scale(high - low, axis)))
        begin = add_scaled(scale(low, u), -half, axis)
        height, sign = dot(n, subtract(c, begin)), 1.0 if feature == INSIDE else -1.0
        h, x = support_of(body, scale(sign, n))
        y = add(x, c)
        s = dot(subtract(y, begin), along)
        beyond_low, beyond_high = s < 0.0, s > length
        if feature == INSIDE:
            up = dot(c, axis)
            beyond_low = beyond_low and not (low_closed and up > -half)
            beyond_high = beyond_high and not (high_closed and up < half)
        is_contact = sign * height < 0.0 and not beyond_low and not beyond_high
        return h + sign * height, dot(y, forward), scale(-sign, n), x, is_contact
    is_low = feature == LOW_RIM
    centre = add_scaled(scale(low if is_low else high, u), -half if is_low else half, axis)
    if feature == JOINT:
        centre = add_scaled(scale(convex.numbers[k], u), convex.numbers[k + 1], axis)
    separation = subtract(c, centre)
    if dot(start, start) == 0.0:
        start = unit(separation)
    ball = ConvexBody(convex.kinds, shape, convex.numbers, first, (1.0, 0.0, 0.0, 0.0))
    overlap, n, _, x, _, _ = convex_overlap(ball, body, separation, start, math.inf)
    is_contact = True
    if feature == JOINT:
        across, up = dot(n, u), dot(n, axis)
        for into in (k + 2, k + 4):
            is_contact = is_contact and across * convex.numbers[into] + up * convex.numbers[into + 1] <= 0.0
    elif feature != RING:
        is_contact = dot(n, along) * (-1.0 if is_low else 1.0) >= 0.0
        if low_closed if is_low else high_closed:
            is_contact = is_contact and dot(n, u) >= 0.0
    return overlap, dot(n, forward), n, x, is_contact


@func
def find_between(feature, body, c, axis, u, value_u, v, value_v, start, beyond, convex, part):
    """Overlap at the root between two directions, with values of either sign; as `at_direction`."""
    _, _, _, x_u, _ = at_direction(feature, body, c, axis, u, start, beyond, convex, part)
    overlap, value, n, x_v, is_contact = at_direction(feature, body, c, axis, v, start, beyond, convex, part)
    x, exact_u, exact_v, side = x_v, value_u, value_v, 0
    for _ in range(MAX_STEPS):
        gap = subtract(v, u)
        if value == 0.0 or dot(gap, gap) < SAME_DIRECTION:
            break
        m = unit(add(scale(-value_v, u), scale(value_u, v)))
        start = n if feature > OUTSIDE else start
        overlap, value, n, x, is_contact = at_direction(feature, body, c, axis, m, start, beyond, convex, part)
        if value > 0.0:
            u, value_u, exact_u, x_u = m, value, value, x
            value_v = 0.5 * value_v if side > 0 else value_v
            side = 1
        else:
            v, value_v, exact_v, x_v = m, value, value, x
            value_u = 0.5 * value_u if side < 0 else value_u
            side = -1
    gap = subtract(v, u)
    if (
        feature == OUTSIDE and dot(gap, gap) < SAME_DIRECTION and exact_u > exact_v
    ):  # between vertices, on the edge that joins them
        x = add(scale(-exact_v / (exact_u - exact_v), x_u), scale(exact_u / (exact_u - exact_v), x_v))
    return overlap, n, x, is_contact


@func
def add_along(feature, body, c, axis, min_along, beyond, power, convex, part, contacts, count):
    """Write the contacts of one feature, see `at_direction`; returns the number of contacts.

    min_along: contacts are possible only in directions whose component along that to the body, times its distance from
        the axis, is larger [m].
    """
    middle = add_scaled(c, -dot(c, axis), axis)
    far = math.sqrt(dot(middle, middle))
    if far <= min_along:
        return count
    starts, zero = convex.circle.shape[1], (0.0, 0.0, 0.0)
    is_arc = min_along > 0.0
    first = scale(1.0 / far, middle) if far > 0.0 else across(axis)[0]
    second, spread = cross(axis, first), 1.0
    if is_arc:
        share = min_along / far
        spread = math.sqrt((1.0 - share) * (1.0 + share))
    start, u, value_u = zero, zero, 0.0
    for k in range(starts + 1):
        if is_arc:
            y = spread * (2.0 * k - starts) / starts
            v = unit(add_scaled(scale(math.sqrt((1.0 - y) * (1.0 + y)), first), y, second))
        else:
            direction = k % starts
            v = unit(add(scale(convex.circle[0, direction], first), scale(convex.circle[1, direction], second)))
        _, value_v, n, _, _ = at_direction(feature, body, c, axis, v, start, beyond, convex, part)
        start = n if feature > OUTSIDE else zero
        if k > 0 and value_u > 0.0 and value_v <= 0.0:
            overlap, n, x, is_contact = find_between(
                feature, body, c, axis, u, value_u, v, value_v, start, beyond, convex, part
            )
            if is_contact:
                count = add_contact(overlap + beyond, n, x, power, contacts, count)
        u, value_u = v, value_v
    return count


@func
def add_rim(feature, body, c, axis, radius, height, reach, beyond, power, convex, part, contacts, count):
    """Write the contacts with a circle about the axis; returns the number of contacts.

    radius, height: of the circle, 0 for a tip; along the axis [m].
    reach: largest distance of the circle from the centre of the body [m].
    """
    if radius == 0.0:
        return add_tip(feature, body, c, axis, beyond, power, convex, part, contacts, count)
    up = dot(c, axis) - height
    min_along = 0.5 * (radius * radius + dot(c, c) - dot(c, axis) * dot(c, axis) + up * up - reach * reach) / radius
    return add_along(feature, body, c, axis, min_along, beyond, power, convex, part, contacts, count)


@func
def add_tip(feature, body, c, axis, beyond, power, convex, part, contacts, count):
    """Write the contact with the tip of a cone; returns the number of contacts."""
    u = across(axis)[0]
    _, _, n, _, _ = at_direction(feature, body, c, axis, u, (0.0, 0.0, 0.0), beyond, convex, part)
    off = add_scaled(n, -dot(n, axis), axis)
    if dot(off, off) > 0.0:
        u = unit(off)
    overlap, _, n, x, is_contact = at_direction(feature, body, c, axis, u, n, beyond, convex, part)
    if is_contact:
        count = add_contact(overlap + beyond, n, x, power, contacts, count)
    return count


@func
def add_contact(overlap, n, x, power, contacts, count):
    """Write a contact, if there is an overlap and room; returns the number of contacts."""
    if not overlap > 0.0 or count >= contacts.shape[0]:
        return count
    clear_contact(contacts, count, key_of_direction(n))
    add_piece(contacts, count, overlap, n, key_of_direction(n), power)
    contacts[count, CONTACT_POINT], contacts[count, CONTACT_POINT + 1], contacts[count, CONTACT_POINT + 2] = x
    contacts[count, PITCH] = 0.0
    return count + 1


@func
def add_disc(body, c, axis, radius, height, is_inside, beyond, power, contacts, count):
    """Write the contact with a closed end of a shell, whose outward normal is the axis; returns their number.

    is_inside: whether the body is beside the axis within the shell.
    """
    side = -1.0 if dot(c, axis) < height else 1.0
    h, x = support_of(body, scale(-side, axis))
    overlap, y = h - side * (dot(c, axis) - height), add(x, c)
    off = add_scaled(y, -dot(y, axis), axis)
    meets = is_inside if side < 0.0 else dot(off, off) <= radius * radius
    return add_contact(overlap + beyond, scale(side, axis), x, power, contacts, count) if meets else count


@func
def add_sides(body, c, axis, reach, beyond, power, convex, part, contacts, count):
    """Write the contacts of a body with the side of a shell.

    c, reach: centre of the body from the middle of the shell, radius about it within which there are contacts [m].
    Returns whether the body is beside the axis within the shell; the number of contacts.
    """
    k = part[2]
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    up, width = dot(c, axis), high - low
    length = math.sqrt(width * width + 4.0 * half * half)
    middle = add_scaled(c, -up, axis)
    # where n·c of the side is d, over the component of n across the axis
    level = 0.5 * (low + high) + 0.5 * width * up / half
    slope = 2.0 * half / length
    is_inside = math.sqrt(dot(middle, middle)) < level
    count = add_along(INSIDE, body, c, axis, level - reach / slope, beyond, power, convex, part, contacts, count)
    if not is_inside and level > 0.0:
        count = add_along(OUTSIDE, body, c, axis, level, beyond, power, convex, part, contacts, count)
    return is_inside, count


@func
def find_at_shell(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body with an open cylinder or a cone; returns their number.

    c, axis: centre of the body from the middle of the wall [m]; direction from its first end to the other.
    bound, beyond: radius of the bounding sphere, how far beyond touching contacts are wanted [m].
    """
    k, reach = convex.first_number[w], bound + beyond
    part = (convex.shape[w], k, k)
    low, high, half = convex.numbers[k + LOW_RADIUS], convex.numbers[k + HIGH_RADIUS], convex.numbers[k + HALF]
    is_inside, count = add_sides(body, c, axis, reach, beyond, power, convex, part, contacts, 0)
    count = add_rim(LOW_RIM, body, c, axis, low, -half, reach, beyond, power, convex, part, contacts, count)
    count = add_rim(HIGH_RIM, body, c, axis, high, half, reach, beyond, power, convex, part, contacts, count)
    if convex.numbers[k + LOW_CLOSED] != 0.0:
        back = scale(-1.0, axis)
        count = add_disc(body, c, back, low, half, is_inside, beyond, power, contacts, count)
    if convex.numbers[k + HIGH_CLOSED] != 0.0:
        count = add_disc(body, c, axis, high, half, is_inside, beyond, power, contacts, count)
    return count


@func
def find_at_ring(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body outside of a torus; as `find_at_shell`."""
    k = convex.first_number[w]
    radius, reach = convex.numbers[k + HIGH_RADIUS], bound + beyond + convex.numbers[k]
    part = (convex.shape[w], k, k)
    return add_rim(RING, body, c, axis, radius, 0.0, reach, beyond, power, convex, part, contacts, 0)


@func
def add_annulus(body, c, axis, low, high, beyond, power, contacts, count):
    """Write the contact with a flat ring across the axis, from one radius to another; returns their number."""
    side = -1.0 if dot(c, axis) < 0.0 else 1.0
    h, x = support_of(body, scale(-side, axis))
    y = add(x, c)
    off = add_scaled(y, -dot(y, axis), axis)
    square, inner, outer = dot(off, off), min(low, high), max(low, high)
    if not inner * inner <= square <= outer * outer:
        return count
    return add_contact(h - side * dot(c, axis) + beyond, scale(side, axis), x, power, contacts, count)


@func
def find_at_profile(convex, w, body, c, axis, bound, beyond, power, contacts):
    """Write the contacts of a body with a surface of revolution; as `find_at_shell`.

    Each segment of its polyline is a shell or a flat ring, and each of its points a joint: a rim of all segments that
    meet there. c: centre of the body from where r and z are 0 [m].
    """
    k, reach, count = convex.first_number[w], bound + beyond, 0
    segments, joints, row = int(convex.numbers[k + 1]), int(convex.numbers[k + 2]), k + 3
    for _ in range(segments):
        part = (convex.shape[w], k, row - LOW_RADIUS)
        low, high, half, middle = (
            convex.numbers[row], convex.numbers[row + 1], convex.numbers[row + 2], convex.numbers[row + SEGMENT - 1],
        )  # fmt: skip
        from_middle = add_scaled(c, -middle, axis)
        if half == 0.0:
            count = add_annulus(body, from_middle, axis, low, high, beyond, power, contacts, count)
        elif abs(dot(from_middle, axis)) < half + reach:
            _, count = add_sides(body, from_middle, axis, reach, beyond, power, convex, part, contacts, count)
        row += SEGMENT
    for _ in range(joints):
        part, radius, height = (convex.shape[w], k, row), convex.numbers[row], convex.numbers[row + 1]
        if abs(dot(c, axis) - height) < reach:
            count = add_rim(JOINT, body, c, axis, radius, height, reach, beyond, power, convex, part, contacts, count)
        row += JOINT_NUMBERS
    return count
