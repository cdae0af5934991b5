"""Parts kept on disk from one process to the next, so that another combination lowers only what it does not share.

numba keeps what Python calls; a part is nothing that it could keep, but is lowered code with a name. What a process has
lowered goes to one file of the cache folder as soon as the kernel is made that it was for, and is read when a kernel is
compiled next. The folder is that of these very sources, options and machine. A file is written whole, under a name of
its own, or not at all, and carries the hash of what it holds: what does not fit is passed over.

Kept are parts of this package called with its types, and with tables of parts of contact laws that other packages
bring (`tell_sources`): their names and spelling carry a hash of that package's sources, so that what is kept is found
for these very sources alone. All others may change where no fingerprint sees it.
"""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
import os
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
from dem.kernels.compiler.struct_reference import StructRef
from llvmlite import binding as llvm
from numba.core import funcdesc, serialize, types

OURS = "dem.kernels."
NAMES = ("_ZN7kernels", "_ZN5numba")  # how the names begin of what numba makes of ours, and of its own
PATTERN = "parts-*.kept"


KNOWN = ("math", "numpy", "numba", "kernels")  # modules that change with the folder of the cache
SOURCES = {}  # of types of other packages, the hash of their sources
FOREIGN = set()  # how the names begin of what numba makes of these packages


class Unseen(Exception):  # noqa: N818
    """Code depends on what no hash of sources tells."""


def sources_of(package):
    """Files of a package, or of a module by itself; raises Unseen where there are none."""
    path = getattr(sys.modules.get(package), "__file__", None)
    if path is None or package == "__main__" or not Path(path).is_file():
        raise Unseen(package)
    return sorted(Path(path).parent.rglob("*.py")) if Path(path).name == "__init__.py" else [Path(path)]


def stay_within(function, package, seen):
    """Raise Unseen if a function, or one that it calls, is of neither a package nor this one, or holds values."""
    function = getattr(function, "py_func", function)
    if function in seen or function.__module__.startswith(OURS):
        return
    seen.add(function)
    if function.__module__.partition(".")[0] != package or function.__closure__:
        raise Unseen(function.__module__)
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, ModuleType) and used.__name__.partition(".")[0] not in (*KNOWN, package):
            raise Unseen(used.__name__)
        if hasattr(used, "py_func") or isinstance(used, FunctionType):
            stay_within(used, package, seen)


def tell_sources(kind, functions):
    """Have what is compiled for a type of another package kept, by the sources of that package.

    Two versions of a type have different names, so that no name of machine code stands for both. Nothing is kept of
    what depends on other things than sources of one package: closures, modules beside it.
    """
    package = kind.__module__.partition(".")[0]
    if kind.__module__.startswith(OURS) or kind in SOURCES:
        return
    digest, seen = hashlib.sha256(), set()
    try:
        for function in functions:
            stay_within(function, package, seen)
        for path in sources_of(package):
            digest.update(str(path).encode() + path.read_bytes())
    except (Unseen, OSError):
        return
    SOURCES[kind] = digest.hexdigest()[:16]
    kind.__name__ = f"{kind.__name__}_{SOURCES[kind]}"
    FOREIGN.add(f"_ZN{len(package)}{package}")


class Entry(NamedTuple):
    """A part as it is kept."""

    symbol: str  # its name in the code
    call: str  # what it is and what it is called with
    callees: tuple  # symbols of the parts that it calls
    pieces: tuple  # symbols of the pieces that it and its callees call, see `dem.kernels.compiler.stages`
    is_loop: bool
    code: bytes  # LLVM's bitcode
    description: bytes  # numba's, pickled


def callers_first(library, is_leaf=lambda one: False):
    """A library and all that it needs, each after all that call it: LLVM drops what nobody has called for yet."""
    order, seen = [], set()

    def visit(one):
        seen.add(one)
        for callee in () if is_leaf(one) and one is not library else dict.fromkeys(one._linking_libraries):
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


def is_kept(library):
    """Whether a library is a part that is kept by itself."""
    return getattr(library, "symbol", None) is not None


def spelt(kind):
    """A type as text that no other type has; None if its name does not tell."""
    if isinstance(kind, StructRef):
        return None if spelt(kind.kind) is None else kind.name
    if isinstance(kind, types.BaseTuple):
        inner = [spelt(one) for one in kind]
        made = getattr(kind, "instance_class", tuple)
        ours = made is tuple or made.__module__.startswith(OURS) or made in SOURCES
        name = f"{type(kind).__name__} {made.__module__}.{made.__qualname__}{SOURCES.get(made, '')}"
        return f"{name}({', '.join(inner)})" if ours and None not in inner else None
    tells = isinstance(kind, types.Array | types.Number | types.Boolean | types.NoneType)
    return f"{type(kind).__name__} {kind}" if tells else None


SPELT = {}


def is_of_others(kind):
    """Whether a type has one of another package in it."""
    kind = kind.kind if isinstance(kind, StructRef) else kind
    inner = kind if isinstance(kind, types.BaseTuple) else ()
    return getattr(kind, "instance_class", None) in SOURCES or any(map(is_of_others, inner))


