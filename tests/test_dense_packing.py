"""Dense packings of spheres: the requested solid fraction without overlaps."""

import itertools
import math

import numpy as np
import pytest

import dem
from dem.base.quaternions import product
from dem.model.particles import dense_packing
from dem.model.particles.convex_relaxation import ConvexRelaxation
from dem.validation.element_tests import jammed_packings


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


TETRAHEDRON = 4e-3 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
GRAINS = {
    "ellipsoid": (dem.Ellipsoid(semi_axes=(6e-3, 5e-3, 4e-3)), 0.62, ["x", "y", "z"]),
    "superellipsoid": (dem.Superellipsoid(semi_axes=(5e-3, 5e-3, 5e-3), exponents=(4, 4)), 0.6, ["x", "y"]),
    "cylinder": (dem.RoundedCylinder(diameter=0.01, length=6e-3, rounding=1e-3), 0.5, ["x", "y"]),
    "cube": (dem.Polyhedron(vertices=list(itertools.product([0, 8e-3], repeat=3)), rounding=8e-4), 0.6, ["x", "y"]),
    "tetrahedron": (dem.Polyhedron(vertices=TETRAHEDRON, rounding=2e-4), 0.55, ["x", "y"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAINS)
def test_convex_bodies_touch_nobody(name, nylon):
    """Denser than by insertion, in a periodic cube and between walls; they lie in all directions."""
    shape, solid_fraction, periodic = GRAINS[name]
    edge = (120 * shape.volume / solid_fraction) ** (1 / 3)
    box = dem.Box((0.01, 0, 0), (edge + 0.01, edge, edge), nylon, periodic=periodic)
    found = dem.pack_dense(shape, nylon, box, number=120, seed=3)
    sim = dem.Simulation(found, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    assert sim.contact_count == 0
    again = dem.pack_dense(shape, nylon, box, solid_fraction=solid_fraction, seed=3)
    assert again.position.tobytes() == found.position.tobytes()
    assert again.orientation.tobytes() == found.orientation.tobytes()
    larger = dem.Particles(shape.scaled(1.003), nylon, position=found.position, orientation=found.orientation)
    assert dem.Simulation(larger, box, gravity=(0, 0, 0), time_step=1e-6, threads=1).contact_count > 20
    w, x, y, z = found.orientation.T
    across = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])  # directions of body x
    assert (np.abs((across * across).mean(axis=1) - 1 / 3) < 0.12).all()  # 4.4 standard deviations of 120


@pytest.mark.slow
def test_convex_bodies_of_several_sizes(nylon):
    grain, sizes = dem.Ellipsoid(semi_axes=(6e-3, 5e-3, 4e-3)), dem.UniformSizes(lower=6e-3, upper=12e-3)
    box = dem.Box((0, 0, 0), (0.05, 0.05, 0.05), nylon, periodic=["x"])
    found = dem.pack_dense(grain, nylon, box, solid_fraction=0.55, sizes=sizes)
    assert len(found.variants) > 20
    assert dem.Simulation(found, box, gravity=(0, 0, 0), time_step=1e-6, threads=1).contact_count == 0


def test_forces_of_crowded_bodies_are_the_gradient_of_their_energy():
    """By differences of 1e-8 m and rad, of six ellipsoids that overlap each other, an image and walls."""
    rng, size, period = np.random.default_rng(2), np.array([0.02, 0.016, 0.016]), np.array([0.02, 0.0, 0.0])
    shapes = [dem.Ellipsoid(semi_axes=(6e-3, 5e-3, 4e-3))] * 3 + [dem.Ellipsoid(semi_axes=(4e-3, 4e-3, 3e-3))] * 3
    state = ConvexRelaxation(shapes, size, period, rng)
    force, worst = state._forces()
    assert 0.1 < worst < 1
    x, q = state.x, state.q
    radius = np.array([[each.radii[0]] for each in shapes])
    for _ in range(2):
        way, ends = rng.normal(size=(6, 6)), []
        for side in (1, -1):
            state.x, state.q = x, q
            state._move(side * 1e-8 * way * np.column_stack([np.ones((6, 3)), np.repeat(radius, 3, 1)]))
            state._forces()
            ends.append(state.energy)
        expected = (force * way)[:, :3].sum() + (force * radius * way)[:, 3:].sum()
        assert (ends[1] - ends[0]) / 2e-8 == pytest.approx(expected, rel=1e-5)


def test_what_cannot_be_so_dense_is_refused(nylon, ball, fibre):
    box = cube(60, 0.72, nylon, ["x", "y", "z"])
    with pytest.raises(ValueError, match=r"60 spheres jam at a solid fraction of 0.72 .* take fewer"):
        dem.pack_dense(ball, nylon, box, number=60)
    with pytest.raises(TypeError, match=r"shape is Fibre, expected a dem.Sphere or a convex shape"):
        dem.pack_dense(fibre, nylon, box, number=6)
    with pytest.raises(ValueError, match="give either number or solid_fraction"):
        dem.pack_dense(ball, nylon, box)
    with pytest.raises(ValueError, match=r"is too narrow for spheres of up to 0\.01 m"):
        dem.pack_dense(ball, nylon, lower=(0, 0, 0), upper=(1, 1, 0.009), number=3)


def close_packed_places():
    """Centres (32, 3) of eight cubic cells of edge 1."""
    corners = itertools.product(range(2), repeat=3)
    basis = [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]
    return np.array([np.add(corner, place) for corner in corners for place in basis])


@pytest.mark.long
def test_compressed_lattice_jams_where_it_touches():
    """The close-packed lattice of spheres begins to press at π/√18."""
    sphere = dem.Sphere(diameter=jammed_packings.DIAMETER)
    places = close_packed_places()
    edge = jammed_packings.DIAMETER * math.sqrt(2) * (1 - 0.003)
    spheres = dem.Particles(sphere, jammed_packings.ELASTIC, position=edge * places)
    seen = jammed_packings.expanded(sphere, spheres, 2 * edge)
    assert all(low[1] < high[1] for high, low in itertools.pairwise(seen))
    assert jammed_packings.jamming_fraction(seen[-jammed_packings.FITTED :]) == pytest.approx(
        math.pi / math.sqrt(18), abs=1e-4
    )


def test_bond_order_tells_a_crystal_from_random_places():
    """Q_6 of the face-centred cubic lattice is 0.57452 (P. J. Steinhardt & al., Phys. Rev. B 28 (1983) 784)."""
    assert jammed_packings.bond_order(close_packed_places(), 2.0) == pytest.approx(0.57452, abs=1e-5)
    random = np.random.default_rng(1).uniform(size=(500, 3))
    assert jammed_packings.bond_order(random, 1.0) < 0.1


@pytest.mark.parametrize("shape", jammed_packings.PUBLISHED)
def test_orientational_order_is_one_of_aligned_bodies(shape):
    """Of random orientations it is near 1/√N, and it does not change if all bodies turn alike."""
    body, rng = jammed_packings.body(shape, 0.025), np.random.default_rng(1)
    random = rng.normal(size=(400, 4))
    random /= np.linalg.norm(random, axis=1)[:, None]
    aligned = np.repeat(random[:1], 20, axis=0)
    assert jammed_packings.orientational_order(body, aligned, shape) == pytest.approx(1.0, abs=1e-9)
    order = jammed_packings.orientational_order(body, random, shape)
    assert order < 0.1  # twice 1/√400
    turned = product(np.repeat(random[:1], 400, axis=0), random)
    assert jammed_packings.orientational_order(body, turned, shape) == pytest.approx(order, abs=1e-9)
