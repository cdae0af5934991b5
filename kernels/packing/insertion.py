"""Random sequential insertion of rigid bodies made of spheres: each is offered places until it overlaps nothing."""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.numerics.quaternion import rotate
from dem.kernels.numerics.vector import add, dot, load, store

CLEARANCE = 1.0 + 1e-9  # a touch that rounding may turn is none


class Occupied(NamedTuple):
    """Spheres that have a place, in linked cells."""

    lower: np.ndarray  # (3,) corner of the first cell [m]
    period: np.ndarray  # (3,) [m]; 0 along axes that are not periodic
    scale: np.ndarray  # (3,) cells a metre
    last: np.ndarray  # (X, Y, Z) int64, a sphere of each cell, or -1
    before: np.ndarray  # (M,) int64, the next one of the same cell, or -1
    centre: np.ndarray  # (3, M) [m]
    radius: np.ndarray  # (M,) [m]


@inline
def cell_along(x, axis, taken):
    """Cell along one axis; what lies outside counts to the outermost ones."""
    cell = np.int64(math.floor((x - taken.lower[axis]) * taken.scale[axis]))
    return min(max(cell, 0), taken.last.shape[axis] - 1)


@inline
def wrapped(x, axis, taken):
    """A coordinate within the period."""
    period = taken.period[axis]
    return x - period * math.floor((x - taken.lower[axis]) / period) if period > 0.0 else x


@inline
def into_period(x, taken):
    """A point within the periods."""
    return wrapped(x[0], 0, taken), wrapped(x[1], 1, taken), wrapped(x[2], 2, taken)


@inline
def gap_along(x, s, axis, taken):
    """Distance of a point from the nearest image of sphere s along one axis."""
    gap, period = x - taken.centre[axis, s], taken.period[axis]
    return gap - period * math.floor(gap / period + 0.5) if period > 0.0 else gap


@inline
def is_missing(cell, axis, taken):
    """Whether there is no such cell along this axis, not even as an image."""
    return taken.period[axis] == 0.0 and (cell < 0 or cell >= taken.last.shape[axis])


@func
def take(x, r, s, taken):
    """Note sphere s at the point x."""
    store(taken.centre, s, x)
    taken.radius[s] = r
    i, j, k = cell_along(x[0], 0, taken), cell_along(x[1], 1, taken), cell_along(x[2], 2, taken)
    taken.before[s] = taken.last[i, j, k]
    taken.last[i, j, k] = s


@func
def is_free(x, r, taken):
    """Whether a sphere at the point x overlaps none that has a place; cells are as wide as the largest one."""
    i, j, k = cell_along(x[0], 0, taken), cell_along(x[1], 1, taken), cell_along(x[2], 2, taken)
    cells = taken.last.shape
    for a in range(i - 1, i + 2):
        for b in range(j - 1, j + 2):
            for c in range(k - 1, k + 2):
                if is_missing(a, 0, taken) or is_missing(b, 1, taken) or is_missing(c, 2, taken):
                    continue
                s = taken.last[a % cells[0], b % cells[1], c % cells[2]]
                while s >= 0:
                    gap = gap_along(x[0], s, 0, taken), gap_along(x[1], s, 1, taken), gap_along(x[2], s, 2, taken)
                    reach = (r + taken.radius[s]) * CLEARANCE
                    if dot(gap, gap) < reach * reach:
                        return False
                    s = taken.before[s]
    return True


@kernel
def take_all(centre, radius, taken):
    """Note the first spheres, wherever they are; centres (3, M)."""
    for s in range(radius.size):
        take(into_period(load(centre, s), taken), radius[s], s, taken)


@func
def fits(x, q, first, end, offset, size, low, high, taken):
    """Whether a body stays within low and high, and all of its spheres are free.

    x, q: place and orientation offered [m].
    first, end: its spheres, columns of `offset` and entries of `size`.
    offset, size: (3, S) centres in the body frame, (S,) radii [m].
    low, high: (3,) corners of the region [m].
    taken: `Occupied`.
    """
    for o in range(first, end):
        place = add(x, rotate(q, load(offset, o)))
        for axis in range(3):
            if place[axis] - size[o] < low[axis] or place[axis] + size[o] > high[axis]:
                return False
        if not is_free(into_period(place, taken), size[o], taken):
            return False
    return True


@kernel
def insert(first, offset, size, low, high, position, orientation, taken, placed, turned, progress):
    """Offer places to one body after the other, until bodies or offers are used up.

    first: (B + 1,) int; body b has the spheres first[b] to first[b + 1].
    offset, size: (3, S) centres in the body frame, (S,) radii [m].
    low, high: (3,) corners of the region [m].
    position, orientation: (3, P) [m], (4, P), the offers.
    Writes taken: `Occupied`, the spheres of bodies that have a place.
    Writes placed, turned: (3, B) [m], (4, B), where those bodies are.
    Writes progress: (3,) int, next body, spheres that have a place, offers that the next body has refused.
    """
    body, spheres, refused = progress[0], progress[1], progress[2]
    for p in range(position.shape[1]):
        if body == placed.shape[1]:
            break
        x = load(position, p)
        q = (orientation[0, p], orientation[1, p], orientation[2, p], orientation[3, p])
        refused += 1
        if fits(x, q, first[body], first[body + 1], offset, size, low, high, taken):
            for o in range(first[body], first[body + 1]):
                take(into_period(add(x, rotate(q, load(offset, o))), taken), size[o], spheres, taken)
                spheres += 1
            store(placed, body, x)
            turned[0, body], turned[1, body], turned[2, body], turned[3, body] = q
            body += 1
            refused = 0
    progress[0], progress[1], progress[2] = body, spheres, refused
