"""Structure: what may import what, and that every public name is documented."""

import ast
import inspect
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dem
from kernels import advance, jit, motion

ROOT = Path(__file__).parent.parent


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", sorted((ROOT / "kernels").rglob("*.py")), ids=lambda p: p.name)
def test_kernels_import_only_numba_and_themselves(path):
    allowed = {"math", "typing", "numpy", "numba", "kernels"}
    if path.name == "jit.py":  # configures numba: where the cache lies is its business
        allowed |= {"hashlib", "os", "tempfile", "functools", "pathlib"}
    assert set(imports(path)) <= allowed


@pytest.mark.parametrize("path", sorted((ROOT / "dem").rglob("*.py")), ids=lambda p: p.name)
def test_dem_does_not_import_numba_or_cases(path):
    assert not {"numba", "cases"} & set(imports(path))


@pytest.mark.parametrize("path", sorted((ROOT / "cases").rglob("*.py")), ids=lambda p: p.name)
def test_cases_do_not_reach_into_kernels(path):
    assert not {"numba", "kernels"} & set(imports(path))


@pytest.mark.parametrize("path", sorted(p for d in ("kernels", "dem", "cases") for p in (ROOT / d).rglob("*.py")),
                         ids=lambda p: f"{p.parent.name}/{p.name}")  # fmt: skip
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 330
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            assert not body or node.end_lineno - body[0].lineno < 40, node.name


def test_every_public_name_is_documented():
    for name in dem.__all__:
        thing = getattr(dem, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and inspect.isfunction(value) and value.__module__.startswith("dem"):
                    assert value.__doc__, f"{name}.{member}"


@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")
def test_every_kernel_is_compiled_for_one_kind_of_array():
    """A second signature would mean that an array of another type or layout slipped through, at the cost of speed."""
    sim = dem.cases()["many-fibres"](n=30).simulation()
    sim.run(0.005)
    for kernel in (motion.synchronise, advance.advance):
        shapes = [str(s) for s in kernel.signatures]
        assert not any("readonly" in s or ", A)" in s or "float32" in s for s in shapes)


ASSEMBLY = """
import dem
from kernels import contact, motion
sim = dem.cases()["nine-fibres"]().simulation()
for loop in (motion.drift, motion.turn, motion.kick, motion.spin, contact.evaluate_pairs):
    print("LOOP", loop.__name__, *loop.inspect_asm().values())
"""


@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")
@pytest.mark.skipif(bool(jit.numba.config.BOUNDSCHECK), reason="bounds checks keep loops scalar")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="reads x86 mnemonics")
def test_the_hot_loops_are_vectorised(tmp_path):
    """Packed arithmetic in the machine code of each loop; the no-alias hint of kernels/jit.py is what makes it so."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # cached code cannot be inspected
    command = [sys.executable, "-c", ASSEMBLY]
    assembly = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    for loop in assembly.split("LOOP ")[1:]:
        assert len(re.findall(r"\bv?mulpd\b", loop)) >= 3, loop.split()[0]


def test_an_edit_in_any_kernel_file_means_a_new_cache(monkeypatch, tmp_path):
    """numba does not see edits in imported files; the fingerprint must."""
    source = tmp_path / "kernels"
    (source / "rotation").mkdir(parents=True)
    (source / "rotation" / "pcdm.py").write_text("a = 1\n")
    monkeypatch.setattr(jit, "__file__", str(source / "jit.py"))
    before = jit._fingerprint()
    (source / "rotation" / "pcdm.py").write_text("a = 2\n")
    assert jit._fingerprint() != before
    monkeypatch.setattr(jit, "OPTIONS", {"fastmath": True})
    assert jit._fingerprint() != before
