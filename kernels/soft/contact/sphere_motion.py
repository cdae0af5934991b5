"""Motion of single spheres in lines of the cache, from which their pairs read it.

Arrays of bodies have one number of all bodies side by side, as loops over bodies want it. The nine numbers of position,
velocity and spin of one body are then in nine lines of the cache. So a pass over a block copies bodies, a line each:
those of a chunk when the first pair reaches them. Bodies that later pairs do not have give their lines to others, so
that all lines stay in the core's cache. A line has room for eight numbers; the last one of the spin is read from its
array.

Pairs that are evaluated outside such a pass, of chunks at a border or for reports, read the arrays of bodies.
"""

from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.numerics.vector import load
from dem.kernels.simd.transpose import EIGHT, wide, write_vectors
from dem.kernels.soft.chunks import CHUNK, chunk_of

NO_LINES = -1  # of `Neighbours.motion_end`
WIDTH = EIGHT  # of a line


@inline
def have_many_pairs(first, stop, neighbours):
    """Whether pairs of the chunks first to stop gain more by lines than it takes to copy their bodies.

    They do where half as many pairs touch as there are bodies. With AVX-512 candidates gain as well, because LLVM finds
    their overlaps by gather instructions, which are slow.
    """
    candidates, touching = 0, 0
    for c in range(first, stop):
        candidates, touching = candidates + neighbours.pairs[c], touching + neighbours.touching_count[c]
    bodies = min((stop - first) * CHUNK, neighbours.count.size)
    return 2 * touching >= bodies or (wide and candidates >= bodies)


@inline
def begin_lines(block, c, bodies, neighbours):
    """Begin a pass over the chunks of a block from c on, if its spheres turn and have many pairs.

    Writes neighbours.motion_end: of the block, the first chunk that a pair may have from now on.
    """
    first, stop = neighbours.block[block], neighbours.block[block + 1]
    turns = neighbours.motion.shape[1] > 0 and bodies.angular_velocity_predicted.shape[1] > 0
    if turns and have_many_pairs(first, stop, neighbours):
        neighbours.motion_end[block] = max(first, c - neighbours.chunk_bandwidth[0])


@inline
def end_lines(block, neighbours):
    """End the pass: bodies have moved."""
    neighbours.motion_end[block] = NO_LINES


@vector_loop
def write_lines(low, high, position, velocity, spin, lines):
    """Write the lines of the bodies low to high.

    position, velocity, spin: of `Bodies`, the last two ahead of the forces.
    Writes lines: (K, 8), the first of body low: position, velocity and two numbers of the spin.
    """
    for b in range(write_vectors((position, velocity, spin), low, high, lines), high):
        k = b - low
        lines[k, 0], lines[k, 1], lines[k, 2] = load(position, b)
        lines[k, 3], lines[k, 4], lines[k, 5] = load(velocity, b)
        lines[k, 6], lines[k, 7] = spin[0, b], spin[1, b]


@inline
def copy_reached(geometry, c, bodies, neighbours):
    """Copy the bodies of all chunks that pairs of chunk c have, in a pass.

    Writes neighbours.motion: lines of its block. Writes neighbours.motion_end: the first chunk not copied.
    """
    block = neighbours.evaluating_block[c]
    if neighbours.motion_end[block] == NO_LINES:
        return
    for d in range(neighbours.motion_end[block], neighbours.last_chunk_reached[c] + 1):
        low, high = chunk_of(d, bodies.kind.size)
        first = low & (neighbours.motion.shape[1] - 1)
        write_lines(
            low, high, bodies.position, bodies.velocity_predicted, bodies.angular_velocity_predicted,
            neighbours.motion[block, first : first + CHUNK],
        )  # fmt: skip
        neighbours.motion_end[block] = d + 1


@inline
def lines_of_chunk(c, neighbours):
    """Whether pairs of chunk c are to be read from lines, and the lines of its block."""
    block = neighbours.evaluating_block[c]
    return neighbours.motion_end[block] != NO_LINES, neighbours.motion[block]
