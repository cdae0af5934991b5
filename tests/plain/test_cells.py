"""Periodic cells that deform: lattices, motion in the laboratory, the ledger, files; see also test_cells_compiled."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels.domain import deforming_cell
from viewers import points, vtk_frames

import dem
from dem.base.quaternions import rotate
from dem.bench.costs import Deforming
from dem.files.h5md import layout
from dem.model.domain.cell import logarithm
from dem.validation.element_tests import lattices

D, L = 0.01, 0.05
ELASTIC = dem.Material(young=5e6, poisson=0.35, density=1100.0)
ROUGH = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.7, friction=0.4)
BALL = dem.Sphere(diameter=D)
SHAPES = {
    "spheres": BALL,
    "fibres": dem.Fibre(aspect_ratio=2.5, diameter=0.008),
    "capsules": dem.Capsule(aspect_ratio=2.5, diameter=0.008),
    "ellipsoids": dem.Ellipsoid(semi_axes=(0.0055, 0.005, 0.0045)),
    "dice": dem.Polyhedron(vertices=list(itertools.product((-0.0045, 0.0045), repeat=3)), rounding=0.002),
    "tablets": dem.RoundedCylinder(diameter=0.011, length=0.009, rounding=0.002),
}
EACH_SHAPE = [pytest.param(name, marks=[pytest.mark.slow] if name == "tablets" else []) for name in SHAPES]
SHEAR = [[0.0, 40.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
TRIAXIAL_AND_SHEAR = [[-1.6, 6.0, 0.0], [0.0, -1.6, 0.0], [0.6, 0.0, 2.0]]  # [1/s]


def simulation(particles, cell, time_step=1e-5, **settings):
    return dem.Simulation(particles, cell, gravity=(0, 0, 0), time_step=time_step, threads=1, **settings)


def fcc(distance, **control):
    """32 spheres on a face-centred cubic lattice of this nearest distance [m] in a cubic cell."""
    spheres, edge = lattices.lattice(distance)
    return simulation(spheres, dem.Cell((edge,) * 3, **control), 1e-6)


def fcc_pressure(distance):
    """p = 2 √2 F/s² with Hertz's force F between equal spheres [Pa]."""
    force = 4 / 3 * 5e7 / (2 * (1 - 0.3**2)) * math.sqrt(D / 4) * (D - distance) ** 1.5
    return 2 * math.sqrt(2) * force / distance**2


def crowd(time_step=2e-5, shape=BALL, material=ELASTIC, edges=(0.025,) * 3, pitch=0.0125, count=2, **settings):
    """Particles near the places of a cubic lattice, at random velocities whose sum is zero."""
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    v = rng.normal(0, 0.5, places.shape)
    turned = rng.normal(size=(len(places), 4))
    particles = dem.Particles(
        shape, material, position=pitch * (places + rng.uniform(-0.04, 0.04, places.shape)), velocity=v - v.mean(0),
        orientation=turned / np.linalg.norm(turned, axis=1)[:, None], angular_velocity=rng.normal(0, 9, places.shape),
    )  # fmt: skip
    names = ("rate", "rate_changes", "stress", "control", "mass", "damping", "fastest")
    control = {name: settings.pop(name) for name in names if name in settings}
    return simulation(particles, dem.Cell(edges, **control), time_step, **settings)


@pytest.mark.parametrize(("share", "pressure"), [(0.999, 1641.42624953), (0.99, 52854.499125)])
def test_a_face_centred_lattice_has_the_pressure_of_the_closed_form(share, pressure):
    cell = fcc(share * D).cell
    assert fcc_pressure(share * D) == pytest.approx(pressure, rel=1e-10)
    np.testing.assert_allclose(cell.stress.total, fcc_pressure(share * D) * np.eye(3), rtol=1e-9, atol=1e-6)
    assert cell.coordination == 12
    assert cell.unbalanced < 1e-10


def test_a_lattice_compressed_by_the_cell_stays_one():
    """It has no reason to move in the cell: pressure and work are those of the closed form."""
    steps, rate = 100, -math.log(0.999 / 0.99) / 100e-6
    sim = fcc(0.999 * D, rate=(rate,) * 3)
    before = sim.energy().elastic
    sim.step(steps)
    assert sim.cell.edges[0, 0] == pytest.approx(2 * math.sqrt(2) * 0.99 * D, rel=1e-12)
    assert sim.cell.stress.pressure == pytest.approx(fcc_pressure(0.99 * D), rel=1e-9)
    assert sim.energy().kinetic < 1e-12 * sim.energy().elastic
    assert sim.energy().work == pytest.approx(sim.energy().elastic - before, rel=1e-4)  # the trapezium of 100 steps
    assert sim.cell.strain[0, 0] == pytest.approx(math.log(0.99 / 0.999), rel=1e-12)


def test_moduli_of_a_lattice_are_those_of_the_sum_over_its_neighbours():
    """Bulk modulus, and shear moduli by a simple shear and by one along the axes of the cube."""
    moduli = lattices.moduli(0.99 * D, strain=1e-5, steps=3)
    assert len({round(exact) for _, exact in moduli.values()}) == 3
    for measured, exact in moduli.values():
        assert measured == pytest.approx(exact, rel=1e-8)


