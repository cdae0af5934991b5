"""Drums of flats against a smooth one: how far a sphere that bounces off them departs, by segments."""

import itertools

import numpy as np
import pytest

import dem

R, RADIUS = 0.005, 0.04
SOFT = dem.Material(young=5e6, poisson=0.3, density=1000.0)


def path(walls):
    """Where an elastic sphere is at each of 10 ms in which it falls on the side of a drum and bounces off."""
    ball = dem.Particles(
        dem.Sphere(diameter=2 * R), SOFT, position=[[0.02, 0.0007, -0.0275]], velocity=[[0.0, 0.05, -0.1]]
    )
    sim = dem.Simulation(ball, walls=walls, time_step=4e-5)
    found = []
    for _ in range(10):
        sim.step(25)
        found.append(sim.particles.position[0])
    return np.array(found)


def facets(segments):
    """A drum about y whose flats cut inside the circle."""
    made = dem.Mesh.turned([(RADIUS, -0.1), (RADIUS, 0.1)], segments=segments, material=SOFT)
    return dem.Mesh(made.vertices[:, [0, 2, 1]], made.triangles, material=SOFT)


def departures():
    """Largest distance from the path in a smooth drum, for 50, 200 and 800 segments [m]."""
    smooth = path([dem.Cylinder((0, -0.1, 0), (0, 0.1, 0), RADIUS, material=SOFT)])
    return [float(np.abs(path([facets(n)]) - smooth).max()) for n in (50, 200, 800)]


@pytest.mark.slow
def test_drums_of_flats_go_to_the_smooth_one():
    """As their sagitta R (1 - cos(π/n)) does, by 16 for four times as many segments, within a factor of 2."""
    found = departures()
    assert found[2] < 2e-3 * R
    for coarse, fine in itertools.pairwise(found):
        assert 8 < coarse / fine < 32
