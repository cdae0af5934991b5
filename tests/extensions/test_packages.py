"""What installed packages declare by entry points: shapes, fields, columns of the running table, studies."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from dem.kernels.compiler import disk_cache
from dem.kernels.compiler.kind_chain import chain_of

import dem
from dem import validation
from dem.base import imports
from dem.casefile.schema.shapes import ShapeTable
from dem.model.particles import fields
from dem.run import running_table

PACKAGE = '''
from dataclasses import dataclass

import dem
from dem.validation.report import Report

dem.register_field("dust", "kg", default=2.0)
dem.register_column("dust_in_all", "kg", lambda sim: sim.particles.dust.sum())


@dataclass(frozen=True)
class Bead:
    """A sphere by its radius [m]."""

    radius: float

    @property
    def offsets(self):
        return dem.Sphere(diameter=2 * self.radius).offsets

    @property
    def radii(self):
        return dem.Sphere(diameter=2 * self.radius).radii

    def mass_properties(self, density):
        return dem.Sphere(diameter=2 * self.radius).mass_properties(density)


def study(quick=False):
    report = Report("dusty", "Dust")
    report.below("error", 0.0, 1.0)
    return report
'''
ENTRY_POINTS = """
[dem.shapes]
bead = parcels:Bead
[dem.fields]
dust = parcels
[dem.columns]
dust_in_all = parcels
[dem.studies]
dusty = parcels:study
"""
CASE = """
duration = 1e-3
time_step = 1e-5
threads = 1
materials.steel = { young = 1e6, poisson = 0.3, density = 2500 }
shapes.bead = { type = "bead", parameters = { radius = 0.005 } }
particles = [{ shape = "bead", material = "steel", position = [[0, 0, 0], [1, 0, 0]], fields = { dust = 3.0 } }]
"""
BEGIN = """
import dem
sim = dem.load("case.toml")
sim.run(1e-3, output="run.h5", frames=2, table="time,dust_in_all", table_every=5e-4)
"""
CONTINUE = """
import dem
from dem import validation
dem.resume("run.h5", duration=2e-3)
with dem.Trajectory("run.h5") as run:
    print(run.table["dust_in_all"].tolist(), run.dust[-1].ravel().tolist())
print(dem.export("run.h5", "csv").read_text().splitlines()[0].split(",")[-1])
print(dem.Simulation.load("run.h5").particles.variants[0][0], validation.study("dusty")().passed)
"""


@pytest.mark.long
def test_a_run_goes_on_in_a_process_that_has_not_imported_the_package(tmp_path):
    told = tmp_path / "parcels-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: parcels\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "parcels.py").write_text(PACKAGE)
    (tmp_path / "case.toml").write_text(CASE)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    for code in (BEGIN, CONTINUE):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        "[6.0, 6.0, 6.0, 6.0, 6.0] [3.0, 3.0]", "dust [kg]", "Bead(radius=0.005) True",
    ]  # fmt: skip


class Entry(NamedTuple):
    """An entry point of a package."""

    name: str
    value: str
    load: object


def declare(monkeypatch, *entries):
    """Let dem see these entry points only, in each group."""
    monkeypatch.setattr(imports, "entry_points", lambda group: entries)


def test_code_for_shapes_and_walls_is_stored_under_the_sources_of_their_package(monkeypatch):
    """Their kinds are types of arguments of kernels, whose names on disk have the hash of these sources."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    from lens import LensKind  # noqa: PLC0415
    from paraboloid import ParaboloidKind  # noqa: PLC0415

    for kind in (LensKind, ParaboloidKind):
        chain = numba.typeof(chain_of([kind]))
        assert disk_cache.SOURCES[kind] in disk_cache.type_text(chain)


@dataclass(frozen=True)
class Bead:
    """A shape with one value."""

    radius: float


