"""SPIRAL, leap-frog form: second order for a varying torque, despite the title of its paper.

del Valle, C., et al., Comput. Phys. Commun. 297 (2024) 109077; what YADE runs. memory = (q_n, omega_body_{n+1/2}, mean
rate of change over the last step).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, renormalise, turn_body
from dem.kernels.numerics.vector import add, add_scaled, scale
from dem.kernels.rotation.scheme_interface import spinning


class Spiral(NamedTuple):
    """Selects SPIRAL."""


@inline
def spin_up(omega, torque_body, inertia, dt):
    """omega after dt under a body torque that does not change: the three-stage Runge-Kutta method of Shu and Osher."""
    k1 = scale(dt, angular_acceleration(omega, torque_body, inertia))
    k2 = scale(dt, angular_acceleration(add(omega, k1), torque_body, inertia))
    k3 = scale(dt, angular_acceleration(add_scaled(omega, 0.25, add(k1, k2)), torque_body, inertia))
    return add_scaled(omega, 1.0 / 6.0, add_scaled(add(k1, k2), 4.0, k3))


@inline
def predict(memory, inertia, dt):
    """q_{n+1} = q_n exp(dt/2 omega_{n+1/2})."""
    q, omega, rate = memory
    q = renormalise(turn_body(q, omega, dt))
    return q, (q, omega, rate)


SPIRAL = spinning(spin_up, predict)
