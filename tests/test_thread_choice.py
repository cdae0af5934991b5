"""Steps run on many threads or on one, whichever is faster, without a change of results."""

import numpy as np
import pytest

import dem
from dem.soft import thread_balance as module
from dem.soft.thread_balance import ThreadChoice


class Clock:
    """A clock that goes on by what steps take, on one thread or on more."""

    def __init__(self, one, more):
        self.now, self.one, self.more = 0.0, one, more

    def __call__(self):
        return self.now

    def run(self, pace, wanted):
        """Take steps; returns the seconds on one thread and on more."""
        spent = {True: 0.0, False: 0.0}
        while wanted:
            steps, alone = pace.begin(wanted), pace.threads == 1
            assert 0 < steps <= wanted
            self.now += (took := steps * (self.one if alone else self.more))
            spent[alone] += took
            pace.end(steps)
            wanted -= steps
        return spent[True], spent[False]


@pytest.mark.parametrize(("one", "more"), [(2e-4, 1.1e-4), (1.5e-3, 4e-4), (2e-4, 5e-3), (3e-6, 2e-4), (0.3, 0.16)])
def test_the_faster_way_is_found_and_kept(one, more):
    """And trying the other costs less than a fiftieth: a trial, as long as it is, after some forty times as long."""
    clock = Clock(one, more)
    alone, spread = clock.run(ThreadChoice(2, clock), round(200 / min(one, more)))
    fast, slow = (alone, spread) if one < more else (spread, alone)
    lost = slow * (1 - min(one, more) / max(one, more))
    assert lost < 0.02 * (fast + slow)


def test_others_come_and_go():
    """Two threads while the machine is idle, one while it is busy, two again afterwards."""
    clock = Clock(2e-4, 1.1e-4)
    pace = ThreadChoice(2, clock)
    for one, more in ((2e-4, 1.1e-4), (2.2e-4, 4e-3), (2e-4, 1.1e-4)):
        clock.one, clock.more = one, more
        clock.run(pace, 60_000)
        assert pace.threads == (2 if more < one else 1)


def test_one_thread_is_not_asked_for_the_time():
    def clock():
        raise AssertionError

    pace = ThreadChoice(1, clock)
    assert pace.begin(10**9) == 10**9
    pace.end(10**9)


def test_no_bit_depends_on_it(rng, nylon, monkeypatch):
    """Turned never, or at every look, of which there is one each four steps."""
    x = 0.011 * np.stack(np.unravel_index(np.arange(14**3), (14, 14, 14)), axis=1)
    balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=x + 0.01, velocity=rng.normal(0, 1, x.shape))
    ends = []
    for turning in (False, True):
        monkeypatch.setattr(
            ThreadChoice, "_compare", lambda pace, took, now, turning=turning: turning and pace._switch_threads()
        )
        sim = dem.Simulation(balls, dem.Box((0, 0, 0), (0.17,) * 3, nylon), time_step=2e-5, threads=2)
        seen = []
        monkeypatch.setattr(module, "set_threads", seen.append)
        sim.step(120)
        assert turning == (len(set(seen)) > 1)
        ends.append(sim.particles)
    np.testing.assert_array_equal(ends[0].position, ends[1].position)
    np.testing.assert_array_equal(ends[0].velocity, ends[1].velocity)
