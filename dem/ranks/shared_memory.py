"""Memory that processes of one machine have in common."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

FOLDER = Path("/dev/shm")


def in_common(machine: MPI.Comm, size: int) -> np.ndarray | None:
    """So many bytes, zeros, that all ranks of a communicator see; None, for all of them, if one cannot have them.

    All call it. The file that the memory is has no name any more when this returns, so nothing is left of it when the
    processes are gone, however they end.
    """
    path = machine.bcast(_file(size) if machine.rank == 0 else None)
    found = _mapped(path, size) if path else None
    everywhere = all(machine.allgather(found is not None))
    if machine.rank == 0 and path:
        Path(path).unlink()
    return found if everywhere else None


def _file(size: int) -> str | None:
    """Name of a new file of so many bytes; None if there is no room."""
    try:
        handle, path = tempfile.mkstemp(prefix="pcdm-dem-", dir=FOLDER if FOLDER.is_dir() else None)
    except OSError:
        return None
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # rather than a signal when pages are touched
        else:
            os.truncate(handle, size)
    except OSError:
        Path(path).unlink()
        return None
    finally:
        os.close(handle)
    return path


def _mapped(path: str, size: int) -> np.ndarray | None:
    """What is in a file, as memory; None if it cannot be had here."""
    try:
        with Path(path).open("r+b") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
    except OSError:
        return None
