"""Cylindrical coordinates about an axis: origin (3), axis (3), a direction across it (3)."""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


@inline
def cylindrical(x, numbers, k):
    """r, z, the unit vector away from the axis, and the axis; on the axis that vector is the direction across it."""
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    axis = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    z = dot(p, axis)
    p = add_scaled(p, -z, axis)
    r = math.sqrt(dot(p, p))
    if r > 0.0:
        return r, z, scale(1.0 / r, p), axis
    return r, z, (numbers[k + 6], numbers[k + 7], numbers[k + 8]), axis
