"""Angular velocities of bodies in a fluid, see `kernels.soft.immersed`."""

import math

from kernels import fluid as fluids
from kernels import rotation
from kernels.base.energy import rotational
from kernels.base.jit import formula
from kernels.base.quaternion import rotate, rotate_back
from kernels.base.vector import add, add_scaled, cross, divide, dot, load, multiply, scale, subtract
from kernels.fluid.gradients import curl, stretch
from kernels.fluid.stride import drive, step_after, whole_step
from kernels.rotation.spherical import world_velocity
from kernels.soft.dragged import inwards, outwards, shares_along
from kernels.soft.motion import spin_at_whole_step


@formula
def spin_foreseen(scheme, memory, q, inertia, dt):
    """Angular velocity at the forces, as far as it is known, in the body frame."""
    return rotation.velocity(scheme, memory, q, inertia, dt)


@formula
def spin_of_sphere(scheme, memory, q, inertia, dt):
    """The same of a sphere, in the world frame."""
    return world_velocity(memory, dt)


foreseen = rotation.spheres_or(spin_of_sphere, spin_foreseen)


@formula
def gyroscopic_torque(scheme, omega, inertia):
    """What a scheme takes off the torque of a body by itself."""
    return cross(omega, multiply(inertia, omega)) if rotation.is_gyroscopic(scheme) else (0.0, 0.0, 0.0)


@formula
def sphere_turned(scheme, medium, g, q, flow, omega):
    """Angular velocity at which a sphere feels no torque, and how fast that changes."""
    return scale(0.5, curl(flow.gradient)), (0.0, 0.0, 0.0)


@formula
def body_turned(scheme, medium, g, q, flow, omega):
    """The same of a spheroid in the body frame: Ω + k d × (E d), k = (r² - 1)/(r² + 1) (Jeffery 1922).

    It changes as the body turns with omega in a fluid that stays as it is.
    """
    vorticity = rotate_back(q, scale(0.5, curl(flow.gradient)))
    k, axis = medium.shape[g], load(medium.axis, g)
    strained = rotate_back(q, stretch(flow.gradient, rotate(q, axis)))
    passing = cross(omega, axis)
    strained_next = rotate_back(q, stretch(flow.gradient, rotate(q, passing)))
    change = subtract(strained_next, cross(omega, strained))
    slope = add_scaled(cross(vorticity, omega), k, cross(axis, change))
    return add_scaled(vorticity, k, cross(axis, strained)), slope


at_rest_in_flow = rotation.spheres_or(sphere_turned, body_turned)


@formula
def resistance(fluid, g, inertia, relative):
    """Rates at which a body comes to turn with the fluid, along its axes, and its rotational Reynolds number."""
    medium = fluid.medium
    turning = medium.density * medium.diameter[g] ** 2 * math.sqrt(dot(relative, relative)) / medium.viscosity
    factor = medium.viscosity * fluids.spin_factor(fluid.spin, turning)
    return divide(scale(factor, load(medium.rotation, g)), inertia), turning


@formula
def torque_in(fluid, scheme, memory, g, q, inertia, flow, torque, dt):
    """Torque to hand to a scheme, in the body frame, and the rotational Reynolds number.

    Parameters
    ----------
    fluid, scheme, memory, g, q, inertia, dt : of the body: see `correct`
    flow, torque : `Sample`; torque of contacts in the body frame [N m]

    Returns
    -------
    torque [N m], Reynolds number
    """
    omega = foreseen(scheme, memory, q, inertia, dt)
    target, slope = at_rest_in_flow(scheme, fluid.medium, g, q, flow, omega)
    if rotation.leaps(scheme):
        before, gyroscopic = rotation.behind(scheme, memory, inertia), gyroscopic_torque(scheme, omega, inertia)
        push = divide(subtract(torque, gyroscopic), inertia)
        gap = subtract(target, before)
        rate, _ = resistance(fluid, g, inertia, gap)
        change = whole_step(dt, shares_along(scheme, dt, rate), drive(rate, gap, push), slope)
        rate, turning = resistance(fluid, g, inertia, add_scaled(gap, -0.5, change))
        if not fluids.is_creeping(fluid.spin):
            change = whole_step(dt, shares_along(scheme, dt, rate), drive(rate, gap, push), slope)
        return add(gyroscopic, scale(1.0 / dt, multiply(inertia, change))), turning
    relative = subtract(target, omega)
    rate, turning = resistance(fluid, g, inertia, relative)
    return add(torque, multiply(multiply(inertia, rate), relative)), turning


@formula
def turn_in(fluid, scheme, b, shift, g, q, flow, dt, per_joule, bodies, kinds):
    """Rotation of body b completed with its torques.

    Parameters
    ----------
    fluid, scheme, b, shift, dt, per_joule, kinds : see `correct`
    g, q, flow : its variant, orientation and `Sample`

    Writes
    ------
    bodies.memory_q : and the rest of the memory

    Returns
    -------
    rotational energy [J], squared spin, work before and after the forces [J], rotational Reynolds number
    """
    i = load(kinds.inertia, g)
    memory = rotation.load_memory(scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b)
    contacts = inwards(scheme, q, load(bodies.torque, b - shift))
    torque, turning = torque_in(fluid, scheme, memory, g, q, i, flow, contacts, dt)
    before = rotation.behind(scheme, memory, i)
    memory = rotation.correct(scheme, memory, q, outwards(scheme, q, torque), i, dt)
    rotation.store_memory(scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b, memory)
    omega = spin_at_whole_step(scheme, memory, q, i, dt)
    step = subtract(omega, before) if rotation.leaps(scheme) else (0.0, 0.0, 0.0)
    of_fluid = scale(0.5 * dt, subtract(torque, contacts))
    drawn = dot(of_fluid, add_scaled(omega, -0.5, step)), dot(of_fluid, add_scaled(omega, 0.5, step))
    return rotational(i, omega), dot(omega, omega), drawn[0], drawn[1], turning


@formula
def start_turning(fluid, scheme, b, g, q, flow, dt, bodies, kinds):
    """The same of the rotation of body b.

    Parameters
    ----------
    fluid, scheme, b, dt, kinds : see `start`
    g, q, flow : its variant, orientation and `Sample`

    Writes
    ------
    bodies.memory_q : and the rest of the memory

    Returns
    -------
    rotational energy, work in the half step after the start [J], rotational Reynolds number
    """
    i = load(kinds.inertia, g)
    omega_body = rotate_back(q, load(bodies.memory_w, b))
    omega = inwards(scheme, q, load(bodies.memory_w, b))
    contacts = inwards(scheme, q, load(bodies.torque, b))
    target, slope = at_rest_in_flow(scheme, fluid.medium, g, q, flow, omega)
    relative = subtract(target, omega)
    rate, turning = resistance(fluid, g, i, relative)
    torque = add(contacts, multiply(multiply(i, rate), relative))
    step = scale(0.5 * dt, divide(torque, i))
    if rotation.leaps(scheme):
        gyroscopic = gyroscopic_torque(scheme, omega, i)
        step = step_after(
            dt, shares_along(scheme, dt, rate),
            drive(rate, relative, divide(subtract(contacts, gyroscopic), i)), slope,
        )  # fmt: skip
        torque = add(gyroscopic, scale(2.0 / dt, multiply(i, step)))
    memory = rotation.start(scheme, q, omega_body, outwards(scheme, q, torque), i, dt)
    rotation.store_memory(scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b, memory)
    of_fluid = scale(0.5 * dt, subtract(torque, contacts))
    return rotational(i, omega_body), dot(of_fluid, add_scaled(omega, 0.5, step)), turning
