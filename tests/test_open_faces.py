"""Particles that leave through an open face: reported once, without effect on other particles."""

import numpy as np
import pytest

import dem
from dem.base.periodic import PeriodicCell
from dem.soft import escape
from dem.soft.engine import Engine
from dem.soft.neighbour_lists import grid_for
from dem.soft.run_errors import BrokenRunError

BALL = dem.Sphere(diameter=0.01)
NYLON = dem.Material(young=5e7, poisson=0.35, density=1100.0)
ROUGH = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.8, friction=0.3)
G = 200.0  # [m/s²], so that falling far takes few steps
FALLS = ([0.05, 0.05, 0.02], [0, 0, -10])
RISES = ([0.03, 0.05, 0.05], [0.1, 0.1, 8])  # bounces off the lid before it falls as well


def simulation(*rows, opened, gravity=(0, 0, -G), shape=BALL, material=NYLON, **options):
    position, velocity = zip(*rows, strict=True)
    particles = dem.Particles(shape, material, position=position, velocity=velocity)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material, open=opened)
    return dem.Simulation(particles, box, gravity=gravity, time_step=1e-5, threads=1, **options)


@pytest.fixture
def rebuilds(monkeypatch):
    """Steps at which lists were made."""
    made, plain = [], Engine.rebuild

    def rebuild(self, *arguments):
        made.append(int(self.run_state.step[0]))
        plain(self, *arguments)

    monkeypatch.setattr(Engine, "rebuild", rebuild)
    return made


@pytest.fixture
def looks(monkeypatch):
    """Look every hundred steps."""
    monkeypatch.setattr(escape, "CHECK_INTERVAL", 100)


@pytest.mark.usefixtures("looks")
def test_who_falls_out_falls_for_ever_and_is_told_of_once(rebuilds):
    sim = simulation(FALLS, RISES, opened=["z-"])
    with pytest.warns(dem.DemWarning, match=r"left-the-box: particle 0 .* open face z-: at step 200 \(t = ") as told:
        sim.step(6000)
    assert len(told) == 1
    error = sim.energy_error  # of the impact on the lid
    verdict = sim.run(0.04)  # not a word, nor of what so fast particles would need if they met
    (x, v), t = map(np.array, FALLS), sim.time
    np.testing.assert_allclose(sim.particles.position[0], x + t * v - [0, 0, G * t**2 / 2], rtol=1e-12)
    assert sim._engine.escaped_rows().tolist() == [0, 1]
    assert len(rebuilds) < 50
    assert rebuilds[-1] < 6000  # when the second one was let go, at 10 m/s
    assert verdict.status == "PASS"
    assert verdict.energy_error == error
    assert verdict.energy_reference == "the energy at the start"  # and not what it has gained since


@pytest.mark.usefixtures("looks")
def test_who_has_left_does_not_show_in_the_others():
    alone, both = (simulation(*rows, opened=["z-"]) for rows in ([RISES], [FALLS, RISES]))
    with pytest.warns(dem.DemWarning, match="left-the-box"):
        both.step(1890)
    alone.step(1890)
    assert both._engine.escaped_rows().tolist() == [0]
    assert alone.particles.velocity[0, 2] < 0  # it has been at the lid
    for name in ("position", "velocity"):
        np.testing.assert_array_equal(getattr(both.particles, name)[1], getattr(alone.particles, name)[0])


def test_who_has_left_is_let_go_again_when_the_state_is_assigned_to():
    sim = simulation(([0.05, 0.05, -0.2], [0, 0, -1]), ([0.05, 0.05, 0.05], [0, 0, 0]), opened=["z-"])
    assert sim._engine.escaped_rows().tolist() == [0]
    with pytest.warns(dem.DemWarning, match="left-the-box: particle 0"):
        sim.step()
    sim.particles.velocity = [[0, 0, -1], [0.1, 0, 0]]
    sim.step(100)
    assert sim._engine.escaped_rows().tolist() == [0]
    sim.particles.position = [[0.05, 0.08, 0.05], [0.05, 0.05, 0.05]]
    sim.step()
    assert sim._engine.escaped_rows().tolist() == []


