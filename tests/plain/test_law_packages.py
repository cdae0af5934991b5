"""Contact laws of another package: found by entry points, kept by sources, read where the package is not there."""

import os
import subprocess
import sys
from types import ModuleType

import pytest
from dem.kernels.compiler import disk_cache
from dem.kernels.laws.interface import law_component

import dem
from dem.base import imports
from dem.model.contact import law_registry
from dem.model.contact.law_registry import MissingPart

LAW = """
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import dem
from dem.model.contact.law_component import kind, number
from dem.kernels.compiler.jit import inline as formula
from dem.kernels.laws.interface import AdhesionForce, law_component


class Tables(NamedTuple):
    density: np.ndarray


@formula
def strength(part, i, j, radius):
    return 4.0 * math.pi * part.density[i, j] * radius


@formula
def pull(part, i, j, contact, normal_force, normal_velocity, dt, memory):
    h, overlap = strength(part, i, j, contact.radius), contact.overlap
    energy = -0.5 * h * overlap * overlap
    return AdhesionForce(force=-h * overlap, energy=energy, instantaneous_dissipation=0.0, holds=False), memory


@dataclass(frozen=True, kw_only=True, repr=False)
class AreaCohesion(dem.LawPart):
    SLOT = "adhesion"
    type: str = kind("area-cohesion")
    density: float = number("of energy", unit="J/m3", least=0, example=1e4)


dem.register_law_part(AreaCohesion, Tables, law_component(pull, pull=strength, pull_power=1.0))
"""
RUN = """
import dem
grain = dem.Material(young=1e7, poisson=0.3, density=2500.0, name="grain")
from ourlaws import AreaCohesion
sticky = dem.Contact(restitution=0.5, adhesion=AreaCohesion(density=1e5))
row = dem.Particles(dem.Sphere(diameter=0.004), grain, position=[[0.00399 * k, 0, 0] for k in range(3)])
table = dem.Contacts({(grain, grain): sticky})
sim = dem.Simulation(row, gravity=(0, 0, 0), time_step="auto", contacts=table, threads=1)
sim.run(40 * sim.time_step, output="run.h5", frames=2)
print(sim.advice().adhesion.pull_off)
"""
CASE = """
duration = 1e-4
time_step = "auto"
gravity = [0, 0, 0]
materials.grain = { young = 1e7, poisson = 0.3, adhesion = { type = "area-cohesion", density = 1e5 } }
shapes.bead = { type = "sphere", diameter = 0.004 }
particles = [{ shape = "bead", material = "grain", position = [[0, 0, 0]] }]
"""


