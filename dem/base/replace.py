"""Files that appear at their path, or replace others, only when complete; error messages if one cannot be written."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class OutputError(OSError):
    """A trajectory cannot be written any further; the message says where the frames up to then are."""


def unused_name(path: Path, ending: str) -> Path:
    """A name next to a file that no file has and that cannot be foreseen: ``run.h5.3f9c02ab.partial``.

    So a file that is being made neither replaces a user's own file nor follows a link that was put there.
    """
    while True:
        found = path.with_name(f"{path.name}.{secrets.token_hex(4)}{ending}")
        if not os.path.lexists(found):
            return found


@contextmanager
def replace_when_done(path: Path) -> Iterator[Path]:
    """A new file next to `path` that takes its place in the end, and goes if there is an error."""
    partial = unused_name(path.with_name(path.stem), f".part{path.suffix}")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise OSError(f"output {path} cannot be written: {reason}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def folder_for(path: Path) -> Iterator[Path]:
    """Make a folder and those above it if necessary; new folders that stay empty are removed at the end."""
    made = [each for each in (path, *path.parents) if not each.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield path
    finally:
        for each in made:
            with suppress(OSError):
                each.rmdir()
