"""Velocities of bodies in a fluid, see `kernels.soft.immersed`; here and in ``whirled`` the frame of a body is its own.

That of spheres whose orientation nobody follows is the world's.
"""

import math

from kernels import fluid as fluids
from kernels import rotation
from kernels.base.jit import formula
from kernels.base.quaternion import rotate, rotate_back
from kernels.base.vector import add, add_scaled, dot, scale, subtract
from kernels.fluid.gradients import along, curl
from kernels.fluid.stride import drive, of_ball, of_body, step_until, whole_step


@formula
def as_it_is(scheme, q, u):
    """What is in the frame of a sphere, which is the world's."""
    return u


@formula
def turned_back(scheme, q, u):
    """What is in the world, in the body frame."""
    return rotate_back(q, u)


@formula
def turned(scheme, q, u):
    """What is in the body frame, in the world."""
    return rotate(q, u)


@formula
def shares_of_ball(scheme, h, rate):
    """What a step makes of what drives a sphere."""
    return of_ball(h, rate)


@formula
def shares_of_body(scheme, h, rate):
    """The same of any body."""
    return of_body(h, rate)


shares_along = rotation.spheres_or(shares_of_ball, shares_of_body)
inwards = rotation.spheres_or(as_it_is, turned_back)
outwards = rotation.spheres_or(as_it_is, turned)


@formula
def pull(fluid, scheme, g, mass, q, flow, gravity, spin, others, v):
    """What takes a body along whose velocity at the forces is v.

    Parameters
    ----------
    fluid, scheme, g, mass, q : of the body: see `correct`
    flow, gravity, spin, others : `Sample`, acceleration, angular velocity and all other forces, in the world frame
    v : velocity [m/s]

    Returns
    -------
    rate, push, slope of `kernels.fluid.stride` in the body frame, Reynolds number
    """
    medium, slip = fluid.medium, subtract(flow.velocity, v)
    d = medium.diameter[g]
    per_speed = medium.density * d / medium.viscosity
    reynolds = per_speed * math.sqrt(dot(slip, slip))
    displaced = medium.density * medium.volume[g]
    inverse = 1.0 / (mass + medium.added * displaced)
    resistance = fluids.resist(fluid.drag, medium, g, reynolds, inwards(scheme, q, slip), flow)
    accelerating = add(flow.change, along(flow.gradient, flow.velocity))
    force = fluids.press_on(flow, medium, g, displaced, accelerating, gravity, others)
    if medium.ball[g] > 0.0:
        vorticity = curl(flow.gradient)
        excess = add_scaled(spin, -0.5, vorticity)
        turning = per_speed * d * math.sqrt(dot(excess, excess))
        force = add(force, fluids.lift_on(fluid.lift, medium, g, reynolds, slip, vorticity))
        force = add(force, fluids.swirl_on(fluid.swirl, medium, g, reynolds, turning, slip, excess))
    slope = add(flow.change, along(flow.gradient, v))
    push = inwards(scheme, q, scale(inverse, force))
    return scale(inverse, resistance), push, inwards(scheme, q, slope), reynolds


@formula
def passage(fluid, scheme, g, mass, q, flow, gravity, spin, others, dt, v):
    """Velocity at the forces and half a step after them, of a body that had v half a step before.

    Parameters
    ----------
    fluid, scheme, g, mass, q, flow, gravity, spin, others : see `pull`
    dt, v : time step [s], velocity [m/s]

    Returns
    -------
    velocity at the forces, half a step after them [m/s], Reynolds number
    """
    gap = inwards(scheme, q, subtract(flow.velocity, v))
    seen = v
    if not fluids.is_linear(fluid):
        rate, push, slope, _ = pull(fluid, scheme, g, mass, q, flow, gravity, spin, others, v)
        change = whole_step(dt, shares_along(scheme, dt, rate), drive(rate, gap, push), slope)
        seen = add(v, outwards(scheme, q, scale(0.5, change)))
    rate, push, slope, reynolds = pull(fluid, scheme, g, mass, q, flow, gravity, spin, others, seen)
    three, driven = shares_along(scheme, dt, rate), drive(rate, gap, push)
    now = add(v, outwards(scheme, q, step_until(dt, three, driven, slope)))
    later = add(v, outwards(scheme, q, whole_step(dt, three, driven, slope)))
    return now, later, reynolds


@formula
def work_of(mass, dt, others, before, after):
    """Work of the fluid in half a step from one velocity to another: its momentum times their mean [J]."""
    momentum = add_scaled(scale(mass, subtract(after, before)), -0.5 * dt, others)
    return 0.5 * dot(momentum, add(before, after))
