"""Decorators by which every kernel is compiled; the only module that configures numba.

The rest of the code uses these decorators (`README.md` in this folder has the functions beside them, and what numba
does without them):

``inline``          a pure function of numbers and tuples, inlined into every caller. Without forced inlining LLVM
                    leaves calls in the loops over particles and does not vectorise them.
``vector_loop``     a loop over flat arrays *that do not overlap*, inlined as well. The option is one of numba's own
                    flags, which it does not offer; the line marked below hands it through.
``paired_loop``     a vector loop whose operations mostly wait for each other: a pass computes two vectors, and the
                    operations of one fill the waiting times of the other.
``func``            a larger function, which LLVM inlines or not.
``noinline``        a function that is called seldom and stays a function.
``compiled_stage``  a large function with machine code of its own, shared by all callers with the same types.
``kernel``          what Python calls: wrapped, compiled and cached, with all functions that it needs.
``fast_call``       a compiled stage that Python calls often.
``closure``         an inline function that is given a function, and may allocate; numba cannot cache it.

Kernels are compiled without numba's reference counts (``_nrt``): they allocate nothing, and to count the references to
the arrays of a step would take longer than a step of a few bodies. Indices must not be negative, because code that
counts from the end is left out (`dem.kernels.compiler.lowering`); `NUMBA_BOUNDSCHECK=1` reports a negative one.

Floating point is strictly IEEE (no fastmath, no contraction): the vector body and the scalar remainder of a
loop then round alike, so a particle's place in an array or a pair's place in a list never shows in the result.

Machine code is cached on disk. numba does not notice edits in imported kernels or changed options, so the cache
folder carries a fingerprint of all kernel sources and options: after an edit everything is compiled anew.
"""

import gc
import hashlib
import os
import shutil
import sys
import time
from contextlib import suppress
from functools import partial
from operator import attrgetter
from pathlib import Path

from dem.kernels.compiler import environment

environment.check()  # before numba reads it

# ruff: noqa: E402
import numba
from dem.kernels.compiler import (
    compile_processes,
    inference,
    link_time_inlining,
    lowering,
    parallel_for,
    private_folder,
    processor,
    selection,
    setup,
    stages,
    struct_reference,
)
from dem.kernels.compiler import fast_call as fast_calls
from llvmlite import binding as llvm
from numba.core import cpu, errors, event, options
from numba.extending import overload

OPTIONS = {"error_model": "numpy", "fastmath": False, "cache": True, "_nrt": False}

# Hand numba's internal flag "no two array arguments overlap" through as an option of njit.
cpu.CPUTargetOptions.noalias = options._mapping("noalias")  # noqa: SLF001

setup.assume_blas()
setup.prefer_openmp()
processor.correct_features()
processor.vectorise_remainders()

CompileError = errors.NumbaError  # what a user's function may cause
PLAIN = bool(numba.config.DISABLE_JIT or os.environ.get("PCDM_DEM_PLAIN") or not link_time_inlining.is_as_expected())
if not PLAIN:
    lowering.patch_numba()
    inference.infer_once()


def _parts(*, stays_apart=False, in_pairs=False, **options):
    """Decorator of functions that only kernels call; options are those of numba."""
    if PLAIN:
        return partial(numba.njit, **options, **OPTIONS)
    return link_time_inlining.part(stays_apart=stays_apart, in_pairs=in_pairs, **options, **UNCACHED)


UNCACHED = {name: value for name, value in OPTIONS.items() if name != "cache"}
CHOICE = UNCACHED | {"forceinline": True}  # jit_options of what `overload` chooses
if not PLAIN:
    CHOICE["pipeline_class"] = link_time_inlining.PARTS
inline = _parts(forceinline=True)
uncached_inline = partial(numba.njit, forceinline=True, **UNCACHED) if PLAIN else inline  # of what closes over others
vector_loop = _parts(noalias=True, forceinline=True)
paired_loop = _parts(noalias=True, forceinline=True, in_pairs=True)
func = _parts(forceinline=False)  # said, as numba takes an option that is not given from the caller
noinline = _parts(stays_apart=True, forceinline=False)
kernel = (
    partial(numba.njit, no_cfunc_wrapper=True, **OPTIONS)
    if PLAIN
    else link_time_inlining.whole(no_cfunc_wrapper=True, **OPTIONS)
)
closure = partial(numba.njit, error_model="numpy", forceinline=True)


def compiled_stage(function=None, *, returns=...):
    """Decorator of a large function with machine code of its own, shared by all kernels that call it with equal types.

    returns: a value like those that it returns; then its callers need not wait for it (`compile_side_by_side`).
    """
    if function is None:
        return partial(compiled_stage, returns=returns)
    return func(function) if PLAIN else stages.compiled_stage(func(function), returns)


def compile_side_by_side(processes):
    """Set the largest number of other processes that compile stages at the same time."""
    compile_processes.OTHERS.most, compile_processes.OTHERS.command = processes, (str(CACHE), FINGERPRINT)


