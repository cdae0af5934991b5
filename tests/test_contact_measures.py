"""Contact forces and stresses against Hertz, weights, momentum, and sums of the engine."""

import math

import numpy as np
import pytest
from sample_runs import assert_same_frames, crowd
from typer.testing import CliRunner

import dem
from dem import statistics
from dem.cli.application import app

pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")


def engine_loads(sim):
    """Forces and torques as the engine has summed them, in the order of the particles."""
    b = sim._engine.bodies
    order = np.argsort(b.identity)
    torque = b.torque.T[order] if b.torque.size else np.zeros((len(order), 3))
    return statistics.Loads(b.force.T[order], torque)


@pytest.mark.parametrize("periodic", [(), ("x", "y")])
@pytest.mark.parametrize("name", ["mixture", "spheres"])
@pytest.mark.few(1)
def test_elastic_contacts_sum_to_what_moves_the_bodies(name, periodic):
    """Forces and torques of each body as the engine has them, which owes nothing to this list."""
    sim = crowd(name, "elastic")
    if periodic:
        box = dem.Box(sim.box.lower, sim.box.upper, sim.box.material, periodic=periodic)
        sim = dem.Simulation(sim.particles, box, gravity=(0, 0, -300), time_step=1e-5)
    sim.step(400)
    touch = sim.contact_forces()
    assert min((touch.j >= 0).sum(), (touch.j < 0).sum()) > 0
    assert len(touch.i) > 3
    own, engine = statistics.body_loads(touch, 64), engine_loads(sim)
    np.testing.assert_allclose(own.force, engine.force, atol=1e-12 * np.abs(engine.force).max())
    np.testing.assert_allclose(own.torque, engine.torque, atol=1e-14 * np.abs(engine.force).max())
    total = own.force.sum(0) + statistics.wall_loads(touch).force.sum(0)  # Newton's third law
    np.testing.assert_allclose(total, 0, atol=1e-12 * np.abs(engine.force).max())
    assert sim.contact_count == len(touch.i)


def assert_contacts_sum_to_what_would_move_the_bodies(name, roughness, n, steps):
    """The engine's forces of the whole-step state, springs remembered, once it starts again from there."""
    plain = crowd(name, "friction", n)
    box = dem.Box(plain.box.lower, plain.box.upper, plain.box.material, roughness=roughness)
    sim = dem.Simulation(plain.particles, box, gravity=(0, 0, -300), time_step=1e-5)
    sim.step(steps)
    touch = sim.contact_forces()
    tangential = touch.force - (touch.force * touch.normal).sum(1)[:, None] * touch.normal
    assert (np.linalg.norm(tangential, axis=1) > 0.05 * np.linalg.norm(touch.force, axis=1)).sum() > n // 16
    before = engine_loads(sim)
    sim.particles.velocity = sim.particles.velocity
    sim.energy()
    own, engine = statistics.body_loads(touch, n), engine_loads(sim)
    scale = np.abs(engine.force).max()
    np.testing.assert_allclose(own.force, engine.force, atol=1e-9 * scale)
    np.testing.assert_allclose(own.torque, engine.torque, atol=1e-11 * scale)
    assert np.abs(own.force - before.force).max() < 0.05 * scale  # what velocities ahead were off in the step


@pytest.mark.parametrize("roughness", [0.0, 0.2])  # rough walls: tests/plain
@pytest.mark.parametrize("name", ["mixture", "spheres"])
@pytest.mark.few(1)
def test_frictional_contacts_sum_to_what_would_move_the_bodies(name, roughness):
    assert_contacts_sum_to_what_would_move_the_bodies(name, roughness, n=64, steps=400)


def test_the_age_of_the_lists_does_not_show(nylon):
    found = []
    for skin in ((1e-3, 2e-4), (5e-3, 1e-3)):
        sim = crowd("mixture", "friction", _skin=skin)
        sim.step(333)
        found.append(sim.contact_forces())
    for one, other in zip(*(touch[:-1] for touch in found), strict=True):
        assert one.tobytes() == other.tobytes()
    assert found[0].couple is found[1].couple is None


def test_who_asks_for_contacts_changes_no_bit_and_finds_them_in_the_file(tmp_path):
    seen = []

    def look(sim):
        statistics.stress(sim.contact_forces(), 1.0, mass=sim.particles.mass, velocity=sim.particles.velocity)
        seen.append(sim.contact_forces())

    crowd("mixture").run(0.004, output=tmp_path / "plain.h5", frames=8)
    crowd("mixture").run(0.004, output=tmp_path / "asked.h5", frames=8, contacts=True, every=(50, look))
    with dem.Trajectory(tmp_path / "asked.h5") as run:
        assert len(run[0].contact_forces().i) == 0
        assert [len(frame.contact_forces().i) for frame in run[1:]] == [len(touch.i) for touch in seen]
        assert sum(len(touch.i) for touch in seen) > 20
        for frame, touch in zip(run[1:], seen, strict=True):
            *stored, loss, couple = frame.contact_forces()
            *there, _, _ = touch
            assert loss is couple is None  # losses are not in files, and contacts of spheres have no couples
            for one, other in zip(stored, there, strict=True):
                np.testing.assert_array_equal(one, other)
        at_end = run[-1].contact_forces()
        asked = {name: run.field(name)[:] for name in run.fields}
    with dem.Trajectory(tmp_path / "plain.h5") as run:
        for name in run.fields:
            np.testing.assert_array_equal(run.field(name)[:], asked[name])
        with pytest.raises(ValueError, match=r"has no contacts: run with contacts=True \(--contacts\)"):
            run[0].contact_forces()
    assert dem.rerun(tmp_path / "asked.h5").same
    assert at_end.force.any()


