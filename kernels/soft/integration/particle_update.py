"""Move all bodies: leap-frog translation and the chosen rotational scheme, before and after the forces.

Velocity Verlet in leap-frog form, v_{n+1/2} = v_{n-1/2} + dt a_n and x_{n+1} = x_n + dt v_{n+1/2}; at whole steps
v_n = v_{n+1/2} - dt/2 a_n. A rotating system also runs a scheme of ``dem.kernels.rotation``; spheres that no torque can
reach keep their angular velocity and are turned once, for output (`synchronise`).
"""

import math

import numpy as np
from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import func, inline, paired_loop, select, vector_loop
from dem.kernels.domain.deforming_cell import SUMS, DeformingFaces, by_form
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import (
    advance_position,
    map_velocities,
    map_velocity,
    potential_position,
    record_wrap,
    unwrap_position,
    wrap_position,
)
from dem.kernels.numerics.energy import as_fixed, gravitational, rotational, translational
from dem.kernels.numerics.float_bits import as_float, bits_of_float
from dem.kernels.numerics.quaternion import (
    exponential,
    load_quaternion,
    product,
    renormalise,
    rotate,
    rotate_back,
    store_quaternion,
)
from dem.kernels.numerics.vector import add_scaled, dot, load, scale, store
from dem.kernels.rotation.spherical_pcdm import UniformBodies, world_velocity
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.fixed_bodies import end_of_free, first_free, is_fixed
from dem.kernels.soft.integration.cell_stress import add_motion, no_motion, record_motion_of_chunk
from dem.kernels.soft.neighbours.displacement import larger, squared_tip_displacement
from dem.kernels.soft.state import gravity_of


@inline
def kind_in_array(scheme, kind, b):
    """Kind of body b; kind: (N,) of `Bodies`."""
    return kind[b]


kind_of = select("scheme", {UniformBodies: 0, object: kind_in_array})


@vector_loop
def drift(box, low, high, present, dt, position, velocity, image):
    """Advance positions of bodies low to high, x += dt v, with the motion of a deforming cell.

    present: number of bodies that have not left.
    Writes position, image: (3, N) [m], of `Bodies`.
    Returns the bits of the largest squared speed of those present [m²/s²].
    """
    fastest = np.int64(0)
    for b in range(low, high):
        v = load(velocity, b)
        x, cells = wrap_position(box, advance_position(box, load(position, b), v, dt), dt)
        store(position, b, x)
        record_wrap(box, cells, image, b)
        fastest = larger(fastest, dot(v, v)) if b < present else fastest
    return fastest


@inline
def drift_in_cell(box, low, high, present, dt, position, velocity, image):
    """x += dt v in a cell that deforms; see `drift`."""
    return drift_by_form(box, (low, high, present, dt, position, velocity, image))


drift_by_form = by_form(drift)
drift_in_domain = select("box", {BoxFaces: drift, DeformingFaces: drift_in_cell})


@inline
def write_spin(law, scheme, memory, q, inertia, dt, spin, b):
    """Angular velocity of body b at the time of the forces.

    q, inertia: its orientation then, its principal moments [kg m²].
    Writes spin: (3, N) world frame [rad/s].
    """
    store(spin, b, rotate(q, rotation.velocity(scheme, memory, q, inertia, dt)))


record_spin = select("law", {laws.Elastic: None, laws.VelocityDependent: write_spin})


@inline
def write_vector(law, v, ahead, b):
    """Velocity or angular velocity of body b at the time of the next forces."""
    store(ahead, b, v)


record_vector = select("law", {laws.Elastic: None, laws.VelocityDependent: write_vector})


