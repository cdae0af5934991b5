"""Compiled stages of a step: functions with machine code of their own, with no more arguments than they use.

See `dem.kernels.compiler.stages`.

A stage is compiled for the types of its arguments. So the type of the rotational scheme is passed only to stages that
integrate, that of the law only to stages that evaluate contacts, and that of walls only to stages that use them. All
other stages get a placeholder, and are shared by more combinations.
"""

import numpy as np
from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import compiled_stage, inline, select
from dem.kernels.fluid import Dry
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.contact import body_placement, contact_batches, contact_history, force_accumulation
from dem.kernels.soft.contact.contact_detection import Sums, no_sums
from dem.kernels.soft.contact.dissipated_heat import ContactHeat, NoHeat
from dem.kernels.soft.contact.result_sinks import HeatWallSink, WallForceSink
from dem.kernels.soft.integration import particle_update
from dem.kernels.soft.neighbours import candidate_pairs
from dem.kernels.soft.neighbours import displacement as neighbours_displacement
from dem.kernels.soft.state import StepContext
from dem.kernels.soft.wall_contact import body_wall_forces
from dem.kernels.soft.wall_contact.wall_arrays import as_plain_box

SUMS = Sums(0, 0, 0, (0, 0), (0, 0), (0, 0))
# in place of the law, for stages that only ask whether velocities are wanted
law_interface = select("law", {laws.Elastic: laws.Elastic(), laws.Composite: laws.VelocityDependent()})
# in place of the scheme, for stages that only ask whether it is that of single spheres
scheme_interface = select("scheme", {rotation.SphericalPCDM: rotation.SphericalPCDM(), object: rotation.Euler()})


@inline
def context_of_pairs(context):
    """Context of contacts between bodies: of the scheme, whether it is for single spheres; faces; no fluid."""
    return context_with(context, scheme_interface(context.scheme), context.law, Dry(), as_plain_box(context.box))


@inline
def context_of_walls(context):
    """Context of contacts with walls: of the scheme, whether it is for single spheres; no fluid."""
    return context_with(context, scheme_interface(context.scheme), context.law, Dry(), context.box)


@inline
def context_of_motion(context):
    """Context of the integration: faces; no law, no fluid."""
    return context_with(context, context.scheme, laws.Elastic(), Dry(), as_plain_box(context.box))


@inline
def context_of_fluid(context):
    """Context of the integration in a fluid: faces; of the law, whether it needs velocities."""
    law, box = law_interface(context.law), as_plain_box(context.box)
    return context_with(context, context.scheme, law, context.fluid, box)


@inline
def context_with(context, scheme, law, fluid, box):
    """The context with others of these."""
    return StepContext(
        scheme, law, fluid, context.constants, context.bodies, context.kinds, context.neighbours, box,
        context.chunk_sums,
    )  # fmt: skip


@compiled_stage(returns=SUMS)
def pair_forces(c, evaluates, d, accumulates, first_body, time_sign, context):
    """Evaluate the candidate pairs of one chunk, or sum the forces on the bodies of another, or both.

    In one call, which takes some thirty nanoseconds: nine fibres take a thousand a step.

    c, evaluates: the one, and whether to do so.
    d, accumulates, first_body: the other, whether to do so, and where to, as of
        `dem.kernels.soft.contact.force_accumulation.gather_pairs`.
    Writes context.neighbours: as `dem.kernels.soft.contact.contact_batches.evaluate`.
    Writes context.bodies: as `dem.kernels.soft.contact.force_accumulation.gather_pairs`.
    Returns `Sums` over the pairs evaluated.
    """
    sums = no_sums()
    if evaluates:
        sums = contact_batches.evaluate(c, time_sign, context)
    if accumulates:
        bond_step.clear(context.neighbours.bonds, d, first_body, context.bodies)
        force_accumulation.gather_pairs(d, first_body, context)
    return sums


@inline
def plain_sink(heat, first_body, time_sign, half, per_joule):
    """Sink of contacts with walls, without heat."""
    return WallForceSink(first_body, time_sign, half, per_joule)


