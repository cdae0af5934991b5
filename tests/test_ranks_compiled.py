"""Compiled ranks in one process against one: equal bytes for any assignment of bodies."""

import pytest
from sample_runs import crowd

from dem.ranks.threads import in_one_process


def gas():
    """So many spheres that ranks have chunks of ghosts, of the border and further in; lists do not last long."""
    return crowd("spheres", n=13_824, threads=1, _skin=(3e-4, 1e-4))


def state_of(sim):
    """Its bytes, and its energies."""
    p = sim.particles
    return [x.tobytes() for x in (p.position, p.velocity, p.orientation, p.angular_velocity)], sim.energy()


@pytest.mark.parametrize("by_kernels", [True, False])
@pytest.mark.long
def test_ranks_show_in_no_bit(by_kernels):
    alone = gas()
    alone.step(60)
    with in_one_process(2, by_kernels=by_kernels):
        sim = gas()
        sim.step(60)
        own = sim._engine.subdomains.remote.own
        assert state_of(sim) == state_of(alone)
        assert sim.contact_count == alone.contact_count > 100
        assert own.load.rebuilt > 1
        assert bool(own.border.exchange[0]) is by_kernels
