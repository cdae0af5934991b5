"""Whole steps, at which users give and see states: into the leap-frog of ``particle_update``, and out of it."""

import numpy as np
from dem.kernels import rotation
from dem.kernels.compiler.jit import func
from dem.kernels.domain.periodic import unwrap_position
from dem.kernels.numerics.energy import as_fixed, gravitational, rotational, translational
from dem.kernels.numerics.quaternion import (
    exponential,
    load_quaternion,
    product,
    renormalise,
    rotate,
    rotate_back,
    store_quaternion,
)
from dem.kernels.numerics.vector import add_scaled, load, scale, store
from dem.kernels.soft.fixed import is_fixed
from dem.kernels.soft.state import gravity_of


@func
def start(context):
    """Compute the half-step memory from whole-step velocity, orientation and (in memory_w) world angular velocity.

    Writes context.bodies: velocity, velocity_predicted and the memory of the scheme.
    Returns the energy that `correct` will report while it is conserved, in units.
    """
    scheme, constants, bodies = context.scheme, context.constants, context.bodies
    kinds, box = context.kinds, context.box
    dt, gravity, datum, per_joule = constants.dt, gravity_of(constants), constants.datum, constants.per_joule
    rotating, looked_at = bodies.torque.shape[1] > 0, bodies.velocity_predicted.shape[1] > 0
    energy = np.int64(0)
    for b in range(bodies.kind.size):
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            continue
        g = bodies.kind[b]
        m = kinds.mass[g]
        v = load(bodies.velocity, b)
        x = unwrap_position(box, load(bodies.position, b), bodies.image, b)
        energy += as_fixed(translational(m, v) + gravitational(m, gravity, x, datum), per_joule)
        a = add_scaled(gravity, 1.0 / m, load(bodies.force, b))
        store(bodies.velocity, b, add_scaled(v, 0.5 * dt, a))
        if looked_at:
            store(bodies.velocity_predicted, b, add_scaled(v, dt, a))
        if rotating:
            i = load(kinds.inertia, g)
            q = load_quaternion(bodies.orientation, b)
            omega_body = rotate_back(q, load(bodies.memory_w, b))
            energy += as_fixed(rotational(i, omega_body), per_joule)
            memory = rotation.start(scheme, q, omega_body, load(bodies.torque, b), i, dt)
            rotation.store_memory(
                scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b, memory
            )
    return energy


@func
def synchronise(elapsed, context, position, velocity, orientation, angular_velocity):
    """Whole-step state in the user's numbering.

    elapsed: time since the start [s], by which spheres without torque have turned.
    Writes position, velocity, orientation, angular_velocity: (3, N) [m, m/s], (4, N), (3, N) world frame [rad/s].
    """
    scheme, constants, bodies = context.scheme, context.constants, context.bodies
    kinds, box = context.kinds, context.box
    dt, gravity, rotating = constants.dt, gravity_of(constants), bodies.torque.shape[1] > 0
    for b in range(bodies.kind.size):
        n = bodies.identity[b]
        g = bodies.kind[b]
        store(position, n, unwrap_position(box, load(bodies.position, b), bodies.image, b))
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            store(velocity, n, load(bodies.velocity, b))
            store_quaternion(orientation, n, load_quaternion(bodies.orientation, b))
            store(angular_velocity, n, (0.0, 0.0, 0.0))
            continue
        a = add_scaled(gravity, 1.0 / kinds.mass[g], load(bodies.force, b))
        store(velocity, n, add_scaled(load(bodies.velocity, b), -0.5 * dt, a))
        q = load_quaternion(bodies.orientation, b)
        if rotating:
            memory = rotation.load_memory(
                scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b
            )
            q, omega_body = rotation.whole(scheme, memory, q, load(kinds.inertia, g), dt)
            omega = rotate(q, omega_body)
        else:
            omega = load(bodies.memory_w, b)
            q = renormalise(product(exponential(scale(0.5 * elapsed, omega)), q))
        store_quaternion(orientation, n, q)
        store(angular_velocity, n, omega)
