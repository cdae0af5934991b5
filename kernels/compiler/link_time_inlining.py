"""Link-time inlining: inlined functions are only typed and lowered; kernels link them and are optimised once.

Numba makes a library of every function: it optimises the function, wraps it for Python and once more for C, makes
machine code, and links a copy into each caller, where all of it is optimised again. Formulae, loops and stages are thus
optimised at every level of calls, and four fifths of the result are never called. Instead,

- an *inlined function* (`part`) is typed, lowered and simplified. Only a vector loop is optimised on its own, because
  LLVM no longer vectorises it once it is inlined. Tuples of arrays are passed as single values: to take them apart and
  put them together again is most of the code that numba writes;
- a *kernel* (`whole`), which Python calls, links all inlined functions that it needs, and is optimised once;
- a *choice* by the type of an argument is typed as a call of the chosen function (`numba.extending.overload` puts a
  function in between, with all arguments in a tuple).

Only this module, those that it imports and `parallel_for` use undocumented names of numba. If one of them is missing,
`dem.kernels.compiler.jit` does without this package.
"""

# ruff: noqa: SLF001 (numba has no other way in)

import inspect
import pickle
from contextlib import suppress
from functools import cached_property, partial, update_wrapper
from pathlib import Path

import numba
from dem.kernels.compiler import disk_cache, formula_errors, stages
from dem.kernels.compiler.libraries import SIMPLIFYING
from dem.kernels.compiler.lowering import LowerInlined, LowerKernel
from dem.kernels.compiler.selection import Argument
from dem.kernels.compiler.struct_reference import by_value
from llvmlite import binding as llvm
from numba.core import (
    base,
    caching,
    callconv,
    codegen,
    compiler,
    cpu,
    dispatcher,
    errors,
    lowering,
    postproc,
    sigutils,
    transforms,
    typed_passes,
    types,
)
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.datamodel import models, register_default
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython import builtins, slicing
from numba.extending import lower_builtin
from numba.np import arrayobj
from numba.np.ufunc import parallel

EXPECTED = (
    (codegen.JITCodeLibrary, "_optimize_final_module", "_get_module_for_linking", "_ensure_finalized", "finalize"),
    (codegen.JITCodeLibrary, "add_llvm_module", "add_linking_library", "enable_object_caching"),
    (codegen.JITCPUCodegen, "_pass_builder"),
    (caching.FunctionCache, "save_overload", "load_overload", "_load_overload", "_guard_against_spurious_io_errors"),
    (callconv.CPUCallConv, "_get_arg_packer", "_get_excinfo_argument", "_return_errcode_raw"),
    (callconv, "Status", "RETCODE_OK"),
    (postproc, "VariableLifetime", "PostProcessor"),
    (transforms, "canonicalize_cfg"),
    (cpu.CPUContext, "call_conv", "codegen", "get_abi_sizeof"),
    (lowering.Lower, "setup_function", "extract_function_arguments", "lower_inst"),
    (types.functions.BaseFunction, "get_call_type"),
    (base, "_has_loc"),
    (builtins, "do_minmax"),
    (arrayobj, "fix_integer_index", "make_array", "slicing"),
    (slicing, "fix_slice", "get_slice_length"),
    (typed_passes.NativeLowering, "run_pass", "lowering_class"),
    (dispatcher._FunctionCompiler, "_customize_flags", "compile"),
    (CPUDispatcher, "add_overload", "compile"),
    (PassManager, "_runPass"),
    (parallel, "_launch_threads"),
    (compiler.Flags, "copy", "summary", "get_mangle_string"),
    (compiler.Flags, "no_compile", "no_cpython_wrapper", "no_cfunc_wrapper", "noalias"),
    (llvm.ModulePassManager, "run", *(f"add_{name}_pass" for name in SIMPLIFYING)),
    (llvm.ValueRef, "add_function_attribute", "linkage"),
)


def is_as_expected():
    """Whether numba has the undocumented names that this package uses."""
    set_by_libraries = codegen.CodeLibrary.__init__.__code__.co_names
    expected = all(hasattr(owner, name) for owner, *names in EXPECTED for name in names)
    return expected and "_reload_init" in set_by_libraries  # numba 0.61 has no such attribute


