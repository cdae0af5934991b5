"""Solids pressure, which keeps the solid fraction of stochastically colliding spheres below close packing.

S. E. Harris, D. G. Crighton, J. Fluid Mech. 266 (1994) 243: τ = P φ^β/(φ_cp - φ); D. M. Snider, J. Comput. Phys. 170
(2001) 523 replaces the difference by max(φ_cp - φ, ε (1 - φ)), and accelerates particles by -∇τ/(ρ_p φ). Here φ is
deposited linearly at cell centres. The pressure on a face between cells a and b is (τ_a φ_b + τ_b φ_a)/(φ_a + φ_b),
which is τ for equal cells and zero next to an empty one; on a wall it is that of the adjacent cell. The force on a cell
from its two faces along an axis is distributed to particles in proportion to their mass in it. So momentum is conserved
to rounding.

The scheme is explicit: waves of τ travel at √(τ'/ρ_p), and a step must be short against the time to cross a cell.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.event_driven.flight import PERIODIC, RADIUS

CORNERS = 8


class SolidsStress(NamedTuple):
    """Parameters of the solids pressure, and its fields on the cells."""

    scale: float  # P [Pa]
    exponent: float  # β
    packing: float  # φ_cp
    softness: float  # ε
    fraction: np.ndarray  # (C,) φ
    mass: np.ndarray  # (C,) [kg]
    stress: np.ndarray  # (C,) τ [Pa]
    velocity_change: np.ndarray  # (3, C) change of velocity of the particles in each cell [m/s]
    waves: np.ndarray  # (1,) speed of the fastest waves of any step [m/s]


@inline
def law(stress, phi):
    """Solids pressure τ and its slope τ' [Pa] at a solid fraction."""
    if not phi > 0.0:
        return 0.0, 0.0
    room, soft = stress.packing - phi, stress.softness * (1.0 - phi)
    top = stress.scale * phi**stress.exponent
    if room > soft:
        return top / room, top * (stress.exponent / phi + 1.0 / room) / room
    return top / soft, top * (stress.exponent / phi + stress.softness / soft) / soft


@inline
def enclosing_cells(axis, place, space):
    """The two cells along an axis whose centres enclose a position, and the weight of the second one."""
    cells = space.cells[axis]
    at = (place - space.lower[axis]) / space.width[axis] - 0.5
    low = math.floor(at)
    one, share = np.int64(low), at - low
    if space.boundary[axis] == PERIODIC:
        return (one + cells) % cells, (one + 1 + cells) % cells, share
    return min(max(one, 0), cells - 1), min(max(one + 1, 0), cells - 1), share


@inline
def corner(k, x, y, z, space):
    """Cell k of the eight cells around a position, and its weight."""
    i, a = (x[1], x[2]) if k & 1 else (x[0], 1.0 - x[2])
    j, b = (y[1], y[2]) if k & 2 else (y[0], 1.0 - y[2])
    m, c = (z[1], z[2]) if k & 4 else (z[0], 1.0 - z[2])
    return i + space.cells[0] * (j + space.cells[1] * m), a * b * c


@func
def deposit_in_cells(spheres, space, gas, stress):
    """Compute solid fraction, mass and τ of all cells, and the speed of the fastest waves."""
    row = spheres.row
    for c in range(stress.fraction.size):
        stress.fraction[c], stress.mass[c] = 0.0, 0.0
    for i in range(gas.cell.size):
        x, y, z = (
            enclosing_cells(0, row[i, 0], space),
            enclosing_cells(1, row[i, 1], space),
            enclosing_cells(2, row[i, 2], space),
        )
        for k in range(CORNERS):
            c, share = corner(k, x, y, z, space)
            stress.fraction[c] += share * 4.0 / 3.0 * math.pi * row[i, RADIUS] ** 3
            stress.mass[c] += share * spheres.mass[i]
    fastest = 0.0
    for c in range(stress.fraction.size):
        volume = stress.fraction[c]
        stress.fraction[c] = volume / gas.volume
        stress.stress[c], slope = law(stress, stress.fraction[c])
        if volume > 0.0:
            fastest = max(fastest, slope * volume / stress.mass[c])
    stress.waves[0] = max(stress.waves[0], math.sqrt(fastest))


@inline
def face_stress(a, b, stress):
    """Stress on the face between two cells [Pa]."""
    both = stress.fraction[a] + stress.fraction[b]
    if not both > 0.0:
        return 0.0
    return (stress.stress[a] * stress.fraction[b] + stress.stress[b] * stress.fraction[a]) / both


@func
def compute_velocity_changes(axis, stride, dt, space, gas, stress, tally):
    """Compute the change of velocity along an axis in each cell in a step dt [s], and record the impulse of walls.

    stride: distance of neighbours along the axis in numbers of cells.
    """
    cells, wrapped = space.cells[axis], space.boundary[axis] == PERIODIC
    area = gas.volume / space.width[axis]
    for c in range(stress.mass.size):
        here, force = (c // stride) % cells, 0.0
        for side in (-1, 1):
            there = here + side
            if wrapped:
                there = (there + cells) % cells
            if 0 <= there < cells:
                force -= side * area * face_stress(c, c + (there - here) * stride, stress)
            else:
                force -= side * area * stress.stress[c]
                tally.impulse[axis] -= side * area * stress.stress[c] * dt
        stress.velocity_change[axis, c] = force * dt / stress.mass[c] if stress.mass[c] > 0.0 else 0.0


@func
def apply_solids_pressure(dt, spheres, space, gas, stress, tally):
    """Accelerate the particles by the gradient of the solids pressure for a step dt [s]."""
    row = spheres.row
    deposit_in_cells(spheres, space, gas, stress)
    compute_velocity_changes(0, 1, dt, space, gas, stress, tally)
    compute_velocity_changes(1, space.cells[0], dt, space, gas, stress, tally)
    compute_velocity_changes(2, space.cells[0] * space.cells[1], dt, space, gas, stress, tally)
    for i in range(gas.cell.size):
        x, y, z = (
            enclosing_cells(0, row[i, 0], space),
            enclosing_cells(1, row[i, 1], space),
            enclosing_cells(2, row[i, 2], space),
        )
        for axis in range(3):
            more = 0.0
            for k in range(CORNERS):
                c, share = corner(k, x, y, z, space)
                more += share * stress.velocity_change[axis, c]
            tally.gained[0] += spheres.mass[i] * more * (row[i, 3 + axis] + 0.5 * more)
            row[i, 3 + axis] += more
