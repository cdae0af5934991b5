"""Base of all commands: the application, its output, and the conversion of errors to one line and an exit status."""

from __future__ import annotations

import functools
import importlib
import re
import shutil
import signal
import sys
import textwrap
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import CompletionItem, TyperCommand, TyperGroup
from typer.main import get_group

from dem.base import interrupts
from dem.base.notices import DemWarning
from dem.base.replace import OutputError
from dem.base.text import error_in_words, write_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from click import HelpFormatter

    from dem.cli.progress_bar import ProgressBar


COMMANDS = {  # module of `dem.cli.commands`, which registers the command when imported; first line of its docstring
    "run": ("run", "Run a case and write its trajectory; cases of one rotating body write a table (.csv)."),
    "sweep": ("sweep", "Run a case for each combination of parameter values, and make a table of results."),
    "calibrate": ("calibrate", "Find parameters such that virtual tests give measured values."),
    "cases": ("lists", "List the cases, or the parameters of one."),
    "integrators": ("lists", "List the rotational integrators."),
    "init": ("casefiles", "Write a case file with all keys"),
    "check": ("casefiles", "Validate a case file, and show what it would run and how long it would take."),
    "compile": ("compile", "Compile the kernels of runs in advance, so that the runs start at once."),
    "info": ("info", "Show what a trajectory holds"),
    "plot": ("plot", "Draw a trajectory"),
    "view": ("view", "Show a trajectory in the browser"),
    "export": ("export", "Write a trajectory as a file for other programs"),
    "rerun": ("repair_and_rerun", "Repeat a run and say whether the bytes match."),
    "repair": ("repair_and_rerun", "Recover the complete frames of a damaged trajectory."),
    "replay": ("replay", "Show step by step how a run failed"),
    "guide": ("guide", "Read a page of the guide, or list them"),
    "doctor": ("doctor", "Check the installation"),
    "validate": ("validate", "Reproduce published tables and figures, next to exact values."),
    "bench": ("bench", "Measure particle steps per second, and where the time goes."),
}


class Group(TyperGroup):
    """Group of the commands of `dem`; it imports the module of a command when the command is called."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS) | self.commands

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:
        """Import a command, which registers it."""
        if self.commands.get(cmd_name) is None and cmd_name in COMMANDS:
            importlib.import_module(f"dem.cli.commands.{COMMANDS[cmd_name][0]}")
            self.commands |= {name: made for name, made in get_group(app).commands.items() if made}
        return self.commands.get(cmd_name)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing it; the command completes its own options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=does.rstrip("."))
            for name, (_, does) in COMMANDS.items() if name.startswith(incomplete)
        ]  # fmt: skip

    def format_commands(self, ctx: typer.Context, formatter: HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does.rstrip(".")) for name, (_, does) in COMMANDS.items()])


app = typer.Typer(
    name="dem",
    cls=Group,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
say = typer.echo


def report(text: str, *, error: bool = False) -> None:
    """Print a line about a run, on stderr if it is an error; the command goes on if that fails, see `write_log`."""
    write_log(sys.stderr if error else sys.stdout, f"{text}\n")


MIN_COLUMN_WIDTH = 30  # characters of the last column of a table


def show(rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print rows as aligned columns, below a title if there is one. The last column is wrapped."""
    rows = list(rows)
    if title:
        say(f"\n{title}")
    widths = [max(map(len, column)) + 2 for column in zip(*(row[:-1] for row in rows), strict=True)]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 160
    room = max(width - sum(widths), MIN_COLUMN_WIDTH)
    for *cells, last in rows:
        start = "".join(map(str.ljust, cells, widths))
        lines = [part for line in last.splitlines() for part in textwrap.wrap(line, room)] or [""]
        say("\n".join(f"{start if k == 0 else ' ' * len(start)}{line}".rstrip() for k, line in enumerate(lines)))


def bar() -> ProgressBar:
    """Progress bar on stderr, a context manager; it shows nothing if stderr is no terminal."""
    from dem.cli.progress_bar import ProgressBar  # noqa: PLC0415, only for commands that take a while

    return ProgressBar()


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415, a quarter of the time of `dem --help`

        say(f"pcdm-dem {version('pcdm-dem')}")
        raise typer.Exit


