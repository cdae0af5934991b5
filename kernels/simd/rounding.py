"""The nearest integer of a float in one instruction; numpy's rounding and the conversion are two.

LLVM makes a vector instruction of it with AVX-512.
"""

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def nearest_compiled(_typing, x):
    """Nearest integer of a float that 64 bits are known to hold; of two that are as near, the even one."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType()])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.llrint.i64.f64")
        return builder.call(function, arguments)

    return types.int64(types.float64), generate


def nearest_in_python(x):
    """Nearest integer of a float, without a compiler."""
    return np.int64(np.rint(x))


nearest = nearest_in_python if numba.config.DISABLE_JIT else nearest_compiled
