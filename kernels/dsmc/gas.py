"""Gas of hard spheres in cells: sorting into cells, solid fractions, collision rates.

Particles are sorted into cells at every step. The solid fraction around a cell is that of a block of 3 x 3 x 3 cells,
less where walls cut it off. A pair in a cell contributes to the density there itself. To remove this bias, the pair
counts only in proportion to the block's fraction of the box (exact for Poisson-distributed particles).

Rate of collisions of two species in a unit of volume (Chapman & Cowling, The Mathematical Theory of Non-Uniform Gases
(1970), ch. 16): n_1 n_2 χ_12 π (R_1 + R_2)² <g>, with the relative speed g and the contact value χ of the pair
distribution function, by which dense spheres collide more often than dilute ones.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.event_driven.flight import PERIODIC, RADIUS

NUMBER, AREA, VOLUME = range(3)  # rows of moments: sums of 1, d², d³


class Gas(NamedTuple):
    """Particles sorted by cell, and sums over cells; the x index of cells runs first."""

    cell: np.ndarray  # (N,) cell of each particle
    first: np.ndarray  # (C + 1,) place of its first particle in `order`
    order: np.ndarray  # (N,) particles, cell by cell, in the order of their numbers
    moments: np.ndarray  # (3, C) sums of 1, d² [m²] and d³ [m³] over the particles in each cell
    blocks: np.ndarray  # (3, C) the same over the block of cells around it
    scratch: np.ndarray  # (3, C)
    room: np.ndarray  # (C,) volume of the block [m³]
    share: np.ndarray  # (C,) the same over that of the box
    volume: float  # of a cell [m³]


@inline
def cell_at(row, i, space):
    """Cell of particle i."""
    c = np.int64(0)
    for k in range(3):
        axis = 2 - k
        here = np.int64(math.floor((row[i, axis] - space.lower[axis]) / space.width[axis]))
        c = min(max(here, 0), space.cells[axis] - 1) + space.cells[axis] * c
    return c


@func
def sort(spheres, space, gas):
    """Find the cell of each particle, and sort the particles by cell."""
    count = gas.first.size - 1
    for c in range(count + 1):
        gas.first[c] = 0
    for i in range(gas.cell.size):
        gas.cell[i] = cell_at(spheres.row, i, space)
        gas.first[gas.cell[i] + 1] += 1
    for c in range(count):
        gas.first[c + 1] += gas.first[c]
    for i in range(gas.cell.size):  # puts first[c] to where cell c ends
        gas.order[gas.first[gas.cell[i]]] = i
        gas.first[gas.cell[i]] += 1
    for k in range(count):
        gas.first[count - k] = gas.first[count - k - 1]
    gas.first[0] = 0


@func
def sum_over_neighbour_cells(axis, stride, source, target, space):
    """Sum each row of (3, C) over a cell and its neighbours along an axis; each cell counts once."""
    cells = space.cells[axis]
    wrapped = space.boundary[axis] == PERIODIC
    low, high = (-1, 1) if cells > 2 or not wrapped else (0, cells - 1)
    for c in range(source.shape[1]):
        here = (c // stride) % cells
        for k in range(3):
            target[k, c] = 0.0
        for step in range(low, high + 1):
            there = here + step
            if wrapped:
                there = (there + cells) % cells
            if 0 <= there < cells:
                for k in range(3):
                    target[k, c] += source[k, c + (there - here) * stride]


@func
def largest_solid_fraction(spheres, space, gas):
    """Sum diameters over cells and the blocks around them; returns the largest solid fraction.

    The fraction of a block, or of a cell by itself less three standard deviations of its Poisson distribution.
    """
    for c in range(gas.share.size):
        number, area, volume = 0.0, 0.0, 0.0
        for k in range(gas.first[c], gas.first[c + 1]):
            d = 2.0 * spheres.row[gas.order[k], RADIUS]
            number += 1.0
            area += d * d
            volume += d * d * d
        gas.moments[NUMBER, c], gas.moments[AREA, c], gas.moments[VOLUME, c] = number, area, volume
    sum_over_neighbour_cells(0, 1, gas.moments, gas.blocks, space)
    sum_over_neighbour_cells(1, space.cells[0], gas.blocks, gas.scratch, space)
    sum_over_neighbour_cells(2, space.cells[0] * space.cells[1], gas.scratch, gas.blocks, space)
    densest = 0.0
    for c in range(gas.share.size):
        own = gas.moments[VOLUME, c] / gas.volume * (1.0 - 3.0 / math.sqrt(max(gas.moments[NUMBER, c], 1.0)))
        densest = max(densest, math.pi / 6.0 * max(own, gas.blocks[VOLUME, c] / gas.room[c]))
    return densest


@inline
def contact_value(d1, d2, area, volume):
    """Pair correlation χ at contact of two diameters in a mixture with Σ d²/V = `area` and Σ d³/V = `volume`.

    T. Boublík, J. Chem. Phys. 53 (1970) 471; G. A. Mansoori et al., J. Chem. Phys. 54 (1971) 1523. Of equal spheres it
    is (1 - φ/2)/(1 - φ)³ (Carnahan & Starling, J. Chem. Phys. 51 (1969) 635).
    """
    free = 1.0 / (1.0 - math.pi / 6.0 * volume)
    s = math.pi / 6.0 * area * d1 * d2 / (d1 + d2) * free
    return free * (1.0 + s * (3.0 + 2.0 * s))


@inline
def pair_value(d1, d2, c, gas):
    """Pair correlation χ at contact of a pair in cell c, by the spheres around it."""
    own = 1.0 - gas.share[c]
    area = gas.blocks[AREA, c] - own * (d1 * d1 + d2 * d2)
    volume = gas.blocks[VOLUME, c] - own * (d1 * d1 * d1 + d2 * d2 * d2)
    return contact_value(d1, d2, area / gas.room[c], volume / gas.room[c])


@inline
def largest_value(d, c, gas):
    """Upper bound of χ for pairs in cell c: two spheres of diameter d, not counted in the solid fraction."""
    return contact_value(d, d, gas.blocks[AREA, c] / gas.room[c], gas.blocks[VOLUME, c] / gas.room[c])


@func
def motion_of_cell(c, spheres, gas):
    """Mean velocity, variance of a component, largest peculiar speed and largest diameter of particles in cell c."""
    row, n = spheres.row, gas.first[c + 1] - gas.first[c]
    x, y, z, largest = 0.0, 0.0, 0.0, 0.0
    for k in range(gas.first[c], gas.first[c + 1]):
        i = gas.order[k]
        x, y, z = x + row[i, 3], y + row[i, 4], z + row[i, 5]
        largest = max(largest, 2.0 * row[i, RADIUS])
    mean = (x / n, y / n, z / n)
    total, fastest = 0.0, 0.0
    for k in range(gas.first[c], gas.first[c + 1]):
        i = gas.order[k]
        x, y, z = row[i, 3] - mean[0], row[i, 4] - mean[1], row[i, 5] - mean[2]
        total += x * x + y * y + z * z
        fastest = max(fastest, x * x + y * y + z * z)
    return mean, total / (3.0 * max(n - 1, 1)), math.sqrt(fastest), largest


@inline
def rate_in_cell(n, variance, square, chi, volume):
    """Collisions of n particles in a cell per second, each pair counted: 4 n² d² χ √(π T/m)/V.

    Spheres with Maxwell's distribution, <g> = 4 √(T/(π m)); T/m is the variance of a velocity component, `square` the
    mean of (R1 + R2)² over pairs.
    """
    return n * (n - 1) / volume * 4.0 * square * chi * math.sqrt(math.pi * variance)


@inline
def mean_square_contact_distance(c, spheres, gas):
    """Mean of (R1 + R2)² over the pairs of cell c."""
    total, squares = 0.0, 0.0
    for k in range(gas.first[c], gas.first[c + 1]):
        radius = spheres.row[gas.order[k], RADIUS]
        total, squares = total + radius, squares + radius * radius
    n = gas.first[c + 1] - gas.first[c]
    return 2.0 * (squares + (total * total - squares) / (n - 1)) / n


@func
def mean_rate(spheres, space, gas):
    """Collisions per second of a particle, averaged over all particles."""
    rate = 0.0
    for c in range(gas.share.size):
        n = gas.first[c + 1] - gas.first[c]
        if n > 1:
            _, variance, _, largest = motion_of_cell(c, spheres, gas)
            chi = largest_value(largest, c, gas)
            rate += rate_in_cell(n, variance, mean_square_contact_distance(c, spheres, gas), chi, gas.volume)
    return rate / gas.cell.size
