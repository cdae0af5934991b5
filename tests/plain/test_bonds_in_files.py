"""Flexible fibres in case files, trajectories, pictures, ParaView's files, statistics; pages whose examples run."""

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from viewers import points, vtk_frames

import dem
from dem import statistics
from dem.base.notices import DemWarning
from dem.files.h5md.vtkhdf import write_view
from dem.plots.bodies import just_broken_bonds, spheres_and_bonds
from dem.plots.scene import Look, prepare_scene, time_in_words, viewpoint
from dem.soft import escape

PAGE = (Path(__file__).parent.parent.parent / "docs" / "bonds.md").read_text()
BALE = """
duration = 5e-5
time_step = 2.5e-6
integrator = "splitting"
[output]
frames = 4
[materials.nylon]
young = 1e7
poisson = 0.35
density = 1100.0
[box]
lower = [0, 0, 0]
upper = [0.03, 0.03, 0.03]
material = "nylon"
[shapes.hair]
type = "flexible-fibre"
diameter = "1 mm"
length = "5 mm"
segments = 4
young = 2e6
strength = "1 MPa"
[shapes.ball]
type = "sphere"
diameter = "2 mm"
[[particles]]
shape = "hair"
material = "nylon"
position = [[0.005, 0.01, 0.01], [0.015, 0.01, 0.01]]
velocity = [0.3, 0, 0]
angular_velocity = [0, 0, 50]
[[particles]]
shape = "ball"
material = "nylon"
position = [[0.025, 0.01, 0.01]]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two fibres and a ball from a case file, one bond too many of it broken by hand in the file."""
    folder = tmp_path_factory.mktemp("bale")
    (folder / "bale.toml").write_text(BALE)
    sim = dem.load(folder / "bale.toml")
    assert (len(sim.particles), len(sim.bonds)) == (11, 8)
    assert sim.bonds.made.strength.tolist() == [1e6] * 8
    assert sim.run(duration=5e-5, output=folder / "run.h5", frames=4).status == "PASS"
    with h5py.File(folder / "run.h5", "r+") as file:
        file["bonds/broken_at/value"][3:, 5] = 13
        write_view(file)
    return folder / "run.h5"


def test_a_case_file_makes_flexible_fibres(run):
    """Bodies in the order of the file, in rigid motion at the start; the file has what bonds came to."""
    with dem.Trajectory(run) as told:
        assert [kind.name for kind in told.kinds] == ["hair", "ball"]
        assert told.kind.tolist() == [0] * 10 + [1]
        x, v = told.position[0], told.velocity[0]
        np.testing.assert_allclose(x[:5, 0], 0.005 + 0.001 * np.arange(-2, 3), atol=1e-17)
        np.testing.assert_allclose(v[:5], np.column_stack([[0.3] * 5, 0.05 * np.arange(-2, 3), [0] * 5]), atol=1e-15)
        assert told.breakages == [(13, 13 * 2.5e-6, 5, (6, 7))]
        assert told.bonds.broken.sum(1).tolist() == [0, 0, 0, 1, 1]
        assert told[2].position.shape == (11, 3)
        assert told[:3].breakages == []


@pytest.mark.parametrize(("key", "scheme"), [
    ("", "splitting"), ('integrator = "auto"', "splitting"), ('integrator = "improved-pcdm"', "improved-pcdm"),
])  # fmt: skip
def test_the_scheme_of_a_case_file_is_kept_and_chosen_where_there_is_none(tmp_path, key, scheme):
    (tmp_path / "bale.toml").write_text(BALE.replace('integrator = "splitting"', key))
    sim = dem.load(tmp_path / "bale.toml")
    assert sim.integrator.name == scheme
    sim.save(tmp_path / "bale.h5")
    assert dem.Simulation.load(tmp_path / "bale.h5").integrator.name == scheme


def test_chains_of_a_run(run):
    with dem.Trajectory(run) as told:
        rows = statistics.chains(told.bonds.pairs, told.bonds.broken[-1], bodies=11)
        assert [row.tolist() for row in rows] == [[0, 1, 2, 3, 4], [5, 6], [7, 8, 9], [10]]
        paths = told.position[:][:, rows[0]]
        np.testing.assert_allclose(statistics.end_to_end(paths)[0], 4e-3, rtol=1e-12)
        np.testing.assert_allclose(statistics.contour_length(paths)[0], 4e-3, rtol=1e-12)
        assert statistics.curvature(paths).shape == (5, 3)


def test_gsd_has_bonds_until_they_break(run, tmp_path):
    hoomd = pytest.importorskip("gsd.hoomd")
    with dem.Trajectory(run) as told, hoomd.open(dem.export(told, "gsd", tmp_path / "run.gsd")) as frames:
        assert [frame.bonds.N for frame in frames] == [8, 8, 8, 7, 7]
        for frame, broken in zip(frames, told.bonds.broken, strict=True):
            np.testing.assert_array_equal(frame.bonds.group, told.bonds.pairs[~broken])
            assert frame.bonds.types == ["bond"]
            assert frame.bonds.typeid.tolist() == [0] * frame.bonds.N


