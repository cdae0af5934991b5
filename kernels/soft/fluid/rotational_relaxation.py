"""Angular velocities of bodies in a fluid, see `dem.kernels.soft.fluid.fluid_step`."""

import math

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels import rotation
from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.fluid.gradients import curl, strain, stretch, three
from dem.kernels.fluid.relaxation_step import rate_of, step_after, whole_step
from dem.kernels.numerics.energy import add_words, as_fixed, as_words, rotational
from dem.kernels.numerics.quaternion import load_quaternion, rotate, rotate_back
from dem.kernels.numerics.vector import add, add_scaled, cross, divide, dot, load, multiply, scale, subtract
from dem.kernels.rotation.spherical_pcdm import world_velocity
from dem.kernels.soft.fluid import fluid_cache as rows
from dem.kernels.soft.fluid.translational_relaxation import shares_along, to_body_frame, to_world_frame
from dem.kernels.soft.integration.particle_update import spin_at_whole_step
from dem.kernels.soft.neighbours.displacement import larger


@inline
def predicted_spin_of_body(scheme, memory, q, inertia, dt):
    """Angular velocity at the time of the forces as predicted, in the body frame."""
    return rotation.velocity(scheme, memory, q, inertia, dt)


@inline
def predicted_spin_of_sphere(scheme, memory, q, inertia, dt):
    """Angular velocity of a sphere at the time of the forces, in the world frame."""
    return world_velocity(memory, dt)


predicted_spin = select("scheme", {rotation.SphericalPCDM: predicted_spin_of_sphere, object: predicted_spin_of_body})


@inline
def gyroscopic_torque(scheme, omega, inertia):
    """Torque that a scheme subtracts from the torque of a body by itself."""
    return cross(omega, multiply(inertia, omega)) if rotation.is_gyroscopic(scheme) else (0.0, 0.0, 0.0)


@inline
def torque_free_spin_of_sphere(scheme, medium, g, q, spin, rate, omega):
    """Angular velocity at which the fluid exerts no torque on a sphere, and its rate of change."""
    return spin, (0.0, 0.0, 0.0)


@inline
def torque_free_spin_of_body(scheme, medium, g, q, spin, rate, omega):
    """Torque-free angular velocity Ω + k d × (E d) of a spheroid in the body frame, and its rate of change.

    k = (r² - 1)/(r² + 1) (Jeffery 1922). It changes as the body turns with omega in a fluid that stays as it is.
    """
    vorticity = rotate_back(q, spin)
    k, axis = medium.shape[g], load(medium.axis, g)
    strained = rotate_back(q, stretch(rate, rotate(q, axis)))
    passing = cross(omega, axis)
    strained_next = rotate_back(q, stretch(rate, rotate(q, passing)))
    change = subtract(strained_next, cross(omega, strained))
    slope = add_scaled(cross(vorticity, omega), k, cross(axis, change))
    return add_scaled(vorticity, k, cross(axis, strained)), slope


torque_free_spin = select(
    "scheme", {rotation.SphericalPCDM: torque_free_spin_of_sphere, object: torque_free_spin_of_body}
)


@inline
def resistance(fluid, medium, g, relative):
    """Viscosity times resistance to a rotation over that of Stokes flow [Pa s], and the rotational Reynolds number."""
    d = medium.diameter[g]
    turning = medium.density / medium.viscosity * d * d * math.sqrt(dot(relative, relative))
    return medium.viscosity * fluids.spin_factor(fluid.spin, turning), turning


@inline
def rates_of(against, medium, g, inverse_inertia):
    """Relaxation rates of rotation about the axes of a body; inverse_inertia: of its moments [1/(kg m²)]."""
    return scale(against, multiply(load(medium.rotation, g), inverse_inertia))


@inline
def predict_rotation(fluid, scheme, memory, g, q, inertia, flow, contacts, dt):
    """Relaxation of the rotation of a body over the interval of an evaluation, and its motion in the middle of that.

    fluid, scheme, memory, g, q, inertia, dt: of the body: see `dem.kernels.soft.state`.
    flow: `Sample`.
    contacts: their torque in the body frame [N m].
    Returns the torque-free angular velocity and its rate of change at the beginning [rad/s, rad/s²]; in the middle:
        shares of a step, angular velocity [rad/s], rotational Reynolds number.
    """
    medium, omega = fluids.medium_at(flow, fluid.medium), predicted_spin(scheme, memory, q, inertia, dt)
    spin, rate, interval = scale(0.5, curl(flow.gradient)), strain(flow.gradient), fluid.medium.interval
    target, slope = torque_free_spin(scheme, medium, g, q, spin, rate, omega)
    span, share, start = interval * dt, 0.5 - 0.5 / interval, omega
    if rotation.has_half_step_velocity(scheme):
        share, start = 0.5, rotation.half_step_velocity(scheme, memory, inertia)
    slip = subtract(target, start)
    inverse_inertia = divide((1.0, 1.0, 1.0), inertia)
    acceleration = multiply(subtract(contacts, gyroscopic_torque(scheme, omega, inertia)), inverse_inertia)
    along = rates_of(resistance(fluid, medium, g, slip)[0], medium, g, inverse_inertia)
    change = whole_step(span, shares_along(scheme, span, along), slip, acceleration, slope)
    against, turning = resistance(fluid, medium, g, add_scaled(slip, -share, change))
    shares = shares_along(scheme, dt, rates_of(against, medium, g, inverse_inertia))
    return target, slope, shares, add_scaled(start, share, change), turning


