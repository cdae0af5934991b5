"""Commands under odd circumstances: closed streams, names that are not UTF-8, variables that numba cannot read."""

import os
import subprocess
import sys

import pytest
from dem.kernels.compiler import environment

import dem
from dem.sweeps.table import Row, SweepTable
from dem.viewer.live import Followed

ODD = os.fsdecode(b"r\xf6hre")  # Latin-1


def ran(*words, before="", **variables):
    """A command in a shell of its own, with what it says in bytes."""
    command = ["sh", "-c", f'{sys.executable} -m dem "$@" {before}', "sh", *words]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **variables})


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_trouble(closed):
    done = ran("cases", before=closed)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_below_a_log_ends_no_run(tmp_path):
    done = ran("run", "single-fibre", "--duration", "1e-4", "--table", "-o", f"{tmp_path}/run.h5", before=">/dev/full")
    assert (done.returncode, b"dem" in done.stderr) == (0, False)  # as its verdict says, which the file has
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.verdict.startswith("PASS")
        assert len(run.table["step"]) > 10
    few = ["--set", "seed=1,2", "--duration", "1e-3", "--set", "frames=1", "--jobs", "1", "-o", f"{tmp_path}/sweep"]
    done = ran("sweep", "hard-spheres", *few, before=">/dev/full")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [row.verdict for row in SweepTable.read(tmp_path / "sweep" / "sweep.csv")] == ["PASS", "PASS"]
    for words in (["--help"], ["--version"], [], ["cases"]):
        done = ran(*words, before=">/dev/full")
        assert (done.returncode, done.stderr) == (2, b"dem: no space left on device\n")


def test_what_a_file_is_given_is_no_closed_stream(tmp_path):
    """The first file that is opened would be descriptor 1, to which libraries may print."""
    there = "import os, sys; from dem.cli import streams; streams.prepare(); print(open(sys.argv[1], 'w').fileno(), "
    command = f'{sys.executable} -c "{there}file=sys.stderr)" {tmp_path}/a >&- <&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert int(done.stderr) > 2


def test_names_that_are_not_utf8(tmp_path, monkeypatch):
    """Output, page and a table are written and read under such a name, which is printed in its bytes."""
    path = tmp_path / f"{ODD}.h5"
    try:
        path.touch()
        path.unlink()
    except OSError as error:
        pytest.skip(f"this file system takes no such names: {error}")
    monkeypatch.setattr(sys, "argv", ["dem", "run", f"{ODD}.toml"])  # which goes into the file
    dem.cases()["hard-spheres"](n=8).simulation().run(1e-3, output=path, frames=1)
    with dem.Trajectory(path) as run:
        assert len(run) == 2
    assert r"<title>r\udcf6hre" in Followed(path).page().encode().decode()
    table = SweepTable(tmp_path / "sweep.csv", ODD, ["n"], [Row({"n": "8"}, f"{ODD}.h5", "PASS")])
    table.write()
    assert (SweepTable.read(table.path).case, SweepTable.read(table.path)[0]) == (ODD, table[0])
    printed = ran("repair", str(path), PYTHONIOENCODING="utf-8:strict")
    assert (printed.returncode, printed.stderr) == (0, b"")
    assert printed.stdout == os.fsencode(path) + b": 2 frames, there was nothing to repair\n"


@pytest.mark.parametrize("value", ["0", "abc", "", "1.5", "-3"])
def test_variables_that_numba_cannot_read(monkeypatch, value):
    monkeypatch.setenv("NUMBA_NUM_THREADS", value)
    with pytest.raises(ValueError, match=f"NUMBA_NUM_THREADS is '{value}', expected a whole number of at least 1: set"):
        environment.check()


def test_they_are_refused_in_a_line():
    done = ran("cases", NUMBA_NUM_THREADS="0")
    said = b"dem: NUMBA_NUM_THREADS is '0', expected a whole number of at least 1: set it so, or unset it\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", said)
