"""The command line: a file for each group of commands, see `dem.cli.commands`, registered with `dem.cli.common.app`.

Exit status 0 for success, 2 for bad input, 1 for a run that broke or failed, 130 after Ctrl-C,
143 after SIGTERM.
"""

import gc

from dem.base import interrupts


def main() -> None:
    """Entry point of the command `dem`."""
    interrupts.end_at_once()
    from dem.cli.common import app  # noqa: PLC0415, takes a moment in which Ctrl-C may come

    try:
        app()
    finally:
        gc.freeze()  # nobody need look for what the compiler left: the process ends
