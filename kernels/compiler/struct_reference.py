"""Tuples of arrays in memory, handed on by address, so that whoever is handed one reads only what it uses.

The tuples that a step is handed hold a hundred arrays, of seven to nine numbers each. As values they have to be taken
apart and put together at every call that is not inlined, and LLVM carries all of them through all it inlines. Here
`hold` writes the data and shapes of one to memory, once, and stands for it from there on: an attribute is read where
it is used. Since none changes while it is held, LLVM is told that such reads may be moved as it likes; so whoever
holds a tuple must leave the reading to others, whose code is made apart (`dem.kernels.compiler.stages`).
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


def hold(thing):
    """A tuple of arrays, held in memory while the caller runs; in plain Python the tuple itself."""
    return thing


class Held(types.Type):
    """A tuple of arrays in memory."""

    def __init__(self, kind, name):
        self.kind, self.instance_class = kind, kind.instance_class
        super().__init__(name)

    def can_convert_to(self, typingctx, other):
        """Loops are handed the tuple."""
        return Conversion.safe if other == self.kind else None


register_default(Held)(models.OpaqueModel)


def spelling(kind):
    """A type as text, with the modules of tuples."""
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        sources = "" if made.__qualname__.endswith(made.__name__) else made.__name__  # see `keeping.tell_sources`
        return f"{made.__module__}.{made.__qualname__}{sources}({', '.join(map(spelling, kind))})"
    return f"{type(kind).__name__} {kind}"


@cache
def held(kind):
    """The type of what `hold` returns."""
    if not isinstance(kind, types.BaseNamedTuple) or not kind.count:
        return kind
    code = hashlib.sha256(spelling(kind).encode()).hexdigest()[:16]
    return Held(kind, f"Held({kind.instance_class.__name__}${code})")


def let_go(kind):
    """The type that is held."""
    return kind.kind if isinstance(kind, Held) else kind


def is_plain_array(kind):
    """Whether data and shape are all there is to an array."""
    return isinstance(kind, types.Array) and kind.layout == "C"


def leaves(context, kind):
    """LLVM's types of the numbers and addresses that a value is made of."""
    if isinstance(kind, types.BaseTuple):
        return [leaf for one in kind for leaf in leaves(context, one)]
    if is_plain_array(kind):
        return [context.get_data_type(kind.dtype).as_pointer(), *[context.get_value_type(types.intp)] * kind.ndim]
    return [context.get_value_type(kind)]


PLACES = {}


def size_of(context, kind):
    """Bytes that a value takes in memory."""
    if kind not in PLACES:
        PLACES[kind] = sum(-(-context.get_abi_sizeof(leaf) // WORD) * WORD for leaf in leaves(context, kind))
    return PLACES[kind]


def taken_apart(context, builder, kind, value):
    """Numbers and addresses that a value is made of; LLVM takes a minute to move a hundred arrays as they are."""
    if isinstance(kind, types.BaseTuple):
        inner = (taken_apart(context, builder, one, builder.extract_value(value, r)) for r, one in enumerate(kind))
        return [one for values in inner for one in values]
    if is_plain_array(kind):
        array = context.make_array(kind)(context, builder, value)
        return [array.data, *cgutils.unpack_tuple(builder, array.shape, kind.ndim)]
    return [value]


def put_together(context, builder, kind, values):
    """A value of the next of what was taken apart."""
    if isinstance(kind, types.BaseTuple):
        inner = [put_together(context, builder, one, values) for one in kind]
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
    """Address of what lies so many bytes further on."""
    there = builder.gep(place, [ir.Constant(ir.IntType(64), offset)], inbounds=True)
    return builder.bitcast(there, kind.as_pointer())


def read(context, builder, place, offset, kind):
    """Read a value."""
    unchanging, values = builder.module.add_metadata([]), []
    for leaf in leaves(context, kind):
        value = builder.load(at(builder, place, offset, leaf))
        value.set_metadata("invariant.load", unchanging)
        values.append(value)
        offset += -(-context.get_abi_sizeof(leaf) // WORD) * WORD
    return put_together(context, builder, kind, iter(values))


class Hold(AbstractTemplate):
    """What `hold` returns."""

    key = hold

    def generic(self, args, kws):
        """Its type."""
        (one,) = args
        return signature(held(one), one)


infer_global(hold, types.Function(Hold))


@lower_builtin(hold, types.Any)
def lower_hold(context, builder, sig, args):
    """Write it to the caller's stack."""
    (kind,), (value,) = sig.args, args
    if sig.return_type is kind:
        return value
    words = ir.ArrayType(ir.IntType(64), max(size_of(context, kind) // WORD, 1))
    place, offset = builder.bitcast(cgutils.alloca_once(builder, words), ADDRESS), 0
    for one in taken_apart(context, builder, kind, value):
        builder.store(one, at(builder, place, offset, one.type))
        offset += -(-context.get_abi_sizeof(one.type) // WORD) * WORD
    return place


@infer_getattr
class HeldAttribute(AttributeTemplate):
    """Type of what is in a tuple that is held; of a tuple in it, that is held as well."""

    key = Held

    def generic_resolve(self, kind, name):
        """The type."""
        if name in kind.kind.fields:
            return held(kind.kind[kind.kind.fields.index(name)])
        return None


@lower_getattr_generic(Held)
def lower_attribute(context, builder, kind, value, name):
    """Read it."""
    where = kind.kind.fields.index(name)
    offset = sum(size_of(context, one) for one in list(kind.kind)[:where])
    inner = kind.kind[where]
    if isinstance(held(inner), Held):
        return at(builder, value, offset, BYTE)
    return read(context, builder, value, offset, inner)


def narrowing(fewer):
    """Function that takes a tuple as one of those that `fewer` tells for its type, whose fields it begins with.

    So that whoever wants no more is not made anew for each type that has more.
    """

    def call(thing):
        return thing

    class Narrowing(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            (kind,) = args
            if not isinstance(kind, Held) or kind.instance_class not in fewer:
                return signature(kind, kind)
            made = fewer[kind.instance_class]
            inner = list(kind.kind)[: len(made._fields)]
            return signature(held(types.NamedTuple(inner, made)), kind)

    infer_global(call, types.Function(Narrowing))

    @lower_builtin(call, types.Any)
    def lower(context, builder, sig, args):
        return args[0]

    return call


@lower_cast(Held, types.BaseTuple)
def let_loose(context, builder, kind, other, value):
    """The tuple."""
    return read(context, builder, value, 0, other)
