"""File with atomic commits: HDF5's writes between two commits reach the disk all together, or not at all.

HDF5 changes its file in many small writes; if they are interrupted, the file can be unreadable. Therefore HDF5 writes
to pages in memory (h5py's driver for file-like objects), and `JournaledFile.commit` writes them to the disk in an order
that may be interrupted anywhere:

1. pages beyond the end of what was committed: nothing refers to them yet;
2. a journal, ``FILE.journal``, of the pages that replace committed ones, with a checksum;
3. these pages themselves; then the journal is emptied.

If it is interrupted in 1 or 2, the file is unchanged. If it is interrupted in 3, the journal has the missing pages:
`open_to_read` reads them from there, and `recover` writes them into a copy, which replaces the file when it has been
read. Each stage is on the disk before the next one begins, so this holds for a power failure as well as for a kill. The
journal is locked while its writer runs, and is removed when the file is closed.

Before anything is written, `JournaledFile.lost` compares the file that stands at the path with the one that is open: a
file that was removed, replaced or changed by another program is written no further, and no file of another program is.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import h5py

from dem.base.replace import unused_name
from dem.files.storage.journal import (
    HEAD,
    PAGE,
    ForeignJournalError,
    Pages,
    has_journal,
    is_bound,
    is_journal,
    path_of,
    read_journal,
    write_journal,
)
from dem.files.validation import hdf5_validation
from dem.files.writing.output_settings import SIGNATURE, free_path

try:
    import fcntl
except ImportError:  # Windows has none: two writers are not detected there
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Buffer, Callable

TRIES, PAUSE = 20, 0.02  # looks at a file that is just being committed to, and seconds between them


class LostError(OSError):
    """The file at the path is not the one that was written, or another program has changed it."""


class JournaledFile(Pages):
    """File object for HDF5; the file on disk does not change before `commit`.

    Parameters
    ----------
    path : Path
        The file.
    new : bool
        Whether to create the file; otherwise it must exist, and the pages of its journal are written first.

    Raises
    ------
    FileExistsError
        If it exists and is to be created.
    BlockingIOError
        If another process is writing it.
    ValueError
        If its journal is damaged.
    """

    def __init__(self, path: Path, *, new: bool) -> None:
        self.path = path = path.absolute()  # the same file after a change of the working folder
        if not new:
            recover(path)
        super().__init__(path.open("x+b" if new else "r+b", buffering=0))
        self._new, self._torn = new, False
        try:
            _lock(self.disk, shared=True)  # so that other programs may read it but not write to it
            self.journal = _own_journal(path)
        except (OSError, ValueError):
            super().close()
            if new:
                path.unlink()
            raise

    def writable(self) -> bool:
        """Whether the file can be written: True."""
        return True

    def write(self, data: Buffer) -> int:
        """Write bytes to the pages in memory."""
        view = memoryview(data).cast("B")
        start, stop = self._at, self._at + len(view)
        for number in range(start // PAGE, -(-stop // PAGE)):
            begin = number * PAGE
            first, last = max(start, begin), min(stop, begin + PAGE)
            if last - first == PAGE:
                self.pages[number] = bytearray(view[first - start : last - start])
            else:
                self._page(number)[first - begin : last - begin] = view[first - start : last - start]
        self._at, self.size = stop, max(self.size, stop)
        return len(view)

    def _page(self, number: int) -> bytearray:
        if number not in self.pages:
            self.pages[number] = bytearray(self._committed(number).ljust(PAGE, b"\0"))
        return self.pages[number]

    def _committed(self, number: int) -> bytes:
        self.disk.seek(number * PAGE)
        return self.disk.read(PAGE)

    def truncate(self, size: int | None = None) -> int:
        """Set the size of the file."""
        self.size = self._at if size is None else size
        return self.size

    def flush(self) -> None:
        """Do nothing: HDF5 flushes at any time, and only `commit` writes to disk."""

    def commit(self) -> None:
        """Write all changes to disk, atomically.

        Raises
        ------
        LostError
            If the file is not at its path any more, or another program has changed it; nothing has been written then.
        OSError
            If it does not fit; what was committed before is intact then, and so is what waits.
        """
        if lost := self.lost():
            raise LostError(lost)
        if not _is_at(self.journal, path_of(self.path)):  # it was removed: what a kill leaves would have none
            journal = _own_journal(self.path)
            self.journal.close()
            self.journal = journal
        wanted = dict(sorted(self.pages.items()))
        # the first page refers to all others: in a new file it is written last
        old = {n: page for n, page in wanted.items() if n * PAGE < max(self.on_disk, 1)}
        replaced = {n: page for n, page in old.items() if not self.on_disk or not page.startswith(self._committed(n))}
        try:
            _write_pages(self.disk, wanted, max(self.on_disk, min(PAGE, self.size)), self.size)
            os.fsync(self.disk.fileno())
            there = {n: self._committed(n) for n in replaced}
            write_journal(self.journal, replaced, self.size, there, self.on_disk)
        except OSError:
            self.disk.truncate(self.on_disk)  # room again
            self.journal.truncate(0)
            raise
        self._torn = True
        _apply(self.disk, replaced, self.size)
        self._torn = False
        self.journal.truncate(0)
        self.pages.clear()
        if self.on_disk == 0:
            _sync_folder(self.path)
        self.on_disk = self.size

    def lost(self) -> str | None:
        """Description of a change of the file at the path by others since the last commit, or None."""
        try:
            there = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return "it was removed or renamed" if self.path.parent.is_dir() else "its folder was removed or renamed"
        except OSError:
            return None  # a folder above it may not be searched: it can still be there
        if not os.path.samestat(there, os.fstat(self.disk.fileno())):
            return "another file was put in its place"
        if there.st_size != self.on_disk:
            return f"another program has changed it, to {there.st_size} bytes from {self.on_disk}"
        return None

    @property
    def is_whole(self) -> bool:
        """Whether the open file, wherever it is now, still has the size of the last commit."""
        return os.fstat(self.disk.fileno()).st_size == self.on_disk

    def copy(self, path: Path) -> None:
        """Write the committed and the pending data to a new file; raises OSError if it exists or cannot be written."""
        with path.open("xb") as file:
            try:
                self.seek(0)
                shutil.copyfileobj(self, file, PAGE << 8)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                path.unlink(missing_ok=True)
                raise

    def move(self, path: Path) -> None:
        """Replace another file by this one, after the first commit."""
        path = path.absolute()
        self.path.replace(path)
        path_of(self.path).replace(path_of(path))
        self.path, self._new = path, False
        _sync_folder(path)

    def close(self) -> None:
        """Close the file; changes that are not committed are lost."""
        if not self.closed and hasattr(self, "journal"):
            if self._new and self.on_disk == 0 and _is_at(self.disk, self.path):
                self.path.unlink()  # nothing was ever committed
            if not self._torn and _is_at(self.journal, path_of(self.path)):
                path_of(self.path).unlink()
            self.journal.close()
        super().close()


def _is_at(file: BinaryIO, path: Path) -> bool:
    """Whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _sync_folder(path: Path) -> None:
    """Flush the folder entry of a file to disk."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def check_journal(path: Path) -> None:
    """Raise OSError if a file with the name of a journal is not a journal."""
    name = path_of(path)
    if name.is_symlink():
        raise OSError(f"{name} is a symbolic link, where the journal of {path} is to be: remove it")
    if name.exists():
        if name.is_file():
            with name.open("rb") as journal:
                if is_journal(journal.read(HEAD.size)):
                    return
        raise OSError(f"{name} is no journal of a run: move it away, or choose another name than {path}")


def _own_journal(path: Path) -> BinaryIO:
    """Empty, locked journal of a file; raises OSError if it holds pages of another file."""
    check_journal(path)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    journal = os.fdopen(os.open(path_of(path), flags, 0o666), "r+b", buffering=0)
    try:
        _lock(journal)
        if not _is_at(journal, path_of(path)):
            raise BlockingIOError  # another process recovered the file in between
        try:
            found = read_journal(path)
        except ForeignJournalError:
            found = True
        if found:
            raise OSError(f"{path_of(path)} belongs to a file that was moved away: bring that back, or remove it")
    except (OSError, ValueError):
        journal.close()
        raise
    journal.truncate(0)
    return journal


def _lock(file: BinaryIO, *, shared: bool = False) -> None:
    """Lock a file, or raise BlockingIOError; closing the file or the end of the process unlocks it."""
    if fcntl:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _write_pages(disk: BinaryIO, pages: dict[int, bytes], start: int, stop: int) -> None:
    """Write the pages between two offsets, adjacent pages in one call."""
    run, begin = [], 0
    for number in [*pages, None]:
        if run and (number is None or number * PAGE != begin + PAGE * len(run)):
            first = max(start, begin)
            left = memoryview(b"".join(run))[first - begin : max(stop, first) - begin]
            disk.seek(first)
            while left:
                left = left[disk.write(left) :]
            run = []
        if number is not None:
            begin = number * PAGE if not run else begin
            run.append(pages[number])


def _apply(disk: BinaryIO, pages: dict[int, bytes], size: int) -> None:
    _write_pages(disk, pages, 0, size)
    disk.truncate(size)
    os.fsync(disk.fileno())


def is_blank(path: Path) -> bool:
    """Whether a file is from a run killed before HDF5 wrote its signature: empty, or zeros beside a journal."""
    with path.open("rb") as file:
        start = file.read(len(SIGNATURE))
    return not start or (not start.strip(b"\0") and has_journal(path))


def is_broken(path: Path) -> bool:
    """Whether a file that HDF5 cannot open is a damaged HDF5 file: it begins as one, or is blank."""
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE or is_blank(path)


def unreadable(path: Path, error: Exception) -> str:
    """Error text for a file that HDF5 cannot open."""
    if path.stat().st_size == 0 and not has_journal(path):
        return f"{path} is empty: no run has written to it"
    if is_broken(path):
        return f"{path} is not a readable HDF5 file ({error}): dem repair may save its frames"
    return f"{path} is no HDF5 file, so no trajectory"


def being_written(path: Path) -> bool:
    """Whether a living process is writing the file."""
    if not has_journal(path):
        return False
    try:
        with path_of(path).open("rb") as journal:
            _lock(journal, shared=True)  # so that two readers do not take each other for the writer
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def recover(path: Path, problem: Callable[[h5py.File], str | None] = hdf5_validation.problem) -> str | None:
    """Apply the journal of a killed writer to its file; returns a message, None without a journal.

    A new file is written, checked by reading, and then replaces the old one; until then nothing changes. If the journal
    has no checksums that identify its file, the old file is kept as ``run.damaged.h5``.

    Raises
    ------
    BlockingIOError
        If the writer still runs.
    OSError
        If the new file cannot be written.
    ValueError
        If the journal belongs to another file, or the result cannot be read (`problem`).
    """
    if not has_journal(path):
        return None
    done = None
    with path_of(path).open("r+b") as journal:
        _lock(journal)
        found = read_journal(path)
        if found:
            kept = None if is_bound(path) else free_path(path.resolve(), "damaged")
            _replace_by_whole(path, found, problem, kept)
            done = "what its journal had was put in" + (f", {kept} is the file before that" if kept else "")
        if is_journal(journal.read(HEAD.size)) and not path_of(path).is_symlink():
            path_of(path).unlink(missing_ok=True)
    return done


def _replace_by_whole(
    path: Path, found: tuple[dict[int, bytes], int], problem: Callable[[h5py.File], str | None], kept: Path | None
) -> None:
    """Replace a file by a copy with the pages of its journal; the original is kept under another name."""
    target = path.resolve()  # the file that a link leads to is replaced, not the link
    whole = unused_name(target, ".partial")
    try:
        handle = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as new, Pages(path.open("rb", buffering=0), *found) as old:
            shutil.copyfileobj(old, new, PAGE << 8)
            new.flush()
            os.fsync(new.fileno())
        before = path.stat()
        with suppress(OSError, AttributeError):  # by root alone; Windows has no owners of this kind
            os.chown(whole, before.st_uid, before.st_gid)
        shutil.copymode(path, whole)
        if wrong := _why_unreadable(whole, problem):
            raise ValueError(f"{path} with what {path_of(path)} has for it {wrong}")
        if kept:
            _keep(target, kept)
        whole.replace(target)
        _sync_folder(target)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else error
        raise OSError(f"what {path_of(path)} has for {path} cannot be put into a copy of it: {reason}") from None
    finally:
        whole.unlink(missing_ok=True)


def _keep(path: Path, kept: Path) -> None:
    """Give a file a second name; it is copied where the file system has no hard links."""
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)


def _why_unreadable(path: Path, problem: Callable[[h5py.File], str | None]) -> str | None:
    """Reason why a file cannot be read; all chunks are looked up, as parts of their index may be in a journal."""

    def look_up(_: str, thing: h5py.Group | h5py.Dataset) -> None:
        if isinstance(thing, h5py.Dataset) and thing.chunks and not thing.is_virtual:
            ends = [chunk.byte_offset + chunk.size for chunk in hdf5_validation.chunks_of(thing)]
            hdf5_validation.require(max(ends, default=0) <= size, f"{thing.name} lies beyond its end")

    size = path.stat().st_size
    try:
        with h5py.File(path, "r") as file:
            found = problem(file)
            if found is None:
                file.visititems(look_up)
    except OSError as error:
        return f"is no readable HDF5 file ({error})"
    except hdf5_validation.UNREADABLE as error:
        return hdf5_validation.damaged(error)
    return found


def open_to_read(path: Path, problem: Callable[[h5py.File], str | None] = hdf5_validation.problem) -> h5py.File:
    """Open a file for reading, with the journal of a killed writer applied in memory if there is one.

    Raises
    ------
    OSError
        If it is no HDF5 file.
    ValueError
        If its contents are invalid (`problem`).
    """
    for left in range(TRIES - 1, -1, -1):
        live = being_written(path)
        try:
            file = _opened(path, None if live else read_journal(path))
        except OSError:
            if not (live and left):
                raise
        else:
            found = problem(file)
            if found is None:
                return file
            file.close()
            if not (live and left):
                raise ValueError(f"{path} {found}")
        time.sleep(PAUSE)  # the writer is between two pages
    raise AssertionError


def _opened(path: Path, journal: tuple[dict[int, bytes], int] | None) -> h5py.File:
    own = journal or _is_open(path)
    return h5py.File(Pages(path.open("rb", buffering=0), *(journal or ())) if own else path, "r")


def _is_open(path: Path) -> bool:
    """Whether this process has a file open by its path; HDF5 would then share what it knew when it was opened first."""
    wanted = path.stat()
    for number in h5py.h5f.get_obj_ids(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE):
        try:
            found = os.fstat(number.get_vfd_handle())
        except (OSError, RuntimeError):  # no file of the system
            continue
        if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False
