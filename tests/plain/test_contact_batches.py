"""Contacts in blocks of one kind or material and of mixed ones give the same results."""

import numpy as np
import pytest
from dem.kernels.soft.contact.ongoing_contacts import list_touching_others

import dem

SAND = dem.Material(young=2e6, poisson=0.25, density=2500.0, restitution=0.5, friction=0.5)
ROLLING = dem.Material(**{**SAND.__dict__, "rolling": dem.Rolling(friction=0.1)})
LEAD = dem.Material(**{**SAND.__dict__, "density": 11300.0, "young": 5e6})
SPEED = (0.3, -0.2, 0.1)
SPHERE = dem.Sphere(diameter=0.01)
FIBRE = dem.Fibre(diameter=0.005, aspect_ratio=2)
GRAIN = dem.Ellipsoid(semi_axes=(0.005, 0.00495, 0.0049))


def crowd(material, company, shape):
    """60 bodies that collide, and far away others: none, one of another kind, or such that collide too."""
    rng = np.random.default_rng(3)
    places = np.stack(np.unravel_index(np.arange(60), (4, 4, 4)), axis=1) * 0.0101 + rng.uniform(-4e-5, 4e-5, (60, 3))
    groups = [
        dem.Particles(
            shape, material, position=places, velocity=rng.normal(0, 0.5, (60, 3)),
            angular_velocity=rng.normal(0, 50, (60, 3)),
        )
    ]  # fmt: skip
    if company == "one":
        groups.append(dem.Particles(dem.Sphere(diameter=0.03), LEAD, position=[[1, 0, 0]]))
    if company == "colliding":
        for k in range(8):
            far = [[1, 0.1 * k, 0], [1.0199, 0.1 * k, 0]]
            groups.append(dem.Particles(SPHERE, material, position=far[:1], velocity=[SPEED]))
            groups.append(dem.Particles(dem.Sphere(diameter=0.03), LEAD, position=far[1:]))
    sim = dem.Simulation(dem.Particles.concatenate(groups), time_step=1e-5, threads=1)
    sim.step(20)
    assert sim.contact_count > 5
    state = sim.particles
    return [np.asarray(a)[:60] for a in (state.position, state.velocity, state.angular_velocity)], sim


@pytest.mark.parametrize(
    ("material", "shape"),
    [(SAND, SPHERE), (ROLLING, SPHERE), (SAND, FIBRE), (SAND, GRAIN)],
    ids=["friction", "rolling", "fibres", "ellipsoids"],
)
@pytest.mark.few(1, long=99)
def test_a_contact_is_the_same_in_any_company(material, shape):
    """To the bit; who collides far away takes with it the blocks that the others are in."""
    alone, _ = crowd(material, "none", shape)
    beside, _ = crowd(material, "one", shape)
    mixed, sim = crowd(material, "colliding", shape)
    assert (np.abs(sim.particles.velocity[60:] - np.tile([SPEED, (0, 0, 0)], (8, 1))).max(1) > 1e-3).all()
    for one, *others in zip(alone, beside, mixed, strict=True):
        for other in others:
            assert one.tobytes() == other.tobytes()


def test_spheres_of_two_kinds_push_and_turn_each_other_alike():
    """Forces are opposite, and torques about the point of contact none: momentum and angular momentum stay."""
    both = dem.Particles.concatenate([
        dem.Particles(dem.Sphere(diameter=0.02), ROLLING, position=[[0, 0, 0]], velocity=[(0.4, 0.2, 0)]),
        dem.Particles(dem.Sphere(diameter=0.03), LEAD, position=[[0.0249, 0.002, 0]], angular_velocity=[(5, 30, 20)]),
    ])  # fmt: skip
    sim = dem.Simulation(both, time_step=1e-5, gravity=(0, 0, 0))
    before = books(sim)
    sim.step(400)
    for one, other in zip(before, books(sim), strict=True):
        assert np.abs(one - other).max() < 1e-13 * np.abs(one).max()


def books(sim):
    """Momentum and angular momentum."""
    p = sim.particles
    size = np.array([0.01, 0.015])
    momentum = p.mass[:, None] * p.velocity
    return momentum.sum(0), (
        np.cross(p.position, momentum) + (0.4 * p.mass * size**2)[:, None] * p.angular_velocity
    ).sum(0)


def test_contacts_that_end_among_others_leave_these_as_they_are():
    """Six pairs of ellipsoids of two materials part one after the other; each moves as alone, to the bit.

    A contact that goes on then takes the column of one that has ended, with its stiffness and its history.
    """

    def pair(k):
        stuff, rate = (LEAD, 0.3 + 0.1 * k) if k % 2 else (SAND, 0.9 - 0.1 * k)
        places = np.array([[0, 0.02 * k, 0], [0.00998, 0.02 * k + 0.001, 0.0005]])
        velocity, spin = [[rate, 0.1, 0], [-rate, 0, 0.2]], [[5.0, 20, 30], [10, -5, 40]]
        return dem.Particles(GRAIN, stuff, position=places, velocity=velocity, angular_velocity=spin)

    def run(*pairs):
        sim = dem.Simulation(dem.Particles.concatenate(pairs), gravity=(0, 0, 0), time_step=2.5e-5, threads=1)
        counts = []
        for _ in range(20):
            sim.step(6)
            counts.append(sim.contact_count)
        state = sim.particles
        return [np.asarray(a) for a in (state.velocity, state.angular_velocity)], counts

    together, counts = run(*map(pair, range(6)))
    assert {6, 4, 3, 2, 0} <= set(counts)
    for k in range(6):
        for one, all_of_them in zip(run(pair(k))[0], together, strict=True):
            assert one.tobytes() == all_of_them[2 * k : 2 * k + 2].tobytes()


def test_contacts_that_have_ended_are_forgotten():
    """Of four candidates two touch, one across a film of up to 2 µm; only the one that overlaps keeps its memory."""
    overlap, listed, row = np.array([1e-5, -1e-6, -3e-6, -np.inf]), np.arange(4), np.zeros(4, int)
    remembered = np.ones(4, int)
    assert list_touching_others(7, 4, 2e-6, overlap, listed, remembered, row) == 2
    assert listed[:2].tolist() == [0, 1]
    assert row.tolist() == [7, 8, 0, 0]
    assert remembered.tolist() == [1, 0, 0, 0]
