"""The command line ``dem``.

- `application.py`: the application, the table of commands, options that all commands share, how errors become one line
  and an exit status; only the module of the command that is called is imported
- `commands/`: the commands
- `progress_bar.py`, `streams.py`: what is printed while a command runs
- `completion.py`: what the shell completes

Exit status 0 for success, 2 for bad input, 1 for a run that broke or failed, 130 after Ctrl-C,
143 after SIGTERM.
"""

import gc
import sys

from dem.base import interrupts
from dem.cli import streams

# Thresholds of the garbage collector. A short run makes some two hundred thousand objects, most of which stay alive;
# with Python's defaults, collections take a tenth of it, and two of a hundred thousand objects still 8 %.
SELDOM = (300_000, 20, 20)


def main() -> None:
    """Entry point of the command `dem`."""
    interrupts.end_at_once()
    streams.prepare()
    from dem.kernels.compiler import environment  # noqa: PLC0415, once `dem.__main__` has left the working folder out

    try:
        environment.check()
    except ValueError as error:
        sys.stderr.write(f"dem: {error}\n")
        sys.exit(2)
    gc.set_threshold(*SELDOM)
    from dem.cli.application import app  # noqa: PLC0415, takes a moment in which Ctrl-C may come

    try:
        app()
    except SystemExit as end:
        from dem.ranks.job_server import set_exit_status  # noqa: PLC0415, for the end alone

        set_exit_status(end.code)
        raise
    except OSError as error:  # of help and lists of options; commands report their own
        from dem.base.text import error_in_words  # noqa: PLC0415, for the end alone

        sys.stderr.write(f"dem: {error_in_words(error)}\n")
        sys.exit(2)
    finally:
        gc.freeze()  # no collection of the compiler's objects: the process ends
