"""Content of pictures of runs, read off the figures."""

import os
import shutil
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import dem
from dem.case import StudyCase
from dem.cli.application import app
from dem.model.particles.kinds import Kind
from dem.model.shapes.bodies import Variant
from dem.plots import bodies
from dem.plots.figure import categories, scaled
from dem.plots.paths import moving
from dem.plots.scene import colour_limits


@pytest.fixture(scope="module")
def fall(tmp_path_factory):
    """A fibre that falls at 30 degrees to the floor without touching anything."""
    path = tmp_path_factory.mktemp("runs") / "fall.h5"
    case = dem.cases()["single-fibre"](time_step=1e-5, threads=1)
    case.simulation().run(0.3, output=path, frames=15)
    return path


@pytest.fixture
def run(fall):
    with dem.Trajectory(fall) as opened:
        yield opened


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


ROD = Variant(
    np.array([[-0.01, 0, 0], [0, 0, 0], [0.01, 0, 0]]), np.full(3, 0.005), 1.0, 1.0, np.array([1.0, 2.0, 2.0])
)
BALL = Variant(np.zeros((1, 3)), np.array([0.02]), 1.0, 1.0, np.ones(3))
PLATE = Variant(np.eye(3) * 0.01, np.full(3, 0.005), 1.0, 1.0, np.array([1.0, 1.0, 2.0]))
BOX = {"lower": [0, 0, 0], "upper": [1, 1, 2], "periodic": [], "open": [], "motion": {}}


class Made(SimpleNamespace):
    """What pictures need to know of a run; like a run, each equals itself alone."""

    __hash__ = object.__hash__

    def __len__(self):
        return len(self.position)

    def __getitem__(self, frame):
        rows = ("position", "orientation", "velocity", "angular_velocity", "time")
        same = {"columns": slice(None)} | {name: getattr(self, name) for name in ("kind", "variant")}
        return SimpleNamespace(**{name: getattr(self, name)[frame] for name in rows}, **same)


def made(position, orientation=None, kind=(0,), box=BOX, names=("rod", "ball", "plate")):
    position = np.array(position, float)
    turned = np.tile([1.0, 0, 0, 0], (*position.shape[:2], 1)) if orientation is None else np.array(orientation)
    return Made(
        position=position, orientation=turned, kind=np.array(kind), variant=np.minimum(kind, 2), path="made.h5",
        variants=[ROD, BALL, PLATE], kinds=[Kind(name, "Clump", None) for name in names],
        input={"box": box, "gravity": (0, 0, -9.81)}, time=np.arange(len(position)) / 10,
        velocity=np.zeros_like(position), angular_velocity=np.zeros_like(position), walls=(), bonds=None,
    )  # fmt: skip


def test_spheres_stand_where_the_rotation_matrix_puts_them(rng):
    kind = np.array([0, 1, 2, 0, 1])
    q = rng.normal(size=(1, 5, 4))
    q /= np.linalg.norm(q, axis=2)[..., None]
    run = made(rng.uniform(0, 1, (1, 5, 3)), q, kind)
    body = bodies.spheres(run, 0)
    matrices = Rotation.from_quat(q[0], scalar_first=True).as_matrix()
    expected = [run.position[0, k] + matrices[k] @ offset for k in range(5) for offset in run.variants[kind[k]].offsets]
    assert np.abs(body.centres - expected).max() < 1e-15
    assert body.radii.tolist() == [0.005] * 3 + [0.02] + [0.005] * 6 + [0.02]
    assert body.owner.tolist() == [0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 4]
    assert np.abs(next(bodies.directions(run, np.array([0, 3]))) - matrices[[0, 3], :, 0]).max() < 1e-15


def test_bodies_come_back_into_a_periodic_box_in_one_piece():
    run = made([[[3.25, -0.005, 2.5]]], box={**BOX, "periodic": ["x", "y"]})
    assert bodies.positions(run, 0)[0] == pytest.approx([0.25, 0.995, 2.5])
    assert np.ptp(bodies.spheres(run, 0).centres, axis=0) == pytest.approx([0.02, 0, 0])


