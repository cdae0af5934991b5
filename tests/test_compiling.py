"""Kernels are compiled once, when they are needed, and never in silence."""

import os
import subprocess
import sys

import pytest
from dem.kernels.compiler import jit

pytestmark = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="nothing is compiled")


def dem(*arguments, cache, code=0):
    """Run a command with kernels cached in a folder; returns what it printed and what it said on stderr."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "dem", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A folder with all that nine fibres need, and what was said while it was filled."""
    folder = tmp_path_factory.mktemp("cache")
    said, errors = dem("compile", "nine-fibres", "--jobs", 1, cache=folder)
    assert "1 of 1 prepared" in said
    assert errors == ""
    return folder


@pytest.mark.slow
def test_what_was_compiled_beforehand_is_not_compiled_again(cache, tmp_path):
    _, errors = dem("run", "nine-fibres", "--duration", 1e-5, "-o", tmp_path / "run.h5", cache=cache)
    assert "compiling" not in errors


@pytest.mark.slow
def test_spheres_that_do_not_turn_are_compiled_once_for_all_integrators(cache, tmp_path):
    wanted = ("run", "many-spheres", "--set", "n=8", "--duration", 1e-4)
    _, errors = dem(*wanted, "-o", tmp_path / "one.h5", cache=cache)
    assert errors.startswith("compiling kernels (first run of this combination): execute")
    _, errors = dem(*wanted, "-o", tmp_path / "two.h5", "--integrator", "splitting", cache=cache)
    assert errors == ""


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "size"), [("nbi", 0), ("nbi", 100), ("nbc", 0), ("nbc", 100)])
def test_files_of_kernels_that_were_cut_off_are_made_again(tmp_path, ending, size):
    """For example by a power failure, or by a disk that was full."""
    words = ("run", "symmetric-top", "--duration", 0.01, "--frames", 2, "--overwrite", "-o", tmp_path / "a.csv")
    dem(*words, cache=tmp_path / "cache")
    files = list((tmp_path / "cache").rglob(f"*.{ending}"))
    assert files
    for path in files:
        os.truncate(path, size)
    _, again = dem(*words, cache=tmp_path / "cache")
    assert again.startswith("compiling kernels (")
    assert dem(*words, cache=tmp_path / "cache")[1] == ""


def test_unused_kernels_of_an_older_version_are_removed_and_the_reason_is_said(monkeypatch, tmp_path):
    place, name = jit._cache_name()
    older, saving, other = (
        tmp_path / (place + "0123456789abcdef-01234567"),
        tmp_path / (place + "fedcba9876543210-01234567"),
        tmp_path / "kernels-76543210-0123456789abcdef-01234567",
    )
    for folder in (older, saving, other):
        folder.mkdir()
        (folder / "kernel.nbi").touch()
    for folder in (older, other):
        os.utime(folder, (0, 0))
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(tmp_path))
    assert jit._cache_folder() == (tmp_path / (place + name), "the kernels have changed", "")
    assert not older.exists()
    assert saving.exists()  # of a process that has just begun, with other options or before an edit
    assert other.exists()  # of another installation that shares the folder
    assert (tmp_path / (place + name)).exists()


def test_two_installations_that_share_a_folder_do_not_take_each_other_for_compiled(monkeypatch, tmp_path):
    mine = jit._cache_name()
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "kernels" / "base" / "jit.py"))
    assert jit._cache_name()[0] != mine[0]
    assert jit._cache_name()[1] == mine[1]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((), "give cases or case files, or --all"),
        (("nine-fibre",), "did you mean nine-fibres?"),
        (("nine-fibres", "--set", "speed=1"), "speed"),
        (("missing.toml",), "missing.toml"),
    ],
)
@pytest.mark.few(1)
def test_what_cannot_be_prepared_is_refused_before_anything_is_compiled(wrong, said, tmp_path):
    _, errors = dem("compile", *wrong, cache=tmp_path, code=2)
    assert said in errors
    assert not list(tmp_path.rglob("*.nbi"))
