"""Periodic cells that deform, as machine code: long runs, the same bytes, and stress that is held.

All tests take one contact law, that of rough spheres, so that it is compiled once.
"""

import math

import numpy as np
import pytest
from dem.kernels.compiler.jit import most_threads

import dem
from dem.validation.element_tests import lattices

pytestmark = pytest.mark.long

D = 0.01
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=2000.0)
ROUGH = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)
# one rough sphere, at whose contacts nothing is lost: kernels are those of the other tests
LOSSLESS = {"material": ELASTIC, "last": ROUGH, "contacts": dem.Contacts({(ELASTIC, ROUGH): dem.Contact()})}
SHEAR = [[0.0, 40.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def spheres(x, v, cell, material, last=None, **more):
    """Spheres of one material in a cell; the last of another one."""
    particles = dem.Particles.concatenate([
        dem.Particles(dem.Sphere(diameter=D), stuff, position=x[some], velocity=v[some])
        for stuff, some in ((material, slice(-1)), (last or material, slice(-1, None)))
    ])  # fmt: skip
    return dem.Simulation(particles, cell, gravity=(0, 0, 0), **({"threads": 1} | more))


def crowd(cell, count, pitch, material=ROUGH, time_step=1e-5, speed=0.3, **more):
    """Spheres near the places of a cubic lattice, at random velocities of sum zero."""
    rng = np.random.default_rng(7)
    places = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    v = rng.normal(0, speed, places.shape)
    x = pitch * (places + rng.uniform(-0.04, 0.04, places.shape))
    return spheres(x, v - v.mean(0), cell, material, time_step=time_step, **more)


def fcc(distance, **control):
    """32 spheres that lose nothing, on a face-centred cubic lattice of this nearest distance [m] in a cubic cell."""
    lattice, edge = lattices.lattice(distance)
    x, cell = lattice.position, dem.Cell((edge,) * 3, **control)
    return spheres(x, np.zeros_like(x), cell, time_step=1e-6 * math.sqrt(lattices.YOUNG / ELASTIC.young), **LOSSLESS)


def fcc_pressure(distance):
    """p = 2 √2 F/s² with Hertz's force F between equal spheres [Pa]."""
    return 2 * math.sqrt(2) * lattices.force_at(distance) * ELASTIC.young / lattices.YOUNG / distance**2


def test_shear_by_ten_and_back_returns_to_where_it_began():
    """Elastic spheres that meet, through some twenty reductions of the basis; the scheme is symmetric in time."""
    rate, half = np.zeros((3, 3)), 10_000
    rate[0, 1] = 100.0
    changes = [((half - 0.5) * 1e-5, -rate)]
    sim = crowd(dem.Cell((0.036,) * 3, rate=rate, rate_changes=changes), 2, 0.018, speed=0.05, **LOSSLESS)
    x, v = sim.particles.position.copy(), sim.particles.velocity.copy()
    start, met, drift = sim.energy().mechanical, 0, []
    for _ in range(half // 50):
        sim.step(50)
        met += sim.contact_count > 0
        drift.append(sim.energy().total)
    assert sim.cell.strain[0, 1] == pytest.approx(5.0, rel=1e-9)
    assert met > 10
    assert np.ptp(drift) < 2e-3 * sim.energy().mechanical  # no step where the basis is reduced
    sim.particles.velocity = -sim.particles.velocity
    sim.step(half)
    np.testing.assert_allclose(sim.cell.edges, 0.036 * np.eye(3), rtol=0, atol=1e-9 * D)
    assert sim.cell.strain[0, 1] == pytest.approx(0, abs=1e-9)
    away = sim.particles.position - x
    away -= 0.036 * np.round(away / 0.036)
    np.testing.assert_allclose(away, 0, rtol=0, atol=1e-9 * D)
    np.testing.assert_allclose(-sim.particles.velocity, v, rtol=0, atol=1e-8)
    assert sim.energy().mechanical == pytest.approx(start, rel=1e-7)


@pytest.mark.skipif(most_threads() < 2, reason="one core")
def test_threads_do_not_show_in_a_cell_that_holds_a_stress():
    ends = []
    for threads in (1, 2):
        cell = dem.Cell.shear((0.184,) * 3, rate=20.0, pressure=2e3, fastest=20.0)
        sim = crowd(cell, 16, 0.0115, threads=threads)
        sim.step(600)
        ends.append(sim)
    one, two = ends
    assert one.energy().dissipated > 0
    assert one.energy() == two.energy()
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name))
    np.testing.assert_array_equal(one.cell.edges, two.cell.edges)
    np.testing.assert_array_equal(one.cell.stress.total, two.cell.stress.total)


def test_a_triaxial_test_of_a_frictional_packing_balances_its_energies():
    """Dashpots and friction feel a rate that follows the stress from step to step."""
    pressure = 2e3
    smooth = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.02)  # law of the rough
    press = crowd(dem.Cell.isotropic((0.048,) * 3, pressure=pressure, fastest=10.0), 4, 0.012, smooth)
    press.step(20_000)
    np.testing.assert_allclose(press.cell.stress.total.diagonal(), pressure, rtol=0.05)
    cell = dem.Cell.triaxial(press.cell.edges, axial_rate=0.5, confinement=pressure, fastest=5.0)
    packing = dem.Particles(dem.Sphere(diameter=D), ROUGH, position=press.particles.position)
    sim = dem.Simulation(packing, cell, gravity=(0, 0, 0), time_step=1e-5, threads=1)
    lateral, axial = [], []
    for _ in range(20):
        sim.step(500)
        stress = sim.cell.stress.total.diagonal()
        lateral.append(stress[:2].mean())
        axial.append(stress[2])
    assert sim.energy().dissipated > 0.1 * sim.energy().work
    assert sim.energy_error < 1e-3
    assert np.mean(lateral[4:]) == pytest.approx(pressure, rel=0.1)
    assert np.mean(axial[4:]) > 1.5 * np.mean(lateral[4:])
    assert sim.cell.strain[2, 2] == pytest.approx(-0.05, rel=1e-9)


