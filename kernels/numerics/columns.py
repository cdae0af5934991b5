"""Vectors and quaternions in rows of scratch, a column for each item of a block: loops over columns are vector code."""

from dem.kernels.compiler.jit import inline
from dem.kernels.simd.memory import array_on_stack
from numba import types

BLOCK = 64  # columns


def rows_on_stack(number):
    """Function that returns rows of scratch on the stack, so many of `BLOCK` columns each, in one dimension."""
    return array_on_stack(types.float64, number * BLOCK)


@inline
def flat(r, t):
    """Index of column t of row r in one dimension: with two, LLVM would keep an address for each row."""
    return r * BLOCK + t


@inline
def put(rows, r, t, v):
    """Write a vector to rows from r on."""
    rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)] = v


@inline
def get(rows, r, t):
    """The vector in rows from r on."""
    return rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)]


@inline
def write_quaternion(rows, r, t, q):
    """Write a quaternion to rows from r on."""
    rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)], rows[flat(r + 3, t)] = q


@inline
def get_quaternion(rows, r, t):
    """The quaternion in rows from r on."""
    return rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)], rows[flat(r + 3, t)]
