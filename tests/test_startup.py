"""What the first kernel does not wait for."""

import os
import subprocess
import sys

import pytest

from kernels.base import jit

pytestmark = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")

WITHOUT = """
import sys
from kernels.laws import hertz
assert hertz.force(1.0, 0.25) == 0.125
print("scipy.linalg" in sys.modules)
"""
WITH = """
import numba, numpy as np
from kernels.laws import hertz
assert hertz.force(1.0, 0.25) == 0.125
dot, cov = numba.njit(lambda a, b: np.dot(a, b)), numba.njit(lambda a: np.cov(a))
print(dot(np.eye(3), np.full((3, 3), 2.0)).sum(), cov(np.eye(2))[0, 0])
"""


@pytest.mark.parametrize(("script", "said"), [(WITHOUT, "False"), (WITH, "18.0 0.5")])
def test_kernels_do_without_linear_algebra_and_others_still_have_it(script, said, tmp_path):
    pytest.importorskip("scipy")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == said


@pytest.mark.skipif(jit.PLAIN, reason="numba loads in its own way")
def test_what_is_in_the_cache_is_loaded_without_all_that_numba_can_compile(tmp_path):
    script = (
        "import sys\nfrom kernels.laws import hertz\nassert hertz.force(1.0, 0.25) == 0.125\n"
        "print('numba.np.npyimpl' in sys.modules)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        ).stdout
        for _ in ("compiled", "loaded")
    ]
    assert [text.strip() for text in said] == ["True", "False"]
