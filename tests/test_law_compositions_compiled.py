"""History of law components does not depend on lists, threads, parts of runs or restarts; see also tests/plain."""

import itertools

import pytest
from dem.kernels.compiler.jit import most_threads
from test_contact_history import assert_same_bytes, crowd, sorted_memory

import dem

SPRING = dem.Hysteretic(loading=2e4, unloading=3e4, cohesion=5e3)
COMBINATIONS = {
    "linear": {
        "restitution": 0.8, "friction": 0.4, "normal": dem.Linear(stiffness=2e4, tension=True),
        "rolling": dem.Rolling(friction=0.1), "twisting": dem.Twisting(),
    },
    "hysteretic": {
        "friction": 0.4, "normal": SPRING, "damping": dem.Dashpot(coefficient=0.2), "adhesion": dem.DMT(work=0.1),
        "rolling": dem.Rolling(friction=0.1, model="constant"),
    },
    "power": {
        "restitution": 0.8, "friction": 0.4, "normal": dem.PowerLaw(stiffness=2e9, exponent=2),
        "rolling": dem.Rolling(friction=0.1), "twisting": dem.Twisting(model="marshall"),
    },
    "viscoelastic": {"friction": 0.4, "damping": dem.Viscoelastic(time=2e-5), "rolling": dem.Rolling(friction=0.1)},
}  # fmt: skip
FEW = (("spheres", "linear"),)  # each combination has to be compiled
SOME = [
    pytest.param(*both, marks=pytest.mark.long if both in FEW else pytest.mark.slow)
    for both in itertools.product(("spheres", "sizes", "mixture"), COMBINATIONS)
]


@pytest.mark.parametrize(("shapes", "name"), SOME)
def test_neither_skin_nor_cuts_nor_lists_show(shapes, name):
    """In a heap whose contacts last, slide, roll and stick."""
    parts = COMBINATIONS[name]
    one = crowd(shapes, parts, n=200, steps=900)
    assert sorted_memory(one)[0].size > 40
    assert one.energy().dissipated > 0
    assert one.verdict().energy_error < 0.01
    assert_same_bytes(one, crowd(shapes, parts, n=200, steps=900, _skin=(0.0006, 0.0001)))
    cut = crowd(shapes, parts, n=200, steps=1)
    for steps in (1, 7, 91, 700):
        cut.step(steps)
        cut.energy()
    for _ in range(10):
        cut.step(10)
        cut._engine.rebuild()
    assert_same_bytes(one, cut)


@pytest.mark.parametrize(("shapes", "name"), SOME)
def test_saved_and_loaded_goes_on_to_the_last_bit(shapes, name, tmp_path):
    whole = crowd(shapes, COMBINATIONS[name], n=200, steps=900)
    part = crowd(shapes, COMBINATIONS[name], n=200, steps=600)
    part.save(tmp_path / "state.h5")
    loaded = dem.Simulation.load(tmp_path / "state.h5")
    loaded.step(300)
    assert_same_bytes(whole, loaded)


@pytest.mark.slow
@pytest.mark.skipif(most_threads() < 2, reason="one core")
@pytest.mark.parametrize("name", COMBINATIONS)
def test_the_number_of_threads_does_not_show(name):
    one, two = (crowd("mixture", COMBINATIONS[name], n=5000, steps=300, threads=threads) for threads in (1, 2))
    assert type(one._engine.mode) is not type(two._engine.mode)
    assert_same_bytes(one, two)
