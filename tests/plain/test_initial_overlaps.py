"""Final states of runs are valid initial states; deeper overlaps than a verdict allows are refused."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import dem

RUBBER = dem.Material(young=1e6, poisson=0.3, density=1000.0)
BOX = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), RUBBER)
SPEED = 2.0


def falling(**words: object) -> dem.Simulation:
    """An elastic ball just above the floor: it comes to an overlap of 16 % of its radius within 1.4 ms."""
    ball = dem.Particles(
        dem.Sphere(diameter=0.02), RUBBER, position=[[0.05, 0.05, 0.0101]], velocity=[[0, 0, -SPEED]], name="ball"
    )
    return dem.Simulation(ball, BOX, gravity=(0, 0, 0), time_step=2e-5, **words)


CASE = """
duration = 0.004
time_step = 2e-5
gravity = [0, 0, 0]
materials.rubber = { young = 1e6, poisson = 0.3, density = 1000 }
box = { upper = [0.1, 0.1, 0.1], material = "rubber" }
[[particles]]
last_frame = "first.h5"
"""


@pytest.mark.parametrize("written", [False, True])
def test_the_end_of_a_run_is_a_start(written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at its deepest, and begun again from there: a notice, and it rebounds as fast as it came."""
    monkeypatch.chdir(tmp_path)
    first = falling()
    assert first.run(1.4e-3, output="first.h5", frames=1, progress=False).status == "PASS"
    assert 0.15 < first._engine.overlaps().deepest().share < 0.25
    if written:
        Path("case.toml").write_text(CASE)
        again = dem.load("case.toml")
    else:
        again = dem.Simulation(first.particles, BOX, gravity=(0, 0, 0), time_step=2e-5)
    with pytest.warns(dem.DemWarning, match=r"overlapping-start: particle 0 overlaps a wall by 0.00\d+ m at the start"):
        verdict = again.run(4e-3, progress=False)
    assert verdict.status == "PASS"
    # at its deepest most of the energy is elastic; the scheme gives it back to second order in the steps of a contact
    assert again.particles.velocity[0, 2] == pytest.approx(SPEED, rel=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dem.DemWarning)
        again.run(1e-4, progress=False)  # it goes on, which is no start


def test_deeper_starts_are_refused() -> None:
    """What a verdict doubts is no start; a strict run refuses the notice as well."""
    for share, words in ((0.26, "26% of a radius .at most 25%.: move them apart"), (0.2, "overlapping-start")):
        balls = dem.Particles(
            dem.Sphere(diameter=0.02), RUBBER, position=[[0.05, 0.05, 0.05], [0.07 - 0.01 * share, 0.05, 0.05]]
        )
        with pytest.raises(ValueError, match=words):
            dem.Simulation(balls, BOX, time_step=2e-5).run(1e-4, progress=False, strict=True)


def test_a_run_in_a_deep_contact_goes_on_after_a_visit() -> None:
    """A contact of 30 % of a radius is the run's own: who changes a velocity meanwhile does not end the run."""
    sim = falling()
    sim.particles.velocity = [[0, 0, -2.3 * SPEED]]
    deep = []

    def turned(sim: dem.Simulation) -> None:
        deep.append(sim._engine.overlaps().deepest().share)
        sim.particles.velocity = sim.particles.velocity + np.array([1e-3, 0, 0])

    sim.run(1.2e-3, every=(10, turned), progress=False, force=True)
    assert max(deep) > 0.25
