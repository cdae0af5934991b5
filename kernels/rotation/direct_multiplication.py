"""Scalar factor and direct multiplication: first order, for comparison.

Zhao, F., van Wachem, B. G. M., Acta Mech. 224 (2013) 3091, (40) to (45), after Kleppmann, and (46) to (50), after
Whitmore. Given the same angular velocity both are the same map, exp(dt/2 omega), of unit length without normalisation.
Here the first takes the angular velocity at the end of the step, which is how the published figure came about, and the
second that at its beginning.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, derivative, renormalise, rotate_back, step, turn_body
from dem.kernels.numerics.vector import add_scaled, dot
from dem.kernels.rotation.scheme_interface import explicit


class ScalarFactor(NamedTuple):
    """Selects the scalar factor method."""


class DirectMultiplication(NamedTuple):
    """Selects direct multiplication."""


@inline
def multiply_by_factor(q, omega, dt):
    """(q + tan|dq| dq/|dq|) cos|dq| with dq = dt/2 q omega (44, 45)."""
    half_angle = 0.5 * dt * math.sqrt(dot(omega, omega))
    factor = math.tan(half_angle) / half_angle if half_angle > 0.0 else 1.0
    q = step(q, factor * dt, derivative(q, omega))
    c = math.cos(half_angle)
    return c * q[0], c * q[1], c * q[2], c * q[3]


@inline
def scalar_factor(memory, inertia, dt):
    """omega_{n+1} with the torque at n, then q_{n+1} with omega_{n+1}."""
    q, omega, torque = memory
    omega = add_scaled(omega, dt, angular_acceleration(omega, rotate_back(q, torque), inertia))
    q = renormalise(multiply_by_factor(q, omega, dt))
    return q, (q, omega, torque)


@inline
def direct_multiplication(memory, inertia, dt):
    """q_{n+1} with omega_n (49, 50), and omega_{n+1} with the torque at n."""
    q, omega, torque = memory
    rate = angular_acceleration(omega, rotate_back(q, torque), inertia)
    q = renormalise(turn_body(q, omega, dt))
    return q, (q, add_scaled(omega, dt, rate), torque)


SCALAR_FACTOR = explicit(scalar_factor)
DIRECT_MULTIPLICATION = explicit(direct_multiplication)
