"""Laws of a fluid that are evaluated once in so many steps: order, stability, cuts; functions they are made of."""

import decimal
import math
from dataclasses import replace

import numpy as np
import pytest
from dem.kernels import fluid as fluids
from dem.kernels.fluid import dense_suspension, gradients, gridded, relaxation_step, sample_of, sampling
from dem.kernels.numerics import elementary

import dem
from dem.bench.costs import Flowing
from dem.bench.workloads import BENCHMARKS
from dem.soft.fluid.fluid_setup import SELDOM, interval

WATER = {"density": 1000.0, "viscosity": 1e-3}
GLASS = dem.Material(young=1e6, poisson=0.22, density=2500.0, restitution=0.8, friction=0.4)
ROD = dem.Fibre(diameter=1e-3, aspect_ratio=3)
VORTICES = dem.TaylorGreenFlow(speed=0.1, wavenumber=150.0)


@pytest.mark.parametrize(
    ("found", "exact", "places"),
    [
        (elementary.exponential, decimal.Decimal.exp, (-700.0, -20.3, -1.0, -1e-9, 0.3, 0.34657, 1.0, 41.7, 700.0)),
        (
            elementary.exponential_less_one,
            lambda x: x.exp() - 1,
            (-700.0, -20.3, -0.6931, -0.35, -0.2, -1e-3, -1e-9, -1e-30, 0.1, 0.5, 30.0),
        ),
        (elementary.logarithm, decimal.Decimal.ln, (1e-300, 1e-5, 0.5, 0.70710, 0.70711, 0.99, 1.0 + 1e-8, 1.4, 1e300)),
    ],
    ids=["exponential", "exponential_less_one", "logarithm"],
)
def test_functions_of_arithmetic_are_those_of_mathematics(found, exact, places):
    """Within three units in the last place (each of their last operations costs half a one) of 40 digits."""
    with decimal.localcontext(decimal.Context(prec=60)):
        for x in places:
            right = exact(decimal.Decimal(x))
            assert abs(decimal.Decimal(float(found(x))) / right - 1) < 3 * decimal.Decimal(2) ** -53, x


def test_functions_of_arithmetic_at_their_ends():
    """Beyond what floats hold they stop; not a number stays that."""
    assert elementary.exponential_less_one(-1e9) == -1.0
    assert elementary.exponential_less_one(0.0) == 0.0
    assert elementary.exponential(-1e9) < 1e-300
    assert elementary.logarithm(1.0) == 0.0
    assert elementary.power(0.0, 0.687) < 1e-200
    for x, p in ((1e-9, 0.4), (20.0, 0.687), (1000.0, 0.687), (140.0, 0.3)):
        assert elementary.power(x, p) == pytest.approx(x**p, rel=4e-15)  # p ln x < 10, each unit of it a half of 2^-53
    assert all(math.isnan(f(math.nan)) for f in (elementary.exponential_less_one, lambda x: elementary.power(x, 0.5)))


@pytest.mark.parametrize("x", [0.0, 1e-6, 0.3, 5.0, 400.0])
def test_relaxation_is_followed_exactly(x):
    """y' = rate (target + slope s - y) + push by its closed form; for no rate at all by that of the limit."""
    h, slope, push, gap = 0.1, 3.0, 2.0, 0.7
    rate = x / h
    one = relaxation_step.relaxation_of(h, rate)

    def exact(start, end):
        """Change of y from `gap` below the target at s = 0."""
        if x < 1e-3:  # its series to the third order in s rate, beside which x = 1e-6 leaves 1e-18
            s = end - start
            y = s * (push + rate * gap) + 0.5 * rate * (slope * (end**2 - start**2) - s**2 * (push + rate * gap))
            return y - 0.5 * rate**2 * slope * (end**3 / 3 - start**2 * end + 2 * start**3 / 3)
        tangent = lambda s: gap + push / rate + slope * (s - 1 / rate)  # noqa: E731
        return tangent(end) - math.exp(-(end - start) * rate) * tangent(start)

    words = (h, one, gap, push, slope)
    half = relaxation_step.relaxed(one, gap - 0.5 * h * slope, push - slope) + 0.5 * h * slope
    assert half == pytest.approx(exact(-h / 2, 0.0), rel=1e-12)
    assert relaxation_step.whole(*words) == pytest.approx(exact(-h / 2, h / 2), rel=1e-12)
    assert relaxation_step.after(*words) == pytest.approx(exact(0.0, h / 2), rel=1e-12)
    if x:
        assert relaxation_step.rate_of(one) == pytest.approx(rate, rel=1e-14)