@paired_loop
def predict_orientations(
    scheme, law, low, high, present, dt, kind, inertia, tip, velocity, orientation, memory_q, memory_w, memory_a,
    memory_more, spin,
):  # fmt: skip
    """Predict orientations at the time of the forces, and angular velocities if the contact law needs velocities.

    present: number of bodies that have not left.
    kind, inertia, tip, velocity: (N,), (3, G), (G,), (3, N) of `Bodies` and `Kinds`; tip: `max_sphere_offset`.
    Writes orientation, memory_q, memory_w, memory_a, memory_more: of `Bodies`.
    Writes spin: `angular_velocity_predicted` of `Bodies`, unless the law is elastic.
    Returns the bits of the largest distance that any sphere of those present has gone [m].
    """
    farthest = np.int64(0)
    for b in range(low, high):
        g = kind_of(scheme, kind, b)
        turned = pose(
            scheme, law, b, load(inertia, g), tip[g], dt, orientation, memory_q, memory_w, memory_a, memory_more, spin
        )
        v = load(velocity, b)
        gone = dt * math.sqrt(dot(v, v)) + math.sqrt(turned)
        farthest = larger(farthest, gone) if b < present else farthest
    return farthest


@inline
def pose_body(scheme, law, b, inertia, tip, dt, orientation, memory_q, memory_w, memory_a, memory_more, spin):
    """Orientation of body b at the time of the forces, and its spin; returns the bound of `squared_tip_displacement`.

    scheme, law, b, inertia, tip, dt: inertia and tip of this body [kg m², m].
    Writes orientation, memory_q, memory_w, memory_a, memory_more, spin: of `Bodies`.
    """
    memory = rotation.load_memory(scheme, memory_q, memory_w, memory_a, memory_more, b)
    q, memory = rotation.predict(scheme, memory, inertia, dt)
    rotation.store_memory(scheme, memory_q, memory_w, memory_a, memory_more, b, memory)
    q_old = load_quaternion(orientation, b)
    store_quaternion(orientation, b, q)
    record_spin(law, scheme, memory, q, inertia, dt, spin, b)
    return squared_tip_displacement(tip, q, q_old)


@inline
def pose_sphere(scheme, law, b, inertia, tip, dt, orientation, memory_q, memory_w, memory_a, memory_more, spin):
    """Angular velocity of a sphere whose orientation is not needed; it moves no tip.

    inertia, tip, orientation, memory_q, memory_w, memory_a, memory_more: see `pose_body`.
    Writes spin: (3, N) world frame [rad/s].
    """
    memory = rotation.load_memory(scheme, memory_q, memory_w, memory_a, memory_more, b)
    record_vector(law, world_velocity(memory, dt), spin, b)
    return 0.0


pose = select("scheme", {rotation.SphericalPCDM: pose_sphere, object: pose_body})


@inline
def spin_of_body(scheme, memory, q, inertia, dt):
    """Angular velocity at the whole step in the body frame."""
    return rotation.whole(scheme, memory, q, inertia, dt)[1]


@inline
def spin_of_sphere(scheme, memory, q, inertia, dt):
    """Angular velocity of a sphere at the whole step in the world frame, sufficient for its energy."""
    return world_velocity(memory, -dt)


spin_at_whole_step = select("scheme", {rotation.SphericalPCDM: spin_of_sphere, object: spin_of_body})


@paired_loop
def kick(
    box, scheme, law, low, high, present, first_body, dt, gravity, reference_potential, per_joule, kind, mass, position,
    velocity, force, velocity_predicted, image,
):  # fmt: skip
    """Advance velocities, v += dt (F/m + g), with the terms of a deforming cell, and record data of the whole step.

    present: number of bodies that have not left.
    kind, mass, position, force, image: of `Bodies` and `Kinds`.
    Writes velocity: (3, N) half a step past the forces [m/s].
    Writes velocity_predicted: (3, N) at the next forces [m/s]; not for elastic contacts.
    Returns the kinetic and gravitational energy in units, bits of the largest squared F/m [m²/s⁴], and what motion
    contributes to the virial of a cell that deforms.
    """
    energy, moved = np.int64(0), no_motion(box)
    max_acceleration_squared = np.int64(0)
    for b in range(low, high):
        m = mass[kind_of(scheme, kind, b)]
        f = load(force, b - first_body)
        a = add_scaled(gravity, 1.0 / m, f)
        max_acceleration_squared = larger(max_acceleration_squared, dot(f, f) * (1.0 / m) * (1.0 / m))
        v = load(velocity, b)
        store(velocity, b, map_velocity(box, add_scaled(v, dt, a)))
        record_vector(law, map_velocity(box, add_scaled(v, 1.5 * dt, a)), velocity_predicted, b)
        v = add_scaled(v, 0.5 * dt, a)
        height = gravitational(m, gravity, potential_position(box, load(position, b), image, b), reference_potential)
        moved = add_motion(box, moved, m, v)
        # a mask, not a branch, which would hold the loads of the cell's lengths and keep LLVM from making vector code
        energy += as_fixed(translational(m, v) + height, per_joule) & -np.int64(b < present)
    return energy, max_acceleration_squared, moved


