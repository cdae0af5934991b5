"""Energies of a sphere at two triangles that share an edge: the worked example of docs/walls.md."""

import math

import numpy as np
import pytest

import dem

SOFT = dem.Material(young=1e4, poisson=0.3, density=1.0)


def energy(rise, position):
    """Elastic energy over that of 0.1 m of overlap with a plane, of R = 1 m at two triangles that rise from an edge."""
    c, s = 5 * math.cos(rise), 5 * math.sin(rise)
    corners = np.array([(0, -5, 0), (0, 5, 0), (c, 0, s), (-c, 0, s)])
    wall = dem.Mesh(corners, np.array([[0, 2, 1], [0, 1, 3]]), material=SOFT)
    ball = dem.Particles(dem.Sphere(diameter=2.0), SOFT, position=[position])
    found = dem.Simulation(ball, walls=[wall], time_step=1e-4).energy().elastic
    return found / (0.4 * 4 / 3 * SOFT.young / (2 * (1 - SOFT.poisson**2)) * 0.1**2.5)


@pytest.mark.parametrize(
    ("rise", "position", "expected"),
    [
        (0.0, (0.3, 0, 0.9), 1.0),
        (-0.5, (0, 0, 0.9), 1.0),
        (0.2, (0, 0, 0.95), (2 * (1 - 0.95 * math.cos(0.2)) ** 2.5 - 0.05**2.5) / 0.1**2.5),
        (math.pi / 4, (0, 0, 0.9 * math.sqrt(2)), 2.0),
    ],
    ids=["plane", "roof", "valley", "right angle"],
)
def test_energy_of_triangles_that_share_an_edge_is_that_of_rule_e(rise, position, expected):
    """Each triangle counts, less the edge if it is in range; 1e-9 is what rounding leaves of an overlap of 0.05 R."""
    assert energy(rise, position) == pytest.approx(expected, rel=1e-9)
