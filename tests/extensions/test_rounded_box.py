"""A convex shape of one's own, which one file registers: contacts in closed form, energy, checkpoints."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from rounded_box import RoundedBox  # noqa: E402, lies beside this file

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1500.0)
ROUGH = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.6, friction=0.4)
BRICK = RoundedBox((0.003, 0.002, 0.0015), 0.001)
BALL, CAPSULE = dem.Sphere(diameter=0.006), dem.Capsule(diameter=0.004, aspect_ratio=2)
FEW = {"time_step": 1e-6, "threads": 1, "gravity": (0, 0, 0)}


def turned(count, seed):
    """Random orientations (N, 4), scalar first."""
    return Rotation.random(count, rng=np.random.default_rng(seed)).as_quat(scalar_first=True)


def together(*groups, material=ELASTIC, **more):
    """A simulation of groups of particles, with a ball and a capsule far away: kernels are compiled for all of them."""
    far = [dem.Particles(s, material, position=[[1.0, k, 1.0]]) for k, s in enumerate((BALL, CAPSULE))]
    return dem.Simulation(dem.Particles.concatenate([*groups, *far]), **(FEW | more))


def test_mass_properties_are_those_of_many_random_points():
    rng = np.random.default_rng(1)
    half, r = np.array(BRICK.half_edges), BRICK.radius
    x = rng.uniform(-1, 1, (1_000_000, 3)) * (half + r)
    inside = np.linalg.norm(np.maximum(np.abs(x) - half, 0), axis=1) < r
    volume = inside.mean() * (2 * (half + r)).prod()
    second = (x[inside] ** 2).mean(0) * volume
    found = BRICK.mass_properties(1500.0)
    # the standard error of a million points is 0.05 % of the volume; four of them
    assert found.volume == pytest.approx(volume, rel=2e-3)
    np.testing.assert_allclose(found.inertia, 1500.0 * (second.sum() - second), rtol=4e-3)


def test_a_ball_is_touched_at_the_nearest_point_of_the_box():
    """The distance of a point from a box is known in closed form: that of what is beyond its half edges."""
    rng = np.random.default_rng(3)
    count, r, core = 21, 0.003, np.array(BRICK.half_edges)
    q, side, inside = turned(count, 5), rng.choice([-1.0, 1.0], (count, 3)), rng.uniform(0.2, 0.9, (count, 3)) * core
    beyond = rng.uniform(0.1, 1, (count, 3)) * (np.arange(count) % 7 + 1 & np.array([[1], [2], [4]]) > 0).T
    overlap = rng.uniform(1e-5, 4e-4, count)
    beyond *= ((BRICK.radius + r - overlap) / np.linalg.norm(beyond, axis=1))[:, None]
    local = side * (np.where(beyond > 0, core, inside) + beyond)  # nearest to faces, edges and corners in turn
    turn = Rotation.from_quat(q, scalar_first=True)
    centre = 0.03 * np.stack(np.meshgrid(range(4), range(4), range(4)), -1).reshape(-1, 3)[:count]
    bricks = dem.Particles(BRICK, ELASTIC, position=centre, orientation=q)
    found = together(bricks, dem.Particles(BALL, ELASTIC, position=centre + turn.apply(local))).contact_forces()
    np.testing.assert_array_equal(found.i, np.arange(count))
    np.testing.assert_array_equal(found.j, count + np.arange(count))
    np.testing.assert_allclose(found.overlap, overlap, rtol=0, atol=1e-15)
    normal = turn.apply(-side * beyond) / np.linalg.norm(beyond, axis=1)[:, None]  # from the ball to the brick
    np.testing.assert_allclose(found.normal, normal, rtol=0, atol=1e-9)


def test_its_height_on_a_plane_is_its_support_function():
    q = turned(1, 8)[0]
    down = Rotation.from_quat(q, scalar_first=True).inv().apply([0, 0, -1])
    h = np.abs(down) @ BRICK.half_edges + BRICK.radius
    overlap, corner = 1e-4, np.sign(down) * BRICK.half_edges + BRICK.radius * down
    brick = dem.Particles(BRICK, ROUGH, position=[[0.05, 0.05, h - overlap]], orientation=[q])
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=ROUGH)
    found = together(brick, material=ROUGH, walls=[floor]).contact_forces()
    assert found.overlap == pytest.approx([overlap], abs=1e-15)
    corner = Rotation.from_quat(q, scalar_first=True).apply(corner)
    point = np.array([0.05, 0.05, h - overlap / 2]) + corner
    np.testing.assert_allclose(found.point[0], point, atol=1e-15)
    stiffness = 4 / 3 * (5e6 / (2 * (1 - 0.3**2))) * np.sqrt(BRICK.contact_radius)
    np.testing.assert_allclose(found.force[0], [0, 0, stiffness * overlap**1.5], rtol=1e-9, atol=1e-12)


def thrown(time_step, material=ELASTIC, **more):
    """A brick, a ball, a clump and a capsule that meet."""
    clump = dem.Clump(offsets=[[0, 0, 0], [0.003, 0, 0.001]], radii=[0.003, 0.002])
    places = [[0, 0, 0], [0.009, 0.001, 0], [0.001, 0.009, 0.0005], [0.0005, -0.001, 0.0085]]
    shapes, q = (BRICK, BALL, clump, CAPSULE), turned(4, 2)
    groups = [
        dem.Particles(s, material, position=[x], orientation=[turn], velocity=[-60 * np.array(x)])
        for s, x, turn in zip(shapes, places, q, strict=True)
    ]
    return together(*groups, material=material, time_step=time_step, **more)


@pytest.mark.long
def test_energy_momentum_and_angular_momentum_are_conserved_among_spheres_clumps_and_capsules():
    errors, turns, met = [], [], 0
    for halves in range(2):
        sim = thrown(8e-6 / 2**halves)
        (p, l), largest = sim.momentum(), 0.0
        for _ in range(25):
            sim.step(25 * 2**halves)
            largest, met = max(largest, sim.energy_error), max(met, sim.contact_count)
        errors.append(largest)
        size = sim.particles.mass @ np.linalg.norm(sim.particles.velocity, axis=1)
        np.testing.assert_allclose(sim.momentum()[0], p, rtol=0, atol=1e-13 * size)  # rounding
        turns.append(np.linalg.norm(sim.momentum()[1] - l) / (0.01 * size))
    assert met > 1
    # both are of second order in the time step: a quarter, and some room for terms of higher order
    assert errors[0] < 4e-4
    assert errors[1] < 0.3 * errors[0]
    assert turns[0] < 4e-6
    assert turns[1] < 0.3 * turns[0]


@pytest.mark.long
def test_a_rough_run_goes_on_from_a_checkpoint_to_the_same_bytes(tmp_path):
    floor = dem.Plane((0, 0, -0.006), (0, 0, 1), material=ROUGH)
    sim = thrown(4e-6, ROUGH, walls=[floor], gravity=(0, 0, -9.81))
    sim.step(250)
    while not sim.contact_count:
        sim.step(10)
    sim.save(tmp_path / "bricks.h5")
    again = dem.Simulation.load(tmp_path / "bricks.h5")
    for each in (sim, again):
        each.step(150)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        assert getattr(sim.particles, name).tobytes() == getattr(again.particles, name).tobytes()


def test_no_file_of_the_package_knows_it():
    root = HERE.parent.parent
    files = [path for folder in ("dem", "kernels", "cases") for path in (root / folder).rglob("*.py")]
    assert len(files) > 300
    assert not [path for path in files if "RoundedBox" in path.read_text(encoding="utf-8")]
