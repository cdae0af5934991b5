"""A fluid at many places, for who looks at it."""

import math

from kernels.base.jit import kernel
from kernels.base.quaternion import load_quaternion, rotate_back
from kernels.base.vector import dot, load, store, subtract
from kernels.fluid import resist, sample_of


@kernel
def speeds(field, time, position, speed):
    """Speeds of the fluid at positions (3, N) [m]; writes speed (N,) [m/s]."""
    for n in range(speed.size):
        u = sample_of(field, time, load(position, n)).velocity
        speed[n] = math.sqrt(dot(u, u))


@kernel
def resistances(fluid, kind, position, velocity, orientation, result):
    """Drag of bodies over their velocity relative to the fluid, the mean along their axes.

    Parameters
    ----------
    fluid, kind : of ``kernels.fluid``; (N,) variants
    position, velocity, orientation : (3, N) [m], (3, N) [m/s], (4, N) of the bodies

    Writes
    ------
    result : (N,) [N s/m]
    """
    medium = fluid.medium
    for n in range(kind.size):
        g = kind[n]
        flow = sample_of(fluid.field, medium.clock[0], load(position, n))
        slip = rotate_back(load_quaternion(orientation, n), subtract(flow.velocity, load(velocity, n)))
        reynolds = medium.density * medium.diameter[g] * math.sqrt(dot(slip, slip)) / medium.viscosity
        along = resist(fluid.drag, medium, g, reynolds, slip, flow)
        result[n] = (along[0] + along[1] + along[2]) / 3.0


@kernel
def velocities(field, time, position, velocity):
    """Velocity of the fluid at positions (3, N) [m]; writes velocity (3, N) [m/s]."""
    for n in range(position.shape[1]):
        store(velocity, n, sample_of(field, time, load(position, n)).velocity)
