"""Copies and pickles of simulations share nothing with the original, and go on to the same bytes."""

import copy
import pickle

import numpy as np
import pytest
from sample_runs import crowd

import dem

pytestmark = pytest.mark.filterwarnings("ignore::dem.DemWarning")  # steps are coarse, so that much happens in few
SAND = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5, friction=0.5)
BALL = dem.Sphere(diameter=0.01)
BOX = dem.Box((-0.05, -0.05, 0), (0.05, 0.05, 0.2), SAND)
BALLS = dem.Particles(BALL, SAND, position=[[0.02 * k, 0, 0.005] for k in range(3)], velocity=[[0.2, 0.1, 0]] * 3)


def with_inserter():
    """Particles that come from a block, and leave into another."""
    above, aside = dem.Block((-0.04, -0.04, 0.1), (0.04, 0.04, 0.19)), dem.Block((0.03, -0.05, 0), (0.05, 0.05, 0.02))
    inserter = dem.Inserter(BALL, SAND, region=above, number=40, rate=2e4, velocity=(0, 0, -10))
    outlet = dem.Outlet(region=aside)
    return dem.Simulation(BALLS, BOX, time_step=1e-5, inserters=[inserter], outlets=[outlet])


MADE = {
    "crowd": lambda: crowd("clumps", threads=1),
    "block regions": with_inserter,
    "hard spheres": lambda: dem.HardSpheres(BALLS, BOX),
}
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda sim: pickle.loads(pickle.dumps(sim)),
}


def state(sim):
    p = sim.particles
    return np.hstack([p.position, p.velocity, p.orientation, p.angular_velocity])


def go_on(sim):
    sim.run(2e-3, force=True)
    return state(sim), tuple(sim.energy())


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("kind", COPIES)
def test_a_copy_goes_on_by_itself_to_the_same_bytes(made, kind):
    sim = MADE[made]()
    sim.run(2e-3, force=True)
    before, twin = state(sim), COPIES[kind](sim)
    assert type(twin) is type(sim)
    assert (twin.threads, twin.time, twin.description) == (sim.threads, sim.time, sim.description)
    ahead = go_on(twin)
    np.testing.assert_array_equal(state(sim), before)  # nothing of it has moved
    assert not np.array_equal(ahead[0][: len(before)], before[: len(ahead[0])])
    behind = go_on(sim)
    np.testing.assert_array_equal(behind[0], ahead[0])
    assert behind[1] == ahead[1]


def test_a_subclass_is_refused_in_words(tmp_path):
    class Mine(dem.Simulation):
        pass

    sim = Mine(BALLS, BOX, time_step=1e-5)
    for way in (*COPIES.values(), lambda sim: sim.save(tmp_path / "state.h5")):
        with pytest.raises(TypeError, match="a Mine cannot be saved, copied or pickled"):
            way(sim)
    assert not list(tmp_path.iterdir())
