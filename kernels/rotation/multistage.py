"""Schemes that evaluate the torque several times a step: for studies, not for contacts.

A step is one function of the torque law, ``torque(law, body_frame, t, q, omega_body) -> body torque``.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import closure
from dem.kernels.numerics.quaternion import angular_acceleration, derivative, renormalise, rotate, step, turn, unit
from dem.kernels.numerics.vector import add_scaled


class PCDMMidpoint(NamedTuple):
    """Selects PCDM with the torque at the half step."""


class RungeKutta(NamedTuple):
    """Selects the classical Runge-Kutta method of order four."""


@closure
def pcdm_midpoint(law, body_frame, torque, t, q, omega, inertia, dt):
    """PCDM (Zhao & van Wachem 2013, (55) to (63)) with the torque of (62) at (t, q, omega)_{n+1/2}: second order.

    law, body_frame, torque: torque law, whether its frame is the body's, and the function that evaluates it.
    t, q, omega: time [s], orientation, angular velocity in the body frame [rad/s].
    inertia, dt: principal moments [kg m²], step [s].
    Returns q, omega after the step.
    """
    rate = angular_acceleration(omega, torque(law, body_frame, t, q, omega), inertia)
    omega_half = add_scaled(omega, 0.5 * dt, rate)
    q_half = turn(rotate(q, add_scaled(omega, 0.25 * dt, rate)), 0.5 * dt, q)
    rate_half = angular_acceleration(omega_half, torque(law, body_frame, t + 0.5 * dt, q_half, omega_half), inertia)
    return renormalise(turn(rotate(q_half, omega_half), dt, q)), add_scaled(omega, dt, rate_half)


@closure
def runge_kutta(law, body_frame, torque, t, q, omega, inertia, dt):
    """Classical Runge-Kutta method on q, normalised once a step, and omega.

    law, body_frame, torque: torque law, whether its frame is the body's, and the function that evaluates it.
    t, q, omega: time [s], orientation, angular velocity in the body frame [rad/s].
    inertia, dt: principal moments [kg m²], step [s].
    Returns q, omega after the step.
    """
    d1 = derivative(q, omega)
    r1 = angular_acceleration(omega, torque(law, body_frame, t, q, omega), inertia)
    q2, w2 = step(q, 0.5 * dt, d1), add_scaled(omega, 0.5 * dt, r1)
    d2 = derivative(q2, w2)
    r2 = angular_acceleration(w2, torque(law, body_frame, t + 0.5 * dt, unit(q2), w2), inertia)
    q3, w3 = step(q, 0.5 * dt, d2), add_scaled(omega, 0.5 * dt, r2)
    d3 = derivative(q3, w3)
    r3 = angular_acceleration(w3, torque(law, body_frame, t + 0.5 * dt, unit(q3), w3), inertia)
    q4, w4 = step(q, dt, d3), add_scaled(omega, dt, r3)
    d4 = derivative(q4, w4)
    r4 = angular_acceleration(w4, torque(law, body_frame, t + dt, unit(q4), w4), inertia)
    q = step(step(step(step(q, dt / 6.0, d1), dt / 3.0, d2), dt / 3.0, d3), dt / 6.0, d4)
    omega = add_scaled(
        add_scaled(add_scaled(add_scaled(omega, dt / 6.0, r1), dt / 3.0, r2), dt / 3.0, r3), dt / 6.0, r4
    )
    return unit(q), omega


MULTISTAGE = {PCDMMidpoint: pcdm_midpoint, RungeKutta: runge_kutta}
