"""ABC flow (Arnold, Beltrami, Childress): u = (A sin kz + C cos ky, B sin kx + A cos kz, C sin ky + B cos kx) e^{-λt}.

Its vorticity is k u, and its streamlines are chaotic; with λ = k² μ/ρ it solves the equations of Navier and Stokes.
T. Dombre et al., J. Fluid Mech. 167 (1986) 353.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample
from dem.kernels.numerics.vector import scale


class ABC(NamedTuple):
    """Amplitudes, wave number and decay rate of an ABC flow."""

    a: float  # [m/s]
    b: float
    c: float
    wavenumber: float  # k [1/m]
    decay: float  # λ [1/s]


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    k, fade = field.wavenumber, math.exp(-field.decay * t)
    a, b, c = fade * field.a, fade * field.b, fade * field.c
    sx, cx = math.sin(k * x[0]), math.cos(k * x[0])
    sy, cy = math.sin(k * x[1]), math.cos(k * x[1])
    sz, cz = math.sin(k * x[2]), math.cos(k * x[2])
    u = (a * sz + c * cy, b * sx + a * cz, c * sy + b * cx)
    gradient = (
        0.0, -k * c * sy, k * a * cz,
        k * b * cx, 0.0, -k * a * sz,
        -k * b * sx, k * c * cy, 0.0,
    )  # fmt: skip
    return Sample(u, gradient, scale(-field.decay, u), 0)
