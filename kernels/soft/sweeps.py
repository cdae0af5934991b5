"""Sweeps over all chunks of bodies: a time step in one pass over memory, in one piece or in blocks by threads.

For 1e6 spheres memory traffic decides: in one pass, with pair forces and forces that stay in the core's cache, a step
takes 19 ns a sphere, lists apart; with a pass for each part it took 34. A chunk writes only to its own bodies, its own
segment of the candidates, and its own row of `partial`. What the chunks report is then combined in order, and by
operations that do not depend on order anyway: integer sums and maxima. So threads change no bit. Few bodies are better
off without threads, whose start costs microseconds; ``Serial`` and ``Threaded`` are types, so that only the kind in use
is compiled.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from kernels.base.jit import apart, formula, part, stage, threaded
from kernels.soft import candidates, contact, history, motion, travel
from kernels.soft.chunks import CHUNK, by_mode

# columns of `partial`, one row a chunk: a `Sums` of pairs, one of walls, and what motion reports
PAIRS, WALLS, MOVING, SPIN, TRAVEL, COLUMNS = 0, 5, 10, 11, 12, 13

# what a sweep does: all forces; the first prediction; forces, the step completed, the next one predicted; the same
# without the next one
FORCES, PREDICT, STEP, LAST_STEP = range(4)


class Totals(NamedTuple):
    """Of a sweep over all chunks; forces first, then motion."""

    elastic: np.int64  # Hertz's elastic energy of pairs and walls, in units
    stored: np.int64  # elastic energy of the contact law beyond that
    loss: np.int64  # energy that the law took up beyond Hertz's, in half a step
    work: np.int64  # done by moving walls in half a step
    moving: np.int64  # energy of motion and height, in units
    overlap: float  # largest [m]
    spin: float  # largest angular speed [rad/s]
    travel: float  # that no sphere exceeded in the prediction [m]


@formula
def time_sign_of(task):
    """Of time, for laws that remember: forces at the start are wanted at the time of what is remembered."""
    return -1.0 if task == FORCES else 1.0


@formula
def write_sums(partial, c, column, sums):
    """Write sums over contacts."""
    partial[c, column] = sums.elastic
    partial[c, column + 1] = sums.overlap
    partial[c, column + 2] = sums.stored
    partial[c, column + 3] = sums.loss
    partial[c, column + 4] = sums.work


@stage
def predict_chunk(c, scheme, law, dt, bodies, kinds, neighbours, box, partial):
    """Predict, and place what has anything to touch.

    Parameters
    ----------
    c, scheme, law, dt, kinds, neighbours, box : see `kernels.soft.state`

    Writes
    ------
    bodies : positions, orientations and spheres at the time of the next forces
    partial : row c, TRAVEL
    """
    partial[c, TRAVEL] = motion.predict(scheme, law, c, dt, bodies, kinds, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, neighbours)


@stage
def evaluate_chunk(c, law, time_sign, setting, bodies, kinds, neighbours, box, partial):
    """Evaluate candidate pairs.

    Parameters
    ----------
    c, law, time_sign, setting, bodies, kinds, box : see `kernels.soft.state`

    Writes
    ------
    neighbours : forces or wrenches of the chunk's candidates, and what they remember
    partial : row c, PAIRS and on
    """
    sums = contact.evaluate(law, c, time_sign, 0.5 * setting.dt, setting.per_joule, bodies, kinds, neighbours, box)
    write_sums(partial, c, PAIRS, sums)


@stage
def gather_chunk(c, law, shift, time_sign, setting, bodies, kinds, neighbours, box, partial):
    """Gather the forces.

    Parameters
    ----------
    c, law, shift, time_sign, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours : forces and torques, what contacts with walls remember
    partial : row c, WALLS and on
    """
    sums = contact.gather(law, c, shift, time_sign, 0.5 * setting.dt, bodies, kinds, neighbours, box, setting.per_joule)
    write_sums(partial, c, WALLS, sums)


@stage
def correct_chunk(c, law, shift, scheme, setting, bodies, kinds, box, partial):
    """Complete the step with the forces.

    Parameters
    ----------
    c, law, shift, scheme, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies : velocities and memories
    partial : row c, MOVING and SPIN
    """
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    partial[c, MOVING], partial[c, SPIN] = motion.correct(
        scheme, law, c, shift, setting.dt, gravity, setting.datum, setting.per_joule, bodies, kinds, box
    )


@stage
def reaches_out(c, first, stop, neighbours):
    """Whether pairs of chunk c have a body outside the chunks first to stop."""
    return neighbours.lowest[c] < first or neighbours.highest[c] >= stop


@part
def evaluate_borders(block, law, task, setting, bodies, kinds, neighbours, box, partial):
    """Evaluate those chunks of a block that reach out of it, before anything moves.

    Parameters
    ----------
    block, law, task, setting, bodies, kinds, box : see `sweep_block`

    Writes
    ------
    neighbours, partial : as `evaluate_chunk`
    """
    first, stop = neighbours.block[block], neighbours.block[block + 1]
    for c in range(first, stop):
        if reaches_out(c, first, stop, neighbours):
            evaluate_chunk(c, law, time_sign_of(task), setting, bodies, kinds, neighbours, box, partial)


@stage
def sweep_block(block, task, scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Sweep once over the chunks of a block: evaluate, gather, correct, and predict the next step.

    In one pass, because what a chunk needs is then still in the core's cache. A chunk is gathered and moved when all
    its pairs are evaluated, that is `lag` chunks later; pairs are kept by the lower index where bodies are equal, and
    then the lag is 0. The forces on spheres are kept only at the last step: until then they go where those of the
    block's first chunk go, and never leave the cache.

    Parameters
    ----------
    block, task : which block; FORCES, PREDICT, STEP or LAST_STEP
    scheme, law, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as the parts above, which the task calls for
    """
    first, stop = neighbours.block[block], neighbours.block[block + 1]
    lag = neighbours.lag[0]
    for c in range(first, stop + lag):
        if task != PREDICT and c < stop and not reaches_out(c, first, stop, neighbours):
            evaluate_chunk(c, law, time_sign_of(task), setting, bodies, kinds, neighbours, box, partial)
        d = c - lag
        if d >= first:
            shift = (d - first) * CHUNK if task == STEP and kinds.round else 0
            if task != PREDICT:
                gather_chunk(d, law, shift, time_sign_of(task), setting, bodies, kinds, neighbours, box, partial)
            if task == STEP or task == LAST_STEP:  # noqa: PLR1714, numba wants it spelt out
                correct_chunk(d, law, shift, scheme, setting, bodies, kinds, box, partial)
            if task == STEP or task == PREDICT:  # noqa: PLR1714
                predict_chunk(d, scheme, law, setting.dt, bodies, kinds, neighbours, box, partial)


