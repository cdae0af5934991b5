"""Runs compiled for AVX2 alone have the same bytes as those for all instructions of this processor."""

import json
import os
import subprocess
import sys

import pytest
from numba.core import codegen
from test_interpreted import HERE

CASES = ("nine-fibres", "fibres-in-water", "rain", "flexible-fibre")


@pytest.mark.slow
def test_bytes_do_not_depend_on_vector_code():
    """Nor on that of numpy and BLAS, see `tests/plain/test_processors.py`."""
    features = codegen.get_host_cpu_features().split(",")
    if not any(each.startswith("+avx512") for each in features):
        pytest.skip("this processor has no AVX-512 to leave out")
    narrow = ",".join(each.replace("+", "-") if each.startswith("+avx512") else each for each in features)
    ways = []
    for less in ({}, {"NUMBA_CPU_FEATURES": narrow, "OPENBLAS_CORETYPE": "Haswell"}):
        command = [sys.executable, "-W", "ignore", HERE / "plain" / "test_processors.py", "runs", *CASES]
        done = subprocess.run(command, env={**os.environ, **less}, capture_output=True, text=True, check=True)
        ways.append(json.loads(done.stdout))
    assert list(ways[0]) == list(CASES)
    assert ways[0] == ways[1]
