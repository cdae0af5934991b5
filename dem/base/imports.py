"""Imports by name: of classes named in files, of entry points of installed packages, and of optional libraries."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from importlib.metadata import EntryPoint
    from types import ModuleType

MODEL = "dem.model."
GROUP = "dem.classes"  # entry-point group of classes and functions of other packages that have no group of their own
# their modules may be named in files
GROUPS = (
    GROUP, "dem.cases", "dem.columns", "dem.contact_parts", "dem.couplings", "dem.drags", "dem.exports", "dem.fields",
    "dem.scalars", "dem.shapes", "dem.studies", "dem.walls",
)  # fmt: skip


def named(name: str) -> object:
    """The class or function that goes by ``module:name``.

    Its module has to be imported by the program already, to be one of `dem.model`, or to be declared by an installed
    package as that of an entry point of one of `GROUPS`; and it has to be defined there. Nothing of Python's own
    library is found.

    Raises
    ------
    ValueError
        If there is none.
    """
    module, _, there = name.partition(":")
    ours = module in sys.modules and module.partition(".")[0] not in sys.stdlib_module_names
    ours = ours or module.startswith(MODEL)
    try:
        if module == "__main__" and not hasattr(sys.modules[module], there):
            raise ValueError(
                f"{there} is not found: it was defined in the script that wrote the file. Define it in a module, and "
                "import this in the program that writes and in the one that reads"
            )
        if not ours and not _is_declared(module):
            raise ValueError(
                f"{name} is not found: import its module {module!r} in the program that reads the file, or install the "
                f"package {module.partition('.')[0]}, which has to declare that module as an entry point of a group "
                f"such as dem.contact_parts, dem.shapes, dem.walls or, for all else, {GROUP}"
            )
        found = getattr(importlib.import_module(module), there)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name} is not found: {error}") from None
    if getattr(found, "__module__", None) != module:
        raise ValueError(f"{name} is not defined in {module}")
    return found


def _is_declared(module: str) -> bool:
    """Whether an installed package has an entry point for `dem` in this module."""
    return any(one.module == module for group in GROUPS for one in entry_points(group=group))


def installed(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group by name, in alphabetical order; if several packages declare a name, the first found."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, entry)
    return dict(sorted(found.items()))


def load_installed(group: str, what: str, name: str, others: Iterable[str] = ()) -> object:
    """Import what an installed package declares by its name in a group, as an entry point.

    Raises
    ------
    ValueError
        With `what` it should be: if no package declares the name, with the nearest of these names and of `others`; or
        if the import fails.
    """
    found = installed(group)
    return load_entry(what, found[checks.one_of(what, name, dict.fromkeys([*others, *found]))])


def load_registered(group: str, what: str, name: str, registered: Collection[str], *, by: str) -> str:
    """Check a name that is registered, or is so once the package that declares it is imported; returns the name.

    Raises
    ------
    ValueError
        As `load_installed`; or if the package does not register the name, with `by`, the function that does it.
    """
    if not (isinstance(name, str) and name in registered):
        load_installed(group, what, name, registered)
        if name not in registered:
            entry = installed(group)[name]
            raise ValueError(f"{what} {name}: {entry.value} does not register it, by dem.{by}")
    return name


def load_entry(what: str, entry: EntryPoint) -> object:
    """Import an entry point of a package; raises ValueError, with `what` it should be, if that fails."""
    try:
        return entry.load()
    except Exception as error:
        message = f"{what} {entry.name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ValueError(message) from error


def library(name: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a library; raises ImportError naming the extra that brings it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        library = name.partition(".")[0]
        message = f"{purpose} needs {library}, which is not installed: pip install 'pcdm-dem[{extra}]'"
        raise ImportError(message) from None
