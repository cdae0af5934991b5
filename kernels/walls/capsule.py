"""A capsule that particles are outside of: centre (3), from there to the middle of one cap (3), radius."""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


@inline
def distance(x, numbers, k):
    """Distance from the segment less the radius, negative within, and its gradient; along x on the segment itself."""
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    half = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    along = dot(p, half) / dot(half, half)
    p = add_scaled(p, -min(max(along, -1.0), 1.0), half)
    length = math.sqrt(dot(p, p))
    return length - numbers[k + 6], scale(1.0 / length, p) if length > 0.0 else (1.0, 0.0, 0.0)
