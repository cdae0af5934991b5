"""Tests in plain Python, of which nothing has to be compiled: tests/plain, tests/extensions, examples of docstrings.

This file runs a half of them, and test_interpreted_second_half the other one, so that two workers share them.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path for folder in ("plain", "extensions") for path in (HERE / folder).glob("test_*.py"))
FILES.append(HERE.parent / "dem")
HALVES = FILES[::2], FILES[1::2]  # one process each, which takes seconds to begin; about equally long
QUICK = "not slow and not long"
NONE_CHOSEN = 5  # no test of this mark, as pytest says it


def in_plain_python(files):
    """A test that runs files in a process of its own; what it says goes to the output."""

    @pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="they are collected by themselves")
    @pytest.mark.parametrize(
        "which",
        [
            QUICK,
            pytest.param("long and not slow", marks=pytest.mark.long),
            pytest.param("slow", marks=pytest.mark.slow),
        ],
    )
    def test(which):
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--slow", "-m", which]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        status = subprocess.run([*command, *files], env=environment, check=False).returncode
        assert status == 0 or (which != QUICK and status == NONE_CHOSEN)

    return test


test_in_plain_python = in_plain_python(HALVES[0])
