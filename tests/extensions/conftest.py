"""These tests are for plain Python: some change numbers that compiled kernels would have been made with, and kept."""

import pytest
from dem.kernels.compiler import jit


@pytest.fixture(autouse=True)
def by_the_interpreter():
    """Whoever names one of them without NUMBA_DISABLE_JIT=1 is told."""
    if not jit.numba.config.DISABLE_JIT:
        pytest.skip("runs by the interpreter: set NUMBA_DISABLE_JIT=1")
