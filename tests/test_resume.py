"""A run that was stopped anywhere, by anything, ends with the bytes of one that was never stopped."""

import itertools
import json
import shutil
import signal

import h5py
import numpy as np
import pytest
from dem.kernels.compiler.jit import most_threads
from sample_runs import LAWS, SHAPES, assert_same_frames, contents, crowd, schemes_in_contacts
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.files.checkpoints import serialization
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.run.run_loop import Interrupted

# steps are coarse, so that much happens in few of them
pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")


@pytest.fixture
def stop(monkeypatch):
    """Stop the next run by a signal as soon as it has come to a step or a time."""

    def stop(at, number=signal.SIGINT):
        def idle(writer, once=[]):  # noqa: B006
            if writer.sim._now >= at and not once:
                once.append(1)
                signal.raise_signal(number)
            plain(writer)

        plain = TrajectoryWriter.idle
        monkeypatch.setattr(TrajectoryWriter, "idle", idle)

    return stop


def assert_resumes(make, tmp_path, stop, monkeypatch, duration=0.012, at=500, **options):
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    verdict = make().run(duration, output=whole, frames=7)
    monkeypatch.setattr("dem.run.run_loop.SLICE", 1e-3)  # so that it is stopped between frames
    stop(at)
    with pytest.raises(Interrupted, match="dem run --resume continues it"):
        make().run(duration, output=parts, frames=7)
    monkeypatch.undo()
    with dem.Trajectory(parts) as part:
        assert 1 <= len(part) < 8
    assert dem.resume(parts, **options) == verdict
    assert_same_frames(whole, parts)


FIRST = {("spheres", "elastic"), ("mixture", "friction")}  # others are long tests
CROWDS = [
    pytest.param(name, law, marks=() if (name, law) in FIRST else pytest.mark.slow) for name in SHAPES for law in LAWS
]


@pytest.mark.parametrize(("name", "law"), CROWDS)
@pytest.mark.few(1)
def test_over_shapes_and_laws(name, law, tmp_path, stop, monkeypatch):
    assert_resumes(lambda: crowd(name, law), tmp_path, stop, monkeypatch)


@pytest.mark.parametrize("integrator", schemes_in_contacts())
@pytest.mark.few(2)
def test_over_integrators(integrator, tmp_path, stop, monkeypatch):
    assert_resumes(lambda: crowd(law="elastic", integrator=integrator), tmp_path, stop, monkeypatch)


@pytest.mark.slow
@pytest.mark.skipif(most_threads() < 2, reason="one core")
@pytest.mark.parametrize("law", ["elastic", "friction"])
def test_over_threads(law, tmp_path, stop, monkeypatch):
    """Begun on two threads, ended on one."""
    assert_resumes(lambda: crowd(law=law, n=3000, threads=2), tmp_path, stop, monkeypatch, 0.003, 150, threads=1)


def test_the_moment_of_an_interruption_is_no_part_of_the_verdict(tmp_path, stop, monkeypatch):
    """An elastic ball is fastest where the run is stopped, and its energy error is relative to its kinetic energy."""

    def bouncing():
        rubber = dem.Material(young=5e6, poisson=0.3, density=2500.0)
        ball = dem.Particles(dem.Sphere(diameter=0.01), rubber, position=[[0, 0, 0.025]])
        return dem.Simulation(ball, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=rubber)], time_step=2e-5)

    bouncing().run(0.1, output=tmp_path / "whole.h5", frames=1)
    monkeypatch.setattr("dem.run.run_loop.SLICE", 0.0)
    stop(3150)  # before it lands
    with pytest.raises(Interrupted):
        bouncing().run(0.1, output=tmp_path / "parts.h5", frames=1)
    monkeypatch.undo()
    dem.resume(tmp_path / "parts.h5")
    booked = []
    for name in ("whole.h5", "parts.h5"):
        with h5py.File(tmp_path / name) as file:
            booked.append((file["restart/latest/largest_kinetic"][()], file["parameters"].attrs["verdict"]))
    assert booked[0] == booked[1]


def test_a_run_that_begins_with_an_insertion_resumes_from_its_start(tmp_path):
    """The kinetic energy of frame 0, which is the largest one, is in the first checkpoint."""

    def stopped(sim):
        raise KeyboardInterrupt

    def rain():
        sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
        above = dem.Block((0, 0, 0), (0.1, 0.1, 0.1))
        shower = dem.Inserter(dem.Sphere(diameter=0.01), sand, region=above, number=5, velocity=(0, 0, 2.0))
        return dem.Simulation(None, inserters=[shower], time_step=1e-4)

    whole = rain().run(0.02, output=tmp_path / "whole.h5", frames=4)
    with pytest.raises(KeyboardInterrupt):
        rain().run(0.02, output=tmp_path / "parts.h5", frames=4, every=(60, stopped))
    assert dem.resume(tmp_path / "parts.h5") == whole
    booked = []
    for name in ("whole.h5", "parts.h5"):
        with h5py.File(tmp_path / name) as file:
            booked.append(file["restart/latest/largest_kinetic"][()])
    assert booked[0] == booked[1]


