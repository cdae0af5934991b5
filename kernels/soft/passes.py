"""Passes over all chunks of bodies, in one piece or by threads: sweeps, displacements, and the pick of candidates.

What the chunks report is combined in order, and by operations that do not depend on order anyway: integer sums and
maxima. So threads change no bit. Few bodies are better off without threads, whose start costs microseconds; ``Serial``
and ``Threaded`` are types, so that only the kind in use is compiled.
"""

import math
from typing import NamedTuple

import numpy as np

from kernels import fluid as fluids
from kernels.base.energy import add_words, in_units
from kernels.base.jit import apart, formula, spread, stage
from kernels.soft import bonded, candidates, shared, sweeps, travel
from kernels.soft.chunks import by_mode
from kernels.soft.sweeps import BRISK, DRAWING, DRAWN, FORCES, LISTED, MOVING, PAIRS, PREDICT, SPIN, TRAVEL, WALLS
from kernels.soft.ties import free_or
from kernels.soft.touching import no_energy
from kernels.soft.walled import faces_alone


class Totals(NamedTuple):
    """Of a sweep over all chunks; forces first, then motion."""

    elastic: np.int64  # energy of normal laws and adhesion, of pairs and walls, in units
    stored: np.int64  # of all other springs
    loss: float  # energy that contacts took up besides `elastic`, in half a step [units]
    work: float  # done by moving walls in half a step [units]
    jump: float  # energy that contacts lost at once [units]
    moving: np.int64  # energy of motion and height, in units
    overlap: float  # largest [m]
    spin: float  # largest angular speed [rad/s]
    acceleration: float  # largest by contacts [m/s2]
    travel: float  # that no sphere exceeded in the prediction [m]
    drawn: float  # work of the fluid in the half step before the forces [units]
    drawing: float  # the same in the half step after them


@formula
def words(partial, c, column):
    """Energy of two words."""
    return partial[c, column], partial[c, column + 1]


@formula
def no_work(fluid, partial, column):
    """Where there is no fluid."""
    return 0.0


@formula
def work_in(fluid, partial, column):
    """Work of the fluid in half a step, summed over chunks [units]."""
    sums = no_energy()
    for c in range(partial.shape[0]):
        sums = add_words(sums, words(partial, c, column))
    return in_units(sums)


work_of_fluid = fluids.dry_or(no_work, work_in)


@stage
def totals(fluid, partial):
    """Combine what the chunks report."""
    elastic, stored, moving = np.int64(0), np.int64(0), np.int64(0)
    loss, work, jump = no_energy(), no_energy(), no_energy()
    for c in range(partial.shape[0]):
        elastic += partial[c, PAIRS] + partial[c, WALLS]
        stored += partial[c, PAIRS + 2] + partial[c, WALLS + 2]
        loss = add_words(loss, add_words(words(partial, c, PAIRS + 3), words(partial, c, WALLS + 3)))
        work = add_words(work, words(partial, c, WALLS + 5))
        jump = add_words(jump, add_words(words(partial, c, PAIRS + 7), words(partial, c, WALLS + 7)))
        moving += partial[c, MOVING]
    return Totals(
        elastic,
        stored,
        in_units(loss),
        in_units(work),
        in_units(jump),
        moving,
        max(travel.largest(partial, PAIRS + 1), travel.largest(partial, WALLS + 1)),
        math.sqrt(travel.largest(partial, SPIN)),
        math.sqrt(travel.largest(partial, BRISK)),
        travel.largest(partial, TRAVEL),
        work_of_fluid(fluid, partial, DRAWN),
        work_of_fluid(fluid, partial, DRAWING),
    )


@formula
def add_bonds(bonds, t):
    """Totals, with what bonds hold and have lost."""
    return Totals(
        t.elastic + np.int64(bonds.sums[0]), t.stored, t.loss + bonds.sums[1], t.work, t.jump + bonds.sums[2],
        t.moving, t.overlap, t.spin, t.acceleration, t.travel, t.drawn, t.drawing,
    )  # fmt: skip


with_bonds = free_or(bonded.as_they_are, add_bonds)


# what threads do chunk by chunk, or block by block
DISPLACE, PLACE, PICK, FINISH, LOOK, BORDERS, SWEEP = range(7)


