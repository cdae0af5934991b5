"""The Hertz law against the closed forms of an elastic impact (Johnson 1985, section 11.4)."""

import numpy as np
import pytest
from dem.kernels.laws import hertz
from scipy.integrate import quad
from scipy.special import gamma

import dem


def test_energy_is_the_integral_of_the_force():
    k, overlap = 2.5e6, 3e-4
    assert hertz.energy(k, overlap) == pytest.approx(
        quad(lambda d: hertz.force(k, d), 0, overlap, epsabs=0, epsrel=1e-11)[0], rel=1e-9
    )


def test_no_overlap_no_force():
    assert hertz.force(1e6, 0.0) == 0.0
    assert hertz.energy(1e6, 0.0) == 0.0


def test_force_has_the_dimension_of_a_force():
    """Rescaling length, mass and time by powers of four rescales the force by exactly m l/t²."""
    length, mass, time = 4.0, 4.0**3, 4.0**-2
    pressure = mass / length / time**2
    stuff = [dem.Material(young=5e7 * factor, poisson=0.35) for factor in (1, pressure)]
    other = [dem.Material(young=2e8 * factor, poisson=0.2) for factor in (1, pressure)]
    modulus, scaled = (one.effective_modulus(two) for one, two in zip(stuff, other, strict=True))
    one = hertz.force(hertz.stiffness(modulus, 0.005), 1e-4)
    two = hertz.force(hertz.stiffness(scaled, 0.005 * length), 1e-4 * length)
    assert two == one * mass * length / time**2


def impact(sim, steps):
    """Largest overlap and duration of the one contact in these steps, from the elastic energy at every step."""
    energy = []
    for _ in range(steps):
        sim.step()
        energy.append(sim.energy().elastic)
    energy = np.array(energy)
    return energy.max(), np.count_nonzero(energy) * sim.time_step


def elastic_impact(k, mass, speed):
    """Largest overlap (5 m v²/(4 k))^(2/5) and duration 2 √π Γ(7/5)/Γ(9/10) δ/v of a Hertzian impact."""
    overlap = (1.25 * mass * speed**2 / k) ** 0.4
    return overlap, 2 * np.sqrt(np.pi) * gamma(1.4) / gamma(0.9) * overlap / speed


def test_impact_of_unequal_spheres_of_unequal_materials(nylon, rubber):
    a = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]], velocity=[[0.6, 0, 0]])
    b = dem.Particles(dem.Sphere(diameter=0.016), rubber, position=[[0.01301, 0, 0]], velocity=[[-0.4, 0, 0]])
    sim = dem.Simulation(dem.Particles.concatenate([a, b]), gravity=(0, 0, 0), time_step=1e-6)
    m = sim.particles.mass
    k = 4 / 3 * nylon.effective_modulus(rubber) * np.sqrt(0.005 * 0.008 / 0.013)
    overlap, duration = elastic_impact(k, m[0] * m[1] / m.sum(), 1.0)
    steps = int((1e-5 + 1.2 * duration) / 1e-6)
    energy, lasted = impact(sim, steps)
    # second order: a thousand steps a contact leave (1e-3)², some 1e-6, of the overlap;
    # the duration is counted to one step at each end
    assert energy == pytest.approx(0.4 * k * overlap**2.5, rel=1e-5)
    assert lasted == pytest.approx(duration, abs=2e-6)
    v = sim.particles.velocity[:, 0]
    mean = (m[0] * 0.6 - m[1] * 0.4) / m.sum()
    np.testing.assert_allclose(v, 2 * mean - np.array([0.6, -0.4]), rtol=1e-5)


def test_impact_on_a_wall_has_the_radius_of_the_sphere(nylon, wall):
    box = dem.Box((0, 0, 0), (1, 1, 1), material=wall)
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.99499, 0.5]], velocity=[[0, 1, 0]])
    sim = dem.Simulation(ball, box, gravity=(0, 0, 0), time_step=1e-6)
    k = 4 / 3 * nylon.effective_modulus(wall) * np.sqrt(0.005)
    mass = sim.particles.mass[0]
    overlap, duration = elastic_impact(k, mass, 1.0)
    energy, lasted = impact(sim, int((1e-5 + 1.2 * duration) / 1e-6))
    assert energy == pytest.approx(0.5 * mass, rel=1e-5)
    assert 0.4 * k * overlap**2.5 == pytest.approx(0.5 * mass)
    assert lasted == pytest.approx(duration, abs=2e-6)
    assert sim.particles.velocity[0, 1] == pytest.approx(-1, rel=1e-5)
