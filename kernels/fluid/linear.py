"""Flow with a uniform velocity gradient, such as shear, solid rotation or extension: u = u_0 + G (x - c)."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample, along
from dem.kernels.numerics.vector import add, subtract


class LinearFlow(NamedTuple):
    """Velocity at a point, and the uniform velocity gradient."""

    velocity: tuple[float, float, float]  # u_0 [m/s]
    gradient: tuple[float, float, float, float, float, float, float, float, float]  # G [1/s]
    centre: tuple[float, float, float]  # c [m]


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    u = add(field.velocity, along(field.gradient, subtract(x, field.centre)))
    return Sample(u, field.gradient, (0.0, 0.0, 0.0), 0)
