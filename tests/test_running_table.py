"""The running table: exact rows on the terminal and in the file, which is otherwise as it was; and the progress bar."""

import sys

import h5py
import numpy as np
import pytest
from sample_runs import assert_same_frames, crowd
from typer.testing import CliRunner

import dem
from dem.base import progress
from dem.cli.application import app
from dem.run.running_table import COLUMNS, DEFORMING, EVENTFUL, OF_CELLS, STEPPED

pytestmark = pytest.mark.filterwarnings("ignore:coarse-time-step")


def test_rows_are_the_moments_they_tell(tmp_path, capsys):
    """Every 70 steps, first and last included; values as a hook sees them at the same steps."""
    seen = []

    def look(sim):
        seen.append((sim.step_count, sim.time, sim.energy().total, sim.contact_count))

    sim = crowd("spheres")
    sim.run(0.003, output=tmp_path / "run.h5", frames=4, every=(70, look), table=True, table_every=70)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        table = run.table
        assert run.energy["total"][-1] == table["total"][-1]
    assert table.dtype.names == STEPPED
    assert table["step"].tolist() == [0, 70, 140, 210, 280, 300]
    names = ["step", "time", "total", "contacts"]
    assert table[names][1:-1].tolist() == seen
    assert table["contacts"].max() > 10
    assert (table["rate"][1:] > 0).all()
    head, units, *rows = capsys.readouterr().out.splitlines()
    assert tuple(head.split()) == STEPPED
    assert units.split() == ["s", *["J"] * 6, "1/s"]
    assert [int(row.split()[0]) for row in rows] == table["step"].tolist()
    assert [float(row.split()[2]) for row in rows] == pytest.approx(table["kinetic"], rel=1e-5)


def test_names_of_columns_stay_apart(capsys):
    """Those of a deforming cell, of which some are longer than a number."""
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.01, 0.01, 0.01], [0.0199, 0.01, 0.01]])
    sim = dem.Simulation(balls, dem.Cell((0.04,) * 3, rate=(-1.0, 0, 0)), gravity=(0, 0, 0), time_step=1e-5)
    sim.run(3e-5, table=True, table_every=1)
    head, units, *rows = capsys.readouterr().out.splitlines()
    assert tuple(head.split()) == DEFORMING
    assert {len(line) for line in (head, units, *rows)} == {len(head)}
    assert units[: head.index("deviatoric_stress") + len("deviatoric_stress")].endswith("Pa")


def test_the_frames_are_those_of_a_run_without(tmp_path):
    crowd("spheres").run(0.003, output=tmp_path / "plain.h5", frames=7)
    crowd("spheres").run(0.003, output=tmp_path / "told.h5", frames=7, table=True, table_every=11, progress=False)
    assert_same_frames(tmp_path / "plain.h5", tmp_path / "told.h5")
    assert dem.rerun(tmp_path / "told.h5").same
    with h5py.File(tmp_path / "told.h5") as told, h5py.File(tmp_path / "plain.h5") as plain:
        assert told.keys() - plain.keys() == {"table"}
        assert told["parameters"].attrs.keys() - plain["parameters"].attrs.keys() == {"table"}
    with dem.Trajectory(tmp_path / "plain.h5") as run:
        assert len(run.table) == 0


def test_pandas_reads_it_without_us(tmp_path):
    pd = pytest.importorskip("pandas")
    crowd("spheres").run(0.001, output=tmp_path / "run.h5", table="step, kinetic, speed", progress=False)
    with h5py.File(tmp_path / "run.h5") as file:
        frame = pd.DataFrame(file["table"][:])
    assert list(frame.columns) == ["time", "step", "kinetic", "speed"]  # time always
    assert frame["step"].tolist() == list(range(101))  # a hundred rows if nothing else is wanted
    assert (frame["time"] == frame["step"] * 1e-5).all()


