"""Damaged files are refused in a line by all that read them; kinds of damage are in `damaged_files.py`."""

import io
import re
import shutil
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest
from damaged_files import EVERYBODY, GOING_ON, HARD, REPEATING, SHOWN
from typer.testing import CliRunner

import dem
from dem.casefile import state_files
from dem.cli.application import app

# FILE stands for the trajectory, NEW for a file that is not there, FOLDER for one that is empty, CASE for a case file
READERS = {
    "info": ["info", "FILE"],
    "info as JSON": ["info", "--json", "FILE"],
    "plot": ["plot", "FILE", "-o", "FOLDER", "--format", "svg", "--size", "60", "40"],
    "movie": ["plot", "FILE", "--movie", "NEW.gif", "--seconds", "0.1", "--size", "60", "40"],
    "csv": ["export", "FILE", "--to", "csv", "-o", "NEW.csv"],
    "gsd": ["export", "FILE", "--to", "gsd", "-o", "NEW.gsd"],
    "spheres": ["export", "FILE", "--to", "spheres.vtkhdf", "-o", "NEW.vtkhdf"],
    "replay": ["replay", "FILE", "--plot", "NEW.png"],
    "rerun": ["rerun", "--quiet", "FILE"],
    "last frame": ["check", "CASE"],
    "repair": ["repair", "FILE"],
    "resume": ["run", "--quiet", "--resume", "FILE", "--duration", "5e-5"],
}
CASE = """
time_step = 1e-5
duration = 1e-4
[[particles]]
last_frame = "{}"
"""
IN_FILE = """
time_step = 1e-5
duration = 1e-4
[shapes.ball]
type = "sphere"
diameter = 0.01
[materials.stone]
young = 5e7
poisson = 0.3
density = 1000.0
[[particles]]
shape = "ball"
material = "stone"
file = "{}"
"""


@pytest.fixture(scope="module")
def soft(tmp_path_factory):
    """Two fibres and three balls; some touch each other and the floor, and remember it."""
    stone = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.8, friction=0.3)
    fibre, ball = dem.Fibre(diameter=0.01, aspect_ratio=3), dem.Sphere(diameter=0.01)
    fibres = dem.Particles(fibre, stone, position=[[0.03, 0.07, 0.00498], [0.03, 0.03, 0.03]])
    balls = dem.Particles(ball, stone, position=[[0.06, 0.03, 0.00498], [0.06995, 0.03, 0.00498], [0.06, 0.08, 0.05]])
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), stone, open=["z+"])
    path = tmp_path_factory.mktemp("soft") / "run.h5"
    sim = dem.Simulation(dem.Particles.concatenate([fibres, balls]), box, time_step=1e-6, threads=1)
    sim.run(4e-5, output=path, frames=4, contacts=True, table=["step", "time"], table_every=10, progress=False)
    return path


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    stone = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    places = 0.02 + 0.025 * np.indices((2, 2, 2)).reshape(3, -1).T
    speeds = np.random.default_rng(1).normal(0, 0.5, (8, 3))
    particles = dem.Particles(dem.Sphere(diameter=0.01), stone, position=places, velocity=speeds)
    path = tmp_path_factory.mktemp("hard") / "run.h5"
    sim = dem.HardSpheres(particles, dem.Box((0, 0, 0), (0.07, 0.07, 0.07), stone), restitution=0.9)
    sim.run(0.1, output=path, frames=4)
    return path


def damaged(source, folder, damage):
    """A copy of a trajectory with a damage."""
    path = folder / "run.h5"
    shutil.copy(source, path)
    with h5py.File(path, "r+") as file:
        damage(file)
    return path


def one_line(error):
    return "\n" not in str(error) and len(str(error)) > 20


def invoke(reader, path, folder):
    """Let a command read a file; returns its status and what it says."""
    (folder / "case.toml").write_text(CASE.format(path))
    (folder / "pictures").mkdir(exist_ok=True)
    words = [word.replace("NEW", str(folder / "new")) for word in READERS[reader]]
    places = {"FILE": path, "CASE": folder / "case.toml", "FOLDER": folder / "pictures"}
    return CliRunner().invoke(app, [str(places.get(word, word)) for word in words], catch_exceptions=False)


