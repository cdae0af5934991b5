"""Forces, torques and candidate pairs of many particles."""

import numpy as np
import oracle
import pytest
from sample_runs import mixture, random_quaternions
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import dem
from dem.soft import checks

EDGE = 0.09


@pytest.fixture
def crowd(rng, nylon, rubber, wall, monkeypatch):
    """A mixture with hundreds of contacts, deep ones too."""
    monkeypatch.setattr(checks, "DEEPEST_START", 10.0)
    particles = mixture(rng, (nylon, rubber))
    return particles, dem.Box((0.005, 0.005, 0.005), (EDGE - 0.005,) * 3, material=wall)


def by_identity(engine, rows):
    """Component-major array in order of index as rows in the user's order."""
    result = np.empty_like(rows.T)
    result[engine.bodies.identity] = rows.T
    return result


def test_forces_and_torques_agree_with_a_double_loop(crowd):
    particles, box = crowd
    sim = dem.Simulation(particles, box, time_step=1e-6)
    force, torque, energy = oracle.forces(particles, box)
    assert np.count_nonzero(np.abs(force).sum(1)) > 100
    # sums of up to ten contacts whose overlaps carry the rounding of positions of 0.1 m
    np.testing.assert_allclose(by_identity(sim._engine, sim._engine.bodies.force), force, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(by_identity(sim._engine, sim._engine.bodies.torque), torque, rtol=1e-9, atol=1e-11)
    # summed in units of 1e-12 of the energies at the start, each of 1500 contacts cut off to a unit
    assert sim.energy().elastic == pytest.approx(energy, rel=1e-8)


@pytest.mark.parametrize("kind", ["mixture", "fibres", "spheres", "one cell", "flat", "ratio of ten"])
def test_candidate_pairs_are_those_of_a_tree(kind, crowd, rng, nylon, fibre, ball):
    particles, box = crowd
    if kind == "ratio of ten":
        sizes = 10 ** rng.uniform(-2.7, -1.7, 400)
        position = rng.uniform(0, 0.15, (400, 3))
        particles, box = dem.Particles([dem.Sphere(diameter=d) for d in sizes], nylon, position=position), None
    elif kind != "mixture":
        n, shape, scale = {"fibres": (300, fibre, (0.2,) * 3), "spheres": (500, ball, (0.1,) * 3),
                           "one cell": (20, ball, (0.01,) * 3), "flat": (200, ball, (0.3, 0.3, 0.0))}[kind]  # fmt: skip
        position = rng.uniform(0, 1, (n, 3)) * scale
        particles = dem.Particles(shape, nylon, position=position, orientation=random_quaternions(rng, n))
        box = None
    skin = 0.001
    engine = dem.Simulation(particles, box, time_step=1e-6, _skin=(0.004, skin))._engine
    centre, radius, owner, _ = oracle.spheres(particles)
    near = cKDTree(centre).query_pairs(2 * radius.max() + skin, output_type="ndarray")
    near = near[owner[near[:, 0]] != owner[near[:, 1]]]
    reach = radius[near].sum(1) + skin
    gap = np.linalg.norm(centre[near[:, 0]] - centre[near[:, 1]], axis=1)
    expected = {tuple(sorted(pair)) for pair in near[gap < reach]}
    first = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    slot_owner = np.repeat(np.arange(len(particles)), np.diff(engine.bodies.first_sphere))
    # sphere in order of index -> sphere in the user's order
    user = first[engine.bodies.identity[slot_owner]] + np.arange(owner.size) - engine.bodies.first_sphere[slot_owner]
    found = [tuple(sorted(p)) for p in zip(*(user[sphere] for sphere in engine.candidates()), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert len(expected) > 20


def test_bodies_of_more_spheres_than_a_word_has_bits_are_placed_while_they_move(rng, nylon):
    # of 150 spheres only those with candidates are placed at a step; the list of them is made of words of 64 bits
    shell = rng.normal(size=(150, 3))
    stone = dem.Clump(offsets=0.02 * shell / np.linalg.norm(shell, axis=1)[:, None], radii=np.full(150, 0.002))
    centres = 0.045 * np.array([(0, 0, 0), (1, 0, 0), (0.5, 0.9, 0)])
    particles = dem.Particles(
        stone, nylon, position=centres, velocity=-50 * (centres - centres.mean(axis=0)),
        orientation=random_quaternions(rng, 3), angular_velocity=rng.normal(size=(3, 3)) * 50,
    )  # fmt: skip
    sim, touching = dem.Simulation(particles, None, time_step=2e-6), 0
    for _ in range(10):
        sim.step(100)
        force, torque, _ = oracle.forces(sim.particles, None)
        touching += np.count_nonzero(np.abs(force).sum(1))
        np.testing.assert_allclose(by_identity(sim._engine, sim._engine.bodies.force), force, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(by_identity(sim._engine, sim._engine.bodies.torque), torque, rtol=1e-9, atol=1e-11)
    assert touching > 10


def test_internal_forces_and_torques_cancel(crowd):
    particles, _ = crowd
    b = dem.Simulation(particles, None, gravity=(0, 0, 0), time_step=1e-6)._engine.bodies
    size = np.abs(b.force).sum()
    assert np.abs(b.force.sum(1)).max() < 1e-14 * size
    about_origin = np.cross(b.position, b.force, axis=0) + b.torque
    assert np.abs(about_origin.sum(1)).max() < 1e-15 * size  # arms of 0.1 m


def test_renumbering_the_particles_renumbers_the_forces(crowd, rng):
    """Only the order of summation changes, so the forces agree to rounding, not to the bit."""
    particles, box = crowd
    order = rng.permutation(len(particles))
    shapes = [particles.variants[k] for k in particles.variant[order]]
    shuffled = dem.Particles.concatenate(
        [
            dem.Particles(shape, material, position=particles.position[[i]], orientation=particles.orientation[[i]])
            for i, (shape, material) in zip(order, shapes, strict=True)
        ]
    )
    one = dem.Simulation(particles, box, time_step=1e-6)._engine
    two = dem.Simulation(shuffled, box, time_step=1e-6)._engine
    force = by_identity(one, one.bodies.force)
    np.testing.assert_allclose(
        by_identity(two, two.bodies.force), force[order], rtol=1e-10, atol=1e-12 * np.abs(force).max()
    )


def test_turning_everything_turns_the_forces(crowd, rng):
    """Frame indifference, without walls."""
    particles, _ = crowd
    turn = Rotation.from_quat(random_quaternions(rng, 1)[0], scalar_first=True)
    one = dem.Simulation(particles, None, time_step=1e-6)._engine
    turned = particles.copy()
    turned.position = turn.apply(particles.position.copy())
    own = Rotation.from_quat(particles.orientation, scalar_first=True)
    turned.orientation = (turn * own).as_quat(scalar_first=True)
    two = dem.Simulation(turned, None, time_step=1e-6)._engine
    for name in ("force", "torque"):
        expected = turn.apply(by_identity(one, getattr(one.bodies, name)))
        found = by_identity(two, getattr(two.bodies, name))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10 * np.abs(expected).max())


def test_a_one_sphere_fibre_is_a_sphere(nylon, wall):
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material=wall)
    position = [[0.05, 0.05, 0.006], [0.052, 0.05, 0.02]]
    results = []
    for shape in (dem.Sphere(diameter=0.01), dem.Fibre(diameter=0.01, aspect_ratio=1)):
        sim = dem.Simulation(dem.Particles(shape, nylon, position=position), box, time_step=1e-6)
        sim.step(100_000)
        results.append(sim.particles.position)
    np.testing.assert_allclose(*results, rtol=1e-9)  # masses differ by a rounding, two impacts amplify it
