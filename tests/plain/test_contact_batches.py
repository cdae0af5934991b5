"""Contacts in blocks of one kind or material and of mixed ones give the same results."""

import numpy as np
import pytest

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
