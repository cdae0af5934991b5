"""A velocity that a user's function gives: u(t, x, y, z), compiled, and called through its address.

The address is a number, not a type of its own, so that kernels are compiled once for all functions. Gradients and the
change in time are central differences over distances that are small against a particle and a time step.
"""

from typing import NamedTuple

import numba
from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample
from dem.kernels.numerics.vector import scale, subtract
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

FUNCTION = types.void(types.float64, types.float64, types.float64, types.float64, types.CPointer(types.float64))


class Called(NamedTuple):
    """A function, and over which distances it is differentiated."""

    function: int  # its address, see `compiled`; without a compiler the function itself
    length: float  # [m]
    time: float  # [s]


def compiled(function):
    """What `Called` takes of a function of (t, x, y, z) that returns three numbers, and what to keep while it does."""
    if numba.config.DISABLE_JIT:
        return function, function
    inner = function if hasattr(function, "py_func") else numba.njit(function)

    @numba.cfunc(FUNCTION)
    def call(t, x, y, z, result):
        u = inner(t, x, y, z)
        result[0], result[1], result[2] = u[0], u[1], u[2]

    return call.address, call


@intrinsic
def call_address(_typing, address, t, x, y, z):
    """Three numbers from the function at an address."""

    def generate(context, builder, signature, arguments):
        pointer = types.ExternalFunctionPointer(FUNCTION, get_pointer=None)
        function = builder.inttoptr(arguments[0], context.get_value_type(pointer))
        real = context.get_value_type(types.float64)
        result = cgutils.alloca_once(builder, real, size=3)
        builder.call(function, [*arguments[1:], result])
        values = [builder.load(cgutils.gep_inbounds(builder, result, k)) for k in range(3)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.float64, 3)(address, t, x, y, z), generate


def ask(function, t, x):
    """The function itself, where there is no compiler."""
    u = function(t, x[0], x[1], x[2])
    return float(u[0]), float(u[1]), float(u[2])


@inline
def ask_address(function, t, x):
    """The function at an address."""
    return call_address(function, t, x[0], x[1], x[2])


at = ask if numba.config.DISABLE_JIT else ask_address


@inline
def sample(field, t, x):
    """Velocity at time t [s] and place x [m]."""
    f, h = field.function, field.length
    u = at(f, t, x)
    right, left = (x[0] + h, x[1], x[2]), (x[0] - h, x[1], x[2])
    dx = scale(1.0 / (right[0] - left[0]), subtract(at(f, t, right), at(f, t, left)))
    right, left = (x[0], x[1] + h, x[2]), (x[0], x[1] - h, x[2])
    dy = scale(1.0 / (right[1] - left[1]), subtract(at(f, t, right), at(f, t, left)))
    right, left = (x[0], x[1], x[2] + h), (x[0], x[1], x[2] - h)
    dz = scale(1.0 / (right[2] - left[2]), subtract(at(f, t, right), at(f, t, left)))
    later, sooner = t + field.time, t - field.time
    change = scale(1.0 / (later - sooner), subtract(at(f, later, x), at(f, sooner, x)))
    gradient = (dx[0], dy[0], dz[0], dx[1], dy[1], dz[1], dx[2], dy[2], dz[2])
    return Sample(u, gradient, change, 0)
