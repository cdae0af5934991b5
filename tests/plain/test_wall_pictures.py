"""Walls in pictures: lines that lie on them, where they are at the time."""

import math

import numpy as np
import pytest
from dem.kernels.walls.geometry import clearance

import dem
from dem.model.walls import wall_shapes
from dem.plots.rendering import walls as drawn

STEEL = dem.Material(young=2e6, poisson=0.3, density=2000.0, name="steel")
WALLS = {
    "cylinder": dem.Cylinder((0, 0, 0), (0.1, 0.2, 0.3), 0.2, ends="both", material=STEEL),
    "ball": dem.Ball((0.1, 0, 0), 0.3, material=STEEL),
    "rectangle": dem.Rectangle((0.1, 0, 0), (0.2, 0, 0), (0, 0.1, 0.1), material=STEEL),
    "block": dem.Block((0, 0, 0), (0.1, 0.2, 0.3), material=STEEL),
    "rod": dem.CapsuleWall((0, 0, 0), (0.1, 0.2, 0.3), 0.05, material=STEEL),
    "torus": dem.Torus((0, 0, 0), (1, 1, 0), 0.3, 0.1, material=STEEL),
    "screw": dem.Mesh.screw(0.05, 0.04, 0.1, shaft=0.01, material=STEEL),
    "box": dem.Mesh.box((0, 0, 0), (1, 2, 3), material=STEEL),
}


@pytest.mark.parametrize("name", WALLS)
def test_lines_are_on_the_wall(name):
    """Their ends, to rounding."""
    shape = WALLS[name].shape
    lines = drawn.lines_of(shape)
    assert len(lines) >= 4
    geometry = wall_shapes.geometry_of([shape], reach=0.02)
    step = max(1, len(lines) // 40)
    assert max(abs(clearance(0, tuple(x), geometry)) for x in lines[::step].reshape(-1, 3)) < 1e-14


def test_a_box_of_triangles_shows_its_edges_and_no_diagonals():
    lengths = np.linalg.norm(np.diff(drawn.lines_of(WALLS["box"].shape), axis=1), axis=2).ravel()
    assert sorted(lengths.round(12)) == [1] * 4 + [2] * 4 + [3] * 4


@pytest.mark.slow
def test_walls_are_drawn_where_they_are(tmp_path):
    """A sheet that turns about a corner of its own and moves up; a floor is something to stand on."""
    motion = dem.Motion(rate=2.5, axis=(0, 0, 1), centre=(0.1, 0, 0), velocity=(0, 0, 0.1))
    sheet = dem.Mesh([(0.1, 0, 0), (0.2, 0, 0), (0.1, 0.1, 0)], [(0, 1, 2)], material=STEEL, motion=motion)
    floor = dem.Plane((0, 0, -0.1), (0, 0, 2), material=STEEL)
    ball = dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=[(0, 0, 0.1)])
    sim = dem.Simulation(ball, walls=[sheet, floor], time_step=5e-5, gravity=(0, 0, -1))
    sim.run(0.02, output=tmp_path / "run.h5", frames=2, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        ends = drawn.wall_lines(run, 2).reshape(-1, 3)
        ground = drawn.level_plane(run, 2, np.array([0, 0, 1.0]), np.zeros(3), np.ones(3))
        figure = dem.plots.scene(run, size=(60, 40))
    c, s = math.cos(0.05), math.sin(0.05)
    expected = [(0.1, 0, 0.002), (0.1 + 0.1 * c, 0.1 * s, 0.002), (0.1 - 0.1 * s, 0.1 * c, 0.002)]
    assert np.unique(ends.round(9), axis=0) == pytest.approx(np.array(sorted(expected)), abs=1e-8)
    assert ground.corner == pytest.approx([-0.1, -0.1, -0.1])
    assert len(figure.axes) == 2
