"""Spheres that expand as they warm."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sample_runs import warm_state, warm_states_of_cut_ranks

import dem

D, ALPHA = 0.01, 2e-5
PLAIN = dem.Material(
    young=1e7, poisson=0.3, density=2500.0, restitution=0.6, friction=0.3, conductivity=3.0, heat_capacity=800.0
)
GROWS = replace(PLAIN, expansion=ALPHA)
BALL = dem.Sphere(diameter=D)


def held(temperature, distance=D, **more):
    """Two balls side by side that are held where they are."""
    balls = dem.Particles(BALL, GROWS, position=[[0, 0, 0], [distance, 0, 0]], temperature=temperature)
    return dem.Simulation(balls, **({"time_step": 1.0, "heat": dem.Heat(every=1, frozen=True)} | more))


def test_overlap_and_force_are_those_of_the_radii_at_both_temperatures():
    """R (1 + α (T - 293.15 K)); Hertz's force 4/3 E* √R* δ^1.5."""
    for temperature in ([393.15, 293.15], [393.15, 593.15]):
        contacts = held(temperature).contact_forces()
        radius = [0.5 * D * (1 + ALPHA * (t - 293.15)) for t in temperature]
        overlap = sum(radius) - D
        assert contacts.overlap == pytest.approx([overlap], rel=1e-12)
        reduced = radius[0] * radius[1] / sum(radius)
        force = 4 / 3 * GROWS.effective_modulus(GROWS) * math.sqrt(reduced) * overlap**1.5
        assert np.linalg.norm(contacts.force[0]) == pytest.approx(force, rel=1e-10)
    assert held([193.15, 293.15]).contact_count == 0


def test_mass_stays_and_particles_show_their_cold_size():
    sim, plain = held(893.15), dem.Particles(BALL, PLAIN, position=[[0, 0, 0], [D, 0, 0]])
    assert sim.particles.mass.tolist() == plain.mass.tolist()
    assert sim._engine.kinds.mass[sim._engine.bodies.kind].tolist() == plain.mass.tolist()
    grown = 1 + ALPHA * 600
    inertia = sim._engine.kinds.inertia[0, sim._engine.bodies.kind]
    assert inertia == pytest.approx(0.1 * plain.mass * (grown * D) ** 2, rel=1e-12)
    assert sim.particles.variants[0][0] == BALL


def test_what_a_ball_presses_between_plates_is_booked_as_work():
    """It warms at rest by radiation: the elastic energy 8/15 E* √R δ^5/2 of both contacts is work, and nothing else."""
    plates = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=PLAIN), dem.Plane((0, 0, D), (0, 0, -1), material=PLAIN, name="lid"),
    ]  # fmt: skip
    ball = dem.Particles(BALL, GROWS, position=[[0, 0, 0.5 * D]], temperature=293.15)
    heat = dem.Heat(every=5, time_factor=1e6, radiation=dem.Radiation(temperature=900.0, emissivity=1.0))
    sim = dem.Simulation(ball, walls=plates, gravity=(0, 0, 0), time_step=1e-5, heat=heat)
    sim.step(500)
    kelvin = round(sim.particles.temperature[0] - 293.15)
    assert kelvin > 400
    overlap = 0.5 * D * ALPHA * kelvin
    radius, modulus = 0.5 * D + overlap, GROWS.effective_modulus(PLAIN)
    expected = 2 * 8 / 15 * modulus * math.sqrt(radius) * overlap**2.5
    energy = sim.energy()
    assert energy.elastic == pytest.approx(expected, rel=1e-9)
    assert energy.work == pytest.approx(expected, rel=1e-9)
    assert abs(energy.kinetic) < 1e-12 * expected
    assert abs(sim.walls[1].force[2]) == pytest.approx(2.5 * expected / 2 / overlap, rel=1e-6)
    assert sim.energy_error < 1e-9
    assert sim.verdict().passed


