"""Ellipsoids and superellipsoids in the soft engine: against spheres, in closed form, conserved quantities, bytes."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1500.0)
ROUGH = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.6, friction=0.4)
DULL = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.1, friction=0.4)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
OTHER = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.8, friction=0.2)
CUBE = dem.Superellipsoid(semi_axes=(0.002, 0.002, 0.002), exponents=(4, 4))
# compiled once for all tests: walls that come after the end, and a contact law with all parts for what is not met
ALL_PARTS = dem.Contacts({(ELASTIC, OTHER): dem.Contact(restitution=0.8, friction=0.2)})
STATE = ("position", "orientation", "velocity", "angular_velocity")


def turned(count, seed=0):
    """Random orientations (N, 4), scalar first."""
    return Rotation.random(count, rng=np.random.default_rng(seed)).as_quat(scalar_first=True)


def walls(size, material, **more):
    """A closed drum that turns around a block with a ring; without friction nothing feels it."""
    return [
        dem.Cylinder(
            (0, -size, 0), (0, size, 0), size, ends="both", material=material,
            motion=dem.Motion(axis=(0, 1, 0), rate=-6.0), **more,
        ),
        dem.Block((-0.15 * size,) * 3, (0.15 * size,) * 3, material=material, **more),
        dem.Torus((0, 0, 0), (0, 1, 0), 0.175 * size, 0.025 * size, material=material, **more),
    ]  # fmt: skip


def gas(shape, material, side, spacing, speed, **more):
    """Particles on a lattice at random velocities, spins and orientations, in a periodic box without gravity."""
    rng = np.random.default_rng(side)
    sites = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    count, size = side**3, side * spacing
    particles = dem.Particles(
        shape, material, position=(sites + 0.5) * spacing, orientation=turned(count),
        velocity=rng.normal(0, speed, (count, 3)), angular_velocity=rng.normal(0, speed / 0.003, (count, 3)),
    )  # fmt: skip
    around, alike = material, {}
    if not isinstance(shape, dem.Sphere):
        around, alike = OTHER, {"walls": walls(0.1 * size, material, present_from=1.0)}
        alike |= {"contacts": ALL_PARTS} if material is ELASTIC else {}
    box = dem.Box((0, 0, 0), (size, size, size), material=around, periodic=["x", "y", "z"])
    return dem.Simulation(particles, box, gravity=(0, 0, 0), **({"time_step": 4e-6} | alike | more))


@pytest.mark.long
def test_an_ellipsoid_of_equal_axes_moves_as_a_sphere():
    """Both find the same overlaps, normals and arms but for rounding, and so do all that is computed from them."""
    runs = []
    for shape in (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003 + 1e-18))):
        sim = gas(shape, ELASTIC, 3, 0.0062, 0.3, threads=1)
        sim.step(400)
        runs.append(sim)
    ball, grain = runs
    assert ball.contact_count == grain.contact_count > 0
    # 400 steps of rounding, and each contact makes a difference of directions a few times as large
    np.testing.assert_allclose(grain.particles.position, ball.particles.position, rtol=0, atol=1e-13)
    np.testing.assert_allclose(grain.particles.velocity, ball.particles.velocity, rtol=0, atol=1e-10)


@pytest.mark.long
def test_energy_and_momentum_of_a_gas_are_conserved_to_the_order_of_the_scheme():
    errors, touched = [], 0
    for halves in range(2):
        sim = gas(GRAIN, ELASTIC, 4, 0.0083, 0.5, time_step=4e-6 / 2**halves)
        momentum, largest = sim.momentum()[0], 0.0
        for _ in range(20):
            sim.step(50 * 2**halves)
            largest, touched = max(largest, sim.energy_error), max(touched, sim.contact_count)
        errors.append(largest)
        size = sim.particles.mass @ np.linalg.norm(sim.particles.velocity, axis=1)
        np.testing.assert_allclose(sim.momentum()[0], momentum, rtol=0, atol=1e-12 * size)  # rounding
    assert touched > 5
    # second order: a quarter, and some room for terms of higher order
    assert errors[0] < 1e-3
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.long
def test_threads_lists_and_restarts_do_not_show_in_a_rough_gas(tmp_path):
    """What normals begin with is kept with friction, so no bit depends on the age of a list or the threads."""
    runs = [gas(GRAIN, ROUGH, 14, 0.0081, 0.5, **more) for more in ({"threads": 1}, {"threads": 2})]
    runs.append(gas(GRAIN, ROUGH, 14, 0.0081, 0.5, threads=1, _skin=(0.0004, 0.0001)))
    for sim in runs:
        sim.step(500)
    runs[0].save(tmp_path / "gas.h5")
    runs.append(dem.Simulation.load(tmp_path / "gas.h5"))
    for sim in runs:
        sim.step(100)
    assert runs[0].contact_count > 100
    for name in STATE:
        assert len({getattr(sim.particles, name).tobytes() for sim in runs}) == 1, name
    counts = {str(sim.verdict()).partition("contacts of convex shapes found in ")[2] for sim in runs}
    assert len(counts) == 1
    assert re.match(r"\d\.\d steps, \d+ at most", counts.pop())


def drum(material, count, time_step=4e-6, **more):
    """Ellipsoids in a turning drum."""
    rng, sites = np.random.default_rng(1), []
    while len(sites) < count:
        x = rng.uniform(-0.0155, 0.0155, 3)
        free = np.hypot(x[0], x[2]) < 0.0155 and abs(x).max() > 0.0085
        if free and all(np.linalg.norm(x - other) > 0.0081 for other in sites):
            sites.append(x)
    grains = dem.Particles(
        GRAIN, material, position=sites, orientation=turned(count), velocity=rng.normal(0, 0.3, (count, 3))
    )
    more = {"gravity": (0, 0, -9.81), "time_step": time_step} | more
    more |= {"contacts": ALL_PARTS} if material is ELASTIC else {}
    box = dem.Box((-0.024,) * 3, (0.025,) * 3, material=OTHER, periodic=["x", "y", "z"])
    return dem.Simulation(grains, box, walls=walls(0.02, material), **more)


@pytest.mark.long
def test_energy_of_ellipsoids_in_a_drum_is_conserved_to_the_order_of_the_scheme():
    errors, touched = [], 0
    for halves in range(2):
        sim, largest = drum(ELASTIC, 8, time_step=4e-6 / 2**halves, threads=1), 0.0
        for _ in range(100):
            sim.step(100 * 2**halves)
            largest, touched = max(largest, sim.energy_error), touched + sim.contact_count
        errors.append(largest)
    assert touched > 20
    assert errors[0] < 1e-3
    assert errors[1] < 0.35 * errors[0]  # second order: a quarter, and some room for terms of higher order


@pytest.mark.long
def test_lists_and_restarts_do_not_show_in_a_turning_drum(tmp_path):
    heavy = {"gravity": (0, 0, -98.1), "threads": 1}  # rests on the wall after 30 ms
    runs = [drum(DULL, 12, **more, **heavy) for more in ({}, {"_skin": (0.0004, 0.0001)})]
    for sim in runs:
        sim.step(8000)
    runs[0].save(tmp_path / "drum.h5")
    runs.append(dem.Simulation.load(tmp_path / "drum.h5"))
    for sim in runs:
        sim.step(1000)
    assert len(runs[0].contact_forces().overlap) > 5
    for name in STATE:
        assert len({getattr(sim.particles, name).tobytes() for sim in runs}) == 1, name


def test_what_convex_shapes_do_not_meet_is_refused_by_name():
    grain = dem.Particles(GRAIN, ELASTIC, position=[[0, 0, 0.01]])
    few = {"gravity": (0, 0, 0), "time_step": 1e-6}
    drum = dem.Cylinder((0, 0, 0), (0, 0, 1), 0.1, ends="both", material=ELASTIC, wear=1e-12)
    with pytest.raises(ValueError, match=r"an Ellipsoid cannot touch walls\[0\] \(.*\), which wears by segments"):
        dem.Simulation(grain, walls=[drum], **few)
    film = dem.Lubrication(roughness=1e-6)
    water = dem.Fluid(density=1000.0, viscosity=1e-3, drag="stokes", lubrication=film)
    with pytest.raises(ValueError, match="lubrication is of spheres, and not known of an Ellipsoid"):
        dem.Simulation(grain, fluid=water, **few)
    cube = dem.Particles(CUBE, ELASTIC, position=[[0, 0, 0]])
    with pytest.raises(ValueError, match=r"expected a dem\.Sphere"):
        dem.HardSpheres(cube)


DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.01], repeat=3)), rounding=0.001)


@pytest.mark.slow
def test_a_stack_of_dice_rests_for_a_million_steps():
    """Five dice, a little turned and shifted: in a million steps nothing falls, and the energy of sway does not grow.

    The million is what this test checks, and nothing else here shows it.
    """
    rng, count = np.random.default_rng(1), 5
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=0.5)
    q = np.column_stack([np.ones(count), np.zeros((count, 2)), 0.1 * rng.normal(size=count)])
    middle = 0.02 + 1e-3 * rng.normal(size=(count, 2))
    heights = 0.005 + 0.01 * np.arange(count) - 2e-5 * (count - np.arange(count))
    dice = dem.Particles(
        DIE, material, position=np.column_stack([middle, heights]),
        orientation=q / np.linalg.norm(q, axis=1)[:, None],
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (0.05, 0.05, 0.08), material=material)
    sim = dem.Simulation(dice, box, time_step=1e-5, threads=1)
    sim.step(20_000)
    before, kinetic = sim.particles.position, []
    for _ in range(98):
        sim.step(10_000)
        kinetic.append(sim.energy().kinetic)
    assert sim.contact_count == count
    assert max(kinetic[49:]) <= max(kinetic[:49])
    # corners slip by less than a tenth of a millimetre while the stack comes to rest
    np.testing.assert_allclose(sim.particles.position, before, rtol=0, atol=1e-4)


def dice_on_trays(threads=1, **more):
    """Three dice on a block, on an inclined rectangle, and across the edge of the block."""
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=0.5)
    walls = [
        dem.Block((-0.02, -0.02, -0.01), (0.02, 0.02, 0.0), material=material),
        dem.Rectangle((0.06, 0, 0), (0.04, 0, 0.01), (0, 0.04, 0), material=material),
    ]
    turn = 0.5 * math.atan(0.25)  # half the slope of the rectangle
    q = [(1, 0.02, 0, 0.1), (math.cos(turn), 0, -math.sin(turn), 0), (1, 0, 0, 0.3)]
    q /= np.linalg.norm(q, axis=1)[:, None]
    x = [(-0.012, 0, 0.0051), (0.0588, 0, 0.0049), (0.017, 0.003, 0.005)]
    dice = dem.Particles(DIE, material, position=x, orientation=q)
    return dem.Simulation(dice, walls=walls, time_step=1e-5, threads=threads, **more)


@pytest.mark.long
def test_dice_rest_on_blocks_and_rectangles(tmp_path):
    """A single contact would rock at 0.1 rad/s; lists and restarts leave no trace."""
    sim, other = dice_on_trays(), dice_on_trays(_skin=(0.0008, 0.0002))
    for one in (sim, other):
        one.step(10_000)
    sim.save(tmp_path / "dice.h5")
    loaded = dem.Simulation.load(tmp_path / "dice.h5")
    for one in (sim, other, loaded):
        one.step(20_000)
    for name in STATE:
        assert len({getattr(one.particles, name).tobytes() for one in (sim, other, loaded)}) == 1, name
    touching = sim.contact_forces().i
    assert [(touching == b).sum() for b in range(3)] == [4, 4, 5]  # the last one has corners and edges across the edge
    # far above what is left by rounding, some 1e-12
    assert abs(sim.particles.angular_velocity).max() < 1e-10


@pytest.mark.long
def test_threads_lists_and_restarts_do_not_show_in_a_gas_of_dice(tmp_path):
    """Each corner keeps its own friction, whatever becomes of lists and threads."""
    runs = [gas(DIE, ROUGH, 8, 0.0165, 2.0, **more) for more in ({"threads": 1}, {"threads": 2})]
    runs.append(gas(DIE, ROUGH, 8, 0.0165, 2.0, threads=1, _skin=(0.0008, 0.0002)))
    for sim in runs:
        sim.step(1500)
    runs[0].save(tmp_path / "gas.h5")
    runs.append(dem.Simulation.load(tmp_path / "gas.h5"))
    for sim in runs:
        sim.step(300)
    assert runs[0].contact_count > 30
    for name in STATE:
        assert len({getattr(sim.particles, name).tobytes() for sim in runs}) == 1, name
