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

from kernels.base.jit import apart, by_type, formula, kernel, part, stage, threaded
from kernels.soft import candidates, cells, contact, history, motion, neighbours, travel
from kernels.soft.chunks import CHUNK, chunk_of


class Serial(NamedTuple):
    """One chunk after the other."""


class Threaded(NamedTuple):
    """Chunks spread over numba's threads."""


def by_mode(serial, parallel):
    """Function of (mode, *arguments) that calls one or the other according to the type of the mode."""
    return by_type({Serial: serial, Threaded: parallel}.__getitem__)


# columns of `partial`, one row a chunk: a `Found` of pairs, one of walls, and what motion reports
PAIRS, WALLS, MOVING, SPIN, TRAVEL, COLUMNS = 0, 5, 10, 11, 12, 13

# what a sweep does: all forces; the first prediction; forces, the step completed, the next one predicted; the same
# without the next one
FORCES, PREDICT, STEP, LAST_STEP = range(4)


class Findings(NamedTuple):
    """What a sweep found over all chunks; forces first, then motion."""

    elastic: np.int64  # Hertz's elastic energy of pairs and walls, in units
    stored: np.int64  # elastic energy of the contact law beyond that
    loss: np.int64  # energy that the law took up beyond Hertz's, in half a step
    work: np.int64  # done by moving walls in half a step
    moving: np.int64  # energy of motion and height, in units
    overlap: float  # largest [m]
    spin: float  # largest angular speed [rad/s]
    travel: float  # that no sphere exceeded in the prediction [m]


@formula
def sense_of(task):
    """Of time, for laws that remember: forces at the start are wanted at the time of what is remembered."""
    return -1.0 if task == FORCES else 1.0


@formula
def report(partial, c, column, found):
    """Write what evaluating found."""
    partial[c, column] = found.elastic
    partial[c, column + 1] = found.overlap
    partial[c, column + 2] = found.stored
    partial[c, column + 3] = found.loss
    partial[c, column + 4] = found.work


@stage
def predict_chunk(c, scheme, law, dt, bodies, kinds, lists, box, partial):
    """Predict, and place what has anything to touch."""
    partial[c, TRAVEL] = motion.predict(scheme, law, c, dt, bodies, kinds, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, lists)


@stage
def evaluate_chunk(c, law, sense, setting, bodies, kinds, lists, box, partial):
    """Evaluate candidate pairs."""
    found = contact.evaluate(law, c, sense, 0.5 * setting.dt, setting.unit, bodies, kinds, lists, box)
    report(partial, c, PAIRS, found)


@stage
def gather_chunk(c, law, shift, sense, setting, bodies, kinds, lists, box, partial):
    """Gather the forces."""
    found = contact.gather(law, c, shift, sense, 0.5 * setting.dt, bodies, kinds, lists, box, setting.unit)
    report(partial, c, WALLS, found)


@stage
def correct_chunk(c, law, shift, scheme, setting, bodies, kinds, box, partial):
    """Complete the step with the forces."""
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    partial[c, MOVING], partial[c, SPIN] = motion.correct(
        scheme, law, c, shift, setting.dt, gravity, setting.datum, setting.unit, bodies, kinds, box
    )


@stage
def reaches_out(c, first, stop, lists):
    """Whether pairs of chunk c have a body outside the chunks first to stop."""
    return lists.lowest[c] < first or lists.highest[c] >= stop


@part
def evaluate_borders(block, law, task, setting, bodies, kinds, lists, box, partial):
    """Evaluate those chunks of a block that reach out of it, before anything moves."""
    first, stop = lists.block[block], lists.block[block + 1]
    for c in range(first, stop):
        if reaches_out(c, first, stop, lists):
            evaluate_chunk(c, law, sense_of(task), setting, bodies, kinds, lists, box, partial)


