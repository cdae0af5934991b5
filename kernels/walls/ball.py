"""A ball that particles are outside of (side 1) or inside of (side -1): centre (3), radius, side.

In the centre, where all directions are as good, the normal is along x.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import dot, scale, subtract


@inline
def distance(x, numbers, k):
    """± (|x - c| - R) and its gradient."""
    side = numbers[k + 4]
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    length = math.sqrt(dot(p, p))
    n = scale(side / length, p) if length > 0.0 else (side, 0.0, 0.0)
    return side * (length - numbers[k + 3]), n
