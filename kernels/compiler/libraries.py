"""Libraries of LLVM code of inlined functions, stages and kernels: when each is optimised, and how they are linked.

See `dem.kernels.compiler.link_time_inlining`.
"""

# ruff: noqa: SLF001 (numba has no other way in)

from llvmlite import binding as llvm
from numba.core import codegen


def callers_first(library):
    """A library and its dependencies, callers before callees; LLVM drops functions without a caller."""
    order, seen = [], set()

    def visit(one):
        seen.add(one)
        for callee in dict.fromkeys(one._linking_libraries):
            if callee not in seen:
                visit(callee)
        order.append(one)

    visit(library)
    return order[::-1]


def stages_of(library):
    """Symbols of the compiled stages that a library and its dependencies call."""
    return frozenset().union(*(getattr(one, "stages_called", ()) for one in callers_first(library)))


def code_to_link(library):
    """LLVM module to link: of an inlined function alone, of numba's own libraries with their dependencies."""
    return library.own_module() if hasattr(library, "own_module") else library._get_module_for_linking()


def link(module, library):
    """Link the dependencies of a library into a module."""
    for one in callers_first(library)[1:]:
        module.link_in(code_to_link(one), preserve=True)


WRAPPER = "_ZN7cpython"  # how numba's names begin of what Python calls


def defines(module, beginning):
    """Whether a module defines a function whose name has a prefix."""
    return any(one.name.startswith(beginning) for one in module.functions if not one.is_declaration)


SIMPLIFYING = ("sroa", "simplify_cfg", "instruction_combine", "jump_threading", "simplify_cfg")  # passes of LLVM


def simplify(module, codegen):
    """Run the passes of `SIMPLIFYING` over a module."""
    passes = llvm.create_new_module_pass_manager()
    for name in SIMPLIFYING:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, codegen._pass_builder())


class SimplifiedLibrary(codegen.JITCodeLibrary):
    """Library whose functions are simplified when they are added."""

    def add_llvm_module(self, ll_module):
        """Simplify a module and add it; without this, contacts with friction run a sixth slower."""
        simplify(ll_module, self._codegen)
        self._final_module.link_in(ll_module)


class InlinedLibrary(SimplifiedLibrary):
    """Library of an inlined function."""

    is_loop = stays_apart = False

    def finalize(self):
        """Optimise a vector loop with its dependencies; other inlined functions are optimised in their callers."""
        self._finalized = True
        if self.is_loop:
            link(self._final_module, self)
            self._linking_libraries = []
            self._optimize_final_module()

    def own_module(self):
        """Module without dependencies, of functions that other modules may define as well."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
                if self.stays_apart:
                    function.add_function_attribute("noinline")
        return self._final_module

    def _get_module_for_linking(self):
        """Module with all dependencies, for functions that numba compiles in its usual way."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            link(self._shared_module, self)
        return self._shared_module


class StageLibrary(SimplifiedLibrary):
    """Library of a compiled stage, with all dependencies but other stages."""

    def machine_code(self, name):
        """Link the dependencies, optimise, and make machine code that exports a single function.

        All other functions get unique names. LLVM may remove arguments of functions that it does not inline, and the
        loader of machine code resolves names among internal functions, too: it would direct calls of other kernels to
        them.
        """
        self._finalized = True
        self._reload_init.update(*(one._reload_init for one in callers_first(self)))
        link(self._final_module, self)
        for one in (*self._final_module.functions, *self._final_module.global_variables):
            if one.name != name and not one.is_declaration:
                one.linkage, one.name = "internal", f"{one.name}.{name}"
        self._optimize_final_module()
        return self._codegen._tm.emit_object(self._final_module)


class KernelLibrary(SimplifiedLibrary):
    """Library of a kernel that Python calls, with all dependencies."""

    wrapper = loading = None

    def add_llvm_module(self, ll_module):
        """Simplify a module and add it; the wrapper for calls from Python is added later, without optimisation.

        The wrapper takes arrays apart, one after the other. To optimise it took an eighth of the compile time and saved
        nothing.
        """
        if not defines(ll_module, WRAPPER):
            super().add_llvm_module(ll_module)
            return
        simplify(ll_module, self._codegen)
        self.wrapper = ll_module

    def _optimize_final_module(self):
        """Optimise the kernel, then add the wrapper for calls from Python."""
        super()._optimize_final_module()
        if self.wrapper is not None:
            self._final_module.link_in(self.wrapper)

    def finalize(self):
        """Link the dependencies, callers first, load the compiled stages, then finalise as numba does."""
        link(self._final_module, self)
        self._reload_init.update(*(one._reload_init for one in callers_first(self)))
        if needed := stages_of(self):
            load = self.loading(tuple(sorted(needed)))
            load()
            self._reload_init.add(load)
        self._linking_libraries = []
        super().finalize()
