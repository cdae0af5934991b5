"""Uniform flow, constant or oscillating: u = u_0 + A sin(ω t + φ)."""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import NO_GRADIENT, Sample
from dem.kernels.numerics.vector import add_scaled, scale


class Uniform(NamedTuple):
    """Mean velocity, and amplitude, frequency and phase of its oscillation."""

    velocity: tuple[float, float, float]  # u_0 [m/s]
    amplitude: tuple[float, float, float]  # A [m/s]
    pulsation: float  # ω [rad/s]
    phase: float  # φ [rad]


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    angle = field.pulsation * t + field.phase
    change = scale(field.pulsation * math.cos(angle), field.amplitude)
    return Sample(add_scaled(field.velocity, math.sin(angle), field.amplitude), NO_GRADIENT, change, 0)
