"""Fixtures and the switches --long, --slow and --nightly."""

import gc
import os
import signal

import numpy as np
import pytest
from dem.kernels.compiler import jit
from sample_runs import divide_into_small_chunks, mixture

import dem
from dem.base import compilation
from dem.soft.contact import convex_bodies

if "PYTEST_XDIST_WORKER" in os.environ:
    compilation.BESIDE = 0  # tests are side by side already

collect_ignore = [] if jit.numba.config.DISABLE_JIT else ["plain", "extensions"]  # see test_interpreted

# Tests send them, also where pytest itself runs under nohup or in the background, where they would be passed over.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


seen = {}  # tests with the mark few


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the tests that take seconds too, as .ci/run does")
    parser.addoption("--slow", action="store_true", help="run the tests that take seconds or minutes too")
    parser.addoption("--nightly", action="store_true", help="throw thousands of random inputs, not dozens")


def pytest_itemcollected(item):
    """Of tests with the mark few(n, long=m), sets of parameters after the first n are long ones, after m slow ones."""
    few = item.get_closest_marker("few")
    if few and not item.get_closest_marker("slow"):
        before = seen.setdefault(item.nodeid.split("[")[0], [])
        if len(before) >= few.args[0]:
            item.add_marker("long" if len(before) < few.kwargs.get("long", 0) else "slow")
        before.append(item)


def pytest_configure(config):
    """Let pytest-xdist hand out files in the order of the tests, see `pytest_collection_modifyitems`."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config, items):
    """Begin with the tests in plain Python, which take half of the time; skip what no switch asks for."""
    items.sort(key=lambda item: not item.path.name.startswith("test_interpreted"))
    for switch in ("long", "slow", "nightly"):
        if not config.getoption(f"--{switch}") and not (switch == "long" and config.getoption("--slow")):
            for item in items:
                if item.get_closest_marker(switch):
                    item.add_marker(pytest.mark.skip(reason=f"needs --{switch}"))


def pytest_collection_finish():
    """Keep the garbage collector from looking, again and again, through all that was imported and collected."""
    gc.freeze()


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


@pytest.fixture
def small_chunks(monkeypatch):
    divide_into_small_chunks(monkeypatch)


@pytest.fixture
def few_directions(monkeypatch):
    """The lightest place of a convex body, which bounds time steps, is sought in a tenth of the time."""
    monkeypatch.setattr(convex_bodies, "DIRECTIONS", 100)


@pytest.fixture
def nylon():
    return dem.Material(young=5e7, poisson=0.35, density=1100.0)


@pytest.fixture
def rubber():
    return dem.Material(young=8e6, poisson=0.48, density=950.0)


@pytest.fixture
def wall():
    return dem.Material(young=5e7, poisson=0.23)


@pytest.fixture
def fibre():
    return dem.Fibre(diameter=0.01, aspect_ratio=3)


@pytest.fixture
def ball():
    return dem.Sphere(diameter=0.01)


@pytest.fixture
def scattered(rng, nylon, rubber):
    """Sixteen fibres and spheres far from each other, about to cross a box that is periodic in x and y."""
    particles = mixture(rng, (nylon, rubber), n=6)
    x, y, z = np.unravel_index(np.arange(len(particles)), (1, 4, 4))
    particles.position = 0.05 * np.stack([x, y, z], axis=1) + (0, 0, 0.025)
    box = dem.Box((0, 0, 0), (0.2, 0.2, 0.2), nylon, periodic=["x", "y"])
    return dem.Simulation(particles, box, time_step=1e-5, threads=1)
