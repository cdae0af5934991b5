"""Which functions may be kept on disk from one process to the next, and the names of their types there.

Kept are functions of this package, called with its types and with tables of contact laws of other packages
(`set_sources`). The cache folder belongs to these very sources, options and machine; names of types of other packages
carry a hash of their sources, so that kernels are found for these sources alone. Anything else may change where no
fingerprint sees it, and is compiled in each process.
"""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType

from dem.kernels.compiler.struct_reference import StructRef
from numba.core import types

OURS = "dem.kernels."
KNOWN = ("math", "numpy", "numba", "kernels")  # modules that change with the folder of the cache
SOURCES = {}  # of types of other packages, the hash of their sources


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


def set_sources(kind, functions):
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
    """Key of a part and of the types of its arguments, as text; None if it is not to be stored."""
    if not function.__module__.startswith(OURS) or "<" in function.__qualname__ or function.__closure__:
        return None
    for kind in argument_types:
        if kind._code not in SPELT:
            SPELT[kind._code] = spelt(kind)
    words = [SPELT[kind._code] for kind in argument_types]
    return None if None in words else f"{function.__module__}.{function.__qualname__}: {'; '.join(words)}"
