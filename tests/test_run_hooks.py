"""User functions called during a run, and changing gravity: in the ledger, in the file, exact in time."""

import math
import signal

import h5py
import numpy as np
import pytest
from sample_runs import assert_same_frames, crowd
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.run.run_loop import Interrupted

pytestmark = pytest.mark.filterwarnings("ignore:coarse-time-step")
G = 9.81


def falling(nylon, **options):
    """A ball that falls from the middle of a wide box."""
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
    return dem.Simulation(ball, dem.Box((0, 0, 0), (1, 1, 1), nylon), **{"time_step": 1e-5, **options})


def hard(nylon):
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
    return dem.HardSpheres(ball, dem.Box((0, 0, 0), (1, 1, 1), nylon), restitution=0.5)


def turn(sim):
    """Gravity turns, and now and then all are pushed."""
    angle = 40 * sim.time
    sim.gravity = (300 * math.sin(angle), 0, -300 * math.cos(angle))
    if sim.step_count % 222 == 0:
        sim.particles.velocity = 1.1 * sim.particles.velocity + (0, 0.01, 0)


def test_calls_come_at_exact_steps_and_before_the_frame(nylon, tmp_path):
    """Steps as they are, seconds to the nearest step without drift; the frame of a step has what was changed there."""
    by_steps, by_seconds = [], []
    falling(nylon).run(0.001, frames=3, every=(7, lambda sim: by_steps.append(sim.step_count)))
    falling(nylon).run(0.001, frames=3, every=(1.24e-4, lambda sim: by_seconds.append(sim.step_count)))
    assert by_steps == list(range(7, 101, 7))
    assert by_seconds == [round(12.4 * k) for k in range(1, 9)]

    def stop(sim):
        sim.particles.velocity = [[0, 0, 0]]

    falling(nylon).run(0.001, frames=2, every=("0.5 ms", stop), output=tmp_path / "run.h5")
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.velocity[1, 0, 2] == 0
        assert run.changes["step"].tolist() == [50, 100]


@pytest.mark.parametrize("law", ["elastic", "friction"])
@pytest.mark.few(1)
def test_who_only_looks_changes_no_bit(law, tmp_path):
    def look(sim):
        sim.particles.position, sim.energy(), sim.verdict(), sim.momentum()

    crowd("spheres", law).run(0.004, output=tmp_path / "plain.h5", frames=7)
    crowd("spheres", law).run(0.004, output=tmp_path / "looked.h5", frames=7, every=(13, look))
    assert_same_frames(tmp_path / "plain.h5", tmp_path / "looked.h5")
    assert dem.rerun(tmp_path / "looked.h5").same
    with h5py.File(tmp_path / "looked.h5") as file, h5py.File(tmp_path / "plain.h5") as plain:
        assert not {"changes", "table"} & file.keys()
        assert set(file["parameters"].attrs) - set(plain["parameters"].attrs) == {"hook"}


def test_who_only_looks_changes_no_reference_of_the_energy_error(nylon):
    """Between frames a ball has a kinetic energy that it has at no frame, and a function may ask for it."""

    def kick(sim, looks):
        if sim.step_count in (40, 80):
            sim.particles.velocity = [[1.0 if sim.step_count == 40 else 0.0, 0, 0]]
        elif looks:
            sim.energy()

    sims = [falling(nylon, gravity=(0, 0, 0)) for _ in range(2)]
    for looks, sim in enumerate(sims):
        sim.run(0.001, frames=1, every=(20, lambda sim, looks=looks: kick(sim, looks)))
    assert sims[1].energy_reference == sims[0].energy_reference


def test_a_run_without_a_file_has_the_same_verdict(tmp_path):
    """A ball on a spring begins and ends at rest, so that the reference of the energy error is between."""
    stuff = dem.Material(young=1e7, poisson=0.3, density=1100.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), stuff, position=[[0, 0, 0]])
    hung = dem.Bonds([(0, -1)], young=1e7, diameter=0.01, ground=[[0, 0, 0.01]]).at_rest(ball)
    period = 2 * math.pi * math.sqrt(ball.mass[0] / hung.stiffness[0, 0])
    sims = [dem.Simulation(ball, bonds=hung, time_step=period / 100) for _ in range(2)]
    verdict = sims[0].run(period, frames=10)
    assert verdict == sims[1].run(period, frames=10, output=tmp_path / "run.h5")
    assert verdict.passed


