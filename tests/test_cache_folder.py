"""Code is read only from folders that no other user can have written to, and there always is one."""

import hashlib
import os
import pickle
import shutil
import subprocess
import sys

import pytest
from dem.kernels.compiler import jit, private_folder, stages

OTHER = 54321  # a user that is not there
START = "import dem.kernels.compiler.jit as jit; print(jit.CACHE); print(jit.REFUSED)"

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may act for others")
needs_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes mean nothing here")


def foreign(path):
    os.chown(path, OTHER, OTHER)


def open_to_all(path):
    path.chmod(0o777)


def open_to_a_group(path):
    os.chown(path, -1, OTHER)
    path.chmod(0o770)


def link(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


@needs_posix
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (open_to_all, "other users may write to"),
        pytest.param(open_to_a_group, "other users may write to", marks=needs_root),
        (link, "is a symbolic link"),
        pytest.param(foreign, "belongs to user 54321", marks=needs_root),
    ],
)
@pytest.mark.parametrize("inner", [True, False])
def test_a_folder_that_others_may_have_written_to_is_refused(tmp_path, spoil, said, inner):
    """As is one below it, whatever it looks like itself, unless a link above it leads to a safe place."""
    folder = tmp_path / "cache" / "kernels"
    assert private_folder.make_private(folder) is None
    spoil(folder if inner else folder.parent)
    reason = private_folder.make_private(folder)
    if spoil is link and not inner:
        assert reason is None
    else:
        assert said in reason


@needs_posix
def test_a_folder_in_one_that_all_may_write_to_is_accepted_under_the_sticky_bit(tmp_path):
    """As in /tmp, where nobody may put another folder in its place."""
    tmp_path.chmod(0o1777)
    assert private_folder.make_private(tmp_path / "kernels") is None


class Planted:
    """What does something as soon as it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (self.mark,)


@needs_posix
@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("spoil", [None, open_to_all, pytest.param(open_to_a_group, marks=needs_root)])
def test_files_planted_in_a_folder_that_others_may_write_to_are_not_loaded(tmp_path, monkeypatch, spoil, inner):
    """Although their checksums are right; they are where nobody else may write to, so that the files would do."""
    folder, mark = tmp_path / "cache" / "".join(jit._cache_name()), tmp_path / "mark"
    folder.mkdir(parents=True, mode=0o700)
    data = pickle.dumps(Planted(str(mark)))
    (folder / "planted.stage").write_bytes(hashlib.sha256(data).digest() + data)
    if spoil:
        spoil(folder if inner else folder.parent)
    monkeypatch.setattr(private_folder, "user_cache", lambda: tmp_path / "user")
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(folder.parent))
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(jit._cache_folder()[0]))
    try:
        stages.StageRegistry().find("planted")
    except TypeError:  # that is no stage
        assert spoil is None
    assert mark.exists() == (spoil is None)


def test_kernels_planted_in_a_shared_cache_are_not_used(tmp_path, monkeypatch):
    """The next place is taken, and it is said why."""
    planted = tmp_path / "shared" / "".join(jit._cache_name())
    planted.mkdir(parents=True)
    planted.chmod(0o777)
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(planted.parent))
    monkeypatch.setattr(private_folder, "user_cache", lambda: tmp_path / "user")
    folder, _, refused = jit._cache_folder()
    assert folder.parent == tmp_path / "user"
    assert refused == f"other users may write to {planted}"


@needs_root
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv to act for another user")
@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.few(1, long=99)
def test_a_user_without_any_folder_starts(tmp_path, cache):
    """Without HOME and a row in the table of users; also where NUMBA_CACHE_DIR belongs to another user."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    environment |= {"TMPDIR": "/tmp", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path) if cache else ""
    user = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", sys.executable, "-c"]
    if subprocess.run([*user, "import numba, h5py"], check=False, env=environment, cwd="/").returncode:
        pytest.skip("this Python is for root alone")
    done = subprocess.run([*user, START], capture_output=True, text=True, check=False, env=environment, cwd="/")
    assert done.returncode == 0, done.stderr
    folder, refused = done.stdout.splitlines()
    assert folder.startswith("/tmp/pcdm-dem-")
    assert (str(tmp_path) if cache else "the user has no cache folder") in refused
    assert not os.path.exists(folder)  # it went with the process
