"""Omelyan's leap-frog: second order.

Omelyan, I. P., Phys. Rev. E 58 (1998) 1169; offered by YADE. memory = (q_n, omega_body_{n+1/2}, mean rate of change
over the last step).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, cayley, renormalise
from dem.kernels.numerics.vector import add, add_scaled, scale
from dem.kernels.rotation.scheme_interface import spinning

ITERATIONS = 3


class Omelyan(NamedTuple):
    """Selects Omelyan's leap-frog."""


@inline
def spin_up(omega, torque_body, inertia, dt):
    """omega after dt, with the mean of the gyroscopic products before and after, by fixed-point iterations."""
    before = angular_acceleration(omega, torque_body, inertia)
    new = omega
    for _ in range(ITERATIONS):
        rate = scale(0.5, add(before, angular_acceleration(new, torque_body, inertia)))
        new = add_scaled(omega, dt, rate)
    return new


@inline
def predict(memory, inertia, dt):
    """Cayley step of q with omega_{n+1/2}."""
    q, omega, rate = memory
    q = renormalise(cayley(q, omega, dt))
    return q, (q, omega, rate)


OMELYAN = spinning(spin_up, predict)