@inline
def kick_in_cell(
    box, scheme, law, low, high, present, first_body, dt, gravity, reference_potential, per_joule, kind, mass, position,
    velocity, force, velocity_predicted, image,
):  # fmt: skip
    """Kick in a cell that deforms; see `kick`."""
    arguments = (
        scheme, law, low, high, present, first_body, dt, gravity, reference_potential, per_joule, kind, mass, position,
        velocity, force, velocity_predicted, image,
    )  # fmt: skip
    return kick_by_form(box, arguments)


kick_by_form = by_form(kick, SUMS)
kick_in_domain = select("box", {BoxFaces: kick, DeformingFaces: kick_in_cell})


@paired_loop
def correct_rotations(
    scheme, low, high, present, first_body, dt, per_joule, kind, inertia, orientation, memory_q, memory_w, memory_a,
    memory_more, torque,
):  # fmt: skip
    """Complete the rotation with the torque; returns rotational energy in units, bits of the largest squared spin.

    present: number of bodies that have not left.
    kind, inertia, orientation, torque: of `Bodies` and `Kinds`.
    Writes memory_q, memory_w, memory_a, memory_more: (4, N), (3, N), (3, N), (7, N).
    """
    energy = np.int64(0)
    fastest = np.int64(0)
    for b in range(low, high):
        i = load(inertia, kind_of(scheme, kind, b))
        q = load_quaternion(orientation, b)
        memory = rotation.load_memory(scheme, memory_q, memory_w, memory_a, memory_more, b)
        memory = rotation.correct(scheme, memory, q, load(torque, b - first_body), i, dt)
        rotation.store_memory(scheme, memory_q, memory_w, memory_a, memory_more, b, memory)
        omega = spin_at_whole_step(scheme, memory, q, i, dt)
        energy += as_fixed(rotational(i, omega), per_joule) if b < present else np.int64(0)
        fastest = larger(fastest, dot(omega, omega))
    return energy, fastest


# Lengths of arrays tell whether a law needs velocities, so that these functions are not compiled again for another law.
# There is a loop for either case: LLVM would not vectorise one loop with a flag.


@inline
def predict_orientations_of_range(law, low, stop, context):
    """Predict the orientations of bodies low to stop, see `predict_orientations`."""
    bodies, kinds = context.bodies, context.kinds
    return predict_orientations(
        context.scheme, law, low, stop, bodies.n_active[0], context.constants.dt, bodies.kind, kinds.inertia,
        kinds.max_sphere_offset, bodies.velocity, bodies.orientation, bodies.memory_q, bodies.memory_w,
        bodies.memory_a, bodies.memory_more, bodies.angular_velocity_predicted,
    )  # fmt: skip


@inline
def kick_of_range(law, low, stop, first_body, context):
    """Accelerate the bodies low to stop, see `kick`."""
    bodies, constants = context.bodies, context.constants
    return kick_in_domain(
        context.box, context.scheme, law, low, stop, bodies.n_active[0], first_body, constants.dt,
        gravity_of(constants), constants.reference_potential, constants.per_joule, bodies.kind, context.kinds.mass,
        bodies.position, bodies.velocity, bodies.force, bodies.velocity_predicted, bodies.image,
    )  # fmt: skip


