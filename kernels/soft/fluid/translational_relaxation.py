"""Velocities of bodies in a fluid, see `dem.kernels.soft.fluid.fluid_step`.

Here and in ``rotational_relaxation`` the frame of a body is its own, and for spheres without orientation the world's.
"""

import math

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels import rotation
from dem.kernels.compiler.jit import argument, inline, select, vector_loop
from dem.kernels.domain.periodic import potential_position
from dem.kernels.fluid.gradients import along, curl, three, write_three
from dem.kernels.fluid.relaxation_step import of_body, of_sphere, step_relaxed, step_whole_from_half
from dem.kernels.numerics.energy import add_words, as_fixed, as_words, gravitational, translational
from dem.kernels.numerics.quaternion import load_quaternion, rotate, rotate_back
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, store, subtract
from dem.kernels.soft.fluid import fluid_cache as rows
from dem.kernels.soft.integration.cell_stress import add_motion, no_motion
from dem.kernels.soft.integration.particle_update import record_vector
from dem.kernels.soft.neighbours.displacement import larger

# shares of relaxation in a step, and vectors turned into the body frame and back
shares_along = select("scheme", {rotation.SphericalPCDM: of_sphere, object: of_body}, handed=False)
to_body_frame = select("scheme", {rotation.SphericalPCDM: argument("u"), object: rotate_back}, handed=False)
to_world_frame = select("scheme", {rotation.SphericalPCDM: argument("u"), object: rotate}, handed=False)


@inline
def fluid_force(fluid, scheme, g, q, flow, gravity, spin, v):
    """Force of the fluid on a body with velocity v.

    fluid, scheme, g, q: of the body: see `dem.kernels.soft.state`.
    flow, gravity, spin: `Sample`, acceleration, angular velocity, in the world frame.
    v: velocity [m/s].
    Returns resistance along the body's axes [N s/m], all other forces [N] and the slope of
        `dem.kernels.fluid.relaxation_step` in the world frame, Reynolds number.
    """
    medium, slip = fluids.medium_at(flow, fluid.medium), subtract(flow.velocity, v)
    d = medium.diameter[g]
    per_speed = medium.density / medium.viscosity * d
    reynolds = per_speed * math.sqrt(dot(slip, slip))
    displaced = medium.density * medium.volume[g]
    resistance = fluids.resist(fluid.drag, medium, g, reynolds, to_body_frame(scheme, q, slip), flow)
    accelerating = add(flow.change, along(flow.gradient, flow.velocity))
    force = fluids.pressure_force_on(flow, medium, g, displaced, accelerating, gravity)
    if medium.is_sphere[g] > 0.0:
        vorticity = curl(flow.gradient)
        excess = add_scaled(spin, -0.5, vorticity)
        turning = per_speed * d * math.sqrt(dot(excess, excess))
        force = add(force, fluids.lift_on(fluid.lift, medium, g, reynolds, slip, vorticity))
        force = add(force, fluids.magnus_lift_on(fluid.magnus, medium, g, reynolds, turning, slip, excess))
    return resistance, force, fluids.change_along(fluid.field, flow, v), reynolds


@inline
def work_of(mass, dt, other_accelerations, before, after):
    """Work of the fluid in half a step from one velocity to another: its momentum times their mean [J]."""
    momentum_change = add_scaled(subtract(after, before), -0.5 * dt, other_accelerations)
    return 0.5 * mass * dot(momentum_change, add(before, after))


@inline
def drive_sphere(scheme, cache, b, q, shares, target, push):
    """Write the velocity change of a sphere by a steady fluid in half a step [m/s]."""
    write_three(cache, rows.TARGET, b, step_relaxed(shares, target, push))


@inline
def drive_body(scheme, cache, b, q, shares, target, push):
    """Record the fluid velocity at a body and the accelerations by lift and pressure, in the world frame."""
    write_three(cache, rows.TARGET, b, target)
    write_three(cache, rows.PUSH, b, push)