def gridded_flow(later=1.0):
    """Nodes of a smooth flow at two times, periodic along x."""
    x, y, z = np.meshgrid(*(np.linspace(0, 0.03, n, endpoint=n != 6) for n in (6, 5, 7)), indexing="ij")
    u = np.stack([np.sin(200 * x) * y, np.cos(200 * x) * z, x * y * 30], -1)
    return dem.GriddedFlow(
        velocity=np.stack([u, 1.5 * u + 0.1]), time=[0.0, later], spacing=(0.005, 0.0075, 0.005), periodic=["x"]
    )


@pytest.mark.parametrize("flow", [gridded_flow(), VORTICES, dem.ShearFlow(rate=3.0)], ids=["grid", "vortices", "shear"])
def test_many_places_are_sampled_like_one(flow, rng):
    """To the bit: places inside and off the grid, before and after its times."""
    field = flow.field(density=1000.0, viscosity=1e-3, length=1e-3, time=1e-3)
    places = rng.uniform(-0.01, 0.04, (3, 20))
    for t in (-0.5, 0.25, 1.5):
        rows = np.full((gradients.ROWS, sampling.BLOCK), np.nan)
        rows[gradients.PLACE : gradients.PLACE + 3, :20] = places
        sampling.fill(field, t, 20, rows, np.zeros((gridded.SCRATCH, sampling.BLOCK)))
        for s in range(20):
            one, many = sample_of(field, t, tuple(places[:, s])), gradients.sample_in(field, rows, s)
            assert (many.velocity, many.gradient, many.change) == (one.velocity, one.gradient, one.change)
            assert many.outside == one.outside
        assert np.isnan(rows[:, 20:]).all()


@pytest.mark.parametrize("kind", [dense_suspension.Bed, dense_suspension.Solved, dense_suspension.Mixture])
def test_many_places_in_cells_are_sampled_like_one(kind, rng):
    """All that a bed or a computed flow says of a place, to the bit; rows of other fields are as many as before."""
    cells = dem.Cells(lower=(0, 0, 0), upper=(0.03,) * 3, number=(3, 4, 5)).resolve(None, 1e-3).as_arguments()
    shear = dem.ShearFlow(rate=3.0).field(density=1000.0, viscosity=1e-3, length=1e-3, time=1e-3)
    values = rng.uniform(0.3, 1.0, (dense_suspension.ROWS, 3, 4, 5))
    known = (cells, values, None, None, values[:2], None)
    field = (
        dense_suspension.Bed(shear, cells, values[:1])
        if kind is dense_suspension.Bed
        else kind(*known[: len(kind._fields)])
    )
    rows = np.full((fluids.rows_of(field), sampling.BLOCK), np.nan)
    places = rng.uniform(-0.01, 0.04, (3, 20))
    rows[gradients.PLACE : gradients.PLACE + 3, :20] = places
    sampling.fill(field, 0.0, 20, rows, None)
    for s in range(20):
        assert fluids.sample_in(field, rows, s) == sample_of(field, 0.0, tuple(places[:, s]))
    assert fluids.rows_of(shear) == gradients.ROWS < len(rows)


def alone(every, steps, time=0.04, *, particles=None, integrator="improved-pcdm", gravity=(0, 0, -9.81), **fluid):
    """A body in vortices, for so long."""
    one = particles or dem.Particles(
        dem.Sphere(diameter=1e-3), GLASS, position=[(0.004, 0.001, 0)], velocity=[(0.02, 0.05, 0.03)],
        angular_velocity=[(30.0, -50.0, 200.0)],
    )  # fmt: skip
    words = WATER | {"velocity": VORTICES, "lift": "mei", "magnus": "oesterle-bui-dinh", "every": every} | fluid
    fluid = dem.Fluid(**words)
    sim = dem.Simulation(one, fluid=fluid, time_step=time / steps, integrator=integrator, gravity=gravity)
    sim.step(steps)
    return sim


def state(sim):
    p = sim.particles
    q = p.orientation[0] * np.sign(p.orientation[0, 0])
    return np.concatenate([p.position[0] / 1e-3, p.velocity[0] / 0.1, p.angular_velocity[0] / 100, q])


def rod():
    return dem.Particles(
        ROD, GLASS, position=[(0.004, 0.001, 0)], velocity=[(0.02, 0.05, 0.03)],
        orientation=[(0.8, 0.2, 0.4, -0.4)], angular_velocity=[(3.0, -5.0, 20.0)],
    )  # fmt: skip


