r"""Unit quaternions as tuples (w, x, y, z), scalar first, body to world: v_world = q v_body q*.

Equation numbers are those of Zhao & van Wachem, Acta Mech. 224 (2013) 3091-3109. As printed, (15) is the
matrix of q p instead of p q, and (12) lacks a square in the norm; here both are right. No rotation matrix
appears anywhere: vectors and tensors are rotated by products of quaternions alone, (16) and (29).
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, cross, dot, scale

# cos √x and sin √x / √x as power series in x. With ten terms each the first one left out is below
# 1/20! = 4e-19 of the sum for x <= 1, so the series are as exact as the library functions.
SERIES_LIMIT = 1.0
MAX_ROTATION_ANGLE = 2.0 * SERIES_LIMIT  # rad in one step of a scheme: the series take half of it
(C0, C1, C2, C3, C4, C5, C6, C7, C8, C9) = ((-1) ** k / math.factorial(2 * k) for k in range(10))
(S0, S1, S2, S3, S4, S5, S6, S7, S8, S9) = ((-1) ** k / math.factorial(2 * k + 1) for k in range(10))


@inline
def load_quaternion(a, i):
    """Column i of a (4, N) array."""
    return a[0, i], a[1, i], a[2, i], a[3, i]


@inline
def store_quaternion(a, i, q):
    """Write q to column i of a (4, N) array."""
    a[0, i] = q[0]
    a[1, i] = q[1]
    a[2, i] = q[2]
    a[3, i] = q[3]


@inline
def product(p, q):
    """Hamilton product p q (14): the rotation q first, then p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@inline
def conjugate(q):
    """Conjugate q* (10), the inverse of a unit quaternion (13)."""
    return q[0], -q[1], -q[2], -q[3]


@inline
def norm_squared(q):
    """Squared norm q q* (11)."""
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


@inline
def rotate(q, u):
    """Vector from body to world, q u q* (16), as u + 2 q0 (q × u) + 2 q × (q × u): 30 operations."""
    axis = (q[1], q[2], q[3])
    t = scale(2.0, cross(axis, u))
    c = cross(axis, t)
    return u[0] + q[0] * t[0] + c[0], u[1] + q[0] * t[1] + c[1], u[2] + q[0] * t[2] + c[2]


@inline
def rotate_back(q, u):
    """Vector from world to body, q* u q (55)."""
    return rotate(conjugate(q), u)


@inline
def body_x(q):
    """World direction of the body's x axis, q (1, 0, 0) q*: the axis of a fibre."""
    return (
        1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]),
        2.0 * (q[1] * q[2] + q[0] * q[3]),
        2.0 * (q[1] * q[3] - q[0] * q[2]),
    )


@inline
def exponential_series(u):
    """Quaternion exponential exp([0, u]) = [cos|u|, u sin|u|/|u|] for |u|² <= SERIES_LIMIT.

    Even power series only: no square root, no division, nothing special at u = 0, and no branch, so that
    loops over bodies vectorise. Callers see to the limit.
    """
    x = dot(u, u)
    c = C0 + x * (C1 + x * (C2 + x * (C3 + x * (C4 + x * (C5 + x * (C6 + x * (C7 + x * (C8 + x * C9))))))))
    s = S0 + x * (S1 + x * (S2 + x * (S3 + x * (S4 + x * (S5 + x * (S6 + x * (S7 + x * (S8 + x * S9))))))))
    return c, s * u[0], s * u[1], s * u[2]


@inline
def exponential(u):
    """Quaternion exponential exp([0, u]) for any u (49): a rotation by the angle 2 |u| about u."""
    x = dot(u, u)
    if x <= SERIES_LIMIT:
        return exponential_series(u)
    angle = math.sqrt(x)
    s = math.sin(angle) / angle
    return math.cos(angle), s * u[0], s * u[1], s * u[2]


@inline
def turn(omega, dt, q):
    """Orientation q after turning with the constant world angular velocity omega for dt (49, 50).

    The step must stay below |omega| dt = 2 (a third of a turn), the limit of the series; at twice that it is off by
    4e-13.
    """
    return product(exponential_series(scale(0.5 * dt, omega)), q)


@inline
def turn_body(q, omega_body, dt):
    """Rotate a quaternion by an angular velocity in the body frame, which multiplies from the right."""
    return product(q, exponential_series(scale(0.5 * dt, omega_body)))


@inline
def derivative(q, omega_body):
    """Rate of change q' = q [0, omega_body]/2 = [0, omega] q/2 (30)."""
    return product(q, (0.0, 0.5 * omega_body[0], 0.5 * omega_body[1], 0.5 * omega_body[2]))


@inline
def step(q, dt, q_dot):
    """Return q + dt q', which is not of unit length."""
    return q[0] + dt * q_dot[0], q[1] + dt * q_dot[1], q[2] + dt * q_dot[2], q[3] + dt * q_dot[3]


@inline
def cayley(q, omega_body, dt):
    """Solution of q_new = q + dt/2 (q + q_new) omega/2, of unit length: a turn by 4 atan(|omega| dt/4)."""
    a = 0.0625 * dt * dt * dot(omega_body, omega_body)
    s = 1.0 / (1.0 + a)
    new = step((q[0] * (1.0 - a), q[1] * (1.0 - a), q[2] * (1.0 - a), q[3] * (1.0 - a)), dt, derivative(q, omega_body))
    return s * new[0], s * new[1], s * new[2], s * new[3]


@inline
def unit(q):
    """Return q divided by its length (32)."""
    s = 1.0 / math.sqrt(norm_squared(q))
    return s * q[0], s * q[1], s * q[2], s * q[3]


@inline
def renormalise(q):
    """Return q to unit length to first order, q (3 - |q|²)/2: eight operations, no root, no division.

    Products of unit quaternions keep the norm but for rounding, whose drift (3e-10 in 1e7 steps) this removes.
    """
    s = 1.5 - 0.5 * norm_squared(q)
    return s * q[0], s * q[1], s * q[2], s * q[3]


@inline
def angular_acceleration(omega, torque, inertia):
    """Euler's equation in the body frame (4): I^-1 (tau - omega × I omega)."""
    gyroscopic = cross(omega, (inertia[0] * omega[0], inertia[1] * omega[1], inertia[2] * omega[2]))
    t = add_scaled(torque, -1.0, gyroscopic)
    return t[0] / inertia[0], t[1] / inertia[1], t[2] / inertia[2]
