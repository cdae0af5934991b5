"""Lowering of inlined functions and kernels to LLVM code, with less code than numba writes."""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
from collections import Counter

from dem.kernels.compiler import disk_cache
from dem.kernels.compiler.calling_convention import is_of_kernels, with_inlined_convention
from dem.kernels.compiler.libraries import InlinedLibrary, KernelLibrary
from llvmlite import ir as llvm_ir
from llvmlite.ir.instructions import Branch, ConditionalBranch, InsertValue
from numba.core import cgutils, cpu, imputils, ir, lowering, postproc, transforms, typed_passes, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import register_pass
from numba.cpython import slicing
from numba.np import arrayobj

ORIGINAL = {}  # what numba has of the names below


def index_of_kernels(context, builder, idxty, idx, size):
    """Lower an array index; indices in kernels are never negative, so that none counts from the end.

    The test for negative indices costs three instructions each, a fifth of the time of a contact with a wall.
    """
    if is_of_kernels(builder) and idxty.signed:
        return context.cast(builder, idx, idxty, types.intp)
    return ORIGINAL["fix_integer_index"](context, builder, idxty, idx, size)


def bounds_of_kernels(builder, bounds, size):
    """Clip the end of a slice to the array; slices in kernels begin within the array and go forward.

    Numba writes sixty instructions for a slice, which LLVM removes again.
    """
    if not is_of_kernels(builder):
        ORIGINAL["fix_slice"](builder, bounds, size)
        return
    bounds.stop = builder.select(builder.icmp_signed(">", bounds.stop, size), size, bounds.stop)


def length_of_kernels(builder, bounds):
    """Length of a slice from its bounds, at least 0."""
    if not is_of_kernels(builder):
        return ORIGINAL["get_slice_length"](builder, bounds)
    length = builder.sub(bounds.stop, bounds.start)
    none = length.type(0)
    return builder.select(builder.icmp_signed("<", length, none), none, length)