@pytest.mark.parametrize("periodic", [(), ("x", "y")])
def test_hard_spheres(periodic, tmp_path, stop, monkeypatch):
    """They go on from between two impacts, each sphere at its own time; walls are rough, so random counters matter."""

    def make():
        rng = np.random.default_rng(3)
        grid = (np.stack(np.meshgrid(*[np.arange(6)] * 3), -1).reshape(-1, 3) + 0.5) * 0.02
        grain = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        spheres = dem.Particles(dem.Sphere(diameter=0.012), grain, position=grid, velocity=rng.normal(0, 1, (216, 3)))
        box = dem.Box((0, 0, 0), (0.12, 0.12, 0.12), grain, periodic=periodic, roughness=0.1, seed=5)
        return dem.HardSpheres(spheres, box, restitution=0.9, tangential_restitution=0.3)

    monkeypatch.setattr("dem.event_driven.simulation.next_chunk", lambda *_: 50)
    assert_resumes(make, tmp_path, stop, monkeypatch, 0.2, 0.11)


def test_saved_hard_spheres_go_on(tmp_path):
    sim = dem.cases()["hard-spheres"](n=200, restitution=0.9).simulation()
    sim.run(0.01)
    sim.save(tmp_path / "state.h5")
    loaded = dem.HardSpheres.load(tmp_path / "state.h5")
    assert sim.run(0.02) == loaded.run(0.02)
    np.testing.assert_array_equal(sim.particles.position, loaded.particles.position)
    with pytest.raises(ValueError, match=r"holds HardSpheres: load it with dem\.HardSpheres\.load"):
        dem.Simulation.load(tmp_path / "state.h5")


def test_contacts_by_pair_are_saved(tmp_path):
    one = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.8, friction=0.3)
    other = dem.Material(young=2e7, poisson=0.2, density=900.0, restitution=0.6, friction=0.1)
    groups = [dem.Particles(dem.Sphere(diameter=0.01), m, position=[[0.01, 0.01, z]]) for m, z in
              ((one, 0.0051), (other, 0.0155))]  # fmt: skip
    pairs = dem.Contacts({(one, other): dem.Contact(restitution=0.5, friction=0.7)})
    box = dem.Box((0, 0, 0), (0.02, 0.02, 0.1), one)
    sim = dem.Simulation(dem.Particles.concatenate(groups), box, contacts=pairs, time_step=1e-5)
    sim.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    assert list(loaded.contacts) == list(pairs)
    for each in (sim, loaded):
        each.step(2000)
    assert sim.energy() == loaded.energy()
    assert sim.energy().dissipated > 0


@pytest.mark.parametrize("moment", ["checkpoint", "finish"])
def test_who_is_killed_after_the_last_step_ends_the_same(moment, tmp_path, monkeypatch):
    """Between the last checkpoint and the last frame, or between that and the end of the file: as the file is then."""
    whole, killed = tmp_path / "whole.h5", tmp_path / "killed.h5"
    plain = getattr(TrajectoryWriter, moment)

    def call(writer, *given, **more):
        if moment == "finish":
            writer._commit()
        else:
            plain(writer)
        if writer.sim._now >= writer.plan[-1].last and not killed.exists():
            shutil.copy(whole, killed)
        if moment == "finish":
            plain(writer, *given, **more)

    monkeypatch.setattr(TrajectoryWriter, moment, call)
    # after every batch, however many steps the clock allows in one: so there is one at the last step, before its frame
    verdict = crowd(law="elastic").run(0.001, output=whole, frames=4, checkpoint_every=1)
    monkeypatch.undo()
    with dem.Trajectory(killed) as part:
        assert len(part) == (4 if moment == "checkpoint" else 5)
        assert part.verdict is None
    assert dem.resume(killed) == verdict
    assert_same_frames(whole, killed)
    with dem.Trajectory(killed) as run:
        assert run.verdict == str(verdict)
    with pytest.raises(ValueError, match="is complete"):
        dem.resume(killed)


