"""Velocities of bodies in a fluid, see `kernels.soft.immersed`; here and in ``whirled`` the frame of a body is its own.

That of spheres whose orientation nobody follows is the world's.
"""

import math

import numpy as np

from kernels import fluid as fluids
from kernels import rotation
from kernels.base.energy import add_words, as_fixed, as_words, gravitational, translational
from kernels.base.jit import formula, loop
from kernels.base.quaternion import load_quaternion, rotate, rotate_back
from kernels.base.vector import add, add_scaled, dot, load, scale, store, subtract
from kernels.box.periodic import unfold
from kernels.fluid.gradients import along, curl, three
from kernels.fluid.stride import of_ball, of_body, step_until, whole_step
from kernels.soft import flow_felt as rows
from kernels.soft.chunks import unsigned_range
from kernels.soft.motion import note_vector
from kernels.soft.travel import larger


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
def pull(fluid, scheme, g, lightness, q, flow, gravity, spin, v):
    """What the fluid does to a body with velocity v.

    Parameters
    ----------
    fluid, scheme, g, q : of the body: see `kernels.soft.state`
    lightness : one over its mass and that of what it carries along [1/kg]
    flow, gravity, spin : `Sample`, acceleration, angular velocity, in the world frame
    v : velocity [m/s]

    Returns
    -------
    rate of `kernels.fluid.stride` along the body's axes, push and slope in the world frame, Reynolds number
    """
    medium, slip = fluid.medium, subtract(flow.velocity, v)
    d = medium.diameter[g]
    per_speed = medium.density / medium.viscosity * d
    reynolds = per_speed * math.sqrt(dot(slip, slip))
    displaced = medium.density * medium.volume[g]
    resistance = fluids.resist(fluid.drag, medium, g, reynolds, inwards(scheme, q, slip), flow)
    accelerating = add(flow.change, along(flow.gradient, flow.velocity))
    force = fluids.press_on(flow, medium, g, displaced, accelerating, gravity)
    if medium.ball[g] > 0.0:
        vorticity = curl(flow.gradient)
        excess = add_scaled(spin, -0.5, vorticity)
        turning = per_speed * d * math.sqrt(dot(excess, excess))
        force = add(force, fluids.lift_on(fluid.lift, medium, g, reynolds, slip, vorticity))
        force = add(force, fluids.swirl_on(fluid.swirl, medium, g, reynolds, turning, slip, excess))
    slope = add(flow.change, along(flow.gradient, v))
    return scale(lightness, resistance), scale(lightness, force), slope, reynolds


@formula
def work_of(mass, dt, others, before, after):
    """Work of the fluid in half a step from one velocity to another: its momentum times their mean [J]."""
    momentum = scale(mass, add_scaled(subtract(after, before), -0.5 * dt, others))
    return 0.5 * dot(momentum, add(before, after))


@loop
def drag(
    fluid, scheme, law, box, low, high, present, shift, dt, gravity, datum, per_joule, kind, identity, mass, light,
    position, orientation, felt, image, velocity, force, ahead,
):  # fmt: skip
    """Velocities of bodies low to high half a step past their forces, by what they feel.

    Parameters
    ----------
    scheme, law, box, low, high, shift, dt, gravity, datum, per_joule : see `kernels.soft.state`
    present : number of bodies that have not left
    kind, identity, mass, light, position, orientation, felt, image : of `Bodies` and `Kinds`; light: inverse_mass

    Writes
    ------
    velocity, ahead : (3, N) half a step past the forces, and at the next ones [m/s]; that not for elastic contacts
    force : what takes the velocity at the forces to that half a step later, besides the weight [N]
    fluid.field : momentum that particles take from a flow that somebody else computes

    Returns
    -------
    kinetic and gravitational energy in units, bits of the largest squared F/m [m²/s⁴], work of the fluid in the half
    steps before and after the forces, two words each
    """
    energy, briskest = np.int64(0), np.int64(0)
    before, after = (np.int64(0), np.int64(0)), (np.int64(0), np.int64(0))
    medium = fluid.medium
    since_middle = (medium.since[0] - 0.5 * (medium.every - 1)) * dt
    for b in unsigned_range(low, high):
        g = kind[b]
        m, q, v, x = mass[g], load_quaternion(orientation, b), load(velocity, b), load(position, b)
        contacts, slope = scale(light[g], load(force, b - np.uint64(shift))), three(felt, rows.SLOPE, b)
        others, share = add(contacts, gravity), rows.shares_in(scheme, felt, rows.SHARE, rows.SHARES, b)
        push = inwards(scheme, q, add_scaled(three(felt, rows.PUSH, b), medium.own[g], others))
        gap = subtract(add_scaled(three(felt, rows.TARGET, b), since_middle, slope), v)
        gap, slope = inwards(scheme, q, gap), inwards(scheme, q, slope)
        now = add(v, outwards(scheme, q, step_until(dt, share, gap, push, slope)))
        later = add(v, outwards(scheme, q, whole_step(dt, share, gap, push, slope)))
        fluids.take(fluid.field, identity[b], m, dt, others, v, now, later)
        store(velocity, b, later)
        note_vector(law, add_scaled(later, 0.5, subtract(later, v)), ahead, b)
        store(force, b - np.uint64(shift), scale(m, subtract(scale(2.0 / dt, subtract(later, now)), gravity)))
        height = gravitational(m, gravity, unfold(box, x, image, b), datum)
        here = b < np.uint64(present)
        energy += as_fixed(translational(m, now) + height, per_joule) if here else np.int64(0)
        drawn = as_words(work_of(m, dt, others, v, now), per_joule)
        drawing = as_words(work_of(m, dt, others, now, later), per_joule)
        before = add_words(before, drawn) if here else before
        after = add_words(after, drawing) if here else after
        briskest = larger(briskest, dot(contacts, contacts))
    return energy, briskest, before, after