def test_the_stress_is_that_of_the_contact_forces_to_second_order():
    """Dashpots of the run act on predicted velocities, those of `contact_forces` on velocities at the whole step."""

    def difference(time_step, material):
        x, v = [[0.02, L - 0.001, 0.02], [0.022, 0.0085, 0.021]], [[0.3, 0.8, 0.1], [-0.2, 0.0, 0.0]]
        sim = simulation(
            dem.Particles(BALL, material, position=x, velocity=v), dem.Cell((L,) * 3, rate=SHEAR), time_step
        )
        sim.step(round(4e-4 / time_step))
        of_forces = dem.statistics.stress(sim.contact_forces(), sim.cell.volume).contact
        return np.abs(sim.cell.stress.contact - of_forces).max() / np.abs(of_forces).max()

    assert difference(4e-5, ELASTIC) < 1e-9
    damped = dem.Material(young=5e6, poisson=0.35, density=1100.0, restitution=0.7)
    errors = [difference(time_step, damped) for time_step in (4e-5, 2e-5)]
    assert 1e-6 < errors[1] < 1e-2
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.25)


def test_a_free_particle_flies_straight_in_the_laboratory():
    """Where L L = 0 its velocity in the laboratory, v + L r, stays."""
    start, v = np.array([0.01, 0.03, 0.02]), np.array([0.3, 0.9, -0.2])
    sim = simulation(
        dem.Particles(BALL, ELASTIC, position=[start], velocity=[v]), dem.Cell((L,) * 3, rate=SHEAR), time_step=1e-4
    )
    sim.step(400)
    laboratory = v + np.array(SHEAR) @ start
    x = sim.particles.position[0]
    # to second order in dt: the drift is straight in the cell, not in the laboratory
    np.testing.assert_allclose(x, start + 0.04 * laboratory, rtol=0, atol=1e-4 * abs(laboratory).max())
    np.testing.assert_allclose(sim.particles.velocity[0] + np.array(SHEAR) @ x, laboratory, rtol=1e-10)


@pytest.mark.parametrize("shape", EACH_SHAPE)
@pytest.mark.few(2, long=99)
def test_a_collision_in_a_sheared_cell_is_that_in_the_laboratory(shape):
    """Damping, friction and spins of two bodies are those without a cell, across its faces as well."""
    x = np.array([[0.02, L - 0.0005, 0.02], [0.023, L + 0.0095, 0.021]])
    v, spin = np.array([[0.3, 0.8, 0.1], [-0.2, 0.0, 0.0]]), [[3.0, -5.0, 20.0], [10.0, 0.0, -4.0]]
    gradient, middle = np.array(SHEAR) / 8, np.array([0.0, L, 0.0])

    def errors(time_step):
        given = {"position": x, "angular_velocity": spin}
        cell = simulation(
            dem.Particles(SHAPES[shape], ROUGH, velocity=v - (x - middle) @ gradient.T, **given),
            dem.Cell((L,) * 3, rate=gradient), time_step,
        )  # fmt: skip
        free = simulation(dem.Particles(SHAPES[shape], ROUGH, velocity=v, **given), None, time_step)
        for sim in (cell, free):
            sim.step(round(2.5e-3 / time_step))
        p, lab = cell.particles, free.particles
        velocity = p.velocity + (p.position - middle) @ gradient.T
        moved = p.position - np.outer([1, 1], gradient @ middle) * cell.time
        assert free.energy().dissipated > 1e-6
        return (
            abs(moved - lab.position).max() / D,
            abs(velocity - lab.velocity).max(),
            abs(p.angular_velocity - lab.angular_velocity).max() / 20,
            abs(cell.energy().dissipated / free.energy().dissipated - 1),
        )

    assert max(errors(1e-5)) < (5e-3 if shape == "tablets" else 2e-3)


@pytest.mark.parametrize("shape", EACH_SHAPE)
@pytest.mark.parametrize("material", [ELASTIC, ROUGH], ids=["elastic", "rough"])
@pytest.mark.few(1, long=2)
def test_where_the_cell_begins_is_no_place(shape, material):
    """Two bodies that meet across faces do as the same two inside of the cell."""
    ends = []
    for shift in (0.0, -0.03):
        x = np.array([[0.02, L - 0.0005, 0.02], [0.023, L + 0.0095, 0.021]]) + shift
        v, spin = [[0.3, 0.8, 0.1], [-0.2, 0.0, 0.0]], [[3.0, -5.0, 20.0], [10.0, 0.0, -4.0]]
        particles = dem.Particles(SHAPES[shape], material, position=x, velocity=v, angular_velocity=spin)
        sim = simulation(particles, dem.Cell((L,) * 3, rate=np.array(SHEAR) / 8))
        sim.step(320 if shape in ("fibres", "capsules") else 160)  # these are thinner, and meet later
        ends.append(sim)
    one, other = ends
    assert abs(one.particles.velocity[1] - v[1]).max() > 0.1  # they have met
    d = [np.diff(sim.particles.position, axis=0) for sim in ends]
    np.testing.assert_allclose(*d, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.particles.velocity, other.particles.velocity, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.particles.angular_velocity, other.particles.angular_velocity, rtol=0, atol=1e-6)
    assert one.energy().dissipated == pytest.approx(other.energy().dissipated, abs=1e-12)


@pytest.mark.parametrize("material", [ROUGH, ELASTIC], ids=["rough", "elastic"])
@pytest.mark.few(1, long=2)
def test_energy_less_the_work_of_the_cell_is_of_second_order(material):
    departures = []
    for time_step in (4e-5, 2e-5):
        sim = crowd(time_step, material=material, rate=np.array(TRIAXIAL_AND_SHEAR) * 5)
        sim.step(round(0.012 / time_step))
        departures.append(sim.energy_departure / sim.energy().mechanical)
    assert sim.energy().work > 0.1 * sim.energy().mechanical
    assert departures[0] < (1e-3 if material is ELASTIC else 1e-2)
    assert departures[0] / departures[1] == pytest.approx(4, rel=0.5)


