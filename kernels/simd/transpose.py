"""Transposition of eight by eight floats, between columns of batches and records of one cache line each.

Vector code wants the same quantity of many contacts side by side; the sums over bodies want all quantities of one
contact in one line. Number by number each takes a load and a store; AVX-512 transposes 64 numbers in 24 shuffles.
"""

import numba
from dem.kernels.compiler import processor
from dem.kernels.compiler.jit import inline
from dem.kernels.simd.memory import ROW, place_of
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

EIGHT = ROW.count
STAGES = 4, 2, 1  # how far apart those are that change places


def transposed(builder, rows):
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


def eight_of(context, builder, kind, rows, r, length, t):
    """Address of eight numbers of row r, from column t on, of rows of a length each that lie one after the other."""
    first = builder.add(builder.mul(ir.Constant(t.type, r), length), t)
    return place_of(context, builder, kind, rows, first, ROW)


def laying(rows):
    """Function that writes eight columns of these rows as lines of memory."""

    @intrinsic
    def lay(_typing, numbers, length, t, lines):
        def generate(context, builder, signature, arguments):
            numbers, length, t, lines = arguments
            argument_types, loaded, start = signature.args, {}, ir.Constant(t.type, 0)
            for r in set(rows):
                loaded[r] = builder.load(eight_of(context, builder, argument_types[0], numbers, r, length, t), align=8)
            for n, line in enumerate(transposed(builder, [loaded[r] for r in rows])):
                row = builder.add(t, ir.Constant(t.type, n))
                builder.store(line, place_of(context, builder, argument_types[3], lines, (row, start), ROW), align=8)
            return context.get_dummy_value()

        return types.none(numbers, types.int64, types.int64, lines), generate

    return lay


def lines_of(*rows):
    """Function of (numbers, length, number, lines) that writes columns of these eight rows as lines of memory.

    Of `number` columns as many as are whole eights: column t of rows of a `length` each, which lie one after the other
    in `numbers`, goes to row t of `lines`. It returns how many it has written.
    """
    lay = laying(rows)

    @inline
    def by_eights(numbers, length, number, lines):
        t = 0
        while t + EIGHT <= number:
            lay(numbers, length, t, lines)
            t += EIGHT
        return t

    @inline
    def none(numbers, length, number, lines):
        return 0

    return by_eights if available else none


def reading(rows):
    """Function that reads eight lines of memory as columns of these rows."""

    @intrinsic
    def read(_typing, index, lines, column, numbers, length, t):
        def generate(context, builder, signature, arguments):
            index, lines, column, numbers, length, t = arguments
            argument_types, loaded = signature.args, []
            given = context.make_array(argument_types[0])(context, builder, index)
            for n in range(EIGHT):
                k = builder.load(builder.gep(given.data, [builder.add(t, ir.Constant(t.type, n))]))
                line = place_of(context, builder, argument_types[1], lines, (k, column), ROW)
                loaded.append(builder.load(line, align=8))
            for r, row in zip(rows, transposed(builder, loaded), strict=True):
                builder.store(row, eight_of(context, builder, argument_types[3], numbers, r, length, t), align=8)
            return context.get_dummy_value()

        return types.none(index, lines, types.int64, numbers, types.int64, types.int64), generate

    return read


def columns_of(*rows):
    """Function of (index, lines, column, numbers, length, number) that reads lines of memory as columns of eight rows.

    Of `number` columns as many as are whole eights: the eight numbers of row index[t] of `lines`, from a column on, go
    to column t of rows of a `length` each, which lie one after the other in `numbers`. It returns how many it has read.
    """
    read = reading(rows)

    @inline
    def by_eights(index, lines, column, numbers, length, number):
        t = 0
        while t + EIGHT <= number:
            read(index, lines, column, numbers, length, t)
            t += EIGHT
        return t

    @inline
    def none(index, lines, column, numbers, length, number):
        return 0

    return by_eights if available else none