def test_case_files_take_a_shape_by_its_entry_point(monkeypatch):
    declare(monkeypatch, Entry("bead", "parcels:Bead", lambda: Bead))
    assert ShapeTable(type="bead", parameters={"radius": 0.005}).build() == Bead(0.005)
    for given, said in [
        ({"type": "bead", "parameters": {"radios": 1.0}}, "parameters of bead are radius"),
        ({"type": "bead", "diameter": 1.0}, "a bead takes parameters, got diameter: diameter is unknown here"),
        ({"type": "beat"}, "unknown type 'beat': did you mean bead"),
        ({"type": "sphere", "diameter": 1.0, "parameters": {"a": 1}}, "a sphere takes diameter"),
    ]:
        with pytest.raises(ValueError, match=said):
            ShapeTable(**given)


def test_only_fields_that_are_unknown_are_imported(monkeypatch):
    def register():
        dem.register_field("dust", "kg")

    entries = (Entry("dust", "parcels", register), Entry("mud", "theirs", lambda: 1 / 0))
    monkeypatch.setattr(imports, "entry_points", lambda group: entries if group == "dem.fields" else ())
    assert fields.load_fields(["position"]) == set()
    try:
        assert fields.load_fields(["dust"]) == set()
    finally:
        dem.model.particles.particles.unregister_field("dust")
    with pytest.raises(ValueError, match="field mud cannot be loaded from theirs: ZeroDivisionError"):
        fields.load_fields(["mud"])


def test_a_column_is_computed_and_kept(tmp_path, capsys):
    stuff = dem.Material(young=1e6, poisson=0.3, density=2500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), stuff, position=[[0, 0, 0]], velocity=[[0.5, 0, 0]])
    dem.register_column("place", "m", lambda sim: sim.particles.position[0, 0])
    try:
        sim = dem.Simulation(ball, time_step=1e-3, gravity=(0, 0, 0))
        sim.run(0.2, output=tmp_path / "run.h5", frames=2, table="time,place", table_every=0.1)
    finally:
        running_table.unregister_column("place")
    with dem.Trajectory(tmp_path / "run.h5") as run:
        np.testing.assert_allclose(run.table["place"], [0, 0.05, 0.1], rtol=1e-12)
    assert "place" in capsys.readouterr().out


@pytest.mark.parametrize(("value", "whole"), [("high", False), (np.zeros(3), False), (None, False), (1.5, True)])
def test_values_of_columns_that_are_no_numbers_are_refused_by_name(value, whole):
    dem.register_column("odd", "1", lambda _: value, whole=whole)
    stuff = dem.Material(young=1e6, poisson=0.3, density=2500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), stuff, position=[[0, 0, 0]])
    try:
        with pytest.raises(TypeError, match=r"the function of the column odd returned .*, expected a"):
            dem.Simulation(ball, time_step=1e-3).run(0.01, table=["time", "odd"])
    finally:
        running_table.unregister_column("odd")


@pytest.mark.parametrize(("name", "said"), [("time", "name of a column is 'time'"), ("a b", "expected an identifier")])
def test_names_of_columns_that_are_taken_or_none_are_refused(name, said):
    with pytest.raises(ValueError, match=said):
        dem.register_column(name, "1", len)


def test_columns_are_found_by_their_entry_points(monkeypatch):
    declare(monkeypatch, Entry("mean", "parcels", lambda: None))
    with pytest.raises(ValueError, match=r"column mean: parcels does not register it, by dem\.register_column"):
        running_table.known_column("mean")
    with pytest.raises(ValueError, match="unknown column 'meen': did you mean mean"):
        running_table.known_column("meen")


def test_studies_are_found_by_their_entry_points(monkeypatch):
    declare(monkeypatch, Entry("dusty", "parcels:study", lambda: len))
    assert validation.study("dusty") is len
    assert "dusty" in validation.names()
    with pytest.raises(ValueError, match="unknown study 'dusti': did you mean dusty"):
        validation.study("dusti")
