"""Physics of small systems in plain Python: no combination of contact laws has to be compiled for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NONE_CHOSEN = 5  # no test of this mark, as pytest says it


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="they are collected by themselves")
@pytest.mark.parametrize("which", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sorted(path.stem for path in (HERE / "plain").glob("test_*.py")))
def test_in_plain_python(name, which):
    """Each file of the folder in a process of its own; what it says goes to the output."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--slow", "-m", which]
    path = HERE / "plain" / f"{name}.py"
    status = subprocess.run([*command, path], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False).returncode
    assert status == 0 or (which == "slow" and status == NONE_CHOSEN)
