"""Forces of contacts: against Hertz, weights, and sums of the engine at rough walls; see also test_contact_measures."""

import math

import numpy as np
import pytest
from test_contact_measures import assert_contacts_sum_to_what_would_move_the_bodies

import dem
from dem import statistics

G, EDGE = 9.81, 0.1


def hertz(one, other, radius, overlap):
    return 4 / 3 * one.effective_modulus(other) * math.sqrt(radius) * overlap**1.5


def column(nylon, n=5, **options):
    """Balls on top of each other at rest: each contact has the overlap at which it carries what is above."""
    weight = dem.Sphere(diameter=0.01).mass_properties(nylon.density).mass * G
    deep = [(weight * n / hertz(nylon, nylon, 0.005, 1.0)) ** (2 / 3)]
    deep += [(weight * (n - k) / hertz(nylon, nylon, 0.0025, 1.0)) ** (2 / 3) for k in range(1, n)]
    heights = np.cumsum([0.005 - deep[0], *(0.01 - d for d in deep[1:])])
    position = np.column_stack([np.full(n, 0.03), np.full(n, 0.04), heights])
    balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=position)
    return dem.Simulation(balls, dem.Box((0, 0, 0), (EDGE,) * 3, nylon), time_step=1e-6, **options), weight


def test_hertz_at_known_overlaps(nylon, rubber):
    """Spheres of two sizes and materials, and a wall."""
    small = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.03, 0.05, 0.05]])
    large = dem.Particles(dem.Sphere(diameter=0.02), rubber, position=[[0.0449, 0.05, 0.05], [0.05, 0.0902, 0.05]])
    box = dem.Box((0, 0, 0), (EDGE,) * 3, nylon)
    touch = dem.Simulation(dem.Particles.concatenate([small, large]), box, time_step=1e-6).contact_forces()
    assert (touch.i.tolist(), touch.j.tolist()) == ([0, 2], [1, -1 - 3])
    np.testing.assert_allclose(touch.overlap, [1e-4, 2e-4], rtol=1e-10)
    np.testing.assert_allclose(touch.normal, [[-1, 0, 0], [0, -1, 0]], atol=1e-15)
    reduced = 0.005 * 0.01 / 0.015
    forces = [[-hertz(nylon, rubber, reduced, 1e-4), 0, 0], [0, -hertz(nylon, rubber, 0.01, 2e-4), 0]]
    np.testing.assert_allclose(touch.force, forces, rtol=1e-9)
    np.testing.assert_allclose(touch.branch, [[-0.0149, 0, 0], [0, -0.0099, 0]], atol=1e-15)
    np.testing.assert_allclose(touch.point, [[0.03495, 0.05, 0.05], [0.05, 0.1001, 0.05]], atol=1e-15)


def test_a_column_rests_on_the_floor_with_its_weight(nylon):
    """Floor: n m g. Between k and k + 1: (n - k) m g. Torque about a corner: the weight times the arm."""
    sim, weight = column(nylon)
    touch = sim.contact_forces()
    np.testing.assert_allclose(touch.force[:, 2], weight * np.array([-4, -3, -2, -1, 5]), rtol=1e-9)
    loads = statistics.wall_loads(touch)
    np.testing.assert_allclose(loads.force[4], [0, 0, -5 * weight], atol=1e-9 * weight)
    np.testing.assert_allclose(loads.torque[4], [-5 * weight * 0.04, 5 * weight * 0.03, 0], atol=1e-9 * weight)
    assert not loads.force[[0, 1, 2, 3, 5]].any()
    about = statistics.wall_loads(touch, about=(0.03, 0.04, 0)).torque[4]
    np.testing.assert_allclose(about, 0, atol=1e-12 * weight)
    np.testing.assert_allclose(statistics.body_loads(touch, 5).force[:, 2], weight, rtol=1e-9)
    numbers = statistics.coordination_numbers(touch, 5)
    assert (numbers.bodies.tolist(), numbers.walls.tolist()) == ([1, 2, 2, 2, 1], [1, 0, 0, 0, 0])


def test_stress_between_two_walls_exceeds_their_pressure_by_the_overlap(nylon):
    # the points of contact are half of an overlap beyond either wall, so branches span the distance and one overlap
    overlap, side = 5e-5, 0.1
    gap = 0.01 - 2 * overlap
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[(0.05, 0.05, gap / 2)])
    box = dem.Box((0, 0, 0), (side, side, gap), material=nylon)
    contacts = dem.Simulation(ball, box, time_step=1e-6, gravity=(0, 0, 0)).contact_forces()
    pressure = -contacts.force[1, 2] / side**2
    found = dem.statistics.stress(contacts, side**2 * gap).contact[2, 2]
    assert found == pytest.approx(pressure * (1 + overlap / gap), rel=1e-12)


def test_stress_of_a_column(nylon):
    """Across a plane that cuts the line of contact k goes what is above, (n - k) m g; slab by slab its average."""
    sim, weight = column(nylon)
    p, touch = sim.particles, sim.contact_forces()
    z = np.concatenate([[0.5 * (p.position[0, 2] - 0.005)], p.position[:, 2]])  # the point at the floor, centres
    edges = np.linspace(0, EDGE, 41)
    carried = weight * np.arange(5, 0, -1)
    inside = np.clip(np.minimum(edges[1:, None], z[1:]) - np.maximum(edges[:-1, None], z[:-1]), 0, None)
    profile = statistics.stress_profile(
        touch, p.position, p.velocity, p.mass, sim.box.lower, sim.box.upper, axis="z", bins=40
    )
    np.testing.assert_allclose(profile.edges, edges)
    below_floor = np.isclose(edges[:-1], 0)  # the floor's point lies outside by half the overlap
    expected = (inside @ carried) / (EDGE / 40) / EDGE**2
    np.testing.assert_allclose(profile.stress.contact[~below_floor, 2, 2], expected[~below_floor], rtol=1e-8)
    np.testing.assert_allclose(profile.stress.contact[below_floor, 2, 2], expected[below_floor], rtol=2e-2)
    np.testing.assert_allclose(profile.stress.contact[..., 0, 0], 0, atol=1e-12)
    whole = statistics.stress(touch, EDGE**3)
    outside = touch.point[-1, 2]  # of the box, below the floor
    np.testing.assert_allclose(
        profile.stress.contact.mean(0)[2, 2] - whole.contact[2, 2], 5 * weight * outside / EDGE**3, rtol=1e-6
    )
    upper = statistics.stress(touch, EDGE**3, group=p.position[:, 2] > 0.02)
    lower = statistics.stress(touch, EDGE**3, group=np.flatnonzero(p.position[:, 2] <= 0.02))
    np.testing.assert_allclose(upper.contact + lower.contact, whole.contact, atol=1e-12 * whole.contact.max())
    assert upper.contact[2, 2] > 0.1 * whole.contact[2, 2]


@pytest.mark.filterwarnings("ignore::dem.DemWarning")
def test_frictional_contacts_with_rough_walls_sum_to_what_would_move_the_bodies():
    assert_contacts_sum_to_what_would_move_the_bodies("mixture", 0.2, n=27, steps=90)
