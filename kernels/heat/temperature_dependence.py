"""Heat capacities and conductivities by temperature: linear between the rows of a table, constant beyond them.

A body has the enthalpy H(T) = ∫ C dT from 0 K, exactly: a parabola between two rows of its table. An
amount that it receives changes H. The new temperature is the root of that parabola, and its rounding error is kept in
the remainder.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.heat.conductances import CONDUCTANCE, OVERLAP, RADIUS


class PropertyTable(NamedTuple):
    """Values by temperature of G kinds, in K rows, and their integrals from 0 K."""

    temperature: np.ndarray  # (G, K) [K], ascending
    value: np.ndarray  # (G, K), such as heat capacities [J/K]
    integral: np.ndarray  # (G, K), such as enthalpies [J]


@inline
def row_below(columns, g, x):
    """Last row of kind g whose number is not above x; -1 if there is none."""
    j = -1
    while j + 1 < columns.shape[1] and columns[g, j + 1] <= x:
        j += 1
    return j


@inline
def slope_of(table, g, j):
    """Slope of the values of kind g above row j."""
    t = table.temperature
    if j + 1 == t.shape[1]:
        return 0.0
    return (table.value[g, j + 1] - table.value[g, j]) / (t[g, j + 1] - t[g, j])


@inline
def value_at(table, g, x):
    """Value of kind g at a temperature x [K]."""
    j = row_below(table.temperature, g, x)
    if j < 0:
        return table.value[g, 0]
    return table.value[g, j] + slope_of(table, g, j) * (x - table.temperature[g, j])


@inline
def integral_at(table, g, x):
    """Integral of kind g from 0 K to a temperature x [K]."""
    j = row_below(table.temperature, g, x)
    if j < 0:
        return table.value[g, 0] * x
    beyond = x - table.temperature[g, j]
    return table.integral[g, j] + beyond * (table.value[g, j] + 0.5 * slope_of(table, g, j) * beyond)


@inline
def temperature_at(table, g, amount):
    """Temperature of kind g at which its integral is an amount [K]."""
    j = row_below(table.integral, g, amount)
    if j < 0:
        return amount / table.value[g, 0]
    beyond, value = amount - table.integral[g, j], table.value[g, j]
    root = math.sqrt(max(value * value + 2.0 * slope_of(table, g, j) * beyond, 0.0))
    return table.temperature[g, j] + 2.0 * beyond / (value + root)


@kernel
def enthalpies(table, kind, value, result):
    """Enthalpies of bodies of these kinds at their temperatures (N,) [K]; writes result (N,) [J]."""
    for b in range(value.size):
        result[b] = integral_at(table, kind[b], value[b])


@kernel
def deposit(table, value, remainder, gained, per_unit, kind, least, most):
    """Change the temperatures (N,) by the heat gained (N,) [units], as `dem.kernels.heat.exchange.deposit`.

    table: of heat capacities, by kind.
    Writes value, remainder: (N,). Writes gained: zero. Returns how many have come beyond the limits.
    """
    beyond = 0
    for b in range(value.size):
        g, amount = kind[b], gained[b] * per_unit + remainder[b]
        before = integral_at(table, g, value[b])
        after = temperature_at(table, g, before + amount) if amount != 0.0 else value[b]
        remainder[b] = amount - (integral_at(table, g, after) - before)
        value[b] = after
        gained[b] = 0
        beyond += 0 if after > least and after < most else 1
    return beyond


@inline
def mean_of(one, other):
    """Half of the harmonic mean."""
    return one * other / (one + other)


@kernel
def adjust(table, surfaces, most, of_surfaces, material, kind, value, held, factor, factor_of_walls, ids, data):
    """Have contacts and bonds conduct by the conductivities at present temperatures, not by the largest ones.

    table, surfaces: conductivities of materials of particles, and of the surfaces of faces and walls (6 + W).
    most, of_surfaces: largest of either. material: (G,) of kinds. value: (N,); held: (6 + W,) temperatures [K].
    factor, factor_of_walls: as of `dem.kernels.heat.conductances`. ids: (R, 2).
    Writes data: conductances; a gas in the gaps conducts as before.
    """
    for r in range(ids.shape[0]):
        i, j = ids[r, 0], ids[r, 1]
        m = material[kind[i]]
        one = value_at(table, m, value[i])
        if j >= 0:
            n = material[kind[j]]
            other, largest, per_rim = value_at(table, n, value[j]), mean_of(most[m], most[n]), factor[m, n]
        else:
            w = -1 - j
            per_rim = factor_of_walls[w, m]
            if not per_rim > 0.0:
                continue
            other, largest = value_at(surfaces, w, held[w]), mean_of(most[m], of_surfaces[w])
        solid = data[r, CONDUCTANCE]
        if data[r, RADIUS] > 0.0:  # no bond
            solid = per_rim * math.sqrt(data[r, RADIUS] * max(data[r, OVERLAP], 0.0))
        data[r, CONDUCTANCE] += (mean_of(one, other) / largest - 1.0) * solid