@pytest.mark.slow
def test_contacts_in_a_file_go_on_when_the_run_does(tmp_path):
    options = {"frames": 8, "contacts": True, "checkpoint_every": 100}
    crowd("spheres").run(0.004, output=tmp_path / "whole.h5", **options)

    def stop(sim):
        if sim.step_count == 270:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crowd("spheres").run(0.004, output=tmp_path / "parts.h5", every=(10, stop), **options)
    dem.resume(tmp_path / "parts.h5")
    assert_same_frames(tmp_path / "whole.h5", tmp_path / "parts.h5")
    with dem.Trajectory(tmp_path / "whole.h5") as whole, dem.Trajectory(tmp_path / "parts.h5") as parts:
        for one, other in zip(whole, parts, strict=True):
            for mine, theirs in zip(one.contact_forces(), other.contact_forces(), strict=True):
                np.testing.assert_array_equal(mine, theirs)
    assert "contacts of each frame" in CliRunner().invoke(app, ["info", str(tmp_path / "whole.h5")]).stdout


def test_hard_spheres_have_none(tmp_path):
    sim = dem.cases()["hard-spheres"](n=20).simulation()
    with pytest.raises(ValueError, match="hard spheres have no contact forces"):
        sim.run(0.01, output=tmp_path / "run.h5", contacts=True)
    assert not list(tmp_path.iterdir())


def nothing():
    rows = (np.empty((0, 3)) for _ in range(5))
    normal, force, arm, branch, point = rows
    return statistics.ContactForces(np.empty(0, int), np.empty(0, int), np.empty(0), normal, force, arm, branch, point)


def test_kinetic_stress_of_a_gas_is_its_density_and_temperature(rng):
    """P = ρ T, whatever the mean velocity; slab by slab in a shear flow too, about the flow of each."""
    n, mass = 40_000, 2.0
    x = rng.random((n, 3))
    v = rng.normal((7, 0, 0), [0.1, 0.2, 0.3], (n, 3))
    stress = statistics.stress(nothing(), 1.0, mass=np.full(n, mass), velocity=v)
    np.testing.assert_allclose(np.diag(stress.kinetic), n * mass * np.array([0.01, 0.04, 0.09]), rtol=0.03)  # 4/√(n/2)
    assert stress.pressure == pytest.approx(n * mass * statistics.granular_temperature(v), rel=1e-12)
    slab = np.floor(x[:, 2] * 10)
    sheared = v + np.outer(slab, (1.0, 0, 0))
    profile = statistics.stress_profile(nothing(), x, sheared, np.full(n, mass), (0, 0, 0), (1, 1, 1), bins=10)
    flow = statistics.velocity_profile(x, sheared, np.full(n, mass), (0, 0, 0), (1, 1, 1), bins=10)
    np.testing.assert_allclose(flow.velocity[:, 0], 7 + np.arange(10), atol=6 * 0.1 / math.sqrt(n / 10))
    np.testing.assert_allclose(flow.temperature, 0.14 / 3, rtol=0.1)
    assert flow.number.sum() == n
    np.testing.assert_allclose(profile.stress.pressure, flow.number * mass * flow.temperature * 10, rtol=1e-9)


def test_heavy_ones_count_by_mass():
    """Two of 1 kg at ±1 and one of 2 kg at rest: T = (1 + 1)/(3 · 4)."""
    v, mass = [[1.0, 0, 0], [-1, 0, 0], [0, 0, 0]], [1.0, 1, 2]
    assert statistics.granular_temperature(v, mass) == pytest.approx(1 / 6, rel=1e-14)
    assert statistics.granular_temperature(v) == pytest.approx(2 / 9, rel=1e-14)
    with pytest.raises(ValueError, match="at least one body"):
        statistics.granular_temperature(np.empty((0, 3)))


def test_slabs_of_a_periodic_box_see_what_was_unfolded():
    """A contact across the edge is half in the first slab and half in the last; bodies count where they are folded."""
    x = np.array([[0.0, 0, 0.98], [0.0, 0, 1.02]])  # the second one a period further
    touch = statistics.ContactForces(
        np.array([0]), np.array([1]), np.array([1e-3]), np.array([[0, 0, -1.0]]), np.array([[0, 0, -3.0]]),
        np.array([[0, 0, 0.02]]), np.array([[0, 0, -0.04]]), np.array([[0, 0, 1.0]]),
    )  # fmt: skip
    profile = statistics.stress_profile(
        touch, x, np.zeros((2, 3)), np.ones(2), (0, 0, 0), (1, 1, 1), bins=10, periodic=True
    )
    np.testing.assert_allclose(profile.stress.contact[:, 2, 2], [0.6, *[0] * 8, 0.6], atol=1e-14)
    flow = statistics.velocity_profile(x, np.zeros((2, 3)), np.ones(2), (0, 0, 0), (1, 1, 1), bins=10, periodic=True)
    assert flow.number.tolist() == [1, *[0] * 8, 1]
    assert np.isnan(flow.velocity[1]).all()
