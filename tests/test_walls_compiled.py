"""Walls of any shape as compiled, by one thread and by several."""

import numpy as np
import pytest

import dem
from tests.plain import test_free_walls, test_rough_walls, test_walls_of_any_shape

SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.7, friction=0.4)


@pytest.mark.slow
def test_threads_skins_and_cuts_change_no_bit_in_a_drum():
    """More bodies than a chunk holds, so that chunks sum what the drum and the blade in it feel on their own."""
    site = np.arange(-11, 12) * 0.011
    grid = np.stack(np.meshgrid(site, np.arange(-7, 8) * 0.0115, site[:17], indexing="ij"), -1).reshape(-1, 3)
    off_blade = (grid[:, 0] < 0.12) | (np.abs(grid[:, 2]) > 0.006)
    inside = grid[(np.hypot(grid[:, 0], grid[:, 2]) < 0.134) & off_blade]
    assert len(inside) > 2048
    moving = np.random.default_rng(1).uniform(-1, 1, inside.shape)
    turning = dem.Motion(axis=(0, 1, 0), rate=-8.0)
    drum = dem.Cylinder((0, -0.09, 0), (0, 0.09, 0), 0.14, ends="both", material=SAND, motion=turning)
    blade = dem.Rectangle((0.134, 0, 0), (0.012, 0, 0), (0, 0.17, 0), material=SAND, motion=turning)
    found = []
    for options in ({"threads": 1}, {"threads": 2}, {"threads": 2, "_skin": (0.004, 0.0008)}):
        grains = dem.Particles(dem.Sphere(diameter=0.01), SAND, position=inside, velocity=moving)
        sim = dem.Simulation(grains, walls=[drum, blade], time_step=2e-5, **options)
        for steps in (1000,) if options["threads"] == 1 else (333, 667):
            sim.step(steps)
        of_walls = [(*w.force, *w.torque, *w.angular_impulse, w.work, w.contacts) for w in sim.walls]
        state = (sim.particles.position, sim.particles.angular_velocity, np.array(of_walls), np.array(sim.energy()))
        found.append([values.tobytes() for values in state])
    assert found[0] == found[1] == found[2]
    assert min(wall.contacts for wall in sim.walls) > 0
    assert sim.walls[0].contacts > 20
    assert all(wall.work != 0 for wall in sim.walls)
    assert sim.energy_error < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["free", "servo", "pid", "rough"])
def test_what_plain_python_shows_holds_in_machine_code(kind, tmp_path):
    """Walls that forces move, and rough ones: types of their own to the compiler."""
    if kind == "free":
        test_free_walls.test_momenta_of_a_closed_system_are_kept_to_rounding()
        test_free_walls.test_restarts_and_cuts_change_no_bit(tmp_path)
    elif kind == "servo":
        test_walls_of_any_shape.test_a_servo_holds_its_force(tmp_path)
    elif kind == "pid":
        test_free_walls.test_a_pid_comes_to_its_force()
    else:
        for shape in ("plane", "mesh"):
            test_rough_walls.test_a_rough_floor_is_a_rough_face_of_a_box(shape, test_rough_walls.LOSSY)


@pytest.mark.slow
def test_a_million_elastic_steps_among_triangles_drift_no_more_than_in_a_box():
    """Three balls, without friction and weight; the largest error of the energy at any step, against that of `dem.Box`.

    In a box of twelve triangles by what chaos makes of rounding, until other impacts are seen: at most half as much
    again. In a drum of 100 flats, whose edges are crossed again and again, at most twice as much, as there are corners
    all around its ends; and less than half of that at half the step, as of second order.
    """
    rubber = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    x = [[0.02, 0.02, 0.02], [0.045, 0.03, 0.03], [0.03, 0.045, 0.045]]

    def error(box, walls, dt, shift=0.0, steps=1_000_000):
        v = np.random.default_rng(1).uniform(-1, 1, (3, 3))
        balls = dem.Particles(dem.Sphere(diameter=0.01), rubber, position=np.array(x) - shift, velocity=v)
        sim = dem.Simulation(balls, box, walls=walls, gravity=(0, 0, 0), time_step=dt)
        sim.step(steps)
        return sim.energy_error

    size, dt = 0.06, 1e-5
    boxed = error(dem.Box((0, 0, 0), (size,) * 3, rubber), [], dt)
    triangles = error(None, [dem.Mesh.box((0, 0, 0), (size,) * 3, material=rubber)], dt)
    assert triangles < 1.5 * boxed
    drum = dem.Mesh.turned([(0, -0.03), (0.04, -0.03), (0.04, 0.03), (0, 0.03)], segments=100, material=rubber)
    coarse, fine = (error(None, [drum], step, shift=0.03) for step in (dt, dt / 2))
    assert coarse < 2 * boxed
    assert fine < 0.5 * coarse


@pytest.mark.slow
@pytest.mark.parametrize("where", ["valley", "cone"])
def test_a_million_elastic_steps_in_valleys_and_cones_of_flats_are_as_good_as_on_a_plane(where):
    """A ball that bounces across the bottom of a valley of 0.1 rad, or goes round a cone of 50 flats, off its tip.

    The largest error of the energy, looked at every 500 steps, is that on the floor of a `dem.Box`, from the same
    height, within a factor of two, as impacts differ in angle; and less than half of that at half the step, as of
    second order. At the tip of a cone it is of first order: see tests/plain/test_cone_edges.py.
    """
    rubber = dem.Material(young=5e6, poisson=0.3, density=1000.0)

    def error(walls, box, place, velocity, dt):
        ball = dem.Particles(dem.Sphere(diameter=0.01), rubber, position=[place], velocity=[velocity])
        sim = dem.Simulation(ball, box, walls=walls, time_step=dt)
        start, largest = sim.energy().mechanical, 0.0
        for _ in range(2000):
            sim.step(500)
            largest = max(largest, abs(sim.energy().mechanical - start))
        return largest, sim.particles.position[0]

    floor = dem.Box((-2, -2, 0), (2, 2, 1), rubber)
    if where == "valley":
        x = [(s, 1.5 * side, 0.05 * 1.5 * abs(side)) for s in (-0.2, 0.2) for side in (-1, 0, 1)]
        wall = dem.Mesh(np.array(x), np.array([[0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2]]), material=rubber)
        place, velocity, height = (0, 0.03, 0.04), (0, 0, 0), 0.04
    else:
        wall = dem.Mesh.turned([(0, 0), (0.4, 0.4)], segments=50, material=rubber)
        place, velocity, height = (0.1, 0, 0.13), (0, 1.0, 0), 0.03
    (coarse, end), (fine, _) = (error([wall], None, place, velocity, dt) for dt in (1e-5, 5e-6))
    boxed, _ = error([], floor, (0, 0, height), velocity, 1e-5)
    assert end[2] > 0  # still in it
    assert coarse < 2 * boxed
    assert fine < 0.5 * coarse
