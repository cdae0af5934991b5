"""How parts and wholes are lowered: parts are called with each argument as one value, and not made machine code."""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
from collections import Counter

from dem.kernels.compiler import disk_cache
from dem.kernels.compiler.calling_convention import calling_parts, is_of_kernels
from dem.kernels.compiler.libraries import Part, Whole
from llvmlite import ir as llvm_ir
from llvmlite.ir.instructions import InsertValue
from numba.core import cgutils, cpu, imputils, ir, lowering, postproc, transforms, typed_passes, types
from numba.core.compiler_machinery import register_pass
from numba.cpython import slicing
from numba.np import arrayobj

USUAL = {}  # what numba has of the names below


def index_of_kernels(context, builder, idxty, idx, size):
    """Lowering of array indices: those of kernels are never negative, so none counts from the end.

    To ask each of them costs three instructions; a fifth of a contact with a wall was that.
    """
    if is_of_kernels(builder) and idxty.signed:
        return context.cast(builder, idx, idxty, types.intp)
    return USUAL["fix_integer_index"](context, builder, idxty, idx, size)


def bounds_of_kernels(builder, bounds, size):
    """Make the bounds of a slice those of what there is: a slice of kernels begins within it, and goes forward.

    What numba makes of any slice is sixty instructions, for LLVM to take away again.
    """
    if not is_of_kernels(builder):
        USUAL["fix_slice"](builder, bounds, size)
        return
    bounds.stop = builder.select(builder.icmp_signed(">", bounds.stop, size), size, bounds.stop)


def length_of_kernels(builder, bounds):
    """Number of what is between the bounds of such a slice."""
    if not is_of_kernels(builder):
        return USUAL["get_slice_length"](builder, bounds)
    length = builder.sub(bounds.stop, bounds.start)
    none = length.type(0)
    return builder.select(builder.icmp_signed("<", length, none), none, length)


class Array:
    """An array of kernels as one value, whose members are taken out of it and put in.

    numba writes it to memory each time to read a member of it there: half of what is written for most functions.
    """

    def __init__(self, context, builder, kind, value):
        model = context.data_model_manager[kind]
        vars(self).update(_context=context, _builder=builder, _datamodel=model, _value=value)

    def __getattr__(self, name):
        """A member."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self._builder.extract_value(self._value, self._datamodel.get_field_position(name))

    def __setattr__(self, name, one):
        """The array with another one."""
        vars(self)["_value"] = self._builder.insert_value(self._value, one, self._datamodel.get_field_position(name))

    def _getvalue(self):
        """The array."""
        return self._value

    def _get_ptr_by_name(self, name):
        """Pointer to a member, in a copy of the record."""
        place = cgutils.alloca_once_value(self._builder, self._value)
        return cgutils.gep_inbounds(self._builder, place, 0, self._datamodel.get_field_position(name))


def array_of_kernels(kind):
    """Maker of numba's view of an array of this type, or of that of kernels."""

    def make(context, builder, value=None, ref=None):
        if ref is not None or type(kind) is not types.Array or not is_of_kernels(builder):
            return USUAL["make_array"](kind)(context, builder, value=value, ref=ref)
        value = llvm_ir.Constant(context.get_value_type(kind), None) if value is None else value
        return Array(context, builder, kind, value)

    return make


def cached_size(bytes_of):
    """Cache of the sizes of LLVM's types, for which LLVM otherwise parses a text each time."""
    known = {}

    def bytes_of_known(context, kind):
        name = str(kind)
        if name not in known:
            known[name] = bytes_of(context, kind)
        return known[name]

    return bytes_of_known


