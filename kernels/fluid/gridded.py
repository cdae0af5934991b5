"""Flow field on a regular grid, at one time or several, interpolated linearly in space and time.

Gradients are differences of nodes, interpolated likewise: those of the interpolant itself would jump from cell to cell.
Outside the grid, values are those of the nearest point on it; a periodic axis continues.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.fluid.gradients import CHANGE, OUTSIDE, PLACE, Sample, three, write_three

VALUES = 12  # numbers of a node: velocity, then its gradient, padded to whole vectors
LOW, HIGH, SHARE, SCRATCH = 1, 4, 7, 10  # rows of scratch, the first of them for the values of one place
LARGEST = 1.7976931348623157e308  # finite number
SLACK = 1e-6  # fraction of a spacing that counts as inside: a grid may end at the wall of a box, up to rounding


class FlowGrid(NamedTuple):
    """Velocities and gradients at the nodes of a grid, and the times at which they are given."""

    values: np.ndarray  # (T, nx, ny, nz, VALUES) [m/s, 1/s]
    time: np.ndarray  # (T,) ascending [s]
    origin: tuple[float, float, float]  # of the first node [m]
    spacing: tuple[float, float, float]  # [m]
    periodic: tuple[int, int, int]  # 1 along axes with a period of as many spacings as there are nodes


@inline
def enclosing_nodes(place, count, periodic):
    """Nodes before and after a grid coordinate, fraction between them, and 1 if it is outside; all floats.

    A coordinate that is not finite counts as the first node; the checks of the run report it. No branches, for vector
    code.
    """
    is_finite, last = abs(place) <= LARGEST, count - 1.0
    place = place if is_finite else 0.0
    if periodic == 1:
        place -= count * np.floor(place / count)
        low = min(np.floor(place), last)  # rounding may make it count
        return low, low + 1.0 if low < last else 0.0, min(place - low, 1.0), 0.0 if is_finite else 1.0
    clamped = min(max(place, 0.0), last)
    low = min(np.floor(clamped), max(last - 1.0, 0.0))
    inside = is_finite and place >= -SLACK and place <= last + SLACK
    return low, min(low + 1.0, last), clamped - low, 0.0 if inside else 1.0


@inline
def enclosing_indices(place, count, periodic):
    """Nodes before and after a grid coordinate, fraction between them, and 1 if it is outside; nodes as integers."""
    low, high, share, outside = enclosing_nodes(place, count, periodic)
    return int(low), int(high), share, int(outside)


@inline
def enclosing_times(time, t):
    """Indices of the stored times before and after t, fraction, 1/(their difference), 1 if t is outside."""
    last = time.size - 1
    if last == 0:
        return 0, 0, 0.0, 0.0, 0
    if t < time[0]:
        return 0, 1, 0.0, 0.0, 1
    if t > time[last]:
        return last - 1, last, 1.0, 0.0, 1
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= t:
            low = middle
        else:
            high = middle
    rate = 1.0 / (time[high] - time[low])
    return low, high, (t - time[low]) * rate, rate, 0


class GridPlace(NamedTuple):
    """Nodes and stored times around a position and a time, with the fractions in between."""

    low: tuple[int, int, int]  # nodes before it
    high: tuple[int, int, int]  # and after
    share: tuple[float, float, float]  # how far between
    before: int  # stored time
    after: int
    later: float  # how far between
    rate: float  # one over their distance [1/s]; 0 of a field at one time
    outside: int


@inline
def place_of(field, t, x):
    """Nodes and stored times around a position x [m] at time t [s]."""
    shape = field.values.shape
    i = enclosing_indices((x[0] - field.origin[0]) / field.spacing[0], shape[1], field.periodic[0])
    j = enclosing_indices((x[1] - field.origin[1]) / field.spacing[1], shape[2], field.periodic[1])
    k = enclosing_indices((x[2] - field.origin[2]) / field.spacing[2], shape[3], field.periodic[2])
    before, after, later, rate, outside = enclosing_times(field.time, t)
    return GridPlace(
        (i[0], j[0], k[0]), (i[1], j[1], k[1]), (i[2], j[2], k[2]), before, after, later, rate,
        max(outside, i[3], j[3], k[3]),
    )  # fmt: skip


@inline
def interpolate_nodes(values, n, place, r):
    """Interpolate value r trilinearly between eight nodes, at stored time n."""
    (i, j, k), (after_i, after_j, after_k), (x, y, z) = place.low, place.high, place.share
    a, b, c = 1.0 - x, 1.0 - y, 1.0 - z
    near = (a * b) * values[n, i, j, k, r] + (x * b) * values[n, after_i, j, k, r]
    near += (a * y) * values[n, i, after_j, k, r] + (x * y) * values[n, after_i, after_j, k, r]
    far = (a * b) * values[n, i, j, after_k, r] + (x * b) * values[n, after_i, j, after_k, r]
    far += (a * y) * values[n, i, after_j, after_k, r] + (x * y) * values[n, after_i, after_j, after_k, r]
    return c * near + z * far


@inline
def interpolate_at(values, place, r):
    """Interpolate value r in space and time; returns the value and its rate of change."""
    here, then = interpolate_nodes(values, place.before, place, r), interpolate_nodes(values, place.after, place, r)
    return (1.0 - place.later) * here + place.later * then, place.rate * (then - here)


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    place, values = place_of(field, t, x), field.values
    (u, a), (v, b), (w, c) = (
        interpolate_at(values, place, 0), interpolate_at(values, place, 1), interpolate_at(values, place, 2),
    )  # fmt: skip
    gradient = (
        interpolate_at(values, place, 3)[0], interpolate_at(values, place, 4)[0], interpolate_at(values, place, 5)[0],
        interpolate_at(values, place, 6)[0], interpolate_at(values, place, 7)[0], interpolate_at(values, place, 8)[0],
        interpolate_at(values, place, 9)[0], interpolate_at(values, place, 10)[0], interpolate_at(values, place, 11)[0],
    )  # fmt: skip
    return Sample((u, v, w), gradient, (a, b, c), place.outside)


@vector_loop
def find(field, number, rows, scratch):
    """Compute the nodes around many positions.

    field, number: see `sampling.fill_each`.
    Writes rows: OUTSIDE. Writes scratch: LOW, HIGH, SHARE.
    """
    shape, origin, spacing, periodic = field.values.shape, field.origin, field.spacing, field.periodic
    for s in range(number):
        x = three(rows, PLACE, s)
        i = enclosing_nodes((x[0] - origin[0]) / spacing[0], shape[1], periodic[0])
        j = enclosing_nodes((x[1] - origin[1]) / spacing[1], shape[2], periodic[1])
        k = enclosing_nodes((x[2] - origin[2]) / spacing[2], shape[3], periodic[2])
        write_three(scratch, LOW, s, (i[0], j[0], k[0]))
        write_three(scratch, HIGH, s, (i[1], j[1], k[1]))
        write_three(scratch, SHARE, s, (i[2], j[2], k[2]))
        rows[OUTSIDE, s] = max(i[3], j[3], k[3])


@inline
def read_place(scratch, s, times):
    """Read the grid place of position number s; `enclosing_times` gives its times."""
    i, j, k = three(scratch, LOW, s)
    m, n, o = three(scratch, HIGH, s)
    nodes = (int(i), int(j), int(k)), (int(m), int(n), int(o))
    return GridPlace(nodes[0], nodes[1], three(scratch, SHARE, s), times[0], times[1], times[2], times[3], times[4])


@vector_loop
def fill(field, t, number, rows, scratch):
    """Sample a gridded field at many positions, see `sampling.fill_each`.

    field, t, number: see `sampling.fill_each`.
    Writes rows, scratch: the same; nodes and values of a place.
    """
    values, times = field.values, enclosing_times(field.time, t)
    size = values.shape[4]  # a number that LLVM does not know: else it writes out all of them, one by one
    find(field, number, rows, scratch)
    for s in range(number):
        place = read_place(scratch, s, times)
        write_three(rows, CHANGE, s, (0.0, 0.0, 0.0))
        if place.after == place.before:
            for r in range(size):
                scratch[0, r] = interpolate_nodes(values, place.before, place, r)
        else:
            for r in range(size):
                scratch[0, r] = interpolate_at(values, place, r)[0]
            for r in range(3):
                rows[CHANGE + r, s] = interpolate_at(values, place, r)[1]
        for r in range(VALUES):
            rows[r, s] = scratch[0, r]
        if place.outside > 0:
            rows[OUTSIDE, s] = 1.0
