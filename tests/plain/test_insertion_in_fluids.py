"""Insertion and removal in a fluid: drag from the first step, balances, equal bytes for runs in any parts."""

import hashlib

import numpy as np
import pytest

import dem

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5, friction=0.3)
BALL = dem.Sphere(diameter=0.004)
ROD = dem.Fibre(diameter=0.003, aspect_ratio=2, spheres=3)
SYRUP = {"density": 900.0, "viscosity": 0.1}
ABOVE = dem.Block((0.0, 0.0, 0.03), (0.03, 0.03, 0.05))
DT = 1e-4

pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")


def rain(shape=BALL, **more):
    said = {"region": ABOVE, "number": 12, "every": 0.003, "velocity": (0, 0, -1.5), "spread": 0.1, "name": "rain"}
    return dem.Inserter(shape, STUFF, **(said | more))


def shower(shape=BALL, fluid=None, bottom=0.028, dt=DT, recycle="rain", **more):
    """Rain that sinks, is taken out below, and comes again."""
    out = dem.Outlet(dem.Plane((0, 0, bottom), (0, 0, 1)), every=0.0007, recycle=recycle)
    fluid = fluid or dem.Fluid(**SYRUP, velocity=(0.1, 0, 0))
    inserter = rain(shape, angular_velocity=(30, 50, 0), **more)
    return dem.Simulation(None, fluid=fluid, inserters=[inserter], outlets=[out], time_step=dt, threads=1)


def digest(sim):
    p, energy = sim.particles, sim.energy()
    arrays = (p.position, p.velocity, p.orientation, p.angular_velocity, sim.identities, np.array(energy))
    return hashlib.md5(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()


@pytest.mark.parametrize("shape", [BALL, ROD], ids=["ball", "rod"])
def test_who_comes_moves_as_who_began_there(shape):
    """To rounding, as states are shown; although time has passed in which nobody was there."""
    one = rain(shape, number=1, start=10 * DT, angular_velocity=(30, 50, 0))
    come = dem.Simulation(None, fluid=dem.Fluid(**SYRUP), inserters=[one], time_step=DT, threads=1)
    come.step(10)
    p = come.particles
    state = {name: getattr(p, name).copy() for name in ("position", "velocity", "orientation", "angular_velocity")}
    begun = dem.Simulation(
        dem.Particles(shape, STUFF, **state), fluid=dem.Fluid(**SYRUP, every=1), time_step=DT, threads=1
    )
    for sim in (come, begun):
        sim.step(25)
    for name in state:
        one, other = getattr(come.particles, name), getattr(begun.particles, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=name)
    work = come.energy().fluid
    assert work < 0
    assert work == pytest.approx(begun.energy().fluid, rel=1e-9)  # two units of energy


@pytest.mark.slow
def test_the_books_close_across_events():
    """The work of the fluid in the half step that those had begun who went is off the books; order two is left."""
    errors = []
    for dt in (DT, DT / 2):
        sim = shower(number=5, spread=0.0, dt=dt)
        while sim.time < 0.012:
            sim.step(10)
            energy = sim.energy()
            books = abs(energy.total - sim.start_energy.total)
            assert books <= 1.001 * sim.energy_error * energy.inserted  # the error is the largest at any step
        assert sim.outlets[0].number >= 3
        assert sim.verdict().balanced
        errors.append(sim.energy_error)
    assert errors[1] < 0.3 * errors[0]  # a quarter; one half step more of all who went would be 1e-3 of the whole


@pytest.mark.parametrize("scheme", ["improved-pcdm", "splitting"])
@pytest.mark.parametrize(
    "shapes",
    [
        [dem.Sphere(diameter=d) for d in (0.002, 0.004, 0.003, 0.0025)],
        [BALL, ROD, dem.Ellipsoid(semi_axes=(0.002, 0.001, 0.001))],
    ],
    ids=["four sizes", "shapes"],
)
def test_the_work_of_the_fluid_on_removed_bodies_is_of_second_order(shapes, scheme):
    """Each kind spins by its own moments of inertia, about its own axes; as much as the removed bodies took along."""
    errors = []
    for dt in (4e-5, 2e-5):
        spinning = [
            dem.Particles(
                shape, STUFF, position=[[0.1 * k, 0, 0.001]], orientation=[[0.8, 0.6, 0, 0]], velocity=[[0, 0, -0.3]],
                angular_velocity=[[300, 500, 100]],
            )
            for k, shape in enumerate(shapes)
        ]  # fmt: skip
        out = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)), every=dt)
        sim = dem.Simulation(
            dem.Particles.concatenate(spinning), fluid=dem.Fluid(**SYRUP), outlets=[out], time_step=dt,
            integrator=scheme, threads=1,
        )  # fmt: skip
        before = sim.energy()
        while len(sim.particles):
            sim.step(1)
        errors.append(abs(sim.energy().total - before.total) / before.kinetic)
    assert errors[0] < 1e-4
    assert errors[1] < 0.27 * errors[0]


def test_an_emptied_fluid_goes_on():
    sim = shower(number=2, stop=0.001, recycle="", velocity=(0, 0, -3))
    sim.step(260)
    assert (len(sim.particles), sim.outlets[0].number) == (0, 2)
    energy, error = sim.energy(), sim.energy_error
    sim.step(100)
    assert sim.energy() == energy
    assert sim.energy_error == error < 1e-5


FLUIDS = {
    "a known flow": {"velocity": dem.ShearFlow(rate=20.0)},
    "a crowd": {"cells": dem.Cells(size=0.01, lower=(-0.01, -0.01, 0.0), upper=(0.05, 0.05, 0.06), every=7),
                "drag": "di-felice"},
}  # fmt: skip


@pytest.mark.parametrize("which", FLUIDS)
@pytest.mark.few(1)
def test_the_same_bytes_however_a_run_is_cut(which, tmp_path):
    """Steps one by one around events, a file in between, and all at once; crowds are counted as they are then."""
    fluid = dem.Fluid(**SYRUP, **FLUIDS[which])
    fast = {"number": 4, "every": 0.0015, "velocity": (0, 0, -3.5), "fluid": fluid}
    whole = shower([BALL, ROD], **fast)
    whole.step(64)
    cut = shower([BALL, ROD], **fast)
    for steps in (14, 1, 1, 11):
        cut.step(steps)
    cut.save(tmp_path / "cut.h5")
    gone_on = dem.Simulation.load(tmp_path / "cut.h5")
    gone_on.step(37)
    assert digest(gone_on) == digest(whole)
    assert whole.outlets[0].number > 0
    assert whole.verdict().balanced


def test_what_a_fluid_cannot_do_yet_is_refused():
    with pytest.raises(ValueError, match="every is 4, but inserted particles feel the fluid from their first"):
        shower(fluid=dem.Fluid(**SYRUP, every=4))
    coupled = dem.Fluid(**SYRUP, cells=dem.Cells(size=0.01, lower=(0, 0, 0), upper=(0.05, 0.05, 0.06)),
                        coupling=dem.Coupling(function=print))  # fmt: skip
    with pytest.raises(ValueError, match="inserters and outlets do not go with a coupling"):
        shower(fluid=coupled)
