"""3-vectors as tuples of three floats, and their traffic with component-major arrays (3, N).

Tuples of scalars stay in registers and cost nothing; a row slice ``x[:, i]`` would allocate, 35 times dearer.
"""

import math

from dem.kernels.compiler.jit import inline


@inline
def load(a, i):
    """Column i of a (3, N) array."""
    return a[0, i], a[1, i], a[2, i]


@inline
def store(a, i, u):
    """Write u to column i of a (3, N) array."""
    a[0, i] = u[0]
    a[1, i] = u[1]
    a[2, i] = u[2]


@inline
def add(u, v):
    """Return u + v."""
    return u[0] + v[0], u[1] + v[1], u[2] + v[2]


@inline
def subtract(u, v):
    """Return u - v."""
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


@inline
def scale(s, u):
    """Return s u."""
    return s * u[0], s * u[1], s * u[2]


@inline
def add_scaled(u, s, v):
    """Return u + s v."""
    return u[0] + s * v[0], u[1] + s * v[1], u[2] + s * v[2]


@inline
def multiply(u, v):
    """Product component by component: a diagonal tensor u applied to v."""
    return u[0] * v[0], u[1] * v[1], u[2] * v[2]


@inline
def divide(u, v):
    """Quotient component by component: the inverse of a diagonal tensor v applied to u."""
    return u[0] / v[0], u[1] / v[1], u[2] / v[2]


@inline
def dot(u, v):
    """Return u · v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@inline
def cross(u, v):
    """Return u × v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@inline
def across(n):
    """Two unit vectors across n and each other (Duff et al., J. Comput. Graph. Tech. 6 (2017) 1)."""
    sign = math.copysign(1.0, n[2])
    k = -1.0 / (sign + n[2])
    m = n[0] * n[1] * k
    return (1.0 + sign * n[0] * n[0] * k, sign * m, -sign * n[0]), (m, sign + n[1] * n[1] * k, -n[1])
