"""Sort short lists of different integers without branches on their values, which no processor can predict.

The place of a number is how many of the list are below it: eight are compared at a time.
"""

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.simd import compress
from dem.kernels.simd.compress import EIGHT, count_bits
from dem.kernels.simd.memory import array_on_stack, place_of
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

LONGEST = 64  # list that is sorted by counting, for which the time is quadratic
NUMBERS = ir.VectorType(ir.IntType(64), EIGHT)
scratch = array_on_stack(types.int64, LONGEST)


@intrinsic
def count_below_of_eight(_typing, numbers, k, limit):
    """How many of eight numbers, from the k-th on, are below a limit."""

    def generate(context, builder, signature, arguments):
        numbers, k, limit = arguments
        of_eight = builder.load(place_of(context, builder, signature.args[0], numbers, k, NUMBERS), align=8)
        below = builder.icmp_signed("<", of_eight, compress.broadcast(builder, limit, NUMBERS))
        return count_bits(builder, builder.zext(builder.bitcast(below, ir.IntType(EIGHT)), ir.IntType(64)))

    return types.int64(numbers, types.int64, types.int64), generate


@inline
def sort_by_insertion(numbers, start, count):
    """Sort `count` of a list of numbers, from `start` on."""
    for n in range(start + 1, start + count):
        key, m = numbers[n], n
        while m > start and numbers[m - 1] > key:
            numbers[m] = numbers[m - 1]
            m -= 1
        numbers[m] = key


@inline
def sort_by_counting(numbers, start, count):
    """Sort `count` different numbers of a list, from `start` on."""
    if count > LONGEST:
        sort_by_insertion(numbers, start, count)
        return
    copied = scratch()
    for m in range(count):
        copied[m] = numbers[start + m]
    for m in range(count, (count + EIGHT - 1) // EIGHT * EIGHT):
        copied[m] = np.iinfo(np.int64).max
    for m in range(count):
        place = start
        for k in range(0, count, EIGHT):
            place += count_below_of_eight(copied, k, copied[m])
        numbers[place] = copied[m]


sort_short = sort_by_counting if compress.available else sort_by_insertion
