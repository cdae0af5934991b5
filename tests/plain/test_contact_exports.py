"""Exports of contacts as lines, read back by VTK."""

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner
from viewers import point_data, points, vtk_frames
from vtkmodules.util.numpy_support import vtk_to_numpy

import dem
from dem.cli.application import app


def cell_data(shown):
    data = shown.GetCellData()
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


@pytest.fixture(scope="module")
def heap(tmp_path_factory):
    """Balls that hit a floor and each other one by one, also through a periodic face: none touches at first."""
    sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.3, friction=0.5)
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), sand, periodic=["x", "y"], open=["z+"])
    position = [(0.001, 0.02, 0.0055), (0.0385, 0.02, 0.0155), (0.02, 0.02, 0.0051), (0.02, 0.0205, 0.0163)]
    velocity = [(0, 0, -1.0), (0, 0, -2.0), (0, 0, -1.0), (0, 0, -3.0)]
    balls = dem.Particles(dem.Sphere(diameter=0.01), sand, position=position, velocity=velocity)
    path = tmp_path_factory.mktemp("heap") / "heap.h5"
    dem.Simulation(balls, box, time_step=2e-5).run(1.2e-3, output=path, frames=10, contacts=True, progress=False)
    return path


def test_contacts_are_lines_with_forces(heap):
    """As VTK's reader shows them: all that `Frame.contact_forces` has, from centre to centre, or to the wall."""
    target = dem.export(heap, "contacts.vtkhdf", frames=slice(0, None, 2))
    assert target.name == "heap.contacts.vtkhdf"
    frames, counts = vtk_frames(target), []
    with dem.Trajectory(heap) as run:
        for (time, shown), k in zip(frames, range(0, 11, 2), strict=True):
            forces, shot = run[k].contact_forces(), run[k]
            counts.append(len(forces.i))
            assert time == run.time[k]
            assert shown.GetNumberOfLines() == shown.GetNumberOfCells() == counts[-1]
            if not counts[-1]:
                continue
            assert vtk_to_numpy(shown.GetLines().GetConnectivityArray()).tolist() == list(range(2 * counts[-1]))
            data, at_ends = cell_data(shown), point_data(shown)
            for name in ("force", "normal", "overlap"):
                np.testing.assert_array_equal(data[name], getattr(forces, name))
            np.testing.assert_array_equal(data["pair"], np.column_stack([forces.i, forces.j]))
            np.testing.assert_array_equal(at_ends["particle"], data["pair"].ravel())
            pushed = np.einsum("ij,ij->i", forces.force, forces.normal)
            np.testing.assert_allclose(data["normal_force"], pushed, rtol=1e-12)
            np.testing.assert_array_equal(at_ends["normal_force"], np.repeat(data["normal_force"], 2))
            first, last = points(shown)[::2], points(shown)[1::2]
            np.testing.assert_array_equal(first, shot.position[forces.i])
            pairs = ~forces.with_wall
            off = last[pairs] - shot.position[forces.j[pairs]]
            np.testing.assert_allclose(off / 0.04, np.round(off / 0.04), atol=1e-12)  # an image of the other centre
            np.testing.assert_allclose(
                np.linalg.norm((last - first)[pairs], axis=1), 0.01 - forces.overlap[pairs], rtol=1e-9
            )
            np.testing.assert_allclose(last[~pairs], forces.point[~pairs], atol=1e-15)
    assert counts[0] == 0 < max(counts)
    assert len(set(counts)) > 2


def test_the_name_of_a_file_says_which_format_it_is(heap, tmp_path, monkeypatch):
    """The longest ending that a format has; what only ends in .vtkhdf has the spheres, as ever."""
    monkeypatch.chdir(tmp_path)
    for name, array in (("a.contacts.vtkhdf", "CellData/overlap"), ("a.vtkhdf", "PointData/radius")):
        assert CliRunner().invoke(app, ["export", str(heap), "-o", name]).exit_code == 0
        with h5py.File(name) as file:
            assert array in file["VTKHDF"]
