"""Contacts of the side of a capsule with axisymmetric walls: cylinders, cones, discs, polylines, tori.

The rule is that of ``capsule_sides``. Each segment of the polyline has a strip, the distance from it along the
capsule's segment, with local minima and, between two of them, a maximum. A minimum is joined with the next one of its
strip at the maximum between them. It is joined with an end of the capsule to which the strip falls, at the maximum
before that end or, if there is none, at the end itself. Minima of two strips that share a point of the polyline are
joined at the minima of the distance from the circle that this point sweeps. Joining in ascending order makes a forest.
Each tree is a contact, but for the one that has the ends. A torus is a circle of which only the distance less the
tube's radius counts.

A place x + s u of a segment, s from -1 to 1, is (r, z) about the axis, r² = a (s - m)² + b, z = c + s w. The nearest
point of the segment of a polyline is in the same half plane; so half the slope of the squared distance is p r' + q w,
(p, q) from that point to (r, z). It changes its sign at most once between few places in closed form:

    where the nearest point becomes an end of the polyline's segment                          (quadratics in s),
    between the extremum of the distance across that, d' = 0, and where it is 0               (quadratics in s),
    where that from a circle, the end, turns from hollow to convex: r³ = ρ a b / (a + w²),
    on both sides of the axis, if the line passes through it.

So no minimum is missed, however close to a maximum it is.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract
from dem.kernels.walls.contact_patches import IS_MINIMUM, PARENT, PIECE, REGION, find_root, union
from dem.kernels.walls.potential_terms import (
    MINIMUM_STRIDE,
    add_side_term,
    clear_side_contact,
    number_of_contacts,
    subtract_side_link,
)
from dem.kernels.walls.revolution import COUNT, POINTS, from_segment, is_closed, segment_at

DISTANCE = 3  # column of scratch: the distance, not its square as in ``contact_patches``
BREAK = 12  # column of scratch, a row a place, see `write_breaks`
STEPS = 60
SMALL = 1e-15  # of half a segment: parameters closer than this are one
BEFORE_AXIS = 1e-9  # of half a segment: a break that far before the axis
# columns of scratch besides those of ``contact_patches``: parameter on the capsule; range of it that falls to a minimum
PARAMETER, LEFT, RIGHT = 8, 9, 10
ENDS = 0  # row of the ends of the capsule; minima come after it, links from the last row upward
FIRST, SECOND = 4, 5  # columns of a link: what it joins
STATE = 7  # what has become of it
FREE, TAKEN, DONE = 0.0, 1.0, 2.0
ROWS, MORE = 12, 16  # rows of scratch, and of contacts, for each segment of a polyline, and besides
SAME_PARAMETER = 1e-6  # of half a segment: a minimum at a circle, and one of the distance from that, are one if closer
SAME_DISTANCE = 1e-12  # of the capsule's radius


@inline
def line_of(x, u, numbers, k):
    """A segment in cylindrical coordinates: radial vectors of its middle and its half, their z; m, a and b."""
    axis = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    off = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    z, w = dot(off, axis), dot(u, axis)
    off, turn = add_scaled(off, -z, axis), add_scaled(u, -w, axis)
    a = dot(turn, turn)
    nearest = -dot(off, turn) / a if a > 0.0 else 0.0
    closest = add_scaled(off, nearest, turn)
    return off, turn, z, w, nearest, a, dot(closest, closest)


@inline
def point_on(line, s):
    """r, z and dr/ds at the parameter s, and the vector from the axis to that point."""
    off = add_scaled(line[0], s, line[1])
    r = math.sqrt(dot(off, off))
    return r, line[2] + s * line[3], dot(off, line[1]) / r if r > 0.0 else math.sqrt(line[5]), off


@inline
def circle_at(numbers, k):
    """The circle that a point of a polyline at `numbers[k]` sweeps, as a segment without length."""
    return numbers[k], numbers[k + 1], numbers[k], numbers[k + 1]


@func
def slope_along(line, piece, side, s):
    """Half the slope of the squared distance at the parameter s of a line; negated if particles are inside."""
    r, z, growth, _off = point_on(line, s)
    p, q, _end = from_segment(r, z, piece)
    return side * (p * growth + q * line[3])


@inline
def insert_break(s, n, scratch):
    """Insert a parameter into n sorted ones of column BREAK, if it is between the ends; returns the new number."""
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
    """Both parameters s at which e r = ±(α + β (s - m)); infinite if there are none."""
    a, b, c = e * e * line[5] - beta * beta, -alpha * beta, e * e * line[6] - alpha * alpha
    root = math.sqrt(max(b * b - a * c, 0.0))
    q = -b - root if b > 0.0 else root - b
    return line[4] + q / a if a != 0.0 else math.inf, line[4] + c / q if q != 0.0 else math.inf


@inline
def write_turning_points(radius, line, n, scratch):
    """Insert the inflection points of the squared distance from a circle."""
    whole = line[5] + line[3] * line[3]
    if line[5] > 0.0:
        r = (radius * line[5] * line[6] / whole) ** (1.0 / 3.0)
        off = math.sqrt(max((r * r - line[6]) / line[5], 0.0))
        n = insert_break(line[4] - off, n, scratch)
        n = insert_break(line[4] + off, n, scratch)
    return n


@func
def write_breaks(line, piece, scratch):
    """Write sorted parameters to column BREAK, between which the slope changes its sign at most once; their number."""
    u, v, m, w = piece[2] - piece[0], piece[3] - piece[1], line[4], line[3]
    z = line[2] + m * w
    scratch[0, BREAK] = -1.0
    n = 1
    if line[6] == 0.0:  # through the axis, where r turns at once
        n = insert_break(m, insert_break(m - BEFORE_AXIS, n, scratch), scratch)
    n = write_turning_points(piece[0], line, n, scratch)
    if u != 0.0 or v != 0.0:
        n = write_turning_points(piece[2], line, n, scratch)
        for end in range(2):
            s, other = crossings(u, u * piece[2 * end] - v * (z - piece[2 * end + 1]), -v * w, line)
            n = insert_break(other, insert_break(s, n, scratch), scratch)
        if v * v * line[5] > u * u * w * w:  # there is a low or a high of that across, where r' = u w / v
            steep = u * w / v
            middle = m + math.sqrt(line[6] / (line[5] * (line[5] - steep * steep))) * steep
            s, other = crossings(v, u * (z - piece[1]) + v * piece[0], u * w, line)
            n = insert_break(0.5 * (middle + other), insert_break(0.5 * (middle + s), n, scratch), scratch)
    scratch[n, BREAK] = 1.0
    return n + 1


@func
def zero(line, piece, side, low, high):
    """Root of the slope between two parameters, by the Illinois method with a bisection every fourth step."""
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
    """r and z at both ends of a segment, and the smallest r."""
    (r, z, _u, _off), (r_b, z_b, _v, _w) = point_on(line, -1.0), point_on(line, 1.0)
    between = -1.0 < line[4] < 1.0
    return r, z, r_b, z_b, math.sqrt(line[6]) if between else min(r, r_b)


@inline
def is_hollow(ends, piece):
    """Whether the distance has no minimum between the ends: no end of the piece is nearest, and it is concave."""
    u, v = piece[2] - piece[0], piece[3] - piece[1]
    p, q, p_b, q_b, r_min = ends[0] - piece[0], ends[1] - piece[1], ends[2] - piece[0], ends[3] - piece[1], ends[4]
    across_a, across_b = u * q - v * p, u * q_b - v * p_b
    if not ((across_a > 0.0 and across_b > 0.0 and v >= 0.0) or (across_a < 0.0 and across_b < 0.0 and v <= 0.0)):
        return False
    r_min -= piece[0]
    low = min(u * r_min, u * p, u * p_b) + min(v * q, v * q_b)
    high = max(u * r_min, u * p, u * p_b) + max(v * q, v * q_b)
    return low >= 0.0 and high <= u * u + v * v


@inline
def write_point(row, s, line, piece, side, tube, numbers, k, scratch):
    """Write the point s of a line to a row of scratch: unit vector from the wall, distance, nearest end of the piece.

    side, tube: -1 if particles are inside; radius that is subtracted from the distance [m].
    """
    r, z, _growth, off = point_on(line, s)
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
    scratch[row, DISTANCE], scratch[row, PARAMETER], scratch[row, REGION] = side * (length - tube), s, end


@inline
def join(links, low_a, low_b, s, line, piece, side, tube, numbers, k, scratch):
    """Write a link of two minima at the parameter s to a row of scratch; returns how many links there are."""
    row = scratch.shape[0] - 1 - links
    write_point(row, s, line, piece, side, tube, numbers, k, scratch)
    scratch[row, FIRST], scratch[row, SECOND], scratch[row, STATE] = low_a, low_b, FREE
    return links + 1


@func
def write_strip_minima(strip, minima, links, line, piece, side, tube, numbers, k, scratch):
    """Write the minima of a strip and their links; returns the numbers of minima and of links."""
    n, before, last_maximum, low = write_breaks(line, piece, scratch), ENDS, -1.0, -1.0
    is_falling = slope_along(line, piece, side, -1.0) < 0.0
    for i in range(1, n):
        high = scratch[i, BREAK]
        is_rising = slope_along(line, piece, side, high) >= 0.0
        if is_falling == is_rising:
            s = zero(line, piece, side, low, high)
            if is_rising:
                minima += 1
                write_point(minima, s, line, piece, side, tube, numbers, k, scratch)
                scratch[minima, PIECE], scratch[minima, PARENT], scratch[minima, IS_MINIMUM] = strip, minima, 1.0
                scratch[minima, LEFT] = last_maximum
                links = join(links, before, minima, last_maximum, line, piece, side, tube, numbers, k, scratch)
                before = minima
            else:
                last_maximum = s
                scratch[before, RIGHT] = s
        is_falling, low = not is_rising, high
    if before != ENDS:
        if not is_falling:
            last_maximum = scratch[before, RIGHT] = 1.0
        links = join(links, before, ENDS, last_maximum, line, piece, side, tube, numbers, k, scratch)
    return minima, links


@inline
def minimum_at(strip, s, minima, scratch):
    """Row of the minimum of a strip into whose range the parameter s falls, or of the ends."""
    for i in range(1, minima + 1):
        if scratch[i, PIECE] == strip and scratch[i, LEFT] <= s <= scratch[i, RIGHT]:
            return i
    return ENDS


@inline
def remove_minimum(low, end, low_b, row, radius, scratch):
    """Remove a minimum together with the link at the circle where it lies; returns False if it lies elsewhere."""
    is_at_circle = low != ENDS and scratch[low, REGION] == end and scratch[low, IS_MINIMUM] > 0.0
    if not is_at_circle or abs(scratch[low, PARAMETER] - scratch[row, PARAMETER]) > SAME_PARAMETER:
        return False
    if abs(scratch[low, DISTANCE] - scratch[row, DISTANCE]) > SAME_DISTANCE * radius:
        return False
    union(find_root(low, scratch), find_root(low_b, scratch), scratch)
    scratch[low, IS_MINIMUM], scratch[row, STATE] = 0.0, DONE
    return True


@func
def link_strips(strip, next_strip, minima, links, line, radius, numbers, k, scratch):
    """Write the links of two strips, at the circle that the first point of the second sweeps; returns how many.

    radius: of the capsule [m].
    """
    circle = circle_at(numbers, k + POINTS + 2 * next_strip)
    n, low = write_breaks(line, circle, scratch), -1.0
    is_falling = slope_along(line, circle, 1.0, -1.0) < 0.0
    for i in range(1, n):
        high = scratch[i, BREAK]
        is_rising = slope_along(line, circle, 1.0, high) >= 0.0
        if is_falling and is_rising:
            s = zero(line, circle, 1.0, low, high)
            low_a, low_b = minimum_at(strip, s, minima, scratch), minimum_at(next_strip, s, minima, scratch)
            if low_a != low_b:
                links = join(links, low_a, low_b, s, line, circle, 1.0, 0.0, numbers, k, scratch)
                row = scratch.shape[0] - links
                a, b = find_root(low_a, scratch), find_root(low_b, scratch)
                if scratch[row, DISTANCE] >= radius or a == b:
                    scratch[row, STATE] = DONE
                elif not remove_minimum(low_a, 2.0, low_b, row, radius, scratch):
                    remove_minimum(low_b, 1.0, low_a, row, radius, scratch)
        is_falling, low = not is_rising, high
    return links


@inline
def write_minima_and_links(x, u, radius, numbers, k, scratch):
    """Write the minima and links of all strips of a polyline that are within reach; returns how many there are."""
    line, last = line_of(x, u, numbers, k), int(numbers[k + COUNT]) - 1
    minima, links, reach = 0, 0, radius + math.sqrt(dot(u, u))
    (r, z, _growth, _off), ends = point_on(line, 0.0), range_of(line)
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
    """Row of the nearest link between two components within reach, or -1."""
    nearest, found = radius, -1
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == FREE and scratch[row, DISTANCE] < nearest:
            low_a, low_b = int(scratch[row, FIRST]), int(scratch[row, SECOND])
            if find_root(low_a, scratch) != find_root(low_b, scratch):
                nearest, found = scratch[row, DISTANCE], row
    return found


@inline
def anchor(i, minima, radius, scratch):
    """Key of a minimum: the number of its strip and, if that has several minima, which of them it is."""
    strip, which, several = scratch[i, PIECE], 0, 0
    for j in range(1, minima + 1):
        if scratch[j, PIECE] == strip and scratch[j, IS_MINIMUM] > 0.0 and scratch[j, DISTANCE] < radius:
            several += 1
            which += 1 if j <= i else 0
    return strip + MINIMUM_STRIDE * which if several > 1 else strip


@inline
def sum_terms(t, root, minima, links, radius, power, scratch, contacts):
    """Sum the terms of contact t: minima of the component of a root, and the links that have joined them."""
    clear_side_contact(contacts, t, scratch[root, PIECE])
    for i in range(1, minima + 1):
        if find_root(i, scratch) == root and scratch[i, IS_MINIMUM] > 0.0:
            n = scratch[i, 0], scratch[i, 1], scratch[i, 2]
            piece = anchor(i, minima, radius, scratch)
            add_side_term(contacts, t, radius - scratch[i, DISTANCE], n, scratch[i, PARAMETER], piece, power)
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == TAKEN and find_root(int(scratch[row, FIRST]), scratch) == root:
            remove_link(t, row, radius, power, scratch, contacts)


@inline
def remove_link(t, row, radius, power, scratch, contacts):
    """Subtract the term of a link from a contact."""
    n = scratch[row, 0], scratch[row, 1], scratch[row, 2]
    subtract_side_link(contacts, t, radius - scratch[row, DISTANCE], n, scratch[row, PARAMETER], power)


@func
def write_contacts(minima, links, radius, power, contacts, scratch):
    """Write a row of contacts for each contact; returns how many there are."""
    count, row = 0, nearest_link(links, radius, scratch)
    while row >= 0:
        low_a, low_b = int(scratch[row, FIRST]), int(scratch[row, SECOND])
        a, b = find_root(low_a, scratch), find_root(low_b, scratch)
        if ENDS in (a, b):
            sum_terms(count, max(a, b), minima, links, radius, power, scratch, contacts)
            remove_link(count, row, radius, power, scratch, contacts)
            count += number_of_contacts(contacts, count, power)
            scratch[row, STATE] = DONE
        else:
            scratch[row, STATE] = TAKEN
        union(a, b, scratch)
        row = nearest_link(links, radius, scratch)
    for i in range(1, minima + 1):
        if find_root(i, scratch) == i and scratch[i, DISTANCE] < radius:
            sum_terms(count, i, minima, links, radius, power, scratch, contacts)
            count += number_of_contacts(contacts, count, power)
    return count


@func
def find_side_on_revolution(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a surface of revolution, see `dem.kernels.walls.capsule_sides`."""
    scratch[ENDS, PARENT] = ENDS
    minima, links = write_minima_and_links(x, u, radius, numbers, k, scratch)
    return write_contacts(minima, links, radius, power, contacts, scratch) if minima > 0 else 0


@func
def find_side_on_torus(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a torus, as `dem.kernels.walls.capsule_sides.find_side_contacts` does."""
    ring, tube, side = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    scratch[ENDS, PARENT] = ENDS
    line, circle = line_of(x, u, numbers, k), (ring, 0.0, ring, 0.0)
    minima, links = write_strip_minima(0, 0, 0, line, circle, side, tube, numbers, k, scratch)
    return write_contacts(minima, links, radius, power, contacts, scratch) if minima > 0 else 0
