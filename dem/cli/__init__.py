"""The command line: a file for each group of commands, see `dem.cli.commands`, registered with `dem.cli.common.app`.

Exit status 0 for success, 2 for bad input, 1 for a run that broke or failed, 130 after Ctrl-C,
143 after SIGTERM.
"""

import gc
import sys

from dem.base import interrupts
from dem.cli import streams

# After how many new things Python looks for garbage. A command imports some two hundred thousand that all stay: to look
# through them as often as Python does by itself takes a tenth of a short run.
SELDOM = (100_000, 20, 20)


def main() -> None:
    """Entry point of the command `dem`."""
    interrupts.end_at_once()
    streams.prepare()
    from dem.kernels.compiler import environment  # noqa: PLC0415, once `dem.cli.__main__` has left the working folder out

    try:
        environment.check()
    except ValueError as error:
        sys.stderr.write(f"dem: {error}\n")
        sys.exit(2)
    gc.set_threshold(*SELDOM)
    from dem.cli.common import app  # noqa: PLC0415, takes a moment in which Ctrl-C may come

    try:
        app()
    finally:
        gc.freeze()  # nobody need look for what the compiler left: the process ends
