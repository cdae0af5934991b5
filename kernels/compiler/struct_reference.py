"""Named tuples passed to compiled stages by reference: the callee reads only the fields that it uses.

The tuples of a step hold a hundred arrays, each of which numba describes by seven to nine numbers. By value, they are
taken apart and put together at every call that is not inlined, and LLVM keeps all of these numbers through every
inlined function. A `StructRef` is the address of the data pointers and shapes of a tuple. A field is read where it is
used.

This memory does not change during the call, so the loads are marked invariant and LLVM may move them. The caller must
therefore not read the tuple itself by these loads; callee and caller are compiled separately (`stages`).
"""

import hashlib
from functools import cache

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, lower_cast, lower_getattr_generic
from numba.np import arrayobj

BYTE = ir.IntType(8)
ADDRESS = BYTE.as_pointer()
WORD = 8  # bytes, on whose multiples everything begins


class StructRef(types.Type):
    """Numba type of a reference to a named tuple."""

    def __init__(self, kind, name):
        self.kind, self.instance_class = kind, kind.instance_class
        super().__init__(name)

    def can_convert_to(self, typingctx, other):
        """Allow conversion to the tuple itself: vector loops and laws take it by value."""
        return Conversion.safe if other == self.kind else None


register_default(StructRef)(models.OpaqueModel)


def spelling(kind):
    """Text for a type, with the modules of named tuples."""
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        sources = "" if made.__qualname__.endswith(made.__name__) else made.__name__  # see `disk_cache.set_sources`
        return f"{made.__module__}.{made.__qualname__}{sources}({', '.join(map(spelling, kind))})"
    return f"{type(kind).__name__} {kind}"


@cache
def by_reference(kind):
    """Type by which a compiled stage takes an argument: references to named tuples, other types unchanged."""
    if not isinstance(kind, types.BaseNamedTuple) or not kind.count:
        return kind
    code = hashlib.sha256(spelling(kind).encode()).hexdigest()[:16]
    return StructRef(kind, f"StructRef({kind.instance_class.__name__}${code})")


def by_value(kind):
    """Type that a reference refers to; other types unchanged."""
    return kind.kind if isinstance(kind, StructRef) else kind


def is_plain_array(kind):
    """Whether data and shape describe an array: C order."""
    return isinstance(kind, types.Array) and kind.layout == "C"


def leaves(context, kind):
    """LLVM types of the numbers and addresses in a value."""
    if isinstance(kind, types.BaseTuple):
        return [leaf for one in kind for leaf in leaves(context, one)]
    if is_plain_array(kind):
        return [context.get_data_type(kind.dtype).as_pointer(), *[context.get_value_type(types.intp)] * kind.ndim]
    return [context.get_value_type(kind)]


PLACES = {}


def size_of(context, kind):
    """Size of a value in memory [bytes]."""
    if kind not in PLACES:
        PLACES[kind] = sum(-(-context.get_abi_sizeof(leaf) // WORD) * WORD for leaf in leaves(context, kind))
    return PLACES[kind]


def unpack_struct(context, builder, kind, value):
    """Numbers and addresses in a value; LLVM takes a minute to move a hundred arrays as aggregates."""
    if isinstance(kind, types.BaseTuple):
        inner = (unpack_struct(context, builder, one, builder.extract_value(value, r)) for r, one in enumerate(kind))
        return [one for values in inner for one in values]
    if is_plain_array(kind):
        array = context.make_array(kind)(context, builder, value)
        return [array.data, *cgutils.unpack_tuple(builder, array.shape, kind.ndim)]
    return [value]


def pack_struct(context, builder, kind, values):
    """Build a value from the next numbers and addresses of an iterator; the inverse of `unpack_struct`."""
    if isinstance(kind, types.BaseTuple):
        inner = [pack_struct(context, builder, one, values) for one in kind]
        return context.make_tuple(builder, kind, inner)
    if not is_plain_array(kind):
        return next(values)
    array, data = context.make_array(kind)(context, builder), next(values)
    shape = [next(values) for _ in range(kind.ndim)]
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for one in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], one))
    arrayobj.populate_array(array, data, shape, strides, itemsize, meminfo=None)
    return array._getvalue()  # noqa: SLF001


def at(builder, place, offset, kind):
    """Address at an offset in bytes from another one."""
    there = builder.gep(place, [ir.Constant(ir.IntType(64), offset)], inbounds=True)
    return builder.bitcast(there, kind.as_pointer())


def read(context, builder, place, offset, kind):
    """Read a value from memory, with invariant loads."""
    unchanging, values = builder.module.add_metadata([]), []
    for leaf in leaves(context, kind):
        value = builder.load(at(builder, place, offset, leaf))
        value.set_metadata("invariant.load", unchanging)
        values.append(value)
        offset += -(-context.get_abi_sizeof(leaf) // WORD) * WORD
    return pack_struct(context, builder, kind, iter(values))


@lower_cast(types.BaseTuple, StructRef)
def write(context, builder, kind, reference, value):
    """Write a tuple to the caller's stack; returns its address."""
    words = ir.ArrayType(ir.IntType(64), max(size_of(context, kind) // WORD, 1))
    place, offset = builder.bitcast(cgutils.alloca_once(builder, words), ADDRESS), 0
    for one in unpack_struct(context, builder, kind, value):
        builder.store(one, at(builder, place, offset, one.type))
        offset += -(-context.get_abi_sizeof(one.type) // WORD) * WORD
    return place


@infer_getattr
class StructRefAttribute(AttributeTemplate):
    """Numba typing of a field of a referenced tuple; a nested tuple is a reference as well.

    A tuple that a kernel makes of references has these as fields.
    """

    key = StructRef

    def generic_resolve(self, kind, name):
        """Type of a field."""
        if name in kind.kind.fields:
            return by_reference(kind.kind[kind.kind.fields.index(name)])
        return None


@lower_getattr_generic(StructRef)
def lower_attribute(context, builder, kind, value, name):
    """Read a field of a referenced tuple."""
    where = kind.kind.fields.index(name)
    offset = sum(size_of(context, one) for one in list(kind.kind)[:where])
    inner = kind.kind[where]
    if by_reference(inner) != inner:
        return at(builder, value, offset, BYTE)
    return read(context, builder, value, offset, inner)


def upcast(fewer):
    """Function that views a referenced tuple as a shorter one with its first fields, see `jit.upcast`."""

    def call(thing):
        return thing

    class Upcast(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            (kind,) = args
            if not isinstance(kind, StructRef) or kind.instance_class not in fewer:
                return signature(kind, kind)
            made = fewer[kind.instance_class]
            inner = list(kind.kind)[: len(made._fields)]
            return signature(by_reference(types.NamedTuple(inner, made)), kind)

    infer_global(call, types.Function(Upcast))

    @lower_builtin(call, types.Any)
    def lower(context, builder, sig, args):
        return args[0]

    return call


@lower_cast(StructRef, types.BaseTuple)
def load(context, builder, kind, other, value):
    """Read a whole tuple from a reference."""
    return read(context, builder, value, 0, other)
