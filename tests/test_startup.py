"""Start-up: thread settings, processor features, and libraries that the first kernel does without."""

import os
import re
import subprocess
import sys

import pytest
from dem.kernels.compiler import jit, processor, setup

pytestmark = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")

WITHOUT = """
import sys
from dem.kernels.laws import hertz
assert hertz.force(1.0, 0.25) == 0.125
print("scipy.linalg" in sys.modules)
"""
WITH = """
import numba, numpy as np
from dem.kernels.laws import hertz
assert hertz.force(1.0, 0.25) == 0.125
dot, cov = numba.njit(lambda a, b: np.dot(a, b)), numba.njit(lambda a: np.cov(a))
print(dot(np.eye(3), np.full((3, 3), 2.0)).sum(), cov(np.eye(2))[0, 0])
"""


WAITING = """
import os
from dem.kernels.compiler import jit, setup as startup
before = dict(os.environ)
jit.set_threads(1)
assert os.environ == before
print(startup.SPIN_COUNT, jit.threading_layer())
"""


@pytest.mark.parametrize("chosen", [{}, {"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "passive"}])
@pytest.mark.few(1)
def test_threads_spin_for_a_moment_only_unless_users_say_otherwise(chosen):
    """As OpenMP says itself when it is loaded; nothing is left in the environment."""
    kept = {name: value for name, value in os.environ.items() if name not in setup.CHOSEN_BY_USERS}
    environment = {**kept, "OMP_DISPLAY_ENV": "VERBOSE", **chosen}
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=True, env=environment)
    spins = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)
    if not spins:
        pytest.skip("threads are not those of GNU's OpenMP")
    ours, _ = done.stdout.split()
    assert spins == [{"GOMP_SPINCOUNT": "7", "OMP_WAIT_POLICY": "0"}[next(iter(chosen))] if chosen else ours]
    assert int(ours) <= 30_000  # a tenth of GNU's own, which starves whom they wait for on a busy machine


FIRST_LAYER = """
from dem.kernels.compiler import jit
import numba
print(numba.config.THREADING_LAYER_PRIORITY[0])
"""


@pytest.mark.parametrize(("chosen", "first"), [({}, "omp"), ({setup.LAYERS_BY_USERS: "tbb omp workqueue"}, "tbb")])
def test_openmp_comes_before_tbb_unless_users_say_otherwise(chosen, first):
    """Where both are installed: processes that have used TBB may hang when they end."""
    kept = {name: value for name, value in os.environ.items() if name != setup.LAYERS_BY_USERS}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_LAYER], capture_output=True, text=True, check=True, env={**kept, **chosen}
    )
    assert done.stdout.strip() == first


@pytest.mark.parametrize(
    ("script", "said"), [(WITHOUT, "False"), pytest.param(WITH, "18.0 0.5", marks=pytest.mark.slow)]
)
@pytest.mark.few(1)
def test_kernels_do_without_linear_algebra_and_others_still_have_it(script, said, tmp_path):
    pytest.importorskip("scipy")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == said


@pytest.mark.skipif(jit.PLAIN, reason="numba loads in its own way")
def test_what_is_in_the_cache_is_loaded_without_all_that_numba_can_compile(tmp_path):
    script = (
        "import gc, sys\nfrom dem.kernels.numerics import quaternion\n"
        "from dem.kernels.compiler.link_time_inlining import LazyInlined\n"
        "assert quaternion.rotate((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)\n"
        "parts = [one for one in gc.get_objects() if isinstance(one, LazyInlined)]\n"
        "print('numba.np.npyimpl' in sys.modules, any('dispatcher' in vars(one) for one in parts))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        ).stdout
        for _ in ("compiled", "loaded")
    ]
    assert [text.strip() for text in said] == ["True True", "False False"]


@pytest.mark.parametrize(
    ("name", "features", "advice"),
    [
        ("cascadelake", "+avx2,+avx512f", processor.LOAD_ONE_BY_ONE),
        ("znver3", "+avx2", processor.LOAD_ONE_BY_ONE),
        ("znver5", "+avx2,+avx512f", processor.LOAD_ONE_BY_ONE),
        ("sapphirerapids", "+avx512f,+avx512fp16", processor.AS_WIDE_AS_CAN_BE),
        ("rocketlake", "+avx512f,+avx512fp16", processor.AS_WIDE_AS_CAN_BE),  # Granite Rapids in a virtual machine
        ("sapphirerapids", "+avx2,-avx512fp16", None),  # its hypervisor keeps them to itself
        ("haswell", "+avx2", None),
    ],
)
def test_gathers_and_wide_vectors_are_used_where_they_are_fast(name, features, advice, monkeypatch):
    """By what a processor can do, whatever its name, and only then by its name."""
    monkeypatch.setattr(jit.numba.config, "CPU_NAME", None)
    monkeypatch.setattr(jit.numba.config, "CPU_FEATURES", None)
    monkeypatch.setattr(processor.llvm, "get_host_cpu_name", lambda: name)
    monkeypatch.setattr(processor.codegen, "get_host_cpu_features", lambda: features)
    processor.correct_features()
    assert jit.numba.config.CPU_FEATURES == (advice and f"{features},{advice}")


@pytest.mark.parametrize(
    ("name", "features", "width"),
    [
        ("znver3", "+avx2", 4),
        ("znver5", "+avx2,+avx512f", 8),
        ("cascadelake", "+avx2,+avx512f", 4),  # LLVM makes vectors of four
        ("sapphirerapids", "+avx512f,+avx512fp16", 8),
        ("sapphirerapids", "+avx512f,-avx512fp16", 4),  # without a correction LLVM makes vectors of four
        ("generic", "", 4),
    ],
)
def test_remainders_of_loops_are_computed_by_vectors_that_the_processor_has(name, features, width):
    """Wider ones than LLVM makes would leave the remainders of loops to single numbers."""
    assert processor.numbers_in_vector(name, features) == width


@pytest.mark.parametrize(("name", "features"), [("generic", None), (None, ""), (None, "+avx2"), ("cascadelake", "")])
def test_who_says_what_the_processor_is_is_believed(name, features, monkeypatch):
    """As of images that are to run on older machines."""
    monkeypatch.setattr(jit.numba.config, "CPU_NAME", name)
    monkeypatch.setattr(jit.numba.config, "CPU_FEATURES", features)
    processor.correct_features()
    assert (jit.numba.config.CPU_NAME, jit.numba.config.CPU_FEATURES) == (name, features)
