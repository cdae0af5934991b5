"""Output that is removed, replaced or changed during its run: the run reports it and keeps the data."""

import os
import shutil

import numpy as np
import pytest
from sample_runs import assert_same_frames, crowd
from typer.testing import CliRunner

import dem
from dem.base.replace import OutputError
from dem.cli.application import app
from dem.files.storage.journal import path_of
from dem.files.storage.journaled_file import JournaledFile
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.sweeps.table import Outcome, SweepTable

pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")  # steps are coarse, so that much happens in few
WRITER = "dem.files.writing.trajectory_writer"
DURATION, FRAMES, MOMENT = 0.004, 4, 0.0025  # [s], frames after the first, and when something happens to the file [s]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "whole.h5"
    crowd().run(DURATION, output=path, frames=FRAMES)
    return path


def lose(path, happens):
    """Run with an accident at `MOMENT`; returns what the error says of it, which is one line."""
    done = []

    def once(_):
        if not done:
            done.append(happens())

    with pytest.raises(OutputError) as error:
        crowd().run(DURATION, output=path, frames=FRAMES, every=(MOMENT, once))
    (line,) = str(error.value).splitlines()
    return line


def removed(path):
    path.unlink()


def renamed(path):
    path.rename(path.with_name("other.h5"))


def replaced(path):
    path.unlink()
    path.write_bytes(b"notes")


def folder_removed(path):
    shutil.rmtree(path.parent)


def folder_replaced(path):
    shutil.rmtree(path.parent)
    path.parent.write_bytes(b"notes")


ACCIDENTS = {
    removed: ("it was removed or renamed", "run.h5"),
    renamed: ("it was removed or renamed", "run.h5"),
    replaced: ("another file was put in its place", "run.h5"),
    folder_removed: ("its folder was removed or renamed", "../run.h5"),
    folder_replaced: ("its folder was removed or renamed", "../run.h5"),
}


@pytest.mark.parametrize("happens", ACCIDENTS, ids=lambda one: one.__name__)
def test_a_lost_file_is_kept_under_a_new_name_and_goes_on_to_the_same_bytes(tmp_path, monkeypatch, whole, happens):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(f"{WRITER}.COMMIT_SECONDS", 0)  # the next frame is committed, whenever that is
    monkeypatch.setattr(f"{WRITER}.COMMIT_SHARE", 0)
    path, where = folder / "run.h5", folder.parent if "folder" in happens.__name__ else folder
    monkeypatch.chdir(tmp_path)
    (where / "run.kept.h5").write_bytes(b"of an earlier run")
    message = lose("folder/run.h5" if happens in (removed, folder_removed) else path, lambda: happens(path))
    kept = where / "run.kept-2.h5"
    assert f"cannot be written any further: {ACCIDENTS[happens][0]}; its 4 frames are in {kept}: " in message
    assert (where / "run.kept.h5").read_bytes() == b"of an earlier run"
    if happens is replaced:
        assert path.read_bytes() == b"notes"
    assert not path_of(path).exists()
    with dem.Trajectory(kept) as run:
        assert len(run) == 4
    dem.resume(kept, every=(MOMENT, lambda _: None))
    assert_same_frames(whole, kept)


def test_a_file_that_is_lost_after_its_last_commit_but_one_is_kept_with_its_verdict(tmp_path, monkeypatch, whole):
    monkeypatch.setattr(f"{WRITER}.COMMIT_SECONDS", float("inf"))  # between the first frame and the end
    path, kept = tmp_path / "run.h5", tmp_path / "run.kept.h5"
    assert lose(path, path.unlink).endswith(f"its 5 frames are in {kept}")
    with dem.Trajectory(kept) as run:
        assert (len(run), run.verdict.partition(":")[0]) == (5, "PASS")
    assert_same_frames(whole, kept)


@pytest.mark.parametrize("size", [0, 5000, 10**7])
def test_of_a_file_that_another_program_changed_the_state_is_kept(tmp_path, monkeypatch, size):
    monkeypatch.setattr(f"{WRITER}.COMMIT_SECONDS", 0)
    monkeypatch.setattr(f"{WRITER}.COMMIT_SHARE", 0)
    path, kept, whole = tmp_path / "run.h5", tmp_path / "run.kept.h5", crowd()
    message = lose(path, lambda: os.truncate(path, size))
    assert f"another program has changed it, to {size} bytes from " in message
    assert message.endswith(f"its frames are lost, the state at t = 0.003 s is in {kept}: see dem.Simulation.load")
    assert path.stat().st_size == size
    assert not path_of(path).exists()
    sim = dem.Simulation.load(kept)
    whole.step(sim.step_count)
    np.testing.assert_array_equal(sim.particles.position, whole.particles.position)
    np.testing.assert_array_equal(sim.particles.velocity, whole.particles.velocity)


