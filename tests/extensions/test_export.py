"""An export format of one's own, registered by one call: in Python and on the command line."""

import pytest
from typer.testing import CliRunner

import dem
from dem.base import imports
from dem.cli.application import app
from dem.files import exports


def write(run, path, frames, fields):
    """Extended XYZ: the number of particles, a comment, and a row for each."""
    assert "position" in fields
    blocks = []
    for k in frames:
        rows = "".join(f"S {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in run.position[k].tolist())
        blocks.append(f"{len(run.position[k])}\ntime={run.time[k]:.9g}\n{rows}")
    path.write_text("".join(blocks))


@pytest.fixture(autouse=True)
def xyz():
    """The whole extension."""
    dem.register_export("xyz", write, endings=(".xyz",), always=("position",))
    yield
    exports.unregister_export("xyz")


@pytest.fixture
def run(tmp_path):
    """A ball that flies at 1 m/s for 0.2 s."""
    wood = dem.Material(young=1e6, poisson=0.3, density=500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), wood, position=[(0, 0, 0)], velocity=[(1.0, 0, 0)])
    sim = dem.Simulation(ball, time_step=1e-3, gravity=(0, 0, 0))
    sim.run(0.2, output=tmp_path / "run.h5", frames=2)
    return tmp_path / "run.h5"


EXPECTED = "1\ntime=0\nS 0 0 0\n1\ntime=0.1\nS 0.1 0 0\n1\ntime=0.2\nS 0.2 0 0\n"


def test_python_writes_it(run):
    assert dem.export(run, "xyz").read_text() == EXPECTED
    assert (
        dem.export(run, "xyz", run.with_name("last.xyz"), frames=-1).read_text()
        == EXPECTED[-len("1\ntime=0.2\nS 0.2 0 0\n") :]
    )


@pytest.mark.parametrize("words", [["--to", "xyz"], ["-o", "other.xyz"]])
def test_the_command_line_writes_it(run, words, monkeypatch):
    monkeypatch.chdir(run.parent)
    done = CliRunner().invoke(app, ["export", str(run), *words])
    assert done.exit_code == 0, done.output
    (written,) = run.parent.glob("*.xyz")
    assert written.read_text() == EXPECTED


def test_unknown_formats_and_names_that_are_taken_are_refused(run):
    with pytest.raises(ValueError, match="unknown format 'xzy': did you mean xyz"):
        dem.export(run, "xzy")
    with pytest.raises(ValueError, match="name of an export is 'csv'"):
        dem.register_export("csv", write, endings=(".csv",))


def test_a_package_that_cannot_be_loaded_is_named(run, monkeypatch):
    class Entry:
        name, value = "theirs", "their_package:format"

        def load(self):
            raise ImportError

    monkeypatch.setattr(imports, "entry_points", lambda group: [Entry()])
    with pytest.raises(ValueError, match="format theirs cannot be loaded from their_package:format: ImportError"):
        dem.export(run, "theirs")
    assert dem.export(run, "xyz").read_text() == EXPECTED  # in spite of that package


def test_a_package_that_does_not_register_its_format_is_named(run, monkeypatch):
    class Entry:
        name, value = "theirs", "their_package:format"

        def load(self):
            return None

    monkeypatch.setattr(imports, "entry_points", lambda group: [Entry()])
    with pytest.raises(ValueError, match="format theirs: their_package:format does not register it"):
        dem.export(run, "theirs")
