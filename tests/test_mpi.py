"""Real processes under a real launcher, where there are mpiexec and mpi4py: ``pip install mpi4py mpich``."""

import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import h5py
import numpy as np
import pytest

import dem

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("mpiexec") or find_spec("mpi4py") is None, reason="needs mpiexec and mpi4py"),
]
SCRIPT = """
import sys, numpy as np, dem
print("said once")
rng = np.random.default_rng(1)
sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.7, friction=0.5)
places = np.stack(np.meshgrid(*[np.arange(10)] * 3), -1).reshape(-1, 3)
balls = dem.Particles(dem.Sphere(diameter=0.01), sand, position=0.008 + 0.0125 * places + rng.uniform(-1e-3, 1e-3, (1000, 3)),
                      velocity=rng.normal(0, 0.5, (1000, 3)))
sim = dem.Simulation(balls, dem.Box((0, 0, 0), (0.129,) * 3, sand), time_step=2e-5, threads=1)
print(sim.run(float(sys.argv[2]), output=sys.argv[1], frames=10, checkpoint_every=100, progress=False).status)
"""  # noqa: E501
FIBRES = """
import sys, numpy as np, dem
sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.7, friction=0.5)
fibre = dem.FlexibleFibre(diameter=1e-3, length=5e-3, segments=6, young=1e7, damping=0.05, strength=2e5)
places = np.stack(np.meshgrid(np.arange(4), np.arange(6), np.arange(6)), -1).reshape(-1, 3) * (7e-3, 1.3e-3, 1.3e-3)
bodies, bonds = fibre.make(sand, position=places, velocity=[(0, 0, -2.0)] * len(places))
bodies.velocity = bodies.velocity + np.outer(0.8 * np.sin(np.arange(len(bodies))), (0, 0, 1))
plane = dem.Plane((0, 0, -0.8e-3), (0, 0.05, 1), material=sand, roughness=0.1, wear=1e-12)
sim = dem.Simulation(bodies, bonds=bonds, walls=[plane], time_step=2e-6, threads=1)
print(sim.run(float(sys.argv[2]), output=sys.argv[1], frames=5, progress=False).status)
"""
GRAINS = """
import itertools, sys, numpy as np, dem
sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.7, friction=0.5)
die = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.008], repeat=3)), rounding=0.0005)
places = np.stack(np.meshgrid(np.arange(8), np.arange(4), np.arange(3)), -1).reshape(-1, 3) * 0.015 + 0.0075
rng = np.random.default_rng(1)
q = rng.normal(size=(96, 4))
grains = dem.Particles([dem.Ellipsoid(semi_axes=(0.005, 0.004, 0.003)), die] * 48, sand, position=places,
                       velocity=rng.normal(0, 0.5, (96, 3)), orientation=q / np.linalg.norm(q, axis=1)[:, None])
box = dem.Box((0, 0, 0), (0.12, 0.06, 0.06), sand, periodic=("x", "y"))
sim = dem.Simulation(grains, box, gravity=(0, 0, -150), time_step=1e-5, threads=1)
def stop(sim):
    raise KeyboardInterrupt
every = {"every": (int(sys.argv[2]), stop)} if len(sys.argv) > 2 else {}
print(sim.run(0.03, output=sys.argv[1], frames=10, checkpoint_every=100, progress=False, **every).steps)
"""
OWN_DRAG = """
import typing, dem
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import load, scale
class Thick(typing.NamedTuple):
    pass
@inline
def drag(part, medium, g, reynolds, slip):
    return scale(2.0 * medium.viscosity, load(medium.translation, g))
dem.register_drag("thick", Thick, drag)
glass = dem.Material(young=5e6, poisson=0.3, density=2000.0)
ball = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0]])
oil = dem.Fluid(density=1000.0, viscosity=0.1, drag="thick")
try:
    dem.Simulation(ball, fluid=oil, time_step=1e-4).step(3)
except ValueError as error:
    print(error)
"""
RESUME = "import sys, dem; print(dem.resume(sys.argv[1], threads=1, progress=False).status)"