@pytest.mark.parametrize("name", EVERYBODY)
def test_nobody_reads_it(name, soft, tmp_path):
    path = damaged(soft, tmp_path, EVERYBODY[name])
    with pytest.raises(ValueError, match=r"is damaged: |is not a trajectory|has format") as refused:
        dem.Trajectory(path)
    assert one_line(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("name", GOING_ON)
@pytest.mark.few(30)
def test_nobody_goes_on_from_it(name, soft, tmp_path):
    path = damaged(soft, tmp_path, GOING_ON[name])
    with pytest.raises(ValueError, match=r".") as refused:
        dem.Simulation.load(path)
    assert one_line(refused.value)


@pytest.mark.parametrize("name", ["state not a number", "contact beyond", "kinds of one", "recipe nested"])
def test_who_is_refused_leaves_it_as_it_is(name, soft, tmp_path):
    path = damaged(soft, tmp_path, GOING_ON[name])
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r".") as refused:
        dem.resume(path, duration=5e-5)
    assert one_line(refused.value)
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.parametrize("name", REPEATING)
@pytest.mark.few(1)
def test_nobody_repeats_it(name, soft, tmp_path):
    path = damaged(soft, tmp_path, REPEATING[name])
    for again in (dem.rerun, lambda path: dem.resume(path, duration=5e-5)):
        with pytest.raises(ValueError, match="plan") as refused:
            again(path)
        assert one_line(refused.value)


def test_contacts_of_nobody_are_refused(soft, tmp_path):
    """When they are asked for: frames are not looked at before."""

    def beyond(file):
        rows = file["contacts/rows"][:]
        rows["i"] = 10**6
        file["contacts/rows"][:] = rows

    with dem.Trajectory(damaged(soft, tmp_path, beyond)) as run, pytest.raises(ValueError, match="of others than"):
        run[-1].contact_forces()


def test_a_repaired_file_has_the_contacts_of_all_its_frames(tmp_path):
    """Those that were lost take their frames along, or else the gate would keep all of the file out."""
    stone = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    places = [[0.01 + 0.02 * k, 0.01 + 0.02 * m, 0.00499] for k in range(6) for m in range(6)]
    balls = dem.Particles(dem.Sphere(diameter=0.01), stone, position=places)
    path = tmp_path / "run.h5"
    sim = dem.Simulation(balls, dem.Box((0, 0, 0), (0.12, 0.12, 0.12), stone), time_step=1e-6, threads=1)
    sim.run(4e-5, output=path, frames=40, contacts=True)
    with h5py.File(path) as file:
        chunks = [file["contacts/rows"].id.get_chunk_info(k) for k in range(6)]
    with path.open("r+b") as file:
        file.truncate(chunks[3].byte_offset)  # 768 of 41 x 36 rows are left, where nothing else was written in between
    dem.repair(path)
    with dem.Trajectory(tmp_path / "run-repaired.h5") as saved:
        assert 0 < len(saved) <= 768 // 36
        assert all(len(frame.contact_forces().i) == 36 for frame in saved)


@pytest.mark.parametrize("name", ["material a shape", "no variants at all", "shape of lists"])
def test_shapes_that_cannot_be_made_are_refused(name, soft, tmp_path):
    """Those of the start, which who goes on from the latest checkpoint never asks for."""
    path = damaged(soft, tmp_path, GOING_ON[name])
    with h5py.File(path, "r+") as file:
        file.move("restart/start", "restart/before")
        file.move("restart/latest", "restart/start")
    with dem.Trajectory(path) as run, pytest.raises(ValueError, match=r".") as refused:
        _ = run.shapes
    assert one_line(refused.value)


@pytest.mark.parametrize("name", HARD)
@pytest.mark.few(4)
def test_no_hard_spheres_go_on_from_it(name, hard, tmp_path):
    path = damaged(hard, tmp_path, HARD[name])
    with pytest.raises(ValueError, match=r".") as refused:
        dem.HardSpheres.load(path)
    assert one_line(refused.value)


