"""Random places keep off walls beside the box."""

import numpy as np
import pytest

import dem
from dem.casefile.load import read
from dem.model.walls import wall_clearance

SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0)
WALLS = {
    "drum": dem.Cylinder((0, -0.03, 0), (0, 0.03, 0), 0.04, ends="both", material=SAND),
    "block": dem.Block((-0.02, -0.03, -0.02), (0.02, 0.03, 0.02), material=SAND),
    "plane": dem.Plane((0, 0, 0), (1, 0, 1), material=SAND),
    "mesh": dem.Mesh.box((-0.02, -0.02, -0.02), (0.02, 0.02, 0.02), material=SAND),
}


@pytest.mark.parametrize("shape", [dem.Sphere(diameter=0.006), dem.Fibre(diameter=0.004, aspect_ratio=4)])
@pytest.mark.parametrize("name", WALLS)
@pytest.mark.few(2)
def test_nobody_overlaps_a_wall(name, shape):
    """Many would, of places drawn without a look at it."""
    corners = {"lower": (-0.04, -0.03, -0.04), "upper": (0.04, 0.03, 0.04)}
    found = dem.pack(shape, SAND, number=40, walls=[WALLS[name]], **corners)
    sim = dem.Simulation(found, walls=[WALLS[name]], gravity=(0, 0, 0), time_step=1e-5)
    assert sim.walls[0].contacts == 0
    assert sim.energy().elastic == 0
    for wall in [WALLS[name]]:
        assert not wall.inside_shell(np.array(found.position)).any()
    blind = dem.pack(shape, SAND, number=40, **corners)
    with pytest.raises(ValueError, match=r"overlap|inside|in the"):
        dem.Simulation(blind, walls=[WALLS[name]], gravity=(0, 0, 0), time_step=1e-5, deepest_overlap=1e-9)


@pytest.mark.parametrize("name", ["drum", "block", "mesh"])
def test_places_keep_off_walls_across_periodic_faces(name):
    """The wall is around a corner of the box, and reaches into it from all sides."""
    box = dem.Box((0, -0.05, 0), (0.12, 0.05, 0.12), SAND, periodic=["x", "y", "z"])
    found = dem.pack(dem.Sphere(diameter=0.008), SAND, box, number=100, walls=[WALLS[name]])
    sim = dem.Simulation(found, box, walls=[WALLS[name]], gravity=(0, 0, 0), time_step=1e-5)
    assert sim.walls[0].contacts == 0
    blind = dem.pack(dem.Sphere(diameter=0.008), SAND, box, number=100)
    with pytest.raises(ValueError, match=r"overlap|inside|in the"):
        dem.Simulation(blind, box, walls=[WALLS[name]], gravity=(0, 0, 0), time_step=1e-5, deepest_overlap=1e-9)


@pytest.mark.parametrize("wall", [
    dem.Ball((0, 0, 0.05), 0.03, inside=True, material=SAND),
    dem.Mesh.box((-0.025, -0.025, 0.02), (0.025, 0.025, 0.08), material=SAND),
])  # fmt: skip
def test_a_wall_across_periodic_faces_is_filled_on_all_sides(wall):
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), SAND, periodic=["x", "y"])
    found = dem.pack(dem.Sphere(diameter=0.008), SAND, box, solid_fraction=0.15, inside=wall)
    x, y, z = found.position.T
    assert np.histogram2d(x, y, bins=2, range=[(0, 0.1), (0, 0.1)])[0].min() > 0.1 * len(found)
    near = np.column_stack([x - 0.1 * (x > 0.05), y - 0.1 * (y > 0.05), z])
    sim = dem.Simulation(found, box, walls=[wall], gravity=(0, 0, 0), time_step=1e-5)
    assert sim.walls[0].contacts == 0
    assert np.abs(near - (0, 0, 0.05)).max() < 0.03


def test_cells_of_meshes_are_made_once_for_like_sizes(monkeypatch):
    """However often places are offered: sizes from one to two take two sets of cells at most."""
    made, geometry_of = [], wall_clearance.geometry_of
    monkeypatch.setattr(
        wall_clearance, "geometry_of", lambda shapes, reach: made.append(reach) or geometry_of(shapes, reach=reach)
    )
    radii = np.linspace(0.008, 0.004, 40)
    places = wall_clearance.clear_of([WALLS["mesh"]], [(np.zeros((1, 3)), np.array([radius])) for radius in radii])
    position, turned = np.array([(0.0, 0, 0), (0.013, 0, 0), (0.0155, 0, 0)]), np.tile((1.0, 0, 0, 0), (3, 1))
    found = [places.of(position, turned, first).tolist() for first in range(40)]
    assert found == [[True, 0.007 > radius, 0.0045 > radius] for radius in radii]
    assert len(made) <= 2


def test_a_region_that_is_all_wall_has_no_room(monkeypatch):
    monkeypatch.setattr("dem.model.particles.random_insertion.MAX_ATTEMPTS", 5000)
    inside = {"lower": (-0.015, -0.015, -0.015), "upper": (0.015, 0.015, 0.015)}
    with pytest.raises(ValueError, match="found places for 0 of 3"):
        dem.pack(dem.Sphere(diameter=0.006), SAND, number=3, walls=[WALLS["block"]], **inside)


def test_random_groups_of_case_files_keep_off_walls(tmp_path):
    path = tmp_path / "drum.toml"
    path.write_text(
        """
        duration = 1e-4
        time_step = 1e-5
        [materials.sand]
        young = 5e6
        poisson = 0.3
        density = 1000.0
        [shapes.grain]
        type = "sphere"
        diameter = 0.006
        [[walls]]
        type = "cylinder"
        material = "sand"
        start = [0, -0.03, 0]
        end = [0, 0.03, 0]
        radius = 0.04
        ends = "both"
        [[particles]]
        shape = "grain"
        material = "sand"
        random = { number = 60, lower = [-0.04, -0.03, -0.04], upper = [0.04, 0.03, 0.04] }
        """
    )
    sim = read(path).case.simulation()
    assert len(sim.particles) == 60
    assert sim.walls[0].contacts == 0