def same(one, other):
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(other.particles, name))
    assert one.energy() == other.energy()
    np.testing.assert_array_equal(one.cell.edges, other.cell.edges)
    np.testing.assert_array_equal(one.cell.stress.total, other.cell.stress.total)


CONTROLS = {"rate": {"rate": SHEAR}, "stress": {"stress": 2e3}, "inertia": {"stress": 2e3, "control": "inertia"}}


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS)
def test_neither_skins_nor_cuts_nor_restarts_show(control, tmp_path):
    def made(**more):
        return crowd(dem.Cell((0.025,) * 3, **control), 2, 0.0125, time_step=2e-5, speed=0.5, **more)

    one = made()
    one.step(360)
    assert one.energy().dissipated > 0
    thin = made(_skin=(0.0006, 0.0002))
    thin.step(360)
    same(one, thin)
    cut = made()
    for steps in (1, 7, 232):
        cut.step(steps)
        cut.cell  # noqa: B018, it is looked at
    cut.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    for sim in (cut, loaded):
        sim.step(120)
        same(one, sim)


def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path):
    """Through a reduction of the basis."""

    def made():
        cell = dem.Cell((0.025,) * 3, rate=[[-3.0, 120.0, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 0.0]])
        return crowd(cell, 2, 0.0125, time_step=2e-5, speed=0.5)

    one, two = tmp_path / "one.h5", tmp_path / "two.h5"
    made().run(0.008, output=one, frames=4)
    made().run(0.004, output=two, frames=2)
    dem.resume(two, duration=0.008)
    with dem.Trajectory(one) as whole, dem.Trajectory(two) as halves:
        for name in ("position", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(whole[-1].field(name), halves[-1].field(name))
        for name in ("edges", "rate", "strain"):
            np.testing.assert_array_equal(getattr(whole[-1].cell, name), getattr(halves[-1].cell, name))
    assert dem.rerun(one).same


def test_a_pressure_that_is_held_is_reached():
    sim = fcc(0.999 * D, stress=2e3, fastest=63.0, gain=0.126)
    sim.step(150)
    np.testing.assert_allclose(sim.cell.stress.total.diagonal(), 2e3, rtol=4e-3)
    distance = sim.cell.edges[0, 0] / (2 * math.sqrt(2))
    assert fcc_pressure(distance) == pytest.approx(sim.cell.stress.pressure, rel=1e-9)
    assert sim.energy_error < 1e-3


def test_what_damping_of_edges_takes_is_supplied_from_outside():
    """A lattice swings to its pressure; nothing but the edges dissipates, and the ledger balances."""
    sim = fcc(0.9955 * D, stress=2e3, fastest=63.0, control="inertia")
    elastic = sim.energy().elastic
    sim.step(200)
    np.testing.assert_allclose(sim.cell.stress.total.diagonal(), 2e3, rtol=5e-3)
    energy = sim.energy()
    assert energy.dissipated > 0.02 * (energy.elastic - elastic) > 0
    assert energy.work - energy.dissipated == pytest.approx(energy.elastic - elastic, rel=1e-3)
    assert sim.energy_error < 1e-4


def test_a_stress_is_held_beside_a_lasting_rate():
    """A lattice squeezed along z needs a lasting rate across: the mean error of its stress is below 1e-3 of it."""
    held = [[2e3, None, None], [None, 2e3, None], [None] * 3]
    sim = fcc(0.995 * D, rate=(0, 0, -0.63), stress=held, fastest=63.0, gain=0.063)
    sim.step(500)
    errors, rates = [], []
    for _ in range(20):
        sim.step(10)
        errors.append(sim.cell.stress.total[0, 0] / 2e3 - 1)
        rates.append(sim.cell.rate[0, 0])
    assert np.mean(rates) > 0.158  # it is not at rest
    assert abs(np.mean(errors)) < 1e-3
    assert np.ptp(rates) < 0.1 * np.mean(rates)  # and does not ring