def test_all_columns_can_be_had(tmp_path):
    stepped = [name for name in COLUMNS if name not in OF_CELLS and name != "collisions"]
    sim = crowd("spheres")
    sim.run(0.001, output=tmp_path / "run.h5", table=stepped, table_every="0.5 ms", progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        table = run.table
    assert table["step"].tolist() == [0, 50, 100]
    last, energy = table[-1], sim.energy()
    for name in ("translational", "rotational", "mechanical", "elastic", "dissipated", "work"):
        assert last[name] == getattr(energy, name)
    assert last["error"] == sim.energy_error
    assert last["speed"] == np.linalg.norm(sim.particles.velocity, axis=1).max()


def test_hard_spheres_count_collisions(tmp_path, capsys):
    sim = dem.cases()["hard-spheres"](n=50).simulation()
    sim.run(0.2, output=tmp_path / "run.h5", frames=2, table=True, table_every=0.05)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.table.dtype.names == EVENTFUL
        np.testing.assert_allclose(run.table["time"], [0, 0.05, 0.1, 0.15, 0.2], atol=1e-12)
        assert run.table["collisions"][-1] == sim.collisions.total > run.table["collisions"][1] > 0
        assert run.table["error"].max() < 1e-10
    assert len(capsys.readouterr().out.splitlines()) == 7
    with pytest.raises(ValueError, match="there is no column contacts here"):
        sim.run(0.1, table=["time", "contacts"])


@pytest.mark.parametrize("at", [239, 140])
@pytest.mark.few(1)
def test_a_table_goes_on_when_the_run_does(at, tmp_path):
    """Rows are those of a run that was never stopped, but for the rate."""
    options = {"frames": 9, "table": "step,total,rate", "table_every": 70, "checkpoint_every": 100, "progress": False}
    crowd("spheres").run(0.004, output=tmp_path / "whole.h5", **options)

    def stop(sim):
        if sim.step_count == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crowd("spheres").run(0.004, output=tmp_path / "parts.h5", every=(1, stop), **options)
    with pytest.warns(dem.DemWarning, match="no-hook"):
        dem.resume(tmp_path / "parts.h5")
    with dem.Trajectory(tmp_path / "whole.h5") as whole, dem.Trajectory(tmp_path / "parts.h5") as parts:
        assert whole.table[["time", "step", "total"]].tolist() == parts.table[["time", "step", "total"]].tolist()


@pytest.mark.slow
def test_a_table_from_the_command_line(tmp_path):
    path, run = tmp_path / "run.h5", ["run", "many-spheres", "--set", "n=64", "--duration", "0.002"]
    done = CliRunner().invoke(app, [*run, "-o", str(path), "--columns", "time,error", "--table-every", "1ms"])
    assert done.exit_code == 0, done.output
    assert [line.split() for line in done.stdout.splitlines()[:2]] == [["time", "error"], ["s"]]
    with dem.Trajectory(path) as trajectory:
        np.testing.assert_allclose(trajectory.table["time"], [0, 0.001, 0.002], rtol=1e-12)
    assert "table" in CliRunner().invoke(app, ["info", str(path)]).stdout
    quiet = CliRunner().invoke(app, [*run, "-o", str(tmp_path / "quiet.h5"), "--table", "--quiet"])
    assert (quiet.exit_code, quiet.stdout) == (0, "")
    with dem.Trajectory(tmp_path / "quiet.h5") as trajectory:
        assert len(trajectory.table) > 50
    wrong = CliRunner().invoke(app, [*run, "--columns", "tme"])
    assert wrong.exit_code == 2
    assert "unknown column 'tme': did you mean time?" in wrong.stderr


@pytest.mark.parametrize(
    ("columns", "every", "error"),
    [
        (["time", "time"], None, "expected each once"),
        ("energy", None, "unknown column 'energy'"),
        ("collisions", None, "there is no column collisions here"),
        (True, "soon", "table_every is 'soon', expected a number of steps"),
        (True, "1e400", "table_every is '1e400', expected a number of steps"),
    ],
)
def test_a_table_that_cannot_be_is_refused_before_anything_is_written(columns, every, error, tmp_path):
    with pytest.raises(ValueError, match=error):
        crowd("spheres").run(0.001, output=tmp_path / "run.h5", table=columns, table_every=every)
    assert not list(tmp_path.iterdir())


class Recorded:
    """A bar that is looked at."""

    def __init__(self):
        self.shares, self.closed = [], False
        SHOWN.append(self)

    def show(self, done, pace, left):
        self.shares.append(done)

    def close(self):
        self.closed = True


SHOWN = []


@pytest.mark.parametrize(
    ("wanted", "patience", "bars"), [(None, 1e9, 0), (None, 0.0, 1), (True, 1e9, 1), (False, 0.0, 0)]
)
def test_a_bar_shows_if_wanted_or_if_the_run_takes_long(wanted, patience, bars, monkeypatch):
    """And comes to its end at the end."""
    monkeypatch.setattr(progress, "kind_of_bar", lambda: Recorded)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    SHOWN.clear()
    crowd("spheres").run(0.002, frames=3, progress=wanted)
    assert len(SHOWN) == bars
    for bar in SHOWN:
        assert bar.closed
        assert bar.shares == sorted(bar.shares)
        assert bar.shares[-1] == pytest.approx(1)


def test_a_notebook_has_a_line_that_changes(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    class Shell:
        kernel = object()

    module = type(sys)("IPython")
    module.get_ipython, module.display = Shell, type(sys)("IPython.display")
    module.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", module.display)
    crowd("spheres").run(0.002, frames=3, progress=True)
    assert "100%" in shown[-1]
    assert "particle steps/s" in shown[-1]
    assert progress.kind_of_bar() is progress.Notebook


def test_nobody_watches_pipes(monkeypatch):
    """Neither here, where stderr is none of a terminal, nor in a shell of IPython without a kernel."""
    assert progress.kind_of_bar() is None
    assert progress.clock(3725.4) == "1:02:05"
