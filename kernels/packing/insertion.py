"""Random sequential insertion of rigid bodies made of spheres: random places are tried until one is free."""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.numerics.quaternion import rotate
from dem.kernels.numerics.vector import add, dot, load, store

CLEARANCE = 1.0 + 1e-9  # a touch that rounding may turn is none


class Occupied(NamedTuple):
    """Spheres inserted so far, in linked cells."""

    lower: np.ndarray  # (3,) corner of the first cell [m]
    period: np.ndarray  # (3,) [m]; 0 along axes that are not periodic
    scale: np.ndarray  # (3,) cells a metre
    last: np.ndarray  # (X, Y, Z) int64, a sphere of each cell, or -1
    before: np.ndarray  # (M,) int64, the next one of the same cell, or -1
    centre: np.ndarray  # (3, M) [m]
    radius: np.ndarray  # (M,) [m]


@inline
def cell_along(x, axis, occupied):
    """Cell along one axis; positions outside belong to the outermost cells."""
    cell = np.int64(math.floor((x - occupied.lower[axis]) * occupied.scale[axis]))
    return min(max(cell, 0), occupied.last.shape[axis] - 1)


@inline
def wrapped(x, axis, occupied):
    """A coordinate within the period."""
    period = occupied.period[axis]
    return x - period * math.floor((x - occupied.lower[axis]) / period) if period > 0.0 else x


@inline
def into_period(x, occupied):
    """A point within the periods."""
    return wrapped(x[0], 0, occupied), wrapped(x[1], 1, occupied), wrapped(x[2], 2, occupied)


@inline
def gap_along(x, s, axis, occupied):
    """Distance of a point from the nearest image of sphere s along one axis."""
    gap, period = x - occupied.centre[axis, s], occupied.period[axis]
    return gap - period * math.floor(gap / period + 0.5) if period > 0.0 else gap


@inline
def is_missing(cell, axis, occupied):
    """Whether there is no such cell along this axis, not even as an image."""
    return occupied.period[axis] == 0.0 and (cell < 0 or cell >= occupied.last.shape[axis])


@func
def add_sphere(x, r, s, occupied):
    """Add sphere s at the point x to the linked cells."""
    store(occupied.centre, s, x)
    occupied.radius[s] = r
    i, j, k = cell_along(x[0], 0, occupied), cell_along(x[1], 1, occupied), cell_along(x[2], 2, occupied)
    occupied.before[s] = occupied.last[i, j, k]
    occupied.last[i, j, k] = s


@func
def is_free(x, r, occupied):
    """Whether a sphere at the point x overlaps no inserted one; cells are as wide as the largest sphere."""
    i, j, k = cell_along(x[0], 0, occupied), cell_along(x[1], 1, occupied), cell_along(x[2], 2, occupied)
    cells = occupied.last.shape
    for a in range(i - 1, i + 2):
        for b in range(j - 1, j + 2):
            for c in range(k - 1, k + 2):
                if is_missing(a, 0, occupied) or is_missing(b, 1, occupied) or is_missing(c, 2, occupied):
                    continue
                s = occupied.last[a % cells[0], b % cells[1], c % cells[2]]
                while s >= 0:
                    gap = (
                        gap_along(x[0], s, 0, occupied),
                        gap_along(x[1], s, 1, occupied),
                        gap_along(x[2], s, 2, occupied),
                    )
                    reach = (r + occupied.radius[s]) * CLEARANCE
                    if dot(gap, gap) < reach * reach:
                        return False
                    s = occupied.before[s]
    return True


@kernel
def add_spheres(centre, radius, occupied):
    """Add given spheres to the linked cells without a check; centres (3, M)."""
    for s in range(radius.size):
        add_sphere(into_period(load(centre, s), occupied), radius[s], s, occupied)


@func
def is_body_free(x, q, first, end, offset, size, low, high, occupied):
    """Whether a body stays within low and high, and all of its spheres are free.

    x, q: place and orientation offered [m].
    first, end: its spheres, columns of `offset` and entries of `size`.
    offset, size: (3, S) centres in the body frame, (S,) radii [m].
    low, high: (3,) corners of the region [m].
    occupied: `Occupied`.
    """
    for o in range(first, end):
        place = add(x, rotate(q, load(offset, o)))
        for axis in range(3):
            if place[axis] - size[o] < low[axis] or place[axis] + size[o] > high[axis]:
                return False
        if not is_free(into_period(place, occupied), size[o], occupied):
            return False
    return True


@kernel
def insert(first, offset, size, low, high, position, orientation, occupied, placed, turned, progress):
    """Offer places to one body after the other, until bodies or offers are used up.

    first: (B + 1,) int; body b has the spheres first[b] to first[b + 1].
    offset, size: (3, S) centres in the body frame, (S,) radii [m].
    low, high: (3,) corners of the region [m].
    position, orientation: (3, P) [m], (4, P), the offers.
    Writes occupied: `Occupied`, the spheres of bodies that have a place.
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
        if is_body_free(x, q, first[body], first[body + 1], offset, size, low, high, occupied):
            for o in range(first[body], first[body + 1]):
                add_sphere(into_period(add(x, rotate(q, load(offset, o))), occupied), size[o], spheres, occupied)
                spheres += 1
            store(placed, body, x)
            turned[0, body], turned[1, body], turned[2, body], turned[3, body] = q
            body += 1
            refused = 0
    progress[0], progress[1], progress[2] = body, spheres, refused
