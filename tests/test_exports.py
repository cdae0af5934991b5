"""Exports, read back with the libraries that are to read them."""

import csv
import resource
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import gsd.hoomd
import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner
from viewers import point_data, points, vtk_frames

import dem
from dem.cli.application import app
from dem.files import exports
from dem.files.exports.hoomd_gsd import FixedCell
from dem.files.reading import stored_field
from dem.files.writing.trajectory_writer import check_output

EPS = float(np.finfo(np.float32).eps)
STATE = ("position", "velocity", "orientation", "angular_velocity")


@pytest.fixture
def path(scattered, tmp_path):
    scattered.run(0.02, output=tmp_path / "run.h5", frames=5)
    return tmp_path / "run.h5"


@pytest.fixture
def balls(nylon, ball, tmp_path):
    """Two balls without a box, of which only positions and velocities are stored."""
    particles = dem.Particles(ball, nylon, position=[[0, 0, 0], [0, 1, 0]], velocity=[[2.0, 0, 0], [0, 0, 1.0]])
    sim = dem.Simulation(particles, time_step=1e-5, threads=1)
    sim.run(0.02, output=tmp_path / "balls.h5", frames=5, fields=["position", "velocity"])
    return tmp_path / "balls.h5"


@contextmanager
def file_size_limit(room):
    """No file may become larger than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def rotations(quaternions):
    return Rotation.from_quat(np.asarray(quaternions)[:, [1, 2, 3, 0]])


# spheres.vtkhdf


@pytest.mark.slow
def test_spheres_are_where_their_bodies_carry_them(path):
    with dem.Trajectory(path) as run:
        time, kind, variants, variant = run.time, run.kind, run.variants, run.variant
        state = {name: getattr(run, name)[:] for name in STATE}
    target = dem.export(path, "spheres.vtkhdf")
    assert target == path.with_suffix(".spheres.vtkhdf")
    path.unlink()  # it stands on its own
    frames = vtk_frames(target)
    assert [t for t, _ in frames] == time.tolist()
    owner = np.concatenate([np.full(len(variants[v].radii), i) for i, v in enumerate(variant)])
    offset = np.concatenate([variants[v].offsets for v in variant])
    for k, (_, shown) in enumerate(frames):
        x, v, q, omega = (state[name][k][owner] for name in STATE)
        arm = rotations(q).apply(offset)
        data = point_data(shown)
        # two ways to turn differ by rounding: of arms of 1 cm in positions of 1 dm, and of speeds of 1 m/s
        np.testing.assert_allclose(points(shown), x + arm, rtol=0, atol=1e-16)
        np.testing.assert_allclose(data["velocity"], v + np.cross(omega, arm), rtol=0, atol=1e-15)
        np.testing.assert_array_equal(data["radius"], np.concatenate([variants[v].radii for v in variant]))
        np.testing.assert_array_equal(data["owner"], owner)
        np.testing.assert_array_equal(data["kind"], kind[owner])
        assert shown.GetNumberOfVerts() == len(owner)


def test_balls_need_no_orientation_and_float32_stays(nylon, ball, tmp_path):
    sim = dem.Simulation(dem.Particles(ball, nylon, position=[[0, 0, 1]]), time_step=1e-5, threads=1)
    sim.run(0.02, output=tmp_path / "a.h5", frames=5, fields=["position", "velocity"], float32=True)
    frames = vtk_frames(dem.export(tmp_path / "a.h5", "spheres.vtkhdf", frames=slice(1, None, 2)))
    with dem.Trajectory(tmp_path / "a.h5") as run:
        assert [time for time, _ in frames] == run.time[1::2].tolist()
        for k, (_, shown) in zip((1, 3, 5), frames, strict=True):
            np.testing.assert_array_equal(points(shown), run.position[k], strict=True)
            np.testing.assert_array_equal(point_data(shown)["velocity"], run.velocity[k], strict=True)


# contacts.vtkhdf


def test_contacts_that_were_not_written_are_asked_for(path):
    with pytest.raises(ValueError, match=r"has no contacts: run with contacts=True"):
        dem.export(path, "contacts.vtkhdf")


# gsd


def test_gsd_holds_the_state_in_single_precision(path):
    with dem.Trajectory(path) as run, gsd.hoomd.open(dem.export(path, "gsd")) as frames:
        assert len(frames) == 6
        centre, size = frames[0].log["box_centre"], np.array(run.input["box"]["upper"])
        inertia = np.array([variant.inertia for variant in run.variants])[run.variant]
        crossed = 0
        for k, frame in enumerate(frames):
            bodies = frame.particles
            assert (frame.configuration.step, frame.log["time"][0]) == (run.step[k], run.time[k])
            np.testing.assert_array_equal(frame.configuration.box, np.float32([0.2, 0.2, 0.2, 0, 0, 0]))
            half = frame.configuration.box[:3] / 2
            assert (bodies.position >= -half).all()
            assert (bodies.position < half).all()
            back = bodies.position + bodies.image * size + centre
            np.testing.assert_allclose(back, run.position[k], rtol=0, atol=EPS * 0.1)  # of half a box
            assert (bodies.image[:, 2] == 0).all()  # there are walls
            crossed += np.count_nonzero(bodies.image)
            for name in ("velocity", "orientation"):
                np.testing.assert_array_equal(getattr(bodies, name), getattr(run, name)[k].astype(np.float32))
            omega = run.angular_velocity[k]
            np.testing.assert_array_equal(frame.log["particles/angular_velocity"], omega.astype(np.float32))
            # I ω in the body frame is the vector part of q* P / 2, as HOOMD-blue takes it
            turn = rotations(run.orientation[k])
            spin = inertia * turn.inv().apply(omega)
            w, v, p = bodies.orientation[:, :1], bodies.orientation[:, 1:], bodies.angmom
            shown = (w * p[:, 1:] - p[:, :1] * v - np.cross(v, p[:, 1:])) / 2
            np.testing.assert_allclose(shown, spin, rtol=0, atol=20 * EPS * np.abs(spin).max())  # some twenty roundings
            energy = (shown**2 / bodies.moment_inertia).sum() / 2
            np.testing.assert_allclose(energy, run.energy["rotational"][k], rtol=50 * EPS)
        assert crossed


def test_gsd_says_what_the_bodies_are(path):
    with dem.Trajectory(path) as run, gsd.hoomd.open(dem.export(path, "gsd")) as frames:
        variants, bodies = run.variants, frames[5].particles
        assert bodies.types == ["fibre", "sphere", "sphere-2", "fibre-2"]
        np.testing.assert_array_equal(bodies.typeid, run.kind)
        assert bodies.type_shapes[1:3] == [{"type": "Sphere", "diameter": 0.01}, {"type": "Sphere", "diameter": 0.017}]
        for k in (0, 3):
            shape = bodies.type_shapes[k]
            assert shape["type"] == "SphereUnion"
            np.testing.assert_array_equal(shape["centers"], variants[k].offsets)
            np.testing.assert_array_equal(shape["diameters"], 2 * variants[k].radii)
        for name in ("mass", "inertia"):
            stored = getattr(bodies, "moment_inertia" if name == "inertia" else name)
            wanted = np.array([getattr(variant, name) for variant in variants])[run.variant]
            np.testing.assert_array_equal(stored, wanted.astype(np.float32))
        for name, values in run.energy.items():
            assert [frame.log[f"{name}_energy"][0] for frame in frames] == values.tolist()
        assert not frames.file.chunk_exists(frame=5, name="particles/mass")  # stored once


def test_without_a_box_all_spheres_are_in_that_of_the_gsd_file(balls):
    with dem.Trajectory(balls) as run, gsd.hoomd.open(dem.export(balls, "gsd")) as frames:
        ends = []
        for k, frame in enumerate(frames):
            half = frame.configuration.box[:3] / 2
            ends.append(np.abs(frame.particles.position).max(axis=0) + 0.005 - half)
            back = frame.particles.position + frames[0].log["box_centre"]
            np.testing.assert_allclose(back, run.position[k], rtol=0, atol=EPS)  # of a box of 1 m
        np.testing.assert_allclose(np.max(ends, axis=0), 0, atol=EPS)  # and it is no larger


def test_who_leaves_through_an_open_face_is_in_the_box_of_the_gsd_file(nylon, ball, tmp_path):
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), nylon, open=["z+"])
    rising = dem.Particles(ball, nylon, position=[[0.05, 0.05, 0.09]], velocity=[[0, 0, 2.0]])
    dem.Simulation(rising, box, time_step=1e-5, threads=1).run(0.05, output=tmp_path / "a.h5", frames=5)
    with dem.Trajectory(tmp_path / "a.h5") as run:
        top = run.position[:, 0, 2].max()
    with gsd.hoomd.open(dem.export(tmp_path / "a.h5", "gsd")) as frames:
        height = top + 0.005  # with its radius
        np.testing.assert_allclose(frames[3].configuration.box[:3], [0.1, 0.1, height], rtol=EPS)
        np.testing.assert_allclose(frames[0].log["box_centre"], [0.05, 0.05, height / 2], rtol=1e-15)


def test_gsd_wraps_into_the_half_open_box():
    cell = FixedCell(np.array([0.1, -1.0, 0.0]), np.array([0.3, 2.0, 1.0]), np.array([True, True, False]))
    upper = cell.lower + cell.size
    rows = [cell.lower, upper, np.nextafter(upper, -9), np.nextafter(cell.lower, -9), cell.lower - 5.25 * cell.size]
    inside, image = cell.wrap(np.array(rows))
    half, shown = (cell.size / 2).astype(np.float32), inside.astype(np.float32)
    assert (shown[:, :2] >= -half[:2]).all()
    assert (shown[:, :2] < half[:2]).all()
    assert image[:, 2].tolist() == [0] * 5
    np.testing.assert_allclose(inside + image * cell.size + cell.centre, rows, rtol=0, atol=EPS * 6)  # single precision


# csv


def test_csv_reads_back_to_the_bit(path):
    target = dem.export(path, "csv", frames=slice(None, None, 2))
    with target.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [
        "frame", "step", "time [s]", "particle", "kind", "x [m]", "y [m]", "z [m]", "v_x [m/s]", "v_y [m/s]",
        "v_z [m/s]", "q_w", "q_x", "q_y", "q_z", "omega_x [rad/s]", "omega_y [rad/s]", "omega_z [rad/s]",
    ]  # fmt: skip
    with dem.Trajectory(path) as run:
        n = len(run.kind)
        assert len(rows) == 3 * n
        for row in rows:
            k, i = int(row[0]), int(row[3])
            assert (int(row[1]), float(row[2]), int(row[4])) == (run.step[k], run.time[k], run.kind[i])
        assert [(int(row[0]), int(row[3])) for row in rows] == [(k, i) for k in (0, 2, 4) for i in range(n)]
        table = np.array([[float(value) for value in row[5:]] for row in rows]).reshape(3, n, 13)
        np.testing.assert_array_equal(table, np.concatenate([getattr(run, name)[::2] for name in STATE], axis=2))


def test_csv_of_some_fields(balls):
    target = dem.export(balls, "csv", balls.with_name("some.csv"), fields=["velocity"], frames=-1)
    first, *_ = lines = target.read_text().splitlines()
    assert first == "frame,step,time [s],particle,kind,v_x [m/s],v_y [m/s],v_z [m/s]"
    assert len(lines) == 3
    assert lines[2].startswith("5,2000,0.02,1,0,0.0,0.0,")


# what all have in common


def test_blocks_of_frames_are_read_at_a_time(path, monkeypatch):
    """Of frames that are larger than a block, one is."""
    monkeypatch.setattr(stored_field, "BLOCK", 1)
    read, plain = [], h5py.Dataset.__getitem__

    def counting(dataset, key, **options):
        values = plain(dataset, key, **options)
        if dataset.name.split("/")[-2] in STATE and dataset.name.endswith("value"):
            read.append(values.size)
        return values

    monkeypatch.setattr(h5py.Dataset, "__getitem__", counting)
    for to in set(exports.FORMATS) - {"walls.vtkhdf", "contacts.vtkhdf"}:  # of which there are none
        dem.export(path, to)
    assert max(read) == 4 * 16  # the orientations of one frame


@pytest.mark.parametrize("to", sorted(set(exports.FORMATS) - {"walls.vtkhdf", "contacts.vtkhdf"}))
def test_an_output_appears_when_it_is_complete(path, tmp_path, monkeypatch, to):
    out, plain, calls = tmp_path / "out", h5py.Dataset.__getitem__, []

    def failing(dataset, key, **options):
        calls.append(dataset.name)
        if calls.count("/particles/trajectory/velocity/value") == 3:
            message = "the disk is gone"
            raise OSError(message)
        return plain(dataset, key, **options)

    out.write_text("precious")
    monkeypatch.setattr(stored_field, "BLOCK", 1)  # so that frames are read one by one
    monkeypatch.setattr(h5py.Dataset, "__getitem__", failing)
    with pytest.raises(OSError, match=f"output {out} cannot be written: the disk is gone"):
        dem.export(path, to, out, overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "run.h5"]
    assert out.read_text() == "precious"


@pytest.mark.parametrize("to", ["h5md", "spheres.vtkhdf", "surfaces.vtkhdf"])
@pytest.mark.few(1)
def test_a_full_disk_ends_an_export_with_one_error(path, tmp_path, to):
    """At any byte: HDF5 may meet it when a data set is written, or not before the file is closed."""
    size = dem.export(path, to).stat().st_size
    there = sorted(tmp_path.iterdir())
    for room in (10, size // 4, size // 2, size - 10):
        with file_size_limit(room), pytest.raises(OSError, match=r"output .*full cannot be written: file too large"):
            dem.export(path, to, tmp_path / "full")
    assert sorted(tmp_path.iterdir()) == there


def test_surfaces_that_do_not_fit_on_the_disk_are_refused_before_it_is_filled(balls, tmp_path, monkeypatch):
    """Those of many spheres have some forty times as many bytes as their trajectory."""
    size = dem.export(balls, "surfaces.vtkhdf", tmp_path / "a.vtkhdf").stat().st_size
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=size // 2))
    with pytest.raises(ValueError, match=r"takes .* bytes, some 384 triangles in each frame, and .* bytes are free"):
        dem.export(balls, "surfaces.vtkhdf", tmp_path / "b.vtkhdf")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.vtkhdf", "balls.h5"]
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=size))
    dem.export(balls, "surfaces.vtkhdf", tmp_path / "b.vtkhdf")


def test_a_full_disk_ends_a_save_with_one_error(nylon, ball, tmp_path):
    sim = dem.Simulation(dem.Particles(ball, nylon, position=[[0, 0, 0]]), time_step=1e-5)
    sim.save(tmp_path / "state.h5")
    before = (tmp_path / "state.h5").read_bytes()
    for room in (10, len(before) // 2, len(before) - 10):
        with file_size_limit(room), pytest.raises(OSError, match=r"state\.h5 cannot be written: file too large"):
            sim.save(tmp_path / "state.h5")
    assert [each.name for each in tmp_path.iterdir()] == ["state.h5"]
    assert (tmp_path / "state.h5").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            ["csw"],
            {},
            ValueError,
            "unknown format 'csw': did you mean csv\\? known are csv, gsd, h5md, spheres.vtkhdf",
        ),
        (["csv"], {"fields": ["velocty"]}, ValueError, "unknown field of csv 'velocty': did you mean velocity"),
        (["csv"], {"fields": ["orientation"]}, ValueError, "holds no orientation, which csv needs for orientation: it"),
        (
            ["gsd"],
            {"fields": ["angular_momentum"]},
            ValueError,
            "holds no orientation, which gsd needs for angular_mom",
        ),
        (["csv"], {"frames": slice(6, None)}, ValueError, "has no frames 6:: it has 0 to 5"),
        (["csv"], {"frames": 6}, ValueError, "has no frames 6: it has 0 to 5"),
        (["csv"], {"frames": slice(None, None, -1)}, ValueError, "every -1th frame cannot be taken"),
        (
            ["csv"],
            {"frames": "::10"},
            TypeError,
            r"frames is '::10', expected a whole number or a slice",
        ),
        (
            ["csv"],
            {"frames": slice(0, 1.5)},
            TypeError,
            r"frames is slice\(0, 1.5, None\), expected a whole",
        ),
        (["csv", "mine"], {}, FileExistsError, "output mine exists already: choose another name, or --overwrite"),
        (["csv", "mine"], {"overwrite": "no"}, TypeError, "overwrite is 'no', expected True or False"),
        (["csv", "."], {"overwrite": True}, OSError, "output . cannot be written: it is a folder"),
        (["csv", "no/such"], {}, OSError, "output no/such cannot be written: there is no folder no"),
        (["csv", "a.gsd"], {}, ValueError, "output a.gsd ends in .gsd, but csv is asked for: let it end in .csv"),
        (["gsd", "a.h5"], {}, ValueError, "output a.h5 ends in .h5, but gsd is asked for: let it end in .gsd$"),
        (["csv", "balls.h5"], {"overwrite": True}, OSError, "output balls.h5 cannot be written: it is the trajectory"),
    ],
)
@pytest.mark.few(6)
def test_what_cannot_be_exported_is_refused(balls, monkeypatch, tmp_path, arguments, options, error, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(error, match=message):
        dem.export(balls, *arguments, **options)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["balls.h5", "mine"]
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_run_that_is_to_be_a_table_is_told_of_exports(scattered, tmp_path):
    with pytest.raises(ValueError, match=r"output .*run\.csv ends in \.csv, but a trajectory is HDF5") as told:
        scattered.run(1e-4, output=tmp_path / "run.csv")
    assert all(name in str(told.value) for name in exports.FORMATS)
    assert not [*tmp_path.iterdir()]
    for name in ("run", "run.H5", "run.hdf5", "run.h5md", "run.vtkhdf"):
        assert check_output(tmp_path / name, overwrite=False).name == name


def test_a_text_does_not_let_a_run_overwrite_a_file(scattered, tmp_path):
    """Any text counted as True, "no" and "False" too."""
    path = tmp_path / "run.h5"
    scattered.run(1e-4, output=path, frames=1)
    before = path.read_bytes()
    with pytest.raises(TypeError, match="overwrite is 'no', expected True or False"):
        scattered.run(1e-4, output=path, frames=1, overwrite="no")
    assert path.read_bytes() == before


def test_fibres_without_orientation_are_not_drawn(scattered, tmp_path):
    scattered.run(1e-4, output=tmp_path / "a.h5", frames=1, fields=["position"])
    for to in ("gsd", "spheres.vtkhdf"):
        with pytest.raises(ValueError, match=f"holds no orientation, which {to} needs for position: it has position"):
            dem.export(tmp_path / "a.h5", to)


def test_without_gsd_it_says_so(balls, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "gsd.hoomd", None)
    with pytest.raises(ImportError, match=r"export to GSD needs gsd.*pip install 'pcdm-dem\[gsd\]'"):
        dem.export(balls, "gsd")
    assert [p.name for p in tmp_path.iterdir()] == ["balls.h5"]


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["export", *words], catch_exceptions=False)


def test_the_command(balls, cli, tmp_path):
    result = cli("balls.h5", "--to", "csv", "-o", "a.csv", "--fields", "position, velocity", "--frames", "1:-1:2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"a.csv: {(tmp_path / 'a.csv').stat().st_size} bytes\n"
    assert [line.split(",")[0] for line in (tmp_path / "a.csv").read_text().splitlines()] == ["frame", *"1133"]
    assert cli("balls.h5", "-o", "a.csv", "--frames", "-1", "--overwrite").exit_code == 0
    assert [line.split(",")[0] for line in (tmp_path / "a.csv").read_text().splitlines()] == ["frame", *"55"]


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (
            ["balls.h5"],
            "dem: give --to csv, gsd, h5md, spheres.vtkhdf, surfaces.vtkhdf, walls.vtkhdf, contacts.vtkhdf, or the",
        ),
        (
            ["balls.h5", "-o", "a.xyz"],
            "dem: give --to csv, gsd, h5md, spheres.vtkhdf, surfaces.vtkhdf, walls.vtkhdf, contacts.vtkhdf, or the",
        ),
        (["balls.h5", "--to", "cvs"], "dem: unknown format 'cvs': did you mean csv?"),
        (["balls.h5", "--to", "csv", "--frames", "a:b"], "dem: --frames a:b: expected a number, or A:B:C"),
        (["balls.h5", "--to", "csv", "--frames", "::0"], "dem: --frames ::0: expected a number, or A:B:C"),
        (["balls.h5", "--to", "csv", "--fields", "speed"], "dem: unknown field of csv 'speed'"),
        (["balls.h5", "--to", "csv", "-o", "mine"], "dem: output mine exists already"),
        (["mine", "--to", "csv"], "dem: mine is no HDF5 file, so no trajectory"),
        (["none.h5", "--to", "csv"], "dem: no file none.h5"),
    ],
)
@pytest.mark.few(1)
def test_bad_input_gets_a_line_and_status_2(balls, cli, tmp_path, words, start):
    (tmp_path / "mine").write_text("precious")
    result = cli(*words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(start)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["balls.h5", "mine"]
