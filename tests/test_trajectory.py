"""Trajectories: content, readers, and survival of interruptions."""

import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import dem
from dem.files.h5md.schema import ENERGIES
from dem.system.system import evenly_spaced_stops


@pytest.fixture
def run(tmp_path):
    """A finished run of nine fibres with eleven frames."""
    path = tmp_path / "run.h5"
    sim = dem.cases()["nine-fibres"](time_step=1e-5).simulation()
    verdict = sim.run(0.05, output=path, frames=10)
    return path, sim, verdict


SCHEMA = {
    "particles/trajectory/position/value": ((11, 9, 3), np.float64),
    "particles/trajectory/velocity/value": ((11, 9, 3), np.float64),
    "particles/trajectory/orientation/value": ((11, 9, 4), np.float64),
    "particles/trajectory/angular_velocity/value": ((11, 9, 3), np.float64),
    "particles/trajectory/position/step": ((11,), np.int64),
    "particles/trajectory/position/time": ((11,), np.float64),
    "particles/trajectory/mass": ((9,), np.float64),
    "particles/trajectory/species": ((9,), np.int32),
    "particles/trajectory/variant": ((9,), np.int32),
    **{
        f"observables/{name}_energy/value": ((11,), np.float64)
        for name in ENERGIES
        if name not in ("fluid", "inserted", "removed")
    },
}


@pytest.mark.parametrize("name", list(SCHEMA))
@pytest.mark.few(1)
def test_schema(run, name):
    shape, dtype = SCHEMA[name]
    with h5py.File(run[0]) as file:
        assert file[name].shape == shape
        assert file[name].dtype == dtype


def test_what_h5md_demands(run):
    with h5py.File(run[0]) as file:
        assert file["h5md"].attrs["version"].tolist() == [1, 1]
        assert isinstance(file["h5md/author"].attrs["name"], np.bytes_)  # fixed-length, as the specification says
        assert file["h5md/creator"].attrs["name"] == b"pcdm-dem"
        assert file["h5md/modules/units"].attrs["system"] == b"SI"
        group = file["particles/trajectory"]
        assert group["box"].attrs["dimension"] == 3
        assert group["box"].attrs["boundary"].tolist() == [b"none"] * 3
        for name in ("velocity", "orientation", "angular_velocity"):
            assert group[name]["step"] == group["position/step"]  # one object, hard-linked
        assert group["orientation/value"].attrs["component_order"] == "w x y z"
        assert "unit" not in group["position/value"].attrs  # MDAnalysis has no metre


def test_frames_hold_the_state_to_the_bit(run):
    path, sim, verdict = run
    with dem.Trajectory(path) as r:
        assert len(r) == 11
        assert r.step.tolist() == list(range(0, 5001, 500))
        np.testing.assert_array_equal(r.time, r.step * 1e-5)
        for name in ("position", "velocity", "orientation", "angular_velocity"):
            np.testing.assert_array_equal(getattr(r, name)[-1], getattr(sim.particles, name))
        assert r.energy["total"][-1] == sim.energy().total
        assert r.energy["translational"][0] == sim.start_energy.translational
        assert r.verdict == str(verdict)
        assert r.input["case"] == "nine-fibres"
        assert r.input["time_step"] == 1e-5
        assert r.input["kinds"][0]["sizes"]["spheres"] == 5
        assert r.versions["pcdm-dem"]


@pytest.mark.parametrize("frames", [1, 2, 3, 7, 10, 37, 64])
@pytest.mark.parametrize("steps", [64, 99, 1000, 12_347])
def test_frames_are_due_at_the_nearest_steps(steps, frames):
    """As many as asked for, each within half a step of its share of the way, the last one at the end."""
    due = evenly_spaced_stops(500, steps, frames)
    assert len(due) == frames
    assert due[-1] == 500 + steps
    exact = 500 + steps * np.arange(1, frames + 1) / frames
    assert np.abs(np.array(due) - exact).max() <= 0.5 + 1e-9  # half a step to rounding


@pytest.mark.slow
def test_the_stored_input_sets_the_run_up_again(run):
    path, sim, _ = run
    with dem.Trajectory(path) as r:
        again = dem.cases()[r.input["case"]](**r.input["parameters"]).simulation()
    again.step(5000)
    np.testing.assert_array_equal(again.particles.position, sim.particles.position)


def test_a_broken_run_leaves_its_frames_and_the_reason(tmp_path, nylon, fibre):
    spinning = dem.Particles(fibre, nylon, position=[[0, 0, 0]], angular_velocity=[[0, 0, 500.0]])
    sim = dem.Simulation(spinning, time_step=5e-3)
    with pytest.warns(dem.DemWarning), pytest.raises(FloatingPointError, match="turns"):
        sim.run(1.0, output=tmp_path / "broken.h5", frames=10)
    with dem.Trajectory(tmp_path / "broken.h5") as r:
        assert len(r) == 1
        assert "particle 0 turns 2.5 rad" in r.error
        assert r.verdict is None


