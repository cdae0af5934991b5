"""Clumps from meshes: mass of the mesh, spheres inside it, and their deviation from it."""

import math

import numpy as np
import pytest

import dem
from dem.model.shapes.ellipsoid import cube_mesh
from dem.model.walls.stl import write_stl


@pytest.fixture
def cube(tmp_path):
    """A file with a cube of 2 mm from -1 to 1, in millimetres."""
    write_stl(tmp_path / "cube.stl", *cube_mesh(2))
    return tmp_path / "cube.stl"


@pytest.mark.parametrize("cells", [4, 5])
def test_one_sphere_in_a_cube_is_its_inscribed_one(cube, cells):
    """Whether the lattice has a place in the middle or not; the corners are the farthest, √3 - 1 of half an edge."""
    clump = dem.Clump.from_mesh(cube, spheres=1, scale=1e-3, cells=cells)
    np.testing.assert_allclose(clump.radii, 1e-3, rtol=1e-6)
    np.testing.assert_allclose(clump.offsets, 0, atol=1e-9)
    assert clump.fit.largest_distance == pytest.approx((math.sqrt(3) - 1) * 1e-3, rel=1e-6)
    assert clump.fit.volume_ratio == pytest.approx(math.pi / 6, rel=1e-5)
    properties = clump.mass_properties(1000.0)
    assert properties.volume == pytest.approx(8e-9, rel=1e-6)
    np.testing.assert_allclose(properties.inertia, 8e-6 * 4e-6 / 6, rtol=1e-6)  # m a²/6
    union = dem.Clump.from_mesh(cube, spheres=1, scale=1e-3, cells=cells, mass="spheres")
    assert union.mass_properties(1.0).volume == pytest.approx(4 / 3 * math.pi * 1e-9, rel=1e-5)


@pytest.mark.long
def test_more_spheres_come_nearer_to_an_ellipsoid(tmp_path):
    """Moved and turned in the file: the spheres are inside, the mass is that of the mesh, distances become less."""
    vertices, triangles = dem.Ellipsoid(semi_axes=(3.0, 2.0, 1.5)).surface_mesh(cells=6)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    write_stl(tmp_path / "grain.stl", vertices @ turn.T + [10, 0, 0], triangles)
    made = [dem.Clump.from_mesh(tmp_path / "grain.stl", spheres=n, scale=1e-3, cells=10) for n in (2, 12)]
    exact = dem.Ellipsoid(semi_axes=(3e-3, 2e-3, 1.5e-3)).mass_properties(1.0)
    for clump in made:
        properties = clump.mass_properties(1.0)
        assert properties.volume == pytest.approx(exact.volume, rel=0.05)  # chords
        np.testing.assert_allclose(sorted(properties.inertia), sorted(exact.inertia), rtol=0.08)
        np.testing.assert_allclose(clump.centre, (0.01, 0, 0), atol=1e-6)
        assert clump.fit.volume_ratio < 1
    assert made[1].fit.mean_distance < 0.5 * made[0].fit.mean_distance
    assert made[1].fit.volume_ratio > made[0].fit.volume_ratio
    assert made[1].fit.spheres == len(made[1].radii) == 12


def test_meshes_that_make_no_clump(cube, tmp_path):
    vertices, triangles = cube_mesh(1)
    write_stl(tmp_path / "open.stl", vertices, triangles[1:])
    with pytest.raises(ValueError, match="the mesh is open"):
        dem.Clump.from_mesh(tmp_path / "open.stl", spheres=3)
    with pytest.raises(ValueError, match="mass is 'both', expected 'mesh' or 'spheres'"):
        dem.Clump.from_mesh(cube, spheres=3, mass="both")
    with pytest.raises(ValueError, match="spheres is 0"):
        dem.Clump.from_mesh(cube, spheres=0)
