"""Particles in a fluid as they are compiled: the same as in plain Python, and the same bytes by threads."""

import os
import re
import subprocess
import sys

import numba
import numpy as np
import pytest

import dem
from kernels.base import jit

pytestmark = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="threads are compiled")
GLASS = dem.Material(young=1e6, poisson=0.22, density=2500.0)


@numba.njit
def stirring(t, x, y, z):
    """A flow as users write it."""
    return (np.sin(30 * y + t), x * z, np.cos(2 * t) * x * y)


def crowd(n, threads):
    """Spheres on a lattice that touches, in a flow by a function."""
    side = round(n ** (1 / 3))
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    balls = dem.Particles(
        dem.Sphere(diameter=1e-3),
        GLASS,
        position=1.02e-3 * (places + 0.5),
        velocity=0.1 * rng.normal(size=places.shape),
    )
    box = dem.Box((0, 0, 0), (1.02e-3 * side,) * 3, GLASS, periodic=["x"])
    water = dem.Fluid(density=1000, viscosity=1e-3, velocity=stirring, every=3)
    return dem.Simulation(balls, box, fluid=water, time_step=1e-5, threads=threads)


CODE_OF_LOOPS = """
import dem
from kernels.fluid import gridded
from kernels.soft import dragged, feel, whirled
from dem.bench.flow import Flowing
(_, sim) = Flowing("many-spheres", 1, 1, {"all": {"lift": "mei", "magnus": "oesterle-bui-dinh"}}, n=27).runs().values()
for loop in (dragged.drag, whirled.whirl, feel.look_ahead, feel.feel_going, feel.feel_turning, gridded.fill):
    for compiled in loop.overloads.values():
        print("LOOP", loop.__name__, compiled.library.get_llvm_str())
"""


@pytest.mark.slow
def test_the_loops_over_bodies_in_a_fluid_are_vectorised(tmp_path):
    """With all laws of spheres: one of them that called a function would keep its loop scalar."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # what is cached is machine code of the whole
    command = [sys.executable, "-c", CODE_OF_LOOPS]
    loops = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split("LOOP ")
    names = {"drag", "whirl", "look_ahead", "feel_going", "feel_turning", "fill"}
    assert {loop.split()[0] for loop in loops[1:]} == names
    for loop in loops[1:]:
        assert re.search(r"fmul .*<\d+ x double>", loop), loop.split()[0]


@pytest.mark.slow
def test_threads_change_no_bit_in_a_fluid():
    """Two chunks of bodies; the function is compiled as well, and called from both threads."""
    if jit.most_threads() < 2:
        pytest.skip("there is one core")
    one, two = crowd(2744, threads=1), crowd(2744, threads=2)
    for sim in (one, two):
        sim.step(40)
    assert one.contact_count > 100
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name))
    assert one.energy() == two.energy()
    assert one.energy().fluid != 0
    assert one.verdict() == two.verdict()
