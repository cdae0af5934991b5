"""Compiled shapes of walls: contacts of many spheres with large meshes."""

import math

import numpy as np
import pytest
from dem.kernels.compiler.jit import kernel
from dem.kernels.walls.geometry import find_contacts

from dem.model.walls import mesh_builders, wall_shapes
from dem.model.walls.surfaces import surface_of


@kernel
def feel_all(x, radius, geometry, trees, scratch, felt):
    """Gradients and potential (4, N) of wall 0 for spheres at x (3, N)."""
    for i in range(x.shape[1]):
        count = find_contacts(0, (x[0, i], x[1, i], x[2, i]), radius, 1.5, geometry, trees, scratch)
        for t in range(count):
            for k in range(4):
                felt[k, i] += trees[t, k]


def felt(shape, x, radius=1.0):
    geometry = wall_shapes.geometry_of([shape], reach=radius)
    found = np.zeros((4, x.shape[1]))
    feel_all(x, radius, geometry, np.zeros((8, 8)), np.zeros((int(geometry.room[0]), 12)), found)
    return found


def mesh(vertices, triangles):
    return wall_shapes.mesh(surface_of(vertices, triangles))


@pytest.mark.slow
def test_a_large_net_is_a_plane_to_the_bit():
    """Of 80 000 triangles, each as a soup of its own corners, for spheres larger than they are."""
    steps = np.linspace(-20, 20, 201)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    vertices, triangles = mesh_builders.sheet(np.stack([x, y, 0 * x], axis=-1))
    soup = mesh(vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    assert soup.surface.vertices.shape == (201**2, 3)
    places = np.random.default_rng(1).uniform((-15, -15, -1), (15, 15, 1), (2000, 3)).T.copy()
    plane = felt(wall_shapes.plane((0, 0, 0), (0, 0, 1)), np.vstack([places[:2], np.abs(places[2:])]))
    plane[:3] *= np.sign(places[2])  # of a sheet both sides push
    assert np.array_equal(felt(soup, places), plane)


@pytest.mark.slow
def test_a_drum_of_many_flats_is_nearly_a_drum():
    """Of 10 000 triangles; flats of R cut in by R (1 - cos(π / n)), at most, which the overlap differs by."""
    n, inner = 200, 40.0
    drum = mesh(*mesh_builders.turned([(inner, z) for z in np.linspace(-20, 20, 26)], segments=n))
    assert len(drum.surface.triangles) == 10_000
    rng = np.random.default_rng(2)
    r, angle = inner - rng.uniform(0.5, 0.99, 1000), rng.uniform(0, 2 * math.pi, 1000)
    places = np.stack([r * np.cos(angle), r * np.sin(angle), rng.uniform(-15, 15, 1000)])
    smooth, flat = (felt(shape, places) for shape in (wall_shapes.revolution([(inner, -20), (inner, 20)]), drum))
    sagitta = inner * (1 - math.cos(math.pi / n))
    overlaps = [(2.5 * each[3]) ** 0.4 for each in (smooth, flat)]
    assert overlaps[0] == pytest.approx(r + 1 - inner, rel=1e-12)
    assert (overlaps[1] - overlaps[0]).min() > -1e-12
    assert (overlaps[1] - overlaps[0]).max() < 1.01 * sagitta
