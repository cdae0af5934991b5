"""A step of a share of the bodies, beside others who move the rest: in pieces, between which shares tell each other.

A share has ghosts (``ghosts``), and is otherwise swept over as all bodies are elsewhere (``passes``). What it reports
are integer sums and maxima, so that those of all shares come to what one alone would have: sums over pairs that
two shares have are told apart, and count half.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import direct, formula, hold, kernel, part, piece, spread, stage
from kernels.fluid import tell_time
from kernels.soft import contact, felt, passes, shared, slots, sweeps
from kernels.soft.advance import DONE, FEW_SLOTS, LIST_STALE, NO_ROOM, PREDICTED, account, limit_passed, time_of
from kernels.soft.chunks import by_mode
from kernels.soft.walled import faces_alone, note_travel, walls_are_stale, way_of_walls

# what Python orders: a sweep; what all shares have reported, noted; candidates picked; how far bodies have come since
# they were listed; the state shown; nothing, for kernels to be compiled
SWEEP, NOTE, PICK, DISPLACED, SHOW, NOTHING = range(6)

# columns of `sweeps` that are maxima; all others are sums, and those of pairs come first
MAXIMA = (
    sweeps.PAIRS + 1, sweeps.WALLS + 1, sweeps.SPIN, sweeps.BRISK, sweeps.TRAVEL, sweeps.LISTED, sweeps.REYNOLDS,
    sweeps.WHIRL, sweeps.OUTSIDE,
)  # fmt: skip


class Border(NamedTuple):
    """What a share has to do with others: G ghosts, L bodies that are ghosts of others, R numbers a motion."""

    index: np.ndarray  # (L,) int32, bodies whose motion others want
    told: np.ndarray  # (L, R) that motion: position, orientation unless all are spheres, what a law wants to know
    heard: np.ndarray  # (G, R) that of the ghosts
    sums: np.ndarray  # (2, COLUMNS) int64: reported of bodies of this share, and of pairs with ghosts
    most: np.ndarray  # (COLUMNS,) int64, maxima; other columns have no meaning


@part
def tell(bodies, kinds, border):
    """Write down the motion that others want to know."""
    for n in range(border.index.size):
        b = border.index[n]
        r = copy_in(bodies.position, b, border.told, n, 0)
        if not kinds.round:
            r = copy_in(bodies.orientation, b, border.told, n, r)
        if bodies.velocity_ahead.shape[1] > 0:
            r = copy_in(bodies.velocity_ahead, b, border.told, n, r)
        if bodies.spin.shape[1] > 0:
            copy_in(bodies.spin, b, border.told, n, r)


@part
def hear(bodies, kinds, border):
    """Move the ghosts to where others say they are."""
    for b in range(border.heard.shape[0]):
        r = copy_out(bodies.position, b, border.heard, 0)
        if not kinds.round:
            r = copy_out(bodies.orientation, b, border.heard, r)
        if bodies.velocity_ahead.shape[1] > 0:
            r = copy_out(bodies.velocity_ahead, b, border.heard, r)
        if bodies.spin.shape[1] > 0:
            copy_out(bodies.spin, b, border.heard, r)


@formula
def copy_in(source, b, rows, n, r):
    """Copy what body b has to row n, from column r on; the column after."""
    for k in range(source.shape[0]):
        rows[n, r + k] = source[k, b]
    return r + source.shape[0]


@formula
def copy_out(target, b, rows, r):
    """Copy what row b has from column r on to body b; the column after."""
    for k in range(target.shape[0]):
        target[k, b] = rows[b, r + k]
    return r + target.shape[0]


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
        if neighbours.block_of[c] == block:
            if not kinds.round:
                contact.place(kinds, c, bodies, neighbours)
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
    meet_ghosts(0, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)


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


@part
def report(neighbours, partial, border):
    """Add up what the chunks report, those of ghosts apart."""
    for k in range(sweeps.COLUMNS):
        border.sums[0, k] = border.sums[1, k] = border.most[k] = 0
    for c in range(partial.shape[0]):
        both = 1 if c < neighbours.block[0] else 0
        for k in range(sweeps.COLUMNS):
            border.sums[both, k] += 0 if k in MAXIMA else partial[c, k]
            if both == 0 or k == sweeps.PAIRS + 1:  # all that ghosts report, and the overlap
                border.most[k] = max(border.most[k], partial[c, k])


@stage
def sweep(task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border):
    """Do one of the tasks for a share of the bodies; returns DONE, or LIST_STALE if candidates are to be picked first.

    Parameters
    ----------
    task, scheme, law, fluid, mode, setting, kinds, progress : see `kernels.soft.advance`

    Writes
    ------
    bodies, neighbours, box, partial : as `kernels.soft.sweeps.sweep_block`
    border : the motion that others want to know, what is reported
    """
    if task != sweeps.PREDICT:
        time = time_of(task, setting.dt, progress)
        progress.travel[0] += way_of_walls(box, time)
        tell_time(fluid, time, progress.step[0] + 1 - setting.start_step)
        travel, skin = progress.travel[0], setting.candidate_skin
        if progress.phase[0] == PREDICTED and (2.0 * travel > skin or walls_are_stale(box, travel, skin)):
            return LIST_STALE
        hear(bodies, kinds, border)
        meet(mode, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)
    passes.sweep(mode, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    tell(bodies, kinds, border)
    report(neighbours, partial, border)
    return DONE


@stage
def note(task, fluid, setting, box, progress, partial, border):
    """Note what all shares have reported; returns DONE, or which limit is passed, the same for all shares.

    Parameters
    ----------
    task, fluid, setting : see `kernels.soft.advance`
    border : sums of all shares, the second row half of what they are; maxima of all

    Writes
    ------
    box, progress : as `kernels.soft.advance.account` and `kernels.soft.felt.account`
    partial : row 0, how far spheres went in the last prediction, in any share
    """
    row = border.sums[:1]
    for k in range(sweeps.COLUMNS):
        row[0, k] += border.sums[1, k] // 2
    for k in MAXIMA:
        row[0, k] = border.most[k]
    partial[0, sweeps.TRAVEL] = border.most[sweeps.TRAVEL]
    totals = passes.totals(fluid, row)
    account(fluid, task, totals, row, progress)
    if task != sweeps.PREDICT:
        completes = task == sweeps.STEP or task == sweeps.LAST_STEP  # noqa: PLR1714
        felt.account_walls(box, setting, completes, progress)
    return limit_passed(task, totals, setting, progress)


@piece
def obey(
    order, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border, view
):
    """Carry out an order of Python's; returns DONE, or what it has come to.

    Parameters
    ----------
    order, task : SWEEP, NOTE, PICK, DISPLACED, SHOW or NOTHING; what a sweep does, see `kernels.soft.sweeps`
    scheme, law, fluid, mode, setting, kinds : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, box, progress, partial, border : as the function does that the order calls for; how far bodies
        have come is in the maxima of `border`, column LISTED
    view : `kernels.soft.advance.View`, if the state is to be shown

    Returns
    -------
    DONE; LIST_STALE before a sweep; NO_ROOM for candidates; a limit that is passed; FEW_SLOTS
    """
    code = DONE
    if order == SWEEP:
        code = sweep(task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border)
    elif order == NOTE:
        code = note(task, fluid, setting, box, progress, partial, border)
        if code == DONE and task != sweeps.PREDICT and slots.are_few(box):
            code = FEW_SLOTS
    elif order == PICK:
        hear(bodies, kinds, border)
        note_travel(box, progress.travel[0], 0.0)
        if not passes.pick(mode, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
            code = NO_ROOM
        else:
            progress.travel[0] = 0.0
    elif order == DISPLACED:
        passes.displacement(mode, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
        border.most[sweeps.LISTED] = 0
        for c in range(neighbours.block[0], partial.shape[0]):
            border.most[sweeps.LISTED] = max(border.most[sweeps.LISTED], partial[c, sweeps.LISTED])
    elif order == SHOW:
        elapsed = (progress.step[0] - setting.start_step) * setting.dt
        shared.synchronise(scheme, elapsed, setting, bodies, kinds, faces_alone(box), view)
    return code


@kernel
def serve(
    order, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, progress, partial, border, view
):
    """The same with all tuples held, as numba calls it.

    Parameters
    ----------
    order, task, scheme, law, fluid, mode, setting, kinds : see `obey`

    Writes
    ------
    bodies, neighbours, box, progress, partial, border, view : as `obey`

    Returns
    -------
    as `obey`
    """
    return obey(
        order, task, scheme, hold(law), hold(fluid), mode, hold(setting), hold(bodies), hold(kinds), hold(neighbours),
        hold(box), hold(progress), partial, hold(border), hold(view),
    )  # fmt: skip


serve = direct(obey, serve)