def test_gsd_leaves_out_bonds_to_the_ground(tmp_path):
    hoomd = pytest.importorskip("gsd.hoomd")
    clay = dem.Material(young=5e6, poisson=0.35, density=1100.0)
    balls = dem.Particles(dem.Sphere(diameter=0.01), clay, position=[[0, 0, 0], [0.02, 0, 0]])
    bonds = dem.Bonds([[0, -1], [0, 1]], diameter=0.004, young=5e6, ground=[[-0.02, 0, 0]])
    sim = dem.Simulation(balls, bonds=bonds, gravity=(0, 0, 0), time_step=1e-6)
    sim.run(2e-6, output=tmp_path / "run.h5", frames=1)
    with hoomd.open(dem.export(tmp_path / "run.h5", "gsd")) as frames:
        assert [frame.bonds.group.tolist() for frame in frames] == [[[0, 1]], [[0, 1]]]


def test_worm_like_chains_have_their_persistence_length():
    """Random walks whose bonds turn by angles of variance 2 s/P: P within three standard errors."""
    rng, n, turn = np.random.default_rng(5), 20_000, 0.05
    t = np.tile([1.0, 0.0, 0.0], (n, 1))
    path = [np.zeros((n, 3))]
    for _ in range(20):
        path.append(path[-1] + t)
        kick = rng.normal(scale=turn, size=(n, 3))
        t = t + kick - (kick * t).sum(1)[:, None] * t
        t /= np.linalg.norm(t, axis=1)[:, None]
    found = statistics.persistence_length(np.stack(path, axis=1))
    assert found == pytest.approx(1 / turn**2, rel=3 / np.sqrt(19 * n) + turn**2)  # a kick turns by atan, not itself


def test_rings_and_branches_are_no_rows():
    with pytest.raises(ValueError, match="body 1 has 3 bonds"):
        statistics.chains(np.array([(0, 1), (1, 2), (1, 3)]))
    with pytest.raises(ValueError, match="body 0 is in a ring"):
        statistics.chains(np.array([(0, 1), (1, 2), (2, 0)]))


def test_paraview_sees_lines(run, tmp_path):
    """Between the bodies of each bond, with cell data that says which are broken; exported spheres have them, too."""
    out = dem.export(run, "spheres.vtkhdf", tmp_path / "out.vtkhdf")
    with dem.Trajectory(run) as told:
        for path in (run, out):
            for k, (_, shown) in enumerate(vtk_frames(path)):
                assert (shown.GetNumberOfVerts(), shown.GetNumberOfLines()) == (11, 8)
                ends = [[shown.GetCell(11 + n).GetPointId(m) for m in (0, 1)] for n in range(8)]
                assert ends == told.bonds.pairs.tolist()
                broken = shown.GetCellData().GetArray("broken")
                assert [broken.GetValue(11 + n) for n in range(8)] == told.bonds.broken[k].tolist()
                np.testing.assert_array_equal(points(shown), told.position[k])


def test_pictures_have_rods_where_bonds_hold(run):
    """Balls in between, three for a bond as long as its diameter; none where one is broken."""
    with dem.Trajectory(run) as told:
        assert [len(spheres_and_bonds(told, k).radii) for k in (0, -1)] == [11 + 3 * 8, 11 + 3 * 7]
        last = spheres_and_bonds(told, -1)
        assert set(last.owner[11:].tolist()) == {0, 1, 2, 3, 5, 7, 8}


def test_pictures_tell_which_bonds_just_broke_and_how_many_are_broken(run):
    """In red, thicker than bonds that hold, in the first frame after it; then it is gone, and the number stays."""
    with dem.Trajectory(run) as told:
        new = just_broken_bonds(told, 3)
        assert (new.radii / told.bonds.made.diameter[5]).tolist() == pytest.approx([0.55] * 3)
        assert new.centres[1] == pytest.approx(told.position[3][6:8].mean(0))
        assert [just_broken_bonds(told, k) for k in (0, 2, 4)] == [None] * 3
        assert [time_in_words(told, k).partition(", ")[2] for k in (2, 3, 4)] == ["", *["1 of 8 bonds broken"] * 2]
        look = Look("height", (0.0, 1.0), viewpoint(told, [0], 1.0), (160, 160))
        pictures = (prepare_scene(told, [k], look)() for k in (2, 3, 4))
        red = [(p[..., 0] > 1.5 * p[..., 1:3].max(-1)).sum() for p in pictures]
        assert red[1] > max(red[0], red[2])


@pytest.mark.parametrize("number", range(len(re.findall(r"```python\n", PAGE))))
def test_examples_of_the_page_run(number, capsys):
    names = {}
    for example in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[: number + 1]:
        short = example.replace("sim.step(200)", "sim.step(5)")  # plain Python takes its time
        exec(compile(short, "bonds.md", "exec"), names)
    assert capsys.readouterr().err == ""


