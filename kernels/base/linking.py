"""Functions that are only ever parts of others: typed and lowered, but neither wrapped nor made machine code.

Of every function numba makes a library of its own: it optimises it, wraps it for Python and once more for C, turns it
into machine code, and links a copy into each caller, where all of it is optimised again. A tower of formulae, loops and
stages is optimised at every level, and four fifths of what is made is never called. Here

- a *part* keeps its code as it was lowered, simplified. Only a loop is optimised on its own, because LLVM gives up
  vectorising it once it is inlined; parts take tuples of arrays as single values, which to take apart and put together
  again is most of the code that numba writes for them;
- a *whole*, which Python calls, links all parts that it needs, once, and is optimised with them;
- a *choice* by the type of the first argument leads straight to the function chosen (`numba.extending.overload` puts
  one of its own in between, with all arguments in a tuple).

This module and `kernels.base.convention` alone lean on numba's insides; `kernels.base.jit` does without where they are
not as expected.
"""

# ruff: noqa: SLF001 (numba has no other way in)

from collections import Counter

import numba
from llvmlite import binding as llvm
from numba.core import caching, callconv, codegen, compiler, cpu, imputils, ir, lowering, typed_passes, types
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.parfors.parfor_lowering import ParforLower

from kernels.base.convention import calling_parts

EXPECTED = (
    (codegen.JITCodeLibrary, "_optimize_final_module", "_get_module_for_linking", "_ensure_finalized", "finalize"),
    (codegen.JITCodeLibrary, "add_llvm_module", "add_linking_library", "enable_object_caching"),
    (codegen.JITCPUCodegen, "_function_pass_manager"),
    (caching.FunctionCache, "load_overload", "_load_overload", "_guard_against_spurious_io_errors"),
    (callconv.CPUCallConv, "_get_arg_packer"),
    (cpu.CPUContext, "call_conv", "codegen"),
    (lowering.Lower, "setup_function", "extract_function_arguments"),
    (typed_passes.NativeLowering, "run_pass", "lowering_class"),
    (typed_passes.NativeParforLowering, "run_pass", "lowering_class"),
    (compiler.Flags, "no_compile", "no_cpython_wrapper", "no_cfunc_wrapper", "noalias", "auto_parallel"),
    (llvm.ValueRef, "add_function_attribute", "linkage"),
)


def is_as_expected():
    """Whether numba has what this module leans on."""
    set_by_libraries = codegen.CodeLibrary.__init__.__code__.co_names
    expected = all(hasattr(owner, name) for owner, *names in EXPECTED for name in names)
    return expected and "_reload_init" in set_by_libraries  # numba 0.61 has no such attribute


def callers_first(library):
    """A library and all that it needs, each after all that call it: LLVM drops what nobody has called for yet."""
    order, seen = [], set()

    def visit(one):
        seen.add(one)
        for callee in dict.fromkeys(one._linking_libraries):
            if callee not in seen:
                visit(callee)
        order.append(one)

    visit(library)
    return order[::-1]


def link(module, library):
    """Link into a module what a library needs."""
    for one in callers_first(library)[1:]:
        module.link_in(one.own_module() if isinstance(one, Part) else one._get_module_for_linking(), preserve=True)


class Library(codegen.JITCodeLibrary):
    """Code of a function."""

    def add_llvm_module(self, ll_module):
        """Simplify what is defined in it: inlined as it comes, contacts with friction run a sixth slower."""
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)
        self._final_module.link_in(ll_module)


class Part(Library):
    """Code of a part."""

    is_loop = stays_apart = False

    def finalize(self):
        """Optimise a loop, with all that it needs; other parts are left as they are."""
        self._finalized = True
        if self.is_loop:
            link(self._final_module, self)
            self._linking_libraries = []
            self._optimize_final_module()

    def own_module(self):
        """Its code alone, which others may define as well."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
                if self.stays_apart:
                    function.add_function_attribute("noinline")
        return self._final_module

    def _get_module_for_linking(self):
        """Its code with all that it needs, for numba's own libraries: those of parallel loops."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            link(self._shared_module, self)
        return self._shared_module


class Whole(Library):
    """Code of what Python calls, with all that it needs."""

    def finalize(self):
        """Link the parts, callers first, then go the usual way."""
        link(self._final_module, self)
        self._reload_init.update(*(one._reload_init for one in callers_first(self)))
        self._linking_libraries = []
        super().finalize()


class KeepsArguments(lowering.Lower):
    """Lower with arguments as they came; numba keeps them in memory and reads all of a tuple to get at one array."""

    def _find_singly_assigned_variable(self):
        super()._find_singly_assigned_variable()
        assigned = [one for block in self.func_ir.blocks.values() for one in block.find_insts(ir.Assign)]
        times = Counter(one.target.name for one in assigned)
        arguments = {one.target.name for one in assigned if isinstance(one.value, ir.Arg)}
        self._singly_assigned_vars |= {name for name in arguments if times[name] == 1}


