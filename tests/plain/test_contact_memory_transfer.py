"""Subdomains pass on contact histories to new candidate pairs, and reports of their work."""

from types import SimpleNamespace

import numpy as np
import pytest
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact import contact_history
from dem.kernels.soft.contact.convex_contacts import MAX_SOLVER_STEPS
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.state import SOLVER
from dem.kernels.soft.subdomain import halo_exchange
from dem.kernels.soft.wall_contact import wall_loads

import dem

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
    neighbours = made.lists.arrays
    start = first_candidate(0, neighbours)
    stop = start + neighbours.pairs[0]
    before, rows = neighbours.has_history[start:stop].copy(), neighbours.history[start:stop].copy()
    assert 0 < before.sum()
    contact_history.save_history(0, made.bodies, neighbours)
    neighbours.has_history[start:stop] = 1
    neighbours.history[start:stop] = np.nan
    contact_history.restore_history(0, neighbours)
    np.testing.assert_array_equal(neighbours.has_history[start:stop], before)
    np.testing.assert_array_equal(neighbours.history[start:stop][before == 1], rows[before == 1])
    neighbours.has_history[start:stop], neighbours.saved_count[0] = 1, 0
    contact_history.restore_history(0, neighbours)
    assert not neighbours.has_history[start:stop].any()


@pytest.mark.parametrize("walls", [(), (dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF),)], ids=["no walls", "walls"])
def test_reports_tell_ghosts_apart(walls, rng):
    """Sums over chunks of ghosts stand beside those of own ones; of maxima, and of what walls feel, ghosts have none.

    But for the deepest overlap and the most steps of a solver, which both of a pair's shares may tell.
    """
    ghosts, own = 3, 4
    faces, chunks = engine(walls).walls.faces, ghosts + own
    chunk_sums = rng.integers(-1000, 1000, (chunks, chunk_step.COLUMNS))
    row = np.full(halo_exchange.WALL_LOADS + len(walls) * wall_loads.COLUMNS, 0)
    if walls:
        part = rng.integers(-1000, 1000, (chunks, len(walls), wall_loads.COLUMNS))
        faces = faces._replace(walls=faces.walls._replace(chunk_loads=part))
    halo_exchange.local_sums(faces, SimpleNamespace(block=np.array([ghosts])), chunk_sums, SimpleNamespace(report=row))
    sums = [0 if most else 1 for most in halo_exchange.IS_MAXIMUM]
    np.testing.assert_array_equal(row[halo_exchange.OWN : halo_exchange.SHARED], sums * chunk_sums[ghosts:].sum(0))
    np.testing.assert_array_equal(
        row[halo_exchange.SHARED : halo_exchange.WALL_LOADS], sums * chunk_sums[:ghosts].sum(0)
    )
    most = np.maximum(chunk_sums[ghosts:].max(0), 0)
    for k in (chunk_step.PAIRS + 1, SOLVER + MAX_SOLVER_STEPS):
        most[k] = max(chunk_sums[:, k].max(), 0)
    np.testing.assert_array_equal(row[: halo_exchange.OWN], most)
    if walls:
        np.testing.assert_array_equal(row[halo_exchange.WALL_LOADS :], part[ghosts:].sum(0).ravel())