@formula
def do_part(k, job, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the jobs for chunk k, or block k.

    Parameters
    ----------
    k, job : which chunk or block; one of those above
    task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as the function does that the job calls for
    """
    if job == SWEEP:
        sweeps.sweep_block(k, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    elif job == BORDERS:
        sweeps.evaluate_borders(k, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)
    elif job == PLACE:
        neighbours.incident_count[k] = 0
        shared.place_off_line(k, bodies, kinds)
    elif job == DISPLACE:
        partial[k, LISTED] = shared.displacement(k, bodies, kinds, neighbours, faces_alone(box))
    elif job == PICK:
        shared.pick(k, sweeps.reach_of(law, setting, partial), bodies, kinds, neighbours, faces_alone(box))
    elif job == FINISH or job == LOOK:  # noqa: PLR1714
        shared.finish_pick(k, job == FINISH, sweeps.reach_of(law, setting, partial), bodies, kinds, neighbours, box)


do_by_threads = spread(do_part)  # all jobs in one function, so that what they share is compiled once


@formula
def sweep_serial(task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the tasks for all bodies; returns the totals.

    Parameters
    ----------
    task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `kernels.soft.sweeps.sweep_block`
    """
    if task != PREDICT:
        bonded.before(neighbours.bonds, task != FORCES, setting, bodies, kinds, neighbours, box)
    sweeps.sweep_block(0, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    if task != PREDICT:
        bonded.after(neighbours.bonds, task != FORCES)
    return with_bonds(neighbours.bonds, totals(fluid, partial))


@formula
def sweep_threaded(task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads, a block of chunks each.

    Parameters
    ----------
    task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `kernels.soft.sweeps.sweep_block`
    """
    if task != PREDICT:
        bonded.before(neighbours.bonds, task != FORCES, setting, bodies, kinds, neighbours, box)
    blocks = neighbours.block.size - 1
    for job in range(SWEEP if task == PREDICT else BORDERS, SWEEP + 1):
        do_by_threads(blocks, job, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    if task != PREDICT:
        bonded.after(neighbours.bonds, task != FORCES)
    return with_bonds(neighbours.bonds, totals(fluid, partial))


@formula
def displacement_serial(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Distance that no sphere exceeds from where it was listed.

    Parameters
    ----------
    scheme, law, fluid, setting, bodies, kinds, neighbours, box : see `kernels.soft.state`

    Writes
    ------
    partial : LISTED of all rows

    Returns
    -------
    The distance [m].
    """
    for c in range(partial.shape[0]):
        partial[c, LISTED] = shared.displacement(c, bodies, kinds, neighbours, faces_alone(box))
    return travel.largest(partial, LISTED)


@formula
def displacement_threaded(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads.

    Parameters
    ----------
    scheme, law, fluid, setting, bodies, kinds, neighbours, box : see `kernels.soft.state`

    Writes
    ------
    partial : LISTED of all rows

    Returns
    -------
    The distance [m].
    """
    do_by_threads(
        partial.shape[0], DISPLACE, PREDICT, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
    )
    return travel.largest(partial, LISTED)


@apart
def pick_serial(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Pick the candidates of all bodies; False, and nothing to rely on, if a chunk wants more room.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds, box : see `kernels.soft.state`
    partial : how far spheres went in the last prediction

    Writes
    ------
    bodies : positions of the spheres
    neighbours : candidates, what they remember, and the bodies that have any or are near a wall

    Returns
    -------
    Whether there was room.
    """
    skin = sweeps.reach_of(law, setting, partial)
    for c in range(neighbours.pairs.size):
        neighbours.incident_count[c] = 0
        shared.place_off_line(c, bodies, kinds)
    for c in range(neighbours.pairs.size):
        shared.pick(c, skin, bodies, kinds, neighbours, faces_alone(box))
    fits = candidates.has_room(neighbours)
    if fits:
        for c in range(neighbours.pairs.size):
            shared.finish_pick(c, True, skin, bodies, kinds, neighbours, box)
        bonded.suppress(neighbours.bonds, bodies, kinds, neighbours)
    return fits


@formula
def pick_threaded(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """The same by threads.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds, box : see `kernels.soft.state`
    partial : as of `pick_serial`

    Writes
    ------
    bodies, neighbours : as `pick_serial`

    Returns
    -------
    Whether there was room.
    """
    for job in range(PLACE, FINISH + 1):
        if job == FINISH and not candidates.has_room(neighbours):
            return False
        do_by_threads(
            neighbours.pairs.size, job, PREDICT, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
        )
    bonded.suppress(neighbours.bonds, bodies, kinds, neighbours)
    return True


displacement = by_mode(displacement_serial, displacement_threaded)
sweep = by_mode(sweep_serial, sweep_threaded)
pick = by_mode(pick_serial, pick_threaded)
