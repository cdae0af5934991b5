"""A step of a share of the bodies, beside others who move the rest: in pieces, between which shares tell each other.

A share has ghosts (``ghosts``), and is otherwise swept over as all bodies are elsewhere (``passes``): first the border,
whose motion others want to know (``halo_exchange``); then, while they are told, the bodies further in. What all have
reported is noted, and the next step is begun, in one call. Where all who are told have memory in common, kernels take
many steps by themselves: Python, which the caches have forgotten by then, took 0.04 ms of each.
"""

import numpy as np
from dem.kernels.compiler.jit import fast_call, func, inline, select, spread
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.contact import body_placement
from dem.kernels.soft.integration import compiled_stages, passes, sweeps
from dem.kernels.soft.integration.time_loop import (
    DONE,
    LIST_STALE,
    NO_ROOM,
    PREDICTED,
    check_limits,
    keep_ledger,
    move_boundaries,
    next_task,
    time_of,
)
from dem.kernels.soft.state import StepContext
from dem.kernels.soft.subdomain.half_sweeps import go_over
from dem.kernels.soft.subdomain.halo_exchange import add_sums, exchange_sums, local_sums, pack_halo, time, unpack_halo
from dem.kernels.soft.wall_contact.near_wall_list import look_again
from dem.kernels.soft.wall_contact.wall_arrays import note_travel

# what Python orders: the border swept; half of the bodies further in, the other half, or all of them; what all shares
# have reported, noted, and the border swept again; these three, and again; candidates picked; how far bodies have come
# since they were listed; the state shown; nothing, for kernels to be compiled
BEGIN, FIRST_HALF, SECOND_HALF, REST, NOTE, STEPS, PICK, DISPLACED, SHOW, NOTHING = range(10)
STAY = -1  # no sweep
UNHEARD = 100  # besides what `time_loop.execute` comes back for: reports could not be swapped
PAUSE = 50_000_000  # ns


@func
def meet_ghosts(block, task, context):
    """Place the ghosts of a block's share of chunks, and evaluate their pairs.

    Parameters
    ----------
    block, task, context : see `dem.kernels.soft.integration.sweeps.sweep_block`

    Writes
    ------
    context.bodies : spheres of ghosts
    context.neighbours, context.chunk_sums : as `dem.kernels.soft.integration.sweeps.evaluate_and_accumulate`
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    for c in range(neighbours.block[0]):
        if neighbours.evaluating_block[c] == block:
            if not kinds.all_single_spheres:
                body_placement.place(kinds, c, bodies, neighbours)
            bond_step.evaluate(neighbours.bonds, c, True, context.constants, bodies, context.box)
            sweeps.evaluate_and_accumulate(c, True, c, False, 0, sweeps.time_sign_of(task), context)


@inline
def meet_serial(task, context):
    """Place all ghosts, and evaluate their pairs, in one thread; see `meet_ghosts`."""
    for block in range(context.neighbours.block.size - 1):
        meet_ghosts(block, task, context)


meet_spread = spread(meet_ghosts)


@inline
def meet_threaded(task, context):
    """Place all ghosts, and evaluate their pairs, by threads; see `meet_ghosts`."""
    meet_spread(context.neighbours.block.size - 1, task, context)


meet = select("mode", {Serial: meet_serial, Threaded: meet_threaded}, handed=False)


@inline
def begin(task, mode, context, progress, border):
    """Do one of the tasks for the border; returns DONE, or LIST_STALE if candidates are to be picked first.

    Parameters
    ----------
    task, mode, context, progress : see `dem.kernels.soft.integration.time_loop.take_step`

    Writes
    ------
    context : as `dem.kernels.soft.integration.sweeps.sweep_block`
    border : the motion that others want to know, what is reported
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    if task != sweeps.PREDICT:
        move_boundaries(time_of(task, context.constants.dt, progress), context, progress)
        predicted = progress.phase[0] == PREDICTED
        if predicted and 2.0 * progress.travel[0] > context.constants.candidate_skin:
            return LIST_STALE
        unpack_halo(bodies, kinds, border)
        if predicted:
            look_again(mode, context, progress)
        bond_step.before(neighbours.bonds, True, context.constants, bodies, kinds, neighbours, context.box)
        meet(mode, task, context)
    go_over(0, border.blocks, 0, 2, task, mode, context)
    pack_halo(bodies, kinds, border)
    return DONE