@stage
def sweep_block(block, task, scheme, law, setting, bodies, kinds, lists, box, partial):
    """Sweep once over the chunks of a block: evaluate, gather, correct, and predict the next step.

    In one pass, because what a chunk needs is then still in the core's cache. A chunk is gathered and moved when all
    its pairs are evaluated, that is `lag` chunks later; pairs are kept by the lower slot where bodies are equal, and
    then the lag is 0. The forces on spheres are kept only at the last step: until then they go where those of the
    block's first chunk go, and never leave the cache.
    """
    first, stop = lists.block[block], lists.block[block + 1]
    lag = lists.lag[0]
    for c in range(first, stop + lag):
        if task != PREDICT and c < stop and not reaches_out(c, first, stop, lists):
            evaluate_chunk(c, law, sense_of(task), setting, bodies, kinds, lists, box, partial)
        d = c - lag
        if d >= first:
            shift = (d - first) * CHUNK if task == STEP and kinds.round else 0
            if task != PREDICT:
                gather_chunk(d, law, shift, sense_of(task), setting, bodies, kinds, lists, box, partial)
            if task == STEP or task == LAST_STEP:  # noqa: PLR1714, numba wants it spelt out
                correct_chunk(d, law, shift, scheme, setting, bodies, kinds, box, partial)
            if task == STEP or task == PREDICT:  # noqa: PLR1714
                predict_chunk(d, scheme, law, setting.dt, bodies, kinds, lists, box, partial)


@stage
def largest(partial, column):
    """Largest of the floats whose bits are in a column of partial results."""
    bits = np.int64(0)
    for c in range(partial.shape[0]):
        bits = max(bits, partial[c, column])
    return travel.as_float(bits)


