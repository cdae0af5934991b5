"""Fast calls of compiled stages from Python: arguments are written to memory once and passed by address.

The wrapper of numba takes a hundred arrays apart at each call; to compile it for one combination of types takes a
second. Here a tuple is written to memory once, at its first use (`dem.kernels.compiler.struct_reference`).
"""

import ctypes
import itertools
import pickle
import struct
from functools import partial
from typing import NamedTuple

import numba
import numpy as np
from dem.kernels.compiler import stages
from dem.kernels.compiler.compile_processes import OTHERS
from dem.kernels.compiler.formula_errors import short_reports
from dem.kernels.compiler.struct_reference import WORD, StructRef, by_reference, is_plain_array
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock

INTEGERS = (int, np.integer)
C_ORDER, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # of the flags of an array
OTHERWISE = "numba's way"  # how to call what cannot be written here
NUMBERS = {int: ctypes.c_int64, float: ctypes.c_double}
RESULTS = {types.int64: ctypes.c_int64, types.float64: ctypes.c_double}  # numbers that are returned
ResultMemory = ctypes.c_int64 * 4  # of a number, or of a tuple of so many


def words_of(kind, value):
    """Words of eight bytes in which a value is stored; None for unsupported types."""
    if isinstance(kind, types.BaseTuple):
        inner = [words_of(one, part) for one, part in zip(kind, value, strict=True)]
        return None if None in inner else [word for words in inner for word in words]
    if is_plain_array(kind):
        return [value.ctypes.data, *value.shape]
    if isinstance(kind, types.Float) and kind.bitwidth == 64:
        return list(struct.unpack("q", struct.pack("d", value)))
    if isinstance(kind, types.Integer | types.Boolean):
        return [int(value)]
    return [0] if isinstance(kind, types.Dispatcher) else None  # of functions only the type is used


def numbers_of(array):
    """Numbers in which an array is passed: owner and parent (unused), size, item size, address, shape, strides."""
    return [0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides]


def plain_numbers(kind, value):
    """A number, or the numbers of a tuple, as they are passed; None for unsupported types."""
    if kind is types.float64:
        return [float(value)]
    if isinstance(kind, types.BaseTuple):
        inner = [plain_numbers(one, part) for one, part in zip(kind, value, strict=True)]
        return None if None in inner else [number for numbers in inner for number in numbers]
    return None


class PassedArgument(NamedTuple):
    """An argument as it is passed to a compiled stage."""

    value: object
    kind: types.Type | type
    memory: np.ndarray | None
    numbers: list | None
    starts: tuple = ()  # word of `memory` at which each field of a tuple begins


def write(value):
    """Prepare an argument for passing: its type, its memory and the numbers to pass."""
    kind = numba.typeof(value)
    if is_plain_array(kind):
        return PassedArgument(value, kind, None, numbers_of(value))
    if not isinstance(by_reference(kind), StructRef):
        return PassedArgument(value, kind, None, plain_numbers(kind, value))
    fields = [words_of(one, part) for one, part in zip(kind, value, strict=True)]
    if None in fields:
        return PassedArgument(value, by_reference(kind), None, None)
    memory = np.array([word for words in fields for word in words], np.int64)
    starts = (0, *itertools.accumulate(len(words) for words in fields))
    return PassedArgument(value, by_reference(kind), memory, [memory.ctypes.data], starts[:-1])


def is_of_type(kind, before, value):
    """Whether an array has the type of an earlier argument, its flags and C order included."""
    if type(value) is not np.ndarray or type(before) is not np.ndarray:
        return False
    wanted = C_ORDER | (ALIGNED if kind.aligned else 0) | (WRITEABLE if kind.mutable else 0)
    alike = value.flags.num & (C_ORDER | ALIGNED | WRITEABLE) == wanted and value.dtype == before.dtype
    return alike and kind.layout == "C" and kind.ndim == value.ndim


def changed_words(kind, before, value):
    """Words of a field that replaces an earlier one; None if the types may differ."""
    if is_of_type(kind, before, value):
        return [value.ctypes.data, *value.shape]
    if type(value) is not type(before):
        return None
    if isinstance(value, float):
        return struct.unpack("q", struct.pack("d", value))
    if isinstance(value, tuple) and len(value) == len(before):
        inner = [changed_words(*parts) for parts in zip(kind, before, value, strict=True)]
        return None if None in inner else [word for words in inner for word in words]
    return words_of(kind, value) if isinstance(value, INTEGERS) else None


def rewrite(found, value):
    """Write an argument into the memory of an earlier one, without a new type inference if types are equal.

    In a tuple of the same class only arrays and numbers that have changed are written, into the memory of the earlier
    tuple. If any other field has changed, `write` is called. The result is the same.
    """
    if is_of_type(found.kind, found.value, value):
        return PassedArgument(value, found.kind, None, numbers_of(value))
    if isinstance(value, float) and type(value) is type(found.value):
        return PassedArgument(value, found.kind, None, [float(value)])
    if found.memory is None or type(value) is not type(found.value):
        return write(value)
    fields = zip(found.starts, found.kind.kind, found.value, value, strict=True)
    changed = [(start, changed_words(*field)) for start, *field in fields if field[1] is not field[2]]
    if any(words is None for _, words in changed):
        return write(value)
    for start, words in changed:
        found.memory[start : start + len(words)] = words
    return found._replace(value=value)


