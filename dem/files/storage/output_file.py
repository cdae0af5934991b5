"""HDF5 file that is written in one go, such as an export; a full disk ends it with one error."""

from __future__ import annotations

import io
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import h5py

if TYPE_CHECKING:
    from collections.abc import Buffer, Iterator
    from pathlib import Path


class _Disk(io.FileIO):
    """File object for HDF5 that stores nothing more after its first error.

    HDF5 cannot close a file that cannot be written: each of its objects then fails in turn, and the process can crash
    when it ends. So the first error is raised where HDF5 is called, or kept if HDF5 is closing the file.
    """

    error: OSError | None = None
    is_closing = False

    def write(self, data: Buffer) -> int:
        """Write all bytes, unless there was an error."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        with self._kept_error():
            while rest and self.error is None:
                rest = rest[super().write(rest) :]
        return size

    def truncate(self, size: int | None = None) -> int:
        """Set the size of the file, unless there was an error."""
        with self._kept_error():
            return super().truncate(size) if self.error is None else size
        return size

    @contextmanager
    def _kept_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = error
            if not self.is_closing:
                raise


@contextmanager
def output_file(path: Path) -> Iterator[h5py.File]:
    """Write a new HDF5 file; raises OSError if the disk is full, and FileExistsError if the file exists."""
    disk = _Disk(path, "x+")
    try:
        with closing(disk), h5py.File(disk, "w") as file:
            try:
                yield file
            finally:
                disk.is_closing = True
    except Exception:
        if disk.error is None:
            raise
    if disk.error is not None:
        raise disk.error from None