def gas(skin=0.06, threads=1):
    """A gas in a box that a hot face warms, with a heat that passes quickly."""
    rng = np.random.default_rng(3)
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    made = dem.Particles(
        BALL, GROWS, position=1.05 * D * place, velocity=rng.normal(0, 0.5, (27, 3)),
        temperature=np.linspace(300, 900, 27),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (3.15 * D,) * 3, PLAIN)
    heat = dem.Heat(every=5, time_factor=1e5, faces={"z-": 700.0})
    return dem.Simulation(
        made, box, time_step=2e-5, heat=heat, threads=threads, _skin=(skin * D, skin * D / 3)
    )  # fmt: skip


@pytest.mark.long
def test_lists_threads_ranks_and_restarts_change_no_bit(small_chunks, tmp_path):
    alone, wide = gas(), gas(skin=0.2, threads=2)
    begun = np.sort(alone._engine.bodies.kind)
    alone.step(60), wide.step(60)
    others = [warm_state(wide), *warm_states_of_cut_ranks(gas, tmp_path / "state.h5")]
    assert others == [warm_state(alone)] * 3
    assert (np.sort(alone._engine.bodies.kind) != begun).sum() > 5
    assert alone.energy().work != 0
    assert alone.verdict().passed


def test_a_case_file_has_the_coefficient_with_its_unit(tmp_path):
    (tmp_path / "hot.toml").write_text("""
time_step = "2 us"
duration = "20 us"
heat = { every = 5 }
shapes.ball = { type = "sphere", diameter = "1 cm" }
[materials.steel]
young = "10 MPa"
poisson = 0.3
conductivity = 45
heat_capacity = 460
expansion = "1.2e-5 1/K"
[[particles]]
shape = "ball"
material = "steel"
position = [[0.02, 0.02, 0.02]]
temperature = "80 degC"
""")
    sim = dem.load(tmp_path / "hot.toml")
    assert sim.particles.variants[0][1].expansion == 1.2e-5
    sim.run(2e-5, output=tmp_path / "hot.h5", frames=1)
    assert dem.Simulation.load(tmp_path / "hot.h5").particles.variants == sim.particles.variants


def single(material=GROWS, shape=BALL, **more):
    """One particle, which is warm."""
    ball = dem.Particles(shape, material, position=[[0, 0, 0]], temperature=more.pop("temperature", 300.0))
    return dem.Simulation(ball, **({"time_step": 1e-6, "heat": dem.Heat()} | more))


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: replace(PLAIN, expansion=-1e-5), "expansion is -1e-05"),
        (lambda: replace(PLAIN, expansion=1.0), "expansion is 1"),
        (
            lambda: dem.Simulation(dem.Particles(BALL, GROWS, position=[[0, 0, 0]]), time_step=1e-6),
            "in a run without heat: add heat",
        ),
        (lambda: single(shape=dem.Fibre(diameter=D, aspect_ratio=2)), "expected single spheres"),
        (lambda: single(replace(GROWS, friction_by_temperature=[(300, 0.1), (400, 0.2)])), "leave one of them out"),
        (lambda: single(replace(GROWS, adhesion=dem.DMT(work=0.01))), "expected Hertz's"),
        (lambda: single(temperature=5000.0), r"expected 93\.15 to 2093\.15 K of particles that expand"),
        (lambda: single(outlets=[dem.Outlet(dem.Ball((1, 0, 0), 0.1))]), "expected particles that stay"),
    ],
)
def test_what_makes_no_sense_is_refused(attempt, told):
    with pytest.raises(ValueError, match=told):
        attempt()


def test_temperatures_beyond_the_range_stop_the_run():
    heat = dem.Heat(every=1, time_factor=1e9, radiation=dem.Radiation(temperature=4000.0, emissivity=1.0))
    with pytest.raises(FloatingPointError, match=r"expected 93\.15 to 2093\.15 K"):
        single(heat=heat).step(2)