def test_too_fast_outside_is_no_accident_but_inside_it_is():
    """150 m/s are 15 % of a diameter in a step."""
    for height, speed in ((-0.001, 149.9), (0.05, 149.9)):
        sim = simulation(([0.05, 0.05, 0.05], [0, 0, 0]), opened=["z-"])
        sim.particles.position, sim.particles.velocity = [[0.05, 0.05, height]], [[0, 0, -speed]]
        if height < 0:
            with pytest.warns(dem.DemWarning, match="left-the-box"):
                sim.step(1000)
            assert sim.particles.velocity[0, 2] == pytest.approx(-speed - 1000 * 1e-5 * G)
            assert sim.verdict().status == "PASS"
        else:
            sim.particles.velocity = [[0, 0, -150.1]]
            with pytest.raises(BrokenRunError, match="more than the skin"):
                sim.step(10)


@pytest.mark.usefixtures("looks")
def test_who_comes_back_through_an_open_top_has_not_left():
    """A ball thrown out of the box, a good deal higher than it is wide, lands on its floor."""
    sim = simulation(([0.05, 0.05, 0.02], [0, 0, 12]), opened=["z+"])
    sim.step(6000)
    assert sim.particles.position[0, 2] == pytest.approx(0.02 + 12 * 0.06 - G * 0.06**2 / 2)  # 0.38 m
    sim.step(6400)
    assert sim.particles.velocity[0, 2] == pytest.approx(12, rel=0.05)  # it has bounced
    assert sim._engine.escaped_rows().size == 0


SLOPE = {"opened": ["x+"], "gravity": (100, 0, -30), "material": ROUGH}
SLIDERS = ([0.08, 0.03, 0.005], [1, 0, 0]), ([0.06, 0.07, 0.02], [2, 0, -1])


@pytest.mark.usefixtures("looks")
@pytest.mark.parametrize("shape", [BALL, dem.Fibre(diameter=0.01, aspect_ratio=2)], ids=["spheres", "fibres"])
@pytest.mark.few(1)
def test_letting_go_shows_neither_lists_nor_restarts(shape, tmp_path):
    """They slide down a slope that goes on beyond the box; each simulation tells of who leaves, again when loaded."""
    whole, cut = (simulation(*SLIDERS, shape=shape, _skin=skin, **SLOPE) for skin in (None, (0.002, 0.0002)))
    ends = [whole]
    with pytest.warns(dem.DemWarning, match="left-the-box"):
        whole.step(8000)
    for steps in (4511, 189, 3300):
        with pytest.warns(dem.DemWarning, match="left-the-box"):
            cut.step(steps)
        cut.save(tmp_path / "a.h5")
        cut = dem.Simulation.load(tmp_path / "a.h5", threads=1)
    ends.append(cut)
    assert all(sim._engine.escaped_rows().tolist() == [0, 1] for sim in ends)
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_array_equal(*(getattr(sim.particles, name) for sim in ends), err_msg=name)
    assert ends[0].energy() == ends[1].energy()
    assert ends[0].energy_error == ends[1].energy_error < 1e-3


def test_a_particle_far_away_leaves_the_cells_as_they_are(rng):
    crowd = rng.uniform(0, 1, (3, 4000))
    far = np.concatenate([crowd, [[1e6], [0.5], [-1e6]]], axis=1)
    sizes = []
    for position in (crowd, far):
        removed = np.zeros((1, position.shape[1]), np.int8)
        sizes.append(grid_for(position, removed, np.array([0.01]), 0.006, PeriodicCell.orthogonal()).size)
    assert sizes[1] < 1.5 * sizes[0]


def test_pairs_far_away_are_found_in_the_outermost_cells(rng):
    site = np.stack(np.meshgrid(*[np.arange(7)] * 3), -1).reshape(-1, 3) * 0.02
    pairs = [[-50, 0, 3], [-50, 0.0099, 3], [1e3, 5, 0.1], [1e3, 5.0098, 0.1]]
    particles = dem.Particles(BALL, NYLON, position=np.concatenate([site, pairs]))
    sim = dem.Simulation(particles, gravity=(0, 0, 0), time_step=1e-5, threads=1)
    stiffness = 4 / 3 * NYLON.effective_modulus(NYLON) * 0.05
    assert sim.energy().elastic == pytest.approx(0.4 * stiffness * (1e-4**2.5 + 2e-4**2.5), rel=1e-6)
