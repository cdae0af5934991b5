"""A kind of wall of one's own, which one file registers, at spheres and capsules, in files and in pictures."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dem.kernels.walls.geometry import clearances
from dem.kernels.walls.wall_registry import KINDS, REFUSED

import dem
from dem.model.walls.wall_shapes import geometry_of
from dem.plots.rendering.walls import lines_of
from dem.soft.walls.wall_arrays import specific_fall_energy_to_walls

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from paraboloid import Paraboloid, ParaboloidKind  # noqa: E402, lies beside this file

STEEL = dem.Material(young=1e6, poisson=0.3, density=2500.0)
BOWL = Paraboloid((0, 0, 0), (0, 0, 1), 8.0, material=STEEL)
SHAPES = {"spheres": dem.Sphere(diameter=0.01), "capsules": dem.Capsule(diameter=0.01, aspect_ratio=2)}


def thrown(shape, time_step):
    """Three bodies thrown at the bowl."""
    places = [[0.03, 0, 0.03], [-0.03, 0.01, 0.035], [0, 0.04, 0.05]]
    velocity = [[0.3, 0.2, -0.2], [-0.4, 0, 0], [0, 0.5, -0.1]]
    bodies = dem.Particles(SHAPES[shape], STEEL, position=places, velocity=velocity)
    return dem.Simulation(bodies, walls=[BOWL], gravity=(0, 0, -9.81), time_step=time_step, threads=1)


def test_distances_are_those_of_the_nearest_of_many_points():
    rng = np.random.default_rng(4)
    places = np.column_stack([rng.uniform(-0.1, 0.1, (40, 2)), rng.uniform(-0.02, 0.2, 40)])
    found = np.empty(40)
    clearances(np.ascontiguousarray(places.T), geometry_of([BOWL.shape], reach=0.01), found)
    r, rho = np.hypot(places[:, 0], places[:, 1]), np.linspace(0, 0.4, 400001)
    nearest = [np.hypot(a - rho, z - 8.0 * rho**2).min() for a, z in zip(r, places[:, 2], strict=True)]
    # points are 1e-6 m apart along r, and up to 6e-6 m along the curve: (3e-6)²/2d, or half of 6e-6 near the surface
    np.testing.assert_allclose(np.abs(found), nearest, rtol=1e-5, atol=4e-6)
    inside = places[:, 2] > 8.0 * r**2
    np.testing.assert_array_equal(found > 0, inside)


@pytest.mark.parametrize("shape", ["spheres", pytest.param("capsules", marks=pytest.mark.slow)])
@pytest.mark.long
def test_energy_is_conserved_to_second_order(shape):
    errors = []
    for halves in range(2):
        sim = thrown(shape, 2e-5 / 2**halves)
        largest, touched = 0.0, 0
        for _ in range(60):
            sim.step(40 * 2**halves)
            largest, touched = max(largest, sim.energy_error), touched + sim.walls[0].contacts
        assert touched > 5
        errors.append(largest)
    assert errors[0] < 1e-3
    assert errors[1] < 0.4 * errors[0]


def test_it_is_saved_and_goes_on_as_before(tmp_path):
    sim = thrown("spheres", 2e-5)
    sim.step(200)
    sim.save(tmp_path / "bowl.h5")
    again = dem.Simulation.load(tmp_path / "bowl.h5")
    assert repr(again.walls[0].wall) == repr(BOWL)
    for each in (sim, again):
        each.step(500)
    assert sim.particles.position.tobytes() == again.particles.position.tobytes()


def test_pictures_show_it():
    lines = lines_of(BOWL.shape)
    np.testing.assert_allclose(lines[..., 2], 8.0 * (lines[..., 0] ** 2 + lines[..., 1] ** 2), atol=1e-12)
    assert len(lines) > 100


def test_a_wall_without_triangles_is_left_out_of_pictures(monkeypatch):
    monkeypatch.setitem(KINDS, ParaboloidKind, KINDS[ParaboloidKind]._replace(triangles=None))
    assert lines_of(BOWL.shape).shape == (0, 2, 3)


@pytest.mark.filterwarnings("error")
def test_a_fall_ends_at_the_lowest_point_of_its_bounds():
    """Bounds without end across gravity play no part; a wall without a lowest point adds nothing."""
    height, endless = np.array([[0.01, 0.0, 0.3]]), np.full(3, np.inf)
    fall = specific_fall_energy_to_walls(height, (0, 0, -9.81), [BOWL])
    np.testing.assert_array_equal(fall, 0.0)
    trough = Paraboloid((0, 0, 0), (0, 0, 1), 8.0, material=STEEL)
    vars(trough)["shape"] = trough.shape._replace(lower=np.array([-np.inf, -np.inf, 0.1]), upper=endless)
    fall = specific_fall_energy_to_walls(height, (0, 0, -9.81), [trough])
    np.testing.assert_allclose(fall, 9.81 * 0.2, rtol=1e-15)


def test_a_wall_without_end_does_not_turn():
    turning = dem.Motion(axis=(1, 0, 0), rate=1.0)
    with pytest.raises(ValueError, match="has no end, and cannot turn"):
        Paraboloid((0, 0, 0), (0, 0, 1), 8.0, material=STEEL, motion=turning)


def test_capsules_are_refused_where_a_kind_does_not_say_what_their_sides_meet(monkeypatch):
    monkeypatch.setitem(KINDS, ParaboloidKind, KINDS[ParaboloidKind]._replace(sides=REFUSED))
    with pytest.raises(ValueError, match="which capsules would meet with their ends only"):
        thrown("capsules", 2e-5)


def test_no_file_of_the_package_knows_it():
    root = HERE.parent.parent
    files = [path for folder in ("dem", "kernels", "cases") for path in (root / folder).rglob("*.py")]
    assert len(files) > 300
    assert not [path for path in files if "paraboloid" in path.read_text(encoding="utf-8").lower()]


CASE = """
duration = 1e-3
time_step = 1e-5
threads = 1
materials.steel = {{ young = 1e6, poisson = 0.3, density = 2500 }}
shapes.ball = {{ type = "sphere", diameter = 0.01 }}
particles = [{{ shape = "ball", material = "steel", position = [[0, 0, 0.0049]] }}]
walls = [{{ type = "paraboloid", apex = [0, 0, 0], axis = [0, 0, 1], curvature = {curvature}, material = "steel" }}]
"""


@pytest.mark.long
def test_case_files_find_it_by_its_entry_point(tmp_path):
    """In a process of its own, whose path has a package that declares the wall."""
    told = tmp_path / "bowls-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: bowls\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[dem.walls]\nparaboloid = paraboloid:Paraboloid\n")
    (tmp_path / "paraboloid.py").write_text((HERE / "paraboloid.py").read_text())
    for name, curvature in (("bowl", 8.0), ("odd", -1.0)):
        (tmp_path / f"{name}.toml").write_text(CASE.format(curvature=curvature))
    code = (
        "import dem\nsim = dem.load('bowl.toml')\nprint(sim.walls[0])\nsim.run(1e-3, output='bowl.h5', frames=2)\n"
        "print(dem.Simulation.load('bowl.h5').walls[0].curvature)\ndem.load('odd.toml')"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "Paraboloid(apex=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), curvature=8.0" in done.stdout, done.stderr
    assert done.stdout.split()[-1] == "8.0", done.stderr
    assert "curvature" in done.stderr.splitlines()[-1]


def test_walls_that_are_none_or_take_a_type_are_refused():
    class Plane(dem.Plane):
        """Of the type of a wall of dem."""

    with pytest.raises(TypeError, match="is no dataclass of a Wall"):
        dem.register_wall(int, ParaboloidKind, KINDS[ParaboloidKind])
    with pytest.raises(
        ValueError, match=r"type of Plane is 'plane', which is that of a wall of dem.model.walls.primitives"
    ):
        dem.register_wall(Plane, ParaboloidKind, KINDS[ParaboloidKind])
