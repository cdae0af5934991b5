"""Which compiled functions may be cached on disk, and the names of their argument types there.

Cached are functions of this package, for its types and for tables of contact laws of other packages (`set_sources`).
The cache folder belongs to exactly these sources, options and machine. Names of types of other packages carry a hash
of their sources, so that kernels are found for these sources alone. Anything else may change without a change of the
fingerprint, and is compiled in each process.
"""

# ruff: noqa: SLF001 (numba has no other way in)

import hashlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType

from dem.kernels.compiler.struct_reference import StructRef
from numba.core import types

OURS = "dem.kernels."
KNOWN = ("math", "numpy", "numba")  # modules, besides ours, whose code changes with the folder of the cache
SOURCES = {}  # of types of other packages, the hash of their sources


class NotCacheable(Exception):  # noqa: N818
    """Code depends on something that no hash of sources covers, so that it must not be cached."""


def sources_of(package):
    """Source files of a package or a single module; raises NotCacheable if there are none."""
    path = getattr(sys.modules.get(package), "__file__", None)
    if path is None or package == "__main__" or not Path(path).is_file():
        raise NotCacheable(package)
    return sorted(Path(path).parent.rglob("*.py")) if Path(path).name == "__init__.py" else [Path(path)]


def check_sources(function, package, seen):
    """Raise NotCacheable for a closure, or a function of another package; also if the function calls such a one."""
    function = getattr(function, "py_func", function)
    if function in seen or function.__module__.startswith(OURS):
        return
    seen.add(function)
    if function.__module__.partition(".")[0] != package or function.__closure__:
        raise NotCacheable(function.__module__)
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, ModuleType) and not f"{used.__name__}.".startswith(OURS):
            if used.__name__.partition(".")[0] not in (*KNOWN, package):
                raise NotCacheable(used.__name__)
        if hasattr(used, "py_func") or isinstance(used, FunctionType):
            check_sources(used, package, seen)


def set_sources(kind, functions):
    """Allow caching of code for a type of another package, under the hash of that package's sources.

    Two versions of a type have different names, so that no name of machine code stands for both. Code is not cached if
    it depends on anything but the sources of one package, such as closures or modules outside it.
    """
    package = kind.__module__.partition(".")[0]
    if kind.__module__.startswith(OURS) or kind in SOURCES:
        return
    digest, seen = hashlib.sha256(), set()
    try:
        for function in functions:
            check_sources(function, package, seen)
        for path in sources_of(package):
            digest.update(str(path).encode() + path.read_bytes())
    except (NotCacheable, OSError):
        return
    SOURCES[kind] = digest.hexdigest()[:16]
    kind.__name__ = f"{kind.__name__}_{SOURCES[kind]}"


def type_text(kind):
    """Unique text for a type; None if the type has no unique name."""
    if isinstance(kind, StructRef):
        return None if type_text(kind.kind) is None else kind.name
    if isinstance(kind, types.BaseTuple):
        inner = [type_text(one) for one in kind]
        made = getattr(kind, "instance_class", tuple)
        ours = made is tuple or made.__module__.startswith(OURS) or made in SOURCES
        name = f"{type(kind).__name__} {made.__module__}.{made.__qualname__}{SOURCES.get(made, '')}"
        return f"{name}({', '.join(inner)})" if ours and None not in inner else None
    tells = isinstance(kind, types.Array | types.Number | types.Boolean | types.NoneType)
    return f"{type(kind).__name__} {kind}" if tells else None


TYPE_TEXTS = {}


def has_foreign_type(kind):
    """Whether a type is or contains one of another package."""
    kind = kind.kind if isinstance(kind, StructRef) else kind
    inner = kind if isinstance(kind, types.BaseTuple) else ()
    return getattr(kind, "instance_class", None) in SOURCES or any(map(has_foreign_type, inner))


def cache_key(function, argument_types):
    """Cache key of a function with given argument types, as text; None if it must not be cached."""
    if not function.__module__.startswith(OURS) or "<" in function.__qualname__ or function.__closure__:
        return None
    for kind in argument_types:
        if kind._code not in TYPE_TEXTS:
            TYPE_TEXTS[kind._code] = type_text(kind)
    words = [TYPE_TEXTS[kind._code] for kind in argument_types]
    return None if None in words else f"{function.__module__}.{function.__qualname__}: {'; '.join(words)}"
