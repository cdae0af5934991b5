"""A step of a subdomain: in pieces, between which the ranks exchange ghosts and sums.

A subdomain has ghosts (``ghost_pairs``), and is otherwise stepped as all bodies are on one rank (``passes``): first the
border, whose motion other ranks need (``halo_exchange``); then, while that is sent, the inner bodies. The sums of all
ranks are recorded and the next step is begun in one call. Kernels take many steps without Python if there are few
ranks, no bonds, and all neighbouring ranks share memory: see `dem.ranks.communicator`.
"""

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import fast_call, func, inline, select, spread
from dem.kernels.domain.periodic import begin_step, end_step
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.contact import body_placement
from dem.kernels.soft.contact.dissipated_heat import record_evaluation
from dem.kernels.soft.integration import cell_stress, chunk_step, compiled_stages, passes
from dem.kernels.soft.integration.time_loop import (
    DONE,
    LIST_STALE,
    NO_ROOM,
    PREDICTED,
    check_limits,
    move_boundaries,
    next_task,
    store_ledger,
    time_of,
)
from dem.kernels.soft.state import StepContext
from dem.kernels.soft.subdomain.halo_exchange import add_sums, exchange_sums, local_sums, pack_halo, time, unpack_halo
from dem.kernels.soft.wall_contact.near_wall_list import refresh_near_wall_list
from dem.kernels.soft.wall_contact.wall_arrays import record_displacement

# commands of Python: step the border; half of the inner bodies, the other half, or all of them; record the sums of all
# ranks and step the border again; repeat these three; pick candidates; measure displacements since the lists were
# built; compute the state at the whole step; nothing, for kernels to be compiled
BORDER, FIRST_HALF, SECOND_HALF, INNER, RECORD, STEPS, BUILD_CANDIDATES, MEASURE_DISPLACEMENT, WRITE_OUTPUT, NOTHING = (
    range(10)
)
NO_TASK = -1  # no pass
EXCHANGE_FAILED = 100  # besides the codes of `time_loop.execute`: reports could not be exchanged
PAUSE = 50_000_000  # ns