def test_a_longer_run_ends_where_a_long_one_does(tmp_path):
    crowd().run(0.008, output=tmp_path / "long.h5", frames=8)
    crowd().run(0.004, output=tmp_path / "short.h5", frames=4)
    dem.resume(tmp_path / "short.h5", duration=0.008)
    assert_same_frames(tmp_path / "long.h5", tmp_path / "short.h5")
    with pytest.raises(ValueError, match=r"complete, t = 0\.008 s: give a longer duration"):
        dem.resume(tmp_path / "short.h5")
    with pytest.raises(ValueError, match=r"from the first frame on, is not longer than the run was planned, 0\.008 s"):
        dem.resume(tmp_path / "short.h5", duration=0.006)
    with dem.Trajectory(tmp_path / "short.h5") as run, dem.Trajectory(tmp_path / "long.h5") as long:
        assert run.error is None  # a refusal leaves no trace
        assert run.verdict == long.verdict
        assert run.verdict[:4] in ("PASS", "WARN")


def test_a_duration_is_that_of_the_run_whatever_was_before_it(tmp_path):
    """What `run` adds to a simulation is a run; resumed it is the same one, whose duration counts from its start."""
    sim, path = crowd(), tmp_path / "run.h5"
    sim.run(0.002)
    sim.run(0.002, output=path, frames=2)
    dem.resume(path, duration=0.003)
    with dem.Trajectory(path) as run:
        np.testing.assert_allclose(run.time, [0.002, 0.003, 0.004, 0.005], rtol=1e-15)  # of step times dt
    done = CliRunner().invoke(app, ["run", "--resume", str(path), "--duration", "4 ms", "--quiet"])
    assert done.exit_code == 0, done.stderr
    with dem.Trajectory(path) as run:
        assert run.time[-1] == pytest.approx(0.006, rel=1e-15)
    refused = CliRunner().invoke(app, ["run", "--resume", str(path), "--duration", "5 mm"])
    assert (refused.exit_code, refused.stderr) == (2, "dem: '5 mm' is in mm: expected a time [s], such as '5 us'\n")


@pytest.mark.parametrize(("duration", "times"), [(0.03, [0, 0.01, 0.02, 0.03]), (0.022, [0, 0.01, 0.02, 0.022])])
def test_hard_spheres_run_a_little_longer(tmp_path, duration, times):
    """By more and by less than the time between frames, both much less than a second; steps are whole, times not."""
    sim = dem.cases()["hard-spheres"](n=20).simulation()
    sim.run(0.02, output=tmp_path / "run.h5", frames=2)
    dem.resume(tmp_path / "run.h5", duration=duration)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        np.testing.assert_allclose(run.time, times, rtol=0, atol=1e-15)


def test_a_step_more_is_a_frame_more(tmp_path):
    """As many frames as steps at most, as before."""
    crowd().run(0.004, output=tmp_path / "run.h5", frames=10**6)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        steps = run.step[-1]
        assert len(run) == steps + 1
    dem.resume(tmp_path / "run.h5", duration=0.004 * (steps + 1) / steps)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.step[-2:].tolist() == [steps, steps + 1]


def test_a_trajectory_is_a_checkpoint(tmp_path):
    sim = crowd()
    sim.run(0.004, output=tmp_path / "run.h5", frames=2)
    loaded = dem.Simulation.load(tmp_path / "run.h5")
    for each in (sim, loaded):
        each.step(300)
    np.testing.assert_array_equal(sim.particles.position, loaded.particles.position)


def test_checkpoints_come_by_steps(tmp_path, monkeypatch):
    monkeypatch.setattr("dem.run.simulation_base.next_chunk", lambda *_: 50)  # else it is the clock that says how many
    steps = []
    plain = TrajectoryWriter.checkpoint
    monkeypatch.setattr(TrajectoryWriter, "checkpoint", lambda w: (steps.append(w.sim.step_count), plain(w)))
    crowd().run(0.01, output=tmp_path / "run.h5", frames=2, checkpoint_every=250)
    assert len(steps) >= 3
    assert all(b - a >= 250 for a, b in itertools.pairwise(steps[:-1]))
    assert steps[-1] == 1000


@pytest.mark.parametrize("every", ["ten", "-1 s", "10 days", 0, "1.5", "1.2.3 s"])
def test_nonsense_between_checkpoints_is_refused(every, tmp_path):
    with pytest.raises(ValueError, match="expected a time such as '10 min' or '30 s', or a number of steps"):
        crowd().run(0.001, output=tmp_path / "run.h5", checkpoint_every=every)
    assert not list(tmp_path.iterdir())