@stage
def largest(partial, column):
    """Largest of the floats whose bits are in a column of partial results."""
    bits = np.int64(0)
    for c in range(partial.shape[0]):
        bits = max(bits, partial[c, column])
    return travel.as_float(bits)


@stage
def totals(partial):
    """Combine what the chunks report."""
    elastic, stored, loss, work, moving = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for c in range(partial.shape[0]):
        elastic += partial[c, PAIRS] + partial[c, WALLS]
        stored += partial[c, PAIRS + 2] + partial[c, WALLS + 2]
        loss += partial[c, PAIRS + 3] + partial[c, WALLS + 3]
        work += partial[c, WALLS + 4]
        moving += partial[c, MOVING]
    return Totals(
        elastic,
        stored,
        loss,
        work,
        moving,
        max(largest(partial, PAIRS + 1), largest(partial, WALLS + 1)),
        math.sqrt(largest(partial, SPIN)),
        largest(partial, TRAVEL),
    )


@part
def pick_chunk(c, skin, bodies, kinds, neighbours, box):
    """Pick the candidates of a chunk, what they remember put aside unless it is already."""
    if neighbours.history.shape[1] > 0 and neighbours.aside_count[c] < 0:
        history.put_aside(c, bodies, neighbours)
    candidates.pick(c, skin, bodies, kinds, neighbours, box)


