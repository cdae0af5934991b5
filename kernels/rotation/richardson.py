"""Richardson iteration of q, as LAMMPS does in `fix rigid`: second order; first for torque that depends on omega.

After the description of LAMMPS's documentation and of numerical checks. memory = (q_n, world angular momentum, world
torque).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import derivative, rotate_back, step, unit
from dem.kernels.numerics.vector import add_scaled, divide
from dem.kernels.rotation.scheme_interface import (
    Steps,
    second_kick,
    start_momentum,
    velocity_of_last_momentum,
    whole_momentum,
)


class Richardson(NamedTuple):
    """Selects the Richardson iteration."""


@inline
def predict(memory, inertia, dt):
    """Half a kick; q by one whole step and by two half ones, and twice the second less the first."""
    q, momentum, torque = memory
    momentum = add_scaled(momentum, 0.5 * dt, torque)
    q_dot = derivative(q, divide(rotate_back(q, momentum), inertia))
    full = unit(step(q, dt, q_dot))
    half = unit(step(q, 0.5 * dt, q_dot))
    q_dot = derivative(half, divide(rotate_back(half, momentum), inertia))
    half = unit(step(half, 0.5 * dt, q_dot))
    q = unit(step(half, 1.0, (half[0] - full[0], half[1] - full[1], half[2] - full[2], half[3] - full[3])))
    return q, (q, momentum, torque)


RICHARDSON = Steps(start_momentum, predict, velocity_of_last_momentum, second_kick, whole_momentum)