def test_a_frame_that_comes_out_differently_is_not_passed_over(tmp_path, stop):
    path = tmp_path / "run.h5"
    crowd().run(0.004, output=path, frames=4)
    with h5py.File(path, "r+") as file:
        del file["restart/latest"]  # as if it had been killed before the first checkpoint
        file["particles/trajectory/position/value"][2, 5, 1] += 1e-12
    with pytest.raises(ValueError, match=r"frame 2 comes out differently, position by 1e-12 at t = 0\.002 s"):
        dem.resume(path)


def test_rerun_says_whether_the_bytes_match(tmp_path):
    path = tmp_path / "run.h5"
    crowd().run(0.004, output=path, frames=4)
    before = path.read_bytes()
    comparison = dem.rerun(path)
    assert comparison.same
    assert str(comparison) == "all bytes of 5 frames are the same"
    assert path.read_bytes() == before
    result = CliRunner().invoke(app, ["rerun", str(path)])
    assert (result.exit_code, result.stdout) == (0, f"{path}: all bytes of 5 frames are the same\n")
    with h5py.File(path, "r+") as file:
        file["observables/elastic_energy/value"][3] *= 2
        file["parameters"].attrs["kernels"] = "of old"
        versions = json.loads(file["parameters"].attrs["versions"]) | {"numpy": "1.0"}
        file["parameters"].attrs["versions"] = json.dumps(versions)
    result = CliRunner().invoke(app, ["rerun", str(path)])
    assert result.exit_code == 1
    assert f"{path}: the bytes differ from frame 3 on: elastic by " in result.stdout
    assert f"numpy: 1.0 then, {np.__version__} now" in result.stdout
    assert "kernels: of old then, " in result.stdout


