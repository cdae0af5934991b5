"""Meshes in other units than particles: told of before a run, with their sizes and who is outside."""

import pytest

import dem

SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0)


def run(scale, tmp_path):
    """Two balls, and a box of 60 units in a file."""
    path = tmp_path / "box.stl"
    dem.Mesh.box((0, 0, 0), (60, 60, 60), material=SAND).write(path)
    mesh = dem.Mesh.from_file(path, scale=scale, material=SAND)
    balls = dem.Particles(dem.Sphere(diameter=0.01), SAND, position=[(0.03, 0.03, 0.03), (0.03, 0.015, 0.03)])
    dem.Simulation(balls, walls=[mesh], time_step=1e-5).run(duration=1e-5, progress=False)


def test_a_mesh_a_thousand_times_too_small_is_refused(tmp_path):
    told = (
        r"odd-scale: the mesh mesh is 0\.000104 m .*2 of 2 particles outside it, the first particle 0 at \(0\.03, 0\.03"
    )
    with pytest.raises(ValueError, match=told):
        run(1e-6, tmp_path)


def test_a_mesh_a_thousand_times_too_large_is_told_of(tmp_path):
    with pytest.warns(dem.DemWarning, match=r"odd-scale: the mesh mesh is 104 m .*0 of 2 particles outside it; give"):
        run(1.0, tmp_path)


@pytest.mark.filterwarnings("error")
def test_one_that_fits_is_not(tmp_path):
    run(1e-3, tmp_path)