FIRST = """\
What to do first:

  dem run nine-fibres      run a simulation; the first run compiles for 4 to 20 seconds
  dem view nine-fibres.h5  show it in the browser
  dem cases                list other cases to run
  dem init                 list cases from which to make a case file of your own
  dem doctor               check the installation

dem --help lists the commands, dem COMMAND --help the options of one command; dem guide start is a tutorial."""


@app.callback()
def options(
    context: typer.Context,
    *,
    version_: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Discrete element simulations of spheres, clumps, fibres and convex bodies, rigid or bonded."""
    if context.invoked_subcommand is None:
        say(FIRST)


def plain_errors(command: Callable) -> Callable:
    """Turn exceptions into one line each on stderr and the exit status."""

    @functools.wraps(command)
    def wrapped(*args: object, **kwargs: object) -> None:
        try:
            with interrupts.as_exceptions(), _warnings_in_words():
                command(*args, **kwargs)
        except BrokenPipeError:
            raise  # the reader has closed the pipe, about which typer is silent
        except (FloatingPointError, OutputError) as error:
            _print_error(error, status=1)
        except (ValueError, TypeError, OSError, OverflowError, ImportError) as error:
            _print_error(error, status=2)
        except (KeyError, RuntimeError) as error:
            if not _from_hdf5(error):
                raise
            message = f"the file is damaged: {error.args[0]}"
            _print_error(ValueError(message), status=2)
        except MemoryError:
            _print_error(
                MemoryError("there is not enough memory for this many particles, spheres, triangles or pixels"),
                status=2,
            )
        except KeyboardInterrupt as stopped:
            sys.stderr.write(f"{str(stopped) or 'interrupted'}\n")
            raise typer.Exit(128 + getattr(stopped, "signal", signal.SIGINT)) from None

    return wrapped


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Print each warning of the engine as one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DemWarning)
        others = warnings.showwarning

        def show(message: Warning, category: type[Warning], *where: object) -> None:
            if issubclass(category, DemWarning):
                write_log(sys.stderr, f"dem: warning [{message.name}]{str(message).removeprefix(message.name)}\n")
            else:
                others(message, category, *where)

        warnings.showwarning = show
        yield


def _from_hdf5(error: Exception) -> bool:
    """Whether an error comes from HDF5 for an object that is missing in a file."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return "h5py" in frame.f_code.co_filename


PAGES = {  # what an error begins with, and the page that helps, see `dem.cli.commands.guide`
    "coarse-time-step: ": "warnings", "soft-contacts: ": "warnings", "implausible-density: ": "warnings",
    "the file is damaged: ": "resume", "integrator ": "rotation", "the exchange of temperature ": "heat",
}  # fmt: skip
TOPICS = {  # what it is about, where no beginning is known: the word that comes first
    "capsule": "capsules", "bond": "bonds", "inserter": "coming-and-going", "outlet": "coming-and-going",
    "rank": "clusters", "polyhedron": "convex", "ellipsoid": "convex", "superellipsoid": "convex", "heat": "heat",
    "temperature": "heat", "conductivity": "heat", "expansion": "heat", "Cell": "element-tests",
}  # fmt: skip
CASE_FILE = re.compile(r".+?\.toml: ")
LISTS = re.compile(r"(known are|input should be) .*")  # of words that would do


def _print_error(error: Exception, status: int) -> None:
    words = error_in_words(error)
    for line in words.splitlines():
        sys.stderr.write(f"dem: {line}\n")
    found = {getattr(error, "guide", "")} - {""}  # errors of a class with a page of its own
    found = found or {page for start, page in PAGES.items() if words.startswith(start)}
    found = found or ({"resume"} if isinstance(error, FloatingPointError) else set())
    about = LISTS.sub("", words)
    mentions = ((re.search(rf"\b{word}s?\b", about), page) for word, page in TOPICS.items())
    first = sorted((mention.start(), page) for mention, page in mentions if mention)[:1]
    found = found or {page for _, page in first}
    found = found or ({"case-files"} if CASE_FILE.match(words) else set())
    for page in sorted(found):
        sys.stderr.write(f"dem: more: dem guide {page}\n")
    _drop_frames(sys.exc_info()[1])
    raise typer.Exit(status) from None


def _drop_frames(error: BaseException | None) -> None:
    """Drop the frames of an error and of its contexts: objects of HDF5 in them would crash the end of Python."""
    while error is not None:
        error.__traceback__ = None
        error = error.__context__
