"""Imports of `dem.kernels` and `dem.cases` in a clone, where their folders lie beside that of `dem`.

The installed package holds both folders within `dem`, where Python finds them by itself.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec


class FolderFinder:
    """Finder of some subpackages in another folder than that of their package, for `sys.meta_path`.

    A second entry in the package's `__path__` would do as well, and make everything else in that folder importable.

    Parameters
    ----------
    folder : str
        Folder that holds the subpackages.
    names : sequence of str
        Full names of the subpackages; all others are left to other finders.
    """

    def __init__(self, folder: str, names: Sequence[str]) -> None:
        self.folder, self.names = folder, names

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Spec of a subpackage; None for all other modules."""
        del path, target
        return PathFinder.find_spec(name, [self.folder]) if name in self.names else None


def find_beside(package: str, names: Sequence[str]) -> None:
    """Have Python find subpackages in the folder that also holds the folder of their package.

    Parameters
    ----------
    package : str
        Folder of the package.
    names : sequence of str
        Full names of its subpackages that are in no folder of their own below it.
    """
    # before the finder of an editable installation, which may be another clone than the one that Python found first
    sys.meta_path.insert(0, FolderFinder(os.path.dirname(package), names))
