"""Lock of the folder of a sweep. Without it, two sweeps in one folder would write to the same table."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # Windows has none: two sweeps in one folder are not detected there
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and lock it; raises OSError if another sweep has locked it.

    The end of the process unlocks the folder. A file system without locks locks nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not _locked(handle):
            raise OSError(
                f"{folder} is being written by another sweep: wait until it has ended, or take another folder"
            )
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # workers forked in between have the same lock
        os.close(handle)


def _locked(handle: int) -> bool:
    """Lock an open folder, or return False if it is locked."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # there are no locks here
        return True
    return True
