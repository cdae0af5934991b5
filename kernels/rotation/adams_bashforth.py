"""Two-step Adams-Bashforth method, second order.

Named in Zhao, F., van Wachem, B. G. M., Acta Mech. 224 (2013) 3091, section 3.1, after Mortensen et al. (2008).
memory = (q_n, omega_body_n, world torque at n, (q' and omega' at n - 1)); the first step is Euler's.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, derivative, rotate_back, step, unit
from dem.kernels.numerics.vector import add_scaled
from dem.kernels.rotation.scheme_interface import Steps, load_usual, store_usual, velocity_whole, whole_whole


class AdamsBashforth(NamedTuple):
    """Selects the Adams-Bashforth method."""


@inline
def start(q, omega_body, torque, inertia, dt):
    """Start of the scheme: earlier rates are set equal to those at the start."""
    r = angular_acceleration(omega_body, rotate_back(q, torque), inertia)
    d = derivative(q, omega_body)
    return q, omega_body, torque, (d[0], d[1], d[2], d[3], r[0], r[1], r[2])


@inline
def predict(memory, inertia, dt):
    """y_{n+1} = y_n + dt (3 y'_n - y'_{n-1})/2 for q, normalised, and omega."""
    q, omega, torque, before = memory
    d = derivative(q, omega)
    r = angular_acceleration(omega, rotate_back(q, torque), inertia)
    q = unit(step(step(q, 1.5 * dt, d), -0.5 * dt, (before[0], before[1], before[2], before[3])))
    omega = add_scaled(add_scaled(omega, 1.5 * dt, r), -0.5 * dt, (before[4], before[5], before[6]))
    return q, (q, omega, torque, (d[0], d[1], d[2], d[3], r[0], r[1], r[2]))


@inline
def correct(memory, q_force, torque, inertia, dt):
    """Keep the new torque for the next step."""
    return memory[0], memory[1], torque, memory[3]


@inline
def load_more(q, w, a, more, b):
    """Memory with the rates before."""
    usual = load_usual(q, w, a, more, b)
    before = (more[0, b], more[1, b], more[2, b], more[3, b], more[4, b], more[5, b], more[6, b])
    return usual[0], usual[1], usual[2], before


@inline
def store_more(q, w, a, more, b, memory):
    """Write the memory with the rates before."""
    store_usual(q, w, a, more, b, memory)
    for k in range(7):
        more[k, b] = memory[3][k]


ADAMS_BASHFORTH = Steps(start, predict, velocity_whole, correct, whole_whole, load_more, store_more, more=7)