@part
def finish_pick(c, skin, bodies, kinds, neighbours, box):
    """List by body what was picked."""
    if neighbours.history.shape[1] > 0:
        history.give_back(c, neighbours)
    candidates.list_incident(c, skin, bodies, kinds, neighbours, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, neighbours)


# what threads do chunk by chunk, or block by block
PLACE, DISPLACE, PICK, FINISH, BORDERS, SWEEP = range(6)


@formula
def do_part(job, k, task, scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the jobs for chunk k, or block k."""
    if job == SWEEP:
        sweep_block(k, task, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    elif job == BORDERS:
        evaluate_borders(k, law, task, setting, bodies, kinds, neighbours, box, partial)
    elif job == PLACE:
        contact.place_off_line(k, bodies, kinds)
    elif job == DISPLACE:
        partial[k, TRAVEL] = travel.displacement(k, bodies, kinds, neighbours, box)
    elif job == PICK:
        pick_chunk(k, setting.candidate_skin, bodies, kinds, neighbours, box)
    elif job == FINISH:
        finish_pick(k, setting.candidate_skin, bodies, kinds, neighbours, box)


@threaded
def spread(job, parts, task, scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Do a job by threads: all jobs in one loop, because numba takes seconds to compile each that it spreads."""
    for k in prange(parts):
        do_part(job, k, task, scheme, law, setting, bodies, kinds, neighbours, box, partial)


@formula
def sweep_serial(task, scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the tasks for all bodies; returns the totals.

    Parameters
    ----------
    task, scheme, law, setting, kinds, box : see `sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `sweep_block`
    """
    sweep_block(0, task, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    return totals(partial)


@formula
def sweep_threaded(task, scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads, a block of chunks each.

    Parameters
    ----------
    task, scheme, law, setting, kinds, box : see `sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `sweep_block`
    """
    blocks = neighbours.block.size - 1
    if task != PREDICT:
        spread(BORDERS, blocks, task, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    spread(SWEEP, blocks, task, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    return totals(partial)


@formula
def displacement_serial(scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Distance that no sphere exceeds from where it was listed."""
    for c in range(partial.shape[0]):
        partial[c, TRAVEL] = travel.displacement(c, bodies, kinds, neighbours, box)
    return largest(partial, TRAVEL)


@formula
def displacement_threaded(scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads."""
    spread(DISPLACE, partial.shape[0], PREDICT, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    return largest(partial, TRAVEL)


@apart
def pick_serial(scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """Pick the candidates of all bodies; False, and nothing to rely on, if a chunk wants more room."""
    for c in range(neighbours.pairs.size):
        contact.place_off_line(c, bodies, kinds)
    for c in range(neighbours.pairs.size):
        pick_chunk(c, setting.candidate_skin, bodies, kinds, neighbours, box)
    fits = candidates.has_room(neighbours)
    if fits:
        for c in range(neighbours.pairs.size):
            finish_pick(c, setting.candidate_skin, bodies, kinds, neighbours, box)
    return fits


@formula
def pick_threaded(scheme, law, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads."""
    chunks = neighbours.pairs.size
    spread(PLACE, chunks, PREDICT, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    spread(PICK, chunks, PREDICT, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    fits = candidates.has_room(neighbours)
    if fits:
        spread(FINISH, chunks, PREDICT, scheme, law, setting, bodies, kinds, neighbours, box, partial)
    return fits


displacement = by_mode(displacement_serial, displacement_threaded)
sweep = by_mode(sweep_serial, sweep_threaded)
pick = by_mode(pick_serial, pick_threaded)
