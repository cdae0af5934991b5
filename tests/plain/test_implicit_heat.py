"""Implicit steps of heat, runs with particles at rest, and heating between steps of the motion."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import quad

import dem
from dem.model.particles.particles import unregister_field
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process
from dem.validation.heat import BALL, CAPACITY, CONDUCTANCE, DIAMETER, OVERLAP, SOLID, STEP, row_between_walls

N, ENDS = 5, (400.0, 280.0)
PITCH = DIAMETER - OVERLAP
LINE = ENDS[0] + (ENDS[1] - ENDS[0]) * np.arange(1, N + 1) / (N + 1)  # steady temperatures of a row between walls
SLOWEST = 4 * CONDUCTANCE / CAPACITY * math.sin(math.pi / (2 * (N + 1))) ** 2  # rate of decay of its first mode [1/s]


def held_row(time_step, temperature=300.0, material=SOLID, floor=None, fluid=None, **heat):
    """A row of spheres between two walls, in which nothing moves."""
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=ENDS[0], name="floor", heat_capacity=floor),
        dem.Plane((0, 0, N * PITCH), (0, 0, -1), material=SOLID, temperature=ENDS[1], name="lid"),
    ]
    balls = dem.Particles(
        BALL, material, position=[[0, 0, (k + 0.5) * PITCH] for k in range(N)], temperature=temperature
    )
    law = dem.Heat(**({"every": 1, "frozen": True, "implicit": True} | heat))
    return dem.Simulation(balls, walls=walls, time_step=time_step, heat=law, fluid=fluid)


def test_the_slowest_mode_decays_at_its_rate_to_second_order():
    """Over its decay time, in steps that are tens of relaxation times of a contact; half a step: a quarter the error.

    The ratio of two errors would be 2 for a scheme of first order; terms of third order change 4 by a tenth or so.
    """
    mode, errors = np.sin(math.pi * np.arange(1, N + 1) / (N + 1)), []
    for steps in (4, 8, 16):
        sim = held_row(1 / SLOWEST / steps, 300 + mode)
        sim.conduct(1e9, steps=1)  # towards the steady state, about which the mode is put next
        sim.particles.temperature = LINE + mode
        sim.step(steps)
        left = (sim.particles.temperature - LINE) / mode
        assert np.ptp(left) < 1e-9  # all spheres have the same share of the mode
        errors.append(left.mean() - math.exp(-1))
    assert abs(errors[-1]) < 1e-4
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine == pytest.approx(4, rel=0.1)


def test_steps_of_any_length_come_to_the_steady_profile():
    """Each step is some 10^4 relaxation times; the flux of the steady state passes both walls, and nothing is lost."""
    sim = held_row(5e6)
    sim.step(8)
    np.testing.assert_allclose(sim.particles.temperature, LINE, rtol=1e-9)
    before = sim.heat.received
    sim.step()
    power = {name: (sim.heat.received[name] - before[name]) / sim.time_step for name in before}
    assert power["floor"] == pytest.approx(CONDUCTANCE * (ENDS[0] - ENDS[1]) / (N + 1), rel=1e-9)
    assert power["lid"] == pytest.approx(-power["floor"], rel=1e-9)
    assert abs(sim.heat.imbalance) <= 1e-14 * sim.heat.content
    assert abs(sim.heat.gain) > 0.01 * sim.heat.content


def test_radiation_takes_the_time_of_its_integral():
    """t = ∫ C dT/(σ ε A (T_s⁴ - T⁴)), of a sphere that touches nothing."""
    radiation = dem.Radiation(temperature=1000.0, emissivity=0.8)
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0)
    factor = radiation.factor(math.pi * DIAMETER**2)
    time = quad(lambda t: CAPACITY / (factor * (1000.0**4 - t**4)), 300.0, 900.0)[0]
    errors = []
    for steps in (16, 32):
        law = dem.Heat(every=1, frozen=True, implicit=True, radiation=radiation)
        sim = dem.Simulation(ball, time_step=time / steps, heat=law)
        sim.step(steps)
        errors.append(sim.particles.temperature[0] - 900.0)
        assert sim.heat.received["radiation"] == pytest.approx(sim.heat.gain, rel=1e-13)
    assert abs(errors[1]) < 0.2
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.25)


def test_heat_capacity_by_temperature_keeps_the_enthalpy():
    """A row cools against its cold walls as in many explicit sub-steps, and the ledger closes."""
    material = dem.Material(
        young=1e7, poisson=0.3, density=2500.0, conductivity=[(280.0, 2.0), (400.0, 4.0)],
        heat_capacity=[(250.0, 500.0), (350.0, 900.0), (450.0, 700.0)],
    )  # fmt: skip
    warm = np.linspace(290.0, 440.0, N)
    implicit = held_row(50.0, warm, material)
    explicit = held_row(50.0, warm, material, implicit=False, resolution=0.005)
    for each in (implicit, explicit):
        each.step(40)
        assert abs(each.heat.imbalance) <= 1e-14 * each.heat.content
    # of changes of some 50 K: conductivities are those at the start of each step
    np.testing.assert_allclose(implicit.particles.temperature, explicit.particles.temperature, atol=0.2)
    assert abs(implicit.particles.temperature - warm).max() > 20


@pytest.mark.parametrize("volume", [None, 1e-3])
def test_a_wall_and_a_fluid_with_capacities_come_to_the_mean_temperature(volume):
    """Of a ball, a plate, and air in a vessel: Σ C T of all is conserved, and one temperature is left."""
    plate = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=400.0, heat_capacity=2 * CAPACITY, name="plate")
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0.5 * DIAMETER - OVERLAP]], temperature=300.0)
    air, gas, capacity = None, None, [CAPACITY, 2 * CAPACITY]
    if volume:
        air = dem.Fluid(density=1.2, viscosity=1.8e-5)
        gas = dem.Convection(temperature=500.0, conductivity=0.03, heat_capacity=1000.0, volume=volume)
        capacity.append(1.2 * 1000.0 * volume)
    law = dem.Heat(every=1, frozen=True, implicit=True, convection=gas)
    sim = dem.Simulation(ball, walls=[plate], time_step=1e6, heat=law, fluid=air)
    sim.step(6)
    mean = float(np.dot(capacity, [300.0, 400.0, 500.0][: len(capacity)]) / sum(capacity))
    assert sim.particles.temperature[0] == pytest.approx(mean, rel=1e-9)
    assert sim.heat.walls["plate"] == pytest.approx(mean, rel=1e-9)
    if volume:
        assert sim.heat.fluid.item() == pytest.approx(mean, rel=1e-9)
    assert abs(sim.heat.imbalance) <= 1e-14 * sim.heat.content


def test_a_fluid_warms_at_the_rate_of_its_film():
    """exp(-h A t/(m c_p)) in one decay time, to the second order of 50 steps."""
    air = dem.Fluid(density=1.2, viscosity=1.8e-5)
    gas = dem.Convection(temperature=600.0, conductivity=0.03, heat_capacity=1000.0)
    time = CAPACITY / (gas.coefficient(air, DIAMETER, 0.0) * math.pi * DIAMETER**2)
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0)
    law = dem.Heat(every=1, frozen=True, implicit=True, convection=gas)
    sim = dem.Simulation(ball, time_step=time / 50, heat=law, fluid=air)
    sim.step(50)
    assert sim.particles.temperature[0] == pytest.approx(600 - 300 * math.exp(-1), abs=0.01)
    assert sim.heat.received == {"fluid": pytest.approx(sim.heat.gain, rel=1e-13)}


def gas(skin=0.06, threads=1, **heat):
    """A gas in a closed box that lists anew every few steps, with a wall that warms."""
    rng = np.random.default_rng(3)
    place = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)[::-1] + 0.5
    made = dem.Particles(
        BALL, SOLID, position=1.12 * DIAMETER * place, velocity=rng.normal(0, 1.0, (27, 3)),
        temperature=300 + 50 * rng.random(27),
    )  # fmt: skip
    plate = dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=400.0, heat_capacity=CAPACITY, name="plate")
    law = {"every": 7, "time_factor": 1e5, "implicit": True, "faces": {"x-": 500.0}, "gas_conductivity": 0.02}
    law |= {"gas_range": 0.3 * DIAMETER, "radiation": dem.Radiation(temperature=350.0, emissivity=0.5)}
    box, skins = dem.Box((0, 0, 0), (3.36 * DIAMETER,) * 3, SOLID), (skin * DIAMETER, skin * DIAMETER / 3)
    heat = dem.Heat(**(law | heat))
    return dem.Simulation(made, box, walls=[plate], time_step=2e-5, heat=heat, threads=threads, _skin=skins)


def test_lists_threads_ranks_and_restarts_change_no_bit(small_chunks, tmp_path):
    alone, wide = gas(), gas(skin=0.2, threads=2)
    for each in (alone, wide):
        each.step(28)
        each.conduct(100.0, steps=2)
        each.step(7)
    with in_one_process(3, owners=AtRandom):
        shared = gas()
        shared.step(13)
        shared.step(15)
        shared.conduct(100.0, steps=2)
        shared.save(tmp_path / "state.h5")
        shared.step(7)
        ranked = shared.particles.temperature.tobytes(), shared.particles.position.tobytes(), shared.heat.received
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(7)
    found = [
        (s.particles.temperature.tobytes(), s.particles.position.tobytes(), s.heat.received) for s in (wide, again)
    ]
    expected = alone.particles.temperature.tobytes(), alone.particles.position.tobytes(), alone.heat.received
    assert [*found, ranked] == [expected] * 3
    assert set(alone.heat.received) == {"face x-", "plate", "radiation"}
    assert abs(alone.heat.imbalance) <= 1e-13 * alone.heat.content


def test_a_run_that_is_held_has_frames_and_can_be_resumed(tmp_path):
    """Positions and velocities stay, to the bit; the file has the times of the heating."""
    sim, whole = held_row(100.0), held_row(100.0)
    position = sim.particles.position.copy()
    whole.step(12)
    verdict = sim.run(600.0, output=tmp_path / "a.h5", frames=3)
    assert verdict.passed
    assert "floor" in str(verdict)
    run = dem.Trajectory(tmp_path / "a.h5")
    assert run.time.tolist() == [0, 200, 400, 600]
    assert (run.position == position).all()
    assert run.temperature[-1].ravel().tolist() == sim.particles.temperature.tolist()
    assert np.ptp(run.temperature[:, 0]) > 1
    again = dem.Simulation.load(tmp_path / "a.h5")
    again.step(6)
    assert again.time == 1200.0
    assert again.particles.temperature.tobytes() == whole.particles.temperature.tobytes()
    assert again.heat.received == whole.heat.received


def test_conducting_stops_the_clock_of_the_motion_and_changes_none_of_it(tmp_path):
    """A gas moves on as if it had not been heated; the file of a run notes what a function did."""
    plain, warmed = gas(), gas()

    def heated(sim):
        if sim.step_count == 10:
            sim.conduct(50.0, steps=3)

    plain.step(20)
    warmed.run(20 * 2e-5, every=(5, heated), output=tmp_path / "run.h5", frames=2)
    assert warmed.time == plain.time
    assert warmed.particles.position.tobytes() == plain.particles.position.tobytes()
    assert warmed.heat.time == pytest.approx(plain.heat.time + 50.0)
    assert abs(warmed.particles.temperature - plain.particles.temperature).max() > 1
    assert dem.Trajectory(tmp_path / "run.h5").changes["step"].tolist() == [10]


def test_a_scalar_of_a_user_may_be_held_too(wet):
    """Two touching balls of clay come to one moisture; a source adds to both in its time."""
    sim = wet(rate=1e-10, frozen=True, implicit=True)
    sim.step(8)
    total = 8 * sim.time_step * 1e-10 * 2
    assert sim.scalars["moisture"].gain == pytest.approx(total, rel=1e-9)
    assert sim.particles.moisture[0] == pytest.approx(sim.particles.moisture[1], rel=1e-6)


@pytest.fixture
def wet():
    """Maker of a simulation of two balls with a scalar of its own."""
    dem.register_field("moisture", "kg/m3")

    @dataclass(frozen=True, kw_only=True)
    class Moisture(dem.ScalarExchange):
        FIELD = "moisture"
        rate: float = 0.0

        def capacity(self, shape, material):
            return shape.mass_properties(material.density).volume

        def factor(self, one, other):
            return 1e-4

        def source(self, value, capacity):
            return self.rate

    def made(**law):
        balls = dem.Particles(BALL, SOLID, position=[[0, 0, 0], [PITCH, 0, 0]], moisture=[10.0, 0.0])
        return dem.Simulation(balls, time_step=1000.0, scalars=[Moisture(every=1, **law)])

    yield made
    unregister_field("moisture")


def test_advice_has_the_steps_of_an_exchange():
    """The relaxation time of a sphere between two contacts is m c_p/(2 H)."""
    relaxation = CAPACITY / (2 * CONDUCTANCE)
    row = row_between_walls(3, 300.0, ENDS, dem.Heat(every=1, time_factor=3 * relaxation / STEP))
    line = row.advice().lines[-2]
    assert line.startswith(f"temperature: shortest relaxation time {relaxation:.3g} s")
    assert "12 explicit sub-steps" in line  # 3 relaxation times in quarters of one
    assert row.advice().lines[-1].startswith("advised time step")
    stiff = row_between_walls(3, 300.0, ENDS, dem.Heat(every=1, time_factor=1e6 * relaxation / STEP))
    assert "take implicit=True" in stiff.advice().lines[-2]
    with pytest.raises(FloatingPointError, match="take implicit=True"):
        stiff.step()
    held = held_row(1000.0).advice()
    assert held.lines[0] == "motion: none, particles are held where they are"
    assert held.lines[1].endswith("an exchange of 1e+03 s takes one implicit step")
    assert held.advised == 1000.0


def test_bonds_do_not_limit_the_step_of_a_frozen_run(recwarn):
    """Their vibrations, stable up to 0.8 ms, do not occur: no warning at the first step, no line of advice."""
    pair = dem.Particles(BALL, SOLID, position=[[0, 0, 0], [PITCH, 0, 0]], temperature=[300.0, 400.0])
    bonds = dem.Bonds([(0, 1)], young=1e7, diameter=0.2 * DIAMETER)
    law = dem.Heat(every=1, frozen=True, implicit=True)
    sim = dem.Simulation(pair, bonds=bonds, gravity=(0, 0, 0), time_step=60.0, heat=law)
    assert not any("bond" in line for line in sim.advice().lines)
    sim.step(1)
    assert [str(each.message) for each in recwarn] == []
    assert sim.particles.temperature[0] > 300.0


def held(**more):
    """A ball that is held where it is, with what else may not be there."""
    balls = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0)
    law = {"frozen": True} | more.pop("law", {})
    return dem.Simulation(balls, **({"time_step": 1.0, "heat": dem.Heat(**law)} | more))


MOVING = dem.Plane((0, 0, -1), (0, 0, 1), material=SOLID, motion=dem.Motion(velocity=(0, 0, 0.1)), name="piston")


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: held(time_step="auto"), "time_step is auto in a frozen run"),
        (lambda: held(walls=[MOVING]), "the piston in a frozen run"),
        (lambda: held(outlets=[dem.Outlet(dem.Ball((1, 0, 0), 0.1))]), "outlets in a frozen run"),
        (lambda: held(box=dem.Cell((0.1, 0.1, 0.1), rate=(-1, 0, 0)), gravity=(0, 0, 0)), "the cell in a frozen run"),
        (lambda: held(law={"dissipation": True}), "dissipation in a frozen run"),
        (lambda: dem.Heat(implicit="yes"), "implicit is 'yes'"),
        (
            lambda: dem.Heat(
                implicit=True,
                convection=dem.Convection(temperature=300.0, conductivity=0.03, heat_capacity=1e3, cells=True),
            ),
            "whose cells have temperatures",
        ),
        (lambda: held(heat=None).conduct(1.0), "nothing is exchanged in this simulation"),
        (lambda: held().conduct(-1.0), "duration is -1"),
        (lambda: held().conduct(1.0, steps=0), "steps is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(attempt, told):
    with pytest.raises((ValueError, TypeError), match=told):
        attempt()


def test_scalars_are_held_together(wet):
    with pytest.raises(ValueError, match="expected all scalars of a run frozen, or none"):
        dem.Simulation(
            wet().particles, time_step=1.0, heat=dem.Heat(frozen=True), scalars=[wet().scalars["moisture"].law]
        )


def test_a_step_that_integers_cannot_hold_is_refused():
    """What passes a contact is a whole number of units in 64 bits, of which so many parts are given at most."""
    sim = held_row(1e3 * CAPACITY / CONDUCTANCE * N)
    sim.step()
    beyond = held_row(1e6 * CAPACITY / CONDUCTANCE * N)
    with pytest.raises(FloatingPointError, match="take shorter steps"):
        beyond.step()


def test_a_case_file_holds_particles(tmp_path):
    """With times in hours, and the file of a run that another case goes on from."""
    (tmp_path / "oven.toml").write_text("""
time_step = "10 min"
duration = "2 h"
heat = { every = 1, implicit = true, frozen = true, faces = { "z-" = "80 degC" } }
shapes.ball = { type = "sphere", diameter = "1 cm" }
box = { upper = [0.1, 0.1, 0.1], material = "brass" }
[materials.brass]
young = "10 MPa"
poisson = 0.3
conductivity = "1.2 W/cm/K"
heat_capacity = "0.38 kJ/kg/K"
[[particles]]
shape = "ball"
material = "brass"
position = [[0.02, 0.02, 0.00499], [0.02, 0.02, 0.01497]]
temperature = "20 degC"
""")
    sim = dem.load(tmp_path / "oven.toml")
    assert sim.time_step == 600.0
    assert sim.run(7200.0, output=tmp_path / "oven.h5", frames=2).passed
    np.testing.assert_allclose(sim.particles.temperature, 353.15, rtol=1e-6)
