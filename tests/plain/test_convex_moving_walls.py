"""Convex grains at walls that are rigid bodies or have servos, and the loads on these walls."""

import numpy as np
import pytest

import dem

YOUNG, POISSON = 5e6, 0.3
SOFT = dem.Material(young=YOUNG, poisson=POISSON, density=1500.0)
DULL = dem.Material(young=YOUNG, poisson=POISSON, density=1500.0, restitution=0.3)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
WEIGHTLESS = {"gravity": (0, 0, 0), "threads": 1}


def thrown_at_a_block(height, time_step):
    """A grain that flies along its long axis against a block that is free to move; the ledger of momenta before."""
    body = dem.RigidWall(mass=2e-4, inertia=(6e-9, 6e-9, 6e-9))
    block = dem.Block((0, -0.01, -0.01), (0.01, 0.01, 0.01), material=SOFT, free=body)
    grain = dem.Particles(GRAIN, SOFT, position=[[-0.00402, 0, height]], velocity=[[0.3, 0, 0]])
    return dem.Simulation(grain, walls=[block], time_step=time_step, **WEIGHTLESS)


def momenta(sim):
    """Linear and angular momentum about the origin, of the grain and of the block."""
    wall, (p, l) = sim.walls[0], sim.momentum()
    push = 2e-4 * wall.velocity
    return p + push, l + np.cross(wall.position, push) + 6e-9 * wall.angular_velocity


def test_a_grain_bounces_off_a_free_block_as_two_points_do():
    sim = thrown_at_a_block(0.0, 4e-6)
    m, heavy = float(sim.particles.mass[0]), 2e-4
    sim.step(600)
    assert sim.contact_count == 0
    # without losses, in closed form; the error of the scheme is of second order, 1e-4 of the speed at this step
    assert sim.particles.velocity[0, 0] == pytest.approx(0.3 * (m - heavy) / (m + heavy), abs=1e-4 * 0.3)
    assert sim.walls[0].velocity[0] == pytest.approx(0.3 * 2 * m / (m + heavy), abs=1e-4 * 0.3)


def test_momenta_of_a_grain_and_a_free_block_that_it_turns_are_conserved():
    turns = []
    for halves in range(2):
        sim = thrown_at_a_block(0.006, 8e-6 / 2**halves)
        p, l = momenta(sim)
        sim.step(200 * 2**halves)
        after = momenta(sim)
        size = float(sim.particles.mass[0]) * 0.3
        np.testing.assert_allclose(after[0], p, rtol=0, atol=1e-12 * size)  # rounding
        turns.append(np.abs(after[1] - l).max() / (0.006 * size))
        assert abs(sim.walls[0].angular_velocity[1]) > 0.1
    assert turns[0] < 1e-3
    assert turns[1] < max(0.3 * turns[0], 1e-12)  # of second order


@pytest.mark.long
def test_a_servo_presses_a_grain_with_its_force():
    """A lid on a grain that lies on a floor: both overlaps are those of Hertz's law with the radius of the grain."""
    press = 0.05
    lid = dem.Plane(
        (0, 0, 0.004), (0, 0, -1), material=DULL, servo=dem.Servo(force=press, axis=(0, 0, -1), fastest=0.05)
    )
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=DULL)
    grain = dem.Particles(GRAIN, DULL, position=[[0, 0, 0.002]])
    sim = dem.Simulation(grain, walls=[floor, lid], time_step=1e-5, **WEIGHTLESS)
    sim.step(1500)
    stiffness = 4 / 3 * YOUNG / (2 * (1 - POISSON**2)) * GRAIN.contact_radius**0.5
    # the servo closes in as an exponential; a thousandth is left
    np.testing.assert_allclose([-sim.walls[0].force[2], sim.walls[1].force[2]], press, rtol=1e-3)
    np.testing.assert_allclose(sim.contact_forces().overlap, (press / stiffness) ** (2 / 3), rtol=1e-3)


@pytest.mark.parametrize("inside", [False, True])
def test_what_a_wall_feels_is_the_sum_over_its_contacts(inside):
    """A rod across a pipe touches it twice; a block is touched at one place."""
    if inside:
        wall = dem.Cylinder((0, 0, -0.02), (0, 0, 0.02), 0.01, ends="both", material=SOFT)
        rod = dem.Ellipsoid(semi_axes=(0.01003, 0.002, 0.002))
        grain = dem.Particles(rod, SOFT, position=[[1e-5, 0, 0.004]])
    else:
        wall = dem.Block((0, -0.01, -0.01), (0.01, 0.01, 0.01), material=SOFT)
        grain = dem.Particles(GRAIN, SOFT, position=[[-0.00384, 0.002, 0.003]], orientation=[(0.98, 0.1, 0.1, 0.14)])
    sim = dem.Simulation(grain, walls=[wall], time_step=1e-6, **WEIGHTLESS)
    sim.step(1)
    rows, felt = sim.contact_forces(), sim.walls[0]
    assert len(rows.force) == felt.contacts == (2 if inside else 1)
    np.testing.assert_allclose(felt.force, -rows.force.sum(0), rtol=1e-9, atol=1e-15)
    arms = rows.point - felt.about
    np.testing.assert_allclose(felt.torque, -np.cross(arms, rows.force).sum(0), rtol=1e-9, atol=1e-12)
