"""Two-way coupling with external flow solvers: momentum, stability, restarts, refusals."""

import copy
import math
import pickle
from dataclasses import dataclass

import h5py
import numpy as np
import pytest

import dem

WATER = {"density": 1000.0, "viscosity": 1e-3}
SAND = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.8, friction=0.3)
AROUND = dem.Box((0, 0, 0), (0.01, 0.01, 0.02), SAND, periodic=["x", "y", "z"])


def giving_way(exchange):
    """A fluid that moves as one cell by itself: it has the momentum that particles gave to it."""
    mass = exchange.density * exchange.voidage * exchange.cells.volume
    return dem.FlowState(velocity=exchange.fluid_velocity + exchange.momentum / mass[..., None])


@dataclass(frozen=True)
class Still:
    """A fluid that stays as it is."""

    speed: float

    def __call__(self, exchange):
        return dem.FlowState(velocity=(self.speed, 0, 0), pressure_gradient=(0, 0, -9810.0))


def cloud(number=25, speed=0.1):
    particles = dem.pack(dem.Sphere(diameter=1e-3), SAND, AROUND, number=number, seed=3)
    particles.velocity = speed * np.random.default_rng(2).normal(size=(number, 3))
    return particles


def coupled(
    function=giving_way, particles=None, box=AROUND, dt=1e-4, gravity=(0, 0, 0), every=4, implicit=False, **fluid
):
    given = WATER | {"model": "B", "drag": "beetstra", "cells": dem.Cells(number=(2, 2, 4), every=every)} | fluid
    given["coupling"] = dem.Coupling(function=function, implicit=implicit)
    particles = cloud() if particles is None else particles
    return dem.Simulation(particles, box, fluid=dem.Fluid(**given), time_step=dt, gravity=gravity)


def momentum(sim):
    return (sim._engine.kinds.mass[sim.particles.variant][:, None] * sim.particles.velocity).sum(0)


class Listening:
    """A function, and what it was told."""

    def __init__(self, function=giving_way):
        self.function, self.told = function, []

    def __call__(self, exchange):
        self.told.append(exchange)
        return self.function(exchange)


def test_the_fluid_has_what_the_particles_lack():
    """Contacts, weight, added mass, lift and all: to rounding, at each exchange, since the last one."""
    solver, g = Listening(), np.array([1.0, -2.0, -9.81])
    sim = coupled(solver, lift="mei", magnus="rubinow-keller", gravity=tuple(g))
    start, mass = momentum(sim), 25 * sim._engine.kinds.mass[0]
    for k in range(1, 6):
        sim.step(4)
        given = sum(told.momentum.sum((0, 1, 2)) for told in solver.told)
        assert len(solver.told) == k + 1
        assert given == pytest.approx(start + mass * g * sim.time - momentum(sim), abs=1e-13 * mass * 0.1)
    assert np.linalg.norm(given) > 1e-2 * mass * 0.1


@pytest.mark.slow
def test_momentum_of_the_whole_stays():
    """Of particles and a fluid that gives way; and both come to the same velocity."""
    two = dem.Particles(
        dem.Sphere(diameter=1e-3), SAND, position=[(0.002,) * 3, (0.007,) * 3], velocity=[(0.05, 0, 0)] * 2
    )
    sim = coupled(particles=two, dt=2e-3, cells=dem.Cells(number=(1, 1, 1), every=1), rotation=None)
    solid = math.pi / 6 * 2e-9
    mass, fluid = 2500 * solid, 1000 * (2e-6 - solid)
    for steps in (1, 300):
        sim.step(steps)
        flow = sim.exchange().fluid_velocity[0, 0, 0, 0]
        assert fluid * flow + momentum(sim)[0] == pytest.approx(mass * 0.05, rel=1e-12)
    assert np.abs(sim.particles.velocity[:, 0] - flow).max() < 0.01 * 0.05


def test_the_ledger_closes_with_what_the_fluid_did():
    """All that particles lose of kinetic energy, but for what contacts took, they gave to the fluid: to its unit."""
    sim = coupled()
    before = sim.energy()
    sim.step(50)
    now = sim.energy()
    assert now.total == pytest.approx(before.total, abs=1e-9 * before.total)
    assert now.fluid < -1e-2 * before.total


