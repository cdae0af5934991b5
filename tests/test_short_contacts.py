"""Contacts of too few time steps are reported during a run with particle and time, without a change of results."""

import math

import h5py
import pytest
from dem.kernels.numerics.quaternion import product
from dem.kernels.soft.integration import time_loop

import dem
from dem.soft.time_step.impacts import RESOLVED, contact_time, effective_masses
from dem.soft.time_step.limits import ShortestContact, shortest_contact

NYLON = dem.Material(young=5e7, poisson=0.35, density=1100.0)
LOSSY = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.9, friction=0.3)
BALL, BEAD = dem.Sphere(diameter=0.05), dem.Sphere(diameter=0.001)
FREE = {"gravity": (0, 0, 0), "threads": 1}


def heavy_on_light(material=NYLON):
    """A ball at 1 m/s meets a bead at rest after 20 μs."""
    ball = dem.Particles(BALL, material, position=[(0, 0, 0)], velocity=[(1, 0, 0)])
    bead = dem.Particles(BEAD, material, position=[(0.02552, 0, 0)])
    return dem.Particles.concatenate([ball, bead])


def impact(particles, speed=1.0):
    """Contact time of the two [s]."""
    (big, small), (r_big, r_small) = particles.mass, (0.025, 0.0005)
    modulus = NYLON.effective_modulus(NYLON)
    return contact_time(big * small / (big + small), r_big * r_small / (r_big + r_small), modulus, speed)


@pytest.mark.parametrize("material", [NYLON, LOSSY], ids=["elastic", "frictional"])
@pytest.mark.parametrize("steps", [2.2, 4.5, 9.3, 15.0, 19.0, 20.5, 40.0])
def test_a_contact_of_few_steps_is_noticed(steps, material):
    """As many as there are, whatever of it the steps happen to see: of the depth that counts the fourth root does."""
    pair = heavy_on_light(material)
    time = impact(pair)
    sim = dem.Simulation(pair, time_step=time / steps, **FREE)
    sim.step(math.ceil(20e-6 / sim.time_step) + math.ceil(steps) + 2)
    verdict = sim.verdict()
    assert verdict.largest_overlap > 0
    assert verdict.status == ("WARN" if steps < RESOLVED else "PASS")
    assert (verdict.shortest_contact.steps < math.inf) == (steps < RESOLVED)
    if steps < RESOLVED:
        found = verdict.shortest_contact
        assert (found.particle, found.partner) == (0, 1)
        # looks are 3 % apart; what half a step misses of the depth, and damping takes, counts by its fourth root, 2 %
        # at most from 5 steps on; at 2 steps bodies overshoot
        assert found.steps == pytest.approx(steps, rel=0.05 if steps > 5 else 0.2)
        assert 20e-6 < found.step * sim.time_step < 20e-6 + time
        advised = float(verdict.doubts[0].split()[-2])
        assert steps * sim.time_step / 60 < advised < steps * sim.time_step / 45


def test_where_there_was_no_contact_none_is_told():
    sim = dem.Simulation(dem.Particles(BALL, NYLON, position=[(0, 0, 0)]), time_step=1e-6, **FREE)
    sim.step(2)
    found = sim.verdict().shortest_contact
    assert (str(found), found.remedy(1e-6)) == (
        "no contact of too few time steps has been seen", "keep time_step at 1e-06 s"
    )  # fmt: skip


@pytest.mark.parametrize("steps", [8.0, 25.0])
def test_a_tip_is_lighter_than_its_fibre(steps):
    """On the floor, and its other end not, whichever way it points: as many steps as its effective mass there says."""
    fibre, floor = dem.Fibre(diameter=0.01, aspect_ratio=3), dem.Box((0, 0, 0), (1, 1, 1), NYLON)
    tilt, c = math.radians(30), fibre.offsets[-1, 0]
    lowered, pointed = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0), (math.cos(0.6), 0, 0, math.sin(0.6))
    turned = product(pointed, lowered)
    z = 0.005 + c * math.sin(tilt) + 2e-6
    one = dem.Particles(fibre, NYLON, position=[(0.5, 0.5, z)], orientation=[turned], velocity=[(0, 0, -0.1)])
    m, inertia = fibre.mass_properties(1100.0).mass, fibre.mass_properties(1100.0).inertia[1]
    mass = 1 / (1 / m + (c * math.cos(tilt)) ** 2 / inertia)
    assert mass > 1.1 * effective_masses(dem.Simulation(one, time_step=1e-6)._engine.kinds).min()
    time = contact_time(mass, 0.005, NYLON.effective_modulus(NYLON), 0.1)
    sim = dem.Simulation(one, floor, time_step=time / steps, **FREE)
    sim.step(math.ceil(steps) + 3)
    found = sim.verdict().shortest_contact
    assert found.steps == (pytest.approx(steps, rel=0.05) if steps < RESOLVED else math.inf)
    assert (found.particle, found.partner) == ((0, -1 - 4) if steps < RESOLVED else (-1, -1))  # the face z-


