"""Kinds without a branch in the kernels are refused: they would be ignored, or taken for another kind."""

from typing import NamedTuple

import numpy as np
import pytest
from dem.kernels import fluid
from dem.kernels.fluid import gradients
from dem.kernels.walls import geometry, wall_registry

import dem
from dem.model.walls.wall_triangles import triangles_of

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
SHAPES = {"spheres": dem.Sphere(diameter=0.01), "capsules": dem.Capsule(diameter=0.01, aspect_ratio=3)}


def simulation(shape, wall):
    particles = dem.Particles(SHAPES[shape], STUFF, position=[[0, 0, 0.03], [0.05, 0, 0.03]])
    return dem.Simulation(particles, walls=[wall], time_step=1e-5, threads=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_walls_of_unknown_kinds_are_refused(shape):
    wall = dem.Torus((0, 0, 0), (0, 0, 1), 0.02, 0.005, material=STUFF)
    simulation(shape, wall)
    vars(wall)["shape"] = wall.shape._replace(kind=99)
    with pytest.raises(ValueError, match=r"walls\[0\] \(torus\) is of the kind 99, which the kernels do not know"):
        simulation(shape, wall)
    with pytest.raises(ValueError, match="walls of the kind 99 have no triangles"):
        triangles_of(wall.shape, np.zeros(3), 1.0)


def test_walls_that_only_spheres_know_are_refused_to_capsules(monkeypatch):
    row = wall_registry.KINDS[geometry.TORUS]._replace(sides=wall_registry.REFUSED)
    monkeypatch.setitem(wall_registry.KINDS, geometry.TORUS, row)
    wall = dem.Torus((0, 0, 0), (0, 0, 1), 0.02, 0.005, material=STUFF)
    simulation("spheres", wall)
    with pytest.raises(ValueError, match="which capsules would meet with their ends only"):
        simulation("capsules", wall)


def test_all_kinds_are_known_to_spheres_and_capsules():
    rows = wall_registry.KINDS
    assert sorted(kind for kind in rows if isinstance(kind, int)) == list(range(8))
    assert all(row.sides != wall_registry.REFUSED for row in rows.values())


class Unknown(NamedTuple):
    """No flow, and no sample of one."""


@pytest.mark.parametrize("name", ["write_sample", "voidage_of", "pressure_force_on", "medium_at", "mass_ratio_of"])
def test_samples_of_unknown_kinds_are_refused(name):
    with pytest.raises(TypeError, match="no function for Unknown: there are some for "):
        getattr(fluid, name)(Unknown(), None, None, None, None, None)


@pytest.mark.parametrize("name", ["sample_in", "sample_of", "take", "begin", "rows_of"])
def test_fields_of_unknown_kinds_are_refused(name):
    more = () if name == "rows_of" else (None, None)
    with pytest.raises(TypeError, match="no function for Unknown: there are some for "):
        getattr(fluid, name)(Unknown(), *more)


def test_every_known_flow_has_its_rows():
    assert {fluid.rows_of(kind.__new__(kind, *kind._fields)) for kind in fluid.FIELDS} == {gradients.ROWS}
