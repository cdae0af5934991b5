"""Meshes in other units than particles: named before a run, with their sizes and which particles are outside."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.model.walls import mesh_cells, wall_shapes

SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0)
MILLIMETRES = (
    r"odd-scale: the wall mesh is 104 m .*0 of 2 particles outside it; is this file in millimetres\? .*scale=1e-3"
)


def run(scale, tmp_path, **options):
    """Two balls, and a box of 60 units in a file."""
    path = tmp_path / "box.stl"
    path.unlink(missing_ok=True)
    dem.Mesh.box((0, 0, 0), (60, 60, 60), material=SAND).write(path)
    mesh = dem.Mesh.from_file(path, scale=scale, material=SAND)
    balls = dem.Particles(dem.Sphere(diameter=0.01), SAND, position=[(0.03, 0.03, 0.03), (0.03, 0.015, 0.03)])
    dem.Simulation(balls, walls=[mesh], time_step=1e-5).run(duration=1e-5, progress=False, **options)


def test_a_mesh_a_thousand_times_too_small_is_refused(tmp_path):
    told = (
        r"odd-scale: the wall mesh is 0\.000104 m .*2 of 2 particles outside it, the first particle 0 at \(0\.03, 0\.03"
    )
    with pytest.raises(ValueError, match=told):
        run(1e-6, tmp_path)


def test_a_mesh_in_millimetres_is_refused_unless_forced(tmp_path):
    with pytest.raises(ValueError, match=MILLIMETRES):
        run(1.0, tmp_path)
    with pytest.warns(dem.DemWarning, match=MILLIMETRES):
        run(1.0, tmp_path, force=True)


def test_the_first_step_warns_of_what_a_run_refuses():
    mesh = dem.Mesh.box((0, 0, 0), (60, 60, 60), material=SAND)
    ball = dem.Particles(dem.Sphere(diameter=0.01), SAND, position=[(0.03, 0.03, 0.03)])
    sim = dem.Simulation(ball, walls=[mesh], time_step=1e-5)
    with pytest.warns(dem.DemWarning, match=r"odd-scale: .*is this file in millimetres\?") as told:
        sim.step(2)
    sim.step(1)  # says nothing more
    assert len(told) == 1


def test_a_mesh_a_few_hundred_times_larger_is_warned_of(tmp_path):
    with pytest.warns(dem.DemWarning, match=r"odd-scale: the wall mesh is 15\.6 m"):
        run(0.15, tmp_path)


@pytest.mark.filterwarnings("error")
def test_one_that_fits_is_not(tmp_path):
    run(1e-3, tmp_path)


def test_what_inserters_fill_counts_as_taken_up(tmp_path):
    """A silo of 3 m for grains of 2 mm that rain from a layer of 0.4 m."""
    silo = dem.Mesh.box((0, 0, 0), (3, 3, 3), material=SAND)
    grains = dem.Inserter(dem.Sphere(diameter=0.002), SAND, region=dem.Block((1, 1, 2), (1.4, 1.4, 2.1)), rate=1.0)
    sim = dem.Simulation(None, walls=[silo], inserters=[grains], time_step=1e-6)
    assert not [notice for notice in sim.foreseen() if notice.name == "odd-scale"]


CASE = """
duration = "1 ms"
time_step = 1e-6
materials.m = { young = "5 MPa", poisson = 0.3, density = "1 g/cm3" }
shapes.bead = { type = "sphere", diameter = "4 mm" }
[[particles]]
shape = "bead"
material = "m"
position = [[0.0, 0.0, 0.02]]
[[walls]]
type = "mesh"
file = "drum.stl"
material = "m"
"""


@pytest.mark.parametrize("command", ["check", "run"])
def test_the_command_line_refuses_before_cells_are_made(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(wall_shapes, "cells_of", lambda *_: pytest.fail("cells were made"))
    dem.Mesh.turned([(0, 0), (30, 0), (30, 60), (0, 60)], segments=60, material=SAND).write("drum.stl")
    Path("drum.toml").write_text(CASE)
    done = CliRunner().invoke(app, [command, "drum.toml"])
    assert done.exit_code == 2
    assert "is this file in millimetres? then give from_file scale=1e-3" in " ".join(done.stderr.split())


@pytest.mark.long
def test_lists_of_cells_are_bounded_whatever_the_scale(monkeypatch):
    """Sheets near to each other, which are near every cell: lists end at the bound, and still miss no triangle."""
    bound = 40_000
    monkeypatch.setattr(mesh_cells, "MAX_ENTRIES", bound)
    monkeypatch.setattr(mesh_cells, "MAX_PER_TRIANGLE", 0)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.9, 1, 0]])
    sheets = np.concatenate([corners + np.array([0, 0, 2e-5 * k]) for k in range(40)])
    surface = dem.Mesh(sheets, np.arange(120).reshape(-1, 3), material=SAND).surface
    reach = 1e-3
    found = mesh_cells.cells_of(surface, reach)
    assert bound / 8 < len(found.listed) <= bound
    for x in np.random.default_rng(1).uniform((-0.1, -0.1, -1e-3), (1.1, 1.1, 2e-3), (100, 3)):
        c, half, middle = 0, 0.5 * found.size, found.lower + 0.5 * found.size
        while found.cells[c, 0]:
            half, upper = 0.5 * half, x >= middle
            middle = middle + half * np.where(upper, 1, -1)
            c = found.cells[c, 0] + int(upper @ [1, 2, 4])
        listed = set(found.listed[found.cells[c, 1] : found.cells[c, 2]].tolist())
        inside = 0 <= x[1] <= 1 and 0.9 * x[1] <= x[0] <= 1 - 0.1 * x[1]
        near = {k for k in range(40) if inside and abs(x[2] - 2e-5 * k) < reach}
        assert near <= listed
