"""Step of a chunk: a time step in one pass over memory.

For 1e6 spheres memory traffic limits the speed. In one pass, pair forces and forces of a chunk stay in the cache of the
core. A chunk writes only to its own bodies, its own segment of the candidates, and its own row of `chunk_sums`;
``passes`` goes over all chunks.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.fluid import Dry, Fluid
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.chunks import CHUNK, chunk_of
from dem.kernels.soft.contact import sphere_motion
from dem.kernels.soft.contact.contact_detection import no_sums
from dem.kernels.soft.contact.convex_contacts import SOLVER_COLUMNS
from dem.kernels.soft.fixed_bodies import work_of_fixed
from dem.kernels.soft.fluid import fluid_step
from dem.kernels.soft.integration import cell_stress, compiled_stages
from dem.kernels.soft.neighbours import displacement
from dem.kernels.soft.state import SOLVER
from dem.kernels.soft.wall_contact import wall_loads

# columns of `chunk_sums`, one row a chunk: `Sums` of pairs, `Sums` of walls, kinetic and potential energy, squares
# of the largest spin and acceleration, largest displacements in the last prediction and since the lists were built
PAIRS, WALLS, BODY_ENERGY, SPIN, ACCELERATION_SQUARED, DISPLACEMENT, LIST_DISPLACEMENT = 0, 9, 18, 19, 20, 21, 22
# work of a fluid in the half steps before and after the forces, largest Reynolds numbers, whether a body left the
# flow field
FLUID_WORK_BEFORE, FLUID_WORK_AFTER, REYNOLDS, ROTATIONAL_REYNOLDS, OUTSIDE = 23, 25, 27, 28, 29
COLUMNS = SOLVER + SOLVER_COLUMNS  # behind all, what the solver of convex bodies did

# what a pass does: all forces; the first prediction; forces, the step completed, the next one predicted; the same
# without the next one
FORCES, PREDICT, STEP, LAST_STEP = range(4)


@inline
def time_sign_of(task):
    """Direction of time for laws with a history: forces at the start are evaluated at the time of the history."""
    return -1.0 if task == FORCES else 1.0


@inline
def completes(task):
    """Whether a pass completes a step."""
    return task == STEP or task == LAST_STEP  # noqa: PLR1714


@inline
def ends(task):
    """Whether a pass leaves the state complete: no step begins with its forces."""
    return task == FORCES or task == LAST_STEP  # noqa: PLR1714


@inline
def begins(task):
    """Whether a pass begins a step, as it predicts the next positions."""
    return task == STEP or task == PREDICT  # noqa: PLR1714


@inline
def write_sums(chunk_sums, c, column, sums):
    """Write sums over contacts."""
    chunk_sums[c, column] = sums.elastic
    chunk_sums[c, column + 1] = sums.overlap
    chunk_sums[c, column + 2] = sums.spring_energy
    chunk_sums[c, column + 3], chunk_sums[c, column + 4] = sums.loss
    chunk_sums[c, column + 5], chunk_sums[c, column + 6] = sums.work
    chunk_sums[c, column + 7], chunk_sums[c, column + 8] = sums.instantaneous_dissipation


@inline
def candidate_margin(context):
    """Distance beyond contact up to which candidate pairs are picked [m].

    Contacts that live beyond touching are seen to end: they were within their range when forces were last evaluated.
    """
    law, constants = context.law, context.constants
    if laws.has_range(law):
        return constants.candidate_skin + constants.range + 2.0 * displacement.largest(context.chunk_sums, DISPLACEMENT)
    if laws.largest_begin_gap(law) > 0.0:
        return constants.candidate_skin + constants.range
    return constants.candidate_skin


@inline
def near_wall_margin(context):
    """Distance from walls up to which bodies are listed as near them [m].

    A body that touched a wall when forces were last evaluated stays listed for a step, in which its history is cleared.
    """
    return candidate_margin(context) + displacement.largest(context.chunk_sums, DISPLACEMENT)


@inline
def evaluate_and_accumulate(c, evaluates, d, accumulates, first_body, time_sign, context):
    """Evaluate the candidate pairs of chunk c, and gather the forces of chunk d: of pairs, walls and bonds; or either.

    evaluates, d, accumulates: as of `dem.kernels.soft.integration.compiled_stages.pair_forces`.
    Writes context.neighbours: forces of candidates, torques where they have any; history of contacts.
    Writes context.bodies: forces and torques. Writes context.chunk_sums: row c, PAIRS and on; row d, WALLS and on.
    """
    chunk_sums, neighbours = context.chunk_sums, context.neighbours
    sums = compiled_stages.pair_forces(
        c, evaluates, d, accumulates, first_body, time_sign, compiled_stages.context_of_pairs(context)
    )
    if evaluates:
        write_sums(chunk_sums, c, PAIRS, sums)
        cell_stress.record_pairs(context.box, context.law, context.kinds, context.scheme, c, context.bodies, neighbours)
    if accumulates:
        wall_loads.clear_wall_loads(context.box, d)
        sums = no_sums()
        if neighbours.near_wall_count[d] > 0:
            sums = compiled_stages.wall_forces(d, first_body, time_sign, compiled_stages.context_of_walls(context))
        per_joule = context.constants.per_joule
        bond_step.add_forces(neighbours.bonds, neighbours.heat, d, first_body, time_sign, per_joule, context.bodies)
        write_sums(chunk_sums, d, WALLS, sums)
        if context.kinds.fixed:
            add_work_of_fixed(d, first_body, context)


@inline
def add_work_of_fixed(c, first_body, context):
    """Add the work that fixed bodies of chunk c do on others in half a step to that of walls."""
    bodies, constants = context.bodies, context.constants
    low, high = chunk_of(c, bodies.kind.size)
    whole, subunits = work_of_fixed(
        low, high, first_body, 0.5 * constants.dt, constants.per_joule, bodies.kind, context.kinds.inverse_mass,
        bodies.velocity, bodies.force,
    )  # fmt: skip
    context.chunk_sums[c, WALLS + 5] += whole
    context.chunk_sums[c, WALLS + 6] += subunits


@inline
def integrate_dry_chunk(c, corrects, predicts, first_body, context):
    """Complete the step with the forces, and predict the next, or either.

    corrects, predicts: as of `dem.kernels.soft.integration.compiled_stages.integrate`.
    Writes context.bodies: velocities and memories; positions, orientations and spheres at the time of the next forces.
    Writes context.chunk_sums: row c, BODY_ENERGY, SPIN, ACCELERATION_SQUARED and DISPLACEMENT.
    """
    chunk_sums = context.chunk_sums
    energy, spin, acceleration_squared, largest_displacement = compiled_stages.integrate(
        c, corrects, predicts, first_body, compiled_stages.context_of_motion(context)
    )
    if corrects:
        chunk_sums[c, BODY_ENERGY], chunk_sums[c, SPIN] = energy, spin
        chunk_sums[c, ACCELERATION_SQUARED] = acceleration_squared
    if predicts:
        chunk_sums[c, DISPLACEMENT] = largest_displacement


@inline
def integrate_chunk_in_fluid(c, corrects, predicts, first_body, context):
    """Complete the step with the forces, predict the next, or do both, in a fluid.

    corrects, predicts: as of `integrate_dry_chunk`.
    Writes context.bodies: as `integrate_dry_chunk`. Writes context.chunk_sums: as `integrate_dry_chunk`, and row c,
        FLUID_WORK_BEFORE and on.
    """
    chunk_sums = context.chunk_sums
    if corrects:
        energy, spin, acceleration_squared, before, after, reynolds, rotational_reynolds, outside = fluid_step.correct(
            c, first_body, not predicts, compiled_stages.context_of_fluid(context)
        )
        chunk_sums[c, BODY_ENERGY], chunk_sums[c, SPIN] = energy, spin
        chunk_sums[c, ACCELERATION_SQUARED] = acceleration_squared
        chunk_sums[c, FLUID_WORK_BEFORE], chunk_sums[c, FLUID_WORK_BEFORE + 1] = before
        chunk_sums[c, FLUID_WORK_AFTER], chunk_sums[c, FLUID_WORK_AFTER + 1] = after
        chunk_sums[c, REYNOLDS], chunk_sums[c, ROTATIONAL_REYNOLDS] = reynolds, rotational_reynolds
        chunk_sums[c, OUTSIDE] = outside
    else:
        fluid_step.clear(context.fluid, c, context.bodies, context.kinds)
    if predicts:
        integrate_dry_chunk(c, False, True, first_body, context)


integrate_chunk = select("context.fluid", {Dry: integrate_dry_chunk, Fluid: integrate_chunk_in_fluid})
clear_forces = select("fluid", {Dry: None, Fluid: fluid_step.clear})


@inline
def crosses_block(c, first, stop, neighbours):
    """Whether pairs of chunk c have a body outside the chunks first to stop."""
    return neighbours.first_chunk_reached[c] < first or neighbours.last_chunk_reached[c] >= stop


@inline
def evaluate_bonds(c, task, context):
    """Evaluate the bonds of chunk c, and their part of the stress of a cell that deforms."""
    bonds = context.neighbours.bonds
    bond_step.evaluate(bonds, c, task != FORCES, context.constants, context.bodies, context.box)
    cell_stress.record_bonds(context.box, bonds, c, context.bodies)


@func
def evaluate_borders(block, task, context):
    """Evaluate the chunks with neighbours in other blocks before anything moves; each block takes a share of them.

    There may be many more in one block than in another, which would wait for it.

    block, task: see `step_block`.
    Writes context.neighbours, context.chunk_sums: as `evaluate_and_accumulate`.
    """
    neighbours = context.neighbours
    first, stop = neighbours.block[block], neighbours.block[block + 1]
    for c in range(first, stop):
        if bond_step.reach_beyond(neighbours.bonds, c, stop):
            evaluate_bonds(c, task, context)
    for c in range(neighbours.block[0], neighbours.evaluating_block.size):
        own = neighbours.block_of[c]
        if neighbours.evaluating_block[c] == block and crosses_block(
            c, neighbours.block[own], neighbours.block[own + 1], neighbours
        ):
            evaluate_and_accumulate(c, True, c, False, 0, time_sign_of(task), context)


@inline
def step_block(block, task, context):
    """Step the chunks of a block: evaluate, gather, correct, and predict the next step.

    All in one pass, because the data of a chunk are then still in the core's cache. A chunk is gathered and moved when
    all its pairs are evaluated, that is `Neighbours.chunk_bandwidth` chunks later; 0 for equal bodies, whose pairs are
    stored with the lower index. The forces on single spheres are kept only at the last step: until then they are
    written to the columns of the block's first chunk, and never leave the cache.

    block, task: which block; FORCES, PREDICT, STEP or LAST_STEP.
    Writes context.bodies, context.neighbours, context.chunk_sums: as the parts above, which the task calls for.
    """
    step_half_block(block, 0, 2, task, context)


@inline
def step_half_block(block, begin, end, task, context):
    """Step some halves of a block, one after another.

    block, task: see `step_block`.
    begin, end: from half `begin` to half `end`, of the halves 0 and 1.
    Writes context.bodies, context.neighbours, context.chunk_sums: as `step_block`.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    first, stop = neighbours.block[block], neighbours.block[block + 1]
    bandwidth = neighbours.chunk_bandwidth[0]
    chunks = stop + bandwidth - first
    corrects, predicts = completes(task), begins(task)
    sphere_motion.begin_lines(block, first + chunks * begin // 2, bodies, neighbours)
    for c in range(first + chunks * begin // 2, first + chunks * end // 2):
        d = c - bandwidth
        evaluates = task != PREDICT and c < stop and not crosses_block(c, first, stop, neighbours)
        accumulates = task != PREDICT and d >= first
        first_body = (d - first) * CHUNK if task == STEP and kinds.all_single_spheres else 0
        if accumulates and task == FORCES:
            clear_forces(context.fluid, d, bodies, kinds)
        if task != PREDICT and c < stop and not bond_step.reach_beyond(neighbours.bonds, c, stop):
            evaluate_bonds(c, task, context)
        if evaluates or accumulates:
            evaluate_and_accumulate(c, evaluates, d, accumulates, first_body, time_sign_of(task), context)
        if d >= first and (corrects or predicts):
            integrate_chunk(d, corrects, predicts, first_body, context)
    sphere_motion.end_lines(block, neighbours)