def fast_call(function):
    """Decorator of a compiled stage that Python calls without numba's wrapper."""
    return kernel(function) if PLAIN else fast_calls.FastCall(compiled_stage(function))


def bind(function):
    """Callable of a `fast_call` function that remembers its arguments, for many calls with mostly the same tuples."""
    return function.bind() if hasattr(function, "bind") else function


def upcast(fewer):
    """Function that views a named tuple as a shorter one with its first fields; `fewer` is a table of types by type.

    A compiled stage that uses no more is then shared by all of them; plain numba hands on the tuple as it is.
    """
    return inline(lambda thing: thing) if PLAIN else struct_reference.upcast(fewer)


def compile_ahead(function, *arguments):
    """Let other processes begin to compile for a call of a `fast_call` function with arguments of these types."""
    if hasattr(function, "compile_ahead"):
        function.compile_ahead(*arguments)


def spread(part):
    """Function of (n, *arguments) that calls ``part(k, *arguments)`` for all k in range(n), each once, by threads.

    One after the other where numba is not as expected.
    """
    if not PLAIN:
        return parallel_for.parallel_for(part)

    @numba.njit(**OPTIONS)
    def one_by_one(n, *arguments):
        for k in range(n):
            part(k, *arguments)

    return one_by_one


def select(argument, functions, entry=None, *, handed=True):
    """Function that calls one of several functions, chosen at compile time by the type of an argument.

    Only the function in use is compiled, it is inlined, and the next process finds it in the cache.

    Parameters
    ----------
    argument : name of the argument, which all functions have at the same place, and whose type is a NamedTuple; or
        "law.damping", for that of a field
    functions : {type: function}, see `dem.kernels.compiler.selection.function_for`; types may be added as long as
        nothing has been compiled for them. A number, tuple or None stands for a function that returns
        it, and ``argument("x")`` for one that returns its argument x
    entry : if the table has something else for each type, the function of that which returns the function; then the
        argument comes first
    handed : whether the functions take the argument; if not, it comes before those that they do take

    Returns
    -------
    function of the arguments; the table is in its attribute `functions`

    Raises
    ------
    TypeError
        By the compiler, for a type that the table does not have.
    ValueError
        If the functions do not have the argument at the same place of the same number.
    """
    name, *path = argument.split(".")
    position, names = 0, ()
    if not entry:
        position = selection.position_in(functions, name) if handed else 0
        written = next(filter(selection.is_function, functions.values()), None)
        names = selection.parameters_of(written) if written else (name,)
    take = entry or (lambda function: function)

    def choose(kind):
        return selection.placed(take(selection.function_for(kind, functions)), names)

    call = _choice(choose, position, path, handed=handed)
    call.functions, call.entry = functions, take
    if not entry:
        call.parameters = names if handed else (name, *names)
    return call


argument = selection.Argument


def type_is(holds):
    """Function of a value that returns ``holds(type of the value)``, known at compile time."""
    return _choice(lambda kind: bool(holds(kind)), handed=False)


class _FunctionByType(dict):
    """Table of functions by type; ``choose(type)`` fills it at the first use of a type."""

    def __init__(self, choose):
        self.choose = choose

    def __missing__(self, kind):
        chosen = self.choose(kind)
        self[kind] = function = chosen if callable(chosen) else lambda *_: chosen
        return function


def _choice(choose, position=0, path=(), *, handed=True):
    """Function that calls ``choose(type)`` for the type of an argument, or of a field of it; see `select`.

    If that is no function but a value, it is what is returned.
    """
    first, functions = int(not handed), _FunctionByType(choose)
    # Three forms, each without what it does not need: a seventh of the time of interpreted steps.
    if path:
        field = attrgetter(".".join(path))

        def call(*arguments):
            return functions[type(field(arguments[position]))](*arguments[first:])

    elif handed:

        def call(*arguments):
            return functions[type(arguments[position])](*arguments)

    else:

        def call(thing, *arguments):
            return functions[type(thing)](*arguments)

    if not PLAIN:
        link_time_inlining.choice(call, choose, position, path, first)
    elif handed:

        @overload(call, jit_options=CHOICE)
        def compiled(*arguments):
            chosen = _plain_function(choose(link_time_inlining.field_type(arguments[position], path)))
            return (lambda *arguments: chosen(*arguments)) if callable(chosen) else lambda *arguments: chosen

    else:

        @overload(call, jit_options=CHOICE)
        def compiled_without(thing, *arguments):
            chosen = _plain_function(choose(link_time_inlining.field_type(thing, path)))
            if callable(chosen):
                return lambda thing, *arguments: chosen(*arguments)
            return lambda thing, *arguments: chosen

    return call


def _plain_function(chosen):
    """Function for plain numba that replaces an `Argument`; anything else is returned unchanged."""
    if not isinstance(chosen, selection.Argument):
        return chosen
    place = chosen.place
    return uncached_inline(lambda *arguments: arguments[place])


