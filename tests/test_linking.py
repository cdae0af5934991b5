"""Parts, wholes and plain compiling: the same functions, the same bits."""

import os
import subprocess
import sys

import pytest

from kernels.base import jit, linking, quaternion
from kernels.laws import hertz

compiled = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")

TWO_SPHERES = """
import dem
from kernels.base import jit
glass = dem.Material(young=5e7, poisson=0.3, density=2500.0)
spheres = dem.Particles(
    dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0], [0.01, 0.001, 0]], velocity=[[1, 0, 0], [0, 0, 0]]
)
sim = dem.Simulation(spheres, time_step=1e-6)
sim.run(200e-6)
p = sim.particles
assert p.velocity[1, 0] > 0
print(jit.PLAIN, *(a.tobytes().hex() for a in (p.position, p.velocity, p.orientation, p.angular_velocity)))
"""


@compiled
@pytest.mark.parametrize(
    ("part", "arguments"),
    [
        (hertz.force, (3e6, 0.7)),
        (quaternion.product, ((0.5, 0.1, -0.7, 0.3), (0.2, -0.4, 0.6, 0.9))),
        (quaternion.rotate, ((0.5, 0.5, -0.5, 0.5), (1.0, 2.0, 3.0))),
    ],
)
def test_a_part_called_from_python_is_what_it_says(part, arguments):
    assert part(*arguments) == part.py_func(*arguments)


def test_numba_has_what_parts_lean_on(monkeypatch):
    assert linking.is_as_expected()
    monkeypatch.setattr(linking, "EXPECTED", (*linking.EXPECTED, (linking.codegen.JITCodeLibrary, "no_such_name")))
    assert not linking.is_as_expected()


@compiled
@pytest.mark.slow
def test_plain_compiling_gives_the_same_bits(tmp_path):
    """As `kernels.base.jit` does where numba is not as expected; it takes a minute."""
    said = {}
    for plain in ("", "1"):
        environment = {**os.environ, "PCDM_DEM_PLAIN": plain, "NUMBA_CACHE_DIR": str(tmp_path / f"plain{plain}")}
        command = [sys.executable, "-c", TWO_SPHERES]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        what, *state = done.stdout.splitlines()[-1].split()
        said[what] = state
    assert said["True"] == said["False"]
