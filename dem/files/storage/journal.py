"""Pages of a file that are changed in memory, and their journal on disk, see `dem.files.storage.journaled_file`."""

from __future__ import annotations

import errno
import io
import os
import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Buffer
    from pathlib import Path

PAGE = 1 << 14
PIECE = 1 << 28  # bytes that are read at once from a file without changed pages


class Pages(io.RawIOBase):
    """Read-only view of a file with changed pages in memory; the file itself is not changed."""

    def __init__(
        self, disk: BinaryIO, pages: dict[int, bytes | bytearray] | None = None, size: int | None = None
    ) -> None:
        self.disk = disk
        self.pages: dict[int, bytes | bytearray] = pages or {}
        self.on_disk = disk.seek(0, io.SEEK_END)
        self.size = self.on_disk if size is None else size
        self._at = 0

    def readable(self) -> bool:
        """Whether the file can be read: True."""
        return True

    def seekable(self) -> bool:
        """Whether the file can be read at any place: True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer up to the end of the file, with changed pages first."""
        view = memoryview(buffer).cast("B")
        start, stop = self._at, min(self._at + len(view), self.size)
        length = PAGE if self.pages else PIECE
        for number in range(start // length, -(-stop // length)):
            first, last = max(start, number * length), min(stop, (number + 1) * length)
            part = view[first - start : last - start]
            if number in self.pages:
                part[:] = self.pages[number][first - number * length : last - number * length]
            else:
                self.disk.seek(first)
                part[:] = self.disk.read(len(part)).ljust(len(part), b"\0")
        self._at = max(start, stop)
        return self._at - start

    def close(self) -> None:
        """Close the underlying file; garbage collection calls this too."""
        self.disk.close()
        super().close()


MAGIC, EARLIER = b"pcdm-dem journa2", b"pcdm-dem journal"  # the latter of 0.2 and before, which had no sums of sectors
SECTOR = 512  # bytes, which a disk writes as a whole
SUMS = struct.Struct(f"<{PAGE // SECTOR}L")
HEAD = struct.Struct("<16sQQL")  # magic, size of the file, number of pages, checksum of these two and what follows
LARGEST = 1 << 60  # bytes of a file


class ForeignJournalError(ValueError):
    """A journal belongs to another file than that of its name."""


def path_of(path: Path) -> Path:
    """Path of the journal of a file."""
    return path.with_name(path.name + ".journal")


def has_journal(path: Path) -> bool:
    """Whether there is a file with the name of the journal of a file; not a folder, or a pipe, which would block."""
    try:
        return path_of(path).is_file()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False  # the file can be read, and no run can have written it


def is_bound(path: Path) -> bool:
    """Whether a journal identifies its file by checksums; journals of version 0.2 and before do not."""
    with path_of(path).open("rb") as journal:
        return journal.read(len(MAGIC)) == MAGIC


def write_journal(journal: BinaryIO, pages: dict[int, bytes], size: int, there: dict[int, bytes], before: int) -> None:
    """Write changed pages, the new file size, and checksums that identify the file.

    The checksums are of the sectors that the pages replace (`there`); `before` is the length of the file now.
    """
    body = before.to_bytes(8, "little") + b"".join(
        part for n, page in pages.items() for part in (n.to_bytes(8, "little"), page, SUMS.pack(*_sums(there[n])))
    )
    journal.seek(0)
    left = memoryview(HEAD.pack(MAGIC, size, len(pages), _checksum(size, len(pages), body)) + body)
    while left:
        left = left[journal.write(left) :]
    os.fsync(journal.fileno())


def _sums(page: bytes) -> list[int]:
    page = bytes(page).ljust(PAGE, b"\0")
    return [zlib.crc32(page[k : k + SECTOR]) for k in range(0, PAGE, SECTOR)]


def is_journal(data: bytes) -> bool:
    """Whether the first bytes of a file are those of a journal, perhaps an incomplete one."""
    begin = data[: len(MAGIC)]
    return MAGIC.startswith(begin) or EARLIER.startswith(begin)


def _checksum(size: int, count: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(struct.pack("<QQ", size, count)))


def read_journal(path: Path) -> tuple[dict[int, bytes], int] | None:
    """Pages and file size in a complete journal; None if there is none, or if it is incomplete.

    Raises
    ------
    ValueError
        If it was complete once, for the file has some of its pages but not all, and has been damaged since; or if the
        file is another one than that which the journal is for.
    """
    if not has_journal(path):
        return None
    try:
        data = path_of(path).read_bytes()
    except FileNotFoundError:  # its writer has just ended
        return None
    if len(data) < HEAD.size:
        return None
    magic, size, count, checksum = HEAD.unpack_from(data)
    body = data[HEAD.size :]
    first, each = (0, PAGE + 8) if magic == EARLIER else (8, PAGE + 8 + SUMS.size)
    starts = range(first, len(body) - each + 1, each)
    pages = {int.from_bytes(body[k : k + 8], "little"): body[k + 8 : k + 8 + PAGE] for k in starts}
    whole = magic in (MAGIC, EARLIER) and len(body) - first == count * each == len(pages) * each
    # of 0.1 and before, the sum is of the pages alone
    if whole and checksum in (_checksum(size, count, body), zlib.crc32(body)):
        if not all(number * PAGE < size <= LARGEST for number in pages):
            raise ValueError(f"{path_of(path)} is damaged: it has pages beyond the end of the file")
        sums = {n: SUMS.unpack_from(body, k + 8 + PAGE) for n, k in zip(pages, starts, strict=True) if first}
        if not _belongs(path, pages, size, sums, int.from_bytes(body[:first], "little")):
            message = (
                f"{path_of(path)} is of a killed run and not for {path} as it is now, which may have been replaced: "
                "remove the journal to use the file as it is, or bring back the file that the run has left"
            )
            if not first:
                message += f"; if both are as the run has left them, and were copied, touch {path_of(path).name}"
            raise ForeignJournalError(message)
        return pages, size
    _check_untouched(path, pages)
    return None


def _belongs(path: Path, pages: dict[int, bytes], size: int, sums: dict[int, tuple], before: int) -> bool:
    """Whether a file belongs to a journal: each sector is as before the commit or as after it.

    One sector may have been written in part. A journal of an earlier version has only the length of the file.
    """
    length = path.stat().st_size
    if not sums:
        if length < size:
            return False
        if path.stat().st_mtime_ns <= path_of(path).stat().st_mtime_ns:
            return True
        with path.open("rb") as disk:
            return any(_has(disk, number, page) for number, page in pages.items())
    if length not in (size, max(before, size)):
        return False
    torn = 0
    with path.open("rb") as disk:
        for number, page in pages.items():
            disk.seek(number * PAGE)
            there = disk.read(PAGE).ljust(PAGE, b"\0")
            new = page[: max(size - number * PAGE, 0)].ljust(PAGE, b"\0")
            for k, as_before in enumerate(sums[number]):
                sector = slice(k * SECTOR, (k + 1) * SECTOR)
                if there[sector] != new[sector] and zlib.crc32(there[sector]) != as_before:
                    torn += 1
    return torn <= 1


def _check_untouched(path: Path, pages: dict[int, bytes]) -> None:
    """Refuse a file that has some pages of a journal but not all: their replacement was interrupted.

    A journal has only pages that differ from those of the file, so one that was cut off has none in common with it.
    """
    with path.open("rb") as disk:
        there = [_has(disk, number, page) for number, page in pages.items()]
    if any(there) and not all(there):
        raise ValueError(
            f"{path_of(path)} is damaged, and {path} lacks what it had: bring both back from a copy, or remove the "
            "journal and see what dem repair saves"
        )


def _has(disk: BinaryIO, number: int, page: bytes) -> bool:
    if number * PAGE > LARGEST:
        return False
    disk.seek(number * PAGE)
    there = disk.read(PAGE)
    return bool(there) and page.startswith(there)