def in_leaning_cell(edges):
    return dem.Cell(edges, rate=[[0, 2, 3], [0, -1, 0], [1, 0, 0]])


@pytest.mark.parametrize("damping", [0.0, (0.1, 0.2, 0.3, 0.4)])
@pytest.mark.parametrize("leaning", [False, True])
def test_forces_from_the_poses_in_a_frame_are_those_of_the_run(damping, leaning, tmp_path):
    """With anchors, bent and twisted, across a periodic face; in a box also on the ground, fixed, broken, released."""
    rng = np.random.default_rng(4)
    clay = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    x = [[20, 20, 20], [32, 20, 21], [43, 22, 20], [55, 20, 20], [20, 40, 20], [95, 40, 40], [6, 40, 40]]
    fixed = np.array([0, 0, 0, not leaning, 0, 0, 0], bool)
    grains = dem.Particles(
        dem.Fibre(diameter=0.008, aspect_ratio=1.3), clay, position=1e-3 * np.array(x), fixed=fixed,
        velocity=rng.normal(0, 0.2, (7, 3)), angular_velocity=rng.normal(0, 30, (7, 3)) * ~fixed[:, None],
    )  # fmt: skip
    pairs, given = [(0, 1), (2, 1), (2, 3), (5, 6)], {"gravity": (0, 0, 0)}
    box = in_leaning_cell([[0.1, 0.01, 0.02], [0, 0.1, -0.015], [0.005, 0, 0.1]])
    brittle = {}
    if not leaning:
        pairs.append((4, -1))
        box, given = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), clay, periodic=["x"], open=["z-"]), {}
        brittle = {"strength": [np.inf, np.inf, np.inf, 1e4, np.inf], "ground": [(0.02, 0.05, 0.02)]}
    anchors = rng.normal(0, 0.001, (len(pairs), 2, 3))
    rods = dem.Bonds(pairs, young=2e6, diameter=[0.004, 0.003, 0.003, 0.002, 0.003][: len(pairs)], damping=damping,
                     anchors=anchors, **brittle)  # fmt: skip
    sim = dem.Simulation(grains, box, bonds=rods, time_step=5e-6, **given)
    sim.run(1e-3, output=tmp_path / "run.h5", frames=1, contacts=True, force=True)
    expected = sim.bonds.forces
    assert sim.bonds.broken.sum() == (not leaning)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        found = run[-1].bond_forces()
        for name, values in expected._asdict().items():
            tolerance = 1e-11 * np.abs(values).max()
            np.testing.assert_allclose(getattr(found, name), values, rtol=0, atol=tolerance, err_msg=name)
        low, high = (0, 0, 0), (0.1, 0.1, 0.1)
        both = [run[-1].contact_forces(), found]
        of_all = statistics.stress(statistics.ContactForces.concatenate(both), volume=1e-3).contact
        if not leaning:  # the period along x holds all bonds
            fields = run[-1].coarse_fields(0.005, "x", 40, lower=low, upper=high)
            assert fields.stress.contact.mean(axis=0) == pytest.approx(
                of_all, rel=1e-5, abs=1e-5 * np.abs(of_all).max()
            )


@pytest.mark.parametrize("gravity", [-9.81, 0.0])
def test_forces_in_a_frame_are_of_bonds_whose_bodies_have_not_been_released(gravity, tmp_path, monkeypatch):
    """A run releases those that fall on, at some time after they are far outside, and none without gravity."""
    monkeypatch.setattr(escape, "CHECK_INTERVAL", 1500)
    clay = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    pair = dem.Particles(dem.Sphere(diameter=0.01), clay, position=[(0.006, 0.01, 0.01), (0.018, 0.01, 0.01)],
                         velocity=[(0, 0, -5.0), (0.1, 0, -5.0)])  # fmt: skip
    box, rod = (
        dem.Box((0, 0, 0), (0.025, 0.025, 0.025), clay, open=["z-"]),
        dem.Bonds([(0, 1)], young=1e6, diameter=0.003),
    )
    sim, expected = dem.Simulation(pair, box, bonds=rod, gravity=(0, 0, gravity), time_step=1e-5), []
    with pytest.warns(DemWarning, match="left-the-box"):
        sim.run(0.02, output=tmp_path / "run.h5", frames=4, every=(500, lambda sim: expected.append(sim.bonds.forces)))
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run[3].position[0, 2] < -np.sqrt(3) * 0.025
        assert [len(forces.i) for forces in expected] == ([1, 1, 1, 0] if gravity else [1, 1, 1, 1])
        for frame, forces in zip(list(run)[1:], expected, strict=True):
            assert frame.bond_forces().force == pytest.approx(forces.force, rel=1e-9)
        assert not run.breakages
        assert not run.bonds.broken.any()


def test_a_run_without_bonds_has_no_forces_of_them(tmp_path):
    clay = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), clay, position=[(0, 0, 0)])
    dem.Simulation(ball, time_step=1e-5).run(1e-4, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run, pytest.raises(ValueError, match="has no bonds"):
        run[-1].bond_forces()
