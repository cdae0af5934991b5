"""Sub-steps of the exchange of a scalar u through contacts: C_i du_i/dt = Σ_j G_ij (u_j - u_i) + P_i.

What passes through a contact in a sub-step is rounded to whole units: the two bodies get opposite integers, and integer
sums depend neither on the order of contacts nor on threads. The amount that a body receives changes its value. The
rounding error of the value is kept in a remainder, so that nothing is lost.
"""

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, vector_loop
from dem.kernels.fluid.cells import cell_at, corner, weight_of
from dem.kernels.heat.conductances import CONDUCTANCE
from dem.kernels.numerics.vector import load

CLIP = 2.0**60  # units that pass a contact at most
WORD = 30  # bits of the lower word of a sum


@inline
def as_units(amount, unit):
    """An amount as the nearest whole number of units."""
    return np.int64(np.rint(max(min(amount * unit, CLIP), -CLIP)))


@inline
def add_to_sum(sums, n, amount):
    """Add an integer to row n of sums kept as two integers, 2^WORD high + low; `whole` joins them in Python."""
    high = amount >> WORD
    sums[n, 0] += high
    sums[n, 1] += amount - (high << WORD)


@kernel
def exchange_between_bodies(value, ids, data, dt, unit, gained):
    """Exchange the scalar between bodies in contact over dt [s]: amounts G (u_j - u_i) dt, rounded to units.

    value: (N,). ids, data: (K, ...) of `conductances`. unit: units in one of the amounts.
    Writes gained: (N,) int64 [units].
    """
    for k in range(ids.shape[0]):
        i, j = ids[k, 0], ids[k, 1]
        amount = as_units(dt * data[k, CONDUCTANCE] * (value[j] - value[i]), unit)
        gained[i] += amount
        gained[j] -= amount


@kernel
def exchange_with_walls(value, ids, data, held, power, dt, unit, gained, sums):
    """Exchange the scalar of bodies with faces and walls over dt [s].

    held: (6 + W,) value of each face or wall; NaN where nothing holds it, and no contact conducts.
    power: (K,) amount a second that each contact brings besides.
    Writes gained: (N,) int64 [units]. Writes sums: (6 + W, 2) int64, what came in by each wall.
    """
    for k in range(ids.shape[0]):
        b, wall = ids[k, 0], -1 - ids[k, 1]
        brought = power[k] + (data[k, CONDUCTANCE] * (held[wall] - value[b]) if held[wall] == held[wall] else 0.0)
        amount = as_units(dt * brought, unit)
        gained[b] += amount
        add_to_sum(sums, wall, amount)


@kernel
def exchange_with_fluid_cells(cells, position, value, film, fluid, dt, unit, gained, taken, sums, row):
    """Let bodies exchange heat with the fluid in the cells about them in dt [s].

    Each cell c gives h A w_c (T_c - T) with its weight w_c, so that no heat passes from cold to hot.

    cells: of `dem.kernels.fluid.cells`. position: (3, N) [m]. value: (N,) temperatures [K]. film: (N,) h A [W/K].
    fluid: (nx, ny, nz) temperatures of cells [K]. unit: units a joule.
    Writes gained: (N,) int64 [units]. Writes taken: (2, nx, ny, nz) int64, added, what bodies took from each cell.
    Writes sums: row `row`, what came from the fluid.
    """
    for b in range(value.size):
        at = corner(cells, load(position, b))
        for e in range(8):
            i, j, k = cell_at(at, e)
            amount = as_units(dt * film[b] * weight_of(at, e) * (fluid[i, j, k] - value[b]), unit)
            gained[b] += amount
            high = amount >> WORD
            taken[0, i, j, k] += high
            taken[1, i, j, k] += amount - (high << WORD)
            add_to_sum(sums, row, amount)


@inline
def deposit_one(b, value, remainder, gained, per_unit, capacity, least, most):
    """Change the value of body b, see `deposit`; returns 1 if it is beyond the limits, else 0."""
    amount = gained[b] * per_unit + remainder[b]
    after = value[b] + amount / capacity
    remainder[b] = amount - (after - value[b]) * capacity
    value[b] = after
    gained[b] = 0
    return 0 if after > least and after < most and after > -most else 1


@vector_loop
def deposit_with_one_capacity(value, remainder, gained, per_unit, capacity, least, most):
    """Change the values of bodies of one capacity; see `deposit`."""
    beyond = 0
    for b in range(value.size):
        beyond += deposit_one(b, value, remainder, gained, per_unit, capacity, least, most)
    return beyond


@vector_loop
def deposit_by_kind(value, remainder, gained, per_unit, kind, capacity, least, most):
    """Change the values of bodies of several kinds; see `deposit`."""
    beyond = 0
    for b in range(value.size):
        beyond += deposit_one(b, value, remainder, gained, per_unit, capacity[kind[b]], least, most)
    return beyond


@kernel
def deposit(value, remainder, gained, per_unit, kind, capacity, least, most):
    """Change the values (N,) by the amounts gained (N,) [units]; returns the number of bodies beyond the limits.

    per_unit: amount of a unit, a power of two. capacity: (G,) by kind of body.
    least, most: what values are to be above, and their absolute values below.
    Writes value, remainder: (N,). Writes gained: zero.
    """
    if capacity.size == 1:
        return deposit_with_one_capacity(value, remainder, gained, per_unit, capacity[0], least, most)
    return deposit_by_kind(value, remainder, gained, per_unit, kind, capacity, least, most)


@kernel
def exchange_with_surroundings(value, film, fluid, radiated, around, dt, unit, gained, sums, row):
    """Let bodies exchange heat with a fluid and with surroundings in dt [s].

    value: (N,) temperatures [K]. film: (N,) h A [W/K]; fluid: its temperature [K]. radiated: (N,) σ ε A [W/K⁴]; around:
    temperature of the surroundings [K]. unit: units a joule.
    Writes gained: (N,) int64 [units]. Writes sums: rows `row` of what came from the fluid, and the next from around.
    """
    for b in range(value.size):
        amount = as_units(dt * film[b] * (fluid - value[b]), unit)
        square = value[b] * value[b]
        light = as_units(dt * radiated[b] * (around * around * around * around - square * square), unit)
        gained[b] += amount + light
        add_to_sum(sums, row, amount)
        add_to_sum(sums, row + 1, light)
