"""Contacts that persist after separation do not depend on lists, threads, parts of runs or files."""

import numpy as np
import pytest
from dem.kernels.compiler.jit import most_threads
from sample_runs import random_quaternions

import dem

TOGETHER = {"restitution": 0.8, "friction": 0.4, "rolling": dem.Rolling(friction=0.1)}
WEAK = {"jkr": dem.JKR(work=0.3), "bridge": dem.Bridge(volume=2e-11, tension=0.05)}


def crowd(kind, n=216, steps=400, **options):
    """Spheres, and fibres or others, in a box, thrown together so gently that many stick, and some are torn off."""
    rng = np.random.default_rng(5)
    own, wall = (
        dem.Material(young=young, poisson=0.25, density=2500, **TOGETHER, adhesion=WEAK[kind]) for young in (2e6, 3e6)
    )
    edge, pitch = round(n ** (1 / 3) + 0.5), 0.00104
    grid = (np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)[:n] + 0.5) * pitch
    sphere = dem.Sphere(diameter=0.001)
    other = {"jkr": dem.Fibre(diameter=0.0005, aspect_ratio=2, spheres=3), "bridge": dem.Sphere(diameter=0.0008)}[kind]
    shapes = ([sphere, other] * n)[:n]
    particles = dem.Particles(
        shapes, own, position=grid, orientation=random_quaternions(rng, n), velocity=rng.normal(0, 0.15, (n, 3)),
        angular_velocity=rng.normal(0, 100, (n, 3)),
    )  # fmt: skip
    options = {"gravity": (0, 0, -20), "time_step": 2e-6, **options}
    box = dem.Box((0, 0, 0), (edge * pitch,) * 3, wall, periodic=["x", "y"])
    sim = dem.Simulation(particles, box, **options)
    sim.step(steps)
    return sim


def assert_same_bytes(one, two):
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name), err_msg=name)
    assert one.energy() == two.energy()
    assert one.energy_error == two.energy_error
    for a, b in zip(*(sim._engine.history().ascending()[:3] for sim in (one, two)), strict=True):
        np.testing.assert_array_equal(a, b)


def apart(sim):
    """Contacts of pairs and with walls that last although surfaces have parted."""
    contacts = sim.contact_forces()
    gone = contacts.overlap < 0
    return np.count_nonzero(gone & (contacts.j >= 0)), np.count_nonzero(gone & (contacts.j < 0))


@pytest.mark.parametrize("kind", ["jkr", "bridge"])
@pytest.mark.slow
def test_neither_lists_nor_cuts_nor_files_show_in_contacts_that_are_apart(kind, tmp_path):
    whole = crowd(kind)
    assert min(apart(whole)) > 1
    assert whole.verdict().energy_error < 0.01
    assert_same_bytes(whole, crowd(kind, _skin=(0.0006, 0.0004)))
    assert_same_bytes(whole, crowd(kind, _skin=(2e-8, 1e-8)))  # less than a step
    cut = crowd(kind, steps=1)
    for steps in (1, 7, 91, 100):
        cut.step(steps)
        cut.energy()
        cut._engine.rebuild()
    cut.save(tmp_path / "state.h5")
    cut = dem.Simulation.load(tmp_path / "state.h5")
    for _ in range(100):
        cut.step(2)
        cut._engine.rebuild()
    assert_same_bytes(whole, cut)


@pytest.mark.skipif(most_threads() < 2, reason="one core")
@pytest.mark.slow  # as it compiles all for threads
@pytest.mark.parametrize("kind", WEAK)
def test_threads_do_not_show_in_contacts_that_are_apart(kind):
    one, two = (crowd(kind, n=5000, threads=threads) for threads in (1, 2))
    assert type(one._engine.mode) is not type(two._engine.mode)
    assert min(apart(one)) > 1
    assert_same_bytes(one, two)


WORK, RADIUS, MODULUS = 0.05, 5e-4, 1e7


@pytest.mark.slow
def test_a_sticky_gas_loses_what_its_contacts_take():
    """0.95244 π w s² where one is made and a tenth where one ends: so the losses tell how many have."""
    own, wall = (dem.Material(young=1.875e7, poisson=0.25, density=density) for density in (2500, 1000))
    sticky = dem.JKR(work=WORK)
    contacts = dem.Contacts({
        (own, own): dem.Contact(adhesion=sticky), (own, wall): dem.Contact(adhesion=sticky, **TOGETHER)
    })  # fmt: skip
    rng, n = np.random.default_rng(2), 125
    place = (np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3) + 0.5) * (0.00155, 0.00105, 0.00105)
    place[:, 2] += 0.007
    ball, rod = dem.Sphere(diameter=2 * RADIUS), dem.Fibre(diameter=2 * RADIUS, aspect_ratio=1.5, spheres=2)
    particles = dem.Particles(([ball] * 4 + [rod]) * 25, own, position=place, velocity=rng.normal(0, 0.006, (n, 3)))
    box = dem.Box((0, 0, 0), (0.00775, 0.00525, 0.02), wall, periodic=["x", "y"])
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=2e-6, threads=1, contacts=contacts)
    sim.step(20000)
    unit = np.pi * WORK * (np.pi * WORK * (RADIUS / 2) ** 2 / MODULUS) ** (2 / 3)
    present = sim.contact_forces().i.size
    broken = (sim.energy().dissipated / unit - 0.6 * 2 ** (2 / 3) * present) / (0.1 + 0.6 * 2 ** (2 / 3))
    assert present > 10
    assert round(broken) > 10
    assert broken == pytest.approx(round(broken), abs=1e-6)
