"""Tests in plain Python, of which nothing has to be compiled: tests/plain, tests/extensions, examples of docstrings.

One process, which takes seconds to begin, runs them beside all other tests. This file runs a half of the long and slow
ones, and test_interpreted_second_half the other half.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path for folder in ("plain", "extensions") for path in (HERE / folder).glob("test_*.py"))
FILES.append(HERE.parent / "dem")
QUICK, LONG, SLOW = "not slow and not long", "long and not slow", "slow"
NONE_CHOSEN = 5  # no test of this mark, as pytest says it


def in_plain_python(*parts):
    """A test that runs files in a process of its own; what it says goes to the output."""

    @pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="they are collected by themselves")
    @pytest.mark.parametrize(("which", "files"), parts)
    def test(which, files):
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--slow", "-m", which]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        status = subprocess.run([*command, *files], env=environment, check=False).returncode
        assert status == 0 or (which != QUICK and status == NONE_CHOSEN)

    return test


def dear(files):
    """Parts that are run with --long and with --slow."""
    return pytest.param(LONG, files, marks=pytest.mark.long), pytest.param(SLOW, files, marks=pytest.mark.slow)


test_in_plain_python = in_plain_python((QUICK, FILES), *dear(FILES[::2]))