@inline
def go_on(order, task, mode, context, border):
    """Do the same for those further in, or for one half of them, and report.

    Parameters
    ----------
    order : FIRST_HALF, SECOND_HALF or REST
    task, mode, context : see `dem.kernels.soft.integration.time_loop.take_step`

    Writes
    ------
    context : as `dem.kernels.soft.integration.sweeps.sweep_block`
    border : what is reported
    """
    first, last = 1 if order == SECOND_HALF else 0, 1 if order == FIRST_HALF else 2
    go_over(border.blocks, context.neighbours.block.size - 1, first, last, task, mode, context)
    if last > 1:
        local_sums(context.box, context.neighbours, context.chunk_sums, border)


@inline
def note(task, context, progress, border):
    """Note what all shares have reported; returns DONE, or which limit is passed, the same for all shares.

    Parameters
    ----------
    task : see `dem.kernels.soft.integration.time_loop.take_step`
    context : bonds with the sums of all shares

    Writes
    ------
    border : what the reports of all shares come to
    context, progress : as `dem.kernels.soft.integration.time_loop.keep_ledger`
    context.chunk_sums : row 0, how far spheres went in the last prediction, in any share
    """
    add_sums(context.box, border)
    row = border.total
    context.chunk_sums[0, sweeps.DISPLACEMENT] = row[0, sweeps.DISPLACEMENT]
    totals = passes.with_bonds(context.neighbours.bonds, passes.totals(context.fluid, row))
    keep_ledger(task, totals, context, row, progress)
    return check_limits(task, totals, context, progress)


@inline
def take_steps(order, task, after, stop, mode, context, progress, border):
    """Do one piece of a step; or, at STEPS, all that is left of one whose border is swept, and more.

    Then all shares have taken `stop` steps, or the border is swept for another one: kernels come back now and then, so
    that Python hears of interrupts.

    Parameters
    ----------
    order, task, after, stop, mode, context : see `obey`

    Writes
    ------
    context, progress, border : as `go_on`, `note` and `begin`

    Returns
    -------
    DONE; LIST_STALE or FEW_SLOTS before a border is swept; a limit that is passed; UNHEARD
    """
    code, on = DONE, order == STEPS
    until = time(border) + PAUSE if on else np.int64(0)
    while True:
        if on or order == FIRST_HALF or order == SECOND_HALF or order == REST:  # noqa: PLR1714
            half = REST if on else order
            go_on(half, task, mode, context, border)
        if on and exchange_sums(border) != 0:
            return UNHEARD
        if on or order == NOTE:
            code = note(task, context, progress, border)
        if on:
            after = STAY if task == sweeps.LAST_STEP else next_task(stop, context.box, progress)
        if code == DONE and after != STAY:  # at STEPS, NOTE or BEGIN
            code = begin(after, mode, context, progress, border)
        task = after
        if not on or code != DONE or after == STAY or time(border) > until:
            return code


@fast_call
def obey(
    order,
    task,
    after,
    stop,
    scheme,
    law,
    fluid,
    mode,
    constants,
    bodies,
    kinds,
    neighbours,
    box,
    progress,
    chunk_sums,
    border,
    view,
):
    """Carry out an order of Python's; returns DONE, or what it has come to.

    Parameters
    ----------
    order, task : one of those above; what the sweep at hand does, see `dem.kernels.soft.integration.sweeps`
    after : what the next one does, of which the border is swept at NOTE and BEGIN; or STAY
    stop : at STEPS, how many steps are to be complete in the end
    scheme, law, fluid, mode, constants, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, box, progress, chunk_sums, border : as the function does that the order calls for; how far
        bodies have come is in what `border` reports, MOST, column LIST_DISPLACEMENT
    view : `dem.kernels.soft.integration.time_loop.OutputState`, if the state is to be shown

    Returns
    -------
    DONE; LIST_STALE or FEW_SLOTS before a border is swept; NO_ROOM for candidates; a limit that is passed; UNHEARD
    """
    code, context = DONE, StepContext(scheme, law, fluid, constants, bodies, kinds, neighbours, box, chunk_sums)
    if order <= STEPS:
        code = take_steps(order, task, after, stop, mode, context, progress, border)
    elif order == PICK:
        unpack_halo(bodies, kinds, border)
        note_travel(box, progress.travel[0], 0.0)
        if not passes.pick(mode, context):
            code = NO_ROOM
        else:
            progress.travel[0] = 0.0
    elif order == DISPLACED:
        passes.displacement(mode, context)
        local_sums(box, neighbours, chunk_sums, border)
    elif order == SHOW:
        elapsed = (progress.step[0] - constants.start_step) * constants.dt
        compiled_stages.synchronise(elapsed, compiled_stages.context_of_motion(context), view)
    return code
