"""Large parts of kernels as machine code of their own, shared by all kernels that call them with the same types.

A kernel is made anew for each combination of scheme, law, box, fluid and threads, and nearly all of it is the same as
in others. A *piece* is a part that is compiled by itself, for the types that it is called with, and whose machine code
is kept on disk: whoever calls it is linked with its address. So another combination compiles what calls its pieces, and
those whose types differ; tuples of arrays should be held (`dem.kernels.compiler.struct_reference`), or each call moves
all of them.

Files of pieces and numba's own are pickles. A plain format would not make
them safer:
they hold machine code, which is run as it is read, and their checksum says that they are whole, not whose they are.
Safety rests on the folder alone, which no other user can have written to (`dem.kernels.compiler.private_folder`).
"""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
import itertools
import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numba
from dem.kernels.compiler import disk_cache
from dem.kernels.compiler.compile_processes import OTHERS
from dem.kernels.compiler.libraries import Code, Whole, pieces_of
from dem.kernels.compiler.lowering import calling_parts
from dem.kernels.compiler.struct_reference import StructRef, by_reference, size_of
from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import cgutils, serialize, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

STATUS = ir.IntType(32)  # whether it failed, which is all that a piece says of that
FAILED = "index out of bounds"  # the only thing that kernels raise, and only if they are to look
PREFIX = "pcdm_dem_"
COUNT = itertools.count()


class Made(NamedTuple):
    """A piece as machine code."""

    symbol: str
    returned: bytes  # numba's type, pickled
    pieces: tuple  # symbols of those that it calls
    threads: bool  # whether it calls the threading layer
    code: bytes  # object file


def path_of(symbol):
    """Path of a compiled piece on disk."""
    return Path(numba.config.CACHE_DIR) / f"{symbol}.piece"


class Pieces:
    """All pieces that this process knows."""

    def __init__(self):
        self.made, self.loaded, self.launch = {}, set(), None
        self.called = {}  # by symbol: part and types of arguments, of pieces that may not be made yet

    def find(self, symbol):
        """A piece that was made here, or is kept on disk with all that it calls; else None."""
        if symbol not in self.made:
            with suppress(OSError):
                data = path_of(symbol).read_bytes()
                if hashlib.sha256(data[32:]).digest() == data[:32]:
                    one = Made(*pickle.loads(data[32:]))
                    if all(self.find(other) is not None for other in one.pieces):
                        self.made[symbol] = one
        return self.made.get(symbol)

    def want(self, part, argument_types):
        """Note that a piece will be called, which `complete` compiles unless another process does."""
        symbol = symbol_of(part, argument_types)
        if symbol not in self.called and self.find(symbol) is None:
            self.called[symbol] = part, argument_types
            if part.lasting[symbol] and not any(map(disk_cache.is_of_others, argument_types)):
                OTHERS.offer(symbol, part, argument_types)

    def complete(self, symbols):
        """Compile those of some pieces that are not made, the last first, and wait for what other processes compile."""
        missing = [symbol for symbol in self.called if symbol in symbols and self.find(symbol) is None]
        while missing:
            symbol = next(filter(OTHERS.withdraw, reversed(missing)), None)
            if symbol is None:
                symbol = missing[0]
                OTHERS.wait(symbol)
            missing.remove(symbol)
            compile_piece(*self.called[symbol])

    def load(self, codegen, symbol):
        """Have its machine code where kernels find it."""
        if symbol in self.loaded:
            return
        one = self.made[symbol]
        for other in one.pieces:
            self.load(codegen, other)
        if one.threads:
            self.launch()
        engine = codegen._engine._ee
        engine.add_object_file(llvm.ObjectFileRef.from_data(one.code))
        engine.finalize_object()
        llvm.add_symbol(symbol, engine.get_function_address(symbol))
        self.loaded.add(symbol)

    def keep(self, made, lasting):
        """Note a piece, and write it; whatever the disk has against it only costs time."""
        self.made[made.symbol] = made
        if lasting and all(path_of(one).exists() for one in made.pieces):
            data = pickle.dumps(tuple(made))
            path = path_of(made.symbol)
            unfinished = path.with_suffix(f".{os.getpid()}")
            with suppress(OSError):
                unfinished.write_bytes(hashlib.sha256(data).digest() + data)
                unfinished.replace(path)


ALL = Pieces()


class Missing(Exception):  # noqa: N818
    """A piece that a kernel calls is not on disk."""


class Loading:
    """Hook that numba calls before it loads a kernel: loads its pieces."""

    def __init__(self, symbols):
        self.symbols = symbols

    def __call__(self):
        """Load them; raises Missing."""
        ALL.complete(self.symbols)
        codegen = numba.core.registry.cpu_target.target_context.codegen()
        for symbol in self.symbols:
            if ALL.find(symbol) is None:
                raise Missing(symbol)
        for symbol in self.symbols:
            ALL.load(codegen, symbol)


