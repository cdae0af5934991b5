"""What contacts remember shows neither lists, threads, cuts nor restarts of the scheme."""

import numpy as np
import pytest
from conftest import random_quaternions

import dem
from kernels.jit import most_threads

LOSSY = {
    "damped": {"restitution": 0.7},
    "friction": {"restitution": 0.9, "friction": 0.4},
}


def assert_same_bytes(one, two):
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.particles, name), getattr(two.particles, name), err_msg=name)
    assert one.energy() == two.energy()
    assert one.energy_error == two.energy_error
    for a, b in zip(sorted_memory(one), sorted_memory(two), strict=True):
        np.testing.assert_array_equal(a, b)


def sorted_memory(sim):
    """What contacts remember, in an order that does not depend on memory."""
    held = sim._engine.held()
    order = np.lexsort((held.j, held.i))
    return held.i[order], held.j[order], held.history[:, order]


def material(kind, **changes):
    return dem.Material(**{"young": 5e7, "poisson": 0.35, "density": 1100.0, **LOSSY[kind], **changes})


def crowd(name, kind, n=600, steps=1500, **options):
    """Particles in a heap under strong gravity: contacts that last, slide and stick."""
    rng = np.random.default_rng(4)
    own, other = material(kind), material(kind, young=2e7, poisson=0.2)
    edge = round(n ** (1 / 3) + 0.5)
    grid = np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)[:n]
    shapes, pitch = {
        "spheres": ([dem.Sphere(diameter=0.01)], 0.0104),
        "sizes": ([dem.Sphere(diameter=0.01), dem.Sphere(diameter=0.006)], 0.0104),
        "fibres": ([dem.Fibre(diameter=0.005, aspect_ratio=2, spheres=3)], 0.0104),
        "mixture": ([dem.Fibre(diameter=0.005, aspect_ratio=2), dem.Sphere(diameter=0.009)], 0.0104),
    }[name]
    groups = [
        dem.Particles(
            shape, own if k == 0 else other, position=(grid[k :: len(shapes)] + 0.5) * pitch,
            orientation=random_quaternions(rng, len(grid[k :: len(shapes)])),
            velocity=rng.normal(0, 0.3, (len(grid[k :: len(shapes)]), 3)),
            angular_velocity=rng.normal(0, 30, (len(grid[k :: len(shapes)]), 3)),
        )
        for k, shape in enumerate(shapes)
    ]  # fmt: skip
    box = dem.Box((0, 0, 0), (edge * pitch,) * 3, material=other)
    options = {"gravity": (0, 0, -300), "time_step": 1e-5, **options}
    sim = dem.Simulation(dem.Particles.concatenate(groups), box, **options)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["spheres", "sizes", "fibres", "mixture"])
def test_the_skin_does_not_show(name, kind):
    one = crowd(name, kind)
    other = crowd(name, kind, _skin=(0.0006, 0.0001))
    touching = sorted_memory(one)[0].size
    assert touching > 100 or kind == "damped"
    assert one.energy().dissipated > 0
    assert one.verdict().energy_error < 0.01
    assert_same_bytes(one, other)


@pytest.mark.skipif(most_threads() < 2, reason="one core")
@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["spheres", "sizes", "mixture"])
def test_the_number_of_threads_does_not_show(name, kind):
    one, two = (crowd(name, kind, n=5000, steps=300, threads=threads) for threads in (1, 2))
    assert type(one._engine.mode) is not type(two._engine.mode)
    assert_same_bytes(one, two)


@pytest.mark.parametrize("name", ["spheres", "mixture"])
def test_how_a_run_is_cut_does_not_show(name):
    whole = crowd(name, "friction", steps=900)
    cut = crowd(name, "friction", steps=1)
    for steps in (1, 7, 91, 800):
        cut.step(steps)
        cut.energy()
    assert_same_bytes(whole, cut)


def test_a_list_made_anew_at_any_step_does_not_show():
    whole = crowd("mixture", "friction", steps=600)
    often = crowd("mixture", "friction", steps=500)
    for _ in range(50):
        often.step(2)
        often._engine.rebuild()
    assert_same_bytes(whole, often)


def test_room_that_runs_out_loses_no_memory(monkeypatch):
    monkeypatch.setattr("dem.tables.ROOM", 1.0)
    tight = crowd("mixture", "friction")
    monkeypatch.undo()
    assert_same_bytes(tight, crowd("mixture", "friction"))