@pytest.mark.parametrize("law", ["elastic", "friction"])
@pytest.mark.few(1)
def test_what_is_changed_in_a_run_is_work_and_no_energy_error(law, tmp_path):
    """The ledger goes on: dissipation, error and start stay; the jumps of the mechanical energy are the work."""
    sim, jumps = crowd("spheres", law), []

    def push(sim):
        before = sim.energy().mechanical
        turn(sim)
        jumps.append(sim.energy().mechanical - before)

    start = sim.energy().total
    verdict = sim.run(0.008, output=tmp_path / "run.h5", frames=4, every=(37, push))
    energy = sim.energy()
    plain = crowd("spheres", law).run(0.008)
    assert verdict.passed
    assert sim.start_energy.total == start
    assert energy.work == pytest.approx(sum(jumps), rel=1e-9)
    assert abs(energy.work) > 0.1 * start
    assert energy.dissipated > 0.01 * start or law == "elastic"
    assert abs(energy.total - start) <= sim.energy_departure * 1.001  # one unit is 1e-12 of the start
    assert verdict.energy_error < 10 * plain.energy_error  # no jump is in it: those are 0.1 and more
    assert verdict.energy_budget == pytest.approx(plain.energy_budget)  # the same span of time
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.changes["work"].sum() == pytest.approx(energy.work, rel=1e-9)
        assert run.energy["work"][-1] == energy.work
        np.testing.assert_allclose(run.energy["total"], start, atol=1.001 * sim.energy_departure)
        assert run.changes["gravity"][-1].tolist() == list(sim.gravity)


def test_a_state_assigned_between_runs_begins_the_ledger_again(nylon):
    sim = falling(nylon)
    sim.step(100)
    sim.particles.velocity = [[0, 0, 1]]
    assert sim.energy().work == 0
    assert sim.energy().total == sim.start_energy.total


@pytest.mark.parametrize("make", [falling, hard])
def test_gravity_between_steps_is_kinematics_and_its_jump_is_work(make, nylon):
    """g along z for a hundredth of a second, then along x: v = g t in turn; the potential jumps at x(t)."""
    sim = make(nylon)
    sim.carry_on(0.01)
    sim.energy()
    mass, x = sim.particles.mass[0], sim.particles.position[0].copy()
    sim.gravity = (-2 * G, 0, 0)  # zero of the potential at the lower x face now, at the floor before
    assert sim.energy().work == pytest.approx(mass * (2 * G * x[0] - G * x[2]), rel=1e-12)
    assert sim.energy().total == pytest.approx(sim.start_energy.total, rel=1e-12)
    sim.carry_on(0.01)
    np.testing.assert_allclose(sim.particles.velocity[0], (-0.02 * G, 0, -0.01 * G), atol=1e-12)
    moved = sim.particles.position[0] - x
    np.testing.assert_allclose(moved, (-1e-4 * G, 0, -1e-4 * G), atol=1e-13)
    assert sim.verdict().passed


def test_gravity_that_is_set_is_that_of_a_new_simulation(nylon):
    """The leap-frog goes on as one that starts from the whole step under that gravity, to rounding."""
    sim = crowd("spheres", "friction")
    sim.step(300)
    fresh = dem.Simulation(sim.particles, sim.box, gravity=(0, 200, 0), time_step=1e-5)
    flying = np.linalg.norm(sim._engine.bodies.force[:, np.argsort(sim._engine.bodies.identity)], axis=0) == 0
    assert 4 < flying.sum() < 60
    sim.gravity = (0, 200, 0)
    ahead = [
        s._engine.bodies.velocity_predicted[:, np.argsort(s._engine.bodies.identity)][:, flying] for s in (sim, fresh)
    ]
    np.testing.assert_allclose(*ahead, atol=1e-14 * np.abs(ahead[1]).max())  # what damping and friction go by
    sim.step(), fresh.step()
    for name in ("position", "velocity"):
        one, other = (getattr(s.particles, name)[flying] for s in (sim, fresh))
        np.testing.assert_allclose(one, other, atol=1e-14 * np.abs(one).max())


def test_gravity_where_there_was_none_chooses_a_coarser_unit_of_energy(nylon):
    """Energies are summed in units of what there was at the start: next to nothing for a ball at rest."""
    sim = falling(nylon, gravity=(0, 0, 0))
    unit = sim._engine.energy_unit
    sim.gravity = (0, 0, -G)
    assert sim._engine.energy_unit < unit / 1000
    assert sim.run(0.33).passed  # through a bounce
    assert sim.energy().work == pytest.approx(sim.particles.mass[0] * G * 0.5, rel=1e-12)


