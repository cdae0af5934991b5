"""Columns of rows of numbers written as lines of memory, eight at a time.

Vector code wants the same number of many things side by side, who sums wants all numbers of one thing in one line:
number by number, what lies between takes a load and a store each. Processors with AVX-512 turn eight by eight of them
in 24 shuffles.
"""

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from kernels.base import processor
from kernels.base.jit import formula
from kernels.base.memory import ROW, place_of

EIGHT = ROW.count
STAGES = 4, 2, 1  # how far apart those are that change places


def turned(builder, rows):
    """Eight vectors, the k-th of which has the k-th number of each: halves change places, then quarters, eighths."""
    for far in STAGES:
        low = [k if not k & far else k - far + EIGHT for k in range(EIGHT)]
        high = [k + far if not k & far else k + EIGHT for k in range(EIGHT)]
        masks = [ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), mask) for mask in (low, high)]
        for k in range(EIGHT):
            if not k & far:
                one, other = rows[k], rows[k + far]
                rows[k], rows[k + far] = (builder.shuffle_vector(one, other, mask) for mask in masks)
    return rows


def laying(rows):
    """What writes eight columns of these rows as lines of memory."""

    @intrinsic
    def lay(_typing, numbers, length, t, lines):
        def generate(context, builder, signature, arguments):
            numbers, length, t, lines = arguments
            kinds, loaded, start = signature.args, {}, ir.Constant(t.type, 0)
            for r in set(rows):
                first = builder.add(builder.mul(ir.Constant(t.type, r), length), t)
                loaded[r] = builder.load(place_of(context, builder, kinds[0], numbers, first, ROW), align=8)
            for n, line in enumerate(turned(builder, [loaded[r] for r in rows])):
                row = builder.add(t, ir.Constant(t.type, n))
                builder.store(line, place_of(context, builder, kinds[3], lines, (row, start), ROW), align=8)
            return context.get_dummy_value()

        return types.none(numbers, types.int64, types.int64, lines), generate

    return lay


def lines_of(*rows):
    """Function of (numbers, length, number, lines) that writes columns of these eight rows as lines of memory.

    Of `number` columns as many as are whole eights: column t of rows of a `length` each, which lie one after the other
    in `numbers`, goes to row t of `lines`. It returns how many it has written.
    """
    lay = laying(rows)

    @formula
    def by_eights(numbers, length, number, lines):
        t = 0
        while t + EIGHT <= number:
            lay(numbers, length, t, lines)
            t += EIGHT
        return t

    @formula
    def none(numbers, length, number, lines):
        return 0

    return by_eights if can else none


can = not numba.config.DISABLE_JIT and processor.has("avx512f")