def in_python(function):
    """Python function of a formula, for a few numbers: compiling it would take a tenth of a second."""
    return getattr(function, "py_func", function)


def _fingerprint():
    """Hash of everything that decides the machine code: kernel sources, options, numba."""
    settings = (OPTIONS, numba.__version__, numba.config.BOUNDSCHECK, numba.config.CPU_NAME)
    digest = hashlib.sha256(repr(settings).encode())
    here = Path(__file__).parent.parent  # kernels/
    for source in sorted(here.rglob("*.py")):
        digest.update(str(source.relative_to(here)).encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_name():
    """Name of the cache folder, by the location of the kernels, their fingerprint and the machine.

    numba asks for all of this as well, but compiles in silence where it does not fit.
    """
    place = hashlib.sha256(str(Path(__file__).resolve()).encode()).hexdigest()[:8]
    processor = (llvm.get_host_cpu_name(), numba.config.CPU_FEATURES or llvm.get_host_cpu_features().flatten())
    machine = hashlib.sha256(repr((sys.implementation.cache_tag, PLAIN, *processor)).encode()).hexdigest()[:8]
    return f"kernels-{place}-", f"{FINGERPRINT}-{machine}"


SPARED = 3600.0  # s, during which a process that began to use a folder may be saving to it
FORGOTTEN = 30 * 86400.0  # s, after which folders of other installations are taken for unused


def _remove_unused(folders, spared):
    """Remove cache folders that no process has begun to use within some seconds."""
    for folder in folders:
        with suppress(OSError):  # another process may have been first
            if folder.stat().st_mtime < time.time() - spared:
                shutil.rmtree(folder, ignore_errors=True)


def _cache_parents():
    """Folders that may contain cache folders, in order of preference: NUMBA_CACHE_DIR, the user's cache."""
    if numba.config.CACHE_DIR:
        yield Path(os.path.realpath(numba.config.CACHE_DIR))
    with suppress(OSError):  # the user has none
        yield Path(os.path.realpath(private_folder.user_cache()))


def _cache_folder():
    """Cache folder, reason why kernels may be missing in it, and reasons why preferred folders were refused.

    It is in NUMBA_CACHE_DIR or in the user's cache; where neither can be used it is a temporary folder of this process.
    Folders of older kernels of this installation are removed; in the user's cache those of other installations as well
    that have not been used for a month.
    """
    place, name = _cache_name()
    refused = []
    for parent in _cache_parents():
        folder = parent / (place + name)
        reason = private_folder.make_private(folder)
        if reason is None:
            break
        refused.append(reason)
    else:
        return private_folder.temporary(), "no folder keeps them", "; ".join(refused) or "the user has no cache folder"
    older = [other for other in parent.glob(place + "*") if not other.name.startswith(place + FINGERPRINT)]
    _remove_unused(older, SPARED)
    with suppress(OSError):
        if parent == Path(os.path.realpath(private_folder.user_cache())):
            _remove_unused(parent.glob("kernels-*"), FORGOTTEN)
    os.utime(folder)
    new = not any(folder.iterdir())
    why = "the kernels have changed" if new and older else "first run" if new else "first run of this combination"
    return folder, why, "; ".join(refused)


FINGERPRINT = _fingerprint()
CACHE, WHY, REFUSED = _cache_folder()
numba.config.CACHE_DIR = str(CACHE)  # process-wide: numba offers no cache folder per function


class _Listener(event.Listener):
    """Listener to numba's compilation: reports each kernel that is compiled; pauses garbage collection meanwhile.

    Garbage collection during compilation would take a tenth of its time, and a collection right after it another
    tenth. So the objects that compilation has left are moved to the oldest generation (`gc.freeze`, `gc.unfreeze`),
    which Python collects least often.
    """

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.depth, self.collecting = 0, False

    def on_start(self, what):
        if self.depth == 0:
            self.collecting = gc.isenabled()
            gc.disable()
            self.begin(what.data["dispatcher"].py_func.__name__)
        self.depth += 1

    def on_end(self, what):
        self.depth -= 1
        if self.depth == 0:
            if self.collecting:
                gc.freeze()
                gc.unfreeze()
                gc.enable()
            self.end()


def on_compiling(begin, end):
    """Call `begin` with the name of each kernel that is compiled from now on, and `end` when it is done."""
    event.register("numba:compile", _Listener(begin, end))


def most_threads():
    """Largest number of threads that numba may use: all cores, or NUMBA_NUM_THREADS."""
    return numba.config.NUMBA_NUM_THREADS


def set_threads(count):
    """Set the number of threads of parallel loops that this Python thread starts from now on."""
    parallel_for.launch()
    numba.set_num_threads(count)


def threading_layer():
    """Name of the threading layer in use, or of the requested one before the first threaded call."""
    try:
        return numba.threading_layer()
    except ValueError:
        return numba.config.THREADING_LAYER
