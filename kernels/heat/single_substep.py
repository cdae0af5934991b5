"""An exchange of one sub-step between single spheres, without a list of contacts.

A bed that moves exchanges little in a few steps: one sub-step does, which takes the candidate pairs in batches, or all
pairs of neighbours where a gas conducts between spheres that do not touch. A batch is computed without branches, as
vector code, and then added up. The bits are those of `exchange.exchange_between_bodies` with the contacts of
`conductances.list_pairs` or `list_near_pairs`.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.heat.conductances import gas_conductance
from dem.kernels.heat.exchange import as_units
from dem.kernels.numerics.float_bits import as_float, bits_of_float
from dem.kernels.numerics.vector import dot, load
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.neighbours.candidate_pairs import pairs_of

BATCH = 1024  # candidate pairs


@vector_loop
def amounts_alike(box, position, sphere_i, sphere_j, size, factor, value, dt, unit, amount):
    """Amounts that pass from sphere j to sphere i in dt [s], of spheres of one radius and material, without a gas.

    size: radius [m]. factor: conductance over contact radius.
    Writes amount: (K,) [units], 0 for those apart. Returns the bits of the largest conductance.
    """
    radius, largest = size * size / (size + size), np.int64(0)
    for k in range(sphere_i.size):
        i, j = sphere_i[k], sphere_j[k]
        d = minimum_image(box, load(position, i), load(position, j))
        overlap = size + size - math.sqrt(dot(d, d))
        conductance = factor * math.sqrt(radius * (overlap if overlap > 0.0 else 0.0))
        amount[k] = as_units(dt * conductance * (value[j] - value[i]), unit)
        bits = bits_of_float(conductance)
        largest = bits if bits > largest else largest
    return largest


@inline
def conductance_in_gas(overlap, radius, least, factor, shrink, gas):
    """Conductance of two spheres in a gas as `conductance_of` has it, without branches; 0 beyond the range."""
    rim = math.sqrt(radius * (overlap if overlap > 0.0 else 0.0))
    about = gas_conductance(2.0 * radius, least, shrink * rim, -overlap if overlap < 0.0 else 0.0, gas, False)
    conductance = factor * rim + (about if factor > 0.0 else 0.0)
    return conductance if overlap > -gas.range else 0.0


@vector_loop
def amounts_alike_in_gas(
    box, position, sphere_i, sphere_j, size, factor, shrink, gas, value, dt, unit, amount
):  # fmt: skip
    """Amounts of spheres of one radius and material in a gas; see `amounts_alike`."""
    radius, largest = size * size / (size + size), np.int64(0)
    for k in range(sphere_i.size):
        i, j = sphere_i[k], sphere_j[k]
        d = minimum_image(box, load(position, i), load(position, j))
        conductance = conductance_in_gas(size + size - math.sqrt(dot(d, d)), radius, size, factor, shrink, gas)
        amount[k] = as_units(dt * conductance * (value[j] - value[i]), unit)
        bits = bits_of_float(conductance)
        largest = bits if bits > largest else largest
    return largest


def amounts_unlike_in(in_gas):
    """Make the loop over spheres of any radii and materials, in a gas or not."""

    @vector_loop
    def amounts_unlike(box, bodies, kinds, sphere_i, sphere_j, factor, shrink, gas, value, dt, unit, amount):
        """Amounts of spheres of any radii and materials; see `amounts_alike`."""
        largest = np.int64(0)
        for k in range(sphere_i.size):
            i, j = sphere_i[k], sphere_j[k]
            g, h = bodies.kind[i], bodies.kind[j]
            of_i, of_j, m, n = kinds.radius[g], kinds.radius[h], kinds.material[g], kinds.material[h]
            d = minimum_image(box, load(bodies.position, i), load(bodies.position, j))
            overlap, radius = of_i + of_j - math.sqrt(dot(d, d)), of_i * of_j / (of_i + of_j)
            if in_gas:
                least = of_i if of_i < of_j else of_j
                conductance = conductance_in_gas(overlap, radius, least, factor[m, n], shrink[m, n], gas)
            else:
                conductance = factor[m, n] * math.sqrt(radius * (overlap if overlap > 0.0 else 0.0))
            amount[k] = as_units(dt * conductance * (value[j] - value[i]), unit)
            bits = bits_of_float(conductance)
            largest = bits if bits > largest else largest
        return largest

    return amounts_unlike


amounts_unlike, amounts_unlike_in_gas = amounts_unlike_in(False), amounts_unlike_in(True)


@inline
def accumulate_gains(sphere_i, sphere_j, amount, gained):
    """Add the amounts of pairs to the gains (N,) of both spheres, with opposite signs [units]."""
    for k in range(sphere_i.size):
        gained[sphere_i[k]] += amount[k]
        gained[sphere_j[k]] -= amount[k]


@kernel
def exchange_once(bodies, kinds, neighbours, box, factor, shrink, gas, value, dt, unit, amount, gained):
    """Exchange the scalar between single spheres over dt [s]; returns the largest conductance.

    factor, shrink, gas: as of `conductances.list_pairs`. value: (N,). unit: units in one of the amounts.
    amount: (BATCH,) int64, scratch.
    Writes gained: (N,) int64 [units], added.
    """
    largest, in_gas = np.int64(0), gas.conductivity > 0.0
    alike = kinds.contact_distance > 0.0 and factor.size == 1
    for c in range(neighbours.pairs.size):
        start = first_candidate(c, neighbours)
        stop = start + neighbours.pairs[c]
        if gas.range > 0.0:
            start, stop = pairs_of(c, bodies, neighbours)
        while start < stop:
            end = min(start + BATCH, stop)
            sphere_i, sphere_j = neighbours.sphere_i[start:end], neighbours.sphere_j[start:end]
            if gas.range > 0.0:
                sphere_i, sphere_j = neighbours.lower[start:end], neighbours.higher[start:end]
            if alike and in_gas:
                most = amounts_alike_in_gas(
                    box, bodies.position, sphere_i, sphere_j, kinds.radius[0], factor[0, 0], shrink[0, 0], gas, value,
                    dt, unit, amount,
                )  # fmt: skip
            elif alike:
                most = amounts_alike(
                    box, bodies.position, sphere_i, sphere_j, kinds.radius[0], factor[0, 0], value, dt, unit, amount
                )
            elif in_gas:
                most = amounts_unlike_in_gas(
                    box, bodies, kinds, sphere_i, sphere_j, factor, shrink, gas, value, dt, unit, amount
                )
            else:
                most = amounts_unlike(
                    box, bodies, kinds, sphere_i, sphere_j, factor, shrink, gas, value, dt, unit, amount
                )  # fmt: skip
            largest = max(largest, most)
            accumulate_gains(sphere_i, sphere_j, amount, gained)
            start = end
    return as_float(largest)