def python(folder, code):
    """Output of a process of its own, with the package on its path."""
    environment = os.environ | {"PYTHONPATH": str(folder / "there"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A package, installed in a folder of its own, and a run with its law."""
    folder = tmp_path_factory.mktemp("own")
    told = folder / "there" / "ourlaws-1.0.dist-info"
    told.mkdir(parents=True)
    (folder / "there" / "ourlaws.py").write_text(LAW)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: ourlaws\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[dem.contact_parts]\narea-cohesion = ourlaws:AreaCohesion\n")
    (folder / "case.toml").write_text(CASE)
    (folder / "pull.txt").write_text(python(folder, RUN))
    return folder


@pytest.mark.long
def test_a_run_and_a_case_file_find_the_law_of_a_package(folder):
    """The largest pull is that of h δ - K δ^1.5, with h = 4π k R* and K = 4/3 E* √R*: 4/27 h³/K²."""
    h, stiffness = 4 * 3.141592653589793 * 1e5 * 0.001, 4 / 3 * (1e7 / (2 * (1 - 0.09))) * 0.001**0.5
    assert float((folder / "pull.txt").read_text().split()[-1]) == pytest.approx(
        4 / 27 * h**3 / stiffness**2, rel=1e-12
    )
    code = (
        "import dem\nsim = dem.load('case.toml')\nprint(sim.particles.kinds[0].material.adhesion)\n"
        "print(dem.resume('run.h5', duration=60 * dem.Trajectory('run.h5').input['time_step']))"
    )
    said = python(folder, code)
    assert "AreaCohesion(density=100000.0)" in said
    assert "PASS: 60 steps" in said


def test_without_the_package_a_run_is_read_and_what_it_needs_is_said(folder):
    with dem.Trajectory(folder / "run.h5") as run:
        assert run.position.shape[1:] == (3, 3)
    needed = "install the package ourlaws, which has to declare that module .* group such as dem.contact_parts"
    with pytest.raises(ValueError, match=needed) as refused:
        dem.Simulation.load(folder / "run.h5")
    assert "damaged" not in str(refused.value)
    missing = dem.Material(
        young=1e7, poisson=0.3, adhesion={"type": "their-law", "package": "theirs", "k": 1.0}
    ).adhesion
    assert isinstance(missing, MissingPart)
    with pytest.raises(ValueError, match="'their-law' is of the package theirs, which is not installed"):
        missing.tables(None)
    with pytest.raises(ValueError, match="unknown adhesion 'dtm': did you mean dmt"):
        dem.Material(young=1e7, poisson=0.3, adhesion={"type": "dtm", "work": 1.0})


def test_a_broken_entry_point_is_named(monkeypatch):
    class Entry:
        name, value = "their-law", "theirs:Law"

        def load(self):
            return int

    monkeypatch.setattr(imports, "entry_points", lambda group: [Entry()] if group == law_registry.GROUP else [])
    law_registry.installed.cache_clear()
    with pytest.raises(ValueError, match="contact part their-law: theirs:Law is no part of this type"):
        dem.Material(young=1e7, poisson=0.3, adhesion={"type": "their-law"})
    monkeypatch.undo()
    law_registry.installed.cache_clear()


def law_of(source, path, monkeypatch):
    """A module made of a source, as an import makes it."""
    monkeypatch.setattr(law_registry, "REGISTERED", {})
    path.write_text(source)
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, path.stem, module)
    exec(compile(source, str(path), "exec"), vars(module))
    return module


def test_tables_of_a_package_go_by_its_sources(tmp_path, monkeypatch):
    """Two versions of a law differ in all names by which machine code is found; the same sources in none."""
    monkeypatch.setattr(disk_cache, "SOURCES", {})
    names = []
    for version in (LAW, LAW.replace("0.5", "0.25"), LAW):
        tables = law_of(version, tmp_path / "thislaw.py", monkeypatch).Tables
        names.append((tables.__name__, disk_cache.SOURCES[tables]))
    assert names[0] == names[2]
    assert names[0][0] != names[1][0]
    assert names[0][1] != names[1][1]
    by_module = LAW.replace("import numpy as np\n", "import numpy as np\nfrom dem.kernels.numerics import vector\n")
    by_module = by_module.replace("* radius", "* vector.dot((radius, 0.0, 0.0), (1.0, 0.0, 0.0))")
    assert law_of(by_module, tmp_path / "bymodule.py", monkeypatch).Tables in disk_cache.SOURCES
    closed = LAW.replace("def pull(", "def free(") + (
        "\ndef make(k):\n    @formula\n    def pull(part, i, j, contact, normal_force, normal_velocity, dt, memory):\n"
        "        return AdhesionForce(force=-k, energy=0.0, instantaneous_dissipation=0.0, holds=False), memory\n"
        "    return pull\n"
        "dem.register_law_part(AreaCohesion, Tables, law_component(make(2.0), pull=strength))\n"
    )
    closed = closed.replace(
        "dem.register_law_part(AreaCohesion, Tables, law_component(pull, pull=strength, pull_power=1.0))\n", "", 1
    )
    tables = law_of(closed, tmp_path / "closed.py", monkeypatch).Tables
    assert tables not in disk_cache.SOURCES  # a number that no source tells


def test_an_adhesion_without_its_pull_is_refused(tmp_path, monkeypatch):
    module = law_of(LAW, tmp_path / "lame.py", monkeypatch)
    with pytest.raises(ValueError, match="component of AreaCohesion lacks pull=, the coefficient h of its pull"):
        dem.register_law_part(module.AreaCohesion, module.Tables, law_component(module.pull))


def test_a_second_part_of_a_type_is_refused(tmp_path, monkeypatch):
    one = law_of(LAW, tmp_path / "one.py", monkeypatch)
    registered = dict(law_registry.REGISTERED)
    monkeypatch.setattr(law_registry, "REGISTERED", registered)
    other = LAW.replace("dem.register_law_part", "register = lambda *_: None\nregister")
    path = tmp_path / "other.py"
    module = law_of(other, path, monkeypatch)
    monkeypatch.setattr(law_registry, "REGISTERED", registered)
    with pytest.raises(
        ValueError, match=r"type of AreaCohesion is 'area-cohesion', which is the type of .*one.AreaCohesion"
    ):
        dem.register_law_part(module.AreaCohesion, module.Tables, law_component(module.pull, pull=module.strength))
    assert law_registry.REGISTERED["area-cohesion"] is one.AreaCohesion
