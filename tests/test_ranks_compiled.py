"""Ranks in one process, compiled, against one: the same bytes, whoever takes the steps."""

import numpy as np
import pytest

import dem
from dem.ranks.threads import in_one_process

D = 0.01


def gas():
    """So many spheres with friction that ranks have chunks of ghosts, of the border and further in."""
    rng, places = np.random.default_rng(1), np.stack(np.meshgrid(*[np.arange(24)] * 3, indexing="ij"), -1)
    places = 1.1 * D * (places.reshape(-1, 3) + 0.5)
    sticky = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)
    particles = dem.Particles(
        dem.Sphere(diameter=D), sticky, position=places + rng.uniform(-0.04, 0.04, places.shape) * D,
        velocity=rng.normal(0, 2.0, places.shape), angular_velocity=rng.normal(0, 20, places.shape),
    )  # fmt: skip
    edge = float(places.max() + 0.55 * D)
    return dem.Simulation(particles, dem.Box((0, 0, 0), (edge,) * 3, sticky), time_step=2e-5, _skin=(0.1 * D, 0.03 * D))


def state_of(sim):
    """Its bytes, and its energies."""
    p = sim.particles
    return [x.tobytes() for x in (p.position, p.velocity, p.orientation, p.angular_velocity)], sim.energy()


@pytest.mark.parametrize("by_kernels", [True, False])
def test_ranks_show_in_no_bit(by_kernels):
    alone = gas()
    alone.step(60)
    with in_one_process(2, by_kernels=by_kernels):
        sim = gas()
        sim.step(60)
        own = sim._engine._hand.own
        assert state_of(sim) == state_of(alone)
        assert sim.contact_count == alone.contact_count > 100
        assert own.told.rebuilt > 1
        assert bool(own.border.swap[0]) is by_kernels
