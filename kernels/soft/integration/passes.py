"""Passes over all chunks: steps, displacements, lists of candidates.

The reports of chunks are combined by integer sums and maxima, which do not depend on the order. So the number of
threads does not change a bit. Runs of few bodies are faster without threads, whose start costs microseconds. ``Serial``
and ``Threaded`` are types, so that only the mode in use is compiled.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import argument, inline, noinline, select, spread
from dem.kernels.domain.deforming_cell import DeformingFaces, power, sum_virial
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.numerics.energy import add_words, in_units
from dem.kernels.soft.bonds import bond_step
from dem.kernels.soft.bonds.bond_arrays import Bonds
from dem.kernels.soft.bonds.bond_types import NoBonds
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.contact.contact_detection import no_energy
from dem.kernels.soft.integration import cell_stress, chunk_step, compiled_stages
from dem.kernels.soft.integration.chunk_step import (
    ACCELERATION_SQUARED,
    BODY_ENERGY,
    DISPLACEMENT,
    FLUID_WORK_AFTER,
    FLUID_WORK_BEFORE,
    FORCES,
    LIST_DISPLACEMENT,
    PAIRS,
    PREDICT,
    SPIN,
    WALLS,
)
from dem.kernels.soft.neighbours import candidate_pairs
from dem.kernels.soft.neighbours.displacement import largest
from dem.kernels.soft.wall_contact.wall_arrays import as_plain_box


class Totals(NamedTuple):
    """Totals of a pass over all chunks; forces first, then motion."""

    elastic: np.int64  # energy of normal laws and adhesion, of pairs and walls, in units
    spring_energy: np.int64  # of all other springs
    loss: float  # energy that contacts took up besides `elastic`, in half a step [units]
    work: float  # done by moving walls in half a step [units]
    instantaneous_dissipation: float  # energy that contacts lost at once [units]
    body_energy: np.int64  # kinetic and potential energy of the bodies, in units
    overlap: float  # largest [m]
    spin: float  # largest angular speed [rad/s]
    acceleration: float  # largest by contacts [m/s2]
    displacement: float  # that no sphere exceeded in the prediction [m]
    fluid_work_before: float  # work of the fluid in the half step before the forces [units]
    fluid_work_after: float  # the same in the half step after them


@inline
def words(chunk_sums, c, column):
    """Two words of an energy in the sums of chunk c."""
    return chunk_sums[c, column], chunk_sums[c, column + 1]


@inline
def work_in(fluid, chunk_sums, column):
    """Work of the fluid in half a step, summed over chunks [units]."""
    sums = no_energy()
    for c in range(chunk_sums.shape[0]):
        sums = add_words(sums, words(chunk_sums, c, column))
    return in_units(sums)


work_of_fluid = select("fluid", {fluids.Dry: 0.0, fluids.Fluid: work_in})


@inline
def totals(fluid, chunk_sums):
    """Sum the results of all chunks."""
    elastic, spring_energy, body_energy = np.int64(0), np.int64(0), np.int64(0)
    loss, work, instantaneous_dissipation = no_energy(), no_energy(), no_energy()
    for c in range(chunk_sums.shape[0]):
        elastic += chunk_sums[c, PAIRS] + chunk_sums[c, WALLS]
        spring_energy += chunk_sums[c, PAIRS + 2] + chunk_sums[c, WALLS + 2]
        loss = add_words(loss, add_words(words(chunk_sums, c, PAIRS + 3), words(chunk_sums, c, WALLS + 3)))
        work = add_words(work, words(chunk_sums, c, WALLS + 5))
        instantaneous_dissipation = add_words(
            instantaneous_dissipation, add_words(words(chunk_sums, c, PAIRS + 7), words(chunk_sums, c, WALLS + 7))
        )
        body_energy += chunk_sums[c, BODY_ENERGY]
    return Totals(
        elastic, spring_energy, in_units(loss), in_units(work), in_units(instantaneous_dissipation), body_energy,
        max(largest(chunk_sums, PAIRS + 1), largest(chunk_sums, WALLS + 1)), math.sqrt(largest(chunk_sums, SPIN)),
        math.sqrt(largest(chunk_sums, ACCELERATION_SQUARED)), largest(chunk_sums, DISPLACEMENT),
        work_of_fluid(fluid, chunk_sums, FLUID_WORK_BEFORE), work_of_fluid(fluid, chunk_sums, FLUID_WORK_AFTER),
    )  # fmt: skip


@inline
def add_bonds(bonds, t):
    """Add energy and dissipation of bonds to the totals."""
    return Totals(
        t.elastic + np.int64(bonds.sums[0]), t.spring_energy, t.loss + bonds.sums[1], t.work,
        t.instantaneous_dissipation + bonds.sums[2],
        t.body_energy, t.overlap, t.spin, t.acceleration, t.displacement, t.fluid_work_before, t.fluid_work_after,
    )  # fmt: skip


with_bonds = select("bonds", {NoBonds: argument("t"), Bonds: add_bonds})


@inline
def add_work_of_cell(box, task, context, t):
    """Totals, with the work of a cell that deforms in the half step before the forces; also sums its stress."""
    if task == FORCES:
        cell_stress.record_motion(box, context.bodies, context.kinds)
    sum_virial(box)
    work = 0.5 * context.constants.dt * context.constants.per_joule * power(box, box.gradient)
    return Totals(
        t.elastic, t.spring_energy, t.loss, t.work + work, t.instantaneous_dissipation, t.body_energy, t.overlap,
        t.spin, t.acceleration, t.displacement,
        t.fluid_work_before, t.fluid_work_after,
    )  # fmt: skip


with_work_of_cell = select("box", {BoxFaces: argument("t"), DeformingFaces: add_work_of_cell})


# what threads do chunk by chunk, or block by block
MEASURE_DISPLACEMENT, PLACE_SPHERES, BUILD_CANDIDATES, FINISH_CANDIDATES, LIST_NEAR_WALLS, BORDERS, BLOCKS = range(7)


@inline
def do_part(k, job, task, context):
    """Do one of the jobs for chunk k, or block k; see `dem.kernels.soft.integration.chunk_step.step_block`."""
    if job == BLOCKS:
        chunk_step.step_block(k, task, context)
    elif job == BORDERS:
        chunk_step.evaluate_borders(k, task, context)
    else:
        do_list_part(k, job, context)


@inline
def do_list_part(c, job, context):
    """Do one of the jobs that make lists for chunk c: displacements since listing, candidates, bodies near walls."""
    bodies, kinds, neighbours, box = context.bodies, context.kinds, context.neighbours, as_plain_box(context.box)
    if job == PLACE_SPHERES:
        neighbours.pairs_of_body_count[c] = 0
        compiled_stages.place_before_pick(c, bodies, kinds)
    elif job == MEASURE_DISPLACEMENT:
        displacement = compiled_stages.displacement(c, bodies, kinds, neighbours, box)
        context.chunk_sums[c, LIST_DISPLACEMENT] = displacement
    elif job == BUILD_CANDIDATES:
        compiled_stages.build_candidates(c, chunk_step.candidate_margin(context), bodies, kinds, neighbours, box)
    elif job == FINISH_CANDIDATES or job == LIST_NEAR_WALLS:  # noqa: PLR1714
        skin, anew = chunk_step.near_wall_margin(context), job == FINISH_CANDIDATES
        compiled_stages.finish_candidates(c, anew, skin, bodies, kinds, neighbours, context.box)


do_by_threads = spread(do_part)  # all jobs in one function, so that what they share is compiled once


@inline
def begin_bonds(task, context):
    """Prepare bonds for a pass, if it evaluates forces."""
    neighbours = context.neighbours
    if task != PREDICT:
        bond_step.before(
            neighbours.bonds, task != FORCES, context.constants, context.bodies, context.kinds, neighbours, context.box
        )


@inline
def end_bonds(task, context):
    """Complete the bonds of a pass; returns the totals of the pass with them."""
    bonds = context.neighbours.bonds
    if task != PREDICT:
        bond_step.after(bonds, task != FORCES)
    return with_bonds(bonds, totals(context.fluid, context.chunk_sums))


@inline
def step_chunks_serial(task, context):
    """Do one of the tasks for all bodies; returns the totals.

    task: see `dem.kernels.soft.integration.chunk_step.step_block`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_block`.
    """
    begin_bonds(task, context)
    chunk_step.step_block(0, task, context)
    return end_bonds(task, context)


@inline
def step_chunks_threaded(task, context):
    """Do one of the tasks for all bodies by threads, a block of chunks each; return the totals.

    task: see `dem.kernels.soft.integration.chunk_step.step_block`.
    Writes context: as `dem.kernels.soft.integration.chunk_step.step_block`.
    """
    begin_bonds(task, context)
    blocks = context.neighbours.block.size - 1
    for job in range(BLOCKS if task == PREDICT else BORDERS, BLOCKS + 1):
        do_by_threads(blocks, job, task, context)
    return end_bonds(task, context)


@inline
def displacement_serial(context):
    """Upper bound of the displacement of any sphere since listing [m]; writes LIST_DISPLACEMENT of `chunk_sums`."""
    for c in range(context.chunk_sums.shape[0]):
        do_list_part(c, MEASURE_DISPLACEMENT, context)
    return largest(context.chunk_sums, LIST_DISPLACEMENT)


@inline
def displacement_threaded(context):
    """Upper bound of the displacement of any sphere since listing [m], by threads; see `displacement_serial`."""
    do_by_threads(context.chunk_sums.shape[0], MEASURE_DISPLACEMENT, PREDICT, context)
    return largest(context.chunk_sums, LIST_DISPLACEMENT)


@noinline
def rebuild_candidates_serial(context):
    """Pick the candidates of all bodies; returns False, and the lists are unusable, if a chunk needs more room.

    context: in `chunk_sums`, how far spheres went in the last prediction.
    Writes context.bodies: positions of the spheres.
    Writes context.neighbours: candidates, what they remember, and the bodies that have any or are near a wall.
    Returns whether there was room.
    """
    neighbours = context.neighbours
    for job in range(PLACE_SPHERES, FINISH_CANDIDATES + 1):
        if job == FINISH_CANDIDATES and not candidate_pairs.has_room(neighbours):
            return False
        for c in range(neighbours.pairs.size):
            do_list_part(c, job, context)
    bond_step.suppress(neighbours.bonds, context.bodies, context.kinds, neighbours)
    return True


@inline
def rebuild_candidates_threaded(context):
    """Pick the candidates of all bodies by threads; see `rebuild_candidates_serial`.

    Writes context: as `rebuild_candidates_serial`. Returns whether there was room.
    """
    neighbours = context.neighbours
    for job in range(PLACE_SPHERES, FINISH_CANDIDATES + 1):
        if job == FINISH_CANDIDATES and not candidate_pairs.has_room(neighbours):
            return False
        do_by_threads(neighbours.pairs.size, job, PREDICT, context)
    bond_step.suppress(neighbours.bonds, context.bodies, context.kinds, neighbours)
    return True


displacement = select("mode", {Serial: displacement_serial, Threaded: displacement_threaded}, handed=False)
step_chunks = select("mode", {Serial: step_chunks_serial, Threaded: step_chunks_threaded}, handed=False)
rebuild_candidates = select(
    "mode", {Serial: rebuild_candidates_serial, Threaded: rebuild_candidates_threaded}, handed=False
)
