"""The nearest integer of a float in one instruction; numpy's rounding and the conversion are two.

LLVM makes a vector instruction of it with AVX-512. AVX2 has none, so LLVM would take the numbers of a vector apart.
There the integer is read off sums: the bits of 1.5 2⁵² + x are those of 1.5 2⁵² plus the integer nearest to x. Larger x
are split first, into a multiple of 2³², by the same sum with 1.5 2⁸⁴, and a rest, which is exact.
"""

import numba
import numpy as np
from dem.kernels.compiler import processor
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

DOUBLE, INTEGER = ir.DoubleType(), ir.IntType(64)
BITS = 32  # of the integer that stay for the second sum
TO_INTEGER = 1.5 * 2.0**52  # the last bit of sums with it is 1
TO_MULTIPLE = TO_INTEGER * 2.0**BITS


def bit_pattern(number):
    """Integer with the bits of a float."""
    return int(np.float64(number).view(np.int64))


def by_instruction(builder, x):
    """Nearest integer by the function of LLVM."""
    kind = ir.FunctionType(INTEGER, [DOUBLE])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.llrint.i64.f64"), [x])


def by_sums(builder, x):
    """Nearest integer by two sums."""
    to_multiple, to_integer = ir.Constant(DOUBLE, TO_MULTIPLE), ir.Constant(DOUBLE, TO_INTEGER)
    upper = builder.fadd(x, to_multiple)
    lower = builder.fadd(builder.fsub(x, builder.fsub(upper, to_multiple)), to_integer)
    upper, lower = (builder.bitcast(part, INTEGER) for part in (upper, lower))
    offset = (bit_pattern(TO_MULTIPLE) << BITS) + bit_pattern(TO_INTEGER)
    total = builder.add(builder.shl(upper, ir.Constant(INTEGER, BITS)), lower)
    return builder.sub(total, ir.Constant(INTEGER, offset % 2**64))


def nearest_in_python(x):
    """Nearest integer of a float, without a compiler."""
    return np.int64(np.rint(x))


def rounding(write):
    """Function of a float that returns what `write` computes from it."""

    @intrinsic
    def nearest_compiled(_typing, x):
        """Nearest integer of a float that 64 bits are known to hold; of two that are as near, the even one."""

        def generate(context, builder, signature, arguments):
            return write(builder, arguments[0])

        return types.int64(types.float64), generate

    return nearest_in_python if numba.config.DISABLE_JIT else nearest_compiled


nearest_by_instruction, nearest_by_sums = rounding(by_instruction), rounding(by_sums)
has_no_instruction = processor.has("avx2") and not processor.has("avx512dq")  # for vectors
nearest = nearest_by_sums if has_no_instruction else nearest_by_instruction
