"""Fincham's leap-frog: second order; first where the torque depends on the angular velocity.

Fincham, D., Mol. Simul. 8 (1992) 165; YADE's default for years, there with a slip that makes it first order.
memory = (q_n, world angular momentum at n - 1/2, world torque at n).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import derivative, rotate, rotate_back, step, unit
from dem.kernels.numerics.vector import add_scaled, divide, multiply
from dem.kernels.rotation.scheme_interface import Steps, velocity_of_last_momentum


class Fincham(NamedTuple):
    """Selects Fincham's leap-frog."""


@inline
def start(q, omega_body, torque, inertia, dt):
    """Angular momentum half a step back."""
    return q, add_scaled(rotate(q, multiply(inertia, omega_body)), -0.5 * dt, torque), torque


@inline
def predict(memory, inertia, dt):
    """L_n for half a step of q, then L_{n+1/2} in the frame found there for the whole step."""
    q, momentum, torque = memory
    omega = divide(rotate_back(q, add_scaled(momentum, 0.5 * dt, torque)), inertia)
    momentum = add_scaled(momentum, dt, torque)
    q_half = step(q, 0.5 * dt, derivative(q, omega))  # not of unit length; its rate below is that of the paper
    omega = divide(rotate_back(unit(q_half), momentum), inertia)
    q = unit(step(q, dt, derivative(q_half, omega)))
    return q, (q, momentum, torque)


@inline
def correct(memory, q_force, torque, inertia, dt):
    """Keep the new torque for the next step."""
    return q_force, memory[1], torque


@inline
def whole(memory, q_force, inertia, dt):
    """Orientation and angular velocity at n + 1, from L_{n+1} = L_{n+1/2} + dt/2 torque_{n+1}."""
    _, momentum, torque = memory
    return q_force, divide(rotate_back(q_force, add_scaled(momentum, 0.5 * dt, torque)), inertia)


FINCHAM = Steps(start, predict, velocity_of_last_momentum, correct, whole)
