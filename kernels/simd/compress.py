"""Which of many numbers count, eight numbers at a time.

Who lists them one after the other writes each, and goes on by one or by none: nine instructions, each of which waits
for the one before. Processors with AVX-512 move those of eight that count side by side in one (vpcompressd): the list
takes a fifth of the time.
"""

import numba
from dem.kernels.compiler import processor
from dem.kernels.compiler.jit import inline
from dem.kernels.simd.memory import ROW, place_of
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

EIGHT = ROW.count
BIT, BYTE, WORD, LONG = (ir.IntType(n) for n in (1, 8, 32, 64))
PLACES, MASK = ir.VectorType(WORD, EIGHT), ir.VectorType(BIT, EIGHT)


def spread_out(builder, value, kind):
    """A vector that has one value eight times."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(WORD, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(WORD, EIGHT), [0] * EIGHT))


def counted(builder, value, kind):
    """How many bits are set."""
    name = "llvm.ctpop." + (f"v{EIGHT}i32" if kind is PLACES else "i32")
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
    return builder.call(function, [value])


@intrinsic
def sift_eight(_typing, values, least, k, first, n, listed, row):
    """List those of eight values that are above the least.

    Parameters
    ----------
    _typing : numba's
    values, least, first : see `by_eights`
    k, n : number of the first of the eight; of those that have been listed

    Writes
    ------
    listed : from the n-th on, eight numbers, of which those beyond the last that counts are 0
    row : those of the eight

    Returns
    -------
    how many count
    """

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        values, least, k, first, n, listed, row = arguments
        of_eight = builder.load(place_of(context, builder, kinds[0], values, k, ROW), align=8)
        counts = builder.fcmp_ordered(">", of_eight, spread_out(builder, least, ROW))
        bits = builder.zext(builder.bitcast(counts, BYTE), WORD)
        lanes = ir.Constant(PLACES, list(range(EIGHT)))
        numbers = builder.add(spread_out(builder, builder.trunc(k, WORD), PLACES), lanes)
        kind = ir.FunctionType(PLACES, [PLACES, PLACES, MASK])
        name = f"llvm.x86.avx512.mask.compress.v{EIGHT}i32"
        beside = cgutils.get_or_insert_function(builder.module, kind, name)
        packed = builder.call(beside, [numbers, ir.Constant(PLACES, None), counts])
        builder.store(packed, place_of(context, builder, kinds[5], listed, n, PLACES), align=4)
        before = ir.Constant(PLACES, [(1 << lane) - 1 for lane in range(EIGHT)])
        number = counted(builder, builder.and_(spread_out(builder, bits, PLACES), before), PLACES)
        start = spread_out(builder, builder.trunc(builder.add(first, n), WORD), PLACES)
        rows = builder.select(counts, builder.add(start, number), ir.Constant(PLACES, None))
        builder.store(rows, place_of(context, builder, kinds[6], row, k, PLACES), align=4)
        return builder.zext(counted(builder, bits, WORD), LONG)

    return types.int64(values, types.float64, types.int64, types.int64, types.int64, listed, row), generate


@inline
def by_eights(values, least, first, listed, row):
    """List the values above the least, of as many as are whole eights.

    Parameters
    ----------
    values, least : (K,) and what those that count are above
    first : row of the first of them

    Writes
    ------
    listed : (K,) their numbers
    row : (K,) int32, rows of those that count, one after the other; 0 of all others

    Returns
    -------
    how many are listed, how many have been looked at
    """
    n, k = 0, 0
    while k + EIGHT <= values.size:
        n += sift_eight(values, least, k, first, n, listed, row)
        k += EIGHT
    return n, k


@inline
def nothing_sifted(values, least, first, listed, row):
    """Where the processor has no such instruction, or there is no compiler.

    Parameters
    ----------
    values, least, first, listed, row : see `by_eights`

    Returns
    -------
    as `by_eights`
    """
    return 0, 0


can = not numba.config.DISABLE_JIT and processor.has("avx512vl") and processor.has("avx512f")
compress = by_eights if can else nothing_sifted