class Array:
    """View of an array as one LLVM value, whose members are extracted and inserted.

    Numba stores the array to memory to read a member of it: half of the code of most functions.
    """

    def __init__(self, context, builder, kind, value):
        model = context.data_model_manager[kind]
        vars(self).update(_context=context, _builder=builder, _datamodel=model, _value=value)

    def __getattr__(self, name):
        """Extract a member."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self._builder.extract_value(self._value, self._datamodel.get_field_position(name))

    def __setattr__(self, name, one):
        """Insert a member."""
        vars(self)["_value"] = self._builder.insert_value(self._value, one, self._datamodel.get_field_position(name))

    def _getvalue(self):
        """LLVM value of the array."""
        return self._value

    def _get_ptr_by_name(self, name):
        """Pointer to a member, in a copy of the array record."""
        place = cgutils.alloca_once_value(self._builder, self._value)
        return cgutils.gep_inbounds(self._builder, place, 0, self._datamodel.get_field_position(name))


def array_of_kernels(kind):
    """Factory of views of arrays of a type: `Array` in kernels, else that of numba."""

    def make(context, builder, value=None, ref=None):
        if ref is not None or type(kind) is not types.Array or not is_of_kernels(builder):
            return ORIGINAL["make_array"](kind)(context, builder, value=value, ref=ref)
        value = llvm_ir.Constant(context.get_value_type(kind), None) if value is None else value
        return Array(context, builder, kind, value)

    return make


def cached_size(bytes_of):
    """Cache of the sizes of LLVM types; without it LLVM parses a text each time."""
    known = {}

    def bytes_of_known(context, kind):
        name = str(kind)
        if name not in known:
            known[name] = bytes_of(context, kind)
        return known[name]

    return bytes_of_known


def process_without_lifetimes(processor, emit_dels=False, extend_lifetimes=False):
    """Order the blocks of a function; lifetimes of variables are computed only for generators and Python objects."""
    function = processor.func_ir
    if emit_dels or function.is_generator:
        ORIGINAL["run"](processor, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime, function.generator_info = postproc.VariableLifetime(function.blocks), None


def patch_numba():
    """Patch numba with these functions; code that is not of kernels is lowered as before."""
    for owner, name, ours in (
        (arrayobj, "fix_integer_index", index_of_kernels),
        (arrayobj, "make_array", array_of_kernels),
        (slicing, "fix_slice", bounds_of_kernels),
        (slicing, "get_slice_length", length_of_kernels),
        (cpu.CPUContext, "get_abi_sizeof", cached_size(cpu.CPUContext.get_abi_sizeof)),
        (postproc.PostProcessor, "run", process_without_lifetimes),
    ):
        ORIGINAL[name] = getattr(owner, name)
        setattr(owner, name, ours)


class Builder(llvm_ir.IRBuilder):
    """LLVM builder that does not extract a member just inserted into an aggregate, but returns it."""

    def extract_value(self, agg, idx, name=""):
        """Extract a member of an aggregate."""
        index = list(idx) if isinstance(idx, list | tuple) else [idx]
        while isinstance(agg, InsertValue) and len(agg.indices) == len(index):
            if list(agg.indices) == index:
                return agg.value
            agg = agg.aggregate
        return super().extract_value(agg, index, name)


class LowerArgumentsAsValues(lowering.Lower):
    """Lowering that keeps arguments as LLVM values; numba stores them and loads whole tuples for one array."""

    def setup_function(self, fndesc):
        """Declare the function, and mark it as one of kernels."""
        super().setup_function(fndesc)
        self.function.is_of_kernels = True
        self.builder.__class__ = Builder

    def _find_singly_assigned_variable(self):
        super()._find_singly_assigned_variable()
        assigned = [one for block in self.func_ir.blocks.values() for one in block.find_insts(ir.Assign)]
        times = Counter(one.target.name for one in assigned)
        arguments = {one.target.name for one in assigned if isinstance(one.value, ir.Arg)}
        self._singly_assigned_vars |= {name for name in arguments if times[name] == 1}


class LowerPairedLoop(LowerArgumentsAsValues):
    """Lowering of a loop that LLVM interleaves: a pass computes two vectors.

    LLVM reads the count from the branch that ends a pass. That is the jump to the head of the loop, or one of the
    branches of the head where LLVM has put both together.
    """

    def post_lower(self):
        """End the function; branches of the heads of loops, and jumps to them, get the count."""
        super().post_lower()
        heads = {f"B{loop.header}" for loop in compute_cfg_from_blocks(self.func_ir.blocks).loops().values()}
        module, two = self.module, llvm_ir.Constant(llvm_ir.IntType(32), 2)
        count = module.add_metadata([llvm_ir.MetaDataString(module, "llvm.loop.interleave.count"), two])
        loop = module.add_metadata([count])
        loop.operands = (loop, count)  # LLVM knows what describes a loop by its reference to itself
        for block in self.function.blocks:
            end = block.terminator
            if isinstance(end, Branch | ConditionalBranch) and (
                block.name.partition(".")[0] in heads
                or heads.intersection(getattr(one, "name", "") for one in end.operands)
            ):
                end.set_metadata("llvm.loop", loop)


class LowerInlinedBody(LowerArgumentsAsValues):
    """Lowering of an inlined function: it has its own calling convention, its calls have their own."""

    def setup_function(self, fndesc):
        """Declare the function with the calling convention of inlined functions."""
        context, self.context = self.context, with_inlined_convention(self.context)
        super().setup_function(fndesc)
        self.context = context

    def extract_function_arguments(self):
        """Read the arguments by the calling convention."""
        self.fnargs = list(self.call_conv.get_arguments(self.function))
        return self.fnargs


def call_writer(fndesc, library, as_they_are):
    """Function that writes calls of an inlined function."""
    usual = imputils.user_function(fndesc, [library])
    if not as_they_are:
        return usual

    def call(context, builder, sig, args):
        return usual(with_inlined_convention(context), builder, sig, args)

    call.signature, call.libs = usual.signature, usual.libs
    return call


def call_within(context, builder, compiled, args):
    """Write a call of an inlined function into a function that numba has not lowered; returns the status."""
    target = context if compiled.library.is_loop else with_inlined_convention(context)
    fndesc = compiled.fndesc
    function = target.declare_function(builder.module, fndesc)
    return target.call_conv.call_function(builder, function, fndesc.restype, fndesc.argtypes, args)[0]


def register_function(context, fndesc, library):
    """Register an inlined function with numba, so that others can call it; returns its key in numba's tables."""
    name = [fndesc.qualname].copy  # a builtin like no other; nobody calls it
    call = call_writer(fndesc, library, not library.is_loop)
    context._defns[name].append(call, call.signature)
    return name


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerInlined(typed_passes.NativeLowering):
    """Lowering pass of inlined functions: the result is a library that is optimised later, in its callers.

    The arrays of a loop go one by one: LLVM can be told that they do not overlap only of arguments.
    """

    _name = "lower_part"
    lowering_class = LowerArgumentsAsValues  # of the compilation under way: numba keeps one object a pass

    def run_pass(self, state):
        """Lower the function and register it for its callers."""
        flags = state.flags
        state.library = InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.is_loop = flags.noalias
        state.library.stays_apart = getattr(state.func_id.func, "stays_apart", False)
        call = disk_cache.cache_key(state.func_id.func, state.args)
        if call is not None:  # a name that it has in every process
            call += flags.get_mangle_string()
            state.func_id.unique_id = f"kept{hashlib.sha256(call.encode()).hexdigest()[:16]}"
            state.func_id.unique_name = f"{state.func_id.func_qualname}${state.func_id.unique_id}"
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.lowering_class = LowerArgumentsAsValues if flags.noalias else LowerInlinedBody
        if getattr(state.func_id.func, "in_pairs", False):
            self.lowering_class = LowerPairedLoop
        super().run_pass(state)
        name = register_function(state.targetctx, state["cr"].fndesc, state.library)
        state["cr"] = state["cr"]._replace(cfunc=name)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerKernel(typed_passes.NativeLowering):
    """Lowering pass of kernels."""

    _name = "lower_whole"
    lowering_class = LowerArgumentsAsValues  # of the compilation under way: numba keeps one object a pass

    def run_pass(self, state):
        """Lower a kernel; its library links inlined functions."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)