@pytest.mark.parametrize(
    ("shape", "edge", "pitch"),
    [
        ("capsules", 0.048, 0.017), ("dice", 0.031, 0.0145), ("fibres", 0.048, 0.017), ("tablets", 0.031, 0.0148),
        ("ellipsoids", 0.0254, 0.0118),
    ],
)  # fmt: skip
@pytest.mark.few(0, long=2)
def test_the_ledger_has_the_work_of_the_cell_for_bodies_that_turn(shape, edge, pitch):
    sim = crowd(5e-6, SHAPES[shape], edges=(edge,) * 3, pitch=pitch, rate=np.array(TRIAXIAL_AND_SHEAR) * 8)
    elastic = []
    for _ in range(20):
        sim.step(50)
        elastic.append(sim.energy().elastic)
    energy, p = sim.energy(), sim.particles
    assert max(elastic) > 1e-7
    assert sim.energy_departure < 1e-4 * energy.work
    np.testing.assert_allclose(p.mass @ p.velocity / p.mass.sum(), 0, rtol=0, atol=1e-12)  # none at the start


@pytest.mark.long
def test_bonds_carry_stress_and_take_the_work_of_the_cell():
    x = np.array([(i, 0, k) for i in range(3) for k in range(3)]) * 0.012 + 0.006
    pairs = [(a, b) for a in range(9) for b in range(a) if abs(x[a] - x[b]).sum() < 0.013]
    bonds = dem.Bonds(pairs, young=1e7, diameter=4e-3, damping=0.2)
    sim = simulation(
        dem.Particles(BALL, ELASTIC, position=x), dem.Cell((0.045,) * 3, rate=(2.0, 0, -1.0)), 5e-6, bonds=bonds
    )
    sim.step(400)
    energy = sim.energy()
    assert energy.work > 1e-9
    assert energy.dissipated > 0.01 * energy.work
    assert sim.energy_departure < 1e-3 * energy.work
    assert sim.cell.stress.contact[0, 0] < 0 < sim.cell.stress.contact[2, 2]


def test_bonds_across_faces_of_a_skewed_cell_begin_at_rest():
    """A lattice of balls, all bonded to their neighbours and to images of these, with one edge leaning over another."""
    edges, number = 0.036 * np.array([[1, 0.4, 0], [0, 1, 0], [0, -0.2, 1]]), np.arange(27).reshape(3, 3, 3)
    x = (np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5) / 3 @ edges.T
    pairs = np.concatenate([np.column_stack([number.ravel(), np.roll(number, 1, axis).ravel()]) for axis in range(3)])
    bonds = dem.Bonds(pairs, young=1e7, diameter=4e-3)
    sim = simulation(dem.Particles(BALL, ELASTIC, position=x), dem.Cell(edges, rate=SHEAR), 5e-6, bonds=bonds)
    length = np.repeat(np.linalg.norm(edges, axis=0) / 3, 27)
    np.testing.assert_allclose(sim.bonds.made.geometry.length, length, rtol=1e-12)
    np.testing.assert_allclose(sim.cell.stress.total, 0, atol=1e-9)
    sim.step(60)
    energy = sim.energy()
    assert energy.elastic > 0.1 * energy.work > 1e-7
    assert sim.energy_departure < 1e-3 * energy.work
    assert sim.cell.stress.contact[0, 1] < 0  # it resists the shear


def test_pairs_near_faces_are_listed_once_each():
    """In a skewed cell that is wider than what a particle looks through: cells of the grid tell the images."""
    edges = 0.13 * np.array([[1.0, 0.4, 0.2], [0.0, 1.0, -0.3], [0.1, 0.0, 1.0]])
    inside = np.random.default_rng(2).uniform(0, 1, (130, 3))
    small = dem.Particles(dem.Sphere(diameter=0.1 * D), ROUGH, position=inside @ edges.T)
    engine = simulation(small, dem.Cell(edges), _skin=(1.5 * D, 0.1 * D))._engine
    listed = engine.lists.arrays
    of_body = [slice(first, first + count) for first, count in zip(listed.first, listed.count, strict=True)]
    pairs = np.concatenate([np.column_stack([listed.lower[s], listed.higher[s]]) for s in of_body])
    gap = (inside[:, None] - inside + 0.5) % 1 - 0.5
    near = np.linalg.norm(gap @ edges.T, axis=2) < 1.6 * D
    found = np.zeros(near.shape, int)
    np.add.at(found, tuple(engine.bodies.identity[pairs].T), 1)
    np.testing.assert_array_equal(found, np.triu(near, 1))
    across = near & (abs(inside[:, None] - inside) > 0.5).any(axis=2)
    assert 10 < across.sum() < near.sum() - 10


