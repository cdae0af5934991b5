"""Flow field by a user's function u(t, x, y, z), compiled and called by its address.

The address is a number, not a type of its own, so that kernels are compiled once for all functions. Gradients and the
change in time are central differences over distances that are small against a particle and a time step.
"""

from typing import NamedTuple

from dem.kernels.compiler.c_functions import call_velocity
from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample
from dem.kernels.numerics.vector import scale, subtract


class UserFunction(NamedTuple):
    """Address of a user's velocity function, and the steps of its numerical derivatives."""

    function: int  # address by `c_functions.compile_velocity`; without a compiler the function itself
    length: float  # [m]
    time: float  # [s]


@inline
def sample(field, t, x):
    """Sample the flow at time t [s] and place x [m]."""
    f, h = field.function, field.length
    u = call_velocity(f, t, x)
    right, left = (x[0] + h, x[1], x[2]), (x[0] - h, x[1], x[2])
    dx = scale(1.0 / (right[0] - left[0]), subtract(call_velocity(f, t, right), call_velocity(f, t, left)))
    right, left = (x[0], x[1] + h, x[2]), (x[0], x[1] - h, x[2])
    dy = scale(1.0 / (right[1] - left[1]), subtract(call_velocity(f, t, right), call_velocity(f, t, left)))
    right, left = (x[0], x[1], x[2] + h), (x[0], x[1], x[2] - h)
    dz = scale(1.0 / (right[2] - left[2]), subtract(call_velocity(f, t, right), call_velocity(f, t, left)))
    later, sooner = t + field.time, t - field.time
    change = scale(1.0 / (later - sooner), subtract(call_velocity(f, later, x), call_velocity(f, sooner, x)))
    gradient = (dx[0], dy[0], dz[0], dx[1], dy[1], dz[1], dx[2], dy[2], dz[2])
    return Sample(u, gradient, change, 0)