@inline
def driven_sphere(scheme, cache, b, q, slip, other_accelerations):
    """Changes of a sphere's velocity relative to the fluid in half a step and in a whole one.

    cache, q: see ``fluid_cache``; orientation of the body.
    slip, other_accelerations: change of the fluid's velocity since then less the body's velocity [m/s]; of all other
        forces [m/s²].
    Returns two vectors [m/s].
    """
    shares = rows.shares_in(scheme, cache, rows.SHARE, rows.SHARES, b)
    change = add(three(cache, rows.TARGET, b), step_relaxed(shares, slip, other_accelerations))
    return change, step_whole_from_half(shares, change)


@inline
def driven_body(scheme, cache, b, q, slip, other_accelerations):
    """Changes of a body's velocity relative to the fluid in half a step and in a whole one, axis by axis.

    cache, q, slip, other_accelerations: see `driven_sphere`.
    Returns two vectors [m/s].
    """
    shares = rows.shares_in(scheme, cache, rows.SHARE, rows.SHARES, b)
    slip, push = add(three(cache, rows.TARGET, b), slip), add(three(cache, rows.PUSH, b), other_accelerations)
    change = step_relaxed(shares, rotate_back(q, slip), rotate_back(q, push))
    return rotate(q, change), rotate(q, step_whole_from_half(shares, change))


record_drive = select("scheme", {rotation.SphericalPCDM: drive_sphere, object: drive_body})
driven = select("scheme", {rotation.SphericalPCDM: driven_sphere, object: driven_body})


@vector_loop
def integrate_velocities(
    fluid, scheme, law, box, low, high, present, first_body, keep_force, dt, gravity, reference_potential, per_joule,
    identity, position, orientation, cache, image, velocity, force, velocity_predicted,
):  # fmt: skip
    """Advance velocities of bodies low to high to half a step after the forces.

    present, keep_force: number of bodies that have not left; whether to write the force.
    identity, position, orientation, cache, image: of `Bodies`.
    Writes velocity, velocity_predicted: (3, N) half a step past the forces, and at the next ones [m/s]; the latter not
        for elastic contacts.
    Writes force: what takes the velocity at the forces to that half a step later, besides the weight [N]; if
        `keep_force`.
    Writes fluid.field: momentum that particles take from a flow that another program computes.
    Returns the kinetic and gravitational energy in units, bits of the largest squared F/m [m²/s⁴], work of the fluid in
        the half steps before and after the forces, two words each, and what motion contributes to the virial of a cell
        that deforms.
    """
    energy, max_acceleration_squared, moved = np.int64(0), np.int64(0), no_motion(box)
    before, after = (np.int64(0), np.int64(0)), (np.int64(0), np.int64(0))
    medium, half = fluid.medium, 0.5 * dt
    elapsed = (
        medium.steps_since_evaluation[0] - 0.5 * medium.interval
    ) * dt  # of the interval since its middle, at half a step before
    for b in range(low, high):
        m, v, x, q = cache[rows.MASS, b], load(velocity, b), load(position, b), load_quaternion(orientation, b)
        contacts, slope = scale(1.0 / m, load(force, b - first_body)), three(cache, rows.SLOPE, b)
        other_accelerations = add(contacts, gravity)
        change_to_forces, change_of_step = driven(
            scheme, cache, b, q, subtract(scale(elapsed, slope), v), other_accelerations
        )
        now, later = add(v, add_scaled(change_to_forces, half, slope)), add(v, add_scaled(change_of_step, dt, slope))
        fluids.take(fluid.field, identity[b], m, dt, other_accelerations, v, now, later)
        store(velocity, b, later)
        record_vector(law, add_scaled(later, 0.5, subtract(later, v)), velocity_predicted, b)
        if keep_force:
            store(force, b - first_body, scale(m, subtract(scale(2.0 / dt, subtract(later, now)), gravity)))
        height = gravitational(m, gravity, potential_position(box, x, image, b), reference_potential)
        moved = add_motion(box, moved, m, now)
        is_present = b < present
        energy += as_fixed(translational(m, now) + height, per_joule) if is_present else np.int64(0)
        work_before = as_words(work_of(m, dt, other_accelerations, v, now), per_joule)
        work_after = as_words(work_of(m, dt, other_accelerations, now, later), per_joule)
        before = add_words(before, work_before) if is_present else before
        after = add_words(after, work_after) if is_present else after
        max_acceleration_squared = larger(max_acceleration_squared, dot(contacts, contacts))
    return energy, max_acceleration_squared, before, after, moved
