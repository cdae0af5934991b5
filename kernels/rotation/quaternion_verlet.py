"""Velocity Verlet for quaternions: second order, implicit, keeps the world angular momentum.

Rozmanov, D., Kusalik, P. G., Phys. Rev. E 81 (2010) 056706, section IV.A. The quaternion at the half step has not unit
length, so that L_body = q* L q / |q|², and the step is a Cayley map of exact unit length. The fixed point is found only
while |omega| dt stays below about 2. memory = (q_n, world angular momentum, world torque).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import (
    angular_acceleration,
    derivative,
    norm_squared,
    renormalise,
    rotate_back,
    step,
)
from dem.kernels.numerics.vector import add_scaled, divide
from dem.kernels.rotation.scheme_interface import Steps, second_kick, start_momentum, whole_momentum

MAX_ITERATIONS = 60
CONVERGED = 1e-31  # squared change of the quaternion


class QuaternionVerlet(NamedTuple):
    """Selects quaternion velocity Verlet."""


@inline
def predict(memory, inertia, dt):
    """Half a kick, then q_{n+1} = q_n + dt q'_{n+1/2} with the fixed point of q_{n+1/2} = q_n + dt/2 q'_{n+1/2}."""
    q, momentum, torque = memory
    omega = divide(rotate_back(q, momentum), inertia)
    omega = add_scaled(omega, 0.5 * dt, angular_acceleration(omega, rotate_back(q, torque), inertia))
    momentum = add_scaled(momentum, 0.5 * dt, torque)
    q_dot = derivative(q, omega)
    for _ in range(MAX_ITERATIONS):
        q_half = step(q, 0.5 * dt, q_dot)
        s = 1.0 / norm_squared(q_half)
        turned = rotate_back_any(q_half, momentum)
        omega = divide((s * turned[0], s * turned[1], s * turned[2]), inertia)
        new = derivative(q_half, omega)
        change = norm_squared((new[0] - q_dot[0], new[1] - q_dot[1], new[2] - q_dot[2], new[3] - q_dot[3]))
        q_dot = new
        if not change * dt * dt > CONVERGED:
            break
    q = renormalise(step(q, dt, q_dot))
    return q, (q, momentum, torque)


@inline
def rotate_back_any(q, u):
    """q* u q for q of any length."""
    n = norm_squared(q)
    t = rotate_back(q, u)  # u + 2 (...), where the part in brackets grows with |q|²
    return t[0] + (n - 1.0) * u[0], t[1] + (n - 1.0) * u[1], t[2] + (n - 1.0) * u[2]


@inline
def velocity(memory, q_force, inertia, dt):
    """Angular velocity at n + 1, if the torque did not change."""
    _, momentum, torque = memory
    return divide(rotate_back(q_force, add_scaled(momentum, 0.5 * dt, torque)), inertia)


QUATERNION_VERLET = Steps(start_momentum, predict, velocity, second_kick, whole_momentum)