def test_it_is_noticed_beside_deeper_contacts():
    """Two heavy balls meet at the same time, deeper and quicker, in contacts of enough steps."""
    pair = heavy_on_light()
    others = dem.Particles(BALL, NYLON, position=[(0, 1, 0), (0.0501, 1, 0)], velocity=[(4, 0, 0), (-4, 0, 0)])
    sim = dem.Simulation(dem.Particles.concatenate([others, pair]), time_step=impact(pair) / 8, **FREE)
    sim.step(40)
    found = sim.verdict().shortest_contact
    assert sim.verdict().largest_overlap * 0.001 > 20 * 0.0005 * 0.03  # that of the bead is 3 % of its radius
    assert (found.particle, found.partner, found.steps) == (2, 3, pytest.approx(8, rel=0.05))


def unseen(sim):
    """The same simulation, in which nobody comes back for brief contacts."""
    sim._engine.limits.max_acceleration = math.inf
    sim._engine.constants = sim._engine._run_constants(sim._engine.energy_unit)
    return sim


@pytest.mark.slow
def test_looking_changes_no_bit():
    """Fibres and balls in a box, so coarse that many contacts are looked at."""
    results = []
    for change in (lambda sim: sim, unseen):
        case = dem.cases()["nine-fibres"](time_step=4e-5, threads=1)
        sim = change(case.simulation())
        sim.step(10_000)
        results.append((sim.particles.position.tobytes(), sim.particles.angular_velocity.tobytes(), *sim.energy()))
        noticed = sim.verdict().shortest_contact.steps < RESOLVED
        assert noticed == (change is not unseen)
    assert results[0] == results[1]


def test_it_is_told_under_way_and_an_error_when_strict(monkeypatch):
    """Besides what was foreseen; the strict one is made not to foresee it."""
    pair = heavy_on_light()
    dt = impact(pair) / 12
    with pytest.warns(dem.DemWarning) as caught:
        dem.Simulation(pair, time_step=dt, **FREE).run(40 * dt)
    before, under_way = (str(w.message) for w in caught)
    assert before.startswith("coarse-time-step: time_step")
    assert under_way.startswith("coarse-time-step: the contact of particle 0 with particle 1 at step ")
    sim = dem.Simulation(pair, time_step=dt, **FREE)
    monkeypatch.setattr(dem.Simulation, "foreseen", lambda sim: iter(()))
    with pytest.raises(
        FloatingPointError, match=r"with particle 1 at step .* 1[\d.]+ time steps, .*turned into an error"
    ):
        sim.run(40 * dt, strict=True)


def names_in(file):
    """Names of all that is in a file."""
    found = []
    file.visit(found.append)
    return found


def test_what_was_noticed_goes_on_in_a_saved_simulation(tmp_path):
    pair = heavy_on_light()
    sim = dem.Simulation(pair, time_step=impact(pair) / 12, **FREE)
    sim.step(40)
    sim.save(tmp_path / "a.h5")
    again = dem.Simulation.load(tmp_path / "a.h5", threads=1)
    assert again.verdict() == sim.verdict()
    assert again._engine.limits.watch.tobytes() == sim._engine.limits.watch.tobytes()
    assert again.verdict().shortest_contact.steps < RESOLVED
    with h5py.File(tmp_path / "a.h5", "r+") as file:  # as those of version 0.1 are
        (name,) = (name for name in names_in(file) if name.split("/")[-1] == "watch")
        del file[name]
    assert dem.Simulation.load(tmp_path / "a.h5", threads=1).verdict().shortest_contact == ShortestContact()


def test_the_forces_last_evaluated_are_looked_at_not_where_bodies_are_now():
    """Kernels come back when the next step is predicted: of a contact of few steps nothing may be left by then."""
    pair = heavy_on_light()
    engine = dem.Simulation(pair, time_step=impact(pair) / 4.5, **FREE)._engine
    left = []
    while True:
        engine.limits.max_acceleration = 0.0  # come back whenever there is any contact
        engine.constants = engine._run_constants(engine.energy_unit)
        if engine.execute(time_loop.ADVANCE, 10) == time_loop.DONE:
            break
        assert engine.run_state.phase[0] == time_loop.PREDICTED
        assert shortest_contact(engine).steps < RESOLVED
        left.append(engine.overlaps().deepest().share)
    assert left[-1] < 0 < left[0]


@pytest.mark.parametrize("cut", [1, 2, 3, 5])
def test_what_is_noted_does_not_depend_on_cuts(cut):
    """It is looked for where bodies are predicted to be, after a cut too: what turns is not followed back exactly."""
    fibre, floor = dem.Fibre(diameter=0.01, aspect_ratio=3), dem.Box((0, 0, 0), (1, 1, 1), NYLON)
    upright = dem.Particles(
        fibre, NYLON, position=[(0.5, 0.5, 0.016)], orientation=[(0.8, 0.0, 0.6, 0.0)], velocity=[(0, 0, -0.5)],
        angular_velocity=[(30, 70, 0)],
    )  # fmt: skip
    whole, cut_up = (dem.Simulation(upright, floor, time_step=5e-5, **FREE) for _ in range(2))
    whole.step(150)
    for _ in range(150 // cut):
        cut_up.step(cut)
    assert whole.verdict().shortest_contact.steps < RESOLVED
    assert cut_up.verdict().shortest_contact == whole.verdict().shortest_contact
    assert cut_up._engine.limits.watch.tobytes() == whole._engine.limits.watch.tobytes()
