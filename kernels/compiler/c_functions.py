"""Functions of C called by their address, with whole numbers and addresses: what a library does between two steps.

A call is an array of `WORDS` integers, the address and what the function is given; so it can be another one for each
run, and kernels that are kept on disk know of none.
"""

import ctypes

import numba
from dem.kernels.compiler.jit import inline
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

ARGUMENTS = 7  # at most; who takes fewer does not see the others
WORDS = 1 + ARGUMENTS


@intrinsic
def call_words(_typing, words):
    """Call the function at the address in the first of these words with the others; returns its integer."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        word, status = ir.IntType(64), ir.IntType(32)
        kind = ir.FunctionType(status, [word] * ARGUMENTS)
        numbers = [builder.load(builder.gep(given.data, [ir.Constant(word, k)])) for k in range(WORDS)]
        function = builder.inttoptr(numbers[0], kind.as_pointer())
        return builder.sext(builder.call(function, numbers[1:]), word)

    return types.int64(words), generate


def kind_of_call():
    """Type of such a function, as Python sees it."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * ARGUMENTS)


def call_in_python(words):
    """The same, where there is no compiler."""
    return kind_of_call()(int(words[0]))(*map(int, words[1:]))


@inline
def call_compiled(words):
    """The same, compiled."""
    return call_words(words)


call = call_in_python if numba.config.DISABLE_JIT else call_compiled