def test_walls_are_drawn_where_they_have_moved():
    motion = {"velocity": [0, 0, 0.5], "amplitude": [0, 0, 0.1], "frequency": 0.25, "phase": 0.5}
    run = made([[[0.5, 0.5, 0.5]]] * 11, box={**BOX, "motion": {"z+": motion}})
    lower, upper = bodies.corners(run, 10)  # at 1 s
    assert lower.tolist() == [0, 0, 0]
    moved = 0.5 + 0.1 * (np.sin(np.pi / 2 + 0.5) - np.sin(0.5))
    assert upper == pytest.approx([1, 1, 2 + moved])


def test_only_slender_bodies_have_a_long_axis():
    assert [bodies.long_axis(variant) for variant in (ROD, BALL, PLATE)] == [0, None, None]


def test_units_get_prefixes():
    assert scaled("m", [0.9]) == (1, "m")
    assert scaled("m", [0.3], [-0.4]) == (1e-3, "mm")
    assert scaled("J", [4e-8]) == (1e-9, "nJ")
    assert scaled("J", [0.0], []) == (1, "J")
    assert scaled("Pa", [2e9]) == (1e9, "GPa")


def drawn(ax, label):
    return next(line for line in ax.lines if line.get_label() == label).get_ydata()


@pytest.mark.slow
def test_height_of_a_fall(run):
    """Leap-frog follows a parabola but for rounding."""
    ax = dem.plots.height(run).axes[0]
    assert ax.get_ylabel() == "height [m]"
    assert np.abs(drawn(ax, "mean") - (0.5 - 9.81 * run.time**2 / 2)).max() < 1e-12


@pytest.mark.slow
def test_a_fibre_that_falls_freely_keeps_its_angle(run):
    above, below = dem.plots.orientation(run).axes
    assert np.abs(drawn(above, "mean") - 60).max() < 1e-9
    assert np.abs(below.lines[0].get_ydata() - (3 * 0.25 - 1) / 2).max() < 1e-12  # cos 60° = 1/2


def test_the_areas_of_energy_add_up(run):
    above, below = dem.plots.energy(run).axes
    energy = run.energy
    assert above.get_ylabel() == "energy [mJ]"
    assert drawn(above, "total") == pytest.approx(1e3 * energy["total"])
    tops = [area.get_paths()[0].vertices[:, 1].max() for area in above.collections]
    assert tops[-1] == pytest.approx(1e3 * energy["total"].max())
    error = np.abs(energy["total"] / energy["total"][0] - 1)[1:]
    assert below.lines[0].get_ydata() == pytest.approx(np.maximum(error, 1e-16))


def test_losses_of_hard_spheres_are_an_area_and_no_error(tmp_path):
    """The ledger has them, so that the total stays."""
    sim = dem.cases()["hard-spheres"](n=60, restitution=0.7).simulation()
    sim.run(0.2, output=tmp_path / "hard.h5", frames=4)
    with dem.Trajectory(tmp_path / "hard.h5") as run:
        above, below = dem.plots.energy(run).axes
    assert below.get_ylabel() == "error [–]"
    assert below.lines[0].get_ydata().max() < 1e-12
    assert "dissipated" in above.get_legend_handles_labels()[1]


def test_the_areas_of_energy_add_up_where_particles_come_and_go(tmp_path):
    """To the total, which stays at zero in a box that is empty at first, and the energy of particles inserted."""
    sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    rain = dem.Inserter(
        dem.Sphere(diameter=0.01), sand, region=dem.Block((0, 0, 0.07), (0.1, 0.1, 0.1)), rate=500, velocity=(0, 0, -2)
    )
    drain = dem.Outlet(dem.Block((0, 0, 0), (0.1, 0.1, 0.05)))
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand)
    sim = dem.Simulation(None, box, inserters=[rain], outlets=[drain], time_step=5e-5)
    sim.run(0.06, output=tmp_path / "rain.h5", frames=12)
    with dem.Trajectory(tmp_path / "rain.h5") as run:
        above, energy = dem.plots.energy(run).axes[0], run.energy
    come = drawn(above, "inserted less removed")
    kinetic = energy["translational"] + energy["rotational"] + energy["gravitational"] + energy["elastic"]
    assert energy["removed"][-1] > 0
    assert come / come.max() == pytest.approx(kinetic / kinetic.max(), abs=1e-4)
    tops = above.collections[-1].get_paths()[0].vertices[:, 1]
    assert tops.max() == pytest.approx((come + drawn(above, "total")).max(), rel=1e-6)


