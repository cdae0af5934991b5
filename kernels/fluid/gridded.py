"""A velocity known at the nodes of a regular grid, at one time or several: linear in between, in space and time.

Gradients are differences of nodes, interpolated likewise: those of the interpolant itself would jump from cell to cell.
What is beyond the grid has the value of the nearest place on it; along a periodic axis the grid goes on.
"""

import math
from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula
from kernels.fluid.gradients import NO_GRADIENT, Sample

VALUES = 12  # of a node: velocity, then its gradient
SLACK = 1e-6  # share of a spacing that is no matter: rounding puts the wall of a box beyond the grid that ends there


class Grid(NamedTuple):
    """Nodes and their values."""

    values: np.ndarray  # (T, nx, ny, nz, VALUES) [m/s, 1/s]
    time: np.ndarray  # (T,) ascending [s]
    origin: tuple[float, float, float]  # of the first node [m]
    spacing: tuple[float, float, float]  # [m]
    periodic: tuple[int, int, int]  # 1 along axes with a period of as many spacings as there are nodes


@formula
def between(place, count, periodic):
    """The node before a place, counted in spacings from the first, the one after, how far between, if outside."""
    if periodic == 1:
        place -= count * math.floor(place / count)
        low = min(int(place), count - 1)  # rounding may make it count
        return low, low + 1 if low + 1 < count else 0, min(place - low, 1.0), 0
    if not place > 0.0:
        return 0, min(1, count - 1), 0.0, 0 if place >= -SLACK else 1
    if place >= count - 1:
        return max(count - 2, 0), count - 1, 1.0, 0 if place <= count - 1 + SLACK else 1
    low = int(place)
    return low, low + 1, place - low, 0


@formula
def when(time, t):
    """The stored time before t, the one after, how far between, one over their distance, if outside."""
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


@formula
def of_node(values, n, i, j, k):
    """Velocity and gradient of a node."""
    return (
        values[n, i, j, k, 0], values[n, i, j, k, 1], values[n, i, j, k, 2], values[n, i, j, k, 3],
        values[n, i, j, k, 4], values[n, i, j, k, 5], values[n, i, j, k, 6], values[n, i, j, k, 7],
        values[n, i, j, k, 8], values[n, i, j, k, 9], values[n, i, j, k, 10], values[n, i, j, k, 11],
    )  # fmt: skip


@formula
def mixed(p, q, w):
    """Values between two, w of the way."""
    v = 1.0 - w
    return (
        v * p[0] + w * q[0], v * p[1] + w * q[1], v * p[2] + w * q[2], v * p[3] + w * q[3], v * p[4] + w * q[4],
        v * p[5] + w * q[5], v * p[6] + w * q[6], v * p[7] + w * q[7], v * p[8] + w * q[8], v * p[9] + w * q[9],
        v * p[10] + w * q[10], v * p[11] + w * q[11],
    )  # fmt: skip


@formula
def in_cell(values, n, low, high, share):
    """Values at a place between eight nodes, at a stored time."""
    lines = (
        mixed(of_node(values, n, low[0], low[1], low[2]), of_node(values, n, high[0], low[1], low[2]), share[0]),
        mixed(of_node(values, n, low[0], high[1], low[2]), of_node(values, n, high[0], high[1], low[2]), share[0]),
        mixed(of_node(values, n, low[0], low[1], high[2]), of_node(values, n, high[0], low[1], high[2]), share[0]),
        mixed(of_node(values, n, low[0], high[1], high[2]), of_node(values, n, high[0], high[1], high[2]), share[0]),
    )
    return mixed(mixed(lines[0], lines[1], share[1]), mixed(lines[2], lines[3], share[1]), share[2])


@formula
def sample(field, t, x):
    """Velocity at time t [s] and place x [m]."""
    values = field.values
    if not math.isfinite(x[0] + x[1] + x[2]):  # the watch of the run tells of it
        return Sample((math.nan, math.nan, math.nan), NO_GRADIENT, (0.0, 0.0, 0.0), 1)
    i = between((x[0] - field.origin[0]) / field.spacing[0], values.shape[1], field.periodic[0])
    j = between((x[1] - field.origin[1]) / field.spacing[1], values.shape[2], field.periodic[1])
    k = between((x[2] - field.origin[2]) / field.spacing[2], values.shape[3], field.periodic[2])
    before, after, share, rate, outside = when(field.time, t)
    low, high, shares = (i[0], j[0], k[0]), (i[1], j[1], k[1]), (i[2], j[2], k[2])
    here = in_cell(values, before, low, high, shares)
    change = (0.0, 0.0, 0.0)
    if after != before:
        then = in_cell(values, after, low, high, shares)
        change = (rate * (then[0] - here[0]), rate * (then[1] - here[1]), rate * (then[2] - here[2]))
        here = mixed(here, then, share)
    gradient = (here[3], here[4], here[5], here[6], here[7], here[8], here[9], here[10], here[11])
    return Sample((here[0], here[1], here[2]), gradient, change, max(outside, i[3], j[3], k[3]))
