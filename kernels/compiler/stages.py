"""Compiled stages: large functions with machine code of their own, shared by all kernels that call them.

A kernel is compiled anew for each combination of scheme, law, box, fluid and threads, and nearly all of it is the same
as in others. A stage is compiled by itself, for the types that it is called with. Its machine code is stored on disk in
a file ``*.stage``, and its callers are linked with its address. So another combination compiles only the callers of its
stages, and the stages whose types differ. Tuples of arrays should be passed by reference
(`dem.kernels.compiler.struct_reference`), or each call copies all of them.

The files of stages, and numba's own, are pickles. A plain format would not make them safer: they hold machine code,
which is run as it is read, and their checksum says that they are whole, not whose they are. Safety rests on the folder
alone, which no other user can have written to (`dem.kernels.compiler.private_folder`).
"""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
import itertools
import os
import pickle
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

import numba
from dem.kernels.compiler import disk_cache
from dem.kernels.compiler.compile_processes import OTHERS
from dem.kernels.compiler.libraries import KernelLibrary, StageLibrary, stages_of
from dem.kernels.compiler.lowering import with_inlined_convention
from dem.kernels.compiler.python_stack import deep_stack
from dem.kernels.compiler.stage_lock import locked
from dem.kernels.compiler.struct_reference import StructRef, by_reference, size_of
from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import cgutils, serialize, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

STATUS = ir.IntType(32)  # 0 or, if a stage has failed, 1
FAILED = "index out of bounds"  # the only thing that kernels raise, and only if they are to look
PREFIX = "pcdm_dem_"
COUNT = itertools.count()


class StageCode(NamedTuple):
    """Machine code of a compiled stage."""

    symbol: str
    returned: bytes  # numba's type, pickled
    stages_called: tuple  # symbols of those that it calls
    threads: bool  # whether it calls the threading layer
    code: bytes  # object file


def path_of(symbol):
    """Path of a compiled stage on disk."""
    return Path(numba.config.CACHE_DIR) / f"{symbol}.stage"


class StageRegistry:
    """Registry of the compiled stages that this process knows."""

    def __init__(self):
        self.made, self.loaded, self.launch = {}, set(), None
        self.called = {}  # by symbol: part and types of arguments, of stages that may not be made yet

    def find(self, symbol):
        """A compiled stage from memory or from disk, complete with all that it calls; else None."""
        if symbol not in self.made:
            with suppress(OSError):
                data = path_of(symbol).read_bytes()
                if hashlib.sha256(data[32:]).digest() == data[:32]:
                    one = StageCode(*pickle.loads(data[32:]))
                    if all(self.find(other) is not None for other in one.stages_called):
                        self.made[symbol] = one
        return self.made.get(symbol)

    def want(self, part, argument_types):
        """Request a stage that will be called; another process may compile it, else `complete` does."""
        symbol = symbol_of(part, argument_types)
        if symbol not in self.called and self.find(symbol) is None:
            self.called[symbol] = part, argument_types
            if part.lasting[symbol] and not any(map(disk_cache.has_foreign_type, argument_types)):
                OTHERS.offer(symbol, part, argument_types)

    def complete(self, symbols):
        """Compile those of some stages that are missing, the last first, and wait for other processes' stages."""
        missing = [symbol for symbol in self.called if symbol in symbols and self.find(symbol) is None]
        while missing:
            symbol = next(filter(OTHERS.withdraw, reversed(missing)), None)
            if symbol is None:
                symbol = missing[0]
                OTHERS.wait(symbol)
            missing.remove(symbol)
            compile_stage(*self.called[symbol])

    def load(self, codegen, symbol):
        """Load the machine code of a stage, and of all that it calls, into numba's engine."""
        if symbol in self.loaded:
            return
        one = self.made[symbol]
        for other in one.stages_called:
            self.load(codegen, other)
        if one.threads:
            self.launch()
        engine = codegen._engine._ee
        engine.add_object_file(llvm.ObjectFileRef.from_data(one.code))
        engine.finalize_object()
        llvm.add_symbol(symbol, engine.get_function_address(symbol))
        self.loaded.add(symbol)

    def keep(self, made, lasting):
        """Store a compiled stage in memory and on disk; errors of the disk only cost time."""
        self.made[made.symbol] = made
        if lasting and all(path_of(one).exists() for one in made.stages_called):
            data = pickle.dumps(tuple(made))
            path = path_of(made.symbol)
            unfinished = path.with_suffix(f".{os.getpid()}")
            with suppress(OSError):
                unfinished.write_bytes(hashlib.sha256(data).digest() + data)
                unfinished.replace(path)


ALL = StageRegistry()


class MissingStage(Exception):  # noqa: N818
    """A compiled stage that a kernel calls is not on disk."""


class LoadStages:
    """Hook that numba calls before it loads a kernel: loads the stages that the kernel calls."""

    def __init__(self, symbols):
        self.symbols = symbols

    def __call__(self):
        """Load the stages; raises MissingStage."""
        ALL.complete(self.symbols)
        codegen = numba.core.registry.cpu_target.target_context.codegen()
        for symbol in self.symbols:
            if ALL.find(symbol) is None:
                raise MissingStage(symbol)
        for symbol in self.symbols:
            ALL.load(codegen, symbol)


