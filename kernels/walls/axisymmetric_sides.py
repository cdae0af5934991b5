"""Contacts of the side of a capsule with walls that turn about an axis: cylinders, cones, discs, polylines, tori.

By the rule of ``sides``. Each segment of the polyline has a strip, the distance from it along the capsule's segment,
with local minima and, between two of them, a maximum. A minimum is joined with the next on its strip at the maximum
between them, with an end of the capsule that the strip falls to at the maximum before it or, if there is none, at the
end itself; and minima of two strips that share a point of the polyline at the minima of the distance from the circle
that it sweeps. What is joined in ascending order makes a forest; each tree of it is a contact, but for the one that has
the ends. A torus is a circle of which only the distance less the tube's radius counts.

A place x + s u of a segment, s from -1 to 1, is (r, z) about the axis, r² = a (s - m)² + b, z = c + s w. The nearest
point of the segment of a polyline is in the same half plane; so half the slope of the squared distance is p r' + q w,
(p, q) from that point to (r, z). It changes its sign at most once between few places in closed form:

    where the nearest point becomes an end of the polyline's segment                          (quadratics in s),
    between the low or high of the distance across that, d' = 0, and where it is 0            (quadratics in s),
    where that from a circle, the end, turns from hollow to convex: r³ = ρ a b / (a + w²),
    on both sides of the axis, if the line passes through it.

So no low is passed over, however close to a high it is.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract
from dem.kernels.walls.contact_patches import IS_MINIMUM, NUMBER, PARENT, REGION, find_root, union
from dem.kernels.walls.potential_terms import (
    MINIMUM_STRIDE,
    add_side_term,
    clear_side_contact,
    number_of_contacts,
    subtract_side_link,
)
from dem.kernels.walls.revolution import COUNT, POINTS, from_segment, is_closed, segment_at

DISTANCE = 3  # column of scratch: the distance, not its square as in ``contact_patches``
BREAK = 12  # column of scratch, a row a place, see `breaks`
STEPS = 60
SMALL = 1e-15  # of half a segment: places closer than this are one
JUST = 1e-9  # of half a segment: before the axis
# columns of scratch besides those of ``contact_patches``: the place on the capsule; from where to where a low is the
# lowest
PLACE, LEFT, RIGHT = 8, 9, 10
ENDS = 0  # row of the ends of the capsule; minima come after it, links from the last row upward
FIRST, SECOND = 4, 5  # columns of a link: what it joins
STATE = 7  # what has become of it
FREE, TAKEN, DONE = 0.0, 1.0, 2.0
ROWS, MORE = 12, 16  # rows of scratch, and of contacts, for each segment of a polyline, and besides
SAME = 1e-6  # of half a segment: a low at a circle, and one of the distance from that, are one if closer than this
EQUAL = 1e-12  # of the capsule's radius


@inline
def line_of(x, u, numbers, k):
    """A segment about an axis: off the axis and along it, its middle and its half; where it is nearest, a and b."""
    axis = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    off = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    z, w = dot(off, axis), dot(u, axis)
    off, turn = add_scaled(off, -z, axis), add_scaled(u, -w, axis)
    a = dot(turn, turn)
    nearest = -dot(off, turn) / a if a > 0.0 else 0.0
    there = add_scaled(off, nearest, turn)
    return off, turn, z, w, nearest, a, dot(there, there)


@inline
def place_on(line, s):
    """r, z and the growth of r after the place s, and the vector away from the axis."""
    off = add_scaled(line[0], s, line[1])
    r = math.sqrt(dot(off, off))
    return r, line[2] + s * line[3], dot(off, line[1]) / r if r > 0.0 else math.sqrt(line[5]), off


@inline
def circle_at(numbers, at):
    """The circle that a point of a polyline at `numbers[at]` sweeps, as a segment without length."""
    return numbers[at], numbers[at + 1], numbers[at], numbers[at + 1]


@func
def slope_along(line, piece, side, s):
    """How the distance grows at the place s of a line: times itself; turned round where particles are within."""
    r, z, growth, _off = place_on(line, s)
    p, q, _end = from_segment(r, z, piece)
    return side * (p * growth + q * line[3])


@inline
def put(s, n, scratch):
    """Put a place among n that are in order, if it is between the ends; returns how many there are."""
    if not -1.0 < s < 1.0:
        return n
    k = n
    while scratch[k - 1, BREAK] > s:
        scratch[k, BREAK] = scratch[k - 1, BREAK]
        k -= 1
    scratch[k, BREAK] = s
    return n + 1


@inline
def crossings(e, alpha, beta, line):
    """The places where e r = α + β (s - m), or the same with less than 0 on the left; infinite where there are none."""
    a, b, c = e * e * line[5] - beta * beta, -alpha * beta, e * e * line[6] - alpha * alpha
    root = math.sqrt(max(b * b - a * c, 0.0))
    q = -b - root if b > 0.0 else root - b
    return line[4] + q / a if a != 0.0 else math.inf, line[4] + c / q if q != 0.0 else math.inf


@inline
def write_turning_points(radius, line, n, scratch):
    """Put the places where the squared distance from a circle turns from hollow to convex."""
    whole = line[5] + line[3] * line[3]
    if line[5] > 0.0:
        r = (radius * line[5] * line[6] / whole) ** (1.0 / 3.0)
        off = math.sqrt(max((r * r - line[6]) / line[5], 0.0))
        n = put(line[4] - off, n, scratch)
        n = put(line[4] + off, n, scratch)
    return n


@func
def breaks(line, piece, scratch):
    """Write places between which slopes change their sign once at most, in order, to column BREAK; returns how many."""
    u, v, m, w = piece[2] - piece[0], piece[3] - piece[1], line[4], line[3]
    z = line[2] + m * w
    scratch[0, BREAK] = -1.0
    n = 1
    if line[6] == 0.0:  # through the axis, where r turns at once
        n = put(m, put(m - JUST, n, scratch), scratch)
    n = write_turning_points(piece[0], line, n, scratch)
    if u != 0.0 or v != 0.0:
        n = write_turning_points(piece[2], line, n, scratch)
        for end in range(2):
            s, other = crossings(u, u * piece[2 * end] - v * (z - piece[2 * end + 1]), -v * w, line)
            n = put(other, put(s, n, scratch), scratch)
        if v * v * line[5] > u * u * w * w:  # there is a low or a high of that across, where r' = u w / v
            steep = u * w / v
            middle = m + math.sqrt(line[6] / (line[5] * (line[5] - steep * steep))) * steep
            s, other = crossings(v, u * (z - piece[1]) + v * piece[0], u * w, line)
            n = put(0.5 * (middle + other), put(0.5 * (middle + s), n, scratch), scratch)
    scratch[n, BREAK] = 1.0
    return n + 1


@func
def zero(line, piece, side, low, high):
    """Where the slope changes its sign between two places: secants, weighed by halves, and now and then the middle."""
    f, g = slope_along(line, piece, side, low), slope_along(line, piece, side, high)
    s, last = high, 0
    for step in range(STEPS):
        before = s
        s = 0.5 * (low + high) if step % 4 == 3 or f == g else high - g * (high - low) / (g - f)
        s = min(max(s, low), high)
        now = slope_along(line, piece, side, s)
        if now == 0.0 or high - low < SMALL or (step > 0 and abs(s - before) < SMALL):
            break
        if (now < 0.0) == (f < 0.0):
            low, f = s, now
            g = 0.5 * g if last == 1 else g
            last = 1
        else:
            high, g = s, now
            f = 0.5 * f if last == -1 else f
            last = -1
    return s


@inline
def range_of(line):
    """r and z at both ends of a segment, and the least r."""
    (r, z, _u, _off), (r_b, z_b, _v, _w) = place_on(line, -1.0), place_on(line, 1.0)
    between = -1.0 < line[4] < 1.0
    return r, z, r_b, z_b, math.sqrt(line[6]) if between else min(r, r_b)


@inline
def is_hollow(ends, piece):
    """Whether the distance has no low between the ends: it is that across, and grows ever less, on all the way."""
    u, v = piece[2] - piece[0], piece[3] - piece[1]
    p, q, p_b, q_b, least = ends[0] - piece[0], ends[1] - piece[1], ends[2] - piece[0], ends[3] - piece[1], ends[4]
    one, other = u * q - v * p, u * q_b - v * p_b
    if not ((one > 0.0 and other > 0.0 and v >= 0.0) or (one < 0.0 and other < 0.0 and v <= 0.0)):
        return False
    least -= piece[0]
    low = min(u * least, u * p, u * p_b) + min(v * q, v * q_b)
    high = max(u * least, u * p, u * p_b) + max(v * q, v * q_b)
    return low >= 0.0 and high <= u * u + v * v


@inline
def describe(row, s, line, piece, side, tube, numbers, k, scratch):
    """Write the place s of a line to a row of scratch: unit vector from the wall, distance, nearest end of the piece.

    side, tube: -1 where particles are within; less what the distance is [m].
    """
    r, z, _growth, off = place_on(line, s)
    p, q, end = from_segment(r, z, piece)
    length = math.hypot(p, q)
    if length > 0.0:
        p, q = side * p / length, side * q / length
    else:
        u, v = piece[2] - piece[0], piece[3] - piece[1]
        length_of = math.hypot(u, v)
        p, q = (-v / length_of, u / length_of) if length_of > 0.0 else (side, 0.0)
    radial = scale(1.0 / r, off) if r > 0.0 else (numbers[k + 6], numbers[k + 7], numbers[k + 8])
    axis = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    scratch[row, 0], scratch[row, 1], scratch[row, 2] = add_scaled(scale(p, radial), q, axis)
    scratch[row, DISTANCE], scratch[row, PLACE], scratch[row, REGION] = side * (length - tube), s, end


@inline
def join(links, one, other, s, line, piece, side, tube, numbers, k, scratch):
    """Write a link of two minima at the place s to a row of scratch; returns how many links there are."""
    row = scratch.shape[0] - 1 - links
    describe(row, s, line, piece, side, tube, numbers, k, scratch)
    scratch[row, FIRST], scratch[row, SECOND], scratch[row, STATE] = one, other, FREE
    return links + 1


@func
def write_strip_minima(number, minima, links, line, piece, side, tube, numbers, k, scratch):
    """Write the minima of a strip, of this number, and their links; returns the numbers of minima and of links."""
    n, before, at, here = breaks(line, piece, scratch), ENDS, -1.0, -1.0
    is_falling = slope_along(line, piece, side, -1.0) < 0.0
    for i in range(1, n):
        there = scratch[i, BREAK]
        is_rising = slope_along(line, piece, side, there) >= 0.0
        if is_falling == is_rising:
            s = zero(line, piece, side, here, there)
            if is_rising:
                minima += 1
                describe(minima, s, line, piece, side, tube, numbers, k, scratch)
                scratch[minima, NUMBER], scratch[minima, PARENT], scratch[minima, IS_MINIMUM] = number, minima, 1.0
                scratch[minima, LEFT] = at
                links = join(links, before, minima, at, line, piece, side, tube, numbers, k, scratch)
                before = minima
            else:
                at = s
                scratch[before, RIGHT] = s
        is_falling, here = not is_rising, there
    if before != ENDS:
        if not is_falling:
            at = scratch[before, RIGHT] = 1.0
        links = join(links, before, ENDS, at, line, piece, side, tube, numbers, k, scratch)
    return minima, links


@inline
def minimum_at(number, s, minima, scratch):
    """Row of the low that a strip falls to from the place s, or of the ends."""
    for i in range(1, minima + 1):
        if scratch[i, NUMBER] == number and scratch[i, LEFT] <= s <= scratch[i, RIGHT]:
            return i
    return ENDS


@inline
def remove_minimum(low, end, other, row, radius, scratch):
    """Remove a minimum together with the link at the circle where it lies; returns False if it lies elsewhere."""
    at_it = low != ENDS and scratch[low, REGION] == end and scratch[low, IS_MINIMUM] > 0.0
    if not at_it or abs(scratch[low, PLACE] - scratch[row, PLACE]) > SAME:
        return False
    if abs(scratch[low, DISTANCE] - scratch[row, DISTANCE]) > EQUAL * radius:
        return False
    union(find_root(low, scratch), find_root(other, scratch), scratch)
    scratch[low, IS_MINIMUM], scratch[row, STATE] = 0.0, DONE
    return True


@func
def link_strips(number, after, minima, links, line, radius, numbers, k, scratch):
    """Write the links of two strips, at the circle that the first point of the second sweeps; returns how many.

    radius: of the capsule [m].
    """
    circle = circle_at(numbers, k + POINTS + 2 * after)
    n, here = breaks(line, circle, scratch), -1.0
    is_falling = slope_along(line, circle, 1.0, -1.0) < 0.0
    for i in range(1, n):
        there = scratch[i, BREAK]
        is_rising = slope_along(line, circle, 1.0, there) >= 0.0
        if is_falling and is_rising:
            s = zero(line, circle, 1.0, here, there)
            one, other = minimum_at(number, s, minima, scratch), minimum_at(after, s, minima, scratch)
            if one != other:
                links = join(links, one, other, s, line, circle, 1.0, 0.0, numbers, k, scratch)
                row = scratch.shape[0] - links
                a, b = find_root(one, scratch), find_root(other, scratch)
                if scratch[row, DISTANCE] >= radius or a == b:
                    scratch[row, STATE] = DONE
                elif not remove_minimum(one, 2.0, other, row, radius, scratch):
                    remove_minimum(other, 1.0, one, row, radius, scratch)
        is_falling, here = not is_rising, there
    return links


@inline
def write_minima_and_links(x, u, radius, numbers, k, scratch):
    """Write the minima and links of all strips of a polyline that are within reach; returns how many there are."""
    line, last = line_of(x, u, numbers, k), int(numbers[k + COUNT]) - 1
    minima, links, reach = 0, 0, radius + math.sqrt(dot(u, u))
    (r, z, _growth, _off), ends = place_on(line, 0.0), range_of(line)
    for i in range(last):
        piece = segment_at(numbers, k + POINTS + 2 * i)
        p, q, _end = from_segment(r, z, piece)
        if p * p + q * q < reach * reach and not is_hollow(ends, piece):
            minima, links = write_strip_minima(i, minima, links, line, piece, 1.0, 0.0, numbers, k, scratch)
    first = k + POINTS
    for i in range(0 if is_closed(numbers, k) else 1, last if minima > 0 else 0):
        p, q = r - numbers[first + 2 * i], z - numbers[first + 2 * i + 1]
        if p * p + q * q < reach * reach:
            links = link_strips(i - 1 if i > 0 else last - 1, i, minima, links, line, radius, numbers, k, scratch)
    return minima, links


@inline
def nearest_link(links, radius, scratch):
    """Row of the nearest link of two parts within reach, or -1."""
    nearest, found = radius, -1
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == FREE and scratch[row, DISTANCE] < nearest:
            one, other = int(scratch[row, FIRST]), int(scratch[row, SECOND])
            if find_root(one, scratch) != find_root(other, scratch):
                nearest, found = scratch[row, DISTANCE], row
    return found


@inline
def anchor(i, minima, radius, scratch):
    """Number of the strip of a low and, if that has several, which of them it is."""
    number, which, several = scratch[i, NUMBER], 0, 0
    for j in range(1, minima + 1):
        if scratch[j, NUMBER] == number and scratch[j, IS_MINIMUM] > 0.0 and scratch[j, DISTANCE] < radius:
            several += 1
            which += 1 if j <= i else 0
    return number + MINIMUM_STRIDE * which if several > 1 else number


@inline
def sum_terms(t, root, minima, links, radius, power, scratch, contacts):
    """Make contact t of the minima that hang on a root, and what has joined them."""
    clear_side_contact(contacts, t, scratch[root, NUMBER])
    for i in range(1, minima + 1):
        if find_root(i, scratch) == root and scratch[i, IS_MINIMUM] > 0.0:
            n = scratch[i, 0], scratch[i, 1], scratch[i, 2]
            piece = anchor(i, minima, radius, scratch)
            add_side_term(contacts, t, radius - scratch[i, DISTANCE], n, scratch[i, PLACE], piece, power)
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == TAKEN and find_root(int(scratch[row, FIRST]), scratch) == root:
            remove_link(t, row, radius, power, scratch, contacts)


@inline
def remove_link(t, row, radius, power, scratch, contacts):
    """Take a link off a contact."""
    n = scratch[row, 0], scratch[row, 1], scratch[row, 2]
    subtract_side_link(contacts, t, radius - scratch[row, DISTANCE], n, scratch[row, PLACE], power)


@func
def sum_up(minima, links, radius, power, contacts, scratch):
    """Write a row of contacts for each contact; returns how many there are."""
    made, row = 0, nearest_link(links, radius, scratch)
    while row >= 0:
        one, other = int(scratch[row, FIRST]), int(scratch[row, SECOND])
        a, b = find_root(one, scratch), find_root(other, scratch)
        if ENDS in (a, b):
            sum_terms(made, max(a, b), minima, links, radius, power, scratch, contacts)
            remove_link(made, row, radius, power, scratch, contacts)
            made += number_of_contacts(contacts, made, power)
            scratch[row, STATE] = DONE
        else:
            scratch[row, STATE] = TAKEN
        union(a, b, scratch)
        row = nearest_link(links, radius, scratch)
    for i in range(1, minima + 1):
        if find_root(i, scratch) == i and scratch[i, DISTANCE] < radius:
            sum_terms(made, i, minima, links, radius, power, scratch, contacts)
            made += number_of_contacts(contacts, made, power)
    return made


@func
def find_side_on_revolution(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a surface of revolution, as `dem.kernels.walls.sides.find_side_contacts`."""
    scratch[ENDS, PARENT] = ENDS
    minima, links = write_minima_and_links(x, u, radius, numbers, k, scratch)
    return sum_up(minima, links, radius, power, contacts, scratch) if minima > 0 else 0


@func
def find_side_on_torus(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a torus, as `dem.kernels.walls.sides.find_side_contacts` does."""
    ring, tube, side = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    scratch[ENDS, PARENT] = ENDS
    line, circle = line_of(x, u, numbers, k), (ring, 0.0, ring, 0.0)
    minima, links = write_strip_minima(0, 0, 0, line, circle, side, tube, numbers, k, scratch)
    return sum_up(minima, links, radius, power, contacts, scratch) if minima > 0 else 0
