"""Contact detection: find the touching pairs among the candidates; only these are evaluated.

Detection and evaluation are separate passes, because evaluating a touching pair costs ten times as much as detecting
it, and one candidate in four touches. If contacts of the law persist after separation, each pair with a history is
evaluated as if it touched, and the law decides when the contact ends.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import CHOICE, inline, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.columns import BLOCK, get, put
from dem.kernels.numerics.energy import add_words
from dem.kernels.numerics.vector import dot, load, store, subtract
from dem.kernels.simd.compress import compress
from dem.kernels.simd.transpose import read_gaps
from dem.kernels.soft.chunks import first_candidate
from numba import types
from numba.extending import overload

LINE = 8  # numbers in a line of the cache
# columns of `Neighbours.force_torque` after the force on i: torque on i; force and torque on j
ON_I, FORCE_J, ON_J = 4, 8, 12
# Columns of `force_torque` of spheres whose torques differ: torque on j, force on i, torque on i, each of this width
SHARED, VECTOR_WIDTH = 12, 4
TINY = 1e-300  # keeps the direction of two coincident spheres finite (zero) instead of 0/0


class Sums(NamedTuple):
    """Sums over contacts, energies in units, and the largest overlap; pairs of integers are `energy.as_words`."""

    elastic: int  # of normal laws and adhesion
    overlap: int  # bits of the largest
    spring_energy: int  # of other springs
    loss: tuple[int, int]  # energy taken up besides `elastic` in half a step
    work: tuple[int, int]  # done by walls that move, in half a step
    instantaneous_dissipation: tuple[int, int]  # energy lost at once


@inline
def no_energy():
    """An energy of two words, to add to."""
    return np.int64(0), np.int64(0)


@inline
def no_sums():
    """Sums of no contacts."""
    return Sums(np.int64(0), np.int64(0), np.int64(0), no_energy(), no_energy(), no_energy())


@inline
def add_sums(a, b):
    """Sums of two sets of contacts."""
    return Sums(
        a.elastic + b.elastic, max(a.overlap, b.overlap), a.spring_energy + b.spring_energy,
        add_words(a.loss, b.loss), add_words(a.work, b.work),
        add_words(a.instantaneous_dissipation, b.instantaneous_dissipation),
    )  # fmt: skip


@inline
def add_work(sums, work):
    """Sums with further work of walls, in two words."""
    return Sums(
        sums.elastic, sums.overlap, sums.spring_energy, sums.loss, add_words(sums.work, work),
        sums.instantaneous_dissipation,
    )  # fmt: skip


def of_pair(values, k):
    """Value of pair k: an element, or the one value of all."""
    return values if np.isscalar(values) else values[k]


@overload(of_pair, jit_options=CHOICE)
def _of_pair(values, k):
    if isinstance(values, types.Float):
        return lambda values, k: values
    return lambda values, k: values[k]


@inline
def larger_overlap(d, reach, least):
    """Overlap of two spheres at a distance d that touch at `reach`, or `least` if that is larger [m]."""
    overlap = reach - math.sqrt(dot(d, d))
    return overlap if overlap > least else least


@vector_loop
def compute_pair_overlaps(
    box, position, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
):
    """Compute the overlap of each candidate pair of spheres, or `min_overlap` if that is larger [m].

    has_lines, lines: whether positions are in lines, and these, see ``sphere_motion``.
    Writes rows: scratch of three rows, see `dem.kernels.numerics.columns.flat`. Writes overlap: (K,).
    """
    if not has_lines:
        for k in range(sphere_i.size):
            d = minimum_image(box, load(position, sphere_i[k]), load(position, sphere_j[k]))
            overlap[k] = larger_overlap(d, of_pair(contact_distance, k), min_overlap)
        return
    for first in range(0, sphere_i.size, BLOCK):
        count = min(BLOCK, sphere_i.size - first)
        for t in range(read_gaps(sphere_i, sphere_j, lines, first, count, rows, BLOCK), count):
            put(rows, 0, t, subtract(load(position, sphere_i[first + t]), load(position, sphere_j[first + t])))
        for t in range(count):
            d = minimum_image(box, get(rows, 0, t), (0.0, 0.0, 0.0))
            overlap[first + t] = larger_overlap(d, of_pair(contact_distance, first + t), min_overlap)


@vector_loop
def clear_history_of_separated(overlap, has_history):
    """Clear the history flags of pairs that are apart."""
    for k in range(overlap.size):
        has_history[k] = has_history[k] & -np.int8(overlap[k] > 0.0)  # a mask, or AVX2 gets a branch, not a vector


@vector_loop
def list_touching(first, overlap, max_gap, touching, row):
    """List the candidates that overlap or have a gap below `max_gap` [m], and number their rows; returns how many.

    first: row of the first of them.
    overlap, max_gap: (K,) of the candidates of a chunk [m].
    Writes touching: the list. Writes row: (K,) that of each candidate, 0 for all others.
    """
    n, vectorised = compress(overlap, -max_gap, first, touching, row)
    for k in range(vectorised, overlap.size):
        touching[n] = k
        touches = overlap[k] > -max_gap
        row[k] = first + n if touches else 0
        n += 1 if touches else 0
    return n


@vector_loop
def list_lasting(first, overlap, has_history, touching, row):
    """List the candidates that overlap or still have a history, and number their rows; returns how many.

    first, overlap: see `list_touching`.
    has_history: (K,) of the candidates.
    Writes touching, row: as `list_touching`.
    """
    n = 0
    for k in range(overlap.size):
        touching[n] = k
        touches = overlap[k] > 0.0 or has_history[k] != 0
        row[k] = first + n if touches else 0
        n += 1 if touches else 0
    return n


@inline
def list_chunk(law, c, max_gap, overlap, listed, neighbours):
    """List the candidates of chunk c that touch or still have a history; returns their number.

    max_gap, overlap: largest gap of a contact; (K,) of the candidates of the chunk [m].
    Writes listed: the list, of candidates counted from the chunk's first.
    Writes neighbours.force_row: of its candidates.
    Returns the number of those listed, whose rows of `Neighbours.force_torque` are from `first_row` on.
    """
    column, start = neighbours.force_at[c], first_candidate(c, neighbours)
    row, first = neighbours.force_row[column : column + overlap.size], first_row(c, neighbours)
    if laws.has_range(law):
        return list_lasting(first, overlap, neighbours.has_history[start : start + overlap.size], listed, row)
    return list_touching(first, overlap, max_gap, listed, row)


@inline
def first_row(c, neighbours):
    """Row of `Neighbours.force_torque` of the first contact of chunk c: the first row of all is zero."""
    return neighbours.force_at[c] + 1


@inline
def clear(sums):
    """Set the sums of a body to zero: four numbers of its force, four of its torque."""
    for r in range(LINE):
        sums[r] = 0.0


@inline
def write_force_torque(sums, b, force, torque):
    """Write the sums of forces and torques on a body to column b; bodies that cannot rotate have no torque."""
    store(force, b, (sums[0], sums[1], sums[2]))
    if torque.shape[1] > 0:
        store(torque, b, (sums[ON_I], sums[ON_I + 1], sums[ON_I + 2]))