def call_of(function, argument_types):
    """What a part is and what it is called with, as text; None if it is not to be kept."""
    if not function.__module__.startswith(OURS) or "<" in function.__qualname__ or function.__closure__:
        return None
    for kind in argument_types:
        if kind._code not in SPELT:
            SPELT[kind._code] = spelt(kind)
    words = [SPELT[kind._code] for kind in argument_types]
    return None if None in words else f"{function.__module__}.{function.__qualname__}: {'; '.join(words)}"


def code_of(library):
    """Bitcode of a part with all it calls that is not kept by itself, and the symbols of what is.

    None if there is anything in it that may be another's, or good for this process alone.
    """
    module, callees, inner = library.own_module().clone(), [], []
    for one in callers_first(library, is_leaf=is_kept)[1:]:
        if is_kept(one):
            callees.append(one.symbol)
            continue
        added = code_to_link(one)
        inner += [function.name for function in added.functions if not function.is_declaration]
        module.link_in(added, preserve=True)
    for function in module.functions:
        if function.name in inner and not function.is_declaration:
            function.linkage = "internal"
    values = (*module.functions, *module.global_variables)
    if library._reload_init or not all(is_lasting(one, callees) for one in values):
        return None
    return module.as_bitcode(), tuple(callees)


def is_lasting(value, callees):
    """Whether a function or global variable of a module is the same in every process."""
    if "NumbaEnv" in value.name:
        return True
    if value.is_declaration:
        return value.name in callees or not value.name.startswith((*NAMES, "numba.dynamic"))
    if value.linkage in (llvm.Linkage.internal, llvm.Linkage.private):
        return "_ZN" not in value.name or value.name.startswith((*NAMES, *FOREIGN))
    return value.name.startswith(NAMES)


DESCRIBED = (
    "native", "modname", "qualname", "doc", "args", "kws", "restype", "mangled_name", "unique_name", "env_name",
    "inline", "noalias", "abi_tags", "uid",
)  # fmt: skip


def description_of(fndesc):
    """What numba knows of a part, but for the types of its arguments, which its callers have at hand."""
    return serialize.dumps({name: getattr(fndesc, name) for name in DESCRIBED if hasattr(fndesc, name)})


def described(entry, argument_types):
    """numba's description of a part."""
    made = funcdesc.PythonFunctionDescriptor.__new__(funcdesc.PythonFunctionDescriptor)
    for name, value in pickle.loads(entry.description).items():
        setattr(made, name, value)
    made.typemap = made.calltypes = made.global_dict = None
    made.argtypes = argument_types
    return made


class Store:
    """All that is kept, and what this process has to add."""

    def __init__(self):
        self.entries, self.symbols, self.libraries, self.new, self.seen = {}, {}, {}, {}, set()

    def read(self):
        """Read what others have written since this process looked last."""
        for path in sorted(set(Path(numba.config.CACHE_DIR).glob(PATTERN)) - self.seen):
            self.seen.add(path)
            with suppress(OSError):
                data = path.read_bytes()
                if hashlib.sha256(data[32:]).digest() == data[:32]:
                    self.entries.update(pickle.loads(data[32:]))
        while lame := [name for name, one in self.entries.items() if not self.entries.keys() >= set(one.callees)]:
            for name in lame:
                del self.entries[name]
        self.symbols = {entry.call: symbol for symbol, entry in self.entries.items()}

    def find(self, call):
        """Symbol of what was kept for a call; None if nothing was."""
        return self.symbols.get(call)

    def library(self, symbol, make):
        """Library of a part, with those that it needs; `make` makes one of an entry and its code."""
        if symbol not in self.libraries:
            entry = self.entries[symbol]
            one = self.libraries[symbol] = make(entry, llvm.parse_bitcode(entry.code))
            one.symbol = symbol
            one.pieces = frozenset(entry.pieces)
            one._linking_libraries = [self.library(callee, make) for callee in entry.callees]
        return self.libraries[symbol]

    def add(self, call, result):
        """Note a new part."""
        symbol = result.fndesc.mangled_name
        if call is not None and symbol not in self.libraries and not result.environment.consts:
            result.library.symbol = symbol
            self.libraries[symbol] = result.library
            self.new[symbol] = call, result

    def write(self):
        """Write what is new; whatever the disk has against it only costs time."""
        entries = {}
        for symbol, (call, result) in self.new.items():  # callees before callers
            code, callees = code_of(result.library) or (None, ())
            if code is not None and all(one in entries or one in self.entries for one in callees):
                description, library = description_of(result.fndesc), result.library
                pieces = tuple(sorted(pieces_of(library)))
                entries[symbol] = Entry(symbol, call, callees, pieces, library.is_loop, code, description)
        self.new.clear()
        if entries:
            self.entries.update(entries)
            data = pickle.dumps(entries)
            folder, digest = Path(numba.config.CACHE_DIR), hashlib.sha256(data).digest()
            path, unfinished = folder / PATTERN.replace("*", digest.hex()[:16]), folder / f"parts-{os.getpid()}.new"
            self.seen.add(path)
            with suppress(OSError):
                unfinished.write_bytes(digest + data)
                unfinished.replace(path)
