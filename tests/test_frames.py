"""Reading runs: frames by number and by time, parts, spheres, tables, and how little is read for it."""

import itertools
import json
import shutil
import sys
import zlib
from dataclasses import asdict

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem import statistics
from dem.cli.application import app
from dem.cli.commands.info import NOT_OF_CASES, UNITS, _value, _words

FIELDS = ("position", "velocity", "orientation", "angular_velocity")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of nine fibres of 21 frames, 0.01 s apart, with impacts."""
    path = tmp_path_factory.mktemp("run") / "run.h5"
    sim = dem.cases()["nine-fibres"](time_step=1e-5, threads=1).simulation()
    verdict = sim.run(0.2, output=path, frames=20)
    return path, sim, verdict


@pytest.fixture
def path(finished, tmp_path):
    """A copy of its own."""
    return shutil.copy(finished[0], tmp_path / "run.h5")


@pytest.fixture
def run(finished):
    with dem.Trajectory(finished[0]) as opened:
        yield opened


def stored(path, name):
    with h5py.File(path) as file:
        return file[f"particles/trajectory/{name}/value"][:]


# frames and parts


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize(
    "key",
    [
        -1, 20, slice(None), slice(3, 9, 2), slice(None, None, -3), slice(9, 9), [4, 1, 1, -2], np.arange(21) % 5 == 0,
        (slice(None), 3), (2, [1, 5]), (..., 0), (slice(5, 2, -1), slice(2, 4), 1), (3, ..., 1), (slice(2, 4), ...),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.few(30)
def test_fields_are_sliced_like_arrays(run, finished, name, key):
    values = stored(finished[0], name)
    np.testing.assert_array_equal(getattr(run, name)[key], values[key])
    np.testing.assert_array_equal(getattr(run[4:18:2], name)[-2, 1:3], values[4:18:2][-2, 1:3])


def test_a_field_looks_like_an_array(run):
    position = run.position
    assert position.shape == (21, 9, 3) == np.asarray(position).shape
    assert (len(position), position.ndim, position.dtype, position.unit) == (21, 3, np.float64, "m")
    assert repr(position) == "<position: 21 x 9 x 3, m, on disk: slice it to read>"


def test_frames_by_number(run, finished):
    for number in (10, -11, np.int64(10)):
        frame = run[number]
        assert (frame.index, frame.step) == (10, 10_000)
        assert frame.time == pytest.approx(0.1, rel=1e-15)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(frame, name), stored(finished[0], name)[10])
        assert frame.energy == {name: values[10] for name, values in run.energy.items()}
    assert repr(run[10]) == "<Frame 10: t = 0.1 s, step 10000>"
    assert [frame.index for frame in run] == list(range(21))
    with pytest.raises(IndexError, match="frame 21 of 21, expected -21 to 20"):
        run[21]


def test_parts_are_runs(run):
    part = run[10:20:2]
    assert (len(part), part.frames) == (5, range(10, 20, 2))
    np.testing.assert_array_equal(part.time, run.time[10:20:2])
    np.testing.assert_array_equal(part.energy["total"], run.energy["total"][10:20:2])
    assert part[1:][-1].index == 18
    assert [frame.index for frame in part[::-1]] == [18, 16, 14, 12, 10]
    assert len(run) == 21
    assert len(run[5:5].position[:]) == 0


def test_frames_by_time(run):
    assert run.at(0.104).index == 10
    assert run.at(0.106).index == 11
    assert run.at(0.2049).index == 20  # not quite the end of the run
    part = run.between(0.05, 0.1)
    assert part.frames == range(5, 11)  # though 5 * 0.01 is not 0.05 to the last bit
    assert part[::-1].between(0.07, 0.08).frames == range(8, 6, -1)
    assert run[0:1].at(0.0).index == 0
    with pytest.raises(ValueError, match=r"no frame at 0\.3 s: there are 21, from 0 to 0\.2 s"):
        run.at(0.3)
    with pytest.raises(ValueError, match="no frame at nan s"):
        run.at(float("nan"))
    with pytest.raises(ValueError, match=r"no frame between 0\.051 and 0\.052 s: there are 21"):
        run.between(0.051, 0.052)
    with pytest.raises(ValueError, match="no frame at 0 s: there are none"):
        run[0:0].at(0)


def test_a_run_says_what_it_is(path):
    run = dem.Trajectory(path)
    assert repr(run) == (
        f"<Trajectory {path}: 21 frames, 0 to 0.2 s; 9 x fibre (Fibre, diameter 0.01, aspect_ratio 3, spheres 5, "
        "spacing 0.005); position, velocity, orientation, angular_velocity>"
    )
    frame, position = run[3], run.position
    run.close()
    assert repr(run) == f"<Trajectory {path}: closed>"
    assert "closed" in repr(position)
    with pytest.raises(ValueError, match="the trajectory is closed: read what is wanted before"):
        position[0]
    with pytest.raises(ValueError, match="closed"):
        frame.velocity  # noqa: B018


def test_a_frame_cut_short_does_not_count(path):
    """A writer that is killed leaves values whose step is missing."""
    with h5py.File(path, "r+") as file:
        last = file["particles/trajectory/position/value"][19]
        for name in ("step", "time"):
            file[f"particles/trajectory/position/{name}"].resize(20, axis=0)
    with dem.Trajectory(path) as run:
        assert run.position.shape == (20, 9, 3)
        np.testing.assert_array_equal(run.position[-1], last)
        np.testing.assert_array_equal(run.position[:][-1], last)


def test_fields_that_are_not_there(path):
    with h5py.File(path, "r+") as file:
        del file["particles/trajectory/velocity"], file["particles/trajectory/orientation"]
    with dem.Trajectory(path) as run:
        assert run.fields == ("position", "angular_velocity")
        for name in ("velocity", "orientation", "axis"):
            with pytest.raises(ValueError, match=f"no {name}: its fields are position, angular_velocity$"):
                getattr(run, name)
        with pytest.raises(ValueError, match="no orientation"):
            run.spheres(0)
        with pytest.raises(ValueError, match="has no force: its fields are"):
            run.to_pandas(["position", "force"])
        assert list(run.to_pandas().columns[-3:]) == ["omega_x", "omega_y", "omega_z"]


def test_only_the_chunks_of_a_frame_are_read(path):
    """All chunks but those of frame 7 are garbage that decompression trips over."""
    with h5py.File(path, "r+") as file:
        group = file["particles/trajectory"]
        for name in FIELDS:
            values = group[f"{name}/value"][:]
            del group[f"{name}/value"]
            chunk = (1, 4, values.shape[-1])
            written = group[name].create_dataset("value", values.shape, float, chunks=chunk, compression="gzip")
            for frame in range(21):
                for first in (0, 4, 8):
                    block = np.zeros(chunk[1:])
                    block[: 9 - first] = values[frame, first : first + 4]
                    data = zlib.compress(block.tobytes()) if frame == 7 else b"garbage"
                    written.id.write_direct_chunk((frame, first, 0), data)
    with dem.Trajectory(path) as run:
        frame = run.at(0.07)
        assert frame.spheres().centres.shape == (45, 3)
        assert frame.kinetic_energies().translational.sum() == pytest.approx(run.energy["translational"][7])
        assert run[5:9].axis[2].shape == (9, 3)
        assert len(run[7:8].to_pandas()) == 9
        lazy = run.to_xarray()
        assert lazy.velocity.isel(time=7, particle=2).values.tolist() == frame.velocity[2].tolist()
        with pytest.raises(OSError, match=r"(?i)can't"):
            run.position[6]
        with pytest.raises(OSError, match=r"(?i)can't"):
            lazy.position.load()


# what follows from the state


def test_directions_and_spheres_of_a_frame(run):
    x, p = run[12].position, run[12].axis
    np.testing.assert_allclose(np.linalg.norm(p, axis=1), 1, atol=1e-15)
    np.testing.assert_array_equal(run.axis[12], p)
    np.testing.assert_array_equal(run.axis[:, 3, 1], run.axis[:][:, 3, 1])
    assert run.axis.shape == (21, 9, 3)
    centres, radii, owner = run.spheres(12)
    along = 0.005 * np.arange(-2, 3)
    np.testing.assert_allclose(centres.reshape(9, 5, 3), x[:, None] + along[:, None] * p[:, None], atol=1e-15)
    assert set(radii) == {0.005}
    assert owner.tolist() == [b for b in range(9) for _ in range(5)]


def test_kinetic_energies_sum_up_to_those_that_the_engine_wrote(run):
    for frame in run[::5]:
        for name, values in frame.kinetic_energies()._asdict().items():
            assert values.shape == (9,)
            assert values.sum() == pytest.approx(frame.energy[name], rel=1e-12, abs=1e-20)


def test_contacts_hold_elastic_energy(run):
    """Somebody touches somebody or a wall where the engine found elastic energy, and nobody where it found none."""
    touching = [sum(map(sum, frame.contact_numbers())) > 0 for frame in run]
    assert touching == (run.energy["elastic"] > 0).tolist()
    assert any(touching)
    assert not all(touching)


def test_solid_fraction_of_a_frame(run):
    profile = run[5].solid_fraction(axis="y", bins=10)
    volume = run.variants[0].volume
    assert profile.value.sum() * 0.1 == pytest.approx(9 * volume, rel=1e-12)  # of a box of one cubic metre


def test_statistics_take_fields_from_disk(run):
    np.testing.assert_array_equal(
        statistics.mean_square_displacement(run.position), statistics.mean_square_displacement(run.position[:])
    )
    later = run.between(0.1, 0.2)
    np.testing.assert_array_equal(
        statistics.orientation_correlation(later.axis), statistics.orientation_correlation(run.axis[10:])
    )
    np.testing.assert_allclose(statistics.lags(later.time), 0.01 * np.arange(11), atol=1e-15)


def put_box(file, box):
    described = json.loads(file["parameters/input"].asstr()[()])
    del file["parameters/input"]
    file["parameters/input"] = json.dumps({**described, "box": box})


def test_the_box_is_made_again_and_its_walls_are_where_they_have_moved(path, nylon):
    motion = {
        "z-": dem.Motion(velocity=(0, 0, 0.5), amplitude=(0, 0, 0.01), frequency=3, phase=0.4),
        "y+": dem.Motion(velocity=(1, 0, 0)),
    }
    box = dem.Box((0, 0, 0), (1, 1, 1), nylon, open=["z+"], periodic=["x"], motion=motion, roughness=0.1, seed=3)
    for given in (box, None):
        with h5py.File(path, "r+") as file:
            put_box(file, given and asdict(given))
        with dem.Trajectory(path) as run:
            assert run.box == given
            lower, upper = run[10].walls
            floor = 0.5 * 0.1 + 0.01 * (np.sin(2 * np.pi * 3 * 0.1 + 0.4) - np.sin(0.4))
            np.testing.assert_allclose(lower, [-np.inf, 0, floor] if given else [-np.inf] * 3, atol=1e-15)
            np.testing.assert_allclose(upper, [np.inf, 1, np.inf] if given else [np.inf] * 3)
            assert len(run[10].contact_numbers().walls) == 9
    with dem.Trajectory(path) as run, pytest.raises(ValueError, match="has no box to take bounds from: give lower and"):
        run[0].solid_fraction()


def test_fields_of_a_run_without_a_box_take_bounds(path):
    """As the functions of arrays do; and bounds of a part of a box, along which nothing repeats then."""
    low, high = np.array([-0.5, -0.5, -0.5]), np.array([1.5, 1.5, 1.5])
    with h5py.File(path, "r+") as file:
        put_box(file, None)
    with dem.Trajectory(path) as run:
        frame = run[3]
        found = frame.coarse_fields(0.1, bins=4, lower=low, upper=high)
        expected = statistics.coarse_fields(frame.position, frame.velocity, frame.mass, low, high, width=0.1, bins=4)
        np.testing.assert_array_equal(found.density, expected.density)
        assert found.density.sum() > 0
        solid = frame.solid_fraction("x", 5, lower=low, upper=high)
        volume = np.array([variant.volume for variant in run.variants])[frame.variant]
        assert solid.value.mean() * np.prod(high - low) == pytest.approx(volume.sum())
        for bounds in ({}, {"lower": low}):
            with pytest.raises(ValueError, match="give lower and upper"):
                frame.coarse_fields(0.1, **bounds)


def test_bounds_repeat_only_where_they_are_a_period_apart(path, nylon):
    box = dem.Box((0, 0, 0), (1, 1, 1), nylon, periodic=["x", "y"])
    with h5py.File(path, "r+") as file:
        put_box(file, asdict(box))
    with dem.Trajectory(path) as run:
        assert run[0]._bounds(None, None)[2] == ["x", "y"]
        assert run[0]._bounds(None, (1, 0.5, 1))[2] == ["x"]


def test_regions_across_a_periodic_face_have_the_images_there(path, nylon):
    """Slabs of a region that begins elsewhere in the period have the values of the same slabs of the box."""
    with h5py.File(path, "r+") as file:
        put_box(file, asdict(dem.Box((0, 0, 0), (1, 1, 1), nylon, periodic=["x", "y", "z"])))
        file["particles/trajectory/position/value"][:] += [7.45, -3.2, 0.4]  # particles that went through faces
    low, high = np.array([0.0, 0.0, 0.5]), np.array([1.0, 1.0, 1.75])
    with dem.Trajectory(path) as run:
        frame = run[5]
        np.testing.assert_allclose(
            frame.solid_fraction("z", 5, lower=low, upper=high).value,
            np.roll(frame.solid_fraction("z", 4).value, -2)[np.arange(5) % 4], rtol=1e-12,
        )  # fmt: skip
        box = frame.coarse_fields(0.1, "xz", 4)
        part = frame.coarse_fields(0.1, "xz", (4, 5), lower=low, upper=high)
        for name in ("density", "velocity", "temperature"):
            expected = np.roll(getattr(box, name), -2, axis=1)[:, np.arange(5) % 4]
            np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-9, atol=1e-12, err_msg=name)


def test_fields_in_a_leaning_cell_are_sums_over_its_lattice(tmp_path):
    """Density and contact stress at points of a region, beside a sum over many images of particles and contacts."""
    edges = np.array([[0.06, 0.01, 0.02], [0.0, 0.06, -0.015], [0.005, 0.0, 0.06]])
    sites = np.array(list(itertools.product(range(4), repeat=3))) / 4
    rng, sand = np.random.default_rng(1), dem.Material(young=5e6, poisson=0.3, density=2500.0)
    grains = dem.Particles(
        dem.Sphere(diameter=0.0125), sand, position=sites @ edges.T, velocity=rng.normal(0, 0.5, (64, 3))
    )
    cell = dem.Cell(edges, rate=[[0, 1, 3], [0, -0.2, 0], [0.5, 0, -1]])
    sim = dem.Simulation(grains, cell, gravity=(0, 0, 0), time_step=2e-5)
    sim.run(0.004, output=tmp_path / "cell.h5", frames=1, contacts=True)
    low, high, width = np.array([0.01, 0, 0]), np.array([0.05, 0.06, 0.06]), 0.008
    with dem.Trajectory(tmp_path / "cell.h5") as run:
        frame, contacts = run[-1], run[-1].contact_forces()
        assert len(contacts.i) > 3
        found = frame.coarse_fields(width, "xyz", 2, lower=low, upper=high)
        images = np.array(list(itertools.product(range(-3, 4), repeat=3))) @ frame.cell.edges.T
        x = frame.position + images[:, None]
        every = contacts.concatenate([contacts] * len(images))
        every = every._replace(i=every.i + np.repeat(64 * np.arange(len(images)), len(contacts.i)))
        expected = statistics.coarse_fields(
            x.reshape(-1, 3), np.tile(frame.velocity, (len(images), 1)), np.tile(frame.mass, len(images)), low, high,
            width=width, axes="xyz", bins=2, contacts=every,
        )  # fmt: skip
        np.testing.assert_allclose(found.density, expected.density, rtol=1e-12)
        np.testing.assert_allclose(found.stress.contact, expected.stress.contact, rtol=1e-9, atol=1e-9)
        solid = frame.solid_fraction("z", 8, lower=(0, 0, 0), upper=(1, 1, frame.cell.edges[2, 2]))
        assert solid.value.mean() * frame.cell.edges[2, 2] == pytest.approx(64 * np.pi / 6 * 0.0125**3, rel=1e-12)


def test_motions_that_once_vibrated_by_half_are_read_as_what_they_did(path, nylon):
    """Nothing, but for their velocity; new ones are refused."""
    for half in ({"frequency": 3.0, "phase": 1.0}, {"amplitude": [0, 0, 0.1]}):
        motion = {"z-": {"velocity": [0, 0, 0.5], **half}}
        with h5py.File(path, "r+") as file:
            put_box(file, asdict(dem.Box((0, 0, 0), (1, 1, 1), nylon)) | {"motion": motion})
        with dem.Trajectory(path) as run:
            assert run.box.motion == {"z-": dem.Motion(velocity=(0, 0, 0.5))}


# tables


def test_pandas_table(run):
    table = run[4:7].to_pandas(["position", "axis"])
    assert list(table.columns) == ["frame", "time", "particle", "kind", "x", "y", "z", "p_x", "p_y", "p_z"]
    assert len(table) == 27
    row = table[(table.frame == 5) & (table.particle == 3)].iloc[0]
    assert row[["x", "y", "z"]].tolist() == run.position[5, 3].tolist()
    assert row[["p_x", "p_y", "p_z"]].tolist() == run.axis[5, 3].tolist()
    assert row.time == run.time[5]
    assert table.attrs["units"] == {
        "time": "s",
        **dict.fromkeys("xyz", "m"),
        **dict.fromkeys(("p_x", "p_y", "p_z"), "1"),
    }
    assert run.to_pandas(frames=slice(-1, None)).shape == (9, 4 + 13)
    assert run.to_pandas(frames=-1).equals(run.to_pandas(frames=slice(-1, None)))
    for call in (lambda: run["last"], lambda: run.spheres(1.5), lambda: run.to_pandas(frames=None)):
        with pytest.raises(TypeError, match=r"frame is .* expected a whole number or a slice"):
            call()
    with pytest.raises(TypeError, match="identity is 'first', expected a whole number"):
        run.of("first")


def test_xarray_dataset(run, finished):
    data = run[2:].to_xarray()
    assert dict(data.sizes) == {"time": 19, "particle": 9, "component": 3, "quaternion": 4}
    for name in FIELDS:
        np.testing.assert_array_equal(data[name].values, stored(finished[0], name)[2:])
    picked = data.velocity.isel(time=slice(None, None, -4), particle=[7, 0]).sel(component="y")
    np.testing.assert_array_equal(picked.values, stored(finished[0], "velocity")[2:][::-4, [7, 0], 1])
    assert data.velocity.attrs["units"] == "m/s"
    assert data.orientation.coords["quaternion"].values.tolist() == ["w", "x", "y", "z"]
    assert data.time.attrs["units"] == "s"
    assert float(data.total_energy.sel(time=0.1, method="nearest")) == run.energy["total"][10]
    assert data.total_energy.attrs["units"] == "J"
    assert list(run.to_xarray(["axis"]).sizes) == ["time", "particle", "component"]


def test_old_names_are_those_of_before(run):
    np.testing.assert_array_equal(run.species, run.kind)
    np.testing.assert_array_equal(run.series("axis")[-1], run.field("axis")[-1])


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_without_a_library_the_extra_is_named(run, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"to_{library} needs {library}.*: pip install 'pcdm-dem\[tables\]'"):
        getattr(run, f"to_{library}")()


# dem info


def info(*words):
    result = CliRunner().invoke(app, ["info", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_info_tells_everything_to_people(finished):
    shown = info(finished[0])
    for words in (
        "21, 0 to 0.2 s, step 20000",
        "9 x fibre  Fibre, diameter 0.01 m, aspect_ratio 3, spheres 5, spacing 0.005 m, material grain, mass 0.0021598",
        "wall   young 50000000 Pa, poisson 0.23",
        "grain, wall   restitution 1, friction 0",
        "(0, -9.81, 0) m/s2",
        "improved-pcdm",
        "numba",
        "component_order w x y z, frame body_to_world",
        "21 x 9 x 4",
        "particles/trajectory/position/step",
        str(finished[2])[:60],
    ):
        assert words in shown
    command = json.loads(info(finished[0], "--json"))["provenance"]["command"]
    words = " ".join(shown.split()).replace(" ".join(command.split()), "")  # which may have quotes
    assert not set("{}'") & set(words)  # nothing is dumped as it is


def test_info_gives_units_to_numbers_only():
    assert (_value("time_step", 1e-6), _value("time_step", "auto")) == ("1e-06 s", "auto")
    assert _words({"open": [], "motion": {}, "file": None, "seed": 0}) == "seed 0"


def test_info_gives_rates_the_unit_of_their_table():
    """All had rad/s: particles per second, strain rates and shear rates too."""
    assert _words({"axis": [0, 1, 0], "rate": 3.0}) == "axis (0, 1, 0), rate 3 rad/s"
    assert _words({"region": {"type": "block"}, "rate": 200.0}) == "region (type block), rate 200 1/s"
    assert _words({"gradient": "y", "rate": 10.0}) == "gradient y, rate 10 1/s"
    assert _words({"mass_rate": 0.1}) == "mass_rate 0.1 kg/s"


def test_units_of_parameters_in_info_are_those_of_the_case():
    for name, case in dem.cases().items():
        for key, field in case.model_fields.items():
            if key in UNITS and key not in NOT_OF_CASES:
                assert f"[{UNITS[key]}]" in field.description, (name, key)


def test_info_gives_units_to_heat_and_convex_shapes():
    assert _words({"semi_axes": [0.003, 0.002, 0.001], "rounding": 1e-4}) == (
        "semi_axes (0.003, 0.002, 0.001) m, rounding 0.0001 m"
    )
    assert _words({"conductivity": 42.0, "heat_capacity": 470.0}) == (
        "conductivity 42 W/(m K), heat_capacity 470 J/(kg K)"
    )
    assert _words({"temperature": 300.0, "heat_capacity": 5.0}) == "temperature 300 K, heat_capacity 5 J/K"
    assert _words({"conductivity": [[300.0, 36.0], [600.0, 16.0]]}) == "conductivity ((300, 36), (600, 16)) K, W/(m K)"
    assert _words({"faces": {"z-": 353.15}}) == "faces (z- 353.15 K)"


def test_info_tells_everything_to_programs(finished):
    path, sim, verdict = finished
    held = json.loads(info(path, "--json"))
    assert (held["frames"], held["particles"], held["step"]) == (21, 9, [0, 20_000])
    assert held["bytes"] == path.stat().st_size
    assert held["energy"]["total"]["last"] == sim.energy().total
    assert held["verdict"] == str(verdict)
    assert held["provenance"]["versions"]["pcdm-dem"]
    assert held["input"]["kinds"][0]["sizes"]["spheres"] == 5
    data = {each["name"]: each for each in held["datasets"]}
    with h5py.File(path) as file:
        for name, each in data.items():
            assert each["shape"] == list(file[name].shape)
            assert each["dtype"] == str(file[name].dtype)
    assert data["particles/trajectory/position/value"]["unit"] == "m"
    assert data["particles/trajectory/orientation/value"]["attributes"]["frame"] == "body_to_world"
    with dem.Trajectory(path) as run:
        assert json.loads(json.dumps(run.summary())) == held


def test_info_shows_whatever_else_is_known_of_a_run(path):
    with h5py.File(path, "r+") as file:
        attributes = file["parameters"].attrs
        attributes["machine"] = json.dumps({"cpu": "abacus", "cores": 2})
        attributes["threads"] = 3
        attributes["wall_time"] = 12.5
        attributes["kernels"] = "0a1b2c"
        attributes["plan"] = json.dumps([{"duration": 1.5, "frames": 3}])
        attributes["mangled"] = "{not JSON"
        attributes["error"] = "FloatingPointError: particle 3 is lost"
        del attributes["verdict"]
    shown = info(path)
    for words in ("cpu abacus, cores 2", "12.5 s", "0a1b2c", "duration 1.5 s, frames 3", "{not JSON", "3 is lost"):
        assert words in shown
    assert "none: the run broke" in shown
    with h5py.File(path, "r+") as file:
        del file["parameters"].attrs["error"]
        file["parameters"].attrs["plan"] = json.dumps([[0, 200, 1], [200, 300, 5]])
    shown = " ".join(info(path).split())
    assert "none: the run is going on, or did not come to its end" in shown
    assert "1 frame evenly spaced after step 0, up to 200; 5 frames evenly spaced after step 200, up to 500" in shown
    assert json.loads(info(path, "--json"))["provenance"]["machine"] == {"cpu": "abacus", "cores": 2}


def test_info_on_a_run_without_frames_or_box(path):
    with h5py.File(path, "r+") as file:
        put_box(file, None)
        for name in ("step", "time"):
            file[f"particles/trajectory/position/{name}"].resize(0, axis=0)
    shown = info(path)
    assert "\nframes     0\n" in shown
    assert "no walls" in shown


def test_info_on_a_run_that_is_going_on(path):
    """Another frame is being appended: its values are there, its step is not."""
    with h5py.File(path, "r+") as writer:
        for name in FIELDS:
            writer[f"particles/trajectory/{name}/value"].resize(22, axis=0)
        del writer["parameters"].attrs["verdict"]
        writer.flush()
        shown = info(path)
    assert "21, 0 to 0.2 s, step 20000" in shown
    assert "the run is going on" in shown
