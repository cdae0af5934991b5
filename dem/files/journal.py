"""The journal of a file: the pages that are about to replace committed ones, see `dem.files.store`."""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO

from dem.files.pages import PAGE

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"pcdm-dem journal"
HEAD = struct.Struct("<16sQQL")  # magic, size of the file, number of pages, checksum of these two and what follows
LARGEST = 1 << 60  # bytes of a file


def path_of(path: Path) -> Path:
    """Name of the journal of a file."""
    return path.with_name(path.name + ".journal")


def write_journal(journal: BinaryIO, pages: dict[int, bytes], size: int) -> None:
    """Write pages, and how long the file is to be, to the disk."""
    body = b"".join(part for number, page in pages.items() for part in (number.to_bytes(8, "little"), page))
    journal.seek(0)
    left = memoryview(HEAD.pack(MAGIC, size, len(pages), _checksum(size, len(pages), body)) + body)
    while left:
        left = left[journal.write(left) :]
    os.fsync(journal.fileno())


def _checksum(size: int, count: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(struct.pack("<QQ", size, count)))


def read_journal(path: Path) -> tuple[dict[int, bytes], int] | None:
    """Pages and size that a complete journal has; None if there is none, or it was cut off.

    Raises
    ------
    ValueError
        If it was complete once, for the file has some of its pages but not all, and has been damaged since.
    """
    try:
        data = path_of(path).read_bytes()
    except FileNotFoundError:
        return None
    if len(data) < HEAD.size:
        return None
    magic, size, count, checksum = HEAD.unpack_from(data)
    body = data[HEAD.size :]
    starts = range(0, len(body) - PAGE - 7, PAGE + 8)
    pages = {int.from_bytes(body[k : k + 8], "little"): body[k + 8 : k + 8 + PAGE] for k in starts}
    whole = magic == MAGIC and len(body) == count * (PAGE + 8) == len(pages) * (PAGE + 8)
    # of 0.1 and before, the sum is of the pages alone
    if whole and checksum in (_checksum(size, count, body), zlib.crc32(body)):
        if all(number * PAGE < size <= LARGEST for number in pages):
            return pages, size
        message = f"{path_of(path)} is damaged: it has pages beyond the end of the file"
        raise ValueError(message)
    _check_untouched(path, pages)
    return None


def _check_untouched(path: Path, pages: dict[int, bytes]) -> None:
    """Refuse a file that has some pages of a journal but not all: what replaced them was stopped half way.

    A journal has only pages that differ from those of the file, so one that was cut off has none in common with it.
    """
    with path.open("rb") as disk:
        there = [_has(disk, number, page) for number, page in pages.items()]
    if any(there) and not all(there):
        message = (
            f"{path_of(path)} is damaged, and {path} lacks what it had: bring both back from a copy, or remove the "
            "journal and see what dem repair saves"
        )
        raise ValueError(message)


def _has(disk: BinaryIO, number: int, page: bytes) -> bool:
    if number * PAGE > LARGEST:
        return False
    disk.seek(number * PAGE)
    there = disk.read(PAGE)
    return bool(there) and page.startswith(there)
