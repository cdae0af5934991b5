"""Omelyan's leap-frog: second order.

Omelyan, I. P., Phys. Rev. E 58 (1998) 1169; offered by YADE. memory = (q_n, omega_body_{n+1/2}, mean rate of change
over the last step).
"""

from typing import NamedTuple

from kernels.jit import formula
from kernels.quaternion import angular_acceleration, cayley, renormalise, rotate_back
from kernels.rotation.steps import Steps, velocity_half, whole_half
from kernels.vector import add, add_scaled, scale, subtract

ITERATIONS = 3


class Omelyan(NamedTuple):
    """Selects Omelyan's leap-frog."""


@formula
def spin_up(omega, torque_body, inertia, dt):
    """omega after dt, with the mean of the gyroscopic products before and after, by fixed-point iterations."""
    before = angular_acceleration(omega, torque_body, inertia)
    new = omega
    for _ in range(ITERATIONS):
        rate = scale(0.5, add(before, angular_acceleration(new, torque_body, inertia)))
        new = add_scaled(omega, dt, rate)
    return new


@formula
def start(q, omega_body, torque, inertia, dt):
    """Angular velocity half a step ahead."""
    omega = spin_up(omega_body, rotate_back(q, torque), inertia, 0.5 * dt)
    return q, omega, scale(2.0 / dt, subtract(omega, omega_body))


@formula
def predict(memory, inertia, dt):
    """Cayley step of q with omega_{n+1/2}."""
    q, omega, rate = memory
    q = renormalise(cayley(q, omega, dt))
    return q, (q, omega, rate)


@formula
def correct(memory, q_force, torque, inertia, dt):
    """omega_{n+3/2} from omega_{n+1/2} with the torque at n + 1."""
    q, omega, _ = memory
    new = spin_up(omega, rotate_back(q_force, torque), inertia, dt)
    return q, new, scale(1.0 / dt, subtract(new, omega))


OMELYAN = Steps(start, predict, velocity_half, correct, whole_half)
