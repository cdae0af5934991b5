"""Clumps from meshes: mass of the mesh, spheres inside it, and their deviation from it."""

import math
import warnings

import numpy as np
import pytest

import dem
from dem.model.shapes import mesh_clump
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


def test_each_sphere_is_the_one_that_covers_most_points_that_are_left():
    """Of equal ones the largest, then the first: as a search tells that counts all points for all spheres anew."""
    axes = [0.3 * np.arange(n) for n in (9, 7, 8)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = ((points - (1.2, 0.9, 1.0)) ** 2 / (1.3, 1.0, 1.2)).sum(-1) < 1
    radius = np.where(inside, 0.3 * np.random.default_rng(1).integers(0, 5, inside.shape) / 3, 0.0)
    at, r = points[inside], radius[inside]
    near = ((at[:, None] - at) ** 2).sum(2) <= r[:, None] ** 2
    left, expected = np.ones(len(at), bool), []
    while left.any():
        expected.append(int(np.lexsort((-r, -(near & left).sum(1)))[0]))
        left &= ~near[expected[-1]]
    assert len(expected) > 20
    for most in (3, 4000):
        chosen = mesh_clump.cover(axes, inside, radius, 0.3, most)
        np.testing.assert_array_equal(points[chosen], at[expected[:most]])


def test_distances_are_those_from_the_nearest_of_all_triangles():
    vertices, triangles = dem.Ellipsoid(semi_axes=(3.0, 2.0, 0.1)).surface_mesh(6)
    points = np.random.default_rng(2).uniform(-4, 4, (300, 3))
    corners = [np.repeat(vertices[None, triangles[:, k]], len(points), axis=0).reshape(-1, 3) for k in range(3)]
    each = mesh_clump.squared_distances(np.repeat(points, len(triangles), axis=0), *corners)
    expected = np.sqrt(each.reshape(len(points), -1).min(1))
    np.testing.assert_array_equal(mesh_clump.distances(points, vertices, triangles), expected)


def test_a_cavity_of_a_mesh_has_no_spheres():
    vertices, triangles = cube_mesh(2)  # from -1 to 1
    both = np.concatenate([vertices, 0.5 * vertices])
    faces = np.concatenate([triangles, triangles[:, ::-1] + len(vertices)])
    centres, radii = mesh_clump.inscribed_spheres(both, faces, 60, 12, np.zeros(3))
    assert len(radii) == 60
    assert (np.abs(centres).max(1) > 0.5).all()


@pytest.mark.parametrize("spheres", [1, 5])
@pytest.mark.parametrize("case", ["inside out", "overlapping", "within another"])
def test_meshes_whose_inside_would_be_counted_wrongly_are_refused(case, spheres, tmp_path):
    """Their volumes would be 7, 16 and 9 m³, with negative moments of inertia of the first."""
    vertices, triangles = cube_mesh(2)  # from -1 to 1
    second, turn = {
        "inside out": (0.5 * vertices + np.array([5, 0, 0]), -1),
        "overlapping": (vertices + np.array([1, 0.3, 0.2]), 1),
        "within another": (0.5 * vertices, 1),
    }[case]
    faces = np.concatenate([triangles, triangles[:, ::turn] + len(vertices)])
    write_stl(tmp_path / "grain.stl", np.concatenate([vertices, second]), faces)
    with pytest.raises(ValueError, match="the mesh intersects itself, or a part of it is inside out"):
        dem.Clump.from_mesh(tmp_path / "grain.stl", spheres=spheres, cells=12)


def test_parts_of_a_mesh_may_touch():
    """Two cubes have a face in common, divided differently on either side: rounding tells where places on it are."""
    (vertices, triangles), (finer, more) = cube_mesh(2), cube_mesh(3)  # from -1 to 1
    faces = np.concatenate([triangles, more + len(vertices)])
    for scale in 0.1 * np.arange(3, 20):
        corners = scale * np.concatenate([vertices, finer + np.array([2, 0, 0])])
        _, radii = mesh_clump.inscribed_spheres(corners, faces, 2, 5, corners.mean(0))
        np.testing.assert_allclose(radii, 0.8 * scale, rtol=1e-9)  # of five cells the second and fourth are inside


def test_places_on_the_surface_have_no_spheres():
    """Two cells have all places at corners of a cavity of half the size: rounding tells whether these are inside."""
    vertices, triangles = cube_mesh(2)
    both = np.concatenate([vertices, 0.5 * vertices])
    faces = np.concatenate([triangles, triangles[:, ::-1] + len(vertices)])
    with pytest.raises(ValueError, match="no place of a lattice with 2 cells is inside the mesh"):
        mesh_clump.inscribed_spheres(both, faces, 8, 2, np.zeros(3))
    for centre in (0.5 * vertices[0], vertices[0] * (0.5, 1e-3, 0)):  # of one sphere, on the surface as well
        _, radii = mesh_clump.inscribed_spheres(both, faces, 1, 8, centre)
        assert radii.min() > 0.1


def test_triangles_without_area_change_nothing(tmp_path):
    """An edge of a tetrahedron with a vertex more, and one of which both ends are at the same place."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.5, 0, 0), (0, 0, 0)], float)
    plain = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    on_edge = [(0, 2, 4), (4, 2, 1), (0, 1, 3), (0, 4, 1), (1, 2, 3), (0, 3, 2)]
    merged = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (5, 3, 2), (0, 3, 5), (0, 5, 2)]
    made = []
    for triangles in (plain, on_edge, merged):
        write_stl(tmp_path / "grain.stl", corners, np.array(triangles))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made.append(dem.Clump.from_mesh(tmp_path / "grain.stl", spheres=9, cells=8))
    for clump in made[1:]:
        np.testing.assert_allclose(clump.radii, made[0].radii, rtol=1e-12)
        np.testing.assert_allclose(clump.offsets, made[0].offsets, rtol=0, atol=1e-12)
