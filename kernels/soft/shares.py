"""A step of a share of the bodies, beside others who move the rest: in pieces, between which shares tell each other.

A share has ghosts (``ghosts``), and is otherwise swept over as all bodies are elsewhere (``passes``): first the border,
whose motion others want to know (``border``); then, while they are told, the bodies further in. What all have reported
is noted, and the next step is begun, in one call. Where all who are told have memory in common, kernels take many steps
by themselves: Python, which the caches have forgotten by then, took 0.04 ms of each.
"""

import numpy as np

from kernels.base.jit import direct, formula, hold, kernel, part, piece, spread, stage
from kernels.fluid import tell_time
from kernels.soft import bonded, contact, felt, passes, shared, slots, sweeps
from kernels.soft.advance import (
    DONE,
    FEW_SLOTS,
    LIST_STALE,
    NO_ROOM,
    PREDICTED,
    account,
    limit_passed,
    next_task,
    time_of,
)
from kernels.soft.border import add_reports, hear, report, swap_reports, tell, time
from kernels.soft.chunks import by_mode
from kernels.soft.halves import go_over
from kernels.soft.looking import look_again
from kernels.soft.walled import faces_alone, note_travel, way_of_walls

# what Python orders: the border swept; half of the bodies further in, the other half, or all of them; what all shares
# have reported, noted, and the border swept again; these three, and again; candidates picked; how far bodies have come
# since they were listed; the state shown; nothing, for kernels to be compiled
BEGIN, FIRST_HALF, SECOND_HALF, REST, NOTE, STEPS, PICK, DISPLACED, SHOW, NOTHING = range(10)
STAY = -1  # no sweep
UNHEARD = 100  # besides what `advance.serve` comes back for: reports could not be swapped
PAUSE = 50_000_000  # ns


@part
def meet_ghosts(block, scheme, law, task, setting, bodies, kinds, neighbours, box, partial):
    """Place the ghosts of a block's share of chunks, and evaluate their pairs.

    Parameters
    ----------
    block, scheme, law, task, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies : spheres of ghosts
    neighbours, partial : as `kernels.soft.sweeps.meet_chunks`
    """
    for c in range(neighbours.block[0]):
        if neighbours.evaluator[c] == block:
            if not kinds.round:
                contact.place(kinds, c, bodies, neighbours)
            bonded.evaluate(neighbours.bonds, c, True, setting, bodies, box)
            sign = sweeps.time_sign_of(task)
            sweeps.meet_chunks(
                c, True, c, False, scheme, law, 0, sign, setting, bodies, kinds, neighbours, box, partial
            )


@formula
def meet_serial(scheme, law, task, setting, bodies, kinds, neighbours, box, partial):
    """The same for all ghosts.

    Parameters
    ----------
    scheme, law, task, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `meet_ghosts`
    """
    for block in range(neighbours.block.size - 1):
        meet_ghosts(block, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)


meet_spread = spread(meet_ghosts)


