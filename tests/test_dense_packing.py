"""Dense packings of spheres: the solid fraction that was asked for, and nobody overlaps anybody."""

import numpy as np
import pytest

import dem
from dem.model.particles import dense_packing


def least_gap(particles, period):
    """Smallest distance of two surfaces, over all pairs and their nearest images."""
    x, r = particles.position, np.array([shape.diameter for shape, _ in particles.variants])[particles.variant] / 2
    gap = x[:, None] - x
    gap -= period * np.round(gap / np.where(period > 0, period, np.inf))
    distance = np.sqrt((gap * gap).sum(2)) - r[:, None] - r
    return distance[~np.eye(len(x), dtype=bool)].min()


def cube(number, solid_fraction, nylon, periodic):
    edge = (number * np.pi / 6 * 1e-6 / solid_fraction) ** (1 / 3)
    return dem.Box((-0.01, 0, 0), (edge - 0.01, edge, edge), nylon, periodic=periodic)


def test_equal_spheres_twice_as_dense_as_by_insertion(nylon, ball):
    """0.6 in a periodic box, by brute force over all pairs; the same for the same seed."""
    box = cube(250, 0.6, nylon, ["x", "y", "z"])
    found = dem.pack_dense(ball, nylon, box, solid_fraction=0.6, seed=2)
    assert len(found) == 250
    assert 0 <= least_gap(found, np.array(box.size)) < 2 * dense_packing.SWELL * 0.01  # some do nearly touch
    again = dem.pack_dense(ball, nylon, box, number=250, seed=2)
    np.testing.assert_array_equal(again.position, found.position)


@pytest.mark.slow
def test_random_close_packing(nylon, ball):
    """0.63 of a thousand."""
    box = cube(1000, 0.63, nylon, ["x", "y", "z"])
    assert least_gap(dem.pack_dense(ball, nylon, box, number=1000), np.array(box.size)) >= 0


def test_unequal_spheres_between_walls(nylon, ball):
    """Volume as asked for, to half a mean particle; inside the walls along y and z."""
    box = cube(200, 0.52, nylon, ["x"])
    sizes = dem.UniformSizes(lower=6e-3, upper=12e-3)
    found = dem.pack_dense(ball, nylon, box, solid_fraction=0.52, sizes=sizes)
    assert 0 <= least_gap(found, np.array([box.size[0], 0, 0])) < 2e-5
    r = np.array([shape.diameter for shape, _ in found.variants])[found.variant] / 2
    volume = 4 / 3 * np.pi * r**3
    assert abs(volume.sum() - 0.52 * np.prod(box.size)) <= 0.5 * volume.mean() * (1 + 1e-5)
    for axis in (1, 2):
        assert (found.position[:, axis] >= r).all()
        assert (found.position[:, axis] <= box.size[axis] - r).all()


def test_what_cannot_be_so_dense_is_refused(nylon, ball, fibre):
    box = cube(60, 0.72, nylon, ["x", "y", "z"])
    with pytest.raises(ValueError, match=r"60 spheres jam at a solid fraction of 0.72 .* take fewer"):
        dem.pack_dense(ball, nylon, box, number=60)
    with pytest.raises(TypeError, match=r"shape is Fibre, expected a dem.Sphere"):
        dem.pack_dense(fibre, nylon, box, number=6)
    with pytest.raises(ValueError, match="give either number or solid_fraction"):
        dem.pack_dense(ball, nylon, box)
    with pytest.raises(ValueError, match=r"is too narrow for spheres of up to 0\.01 m"):
        dem.pack_dense(ball, nylon, lower=(0, 0, 0), upper=(1, 1, 0.009), number=3)
