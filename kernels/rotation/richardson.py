"""Richardson iteration of q, as LAMMPS does in `fix rigid`: second order; first for torque that depends on omega.

After the description of LAMMPS's documentation and of numerical checks. memory = (q_n, world angular momentum, world
torque).
"""

from typing import NamedTuple

from kernels.jit import formula
from kernels.quaternion import derivative, rotate, rotate_back, step, unit
from kernels.rotation.steps import Steps
from kernels.vector import add_scaled, divide, multiply


class Richardson(NamedTuple):
    """Selects the Richardson iteration."""


@formula
def start(q, omega_body, torque, inertia, dt):
    """World angular momentum and torque at n = 0."""
    return q, rotate(q, multiply(inertia, omega_body)), torque


@formula
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


@formula
def velocity(memory, q_force, inertia, dt):
    """From the angular momentum at n + 1/2, which is the latest there is."""
    return divide(rotate_back(q_force, memory[1]), inertia)


@formula
def correct(memory, q_force, torque, inertia, dt):
    """The other half of the kick."""
    return q_force, add_scaled(memory[1], 0.5 * dt, torque), torque


@formula
def whole(memory, q_force, inertia, dt):
    """omega = I^-1 q* L q."""
    return q_force, divide(rotate_back(q_force, memory[1]), inertia)


RICHARDSON = Steps(start, predict, velocity, correct, whole)
