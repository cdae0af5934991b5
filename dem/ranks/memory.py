"""Memory that processes of one machine have in common."""

from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

FOLDER = Path("/dev/shm")  # noqa: S108, memory in the shape of files; where there is none, a folder for other such files


def in_common(machine: MPI.Comm, size: int) -> np.ndarray | None:
    """So many bytes, zeros, that all ranks of a communicator see; None, for all of them, if one cannot have them.

    All call it. The file that the memory is has no name any more when this returns, so nothing is left of it when the
    processes are gone, however they end.
    """
    handle, path = -1, None
    if machine.rank == 0:
        handle, path = _file(size)
    path = machine.bcast(path)
    found = None
    if path:
        with suppress(OSError):
            handle = os.open(path, os.O_RDWR) if machine.rank > 0 else handle
            found = np.frombuffer(mmap.mmap(handle, size), np.uint8)
    everywhere = all(machine.allgather(found is not None))
    if handle >= 0:
        os.close(handle)
    if machine.rank == 0 and path:
        Path(path).unlink()
    return found if everywhere else None


def _file(size: int) -> tuple[int, str | None]:
    """A file of so many bytes, open, and its name; or none if there is no room."""
    handle, path = tempfile.mkstemp(prefix="pcdm-dem-", dir=FOLDER if FOLDER.is_dir() else None)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # rather than a signal when pages are touched
        else:
            os.truncate(handle, size)
    except OSError:
        os.close(handle)
        Path(path).unlink()
        return -1, None
    return handle, path