def test_paths_and_bodies_are_those_of_the_run(run):
    figure = dem.plots.paths(run)
    (ax,) = figure.axes
    track, *fibres = ax.collections
    assert track.get_segments()[0] == pytest.approx(run.position[:, 0, [0, 2]])
    assert len(fibres) == 12
    assert np.array(fibres[-1].get_offsets()) == pytest.approx(bodies.spheres(run, 15).centres[:, [0, 2]])
    assert [float(w) for w in fibres[0].get_widths()] == pytest.approx([0.01] * 5)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "z [m]")


def test_paths_are_cut_where_they_leave_a_periodic_box():
    run = made([[[0.8, 0.5, 1]], [[1.1, 0.5, 1]], [[1.4, 0.5, 1]]], box={**BOX, "periodic": ["x"]})
    segment = dem.plots.paths(run).axes[0].collections[0].get_paths()[0].vertices
    assert segment[[0, 2, 3], 0] == pytest.approx([0.8, 0.1, 0.4])
    assert np.isnan(segment[1]).all()


def test_there_is_a_view_for_each_way_particles_move(rng):
    still = np.full((4, 3), 0.5)
    frames = np.array([still + np.array([0.1 * k, 0, 0]) for k in range(3)])
    assert moving(made(frames, kind=[0] * 4)) == [0]
    assert moving(made(frames[..., [1, 0, 2]], kind=[0] * 4)) == [1]
    assert moving(made(frames[..., [0, 0, 2]], kind=[0] * 4)) == [0, 1]
    assert moving(made(frames[..., [1, 1, 0]], kind=[0] * 4)) == [0]


def test_only_some_of_many_particles_leave_paths(rng):
    run = made(rng.uniform(0.1, 0.9, (5, 200, 3)), kind=[0] * 200)
    ax = dem.plots.paths(run).axes[0]
    assert len(ax.collections[0].get_segments()) == 30
    assert ax.get_title(loc="left") == "30 of 200 particles"
    assert len(dem.plots.height(run).axes[0].lines) == 1  # the mean alone, over a band
    assert len(dem.plots.orientation(run).axes[0].collections) == 1


@pytest.mark.parametrize("name", ["energy", "paths", "height", "orientation", "overview"])
@pytest.mark.few(4)
def test_axes_have_units(run, name):
    figure = dem.plots.PICTURES[name](run)
    labels = [ax.get_ylabel() for ax in figure.axes if ax.axison and ax.get_ylabel()]
    assert labels
    assert all("[" in label for label in labels)


def picture(figure):
    return np.asarray(figure.axes[0].images[0].get_array())


def test_a_scene_shows_the_particles_in_their_colours():
    small = {**BOX, "upper": [0.2, 0.2, 0.2]}
    run = made([[[0.06, 0.1, 0.15], [0.14, 0.1, 0.05]]], kind=[0, 1], box=small)
    picture_of_kinds = picture(dem.plots.scene(run, colour="kind", size=(160, 120))).astype(int)
    blue, orange = (picture_of_kinds[..., a] - picture_of_kinds[..., b] for a, b in ((2, 0), (0, 2)))
    (y1, x1), (y2, x2) = (np.argwhere(much > 60).mean(axis=0) for much in (blue, orange))
    assert y1 < y2
    assert x1 < x2
    by_height = dem.plots.scene(run, colour="height", size=(160, 120))
    assert [ax.get_ylabel() for ax in by_height.axes] == ["", "height [mm]"]