# Passes for what no kernel has: closures, comprehensions, literal loops, array expressions, what is inlined by numba,
# what has to be let go of. Each costs every function, whether there is anything for it to do or not.
IDLE = {
    "WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "InlineInlinables",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites",
    "AnnotateTypes", "NoPythonSupportedFeatureValidation", "DumpParforDiagnostics", "IRLegalization",
}  # fmt: skip


class SilentPassManager(PassManager):
    """Compiler passes of numba without events, timers and checks of each pass."""

    def _runPass(self, index, pss, internal_state):  # noqa: N802
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


def pipeline(lower):
    """Compiler pipeline of numba with another lowering pass, and without idle passes."""

    class Compiler(compiler.CompilerBase):
        passes = None  # the same for all functions

        def define_pipelines(self):
            if self.passes is None:
                usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
                Compiler.passes = SilentPassManager(lower._name)
                for one, description in usual.passes:
                    if one.__name__ not in IDLE:
                        ours = lower if issubclass(one, typed_passes.BaseNativeLowering) else one
                        self.passes.add_pass(ours, description)
                self.passes.finalize()
            return [self.passes]

    return Compiler


PARTS, WHOLES = pipeline(LowerInlined), pipeline(LowerKernel)


class KernelCache(caching.FunctionCache):
    """Disk cache of numba, with faster loading: without the registries of all that numba can compile.

    A kernel whose arguments have types of other packages is kept only if these types have a text, which a hash of the
    sources is part of, see `disk_cache.set_sources`: other types may change without a change of any fingerprint.
    """

    def load_overload(self, sig, target_context):
        """Load a compiled kernel; None if there is none, or if its file was cut off, for example by a power failure."""
        if not all(map(disk_cache.type_text, sig)):
            return None
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors(), suppress(stages.MissingStage):
            try:
                return self._load_overload(sig, target_context)
            except (pickle.UnpicklingError, EOFError):
                Path(self._cache_file._index_path).unlink(missing_ok=True)  # compiled and stored anew
        return None

    def _index_key(self, sig, codegen):
        """Key of a kernel, with types of other packages as text: processes that lack these packages read it, too."""
        key = super()._index_key(sig, codegen)
        return (
            ("; ".join(map(disk_cache.type_text, sig)), *key[1:]) if any(map(disk_cache.has_foreign_type, sig)) else key
        )

    def save_overload(self, sig, data):
        """Save a compiled kernel, unless a type of its arguments has no text."""
        if all(map(disk_cache.type_text, sig)):
            super().save_overload(sig, data)


class KernelDispatcher(CPUDispatcher):
    """Dispatcher of a kernel, with short reports of errors in formulae of users."""

    def compile(self, sig):
        """Compile the kernel for arguments of these types, or load it."""
        with formula_errors.short_reports():
            return super().compile(sig)


def whole(**options):
    """Decorator of kernels that Python calls."""

    def decorate(function):
        made = numba.njit(pipeline_class=WHOLES, **options)(function)
        made.__class__, made._cache.__class__ = KernelDispatcher, KernelCache
        return made

    return decorate


class SharedFlags(compiler.Flags):
    """Compiler flags shared by all inlined functions; numba compares them thousands of times."""

    def copy(self):
        """Return itself: shared flags never change."""
        return self

    def __hash__(self):
        """Hash by identity: equal flags are one object, see `InlinedCompiler`."""
        return id(self)

    def __eq__(self, other):
        """Whether both are the same object."""
        return self is other


SHARED = {}


class InlinedCompiler(dispatcher._FunctionCompiler):
    """Compiler of inlined functions."""

    def _customize_flags(self, flags):
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return SHARED.setdefault(flags.summary(), SharedFlags(flags))


class InlinedType(types.Dispatcher):
    """Type of an inlined function, which tells numba the return types of its calls."""

    def get_call_type(self, context, args, kws):
        """Signature for arguments of these types; keyword and default arguments are resolved by numba."""
        part, code = self.dispatcher, self.dispatcher.__code__
        if kws or len(args) != code.co_argcount or code.co_flags & inspect.CO_VARARGS:
            return super().get_call_type(context, args, kws)
        taken = tuple(map(part.taken, args))
        part.compile(taken)
        return part.overloads[taken].signature


register_default(InlinedType)(models.OpaqueModel)


