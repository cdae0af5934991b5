"""Physics of small systems in plain Python: nothing has to be compiled for them; see also test_examples."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path for folder in ("plain", "extensions") for path in (HERE / folder).glob("test_*.py"))
PROCESSES = 6  # each takes a few seconds to begin; files are dealt out in turn, so that they take equally long
GROUPS = [FILES[k::PROCESSES] for k in range(PROCESSES)]
OTHERS = GROUPS[1::2]  # in a file of their own, so that two workers share them
NONE_CHOSEN = 5  # no test of this mark, as pytest says it


def plainly(*words):
    """Exit status of pytest in plain Python."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False).returncode


def in_plain_python(groups):
    """A test that runs some files of the folder in a process of their own; what it says goes to the output."""

    @pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="they are collected by themselves")
    @pytest.mark.parametrize("which", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
    @pytest.mark.parametrize("files", groups, ids=lambda files: f"{files[0].stem}...{files[-1].stem}")
    def test(files, which):
        status = plainly("--slow", "-m", which, *files)
        assert status == 0 or (which == "slow" and status == NONE_CHOSEN)

    return test


test_in_plain_python = in_plain_python(GROUPS[::2])