KernelLibrary.loading = LoadStages


def kind_of_call(context, returned, argument_types):
    """LLVM function type of a compiled stage."""
    values = [context.get_value_type(one) for one in argument_types]
    return ir.FunctionType(STATUS, [context.get_value_type(returned).as_pointer(), *values])


def write_entry(context, module, symbol, result):
    """Write the entry function of a stage, which calls the lowered function; LLVM inlines it."""
    fndesc = result.fndesc
    function = ir.Function(module, kind_of_call(context, fndesc.restype, fndesc.argtypes), name=symbol)
    for kind, argument in zip(fndesc.argtypes, function.args[1:], strict=True):
        if isinstance(kind, StructRef):
            argument.attributes.dereferenceable = max(size_of(context, kind.kind), 1)
            argument.attributes.align = 8  # without either LLVM may not read ahead
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    target = context if result.library.is_loop else with_inlined_convention(context)
    called = target.declare_function(module, fndesc)
    status, value = target.call_conv.call_function(builder, called, fndesc.restype, fndesc.argtypes, function.args[1:])
    with cgutils.if_unlikely(builder, status.is_error):
        builder.ret(ir.Constant(STATUS, 1))
    builder.store(value, function.args[0])
    builder.ret(ir.Constant(STATUS, 0))


def make(part, argument_types, symbol):
    """Compile a stage to machine code."""
    context, result = part.dispatcher.targetctx, part.dispatcher.overloads[argument_types]
    if part.returns is not ... and result.fndesc.restype != numba.typeof(part.returns):
        message = f"{part.__qualname__} returns {result.fndesc.restype}, and says {numba.typeof(part.returns)}"
        raise TypeError(message)
    codegen = context.codegen()
    library = StageLibrary(codegen, symbol)
    module = library.create_ir_module(symbol)
    write_entry(context, module, symbol, result)
    library.add_ir_module(module)
    library.add_linking_library(result.library)
    code = library.machine_code(symbol)
    returned = serialize.dumps(result.fndesc.restype)
    return StageCode(symbol, returned, tuple(sorted(stages_of(library))), bool(library._reload_init), code)


def symbol_of(part, argument_types):
    """Symbol of the stage for arguments of these types; unique to this process if it must not be cached."""
    if (symbol := part.symbols.get(argument_types)) is None:
        words = disk_cache.cache_key(part.py_func, argument_types)
        inner = f"{words} {part.dispatcher.targetoptions}" if words else f"{part.py_func.__qualname__} {next(COUNT)}"
        symbol = part.symbols[argument_types] = PREFIX + hashlib.sha256(inner.encode()).hexdigest()[:24]
        part.lasting[symbol] = words is not None
    return symbol


@deep_stack
def lower_stage(part, argument_types):
    """Lower a stage for arguments of these types; the stages that it calls are known then."""
    numba.typeof(part).get_call_type(part.dispatcher.typingctx, argument_types, {})


def compile_stage(part, argument_types):
    """Find a stage for arguments of these types, or compile it with all that it calls."""
    symbol = symbol_of(part, argument_types)
    if ALL.find(symbol) is None:
        with locked(symbol) if part.lasting[symbol] else nullcontext():
            if ALL.find(symbol) is None:
                lower_stage(part, argument_types)
                made = make(part, argument_types, symbol)
                ALL.complete(made.stages_called)
                ALL.keep(made, lasting=part.lasting[symbol])
    return ALL.made[symbol]


def address_of(part, argument_types):
    """Address of the machine code of a stage that has been found."""
    symbol, codegen = symbol_of(part, argument_types), part.dispatcher.targetctx.codegen()
    ALL.load(codegen, symbol)
    return codegen._engine.get_function_address(symbol)


def compiled_stage(part, returns):
    """Function that calls a function's machine code of its own, with named tuples by reference.

    returns: a value like those that it returns. Callers are then compiled before it, and other processes may compile
        it meanwhile; without, given as ..., it is compiled when a caller asks for its type.
    """

    def call(*arguments):
        return part.py_func(*arguments)

    part.symbols, part.lasting, part.returns = {}, {}, returns

    class Call(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            plain = tuple(by_reference(types.unliteral(one)) for one in args)
            if returns is ...:
                return signature(pickle.loads(compile_stage(part, plain).returned), *plain)
            ALL.want(part, plain)
            return signature(numba.typeof(returns), *plain)

    infer_global(call, types.Function(Call))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        symbol = symbol_of(part, sig.args)
        library = context.active_code_library
        library.stages_called = getattr(library, "stages_called", frozenset()) | {symbol}
        kind = kind_of_call(context, sig.return_type, sig.args)
        called = cgutils.get_or_insert_function(builder.module, kind, symbol)
        place = cgutils.alloca_once(builder, context.get_value_type(sig.return_type))
        failed = builder.call(called, [place, *args])
        with cgutils.if_unlikely(builder, cgutils.is_true(builder, failed)):
            context.call_conv.return_user_exc(builder, IndexError, (FAILED,))
        return builder.load(place)

    call.part, call.py_func = part, part.py_func
    return call
