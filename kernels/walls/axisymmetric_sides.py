"""What the side of a capsule feels of walls that turn about an axis: cylinders, cones, discs, polylines, tori.

By the rule of ``sides``. Each segment of the polyline has a strip, the distance from it along the capsule's segment,
with lows and, between two of them, a high (``axis_distance``). A low is joined with the next on its strip at the high
between them, with an end of the capsule that the strip falls to at the high before it or, if there is none, at the end
itself; and lows of two strips that share a point of the polyline at the lows of the distance from the circle that it
sweeps. What is joined in ascending order makes a forest; each tree of it is a contact, but for the one that has the
ends. A torus is a circle of which only the distance less the tube's radius counts.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.vector import add_scaled, dot, scale
from dem.kernels.walls.axis_distance import (
    BREAK,
    breaks,
    circle_at,
    foot,
    is_hollow,
    line_of,
    piece_of,
    place_on,
    range_of,
    slope,
    zero,
)
from dem.kernels.walls.contact_patches import COUNTS, NEAR, NUMBER, PARENT, REGION, root_of, unite
from dem.kernels.walls.potential_terms import LOBE
from dem.kernels.walls.revolution import COUNT, POINTS
from dem.kernels.walls.side_potential_terms import add_term, counts, start, take_term

# columns of scratch besides those of ``contact_patches``: the place on the capsule; from where to where a low is the
# lowest
PLACE, LEFT, RIGHT = 8, 9, 10
ENDS = 0  # row of the ends of the capsule; lows come after it, links from the last row upward
FIRST, SECOND = 4, 5  # columns of a link: what it joins
STATE = 7  # what has become of it
FREE, TAKEN, DONE = 0.0, 1.0, 2.0
ROWS, MORE = 12, 16  # rows of scratch, and of trees, for each segment of a polyline, and besides
SAME = 1e-6  # of half a segment: a low at a circle, and one of the distance from that, are one if closer than this
EQUAL = 1e-12  # of the capsule's radius


@inline
def describe(row, s, line, piece, side, tube, numbers, k, scratch):
    """Write the place s of a line to a row: unit vector from the wall, distance, end of the piece that is nearest.

    Parameters
    ----------
    row, s : row; place on the segment
    line, piece : see `dem.kernels.walls.axis_distance`
    side, tube : -1 where particles are within; less what the distance is [m]
    numbers, k : of the wall, and where they begin

    Writes
    ------
    scratch : a row
    """
    r, z, _growth, off = place_on(line, s)
    p, q, end = foot(r, z, piece)
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
    scratch[row, NEAR], scratch[row, PLACE], scratch[row, REGION] = side * (length - tube), s, end


@inline
def join(links, one, other, s, line, piece, side, tube, numbers, k, scratch):
    """Write a link of two lows at the place s; returns how many links there are.

    Parameters
    ----------
    links, one, other : how many there are before; rows of the lows
    s, line, piece, side, tube, numbers, k : see `describe`

    Writes
    ------
    scratch : a row
    """
    row = scratch.shape[0] - 1 - links
    describe(row, s, line, piece, side, tube, numbers, k, scratch)
    scratch[row, FIRST], scratch[row, SECOND], scratch[row, STATE] = one, other, FREE
    return links + 1


@func
def follow(number, lows, links, line, piece, side, tube, numbers, k, scratch):
    """Write the lows of a strip and what joins them; returns how many lows and links there are.

    Parameters
    ----------
    number, lows, links : of the strip; how many lows and links there are before
    line, piece, side, tube, numbers, k : see `describe`

    Writes
    ------
    scratch : rows
    """
    n, before, at, here = breaks(line, piece, scratch), ENDS, -1.0, -1.0
    falls = slope(line, piece, side, -1.0) < 0.0
    for i in range(1, n):
        there = scratch[i, BREAK]
        grows = slope(line, piece, side, there) >= 0.0
        if falls == grows:
            s = zero(line, piece, side, here, there)
            if grows:
                lows += 1
                describe(lows, s, line, piece, side, tube, numbers, k, scratch)
                scratch[lows, NUMBER], scratch[lows, PARENT], scratch[lows, COUNTS] = number, lows, 1.0
                scratch[lows, LEFT] = at
                links = join(links, before, lows, at, line, piece, side, tube, numbers, k, scratch)
                before = lows
            else:
                at = s
                scratch[before, RIGHT] = s
        falls, here = not grows, there
    if before != ENDS:
        if not falls:
            at = scratch[before, RIGHT] = 1.0
        links = join(links, before, ENDS, at, line, piece, side, tube, numbers, k, scratch)
    return lows, links


@inline
def low_at(number, s, lows, scratch):
    """Row of the low that a strip falls to from the place s, or of the ends."""
    for i in range(1, lows + 1):
        if scratch[i, NUMBER] == number and scratch[i, LEFT] <= s <= scratch[i, RIGHT]:
            return i
    return ENDS


@inline
def dissolve(low, end, other, row, radius, scratch):
    """Leave out a low with the link at which it appears, that of a circle where it is nearest; False if it is not."""
    at_it = low != ENDS and scratch[low, REGION] == end and scratch[low, COUNTS] > 0.0
    if not at_it or abs(scratch[low, PLACE] - scratch[row, PLACE]) > SAME:
        return False
    if abs(scratch[low, NEAR] - scratch[row, NEAR]) > EQUAL * radius:
        return False
    unite(root_of(low, scratch), root_of(other, scratch), scratch)
    scratch[low, COUNTS], scratch[row, STATE] = 0.0, DONE
    return True


@func
def bridge(number, after, lows, links, line, radius, numbers, k, scratch):
    """Write the links of two strips, at the circle that the first point of the second sweeps; returns how many.

    Parameters
    ----------
    number, after, lows, links : of the strips; how many lows and links there are before
    line, radius, numbers, k : see `describe`; of the capsule [m]

    Writes
    ------
    scratch : rows
    """
    circle = circle_at(numbers, k + POINTS + 2 * after)
    n, here = breaks(line, circle, scratch), -1.0
    falls = slope(line, circle, 1.0, -1.0) < 0.0
    for i in range(1, n):
        there = scratch[i, BREAK]
        grows = slope(line, circle, 1.0, there) >= 0.0
        if falls and grows:
            s = zero(line, circle, 1.0, here, there)
            one, other = low_at(number, s, lows, scratch), low_at(after, s, lows, scratch)
            if one != other:
                links = join(links, one, other, s, line, circle, 1.0, 0.0, numbers, k, scratch)
                row = scratch.shape[0] - links
                a, b = root_of(one, scratch), root_of(other, scratch)
                if scratch[row, NEAR] >= radius or a == b:
                    scratch[row, STATE] = DONE
                elif not dissolve(one, 2.0, other, row, radius, scratch):
                    dissolve(other, 1.0, one, row, radius, scratch)
        falls, here = not grows, there
    return links


@inline
def look(x, u, radius, numbers, k, scratch):
    """Write the lows and links of all strips of a polyline that are within reach; returns how many there are."""
    line, last = line_of(x, u, numbers, k), int(numbers[k + COUNT]) - 1
    lows, links, reach = 0, 0, radius + math.sqrt(dot(u, u))
    (r, z, _growth, _off), ends = place_on(line, 0.0), range_of(line)
    for i in range(last):
        piece = piece_of(numbers, k + POINTS + 2 * i)
        p, q, _end = foot(r, z, piece)
        if p * p + q * q < reach * reach and not is_hollow(ends, piece):
            lows, links = follow(i, lows, links, line, piece, 1.0, 0.0, numbers, k, scratch)
    first, end = k + POINTS, k + POINTS + 2 * last
    closed = numbers[first] == numbers[end] and numbers[first + 1] == numbers[end + 1]
    for i in range(0 if closed else 1, last if lows > 0 else 0):
        p, q = r - numbers[first + 2 * i], z - numbers[first + 2 * i + 1]
        if p * p + q * q < reach * reach:
            links = bridge(i - 1 if i > 0 else last - 1, i, lows, links, line, radius, numbers, k, scratch)
    return lows, links


@inline
def nearest_link(links, radius, scratch):
    """Row of the nearest link of two parts within reach, or -1."""
    nearest, found = radius, -1
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == FREE and scratch[row, NEAR] < nearest:
            one, other = int(scratch[row, FIRST]), int(scratch[row, SECOND])
            if root_of(one, scratch) != root_of(other, scratch):
                nearest, found = scratch[row, NEAR], row
    return found


@inline
def anchor(i, lows, radius, scratch):
    """Number of the strip of a low and, if that has several, which of them it is."""
    number, which, several = scratch[i, NUMBER], 0, 0
    for j in range(1, lows + 1):
        if scratch[j, NUMBER] == number and scratch[j, COUNTS] > 0.0 and scratch[j, NEAR] < radius:
            several += 1
            which += 1 if j <= i else 0
    return number + LOBE * which if several > 1 else number


@inline
def add_up(t, root, lows, links, radius, power, scratch, trees):
    """Make a contact of the lows that hang on a root, and what has joined them.

    Parameters
    ----------
    t, root, lows, links : contact; row; how many there are
    radius, power, scratch : see `feel_round`

    Writes
    ------
    trees : row t
    """
    start(trees, t, scratch[root, NUMBER])
    for i in range(1, lows + 1):
        if root_of(i, scratch) == root and scratch[i, COUNTS] > 0.0:
            n = scratch[i, 0], scratch[i, 1], scratch[i, 2]
            piece = anchor(i, lows, radius, scratch)
            add_term(trees, t, radius - scratch[i, NEAR], n, scratch[i, PLACE], piece, power)
    for row in range(scratch.shape[0] - links, scratch.shape[0]):
        if scratch[row, STATE] == TAKEN and root_of(int(scratch[row, FIRST]), scratch) == root:
            take_off(t, row, radius, power, scratch, trees)


@inline
def take_off(t, row, radius, power, scratch, trees):
    """Take a link off a contact."""
    n = scratch[row, 0], scratch[row, 1], scratch[row, 2]
    take_term(trees, t, radius - scratch[row, NEAR], n, scratch[row, PLACE], power)


@func
def sum_up(lows, links, radius, power, trees, scratch):
    """Write a row of trees for each contact; returns how many there are."""
    made, row = 0, nearest_link(links, radius, scratch)
    while row >= 0:
        one, other = int(scratch[row, FIRST]), int(scratch[row, SECOND])
        a, b = root_of(one, scratch), root_of(other, scratch)
        if ENDS in (a, b):
            add_up(made, max(a, b), lows, links, radius, power, scratch, trees)
            take_off(made, row, radius, power, scratch, trees)
            made += counts(trees, made, power)
            scratch[row, STATE] = DONE
        else:
            scratch[row, STATE] = TAKEN
        unite(a, b, scratch)
        row = nearest_link(links, radius, scratch)
    for i in range(1, lows + 1):
        if root_of(i, scratch) == i and scratch[i, NEAR] < radius:
            add_up(made, i, lows, links, radius, power, scratch, trees)
            made += counts(trees, made, power)
    return made


@func
def feel_round(x, u, radius, power, numbers, k, trees, scratch):
    """Contacts of the side of a capsule with a surface of revolution; as `dem.kernels.walls.sides.feel_side`.

    Parameters
    ----------
    x, u, radius, power, scratch : see `dem.kernels.walls.sides.feel_side`
    numbers, k : of the wall, and where they begin

    Writes
    ------
    trees : a row a contact
    """
    scratch[ENDS, PARENT] = ENDS
    lows, links = look(x, u, radius, numbers, k, scratch)
    return sum_up(lows, links, radius, power, trees, scratch) if lows > 0 else 0


@func
def feel_torus(x, u, radius, power, numbers, k, trees, scratch):
    """Contacts of the side of a capsule with a torus; as `dem.kernels.walls.sides.feel_side`.

    Parameters
    ----------
    x, u, radius, power, numbers, k, scratch : see `feel_round`

    Writes
    ------
    trees : a row a contact
    """
    ring, tube, side = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    scratch[ENDS, PARENT] = ENDS
    line, circle = line_of(x, u, numbers, k), (ring, 0.0, ring, 0.0)
    lows, links = follow(0, 0, 0, line, circle, side, tube, numbers, k, scratch)
    return sum_up(lows, links, radius, power, trees, scratch) if lows > 0 else 0
