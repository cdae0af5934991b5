"""Restitution and friction of particles by their temperatures."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sample_runs import warm_state, warm_states_of_cut_ranks

import dem

D = 0.01
PLAIN = dem.Material(
    young=1e7, poisson=0.3, density=2500.0, restitution=0.9, friction=0.2, conductivity=3.0, heat_capacity=800.0
)
SOFTENS = replace(
    PLAIN, restitution_by_temperature=[(300, 0.9), (500, 0.5)], friction_by_temperature=[(300, 0.2), (500, 0.6)]
)
SHAPES = {"spheres": dem.Sphere(diameter=D), "fibres": dem.Fibre(diameter=0.45 * D, aspect_ratio=2),
          "capsules": dem.Capsule(diameter=0.45 * D, aspect_ratio=2)}  # fmt: skip


@pytest.mark.parametrize(
    ("temperatures", "restitution"),
    [((300.0, 300.0), 0.9), ((400.0, 400.0), 0.7), ((300.0, 500.0), (0.9 * 0.5) ** 0.5), ((900.0, 20.0), 0.45**0.5)],
)
@pytest.mark.few(2, long=99)
def test_two_balls_part_by_the_restitution_of_both_temperatures(temperatures, restitution):
    """The geometric mean of both; constant beyond the first and the last row."""
    pair = dem.Particles(
        SHAPES["spheres"], SOFTENS, position=[[0, 0, 0], [1.001 * D, 0, 0]], velocity=[[0.5, 0, 0], [-0.5, 0, 0]],
        temperature=temperatures,
    )  # fmt: skip
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=2e-6, heat=dem.Heat())
    sim.step(700)
    assert sim.contact_count == 0
    assert sim.particles.velocity[1, 0] / 0.5 == pytest.approx(restitution, rel=1e-4)


def gas(material=SOFTENS, shape="spheres", hot=500.0, warming=False, skin=0.06, threads=1):
    """A gas that collides in a box of a plain material, lists anew every few steps, and may be warmed by a face."""
    rng = np.random.default_rng(3)
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    made = dem.Particles(
        SHAPES[shape], material, position=1.12 * D * place, velocity=rng.normal(0, 1.0, (27, 3)),
        angular_velocity=rng.normal(0, 30, (27, 3)), temperature=np.linspace(hot, 520.0, 27) if warming else hot,
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (3.36 * D,) * 3, PLAIN)
    heat = dem.Heat(every=5, time_factor=1e5, faces={"z-": 700.0} if warming else {})
    return dem.Simulation(
        made, box, time_step=2e-5, heat=heat, threads=threads, _skin=(skin * D, skin * D / 3)
    )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(1)
@pytest.mark.long
def test_at_one_temperature_particles_move_as_those_of_its_numbers(shape):
    """Equal to the bit, also at walls of another material, which has no tables."""
    tabled, plain = gas(shape=shape), gas(replace(PLAIN, restitution=0.5, friction=0.6, name="hot"), shape)
    other = gas(shape=shape, hot=300.0)
    for sim in (tabled, plain, other):
        sim.step(60)
    assert tabled.particles.position.tobytes() == plain.particles.position.tobytes()
    assert tabled.particles.angular_velocity.tobytes() == plain.particles.angular_velocity.tobytes()
    assert tabled.energy() == plain.energy()
    assert other.particles.position.tobytes() != tabled.particles.position.tobytes()


@pytest.mark.long
@pytest.mark.parametrize("shape", ["spheres", "fibres"])
@pytest.mark.few(1)
def test_lists_threads_ranks_and_restarts_change_no_bit(shape, small_chunks, tmp_path):
    """While heat passes between particles, which change between classes."""
    warming = partial(gas, shape=shape, hot=300.0, warming=True)
    alone, wide = warming(), warming(skin=0.2)
    begun = np.sort(alone._engine.bodies.kind)
    alone.step(60), wide.step(60)
    others = [warm_state(wide), *warm_states_of_cut_ranks(warming, tmp_path / "state.h5")]
    assert others == [warm_state(alone)] * 3
    assert (np.sort(alone._engine.bodies.kind) != begun).sum() > 2
    assert alone.verdict().passed
    cold = gas(shape=shape, hot=300.0)
    cold.step(60)
    assert cold.particles.position.tobytes() != alone.particles.position.tobytes()


def test_fixed_particles_stay():
    wall = dem.Particles(SHAPES["spheres"], SOFTENS, position=[[0, 0, 0]], fixed=True, temperature=500.0)
    ball = dem.Particles(
        SHAPES["spheres"], SOFTENS, position=[[1.001 * D, 0, 0]], velocity=[[-0.5, 0, 0]], temperature=500.0
    )
    made = dem.Particles.concatenate([wall, ball])
    sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=2e-6, heat=dem.Heat())
    sim.step(1000)
    assert sim.particles.position[0].tolist() == [0, 0, 0]
    assert sim.particles.velocity[1, 0] / 0.5 == pytest.approx(0.5, rel=1e-4)


def test_an_entry_for_a_pair_keeps_its_numbers():
    contacts = dem.Contacts({(SOFTENS, SOFTENS): dem.Contact(restitution=0.8)}, rule="geometric")
    pair = dem.Particles(
        SHAPES["spheres"], SOFTENS, position=[[0, 0, 0], [1.001 * D, 0, 0]], velocity=[[0.5, 0, 0], [-0.5, 0, 0]],
        temperature=[300.0, 500.0],
    )  # fmt: skip
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=2e-6, heat=dem.Heat(), contacts=contacts)
    sim.step(1000)
    assert sim.particles.velocity[1, 0] / 0.5 == pytest.approx(0.8, rel=1e-4)


def test_a_case_file_has_tables_with_units(tmp_path):
    (tmp_path / "hot.toml").write_text("""
