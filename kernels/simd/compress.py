"""Indices of the values that exceed a limit, and of the points near a centre, eight at a time.

A scalar loop writes each index and moves on by one or by none: nine instructions, each of which waits for the one
before. Of eight comparisons a table tells which ones hold, and how many before each: two loads in place of the loop.
"""

import numba
from dem.kernels.compiler import processor
from dem.kernels.compiler.jit import inline
from dem.kernels.simd.memory import ROW, place_of
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

EIGHT = ROW.count
BYTE, WORD, LONG = (ir.IntType(n) for n in (8, 32, 64))
BYTES, PLACES = ir.VectorType(BYTE, EIGHT), ir.VectorType(WORD, EIGHT)
HOLDING = [[lane for lane in range(EIGHT) if bits >> lane & 1] for bits in range(1 << EIGHT)]  # lanes, by comparisons
BEFORE = [[(bits & (1 << lane) - 1).bit_count() for lane in range(EIGHT)] for bits in range(1 << EIGHT)]


def broadcast(builder, value, kind):
    """Vector of eight times the same value."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(WORD, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(WORD, EIGHT), [0] * EIGHT))


def look_up(builder, name, lines, bits):
    """Eight small numbers from a table of 256 lines of up to eight, as a vector."""
    packed = [int.from_bytes(bytes(line), "little") for line in lines]
    kind = ir.ArrayType(LONG, len(packed))
    table = cgutils.global_constant(builder.module, name, ir.Constant(kind, packed))
    line = builder.load(builder.gep(table, [ir.Constant(LONG, 0), bits]))
    return builder.zext(builder.bitcast(line, BYTES), PLACES)


def store_holding(builder, first, bits, place):
    """Store the numbers, from the first one on, of those of eight comparisons that hold."""
    numbers = builder.add(
        broadcast(builder, builder.trunc(first, WORD), PLACES), look_up(builder, "holding", HOLDING, bits)
    )
    builder.store(numbers, place, align=4)


def count_bits(builder, bits):
    """Number of bits that are 1."""
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(LONG, [LONG]), "llvm.ctpop.i64")
    return builder.call(function, [bits])


@intrinsic
def compress_eight(_typing, values, least, k, first, n, listed, row):
    """List those of eight values that are above the least.

    _typing: numba's.
    values, least, first: see `compress_by_eights`.
    k, n: number of the first of the eight; of those that have been listed.
    Writes listed: from the n-th on, eight numbers, of which those beyond the last that counts are any.
    Writes row: those of the eight. Returns how many count.
    """

    def generate(context, builder, signature, arguments):
        argument_types = signature.args
        values, least, k, first, n, listed, row = arguments
        of_eight = builder.load(place_of(context, builder, argument_types[0], values, k, ROW), align=8)
        counts = builder.fcmp_ordered(">", of_eight, broadcast(builder, least, ROW))
        bits = builder.zext(builder.bitcast(counts, BYTE), LONG)
        store_holding(builder, k, bits, place_of(context, builder, argument_types[5], listed, n, PLACES))
        start = broadcast(builder, builder.trunc(builder.add(first, n), WORD), PLACES)
        rows = builder.add(start, look_up(builder, "before", BEFORE, bits))
        rows = builder.select(counts, rows, ir.Constant(PLACES, None))
        builder.store(rows, place_of(context, builder, argument_types[6], row, k, PLACES), align=4)
        return count_bits(builder, bits)

    return types.int64(values, types.float64, types.int64, types.int64, types.int64, listed, row), generate


@intrinsic
def list_near_of_eight(_typing, points, c, first, end, centre, square, n, listed):
    """List those of eight points, from the c-th on, that are near a centre and from `first` to `end`.

    _typing: numba's.
    points, centre: (3, N), N at least c + 8, and (3,) [m]. square: of the distance below which a point is near [m²].
    n: number of points that have been listed.
    Writes listed: from the n-th on, eight numbers, of which those beyond the last that counts are any.
    Returns how many count.
    """

    def generate(context, builder, signature, arguments):
        points, c, first, end, centre, square, n, listed = arguments
        distance = None
        for axis in range(3):
            at = ir.Constant(LONG, axis), c
            x = builder.load(place_of(context, builder, signature.args[0], points, at, ROW), align=8)
            x = builder.fsub(x, broadcast(builder, builder.extract_value(centre, axis), ROW))
            part = builder.fmul(x, x)
            distance = builder.fadd(distance, part) if axis else part
        near = builder.fcmp_ordered("<", distance, broadcast(builder, square, ROW))
        lanes = ir.Constant(PLACES, list(range(EIGHT)))
        for limit, comparison in ((first, ">="), (end, "<")):
            lane = broadcast(builder, builder.trunc(builder.sub(limit, c), WORD), PLACES)
            near = builder.and_(near, builder.icmp_signed(comparison, lanes, lane))
        bits = builder.zext(builder.bitcast(near, BYTE), LONG)
        store_holding(builder, c, bits, place_of(context, builder, signature.args[7], listed, n, PLACES))
        return count_bits(builder, bits)

    of_three = types.UniTuple(types.float64, 3)
    return types.int64(points, *[types.int64] * 3, of_three, types.float64, types.int64, listed), generate


@inline
def compress_by_eights(values, least, first, listed, row):
    """List the values above the least, of as many as are whole eights.

    values, least: (K,) and what those that count are above.
    first: row of the first of them.
    Writes listed: (K,) their numbers.
    Writes row: (K,) int32, rows of those that count, one after the other; 0 of all others.
    Returns how many are listed, how many have been looked at.
    """
    n, k = 0, 0
    while k + EIGHT <= values.size:
        n += compress_eight(values, least, k, first, n, listed, row)
        k += EIGHT
    return n, k


@inline
def compress_none(values, least, first, listed, row):
    """List none: the caller's scalar loop lists all, without vectors or without a compiler.

    values, least, first, listed, row: see `compress_by_eights`.
    Returns what `compress_by_eights` does.
    """
    return 0, 0


available = not numba.config.DISABLE_JIT and processor.has("avx2")
compress = compress_by_eights if available else compress_none
