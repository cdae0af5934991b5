"""Chunks: ranges of consecutive bodies, the units of work; they do not depend on the number of threads."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline

CHUNK = 2048  # bodies: 0.5 MB of state, which fits a core's cache


class Serial(NamedTuple):
    """Chunks are processed one after another."""


class Threaded(NamedTuple):
    """Chunks are distributed over numba's threads."""


@inline
def chunk_of(c, n):
    """First body of chunk c of n bodies, and the one after its last."""
    low = c * CHUNK
    return low, min(low + CHUNK, n)


@inline
def candidate_room(neighbours):
    """Candidate pairs that each chunk has room for."""
    return neighbours.sphere_i.size // neighbours.pairs.size


@inline
def first_candidate(c, neighbours):
    """First candidate pair of chunk c."""
    return c * candidate_room(neighbours)
