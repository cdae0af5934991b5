"""Trajectories opened by the readers of other programs: VTK's, which is ParaView's, and MDAnalysis."""

import h5py
import numpy as np
import pytest
from viewers import point_data, points, vtk_frames

import dem
from dem.files.h5md.vtkhdf import write_view

STATE = {"position": 3, "velocity": 3, "orientation": 4, "angular_velocity": 3}
STATIC = {"radius", "mass", "kind", "identity"}


def assert_same(shown, stored):
    np.testing.assert_array_equal(shown, stored, strict=True)  # values, shape and type


@pytest.fixture
def simulation(scattered, nylon, ball):
    """Of a mixture, or of one particle without a box."""

    def make(count):
        alone = dem.Particles(ball, nylon, position=[[0, 0, 0]], velocity=[[2.0, 0, 0]])
        return dem.Simulation(alone, time_step=1e-5, threads=1) if count == 1 else scattered

    return make


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (16, {}),
        (1, {}),
        (1, {"float32": True}),
        (1, {"compression": "gzip", "fields": ["position", "velocity"]}),
        (1, {"fields": ["position"]}),
    ],
)
@pytest.mark.few(1)
def test_vtk_shows_every_frame_to_the_bit(simulation, tmp_path, count, options):
    path = tmp_path / "run.h5"
    simulation(count).run(0.02, output=path, frames=5, **options)
    with dem.Trajectory(path) as run:
        count, variants = len(run.kind), run.variants
        frames = vtk_frames(path)
        assert len(frames) == len(run) == 6
        for k, (time, shown) in enumerate(frames):
            assert time == run.time[k]
            assert_same(points(shown), run.position[k])
            data = point_data(shown)
            assert set(data) == STATIC | set(run.fields) - {"position"}
            for name in set(run.fields) - {"position"}:
                assert_same(data[name], getattr(run, name)[k])
            assert_same(data["radius"], np.array([variants[v].radii.max() for v in run.variant]))
            assert_same(data["mass"], np.array([variants[v].mass for v in run.variant]))
            assert_same(data["kind"], run.kind)
            assert_same(data["identity"], np.arange(count))
            assert [shown.GetCell(i).GetPointId(0) for i in range(count)] == list(range(count))  # else none is drawn
            assert shown.GetNumberOfVerts() == shown.GetNumberOfCells() == count


@pytest.mark.filterwarnings("ignore")  # of MDAnalysis about itself
def test_mdanalysis_shows_every_frame_to_the_bit_beside_the_view(simulation, tmp_path):
    """As the README says; MDAnalysis keeps float32."""
    mda = pytest.importorskip("MDAnalysis")
    path = tmp_path / "run.h5"
    simulation(16).run(0.02, output=path, frames=5)
    with dem.Trajectory(path) as run:
        universe = mda.Universe.empty(len(run.kind), trajectory=True, velocities=True)
        universe.load_new(str(path), format="H5MD", convert_units=False)
        assert len(universe.trajectory) == 6
        for k, frame in enumerate(universe.trajectory):
            np.testing.assert_array_equal(frame.positions, run.position[k].astype(np.float32))
            np.testing.assert_array_equal(frame.velocities, run.velocity[k].astype(np.float32))
            assert frame.time == run.time[k]


def bare(file, frames, n=7):
    """What a view needs, with numbers at random; frames are added to those there are."""
    group, rng = file.require_group("particles/trajectory"), np.random.default_rng(frames)
    for name, width in STATE.items():
        there = group.require_group(name)
        if "value" not in there:
            there.create_dataset("value", (0, n, width), "f8", maxshape=(None, n, width), chunks=(2, n, width))
        there["value"].resize(frames + 1, axis=0)  # one frame more than is complete, as when a writer is at work
        there["value"][:] = rng.normal(size=(frames + 1, n, width))
    for name in ("step", "time"):
        group["position"].pop(name, None)
        group[f"position/{name}"] = np.arange(float(frames))
    if "species" not in group:
        group["species"], group["variant"], group["mass"] = np.zeros(n, int), np.arange(n) % 2, np.ones(n)
        tables = {"radii": [1.0, 3.0, 2.0], "first": [0, 2, 3]}
        file.create_group("parameters/variants").update({name: np.array(values) for name, values in tables.items()})


def test_a_view_is_replaced_by_that_of_more_frames_without_growing(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        bare(file, 4)
        write_view(file)
        size = file.id.get_filesize()
        for _ in range(3):
            write_view(file)
        assert file.id.get_filesize() == size
        for frames in (9, 5):  # a run that is resumed may have to take frames back
            bare(file, frames)
            write_view(file)
            stored = file["particles/trajectory/position/value"][:frames]
            np.testing.assert_array_equal(file["VTKHDF/Points"][:], stored.reshape(-1, 3))
        assert file["VTKHDF"].attrs["Version"].tolist() == [2, 0]
    frames = vtk_frames(tmp_path / "a.h5")
    assert [time for time, _ in frames] == [0, 1, 2, 3, 4]
    assert point_data(frames[0][1])["radius"].tolist() == [3, 2, 3, 2, 3, 2, 3]


def test_an_earlier_view_stands_while_frames_are_added(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        bare(file, 4)
        write_view(file)
        dataset = file["particles/trajectory/position/value"]
        before = dataset[:4].reshape(-1, 3)
        dataset.resize(50, axis=0)
        np.testing.assert_array_equal(file["VTKHDF/Points"][:], before)


def test_nothing_of_the_state_is_copied(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        bare(file, 4)
        write_view(file)
        view, group = file["VTKHDF"], file["particles/trajectory"]
        assert all(view[name].is_virtual for name in ("Points", "PointData/velocity", "PointData/orientation"))
        assert view["PointData/mass"] == group["mass"]  # one object, linked to
        group["velocity/value"][2, 3] = [1, 2, 3]
        assert view["PointData/velocity"][2 * 7 + 3].tolist() == [1, 2, 3]


def test_without_frames_there_is_no_view(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        bare(file, 2)
        write_view(file)
        bare(file, 0)
        write_view(file)
        assert "VTKHDF" not in file
