"""A block that particles are outside of: centre (3), unit vectors along its edges (9), half its lengths (3)."""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


@inline
def distance(x, numbers, k):
    """Distance from the nearest point of the block and its gradient; within, less than zero, to the nearest face."""
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    u = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    v = numbers[k + 6], numbers[k + 7], numbers[k + 8]
    w = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    a, b, c = dot(p, u), dot(p, v), dot(p, w)
    over_a, over_b, over_c = abs(a) - numbers[k + 12], abs(b) - numbers[k + 13], abs(c) - numbers[k + 14]
    a, b, c = math.copysign(1.0, a), math.copysign(1.0, b), math.copysign(1.0, c)
    deepest = max(over_a, over_b, over_c)
    if deepest <= 0.0:
        n = scale(a, u) if over_a == deepest else scale(b, v) if over_b == deepest else scale(c, w)
        return deepest, n
    over_a, over_b, over_c = max(over_a, 0.0), max(over_b, 0.0), max(over_c, 0.0)
    length = math.sqrt(over_a * over_a + over_b * over_b + over_c * over_c)
    q = add_scaled(add_scaled(scale(a * over_a, u), b * over_b, v), c * over_c, w)
    return length, scale(1.0 / length, q)
