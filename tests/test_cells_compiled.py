"""Periodic cells that deform, as machine code: threads, many reductions of the basis, and a triaxial test."""

import numpy as np
import pytest
from dem.kernels.compiler.jit import most_threads

import dem

D = 0.01
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=2000.0)
ROUGH = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)


def crowd(cell, count, pitch, material, last=None, time_step=1e-5, speed=0.3, **more):
    """Spheres near the places of a cubic lattice, at random velocities of sum zero; the last of another material."""
    rng = np.random.default_rng(7)
    places = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    v = rng.normal(0, speed, places.shape)
    x = pitch * (places + rng.uniform(-0.04, 0.04, places.shape))
    v -= v.mean(0)
    particles = dem.Particles.concatenate([
        dem.Particles(dem.Sphere(diameter=D), stuff, position=x[some], velocity=v[some])
        for stuff, some in ((material, slice(-1)), (last or material, slice(-1, None)))
    ])  # fmt: skip
    return dem.Simulation(particles, cell, gravity=(0, 0, 0), time_step=time_step, **({"threads": 1} | more))


def test_shear_by_ten_and_back_returns_to_where_it_began():
    """Elastic spheres that meet, through some twenty reductions of the basis; the scheme is symmetric in time."""
    rate, half = np.zeros((3, 3)), 10_000
    rate[0, 1] = 100.0
    changes = [((half - 0.5) * 1e-5, -rate)]
    # one rough sphere, at whose contacts nothing is lost: kernels are those of the other tests
    contacts = dem.Contacts({(ELASTIC, ROUGH): dem.Contact()})
    cell = dem.Cell((0.036,) * 3, rate=rate, rate_changes=changes)
    sim = crowd(cell, 2, 0.018, ELASTIC, last=ROUGH, speed=0.05, contacts=contacts)
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
        sim = crowd(cell, 16, 0.0115, ROUGH, threads=threads)
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
