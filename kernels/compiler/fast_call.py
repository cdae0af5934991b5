"""Pieces called from Python: what they are handed is written to memory here, and they are handed the address.

numba's own way in takes a hundred arrays apart for each combination of types anew, in code that takes a second to make,
and each time it is called. Here a tuple is written once, at its first use (`dem.kernels.compiler.struct_reference`).
"""

import ctypes
import itertools
import pickle
import struct
from typing import NamedTuple

import numba
import numpy as np
from dem.kernels.compiler import stages
from dem.kernels.compiler.compile_processes import OTHERS
from dem.kernels.compiler.struct_reference import StructRef, by_reference, is_plain_array
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock

INTEGERS = (int, np.integer)
C_ORDER, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # of the flags of an array
OTHERWISE = "numba's way"  # how to call what cannot be written here
NUMBERS = {int: ctypes.c_int64, float: ctypes.c_double}
RESULTS = {types.int64: ctypes.c_int64, types.float64: ctypes.c_double}  # numbers that are returned


def words_of(kind, value):
    """Words of eight bytes that pass a value; None if its type is not known."""
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
    """An array as it is handed on by itself: owner and parent, which nobody asks for, size, place and shape."""
    return [0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides]


def plain_numbers(kind, value):
    """A number, or a tuple of such, as it is handed on by itself; None if its type is not known."""
    if kind is types.float64:
        return [float(value)]
    if isinstance(kind, types.BaseTuple):
        inner = [plain_numbers(one, part) for one, part in zip(kind, value, strict=True)]
        return None if None in inner else [number for numbers in inner for number in numbers]
    return None


class Written(NamedTuple):
    """An argument as it is handed on."""

    value: object
    kind: types.Type | type
    memory: np.ndarray | None
    numbers: list | None
    starts: tuple = ()  # word of `memory` at which each field of a tuple begins


def write(value):
    """Write an argument."""
    kind = numba.typeof(value)
    if is_plain_array(kind):
        return Written(value, kind, None, numbers_of(value))
    if not isinstance(by_reference(kind), StructRef):
        return Written(value, kind, None, plain_numbers(kind, value))
    fields = [words_of(one, part) for one, part in zip(kind, value, strict=True)]
    if None in fields:
        return Written(value, by_reference(kind), None, None)
    memory = np.array([word for words in fields for word in words], np.int64)
    starts = (0, *itertools.accumulate(len(words) for words in fields))
    return Written(value, by_reference(kind), memory, [memory.ctypes.data], starts[:-1])


def is_of_type(kind, before, value):
    """Whether a value is an array in C order of the type noted for an earlier one, whose flags may have changed."""
    if type(value) is not np.ndarray or type(before) is not np.ndarray:
        return False
    wanted = C_ORDER | (ALIGNED if kind.aligned else 0) | (WRITEABLE if kind.mutable else 0)
    alike = value.flags.num & (C_ORDER | ALIGNED | WRITEABLE) == wanted and value.dtype == before.dtype
    return alike and kind.layout == "C" and kind.ndim == value.ndim


def words_again(kind, before, value):
    """Words that pass a field in place of an earlier one; None if their types may differ."""
    if is_of_type(kind, before, value):
        return [value.ctypes.data, *value.shape]
    if type(value) is not type(before):
        return None
    if isinstance(value, float):
        return struct.unpack("q", struct.pack("d", value))
    return words_of(kind, value) if isinstance(value, INTEGERS) else None


def rewrite(found, value):
    """Write an argument in the place of an earlier one, found, without typing what is of the same type.

    In a tuple of the same class only arrays and numbers that are others are written, into the memory of the earlier
    tuple. The result is the same as that of `write`, which does it where another field has changed.
    """
    if is_of_type(found.kind, found.value, value):
        return Written(value, found.kind, None, numbers_of(value))
    if isinstance(value, float) and type(value) is type(found.value):
        return Written(value, found.kind, None, [float(value)])
    if found.memory is None or type(value) is not type(found.value):
        return write(value)
    fields = zip(found.starts, found.kind.kind, found.value, value, strict=True)
    changed = [(start, words_again(*field)) for start, *field in fields if field[1] is not field[2]]
    if any(words is None for _, words in changed):
        return write(value)
    for start, words in changed:
        found.memory[start : start + len(words)] = words
    return found._replace(value=value)


def reader_of(kind, memory):
    """Function that reads a result of a type from memory; None if there is none for the type."""
    if kind is types.none:
        return lambda: None
    if kind not in RESULTS:
        return None
    number = RESULTS[kind].from_buffer(memory)
    return lambda: number.value


class BoundCall:
    """Calls a `FastCall` many times: what it is called with again is not looked at again, but for integers."""

    def __init__(self, called):
        self.called, self.written, self.values, self.argument_types = called, {}, (), ()
        self.function, self.read, self.flat, self.places = OTHERWISE, None, [], {}
        self.passed = {}  # by place of an argument: it, and what the function gets of it
        self.result = ctypes.c_int64()

    def __call__(self, *arguments):
        """Call it."""
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
        """Note what it is called with, and what is to be called for that."""
        self.values, places, argument_types, numbers = (), {}, [], []
        flat = [ctypes.c_void_p(ctypes.addressof(self.result))]
        for k, value in enumerate(arguments):
            if isinstance(value, INTEGERS):
                self.written.pop(k, None)
                places[k] = len(flat)
                found = Written(value, types.intp, None, [int(value)])
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
    """A compiled stage that Python calls.

    Each `bind` remembers the arguments of its last call, so that these stay in memory as long as it does.
    """

    def __init__(self, stage):
        self.part, self.py_func, self.__name__ = stage.part, stage.py_func, stage.py_func.__name__
        self.found = {}

    def __call__(self, *arguments):
        """Call it once."""
        return self.bind()(*arguments)

    def bind(self):
        """Function that calls it, for callers that do so many times with mostly the same tuples."""
        return BoundCall(self)

    def compile_ahead(self, *arguments):
        """Have other processes begin with the stages that a call with arguments of these types will need."""
        argument_types = tuple(types.intp if isinstance(one, INTEGERS) else write(one).kind for one in arguments)
        if OTHERS.most and stages.ALL.find(stages.symbol_of(self.part, argument_types)) is None:
            self.announced(lambda: stages.lower_piece(self.part, argument_types))

    def function_for(self, argument_types, numbers):
        """Compiled function for arguments of these types, passed as these numbers, and the type that it returns."""
        if argument_types not in self.found:
            self.found[argument_types] = (OTHERWISE, None) if None in numbers else self.prepared(argument_types)
        return self.found[argument_types]

    def prepared(self, argument_types):
        """The piece for arguments of these types, to be called with where the result goes and with their numbers.

        Returns it and the type of the result, or how to call what returns a type that cannot be read.
        """
        with global_compiler_lock:
            made = stages.ALL.find(stages.symbol_of(self.part, argument_types))
            if made is None:
                made = self.announced(lambda: stages.compile_piece(self.part, argument_types))
            returned = pickle.loads(made.returned)
            if reader_of(returned, ctypes.c_int64()) is None:
                return OTHERWISE, None
            address = stages.address_of(self.part, argument_types)
        return ctypes.PYFUNCTYPE(ctypes.c_int32)(address), returned

    def announced(self, compile_it):
        """Compile something of it, of which whoever listens is told."""
        with global_compiler_lock, event.trigger_event("numba:compile", {"dispatcher": self}):
            self.part.dispatcher.typingctx.refresh()
            self.part.dispatcher.targetctx.refresh()
            return compile_it()
