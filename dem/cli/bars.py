"""The bar that commands show of what takes a while: what is being done, how far it is, and the time that is left."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def bar() -> Progress:
    """A bar on stderr, to be entered; nothing is shown where that is no terminal. `Progress.track` goes with it."""
    from rich.console import Console  # noqa: PLC0415, only for commands that take a while
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
