"""Wear of walls against its closed form, in runs, files and ParaView's view of them."""

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import dem
from tests.viewers import vtk_frames

G, MU, V0, WEAR = 9.81, 0.4, 0.35, 2e-12
SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=MU)
LONG = np.linspace(-0.05, 0.05, 6)


def floor(kind):
    """z = 0: a plane, or strips of triangles across the way."""
    if kind == "plane":
        return dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, wear=WEAR)
    vertices = [(x, y, 0.0) for x in LONG for y in (-0.05, 0.05)]
    triangles = [(2 * k + a, 2 * k + b, 2 * k + c) for k in range(len(LONG) - 1) for a, b, c in ((0, 1, 2), (1, 2, 3))]
    return dem.Mesh(vertices, triangles, material=SAND, wear=WEAR)


def sliding(kind, **options):
    """A fibre that lies on the floor and slides along its axis, y being off the diagonals."""
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=2)
    body = dem.Particles(fibre, SAND, position=[[-0.02, 0.004, 0.005 - 3e-6]], velocity=[[V0, 0, 0]])
    return dem.Simulation(body, walls=[floor(kind)], gravity=(0, 0, -G), time_step=2e-5, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plane", "mesh"])
def test_a_block_that_slides_to_rest_wears_by_its_energy(kind):
    """V = (k/H) N s, and friction takes μ N s, all of the kinetic energy: V = (k/H) m v²/2 μ, whatever N does.

    2 % for what the fibre keeps in pitching, and the spring in which it comes to rest.
    """
    sim = sliding(kind)
    mass = 2 * sim.energy().translational / V0**2
    sim.step(round(1.15 * V0 / (MU * G) / 2e-5))
    assert abs(sim.particles.velocity[0, 0]) < 0.02 * V0
    worn = sim.walls[0].worn
    assert worn.sum() == pytest.approx(WEAR * mass * V0**2 / (2 * MU), rel=0.02)
    if kind == "mesh":  # it is gone where the fibre was: from x = -0.03 to 0.026
        ends = floor(kind).vertices[floor(kind).triangles][..., 0]
        assert (worn[(ends.max(1) < -0.031) | (ends.min(1) > 0.032)] == 0).all()
        assert (worn > 0).sum() >= 4


@pytest.mark.slow
def test_cuts_and_restarts_change_no_bit_of_it(tmp_path):
    whole, cut = sliding("mesh"), sliding("mesh", _skin=(0.004, 0.001))
    whole.step(700)
    cut.step(301)
    cut.save(tmp_path / "cut.h5")
    again = dem.Simulation.load(tmp_path / "cut.h5")
    again.step(399)
    assert whole.walls[0].worn.sum() > 0
    assert again.walls[0].worn.tobytes() == whole.walls[0].worn.tobytes()


@pytest.mark.slow
def test_files_and_views_tell_it(tmp_path):
    sim = sliding("mesh")
    sim.run(duration=0.004, output=tmp_path / "run.h5", frames=4, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        worn = run.walls[0].worn
    assert worn.shape == (5, 10)
    assert (np.diff(worn, axis=0) >= 0).all()
    assert worn[-1].tobytes() == sim.walls[0].worn.tobytes()
    for row, (_, shown) in zip(worn, vtk_frames(dem.export(tmp_path / "run.h5", "walls.vtkhdf")), strict=True):
        assert vtk_to_numpy(shown.GetCellData().GetArray("worn")).tolist() == row.tolist()


def test_who_does_not_wear_tells_nothing(tmp_path):
    sim = sliding("plane")
    still = dem.Simulation(
        sim.particles, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=SAND)], gravity=(0, 0, -G), time_step=2e-5
    )
    still.run(duration=1e-3, output=tmp_path / "run.h5", frames=1, progress=False)
    assert still.walls[0].worn.tolist() == [0.0]
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.walls[0].worn.shape == (2, 0)
    with pytest.raises(ValueError, match="wear"):
        dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, wear=-1.0)
