"""A sphere that touches a faceted cone all around: rule E there, and the effect of kinks on the energy."""

import numpy as np
import pytest
from dem.kernels.walls.geometry import find_contacts

import dem
from dem.model.walls.mesh_builders import turned
from dem.model.walls.wall_shapes import geometry_of

FLATS, R, K, G = 50, 1.0, 300.0, 1.0
AROUND = 2 * np.pi * np.arange(FLATS) / FLATS
EDGES = np.sqrt(0.5) * np.column_stack([np.cos(AROUND), np.sin(AROUND), np.ones(FLATS)])  # a cone of 45 degrees
NORMALS = -np.cross(np.roll(EDGES, -1, 0), EDGES)
NORMALS *= (np.sign(NORMALS[:, 2]) / np.linalg.norm(NORMALS, axis=1))[:, None]


def in_cone(x):
    """U/K and force/K of spheres at x (T, 3) inside the cone: Σ φ_f - Σ φ_e + the least φ_e, for any number of them.

    Within reach are all edges, and the forest leaves out the farthest; or one is not, whose φ_e is 0.
    """
    spokes = np.maximum(x @ EDGES.T, 0.0)[..., None] * EDGES
    from_edge = x[:, None] - spokes
    of_edge = np.linalg.norm(from_edge, axis=2)
    height = x @ NORMALS.T
    foot = x[:, None] - height[..., None] * NORMALS
    side = np.cross(EDGES, np.roll(EDGES, -1, 0))
    inside = ((np.cross(EDGES, foot) * side).sum(2) >= 0) & ((np.cross(foot, np.roll(EDGES, -1, 0)) * side).sum(2) >= 0)
    following, from_following = np.roll(of_edge, -1, 1), np.roll(from_edge, -1, 1)
    nearer = np.where((of_edge < following)[..., None], from_edge, from_following)
    from_face = np.where(inside[..., None], height[..., None] * NORMALS, nearer)
    of_face = np.where(inside, np.abs(height), np.minimum(of_edge, following))
    deep_f, deep_e = np.maximum(R - of_face, 0.0), np.maximum(R - of_edge, 0.0)
    force = ((deep_f**1.5 / of_face)[..., None] * from_face).sum(1)
    each = (deep_e**1.5 / of_edge)[..., None] * from_edge
    least, rows = deep_e.argmin(1), np.arange(len(x))
    energy = 0.4 * ((deep_f**2.5).sum(1) - (deep_e**2.5).sum(1) + deep_e[rows, least] ** 2.5)
    return energy, force - each.sum(1) + each[rows, least]


def test_rule_e_leaves_out_the_farthest_edge_of_a_ring():
    """In the middle, beside it, and where some edges are out of reach: to rounding of sums of a hundred terms."""
    vertices, triangles = turned([(0.0, 0.0), (4.0, 4.0)], segments=FLATS)
    mesh = dem.Mesh(vertices, triangles, material=dem.Material(young=5e6, poisson=0.3, density=1000.0))
    geometry = geometry_of([mesh.shape], reach=1.1 * R)
    rng = np.random.default_rng(2)
    x = np.column_stack([rng.uniform(-0.3, 0.3, (30, 2)), rng.uniform(1.25, 1.5, 30)])
    energy, force = in_cone(x)
    trees, scratch = np.zeros((geometry.room[0], 8)), np.zeros((geometry.room[0], 12))
    for at, e, f in zip(x, energy, force, strict=True):
        count = find_contacts(0, tuple(at), R, 1.5, geometry, trees, scratch)
        assert trees[:count, 3].sum() == pytest.approx(e, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(trees[:count, :3].sum(0), f, rtol=1e-9, atol=1e-12)


def errors(dt, balls, seed=1):
    """What leap-frog makes of the energy of spheres (m = 1) that fall to the tip and leave it, each once."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.uniform(-0.1, 0.1, (balls, 2)), np.sqrt(2) * R + rng.uniform(0.3, 0.5, balls)])
    v = np.column_stack([rng.uniform(-0.1, 0.1, (balls, 2)), np.full(balls, -1.0)])
    before, met, found = 0.5 * (v**2).sum(1) + G * x[:, 2], np.zeros(balls, bool), np.full(balls, np.nan)
    weight, (energy, force) = np.array([0, 0, -G]), in_cone(x)
    while np.isnan(found).any():
        v += 0.5 * dt * (K * force + weight)
        x += dt * v
        energy, force = in_cone(x)
        v += 0.5 * dt * (K * force + weight)
        met |= energy > 0
        left = met & (energy == 0) & np.isnan(found)
        found[left] = (0.5 * (v**2).sum(1) + G * x[:, 2] - before)[left]
    return found


@pytest.mark.slow
def test_kinks_make_the_energy_walk_at_random_by_a_step():
    """First order a visit, none in the mean: 4 times less in a step 4 times less, give or take what 60 visits say."""
    coarse, fine = errors(4e-3, 60), errors(1e-3, 60)
    assert 2.0 < coarse.std() / fine.std() < 8.0
    for found in (coarse, fine):
        assert abs(found.mean()) < 3 * found.std() / np.sqrt(60)
