"""A rectangle that particles may touch on both sides, and at its rim.

Centre (3), unit vectors along its edges (3), (3) and across (3), half its lengths (2).
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


@inline
def distance(x, numbers, k):
    """Distance from the nearest point of the rectangle and its gradient; on the rectangle itself what is across."""
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    u = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    v = numbers[k + 6], numbers[k + 7], numbers[k + 8]
    n = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    along, sideways, across = dot(p, u), dot(p, v), dot(p, n)
    along -= min(max(along, -numbers[k + 12]), numbers[k + 12])
    sideways -= min(max(sideways, -numbers[k + 13]), numbers[k + 13])
    if along == 0.0 and sideways == 0.0:
        return abs(across), scale(-1.0 if across < 0.0 else 1.0, n)
    length = math.sqrt(along * along + sideways * sideways + across * across)
    q = add_scaled(add_scaled(scale(along, u), sideways, v), across, n)
    return length, scale(1.0 / length, q)
