"""Contacts of the side of a capsule with axisymmetric walls: cylinders, cones, discs, polylines, tori.

The wall is swept by a polyline (r, z) about an axis. A segment of the polyline sweeps a *strip*, a point of it sweeps a
*circle*. A point c + s u of the capsule's axis, s from -1 to 1, has the distance d_k(s) from strip k. Unlike the
distance from a triangle it is not convex: it may have several minima between the ends.

**Potential.** It is that of ``capsule_sides``, a sum over pairs of a minimum, b, and the distance at which that is
joined to a lower one or to an end of the capsule, d: φ(R - b) - φ(R - d). The minima of all d_k are the nodes of a
graph, together with one node for both ends. Links are the places at which the regions nearer than d merge:

    two successive minima of d_k                       at the maximum between them
    the first or last minimum of d_k and the ends      at the maximum between them, or at the end if there is none
    minima of two strips that share a circle           at the minima of the distance from that circle

Kruskal's algorithm takes the links in ascending distance (rule E, see ``contact_patches``). Each tree of the forest is
a contact, but the tree with the ends is none: the end spheres have its potential. A torus is a circle, and the radius
of its tube is subtracted from the distance.

**Minima.** In cylindrical coordinates a point of the capsule's axis has

    r² = a (s - m)² + b,   z = z_0 + w s.

The closest point of a strip is in the same half plane. With (p, q), the vector (r, z) from there, half the derivative
of d_k² is p r' + q w. Its sign changes at most once between any two neighbours of these places (`write_breaks`):

    where the closest point becomes an end of the polyline's segment                    (a quadratic in s)
    halfway between the extremum of the distance across the segment, and its zeros      (a quadratic in s)
    where the squared distance from the circle of an end has a point of inflection:     r³ = ρ a b / (a + w²)
    at the axis, on both sides, if the capsule's axis meets it

ρ is the radius of that circle. So each stationary point is alone in its interval, and false position finds it. No
minimum is missed, however close to a maximum it is.
"""

import math
from typing import NamedTuple

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
from dem.kernels.walls.triangles import triple

# rows of scratch: the ends of the capsule; minima, from 1 upward; links, from the last row downward
ENDS = 0
# columns of scratch, besides those of ``contact_patches``; 0 to 2 of minima and links are the unit vector from the wall
DISTANCE, PARAMETER = 3, 8  # distance, not its square [m]; s
LEFT, RIGHT = 9, 10  # of a minimum: range of s in which d_k falls towards it
FIRST, SECOND, STATE = 4, 5, 7  # of a link: rows of the minima that it joins; one of FREE, TAKEN and DONE
FREE, TAKEN, DONE = 0.0, 1.0, 2.0  # not yet used; in the forest, its term is subtracted; no longer needed
BREAK = 12  # a list of values of s, see `write_breaks`
ROWS, MORE = 12, 16  # rows of scratch, and of contacts, for each segment of a polyline, and besides
MAX_STEPS = 60
SAME_PARAMETER = 1e-15  # difference of s below which a root is found
BEFORE_AXIS = 1e-9  # difference of s between the axis and the break before it
# a minimum of a strip and one of its circle are the same if these differ by less
PARAMETER_TOLERANCE = 1e-6  # s
DISTANCE_TOLERANCE = 1e-12  # distance over the radius of the capsule


