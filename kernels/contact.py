"""Forces and torques of all contacts: place the spheres, evaluate the candidate pairs, gather them by body.

Each pair is evaluated once, in a loop without branches that LLVM turns into vector code (a pair that does not touch
yields an exact zero); then each body sums its own pairs in a fixed order. So neither the number of threads nor the
age of the lists changes a bit of the result, and no two threads ever write to the same place.
"""

import math

import numpy as np
from numba import types
from numba.extending import overload

from kernels import hertz
from kernels.candidates import GROUP, first_incident, unpack
from kernels.chunks import chunk_of, unsigned_range
from kernels.energy import as_fixed
from kernels.jit import CHOICE, formula, kernel, loop, stage
from kernels.quaternion import load_quaternion, rotate
from kernels.vector import add, add_scaled, cross, dot, load, store, subtract

TINY = 1e-300  # keeps the direction of two coincident spheres finite (zero) instead of 0/0


@formula
def place_body(b, bodies, kinds):
    """Sphere centres x + q d q* of body b."""
    x = load(bodies.position, b)
    q = load_quaternion(bodies.orientation, b)
    o = kinds.first_offset[bodies.kind[b]] - bodies.first_sphere[b]
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        store(bodies.sphere_position, s, add(x, rotate(q, load(kinds.offset, s + o))))


