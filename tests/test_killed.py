"""Killed runs: their files are complete up to some frame, and resume to the same bytes."""

import signal
import subprocess
import sys
import textwrap

import h5py
import numpy as np
import pytest
from sample_runs import assert_same_frames, contents, crowd
from typer.testing import CliRunner
from viewers import vtk_frames

import dem
from dem.cli.application import app
from dem.files.writing.trajectory_writer import TrajectoryWriter

# steps are coarse, so that much happens in few of them
pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")


def test_killed_between_a_checkpoint_and_the_frame_of_that_step(tmp_path, monkeypatch):
    def frame(writer, k):
        if k == 3:
            writer.checkpoint()
            raise SystemExit
        plain(writer, k)

    crowd().run(0.004, output=tmp_path / "whole.h5", frames=4)
    plain = TrajectoryWriter.frame
    monkeypatch.setattr(TrajectoryWriter, "frame", frame)
    with pytest.raises(SystemExit):
        crowd().run(0.004, output=tmp_path / "part.h5", frames=4)
    monkeypatch.undo()
    dem.resume(tmp_path / "part.h5")
    assert_same_frames(tmp_path / "whole.h5", tmp_path / "part.h5")


KILLED = """
import os, random, signal, sys, time
import dem, dem.files.writing.trajectory_writer
folder, count = sys.argv[1], int(sys.argv[2])
# Be writing as often as not when the end comes
dem.files.writing.trajectory_writer.COMMIT_SECONDS = dem.files.writing.trajectory_writer.COMMIT_SHARE = 0.0
{make}
make().step({first})  # compile, so that the moments are drawn from what a run takes
start = time.perf_counter()
make().run(0.5, output=f"{{folder}}/whole.h5", frames={frames})
took, dice = time.perf_counter() - start, random.Random(7)
for k in range(count):
    child = os.fork()
    if not child:
        make().run(0.5, output=f"{{folder}}/{{k}}.h5", frames={frames}, checkpoint_every={every})
        os._exit(0)
    time.sleep(dice.uniform(0, took))  # a moment that nobody chose
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""
FIBRES = KILLED.format(
    make='make = lambda: dem.cases()["nine-fibres"](time_step=1e-5, threads=1).simulation()',
    first=1, frames=300, every=5000,
)  # fmt: skip


@pytest.mark.parametrize("count", [4, 200])
@pytest.mark.slow
def test_killed_at_any_moment(tmp_path, count):
    subprocess.run([sys.executable, "-W", "ignore", "-c", FIBRES, tmp_path, str(count)], check=True, timeout=500)
    whole = contents(tmp_path / "whole.h5")
    frames = []
    for k in range(count):
        path = tmp_path / f"{k}.h5"
        if not path.exists() or not path.stat().st_size:
            frames.append(0)  # before it had begun
            continue
        try:
            run = dem.Trajectory(path)
        except ValueError:
            assert "/trajectory" not in str(path.read_bytes()[:100_000]), k
            frames.append(0)
            continue
        with run:
            frames.append(len(run))
            np.testing.assert_array_equal(run.position[:], whole["position"][: len(run)])
            np.testing.assert_array_equal(run.energy["total"], whole["total"][: len(run)])
        if frames[-1] < 301:
            dem.resume(path)
        assert_same_frames(path, tmp_path / "whole.h5")
    assert sum(1 < n < 301 for n in frames) >= count // 3, frames


RAIN = """\
def make():
    grain = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5, friction=0.3)
    rain = dem.Inserter(
        [dem.Sphere(diameter=0.01), dem.Fibre(diameter=0.006, aspect_ratio=2, spheres=3)], grain, name="rain",
        region=dem.Block((0.005, 0.005, 0.05), (0.055, 0.055, 0.11)), number=30, every=0.001, velocity=(0, 0, -2),
        spread=0.3,
    )
    hole = dem.Outlet(dem.Block((0, 0, -0.06), (0.03, 0.06, -0.04)), every=0.0004, recycle="rain")
    box = dem.Box((0, 0, -0.05), (0.06, 0.06, 0.12), grain, open=["z+"])
    return dem.Simulation(None, box, inserters=[rain], outlets=[hole], time_step=1e-4, threads=1)
