"""Parallel loops: calls of an inlined function, distributed over threads by numba's threading layer.

Numba's own parallel loops make a function and two wrappers of each loop, and compile the functions that it calls a
second time, so kernels with threads take long to compile. Here the arguments are stored in memory, and the threading
layer gets a function that reads them and calls the inlined function.
"""

from functools import cache

import numba
from dem.kernels.compiler import setup, stages
from dem.kernels.compiler.lowering import call_within
from dem.kernels.compiler.struct_reference import pack_struct, unpack_struct
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.np.ufunc import parallel

BYTES = ir.IntType(8).as_pointer()
INT, C_INT = ir.IntType(64), ir.IntType(32)
# what the layer calls: with addresses and how many calls are in them, how far the addresses are apart, our own data
WORKER = ir.FunctionType(ir.VoidType(), [BYTES.as_pointer(), INT.as_pointer(), INT.as_pointer(), BYTES])
PARALLEL_FOR = ir.FunctionType(ir.VoidType(), [BYTES] * 5 + [INT] * 3)
OUT_OF_BOUNDS = "index out of bounds in a thread"  # the only thing that kernels raise, and only if they are to look


@cache
def launch():
    """Load the threading layer once; it reads the environment then."""
    with setup.shorten_spinning():
        parallel._launch_threads()  # noqa: SLF001


stages.ALL.launch = launch


def parallel_for(part):
    """Function of (n, *arguments) that calls ``part(k, *arguments)`` for all k in range(n), on all threads."""

    def call(n, *arguments):
        for k in range(n):
            part.py_func(k, *arguments)

    class Spread(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            plain = [types.intp, *(types.unliteral(one) for one in args[1:])]
            numba.typeof(part).get_call_type(self.context, plain, {})
            return signature(types.none, *plain)

    infer_global(call, types.Function(Spread))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        write_call(context, builder, part.dispatcher.overloads[sig.args], sig.args[1:], *args)
        return context.get_dummy_value()

    return call


def write_call(context, builder, compiled, argument_types, number, *arguments):
    """Write the call of the threading layer, and the worker function.

    The index is an address: that of call 0 is zero, and they are one apart.
    """
    context.active_code_library._reload_init.add(launch)  # noqa: SLF001
    context.add_linking_libs([compiled.library])
    values = [ir.Constant(C_INT, 0)]  # whether a call failed
    for kind, value in zip(argument_types, arguments, strict=True):
        values += unpack_struct(context, builder, kind, value)
    kept = ir.LiteralStructType([one.type for one in values])
    worker = write_worker(context, builder.module, compiled, argument_types, kept)
    place, first, distance, count = (cgutils.alloca_once(builder, one) for one in (kept, BYTES, INT, INT))
    for r, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, place, 0, r))
    builder.store(ir.Constant(BYTES, None), first)
    builder.store(ir.Constant(INT, 1), distance)
    builder.store(number, count)
    threads_of = cgutils.get_or_insert_function(builder.module, ir.FunctionType(C_INT, []), "get_num_threads")
    layer = cgutils.get_or_insert_function(builder.module, PARALLEL_FOR, "numba_parallel_for")
    addresses = [builder.bitcast(one, BYTES) for one in (worker, first, count, distance, place)]
    threads = builder.sext(builder.call(threads_of, []), INT)
    builder.call(layer, [*addresses, ir.Constant(INT, 0), ir.Constant(INT, 1), threads])
    failed = builder.load(cgutils.gep_inbounds(builder, place, 0, 0))
    with cgutils.if_unlikely(builder, cgutils.is_true(builder, failed)):
        context.call_conv.return_user_exc(builder, IndexError, (OUT_OF_BOUNDS,))


def write_worker(context, module, compiled, argument_types, kept):
    """Write the function that a thread runs: it calls the inlined function for a range of indices."""
    worker = ir.Function(module, WORKER, name=module.get_unique_name("by_threads"))
    worker.linkage = "internal"
    builder = ir.IRBuilder(worker.append_basic_block("entry"))
    addresses, counts, _, data = worker.args
    place = builder.bitcast(data, kept.as_pointer())
    values = (builder.load(cgutils.gep_inbounds(builder, place, 0, r)) for r in range(1, len(kept.elements)))
    arguments = [pack_struct(context, builder, kind, values) for kind in argument_types]
    first = builder.ptrtoint(builder.load(addresses), INT)
    with cgutils.for_range(builder, builder.load(counts)) as loop:
        status = call_within(context, builder, compiled, [builder.add(first, loop.index), *arguments])
        with cgutils.if_unlikely(builder, status.is_error):
            builder.store(ir.Constant(C_INT, 1), cgutils.gep_inbounds(builder, place, 0, 0))
    builder.ret_void()
    return worker