@stage
def place(c, bodies, kinds, neighbours):
    """Place the spheres of the bodies of chunk c that have anything to touch."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.active_count[c]):
        place_body(neighbours.active[k], bodies, kinds)


@kernel
def place_all(bodies, kinds):
    """Place the spheres of all bodies, for who looks at them; single spheres are."""
    if bodies.torque.shape[1] > 0:
        for b in range(bodies.kind.size):
            place_body(b, bodies, kinds)


@kernel
def place_crooked(c, bodies, kinds):
    """Place the spheres of those bodies of chunk c that are not on a line, before candidates are picked."""
    if bodies.torque.shape[1] == 0:
        return
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        if kinds.on_line[bodies.kind[b]] == 0:
            place_body(b, bodies, kinds)


@stage
def evaluate(c, bodies, kinds, neighbours, unit):
    """Evaluate the candidate pairs of chunk c; returns elastic energy in units and the bits of the largest overlap.

    Spheres that are all alike do without reading reach and stiffness of each pair, a tenth of a step's memory traffic.
    """
    number = neighbours.pairs[c]
    start = c * (neighbours.sphere_i.size // neighbours.pairs.size)
    stop = start + number
    column = neighbours.force_at[c]
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    force_x = neighbours.pair_force[0, column : column + number]
    force_y = neighbours.pair_force[1, column : column + number]
    force_z = neighbours.pair_force[2, column : column + number]
    if kinds.reach > 0.0:
        return evaluate_pairs(
            bodies.sphere_position, sphere_i, sphere_j, kinds.reach, kinds.stiffness, unit, force_x, force_y, force_z
        )
    reach, stiffness = neighbours.reach[start:stop], neighbours.stiffness[start:stop]
    return evaluate_pairs(bodies.sphere_position, sphere_i, sphere_j, reach, stiffness, unit, force_x, force_y, force_z)


def of_pair(values, k):
    """Value of pair k: an element, or the one value of all."""
    return values if np.isscalar(values) else values[k]


@overload(of_pair, jit_options=CHOICE)
def _of_pair(values, k):
    if isinstance(values, types.Float):
        return lambda values, k: values
    return lambda values, k: values[k]


@loop
def evaluate_pairs(sphere_position, sphere_i, sphere_j, reach, stiffness, unit, force_x, force_y, force_z):
    """Hertz force on sphere i of each candidate pair; returns elastic energy and the bits of the largest overlap."""
    elastic = np.int64(0)
    largest = np.int64(0)
    for k in range(sphere_i.size):
        gap = subtract(load(sphere_position, sphere_i[k]), load(sphere_position, sphere_j[k]))
        distance = math.sqrt(dot(gap, gap))
        overlap = of_pair(reach, k) - distance
        overlap = overlap if overlap > 0.0 else 0.0
        f = hertz.force(of_pair(stiffness, k), overlap) / (distance + TINY)
        force_x[k] = f * gap[0]
        force_y[k] = f * gap[1]
        force_z[k] = f * gap[2]
        elastic += as_fixed(hertz.energy(of_pair(stiffness, k), overlap), unit)
        bits = np.float64(overlap).view(np.int64)
        largest = bits if bits > largest else largest
    return elastic, largest


@stage
def gather(c, shift, bodies, kinds, neighbours, box, unit):
    """Sum pair forces, their torques and the walls for the bodies of chunk c; that of slot b goes to column b - shift.

    Returns the walls' elastic energy in units and the bits of the largest overlap with them.
    """
    low, high = chunk_of(c, bodies.kind.size)
    if bodies.torque.shape[1] > 0:
        e = first_incident(low, neighbours.first_entry)
        for k in range(low, low + neighbours.active_count[c]):
            e = gather_pairs(neighbours.active[k], e, bodies, neighbours)
    else:
        gather_round(
            low, high, shift, first_incident(low, neighbours.first_entry), neighbours.incident_j, neighbours.incident_i,
            neighbours.incident, neighbours.pair_force, bodies.force,
        )  # fmt: skip
    elastic = np.int64(0)
    largest = 0.0
    for k in range(low, low + neighbours.walled_count[c]):
        energy, overlap = add_walls(neighbours.walled[k], shift, bodies, kinds, box)
        elastic += as_fixed(energy, unit)
        largest = max(largest, overlap)
    return elastic, np.float64(largest).view(np.int64)


@loop
def gather_round(low, high, shift, e, incident_j, incident_i, incident, pair_force, force):
    """Force of the candidate pairs on bodies that are one sphere: one candidate a pair, no torque.

    In whole groups, filled up with a candidate that is always zero: the processor guesses the number of groups right
    more often than that of pairs. Bodies without a wrong guess take 7 ns, with one 10.
    """
    for b in unsigned_range(low, high):
        f = (0.0, 0.0, 0.0)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        while e < middle:
            for m in range(GROUP):
                f = subtract(f, load(pair_force, np.uint32(incident[e + m])))
            e += GROUP
        while e < stop:
            for m in range(GROUP):
                f = add(f, load(pair_force, np.uint32(incident[e + m])))
            e += GROUP
        store(force, b - np.uint64(shift), f)


@formula
def gather_pairs(b, e, bodies, neighbours):
    """Force and torque of the candidate pairs on body b, whose incident pairs begin at e; returns their end.

    A frictionless force acts along the line of centres, so the lever arm may end at the sphere's own centre.
    """
    x = load(bodies.position, b)
    f = (0.0, 0.0, 0.0)
    t = (0.0, 0.0, 0.0)
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, stop):
        start, number = unpack(neighbours.packed[neighbours.incident[n]])
        sphere = neighbours.sphere_j if n < middle else neighbours.sphere_i
        sign = -1.0 if n < middle else 1.0
        for k in range(start, start + number):
            f_k = load(neighbours.pair_force, k)
            f = add_scaled(f, sign, f_k)
            t = add_scaled(t, sign, cross(subtract(load(bodies.sphere_position, sphere[k]), x), f_k))
    store(bodies.force, b, f)
    store(bodies.torque, b, t)
    return stop


@formula
def add_walls(b, shift, bodies, kinds, box):
    """Add the forces and torques of the six walls on body b; returns their elastic energy and the largest overlap.

    A wall is a sphere of infinite radius, so R* = R; it pushes along its normal only.
    """
    g = bodies.kind[b]
    x = load(bodies.position, b)
    energy = 0.0
    largest = 0.0
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = kinds.radius[kinds.first_offset[g] + s - bodies.first_sphere[b]]
        x_s = load(bodies.sphere_position, s)
        if touches_wall(x_s, radius, box):
            f, energy_s, overlap = wall_force(x_s, radius, kinds.wall_modulus[kinds.material[g]], box)
            store(bodies.force, b - shift, add(load(bodies.force, b - shift), f))
            if bodies.torque.shape[1] > 0:
                store(bodies.torque, b, add(load(bodies.torque, b), cross(subtract(x_s, x), f)))
            energy += energy_s
            largest = max(largest, overlap)
    return energy, largest


@formula
def touches_wall(x, radius, box):
    """Whether a sphere at x overlaps any wall."""
    return (
        min(x[0] - box.lower[0], x[1] - box.lower[1], x[2] - box.lower[2]) < radius
        or min(box.upper[0] - x[0], box.upper[1] - x[1], box.upper[2] - x[2]) < radius
    )


@kernel
def wall_force(x, radius, modulus, box):
    """Force of the walls on a sphere at x, their elastic energy, and the largest overlap."""
    k = hertz.stiffness(modulus, radius)
    fx, e_x, d_x = opposite_walls(k, radius, x[0], box.lower[0], box.upper[0])
    fy, e_y, d_y = opposite_walls(k, radius, x[1], box.lower[1], box.upper[1])
    fz, e_z, d_z = opposite_walls(k, radius, x[2], box.lower[2], box.upper[2])
    return (fx, fy, fz), e_x + e_y + e_z, max(d_x, d_y, d_z)


@formula
def opposite_walls(k, radius, x, lower, upper):
    """Force along one axis of the two walls across it, their elastic energy, and the larger overlap."""
    below = max(radius - (x - lower), 0.0)
    above = max(radius - (upper - x), 0.0)
    return (
        hertz.force(k, below) - hertz.force(k, above),
        hertz.energy(k, below) + hertz.energy(k, above),
        max(below, above),
    )
