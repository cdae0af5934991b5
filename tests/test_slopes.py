"""Particles that rest or slide by friction on slopes and between walls."""

import math

import numpy as np
import pytest

import dem
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall

pytestmark = pytest.mark.slow  # 100 000 steps each


def block(angle, mu, shape, height):
    """Speed of a body on a floor tilted by an angle, after it has settled and after a while more."""
    material = dem.Material(young=1e7, poisson=0.3, density=2500, restitution=0.3, friction=mu)
    body = dem.Particles(shape, material, position=[[0.5, 0.5, height]], orientation=[shape.axes])
    theta = math.radians(angle)
    sim = dem.Simulation(body, dem.Box((0, 0, 0), (1, 1, 1), material=material), time_step=5e-6, threads=1,
                         gravity=(9.81 * math.sin(theta), 0, -9.81 * math.cos(theta)))  # fmt: skip
    sim.step(40_000)
    early = sim.time, *sim.particles.position[0], *sim.particles.velocity[0]
    sim.step(40_000)
    return np.array(early), np.array([sim.time, *sim.particles.position[0], *sim.particles.velocity[0]])


SLAB = dem.Clump(offsets=[[x, y, 0] for x in (-0.02, 0.02) for y in (-0.02, 0.02)], radii=[0.005] * 4)


def test_friction_holds_a_block_on_a_slope():
    """Four feet on 20° with µ = 0.5 (26.6°): it rests, and does not creep."""
    early, late = block(20, 0.5, SLAB, 0.005)
    assert np.abs(late[4:]).max() < 1e-9
    assert np.abs(late[1:4] - early[1:4]).max() < 1e-10


def test_a_block_slides_down_a_steep_slope():
    """40° with µ = 0.5: g (sin θ - µ cos θ)."""
    early, late = block(40, 0.5, SLAB, 0.005)
    theta = math.radians(40)
    assert (late[4] - early[4]) / (late[0] - early[0]) == pytest.approx(
        9.81 * (math.sin(theta) - 0.5 * math.cos(theta)), rel=1e-6
    )


def test_a_ball_between_floor_and_wall_comes_to_rest():
    """Under tilted weight, with friction at both contacts: it neither turns nor creeps."""
    material = dem.Material(young=1e7, poisson=0.3, density=2500, restitution=0.3, friction=0.5)
    ball = dem.Particles(dem.Sphere(diameter=0.01), material, position=[[0.005, 0.5, 0.005]])
    sim = dem.Simulation(ball, dem.Box((0, 0, 0), (1, 1, 1), material=material), time_step=5e-6, threads=1,
                         gravity=(-5.0, 0, -8.0))  # fmt: skip
    sim.step(80_000)
    before = sim.particles.position.copy()
    sim.step(20_000)
    assert np.abs(sim.particles.velocity).max() < 1e-9
    assert np.abs(sim.particles.angular_velocity).max() < 1e-7
    assert np.abs(sim.particles.position - before).max() < 1e-10


def test_rolling_goes_on():
    """A ball that rolls at v = ω l on a level floor keeps rolling: no force acts at the contact."""
    material = dem.Material(young=2e9, poisson=0.25, density=2500)
    ball, contact = ReferenceBall(0.01, material), dem.Contact(restitution=0.5, friction=0.4)
    sag = (ball.mass * 9.81 / (4 / 3 * material.effective_modulus(material) * math.sqrt(ball.radius))) ** (2 / 3)
    lever = ball.radius - sag / 2
    sim = start(ball, material, contact, 1e-5, velocity=(0.5, 0, 0), spin=(0, 0.5 / lever, 0), lift=-sag,
                gravity=(0, 0, -9.81))  # fmt: skip
    sim.step(20_000)
    assert sim.particles.velocity[0, 0] == pytest.approx(0.5, rel=1e-12)
    assert sim.energy().dissipated < 1e-12 * sim.energy().kinetic
