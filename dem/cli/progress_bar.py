"""The bar that commands show of what takes a while: what is being done, how far it is, and the time that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dem.cli.named_bar import Named


def bar() -> Named:
    """A bar on stderr, to be entered; nothing is shown where that is no terminal."""
    from dem.cli.named_bar import Named  # noqa: PLC0415, only for commands that take a while

    return Named()