def test_momentum_is_still_watched_where_nothing_pulls(nylon):
    """A push from outside is no momentum error, gravity that comes and goes neither."""
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0.02, 0, 0]], velocity=[[1.0, 0, 0], [0, 0, 0]]
    )
    sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=1e-5)

    def push(sim):
        sim.particles.velocity = np.add(sim.particles.velocity, (0, 1.0, 0))
        sim.gravity = (0, 0, -G) if sim.step_count < 1000 else (0, 0, 0)

    verdict = sim.run(0.02, every=(500, push))
    assert verdict.momentum_error is not None
    assert verdict.momentum_error < 1e-12
    assert verdict.passed


def test_momentum_is_watched_from_the_start_over_a_restart(nylon, tmp_path):
    """A gas that is shot into a periodic box has the momentum that it was given, also after its state was read."""
    shot = dem.Inserter(
        dem.Sphere(diameter=0.02), nylon, region=dem.Box((0.2,) * 3, (0.8,) * 3, nylon), number=20, rate=2000,
        every=0.002, velocity=(0, 0, -3), spread=0.5,
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (1, 1, 1), nylon, periodic=("x", "y", "z"))
    sim = dem.Simulation(None, box, inserters=[shot], gravity=(0, 0, 0), time_step=5e-6)
    error = sim.run(0.02).momentum_error
    sim.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    assert loaded.verdict().momentum_error == error
    assert loaded.run(0.02).momentum_error < 1e-12


def test_a_hard_sphere_that_is_stopped_gives_its_energy_as_work(nylon, tmp_path):
    """A bounce with e = 1/2 from 0.495 m takes 3/4 of m g h; what stopping takes later is booked, and counts go on."""
    sim = hard(nylon)

    def stop(sim):
        sim.particles.velocity = [[0, 0, 0]]

    verdict = sim.run(0.5, output=tmp_path / "run.h5", frames=5, every=(0.45, stop))
    mass, impact = sim.particles.mass[0], math.sqrt(2 * 0.495 / G)
    speed = 0.5 * G * impact - G * (0.45 - impact)
    assert sim.collisions.wall == 1
    assert verdict.passed
    assert sim.energy().work == pytest.approx(-0.5 * mass * speed**2, rel=1e-9)
    with pytest.raises(ValueError, match="hard spheres have none"):
        sim.run(0.1, every=(10, stop))
    loaded = dem.HardSpheres.load(tmp_path / "run.h5")
    assert loaded.energy() == sim.energy()
    with pytest.raises(ValueError, match="cannot be run again"):
        dem.rerun(tmp_path / "run.h5")


@pytest.mark.parametrize("checkpoints", [37, 100])
@pytest.mark.few(1)
def test_a_run_that_was_changed_and_died_goes_on_to_the_same_bytes(checkpoints, tmp_path):
    """From the latest checkpoint, which is one of after the call of its step, changes of later steps left out."""

    def die(sim):
        if sim.step_count == 407:
            raise MemoryError
        turn(sim)

    options = {"frames": 9, "checkpoint_every": checkpoints}
    crowd("spheres").run(0.008, output=tmp_path / "whole.h5", every=(37, turn), **options)
    with pytest.raises(MemoryError):
        crowd("spheres").run(0.008, output=tmp_path / "died.h5", every=(37, die), **options)
    with h5py.File(tmp_path / "died.h5") as file:
        saved = file["restart/latest/progress/step"][0]
    assert saved < 407
    assert saved == 370 or checkpoints != 37
    dem.resume(tmp_path / "died.h5", every=(37, turn))
    assert_same_frames(tmp_path / "whole.h5", tmp_path / "died.h5")
    with dem.Trajectory(tmp_path / "whole.h5") as whole, dem.Trajectory(tmp_path / "died.h5") as died:
        assert whole.changes.tobytes() == died.changes.tobytes()