@pytest.mark.slow
def test_both_sides_relax_as_they_should_in_first_order_of_the_interval():
    """Of Stokes' drag in one cell: a gap of velocities goes like exp(-(1 + M) t/τ), τ = m/(3π μ d)."""
    gaps = []
    for every in (8, 4, 2):
        fluid = dem.Fluid(
            density=1.2, viscosity=1e-2, drag="stokes", model="B", velocity=(0.05, 0, 0), rotation=None,
            added_mass=False, cells=dem.Cells(number=(1, 1, 1), every=every),
            coupling=dem.Coupling(function=giving_way),
        )  # fmt: skip
        sim = dem.Simulation(cloud(10, 0.0), AROUND, gravity=(0, 0, 0), time_step=2e-5, fluid=fluid)
        sim.step(80)
        told = sim.exchange()
        gaps.append(told.fluid_velocity[0, 0, 0, 0] - told.solid_velocity[0, 0, 0, 0])
    mass, solid = 2500 * math.pi / 6 * 1e-9, 10 * math.pi / 6 * 1e-9
    loading = 10 * mass / (1.2 * (2e-6 - solid))
    exact = 0.05 * math.exp(-(1 + loading) * 3 * math.pi * 1e-2 * 1e-3 / mass * 80 * 2e-5)
    errors = (exact - np.array(gaps)) / np.array([9, 5, 3])  # what is told is felt at the next forces, a step later
    assert errors == pytest.approx(np.full(3, errors[2]), rel=0.05)
    assert 0 < errors[2] < 0.002 * 0.05


def test_pressure_presses():
    """-V ∇p, model A: a sphere in a fluid that moves with it, of a pressure gradient; first acceleration by hand."""
    one = dem.Particles(dem.Sphere(diameter=1e-3), SAND, position=[(0.005, 0.005, 0.01)], velocity=[(0.2, 0, 0)])
    sim = coupled(Still(0.2), one, model="A", gravity=(0, 0, -9.81), dt=1e-6, added_mass=False, implicit=True)
    sim.step(1)
    assert sim.particles.velocity[0, 2] == pytest.approx((9810 / 2500 - 9.81) * 1e-6, rel=1e-3)


def same(one, other):
    names = ("position", "velocity", "angular_velocity")
    return all((getattr(one.particles, name) == getattr(other.particles, name)).all() for name in names)


@pytest.mark.slow
def test_the_same_bytes_however_a_run_is_cut_and_from_files(tmp_path):
    """Between exchanges and at one; a function of a module, or a dataclass, is found again by its name."""
    for function, fluid in ((giving_way, {}), (Still(0.3), {"model": "A"})):
        whole, cut = (coupled(function, implicit=True, **fluid) for _ in range(2))
        whole.step(20)
        cut.step(5)
        cut.step(3)
        cut.save(tmp_path / "a.h5")
        cut = dem.Simulation.load(tmp_path / "a.h5")
        cut.step(3)
        cut.save(tmp_path / "a.h5")
        again = dem.Simulation.load(tmp_path / "a.h5")
        again.step(9)
        assert same(again, whole)
        assert again.energy() == whole.energy()


def test_a_function_without_a_name_has_to_be_given_again(tmp_path):
    solver = Listening()
    sim = coupled(solver)
    sim.step(6)
    sim.save(tmp_path / "a.h5")
    with pytest.raises(
        ValueError, match=r"computed by test_coupling:Listening, .* give it, dem\.resume\(path, coupling="
    ):
        dem.Simulation.load(tmp_path / "a.h5")
    again = dem.Simulation.load(tmp_path / "a.h5", coupling=Listening())
    for each in (sim, again):
        each.step(9)
    assert same(again, sim)


def test_files_with_a_fluid_that_cannot_be_are_refused(tmp_path):
    sim = coupled()
    for row, value in ((2, -1.0), (4, 99.0), (0, 2.0)):
        sim.save(tmp_path / "a.h5")
        with h5py.File(tmp_path / "a.h5", "r+") as file:
            file["fluid/seen"][row] = value
        with pytest.raises(ValueError, match="fluid/seen"):
            dem.Simulation.load(tmp_path / "a.h5")


def test_a_trajectory_of_a_coupled_run_is_resumed(tmp_path):
    sim, whole = (coupled(Listening(), particles=cloud(speed=0.02), dt=1e-5, every=3) for _ in range(2))
    sim.run(1e-4, output=tmp_path / "run.h5", frames=2)
    with pytest.raises(ValueError, match="is no part of the file"):
        dem.resume(tmp_path / "run.h5", duration=2e-4)
    dem.resume(tmp_path / "run.h5", duration=2e-4, coupling=Listening())
    whole.step(20)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert (run.velocity[-1] == whole.particles.velocity).all()


def test_what_somebody_changes_in_a_run_leaves_the_flow_as_it_is():
    """The fluid keeps its velocity, and momentum that was on its way arrives."""
    solver = Listening()
    sim = coupled(solver)
    sim.step(6)
    flow, given = sim.exchange().fluid_velocity, sim.exchange().momentum
    sim.particles.velocity = 0.5 * sim.particles.velocity
    assert (sim.exchange().fluid_velocity == flow).all()
    assert (sim.exchange().momentum == given).all()
    assert len(solver.told) == 2