time_step = "2 us"
duration = "20 us"
gravity = [0, 0, 0]
heat = { every = 5 }
shapes.ball = { type = "sphere", diameter = "1 cm" }
[materials.slag]
young = "10 MPa"
poisson = 0.3
conductivity = 1.2
heat_capacity = 800
restitution_by_temperature = [["20 degC", 0.9], [600, 0.4]]
friction_by_temperature = [["20 degC", 0.2], [600, 0.6]]
[[particles]]
shape = "ball"
material = "slag"
position = [[0.02, 0.02, 0.02], [0.03, 0.02, 0.02]]
temperature = "20 degC"
""")
    sim = dem.load(tmp_path / "hot.toml")
    (_, slag), *_ = sim.particles.variants
    assert slag.restitution_by_temperature == ((293.15, 0.9), (600.0, 0.4))
    assert slag.friction_by_temperature == ((293.15, 0.2), (600.0, 0.6))
    sim.run(2e-5, output=tmp_path / "hot.h5", frames=1)
    assert dem.Simulation.load(tmp_path / "hot.h5").particles.variants[0][1] == slag


def test_friction_may_be_zero_at_some_temperatures():
    table = [(300, 0.0), (400, 0.5)]
    assert replace(PLAIN, friction_by_temperature=table).friction_by_temperature == ((300.0, 0.0), (400.0, 0.5))


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: replace(PLAIN, restitution_by_temperature=0.5), "expected rows of a temperature"),
        (lambda: replace(PLAIN, restitution_by_temperature=[(300, 0.5)]), "a table of 1 row"),
        (lambda: replace(PLAIN, restitution_by_temperature=[(300, 0.5), (400, 1.5)]), "at most 1"),
        (lambda: replace(PLAIN, friction_by_temperature=[(400, 0.5), (300, 0.6)]), "expected them to ascend"),
        (
            lambda: replace(
                PLAIN, friction_by_temperature=[(300, 0.5), (400, 0.0)], rolling=dem.Rolling(friction=0.1)
            ),
            "friction_by_temperature is 0 at 400 K, and rolling acts only with friction",
        ),
        (
            lambda: dem.Simulation(dem.Particles(SHAPES["spheres"], SOFTENS, position=[[0, 0, 0]]), time_step=1e-6),
            "in a run without heat: add heat",
        ),
        (
            lambda: dem.Simulation(
                dem.Particles(SHAPES["spheres"], SOFTENS, position=[[0, 0, 0]]), time_step=1e-6, heat=dem.Heat(),
                outlets=[dem.Outlet(dem.Ball((1, 0, 0), 0.1))],
            ),
            "expected particles that stay",
        ),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(attempt, told):
    with pytest.raises(ValueError, match=told):
        attempt()
