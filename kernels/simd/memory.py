"""Prefetch memory, add integers atomically, add or rearrange eight floats at once, and place arrays on the stack.

A random access to memory waits some hundred nanoseconds for its cache line unless it was prefetched.
"""

import numba
import numpy as np
from dem.kernels.compiler.jit import inline
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

READ, KEEP, DATA = 0, 3, 1  # of LLVM's prefetch: to read it, in all caches, no code


@intrinsic
def prefetch_element(_typing, array, index):
    """Prefetch an element of the flat view of a C-contiguous array."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        where = builder.bitcast(builder.gep(given.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [where, *(ir.Constant(number, k) for k in (READ, KEEP, DATA))])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


def prefetch_nothing(array, index):
    """Do nothing, without a compiler."""


@inline
def prefetch_compiled(array, index):
    """Prefetch the cache line of an element, counted as if the array were flat; the element need not exist."""
    prefetch_element(array, index)


@intrinsic
def add_atomically(_typing, array, index, value):
    """Add to an element of the flat view of a C-contiguous array of 64-bit integers that other threads add to."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.atomic_rmw("add", builder.gep(given.data, [arguments[1]]), arguments[2], "monotonic")
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), generate


def atomic_add_in_python(array, index, value):
    """Add to an element, without a compiler."""
    array.ravel()[index] += value  # a view, as the array is contiguous


@inline
def atomic_add_compiled(array, index, value):
    """Add to an element, counted as if the array were flat; integers have the same sum in any order."""
    add_atomically(array, index, value)


ROW = ir.VectorType(ir.DoubleType(), 8)  # a cache line; LLVM splits it where vectors are shorter


def place_of(context, builder, kind, array, index, several):
    """Address of several numbers of a flat array; of one of rows, if (k, at) is given, of row k from column `at` on."""
    given = context.make_array(kind)(context, builder, array)
    if isinstance(index, tuple):
        k, at = index
        index = builder.add(builder.mul(k, cgutils.unpack_tuple(builder, given.shape)[1]), at)
    return builder.bitcast(builder.gep(given.data, [index]), several.as_pointer())


@intrinsic
def add_vector(_typing, total, rows, k, at):
    """Add eight numbers of row k, from column `at` on, to those of a flat array, in one vector."""

    def generate(context, builder, signature, arguments):
        total, rows, k, at = arguments
        place = place_of(context, builder, signature.args[0], total, ir.Constant(k.type, 0), ROW)
        row = place_of(context, builder, signature.args[1], rows, (k, at), ROW)
        builder.store(builder.fadd(builder.load(place, align=8), builder.load(row, align=8)), place, align=8)
        return context.get_dummy_value()

    return types.none(total, rows, k, at), generate


def array_on_stack(kind, size):
    """Function that returns a flat array on the stack, of so many numbers of a numba type."""
    array_type = types.Array(kind, 1, "C")

    @intrinsic
    def allocate(_typing):
        def generate(context, builder, signature, arguments):
            element, integer = context.get_value_type(kind), context.get_value_type(types.intp)
            data = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(element, size)), element.as_pointer())
            item = ir.Constant(integer, context.get_abi_sizeof(element))
            array = context.make_array(array_type)(context, builder)
            populate_array(array, data, [ir.Constant(integer, size)], [item], item, None)
            return array._getvalue()  # noqa: SLF001 (numba has no other way)

        return array_type(), generate

    def allocate_in_python():
        return np.empty(size, str(kind))

    return allocate_in_python if numba.config.DISABLE_JIT else allocate


def add_eight_in_python(total, rows, k, at):
    """Add eight numbers, without a compiler."""
    total[: ROW.count] += rows[k, at : at + ROW.count]


@inline
def add_eight_compiled(total, rows, k, at):
    """Add eight numbers of row k of a C-contiguous array, from column `at` on, to those of a flat one."""
    add_vector(total, rows, np.uint64(k), np.uint64(at))


def permutation(*places):
    """Function that permutes the first eight numbers of a flat array in place; 8 + k stands for 0 - the k-th.

    They are stored as one vector: a load of a vector that was stored in halves waits for both.
    """

    @intrinsic
    def permute(_typing, total):
        def generate(context, builder, signature, arguments):
            place = place_of(context, builder, signature.args[0], arguments[0], ir.Constant(ir.IntType(64), 0), ROW)
            row = builder.load(place, align=8)
            turned = builder.fsub(ir.Constant(ROW, None), row)
            mask = ir.Constant(ir.VectorType(ir.IntType(32), ROW.count), list(places))
            builder.store(builder.shuffle_vector(row, turned, mask), place, align=8)
            return context.get_dummy_value()

        return types.none(total), generate

    def permute_in_python(total):
        row = total[: ROW.count]
        row[:] = np.concatenate([row, 0.0 - row])[list(places)]

    @inline
    def permute_compiled(total):
        permute(total)

    return permute_in_python if numba.config.DISABLE_JIT else permute_compiled


negate_first_four = permutation(8, 9, 10, 11, 4, 5, 6, 7)  # the first four from zero
negate_first_three = permutation(8, 9, 10, 3, 4, 5, 6, 7)  # the first three
swap_halves_negating = permutation(12, 13, 14, 15, 0, 1, 2, 3)  # the last four from zero, before the first
swap_halves_negating_three = permutation(12, 13, 14, 7, 0, 1, 2, 3)  # the same, but the last one as it is
add_eight = add_eight_in_python if numba.config.DISABLE_JIT else add_eight_compiled
atomic_add = atomic_add_in_python if numba.config.DISABLE_JIT else atomic_add_compiled
prefetch = prefetch_nothing if numba.config.DISABLE_JIT else prefetch_compiled
