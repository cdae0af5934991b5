"""A torus that particles are outside of (side 1), or inside of its tube (side -1).

Centre (3), axis (3), a direction across it (3), radius of the ring in the tube's middle, radius of the tube, side.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, scale
from dem.kernels.walls.cylindrical import cylindrical


@inline
def distance(x, numbers, k):
    """± (√((r - R)² + z²) - a), r and z about the axis, and its gradient; outward from the axis on the ring itself."""
    r, z, radial, axis = cylindrical(x, numbers, k)
    side = numbers[k + 11]
    across = r - numbers[k + 9]
    length = math.hypot(across, z)
    cosine, sine = (side * across / length, side * z / length) if length > 0.0 else (side, 0.0)
    return side * (length - numbers[k + 10]), add_scaled(scale(cosine, radial), sine, axis)
