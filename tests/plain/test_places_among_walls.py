"""Random places keep off walls beside the box."""

import numpy as np
import pytest

import dem
from dem.casefile.load import read

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
        assert not wall.solid(np.array(found.position)).any()
    blind = dem.pack(shape, SAND, number=40, **corners)
    with pytest.raises(ValueError, match=r"overlap|inside|in the"):
        dem.Simulation(blind, walls=[WALLS[name]], gravity=(0, 0, 0), time_step=1e-5, deepest_overlap=1e-9)


def test_a_region_that_is_all_wall_has_no_room(monkeypatch):
    monkeypatch.setattr("dem.model.insertion.MOST_OFFERS", 5000)
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
