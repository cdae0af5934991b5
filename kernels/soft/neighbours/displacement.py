"""Displacements since lists were built; maxima are taken of the bits of floats.

`check_lists` and `refresh_candidates` of `dem.kernels.soft.integration.time_loop` compare them with the skins, and
decide whether lists are rebuilt.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import convected_position, half_image_displacement, minimum_image
from dem.kernels.numerics.float_bits import as_float, bits_of_float
from dem.kernels.numerics.quaternion import load_quaternion, norm_squared
from dem.kernels.numerics.vector import dot, load
from dem.kernels.soft.chunks import chunk_of

MAGNITUDE_MASK = (1 << 63) - 1  # masks the sign, which the processor's own NaN has set


@inline
def larger(bits, value):
    """Maximum of a float >= 0 and the bits of another, as bits: NaN counts as largest, and LLVM vectorises it."""
    new = bits_of_float(value) & MAGNITUDE_MASK
    return new if new > bits else bits


@inline
def largest(chunk_sums, column):
    """Largest of the floats whose bits are in a column of the results of chunks."""
    bits = np.int64(0)
    for c in range(chunk_sums.shape[0]):
        bits = max(bits, chunk_sums[c, column])
    return as_float(bits)


@inline
def squared_tip_displacement(tip, q, q_old):
    """Squared bound of the displacement of a point at the distance `tip` by a rotation from q_old to q.

    A turn by θ takes it 2 tip sin(θ/2) away, and |q - q_old| = 2 sin(θ/4) is at least half of 2 sin(θ/2).
    """
    d = (q[0] - q_old[0], q[1] - q_old[1], q[2] - q_old[2], q[3] - q_old[3])
    return 4.0 * tip * tip * norm_squared(d)


@vector_loop
def max_displacement(box, low, high, present, position, listed_position):
    """Bits of the largest displacement since listing, of the bodies low to high that are present."""
    farthest = np.int64(0)
    for b in range(low, high):
        d = minimum_image(box, load(position, b), convected_position(box, load(listed_position, b)))
        farthest = larger(farthest, math.sqrt(dot(d, d))) if b < present else farthest
    return farthest


@vector_loop
def max_sphere_displacement(
    box, low, high, present, kind, tip, position, orientation, listed_position, listed_orientation
):
    """Bits of a bound of the displacement of any sphere of the bodies low to high since it was listed.

    present: number of bodies that have not left; others do not count.
    kind, tip: (N,), (G,) [m].
    position, orientation, listed_position, listed_orientation: (3, N) [m], (4, N), now and then.
    Returns int64, bits of a float [m].
    """
    farthest = np.int64(0)
    for b in range(low, high):
        d = minimum_image(box, load(position, b), convected_position(box, load(listed_position, b)))
        turned = squared_tip_displacement(
            tip[kind[b]], load_quaternion(orientation, b), load_quaternion(listed_orientation, b)
        )
        gone = math.sqrt(dot(d, d)) + math.sqrt(turned)
        farthest = larger(farthest, gone) if b < present else farthest
    return farthest


@func
def displacement(c, bodies, kinds, neighbours, box):
    """Bits of the distance from where they were listed that no sphere of chunk c exceeds."""
    low, high = chunk_of(c, bodies.kind.size)
    if kinds.all_single_spheres:
        farthest = max_displacement(box, low, high, bodies.n_active[0], bodies.position, neighbours.listed_position)
    else:
        farthest = max_sphere_displacement(
            box, low, high, bodies.n_active[0], bodies.kind, kinds.max_sphere_offset, bodies.position,
            bodies.orientation, neighbours.listed_position, neighbours.listed_orientation,
        )  # fmt: skip
    return bits_of_float(as_float(farthest) + half_image_displacement(box))
