"""Every law in all kinds of surroundings: what is absent is not evaluated, and states are saved, loaded and resumed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from test_law_compositions import SAMPLES

import dem

SIZE = 0.01


def laws():
    """Every normal law and every adhesion, the other one as it is by default; damped, with friction where that goes."""
    for slot in ("normal", "damping", "adhesion"):
        for part in SAMPLES[slot][slot != "normal" :]:  # without any part: once
            decides = slot == "damping" or isinstance(part, dem.Hysteretic | dem.EEPA)
            yield {slot: part, "friction": 0.3, "restitution": 1.0 if decides or slot == "damping" else 0.7}


def material(**law):
    return dem.Material(young=5e6, poisson=0.3, density=2500.0, **law)


def floor_of_triangles(stuff):
    corners = np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]])
    return dem.Mesh(vertices=corners, triangles=[[0, 1, 2], [0, 2, 3]], material=stuff)


SURROUNDINGS = {
    "nothing": lambda stuff: {},
    "box": lambda stuff: {"box": dem.Box((-0.05, -0.05, 0), (0.05, 0.05, 0.1), stuff)},
    "walls": lambda stuff: {"walls": [dem.Plane((0, 0, 0), (0, 0, 1), material=stuff)]},
    "mesh": lambda stuff: {"walls": [floor_of_triangles(stuff)]},
    "periodic": lambda stuff: {"box": dem.Box((-0.05, -0.05, 0), (0.05, 0.05, 0.1), stuff, periodic=["x", "y", "z"])},
    "periodic and walls": lambda stuff: {
        "box": dem.Box((-0.05, -0.05, -0.05), (0.05, 0.05, 0.1), stuff, periodic=["x", "y"], open=["z-", "z+"]),
        "walls": [dem.Plane((0, 0, 0), (0, 0, 1), material=stuff)],
    },
}  # fmt: skip


def state(sim):
    p = sim.particles
    return [p.position.tobytes(), p.velocity.tobytes(), p.angular_velocity.tobytes(), sim.energy()]


def mark_of(law, where):
    """Always laws with a memory without walls, and JKR at triangles; other laws, and JKR elsewhere, are long."""
    remembers = any(name in str(law) for name in ("Hysteretic", "EEPA", "JKR", "Bridge"))
    if (where == "nothing" and remembers) or (where == "mesh" and "JKR" in str(law)):
        return []
    return pytest.mark.long if where == "nothing" or "JKR" in str(law) else pytest.mark.slow


@pytest.mark.filterwarnings("ignore::dem.DemWarning")
@pytest.mark.parametrize(("law", "where"), [
    pytest.param(law, where, marks=mark_of(law, where))
    for law, where in itertools.product(laws(), SURROUNDINGS)
])  # fmt: skip
def test_states_are_saved_and_runs_gone_on_with(law, where, tmp_path):
    """Two spheres that touch, the lower of which touches the floor where there is one, and one far away."""
    stuff = material(**law)
    place = [[0, 0, 0.4999 * SIZE], [0, 0, 1.4996 * SIZE], [0.02, 0.02, 0.03]]
    balls = dem.Particles(
        dem.Sphere(diameter=SIZE), stuff, position=place, velocity=[[0.1, 0, 0], [0, 0, -0.1], [0, 0, 0]]
    )
    sim = dem.Simulation(balls, time_step=2e-6, **SURROUNDINGS[where](stuff))
    assert not np.isnan(sim._engine.limits.watch).any()
    whole = sim.run(2.4e-5, output=tmp_path / "whole.h5", frames=2)
    assert np.isfinite(sim.energy()).all()
    part = dem.Simulation(balls, time_step=2e-6, **SURROUNDINGS[where](stuff))
    part.run(1.2e-5, output=tmp_path / "part.h5", frames=1)
    part.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(6)
    assert state(loaded) == state(sim)
    resumed = dem.resume(tmp_path / "part.h5", duration=2.4e-5)
    assert replace(resumed, momentum_error=None) == replace(whole, momentum_error=None)  # which is since the resumption
    assert dem.rerun(tmp_path / "whole.h5").same


@pytest.mark.parametrize("where", ["box", "walls", "nothing"])
def test_kicks_that_make_contacts_of_too_few_steps_are_noticed(where):
    """Also where there is no box: in the verdict, whatever surrounds the particles."""
    stuff = material(restitution=0.5, adhesion=dem.JKR(work=0.02))
    place = [[0, 0, 0.6 * SIZE], [0, 0, 3 * SIZE]]
    balls = dem.Particles(dem.Sphere(diameter=SIZE), stuff, position=place)
    sim = dem.Simulation(balls, time_step=6e-5, gravity=(0, 0, 0), **SURROUNDINGS[where](stuff))
    sim.particles.velocity = [[0, 0, -2.0], [0, 0, -8.0]]
    with pytest.warns(dem.DemWarning) as told:
        sim.run(0.01)
    assert "coarse-time-step" in " ".join(str(each.message) for each in told)
    assert sim._engine.limits.shortest_contact.steps < 20
