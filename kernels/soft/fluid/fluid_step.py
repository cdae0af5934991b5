"""Step of bodies in a fluid: completed with fluid forces besides those of contacts and gravity.

The fluid acts at the kick of the leap-frog, with the velocity, angular velocity and pose at the time of the forces.
Lists and predictions do not depend on it. Relaxation is integrated exactly, however fast it is
(`dem.kernels.fluid.relaxation_step`): each velocity relaxes in the body frame at the time of the forces, along each
axis at its own rate. The laws are evaluated at every step, or once in `Medium.interval` steps, see ``fluid_forces``: a
contact stops a body in some thirty steps, a fluid in a thousand.

The rotational scheme integrates angular velocities. A scheme with `half_step_velocity` (`dem.kernels.rotation`)
receives the torque that gives the angular velocity after relaxation; any other scheme receives the sum of torques at
the angular velocity that it predicts. The
torque-free angular velocity of a spheroid changes as the spheroid rotates in the strain of the fluid; the change of the
velocity gradient along its path is left out.

The work of the fluid is its impulse times the mean velocity, half step by half step. It is thus the whole change of
kinetic energy by the fluid, including added mass and lift. Added mass acts on all accelerations, also those by
contacts.
"""

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import compiled_stage, func, inline
from dem.kernels.domain.periodic import unwrap_position
from dem.kernels.fluid.relaxation_step import step_after
from dem.kernels.fluid.sampling import BLOCK
from dem.kernels.numerics.energy import add_words, as_fixed, as_words, gravitational, in_units, translational
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add, add_scaled, load, scale, store, subtract
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.fluid.fluid_forces import evaluate_laws
from dem.kernels.soft.fluid.rotational_relaxation import relax_rotation, start_turning
from dem.kernels.soft.fluid.translational_relaxation import (
    fluid_force,
    integrate_velocities,
    shares_along,
    to_body_frame,
    to_world_frame,
    work_of,
)
from dem.kernels.soft.integration.cell_stress import record_motion_of_chunk
from dem.kernels.soft.integration.particle_update import record_vector
from dem.kernels.soft.state import gravity_of


@func
def evaluate_laws_if_due(c, first_body, context):
    """Evaluate the laws for chunk c, block by block, at the first step of an interval; see `evaluate_laws`.

    Writes context.bodies.fluid_cache: see ``fluid_cache``.
    """
    low, high = chunk_of(c, context.bodies.kind.size)
    quickest, rotational_reynolds, outside = np.int64(0), np.int64(0), np.int64(0)
    if context.fluid.medium.steps_since_evaluation[0] == 0:
        for first in range(low, high, BLOCK):
            found = evaluate_laws(c, first, min(first + BLOCK, high), first_body, context)
            quickest, outside = max(quickest, found[0]), max(outside, found[2])
            rotational_reynolds = max(rotational_reynolds, found[1])
    return quickest, rotational_reynolds, outside


@compiled_stage
def correct(c, first_body, keep_force, context):
    """The step of chunk c completed with its forces, that of body b in column b - first_body.

    keep_force: whether the state after this step may be read.
    Writes velocity, velocity_predicted, memory_q of the bodies: and the rest of the memory.
    Writes their force: if `keep_force`, what takes the velocity at the forces to that half a step later, besides the
        weight [N].
    Writes their fluid_cache: see ``fluid_forces``. Writes fluid.field: see `integrate_velocities`.
    Writes box: what motion contributes to the virial of a cell that deforms.
    Returns the energy of those present in units, bits of the largest squared spin [rad²/s²] and F/m [m²/s⁴], work of
        the fluid in the half steps before and after the forces, two words each, bits of the largest Reynolds number and
        of the rotational one, 1 if a body is outside the field; no numbers but where laws are evaluated.
    """
    bodies, constants = context.bodies, context.constants
    low, high = chunk_of(c, bodies.kind.size)
    reynolds, rotational_reynolds, outside = evaluate_laws_if_due(c, first_body, context)
    energy, max_acceleration_squared, before, after, moved = integrate_velocities(
        context.fluid, context.scheme, context.law, context.box, low, high, bodies.n_active[0], first_body, keep_force,
        constants.dt, gravity_of(constants), constants.reference_potential, constants.per_joule, bodies.identity,
        bodies.position,
        bodies.orientation, bodies.fluid_cache, bodies.image, bodies.velocity, bodies.force,
        bodies.velocity_predicted,
    )  # fmt: skip
    record_motion_of_chunk(context.box, c, moved)
    fastest = np.int64(0)
    if bodies.torque.shape[1] > 0:
        turning, fastest, spent_before, spent_after = relax_rotation(
            context.fluid, context.scheme, low, high, bodies.n_active[0], first_body, constants.dt, constants.per_joule,
            bodies.kind, context.kinds.inertia, bodies.orientation, bodies.torque, bodies.fluid_cache, bodies.memory_q,
            bodies.memory_w, bodies.memory_a, bodies.memory_more,
        )  # fmt: skip
        energy += turning
        before, after = add_words(before, spent_before), add_words(after, spent_after)
    return energy, fastest, max_acceleration_squared, before, after, reynolds, rotational_reynolds, outside


