"""Code of parts and of wholes: what is optimised when, and how it is linked.

See `dem.kernels.compiler.link_time_inlining`.
"""

# ruff: noqa: SLF001 (numba has no other way in)

from llvmlite import binding as llvm
from numba.core import codegen


def callers_first(library):
    """A library and all that it needs, each after all that call it: LLVM drops functions without a caller."""
    order, seen = [], set()

    def visit(one):
        seen.add(one)
        for callee in dict.fromkeys(one._linking_libraries):
            if callee not in seen:
                visit(callee)
        order.append(one)

    visit(library)
    return order[::-1]


def pieces_of(library):
    """Symbols of the pieces that a library and all that it needs call."""
    return frozenset().union(*(getattr(one, "pieces", ()) for one in callers_first(library)))


def code_to_link(library):
    """Code of a part alone; of numba's own libraries, with all that it needs."""
    return library.own_module() if hasattr(library, "own_module") else library._get_module_for_linking()


def link(module, library):
    """Link into a module what a library needs."""
    for one in callers_first(library)[1:]:
        module.link_in(code_to_link(one), preserve=True)


WAY_IN = "_ZN7cpython"  # how numba's names begin of what Python calls


def defines(module, beginning):
    """Whether a module defines a function whose name begins so."""
    return any(one.name.startswith(beginning) for one in module.functions if not one.is_declaration)


SIMPLIFYING = ("sroa", "simplify_cfg", "instruction_combine", "jump_threading", "simplify_cfg")  # passes of LLVM


def simplify(module, codegen):
    """Run the passes SIMPLIFYING over a module."""
    passes = llvm.create_new_module_pass_manager()
    for name in SIMPLIFYING:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, codegen._pass_builder())


class Library(codegen.JITCodeLibrary):
    """Code of a function."""

    def add_llvm_module(self, ll_module):
        """Simplify what is defined in it: inlined as it comes, contacts with friction run a sixth slower."""
        simplify(ll_module, self._codegen)
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
        """Its code with all that it needs, for what numba compiles its own way."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            link(self._shared_module, self)
        return self._shared_module


class Code(Library):
    """Code of a piece, with all that it needs but other pieces."""

    def machine_code(self, name):
        """Link the parts, optimise, and make machine code in which nothing but one function can be seen.

        The others get names of their own. LLVM takes arguments off those that it does not inline, and what loads
        machine code would send other kernels' calls of a part to them: it looks for names among internal ones, too.
        """
        self._finalized = True
        self._reload_init.update(*(one._reload_init for one in callers_first(self)))
        link(self._final_module, self)
        for one in (*self._final_module.functions, *self._final_module.global_variables):
            if one.name != name and not one.is_declaration:
                one.linkage, one.name = "internal", f"{one.name}.{name}"
        self._optimize_final_module()
        return self._codegen._tm.emit_object(self._final_module)


class Whole(Library):
    """Code of what Python calls, with all that it needs."""

    way_in = loading = None

    def add_llvm_module(self, ll_module):
        """Simplify what is defined in it.

        Python's way in, which takes the arrays apart, is put aside, and is left at that: to optimise it took an eighth
        of all compiling, for steps that are done one after the other as they are written.
        """
        if not defines(ll_module, WAY_IN):
            super().add_llvm_module(ll_module)
            return
        simplify(ll_module, self._codegen)
        self.way_in = ll_module

    def _optimize_final_module(self):
        """Optimise it, then add Python's way in."""
        super()._optimize_final_module()
        if self.way_in is not None:
            self._final_module.link_in(self.way_in)

    def finalize(self):
        """Link the parts, callers first, then go the usual way."""
        link(self._final_module, self)
        self._reload_init.update(*(one._reload_init for one in callers_first(self)))
        if needed := pieces_of(self):
            load = self.loading(tuple(sorted(needed)))
            load()
            self._reload_init.add(load)
        self._linking_libraries = []
        super().finalize()
