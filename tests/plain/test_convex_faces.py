"""Polyhedra and rounded cylinders in runs: energy, momentum, checkpoints."""

import itertools

import numpy as np
import pytest

import dem
from dem.files.checkpoints import serialization

DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.01], repeat=3)), rounding=0.002)
TABLET = dem.RoundedCylinder(diameter=0.01, length=0.006, rounding=0.002)


def collision(shape, time_step):
    """Two bodies that hit each other off their centres: the simulation and its verdict."""
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    q = np.array([[1, 0.2, -0.3, 0.4], [0.5, -0.6, 0.1, 0.7]])
    q /= np.linalg.norm(q, axis=1)[:, None]
    particles = dem.Particles(
        shape, material, position=[[0, 0, 0], [0.015, 0.003, 0.002]], orientation=q, velocity=[[1, 0, 0], [-1, 0, 0]]
    )
    sim = dem.Simulation(particles, gravity=(0, 0, 0), time_step=time_step, threads=1)
    return sim, sim.run(duration=6e-3)


@pytest.mark.parametrize("shape", [DIE, TABLET], ids=["polyhedron", "cylinder"])
def test_energy_of_a_collision_is_kept_to_second_order_and_momentum_to_rounding(shape):
    """The error of the energy is a quarter with half the step, as that of the scheme, whatever edges meet."""
    _, coarse = collision(shape, 1e-5)
    sim, fine = collision(shape, 5e-6)
    assert fine.energy_error < 1e-4
    assert 3.5 < coarse.energy_error / fine.energy_error < 4.5
    after = sim.particles
    assert np.abs(after.angular_velocity).max() > 1.0
    assert after.velocity[0, 0] < 0.9
    np.testing.assert_allclose(after.velocity.sum(0), 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [DIE, TABLET], ids=["polyhedron", "cylinder"])
def test_the_very_same_shape_comes_back_from_a_checkpoint(shape):
    again = serialization.made(serialization.recipe(shape))
    assert again == shape
    assert again.convex_numbers == shape.convex_numbers
