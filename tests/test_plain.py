"""Physics of small systems in plain Python: no combination of contact laws has to be compiled for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="they are collected by themselves")
@pytest.mark.parametrize("name", sorted(path.stem for path in (HERE / "plain").glob("test_*.py")))
def test_in_plain_python(name):
    """Each file of the folder in a process of its own; what it says goes to the output."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", HERE / "plain" / f"{name}.py"]
    assert subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False).returncode == 0