@pytest.mark.parametrize("count", [2, 9, 40])
def test_kinds_are_named_and_no_two_have_a_colour(count):
    at = [[[0.02 * k, 0.1, 0.1] for k in range(count)]]
    run = made(at, kind=range(count), names=[f"grain {k}" for k in range(count)], box={**BOX, "upper": [1, 0.2, 0.2]})
    legend = dem.plots.scene(run, colour="kind", size=(160, 120)).axes[1].get_legend()
    told = [text.get_text() for text in legend.get_texts()]
    assert told[: min(count, 12)] == [f"grain {k}" for k in range(min(count, 12))]
    assert told[12:] == (["and 28 kinds more"] if count == 40 else [])
    assert len({tuple(colour) for colour in categories(count)}) == count
    shown = [patch.get_facecolor()[:3] for patch in legend.get_patches()[:12]]
    np.testing.assert_array_equal(shown, categories(count)[:12])


def test_exposures_add_up(run):
    size = (200, 150)
    one, three = (picture(dem.plots.scene(run, exposures=k, limits=(0, 3), size=size)) for k in (1, 3))
    alone = [picture(dem.plots.scene(run, k, limits=(0, 3), size=size)) for k in (0, 8, 15)]
    assert (one == alone[2]).all()
    assert (three == np.min(alone, axis=0)).mean() > 0.98  # they shade each other, where they are close


def test_a_frame_that_is_not_there_is_refused(run):
    with pytest.raises(ValueError, match=r"frame 16 is not there: .* has frames 0 to 15"):
        dem.plots.scene(run, 16)
    with pytest.raises(ValueError, match="unknown colour 'sped': did you mean speed"):
        dem.plots.scene(run, colour="sped")


def test_balls_have_no_orientation_to_show():
    with pytest.raises(ValueError, match="no particle with a long axis"):
        dem.plots.orientation(made([[[0, 0, 0]]], kind=[1]))


@pytest.mark.parametrize("draw", [*dem.plots.PICTURES.values(), lambda run: dem.plots.movie(run, "a.gif")])
def test_paths_are_to_be_opened_first(draw, tmp_path):
    for path in ("run.h5", tmp_path / "run.h5"):
        with pytest.raises(TypeError, match=r"a trajectory: open it, as in with dem\.Trajectory\('.*run\.h5'\)"):
            draw(path)


@pytest.mark.slow
def test_all_pictures_are_drawn(cli, fall, tmp_path):
    result = cli("plot", fall, "-o", "pictures", "--size", 160, 120)
    assert result.exit_code == 0, result.stderr
    names = [f"fall-{name}.png" for name in ("energy", "paths", "height", "orientation", "scene", "overview")]
    assert result.stdout.splitlines() == [f"pictures/{name}" for name in names]
    assert sorted(p.name for p in (tmp_path / "pictures").iterdir()) == sorted(names)


LARGE = {"drum-38k", "silo-100k", "impact-25k"}  # of which there is a smaller one
TRAJECTORIES = [name for name, kind in dem.cases().items() if not issubclass(kind, StudyCase) and name not in LARGE]


@pytest.mark.slow
@pytest.mark.filterwarnings("default::dem.DemWarning")
@pytest.mark.parametrize("name", TRAJECTORIES)
def test_every_case_is_viewed_and_drawn(cli, name, tmp_path):
    """Three frames at the start of each, of fewer particles where it can be."""
    deep = ("impact", "jenike-shear", "uniaxial-compression")  # beds of some depth
    few = {"n": 20} if "n" in dem.cases()[name].model_fields and name not in deep else {}
    sim = dem.cases()[name](**few).simulation()
    sim.run(4 * (sim.time_step or 1e-4), output="run.h5", frames=2)
    dem.view("run.h5", "run.html")
    assert cli("plot", "run.h5", "-o", tmp_path).exit_code == 0
    assert cli("plot", "run.h5", "--movie", "run.gif", "--seconds", "0.1", "--size", 80, 60).exit_code == 0