CASES = {
    "sphere": {},
    "grid": {"velocity": dem.GriddedFlow(
        velocity=np.stack([np.sin(np.arange(40) / 6)[:, None, None] * np.ones((40, 2, 2)) * 0.1] * 3, -1),
        spacing=(1e-3, 0.1, 0.1), origin=(-0.02, -0.05, -0.05))},
    "swaying": {"velocity": dem.UniformFlow(amplitude=(0.1, 0, 0), frequency=20.0)},
    "rod": {"lift": None, "magnus": None, "particles": rod()},
    "rod-by-shape": {"lift": None, "magnus": None, "drag": "hoelzer-sommerfeld", "particles": rod()},
    "rod-that-does-not-leap": {
        "lift": None, "magnus": None, "particles": rod(), "integrator": "adams-bashforth", "viscosity": 2e-4},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.few(1)
def test_seldom_is_of_second_order_in_its_interval(case):
    """Against every step: the error of an interval is four times that of its half; a grid bends at its nodes."""
    exact, halves, wholes = (state(alone(every, 320, **CASES[case])) for every in (1, 8, 16))
    fine, coarse = np.linalg.norm(halves - exact), np.linalg.norm(wholes - exact)
    assert coarse / fine == pytest.approx(4.0, rel=0.35 if case == "grid" else 0.15)
    assert coarse < 5e-3


def test_seldom_is_as_good_as_steps_of_that_length():
    """It errs less than steps as long as the interval do: velocities go on relaxing at each of them."""
    exact = state(alone(1, 320))
    assert np.linalg.norm(state(alone(8, 320)) - exact) < np.linalg.norm(state(alone(1, 40)) - exact)


@pytest.mark.parametrize("every", [2, 7])
@pytest.mark.parametrize("steps_of_tau", [0.5, 10.0, 1000.0])
@pytest.mark.few(1)
def test_seldom_is_stable_with_any_time_step(every, steps_of_tau):
    """The terminal velocity of Schiller and Naumann's drag, to rounding."""
    tau = 3000 * 1e-6 / (18 * 1e-3)
    one = dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[(0, 0, 0)])
    fluid = dem.Fluid(**WATER, every=every)
    sim = dem.Simulation(one, fluid=fluid, time_step=steps_of_tau * tau, gravity=(0, 0, -9.81))
    sim.step(60 * every)
    assert sim.particles.velocity[0] == pytest.approx([0, 0, -0.1459455492159735], rel=1e-12, abs=1e-30)


def test_the_work_of_a_fluid_that_is_asked_seldom_is_what_it_gives():
    """All that changes the energy of a body alone without weight: to rounding, units of 1e-12 at each of 100 steps."""
    sim = alone(9, 100, gravity=(0, 0, 0))
    energy, start = sim.energy(), sim.start_energy
    assert sim.energy_error < 1e-10
    assert energy.fluid == pytest.approx(energy.kinetic - start.kinetic, rel=1e-9)
    assert abs(energy.fluid) > 0.1 * start.kinetic


def swarm(skin=None, every=7):
    """Spheres and rods that meet in a box."""
    box = dem.Box((-0.006, -0.006, -0.006), (0.006, 0.006, 0.006), GLASS, periodic=["x"])
    balls = dem.pack(dem.Sphere(diameter=2e-3), GLASS, box, number=12)
    rods = dem.pack(ROD, GLASS, box, number=6, others=[balls])
    particles = dem.Particles.concatenate([balls, rods])
    particles.velocity = 0.3 * np.random.default_rng(3).normal(size=(18, 3))
    fluid = dem.Fluid(**WATER, velocity=VORTICES, lift="mei", magnus="oesterle-bui-dinh", every=every)
    return dem.Simulation(particles, box, fluid=fluid, time_step=2e-5, _skin=skin)


@pytest.mark.slow
def test_seldom_is_the_same_whatever_the_lists_and_the_cuts(tmp_path):
    """Cut in the middle of an interval, by steps and by a file; bodies have changed places then."""
    whole, cut = swarm(), swarm(skin=(3e-4, 1e-4))
    whole.step(100)
    cut.step(31)
    cut.step(7)
    cut.save(tmp_path / "cut.h5")
    cut = dem.Simulation.load(tmp_path / "cut.h5")
    cut.step(62)
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        assert getattr(whole.particles, name).tobytes() == getattr(cut.particles, name).tobytes(), name
    assert (whole.energy(), whole.energy_error) == (cut.energy(), cut.energy_error)
    assert whole.verdict() == cut.verdict()


