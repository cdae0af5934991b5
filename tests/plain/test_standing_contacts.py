"""Time step advised for contacts that there are at the start: closed forms, all shapes, and a run that needs it."""

import itertools
import math

import numpy as np
import pytest

import dem
from dem.soft.time_step.advice import advise
from dem.soft.time_step.impacts import RESOLVED, rounded_down
from dem.soft.time_step.standing_contacts import standing_contacts

SOFT = dem.Material(young=5e6, poisson=0.3, density=1500.0)
MODULUS, R, DEEP = 5e6 / (2 * (1 - 0.3**2)), 0.005, 2e-4
BALL = dem.Sphere(diameter=2 * R)
MASS = 1500 * 4 / 3 * math.pi * R**3
AT_WALL = 2 * MODULUS * math.sqrt(R * DEEP)  # 3/2 of 4/3 E* √R √δ
AT_BALL = AT_WALL / math.sqrt(2)


def simulation(shape, x, box=None, walls=(), time_step="auto", **more):
    """Bodies at rest without gravity."""
    bodies = dem.Particles(shape, SOFT, position=x, **more)
    return dem.Simulation(bodies, box, walls=walls, gravity=(0, 0, 0), time_step=time_step, threads=1)


def box(*size):
    """Of so many metres, its faces of the same material."""
    return dem.Box((0, 0, 0), size, material=SOFT)


SLIT = box(1, 1, 2 * (R - DEEP))
PLATES = [dem.Plane((0, 0, z), (0, 0, 1 if z == 0 else -1), material=SOFT) for z in (0, 2 * (R - DEEP))]
UNDER = dem.Ball((0, 0, -0.02), 0.02, material=SOFT)
ROW = [(0.1 + 2 * (R - DEEP / 2) * k, 0.5, 0.5) for k in range(3)]


@pytest.mark.parametrize(
    ("given", "squared"),
    [
        # between two faces, or three that are across each other; between planes
        (([(0.5, 0.5, R - DEEP)], SLIT), 2 * AT_WALL / MASS),
        (([(R - DEEP,) * 3], box(1, 1, 1)), AT_WALL / MASS),
        # two of one mass; one in a row of three, whose partners may both come towards it
        ((ROW[:2], box(1, 1, 1)), 2 * AT_BALL / MASS),
        ((ROW, box(1, 1, 1)), 4 * AT_BALL / MASS),
        # a single wall beside the box
        (([(0, 0, R - DEEP)], None, [UNDER]), 2 * MODULUS * math.sqrt(R * DEEP) / MASS),
    ],
)
def test_spheres_in_contact_are_in_closed_form(given, squared):
    sim = simulation(BALL, *given)
    assert standing_contacts(sim._engine).time == pytest.approx(math.pi / math.sqrt(squared), rel=1e-9)
    assert sim.time_step == rounded_down(math.pi / math.sqrt(squared) / RESOLVED)
    assert sim.advice().advised <= sim.time_step
    assert any("present contacts" in line for line in sim.advice().lines)


def test_of_alike_bodies_that_of_the_smallest_number_is_named():
    """Wherever it is in memory, and so also in a run that was loaded from a file."""
    pairs = [(x / 32, y, 0.5) for x in range(30, 0, -1) for y in (0.5, 0.5 + 2 * (R - DEEP / 2))]
    engine = simulation(BALL, pairs)._engine
    assert standing_contacts(engine).particle == 0 != engine.bodies.identity[0]


def test_a_compressed_lattice_is_as_quick_as_its_quickest_wave():
    """Simple cubic, in a deforming cell: of all waves one whose neighbours are in opposite phase, ω² = 4 k/m."""
    edge = 2 * (R - DEEP / 2)
    sites = (np.array(list(itertools.product(range(6), repeat=3))) + 0.5) * edge
    sim = simulation(BALL, sites, dem.Cell((6 * edge,) * 3))
    found = standing_contacts(sim._engine)
    assert found.time == pytest.approx(math.pi / math.sqrt(4 * AT_BALL / MASS), rel=1e-9)
    assert found.contacts == 6


def test_what_is_fixed_or_apart_is_not_counted():
    """A ball on a fixed one has the mass of its own only; without overlaps the choice is that of the impacts alone."""
    sim = simulation(BALL, ROW[:2], box(1, 1, 1), fixed=[True, False])
    assert standing_contacts(sim._engine).time == pytest.approx(math.pi / math.sqrt(AT_BALL / MASS), rel=1e-9)
    apart = simulation(BALL, [(0.1, 0.5, 0.5), (0.2, 0.5, 0.5)], box(1, 1, 1), velocity=[(1, 0, 0), (0, 0, 0)])
    assert standing_contacts(apart._engine).time == math.inf
    assert apart.time_step == advise(apart.particles, apart.box, (0, 0, 0)).advised
    assert not any("present contacts" in line for line in apart.advice().lines)


ROD = dem.Fibre(diameter=2 * R, aspect_ratio=3)
BRICK = dem.Superellipsoid(semi_axes=(0.006, 0.005, 0.004), exponents=(4, 3))
TILT = (math.cos(0.3), 0, math.sin(0.3), 0)


@pytest.mark.parametrize("shape", [ROD, dem.Capsule(diameter=2 * R, aspect_ratio=3), BRICK])
@pytest.mark.few(2, long=99)
def test_bodies_that_turn_are_quicker(shape):
    """One contact with the floor at an arm: ω² = k (1/m + (a × n) · I⁻¹ (a × n))."""
    height = 0.016
    while True:  # down until it touches
        sim = simulation(shape, [(0.5, 0.5, height)], box(1, 1, 1), time_step=1e-6, orientation=[TILT])
        if sim.contact_count:
            break
        assert standing_contacts(sim._engine).time == math.inf
        height -= DEEP
    contact = sim.contact_forces()
    assert len(contact.overlap) == 1
    radius = R if shape is not BRICK else shape.contact_radius
    stiffness = 2 * MODULUS * math.sqrt(radius * contact.overlap[0])
    properties = shape.mass_properties(1500.0)
    lever = np.cross(contact.arm[0], contact.normal[0])  # along y, which is a principal axis
    squared = stiffness * (1 / properties.mass + lever[1] ** 2 / properties.inertia[1])
    assert np.abs(lever[[0, 2]]).max() < 1e-9
    assert standing_contacts(sim._engine).time == pytest.approx(math.pi / math.sqrt(squared), rel=1e-6)


def test_a_die_that_rests_on_a_face_has_all_of_its_corners():
    corners = list(itertools.product((-0.004, 0.004), repeat=3))
    die = dem.Polyhedron(vertices=corners, rounding=0.001)
    sim = simulation(die, [(0.5, 0.5, 0.004 - DEEP)], box(1, 1, 1))
    stiffness = 4 * 2 * MODULUS * math.sqrt(die.contact_radius * DEEP)
    bound = math.pi * math.sqrt(die.mass_properties(1500.0).mass / stiffness)
    assert standing_contacts(sim._engine).time <= bound * (1 + 1e-9)
    assert sim.time_step <= rounded_down(bound / RESOLVED)


def test_energy_of_what_is_flung_apart_is_kept():
    """Two balls pressed in by a fifth of their radius, which all the energy is in; the budget of a verdict is 1 %."""
    sim = simulation(BALL, [(0.1, 0.5, 0.5), (0.1 + 1.8 * R, 0.5, 0.5)], box(1, 1, 1))
    energy = sim.energy().elastic
    sim.step(60)
    assert sim.contact_count == 0
    assert sim.energy().kinetic == pytest.approx(energy, rel=1e-2)
