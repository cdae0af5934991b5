"""Laws of a fluid evaluated block by block, for an interval of some steps; results are stored in ``fluid_cache``.

The laws are evaluated for the middle of the interval: at the position extrapolated with the present velocity, and with
the mean velocities that the fluid and the present forces give. Unless all laws are linear in the velocity they are
evaluated twice, first with the initial velocity, then with the mean over the interval thus found: second order, and for
drag up to the square of the velocity stable with any time step; an extrapolated velocity oscillates at h rate > 1.

The flow is sampled in a loop of its own. The loops over laws contain nothing but arithmetic
(`dem.kernels.numerics.elementary`), so that LLVM makes vector code of them. Each loop is as short as possible: a
processor looks ahead less than one round of a long loop, whose operations then wait for one another.
"""

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels import rotation
from dem.kernels.compiler.jit import argument, func, inline, select, vector_loop
from dem.kernels.domain.periodic import wrap_position
from dem.kernels.fluid import sampling
from dem.kernels.fluid.gradients import OUTSIDE, PLACE, write_three
from dem.kernels.fluid.gridded import SCRATCH
from dem.kernels.fluid.relaxation_step import step_relaxed, step_whole_from_half, with_added_mass
from dem.kernels.numerics.quaternion import load_quaternion, turn
from dem.kernels.numerics.vector import add_scaled, load, scale, store, subtract
from dem.kernels.soft.fluid import fluid_cache as rows
from dem.kernels.soft.fluid.rotational_relaxation import predict_rotation
from dem.kernels.soft.fluid.translational_relaxation import (
    fluid_force,
    record_drive,
    shares_along,
    to_body_frame,
    to_world_frame,
)
from dem.kernels.soft.neighbours.displacement import larger
from dem.kernels.soft.state import gravity_of


@inline
def pose_of_body(scheme, q, spin, time):
    """Orientation of a body after a time [s]."""
    return turn(spin, time, q)


pose_after = select("scheme", {rotation.SphericalPCDM: argument("q"), object: pose_of_body})


@vector_loop
def predict_positions(box, low, high, lag, position, velocity, sampled, angular_velocity):
    """Positions of bodies low to high a time `lag` later; their angular velocity set to zero.

    position, velocity: (3, N) of `Bodies`.
    lag: time [s].
    Writes sampled: PLACE. Writes angular_velocity: zero.
    """
    for b in range(low, high):
        s = b - low
        x, _ = wrap_position(box, add_scaled(load(position, b), lag, load(velocity, b)), lag)
        write_three(sampled, PLACE, s, x)
        store(angular_velocity, s, (0.0, 0.0, 0.0))


@vector_loop
def evaluate_rotational_laws(
    fluid, scheme, low, high, first_body, dt, kind, inertia, orientation, memory_q, memory_w, memory_a, memory_more,
    torque, sampled, cache, angular_velocity,
):  # fmt: skip
    """Rotational resistance of bodies low to high, and the angular velocity to which they relax.

    kind, inertia, orientation, memory_q, memory_w, memory_a, memory_more, torque: of `Bodies` and `Kinds`.
    sampled: flow.
    Writes cache: TURN, SPIN, TURNS and SPIN_SLOPE.
    Writes angular_velocity: (3, BLOCK) angular velocity in the middle of the interval, in the world frame; a separate
        array: with rows of an array that is also read, LLVM would have to check too many of them for overlap.
    Returns the bits of the largest rotational Reynolds number.
    """
    rotational_reynolds = np.int64(0)
    for b in range(low, high):
        s, g = b - low, kind[b]
        q, flow = load_quaternion(orientation, b), fluids.sample_in(fluid.field, sampled, s)
        memory = rotation.load_memory(scheme, memory_q, memory_w, memory_a, memory_more, b)
        contacts = to_body_frame(scheme, q, load(torque, b - first_body))
        target, slope, shares, omega, turning = predict_rotation(
            fluid, scheme, memory, g, q, load(inertia, g), flow, contacts, dt
        )
        rows.write_shares(scheme, cache, rows.TURN, rows.TURNS, b, shares)
        write_three(cache, rows.SPIN, b, target)
        rows.write_spin_slope(scheme, cache, b, slope)
        store(angular_velocity, s, to_world_frame(scheme, q, omega))
        rotational_reynolds = larger(rotational_reynolds, turning)
    return rotational_reynolds


@inline
def mean_velocity_over(fluid, scheme, g, q, span, inverse_mass, flow, gravity, spin, other_accelerations, v):
    """Mean velocity of a body over an interval, at which the laws are evaluated.

    fluid, scheme, g, q, flow, gravity, spin, v: see `fluid_force`; v is that at the beginning.
    span, inverse_mass, other_accelerations: of the interval [s], one over the mass [1/kg], of all other forces [m/s²].
    Returns the velocity [m/s].
    """
    mass_ratio = fluids.mass_ratio_of(flow, fluid, g)
    resistance, force, slope, _ = fluid_force(fluid, scheme, g, q, flow, gravity, spin, v)
    shares = shares_along(scheme, span, scale(mass_ratio * inverse_mass, resistance))
    acceleration = subtract(scale(mass_ratio, add_scaled(other_accelerations, inverse_mass, force)), slope)
    slip = add_scaled(subtract(flow.velocity, v), -0.5 * span, slope)
    change = step_whole_from_half(
        shares, step_relaxed(shares, to_body_frame(scheme, q, slip), to_body_frame(scheme, q, acceleration))
    )
    return add_scaled(add_scaled(v, 0.5, to_world_frame(scheme, q, change)), 0.5 * span, slope)


