"""Contacts of a sphere with a surface of revolution: what a polyline (r, z) sweeps about an axis, from both sides.

Each segment of the polyline sweeps a disc, a cone or a cylinder, and each point a circle. A position and the closest
point of such a piece are in the same half plane of the axis. So distances are those of a point (r, z) from the segments
in this plane, and gradients there are turned into space at the end.

Contacts follow rule E (``contact_patches``). The pieces are the segments, and the links are the points that two
successive segments share. The graph is a line, so all links within reach are in its forest. A closed polyline, which
ends where it begins, has one more link, and its graph is a ring: if all points are within reach, the farthest one is
left out. A contact is a sequence of segments within reach whose shared points are within reach.

Numbers of a wall: origin (3), axis (3), a direction across it (3), number of points, r and z of each. A sphere whose
centre is on the axis is pushed along the direction across it.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import add_scaled, scale
from dem.kernels.walls.potential_terms import (
    ANCHOR,
    COLUMNS,
    DEEPEST,
    FIRST,
    LINKS,
    POTENTIAL,
    add_piece,
    clear_contact,
    subtract_link,
)
from dem.kernels.walls.primitives import cylindrical

COUNT, POINTS = 9, 10

# columns of scratch, a row a segment:
#   0, 1              vector (r, z) from the closest point of the segment to the position
#   SEGMENT_DISTANCE  length of that vector
#   END               end of the segment where the closest point is: 0 for neither, 1 for the first, 2 for the second
#   IS_MINIMUM        1 if the segment has a term of its own
#   FROM_POINT (two)  vector (r, z) from the first point of the segment to the position
#   POINT_DISTANCE    length of that vector; -1 if no other segment ends at the first point
#   LINK_LEFT_OUT     1 if the first point has no link term
SEGMENT_DISTANCE, END, IS_MINIMUM, FROM_POINT, POINT_DISTANCE, LINK_LEFT_OUT = 2, 3, 4, 5, 7, 8


@func
def find_on_revolution(x, radius, power, numbers, k, contacts, scratch):
    """Find the contacts of a sphere with a surface of revolution, as `dem.kernels.walls.geometry.find_contacts` does.

    k: where the numbers of the surface begin.
    """
    r, z, radial, axis = cylindrical(x, numbers, k)
    segments, closed = write_segments(r, z, numbers, k, scratch)
    cancel_at_shared_points(segments, closed, scratch)
    if closed:
        break_cycle(segments, radius, scratch)
    count = write_contacts_in_plane(segments, radius, power, numbers, k, contacts, scratch)
    last_is_first = (
        closed
        and count > 1
        and scratch[0, SEGMENT_DISTANCE] < radius
        and shares_point_in_reach(0, segments - 1, radius, scratch)
    )
    if count > contacts.shape[0]:
        return -(count - 1 if last_is_first else count)
    if last_is_first:
        count -= 1
        merge_last_into_first(contacts, count)
    for t in range(count):
        gradient = add_scaled(scale(contacts[t, 0], radial), contacts[t, 1], axis)
        contacts[t, 0], contacts[t, 1], contacts[t, 2] = gradient
    return count


@inline
def segment_at(numbers, k):
    """The segment of a polyline that begins at `numbers[k]`."""
    return numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3]


@inline
def from_segment(r, z, segment):
    """Vector from the closest point of a segment to (r, z), and at which end that is: 0 for neither, 1 for the first.

    A segment without length, a circle, is closest at its first end.
    """
    p, q, u, v = r - segment[0], z - segment[1], segment[2] - segment[0], segment[3] - segment[1]
    along, square = u * p + v * q, u * u + v * v
    if along <= 0.0:
        return p, q, 1
    if along >= square:
        return r - segment[2], z - segment[3], 2
    across = (u * q - v * p) / square
    return -across * v, across * u, 0


@inline
def is_closed(numbers, k):
    """Whether a polyline, whose numbers begin at k, ends where it begins."""
    first, last = k + POINTS, k + POINTS + 2 * (int(numbers[k + COUNT]) - 1)
    return numbers[first] == numbers[last] and numbers[first + 1] == numbers[last + 1]


@inline
def write_segments(r, z, numbers, k, scratch):
    """Write the scratch row of each segment; returns their number, and whether the polyline is closed."""
    points, first, closed = int(numbers[k + COUNT]), k + POINTS, is_closed(numbers, k)
    for s in range(points - 1):
        u, v, end = from_segment(r, z, segment_at(numbers, first + 2 * s))
        scratch[s, 0], scratch[s, 1], scratch[s, SEGMENT_DISTANCE], scratch[s, END] = u, v, math.hypot(u, v), end
        scratch[s, IS_MINIMUM] = 1.0
        u, v = r - numbers[first + 2 * s], z - numbers[first + 2 * s + 1]
        scratch[s, FROM_POINT], scratch[s, FROM_POINT + 1] = u, v
        scratch[s, POINT_DISTANCE] = math.hypot(u, v) if s > 0 or closed else -1.0
        scratch[s, LINK_LEFT_OUT] = 0.0 if s > 0 or closed else 1.0
    return points - 1, closed


@inline
def cancel_at_shared_points(segments, closed, scratch):
    """Cancel the terms of segments that are nearest at a shared point with those of the point."""
    for s in range(segments):
        end = int(scratch[s, END])
        if end > 0:
            shared = s if end == 1 else (s + 1 if s + 1 < segments else 0)
            if scratch[shared, LINK_LEFT_OUT] == 0.0 and (s + 1 < segments or closed or end == 1):
                scratch[shared, LINK_LEFT_OUT] = 1.0
                scratch[s, IS_MINIMUM] = 0.0


@inline
def break_cycle(segments, radius, scratch):
    """Leave out the link of the farthest point of a ring if all points are within reach.

    A link that has cancelled belongs to the forest, see ``contact_patches``.
    """
    worst = -1
    for s in range(segments):
        if not 0.0 <= scratch[s, POINT_DISTANCE] < radius:
            return
        if scratch[s, LINK_LEFT_OUT] == 0.0 and (
            worst < 0 or scratch[s, POINT_DISTANCE] > scratch[worst, POINT_DISTANCE]
        ):
            worst = s
    if worst >= 0:
        scratch[worst, LINK_LEFT_OUT] = 1.0


@inline
def shares_point_in_reach(s, before, radius, scratch):
    """Whether the first point of segment s is within reach and shared with the segment before it."""
    return 0.0 <= scratch[s, POINT_DISTANCE] < radius and scratch[before, SEGMENT_DISTANCE] < radius


@inline
def unit_direction(u, v, length, numbers, k):
    """Unit vector (r, z, 0) along (u, v); for a position on the surface, the normal of the segment at `numbers[k]`."""
    if length > 0.0:
        return u / length, v / length, 0.0
    u, v = numbers[k + 2] - numbers[k], numbers[k + 3] - numbers[k + 1]
    length = math.hypot(u, v)
    return -v / length, u / length, 0.0


@inline
def write_contacts_in_plane(segments, radius, power, numbers, k, contacts, scratch):
    """Write a contact for each sequence of segments within reach; returns how many there are, with room or without.

    Writes contacts: gradients as (r, z, 0).
    """
    count, rows = 0, contacts.shape[0]
    for s in range(segments):
        if scratch[s, SEGMENT_DISTANCE] >= radius:
            continue
        is_joined = shares_point_in_reach(s, s - 1 if s > 0 else segments - 1, radius, scratch)
        if s == 0 or not is_joined:
            count += 1
            if count <= rows:
                clear_contact(contacts, count - 1, s)
        t, begin = min(count, rows) - 1, k + POINTS + 2 * s
        if scratch[s, LINK_LEFT_OUT] == 0.0 and is_joined:
            d = scratch[s, POINT_DISTANCE]
            n = unit_direction(scratch[s, FROM_POINT], scratch[s, FROM_POINT + 1], d, numbers, begin)
            subtract_link(contacts, t, radius - d, n, power)
        if scratch[s, IS_MINIMUM] > 0.0:
            d = scratch[s, SEGMENT_DISTANCE]
            n = unit_direction(scratch[s, 0], scratch[s, 1], d, numbers, begin)
            add_piece(contacts, t, radius - d, n, s, power)
    return count


@inline
def merge_last_into_first(contacts, last):
    """Add the last contact of a closed polyline to the first one, with which it shares a point within reach."""
    for column in range(COLUMNS):
        if column in (0, 1, POTENTIAL, LINKS):
            contacts[0, column] += contacts[last, column]
    if contacts[last, DEEPEST] > contacts[0, DEEPEST]:
        contacts[0, DEEPEST], contacts[0, ANCHOR] = contacts[last, DEEPEST], contacts[last, ANCHOR]
    contacts[0, FIRST] = min(contacts[0, FIRST], contacts[last, FIRST])


@inline
def same_or_adjacent(piece, other, numbers, k):
    """Whether two segments are the same, or share a point."""
    apart = abs(piece - other)
    return apart <= 1 or (apart == int(numbers[k + COUNT]) - 2 and is_closed(numbers, k))


@func
def distance(x, numbers, k):
    """Distance of x from the surface."""
    r, z, _radial, _axis = cylindrical(x, numbers, k)
    nearest = math.inf
    for s in range(int(numbers[k + COUNT]) - 1):
        u, v, _end = from_segment(r, z, segment_at(numbers, k + POINTS + 2 * s))
        nearest = min(nearest, math.hypot(u, v))
    return nearest
