"""Improved PCDM for single spheres, in the world frame: the scheme of spheres by default, and its spin alone.

Without a gyroscopic term omega' = torque/I in any frame, so vectors need not be rotated to the body frame and back, and
the orientation at the time of the forces is only computed for output: from q_{n+3/2} half a step back. While the
torque keeps to the axis of rotation angular velocities and q_{n+1/2} are those of the general scheme to rounding;
otherwise the two differ by O(dt^2), their own order, since that one adds up torques in the body frame.

Contacts of spheres depend on the angular velocity, not on the orientation. `SphericalSpin` leaves the orientation out;
angular velocities and all forces are those of `SphericalPCDM` to the bit.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import renormalise, rotate, rotate_back, turn
from dem.kernels.numerics.vector import add_scaled, load, scale, store
from dem.kernels.rotation.scheme_interface import Steps, velocity_before_torque


class SphericalPCDM(NamedTuple):
    """Selects improved PCDM for spheres. memory = (q_{n+1/2}, omega_{n+1/2}, its rate of change at n), world frame."""


@inline
def start(q, omega_body, torque, inertia, dt):
    """Half a step ahead from the whole-step state at n = 0."""
    omega = rotate(q, omega_body)
    rate = scale(1.0 / inertia[0], torque)
    return turn(add_scaled(omega, 0.25 * dt, rate), 0.5 * dt, q), add_scaled(omega, 0.5 * dt, rate), rate


@inline
def predict(memory, inertia, dt):
    """q_{n+1} = exp(dt/4 omega_{n+3/4}) q_{n+1/2}, exp of quaternions."""
    q, omega, rate = memory
    return turn(add_scaled(omega, 0.25 * dt, rate), 0.5 * dt, q), memory


@inline
def world_velocity(memory, dt):
    """Angular velocity half a step after the one in the memory, for dt > 0, or half a step before it, for dt < 0."""
    return add_scaled(memory[1], 0.5 * dt, memory[2])


@inline
def velocity(memory, q_force, inertia, dt):
    """Angular velocity at n + 1, in the body frame."""
    return rotate_back(q_force, world_velocity(memory, dt))


@inline
def correct_by_rate(memory, q_force, rate, dt):
    """omega_{n+3/2} and q_{n+3/2} by the rate, which is in the world frame."""
    q, omega, before = memory
    omega_predicted = add_scaled(omega, 0.5 * dt, before)
    return renormalise(turn(omega_predicted, dt, q)), add_scaled(omega, dt, rate), rate


@inline
def correct(memory, q_force, torque, inertia, dt):
    """The rate from the torque, then omega_{n+3/2} and q_{n+3/2}."""
    return correct_by_rate(memory, q_force, scale(1.0 / inertia[0], torque), dt)


@inline
def whole(memory, q_force, inertia, dt):
    """Orientation q_{n+1} = exp(-dt/4 omega_{n+5/4}) q_{n+3/2}, and the angular velocity there, in the body frame."""
    q, omega, rate = memory
    q = turn(add_scaled(omega, -0.25 * dt, rate), -0.5 * dt, q)
    return q, rotate_back(q, world_velocity(memory, -dt))


SPHERICAL_PCDM = Steps(
    start, predict, velocity, correct, whole, half_step_velocity=velocity_before_torque, correct_by_rate=correct_by_rate
)


class SphericalSpin(NamedTuple):
    """Selects `SphericalPCDM` without orientations: the quaternion of the memory is not kept.

    The formulas turn a unit quaternion in its place. Nothing uses the result, so the compiler leaves its computation
    out.
    """

    extends = (SphericalPCDM,)


@inline
def whole_spin(memory, q_force, inertia, dt):
    """Orientation as it was given, and the angular velocity at n + 1, in the body frame."""
    return q_force, rotate_back(q_force, world_velocity(memory, -dt))


@inline
def load_spin(q, w, a, more, b):
    """Memory of body b, with the unit quaternion."""
    return (1.0, 0.0, 0.0, 0.0), load(w, b), load(a, b)


@inline
def store_spin(q, w, a, more, b, memory):
    """Write the memory of body b, without the quaternion."""
    store(w, b, memory[1])
    store(a, b, memory[2])


SPHERICAL_SPIN = SPHERICAL_PCDM._replace(whole=whole_spin, load=load_spin, store=store_spin, quaternion=0)


class UniformBodies(NamedTuple):
    """Marks schemes of runs with one kind of bodies: loops read its mass and inertia only once."""


class UniformSphericalPCDM(NamedTuple):
    """Selects `SphericalPCDM` for spheres of one kind."""

    extends = (SphericalPCDM, UniformBodies)


class UniformSphericalSpin(NamedTuple):
    """Selects `SphericalSpin` for spheres of one kind."""

    extends = (SphericalSpin, UniformBodies)


OF_ONE_KIND = {SphericalPCDM: UniformSphericalPCDM(), SphericalSpin: UniformSphericalSpin()}
