"""Taylor-Green vortices: u = U e^{-λt} (sin kx cos ky, -cos kx sin ky, 0).

With λ = 2 k² μ/ρ they solve the equations of Navier and Stokes (Taylor & Green, Proc. R. Soc. A 158 (1937) 499).
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample
from dem.kernels.numerics.vector import scale


class TaylorGreen(NamedTuple):
    """Amplitude, wave number and decay rate of vortices with axes along z."""

    speed: float  # U [m/s]
    wavenumber: float  # k [1/m]
    decay: float  # λ [1/s]


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    k = field.wavenumber
    speed = field.speed * math.exp(-field.decay * t)
    sx, cx, sy, cy = math.sin(k * x[0]), math.cos(k * x[0]), math.sin(k * x[1]), math.cos(k * x[1])
    u = (speed * sx * cy, -speed * cx * sy, 0.0)
    g = k * speed
    gradient = (g * cx * cy, -g * sx * sy, 0.0, g * sx * sy, -g * cx * cy, 0.0, 0.0, 0.0, 0.0)
    return Sample(u, gradient, scale(-field.decay, u), 0)
