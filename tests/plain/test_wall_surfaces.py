"""Walls as surfaces in files for ParaView: each shape where it is, as VTK reads it."""

import numpy as np
import pytest
from dem.kernels.walls.geometry import clearance
from vtkmodules.util.numpy_support import vtk_to_numpy

import dem
from dem.model.walls.wall_shapes import geometry_of
from dem.model.walls.wall_triangles import triangles_of
from tests.viewers import points, vtk_frames

STEEL = dem.Material(young=5e6, poisson=0.3, density=1000.0)
WALLS = [
    dem.Plane((0, 0, -0.05), (0.1, 0, 1), material=STEEL),
    dem.Cylinder((0.01, 0, 0), (0, 0.02, 0.05), 0.02, ends="both", material=STEEL),
    dem.Cone((0, 0, 0), (0, 0, 0.03), 0.01, 0.04, material=STEEL),
    dem.Ball((0.01, 0.02, 0.03), 0.02, material=STEEL),
    dem.Rectangle((0, 0, 0.01), (0.03, 0, 0.03), (0, 0.02, 0), material=STEEL),
    dem.Block((0, 0, 0), (0.01, 0.02, 0.03), material=STEEL),
    dem.CapsuleWall((0, 0, 0), (0.02, 0.02, 0.0), 0.005, material=STEEL),
    dem.Torus((0, 0, 0), (1, 1, 0), 0.03, 0.01, material=STEEL),
    dem.Mesh.box((0, 0, 0), (0.01, 0.02, 0.03), material=STEEL),
]


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.word)
def test_triangles_lie_on_the_walls_that_they_show(wall):
    """Corners to rounding; what they enclose has no hole: edges are shared, but where the wall ends."""
    shape = wall.shape
    vertices, triangles = triangles_of(shape, np.array([0.3, 0.1, 0.2]), 0.5)
    geometry = geometry_of([shape], reach=0.01)
    assert max(abs(clearance(0, tuple(x), geometry)) for x in vertices[triangles].reshape(-1, 3)[::7]) < 1e-15
    if wall.word in ("block", "ball", "torus", "capsule", "mesh"):
        corner = vertices[triangles] - vertices.mean(0)
        volume = np.abs(np.einsum("ij,ij->i", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum() / 6)
        expected = {"block": 6e-6, "mesh": 6e-6, "ball": 4 / 3 * np.pi * 8e-6, "torus": 2 * np.pi**2 * 3e-6}
        expected["capsule"] = np.pi * 2.5e-5 * np.hypot(0.02, 0.02) + 4 / 3 * np.pi * 1.25e-7
        assert volume == pytest.approx(expected[wall.word], rel=5e-3)  # flats of 48 and 96 segments


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.few(1)
def test_walls_are_read_where_they_are(tmp_path, moves):
    """A floor, and a flap that turns: corners at each frame, stored once if nothing moves; forces of the balls."""
    motion = {"motion": dem.Motion(rate=20.0, axis=(0, 1, 0), centre=(0.1, 0, 0))} if moves else {}
    flap = dem.Rectangle((0.1, 0, 0.02), (0, 0.02, 0), (0, 0, 0.04), material=STEEL, **motion)
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=STEEL)
    ball = dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=[[0, 0, 0.00499], [0.02, 0, 0.00499]])
    sim = dem.Simulation(ball, walls=[floor, flap], time_step=2e-5)
    sim.run(duration=0.004, output=tmp_path / "run.h5", frames=4, progress=False)
    path = dem.export(tmp_path / "run.h5", "walls.vtkhdf")
    assert path.name == "run.walls.vtkhdf"
    frames = vtk_frames(path)
    assert [time for time, _ in frames] == pytest.approx([0, 0.001, 0.002, 0.003, 0.004])
    with dem.Trajectory(tmp_path / "run.h5") as run:
        for k, (time, shown) in enumerate(frames):
            assert shown.GetNumberOfPolys() == 4
            cells = shown.GetCellData()
            assert vtk_to_numpy(cells.GetArray("wall")).tolist() == [0, 0, 1, 1]
            force = vtk_to_numpy(cells.GetArray("force"))
            assert np.allclose(force[0], run.walls[0].force[k], rtol=1e-6)
            angle = 20.0 * time if moves else 0.0
            tip = [0.1 + 0.04 * np.sin(angle), 0.01, 0.04 * np.cos(angle)]
            assert np.abs(points(shown) - tip).max(1).min() < 1e-12
            assert np.abs(points(shown)[:4, 2]).max() == 0
    empty = dem.Simulation(ball, time_step=2e-5)
    empty.run(duration=4e-5, output=tmp_path / "none.h5", frames=1, progress=False)
    with pytest.raises(ValueError, match="has no walls beside a box"):
        dem.export(tmp_path / "none.h5", "walls.vtkhdf")


def test_planes_of_a_run_that_begins_without_particles_are_about_the_first_ones(tmp_path):
    glass = dem.Material(young=5e5, poisson=0.3, density=2500.0)
    rain = dem.Inserter(dem.Sphere(diameter=0.01), glass, region=dem.Block((0, 0, 0.1), (0.1, 0.1, 0.2)), start=0.002)
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=glass)
    sim = dem.Simulation(None, walls=[floor], inserters=[rain], time_step=1e-4)
    sim.run(0.01, output=tmp_path / "run.h5", frames=5, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        number = [len(frame.position) for frame in run]
        first = next(frame.position for frame in run if len(frame.position))
    assert number[0] == 0 < number[-1]
    for _, shown in vtk_frames(dem.export(tmp_path / "run.h5", "walls.vtkhdf")):
        corners = points(shown)
        assert np.allclose(corners.mean(0)[:2], 0.5 * (first.min(0) + first.max(0))[:2], atol=1e-9)
        assert (corners.min(0)[:2] < first.min(0)[:2]).all()
        assert (corners.max(0)[:2] > first.max(0)[:2]).all()