@inline
def predict(c, corrected, context):
    """Predict positions and orientations of chunk c at the next forces; returns bits of the largest displacement.

    corrected: whether `correct` has taken velocities to the next step.
    """
    dt, bodies, kinds = context.constants.dt, context.bodies, context.kinds
    low, high = chunk_of(c, bodies.kind.size)
    if not corrected:
        map_velocities(context.box, low, high, bodies.velocity, bodies.velocity_predicted)
    speed = drift_in_domain(
        context.box, low, high, bodies.n_active[0], dt, bodies.position, bodies.velocity, bodies.image
    )
    if bodies.torque.shape[1] == 0:
        return bits_of_float(dt * math.sqrt(as_float(speed)))
    farthest = (
        bits_of_float(dt * math.sqrt(as_float(speed))) if kinds.fixed else np.int64(0)
    )  # fixed bodies may have a velocity
    low = first_free(low, high, bodies.kind, kinds)
    while low < high:
        stop = end_of_free(low, high, bodies.kind, kinds)
        if bodies.angular_velocity_predicted.shape[1] > 0:
            gone = predict_orientations_of_range(laws.VelocityDependent(), low, stop, context)
        else:
            gone = predict_orientations_of_range(laws.Elastic(), low, stop, context)
        farthest = max(farthest, gone)
        low = first_free(stop, high, bodies.kind, kinds)
    return farthest


@inline
def correct(c, first_body, context):
    """Complete the step of chunk c with its forces, those of body b in column b - first_body.

    Writes context.bodies: velocity, velocity_predicted and the memory of the scheme.
    Writes context.box: what motion contributes to the virial of a cell that deforms, where no body is fixed.
    Returns the energy of those present in units, bits of the largest squared spin [rad²/s²] and F/m [m²/s⁴].
    """
    constants, bodies, kinds = context.constants, context.bodies, context.kinds
    low, high = chunk_of(c, bodies.kind.size)
    energy, fastest, max_acceleration_squared = np.int64(0), np.int64(0), np.int64(0)
    low = first_free(low, high, bodies.kind, kinds)
    while low < high:
        stop = end_of_free(low, high, bodies.kind, kinds)
        if bodies.velocity_predicted.shape[1] > 0:
            moving, acceleration_squared, moved = kick_of_range(
                laws.VelocityDependent(), low, stop, first_body, context
            )
        else:
            moving, acceleration_squared, moved = kick_of_range(laws.Elastic(), low, stop, first_body, context)
        energy, max_acceleration_squared = energy + moving, max(max_acceleration_squared, acceleration_squared)
        record_motion_of_chunk(context.box, c, moved)
        if bodies.torque.shape[1] > 0:
            turning, fast = correct_rotations(
                context.scheme, low, stop, bodies.n_active[0], first_body, constants.dt, constants.per_joule,
                bodies.kind, kinds.inertia, bodies.orientation, bodies.memory_q, bodies.memory_w, bodies.memory_a,
                bodies.memory_more, bodies.torque,
            )  # fmt: skip
            energy, fastest = energy + turning, max(fastest, fast)
        low = first_free(stop, high, bodies.kind, kinds)
    return energy, fastest, max_acceleration_squared


# Users give and see states at whole steps: `start` converts these into those of the leap-frog, `synchronise` back.


@func
def start(context):
    """Compute the half-step memory from whole-step velocity, orientation and (in memory_w) world angular velocity.

    Writes context.bodies: velocity, velocity_predicted and the memory of the scheme.
    Returns the energy that `correct` will report while it is conserved, in units.
    """
    scheme, constants, bodies = context.scheme, context.constants, context.bodies
    kinds, box = context.kinds, context.box
    dt, gravity, reference_potential, per_joule = (
        constants.dt,
        gravity_of(constants),
        constants.reference_potential,
        constants.per_joule,
    )
    rotating, needs_velocity = bodies.torque.shape[1] > 0, bodies.velocity_predicted.shape[1] > 0
    energy = np.int64(0)
    for b in range(bodies.kind.size):
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            continue
        g = bodies.kind[b]
        m = kinds.mass[g]
        v = load(bodies.velocity, b)
        x = unwrap_position(box, load(bodies.position, b), bodies.image, b)
        energy += as_fixed(translational(m, v) + gravitational(m, gravity, x, reference_potential), per_joule)
        a = add_scaled(gravity, 1.0 / m, load(bodies.force, b))
        store(bodies.velocity, b, add_scaled(v, 0.5 * dt, a))
        if needs_velocity:
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