Whole.loading = Loading


def kind_of_call(context, returned, argument_types):
    """LLVM's type of a piece."""
    values = [context.get_value_type(one) for one in argument_types]
    return ir.FunctionType(STATUS, [context.get_value_type(returned).as_pointer(), *values])


def write_entry(context, module, symbol, result):
    """The function that others call: it calls the part, into which LLVM turns it."""
    fndesc = result.fndesc
    function = ir.Function(module, kind_of_call(context, fndesc.restype, fndesc.argtypes), name=symbol)
    for kind, argument in zip(fndesc.argtypes, function.args[1:], strict=True):
        if isinstance(kind, StructRef):
            argument.attributes.dereferenceable = max(size_of(context, kind.kind), 1)
            argument.attributes.align = 8  # without either LLVM may not read ahead
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    target = context if result.library.is_loop else calling_parts(context)
    called = target.declare_function(module, fndesc)
    status, value = target.call_conv.call_function(builder, called, fndesc.restype, fndesc.argtypes, function.args[1:])
    with cgutils.if_unlikely(builder, status.is_error):
        builder.ret(ir.Constant(STATUS, 1))
    builder.store(value, function.args[0])
    builder.ret(ir.Constant(STATUS, 0))


def make(part, argument_types, symbol):
    """Compile a piece."""
    context, result = part.dispatcher.targetctx, part.dispatcher.overloads[argument_types]
    if part.returns is not ... and result.fndesc.restype != numba.typeof(part.returns):
        message = f"{part.__qualname__} returns {result.fndesc.restype}, and says {numba.typeof(part.returns)}"
        raise TypeError(message)
    codegen = context.codegen()
    library = Code(codegen, symbol)
    module = library.create_ir_module(symbol)
    write_entry(context, module, symbol, result)
    library.add_ir_module(module)
    library.add_linking_library(result.library)
    code = library.machine_code(symbol)
    returned = serialize.dumps(result.fndesc.restype)
    return Made(symbol, returned, tuple(sorted(pieces_of(library))), bool(library._reload_init), code)


def symbol_of(part, argument_types):
    """Name of the piece for arguments of these types; one of this process alone if it is not to be kept."""
    if (symbol := part.symbols.get(argument_types)) is None:
        words = disk_cache.call_of(part.py_func, argument_types)
        inner = f"{words} {part.dispatcher.targetoptions}" if words else f"{part.py_func.__qualname__} {next(COUNT)}"
        symbol = part.symbols[argument_types] = PREFIX + hashlib.sha256(inner.encode()).hexdigest()[:24]
        part.lasting[symbol] = words is not None
    return symbol


def lower_piece(part, argument_types):
    """Lower a piece for arguments of these types: those that it calls are known then."""
    numba.typeof(part).get_call_type(part.dispatcher.typingctx, argument_types, {})


def compile_piece(part, argument_types):
    """Compile the piece for arguments of these types, and those that it calls, unless it is found; returns it."""
    symbol = symbol_of(part, argument_types)
    if ALL.find(symbol) is None:
        lower_piece(part, argument_types)
        made = make(part, argument_types, symbol)
        ALL.complete(made.pieces)
        ALL.keep(made, lasting=part.lasting[symbol])
    return ALL.made[symbol]


def address_of(part, argument_types):
    """Address of the machine code of a piece that has been found."""
    symbol, codegen = symbol_of(part, argument_types), part.dispatcher.targetctx.codegen()
    ALL.load(codegen, symbol)
    return codegen._engine.get_function_address(symbol)


def compiled_stage(part, returns):
    """Function that calls a part as machine code of its own, with named tuples by reference.

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
                return signature(pickle.loads(compile_piece(part, plain).returned), *plain)
            ALL.want(part, plain)
            return signature(numba.typeof(returns), *plain)

    infer_global(call, types.Function(Call))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        symbol = symbol_of(part, sig.args)
        library = context.active_code_library
        library.pieces = getattr(library, "pieces", frozenset()) | {symbol}
        kind = kind_of_call(context, sig.return_type, sig.args)
        called = cgutils.get_or_insert_function(builder.module, kind, symbol)
        place = cgutils.alloca_once(builder, context.get_value_type(sig.return_type))
        failed = builder.call(called, [place, *args])
        with cgutils.if_unlikely(builder, cgutils.is_true(builder, failed)):
            context.call_conv.return_user_exc(builder, IndexError, (FAILED,))
        return builder.load(place)

    call.part, call.py_func = part, part.py_func
    return call