def loaded(every, implicit=False):
    """Heavy spheres in one cell of a light fluid."""
    number = 20
    cells = dem.Cells(number=(1, 1, 1), every=every)
    return dem.Simulation(
        cloud(number, 0.0), AROUND, gravity=(0, 0, 0), time_step=2e-4,
        fluid=dem.Fluid(density=1.2, viscosity=1e-2, drag="stokes", model="B", cells=cells, velocity=(0.05, 0, 0),
                        rotation=None, coupling=dem.Coupling(function=giving_way, implicit=implicit)),
    )  # fmt: skip


@pytest.mark.slow
def test_explicit_couplings_diverge_where_they_are_refused():
    """(1 + M)(1 - exp(-h/τ)) is the share of the relative velocity that goes in an interval: beyond 2 it would grow."""
    with pytest.raises(
        ValueError, match=r"could give [0-9.]+ times the momentum .* an explicit coupling diverges from 2"
    ):
        loaded(100)
    shares = [loaded(every, implicit=True)._engine.fluid.two_way for every in (1, 100)]
    exchange = loaded(100, implicit=True).exchange()
    bed = shares[1]
    rate = exchange.resistance.sum() / exchange.mass.sum()
    mass = exchange.mass.sum() / (1.2 * exchange.voidage[0, 0, 0] * 2e-6)
    assert bed.strength(exchange, 0.01) == pytest.approx((1 + mass) * (1 - math.exp(-0.01 * rate)), rel=1e-12)
    every = math.ceil(-math.log(1 - 3 / (1 + mass)) / rate / 2e-4)  # a share of 3, so that gaps double
    gaps = []
    for n, implicit in ((every, True), (max(1, every // 4), False)):
        sim = loaded(n, implicit)
        sim.step(3 * n if implicit else 12 * n)
        told = sim.exchange()
        gaps.append(abs(told.fluid_velocity[0, 0, 0, 0] - told.solid_velocity[0, 0, 0, 0]))
    assert gaps[0] > 5 * 0.05
    assert gaps[1] < 0.2 * 0.05


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (lambda told: None, {}, r"returned NoneType, expected a dem\.FlowState"),
        (lambda told: dem.FlowState(velocity=np.zeros((2, 2, 2, 3))), {}, r"velocity from the coupling has shape"),
        (lambda told: dem.FlowState(velocity=(0, 0, math.nan)), {}, "velocity from the coupling is not finite"),
        (lambda told: dem.FlowState(velocity=(0, 0, 0)), {"model": "A"}, "no pressure_gradient, which model A needs"),
        (Still(0.0), {}, "the drag of model B has already"),
        (lambda told: dem.FlowState(velocity=(0, 0, 0), density=-1), {}, "density from the coupling is -1 kg/m3"),
        (giving_way, {"velocity": dem.ShearFlow(rate=1)}, "but the coupling computes it"),
        ("solver", {}, r"expected a function of a dem\.Exchange"),
    ],
)
def test_couplings_that_cannot_be(function, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        coupled(function, implicit=True, **options)


def test_density_and_viscosity_of_an_answer_are_felt():
    """Half the viscosity, half of Stokes' drag; kept in files."""
    answers = [dem.FlowState(velocity=(0, 0, 0), viscosity=value) for value in (1e-3, 5e-4)]
    sims = [coupled(lambda told, state=state: state, drag="stokes", implicit=True) for state in answers]
    resistances = [sim.exchange().resistance.sum() for sim in sims]
    assert resistances[1] == pytest.approx(0.5 * resistances[0], rel=1e-12)


def test_a_density_that_is_told_is_that_of_added_mass():
    """First acceleration from rest by hand: weight less buoyancy, over the mass with half of what is displaced."""
    one = dem.Particles(dem.Sphere(diameter=1e-3), SAND, position=[(0.005, 0.005, 0.01)])
    answer = dem.FlowState(velocity=(0, 0, 0), density=500.0)
    sim = coupled(lambda told: answer, one, gravity=(0, 0, -9.81), dt=1e-6, drag="stokes", implicit=True)
    sim.step(1)
    exact = -9.81 * (2500 - 500) / (2500 + 0.5 * 500) * 1e-6
    assert sim.particles.velocity[0, 2] == pytest.approx(exact, rel=1e-4)  # drag takes 18 μ/(ρ d²) dt = 7e-6 of it


@dataclass
class Rising:
    """A flow that rises faster with every call."""

    speed: float = 0.0

    def __call__(self, exchange):
        self.speed += 0.1
        return dem.FlowState(velocity=(0, 0, self.speed), pressure_gradient=(0, 0, 0))


@pytest.mark.parametrize("kind", ["copy", "deepcopy", "pickle"])
def test_the_function_of_a_coupling_goes_with_a_copy(kind):
    """A shallow copy shares it."""
    sim = coupled(Rising(), implicit=True, model="A")
    ways = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda sim: pickle.loads(pickle.dumps(sim))}
    function, other = sim.fluid.coupling.function, ways[kind](sim).fluid.coupling.function
    assert other == function
    assert (other is function) is (kind == "copy")
