"""Particles in a fluid that flows with a deforming cell: closed forms, motion in the laboratory, the ledger."""

import math

import numpy as np
import pytest

import dem

D, EDGE, RATE = 1e-3, 1e-2, 40.0
GLASS = dem.Material(young=1e6, poisson=0.3, density=2500.0, restitution=0.6, friction=0.4)
BALL = dem.Sphere(diameter=D)
GRAIN = dem.Ellipsoid(semi_axes=(8e-4, 4e-4, 4e-4))
SHEAR = np.array([[0.0, RATE, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
GENERAL = np.array([[0.0, 200.0, 0.0], [30.0, 0.0, 0.0], [0.0, 0.0, 50.0]])
OIL = {"density": 1000.0, "viscosity": 0.1}


def in_oil(particles, box, time_step, fluid, **settings):
    return dem.Simulation(
        particles, box, gravity=(0, 0, 0), fluid=fluid, time_step=time_step, threads=1, **settings
    )  # fmt: skip


def one(shape, **given):
    return dem.Particles(shape, GLASS, position=[[0.5 * EDGE] * 3], **given)


def exponential(matrix):
    """exp of a matrix by scaling, squaring and its series."""
    e, term = np.eye(3), np.eye(3)
    for k in range(1, 20):
        term = term @ matrix / 2**10 / k
        e = e + term
    for _ in range(10):
        e = e @ e
    return e


@pytest.mark.parametrize("added_mass", [True, False])
def test_a_sphere_in_stokes_drag_relaxes_to_the_affine_motion(added_mass):
    """dv/dt = -v/τ - L v, exactly as drag and the cell commute; the spin goes to half the vorticity to second order."""
    duration, v = 4e-3, np.array([0.3, 0.1, -0.2])
    errors = []
    for steps in (50, 100):
        fluid = dem.Fluid(**OIL, velocity=dem.CellFlow(), drag="stokes", rotation="stokes", added_mass=added_mass)
        cell = dem.Cell((EDGE,) * 3, rate=GENERAL)
        sim = in_oil(one(BALL, velocity=[v]), cell, duration / steps, fluid)
        sim.step(steps)
        mass, displaced = float(sim.particles.mass[0]), 1000.0 * math.pi / 6 * D**3
        tau = (mass + (0.5 * displaced if added_mass else 0.0)) / (3 * math.pi * 0.1 * D)
        expected = exponential(-duration * (np.eye(3) / tau + GENERAL)) @ v
        np.testing.assert_allclose(sim.particles.velocity[0], expected, rtol=0, atol=1e-12)
        swirl = (
            0.5 * (GENERAL[1, 0] - GENERAL[0, 1]) * (1 - math.exp(-duration * math.pi * 0.1 * D**3 * 10 / mass / D**2))
        )
        errors.append(abs(sim.particles.angular_velocity[0, 2] - swirl))
    assert errors[1] < 1e-6 * RATE
    assert 3.5 < errors[0] / errors[1] < 4.5


LAWS = {
    "stokes": {"drag": "stokes"},
    "lift": {"drag": "schiller-naumann", "lift": "mei", "magnus": "oesterle-bui-dinh"},
    "hoelzer-sommerfeld": {"drag": "hoelzer-sommerfeld"},
    "rosendahl": {"drag": "rosendahl"},
}


@pytest.mark.parametrize(
    ("shape", "laws"),
    [(BALL, "lift"), (GRAIN, "stokes"), (GRAIN, "hoelzer-sommerfeld"), (GRAIN, "rosendahl")],
    ids=["lift", "stokes", "hoelzer-sommerfeld", "rosendahl"],
)
@pytest.mark.slow
def test_a_particle_moves_as_in_a_shear_flow_in_the_laboratory(shape, laws):
    """v + L r and spin in a cell, through reductions, are those in an unbounded fluid to second order."""
    position, v, spin, duration = np.full(3, 0.5 * EDGE), np.array([0.2, 0.05, -0.1]), [[3.0, 40.0, -20.0]], 0.03
    turned = np.array([[0.8, 0.3, 0.4, 0.33166247903554]])

    def state(steps, box, flow, start):
        particles = one(shape, velocity=[start], angular_velocity=spin, orientation=turned)
        words = {"density": 1000.0, "viscosity": 0.02, "rotation": "stokes"} | LAWS[laws]
        sim = in_oil(particles, box, duration / steps, dem.Fluid(velocity=flow, every=1, **words))
        sim.step(steps)
        there = sim.particles
        u = SHEAR @ there.position[0] if box else 0.0
        return np.concatenate([there.position[0], there.velocity[0] + u, there.angular_velocity[0] * D])

    free = state(1600, None, dem.ShearFlow(rate=RATE), v + SHEAR @ position)
    errors = [
        np.abs(state(steps, dem.Cell((EDGE,) * 3, rate=SHEAR), dem.CellFlow(), v) - free).max() for steps in (200, 400)
    ]
    assert errors[1] < 2e-3 * abs(free).max()
    assert errors[0] / errors[1] > 3.0 or errors[1] < 1e-6


@pytest.mark.slow
def test_an_ellipsoid_turns_in_jefferys_orbit_through_reductions():
    """Half a turn takes π (r + 1/r)/γ̇ (Jeffery 1922) where inertia is small, as in the case jeffery-orbit."""
    ratio, time_step = 2.0, 4e-4
    grain = dem.Ellipsoid(semi_axes=(ratio * 1e-4, 1e-4, 1e-4))
    fluid = dem.Fluid(**OIL, velocity=dem.CellFlow(), drag="stokes", rotation="stokes")
    start = [[0.0, 0.0, -RATE / (1 + ratio**2)]]
    sim = in_oil(one(grain, angular_velocity=start), dem.Cell((EDGE,) * 3, rate=SHEAR), time_step, fluid)
    half_turn = math.pi * (ratio + 1 / ratio) / RATE
    angle = [0.0]
    while sim.time < 1.01 * half_turn:
        sim.step(10)
        w, _, _, z = sim.particles.orientation[0]
        angle.append(2 * math.atan2(z, w))
    turned = -np.unwrap(angle, period=2 * math.pi)
    times = 10 * time_step * np.arange(len(turned))
    assert np.interp(math.pi, turned, times) == pytest.approx(half_turn, rel=2e-3)
    quarter = math.atan(math.tan(RATE * times[10] / (ratio + 1 / ratio)) / ratio)  # tan φ = tan(γ̇ t r/(r² + 1))/r
    assert turned[10] == pytest.approx(quarter, rel=1e-2)
    assert abs(sim.cell.edges[0, 1]) < 0.6 * EDGE < RATE * sim.time * EDGE


def crowd(shape, fluid, time_step=2e-5, shift=(0, 0, 0), material=GLASS, **settings):
    """Eight particles at random velocities that meet."""
    rng = np.random.default_rng(3)
    places = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    v = rng.normal(0, 0.5, places.shape)
    turned = rng.normal(size=(8, 4))
    grains = dem.Particles(
        shape, material, position=1.25 * D * (places + rng.uniform(-0.04, 0.04, places.shape)) + shift, velocity=v,
        orientation=turned / np.linalg.norm(turned, axis=1)[:, None], angular_velocity=rng.normal(0, 90, places.shape),
    )  # fmt: skip
    names = ("rate", "stress", "control", "fastest")
    control = {name: settings.pop(name) for name in names if name in settings}
    return in_oil(grains, dem.Cell((2.5 * D,) * 3, **control), time_step, fluid, **settings)


SQUEEZE = [[-16.0, 60.0, 0.0], [0.0, -16.0, 0.0], [6.0, 0.0, 20.0]]
ALL_LAWS = {"drag": "hoelzer-sommerfeld", "lift": "mei", "magnus": "oesterle-bui-dinh"}


def water(**laws):
    return dem.Fluid(**({"density": 1000.0, "viscosity": 2e-3, "velocity": dem.CellFlow()} | laws))


@pytest.mark.parametrize(
    ("shape", "laws"),
    [
        (BALL, ALL_LAWS),
        (BALL, {"lubrication": dem.Lubrication(roughness=1e-5)}),
        (dem.Fibre(aspect_ratio=1.5, diameter=7e-4), {"drag": "hoelzer-sommerfeld"}),
    ],
    ids=["lift", "films", "fibres"],
)
@pytest.mark.slow
def test_the_ledger_has_the_work_of_the_fluid_and_of_the_cell(shape, laws):
    """Energy less the work of cell and fluid, and with what contacts took, is constant to second order."""
    errors = []
    for time_step in (2e-5, 1e-5):
        sim = crowd(shape, water(**laws), time_step, rate=SQUEEZE)
        sim.step(round(2e-3 / time_step))
        energy = sim.energy()
        assert -energy.fluid > 0.05 * energy.kinetic
        assert energy.dissipated > 0
        errors.append(sim.energy_error)
    assert errors[0] < 2e-2
    assert errors[1] < 0.4 * errors[0]


def test_where_the_cell_begins_is_no_place():
    """A shift of all particles changes nothing: the flow is homogeneous."""
    ends = [crowd(BALL, water(**ALL_LAWS), shift=shift, rate=SQUEEZE) for shift in ((0, 0, 0), (4e-4, 7e-4, -3e-4))]
    for sim in ends:
        sim.step(20)
    for name in ("velocity", "angular_velocity"):
        np.testing.assert_allclose(*(getattr(sim.particles, name) for sim in ends), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(*(sim.cell.stress.total for sim in ends), rtol=1e-8, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("control", [{"rate": SQUEEZE}, {"stress": 2e3}, {"stress": 2e3, "control": "inertia"}])
def test_neither_skins_nor_cuts_nor_restarts_show(control, tmp_path):
    def made(**more):
        return crowd(BALL, water(**ALL_LAWS), **control, **more)

    def same(sim):
        for name in ("position", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(getattr(sim.particles, name), getattr(one.particles, name))
        assert sim.energy() == one.energy()
        np.testing.assert_array_equal(sim.cell.stress.total, one.cell.stress.total)

    one = made()
    one.step(60)
    thin = made(_skin=(6e-5, 2e-5))
    thin.step(60)
    same(thin)
    cut = made()
    for steps in (1, 7, 20):
        cut.step(steps)
    cut.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    for sim in (cut, loaded):
        sim.step(32)
        same(sim)


@pytest.mark.parametrize(
    ("fluid", "message"),
    [
        ({"velocity": (0, 0, 0)}, "not the same around all images of a particle in a dem.Cell: give .*CellFlow"),
        ({"velocity": dem.ShearFlow(rate=1.0)}, "not the same around all images"),
        ({"drag": "di-felice"}, "drag is di-felice, by the voidage in cells at rest"),
        ({"velocity": (0, 0, 0), "coupling": dem.Coupling(function=lambda exchange: None)}, "has a coupling"),
    ],
)
def test_a_fluid_that_is_not_homogeneous_is_refused(fluid, message):
    with pytest.raises(ValueError, match=message):
        crowd(BALL, water(**fluid), rate=SQUEEZE)


def test_the_flow_of_a_cell_needs_a_cell_and_each_step():
    with pytest.raises(ValueError, match=r"CellFlow\(\), the flow of a dem.Cell, but there is no box"):
        in_oil(one(BALL), None, 1e-5, water())
    with pytest.raises(ValueError, match="every is 4, but the flow of a cell may change at each step"):
        water(every=4)


def test_a_case_file_has_the_flow_of_its_cell_and_goes_on(tmp_path):
    """In case files, frames, files that a run goes on from, and in heat, whose slip is the peculiar velocity."""
    (tmp_path / "one.toml").write_text("""
        duration = 2e-4
        time_step = 1e-5
        gravity = [0, 0, 0]
        materials.glass = {young = "1 MPa", poisson = 0.3, density = 2500.0, conductivity = 1.0, heat_capacity = 800.0}
        shapes.bead = {type = "sphere", diameter = "1 mm"}
        cell = {edges = ["1 cm", "1 cm", "1 cm"], rate = [[0, 40, 0], [0, 0, 0], [0, 0, 0]]}
        fluid = {density = 1000.0, viscosity = 1e-3, flow = {type = "cell"}}
        heat = {convection = {temperature = 373.15, conductivity = 0.6, heat_capacity = 4200.0}}
        [[particles]]
        shape = "bead"
        material = "glass"
        position = [[0.005, 0.002, 0.005], [0.005, 0.008, 0.005]]
        velocity = [0, 0.1, 0]
    """)
    sim = dem.load(tmp_path / "one.toml")
    assert sim.fluid.velocity == dem.CellFlow()
    assert sim.fluid.describe()["velocity"] == {"type": "cell"}
    sim.run(2e-4, output=tmp_path / "whole.h5", frames=2)
    dem.load(tmp_path / "one.toml").run(1e-4, output=tmp_path / "half.h5", frames=1)
    dem.resume(tmp_path / "half.h5", duration=2e-4)
    with dem.Trajectory(tmp_path / "whole.h5") as whole, dem.Trajectory(tmp_path / "half.h5") as half:
        for name in ("position", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(whole[-1].field(name), half[-1].field(name))
    warmed = sim.particles.temperature
    assert warmed[0] == warmed[1] > 293.15  # their velocities in the laboratory differ, those in the cell do not