@func
def evaluate_ghosts(block, task, context):
    """Place the ghosts of the chunks that a block evaluates, and evaluate their pairs.

    block, task: see `dem.kernels.soft.integration.chunk_step.step_block`.
    Writes context.bodies: spheres of ghosts.
    Writes context.neighbours, context.chunk_sums: as `dem.kernels.soft.integration.chunk_step.evaluate_and_accumulate`.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    for c in range(neighbours.block[0]):
        if neighbours.evaluating_block[c] == block:
            if not kinds.all_single_spheres:
                body_placement.place(kinds, c, bodies, neighbours)
            bond_step.evaluate(neighbours.bonds, c, True, context.constants, bodies, context.box)
            cell_stress.record_bonds(context.box, neighbours.bonds, c, bodies)
            chunk_step.evaluate_and_accumulate(c, True, c, False, 0, chunk_step.time_sign_of(task), context)


@inline
def evaluate_all_ghosts_serial(task, context):
    """Place all ghosts, and evaluate their pairs, in one thread; see `evaluate_ghosts`."""
    for block in range(context.neighbours.block.size - 1):
        evaluate_ghosts(block, task, context)


evaluate_ghosts_spread = spread(evaluate_ghosts)


@inline
def evaluate_all_ghosts_threaded(task, context):
    """Place all ghosts, and evaluate their pairs, by threads; see `evaluate_ghosts`."""
    evaluate_ghosts_spread(context.neighbours.block.size - 1, task, context)


evaluate_all_ghosts = select(
    "mode", {Serial: evaluate_all_ghosts_serial, Threaded: evaluate_all_ghosts_threaded}, handed=False
)


@func
def do_part(k, job, first, begin, end, task, context):
    """Evaluate the pairs of a block that reach into others before anything moves, or step its halves.

    k, first, job: block k after the first one; `dem.kernels.soft.integration.passes.BORDERS`, or else it is stepped.
    begin, end, task: see `dem.kernels.soft.integration.chunk_step.step_half_block`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_half_block`.
    """
    if job == passes.BORDERS:
        chunk_step.evaluate_borders(first + k, task, context)
    else:
        chunk_step.step_half_block(first + k, begin, end, task, context)


@inline
def do_blocks_serial(job, first, stop, begin, end, task, context):
    """Evaluate the pairs that reach out of the blocks `first` to `stop`, or step the blocks, in one thread."""
    for k in range(stop - first):
        do_part(k, job, first, begin, end, task, context)


do_blocks_spread = spread(do_part)


@inline
def do_blocks_threaded(job, first, stop, begin, end, task, context):
    """Evaluate the pairs that reach out of the blocks `first` to `stop`, or step the blocks, by threads."""
    do_blocks_spread(stop - first, job, first, begin, end, task, context)


do_blocks = select("mode", {Serial: do_blocks_serial, Threaded: do_blocks_threaded}, handed=False)


@inline
def step_blocks(first, stop, begin, end, task, mode, context):
    """Step halves of some blocks; before the first half, evaluate the pairs that reach out of them.

    first, stop: from block `first` to block `stop`.
    begin, end, task: see `dem.kernels.soft.integration.chunk_step.step_half_block`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_half_block`.
    """
    for job in range(passes.BLOCKS if task == chunk_step.PREDICT or begin > 0 else passes.BORDERS, passes.BLOCKS + 1):
        do_blocks(mode, job, first, stop, begin, end, task, context)


@inline
def step_border(task, mode, context, run_state, halo):
    """Step the border for a task; returns DONE, or LIST_STALE if candidates are to be picked first.

    task: see `dem.kernels.soft.integration.time_loop.take_step`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_block`.
    Writes halo: motion of the border, which other ranks need, and the report.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    predicted = run_state.phase[0] == PREDICTED
    if task != chunk_step.PREDICT:
        move_boundaries(time_of(task, context.constants.dt, run_state), context, run_state)
        if predicted and 2.0 * run_state.displacement_since_pick[0] > context.constants.candidate_skin:
            return LIST_STALE
    record_evaluation(neighbours.heat, chunk_step.ends(task), bodies)
    begin_step(
        context.box, chunk_step.completes(task), chunk_step.begins(task), context.constants, context.bodies, run_state
    )
    fluids.follow_cell(context.fluid, context.box, False)
    if task != chunk_step.PREDICT:
        unpack_halo(bodies, kinds, halo)
        if predicted:
            refresh_near_wall_list(mode, context, run_state)
        bond_step.before(neighbours.bonds, True, context.constants, bodies, kinds, neighbours, context.box)
        evaluate_all_ghosts(mode, task, context)
    step_blocks(0, halo.blocks, 0, 2, task, mode, context)
    pack_halo(bodies, kinds, halo)
    return DONE


@inline
def step_inner(command, task, mode, context, halo):
    """Step the inner bodies, or one half of them, and report the sums of this rank.

    command: FIRST_HALF, SECOND_HALF or INNER.
    task: see `dem.kernels.soft.integration.time_loop.take_step`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_block`. Writes halo: the report of this rank.
    """
    first, last = 1 if command == SECOND_HALF else 0, 1 if command == FIRST_HALF else 2
    step_blocks(halo.blocks, context.neighbours.block.size - 1, first, last, task, mode, context)
    if last > 1:
        local_sums(context.box, context.neighbours, context.chunk_sums, halo)


@inline
def record_sums(task, context, run_state, halo):
    """Record the sums of all ranks; returns DONE, or the limit that is exceeded, the same on all ranks.

    task: see `dem.kernels.soft.integration.time_loop.take_step`.
    context: bonds with the sums of all ranks.
    Writes halo: totals over all ranks.
    Writes context, run_state: as `dem.kernels.soft.integration.time_loop.store_ledger`.
    Writes context.chunk_sums: row 0, largest displacement in the last prediction, of all ranks.
    """
    add_sums(context.box, halo)
    row = halo.total
    context.chunk_sums[0, chunk_step.DISPLACEMENT] = row[0, chunk_step.DISPLACEMENT]
    totals = passes.with_bonds(context.neighbours.bonds, passes.totals(context.fluid, row))
    if task != chunk_step.PREDICT:
        totals = passes.with_work_of_cell(context.box, task, context, totals)
    store_ledger(task, totals, context, row, run_state)
    end_step(context.box, chunk_step.completes(task), chunk_step.begins(task), context.constants, run_state)
    return check_limits(task, totals, context, run_state)


@inline
def take_steps(command, task, after, stop, mode, context, run_state, halo):
    """Do one part of a step; or, at STEPS, complete the step whose border bodies are done, and take more steps.

    Then `stop` steps are complete on all ranks, or the border is stepped for another one: kernels return every `PAUSE`,
    so that Python can handle interrupts.

    command, task, after, stop: see `execute`.
    Writes context, run_state, halo: as `step_inner`, `record_sums` and `step_border`.
    Returns DONE; LIST_STALE or FEW_SLOTS before a border is stepped; a limit that is exceeded; EXCHANGE_FAILED.
    """
    code, on = DONE, command == STEPS
    until = time(halo) + PAUSE if on else np.int64(0)
    while True:
        if on or command == FIRST_HALF or command == SECOND_HALF or command == INNER:  # noqa: PLR1714
            half = INNER if on else command
            step_inner(half, task, mode, context, halo)
        if on and exchange_sums(halo) != 0:
            return EXCHANGE_FAILED
        if on or command == RECORD:
            code = record_sums(task, context, run_state, halo)
        if on:
            after = NO_TASK if task == chunk_step.LAST_STEP else next_task(stop, context.box, run_state)
        if code == DONE and after != NO_TASK:  # at STEPS, RECORD or BORDER
            code = step_border(after, mode, context, run_state, halo)
        task = after
        if not on or code != DONE or after == NO_TASK or time(halo) > until:
            return code


@fast_call
def execute(
    command, task, after, stop, scheme, law, fluid, mode, constants, bodies, kinds, neighbours, box, run_state,
    chunk_sums, halo, view,
):  # fmt: skip
    """Execute a command from Python; returns DONE, or the reason why it stopped.

    command, task: one of those above; task of this pass, see `dem.kernels.soft.integration.chunk_step`.
    after: task of the next pass, for which the border is stepped at RECORD and BORDER; or NO_TASK.
    stop: at STEPS, number of steps to be complete at the end.
    Writes bodies, neighbours, box, run_state, chunk_sums, halo: as the function does that the command calls for; the
        displacement since listing is in the report of `halo`, LARGEST, column LIST_DISPLACEMENT.
    Writes view: `dem.kernels.soft.integration.time_loop.OutputState`, if the state at the whole step is wanted.
    Returns DONE; LIST_STALE or FEW_SLOTS before a border is stepped; NO_ROOM for candidates; a limit that is exceeded;
        EXCHANGE_FAILED.
    """
    code, context = DONE, StepContext(scheme, law, fluid, constants, bodies, kinds, neighbours, box, chunk_sums)
    if command <= STEPS:
        code = take_steps(command, task, after, stop, mode, context, run_state, halo)
    elif command == BUILD_CANDIDATES:
        unpack_halo(bodies, kinds, halo)
        record_displacement(box, run_state.displacement_since_pick[0], 0.0)
        if not passes.rebuild_candidates(mode, context):
            code = NO_ROOM
        else:
            run_state.displacement_since_pick[0] = 0.0
    elif command == MEASURE_DISPLACEMENT:
        passes.displacement(mode, context)
        local_sums(box, neighbours, chunk_sums, halo)
    elif command == WRITE_OUTPUT:
        elapsed = (run_state.step[0] - constants.start_step) * constants.dt
        compiled_stages.synchronise(elapsed, compiled_stages.context_of_motion(context), view)
    return code