@pytest.mark.slow
def test_what_nothing_was_done_to_is_read_by_all(soft, hard, tmp_path):
    """The gate keeps nothing out that was written here; who draws is left to the tests of pictures."""
    for source in (soft, hard):
        for reader in ("info", "info as JSON", "csv", "spheres", "replay", "rerun", "last frame", "repair"):
            folder = tmp_path / source.parent.name / reader
            folder.mkdir(parents=True)
            result = invoke(reader, damaged(source, folder, lambda _: None), folder)
            assert (result.exit_code, "dem: " in result.stderr) == (0, False), reader


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.few(7)
def test_every_command_refuses_in_one_line(reader, soft, tmp_path):
    path = damaged(soft, tmp_path, EVERYBODY["made of itself"])
    result = invoke(reader, path, tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith("dem: ")
    assert (result.stderr.count("\n"), result.stdout) == (1, "")
    assert "is made of data that are somewhere else" in result.stderr


DRAWN = ("plot", "movie", "gsd", "spheres")  # which take their time, and never look at checkpoints
ALL = {"everybody": EVERYBODY, "going on": GOING_ON, "repeating": REPEATING, "hard": HARD, "shown": SHOWN}


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # of numpy and matplotlib, for what is beyond counting
@pytest.mark.parametrize(("table", "name"), [(table, name) for table, damages in ALL.items() for name in damages])
def test_no_command_stumbles_over_it(table, name, soft, hard, tmp_path):
    """All that read, on all that can be wrong: the work is done, or refused in a line."""
    for reader in READERS:
        if reader in DRAWN and table not in ("everybody", "shown"):
            continue
        folder = tmp_path / reader
        folder.mkdir()
        path = damaged(hard if table == "hard" else soft, folder, ALL[table][name])
        result = invoke(reader, path, folder)
        assert result.exit_code in ({2} if table == "everybody" else {0, 1, 2}), reader
        if result.exit_code == 2:
            assert result.stderr.startswith("dem: "), reader
            assert result.stderr.count("\n") == 1, reader


def packed(path, **arrays):
    np.savez_compressed(path, **arrays)
    return path.read_bytes()


def header_of(shape, dtype="<f8"):
    """A file of numpy's that promises an array and has nothing of it."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"shape": shape, "fortran_order": False, "descr": dtype})
    return file.getvalue()


def archive(path, **entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(f"{name}.npy", content)


def test_a_command_that_repairs_no_hdf5_file_ends_with_its_own_status(tmp_path):
    """Objects of HDF5 in the frames of an error would crash the process at its end."""
    (tmp_path / "junk.h5").write_text("this is not HDF5")
    script = "import sys; sys.argv[1:] = ['repair', 'junk.h5']; from dem.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "dem: junk.h5 is no HDF5 file, so no trajectory\n"


def test_an_archive_with_a_byte_changed_is_refused_or_the_same(tmp_path, rng):
    """Its checksums tell; bytes that nobody reads, such as the dates, do not matter."""
    path, right = tmp_path / "state.npz", 0
    position = rng.normal(size=(4, 3))
    data = packed(path, position=position)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x55
        path.write_bytes(changed)
        try:
            found = state_files.state(path)
        except ValueError as error:
            told = str(error)
            right += str(path) in told and "\n" not in told
        else:
            np.testing.assert_array_equal(found["position"], position)
            right += 1
    assert right == len(data)


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ({"position": header_of((10**10, 3))}, "would take 240 GB of memory|claims 240000000000 bytes"),
        ({"position": header_of((10**6, 3))}, "claims 24000000 bytes"),
        ({"position": b"nothing"}, "expected|readable|pickle|magic"),
        ({"position": header_of((2, 3), "|O")}, "Object arrays cannot be loaded"),
    ],
)
def test_an_archive_that_promises_more_is_refused(entries, complaint, tmp_path):
    path = tmp_path / "state.npz"
    archive(path, **entries)
    (tmp_path / "mine.toml").write_text(IN_FILE.format("state.npz"))
    result = CliRunner().invoke(app, ["check", str(tmp_path / "mine.toml")], catch_exceptions=False)
    assert result.exit_code == 2
    assert re.search(complaint, result.stderr)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"x,y,z\n1,2,\x00\n", "no readable CSV file|expected 3 numbers"),
        (b"x,y,z\n1,2," + b"9" * 200_000, "no readable CSV file"),
        (b"x,y,z\n\xff\xfe,2,3\n", "no readable CSV file"),
        (b"frame,x,y,z\nnan,1,2,3\n", "values in its column frame that are not finite"),
        (b"x,y,z\n1,2,nan\n", "not finite"),
    ],
)
def test_a_table_that_is_none_is_refused(content, complaint, tmp_path):
    (tmp_path / "state.csv").write_bytes(content)
    (tmp_path / "mine.toml").write_text(IN_FILE.format("state.csv"))
    result = CliRunner().invoke(app, ["check", str(tmp_path / "mine.toml")], catch_exceptions=False)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert re.search(complaint, result.stderr)
