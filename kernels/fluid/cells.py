"""Cuboid cells: deposit quantities of particles in cells, and interpolate cell values, by the same trilinear weights.

A particle is distributed among the eight cells whose centres surround it, as if it were spread over a cuboid of the
size of a cell. Outside the centres of the outermost cells, these take all of it; periodic axes continue. With equal
weights for deposit and interpolation, momentum is conserved in the exchange.

Sums are integers: they do not depend on the order of particles or on threads, and the parts of a particle add up to it
exactly.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.fluid.gridded import enclosing_indices

SLACK = 1e-6  # fraction of a cell by which a particle may be outside the outermost one


class Cells(NamedTuple):
    """Grid of equal cells that fill a cuboid."""

    first: tuple[float, float, float]  # centre of the first one [m]
    size: tuple[float, float, float]  # [m]
    number: tuple[int, int, int]
    periodic: tuple[int, int, int]  # 1 along periodic axes


class Corner(NamedTuple):
    """The eight cells whose centres surround a position, and its fractional distances between them."""

    low: tuple[int, int, int]
    high: tuple[int, int, int]
    share: tuple[float, float, float]  # distance from the lower centre, as a fraction of the spacing
    outside: int  # 1 beyond the outermost cells


@inline
def along(cells, x, axis):
    """Lower and upper cell around coordinate x along an axis, weight of the upper one, and 1 if x is outside."""
    place = (x - cells.first[axis]) / cells.size[axis]
    count, periodic = cells.number[axis], cells.periodic[axis]
    low, high, share, _ = enclosing_indices(place, count, periodic)
    return low, high, share, 1 if periodic == 0 and abs(place - 0.5 * (count - 1)) > 0.5 * count + SLACK else 0


@inline
def corner(cells, x):
    """The eight cells around a position x [m]; the first cells if x is not finite."""
    if not math.isfinite(x[0] + x[1] + x[2]):  # the checks of the run report it
        return Corner((0, 0, 0), (0, 0, 0), (0.0, 0.0, 0.0), 1)
    a = along(cells, x[0], 0)
    b = along(cells, x[1], 1)
    c = along(cells, x[2], 2)
    return Corner((a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2]), max(a[3], b[3], c[3]))


@inline
def on_line(values, r, at, j, k):
    """Interpolate row r along x, between the two cells of a corner with indices j along y and k along z."""
    share = at.share[0]
    return (1.0 - share) * values[r, at.low[0], j, k] + share * values[r, at.high[0], j, k]


@inline
def value_at(values, r, at):
    """Interpolate row r of values (R, nx, ny, nz) trilinearly at a position given by its corner."""
    (_, j, k), (_, m, n), (_, v, w) = at.low, at.high, at.share
    lower = (1.0 - v) * on_line(values, r, at, j, k) + v * on_line(values, r, at, m, k)
    upper = (1.0 - v) * on_line(values, r, at, j, n) + v * on_line(values, r, at, m, n)
    return (1.0 - w) * lower + w * upper


@inline
def vector_at(values, r, at):
    """Interpolate rows r to r + 2 of values trilinearly, as the components of a vector."""
    return value_at(values, r, at), value_at(values, r + 1, at), value_at(values, r + 2, at)


@inline
def between_two(low, high, share):
    """Linear interpolation from low to high, exact if both are equal."""
    return low + share * (high - low)


@inline
def evenly_on_line(values, r, at, j, k):
    """Interpolate row r along x between two cells; exact if both have equal values."""
    return between_two(values[r, at.low[0], j, k], values[r, at.high[0], j, k], at.share[0])


@inline
def interpolate_trilinearly(values, r, at):
    """Interpolate row r trilinearly between the cells of a corner; exact if all have equal values."""
    (_, j, k), (_, m, n), (_, v, w) = at.low, at.high, at.share
    lower = between_two(evenly_on_line(values, r, at, j, k), evenly_on_line(values, r, at, m, k), v)
    upper = between_two(evenly_on_line(values, r, at, j, n), evenly_on_line(values, r, at, m, n), v)
    return between_two(lower, upper, w)


@inline
def cell_at(at, e):
    """Index of cell e (0 to 7) of a corner; bits of e select the upper cell along x, y and z."""
    return at.high[0] if e & 1 else at.low[0], at.high[1] if e & 2 else at.low[1], at.high[2] if e & 4 else at.low[2]


@inline
def weight_of(at, e):
    """Weight of cell e of a corner; those of all eight sum to 1."""
    weight = at.share[0] if e & 1 else 1.0 - at.share[0]
    weight *= at.share[1] if e & 2 else 1.0 - at.share[1]
    return weight * (at.share[2] if e & 4 else 1.0 - at.share[2])


@kernel
def interpolate(cells, values, position, result):
    """Interpolate values (1, nx, ny, nz) at positions (3, N) [m]; writes result (N,)."""
    for b in range(result.size):
        result[b] = interpolate_trilinearly(values, 0, corner(cells, (position[0, b], position[1, b], position[2, b])))


@kernel
def deposit(cells, position, amounts, unit, sums):
    """Distribute quantities of particles among the cells around them.

    cells: `Cells`.
    position: (3, N) [m].
    amounts, unit: (R, N) what each has, (R,) in units of this.
    Writes sums: (R, nx, ny, nz) int64, added to.
    """
    for b in range(position.shape[1]):
        at = corner(cells, (position[0, b], position[1, b], position[2, b]))
        for r in range(unit.size):
            whole = np.int64(math.floor(amounts[r, b] / unit[r] + 0.5))
            left = whole
            for e in range(1, 8):
                i, j, k = cell_at(at, e)
                part = np.int64(math.floor(weight_of(at, e) * whole + 0.5))
                sums[r, i, j, k] += part
                left -= part
            sums[r, at.low[0], at.low[1], at.low[2]] += left
