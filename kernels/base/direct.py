"""Pieces called from Python: what they are handed is written to memory here, and they are handed the address.

numba's own way in takes a hundred arrays apart for each combination of types anew, in code that takes a second to make,
and each time it is called. Here a tuple is written once, when it is seen first (`kernels.base.held`).
"""

import ctypes
import struct
from typing import NamedTuple

import numba
import numpy as np
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock

from kernels.base import linking, pieces
from kernels.base.held import Held, held, is_plain_array

OTHERWISE = "numba's way"  # how to call what cannot be written here


def words_of(kind, value):
    """What is written of a value, in words of eight bytes; None if that is not known."""
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


class Written(NamedTuple):
    """An argument as it is handed on."""

    value: object
    kind: types.Type | type
    memory: np.ndarray | None
    numbers: list | None


def write(value):
    """Write an argument."""
    kind = numba.typeof(value)
    if is_plain_array(kind):
        return Written(value, kind, None, numbers_of(value))
    if isinstance(kind, types.BaseTuple) and not kind.count:
        return Written(value, kind, None, [])
    if not isinstance(held(kind), Held):
        return Written(value, kind, None, None)
    words = words_of(kind, value)
    memory = None if words is None else np.array(words, np.int64)
    return Written(value, held(kind), memory, None if words is None else [memory.ctypes.data])


class Direct:
    """A function that Python calls, which does nothing but call a piece with its tuples held.

    Each `caller` remembers what it has written, and so has what it was called with last stay.
    """

    def __init__(self, usual, piece):
        self.usual, self.part = usual, piece.part
        self.py_func, self.__name__ = usual.py_func, usual.py_func.__name__
        self.found = {}

    def __call__(self, *arguments):
        """Call it once."""
        return self.caller()(*arguments)

    def caller(self):
        """Function that calls it, for who calls it many times with the same tuples."""
        written = {}

        def call(*arguments):
            kinds, numbers = [], []
            for k, value in enumerate(arguments):
                if isinstance(value, int | np.integer):
                    kinds.append(types.intp)
                    numbers.append(int(value))
                    continue
                known = written.get(k)
                if known is None or known.value is not value:
                    known = written[k] = write(value)
                kinds.append(known.kind)
                numbers.append(known.numbers)
            key = tuple(kinds)
            if key not in self.found:
                self.found[key] = OTHERWISE if None in numbers else self.prepared(key)
            found = self.found[key]
            return self.usual(*arguments) if found is OTHERWISE else found(numbers)

        return call

    def prepared(self, kinds):
        """What calls the piece for arguments of these types."""
        typing, target = self.part.typingctx, self.part.targetctx
        with global_compiler_lock:
            if pieces.ALL.find(pieces.symbol_of(self.part, kinds)) is None:
                with event.trigger_event("numba:compile", {"dispatcher": self}), linking.unheard():
                    linking.PARTS_KEPT.read()
                    typing.refresh()
                    target.refresh()
                    pieces.made_for(self.part, typing, kinds)
                    linking.PARTS_KEPT.write()
            address = pieces.address_of(self.part, kinds)
        function = ctypes.PYFUNCTYPE(ctypes.c_int32)(address)

        def call(numbers):
            result = ctypes.c_int64()
            flat = [ctypes.c_void_p(ctypes.addressof(result))]
            for one in numbers:
                flat += map(ctypes.c_int64, one) if isinstance(one, list) else [ctypes.c_int64(one)]
            if function(*flat):
                raise IndexError(pieces.FAILED)
            return result.value

        return call