class TakesThemAsTheyAre:
    """Mixed into numba's lowering: the function itself is called as parts are, what it calls is not its business."""

    def setup_function(self, fndesc):
        """Declare it."""
        context, self.context = self.context, calling_parts(self.context)
        super().setup_function(fndesc)
        self.context = context

    def extract_function_arguments(self):
        """Take its arguments."""
        self.fnargs = list(self.call_conv.get_arguments(self.function))
        return self.fnargs


class LowerPartBody(TakesThemAsTheyAre, KeepsArguments):
    """Lowers a part."""


class LowerParallelPartBody(TakesThemAsTheyAre, ParforLower):
    """Lowers a part with parallel loops."""


def calls_of(fndesc, library, as_they_are):
    """What writes a call of a part."""
    usual = imputils.user_function(fndesc, [library])
    if not as_they_are:
        return usual

    def call(context, builder, sig, args):
        return usual(calling_parts(context), builder, sig, args)

    call.signature, call.libs = usual.signature, usual.libs
    return call


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
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        bodies = LowerParallelPartBody if flags.auto_parallel.enabled else LowerPartBody
        self.lowering_class = KeepsArguments if flags.noalias else bodies
        super().run_pass(state)
        name = [state.func_id.func_qualname].copy  # a builtin like no other, for numba's tables; nobody calls it
        state["cr"] = state["cr"]._replace(cfunc=name)
        call = calls_of(state["cr"].fndesc, state.library, not flags.noalias)
        state.targetctx._defns[name].append(call, call.signature)
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
        self.lowering_class = ParforLower if state.flags.auto_parallel.enabled else KeepsArguments
        return super().run_pass(state)


# Passes for what no kernel has: closures, comprehensions, literal loops, array expressions, what is inlined by numba.
# Each costs every function, whether there is anything for it to do or not.
IDLE = {
    "WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "InlineInlinables",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites",
    "AnnotateTypes", "NoPythonSupportedFeatureValidation", "DumpParforDiagnostics",
}  # fmt: skip


def pipeline(lower):
    """numba's pipeline with another way to lower, and without idle passes unless loops are parallel."""

    class Compiler(compiler.CompilerBase):
        def define_pipelines(self):
            usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            idle = set() if self.state.flags.auto_parallel.enabled else IDLE
            passes = PassManager(lower._name)
            for one, description in usual.passes:
                if one.__name__ not in idle:
                    passes.add_pass(lower if issubclass(one, typed_passes.BaseNativeLowering) else one, description)
            passes.finalize()
            return [passes]

    return Compiler


PARTS, WHOLES = pipeline(LowerPart), pipeline(LowerWhole)


class Kept(caching.FunctionCache):
    """What was compiled before, loaded without numba's tables of all that it can compile: a fifth of a warm start."""

    def load_overload(self, sig, target_context):
        """Load it; None if there is none."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def whole(**options):
    """Decorator of what Python calls."""

    def decorate(function):
        made = numba.njit(pipeline_class=WHOLES, **options)(function)
        made._cache.__class__ = Kept
        return made

    return decorate


class PartDispatcher(CPUDispatcher):
    """A part; whoever calls it from Python calls a whole of the same function; a part called so would crash."""

    def __call__(self, *arguments):
        """Compile the whole if need be, and call it."""
        if not hasattr(self, "whole"):
            self.whole = whole(cache=True, **self.options)(self.py_func)
        return self.whole(*arguments)


def part(*, stays_apart=False, **options):
    """Decorator that makes a part of a function; the arrays of a loop, told by `noalias`, do not overlap."""

    def decorate(function):
        function.stays_apart = stays_apart
        made = numba.njit(pipeline_class=PARTS, **options)(function)
        made.__class__ = PartDispatcher
        made.options = {name: value for name, value in options.items() if name != "forceinline"}
        return made

    return decorate


def choice(call, choose, first):
    """Teach numba that ``call(thing, ...)`` is ``choose(type of thing)`` of the arguments from number `first` on."""

    def chosen(context, args):
        function = types.Dispatcher(choose(args[0].instance_class))
        return function, function.get_call_type(context, args[first:], {})

    class Choice(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            return signature(chosen(self.context, args)[1].return_type, *args)

    infer_global(call, types.Function(Choice))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        function, inner = chosen(context.typing_context, sig.args)
        callee = context.get_function(function, inner)
        context.add_linking_libs(getattr(callee, "libs", ()))
        return callee(builder, args[first:])
