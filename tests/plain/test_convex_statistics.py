"""Statistics of convex grains, of states that were built by hand: contacts, fabric, directions, order."""

import numpy as np
import pytest

import dem
from dem import statistics

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
ABOUT_Z = (0.5**0.5, 0.0, 0.0, 0.5**0.5)  # a quarter of a turn: the long axis is y
DEPTH = 1e-5


def square(path, **more):
    """Four grains in a square on a floor, which all touch: two along x, two along y, of which the last is turned."""
    x, y, z = 2 * 0.004 - DEPTH, 2 * 0.003 - DEPTH, 0.002 - DEPTH
    places = [[0.01, 0.01, z], [0.01 + x, 0.01, z], [0.01, 0.01 + y, z], [0.01 + x, 0.01 + y, z], [0.05, 0.05, z]]
    pose = [(1, 0, 0, 0)] * 4 + [ABOUT_Z]
    grains = dem.Particles(GRAIN, STUFF, position=places, orientation=pose)
    ball = dem.Particles(dem.Sphere(diameter=0.004), STUFF, position=[[0.03, 0.03, 0.05]])
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material=STUFF)
    both = dem.Particles.concatenate([grains, ball])
    sim = dem.Simulation(both, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    sim.run(1e-6, output=path, frames=1, **more)
    return sim


def test_contacts_and_fabric_are_those_of_the_square(tmp_path):
    square(tmp_path / "run.h5", contacts=True)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        frame = run[0]
        contacts = frame.contact_forces()
        numbers = frame.contact_numbers()
        assert numbers.bodies.tolist() == [2, 2, 2, 2, 0, 0]
        assert numbers.walls.tolist() == [1, 1, 1, 1, 1, 0]
        np.testing.assert_allclose(contacts.overlap, DEPTH, rtol=1e-9)
        found = statistics.fabric(contacts)
        assert found.number == 4
        np.testing.assert_allclose(found.tensor, np.diag([0.5, 0.5, 0]), atol=1e-12)  # two of each
        along_x = np.abs(contacts.normal[:, 0]) > 0.5
        np.testing.assert_allclose(
            statistics.fabric(contacts, 1.0 + 2.0 * along_x).tensor, np.diag([0.75, 0.25, 0]), atol=1e-12
        )
        assert statistics.coordination(contacts, 6).geometric == pytest.approx((4 * 3 + 1) / 6)
        with pytest.raises(ValueError, match=r"tolerance is 0.001, expected 0"):
            frame.contact_numbers(1e-3)


def test_a_die_is_as_solid_in_all_slabs_that_it_fills(tmp_path):
    """Its spheres are at its corners; it counts by its surface, next to a ball, and across a periodic face."""
    corners = [(x, y, z) for x in (0, 0.01) for y in (0, 0.01) for z in (0, 0.01)]
    die = dem.Polyhedron(vertices=corners, rounding=1e-6)
    dice = dem.Particles(die, STUFF, position=[[0.02, 0.02, 0.006]])
    ball = dem.Particles(dem.Sphere(diameter=0.008), STUFF, position=[[0.02, 0.03, 0.02]])
    box = dem.Box((0, 0, 0), (0.04, 0.04, 0.04), material=STUFF, periodic=["z"])
    both = dem.Particles.concatenate([dice, ball])
    sim = dem.Simulation(both, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    sim.run(1e-6, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        found = run[0].solid_fraction("z", bins=20).value
    in_slab = 0.04 * 0.04 * 0.002  # [m³]
    filled = np.r_[0.5, np.ones(4), 0.5, np.zeros(14)] * 0.002 * 1e-4 / in_slab
    t = np.array([0.004, 0.002, 0.0])
    cap = np.pi * t**2 * (0.004 - t / 3)
    filled[8:12] += np.array([cap[1], cap[0] - cap[1], cap[0] - cap[1], cap[1]]) / in_slab
    np.testing.assert_allclose(found, filled, rtol=0, atol=1e-5)


def test_contact_numbers_need_the_contacts(tmp_path):
    square(tmp_path / "run.h5")
    with dem.Trajectory(tmp_path / "run.h5") as run, pytest.raises(ValueError, match="has no contacts: run with"):
        run[0].contact_numbers()


def test_directions_and_order_of_long_and_short_axes(tmp_path):
    square(tmp_path / "run.h5")
    with dem.Trajectory(tmp_path / "run.h5") as run:
        long, particles = run[0].directions()
        assert particles.tolist() == [0, 1, 2, 3, 4]  # the ball has none
        np.testing.assert_allclose(np.abs(long), [[1, 0, 0]] * 4 + [[0, 1, 0]], atol=1e-12)
        order = statistics.order_parameter(long)
        # of four along x and one along y the largest eigenvalue of (3 a - 1)/2 is (3 * 0.8 - 1)/2
        assert order.parameter == pytest.approx(0.7, abs=1e-12)
        np.testing.assert_allclose(order.director, [1, 0, 0], atol=1e-12)
        with pytest.raises(ValueError, match=r"directions .*expected \(\.\.\., N, 3\): unit vectors"):
            statistics.order_parameter(run[0].directions())
        short, _ = run[0].directions("short")
        assert statistics.order_parameter(short).parameter == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(np.abs(short), [[0, 0, 1]] * 5, atol=1e-12)
        with pytest.raises(ValueError, match="axis"):
            run[0].directions("round")


def test_cubes_have_no_axis_that_stands_out(tmp_path):
    corners = [(x, y, z) for x in (0, 0.01) for y in (0, 0.01) for z in (0, 0.01)]
    die = dem.Particles(dem.Polyhedron(vertices=corners, rounding=1e-3), STUFF, position=[[0, 0, 0]])
    dem.Simulation(die, time_step=1e-6, threads=1).run(1e-6, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run, pytest.raises(ValueError, match=r"no particle .* has a long axis"):
        run[0].directions()