"""
CROWDED = KILLED.format(make=RAIN, first=300, frames=200, every=37)


@pytest.mark.slow
def test_killed_while_particles_come_and_go(tmp_path):
    """Looks every 4 steps, rounds every 10: frames, numbers of particles and events are those of a run left alone."""
    count = 12
    subprocess.run([sys.executable, "-W", "ignore", "-c", CROWDED, tmp_path, str(count)], check=True, timeout=600)
    with dem.Trajectory(tmp_path / "whole.h5") as run:
        events, there = run.events, [frame.identity.tolist() for frame in run]
    assert (events["gate"] < 0).sum() > 50
    frames = []
    for k in range(count):
        path = tmp_path / f"{k}.h5"
        try:
            with dem.Trajectory(path) as run:
                frames.append(len(run))
                assert [frame.identity.tolist() for frame in run] == there[: len(run)]
        except (FileNotFoundError, ValueError):  # before it had begun
            frames.append(0)
            continue
        if frames[-1] < 201:
            dem.resume(path)
        assert_same_frames(path, tmp_path / "whole.h5")
        with dem.Trajectory(path) as run:
            assert run.events.tobytes() == events.tobytes()
    assert sum(1 < n < 201 for n in frames) >= count // 3, frames


@pytest.fixture
def command():
    """Start a command that does not outlive the test."""
    begun = []

    def begin(*words):
        line = [sys.executable, "-m", "dem", *map(str, words)]
        begun.append(subprocess.Popen(line, stderr=subprocess.PIPE, text=True))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
@pytest.mark.slow
def test_a_signal_leaves_a_checkpoint_and_its_status(command, tmp_path, number, status):
    path = tmp_path / "run.h5"
    words = ("run", "nine-fibres", "--time-step", "1e-5", "--duration", "4000", "--frames", "4000", "-o", path)
    process = command(*words, "--quiet")
    while process.poll() is None:
        try:
            with dem.Trajectory(path) as run:  # while it is being written
                if len(run) > 1:
                    break
        except (ValueError, OSError):
            continue
    result = CliRunner().invoke(app, ["info", str(path)])
    assert result.exit_code == 0
    assert "seed" in result.stdout
    process.send_signal(number)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == status
    assert "dem run --resume continues it" in errors
    assert "Traceback" not in errors
    with h5py.File(path) as file:
        steps = int(file["restart/latest/progress/step"][0])
        frames = file["particles/trajectory/position/step"][:]
    np.testing.assert_array_equal(frames, np.arange(0, steps + 1, 100_000))  # all up to there, none more for the signal


@pytest.mark.slow
def test_a_full_disk_stops_the_run_with_the_reason(tmp_path):
    path = tmp_path / "run.h5"
    limit = textwrap.dedent(f"""
        import resource, sys
        import dem.cli, dem.files.writing.trajectory_writer
        dem.files.writing.trajectory_writer.COMMIT_SECONDS = dem.files.writing.trajectory_writer.COMMIT_SHARE = 0.0
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))
        words = "run many-fibres --set n=200 --duration 0.1 --frames 100 -o".split()
        sys.argv = ["dem", *words, "{path}"]
        dem.cli.main()
    """)
    run = subprocess.run([sys.executable, "-c", limit], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 1, run.stderr
    assert "cannot be written any further: file too large; what it holds is safe" in run.stderr
    assert "Traceback" not in run.stderr
    with dem.Trajectory(path) as part:
        assert len(part) > 1
        assert np.isfinite(part.position[:]).all()
    dem.resume(path)
    with dem.Trajectory(path) as done:
        assert len(done) == 101
        assert done.error is None


class Killed(BaseException):
    """The process is gone."""


def test_repair_puts_the_journal_in(tmp_path, monkeypatch):
    """Killed when the journal is complete and nothing of it is in the file; reading and repairing say the same."""

    def kill(*_):
        raise Killed

    path = tmp_path / "run.h5"
    writer = TrajectoryWriter.create(path, crowd(n=8))
    for k in range(1, 4):
        writer.frame(k)
    monkeypatch.setattr("dem.files.storage.journaled_file._apply", kill)
    with pytest.raises(Killed):
        writer.checkpoint()
    writer.abandon()
    monkeypatch.undo()
    assert path.with_name("run.h5.journal").stat().st_size
    with dem.Trajectory(path) as run:
        assert len(run) == 4
    path.rename(tmp_path / "moved.h5")
    with pytest.raises(OSError, match="belongs to a file that was moved away"):
        crowd(n=8).run(0.001, output=path)
    (tmp_path / "moved.h5").rename(path)
    assert dem.repair(path) == f"{path}: 4 frames, what its journal had was put in"
    assert dem.repair(path) == f"{path}: 4 frames, there was nothing to repair"
    with h5py.File(path) as file:
        assert len(file["particles/trajectory/position/value"]) == 4
    assert [p.name for p in tmp_path.iterdir()] == ["run.h5"]


def test_an_overwrite_that_fails_leaves_the_old_file(tmp_path):
    path, text = tmp_path / "run.h5", tmp_path / "mine.toml"
    crowd(n=8).run(0.001, output=path, frames=1)
    before = path.read_bytes()
    odd = dem.Simulation(crowd(n=8).particles, time_step=1e-5, description={"seed": {1, 2}})
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        odd.run(0.001, output=path, overwrite=True)
    assert path.read_bytes() == before
    text.write_text('case = "single-fibre"')
    with pytest.raises(OSError, match="is no HDF5 file: remove it by hand"):
        crowd(n=8).run(0.001, output=text, overwrite=True)
    assert text.read_text() == 'case = "single-fibre"'
    with pytest.raises(FileExistsError, match="there is a file of that name that is none"):
        crowd(n=8).save(path)
    crowd(n=8).run(0.002, output=path, frames=2, overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.toml", "run.h5"]
    with dem.Trajectory(path) as run:
        assert len(run) == 3


def test_files_of_a_users_own_beside_the_output_are_left_alone(tmp_path):
    """Whatever their names are, and where links of such names lead; a link that leads nowhere is none to write to."""
    path, kept, other = tmp_path / "run.h5", tmp_path / "state.h5", tmp_path / "thesis"
    sim = crowd(n=8)
    for name in (path, kept, other):
        name.with_name(name.name + ".partial").write_text("of my own")
    other.write_text("of my own")
    sim.run(0.001, output=path, frames=1)
    sim.save(kept)
    for place in (path, kept):
        mine = place.with_name(place.name + ".partial")
        mine.unlink()
        mine.symlink_to(other)
    sim.run(0.001, output=path, frames=1, overwrite=True)
    sim.save(kept)
    assert other.read_text() == "of my own"
    assert path.with_name("run.h5.partial").is_symlink()
    before = path.read_bytes()
    path.with_name("run.h5.journal").write_text("of my own")
    with pytest.raises(OSError, match=r"cannot be written: .*run\.h5\.journal is no journal of a run: move it away"):
        sim.run(0.001, output=path, frames=1, overwrite=True)
    assert path.with_name("run.h5.journal").read_text() == "of my own"
    assert path.read_bytes() == before
    nowhere = tmp_path / "link.h5"
    nowhere.symlink_to(tmp_path / "nowhere.h5")
    with pytest.raises(FileExistsError):
        sim.run(0.001, output=nowhere, frames=1)
    assert not (tmp_path / "nowhere.h5").exists()
    assert not [p.name for p in tmp_path.iterdir() if p.name.count(".") > 2]


def test_a_run_killed_before_its_first_checkpoint_is_one_too(tmp_path):
    crowd().run(0.004, output=tmp_path / "run.h5", frames=2)
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        del file["restart/latest"]
    assert dem.Simulation.load(tmp_path / "run.h5").step_count == 0


def test_repair_saves_the_frames_before_a_lost_end(tmp_path, monkeypatch):
    """All frames were committed together, as in quick runs."""
    monkeypatch.setattr("dem.files.writing.trajectory_writer.COMMIT_SECONDS", float("inf"))
    path = tmp_path / "run.h5"
    crowd("spheres", n=2000).run(0.0004, output=path, frames=40)
    whole = contents(path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(size - 2_000_000)
    with pytest.raises(ValueError, match=r"is not a readable HDF5 file .*truncated.* dem repair may save its frames"):
        dem.Trajectory(path)
    before = path.read_bytes()
    said = dem.repair(path)
    assert "which lost 2000000 of" in said
    assert path.read_bytes() == before
    with dem.Trajectory(tmp_path / "run-repaired.h5") as saved:
        assert 1 < len(saved) < 41
        np.testing.assert_array_equal(saved.position[:], whole["position"][: len(saved)])
        np.testing.assert_array_equal(saved.angular_velocity[:], whole["angular_velocity"][: len(saved)])
        assert len(vtk_frames(saved.path)) == len(saved)
    with pytest.raises(FileExistsError):
        dem.repair(path)
    with pytest.raises(ValueError, match=r"saved.csv ends in \.csv, but a trajectory is HDF5"):
        dem.repair(path, tmp_path / "saved.csv")


@pytest.fixture
def frame_by_frame(monkeypatch):
    """Commit each frame on its own, into chunks so small that short runs have many of them."""
    monkeypatch.setattr("dem.files.writing.trajectory_writer.COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("dem.files.writing.trajectory_writer.COMMIT_SHARE", 0.0)
    monkeypatch.setattr("dem.files.h5md.layout.CHUNK_BYTES", 1 << 10)
    monkeypatch.setattr("os.fsync", lambda _: None)  # no power failure is tested here, and it takes long


def test_repair_saves_frames_that_were_committed_one_by_one(tmp_path, frame_by_frame):
    """Parts of the index of HDF5 are lost too. The new file has the rest of the run, and resumes to the same bytes."""
    path, cut, saved = (tmp_path / name for name in ("run.h5", "cut.h5", "saved.h5"))
    crowd("spheres", n=27, threads=1).run(0.002, output=path, frames=200, contacts=True)
    whole = path.read_bytes()
    for share in (0.99, 0.8, 0.6):
        cut.write_bytes(whole[: int(share * len(whole))])
        saved.unlink(missing_ok=True)
        said = dem.repair(cut, saved)
        with dem.Trajectory(path) as run, dem.Trajectory(saved) as rest:
            count = len(rest)
            assert rest.verdict is None
            for frame in range(count):
                for name in ("i", "j", "overlap", "force"):
                    one, other = (getattr(each[frame].contact_forces(), name) for each in (run, rest))
                    assert one.tobytes() == other.tobytes()
        assert f"{count} frames saved from" in said
        assert share - 0.1 < count / 201 <= 1
        assert len(vtk_frames(saved)) == count
    dem.resume(saved)
    assert_same_frames(path, saved)


def test_repair_cuts_frames_with_particles_that_are_lost(tmp_path, frame_by_frame):
    """With insertion and removal, the tables of particles grow as well."""
    made = {"dem": dem}
    exec(RAIN, made)
    path, cut, saved = (tmp_path / name for name in ("run.h5", "cut.h5", "saved.h5"))
    made["make"]().run(0.1, output=path, frames=100)
    whole = path.read_bytes()
    cut.write_bytes(whole[: int(0.8 * len(whole))])
    dem.repair(cut, saved)
    with dem.Trajectory(path) as run, dem.Trajectory(saved) as rest:
        assert 60 < len(rest) < 101
        for one, other in zip(run, rest, strict=False):
            assert one.identity.tolist() == other.identity.tolist()
            assert one.position.tobytes() == other.position.tobytes()
    dem.resume(saved)
    assert_same_frames(path, saved)


def test_repair_says_why_it_saves_nothing(tmp_path, frame_by_frame):
    path, cut = tmp_path / "run.h5", tmp_path / "cut.h5"
    crowd("spheres", n=27, threads=1).run(0.001, output=path, frames=100)
    whole = path.read_bytes()
    for kept, why in ((3000, "the list of its contents is lost too"), (100_000, "none of its frames is complete")):
        cut.write_bytes(whole[:kept])
        with pytest.raises(ValueError, match=f"lost {len(whole) - kept} of {len(whole)} bytes, and no frame .*{why}"):
            dem.repair(cut)
        assert not (tmp_path / "cut-repaired.h5").exists()
