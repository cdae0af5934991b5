"""Verdicts on runs that ended before walls had moved, or before all particles were inserted."""

import math

import pytest

import dem
from dem.casefile.preview import so_far

DT = 1e-5
SAND = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.5)
UP = (0, 0, 0.01)


def told(steps=100, *, motion=(), **more):
    """What the verdict says after so many steps of a grain below a plate that moves: its last words, and status."""
    grain = dem.Particles(dem.Sphere(diameter=0.01), SAND, position=[(0, 0, 0)])
    plate = dem.Rectangle((0, 0, 0.5), (0.1, 0, 0), (0, 0.1, 0), material=SAND, motion=motion, name="plate")
    sim = dem.Simulation(grain, walls=[plate], time_step=DT, **more)
    sim.step(steps)
    verdict = sim.verdict()
    assert so_far(sim).unfinished == ()  # of the first steps of a check, which has no end
    assert verdict.status == "PASS"  # nothing that was computed is in doubt
    assert all(text in str(verdict) for text in verdict.unfinished)
    return verdict.unfinished


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (dem.Motion(velocity=UP, stop=0.42), ["the plate moves until 0.42 s, the run ended at 0.001 s"]),
        (dem.Motion(velocity=UP, start=0.5, stop=0.6), ["the plate moves until 0.6 s, the run ended at 0.001 s"]),
        (dem.Motion(velocity=UP, start=0.5), ["the plate begins to move at 0.5 s, the run ended at 0.001 s"]),
        (dem.Motion(table=[(0, 0, 0, 0), (2, *UP)], start=1), ["the plate moves until 3 s, the run ended at 0.001 s"]),
        ([dem.Motion(velocity=UP, stop=0.2), dem.Motion(rate=1.0, stop=0.3)],
         ["the plate moves until 0.3 s, the run ended at 0.001 s"]),
        (dem.Motion(velocity=UP, stop=100 * DT), []),  # at the last step, but for rounding
        (dem.Motion(velocity=UP), []),  # for ever
        (dem.Motion(velocity=UP, table=[(0, 0, 0, 0), (2, *UP)]), []),
        (dem.Motion(stop=0.42), []),  # it does not move at all
    ],
)  # fmt: skip
def test_walls_that_are_still_to_move_are_told_of(motion, said):
    assert list(told(motion=motion)) == said


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ({"number": 20, "rate": 1e4}, "the rain has put in 10 of 20 particles"),  # 1e4 a second
        ({"number": 20, "start": 0.5}, "the rain has put in 0 of 20 particles"),
        ({"rate": 1e4, "stop": 0.5}, "the rain puts particles in until 0.5 s"),
        ({"rate": 1e4, "start": 0.5}, "the rain begins to put particles in at 0.5 s"),
        ({"number": 5, "rate": 1e4}, ""),  # all are in
        ({"rate": 1e4, "stop": 5e-4}, ""),
        ({"rate": 1e4}, ""),  # without end
    ],
)
def test_inserters_that_have_particles_to_come_are_told_of(when, said):
    region = dem.Block((-0.2, -0.2, 0.1), (0.2, 0.2, 0.4))
    rain = dem.Inserter(dem.Sphere(diameter=0.01), SAND, region=region, every=10 * DT, name="rain", **when)
    assert list(told(inserters=[rain])) == ([f"{said}, the run ended at 0.001 s"] if said else [])


def test_motions_end_when_nothing_of_them_moves_any_more():
    table = [(0, 0, 0, 0), (2, *UP)]
    assert dem.Motion(velocity=UP).end == math.inf
    assert dem.Motion(table=table, start=1).end == 3
    assert dem.Motion(table=table, stop=1.5).end == 1.5
    assert dem.Motion(table=table, rate=1.0).end == math.inf