def test_a_stopped_run_is_repeated_as_far_as_it_goes(tmp_path, stop, monkeypatch):
    stop(300)
    monkeypatch.setattr("dem.run.run_loop.SLICE", 1e-3)
    with pytest.raises(Interrupted):
        crowd().run(0.012, output=tmp_path / "run.h5", frames=12)
    monkeypatch.undo()
    comparison = dem.rerun(tmp_path / "run.h5")
    assert comparison.same
    assert 1 < comparison.frames < 13


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "nine-fibres", "--resume", "run.h5"),
        ("run", "--resume", "run.h5", "--time-step", "1e-6"),
        ("run", "--resume", "none.h5"),
        ("run", "--resume", "text.h5"),
        ("run", "--resume", "state.h5"),
        ("rerun", "none.h5"),
        ("rerun", "text.h5"),
        ("repair", "none.h5"),
        ("repair", "text.h5"),
        ("run", "nine-fibres", "--fields", "position,speed"),
        ("run", "nine-fibres", "--compression", "zip"),
        ("run", "nine-fibres", "--checkpoint-every", "often"),
    ],
)
def test_bad_input_is_one_line(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.h5").write_text("not HDF5")
    crowd(n=8).save(tmp_path / "state.h5")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("dem: ")
    assert len(result.stderr.splitlines()) == 1
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_checkpoints_of_other_versions_and_of_no_dataclass(tmp_path):
    """A file must not make us call just anything."""
    path, touched = tmp_path / "run.h5", tmp_path / "touched"
    crowd(n=8).run(0.001, output=path, frames=1)
    with h5py.File(path, "r+") as file:
        for name in ("start", "latest"):
            file[f"restart/{name}"].attrs["format"] = "pcdm-dem checkpoint 99"
    for words in (["run", "--resume"], ["rerun"]):
        result = CliRunner().invoke(app, [*words, str(path)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "has the format 'pcdm-dem checkpoint 99', this version reads" in result.stderr
    crowd(n=8).save(tmp_path / "state.h5")
    for words in (["run", "--resume"], ["rerun"], ["info"]):
        result = CliRunner().invoke(app, [*words, str(tmp_path / "state.h5")])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "state.h5 is a checkpoint and no trajectory: dem.Simulation.load, or dem.HardSph" in result.stderr
    with h5py.File(tmp_path / "state.h5", "r+") as file:
        given = json.loads(file["input"].asstr()[()])
        given["variants"][0] |= {"class": "os:system", "columns": {"command": [f"touch {touched}"]}}
        del file["input"]
        file["input"] = json.dumps(given)
    with pytest.raises(ValueError, match="os:system is not found: import its module"):
        dem.Simulation.load(tmp_path / "state.h5")
    assert not touched.exists()


def test_a_run_begun_elsewhere_goes_on_with_a_warning(tmp_path):
    path = tmp_path / "run.h5"
    crowd(n=8).run(0.001, output=path, frames=1)
    with h5py.File(path, "r+") as file:
        file["parameters"].attrs["kernels"] = "of old"
    with pytest.warns(dem.DemWarning, match="other-origin: .* was begun with other kernels"):
        dem.resume(path, duration=0.002)
    with h5py.File(path) as file:
        (stretch,) = json.loads(file["parameters"].attrs["resumed"])
        assert stretch["at"] == 0.001
        assert stretch["kernels"] != "of old"


def test_fields_precision_and_compression(tmp_path):
    whole, small = tmp_path / "whole.h5", tmp_path / "small.h5"
    crowd().run(0.004, output=whole, frames=4)
    crowd().run(0.002, output=small, frames=2, fields="velocity", float32=True, compression="gzip")
    dem.resume(small, duration=0.004)
    one, other = contents(whole), contents(small)
    assert set(one) - set(other) == {"orientation", "angular_velocity"}
    for name in ("position", "velocity"):
        assert other[name].dtype == np.float32
        np.testing.assert_array_equal(one[name].astype(np.float32), other[name])
    with h5py.File(small) as file:
        assert file["particles/trajectory/position/value"].compression == "gzip"


def test_a_polydisperse_run_is_described_whole(tmp_path):
    """Its input is longer than the 64 kB that an attribute of HDF5 can hold."""
    grain = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    shapes = [dem.Sphere(diameter=0.001 + 1e-6 * k) for k in range(1500)]
    spheres = dem.Particles(shapes, grain, position=np.arange(1500)[:, None] * [[0.003, 0, 0]])
    dem.Simulation(spheres, time_step=1e-5).run(1e-4, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert len(run.variants) == 1500
        assert run.variants[700].radii[0] == 0.5 * (0.001 + 1e-6 * 700)
    assert dem.rerun(tmp_path / "run.h5").same


def test_a_shape_that_only_this_process_knows_runs_but_does_not_resume(tmp_path):
    class Own:
        offsets = np.zeros((1, 3))
        radii = np.array([0.005])

        def mass_properties(self, density):
            return dem.Sphere(diameter=0.01).mass_properties(density)

    grain = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    sim = dem.Simulation(dem.Particles(Own(), grain, position=[[0, 0, 0]]), time_step=1e-5)
    with pytest.warns(dem.DemWarning, match="no-checkpoint: .* cannot be resumed or run again"):
        sim.run(1e-3, output=tmp_path / "run.h5", frames=2)
    with pytest.raises(ValueError, match="does not keep the state at the start: it cannot be run again"):
        dem.rerun(tmp_path / "run.h5")
    with pytest.raises(ValueError, match=r"cannot be resumed: .*make its class a dataclass at the top of a module"):
        dem.resume(tmp_path / "run.h5", duration=1)


def test_own_classes_go_by_the_same_names_in_files_wherever_they_are_defined():
    """Files of earlier versions hold these names."""
    names = {"dem.box:Box", "dem.box:Motion", "dem.clump:Clump", "dem.contacts:Contact", "dem.materials:Material"}
    parts = "Hertz Linear Hysteretic EEPA PowerLaw Viscoelastic Dashpot Rolling Twisting DMT JKR Bridge".split()
    names |= {f"dem.parts:{word}" for word in parts}
    flows = "Uniform Shear Rotating Channel Pipe TaylorGreen ABC Gridded Function".split()
    names |= {"dem.fluid:Fluid", *(f"dem.fluid:{word}Flow" for word in flows)}
    names |= {f"dem.fluid:{word}" for word in ("Cells", "Coupling", "Lubrication")} | {"dem.heat:Heat"}
    walls = "Plane Ball Cylinder Cone Disc Revolution Rectangle Block Rod Torus Mesh Servo PID Free".split()
    names |= {f"dem.walls:{word}" for word in walls}
    names |= {f"dem.shapes:{word}" for word in ("Fibre", "Sphere", "FibreSegment", "FlexibleFibre", "Ellipsoid")}
    names |= {f"dem.shapes:{word}" for word in ("Superellipsoid", "Polyhedron", "RoundedCylinder")}
    traffic = "Inserter Outlet UniformSizes NormalSizes LogNormalSizes RosinRammlerSizes SieveSizes ListedSizes".split()
    names |= {"dem.heat:Convection", "dem.heat:Radiation"}
    names |= {"dem.capsules:Capsule", *(f"dem.traffic:{word}" for word in traffic)}
    assert names == serialization.OURS.keys()
    ball = dem.Sphere(diameter=0.01)
    assert serialization.recipe(ball) == {"class": "dem.shapes:Sphere", "values": {"diameter": 0.01}}
    assert serialization.from_recipe(serialization.recipe(ball)) == ball