@formula
def meet_threaded(scheme, law, task, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads.

    Parameters
    ----------
    scheme, law, task, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `meet_ghosts`
    """
    blocks = neighbours.block.size - 1
    meet_spread(blocks, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)


meet = by_mode(meet_serial, meet_threaded)


@stage
def begin(task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border):
    """Do one of the tasks for the border; returns DONE, or LIST_STALE if candidates are to be picked first.

    Parameters
    ----------
    task, scheme, law, fluid, mode, setting, kinds, progress : see `kernels.soft.advance`

    Writes
    ------
    bodies, neighbours, box, partial : as `kernels.soft.sweeps.sweep_block`
    border : the motion that others want to know, what is reported
    """
    if task != sweeps.PREDICT:
        now = time_of(task, setting.dt, progress)
        progress.travel[0] += way_of_walls(box, now)
        tell_time(fluid, now, progress.step[0] + 1 - setting.start_step)
        predicted = progress.phase[0] == PREDICTED
        if predicted and 2.0 * progress.travel[0] > setting.candidate_skin:
            return LIST_STALE
        hear(bodies, kinds, border)
        if predicted:
            look_again(box, mode, scheme, law, fluid, setting, bodies, kinds, neighbours, progress, partial)
        bonded.before(neighbours.bonds, True, setting, bodies, kinds, neighbours, box)
        meet(mode, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)
    go_over(0, border.blocks, 0, 2, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, partial)
    tell(bodies, kinds, border)
    return DONE


@stage
def go_on(order, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, partial, border):
    """Do the same for those further in, or for one half of them, and report.

    Parameters
    ----------
    order : FIRST_HALF, SECOND_HALF or REST
    task, scheme, law, fluid, mode, setting, kinds : see `kernels.soft.advance`

    Writes
    ------
    bodies, neighbours, box, partial : as `kernels.soft.sweeps.sweep_block`
    border : what is reported
    """
    first, last = 1 if order == SECOND_HALF else 0, 1 if order == FIRST_HALF else 2
    blocks = neighbours.block.size - 1
    go_over(
        border.blocks, blocks, first, last, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box,
        partial,
    )  # fmt: skip
    if last > 1:
        report(box, neighbours, partial, border)


@stage
def note(task, fluid, setting, bonds, box, progress, partial, border):
    """Note what all shares have reported; returns DONE, or which limit is passed, the same for all shares.

    Parameters
    ----------
    task, fluid, setting : see `kernels.soft.advance`
    bonds : with the sums of all shares

    Writes
    ------
    border : what the reports of all shares come to
    box, progress : as `kernels.soft.advance.account` and `kernels.soft.felt.account`
    partial : row 0, how far spheres went in the last prediction, in any share
    """
    add_reports(box, border)
    row = border.total
    partial[0, sweeps.TRAVEL] = row[0, sweeps.TRAVEL]
    totals = passes.with_bonds(bonds, passes.totals(fluid, row))
    account(fluid, task, totals, row, progress)
    if task != sweeps.PREDICT:
        completes = task == sweeps.STEP or task == sweeps.LAST_STEP  # noqa: PLR1714
        felt.account_walls(box, setting, completes, progress)
    return limit_passed(task, totals, setting, progress)


@stage
def take_steps(
    order, task, after, stop, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial,
    border,
):  # fmt: skip
    """Do one piece of a step; or, at STEPS, all that is left of one whose border is swept, and more.

    Then all shares have taken `stop` steps, or the border is swept for another one: kernels come back now and then, so
    that Python hears of interrupts.

    Parameters
    ----------
    order, task, after, stop, scheme, law, fluid, mode, setting, kinds : see `obey`

    Writes
    ------
    bodies, neighbours, box, progress, partial, border : as `go_on`, `note` and `begin`

    Returns
    -------
    DONE; LIST_STALE or FEW_SLOTS before a border is swept; a limit that is passed; UNHEARD
    """
    code, on = DONE, order == STEPS
    until = time(border) + PAUSE if on else np.int64(0)
    while True:
        if on or order == FIRST_HALF or order == SECOND_HALF or order == REST:  # noqa: PLR1714
            half = REST if on else order
            go_on(half, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, partial, border)
        if on and swap_reports(border) != 0:
            return UNHEARD
        if on or order == NOTE:
            code = note(task, fluid, setting, neighbours.bonds, box, progress, partial, border)
            if code == DONE and task != sweeps.PREDICT and slots.are_few(box):
                code = FEW_SLOTS
        if on:
            after = STAY if task == sweeps.LAST_STEP else next_task(stop, progress)
        if code == DONE and after != STAY:  # at STEPS, NOTE or BEGIN
            code = begin(
                after, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border
            )
        task = after
        if not on or code != DONE or after == STAY or time(border) > until:
            return code


@piece
def obey(
    order,
    task,
    after,
    stop,
    scheme,
    law,
    fluid,
    mode,
    setting,
    bodies,
    kinds,
    neighbours,
    box,
    progress,
    partial,
    border,
    view,
):
    """Carry out an order of Python's; returns DONE, or what it has come to.

    Parameters
    ----------
    order, task : one of those above; what the sweep at hand does, see `kernels.soft.sweeps`
    after : what the next one does, of which the border is swept at NOTE and BEGIN; or STAY
    stop : at STEPS, how many steps are to be complete in the end
    scheme, law, fluid, mode, setting, kinds : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, box, progress, partial, border : as the function does that the order calls for; how far bodies
        have come is in what `border` reports, MOST, column LISTED
    view : `kernels.soft.advance.View`, if the state is to be shown

    Returns
    -------
    DONE; LIST_STALE or FEW_SLOTS before a border is swept; NO_ROOM for candidates; a limit that is passed; UNHEARD
    """
    code = DONE
    if order <= STEPS:
        code = take_steps(
            order, task, after, stop, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress,
            partial, border,
        )  # fmt: skip
    elif order == PICK:
        hear(bodies, kinds, border)
        note_travel(box, progress.travel[0], 0.0)
        if not passes.pick(mode, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
            code = NO_ROOM
        else:
            progress.travel[0] = 0.0
    elif order == DISPLACED:
        passes.displacement(mode, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
        report(box, neighbours, partial, border)
    elif order == SHOW:
        elapsed = (progress.step[0] - setting.start_step) * setting.dt
        shared.synchronise(scheme, elapsed, setting, bodies, kinds, faces_alone(box), view)
    return code


@kernel
def serve(
    order,
    task,
    after,
    stop,
    scheme,
    law,
    fluid,
    mode,
    setting,
    bodies,
    kinds,
    neighbours,
    box,
    progress,
    partial,
    border,
    view,
):
    """The same with all tuples held, as numba calls it.

    Parameters
    ----------
    order, task, after, stop, scheme, law, fluid, mode, setting, kinds : see `obey`

    Writes
    ------
    bodies, neighbours, box, progress, partial, border, view : as `obey`

    Returns
    -------
    as `obey`
    """
    return obey(
        order, task, after, stop, scheme, hold(law), hold(fluid), mode, hold(setting), hold(bodies), hold(kinds),
        hold(neighbours), hold(box), hold(progress), partial, hold(border), hold(view),
    )  # fmt: skip


serve = direct(obey, serve)