@inline
def heated_sink(heat, first_body, time_sign, half, per_joule):
    """Sink of wall contacts that also heats bodies by the dissipated energy."""
    return HeatWallSink(first_body, time_sign, half, per_joule, heat)


wall_sink = select("heat", {NoHeat: plain_sink, ContactHeat: heated_sink})


@compiled_stage(returns=SUMS)
def wall_forces(c, first_body, time_sign, context):
    """Add the forces and torques of walls on the bodies of chunk c.

    Writes context.bodies, context.neighbours: as `dem.kernels.soft.wall_contact.body_wall_forces.gather_one_by_one`.
    Returns `Sums` at the walls.
    """
    constants = context.constants
    sink = wall_sink(context.neighbours.heat, first_body, time_sign, 0.5 * constants.dt, constants.per_joule)
    return body_wall_forces.gather_walls(
        context.law, context.scheme, c, sink, context.bodies, context.kinds, context.neighbours, context.box
    )


@inline
def place_any(c, context):
    """Place the spheres of the bodies of chunk c that have anything to touch."""
    if not context.kinds.all_single_spheres:
        body_placement.place(context.kinds, c, context.bodies, context.neighbours)


place = select("context.scheme", {rotation.SphericalPCDM: None, object: place_any})


@compiled_stage(returns=(0, 0, 0, 0))
def integrate(c, corrects, predicts, first_body, context):
    """Complete the step of chunk c, or predict the next one and place bodies that may touch, or both.

    corrects, predicts: whether to do so.
    Writes context.bodies: as `dem.kernels.soft.integration.particle_update.correct` and
        `dem.kernels.soft.integration.particle_update.predict`.
    Returns what both return.
    """
    energy, spin, acceleration_squared, displacement_bits = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if corrects:
        energy, spin, acceleration_squared = particle_update.correct(c, first_body, context)
    if predicts:
        displacement_bits = particle_update.predict(c, corrects, context)
        place(c, context)
    return energy, spin, acceleration_squared, displacement_bits


@compiled_stage(returns=None)
def place_all(bodies, kinds):
    """Place the spheres of all bodies of several spheres."""
    body_placement.place_all(bodies, kinds)


@compiled_stage(returns=None)
def place_before_pick(c, bodies, kinds):
    """Place what the candidates of chunk c are selected by."""
    body_placement.place_before_pick(c, bodies, kinds)


@compiled_stage(returns=0)
def displacement(c, bodies, kinds, neighbours, box):
    """Bits of the distance from where they were listed that no sphere of chunk c exceeds."""
    return neighbours_displacement.displacement(c, bodies, kinds, neighbours, box)


@compiled_stage(returns=None)
def build_candidates(c, skin, bodies, kinds, neighbours, box):
    """Build the candidate pairs of a chunk; the contact history is saved first unless it is already."""
    if neighbours.history.shape[1] > 0 and neighbours.saved_count[c] < 0:
        contact_history.save_history(c, bodies, neighbours)
    candidate_pairs.pick(kinds, c, skin, bodies, neighbours, box)


@compiled_stage(returns=None)
def finish_candidates(c, anew, skin, bodies, kinds, neighbours, box):
    """List the candidates of each body, if they are new, and the bodies near walls."""
    if anew and neighbours.history.shape[1] > 0:
        contact_history.restore_history(c, neighbours)
    if anew:
        body_placement.record_pick(kinds, c, bodies, neighbours)
    candidate_pairs.list_incident(c, anew, skin, bodies, kinds, neighbours, box)
    if not kinds.all_single_spheres:
        body_placement.place(kinds, c, bodies, neighbours)


@compiled_stage(returns=0)
def start(context):
    """Set the half-step memories of all bodies from the whole-step state; return their energy [units]."""
    return particle_update.start(context)


@compiled_stage(returns=None)
def synchronise(elapsed, context, view):
    """Write the whole-step state in the user's numbering to the arrays for output."""
    particle_update.synchronise(elapsed, context, view.position, view.velocity, view.orientation, view.angular_velocity)
