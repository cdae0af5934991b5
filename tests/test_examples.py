"""Examples of docstrings, in plain Python: in a file of their own, for what is short comes last and fills up."""

import os
import subprocess
import sys

import pytest
from test_plain import HERE, plainly


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="pytest dem does it")
def test_examples_of_docstrings():
    assert plainly(HERE.parent / "dem") == 0


@pytest.mark.parametrize("there", ["", "raise RuntimeError('no library')"], ids=["no mpi4py", "no library"])
def test_the_ranks_of_mpi_are_left_out_where_they_cannot_be_imported(there, tmp_path):
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").touch()
    if there:
        (tmp_path / "mpi4py" / "MPI.py").write_text(there)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", "dem/ranks"]
    done = subprocess.run(command, cwd=HERE.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "ranks/mpi.py" not in done.stdout
