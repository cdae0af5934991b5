"""Elastic forces of all candidate pairs of spheres: the fast path of ``contact_batches``.

Each pair is evaluated once, in a loop without branches that LLVM turns into vector code (a pair that does not touch
yields an exact zero); then each body sums its own pairs in a fixed order (``force_accumulation``). So neither the
number of threads nor the age of the lists changes a bit of the result, and no two threads write to the same place.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import hertz
from dem.kernels.numerics.energy import as_fixed
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import dot, load
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.contact_detection import TINY, Sums, no_energy, of_pair


@inline
def evaluate_elastic(c, time_sign, context):
    """Evaluate the candidate pairs of chunk c.

    Spheres that are all alike do without reading the distance and stiffness of each pair, a tenth of the memory traffic
    of a step.

    Writes context.neighbours.pair_force: of the chunk's candidates [N]. Returns `Sums`.
    """
    bodies, kinds, neighbours, box = context.bodies, context.kinds, context.neighbours, context.box
    per_joule, count = context.constants.per_joule, neighbours.pairs[c]
    start = first_candidate(c, neighbours)
    stop = start + count
    column = neighbours.force_at[c]
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    force_x = neighbours.pair_force[0, column : column + count]
    force_y = neighbours.pair_force[1, column : column + count]
    force_z = neighbours.pair_force[2, column : column + count]
    if kinds.contact_distance > 0.0:
        elastic, largest = evaluate_pairs(
            box, bodies.sphere_position, sphere_i, sphere_j, kinds.contact_distance, kinds.stiffness, per_joule,
            force_x, force_y, force_z,
        )  # fmt: skip
    else:
        contact_distance, stiffness = neighbours.contact_distance[start:stop], neighbours.stiffness[start:stop]
        elastic, largest = evaluate_pairs(
            box,
            bodies.sphere_position,
            sphere_i,
            sphere_j,
            contact_distance,
            stiffness,
            per_joule,
            force_x,
            force_y,
            force_z,
        )
    return Sums(elastic, largest, np.int64(0), no_energy(), no_energy(), no_energy())


@vector_loop
def evaluate_pairs(
    box, sphere_position, sphere_i, sphere_j, contact_distance, stiffness, per_joule, force_x, force_y, force_z
):
    """Hertz force on sphere i of each candidate pair.

    sphere_position: (3, M) centres [m].
    sphere_i, sphere_j: (K,) the spheres of each pair.
    contact_distance, stiffness: (K,) or one float for all, R_i + R_j [m] and K [N m^-1.5].
    Writes force_x, force_y, force_z: (K,) world frame [N], zero for pairs that are apart.
    Returns elastic energy in units, bits of the largest overlap.
    """
    elastic = np.int64(0)
    largest = np.int64(0)
    for k in range(sphere_i.size):
        d = minimum_image(box, load(sphere_position, sphere_i[k]), load(sphere_position, sphere_j[k]))
        distance = math.sqrt(dot(d, d))
        overlap = of_pair(contact_distance, k) - distance
        overlap = overlap if overlap > 0.0 else 0.0
        f = hertz.force(of_pair(stiffness, k), overlap) / (distance + TINY)
        force_x[k] = f * d[0]
        force_y[k] = f * d[1]
        force_z[k] = f * d[2]
        elastic += as_fixed(hertz.energy(of_pair(stiffness, k), overlap), per_joule)
        bits = bits_of_float(overlap)
        largest = bits if bits > largest else largest
    return elastic, largest