def test_a_unimodular_basis_of_the_cell_changes_nothing():
    other = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]
    assert round(np.linalg.det(other)) == 1
    one, changed = (
        crowd(edges=0.025 * np.array(basis, float), rate=np.array(SHEAR), material=ROUGH)
        for basis in (np.eye(3), other)
    )
    for sim in (one, changed):
        sim.step(1)
    for name in ("position", "velocity"):
        np.testing.assert_allclose(*(getattr(s.particles, name) for s in (one, changed)), rtol=0, atol=1e-13)
    np.testing.assert_allclose(changed.cell.edges / 0.025, np.round(changed.cell.edges / 0.025), atol=1e-2)
    for sim in (one, changed):
        sim.step(199)
    assert one.energy().dissipated > 0
    np.testing.assert_allclose(one.particles.position, changed.particles.position, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.particles.velocity, changed.particles.velocity, rtol=0, atol=1e-10)
    np.testing.assert_allclose(one.cell.stress.total, changed.cell.stress.total, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("form", ["DIAGONAL", "XY", "XZ", "YZ"])
@pytest.mark.few(2, long=99)
def test_zeros_that_are_left_out_of_products_change_nothing(form, monkeypatch):
    """Cells at right angles, and those with one component above the diagonal, have loops of their own."""
    states, rate = [], np.zeros((3, 3))
    if form != "DIAGONAL":
        rate["XYZ".index(form[0]), "XYZ".index(form[1])] = 40.0
    control = {"stress": 2e3} if form == "DIAGONAL" else {"rate": rate}
    for found in (deforming_cell.form_of, lambda m: deforming_cell.LOWER):
        monkeypatch.setattr(deforming_cell, "form_of", found)
        sim = crowd(material=ROUGH, **control)
        sim.step(150)
        used = sim._engine.walls.faces.form[deforming_cell.MATRICES]
        states.append([used, sim.energy(), sim.cell.stress.total, sim.particles.velocity])
    assert [state[0] for state in states] == [getattr(deforming_cell, form), deforming_cell.LOWER]
    assert states[0][1].dissipated > 0
    for one, other in zip(states[0][1:], states[1][1:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_basis_that_is_reduced_goes_on_from_the_same_images(monkeypatch):
    """A cell with room for both is sheared by 1.6 with and without reductions."""
    ends = []
    for skewed in (deforming_cell.SKEWED, math.inf):
        monkeypatch.setattr(deforming_cell, "SKEWED", skewed)
        sim = crowd(2e-5, edges=(0.08,) * 3, rate=5 * np.array(SHEAR), material=ROUGH)
        sim.step(400)
        ends.append(sim)
    reduced, skewed = ends
    assert abs(reduced.cell.edges[0, 1]) < 0.6 * 0.08 < 1.5 * 0.08 < skewed.cell.edges[0, 1]
    assert reduced.energy().dissipated > 0
    np.testing.assert_allclose(reduced.particles.position, skewed.particles.position, rtol=0, atol=1e-9 * D)
    assert reduced.energy().total == pytest.approx(skewed.energy().total, rel=1e-9)


@pytest.mark.long
def test_energies_of_packing_and_edges_are_conserved_to_second_order():
    """E + M |dH/dt|²/2 + p V, at whole steps, whose edge velocity is the mean of those of the steps beside."""
    pressure, mass, departures = 200.0, 2e-4, []
    for time_step in (2e-5, 1e-5):
        held = {"stress": pressure, "control": "inertia", "mass": mass, "damping": 0.0, "fastest": 500.0}
        sim, rows = crowd(time_step, **held), []
        speed = sim._engine.walls.faces.edge_speed
        for _ in range(15):
            sim.step(round(4e-4 / time_step))
            energy, volume, before = sim.energy().mechanical, sim.cell.volume, speed.copy()
            sim.step(1)
            rows.append([energy, 0.5 * mass * (0.25 * (before + speed) ** 2).sum(), pressure * volume])
        energies, of_edges, _ = np.array(rows).T
        assert np.ptp(of_edges) > 0.05 * energies[0]
        departures.append(np.ptp(np.sum(rows, axis=1)) / energies[0])
    assert departures[0] < 2e-3
    assert departures[0] / departures[1] == pytest.approx(4, rel=0.3)


def test_each_component_is_held_or_prescribed():
    sim = crowd(
        count=3, edges=(0.031,) * 3, pitch=0.031 / 3, material=ROUGH, rate=[[0, 5.0, 0], [0] * 3, [0] * 3],
        stress=[[None] * 3, [None, 1e3, None], [None] * 3],
    )  # fmt: skip
    sim.step(200)
    np.testing.assert_array_equal(sim.cell.rate * (np.arange(9).reshape(3, 3) != 4), [[0, 5, 0], [0] * 3, [0] * 3])
    assert sim.cell.rate[1, 1] != 0
    assert sim.cell.strain[0, 1] == pytest.approx(0.5 * 5.0 * 200 * 2e-5)


def test_rates_change_at_their_times():
    sim = simulation(
        dem.Particles(BALL, ELASTIC, position=[[0.01] * 3]),
        dem.Cell((L,) * 3, rate=(1.0, 0, 0), rate_changes=[(0.001, (-1.0, 0, 0)), (0.002, (0, 0, 0))]), 1e-4,
    )  # fmt: skip
    strains = []
    for _ in range(3):
        sim.step(10)
        strains.append(sim.cell.strain[0, 0])
    np.testing.assert_allclose(strains, [1e-3, 0, 0], atol=1e-15)


def test_assigning_to_particles_goes_on_from_the_present_cell():
    sim = crowd(rate=SHEAR)
    sim.step(300)
    edges, mechanical = sim.cell.edges, sim.energy().mechanical
    sim.particles.velocity = sim.particles.velocity * 1.0
    np.testing.assert_array_equal(sim.cell.edges, edges)
    assert sim.energy().mechanical == pytest.approx(mechanical, rel=1e-9)
    sim.step(10)
    assert sim.cell.strain[0, 1] == pytest.approx(0.5 * 40 * 310 * 2e-5)


def test_what_is_told_of_an_assembly_is_by_its_definition():
    sim = crowd(rate=SHEAR)
    sim.step(180)
    cell = sim.cell
    volume, solid = np.linalg.det(cell.edges), 8 * math.pi / 6 * D**3
    assert cell.volume == pytest.approx(volume)
    assert cell.void_ratio == pytest.approx(volume / solid - 1)
    assert cell.inertial_number == pytest.approx(40 * D * math.sqrt(1100 / cell.stress.pressure), rel=1e-9)
    v, mass = sim.particles.velocity, sim.particles.mass
    np.testing.assert_allclose(cell.stress.kinetic, np.einsum("n,na,nb->ab", mass, v, v) / volume, rtol=1e-9)
    contacts = sim.contact_forces()
    assert len(contacts.i) == 2
    np.testing.assert_allclose(cell.fabric, np.einsum("na,nb->ab", contacts.normal, contacts.normal) / len(contacts.i))
    assert cell.anisotropy == dem.statistics.fabric(contacts).anisotropy > 0
    branch = np.einsum("na,nb->ab", contacts.branch, contacts.force) / volume
    np.testing.assert_allclose(cell.stress.contact, branch, rtol=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"edges": (1, 2)}, "edges of the cell is"),
        ({"edges": [[1, 1, 0], [1, 1, 0], [0, 0, 1]]}, "span a volume"),
        ({"edges": (L, -L, L)}, "whose volume is -0.000125 m3, expected positive lengths"),
        ({"edges": [[0, L, 0], [L, 0, 0], [0, 0, L]]}, "swap two edges"),
        ({"rate": [[0, math.nan, 0], [0] * 3, [0] * 3]}, "rate of the cell is"),
        ({"rate": (0, 0, 1.0), "stress": 1e3}, "rate is 1 1/s along zz, where the stress is held"),
        ({"stress": [[None] * 3, [1e3, None, None], [None] * 3]}, "is held along yx: give it along xy"),
        ({"stress": "1e3"}, "stress of the cell is"),
        ({"stress": 0.0}, "the stress that is held is zero"),
        ({"stress": 1e3, "mass": 1.0}, "mass of the cell is given with control='servo', expected 'inertia'"),
        ({"stress": 1e3, "control": "inertia", "gain": 1.0}, "gain of the cell is given with control='inertia'"),
        ({"stress": 1e3, "control": "inertia", "damping": -1.0}, "damping is -1"),
        ({"stress": 1e3, "control": "barostat"}, "unknown control of the cell 'barostat'"),
        ({"control": "inertia"}, "expected a stress that it holds"),
        ({"gain": 1e-3}, "gain of the cell is given without a stress that it holds"),
        ({"rate": (0, 0, -1), "fastest": 1.0}, "fastest of the cell is given without a stress that it holds"),
        ({"rate_changes": [(0.1, (0, 0, 0)), (0.1, (0, 0, 0))]}, "let times ascend"),
    ],
)
def test_a_cell_that_cannot_be_is_refused(words, message):
    with pytest.raises(ValueError, match=message):
        dem.Cell(**({"edges": (L,) * 3} | words))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dem.Cell.isotropic((L,) * 3, pressure=None), "pressure is None, expected a number"),
        (lambda: dem.Cell.triaxial((L,) * 3, axial_rate="1", confinement=1e3), "axial_rate is '1', expected a number"),
        (lambda: dem.Cell.triaxial((L,) * 3, axial_rate=1, confinement=None), "confinement is None, expected a number"),
        (lambda: dem.Cell.shear((L,) * 3, rate=(1, 0, 0)), "rate is .* expected a number"),
    ],
)
def test_tests_in_a_cell_name_the_argument_that_is_no_number(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_pressure_may_be_a_number_of_numpy():
    assert dem.Cell((L,) * 3, stress=np.int64(1000)) == dem.Cell((L,) * 3, stress=1000.0)


def test_what_a_cell_cannot_hold_is_refused():
    particles = dem.Particles(BALL, ELASTIC, position=[[0.01] * 3])
    cell = dem.Cell((L,) * 3)
    with pytest.raises(ValueError, match=r"gravity is .* in a Cell, .*give gravity="):
        dem.Simulation(particles, cell, time_step=1e-5)
    bonds = dem.Bonds([(0, -1)], young=1e7, diameter=4e-3, ground=[[0.01, 0.01, 0.02]])
    with pytest.raises(ValueError, match="bonds to the ground in a Cell"):
        simulation(particles, cell, bonds=bonds)
    with pytest.raises(ValueError, match=r"that its edge y crosses are 0.01\d+ m apart, at least 0.021"):
        simulation(particles, dem.Cell([[0.05, 0, 0], [0, 0.019, 0.018], [0, 0, 0.05]]))
    with pytest.raises(ValueError, match="lower time_step, rate or fastest"):
        simulation(particles, dem.Cell((L,) * 3, rate=(1e5, 0, 0)))
    sim = simulation(particles, cell)
    with pytest.raises(ValueError, match=r"gravity is .* in a Cell"):
        sim.gravity = (0, 0, -9.81)
    with pytest.raises(ValueError, match="random places need a cell at right angles"):
        dem.pack(BALL, ELASTIC, dem.Cell([[L, 0.1 * L, 0], [0, L, 0], [0, 0, L]]), number=2)
    with pytest.raises(ValueError, match="there is no column pressure here"):
        simulation(particles, None).run(1e-4, table="pressure")
    with pytest.raises(AttributeError, match=r"expected a dem\.Cell"):
        simulation(particles, None).cell  # noqa: B018, it is looked at


def test_verdicts_tell_what_a_loose_assembly_cannot_bear_and_what_is_not_quasi_static():
    cell = dem.Cell.triaxial((L,) * 3, axial_rate=2.0, confinement=1e4, fastest=0.5)
    sim = simulation(dem.Particles(BALL, ELASTIC, position=[[0.01] * 3], velocity=[[0.1, 0, 0]]), cell)
    verdict = sim.run(1e-3)
    assert verdict.passed
    inertial, stresses = verdict.cell
    number, stress = sim.cell.inertial_number, sim.cell.stress.total
    assert inertial == f"the cell deforms at an inertial number of {number:.2g}, quasi-static up to 0.001"
    assert f": xx is {stress[0, 0]:.4g} Pa of 1e+04 Pa, yy is {stress[1, 1]:.4g} Pa of 1e+04 Pa: go on" in stresses
    assert stresses in str(verdict)
    assert sim.cell.rate[0, 0] == -0.5  # no faster than that


def test_a_cell_that_becomes_too_small_stops_the_run():
    sim = simulation(dem.Particles(BALL, ELASTIC, position=[[0.01] * 3]), dem.Cell((0.03,) * 3, rate=(-100.0,) * 3))
    with pytest.raises(ValueError, match=r"opposite faces of the cell are .* m apart at step"):
        sim.step(1000)


def sheared_and_squeezed(**settings):
    """Frictional spheres in a cell that is sheared through a reduction of its edges, and squeezed."""
    return crowd(material=ROUGH, rate=[[-3.0, 120.0, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 0.0]], **settings)


def test_frames_have_the_cell_as_the_run_had_it(tmp_path):
    """All that `Simulation.cell` says, at each frame; the box comes back as it was given."""
    sim, states = sheared_and_squeezed(), []
    given = sim.box
    looks = {"every": (100, lambda sim: states.append(sim.cell)), "table": True, "table_every": 100, "progress": False}
    sim.run(0.008, output=tmp_path / "run.h5", frames=4, **looks)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.box == given
        assert abs(run.cell.edges[-1, 0, 1]) < 0.55 * run.cell.edges[-1, 1, 1] < run.cell.strain[-1, 0, 1]  # reduced
        assert len(states) == len(run) - 1 == 4
        for frame, state in zip(run[1:], states, strict=True):
            for name in set(state._fields) - {"stress"}:
                np.testing.assert_array_equal(getattr(frame.cell, name), getattr(state, name), err_msg=name)
            np.testing.assert_array_equal(frame.cell.stress.contact, state.stress.contact)
            np.testing.assert_array_equal(frame.cell.stress.kinetic, state.stress.kinetic)
        table, strain = run.table, np.trace(run.cell.strain, axis1=1, axis2=2)
        columns = {"pressure": run.cell.stress.pressure, "void_ratio": run.cell.void_ratio, "volumetric_strain": strain}
        for name, values in columns.items():
            np.testing.assert_array_equal(table[name], values, err_msg=name)
        np.testing.assert_array_equal(run.cell.volume, [frame.cell.volume for frame in run])
        with pytest.raises(ValueError, match=r"Frame\.cell"):
            run[0].contact_numbers()
        with pytest.raises(ValueError, match="give lower and upper"):
            run[0].solid_fraction()


def test_contacts_of_a_frame_are_computed_once(monkeypatch):
    sim, computed = sheared_and_squeezed(), []
    compute = dem.Simulation.contact_forces
    monkeypatch.setattr(dem.Simulation, "contact_forces", lambda sim: computed.append(compute(sim)) or computed[-1])
    rows = layout.rows(sim, 0, contacts=True)
    assert len(computed) == 1
    assert rows["cell/coordination"] == sim.cell.coordination


def test_paraview_sees_the_cell(tmp_path):
    """Field data of the points, and its faces as triangles by `dem export`."""
    sheared_and_squeezed().run(0.002, output=tmp_path / "run.h5", frames=2)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        cell = run.cell
    names = {"edges": np.swapaxes(cell.edges, 1, 2), "strain": cell.strain, "contact_stress": cell.stress.contact}
    for k, (_, shown) in enumerate(vtk_frames(tmp_path / "run.h5")):
        data = shown.GetFieldData()
        for name, values in names.items():
            np.testing.assert_array_equal(data.GetArray(name).GetTuple(0), values[k].ravel(), err_msg=name)
        assert data.GetArray("solid_fraction").GetTuple(0) == (cell.solid_fraction[k],)
    for k, (_, shown) in enumerate(vtk_frames(dem.export(tmp_path / "run.h5", "walls.vtkhdf"))):
        assert shown.GetNumberOfPolys() == 12
        np.testing.assert_allclose(points(shown)[[4, 2, 1]], cell.edges[k].T, rtol=0, atol=1e-15)
        np.testing.assert_allclose(shown.GetBounds()[1::2], np.maximum(cell.edges[k], 0).sum(axis=1), rtol=1e-12)


@pytest.mark.long
def test_a_benchmark_compares_cells_with_a_fixed_box():
    few = Deforming(2, 1, n=8)
    sims = few.runs(few.packing(threads=1))
    packed = sims.pop("fixed")
    assert not isinstance(packed.box, dem.Cell)
    for name, sim in sims.items():
        np.testing.assert_array_equal(sim.particles.position, packed.particles.position)
        assert (sim.cell.edges == np.diag(packed.box.size)).all()
        sim.step(1)
        assert (sim.cell.rate[1, 2] != 0) == (name == "shear along z")
    figures = few.measure(threads=1)
    assert figures["times_fixed"]["fixed"] == 1.0
    assert set(figures["times_fixed"]) == {"fixed", *sims}


CELL_FILE = """
duration = 1e-4
time_step = 1e-5
gravity = [0, 0, 0]
materials.sand = {young = "50 MPa", poisson = 0.3, density = 2500.0}
shapes.grain = {type = "sphere", diameter = "5 mm"}
particles = [{shape = "grain", material = "sand", position = [[0.01, 0.01, 0.01]]}]
"""


def test_a_case_file_has_words_for_a_cell(tmp_path):
    given = """
        [cell]
        edges = [["4 cm", 0.01, 0], [0, 0.04, 0], [0, 0, 0.04]]
        rate = [0, 0, -0.5]
        rate_changes = [{time = "0.5 ms", rate = [0, 0, 0.5]}]
        stress = [["10 kPa", "none", "none"], ["none", 1e4, "none"], ["none", "none", "none"]]
        fastest = 2.0
    """
    (tmp_path / "one.toml").write_text(CELL_FILE + given)
    sim = dem.load(tmp_path / "one.toml")
    held = [[1e4, None, None], [None, 1e4, None], [None] * 3]
    assert sim.box == dem.Cell(
        [[0.04, 0.01, 0], [0, 0.04, 0], [0, 0, 0.04]], rate=(0, 0, -0.5), rate_changes=[(5e-4, (0, 0, 0.5))],
        stress=held, fastest=2.0,
    )  # fmt: skip
    sim.run(1e-4, output=tmp_path / "one.h5", frames=1)
    (tmp_path / "two.toml").write_text(CELL_FILE + '[cell]\nlast_frame = "one.h5"\nstress = 2e4\n')
    went_on = dem.load(tmp_path / "two.toml").box
    assert went_on == dem.Cell(sim.box.edges, stress=2e4)
    for cell, message in (
        ("edges = [1, 1, 1]\nrate = [1, 0, 0]\nstress = 1e4", "along xx, where the stress is held"),
        ("rate = [1, 0, 0]", "give either edges or last_frame"),
        (
            "edges = [1, 1, 1]\nstress = [1e4, 1e4, 1e4]",
            "cell.stress: .* is no stress, expected a pressure, or three rows",
        ),
        ('edges = [1, 1, 1]\n[box]\nupper = [1, 1, 1]\nmaterial = "sand"', "box and cell are both given"),
    ):
        (tmp_path / "wrong.toml").write_text(f"{CELL_FILE}[cell]\n{cell}\n")
        with pytest.raises(ValueError, match=message):
            dem.load(tmp_path / "wrong.toml")


@pytest.mark.parametrize("rate", [SHEAR, (-8.0, -8.0, -8.0)], ids=["shear", "compression"])
@pytest.mark.few(1, long=99)
def test_the_picture_of_an_element_test_has_strain_volume_and_stress(rate, tmp_path):
    """In shear, volumetric strain against deviatoric strain; in a compression, against the pressure."""
    sim = crowd(rate=rate)
    sim.run(4e-4, output=tmp_path / "run.h5", frames=4)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        cell = run.cell
        figure = dem.plots.element_test(run)
    figure.draw_without_rendering()
    volumetric = -np.trace(cell.strain, axis1=1, axis2=2)
    stress, path, volume, circles = figure.axes
    (line,) = volume.lines
    np.testing.assert_allclose(line.get_ydata(), 100 * volumetric[-len(line.get_ydata()) :], rtol=1e-12, atol=1e-12)
    sheared = rate is SHEAR
    assert volume.get_ylabel() == "volumetric strain [%]"
    assert volume.get_xlabel().startswith("deviatoric strain" if sheared else "pressure p")
    assert stress.get_xlabel() == ("deviatoric strain" if sheared else "volumetric strain")
    np.testing.assert_allclose(path.lines[0].get_xdata()[-1], stress.lines[0].get_ydata()[-1])
    assert circles.get_xlabel().startswith("normal stress")
    (voids,) = volume.child_axes
    low, high = (float(y) for y in volume.get_ylim())
    at = (1 + float(cell.void_ratio[0])) * np.exp(-np.array([low, high]) / 100) - 1
    np.testing.assert_allclose(sorted(voids.get_ylim()), sorted(at), rtol=1e-6)


def test_a_cell_follows_deformation_gradients():
    """The lattice at each time is F times that at the start; through a reduction its basis differs by integers."""
    path = [(1e-3, [[1, 0.8, 0], [0, 1, 0], [0, 0, 1]]), (2e-3, [[1, 0.8, 0.3], [0, 1.2, 0], [0.1, 0, 0.9]])]
    sim = simulation(dem.Particles(BALL, ELASTIC, position=[[0.02] * 3]), dem.Cell.path((L,) * 3, path), 2.5e-5)
    for _, gradient in path:
        sim.step(40)
        basis = np.linalg.solve(np.array(gradient), sim.cell.edges / L)
        np.testing.assert_allclose(basis, np.round(basis), rtol=0, atol=1e-13)
        assert np.linalg.det(basis) == pytest.approx(1)
    edges = sim.cell.edges
    sim.step(10)
    np.testing.assert_array_equal(sim.cell.edges, edges)  # at rest after the last time


def test_logarithms_of_matrices_are_inverse_to_exponentials():
    rng = np.random.default_rng(1)
    for size in (0.01, 0.1, 1.0):
        given = size * rng.normal(size=(3, 3))
        root = np.eye(3)
        for k in range(20, 0, -1):  # exp of a 64th, by its series
            root = np.eye(3) + given / 64 / k @ root
        np.testing.assert_allclose(logarithm(np.linalg.matrix_power(root, 64)), given, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([], "path is empty"),
        ([(0.0, np.eye(3))], "time of path"),
        ([(1.0, np.eye(3)), (1.0, np.eye(3))], "time of path"),
        ([(1.0, -np.eye(3))], "expected a positive determinant"),
        ([(1.0, np.diag([-1.0, -1.0, 1.0]))], "has no logarithm: give times in between"),
        ([np.eye(3)], r"expected \(time, deformation gradient\)"),
    ],
)
def test_a_path_that_cannot_be_followed_is_refused(path, message):
    with pytest.raises(ValueError, match=message):
        dem.Cell.path((L,) * 3, path)