def test_a_run_that_breaks_where_its_file_is_lost_tells_of_both(tmp_path):
    path = tmp_path / "run.h5"

    def leave(_):
        path.unlink()
        message = "the function had enough"
        raise ArithmeticError(message)

    with pytest.raises(OutputError) as error:
        crowd().run(DURATION, output=path, frames=FRAMES, every=(MOMENT, leave))
    first, second = str(error.value).splitlines()
    assert first == "the function had enough"
    assert second.startswith(f"output {path} cannot be written any further: it was removed or renamed; its ")
    with dem.Trajectory(tmp_path / "run.kept.h5") as run:
        assert run.error == "ArithmeticError: the function had enough"
        assert len(run) == 3


def test_where_no_folder_takes_the_frames_it_is_said(tmp_path, monkeypatch):
    """Nor is there one for temporary files."""
    copied = []

    def copy(_, path):
        copied.append(path.parent)
        raise PermissionError

    def gettempdir():
        raise FileNotFoundError

    monkeypatch.setattr(JournaledFile, "copy", copy)
    monkeypatch.setattr("tempfile.gettempdir", gettempdir)
    path = tmp_path / "run.h5"
    assert lose(path, path.unlink).endswith("; its frames could not be kept")
    assert copied == [*path.parents]


def test_a_working_folder_that_changes_in_a_run_loses_nothing(tmp_path, monkeypatch, whole):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    crowd().run(DURATION, output="run.h5", frames=FRAMES, every=(MOMENT, lambda _: os.chdir(tmp_path / "elsewhere")))
    assert_same_frames(whole, tmp_path / "run.h5")
    assert not path_of(tmp_path / "run.h5").exists()


def test_the_command_line_says_so_in_a_line_with_status_1(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    plain = TrajectoryWriter.frame

    def frame(writer, k):
        if k == 2:
            path.unlink()
        plain(writer, k)

    monkeypatch.setattr(TrajectoryWriter, "frame", frame)
    words = ["run", "nine-fibres", "--duration", "1e-4", "--frames", "3", "-o", str(path)]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 1
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("dem: "))
    assert line.startswith(f"dem: output {path} cannot be written any further: it was removed or renamed; its ")
    assert "PASS" not in result.stdout


def test_a_journal_that_is_removed_is_made_anew(tmp_path):
    path = tmp_path / "run.h5"
    store = JournaledFile(path, new=True)
    for text in (b"first", b"other"):
        store.seek(0)
        store.write(text)
        store.commit()
        assert os.path.samestat(path_of(path).stat(), os.fstat(store.journal.fileno()))
        path_of(path).unlink()
    path_of(path).write_bytes(b"notes")
    store.seek(0)
    store.write(b"third")
    with pytest.raises(OSError, match="is no journal of a run"):
        store.commit()
    store.close()
    assert (path.read_bytes(), path_of(path).read_bytes()) == (b"other", b"notes")


def swept(folder, monkeypatch, accident):
    """The table of a sweep of two runs, with an accident between them."""
    begun = []

    def carried_out(member):
        if begun:
            accident(folder)
        begun.append(member)
        folder.mkdir(exist_ok=True)
        member.path.write_bytes(b"frames")
        return Outcome("PASS", 1.0)

    def by_processes(members, _, __, done):
        for member in members:
            done(member, carried_out(member))

    monkeypatch.setattr("dem.sweeps.processes.by_processes", by_processes)
    return dem.sweep("hard-spheres", {"n": [8, 9]}, folder=folder, jobs=1, progress=False)


def test_a_sweep_whose_folder_is_removed_writes_its_table_again_and_says_which_files_are_gone(tmp_path, monkeypatch):
    with pytest.warns(dem.DemWarning, match=r"file-removed: .*hard-spheres_n=8.h5 was removed after its run"):
        table = swept(tmp_path / "gas", monkeypatch, shutil.rmtree)
    told = [("ERROR", "PASS, but its file was removed"), ("PASS", "")]
    assert [(row.verdict, row.error) for row in table] == told
    assert [(row.verdict, row.error) for row in SweepTable.read(tmp_path / "gas" / "sweep.csv")] == told


def test_a_sweep_does_not_overwrite_what_takes_the_place_of_its_table(tmp_path, monkeypatch):
    with pytest.warns(dem.DemWarning, match=r"table-elsewhere: .*sweep.csv was replaced .* see .*sweep.kept.csv"):
        table = swept(tmp_path / "gas", monkeypatch, lambda folder: (folder / "sweep.csv").write_text("notes"))
    assert (tmp_path / "gas" / "sweep.csv").read_text() == "notes"
    assert table.path == tmp_path / "gas" / "sweep.kept.csv"
    assert [row.verdict for row in SweepTable.read(table.path)] == ["PASS", "PASS"]