@pytest.mark.parametrize("checkpoints", [37, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.few(1)
def test_a_run_that_was_changed_and_stopped_goes_on_to_the_same_bytes(checkpoints, tmp_path, monkeypatch):
    """With the function given again; without it is refused, as rerun is, and says why."""
    options = {"frames": 9, "checkpoint_every": checkpoints}
    crowd("spheres").run(0.008, output=tmp_path / "whole.h5", every=(37, turn), **options)
    plain = TrajectoryWriter.idle

    def idle(writer, once=[]):  # noqa: B006
        if writer.sim.step_count >= 370 and not once:
            once.append(1)
            signal.raise_signal(signal.SIGINT)
        plain(writer)

    monkeypatch.setattr(TrajectoryWriter, "idle", idle)
    path = tmp_path / "stopped.h5"
    with pytest.raises(Interrupted):
        crowd("spheres").run(0.008, output=path, every=(37, turn), **options)
    with pytest.raises(ValueError, match=r"turn, called every 37 steps, which changed it .* give the function again"):
        dem.resume(path)
    done = CliRunner().invoke(app, ["run", "--resume", str(path)])
    assert done.exit_code == 2
    dem.resume(path, every=(37, turn))
    assert_same_frames(tmp_path / "whole.h5", path)
    with dem.Trajectory(tmp_path / "whole.h5") as whole, dem.Trajectory(path) as stopped:
        assert whole.changes.tobytes() == stopped.changes.tobytes()
    with pytest.raises(ValueError, match=r"turn, called every 37 steps, changed it, 21 times from t = 0\.00037 s on"):
        dem.rerun(path)
    assert CliRunner().invoke(app, ["rerun", str(path)]).exit_code == 2


def test_what_was_booked_is_in_checkpoints(tmp_path):
    sim = crowd("spheres")
    sim.run(0.004, every=(37, turn))
    sim.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    assert (loaded.energy(), loaded.gravity) == (sim.energy(), sim.gravity)
    assert loaded.verdict() == sim.verdict()
    loaded.step(100), sim.step(100)
    assert (loaded.energy(), loaded.energy_error) == (sim.energy(), sim.energy_error)


def test_a_run_whose_function_only_looked_goes_on_without_and_says_so(nylon, tmp_path):
    falling(nylon).run(0.001, output=tmp_path / "run.h5", frames=2, every=(30, lambda _: None))
    with pytest.warns(dem.DemWarning, match="no-hook: .* called every 30 steps, which is not called from here on"):
        dem.resume(tmp_path / "run.h5", duration=0.002)
    assert dem.rerun(tmp_path / "run.h5").same


def test_the_last_steps_of_a_run_that_was_changed_and_broke(tmp_path):
    """What leads to the end is what happened since the last change."""

    def push(sim):
        sim.particles.velocity = np.subtract(sim.particles.velocity, (0, 0, 20))

    with pytest.raises(FloatingPointError, match="dem replay"):
        crowd("spheres", "elastic").run(0.02, output=tmp_path / "run.h5", frames=4, every=(100, push))
    with dem.Trajectory(tmp_path / "run.crash.h5") as crash, dem.Trajectory(tmp_path / "run.h5") as run:
        assert crash.step[0] >= run.changes["step"][-1]
        assert np.diff(crash.step).tolist() == [1] * (len(crash) - 1)
        assert crash.velocity[-1, :, 2].min() < -15


@pytest.mark.parametrize(
    ("every", "error"),
    [
        (100, r"every is 100, expected a pair"),
        ((10, 20), "expected a pair"),
        ((0, print), "every is 0, expected at least 1"),
        ((-1.0, print), "every is -1 s, expected a finite number above 0"),
        (("5 fortnights", print), "expected a number of steps, or a simulated time such as '2 ms'"),
        ((1e-9, print), "shorter than one time step"),
        ((True, print), "expected a whole number"),
    ],
)
def test_an_interval_that_makes_no_sense_is_refused_before_anything_is_written(every, error, nylon, tmp_path):
    with pytest.raises((ValueError, TypeError), match=error):
        falling(nylon).run(0.01, output=tmp_path / "run.h5", every=every)
    assert not list(tmp_path.iterdir())


def test_a_function_that_carries_the_run_on_is_stopped(nylon):
    with pytest.raises(RuntimeError, match="it may look and assign, but not step"):
        falling(nylon).run(0.01, every=(10, lambda sim: sim.step()))


def test_checkpoints_without_changes_have_nothing_new(tmp_path):
    """So that files of runs without a function are as they were."""
    crowd("spheres").save(tmp_path / "state.h5")
    with h5py.File(tmp_path / "state.h5") as file:
        assert "booked" not in file
