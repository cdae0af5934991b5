"""Tests in plain Python only: some change constants that compiled kernels would keep."""

import pytest
from dem.kernels.compiler import jit


@pytest.fixture(autouse=True)
def by_the_interpreter():
    """Whoever names one of them without NUMBA_DISABLE_JIT=1 is told."""
    if not jit.numba.config.DISABLE_JIT:
        pytest.skip("runs by the interpreter: set NUMBA_DISABLE_JIT=1")