def reader_of(kind, memory):
    """Function that reads a result of a type from memory; None for unsupported types."""
    if kind is types.none:
        return lambda: None
    if isinstance(kind, types.UniTuple) and kind.dtype in RESULTS and kind.count * WORD <= ctypes.sizeof(memory):
        return partial(tuple, (RESULTS[kind.dtype] * kind.count).from_buffer(memory))
    if kind not in RESULTS:
        return None
    number = RESULTS[kind].from_buffer(memory)
    return lambda: number.value


class BoundCall:
    """Calls a `FastCall` many times; arguments that are the objects of the last call are not written again."""

    def __init__(self, called):
        self.called, self.written, self.values, self.argument_types = called, {}, (), ()
        self.function, self.read, self.flat, self.places = OTHERWISE, None, [], {}
        self.passed = {}  # by place of an argument: it, and what the function gets of it
        self.result = ResultMemory()

    def __call__(self, *arguments):
        """Call the compiled function."""
        known = len(arguments) == len(self.values)
        if known:
            flat, places = self.flat, self.places
            for k, (value, before) in enumerate(zip(arguments, self.values, strict=True)):
                if isinstance(value, INTEGERS) and k in places:
                    flat[places[k]].value = int(value)
                elif value is not before:
                    known = False
                    break
        if not known:
            self.write(arguments)
        if self.function is OTHERWISE:
            return self.called.part(*arguments)
        if self.function(*self.flat):
            raise IndexError(stages.FAILED)
        return self.read()

    def write(self, arguments):
        """Write the arguments that have changed, and find the compiled function for their types."""
        self.values, places, argument_types, numbers = (), {}, [], []
        flat = [ctypes.c_void_p(ctypes.addressof(self.result))]
        for k, value in enumerate(arguments):
            if isinstance(value, INTEGERS):
                self.written.pop(k, None)
                places[k] = len(flat)
                found = PassedArgument(value, types.intp, None, [int(value)])
            else:
                found = self.written.get(k)
                if found is None or found.value is not value:
                    found = self.written[k] = rewrite(found, value) if found else write(value)
            argument_types.append(found.kind)
            numbers.append(found.numbers)
            if k not in self.passed or self.passed[k][0] is not found:
                self.passed[k] = found, [NUMBERS[type(one)](one) for one in found.numbers or []]
            flat += self.passed[k][1]
        if tuple(argument_types) != self.argument_types:
            self.function, returned = self.called.function_for(tuple(argument_types), numbers)
            self.read, self.argument_types = reader_of(returned, self.result), tuple(argument_types)
        self.values, self.places, self.flat = arguments, places, flat  # only when nothing can go wrong any more


class FastCall:
    """A compiled stage that Python calls without numba's wrapper.

    Each `bind` remembers the arguments of its last call, so that these stay in memory as long as it does.
    """

    def __init__(self, stage):
        self.part, self.py_func, self.__name__ = stage.part, stage.py_func, stage.py_func.__name__
        self.found = {}

    def __call__(self, *arguments):
        """Call the stage once."""
        return self.bind()(*arguments)

    def bind(self):
        """Callable that remembers its arguments, for many calls with mostly the same tuples."""
        return BoundCall(self)

    def compile_ahead(self, *arguments):
        """Let other processes begin to compile the stages that a call with arguments of these types needs."""
        argument_types = tuple(types.intp if isinstance(one, INTEGERS) else write(one).kind for one in arguments)
        if OTHERS.most and stages.ALL.find(stages.symbol_of(self.part, argument_types)) is None:
            self.with_compile_event(lambda: stages.lower_stage(self.part, argument_types))

    def function_for(self, argument_types, numbers):
        """Compiled function for arguments of these types, passed as these numbers, and its return type."""
        if argument_types not in self.found:
            self.found[argument_types] = (OTHERWISE, None) if None in numbers else self.compiled_for(argument_types)
        return self.found[argument_types]

    def compiled_for(self, argument_types):
        """Compile the stage for arguments of these types, and make it a function of numbers.

        The function takes the address of the result, then the numbers. Returns it and the type of the result, or
        OTHERWISE if a result of this type cannot be read.
        """
        with global_compiler_lock:
            made = stages.ALL.find(stages.symbol_of(self.part, argument_types))
            if made is None:
                made = self.with_compile_event(lambda: stages.compile_stage(self.part, argument_types))
            returned = pickle.loads(made.returned)
            if reader_of(returned, ResultMemory()) is None:
                return OTHERWISE, None
            address = stages.address_of(self.part, argument_types)
        return ctypes.PYFUNCTYPE(ctypes.c_int32)(address), returned

    def with_compile_event(self, compile_it):
        """Compile with an event of numba, so that listeners are told that this function is being compiled."""
        with global_compiler_lock, event.trigger_event("numba:compile", {"dispatcher": self}):
            self.part.dispatcher.typingctx.refresh()
            self.part.dispatcher.targetctx.refresh()
            with short_reports():
                return compile_it()