class InlinedDispatcher(CPUDispatcher):
    """Dispatcher of an inlined function: compiles it for each list of argument types."""

    def get_call_template(self, args, kws):
        """Template of a call; literal numbers are typed as other numbers, which saves compilations."""
        take = self.taken
        plain = {name: take(one) for name, one in kws.items()}
        return super().get_call_template([take(one) for one in args], plain)

    def taken(self, kind):
        """Type by which the function takes an argument; LLVM can be told only of arguments that they do not overlap.

        Indices of bodies are 32-bit integers in lists and 64-bit integers in loops: functions are compiled for 64 bits
        alone.
        """
        plain = types.int64 if kind is types.int32 else types.unliteral(kind)
        return by_value(plain) if self.is_loop else plain

    def compile(self, sig):
        """Lower the function for arguments of these types."""
        args, _ = sigutils.normalize_signature(sig)
        if args not in self.overloads:
            with global_compiler_lock, self._compiling_counter:
                self.add_overload(self._compiler.compile(args, None))
        return self.overloads[args].entry_point


class LazyInlined:
    """Inlined function whose dispatcher is made at its first use by a compiled function.

    A process that finds its kernels on disk compiles none of the thousand parts, and a dispatcher takes longer to make
    than the module takes to import.
    """

    def __init__(self, function, options, *, stays_apart, in_pairs):
        update_wrapper(self, function)
        self.py_func, self.options, self.stays_apart, self.in_pairs = function, options, stays_apart, in_pairs

    @cached_property
    def dispatcher(self):
        """Dispatcher of numba; callers inline the function."""
        self.py_func.stays_apart, self.py_func.in_pairs = self.stays_apart, self.in_pairs
        made = numba.njit(pipeline_class=PARTS, **self.options)(self.py_func)
        made.__class__ = InlinedDispatcher
        made._compiler.__class__ = InlinedCompiler
        made.is_loop = self.options.get("noalias", False)
        return made

    @property
    def _numba_type_(self):
        """Numba type of the function."""
        return InlinedType(self.dispatcher)

    @cached_property
    def whole(self):
        """Kernel of the function, for calls from Python."""
        options = {name: value for name, value in self.options.items() if name != "forceinline"}
        return whole(cache=True, **options)(self.py_func)

    def __call__(self, *arguments):
        """Compile the kernel if necessary, and call it."""
        return self.whole(*arguments)


def part(*, stays_apart=False, in_pairs=False, **options):
    """Decorator of inlined functions; `noalias` tells LLVM that the arrays of a vector loop do not overlap."""
    return partial(LazyInlined, options=options, stays_apart=stays_apart, in_pairs=in_pairs)


def field_type(kind, path):
    """Type of a nested field of a named tuple, given by a path of names; a reference is resolved."""
    for name in path:
        inner = by_value(kind)
        kind = inner[inner.fields.index(name)]
    return kind.instance_class


def choice(call, choose, position, path, first):
    """Register `call` with numba as a call of ``choose(type)``, or as that value, for arguments from number `first` on.

    The type is that of the argument at `position`, or of its field at the end of a path of names.
    """

    def chosen(args):
        return choose(field_type(args[position], path))

    def resolved(context, function, args):
        of_user = formula_errors.is_of_user(function)
        try:
            kind = context.resolve_value_type(function)
            found = kind.get_call_type(context, args[first:], {})
        except (errors.NumbaError, ValueError) as error:  # ValueError: of a function that is not decorated
            if of_user:
                raise formula_errors.formula_error(call, function, len(args) - first, error) from None
            raise
        if of_user:
            formula_errors.RETURNED[function] = found.return_type
        return kind, found

    def returned(context, what, args):
        if isinstance(what, Argument):
            kind = types.unliteral(args[first + what.place])
            return types.int64 if kind is types.int32 else kind
        return resolved(context, what, args)[1].return_type if callable(what) else numba.typeof(what)

    class Choice(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            return signature(returned(self.context, chosen(args), args), *args)

    infer_global(call, types.Function(Choice))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        what = chosen(sig.args)
        if isinstance(what, Argument):
            place = first + what.place
            return context.cast(builder, args[place], sig.args[place], sig.return_type)
        if not callable(what):
            return context.get_constant_generic(builder, sig.return_type, what)
        function, inner = resolved(context.typing_context, what, sig.args)
        callee = context.get_function(function, inner)
        context.add_linking_libs(getattr(callee, "libs", ()))
        given = zip(args[first:], sig.args[first:], inner.args, strict=True)
        return callee(builder, [context.cast(builder, one, have, want) for one, have, want in given])
