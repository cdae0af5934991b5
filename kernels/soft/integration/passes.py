"""Passes over all chunks of bodies, in one piece or by threads: sweeps, displacements, and the pick of candidates.

What the chunks report is combined in order, and by operations that do not depend on order anyway: integer sums and
maxima. So threads change no bit. Few bodies are better off without threads, whose start costs microseconds; ``Serial``
and ``Threaded`` are types, so that only the kind in use is compiled.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import inline, noinline, select, spread
from dem.kernels.numerics.energy import add_words, in_units
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.bonds.bond_arrays import Bonds
from dem.kernels.soft.bonds.bond_types import NoBonds
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.contact.contact_detection import no_energy
from dem.kernels.soft.integration import compiled_stages, sweeps
from dem.kernels.soft.integration.sweeps import (
    BRISK,
    DRAWING,
    DRAWN,
    FORCES,
    LISTED,
    MOVING,
    PAIRS,
    PREDICT,
    SPIN,
    TRAVEL,
    WALLS,
)
from dem.kernels.soft.neighbours import candidate_pairs
from dem.kernels.soft.neighbours import displacement as neighbours_displacement
from dem.kernels.soft.wall_contact.wall_arrays import as_plain_box


class Totals(NamedTuple):
    """Totals of a sweep over all chunks; forces first, then motion."""

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


@inline
def words(partial, c, column):
    """Two words of an energy in the partial sums of chunk c."""
    return partial[c, column], partial[c, column + 1]


@inline
def no_work(fluid, partial, column):
    """Work of the fluid where there is none: 0."""
    return 0.0


@inline
def work_in(fluid, partial, column):
    """Work of the fluid in half a step, summed over chunks [units]."""
    sums = no_energy()
    for c in range(partial.shape[0]):
        sums = add_words(sums, words(partial, c, column))
    return in_units(sums)


work_of_fluid = select("fluid", {fluids.Dry: no_work, fluids.Fluid: work_in})


@inline
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
        max(neighbours_displacement.largest(partial, PAIRS + 1), neighbours_displacement.largest(partial, WALLS + 1)),
        math.sqrt(neighbours_displacement.largest(partial, SPIN)),
        math.sqrt(neighbours_displacement.largest(partial, BRISK)),
        neighbours_displacement.largest(partial, TRAVEL),
        work_of_fluid(fluid, partial, DRAWN),
        work_of_fluid(fluid, partial, DRAWING),
    )


@inline
def add_bonds(bonds, t):
    """Totals, with what bonds hold and have lost."""
    return Totals(
        t.elastic + np.int64(bonds.sums[0]), t.stored, t.loss + bonds.sums[1], t.work, t.jump + bonds.sums[2],
        t.moving, t.overlap, t.spin, t.acceleration, t.travel, t.drawn, t.drawing,
    )  # fmt: skip


with_bonds = select("bonds", {NoBonds: bond_step.as_they_are, Bonds: add_bonds})


# what threads do chunk by chunk, or block by block
DISPLACE, PLACE, PICK, FINISH, LOOK, BORDERS, SWEEP = range(7)


@inline
def do_part(k, job, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the jobs for chunk k, or block k.

    Parameters
    ----------
    k, job : which chunk or block; one of those above
    task, scheme, law, fluid, setting, kinds, box : see `dem.kernels.soft.integration.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as the function does that the job calls for
    """
    if job == SWEEP:
        sweeps.sweep_block(k, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    elif job == BORDERS:
        sweeps.evaluate_borders(k, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)
    elif job == PLACE:
        neighbours.pairs_of_body_count[k] = 0
        compiled_stages.place_off_line(k, bodies, kinds)
    elif job == DISPLACE:
        partial[k, LISTED] = compiled_stages.displacement(k, bodies, kinds, neighbours, as_plain_box(box))
    elif job == PICK:
        compiled_stages.build_candidates(
            k, sweeps.reach_of(law, setting, partial), bodies, kinds, neighbours, as_plain_box(box)
        )
    elif job == FINISH or job == LOOK:  # noqa: PLR1714
        compiled_stages.finish_candidates(
            k, job == FINISH, sweeps.reach_of(law, setting, partial), bodies, kinds, neighbours, box
        )


do_by_threads = spread(do_part)  # all jobs in one function, so that what they share is compiled once


@inline
def sweep_serial(task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the tasks for all bodies; returns the totals.

    Parameters
    ----------
    task, scheme, law, fluid, setting, kinds, box : see `dem.kernels.soft.integration.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `dem.kernels.soft.integration.sweeps.sweep_block`
    """
    if task != PREDICT:
        bond_step.before(neighbours.bonds, task != FORCES, setting, bodies, kinds, neighbours, box)
    sweeps.sweep_block(0, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    if task != PREDICT:
        bond_step.after(neighbours.bonds, task != FORCES)
    return with_bonds(neighbours.bonds, totals(fluid, partial))


@inline
def sweep_threaded(task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Do one of the tasks for all bodies by threads, a block of chunks each; return the totals.

    Parameters
    ----------
    task, scheme, law, fluid, setting, kinds, box : see `dem.kernels.soft.integration.sweeps.sweep_block`

    Writes
    ------
    bodies, neighbours, partial : as `dem.kernels.soft.integration.sweeps.sweep_block`
    """
    if task != PREDICT:
        bond_step.before(neighbours.bonds, task != FORCES, setting, bodies, kinds, neighbours, box)
    blocks = neighbours.block.size - 1
    for job in range(SWEEP if task == PREDICT else BORDERS, SWEEP + 1):
        do_by_threads(blocks, job, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)
    if task != PREDICT:
        bond_step.after(neighbours.bonds, task != FORCES)
    return with_bonds(neighbours.bonds, totals(fluid, partial))


@inline
def displacement_serial(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Distance that no sphere exceeds from where it was listed.

    Parameters
    ----------
    scheme, law, fluid, setting, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Writes
    ------
    partial : LISTED of all rows

    Returns
    -------
    The distance [m].
    """
    for c in range(partial.shape[0]):
        partial[c, LISTED] = compiled_stages.displacement(c, bodies, kinds, neighbours, as_plain_box(box))
    return neighbours_displacement.largest(partial, LISTED)


@inline
def displacement_threaded(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Distance that no sphere exceeds from where it was listed, by threads.

    Parameters
    ----------
    scheme, law, fluid, setting, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

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
    return neighbours_displacement.largest(partial, LISTED)


@noinline
def pick_serial(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Pick the candidates of all bodies; False, and nothing to rely on, if a chunk wants more room.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds, box : see `dem.kernels.soft.state`
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
        neighbours.pairs_of_body_count[c] = 0
        compiled_stages.place_off_line(c, bodies, kinds)
    for c in range(neighbours.pairs.size):
        compiled_stages.build_candidates(c, skin, bodies, kinds, neighbours, as_plain_box(box))
    fits = candidate_pairs.has_room(neighbours)
    if fits:
        for c in range(neighbours.pairs.size):
            compiled_stages.finish_candidates(c, True, skin, bodies, kinds, neighbours, box)
        bond_step.suppress(neighbours.bonds, bodies, kinds, neighbours)
    return fits


@inline
def pick_threaded(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Pick the candidates of all bodies by threads; False, with unusable results, if a chunk wants more room.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds, box : see `dem.kernels.soft.state`
    partial : as of `pick_serial`

    Writes
    ------
    bodies, neighbours : as `pick_serial`

    Returns
    -------
    Whether there was room.
    """
    for job in range(PLACE, FINISH + 1):
        if job == FINISH and not candidate_pairs.has_room(neighbours):
            return False
        do_by_threads(
            neighbours.pairs.size, job, PREDICT, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
        )
    bond_step.suppress(neighbours.bonds, bodies, kinds, neighbours)
    return True


displacement = select("mode", {Serial: displacement_serial, Threaded: displacement_threaded}, handed=False)
sweep = select("mode", {Serial: sweep_serial, Threaded: sweep_threaded}, handed=False)
pick = select("mode", {Serial: pick_serial, Threaded: pick_threaded}, handed=False)
