"""Forces and torques of all contacts: place the spheres, evaluate the candidate pairs, gather them by body.

Each pair is evaluated once, in a loop without branches that LLVM turns into vector code (a pair that does not touch
yields an exact zero); then each body sums its own pairs in a fixed order. So neither the number of threads nor the
age of the lists changes a bit of the result, and no two threads ever write to the same place.
"""

import math

import numpy as np

from kernels import hertz
from kernels.candidates import unpack
from kernels.energy import as_fixed
from kernels.jit import formula, kernel, loop, stage
from kernels.quaternion import load_quaternion, rotate
from kernels.vector import add, add_scaled, cross, dot, load, store, subtract

TINY = 1e-300  # keeps the direction of two coincident spheres finite (zero) instead of 0/0


@stage
def contact(bodies, kinds, neighbours, box, pairs, unit):
    """Force and torque on every body; returns the elastic energy in units of `unit` and the largest overlap."""
    rotating = bodies.torque.shape[1] > 0
    if rotating:
        place(bodies.position, bodies.orientation, bodies.kind, bodies.first_sphere, kinds.first_offset, kinds.offset,
              neighbours.incident_count, neighbours.near_wall, bodies.sphere_position)  # fmt: skip
    elastic, overlap = evaluate_pairs(
        bodies.sphere_position, neighbours.sphere_i, neighbours.sphere_j, neighbours.reach, neighbours.stiffness,
        pairs, unit, neighbours.pair_force)  # fmt: skip
    wall_elastic, wall_overlap = gather(rotating, bodies, kinds, neighbours, box, unit)
    return elastic + wall_elastic, max(overlap, wall_overlap)


@loop
def place(position, orientation, kind, first_sphere, first_offset, offset, incident_count, near_wall, sphere_position):
    """Sphere centres x + q d q* of the bodies that have anything to touch."""
    for b in range(kind.size):
        if incident_count[b] > 0 or near_wall[b] != 0:
            x = load(position, b)
            q = load_quaternion(orientation, b)
            o = first_offset[kind[b]] - first_sphere[b]
            for s in range(first_sphere[b], first_sphere[b + 1]):
                store(sphere_position, s, add(x, rotate(q, load(offset, s + o))))


@loop
def place_all(position, orientation, kind, first_sphere, first_offset, offset, sphere_position):
    """Sphere centres of all bodies, before the lists are made."""
    for b in range(kind.size):
        x = load(position, b)
        q = load_quaternion(orientation, b)
        o = first_offset[kind[b]] - first_sphere[b]
        for s in range(first_sphere[b], first_sphere[b + 1]):
            store(sphere_position, s, add(x, rotate(q, load(offset, s + o))))


@loop
def evaluate_pairs(sphere_position, sphere_i, sphere_j, reach, stiffness, pairs, unit, pair_force):
    """Hertz force on sphere i of each candidate pair; returns elastic energy and largest overlap."""
    elastic = np.int64(0)
    largest = np.int64(0)
    for k in range(pairs):
        gap = subtract(load(sphere_position, sphere_i[k]), load(sphere_position, sphere_j[k]))
        distance = math.sqrt(dot(gap, gap))
        overlap = reach[k] - distance
        overlap = overlap if overlap > 0.0 else 0.0
        f = hertz.force(stiffness[k], overlap) / (distance + TINY)
        pair_force[0, k] = f * gap[0]
        pair_force[1, k] = f * gap[1]
        pair_force[2, k] = f * gap[2]
        elastic += as_fixed(hertz.energy(stiffness[k], overlap), unit)
        bits = np.float64(overlap).view(np.int64)
        largest = bits if bits > largest else largest
    return elastic, np.int64(largest).view(np.float64)


@stage
def gather(rotating, bodies, kinds, neighbours, box, unit):
    """Sum pair forces, their torques and the walls for each body; returns the walls' elastic energy and overlap."""
    elastic = np.int64(0)
    largest = 0.0
    for b in range(bodies.kind.size):
        x = load(bodies.position, b)
        f, t = gather_pairs(b, x, rotating, bodies.sphere_position, neighbours)
        if neighbours.near_wall[b] != 0:
            f, t, energy, overlap = add_walls(b, x, f, t, bodies, kinds, box)
            elastic += as_fixed(energy, unit)
            largest = max(largest, overlap)
        store(bodies.force, b, f)
        if rotating:
            store(bodies.torque, b, t)
    return elastic, largest


@formula
def gather_pairs(b, x, rotating, sphere_position, neighbours):
    """Force and torque of the candidate pairs on body b at x.

    A frictionless force acts along the line of centres, so the lever arm may end at the sphere's own centre.
    """
    f = (0.0, 0.0, 0.0)
    t = (0.0, 0.0, 0.0)
    first = neighbours.first[b]
    for e in range(first, first + neighbours.incident_count[b]):
        start, number, side = unpack(neighbours.incident[e])
        for k in range(start, start + number):
            f_k = load(neighbours.pair_force, k)
            f = add_scaled(f, side, f_k)
            if rotating:
                s = neighbours.sphere_i[k] if side > 0.0 else neighbours.sphere_j[k]
                t = add_scaled(t, side, cross(subtract(load(sphere_position, s), x), f_k))
    return f, t


@kernel
def add_walls(b, x, f, t, bodies, kinds, box):
    """Add the forces and torques of the six walls on body b at x; also their elastic energy and largest overlap.

    A wall is a sphere of infinite radius, so R* = R; it pushes along its normal only.
    """
    g = bodies.kind[b]
    modulus = kinds.wall_modulus[kinds.material[g]]
    energy = 0.0
    largest = 0.0
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = kinds.radius[kinds.first_offset[g] + s - bodies.first_sphere[b]]
        k = hertz.stiffness(modulus, radius)
        x_s = load(bodies.sphere_position, s)
        for axis in range(3):
            below = max(radius - (x_s[axis] - box.lower[axis]), 0.0)
            above = max(radius - (box.upper[axis] - x_s[axis]), 0.0)
            if below > 0.0 or above > 0.0:
                push = hertz.force(k, below) - hertz.force(k, above)
                n = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
                f = add_scaled(f, push, n)
                t = add_scaled(t, push, cross(subtract(x_s, x), n))
                energy += hertz.energy(k, below) + hertz.energy(k, above)
                largest = max(largest, below, above)
    return f, t, energy, largest