def launched(ranks, script, *arguments, first="", **variables):
    """A program on so many ranks, which find modules in a folder first."""
    several = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
    path = os.pathsep.join([str(first), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [*several, sys.executable, "-c", script, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path} | variables,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def said(process):
    """What it prints, when it has done well."""
    out, error = process.communicate(timeout=900)
    assert process.returncode == 0, error
    return out


def contents(path):
    """Bytes of all datasets; of progress all but the age of lists, which a run that is resumed makes anew."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, thing: (
                found.update({name: np.asarray(thing[()]).tobytes()})
                if isinstance(thing, h5py.Dataset) and not name.endswith("progress/travel")
                else None
            )
        )
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process writes."""
    path = tmp_path_factory.mktemp("alone") / "run.h5"
    said(launched(1, SCRIPT, path, 0.02))
    return contents(path)


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks_write_the_file_of_one_process_once(ranks, alone, tmp_path):
    assert said(launched(ranks, SCRIPT, tmp_path / "run.h5", 0.02)).split() == ["said", "once", "PASS"]
    assert contents(tmp_path / "run.h5") == alone


def test_ranks_of_several_machines_write_it_too(alone, tmp_path):
    """MPICH is told that ranks with odd numbers are on another machine; to Open MPI that is nothing."""
    process = launched(4, SCRIPT, tmp_path / "run.h5", 0.02, MPIR_CVAR_ODD_EVEN_CLIQUES="1")
    assert said(process).split()[-1] == "PASS"
    assert contents(tmp_path / "run.h5") == alone


def test_ranks_that_have_no_memory_in_common_write_it_too(alone, tmp_path):
    """As in a container whose /dev/shm is full: they send messages."""
    full = "import os\ndef posix_fallocate(*given):\n    raise OSError\nos.posix_fallocate = posix_fallocate\n"
    (tmp_path / "sitecustomize.py").write_text(full)
    process = launched(3, SCRIPT, tmp_path / "run.h5", 0.02, first=tmp_path)
    assert said(process).split()[-1] == "PASS"
    assert contents(tmp_path / "run.h5") == alone


def test_a_class_of_the_program_is_refused_without_a_trace():
    """Only rank 0 runs the program."""
    process = launched(3, OWN_DRAG)
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    assert "cannot be handed to other ranks" in out
    assert "'Thick'" in out
    assert "Traceback" not in error


def test_fibres_that_break_on_a_wall_that_wears_leave_the_file_of_one_process(tmp_path):
    """Bonds between bodies of several ranks, some of which break, and sums over ranks of what is worn off."""
    alone = said(launched(1, FIBRES, tmp_path / "one.h5", 4e-4))
    assert said(launched(3, FIBRES, tmp_path / "three.h5", 4e-4)) == alone
    one = contents(tmp_path / "one.h5")
    assert contents(tmp_path / "three.h5") == one
    with dem.Trajectory(tmp_path / "three.h5") as run:
        assert run.breakages
        assert run.walls[0].worn[-1].sum() > 0


@pytest.mark.parametrize(("script", "status"), [
    ("from dem.cli import main; sys.argv[1:] = ['run', 'no-such-case']; main()", 2), ("1 / 0", 1),
])  # fmt: skip
def test_a_launcher_knows_the_exit_status_of_rank_0(script, status):
    """All ranks end with it: Hydra lost that of rank 0 in one of five runs if others ended with 0."""
    ended = [launched(2, f"import sys, dem; {script}") for _ in range(10)]
    for process in ended:
        process.communicate(timeout=300)
    assert {process.returncode for process in ended} == {status}


@pytest.mark.parametrize("victim", range(4))
def test_a_rank_that_is_killed_ends_all_and_the_file_goes_on_on_fewer(victim, alone, tmp_path):
    """Resumed by three ranks, then by one."""
    path = tmp_path / "run.h5"
    process = launched(4, SCRIPT, path, 0.02)
    while not path.exists():
        time.sleep(0.1)
    time.sleep(1.0 + 0.3 * victim)
    ranks = subprocess.run(["pgrep", "-f", f"{path} 0.02"], capture_output=True, text=True, check=True).stdout.split()
    ranks = [int(p) for p in ranks if Path(f"/proc/{p}/cmdline").read_text().startswith(sys.executable)]  # no launcher
    if len(ranks) == 4:  # it may have finished already
        os.kill(ranks[victim], signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode != 0
        stopped = launched(3, RESUME, path)
        time.sleep(4.0)
        stopped.send_signal(signal.SIGTERM)
        stopped.communicate(timeout=300)
        launched(1, RESUME, path).communicate(timeout=900)
    process.communicate(timeout=300)
    assert contents(path) == alone


def test_convex_grains_interrupted_on_ranks_are_resumed_on_ranks(tmp_path):
    """Ellipsoids and dice with friction at periodic faces; stopped long before and after they land."""
    assert said(launched(1, GRAINS, tmp_path / "whole.h5")).split() == ["3000"]
    whole = contents(tmp_path / "whole.h5")
    assert len(whole["restart/latest/contacts/i"]) > 8 * 50
    for stop in (250, 2150):
        path = tmp_path / f"{stop}.h5"
        stopped = launched(2, GRAINS, path, stop)
        stopped.communicate(timeout=900)
        assert stopped.returncode != 0
        with dem.Trajectory(path) as run:
            assert len(run) == 1 + stop // 300
        said(launched(2, RESUME, path))
        assert contents(path) == whole