DISTORTING = [[-9e2, 6e3, 0.0], [4.5e3, 3e2, 12e2], [18e2, 0.0, 6e2]]  # [1/s]
SINGLE = float(np.finfo(np.float32).eps)


@pytest.mark.parametrize(("rate", "turns"), [(np.array(DISTORTING), True), (200 * np.array(SHEAR), False)])
@pytest.mark.few(1, long=99)
@pytest.mark.filterwarnings("ignore:soft-contacts")
def test_gsd_has_the_cell_that_deforms_with_its_first_edge_along_x(rate, turns, tmp_path, caplog):
    """A triangular box in each frame; the rotation in the log leads back to the run, single precision apart."""
    hoomd = pytest.importorskip("gsd.hoomd")
    rng, edge, fibre = np.random.default_rng(1), 0.05, dem.Fibre(diameter=0.005, aspect_ratio=2)
    places = rng.uniform(0, edge, (4, 3)) + 2 * edge * np.eye(4, 3)
    v, spin = rng.normal(size=(2, 4, 3))
    fibres = dem.Particles(fibre, ELASTIC, position=places, velocity=v, angular_velocity=spin)
    sim = simulation(fibres, dem.Cell((edge,) * 3, rate=rate), 2e-6)
    sim.run(4e-5, output=tmp_path / "a.h5", frames=2, force=True)  # at these rates contacts would be too deep
    with dem.Trajectory(tmp_path / "a.h5") as run, hoomd.open(dem.export(tmp_path / "a.h5", "gsd")) as frames:
        for k, frame in enumerate(frames):
            bodies, turn = frame.particles, frame.log["rotation"]
            x, y, z, xy, xz, yz = frame.configuration.box.astype(float)
            box = np.array([[x, xy * y, xz * z], [0, y, yz * z], [0, 0, z]])  # of the schema
            np.testing.assert_allclose(turn @ box, run.cell.edges[k], rtol=0, atol=4 * SINGLE * edge)
            assert (turn == np.eye(3)).all() == (not turns or k == 0)
            assert np.abs(np.linalg.solve(box, bodies.position.astype(float).T)).max() <= 0.5 + SINGLE
            back = (bodies.position + bodies.image @ box.T) @ turn.T + frame.log["box_centre"]
            np.testing.assert_allclose(back, run.position[k], rtol=0, atol=20 * SINGLE * edge)
            np.testing.assert_allclose(bodies.velocity @ turn.T, run.velocity[k], rtol=0, atol=4 * SINGLE * 3)
            omega = frame.log["particles/angular_velocity"] @ turn.T
            np.testing.assert_allclose(omega, run.angular_velocity[k], rtol=0, atol=4 * SINGLE * 3)
            axes = [
                rotate(q.astype(float), np.array([1.0, 2.0, 3.0])) for q in (bodies.orientation, run.orientation[k])
            ]
            np.testing.assert_allclose(axes[0] @ turn.T, axes[1], rtol=0, atol=9 * SINGLE)
            w, u, p = bodies.orientation[:, :1], bodies.orientation[:, 1:], bodies.angmom
            inside = (w * p[:, 1:] - p[:, :1] * u - np.cross(u, p[:, 1:])) / 2  # I ω in the body frame
            energy = (inside**2 / bodies.moment_inertia).sum() / 2
            np.testing.assert_allclose(energy, run.energy["rotational"][k], rtol=50 * SINGLE)
            np.testing.assert_allclose(turn @ frame.log["rate"] @ turn.T, run.cell.rate[k], rtol=0, atol=1e-9)
    assert not caplog.messages  # such as those of gsd about arrays that it has to copy


@pytest.mark.parametrize(
    "part", [{}, {"adhesion": dem.JKR(work=0.05)}, {"adhesion": dem.Bridge(volume=1e-10, tension=0.07)}]
)
def test_a_single_particle_moves_freely_whatever_its_contacts_would_reach(part):
    """Its images are never out of reach, so that no list may end at infinity."""
    alone = dem.Particles(
        BALL, dem.Material(young=5e6, poisson=0.35, density=1100.0, **part), position=[[0.01, 0.02, 0.03]],
        velocity=[[0.1, 0, 0]],
    )  # fmt: skip
    sim = simulation(alone, dem.Cell((L,) * 3))
    sim.step(10)
    np.testing.assert_allclose(sim.particles.position, [[0.01001, 0.02, 0.03]], rtol=0, atol=1e-12)