def test_existing_files_are_left_alone(run, nylon, ball):
    path = run[0]
    before = path.read_bytes()
    sim = dem.Simulation(dem.Particles(ball, nylon, position=[[0, 0, 0]]), time_step=1e-5)
    with pytest.raises(FileExistsError, match="exists already: choose another name, or --overwrite"):
        sim.run(0.01, output=path)
    assert path.read_bytes() == before
    assert sim.step_count == 0
    sim.run(0.01, output=path, overwrite=True, frames=3)
    with dem.Trajectory(path) as r:
        assert r.position.shape == (4, 1, 3)


def test_refuses_what_is_no_trajectory(tmp_path, run):
    with pytest.raises(FileNotFoundError, match="no file"):
        dem.Trajectory(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("not HDF5")
    with pytest.raises(ValueError, match=r"text\.h5 is no HDF5 file, so no trajectory$"):
        dem.Trajectory(tmp_path / "text.h5")
    (tmp_path / "none.h5").touch()
    with pytest.raises(ValueError, match=r"none\.h5 is empty: no run has written to it$"):
        dem.Trajectory(tmp_path / "none.h5")
    (tmp_path / "cut.h5").write_bytes(run[0].read_bytes()[:900])
    with pytest.raises(ValueError, match=r"cut\.h5 is not a readable HDF5 file .* dem repair may save its frames$"):
        dem.Trajectory(tmp_path / "cut.h5")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(ValueError, match="not a trajectory of this engine"):
        dem.Trajectory(tmp_path / "foreign.h5")
    with h5py.File(run[0], "r+") as file:
        file["parameters"].attrs["format"] = 99
    with pytest.raises(ValueError, match="format 99, this version reads up to 3: upgrade"):
        dem.Trajectory(run[0])


def start(path):
    """A run in its own process that has written at least three frames."""
    command = [sys.executable, "-m", "dem", "run", "nine-fibres", "--duration", "200", "--frames", "20000"]
    process = subprocess.Popen([*command, "-o", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while frames_in(path) < 3 and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, process.stderr.read()
    return process


def frames_in(path):
    """Frames in a file that is being written; 0 before it can be read."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return len(file["particles/trajectory/position/step"])
    except (OSError, KeyError):
        return 0


@pytest.mark.slow
def test_a_killed_run_leaves_a_readable_file(tmp_path):
    path = tmp_path / "killed.h5"
    process = start(path)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    with dem.Trajectory(path) as r:
        assert len(r) >= 3
        assert np.isfinite(r.position[len(r) - 1]).all()
        assert r.verdict is None


@pytest.mark.slow
def test_ctrl_c_closes_the_file(tmp_path):
    path = tmp_path / "stopped.h5"
    process = start(path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1].startswith("interrupted at t = ")
    assert "Traceback" not in errors
    with dem.Trajectory(path) as r:
        assert len(r) >= 3
        assert r.verdict.startswith("interrupted; PASS")
        assert f"{len(r)} frames in {path}" in errors
        np.testing.assert_array_equal(r.time, r.step * 1e-6)


def test_overwriting_a_file_in_use_is_refused_and_leaves_it_whole(run, nylon, ball):
    """HDF5 truncates before it takes its lock."""
    path = run[0]
    before = path.read_bytes()
    code = "import sys, h5py; f = h5py.File(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "open\n"
        sim = dem.Simulation(dem.Particles(ball, nylon, position=[[0, 0, 0]]), time_step=1e-5)
        with pytest.raises(OSError, match="is being read or written by another process"):
            sim.run(0.01, output=path, overwrite=True)
        other.stdin.close()
    assert path.read_bytes() == before


def test_a_file_opened_by_a_relative_path_is_found_from_elsewhere(tmp_path, monkeypatch, nylon, ball):
    """A notebook may change its folder in between."""
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    dem.Simulation(dem.Particles(ball, nylon, position=[[0, 0, 0]]), time_step=1e-4).run(
        1e-3, output="run.h5", frames=2
    )
    with dem.Trajectory("run.h5") as run:
        monkeypatch.chdir(tmp_path / "there")
        assert run.location == tmp_path / "here" / "run.h5"
        assert run.summary()["bytes"] == run.location.stat().st_size
        assert dem.export(run, "csv") == tmp_path / "here" / "run.csv"
        with pytest.raises(OSError, match="it is the trajectory itself"):
            dem.export(run, "csv", run.location, overwrite=True)
    assert list((tmp_path / "there").iterdir()) == []


def test_a_resumed_run_is_read_anew_beside_a_trajectory_that_is_still_open(tmp_path):
    stuff = dem.Material(young=1e6, poisson=0.3, density=500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), stuff, position=[(0, 0, 0)], velocity=[(1.0, 0, 0)])
    sim = dem.Simulation(ball, time_step=1e-3, gravity=(0, 0, 0))
    sim.run(0.02, output=tmp_path / "run.h5", frames=2)
    with dem.Trajectory(tmp_path / "run.h5") as before:
        dem.resume(tmp_path / "run.h5", duration=0.04)
        with dem.Trajectory(tmp_path / "run.h5") as after:
            np.testing.assert_allclose(after.position[:, 0, 0], [0, 0.01, 0.02, 0.03, 0.04], atol=1e-15)
        assert len(before) == 3  # what it was when it was opened
        np.testing.assert_allclose(before.position[:, 0, 0], [0, 0.01, 0.02], atol=1e-15)
