"""Sets of small numbers kept as the bits of an integer: the lowest number, and how many, in one instruction each."""

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def lowest_bit_compiled(_typing, bits):
    """Number of the lowest bit that is set in an integer; 64 for 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


def lowest_bit_in_python(bits):
    """Number of the lowest bit, without a compiler."""
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 64


@intrinsic
def count_bits_compiled(_typing, bits):
    """Number of bits that are set in an integer."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


def count_bits_in_python(bits):
    """Number of bits of an integer that is not negative, without a compiler."""
    return int(bits).bit_count()


lowest_bit = lowest_bit_in_python if numba.config.DISABLE_JIT else lowest_bit_compiled
count_bits = count_bits_in_python if numba.config.DISABLE_JIT else count_bits_compiled
