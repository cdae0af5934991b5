"""Statistics of rods against closed forms: random contacts, linking of closed and straight lines."""

import math

import numpy as np
import pytest

import dem
from dem import statistics


@pytest.mark.slow
def test_randomly_placed_rods_touch_as_often_as_onsager_says(rng):
    """Pairs of 1500 in a periodic cube that may overlap: N (N - 1)/2 V_ex/V on average, within four times its root."""
    number, edge, length, diameter = 1500, 1.0, 0.12, 0.02
    place, q = rng.random((number, 3)), rng.normal(size=(number, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    found = statistics.capsule_contacts(place, q, length=length, diameter=diameter, period=(edge,) * 3)
    expected = number * (number - 1) / 2 * statistics.excluded_volume(length, diameter) / edge**3
    assert len(found.pairs) == pytest.approx(expected, abs=4 * math.sqrt(expected))
    assert found.numbers(number).sum() == 2 * len(found.pairs)
    assert set(found.at_ends.tolist()) == {0, 1, 2}
    brute = [(i, j) for i in range(60) for j in range(i + 1, 60) if _touch(place, q, i, j, length, diameter)]
    among = found.pairs[(found.pairs < 60).all(1)]
    assert among.tolist() == [list(pair) for pair in brute]


def _touch(place, q, i, j, length, diameter):
    """By many points on both."""
    s = np.linspace(-0.5, 0.5, 401) * (length - diameter)
    axis = [(1 - 2 * (c**2 + d**2), 2 * (b * c + a * d), 2 * (b * d - a * c)) for a, b, c, d in q[[i, j]]]
    apart = place[i] - place[j]
    apart -= np.round(apart)
    one, other = apart + np.outer(s, axis[0]), np.outer(s, axis[1])
    return ((one[:, None] - other) ** 2).sum(2).min() < diameter**2


def test_they_are_those_of_a_run():
    """The same pairs, overlaps and places as the engine has."""
    stuff = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    box = dem.Box((0, 0, 0), (0.05, 0.05, 0.05), material=stuff, periodic=("x", "y", "z"))
    bodies = dem.pack(dem.Capsule(diameter=0.01, aspect_ratio=2), stuff, box, number=25, seed=3)
    bodies.position, small = bodies.position * 0.95, dem.Box((0,) * 3, (0.0475,) * 3, stuff, periodic=("x", "y", "z"))
    sim = dem.Simulation(bodies, small, gravity=(0, 0, 0), time_step=1e-5, deepest_overlap=2.0)
    sim.step(20)
    found = statistics.capsule_contacts(
        sim.particles.position, sim.particles.orientation, length=0.02, diameter=0.01, period=(0.0475,) * 3
    )
    assert len(found.pairs) > 0
    assert len(found.pairs) == sim.contact_count
    assert found.overlap.max() == pytest.approx(sim.contact_forces().overlap.max(), rel=1e-9)


@pytest.mark.parametrize("distance", [1e-6, 0.3, 1.0, 7.0])
def test_linking_of_crossed_rods(distance):
    """The solid angle of a square of half side h at a distance d over 4π: arcsin(h²/(h² + d²))/π; the sign turns."""
    one = np.array([(-2.0, 0, 0), (2, 0, 0)])
    other = np.array([(0, -2.0, distance), (0, 2, distance)])
    exact = math.asin(4 / (4 + distance**2)) / math.pi
    assert abs(statistics.linking(one, other)) == pytest.approx(exact, rel=1e-9)
    assert statistics.linking(one, other) == -statistics.linking(one, other * (1, 1, -1))
    assert statistics.linking(one, other) == pytest.approx(statistics.linking(other, one), rel=1e-12)
    assert statistics.linking(one, one + np.array([0.1, 0, distance])) == pytest.approx(0.0, abs=1e-12)  # parallel


def test_linking_number_of_closed_lines_is_whole():
    """Two polygons through each other, once, and one wound twice around; two beside each other."""
    t = np.linspace(0, 2 * np.pi, 30)
    ring = np.column_stack([np.cos(t), np.sin(t), 0 * t])
    through = np.column_stack([1 + np.cos(t), 0 * t, np.sin(t)])
    assert abs(statistics.linking(ring, through)) == pytest.approx(1.0, abs=1e-12)
    assert statistics.linking(ring, through + np.array([5.0, 0, 0])) == pytest.approx(0.0, abs=1e-12)
    s = np.linspace(0, 4 * np.pi, 90)
    wound = np.column_stack([1 + np.cos(s) * (1 + 0.1 * np.cos(s / 2)), 0.1 * np.sin(s / 2), np.sin(s)])
    assert abs(statistics.linking(ring, wound)) == pytest.approx(2.0, abs=1e-12)
