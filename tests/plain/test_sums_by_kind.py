"""Contacts, losses and energies by kind: sums over pairs, the ledger's dissipation, and the kinetic energy of all."""

import numpy as np
import pytest

import dem
from dem import statistics

LOSSY = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5)
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
D, DT = 0.01, 6e-6
SHAPES = [
    dem.Sphere(diameter=D),
    dem.Fibre(diameter=D, aspect_ratio=2, spheres=3),
    dem.Capsule(diameter=D, aspect_ratio=2),
]


def colliding(shape, material, **more):
    """Two that meet obliquely above a floor, which one of them hits in its fall."""
    groups = {
        "one": dem.Particles(shape, material, position=[[0, 0, 0.5 * D]], velocity=[[0, 0.5, -0.3]]),
        "other": dem.Particles(shape, material, position=[[0.2 * D, 1.01 * D, 0.5 * D]], velocity=[[0, -0.5, 0.2]]),
    }
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=material)
    pair = dem.Particles.concatenate(groups)
    return dem.Simulation(pair, walls=[floor], gravity=(0, 0, 0), time_step=DT, **more)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(1)
def test_losses_of_pairs_add_up_to_what_the_ledger_has_dissipated(shape):
    """Trapezoidal rule, second order: errors of (dt/T)², some 1e-4 where a contact sets in between two steps."""
    sim, losses = colliding(shape, LOSSY), statistics.LossesByKind()
    losses(sim)
    for _ in range(400):
        sim.step()
        losses(sim)
    assert losses.pair.tolist() == [[0, 0], [0, 1], [1, 1], [0, -1], [1, -1]]
    assert losses.energy[[0, 2]].tolist() == [0, 0]
    assert losses.energy[1] > 0
    assert losses.energy[3] > 0
    held = sim.contact_forces()
    assert not len(held.i)  # so that no spring holds anything
    assert losses.energy.sum() == pytest.approx(sim.energy().dissipated, rel=1e-3)


def test_elastic_contacts_lose_nothing():
    sim = colliding(dem.Sphere(diameter=D), ELASTIC)
    sim.step(33)
    assert sim.contact_forces().loss.tolist() == [0.0] * sim.contact_count
    assert sim.contact_count > 0


def test_a_sliding_contact_takes_up_force_times_speed():
    """Beyond Coulomb's limit the spring is as long as it may be: μ F_n v, with a plane at rest."""
    ball = dem.Particles(dem.Sphere(diameter=D), LOSSY, position=[[0, 0, 0.495 * D]], velocity=[[3.0, 0, 0]])
    sim = dem.Simulation(ball, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY)], time_step=1e-7)
    sim.step(400)
    contact, bodies = sim.contact_forces(), sim.particles
    slip = bodies.velocity[0] + np.cross(bodies.angular_velocity[0], contact.arm[0])
    push = contact.force[0] @ contact.normal[0]
    side = contact.force[0] - push * contact.normal[0]
    assert np.linalg.norm(side) == pytest.approx(LOSSY.friction * push, rel=1e-9)
    across = slip - (slip @ contact.normal[0]) * contact.normal[0]
    damped = -(push - 4 / 3 * LOSSY.effective_modulus(LOSSY) * np.sqrt(D / 2) * contact.overlap[0] ** 1.5)
    expected = -side @ across + damped * (slip @ contact.normal[0])
    assert contact.loss[0] == pytest.approx(expected, rel=1e-9)


def test_tables_are_sums_over_the_contacts_of_each_pair():
    """Against a loop over contacts, of random ones."""
    rng = np.random.default_rng(3)
    n, k, kinds = 12, 60, 4
    kind = rng.integers(0, 3, n)  # of the fourth kind there is none
    normal = rng.normal(size=(k, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    i, j = rng.integers(0, n, k), rng.integers(-8, n, k)
    force, none = rng.normal(size=(k, 3)), np.zeros((k, 3))
    found = statistics.ContactForces(i, j, np.zeros(k), normal, force, none, none, none, rng.normal(size=k))
    table = statistics.contacts_by_kind(found, kind, kinds)
    assert len(table.pair) == kinds * (kinds + 3) // 2
    for row, pair in enumerate(table.pair.tolist()):
        mine = [
            c
            for c in range(k)
            if pair == ([kind[i[c]], -1] if j[c] < 0 else sorted([int(kind[i[c]]), int(kind[j[c]])]))
        ]
        push = [force[c] @ normal[c] for c in mine]
        side = [np.linalg.norm(np.cross(normal[c], force[c])) for c in mine]
        assert table.number[row] == len(mine)
        assert table.normal_force[row] == pytest.approx(sum(push), abs=1e-12)
        assert table.tangential_force[row] == pytest.approx(sum(side), abs=1e-12)
        assert table.loss[row] == pytest.approx(sum(found.loss[mine]), abs=1e-12)
        if mine:
            assert table.mean_normal_force[row] == pytest.approx(np.mean(push), abs=1e-12)
        else:
            assert np.isnan(table.mean_tangential_force[row])


def test_energies_of_kinds_add_up_to_those_of_the_ledger():
    sim = colliding(dem.Fibre(diameter=D, aspect_ratio=2), LOSSY)
    sim.gravity = (0.0, 1.0, -9.81)
    sim.step(67)
    p = sim.particles
    state = {n: getattr(p, n) for n in ("mass", "inertia", "position", "velocity", "orientation", "angular_velocity")}
    by, ledger = statistics.energies_by_kind(p.kind, **state, gravity=sim.gravity), sim.energy()
    assert by.translational.sum() == pytest.approx(ledger.translational, rel=1e-12)
    assert by.rotational.sum() == pytest.approx(ledger.rotational, rel=1e-12)
    assert by.kinetic[1] == pytest.approx(0.5 * p.mass[1] * p.velocity[1] @ p.velocity[1] + by.rotational[1], rel=1e-12)
    assert by.gravitational[0] == pytest.approx(-p.mass[0] * np.dot(sim.gravity, p.position[0]), rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "kinds", "said"),
    [([0, -1], None, "kind goes from -1 to 0"), ([0, 3], 2, "kind goes from 0 to 3, expected 0 to 1"),
     ([0.5, 1], None, "expected whole numbers"), ([0], None, "contacts are of particle 1, expected below 1")],
)  # fmt: skip
def test_kinds_that_cannot_be_are_refused(kind, kinds, said):
    row = [np.zeros((1, 3))] * 5
    contacts = statistics.ContactForces(np.array([0]), np.array([1]), np.zeros(1), *row)
    with pytest.raises(ValueError, match=said):
        statistics.contacts_by_kind(contacts, kind, kinds)
    if len(kind) == 2:
        assert statistics.contacts_by_kind(contacts, [0, 1]).loss is None