def test_a_state_that_is_assigned_begins_an_interval():
    """Whatever the step: from there it goes like a simulation of its own, which begins with that state."""
    sim = alone(10, 17, 0.017)
    sim.particles.velocity = [(0.0, 0.1, 0.0)]
    fresh = dem.Simulation(sim.particles, fluid=sim.fluid, time_step=1e-3)
    for each in (sim, fresh):
        each.step(13)
    np.testing.assert_array_equal(sim.particles.velocity, fresh.particles.velocity)
    often = dem.Simulation(fresh.particles, fluid=replace(sim.fluid, every=1), time_step=1e-3)
    fresh = dem.Simulation(fresh.particles, fluid=sim.fluid, time_step=1e-3)
    for each in (often, fresh):
        each.step(3)
    # intervals of 10 ms against 1 ms; without the fluid it would fall faster by 15e-3
    assert fresh.particles.velocity == pytest.approx(often.particles.velocity, abs=5e-3)


@pytest.mark.parametrize(
    ("dt", "words", "every"),
    [
        (1e-6, {}, 64),  # τ = 0.167 s, of rotation 0.042 s: 650 intervals
        (5e-6, {}, 32),
        (1e-5, {}, 16),
        (1e-4, {}, 1),
        (1e-6, {"velocity": dem.ShearFlow(rate=1e3)}, 1),
        (1e-6, {"velocity": dem.ShearFlow(rate=1.0)}, 64),
        (1e-6, {"velocity": dem.UniformFlow(amplitude=(1, 0, 0), frequency=1e3)}, 1),
        (1e-6, {"velocity": lambda t, x, y, z: (0.0, 0.0, 0.0)}, 1),
        (1e-6, {"velocity": gridded_flow(1e-3)}, 1),
        (1e-6, {"velocity": gridded_flow(1.0)}, 64),  # gradients of 6/s
        (1e-4, {"every": 3}, 3),
        (1e-6, {"drag": "beetstra"}, 1),  # in cells
    ],
)
def test_how_often_laws_are_asked_by_themselves(dt, words, every):
    one = dem.Particles(dem.Sphere(diameter=1e-3), GLASS, position=[(0.01, 0.01, 0.01)])
    assert interval(dem.Fluid(**WATER | words), one, dt) == every


def test_intervals_that_cannot_be():
    for every, said in ((0, "every is 0"), (2.5, "every is 2.5"), ("often", "every is 'often'")):
        with pytest.raises((ValueError, TypeError), match=said):
            dem.Fluid(**WATER, every=every)
    assert dem.Fluid(**WATER, drag="beetstra", every=1).every == 1
    with pytest.raises(ValueError, match="every is 2, but in cells the laws are asked at every step"):
        dem.Fluid(**WATER, drag="beetstra", every=2)


def test_heavy_bodies_in_light_fluids_keep_their_unit_of_energy():
    """They would sink at 3 km/s in Stokes flow of air; the unit is chosen by what they may come to, 20 m/s."""
    ball = dem.Particles(dem.Sphere(diameter=0.01), dem.Material(young=5e7, poisson=0.35, density=1100.0),
                         position=[(0, 0, 0)], velocity=[(1.0, 0, 0)])  # fmt: skip
    units = [
        dem.Simulation(ball, fluid=fluid, time_step=1e-5)._engine.energy_unit
        for fluid in (None, dem.Fluid(density=1.2, viscosity=1.8e-5))
    ]
    assert units[0] / units[1] <= 2**12


@pytest.mark.parametrize("name", ["flow_spheres", "flow_fibres"])
@pytest.mark.few(1)
def test_benchmarks_of_flows_stand_beside_the_same_run_dry(name):
    """From the same state, on a grid that covers the box, in fluids that are asked seldom by themselves."""
    found = BENCHMARKS[name]
    few = Flowing(found.case, 2, 2, found.fluids, n=27)
    runs = few.runs(threads=1)
    assert list(runs) == ["dry", *found.fluids]
    assert runs.pop("dry").fluid is None
    for sim in runs.values():
        assert interval(sim.fluid, sim.particles, sim.time_step) in SELDOM
    figures = few.measure(threads=1)
    assert figures["times_dry"]["dry"] == 1.0
    assert set(figures["times_dry"]) == set(figures["ns_per_particle_step"]) == {"dry", *found.fluids}