def line_at(context, builder, argument_types, index, first, n, lines):
    """Which line the n-th of eight is, and its address."""
    given = context.make_array(argument_types[0])(context, builder, index)
    k = builder.load(builder.gep(given.data, [builder.add(first, ir.Constant(first.type, n))]))
    k = builder.sext(k, first.type) if k.type.width < first.type.width else k
    return k, place_of(context, builder, argument_types[1], lines, (k, ir.Constant(k.type, 0)), ROW)


@intrinsic
def read_eight(_typing, index, lines, filled, first, rows, length, t):
    """Read eight lines of eight numbers into columns, zeros where a line is not filled.

    _typing: numba's.
    index, lines, filled, first: see `read_by_eights`.
    length, t: of the rows; the first of the columns.
    Writes rows: columns t to t + 7.
    """

    def generate(context, builder, signature, arguments):
        index, lines, filled, first, rows, length, t = arguments
        argument_types, read = signature.args, []
        for n in range(EIGHT):
            k, line = line_at(context, builder, argument_types, index, first, n, lines)
            mark = builder.load(place_of(context, builder, argument_types[2], filled, k, ir.IntType(8)))
            is_filled = builder.icmp_signed("!=", mark, ir.Constant(mark.type, 0))
            read.append(builder.select(is_filled, builder.load(line, align=8), ir.Constant(ROW, None)))
        for r, row in enumerate(transposed(builder, read)):
            builder.store(row, eight_of(context, builder, argument_types[4], rows, r, length, t), align=8)
        return context.get_dummy_value()

    return types.none(index, lines, filled, types.int64, rows, types.int64, types.int64), generate


@intrinsic
def write_eight(_typing, index, lines, first, rows, length, t):
    """Write eight columns from t on to lines; see `write_by_eights`."""

    def generate(context, builder, signature, arguments):
        index, lines, first, rows, length, t = arguments
        argument_types, columns = signature.args, []
        for r in range(EIGHT):
            columns.append(builder.load(eight_of(context, builder, argument_types[3], rows, r, length, t), align=8))
        for n, line in enumerate(transposed(builder, columns)):
            _, place = line_at(context, builder, argument_types, index, first, n, lines)
            builder.store(line, place, align=8)
        return context.get_dummy_value()

    return types.none(index, lines, types.int64, rows, types.int64, types.int64), generate


@inline
def read_by_eights(index, lines, filled, first, number, rows):
    """Read lines of eight numbers into columns.

    index, first, number: which lines, from the first entry on; so many, of which as many as are whole eights are read.
    lines, filled: (K, R), read if R is eight and there are eight rows; (K,) int8, zeros are read of those that are not.
    Writes rows: (8, length) a column each. Returns how many have been read.
    """
    t = 0
    if lines.shape[1] == EIGHT and rows.shape[0] == EIGHT:
        while t + EIGHT <= number:
            read_eight(index, lines, filled, first + t, rows, rows.shape[1], t)
            t += EIGHT
    return t


@inline
def write_by_eights(index, lines, first, number, rows):
    """Write columns to lines.

    index, first, number, rows: see `read_by_eights`.
    Writes lines: (K, R) if R is eight and there are eight rows. Returns how many have been written.
    """
    t = 0
    if lines.shape[1] == EIGHT and rows.shape[0] == EIGHT:
        while t + EIGHT <= number:
            write_eight(index, lines, first + t, rows, rows.shape[1], t)
            t += EIGHT
    return t


@inline
def read_none(index, lines, filled, first, number, rows):
    """Read none: the caller's scalar loop reads all, without AVX-512 or without a compiler."""
    return 0


@inline
def write_none(index, lines, first, number, rows):
    """Write none; see `read_none`."""
    return 0


available = not numba.config.DISABLE_JIT and processor.has("avx512f")
read_lines, write_lines = (read_by_eights, write_by_eights) if available else (read_none, write_none)
