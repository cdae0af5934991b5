"""What all commands share: the application, where it prints, how errors become one line and a status."""

from __future__ import annotations

import functools
import signal
import sys
import traceback
import warnings
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from dem.base.notices import DemWarning
from dem.files.writer import DiskFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

app = typer.Typer(
    name="dem",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console(markup=False, highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 160)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"pcdm-dem {version('pcdm-dem')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version_: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Discrete element simulations of rigid spheres and sphere-clustered fibres."""


def plain_errors(command: Callable) -> Callable:
    """Turn exceptions into one line each on stderr and the exit status."""

    @functools.wraps(command)
    def wrapped(*args: object, **kwargs: object) -> None:
        try:
            with _warnings_in_words():
                command(*args, **kwargs)
        except (FloatingPointError, DiskFullError) as error:
            _complain(error, status=1)
        except (ValueError, TypeError, OSError, OverflowError, ImportError) as error:
            _complain(error, status=2)
        except (KeyError, RuntimeError) as error:
            if not _from_hdf5(error):
                raise
            message = f"the file is damaged: {error.args[0]}"
            _complain(ValueError(message), status=2)
        except MemoryError:
            _complain(MemoryError("there is not enough memory for this many particles or spheres"), status=2)
        except KeyboardInterrupt as stopped:
            sys.stderr.write(f"{stopped or 'interrupted'}\n")
            raise typer.Exit(128 + getattr(stopped, "signal", signal.SIGINT)) from None

    return wrapped


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Show warnings of the engine as one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DemWarning)
        others = warnings.showwarning

        def show(message: Warning, category: type[Warning], *where: object) -> None:
            if issubclass(category, DemWarning):
                sys.stderr.write(f"dem: warning [{message.name}]{str(message).removeprefix(message.name)}\n")
            else:
                others(message, category, *where)

        warnings.showwarning = show
        yield


def _from_hdf5(error: Exception) -> bool:
    """Whether HDF5 could not find in a file what should be there."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return "h5py" in frame.f_code.co_filename


def _complain(error: Exception, status: int) -> None:
    for line in str(error).splitlines():
        sys.stderr.write(f"dem: {line}\n")
    raise typer.Exit(status) from None
