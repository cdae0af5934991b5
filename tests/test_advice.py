"""Advice on the time step: against closed forms and simulated impacts."""

import math

import numpy as np
import pytest

import dem
from dem.soft import arrays
from dem.soft.advice import ADVISED, contact_time, effective_masses, rounded_down


def duration(sim, *, until):
    """Time with something elastic [s], by looking at every step."""
    touching = 0
    for _ in range(until):
        sim.step()
        touching += sim._engine.progress.elastic[0] > 0
    return touching * sim.time_step


def test_two_spheres_are_in_contact_for_as_long_as_foreseen(nylon, ball):
    pair = dem.Particles(ball, nylon, position=[(0, 0, 0), (0.0102, 0, 0)], velocity=[(0.4, 0, 0), (-0.4, 0, 0)])
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    foreseen = contact_time(pair.mass[0] / 2, 0.0025, nylon.effective_modulus(nylon), 0.8)
    # at most one step is lost at either end, of some 450, and a thousandth more, where the energy rounds to nothing
    assert duration(sim, until=1500) == pytest.approx(foreseen, rel=1e-3, abs=2.1e-6)
    # the advice is for a head-on meeting of two that each have all of the largest energy, which is this one
    assert dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-6, threads=1).advice().contact_time == pytest.approx(
        foreseen, rel=1e-12
    )


def test_a_fibres_tip_is_lighter_than_the_fibre(nylon, fibre):
    m, inertia = fibre.mass_properties(1100.0).mass, fibre.mass_properties(1100.0).inertia
    found = effective_masses(arrays.kinds(dem.Particles(fibre, nylon, position=[(0, 0, 0)]), None))
    exact = [1 / (1 / m + c**2 / inertia[1]) for c in fibre.offsets[:, 0]]
    np.testing.assert_allclose(found, exact, rtol=1e-12)
    assert found[0] < 0.41 * m  # of a rod it would be a quarter at the very end


def test_a_tip_meets_the_floor_for_as_long_as_its_effective_mass_says(nylon, wall, fibre):
    """Tilted by 30 degrees, so that the other end stays away; during the impact it turns by a hundredth."""
    tilt = math.radians(30)
    c = fibre.offsets[-1, 0]
    z = 0.005 + c * math.sin(tilt) + 1e-5
    turned = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    one = dem.Particles(fibre, nylon, position=[(0.5, 0.5, z)], orientation=[turned], velocity=[(0, 0, -0.1)])
    box = dem.Box((0, 0, 0), (1, 1, 1), wall)
    sim = dem.Simulation(one, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    m, inertia = fibre.mass_properties(1100.0).mass, fibre.mass_properties(1100.0).inertia[1]
    mass = 1 / (1 / m + (c * math.cos(tilt)) ** 2 / inertia)
    foreseen = contact_time(mass, 0.005, nylon.effective_modulus(wall), 0.1)
    assert duration(sim, until=1500) == pytest.approx(foreseen, rel=5e-3)


def test_falling_through_the_box_is_foreseen(nylon, wall, ball):
    one = dem.Particles(ball, nylon, position=[(0.5, 0.5, 0.5)], velocity=[(3, 0, 0)])
    box = dem.Box((0, 0, 0), (1, 1, 1), wall)
    advice = dem.Simulation(one, box, time_step=1e-6, threads=1).advice()
    assert advice.speed == pytest.approx(math.sqrt(9 + 2 * 9.81 * 0.5), rel=1e-12)
    assert advice.shortest == "a sphere on a wall"
    deepest = (15 * one.mass[0] * advice.speed**2 / (16 * nylon.effective_modulus(wall) * math.sqrt(0.005))) ** 0.4
    assert advice.overlap == pytest.approx(deepest / 0.005, rel=1e-12)
    without = dem.Simulation(one, time_step=1e-6, threads=1).advice()
    assert without.contact_time == math.inf  # one in empty space meets nobody
    assert without.advised == rounded_down(0.2 * without.rayleigh_time)


def test_walls_and_floors_that_are_not_there_do_not_count(nylon, ball):
    pair = dem.Particles(ball, nylon, position=[(0.2, 0.5, 0.5), (0.8, 0.5, 0.5)], velocity=[(1, 0, 0), (-1, 0, 0)])
    speeds = {}
    for name, options in {
        "closed": {},
        "no floor": {"open": ["z-"]},
        "periodic": {"periodic": ["z"]},
        "shaken": {"open": ["z-"], "motion": {"z+": dem.Motion(velocity=(0, 0, 0.5))}},
    }.items():
        box = dem.Box((0, 0, 0), (1, 1, 1), nylon, **options)
        speeds[name] = dem.Simulation(pair, box, time_step=1e-6, threads=1).advice().speed
    np.testing.assert_allclose(
        [speeds[n] for n in ("closed", "no floor", "periodic", "shaken")],
        [2 * math.sqrt(1 + 9.81), 2.0, 2 * math.sqrt(1 + 2 * 9.81), 4.0],
        rtol=1e-12,
    )


def test_the_time_step_can_be_left_to_it(nylon, wall, fibre):
    one = dem.Particles(fibre, nylon, position=[(0.5, 0.5, 0.5)])
    sim = dem.Simulation(one, dem.Box((0, 0, 0), (1, 1, 1), wall), time_step="auto", threads=1)
    advice = sim.advice()
    assert sim.time_step == advice.advised
    assert ADVISED <= advice.steps_per_contact <= 1.1 * ADVISED  # two digits, rounded down
    assert sim.run(0.5, strict=True).energy_error < 0.002  # as at 45 steps a contact, see `dem.soft.advice`
    case = dem.cases()["single-fibre"](time_step="auto", threads=1)
    assert case.model_dump(mode="json")["time_step"] == "auto"
    assert case.simulation().settings["time_step"] < 1e-5


def test_a_fast_top_gets_a_step_that_resolves_its_rotation(nylon, fibre):
    one = dem.Particles(fibre, nylon, position=[(0, 0, 0)], angular_velocity=[(0, 3e4, 4e4)])
    sim = dem.Simulation(one, time_step=1e-5, threads=1)
    assert (sim.advice().turn, sim.advice().advised) == (pytest.approx(0.5), 2e-6)
    with pytest.warns(dem.DemWarning, match=r"coarse-time-step: a particle turns 0.5 rad in one time step"):
        sim.run(1e-4)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, 0.0), (5.39e-6, 5.3e-6), (1e-5, 1e-5), (123.0, 120.0), (9.99, 9.9)]
)
def test_rounding_down(value, expected):
    assert rounded_down(value) == expected


@pytest.mark.parametrize("density", [23.0, 1100.0, 22600.0])
def test_the_density_of_a_solid_draws_no_warning(density, ball):
    one = dem.Particles(ball, dem.Material(young=5e7, poisson=0.3, density=density), position=[(0, 0, 0)])
    assert dem.Simulation(one, time_step=1e-6, threads=1).run(1e-5, strict=True).passed


def test_a_foam_can_be_forced(ball):
    one = dem.Particles(ball, dem.Material(young=5e7, poisson=0.3, density=15.0), position=[(0, 0, 0)])
    sim = dem.HardSpheres(one)
    with pytest.raises(ValueError, match=r"implausible-density: .*15 g/cm3 would be 15000 kg/m3; .* force=True"):
        sim.run(0.1)
    with pytest.warns(dem.DemWarning, match="implausible-density"):
        sim.run(0.1, force=True)
