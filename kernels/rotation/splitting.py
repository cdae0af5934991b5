"""Splitting: kick, free rotation, kick. Second order, symplectic, time reversible, explicit.

The free rotation is put together from rotations about body axes, each of which is solved exactly. `no-squish` does
this for the three axes one after the other (Miller et al., J. Chem. Phys. 116 (2002) 8649). `splitting` first takes
out |L|²/2I_r, r being one of the closest pair of moments: it generates a rotation about L and commutes with the rest,
so that what must be split is only the differences of the moments. For a body with two equal moments one axis is left
and the free rotation is exact. memory = (q_n, body angular momentum, body torque).
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import closure, inline
from dem.kernels.numerics.quaternion import exponential_series, product, renormalise, rotate_back
from dem.kernels.numerics.vector import add_scaled, divide, multiply, scale
from dem.kernels.rotation.scheme_interface import Steps


class Splitting(NamedTuple):
    """Selects splitting."""


class AxialSplitting(NamedTuple):
    """Selects splitting for bodies whose moments about y and z are equal: without branches, so that it vectorises."""


class NoSquish(NamedTuple):
    """Selects the NO_SQUISH splitting."""


@inline
def start(q, omega_body, torque, inertia, dt):
    """Angular momentum and torque in the body frame at n = 0."""
    return q, multiply(inertia, omega_body), rotate_back(q, torque)


@inline
def about_x(q, momentum, angle):
    """Turn the body by an angle about its x axis: the angular momentum, fixed in the world, turns back in the body."""
    c, s, _, _ = exponential_series((0.5 * angle, 0.0, 0.0))
    q = (c * q[0] - s * q[1], c * q[1] + s * q[0], c * q[2] + s * q[3], c * q[3] - s * q[2])
    c, s = c * c - s * s, 2.0 * s * c
    return q, (momentum[0], c * momentum[1] + s * momentum[2], c * momentum[2] - s * momentum[1])


@inline
def about(k, q, momentum, angle):
    """Rotate freely about the body axis k, by a permutation of the axes."""
    if k == 0:
        return about_x(q, momentum, angle)
    if k == 1:
        p, m = about_x((q[0], q[2], q[3], q[1]), (momentum[1], momentum[2], momentum[0]), angle)
        return (p[0], p[3], p[1], p[2]), (m[2], m[0], m[1])
    p, m = about_x((q[0], q[3], q[1], q[2]), (momentum[2], momentum[0], momentum[1]), angle)
    return (p[0], p[2], p[3], p[1]), (m[1], m[2], m[0])


@inline
def axial_rotation(q, momentum, inertia, dt):
    """Free rotation of a body with I_y = I_z, exact: about L with |L|/I_y, and about x with the rest."""
    q = product(q, exponential_series(scale(0.5 * dt / inertia[1], momentum)))
    return about_x(q, momentum, dt * momentum[0] * (1.0 / inertia[0] - 1.0 / inertia[1]))


@inline
def free_rotation(q, momentum, inertia, dt):
    """Free rotation of any body: about L with |L|/I_r, and about the two other axes with the rest."""
    r, near, far = axes_by_moment(inertia)
    q = product(q, exponential_series(scale(0.5 * dt / inertia[r], momentum)))
    small = 1.0 / inertia[near] - 1.0 / inertia[r]
    large = 1.0 / inertia[far] - 1.0 / inertia[r]
    if small != 0.0:
        q, momentum = about(near, q, momentum, 0.5 * dt * small * momentum[near])
    if large != 0.0:
        q, momentum = about(far, q, momentum, dt * large * momentum[far])
    if small != 0.0:
        q, momentum = about(near, q, momentum, 0.5 * dt * small * momentum[near])
    return q, momentum


@inline
def axes_by_moment(inertia):
    """Axes of the pair of moments with the closest inverses, and the third axis."""
    xy = abs(1.0 / inertia[0] - 1.0 / inertia[1])
    yz = abs(1.0 / inertia[1] - 1.0 / inertia[2])
    zx = abs(1.0 / inertia[2] - 1.0 / inertia[0])
    if yz <= xy and yz <= zx:
        return 1, 2, 0
    if xy <= zx:
        return 0, 1, 2
    return 2, 0, 1


@inline
def three_rotations(q, momentum, inertia, dt):
    """Free rotation of Miller et al.: z, y by half a step, x by a whole step, y, z by half a step."""
    q, momentum = about(2, q, momentum, 0.5 * dt * momentum[2] / inertia[2])
    q, momentum = about(1, q, momentum, 0.5 * dt * momentum[1] / inertia[1])
    q, momentum = about(0, q, momentum, dt * momentum[0] / inertia[0])
    q, momentum = about(1, q, momentum, 0.5 * dt * momentum[1] / inertia[1])
    return about(2, q, momentum, 0.5 * dt * momentum[2] / inertia[2])


@inline
def velocity(memory, q_force, inertia, dt):
    """Angular velocity at n + 1, if the torque in the body did not change."""
    _, momentum, torque = memory
    return divide(add_scaled(momentum, 0.5 * dt, torque), inertia)


@inline
def correct(memory, q_force, torque, inertia, dt):
    """The other half of the kick."""
    torque_body = rotate_back(q_force, torque)
    return q_force, add_scaled(memory[1], 0.5 * dt, torque_body), torque_body


@inline
def whole(memory, q_force, inertia, dt):
    """omega = I^-1 L."""
    return q_force, divide(memory[1], inertia)


@inline
def half_step_velocity(memory, inertia):
    """I^-1 L before the kicks of the new torque; gyroscopic terms are part of the free rotation."""
    return divide(memory[1], inertia)


def split(free_rotation):
    """Steps of a scheme with this free rotation between its kicks."""

    @closure
    def predict(memory, inertia, dt):
        """Half a kick, and the free rotation."""
        q, momentum, torque = memory
        q, momentum = free_rotation(q, add_scaled(momentum, 0.5 * dt, torque), inertia, dt)
        q = renormalise(q)
        return q, (q, momentum, torque)

    return Steps(start, predict, velocity, correct, whole, half_step_velocity=half_step_velocity)


SPLITTING = split(free_rotation)
AXIAL_SPLITTING = split(axial_rotation)
NO_SQUISH = split(three_rotations)
