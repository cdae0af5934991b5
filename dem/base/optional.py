"""Libraries that only parts of the package need, which need not be installed, imported when they do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def library(name: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a library; raises ImportError naming the extra that brings it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        library = name.partition(".")[0]
        message = f"{purpose} needs {library}, which is not installed: pip install 'pcdm-dem[{extra}]'"
        raise ImportError(message) from None
