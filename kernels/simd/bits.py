"""The number of the lowest bit of an integer that is set, in one instruction: sets of small numbers kept as bits."""

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def lowest_bit_compiled(_typing, bits):
    """Number of the lowest bit that is set in an integer other than 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


def lowest_bit_in_python(bits):
    """Number of the lowest bit, without a compiler."""
    return (int(bits) & -int(bits)).bit_length() - 1


lowest_bit = lowest_bit_in_python if numba.config.DISABLE_JIT else lowest_bit_compiled