@inline
def relaxed_rotation(scheme, memory, q, inertia, target, slope, shares, torque, dt):
    """Rotation of a body, completed with the torques of contacts and of the fluid.

    A scheme with `half_step_velocity` receives the angular acceleration of relaxation, any other the sum of torques.

    scheme, memory, q, inertia, dt: of the body: see `dem.kernels.soft.state`.
    target, slope, shares: the torque-free angular velocity, its rate of change, `Share` of a step.
    torque: of contacts in the body frame [N m].
    Returns memory; torque that leads there, in the body frame [N m].
    """
    omega = predicted_spin(scheme, memory, q, inertia, dt)
    if rotation.has_half_step_velocity(scheme):
        gyroscopic = gyroscopic_torque(scheme, omega, inertia)
        acceleration = divide(subtract(torque, gyroscopic), inertia)
        slip = subtract(target, rotation.half_step_velocity(scheme, memory, inertia))
        rate = scale(1.0 / dt, whole_step(dt, shares, slip, acceleration, slope))
        applied = add(gyroscopic, multiply(inertia, rate))
        if rotation.can_correct_by_rate(scheme):
            return rotation.correct_by_rate(scheme, memory, q, rate, dt), applied
        return rotation.correct(scheme, memory, q, to_world_frame(scheme, q, applied), inertia, dt), applied
    along = (rate_of(shares[0]), rate_of(shares[1]), rate_of(shares[2]))
    applied = add(torque, multiply(multiply(inertia, along), subtract(target, omega)))
    return rotation.correct(scheme, memory, q, to_world_frame(scheme, q, applied), inertia, dt), applied


@vector_loop
def relax_rotation(
    fluid, scheme, low, high, present, first_body, dt, per_joule, kind, inertia, orientation, torque, cache, memory_q,
    memory_w, memory_a, memory_more,
):  # fmt: skip
    """Rotation of bodies low to high, completed with the torques of contacts and of the fluid.

    present: number of bodies that have not left.
    kind, inertia, orientation, torque, cache: of `Bodies` and `Kinds`.
    Writes memory_q, memory_w, memory_a, memory_more: (4, N), (3, N), (3, N), (7, N).
    Returns the rotational energy in units, bits of the largest squared spin, work of the fluid in the half steps before
        and after the forces, two words each.
    """
    energy, fastest = np.int64(0), np.int64(0)
    before, after = (np.int64(0), np.int64(0)), (np.int64(0), np.int64(0))
    since = fluid.medium.steps_since_evaluation[0] * dt
    for b in range(low, high):
        g, q = kind[b], load_quaternion(orientation, b)
        i, memory = load(inertia, g), rotation.load_memory(scheme, memory_q, memory_w, memory_a, memory_more, b)
        contacts = to_body_frame(scheme, q, load(torque, b - first_body))
        slope, shares = rows.spin_slope_in(scheme, cache, b), rows.shares_in(scheme, cache, rows.TURN, rows.TURNS, b)
        target = add_scaled(three(cache, rows.SPIN, b), since, slope)
        start = rotation.half_step_velocity(scheme, memory, i)
        memory, applied = relaxed_rotation(scheme, memory, q, i, target, slope, shares, contacts, dt)
        rotation.store_memory(scheme, memory_q, memory_w, memory_a, memory_more, b, memory)
        omega = spin_at_whole_step(scheme, memory, q, i, dt)
        step = subtract(omega, start) if rotation.has_half_step_velocity(scheme) else (0.0, 0.0, 0.0)
        of_fluid = scale(0.5 * dt, subtract(applied, contacts))
        is_present = b < present
        energy += as_fixed(rotational(i, omega), per_joule) if is_present else np.int64(0)
        work_before = as_words(dot(of_fluid, add_scaled(omega, -0.5, step)), per_joule)
        work_after = as_words(dot(of_fluid, add_scaled(omega, 0.5, step)), per_joule)
        before = add_words(before, work_before) if is_present else before
        after = add_words(after, work_after) if is_present else after
        fastest = larger(fastest, dot(omega, omega))
    return energy, fastest, before, after


@inline
def start_turning(fluid, scheme, b, g, q, flow, dt, bodies, kinds):
    """Rotation of body b from the whole step half a step ahead.

    g, q, flow: its variant, orientation and `Sample`.
    Writes bodies.memory_q: and the rest of the memory.
    Returns the rotational energy, work in the half step after the start [J], rotational Reynolds number.
    """
    i = load(kinds.inertia, g)
    omega_body = rotate_back(q, load(bodies.memory_w, b))
    omega = to_body_frame(scheme, q, load(bodies.memory_w, b))
    contacts = to_body_frame(scheme, q, load(bodies.torque, b))
    spin, rate, medium = scale(0.5, curl(flow.gradient)), strain(flow.gradient), fluids.medium_at(flow, fluid.medium)
    target, slope = torque_free_spin(scheme, medium, g, q, spin, rate, omega)
    relative = subtract(target, omega)
    against, turning = resistance(fluid, medium, g, relative)
    along = rates_of(against, medium, g, divide((1.0, 1.0, 1.0), i))
    torque = add(contacts, multiply(multiply(i, along), relative))
    step = scale(0.5 * dt, divide(torque, i))
    if rotation.has_half_step_velocity(scheme):
        gyroscopic = gyroscopic_torque(scheme, omega, i)
        step = step_after(
            dt, shares_along(scheme, dt, along), relative, divide(subtract(contacts, gyroscopic), i), slope,
        )  # fmt: skip
        torque = add(gyroscopic, scale(2.0 / dt, multiply(i, step)))
    memory = rotation.start(scheme, q, omega_body, to_world_frame(scheme, q, torque), i, dt)
    rotation.store_memory(scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b, memory)
    of_fluid = scale(0.5 * dt, subtract(torque, contacts))
    return rotational(i, omega_body), dot(of_fluid, add_scaled(omega, 0.5, step)), turning
