"""SPIRAL, leap-frog form: second order once the torque varies, whatever its title says.

del Valle, C., et al., Comput. Phys. Commun. 297 (2024) 109077; what YADE runs. memory = (q_n, omega_body_{n+1/2}, mean
rate of change over the last step).
"""

from typing import NamedTuple

from kernels.jit import formula
from kernels.quaternion import angular_acceleration, renormalise, rotate_back, turn_body
from kernels.rotation.steps import Steps, velocity_half, whole_half
from kernels.vector import add, add_scaled, scale, subtract


class Spiral(NamedTuple):
    """Selects SPIRAL."""


@formula
def spin_up(omega, torque_body, inertia, dt):
    """omega after dt under a body torque that does not change: the three-stage Runge-Kutta method of Shu and Osher."""
    k1 = scale(dt, angular_acceleration(omega, torque_body, inertia))
    k2 = scale(dt, angular_acceleration(add(omega, k1), torque_body, inertia))
    k3 = scale(dt, angular_acceleration(add_scaled(omega, 0.25, add(k1, k2)), torque_body, inertia))
    return add_scaled(omega, 1.0 / 6.0, add_scaled(add(k1, k2), 4.0, k3))


@formula
def start(q, omega_body, torque, inertia, dt):
    """Angular velocity half a step ahead."""
    omega = spin_up(omega_body, rotate_back(q, torque), inertia, 0.5 * dt)
    return q, omega, scale(2.0 / dt, subtract(omega, omega_body))


@formula
def predict(memory, inertia, dt):
    """q_{n+1} = q_n exp(dt/2 omega_{n+1/2})."""
    q, omega, rate = memory
    q = renormalise(turn_body(q, omega, dt))
    return q, (q, omega, rate)


@formula
def correct(memory, q_force, torque, inertia, dt):
    """omega_{n+3/2} from omega_{n+1/2} with the torque at n + 1."""
    q, omega, _ = memory
    new = spin_up(omega, rotate_back(q_force, torque), inertia, dt)
    return q, new, scale(1.0 / dt, subtract(new, omega))


SPIRAL = Steps(start, predict, velocity_half, correct, whole_half)
