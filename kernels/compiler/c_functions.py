"""Call functions by their address, which is a number, so that cached kernels need not be compiled for each of them.

`call` is for functions of C with whole numbers and addresses, such as those of an MPI library. A call is an array of
`WORDS` integers: the address, and the arguments. `call_velocity` is for a user's velocity of a fluid, u(t, x, y, z).
"""

import ctypes

import numba
from dem.kernels.compiler.jit import inline
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

ARGUMENTS = 7  # at most; a function that takes fewer does not see the others
WORDS = 1 + ARGUMENTS
VELOCITY = types.void(types.float64, types.float64, types.float64, types.float64, types.CPointer(types.float64))


@intrinsic
def call_words(_typing, words):
    """Call the C function whose address is the first of some words, with the other words; returns its integer."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        word, status = ir.IntType(64), ir.IntType(32)
        kind = ir.FunctionType(status, [word] * ARGUMENTS)
        numbers = [builder.load(builder.gep(given.data, [ir.Constant(word, k)])) for k in range(WORDS)]
        function = builder.inttoptr(numbers[0], kind.as_pointer())
        return builder.sext(builder.call(function, numbers[1:]), word)

    return types.int64(words), generate


def kind_of_call():
    """Type in `ctypes` of the C functions that `call_words` calls."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * ARGUMENTS)


def call_in_python(words):
    """Call a C function where kernels are not compiled; see `call_words`."""
    return kind_of_call()(int(words[0]))(*map(int, words[1:]))


@inline
def call_compiled(words):
    """Call a C function from compiled kernels; see `call_words`."""
    return call_words(words)


def compile_velocity(function):
    """Compile a function of (t, x, y, z) that returns three numbers.

    Returns
    -------
    function : its address for `call_velocity`, or the function itself where there is no compiler
    owner : object that must live as long as the address is used
    """
    if numba.config.DISABLE_JIT:
        return function, function
    inner = function if hasattr(function, "py_func") else numba.njit(function)

    @numba.cfunc(VELOCITY)
    def evaluate(t, x, y, z, result):
        u = inner(t, x, y, z)
        result[0], result[1], result[2] = u[0], u[1], u[2]

    return evaluate.address, evaluate


@intrinsic
def call_address(_typing, address, t, x, y, z):
    """Three numbers that the velocity function at an address returns."""

    def generate(context, builder, signature, arguments):
        pointer = types.ExternalFunctionPointer(VELOCITY, get_pointer=None)
        function = builder.inttoptr(arguments[0], context.get_value_type(pointer))
        real = context.get_value_type(types.float64)
        result = cgutils.alloca_once(builder, real, size=3)
        builder.call(function, [*arguments[1:], result])
        values = [builder.load(cgutils.gep_inbounds(builder, result, k)) for k in range(3)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.float64, 3)(address, t, x, y, z), generate


def velocity_in_python(function, t, x):
    """Velocity by the user's Python function, where kernels are not compiled."""
    u = function(t, x[0], x[1], x[2])
    return float(u[0]), float(u[1]), float(u[2])


@inline
def velocity_compiled(function, t, x):
    """Velocity [m/s] at time t [s] and place x [m] by the function at an address."""
    return call_address(function, t, x[0], x[1], x[2])


call, call_velocity = (
    (call_in_python, velocity_in_python) if numba.config.DISABLE_JIT else (call_compiled, velocity_compiled)
)