@stage
def findings(partial):
    """Combine what the chunks found."""
    elastic, stored, loss, work, moving = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for c in range(partial.shape[0]):
        elastic += partial[c, PAIRS] + partial[c, WALLS]
        stored += partial[c, PAIRS + 2] + partial[c, WALLS + 2]
        loss += partial[c, PAIRS + 3] + partial[c, WALLS + 3]
        work += partial[c, WALLS + 4]
        moving += partial[c, MOVING]
    return Findings(
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
def pick_chunk(c, skin, bodies, kinds, lists, box):
    """Pick the candidates of a chunk, what they remember put aside unless it is already."""
    if lists.history.shape[1] > 0 and lists.kept_count[c] < 0:
        history.keep(c, bodies, lists)
    candidates.pick(c, skin, bodies, kinds, lists, box)


@part
def finish_pick(c, skin, bodies, kinds, lists, box):
    """List by body what was picked."""
    if lists.history.shape[1] > 0:
        history.give_back(c, lists)
    candidates.list_incident(c, skin, bodies, kinds, lists, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, lists)


# what threads do chunk by chunk, or block by block
PLACE, DISPLACE, PICK, FINISH, BORDERS, SWEEP = range(6)


@formula
def do_part(job, k, task, scheme, law, setting, bodies, kinds, lists, box, partial):
    """Do one of the jobs for chunk k, or block k."""
    if job == SWEEP:
        sweep_block(k, task, scheme, law, setting, bodies, kinds, lists, box, partial)
    elif job == BORDERS:
        evaluate_borders(k, law, task, setting, bodies, kinds, lists, box, partial)
    elif job == PLACE:
        contact.place_crooked(k, bodies, kinds)
    elif job == DISPLACE:
        partial[k, TRAVEL] = travel.displacement(k, bodies, kinds, lists, box)
    elif job == PICK:
        pick_chunk(k, setting.candidate_skin, bodies, kinds, lists, box)
    elif job == FINISH:
        finish_pick(k, setting.candidate_skin, bodies, kinds, lists, box)


@threaded
def spread(job, parts, task, scheme, law, setting, bodies, kinds, lists, box, partial):
    """Do a job by threads: all jobs in one loop, because numba takes seconds to compile each that it spreads."""
    for k in prange(parts):
        do_part(job, k, task, scheme, law, setting, bodies, kinds, lists, box, partial)


@formula
def sweep_serial(task, scheme, law, setting, bodies, kinds, lists, box, partial):
    """Do one of the tasks for all bodies; returns the findings of what was done."""
    sweep_block(0, task, scheme, law, setting, bodies, kinds, lists, box, partial)
    return findings(partial)


@formula
def sweep_threaded(task, scheme, law, setting, bodies, kinds, lists, box, partial):
    """The same by threads, a block of chunks each."""
    blocks = lists.block.size - 1
    if task != PREDICT:
        spread(BORDERS, blocks, task, scheme, law, setting, bodies, kinds, lists, box, partial)
    spread(SWEEP, blocks, task, scheme, law, setting, bodies, kinds, lists, box, partial)
    return findings(partial)


@formula
def displacement_serial(scheme, law, setting, bodies, kinds, lists, box, partial):
    """Distance that no sphere exceeds from where it was listed."""
    for c in range(partial.shape[0]):
        partial[c, TRAVEL] = travel.displacement(c, bodies, kinds, lists, box)
    return largest(partial, TRAVEL)


@formula
def displacement_threaded(scheme, law, setting, bodies, kinds, lists, box, partial):
    """The same by threads."""
    spread(DISPLACE, partial.shape[0], PREDICT, scheme, law, setting, bodies, kinds, lists, box, partial)
    return largest(partial, TRAVEL)


@apart
def pick_serial(scheme, law, setting, bodies, kinds, lists, box, partial):
    """Pick the candidates of all bodies; False, and nothing to rely on, if a chunk wants more room."""
    for c in range(lists.pairs.size):
        contact.place_crooked(c, bodies, kinds)
    for c in range(lists.pairs.size):
        pick_chunk(c, setting.candidate_skin, bodies, kinds, lists, box)
    fits = candidates.has_room(lists)
    if fits:
        for c in range(lists.pairs.size):
            finish_pick(c, setting.candidate_skin, bodies, kinds, lists, box)
    return fits


@formula
def pick_threaded(scheme, law, setting, bodies, kinds, lists, box, partial):
    """The same by threads."""
    chunks = lists.pairs.size
    spread(PLACE, chunks, PREDICT, scheme, law, setting, bodies, kinds, lists, box, partial)
    spread(PICK, chunks, PREDICT, scheme, law, setting, bodies, kinds, lists, box, partial)
    fits = candidates.has_room(lists)
    if fits:
        spread(FINISH, chunks, PREDICT, scheme, law, setting, bodies, kinds, lists, box, partial)
    return fits


@kernel
def reorder_serial(order, rows, scratch):
    """Permute each row of a component-major array (R, N): new slot b holds what old slot order[b] held."""
    n = order.size
    for r in range(rows.shape[0]):
        cells.take(0, n, rows[r], order, scratch)
        cells.copy(0, n, scratch, rows[r])


@threaded
def reorder_threaded(order, rows, scratch):
    """The same by threads."""
    n = order.size
    for r in range(rows.shape[0]):
        for c in prange((n + CHUNK - 1) // CHUNK):
            low, high = chunk_of(c, n)
            cells.take(low, high, rows[r], order, scratch)
        for c in prange((n + CHUNK - 1) // CHUNK):
            low, high = chunk_of(c, n)
            cells.copy(low, high, scratch, rows[r])


@kernel
def search_serial(skin, grid, cell_first, bodies, kinds, lists, box, wanted):
    """List the pairs of all bodies, and the entries of each; returns the room that both want, of a chunk and in all.

    What does not fit is not listed, and entries not if pairs do not fit.
    """
    for c in range(wanted.size):
        wanted[c] = neighbours.search(c, skin, grid, cell_first, bodies, kinds, lists, box)
    return neighbours.list_entries(wanted, bodies, lists)


@threaded
def search_threaded(skin, grid, cell_first, bodies, kinds, lists, box, wanted):
    """The same by threads."""
    for c in prange(wanted.size):
        wanted[c] = neighbours.search(c, skin, grid, cell_first, bodies, kinds, lists, box)
    return neighbours.list_entries(wanted, bodies, lists)


reorder = by_mode(reorder_serial, reorder_threaded)
search = by_mode(search_serial, search_threaded)
displacement = by_mode(displacement_serial, displacement_threaded)
sweep = by_mode(sweep_serial, sweep_threaded)
pick = by_mode(pick_serial, pick_threaded)
