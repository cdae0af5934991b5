"""How far spheres have come, which decides when lists are stale. Largest values are sought among the bits of floats."""

import math

import numpy as np
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import image_travel, listed_place, minimum_image
from dem.kernels.numerics.float_bits import as_float, bits_of_float
from dem.kernels.numerics.quaternion import load_quaternion, norm_squared
from dem.kernels.numerics.vector import dot, load
from dem.kernels.soft.chunks import chunk_of

NO_SIGN = (1 << 63) - 1  # masks the sign, which the processor's own NaN has set


@inline
def larger(bits, value):
    """Maximum of a float >= 0 and the bits of another, as bits: NaN counts as largest, and LLVM vectorises it."""
    new = bits_of_float(value) & NO_SIGN
    return new if new > bits else bits


@inline
def largest(chunk_sums, column):
    """Largest of the floats whose bits are in a column of the results of chunks."""
    bits = np.int64(0)
    for c in range(chunk_sums.shape[0]):
        bits = max(bits, chunk_sums[c, column])
    return as_float(bits)


@inline
def squared_turn(tip, q, q_old):
    """Square of a bound of how far a turn from q_old to q takes a point at the distance `tip` from the centre.

    A turn by θ takes it 2 tip sin(θ/2) away, and |q - q_old| = 2 sin(θ/4) is at least half of 2 sin(θ/2).
    """
    d = (q[0] - q_old[0], q[1] - q_old[1], q[2] - q_old[2], q[3] - q_old[3])
    return 4.0 * tip * tip * norm_squared(d)


@vector_loop
def drifted(box, low, high, present, position, listed_position):
    """Bits of the largest distance of the bodies low to high from where they were listed, of those present."""
    farthest = np.int64(0)
    for b in range(low, high):
        d = minimum_image(box, load(position, b), listed_place(box, load(listed_position, b)))
        farthest = larger(farthest, math.sqrt(dot(d, d))) if b < present else farthest
    return farthest


@vector_loop
def drifted_and_turned(box, low, high, present, kind, tip, position, orientation, listed_position, listed_orientation):
    """Bits of the largest distance of any sphere of the bodies low to high from where it was listed, or more.

    present: number of bodies that have not left, of which only it asks.
    kind, tip: (N,), (G,) [m].
    position, orientation, listed_position, listed_orientation: (3, N) [m], (4, N), now and then.
    Returns int64, bits of a float [m].
    """
    farthest = np.int64(0)
    for b in range(low, high):
        d = minimum_image(box, load(position, b), listed_place(box, load(listed_position, b)))
        turned = squared_turn(tip[kind[b]], load_quaternion(orientation, b), load_quaternion(listed_orientation, b))
        gone = math.sqrt(dot(d, d)) + math.sqrt(turned)
        farthest = larger(farthest, gone) if b < present else farthest
    return farthest


@func
def displacement(c, bodies, kinds, neighbours, box):
    """Bits of the distance from where they were listed that no sphere of chunk c exceeds."""
    low, high = chunk_of(c, bodies.kind.size)
    if kinds.all_single_spheres:
        farthest = drifted(box, low, high, bodies.n_active[0], bodies.position, neighbours.listed_position)
    else:
        farthest = drifted_and_turned(
            box, low, high, bodies.n_active[0], bodies.kind, kinds.max_sphere_offset, bodies.position,
            bodies.orientation, neighbours.listed_position, neighbours.listed_orientation,
        )  # fmt: skip
    return bits_of_float(as_float(farthest) + image_travel(box))
