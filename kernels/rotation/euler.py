"""Euler's method: first order, for comparison. Zhao, F., van Wachem, B. G. M., Acta Mech. 224 (2013) 3091, (31, 32)."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, derivative, rotate_back, step, unit
from dem.kernels.numerics.vector import add_scaled
from dem.kernels.rotation.scheme_interface import explicit


class Euler(NamedTuple):
    """Selects Euler's method."""


@inline
def predict(memory, inertia, dt):
    """q_{n+1} = q_n + dt/2 q_n omega_n, normalised; omega_{n+1} = omega_n + dt omega'_n."""
    q, omega, torque = memory
    rate = angular_acceleration(omega, rotate_back(q, torque), inertia)
    q = unit(step(q, dt, derivative(q, omega)))
    return q, (q, add_scaled(omega, dt, rate), torque)


EULER = explicit(predict)
