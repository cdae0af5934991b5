"""Tests of docstrings leave out modules that cannot be imported without an extra that is not there; threads of BLAS."""

import os
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: tests are side by side already


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the ranks of MPI where mpi4py is missing, or finds no MPI library when it is imported."""
    if collection_path != HERE / "dem" / "ranks" / "mpi.py":
        return None
    try:
        import_module("mpi4py.MPI")
    except (ImportError, RuntimeError):
        return True
    return None
