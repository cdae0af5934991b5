"""Particles, inserters and outlets added to a simulation that has begun, or was loaded from a file."""

from pathlib import Path

import numpy as np
import pytest

import dem

SAND = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.6, friction=0.5)
STEEL = dem.Material(young=2e7, poisson=0.3, density=7800.0, restitution=0.6, friction=0.4)
BOX = dem.Box((0, 0, 0), (0.1, 0.1, 0.3), SAND, open=["z+"])
STATE = ("position", "velocity", "orientation", "angular_velocity")


def heap(**words: object) -> dem.Simulation:
    """Three spheres on each other and on the floor, sliding: contacts remember friction."""
    balls = dem.Particles(
        dem.Sphere(diameter=0.02), SAND, position=[[0.04, 0.05, 0.0099], [0.0598, 0.05, 0.0099], [0.05, 0.05, 0.0272]],
        velocity=[[0.1, 0, 0], [0, 0, 0], [0, 0.05, 0]],
    )  # fmt: skip
    sim = dem.Simulation(balls, BOX, time_step=2e-5, **words)
    sim.step(30)
    return sim


def newcomer(z: float = 0.2) -> dem.Particles:
    """A sphere of another material and size, far above."""
    return dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=[[0.05, 0.05, z]], velocity=[[0, 0, -1.0]])


def bytes_of(sim: dem.Simulation, rows: slice = slice(None)) -> list[bytes]:
    """The state of particles in some rows."""
    return [np.ascontiguousarray(getattr(sim.particles, name)[rows]).tobytes() for name in STATE]


def test_adding_nothing_changes_nothing() -> None:
    """No particles, inserters and outlets: the same engine goes on."""
    one, other = heap(), heap()
    engine = other._engine
    other.add()
    assert other._engine is engine
    one.step(20)
    other.step(20)
    assert bytes_of(one) == bytes_of(other)


@pytest.mark.parametrize("saved", [False, True])
def test_who_is_added_far_away_leaves_the_others_bytes(saved: bool, tmp_path: Path) -> None:
    """Contacts in motion, with friction, go on to the bit; time, steps, ledger and numbers as well."""
    alone, sim = heap(), heap()
    if saved:
        sim.save(tmp_path / "state.h5")
        sim = dem.Simulation.load(tmp_path / "state.h5")
    sim.add(newcomer())
    assert (sim.step_count, sim.time, len(sim.particles)) == (30, alone.time, 4)
    assert bytes_of(alone) == bytes_of(sim, slice(3))
    for each in (alone, sim):
        each.step(50)
    assert bytes_of(alone) == bytes_of(sim, slice(3))
    assert sim.identities.tolist() == [0, 1, 2, 3]
    assert [kind.material for kind in sim.particles.kinds] == [SAND, STEEL]
    t = 50 * 2e-5
    assert sim.particles.position[3, 2] == pytest.approx(0.2 - t - 0.5 * 9.81 * t**2, rel=1e-9)


def test_the_ledger_books_what_is_added() -> None:
    """What comes in has its kinetic and potential energy, and the verdict is that of the whole run."""
    sim = heap()
    before = sim.energy()
    sim.add(newcomer())
    mass, now = float(sim.particles.mass[3]), sim.energy()
    assert now.inserted == pytest.approx(mass * (0.5 + 9.81 * 0.2), rel=1e-9)
    assert now.total == pytest.approx(before.total, rel=1e-9)
    verdict = sim.run(0.004, progress=False)
    assert verdict.passed, verdict
    assert "3 at the start, 1 put in" in verdict.population


def test_files_of_a_run_that_was_added_to_go_on(tmp_path: Path) -> None:
    """A run that was added to is written, loaded, and goes on to the same bytes; others can be added once more."""
    sim = heap()
    sim.add(newcomer())
    sim.run(0.002, output=tmp_path / "second.h5", frames=2, progress=False)
    again = dem.Simulation.load(tmp_path / "second.h5")
    assert bytes_of(again) == bytes_of(sim)
    for each in (sim, again):
        each.add(newcomer(0.25))
        each.step(20)
    assert bytes_of(again) == bytes_of(sim)
    with dem.Trajectory(tmp_path / "second.h5") as run:
        assert run.time[0] == pytest.approx(30 * 2e-5)
        assert len(run[-1].position) == 4


@pytest.mark.parametrize("had", [False, True])
@pytest.mark.few(1, long=99)
def test_inserters_are_added_and_count_from_now(had: bool) -> None:
    """Ten at 2000 a second come within 5 ms from now, none at once for the time before; earlier ones go on alike."""
    region = dem.Block((0.01, 0.01, 0.22), (0.09, 0.09, 0.29))
    rain = dem.Inserter(
        dem.Sphere(diameter=0.01), STEEL, region=region, number=10, rate=2000, every=1e-3,
        velocity=(0, 0, -2),
    )  # fmt: skip
    first = dem.Block((0.01, 0.01, 0.12), (0.09, 0.09, 0.18))
    words = {"inserters": [dem.Inserter(dem.Sphere(diameter=0.01), SAND, region=first, number=2)]} if had else {}
    alone, sim = heap(**words), heap(**words)
    sim.add(inserters=[rain], outlets=[dem.Outlet(dem.Block((0, 0, -0.2), (0.1, 0.1, -0.1)))])
    sim.step(1)
    assert sim.inserters[-1].number <= 1
    sim.step(274)
    alone.step(275)
    assert sim.inserters[-1].number == 10
    assert bytes_of(alone) == bytes_of(sim, slice(len(alone.particles)))


@pytest.mark.parametrize(
    ("z", "words"),
    [
        (0.0049, "particle 0 of those added overlaps a wall of the box"),
        (0.04, "particle 0 of those added overlaps particle 2 by"),
        (-0.01, "outside the box"),
    ],
)
def test_who_touches_something_is_refused_and_nothing_is_added(z: float, words: str) -> None:
    """What touches would bring elastic energy that nobody booked."""
    alone, sim = heap(), heap()
    there = newcomer(z)
    if z == 0.0049:
        there.position = [[0.01, 0.01, z]]
    with pytest.raises(ValueError, match=words):
        sim.add(there)
    for each in (alone, sim):
        each.step(10)
    assert bytes_of(alone) == bytes_of(sim)


def test_what_a_run_cannot_take_is_refused() -> None:
    """Materials whose contacts remember more, particles in a visit, and bonds."""
    smooth = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.02), smooth, position=[[0, 0, 0], [0.03, 0, 0]])
    sim = dem.Simulation(ball, time_step=1e-5)
    rough = dem.Particles(dem.Sphere(diameter=0.02), SAND, position=[[0, 0, 1]])
    with pytest.raises(ValueError, match="remember other things"):
        sim.add(rough)
    with pytest.raises(ValueError, match="between runs"):
        sim.run(1e-4, every=(2, lambda sim: sim.add(rough)), progress=False)
    bound = dem.Simulation(ball, time_step=1e-5, bonds=dem.Bonds([(0, 1)], young=1e7, diameter=0.01))
    with pytest.raises(ValueError, match="bonds"):
        bound.add(rough)
