"""Where the distance of a segment from what turns about an axis has its lows, and its highs.

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
from dem.kernels.numerics.vector import add_scaled, dot, subtract

BREAK = 12  # column of scratch, a row a place, see `breaks`
STEPS = 60
SMALL = 1e-15  # of half a segment: places closer than this are one
JUST = 1e-9  # of half a segment: before the axis


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
def piece_of(numbers, at):
    """The segment of a polyline that begins at `numbers[at]`."""
    return numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]


@inline
def circle_at(numbers, at):
    """The circle that its first point sweeps, as a segment without length."""
    return numbers[at], numbers[at + 1], numbers[at], numbers[at + 1]


@inline
def foot(r, z, piece):
    """Vector from the closest point of a segment or circle to (r, z), and its end; as `revolution.closest`."""
    p, q, u, v = r - piece[0], z - piece[1], piece[2] - piece[0], piece[3] - piece[1]
    along, square = u * p + v * q, u * u + v * v
    if along <= 0.0:
        return p, q, 1
    if along >= square:
        return r - piece[2], z - piece[3], 2
    across = (u * q - v * p) / square
    return -across * v, across * u, 0


@func
def slope(line, piece, side, s):
    """How the distance grows at the place s of a line: times itself; turned round where particles are within."""
    r, z, growth, _off = place_on(line, s)
    p, q, _end = foot(r, z, piece)
    return side * (p * growth + q * line[3])


@inline
def insert(s, n, scratch):
    """Put a place among n that are in order, if it is between the ends; returns how many there are."""
    if not -1.0 < s < 1.0:
        return n
    while scratch[n - 1, BREAK] > s:
        scratch[n, BREAK] = scratch[n - 1, BREAK]
        n -= 1
    scratch[n, BREAK] = s
    return n


@inline
def put(s, n, scratch):
    """Put a place among n in order, if it is between the ends; returns the next free number."""
    if -1.0 < s < 1.0:
        insert(s, n, scratch)
        return n + 1
    return n


@inline
def crossings(e, alpha, beta, line):
    """The places where e r = α + β (s - m), or the same with less than 0 on the left; infinite where there are none."""
    a, b, c = e * e * line[5] - beta * beta, -alpha * beta, e * e * line[6] - alpha * alpha
    root = math.sqrt(max(b * b - a * c, 0.0))
    q = -b - root if b > 0.0 else root - b
    return line[4] + q / a if a != 0.0 else math.inf, line[4] + c / q if q != 0.0 else math.inf


@inline
def put_turns(radius, line, n, scratch):
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
    """Write places between which slopes change their sign once at most, in order; returns how many there are.

    Parameters
    ----------
    line, piece : see `line_of`, `piece_of`

    Writes
    ------
    scratch : its column BREAK
    """
    u, v, m, w = piece[2] - piece[0], piece[3] - piece[1], line[4], line[3]
    z = line[2] + m * w
    scratch[0, BREAK] = -1.0
    n = 1
    if line[6] == 0.0:  # through the axis, where r turns at once
        n = put(m, put(m - JUST, n, scratch), scratch)
    n = put_turns(piece[0], line, n, scratch)
    if u != 0.0 or v != 0.0:
        n = put_turns(piece[2], line, n, scratch)
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
    f, g = slope(line, piece, side, low), slope(line, piece, side, high)
    s, last = high, 0
    for step in range(STEPS):
        before = s
        s = 0.5 * (low + high) if step % 4 == 3 or f == g else high - g * (high - low) / (g - f)
        s = min(max(s, low), high)
        now = slope(line, piece, side, s)
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