@vector_loop
def predict_velocities(
    fluid, scheme, low, high, first_body, dt, gravity, kind, inverse_mass, velocity, orientation, force, sampled,
    angular_velocity, mean_velocity,
):  # fmt: skip
    """Velocities of bodies low to high at which the laws are evaluated.

    kind, inverse_mass, velocity, orientation, force: of `Bodies` and `Kinds`.
    sampled, angular_velocity: flow, and angular velocity in it.
    Writes mean_velocity: (3, BLOCK) [m/s].
    """
    interval = fluid.medium.interval
    span, lag = interval * dt, 0.5 * (interval - 1) * dt
    for b in range(low, high):
        s, g = b - low, kind[b]
        v, flow, spin = load(velocity, b), fluids.sample_in(fluid.field, sampled, s), load(angular_velocity, s)
        if not fluids.is_linear(fluid):
            q = pose_after(scheme, load_quaternion(orientation, b), spin, lag)
            other_accelerations = add_scaled(gravity, inverse_mass[g], load(force, b - first_body))
            v = mean_velocity_over(
                fluid, scheme, g, q, span, inverse_mass[g], flow, gravity, spin, other_accelerations, v
            )
        store(mean_velocity, s, v)


@vector_loop
def evaluate_translational_laws(
    fluid, scheme, low, high, present, dt, gravity, kind, mass, orientation, sampled, angular_velocity, mean_velocity,
    cache,
):  # fmt: skip
    """Translational resistance of bodies low to high, and the velocity to which they relax.

    present: number of bodies that have not left.
    kind, mass, orientation: of `Bodies` and `Kinds`.
    sampled, angular_velocity, mean_velocity: flow, angular velocity and velocity in it.
    Writes cache: SLOPE, MASS, SHARE, TARGET, PUSH and SHARES.
    Returns the bits of the largest Reynolds number, 1 if a body is outside the field.
    """
    quickest, outside = np.int64(0), np.int64(0)
    interval = fluid.medium.interval
    lag = 0.5 * (interval - 1) * dt
    for b in range(low, high):
        s, g = b - low, kind[b]
        flow, spin = fluids.sample_in(fluid.field, sampled, s), load(angular_velocity, s)
        q = pose_after(scheme, load_quaternion(orientation, b), spin, lag)
        resistance, force, slope, reynolds = fluid_force(
            fluid, scheme, g, q, flow, gravity, spin, load(mean_velocity, s)
        )
        inverse_mass, mass_ratio = 1.0 / mass[g], fluids.mass_ratio_of(flow, fluid, g)
        shares = with_added_mass(mass_ratio, shares_along(scheme, dt, scale(mass_ratio * inverse_mass, resistance)))
        acceleration = add_scaled(scale(inverse_mass, force), -1.0 / mass_ratio, slope)
        rows.write_shares(scheme, cache, rows.SHARE, rows.SHARES, b, shares)
        record_drive(scheme, cache, b, q, shares, flow.velocity, acceleration)
        write_three(cache, rows.SLOPE, b, slope)
        cache[rows.MASS, b] = mass[g]
        is_present = b < present
        quickest = larger(quickest, reynolds) if is_present else quickest
        outside = max(outside, np.int64(sampled[OUTSIDE, s])) if is_present else outside
    return quickest, outside


@func
def evaluate_laws(c, low, high, first_body, context):
    """Evaluate the laws for bodies low to high of chunk c, for the steps until the next evaluation.

    Writes context.bodies.fluid_cache: see ``fluid_cache``.
    Returns the bits of the largest Reynolds number and of the rotational one, 1 if a body is outside the field.
    """
    fluid, scheme, bodies, kinds = context.fluid, context.scheme, context.bodies, context.kinds
    dt, gravity, medium = context.constants.dt, gravity_of(context.constants), fluid.medium
    lag, sampled, rotational_reynolds = 0.5 * (medium.interval - 1) * dt, medium.sampled[c], np.int64(0)
    scratch, angular_velocity, mean_velocity = (
        sampled[sampled.shape[0] - SCRATCH :],
        medium.predicted_motion[c, :3],
        medium.predicted_motion[c, 3:],
    )
    predict_positions(context.box, low, high, lag, bodies.position, bodies.velocity, sampled, angular_velocity)
    sampling.fill(fluid.field, medium.clock[0] + lag, high - low, sampled, scratch)
    if bodies.torque.shape[1] > 0:
        rotational_reynolds = evaluate_rotational_laws(
            fluid, scheme, low, high, first_body, dt, bodies.kind, kinds.inertia, bodies.orientation, bodies.memory_q,
            bodies.memory_w, bodies.memory_a, bodies.memory_more, bodies.torque, sampled, bodies.fluid_cache,
            angular_velocity,
        )  # fmt: skip
    predict_velocities(
        fluid, scheme, low, high, first_body, dt, gravity, bodies.kind, kinds.inverse_mass, bodies.velocity,
        bodies.orientation, bodies.force, sampled, angular_velocity, mean_velocity,
    )  # fmt: skip
    quickest, outside = evaluate_translational_laws(
        fluid, scheme, low, high, bodies.n_active[0], dt, gravity, bodies.kind, kinds.mass, bodies.orientation, sampled,
        angular_velocity, mean_velocity, bodies.fluid_cache,
    )  # fmt: skip
    return quickest, rotational_reynolds, outside