def process_without_lifetimes(processor, emit_dels=False, extend_lifetimes=False):
    """Put the blocks of a function in order; only generators and Python objects need lifetimes of variables."""
    function = processor.func_ir
    if emit_dels or function.is_generator:
        USUAL["run"](processor, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime, function.generator_info = postproc.VariableLifetime(function.blocks), None


def patch_numba():
    """Have numba write kernels this way, and all else as ever."""
    for owner, name, ours in (
        (arrayobj, "fix_integer_index", index_of_kernels),
        (arrayobj, "make_array", array_of_kernels),
        (slicing, "fix_slice", bounds_of_kernels),
        (slicing, "get_slice_length", length_of_kernels),
        (cpu.CPUContext, "get_abi_sizeof", cached_size(cpu.CPUContext.get_abi_sizeof)),
        (postproc.PostProcessor, "run", process_without_lifetimes),
    ):
        USUAL[name] = getattr(owner, name)
        setattr(owner, name, ours)


class Builder(llvm_ir.IRBuilder):
    """Builder that takes no member out of an aggregate into which it has just put it."""

    def extract_value(self, agg, idx, name=""):
        """Member of an aggregate."""
        index = list(idx) if isinstance(idx, list | tuple) else [idx]
        while isinstance(agg, InsertValue) and len(agg.indices) == len(index):
            if list(agg.indices) == index:
                return agg.value
            agg = agg.aggregate
        return super().extract_value(agg, index, name)


class KeepsArguments(lowering.Lower):
    """Lower with arguments as they came; numba keeps them in memory and reads all of a tuple to get at one array."""

    def setup_function(self, fndesc):
        """Declare it, and note whose it is."""
        super().setup_function(fndesc)
        self.function.is_of_kernels = True
        self.builder.__class__ = Builder

    def _find_singly_assigned_variable(self):
        super()._find_singly_assigned_variable()
        assigned = [one for block in self.func_ir.blocks.values() for one in block.find_insts(ir.Assign)]
        times = Counter(one.target.name for one in assigned)
        arguments = {one.target.name for one in assigned if isinstance(one.value, ir.Arg)}
        self._singly_assigned_vars |= {name for name in arguments if times[name] == 1}


class LowerPartBody(KeepsArguments):
    """Lowers a part: it is called as parts are, what it calls is not its business."""

    def setup_function(self, fndesc):
        """Declare it."""
        context, self.context = self.context, calling_parts(self.context)
        super().setup_function(fndesc)
        self.context = context

    def extract_function_arguments(self):
        """Take its arguments."""
        self.fnargs = list(self.call_conv.get_arguments(self.function))
        return self.fnargs


def calls_of(fndesc, library, as_they_are):
    """Function that writes a call of a part."""
    usual = imputils.user_function(fndesc, [library])
    if not as_they_are:
        return usual

    def call(context, builder, sig, args):
        return usual(calling_parts(context), builder, sig, args)

    call.signature, call.libs = usual.signature, usual.libs
    return call


def call_within(context, builder, compiled, args):
    """Call a part from a function that is none of numba's; returns the status."""
    target = context if compiled.library.is_loop else calling_parts(context)
    fndesc = compiled.fndesc
    function = target.declare_function(builder.module, fndesc)
    return target.call_conv.call_function(builder, function, fndesc.restype, fndesc.argtypes, args)[0]


def announce(context, fndesc, library):
    """Tell numba how to call a part; returns what stands for it in numba's tables."""
    name = [fndesc.qualname].copy  # a builtin like no other; nobody calls it
    call = calls_of(fndesc, library, not library.is_loop)
    context._defns[name].append(call, call.signature)
    return name


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(typed_passes.NativeLowering):
    """Lower to a library that is not finished.

    The arrays of a loop go one by one: LLVM can be told that they do not overlap only of arguments.
    """

    _name = "lower_part"
    lowering_class = KeepsArguments  # of the compilation under way: numba keeps one object a pass

    def run_pass(self, state):
        """Lower, and tell callers where the code is."""
        flags = state.flags
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.is_loop = flags.noalias
        state.library.stays_apart = getattr(state.func_id.func, "stays_apart", False)
        call = disk_cache.call_of(state.func_id.func, state.args)
        if call is not None:  # a name that it has in every process
            call += flags.get_mangle_string()
            state.func_id.unique_id = f"kept{hashlib.sha256(call.encode()).hexdigest()[:16]}"
            state.func_id.unique_name = f"{state.func_id.func_qualname}${state.func_id.unique_id}"
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.lowering_class = KeepsArguments if flags.noalias else LowerPartBody
        super().run_pass(state)
        name = announce(state.targetctx, state["cr"].fndesc, state.library)
        state["cr"] = state["cr"]._replace(cfunc=name)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerWhole(typed_passes.NativeLowering):
    """Lower what Python calls."""

    _name = "lower_whole"
    lowering_class = KeepsArguments  # of the compilation under way: numba keeps one object a pass

    def run_pass(self, state):
        """Lower, with the parts."""
        state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)
