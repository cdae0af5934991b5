"""Memory shared by the processes of one machine."""

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


def shared_bytes(machine: MPI.Comm, size: int) -> np.ndarray | None:
    """Bytes (size,), zero at first, shared by all ranks of a communicator; None on all if one of them fails.

    Collective. The file behind the memory is unlinked before this returns, so it vanishes with the processes, however
    they end.
    """
    path = machine.bcast(_file(size) if machine.rank == 0 else None)
    found = _mapped(path, size) if path else None
    everywhere = all(machine.allgather(found is not None))
    if machine.rank == 0 and path:
        Path(path).unlink()
    return found if everywhere else None


def _file(size: int) -> str | None:
    """Name of a new file of `size` bytes; None if the disk is full."""
    try:
        handle, path = tempfile.mkstemp(prefix="pcdm-dem-", dir=FOLDER if FOLDER.is_dir() else None)
    except OSError:
        return None
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # fails here, not by a signal when a page is touched
        else:
            os.truncate(handle, size)
    except OSError:
        Path(path).unlink()
        return None
    finally:
        os.close(handle)
    return path


def _mapped(path: str, size: int) -> np.ndarray | None:
    """Map a file into memory; None if that fails."""
    try:
        with Path(path).open("r+b") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
    except OSError:
        return None
