"""A file in memory pages over one on the disk."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Buffer

PAGE = 1 << 14


class Pages(io.RawIOBase):
    """A file in pages over another one, which it leaves as it is."""

    def __init__(
        self, disk: BinaryIO, pages: dict[int, bytes | bytearray] | None = None, size: int | None = None
    ) -> None:
        self.disk = disk
        self.pages: dict[int, bytes | bytearray] = pages or {}
        self.on_disk = disk.seek(0, io.SEEK_END)
        self.size = self.on_disk if size is None else size
        self._at = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can be read anywhere."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer as far as the file goes, from the pages first."""
        view = memoryview(buffer).cast("B")
        start, stop = self._at, min(self._at + len(view), self.size)
        for number in range(start // PAGE, -(-stop // PAGE)):
            first, last = max(start, number * PAGE), min(stop, (number + 1) * PAGE)
            part = view[first - start : last - start]
            if number in self.pages:
                part[:] = self.pages[number][first - number * PAGE : last - number * PAGE]
            else:
                self.disk.seek(first)
                part[:] = self.disk.read(len(part)).ljust(len(part), b"\0")
        self._at = max(start, stop)
        return self._at - start

    def close(self) -> None:
        """Close the file below; also called at garbage collection."""
        self.disk.close()
        super().close()
