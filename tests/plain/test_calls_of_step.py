"""Overhead of a call of `step`: the state is checked in place, and particles are read back on demand."""

import copy
import pickle

import numpy as np
import pytest

import dem
from dem.model.particles.fields import MOTION
from dem.soft.engine import Engine

GLASS = dem.Material(young=5e7, poisson=0.3, density=2500.0, restitution=0.9, friction=0.3)
BOX = dem.Box((0, 0, 0), (1, 1, 1), material=GLASS)
AIR = dem.Fluid(viscosity=1.8e-5, density=1.2)


def moving(shape=None, **words):
    """Two bodies about to meet, above the floor."""
    shape = shape or dem.Sphere(diameter=0.01)
    p = dem.Particles(shape, GLASS, position=[[0.5, 0.5, 0.5], [0.52, 0.503, 0.5]], velocity=[[1.0, 0, 0], [0, 0, 0.1]])
    return dem.Simulation(p, **{"box": BOX, "time_step": 1e-5, "threads": 1} | words)


@pytest.fixture
def readings(monkeypatch):
    """Steps at which particles have been read back from an engine."""
    steps, state = [], Engine.state
    monkeypatch.setattr(Engine, "state", lambda self: steps.append(int(self.run_state.step[0])) or state(self))
    return steps


@pytest.mark.parametrize(
    "words",
    [{}, {"fluid": AIR}, {"box": None}, {"shape": dem.Fibre(diameter=0.01, aspect_ratio=2)}],
    ids=["spheres", "fluid", "no box", "fibres"],
)
def test_calls_read_no_particles_back_until_they_are_asked_for(readings, words):
    sim = moving(**words)
    held, before = sim.particles, sim.particles.position
    readings.clear()
    for _ in range(5):
        sim.step()
    assert readings == []
    state = sim._engine.state()  # what has to be seen, by whatever way
    readings.clear()
    for name, rows in zip(MOTION, state, strict=True):
        assert (getattr(held, name) == rows.T).all()
    assert sim.particles is held
    assert readings == [5]
    assert (before[0] != held.position[0]).any()  # an array taken earlier stays as it was


def test_particles_assigned_to_or_copied_after_steps_are_those_of_the_present():
    sim, other = moving(), moving()
    held = sim.particles
    sim.step(3)
    assert sim.particles.velocity[1, 2] != 0.1
    sim.step(3)
    copies = copy.deepcopy(held), copy.copy(held), pickle.loads(pickle.dumps(held)), held.copy()
    sim.step(3)
    held.velocity = np.zeros((2, 3))  # other fields stay as they are at present
    other.step(6)
    for one in copies:
        assert all((getattr(one, name) == getattr(other.particles, name)).all() for name in MOTION)
    other.step(3)
    assert (held.position == other.particles.position).all()
    assert not sim.particles.velocity.any()


def spoil(values, value):
    """Write a number to the second body."""
    values[0, 1] = value


@pytest.mark.parametrize("fluid", [None, AIR], ids=["dry", "fluid"])
@pytest.mark.parametrize(
    "change",
    [
        lambda e: spoil(e.bodies.position, np.nan),
        lambda e: spoil(e.bodies.position, 1.0001),
        lambda e: spoil(e.bodies.position, -1e-9),
        lambda e: e.run_state.acceleration.fill(np.nan),
        lambda e: e.run_state.acceleration.fill(np.inf),
        lambda e: e.run_state.phase.fill(0),
    ],
    ids=["nan", "beyond", "before", "pulled by nan", "pulled by inf", "no whole step"],
)
def test_a_state_is_called_sound_in_place_only_if_it_is(change, fluid):
    sim = moving(fluid=fluid)
    assert not sim._engine.is_sound(BOX)  # no step has been taken that would tell
    sim.step(2)
    assert sim._engine.is_sound(BOX)
    change(sim._engine)
    assert not sim._engine.is_sound(BOX)


@pytest.mark.parametrize("name", ["velocity", "force", "memory_w"])
def test_in_a_fluid_all_arrays_are_looked_at(name):
    sim = moving(fluid=AIR)
    sim.step(2)
    spoil(getattr(sim._engine.bodies, name), np.inf)
    assert not sim._engine.is_sound(BOX)


def test_shares_of_overlaps_do_not_depend_on_calls():
    """A deep overlap of unequal spheres is measured in the state after its forces, wherever a call ends."""

    def squeezed():
        soft = dem.Material(young=1e5, poisson=0.3, density=2500.0)
        balls = [dem.Sphere(diameter=d) for d in (0.01, 0.004)]
        bodies = dem.Particles(balls, soft, position=[[0, 0, 0], [0.0071, 0, 0]], velocity=[[0, 0, 0], [-1.0, 0, 0]])
        return dem.Simulation(bodies, gravity=(0, 0, 0), time_step=2e-5, threads=1)

    whole, cut = squeezed(), squeezed()
    whole.step(60)
    for _ in range(60):
        cut.step()
    assert whole._engine.limits.largest_share > 0.2  # of the smaller radius: kernels have returned for it
    np.testing.assert_array_equal(cut._engine.limits.watch, whole._engine.limits.watch)
