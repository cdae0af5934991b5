"""A file that is cut off anywhere is in the state before a commit or after it."""

import os
import zlib

import h5py
import numpy as np
import pytest

from dem.files.storage.journal import EARLIER, HEAD, SUMS, path_of, write_journal
from dem.files.storage.journaled_file import PAGE, JournaledFile, _write_pages, being_written, open_to_read, recover

ROWS = 700  # 5.6 kB a frame: pages are shared by frames, chunks lie over several pages

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


class Killed(BaseException):
    """The process is gone."""


class Fuse:
    """A file that lets so many operations through; of the write after them, a part arrives."""

    def __init__(self, file, left):
        self.file, self.left = file, left

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        self._burn(lambda: self.file.write(bytes(data[: len(data) // 2])))
        return self.file.write(data)

    def truncate(self, size):
        self._burn()
        return self.file.truncate(size)

    def _burn(self, last=lambda: None):
        if not self.left:
            last()
            raise Killed
        self.left[:] = [None] * (len(self.left) - 1)


def append(file, k):
    for name in ("a", "b"):
        dataset = file[name]
        dataset.resize(k + 1, 0)
        dataset[k] = k if name == "a" else np.full(ROWS, float(k))


def begin(path):
    store = JournaledFile(path, new=True)
    file = h5py.File(store, "w")
    file.create_dataset("a", (0,), np.int64, maxshape=(None,), chunks=(16,))
    file.create_dataset("b", (0, ROWS), np.float64, maxshape=(None, ROWS), chunks=(4, ROWS))
    return store, file


def frames(file):
    a, b = file["a"][:], file["b"][:]
    assert a.tolist() == list(range(len(a)))
    np.testing.assert_array_equal(b, np.repeat(np.arange(float(len(a))), ROWS).reshape(-1, ROWS))
    return len(a)


def die(store, file):
    """Leave the disk as a killed process does: locks go, nothing is tidied up."""
    file.close()
    for thing in (store.journal, store.disk):
        thing.close()


@pytest.mark.parametrize("first", [0, 3, 40], ids="of {} frames".format)
@pytest.mark.few(2)
def test_cut_off_anywhere_in_a_commit(tmp_path, first):
    """At every operation of a commit; 40 frames are where HDF5 splits its tree of chunks."""
    seen, fuse = set(), 0
    while True:
        path = tmp_path / f"{fuse}.h5"
        store, file = begin(path)
        if first:
            for k in range(first):
                append(file, k)
            file.flush()
            store.commit()
        for k in range(first, first + 5):
            append(file, k)
        file.flush()
        left = [None] * fuse
        store.disk, store.journal = Fuse(store.disk, left), Fuse(store.journal, left)
        try:
            store.commit()
        except Killed:
            die(store, file)
        else:
            file.close()
            store.close()
            break
        fuse += 1
        try:
            with open_to_read(path) as torn:
                seen.add(frames(torn))
        except OSError:
            assert first == 0  # nothing had been committed
            continue
        recover(path)
        with h5py.File(path) as plain:
            assert frames(plain) in (first, first + 5)
        again = JournaledFile(path, new=False)
        with h5py.File(again, "r+") as longer:
            append(longer, frames(longer))
        again.commit()
        again.close()
        with h5py.File(path) as plain:
            frames(plain)
        assert not path.with_name(path.name + ".journal").exists()
    assert fuse > 2
    assert seen == ({first, first + 5} if first else {5})


@pytest.fixture(params=["before its pages", "among its pages"])
def stopped(request, tmp_path, monkeypatch):
    """A file of 37 frames whose writer died in the commit of 5 more when the journal was complete, and where."""

    def apply_some(disk, pages, size):
        done = dict(list(pages.items())[:2] if request.param == "among its pages" else [])
        _write_pages(disk, done, 0, size)
        raise Killed

    path = tmp_path / "run.h5"
    store, file = begin(path)
    for k in range(42):
        append(file, k)
        if k == 36:  # in the middle of a chunk, which the next commit replaces
            file.flush()
            store.commit()
    file.flush()
    with monkeypatch.context() as patched:
        patched.setattr("dem.files.storage.journaled_file._apply", apply_some)
        with pytest.raises(Killed):
            store.commit()
    die(store, file)
    return path, request.param


def test_a_journal_with_a_byte_changed_is_not_put_in(stopped, rng):
    """Where its pages are in the file in part, the file is refused and left as it is; where none is, it goes on."""
    path, where = stopped
    journal = path_of(path)
    data, before = journal.read_bytes(), path.read_bytes()
    assert len(data) >= HEAD.size + 3 * (PAGE + 8)  # so that one that is in place is left
    with open_to_read(path) as whole:
        assert frames(whole) == 42
    for at in [*range(HEAD.size), *rng.integers(HEAD.size, len(data), 12)]:
        changed = bytearray(data)
        changed[at] ^= 1 << int(rng.integers(8))
        journal.write_bytes(changed)
        path.write_bytes(before)
        if where == "before its pages":
            with open_to_read(path) as untouched:
                assert frames(untouched) == 37
            assert not recover(path)
            continue
        for touch in (open_to_read, recover, lambda path: JournaledFile(path, new=False)):
            with pytest.raises(ValueError, match=r"journal is damaged, and .* lacks what it had") as refused:
                touch(path)
            assert "\n" not in str(refused.value)
            assert (journal.read_bytes(), path.read_bytes()) == (bytes(changed), before)


@pytest.mark.parametrize(("size", "number"), [(2**40, 2**50), (PAGE, 1), (2**63, 0)])
def test_a_journal_of_pages_that_no_file_has_is_refused(tmp_path, size, number):
    """With a checksum that is right."""
    path = tmp_path / "run.h5"
    path.write_bytes(bytes(PAGE))
    with path_of(path).open("wb") as journal:
        write_journal(journal, {number: bytes(PAGE)}, size, {number: bytes(PAGE)}, PAGE)
    for touch in (open_to_read, recover):
        with pytest.raises(ValueError, match="has pages beyond the end of the file"):
            touch(path)
    assert path.read_bytes() == bytes(PAGE)


@pytest.fixture
def earlier(stopped):
    """The same with a journal of 0.1, whose checksum is of the pages alone; and the bytes of the file."""
    path, _ = stopped
    data = path_of(path).read_bytes()
    _, size, count, _ = HEAD.unpack_from(data)
    each = 8 + PAGE + SUMS.size
    body = b"".join(data[HEAD.size + 8 + k * each :][: 8 + PAGE] for k in range(count))
    path_of(path).write_bytes(HEAD.pack(EARLIER, size, count, zlib.crc32(body)) + body)
    left = path.read_bytes()
    return path, left


def test_a_journal_of_an_earlier_version_is_put_in(earlier):
    """The file as it was is kept, for such a journal knows its file by its size and age alone."""
    path, left = earlier
    assert "run.damaged.h5 is the file before that" in recover(path)
    with h5py.File(path) as file:
        assert frames(file) == 42
    assert path.with_name("run.damaged.h5").read_bytes() == left


def test_a_journal_of_an_earlier_version_is_not_put_into_a_backup(earlier):
    """Written after the journal, if only by a moment, without a page of it; one that is older is kept."""
    path, left = earlier
    journal = path_of(path).read_bytes()
    numbers = range(0, len(left), PAGE)
    backup = b"".join(bytes([left[k] ^ 1]) + left[k + 1 : k + PAGE] for k in numbers)
    path.write_bytes(backup)
    now = path_of(path).stat().st_mtime_ns
    os.utime(path, ns=(now, now + 1_000_000))
    for touch in (open_to_read, recover):
        with pytest.raises(ValueError, match=r"not for .* as it is now.*copied, touch run.h5.journal"):
            touch(path)
    os.utime(path, ns=(now, now))
    assert (path.read_bytes(), path_of(path).read_bytes()) == (backup, journal)
    os.utime(path, ns=(now, now))
    assert recover(path)
    assert path.with_name("run.damaged.h5").read_bytes() == backup


def test_a_journal_is_not_put_in_where_no_chunk_can_be_found_then(tmp_path):
    """Although the journal fits, and what comes out can be opened."""
    path = tmp_path / "run.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("rows", data=np.ones((100, 10)), chunks=(5, 10), maxshape=(None, 10))
    data = path.read_bytes()
    assert data.count(b"TREE\1") == 1  # the index of the chunks
    path.write_bytes(before := data.replace(b"TREE\1", b"GONE\1"))
    pages = {0: before[:PAGE].ljust(PAGE, b"\0")}
    with path_of(path).open("wb") as journal:
        write_journal(journal, pages, len(before), pages, len(before))
    with pytest.raises(ValueError, match=r"run\.h5 with what .* has for it is damaged"):
        recover(path)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["run.h5", "run.h5.journal"]


def test_recovering_leaves_the_file_until_the_result_has_been_read(stopped, monkeypatch):
    """A full disk, a result that is refused, a kill: file and journal are as they were, and the next one succeeds."""
    path, _ = stopped
    before = path.read_bytes(), path_of(path).read_bytes(), path.stat().st_ino

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("dem.files.storage.journaled_file.shutil.copyfileobj", fail)
        with pytest.raises(OSError, match="put into a copy of it: no space left"):
            recover(path)
    with pytest.raises(ValueError, match=r"run\.h5 with what .* has for it is odd"):
        recover(path, lambda _: "is odd")
    assert (path.read_bytes(), path_of(path).read_bytes(), path.stat().st_ino) == before
    assert sorted(os.listdir(path.parent)) == ["run.h5", "run.h5.journal"]

    def kill(_):
        raise Killed

    path.chmod(0o640)
    with monkeypatch.context() as patched:
        # the copy is in place, the journal still there
        patched.setattr("dem.files.storage.journaled_file._sync_folder", kill)
        with pytest.raises(Killed):
            recover(path)
    assert path.stat().st_ino != before[2]
    assert recover(path)
    assert path.stat().st_mode & 0o777 == 0o640
    with h5py.File(path) as file:
        assert frames(file) == 42
    assert os.listdir(path.parent) == ["run.h5"]


def test_recovering_through_a_link_replaces_the_file_and_not_the_link(stopped):
    path, _ = stopped
    link = path.with_name("link.h5")
    link.symlink_to(path)
    path_of(path).rename(path_of(link))
    assert recover(link)
    assert link.is_symlink()
    with h5py.File(path) as file:
        assert frames(file) == 42


def test_a_journal_is_not_put_into_a_file_that_was_put_back(stopped):
    """A backup of the same run, older or newer, is left as it is, and the journal in the way is named."""
    path, _ = stopped
    left = path.read_bytes()
    changed = bytearray(left)
    changed[5 * SUMS.size : 9 * PAGE : 4096] = b"!" * len(changed[5 * SUMS.size : 9 * PAGE : 4096])
    for backup in (left[: 2 * PAGE], left + bytes(PAGE), bytes(changed)):
        path.write_bytes(backup)
        for touch in (open_to_read, recover, lambda path: JournaledFile(path, new=False)):
            with pytest.raises(ValueError, match=r"journal is of a killed run and not for .* as it is now"):
                touch(path)
        assert path.read_bytes() == backup
    path.write_bytes(left)
    assert recover(path)


def test_a_file_of_the_name_of_a_journal_is_left_alone(tmp_path):
    """One of a user's own is neither emptied nor removed, nor is what a link leads to."""
    path, other = tmp_path / "run.h5", tmp_path / "thesis"
    other.write_text("of my own")
    for make in (path_of(path).write_text, lambda _: (path_of(path).unlink(), path_of(path).symlink_to(other))):
        make("of my own")
        with pytest.raises(OSError, match=r"is no journal of a run|is a symbolic link"):
            JournaledFile(path, new=True)
        assert path_of(path).read_text() == other.read_text() == "of my own"
        assert not path.exists()


@pytest.mark.parametrize("make", [os.mkdir, pytest.param(getattr(os, "mkfifo", None), marks=needs_pipes)])
def test_a_folder_or_a_pipe_of_the_name_of_a_journal_is_passed_over_by_readers(tmp_path, make):
    """A pipe would be waited for without end; a writer has no place for its journal there, and refuses."""
    path = tmp_path / "run.h5"
    store, file = begin(path)
    append(file, 0)
    file.flush()
    store.commit()
    file.close()
    store.close()
    make(path_of(path))
    assert not being_written(path)
    assert recover(path) is None
    with open_to_read(path) as found:
        assert frames(found) == 1
    with pytest.raises(OSError, match="is no journal of a run: move it away"):
        JournaledFile(path, new=False)


@pytest.mark.skipif(not hasattr(os, "pathconf"), reason="the longest name is not known")
def test_a_file_whose_journal_would_have_too_long_a_name_is_read(tmp_path):
    """It was renamed after its run. A run of this name is refused."""
    store, file = begin(tmp_path / "run.h5")
    append(file, 0)
    file.flush()
    store.commit()
    file.close()
    store.close()
    path = (tmp_path / "run.h5").rename(tmp_path / ("x" * (os.pathconf(tmp_path, "PC_NAME_MAX") - 3) + ".h5"))
    assert not being_written(path)
    assert recover(path) is None
    with open_to_read(path) as found:
        assert frames(found) == 1
    with pytest.raises(OSError, match="File name too long"):
        JournaledFile(path, new=False)


class Full(Fuse):
    """A file that cannot grow."""

    def write(self, data):
        at, room = self.file.tell(), self.left
        if at + len(data) > room:
            self.file.write(bytes(data[: max(0, room - at)]))
            raise OSError(28, "No space left on device")
        return self.file.write(data)

    def truncate(self, size):
        return self.file.truncate(size)


@pytest.mark.parametrize("full", ["disk", "journal"])
def test_a_full_disk_leaves_what_was_committed(tmp_path, full):
    path = tmp_path / "run.h5"
    store, file = begin(path)
    for k in range(3):
        append(file, k)
    file.flush()
    store.commit()
    for k in range(3, 9):
        append(file, k)
    file.flush()
    size, file_with_room = path.stat().st_size, getattr(store, full)
    setattr(store, full, Full(file_with_room, size if full == "disk" else 20_000))
    with pytest.raises(OSError, match="No space"):
        store.commit()
    assert path.stat().st_size == size
    with open_to_read(path) as reader:
        assert frames(reader) == 3
    setattr(store, full, file_with_room)  # there is room again
    store.commit()
    file.close()
    store.close()
    with h5py.File(path) as plain:
        assert frames(plain) == 9


def test_a_file_that_is_being_written_can_be_read_but_not_written(tmp_path):
    path = tmp_path / "run.h5"
    store, file = begin(path)
    append(file, 0)
    file.flush()
    store.commit()
    assert being_written(path)
    with h5py.File(path, "r") as reader:  # as any other program
        assert frames(reader) == 1
    with pytest.raises(BlockingIOError):
        h5py.File(path, "r+")
    with pytest.raises(BlockingIOError):
        JournaledFile(path, new=False)
    with pytest.raises(FileExistsError):
        JournaledFile(path, new=True)
    append(file, 1)
    file.close()
    store.commit()
    store.close()
    assert not being_written(path)
    with h5py.File(path, "r") as reader:
        assert frames(reader) == 2


def test_nothing_is_left_of_a_file_that_was_never_committed(tmp_path):
    store, file = begin(tmp_path / "run.h5")
    file.close()
    store.close()
    assert not list(tmp_path.iterdir())


def test_pages_hold_what_a_file_would(tmp_path):
    """Random writes, reads and truncations, next to a real file."""
    rng = np.random.default_rng(5)
    with (tmp_path / "real").open("w+b") as real:
        store = JournaledFile(tmp_path / "ours", new=True)
        for _ in range(300):
            at, count = int(rng.integers(6 * PAGE)), int(rng.integers(1, 3 * PAGE))
            for file in (real, store):
                file.seek(at)
            if rng.random() < 0.5:
                data = rng.bytes(count)
                assert real.write(data) == store.write(data)
            else:
                ours = bytearray(count)
                expected = real.read(count)
                assert store.readinto(ours) == len(expected)
                assert ours[: len(expected)] == expected
            if rng.random() < 0.2:
                store.commit()
        store.commit()
        real.flush()
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "real").read_bytes()
        store.close()
    assert os.listdir(tmp_path) == ["ours"] or sorted(os.listdir(tmp_path)) == ["ours", "real"]
