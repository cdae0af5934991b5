"""Memory asked for before it is wanted, and integers that several threads add to.

What is looked up here and there waits a hundred nanoseconds for each line of the cache.
"""

import numba
import numpy as np
from dem.kernels.compiler.jit import inline
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

READ, KEEP, DATA = 0, 3, 1  # of LLVM's prefetch: to read it, in all caches, no code


@intrinsic
def ask(_typing, array, index):
    """Begin to load the element of a flat view of a C-contiguous array, which is nowhere looked at."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        where = builder.bitcast(builder.gep(given.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [where, *(ir.Constant(number, k) for k in (READ, KEEP, DATA))])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


def look_away(array, index):
    """Nothing, where there is no compiler."""


@inline
def ask_for(array, index):
    """Begin to load the line of memory that holds an element, counted as if the array were flat; it need not exist."""
    ask(array, index)


@intrinsic
def add_at_once(_typing, array, index, value):
    """Add to an element of a flat view of a C-contiguous array of 64-bit integers, whoever adds to it besides."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.atomic_rmw("add", builder.gep(given.data, [arguments[1]]), arguments[2], "monotonic")
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), generate


def add_alone(array, index, value):
    """The same in Python."""
    array.ravel()[index] += value  # a view, as the array is contiguous


@inline
def add_among_others(array, index, value):
    """Add to an element, counted as if the array were flat: the sum is the same in any order."""
    add_at_once(array, index, value)


ROW = ir.VectorType(ir.DoubleType(), 8)  # a line of the cache; where vectors are half as wide LLVM makes two of it


def place_of(context, builder, kind, array, index, several):
    """Address of several numbers of a flat array; of one of rows, if (k, at) is given, of row k from column `at` on."""
    given = context.make_array(kind)(context, builder, array)
    if isinstance(index, tuple):
        k, at = index
        index = builder.add(builder.mul(k, cgutils.unpack_tuple(builder, given.shape)[1]), at)
    return builder.bitcast(builder.gep(given.data, [index]), several.as_pointer())


@intrinsic
def add_line(_typing, total, rows, k, at):
    """Add eight numbers of row k, from column `at` on, to those of a flat array, all at once."""

    def generate(context, builder, signature, arguments):
        total, rows, k, at = arguments
        place = place_of(context, builder, signature.args[0], total, ir.Constant(k.type, 0), ROW)
        row = place_of(context, builder, signature.args[1], rows, (k, at), ROW)
        builder.store(builder.fadd(builder.load(place, align=8), builder.load(row, align=8)), place, align=8)
        return context.get_dummy_value()

    return types.none(total, rows, k, at), generate


def add_numbers(total, rows, k, at):
    """The same in Python."""
    total[: ROW.count] += rows[k, at : at + ROW.count]


@inline
def add_row(total, rows, k, at):
    """Add eight numbers of row k of a C-contiguous array, from column `at` on, to those of a flat one."""
    add_line(total, rows, np.uint64(k), np.uint64(at))


def rearranging(*places):
    """Function that puts eight numbers of a flat array in other places, and some from zero: 8 + k is for 0 - the k-th.

    In one piece: to store half of what is loaded next takes long.
    """

    @intrinsic
    def rearrange(_typing, total):
        def generate(context, builder, signature, arguments):
            place = place_of(context, builder, signature.args[0], arguments[0], ir.Constant(ir.IntType(64), 0), ROW)
            row = builder.load(place, align=8)
            turned = builder.fsub(ir.Constant(ROW, None), row)
            mask = ir.Constant(ir.VectorType(ir.IntType(32), ROW.count), list(places))
            builder.store(builder.shuffle_vector(row, turned, mask), place, align=8)
            return context.get_dummy_value()

        return types.none(total), generate

    def number_by_number(total):
        row = total[: ROW.count]
        row[:] = np.concatenate([row, 0.0 - row])[list(places)]

    @inline
    def at_once(total):
        rearrange(total)

    return number_by_number if numba.config.DISABLE_JIT else at_once


turn_four = rearranging(8, 9, 10, 11, 4, 5, 6, 7)  # the first four from zero
negate_lanes = rearranging(12, 13, 14, 15, 0, 1, 2, 3)  # the last four from zero, before the first
add_eight = add_numbers if numba.config.DISABLE_JIT else add_row
atomic_add = add_alone if numba.config.DISABLE_JIT else add_among_others
prefetch = look_away if numba.config.DISABLE_JIT else ask_for
