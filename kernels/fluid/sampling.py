"""A flow field at many places, for who looks at it."""

import math

from kernels.base.jit import kernel
from kernels.base.vector import dot, load
from kernels.fluid import sample_of


@kernel
def speeds(field, time, position, speed):
    """Speeds of the fluid at positions (3, N) [m]; writes speed (N,) [m/s]."""
    for n in range(speed.size):
        u = sample_of(field, time, load(position, n)).velocity
        speed[n] = math.sqrt(dot(u, u))
