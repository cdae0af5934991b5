"""Energy Σ δ²/2 of the overlaps of convex bodies, its forces and torques, for dense packings.

∂δ/∂r = -n, ∂δ/∂(turn of A) = x_A × n and ∂δ/∂(turn of B) = -x_B × n, see `dem.kernels.convex`: so A is pushed by -δ n
and turned by -δ x_A × n, B by δ n and δ x_B × n.
"""

import math

from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.convex.overlap import overlap
from dem.kernels.convex.shape_registry import ConvexBody, support_of
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add_scaled, cross, dot, load, scale, store, subtract


@inline
def body_at(kinds, kind, first_number, numbers, q, b):
    """Convex body b in its current orientation."""
    return ConvexBody(kinds, kind[b], numbers, first_number[b], load_quaternion(q, b))


@inline
def nearest(r, period):
    """Vector r to the nearest periodic image; a period of 0 marks an axis without images."""
    x, y, z = r
    x = x - period[0] * math.floor(x / period[0] + 0.5) if period[0] > 0.0 else x
    y = y - period[1] * math.floor(y / period[1] + 0.5) if period[1] > 0.0 else y
    z = z - period[2] * math.floor(z / period[2] + 0.5) if period[2] > 0.0 else z
    return x, y, z


@inline
def push(force, torque, b, size, n, x):
    """Add a force along n at x from the centre of body b, and its torque."""
    store(force, b, add_scaled(load(force, b), size, n))
    store(torque, b, add_scaled(load(torque, b), size, cross(x, n)))


@kernel
def push_pairs_apart(kinds, kind, first_number, numbers, bound, x, q, i, j, period, normal, force, torque):
    """Add the repulsive forces and torques of pairs.

    kinds, numbers: see `dem.kernels.convex.shape_registry.ConvexBody`.
    kind, first_number, bound: (N,) of each body, and radius of its bounding sphere [m].
    x, q: (3, N) centres [m], (4, N) orientations.
    i, j: (K,) int64, pairs of bodies.
    period: (3,) [m], 0 for axes that are not periodic.
    Writes normal: (3, K) unit vectors from i to j to begin with the next time; zeros at first.
    Writes force, torque: (3, N) added to [m], [m²].
    Returns the energy [m²], and the largest overlap over the widths of its bodies along the normal.
    """
    energy = worst = 0.0
    for k in range(i.size):
        a, b = i[k], j[k]
        r = nearest(subtract(load(x, b), load(x, a)), period)
        reach = bound[a] + bound[b]
        if dot(r, r) >= reach * reach:
            continue
        one = body_at(kinds, kind, first_number, numbers, q, a)
        other = body_at(kinds, kind, first_number, numbers, q, b)
        deep, n, x_a, x_b, _, _ = overlap(one, other, r, load(normal, k), 0.0)
        store(normal, k, n)
        if deep > 0.0:
            push(force, torque, a, -deep, n, x_a)
            push(force, torque, b, deep, n, x_b)
            energy += 0.5 * deep * deep
            worst = max(worst, deep / (deep + dot(n, r)))
    return energy, worst


@kernel
def push_from_walls(kinds, kind, first_number, numbers, x, q, size, period, force, torque):
    """Add the repulsive forces and torques of the walls of a region (3,) [m], across axes without a period.

    All others: see `push_pairs_apart`. Writes force, torque: (3, N) added to.
    Returns the energy [m²], and the largest overlap over the distance from the centre to the support point.
    """
    energy = worst = 0.0
    for b in range(kind.size):
        body, centre = body_at(kinds, kind, first_number, numbers, q, b), load(x, b)
        for face in range(6):
            axis, sign = face // 2, 1.0 - 2.0 * (face % 2)
            n = (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
            if period[axis] > 0.0:
                continue
            h, y = support_of(body, scale(-1.0, n))
            deep = h - (dot(n, centre) if sign > 0.0 else size[axis] + dot(n, centre))
            if deep > 0.0:
                push(force, torque, b, deep, n, y)
                energy += 0.5 * deep * deep
                worst = max(worst, deep / h)
    return energy, worst
