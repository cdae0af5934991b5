"""Kinds of systems that files may hold."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

# name of its class -> module that describes, writes and reads such a system; `dem` itself puts in those that it has
KINDS: dict[str, str] = {}


def kind(name: str) -> ModuleType:
    """The module for systems of this class; raises KeyError if there is none."""
    return importlib.import_module(KINDS[name])