@func
def find_side_on_revolution(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a surface of revolution, see `dem.kernels.walls.capsule_sides`."""
    scratch[ENDS, PARENT] = ENDS
    minima, links = write_minima_and_links(x, u, radius, numbers, k, scratch)
    return write_contacts_of_trees(minima, links, radius, power, contacts, scratch) if minima > 0 else 0


@func
def find_side_on_torus(x, u, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a side with a torus, as `dem.kernels.walls.capsule_sides.find_side_contacts` does."""
    ring, tube, side = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    scratch[ENDS, PARENT] = ENDS
    line, strip = axis_line(x, u, numbers, k), Strip((ring, 0.0, ring, 0.0), side, tube)
    minima, links = write_strip_minima(0, 0, 0, line, strip, scratch)
    return write_contacts_of_trees(minima, links, radius, power, contacts, scratch) if minima > 0 else 0


class AxisLine(NamedTuple):
    """The axis of a capsule in cylindrical coordinates about that of the wall, see module."""

    axis: tuple  # unit vector along the axis of the wall
    across: tuple  # unit vector across it, the radial direction of points on the axis
    off: tuple  # radial vector from the axis of the wall to the capsule's middle [m]
    half_off: tuple  # radial part of u [m]
    z: float  # z_0, height of the capsule's middle [m]
    w: float  # part of u along the axis [m]
    m: float  # s where the line is closest to the axis
    a: float  # square of the radial part of u [m²]
    b: float  # square of the smallest r of the line [m²]


class Strip(NamedTuple):
    """A strip of a wall; the segment of a circle has length 0."""

    segment: tuple  # r and z of both ends of the segment of the polyline [m]
    side: float  # 1; -1 inside of a torus, where particles are on the other side of the surface
    tube: float  # radius that is subtracted from the distance, of a torus [m]


@inline
def strip_at(numbers, k):
    """Strip of the segment of a polyline that begins at `numbers[k]`."""
    return Strip(segment_at(numbers, k), 1.0, 0.0)


@inline
def circle_at(numbers, k):
    """Circle that the point of a polyline at `numbers[k]` sweeps."""
    return Strip((numbers[k], numbers[k + 1], numbers[k], numbers[k + 1]), 1.0, 0.0)


@inline
def axis_line(x, u, numbers, k):
    """`AxisLine` of a capsule relative to the axis of a wall.

    x, u: middle of the capsule, and vector from there to one end of its axis [m].
    k: index of the first number of the wall.
    """
    axis, across = (numbers[k + 3], numbers[k + 4], numbers[k + 5]), (numbers[k + 6], numbers[k + 7], numbers[k + 8])
    off = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    z, w = dot(off, axis), dot(u, axis)
    off, half_off = add_scaled(off, -z, axis), add_scaled(u, -w, axis)
    a = dot(half_off, half_off)
    m = -dot(off, half_off) / a if a > 0.0 else 0.0
    closest = add_scaled(off, m, half_off)
    return AxisLine(axis, across, off, half_off, z, w, m, a, dot(closest, closest))


@inline
def point_on(line, s):
    """r, z and dr/ds of the point s of a line [m], and its radial vector from the axis [m]."""
    off = add_scaled(line.off, s, line.half_off)
    r = math.sqrt(dot(off, off))
    return r, line.z + s * line.w, dot(off, line.half_off) / r if r > 0.0 else math.sqrt(line.a), off


@func
def slope_along(line, strip, s):
    """Half the derivative of the squared distance from a strip by s [m²]; negated inside of a torus."""
    r, z, dr_ds, _off = point_on(line, s)
    p, q, _end = from_segment(r, z, strip.segment)
    return strip.side * (p * dr_ds + q * line.w)


@func
def write_breaks(line, strip, scratch):
    """Write the values of s between which `slope_along` changes its sign at most once, see module; their number.

    Writes scratch: column BREAK, in ascending order, from -1 to 1.
    """
    r_1, z_1, r_2, z_2 = strip.segment
    along_r, along_z = r_2 - r_1, z_2 - z_1
    scratch[0, BREAK] = -1.0
    n = 1
    if line.b == 0.0:
        n = insert_break(line.m, insert_break(line.m - BEFORE_AXIS, n, scratch), scratch)
    n = insert_inflections(r_1, line, n, scratch)
    if along_r != 0.0 or along_z != 0.0:
        n = insert_inflections(r_2, line, n, scratch)
        n = insert_changes_of_region(line, strip, n, scratch)
        n = insert_breaks_across(line, strip, n, scratch)
    scratch[n, BREAK] = 1.0
    return n + 1


@inline
def insert_break(s, n, scratch):
    """Insert s into the first n breaks if it is between -1 and 1; returns the new number of breaks."""
    if not -1.0 < s < 1.0:
        return n
    k = n
    while scratch[k - 1, BREAK] > s:
        scratch[k, BREAK] = scratch[k - 1, BREAK]
        k -= 1
    scratch[k, BREAK] = s
    return n + 1


@inline
def insert_inflections(radius, line, n, scratch):
    """Insert the points of inflection of the squared distance from a circle; returns the new number of breaks."""
    square = line.a + line.w * line.w
    if line.a > 0.0:
        r = (radius * line.a * line.b / square) ** (1.0 / 3.0)
        off = math.sqrt(max((r * r - line.b) / line.a, 0.0))
        n = insert_break(line.m - off, n, scratch)
        n = insert_break(line.m + off, n, scratch)
    return n


@inline
def insert_changes_of_region(line, strip, n, scratch):
    """Insert where the closest point of the polyline's segment becomes one of its ends; the new number of breaks.

    There the vector from the end, (r - r_e, z - z_e), is perpendicular to the segment.
    """
    r_1, z_1, r_2, z_2 = strip.segment
    along_r, along_z = r_2 - r_1, z_2 - z_1
    z = line.z + line.m * line.w
    for end in range(2):
        r_end, z_end = (r_1, z_1) if end == 0 else (r_2, z_2)
        s, other = crossings(along_r, along_r * r_end - along_z * (z - z_end), -along_z * line.w, line)
        n = insert_break(other, insert_break(s, n, scratch), scratch)
    return n


@inline
def insert_breaks_across(line, strip, n, scratch):
    """Insert where the distance across the polyline's segment is halfway, in s, from its extremum to its zeros.

    The extremum is where r' = w along_r / along_z. Returns the new number of breaks.
    """
    r_1, z_1, r_2, z_2 = strip.segment
    along_r, along_z = r_2 - r_1, z_2 - z_1
    if along_z * along_z * line.a > along_r * along_r * line.w * line.w:
        z = line.z + line.m * line.w
        dr_ds = along_r * line.w / along_z
        extremum = line.m + math.sqrt(line.b / (line.a * (line.a - dr_ds * dr_ds))) * dr_ds
        s, other = crossings(along_z, along_r * (z - z_1) + along_z * r_1, along_r * line.w, line)
        n = insert_break(0.5 * (extremum + other), insert_break(0.5 * (extremum + s), n, scratch), scratch)
    return n


@inline
def crossings(factor, alpha, beta, line):
    """Both values of s at which factor · r = ±(α + β (s - m)); infinite if there are none."""
    a, b = factor * factor * line.a - beta * beta, -alpha * beta
    c = factor * factor * line.b - alpha * alpha
    root = math.sqrt(max(b * b - a * c, 0.0))
    q = -b - root if b > 0.0 else root - b
    return line.m + q / a if a != 0.0 else math.inf, line.m + c / q if q != 0.0 else math.inf


@func
def find_stationary_point(line, strip, low, high):
    """Root s of `slope_along` between two values of s, at which its signs differ.

    By the Illinois method of false position, with a bisection every fourth step.
    """
    slope_low, slope_high = slope_along(line, strip, low), slope_along(line, strip, high)
    s, last = high, 0
    for step in range(MAX_STEPS):
        before = s
        if step % 4 == 3 or slope_low == slope_high:
            s = 0.5 * (low + high)
        else:
            s = high - slope_high * (high - low) / (slope_high - slope_low)
        s = min(max(s, low), high)
        slope = slope_along(line, strip, s)
        if slope == 0.0 or high - low < SAME_PARAMETER or (step > 0 and abs(s - before) < SAME_PARAMETER):
            break
        if (slope < 0.0) == (slope_low < 0.0):
            low, slope_low = s, slope
            slope_high = 0.5 * slope_high if last == 1 else slope_high
            last = 1
        else:
            high, slope_high = s, slope
            slope_low = 0.5 * slope_low if last == -1 else slope_low
            last = -1
    return s


@inline
def extent_of(line):
    """r and z at both ends of a line, and its smallest r [m]."""
    (r_a, z_a, _dr_ds, _off), (r_b, z_b, _dr_ds_b, _off_b) = point_on(line, -1.0), point_on(line, 1.0)
    is_closest_between = -1.0 < line.m < 1.0
    return r_a, z_a, r_b, z_b, math.sqrt(line.b) if is_closest_between else min(r_a, r_b)


@inline
def is_concave_along(extent, segment):
    """Whether the distance from a strip is surely concave along a line, so that it has no minimum between its ends.

    r is convex in s, and z is linear. So the distance across the segment is concave on the side towards the axis. The
    ends of the segment must not be closest anywhere. extent: see `extent_of`.
    """
    along_r, along_z = segment[2] - segment[0], segment[3] - segment[1]
    p_a, q_a, p_b, q_b = extent[0] - segment[0], extent[1] - segment[1], extent[2] - segment[0], extent[3] - segment[1]
    across_a, across_b = along_r * q_a - along_z * p_a, along_r * q_b - along_z * p_b
    is_concave = (across_a > 0.0 and across_b > 0.0 and along_z >= 0.0) or (
        across_a < 0.0 and across_b < 0.0 and along_z <= 0.0
    )
    if not is_concave:
        return False
    p_min = extent[4] - segment[0]
    low = min(along_r * p_min, along_r * p_a, along_r * p_b) + min(along_z * q_a, along_z * q_b)
    high = max(along_r * p_min, along_r * p_a, along_r * p_b) + max(along_z * q_a, along_z * q_b)
    return low >= 0.0 and high <= along_r * along_r + along_z * along_z


@inline
def unit_from_strip(p, q, strip):
    """Unit vector (r, z) along a vector from a strip, and its length; on the surface a normal of the segment."""
    length = math.hypot(p, q)
    if length > 0.0:
        return strip.side * p / length, strip.side * q / length, length
    along_r, along_z = strip.segment[2] - strip.segment[0], strip.segment[3] - strip.segment[1]
    length_of_segment = math.hypot(along_r, along_z)
    if length_of_segment > 0.0:
        return -along_z / length_of_segment, along_r / length_of_segment, length
    return strip.side, 0.0, length


@inline
def write_point(row, s, line, strip, scratch):
    """Write the point s of a line to a row of scratch: unit vector from the strip, DISTANCE, PARAMETER, REGION.

    REGION is the end of the polyline's segment that is closest, see `from_segment`.
    """
    r, z, _dr_ds, off = point_on(line, s)
    p, q, end = from_segment(r, z, strip.segment)
    p, q, length = unit_from_strip(p, q, strip)
    radial = scale(1.0 / r, off) if r > 0.0 else line.across
    scratch[row, 0], scratch[row, 1], scratch[row, 2] = add_scaled(scale(p, radial), q, line.axis)
    scratch[row, DISTANCE], scratch[row, PARAMETER] = strip.side * (length - strip.tube), s
    scratch[row, REGION] = end


@inline
def write_link(links, node_a, node_b, s, line, strip, scratch):
    """Write a link of two nodes at the point s of a line; returns the new number of links."""
    row = scratch.shape[0] - 1 - links
    write_point(row, s, line, strip, scratch)
    scratch[row, FIRST], scratch[row, SECOND], scratch[row, STATE] = node_a, node_b, FREE
    return links + 1


@inline
def write_minima_and_links(x, u, radius, numbers, k, scratch):
    """Write the minima and links of all strips within reach; returns the numbers of minima and of links."""
    line, strips = axis_line(x, u, numbers, k), int(numbers[k + COUNT]) - 1
    minima, links, reach = 0, 0, radius + math.sqrt(dot(u, u))
    (r, z, _dr_ds, _off), extent = point_on(line, 0.0), extent_of(line)
    first = k + POINTS
    for i in range(strips):
        strip = strip_at(numbers, first + 2 * i)
        p, q, _end = from_segment(r, z, strip.segment)
        if p * p + q * q < reach * reach and not is_concave_along(extent, strip.segment):
            minima, links = write_strip_minima(i, minima, links, line, strip, scratch)
    if minima == 0:
        return minima, links
    for i in range(0 if is_closed(numbers, k) else 1, strips):
        p, q = r - numbers[first + 2 * i], z - numbers[first + 2 * i + 1]
        if p * p + q * q < reach * reach:
            before = i - 1 if i > 0 else strips - 1
            links = write_circle_links(
                before, i, minima, links, line, circle_at(numbers, first + 2 * i), radius, scratch
            )
    return minima, links


@func
def write_strip_minima(number, minima, links, line, strip, scratch):
    """Write the minima of the distance from strip `number`, and the links of each with the one before, or the ends.

    minima, links: how many there are already. Returns their new numbers.
    """
    n, before, last_maximum, low = write_breaks(line, strip, scratch), ENDS, -1.0, -1.0
    is_falling = slope_along(line, strip, -1.0) < 0.0
    for i in range(1, n):
        high = scratch[i, BREAK]
        is_rising = slope_along(line, strip, high) >= 0.0
        if is_falling == is_rising:
            s = find_stationary_point(line, strip, low, high)
            if is_rising:
                minima += 1
                write_point(minima, s, line, strip, scratch)
                scratch[minima, PIECE], scratch[minima, PARENT], scratch[minima, IS_MINIMUM] = number, minima, 1.0
                scratch[minima, LEFT] = last_maximum
                links = write_link(links, before, minima, last_maximum, line, strip, scratch)
                before = minima
            else:
                last_maximum = s
                scratch[before, RIGHT] = s
        is_falling, low = not is_rising, high
    if before != ENDS:
        if not is_falling:
            last_maximum = scratch[before, RIGHT] = 1.0
        links = write_link(links, before, ENDS, last_maximum, line, strip, scratch)
    return minima, links


@func
def write_circle_links(strip_a, strip_b, minima, links, line, circle, radius, scratch):
    """Write the links of two strips at the circle that they share; returns the new number of links.

    strip_a, strip_b: their numbers. radius: of the capsule [m].
    """
    n, low = write_breaks(line, circle, scratch), -1.0
    is_falling = slope_along(line, circle, -1.0) < 0.0
    for i in range(1, n):
        high = scratch[i, BREAK]
        is_rising = slope_along(line, circle, high) >= 0.0
        if is_falling and is_rising:
            s = find_stationary_point(line, circle, low, high)
            node_a, node_b = node_at(strip_a, s, minima, scratch), node_at(strip_b, s, minima, scratch)
            if node_a != node_b:
                links = write_link(links, node_a, node_b, s, line, circle, scratch)
                settle_link(scratch.shape[0] - links, node_a, node_b, radius, scratch)
        is_falling, low = not is_rising, high
    return links


@inline
def node_at(strip, s, minima, scratch):
    """Row of the minimum to which the distance from a strip falls from s on, or ENDS."""
    for i in range(1, minima + 1):
        if scratch[i, PIECE] == strip and scratch[i, LEFT] <= s <= scratch[i, RIGHT]:
            return i
    return ENDS


@inline
def settle_link(row, node_a, node_b, radius, scratch):
    """Set the link of a circle to DONE if it is beyond reach, closes a cycle, or cancels with a minimum of a strip."""
    root_a, root_b = find_root(node_a, scratch), find_root(node_b, scratch)
    if scratch[row, DISTANCE] >= radius or root_a == root_b:
        scratch[row, STATE] = DONE
    elif not cancel_minimum(node_a, 2.0, node_b, row, radius, scratch):  # second end of the first strip's segment
        cancel_minimum(node_b, 1.0, node_a, row, radius, scratch)


@inline
def cancel_minimum(node, end, other, row, radius, scratch):
    """Cancel the term of a minimum with that of a link, if the minimum lies at the link's circle; returns whether.

    end: end of the strip's segment that is the circle. other, row: other node of the link, its row.
    """
    is_at_circle = node != ENDS and scratch[node, REGION] == end and scratch[node, IS_MINIMUM] > 0.0
    if not is_at_circle or abs(scratch[node, PARAMETER] - scratch[row, PARAMETER]) > PARAMETER_TOLERANCE:
        return False
    if abs(scratch[node, DISTANCE] - scratch[row, DISTANCE]) > DISTANCE_TOLERANCE * radius:
        return False
    union(find_root(node, scratch), find_root(other, scratch), scratch)
    scratch[node, IS_MINIMUM], scratch[row, STATE] = 0.0, DONE
    return True


@func
def write_contacts_of_trees(minima, links, radius, power, contacts, scratch):
    """Join nodes by Kruskal's algorithm, and write a row of contacts for each contact; returns the number of contacts.

    A tree that a link joins to the ends is a contact, whose terms are those of the tree and of this link. So is a tree
    that no link within reach joins to the ends.
    """
    count, row = 0, nearest_link(links, radius, scratch)
    while row >= 0:
        node_a, node_b = int(scratch[row, FIRST]), int(scratch[row, SECOND])
        root_a, root_b = find_root(node_a, scratch), find_root(node_b, scratch)
        if ENDS in (root_a, root_b):
            write_contact_of_tree(count, max(root_a, root_b), minima, links, radius, power, scratch, contacts)
            subtract_link_term(count, row, radius, power, scratch, contacts)
            count += number_of_contacts(contacts, count, power)
            scratch[row, STATE] = DONE
        else:
            scratch[row, STATE] = TAKEN
        union(root_a, root_b, scratch)
        row = nearest_link(links, radius, scratch)
    for i in range(1, minima + 1):
        if find_root(i, scratch) == i and scratch[i, DISTANCE] < radius:
            write_contact_of_tree(count, i, minima, links, radius, power, scratch, contacts)
            count += number_of_contacts(contacts, count, power)
    return count


@inline
def nearest_link(links, radius, scratch):
    """Row of the nearest FREE link within reach that joins two trees, or -1."""
    nearest, found = radius, -1
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == FREE and scratch[row, DISTANCE] < nearest:
            node_a, node_b = int(scratch[row, FIRST]), int(scratch[row, SECOND])
            if find_root(node_a, scratch) != find_root(node_b, scratch):
                nearest, found = scratch[row, DISTANCE], row
    return found


@inline
def write_contact_of_tree(t, root, minima, links, radius, power, scratch, contacts):
    """Write the terms of a tree to contact t: its minima, less the links that have joined them."""
    clear_side_contact(contacts, t, scratch[root, PIECE])
    for i in range(1, minima + 1):
        if find_root(i, scratch) == root and scratch[i, IS_MINIMUM] > 0.0:
            piece, n = contact_key(i, minima, radius, scratch), triple(scratch, i, 0)
            add_side_term(contacts, t, radius - scratch[i, DISTANCE], n, scratch[i, PARAMETER], piece, power)
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == TAKEN and find_root(int(scratch[row, FIRST]), scratch) == root:
            subtract_link_term(t, row, radius, power, scratch, contacts)


@inline
def subtract_link_term(t, row, radius, power, scratch, contacts):
    """Subtract the term of a link from contact t."""
    n = triple(scratch, row, 0)
    subtract_side_link(contacts, t, radius - scratch[row, DISTANCE], n, scratch[row, PARAMETER], power)


@inline
def contact_key(i, minima, radius, scratch):
    """Number by which a contact finds its history: that of the strip, and which of its minima if there are several."""
    strip, which, several = scratch[i, PIECE], 0, 0
    for j in range(1, minima + 1):
        if scratch[j, PIECE] == strip and scratch[j, IS_MINIMUM] > 0.0 and scratch[j, DISTANCE] < radius:
            several += 1
            which += 1 if j <= i else 0
    return strip + MINIMUM_STRIDE * which if several > 1 else strip