def test_other_formats_and_single_pictures(cli, fall, tmp_path):
    assert cli("plot", fall, "-o", ".", "--picture", "height", "--picture", "energy", "--format", "svg").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fall-energy.svg", "fall-height.svg"]
    assert "<svg" in (tmp_path / "fall-height.svg").read_text()


def test_what_is_made_of_a_trajectory_lands_beside_it(cli, fall, tmp_path):
    """Pictures and exports, for whoever works in another folder."""
    (tmp_path / "runs").mkdir()
    shutil.copy(fall, tmp_path / "runs" / "fall.h5")
    assert cli("plot", "runs/fall.h5", "--picture", "height").stdout == "runs/fall-height.png\n"
    assert cli("export", "runs/fall.h5", "--to", "csv").stdout.startswith("runs/fall.csv: ")
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"fall.h5", "fall-height.png", "fall.csv"}
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_pictures_are_left_alone(cli, fall, tmp_path, monkeypatch):
    mine = tmp_path / "fall-height.png"
    mine.write_text("mine")
    result = cli("plot", fall, "-o", ".", "--picture", "energy", "--picture", "height")
    assert result.exit_code == 2
    assert "fall-height.png exists already" in result.stderr
    assert mine.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["fall-height.png"]
    with monkeypatch.context() as read_only:  # the superuser may write to any file
        read_only.setattr("os.access", lambda path, mode: Path(path).name != mine.name or mode != os.W_OK)
        refused = cli("plot", fall, "-o", ".", "--picture", "height", "--overwrite")
    assert refused.stderr == "dem: picture fall-height.png cannot be written: it is read-only\n"
    assert mine.read_text() == "mine"
    assert cli("plot", fall, "-o", ".", "--picture", "height", "--overwrite").exit_code == 0
    with Image.open(mine) as drawn_again:
        assert drawn_again.size == (1050, 510)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--picture", "sceen"], "dem: unknown picture 'sceen': did you mean scene?"),
        (["--format", "jpg"], "dem: unknown format 'jpg'"),
        (["--frame", "16"], "dem: frame 16 is not there"),
        (["--time", "0.4"], "dem: time is 0.4 s, expected"),
        (["--frame", "1", "--time", "0.1"], "dem: --frame and --time both say which frame"),
        (["--colour", "mass"], "dem: unknown colour 'mass'"),
        (["--exposures", "0"], "dem: exposures is 0"),
        (["--movie", "fall.avi"], "dem: movie fall.avi is neither .gif nor .mp4"),
        (["--movie", "no/fall.gif"], "dem: movie no/fall.gif cannot be written: there is no folder no"),
        (["--movie", "fall.gif", "--fps", "0"], "dem: fps is 0"),
        (["-o", __file__], f"dem: output {__file__} cannot be written to: {__file__} is a file, expected a folder"),
        (["-o", "no/such"], "dem: output no/such cannot be written to: there is no folder no"),
    ],
)
def test_bad_input_is_one_line(cli, fall, tmp_path, words, said):
    result = cli("plot", fall, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith(said)
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_pictures_that_do_not_fit_into_memory(cli, fall, tmp_path):
    for size in ((10**8, 10**8), (10**7, 20)):  # of the second one, the square map of shadows
        for words in (("--picture", "scene"), ("--movie", "fall.gif")):
            result = cli("plot", fall, "-o", tmp_path, "--size", *size, *words)
            assert result.exit_code == 2
            assert f"a picture of {size[0]} by {size[1]} pixels would take" in result.stderr
    for name, ending, size in (
        ("energy", "png", "700000000 by 480000000"),
        ("overview", "pdf", "1200000000 by 810000000"),
    ):
        result = cli("plot", fall, "-o", tmp_path, "--dpi", 10**8, "--picture", name, "--format", ending)
        assert result.exit_code == 2
        assert f"a picture of {size} pixels would take" in result.stderr
    assert not list(tmp_path.iterdir())
    assert cli("plot", fall, "-o", tmp_path, "--dpi", 10**8, "--picture", "energy", "--format", "svg").exit_code == 0


def test_a_scene_at_a_time(cli, fall, tmp_path):
    for words in (("--time", "0.101"), ("--frame", "5"), ("--frame", "6")):
        assert cli("plot", fall, "--picture", "scene", "--size", 160, 120, *words, "-o", words[1]).exit_code == 0
    near, same, other = (np.asarray(Image.open(tmp_path / k / "fall-scene.png")) for k in ("0.101", "5", "6"))
    assert (near == same).all()
    assert (near != other).any()


def pixels(figure):
    """What a figure looks like."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def test_pictures_of_a_movie_are_the_scenes(run, tmp_path, monkeypatch):
    """To the byte, although no more is drawn of each than what is new in it."""
    shown = []
    module = sys.modules["dem.plots.movie"]
    monkeypatch.setattr(module, "_save_gif", lambda path, pictures, fps: [shown.extend(pictures), path.touch()])
    assert dem.plots.movie(run, tmp_path / "fall.gif", seconds=1, fps=4, size=(258, 180)) == 4
    limits = colour_limits(run, range(16), "speed")
    for frame, taken in zip((0, 5, 10, 15), shown, strict=True):
        assert (taken == pixels(dem.plots.scene(run, frame, limits=limits, size=(258, 180)))).all()


@pytest.mark.slow
def test_a_movie_shows_frames_spread_evenly(run, tmp_path):
    path = tmp_path / "fall.gif"
    assert dem.plots.movie(run, path, seconds=1, fps=5, size=(80, 60)) == 5
    with Image.open(path) as film:
        assert film.n_frames == 5
        assert film.info["duration"] == 200
        first, last = (np.asarray([film.seek(k), film.convert("RGB")][1]).astype(int) for k in (0, 4))
    limits = colour_limits(run, range(16), "speed")
    for shown, frame in ((first, 0), (last, 15)):
        drawn = pixels(dem.plots.scene(run, frame, limits=limits, size=(80, 60)))[:, : shown.shape[1]]
        assert (shown[0, 0] == 255).all()
        assert np.abs(shown - drawn).mean() < 4  # of 255: what 256 colours for all pictures leave
    with pytest.raises(FileExistsError, match="exists already"):
        dem.plots.movie(run, path)
    assert dem.plots.movie(run, path, seconds=4, fps=25, size=(80, 60), overwrite=True) == 16  # no more than there are
    with Image.open(path) as film:
        assert film.n_frames * film.info["duration"] == 4000


FFMPEG = """#!/bin/sh
for last; do :; done
cat > "$last"
"""


def test_pictures_go_to_ffmpeg(run, tmp_path, monkeypatch):
    """One in its place that writes down what it gets."""
    program = tmp_path / "ffmpeg"
    program.write_text(FFMPEG)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    path = tmp_path / "fall.mp4"
    assert dem.plots.movie(run, path, seconds=1, fps=4, size=(86, 60)) == 4
    wide = 86 + 112  # and three quarters of an inch for the colour bar with its name
    assert path.stat().st_size == 4 * wide * 60 * 3
    program.write_text("#!/bin/sh\necho no such codec >&2\nexit 1\n")
    with pytest.raises(ValueError, match="could not be written by ffmpeg: no such codec"):
        dem.plots.movie(run, path, seconds=1, fps=4, size=(80, 60), overwrite=True)


def test_what_is_missing_is_named(cli, fall, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = cli("plot", fall, "--movie", "fall.mp4")
    assert (result.exit_code, result.stderr[:42]) == (2, "dem: movie fall.mp4 needs the program ffmp")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = cli("plot", fall, "--picture", "energy")
    assert result.exit_code == 2
    assert result.stderr == "dem: a picture needs matplotlib, which is not installed: pip install 'pcdm-dem[plot]'\n"
