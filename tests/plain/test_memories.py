"""What shares of a run hand on: memories of contacts to new candidates, and reports of what was computed."""

from types import SimpleNamespace

import numpy as np
import pytest

import dem
from kernels.soft import border, felt, history, sweeps
from kernels.soft.chunks import first_candidate

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0, friction=0.4, restitution=0.8)


def engine(walls=()):
    """Of eight spheres in a row that touch each other."""
    place = 0.0099 * np.arange(8)[:, None] * [1, 0, 0] + [0, 0, 0.006]
    balls = dem.Particles(
        dem.Sphere(diameter=0.01), STUFF, position=place, velocity=[[0, 0.1, 0]] * 4 + [[0, 0, 0]] * 4
    )
    sim = dem.Simulation(balls, walls=walls, time_step=1e-6, threads=1)
    sim.step(2)
    return sim._engine


def test_new_candidates_remember_nothing_but_what_was_put_aside():
    """Whatever flags their places had before, which were those of other pairs."""
    made = engine()
    neighbours = made.neighbours
    start = first_candidate(0, neighbours)
    stop = start + neighbours.pairs[0]
    before, rows = neighbours.has_history[start:stop].copy(), neighbours.history[start:stop].copy()
    assert 0 < before.sum()
    history.put_aside(0, made.bodies, neighbours)
    neighbours.has_history[start:stop] = 1
    neighbours.history[start:stop] = np.nan
    history.give_back(0, neighbours)
    np.testing.assert_array_equal(neighbours.has_history[start:stop], before)
    np.testing.assert_array_equal(neighbours.history[start:stop][before == 1], rows[before == 1])
    neighbours.has_history[start:stop], neighbours.aside_count[0] = 1, 0
    history.give_back(0, neighbours)
    assert not neighbours.has_history[start:stop].any()


@pytest.mark.parametrize("walls", [(), (dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF),)], ids=["no walls", "walls"])
def test_reports_tell_ghosts_apart(walls, rng):
    """Sums over chunks of ghosts stand beside those of own ones; of maxima, and of what walls feel, ghosts have none.

    But for the deepest overlap, which both of a pair's shares may tell.
    """
    ghosts, own = 3, 4
    faces, chunks = engine(walls).faces, ghosts + own
    partial = rng.integers(-1000, 1000, (chunks, sweeps.COLUMNS))
    row = np.full(border.FELT + len(walls) * felt.COLUMNS, 0)
    if walls:
        part = rng.integers(-1000, 1000, (chunks, len(walls), felt.COLUMNS))
        faces = faces._replace(walls=faces.walls._replace(part=part))
    border.report(faces, SimpleNamespace(block=np.array([ghosts])), partial, SimpleNamespace(report=row))
    sums = [0 if most else 1 for most in border.IS_MAXIMUM]
    np.testing.assert_array_equal(row[border.OWN : border.BOTH], sums * partial[ghosts:].sum(0))
    np.testing.assert_array_equal(row[border.BOTH : border.FELT], sums * partial[:ghosts].sum(0))
    most = np.maximum(partial[ghosts:].max(0), 0)
    most[sweeps.PAIRS + 1] = max(partial[:, sweeps.PAIRS + 1].max(), 0)
    np.testing.assert_array_equal(row[: border.OWN], most)
    if walls:
        np.testing.assert_array_equal(row[border.FELT :], part[ghosts:].sum(0).ravel())
