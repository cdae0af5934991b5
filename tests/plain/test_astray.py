"""Particles outside of closed walls: at the start, at the end, and `pack` that puts them inside."""

import warnings

import numpy as np
import pytest

import dem

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5)
DRUM = dem.Cylinder((0, 0, -0.04), (0, 0, 0.04), 0.04, ends="both", material=STUFF)
BALL = dem.Sphere(diameter=0.005)


def run_of(*places: tuple[float, float, float], walls: list, **words: object) -> dem.Simulation:
    """Balls at rest."""
    balls = dem.Particles(BALL, STUFF, position=np.array(places))
    return dem.Simulation(balls, walls=walls, time_step=2e-5, **words)


def test_who_begins_outside_of_a_closed_wall_is_told_at_the_start_and_in_the_verdict() -> None:
    """One inside, one outside: a warning with its number and place, and WARN; strict refuses."""
    sim = run_of((0, 0, 0), (0.06, 0, 0), walls=[DRUM])
    with pytest.warns(dem.DemWarning, match=r"outside-walls: particle 1, at \(0.06, 0, 0\) m"):
        verdict = sim.run(1e-3, progress=False)
    assert verdict.status == "WARN"
    assert "1 particle of 2, the first one particle 1, is outside of the closed walls" in str(verdict)
    with pytest.raises(ValueError, match="outside-walls"):
        sim.run(1e-3, progress=False, strict=True)


def test_who_escapes_is_told_in_the_verdict() -> None:
    """It was inside at the start, and is put outside on the way: through a gap, or a step that is too coarse."""
    sim = run_of((0, 0, 0), walls=[DRUM])

    def thrown(sim: dem.Simulation) -> None:
        sim.particles.position = [[0.06, 0, 0]]

    verdict = sim.run(1e-3, every=(20, thrown), progress=False)
    assert verdict.status == "WARN"
    assert "outside of the closed walls" in str(verdict)


@pytest.mark.parametrize(
    "walls",
    [
        [],
        [dem.Cylinder((0, 0, -0.04), (0, 0, 0.04), 0.04, material=STUFF)],  # its ends are open
        [dem.Ball((0, 0, 0), 0.02, material=STUFF)],  # an obstacle
        [dem.Block((-0.02,) * 3, (0.02,) * 3, material=STUFF)],
        [DRUM, dem.Plane((0, 0, -0.1), (0, 0, 1), material=STUFF)],  # a floor beside it
        [DRUM, dem.Rectangle((0.06, 0, -0.1), (0.02, 0, 0), (0, 0.02, 0), material=STUFF)],  # a tray below
    ],
)
def test_open_systems_and_what_falls_on_something_are_no_fault(walls: list) -> None:
    """No notice, and PASS."""
    sim = run_of((0.06, 0, 0), walls=walls)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dem.DemWarning)
        assert sim.run(1e-4, progress=False).status == "PASS"


def test_a_closed_wall_that_turns_and_moves_is_followed() -> None:
    """The place of the wall counts, not where it was at time 0."""
    moving = dem.Cylinder(
        (0, 0, -0.04), (0, 0, 0.04), 0.04, ends="both", material=STUFF, motion=dem.Motion(velocity=(0.5, 0, 0))
    )
    sim = run_of((0.03, 0, 0), walls=[moving], gravity=(0, 0, 0))
    sim.step(2000)  # 0.02 m
    assert sim.verdict().status == "PASS"
    sim.particles.position = [[-0.03, 0, 0]]
    assert sim.verdict().status == "WARN"


@pytest.mark.parametrize("wall", [DRUM, dem.Ball((0.1, 0, 0), 0.03, material=STUFF, inside=True)])
def test_pack_fills_the_inside_of_a_wall(wall: dem.Cylinder | dem.Ball) -> None:
    """All spheres are inside with their whole radius, and fill the part of its volume that was asked for."""
    balls = dem.pack(BALL, STUFF, solid_fraction=0.1, inside=wall, scale=(0.8, 1.2))
    radius = np.array([shape.diameter for shape, _ in balls.variants])[balls.variant] / 2
    if wall is DRUM:
        off = np.hypot(*balls.position.T[:2])
        assert (off + radius < 0.04).all()
        assert (np.abs(balls.position[:, 2]) + radius < 0.04).all()
        volume = np.pi * 0.04**2 * 0.08
    else:
        assert (np.linalg.norm(balls.position - (0.1, 0, 0), axis=1) + radius < 0.03).all()
        volume = 4 / 3 * np.pi * 0.03**3
    one = 4 / 3 * np.pi * (1.2 * BALL.diameter / 2) ** 3
    assert (4 / 3 * np.pi * radius**3).sum() == pytest.approx(0.1 * volume, abs=one)


def test_pack_refuses_walls_without_a_volume() -> None:
    """A plane has no inside that is finite."""
    with pytest.raises(ValueError, match="expected a wall with a volume"):
        dem.pack(BALL, STUFF, number=3, inside=dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF))