@inline
def clear(fluid, c, bodies, kinds):
    """Remove the data that `correct` has stored in the forces of chunk c; only bodies near others get new forces."""
    if not kinds.all_single_spheres:
        low, high = chunk_of(c, bodies.kind.size)
        for b in range(low, high):
            store(bodies.force, b, (0.0, 0.0, 0.0))


@compiled_stage
def start(context):
    """Compute the half-step memory from whole-step velocity, orientation and (in memory_w) world angular velocity.

    Writes velocity, velocity_predicted, force, memory_q of the bodies: as `correct`.
    Writes fluid.field: see `integrate_velocities`.
    Writes fluid.medium: work, zero; work_half_step, in the half step after the start; extremes, Reynolds numbers.
    Returns the energy that `correct` will report while it is conserved, in units.
    """
    fluid, scheme, constants, bodies, kinds = (
        context.fluid, context.scheme, context.constants, context.bodies, context.kinds
    )  # fmt: skip
    dt, gravity, reference_potential, per_joule = (
        constants.dt,
        gravity_of(constants),
        constants.reference_potential,
        constants.per_joule,
    )
    energy, total_work = np.int64(0), (np.int64(0), np.int64(0))
    for b in range(bodies.kind.size):
        g, x, v = bodies.kind[b], load(bodies.position, b), load(bodies.velocity, b)
        m, q, spin = kinds.mass[g], load_quaternion(bodies.orientation, b), load(bodies.memory_w, b)
        flow = fluids.sample_of(fluid.field, fluid.medium.clock[0], x)
        other_accelerations = add_scaled(gravity, kinds.inverse_mass[g], load(bodies.force, b))
        mass_ratio = fluids.mass_ratio_of(flow, fluid, g)
        resistance, force, slope, reynolds = fluid_force(fluid, scheme, g, q, flow, gravity, spin, v)
        fluid.medium.extremes[0] = max(fluid.medium.extremes[0], reynolds)
        push = to_body_frame(
            scheme, q, scale(mass_ratio, add_scaled(other_accelerations, kinds.inverse_mass[g], force))
        )
        slip, rate = to_body_frame(scheme, q, subtract(flow.velocity, v)), scale(mass_ratio / m, resistance)
        change = step_after(dt, shares_along(scheme, dt, rate), slip, push, to_body_frame(scheme, q, slope))
        later = add(v, to_world_frame(scheme, q, change))
        fluids.begin(fluid.field, bodies.identity[b], m, dt, other_accelerations, v, later)
        store(bodies.velocity, b, later)
        record_vector(context.law, add(later, subtract(later, v)), bodies.velocity_predicted, b)
        store(bodies.force, b, scale(m, subtract(scale(2.0 / dt, subtract(later, v)), gravity)))
        height = gravitational(m, gravity, unwrap_position(context.box, x, bodies.image, b), reference_potential)
        energy += as_fixed(translational(m, v) + height, per_joule)
        work = work_of(m, dt, other_accelerations, v, later)
        if bodies.torque.shape[1] > 0:
            turning, of_spin, rotational_reynolds = start_turning(fluid, scheme, b, g, q, flow, dt, bodies, kinds)
            fluid.medium.extremes[1] = max(fluid.medium.extremes[1], rotational_reynolds)
            energy += as_fixed(turning, per_joule)
            work += of_spin
        total_work = add_words(total_work, as_words(work, per_joule))
    fluid.medium.work_half_step[0] = in_units(total_work)
    fluid.medium.work[0], fluid.medium.work[1] = 0.0, 0.0
    return energy
