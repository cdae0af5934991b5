"""Words of other programs, wrong units and sizes are answered by what is meant, by name."""

import re

import pytest

import dem
from dem.base import units
from dem.base.user_classes import SYNONYMS
from dem.casefile.preview import measure_progress, rows

GLASS = dem.Material(young=1e7, poisson=0.3, density=2500.0, name="glass")
BALL = dem.Sphere(diameter=0.004)
SMALL = dem.Box((0, 0, 0), (0.03, 0.03, 0.03), GLASS)
CALLS = {
    "Did you mean 'diameter', which is twice the radius": lambda: dem.Sphere(radius=0.1),
    "Did you mean 'radius', which is half the diameter": lambda: dem.Ball((0, 0, 0), diameter=1.0, material=GLASS),
    "which is length over diameter": lambda: dem.Fibre(diameter=0.1, length=1.0),
    "Did you mean 'sizes'": lambda: dem.pack_dense(BALL, GLASS, number=3, scale=(1, 2)),
    "Did you mean 'number'": lambda: dem.pack(BALL, GLASS, SMALL, n=3),
    "Did you mean 'young'": lambda: dem.Material(E=1e7, poisson=0.3),
    "Did you mean 'poisson'": lambda: dem.Material(young=1e7, nu=0.3),
    "Did you mean 'time_step'": lambda: dem.Simulation(None, dt=1e-6),
    r"give dem.Cells(..., every=10)": lambda: dem.Coupling(function=print, every=10),
    "Did you mean 'rate' in rad/s": lambda: dem.Motion(rpm=20),
    "Give its arguments by name: offsets=..., radii=...": lambda: dem.Clump([[0, 0, 0]], [1.0]),
    "Give its arguments by name: diameter=...": lambda: dem.Sphere(0.1),
}


@pytest.mark.parametrize("hint", CALLS)
def test_a_word_of_others_is_answered_by_ours(hint):
    with pytest.raises(TypeError, match=re.escape(hint)):
        CALLS[hint]()


def test_methods_are_named_by_the_class_of_their_object():
    """Messages named the base class `SimulationBase`, which users do not know."""
    sim = dem.Simulation(dem.Particles(BALL, GLASS, position=[[0.01, 0.01, 0.01]]), SMALL, time_step=1e-6)
    for wrong, message in (
        (
            {"steps": 10},
            r"Simulation.run\(\) got .* 'steps'. Did you mean 'duration' in seconds\? `step\(number\)` makes",
        ),
        ({"foo": 10}, r"Simulation.run\(\) got an unexpected keyword argument 'foo'$"),
        ({}, r"Simulation.run\(\) missing 1 required positional argument: 'duration'$"),
    ):
        with pytest.raises(TypeError, match=f"^{message}"):
            sim.run(**wrong)


def test_a_time_step_in_words_is_answered_by_the_word_that_there_is():
    with pytest.raises(TypeError, match=r'time_step is .fast., expected a number \[s\] or "auto"$'):
        dem.Simulation(dem.Particles(BALL, GLASS, position=[[0.01, 0.01, 0.01]]), SMALL, time_step="fast")


def test_an_unknown_name_where_none_is_known_ends_in_words():
    sim = dem.Simulation(dem.Particles(BALL, GLASS, position=[[0.01, 0.01, 0.01]]), SMALL, time_step=1e-6)
    with pytest.raises(ValueError, match=r"unknown wall 'gate': known are none$"):
        sim.remove_wall("gate")


def test_what_is_given_already_is_not_what_is_meant():
    """`shap` has been given by place: no name is near."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'shap'$"):
        dem.pack_dense(BALL, GLASS, shap=BALL)
    assert not {"every", "scale"} - SYNONYMS.keys()


@pytest.mark.parametrize(
    ("text", "value"), [("5 MPa", 5e6), ("2 newtons/m2", 2.0), ("3 kilopascals", 3e3), ("7 mPa", 7e-3)]
)
def test_units_in_the_plural_are_names_alone(text, value):
    """An s behind a symbol was taken for a plural, so that a viscosity passed for a modulus."""
    assert units.MODULUS.value(text) == value
    for wrong in ("5 mPas", "5 Pas", "5 mPa s"):
        with pytest.raises(ValueError, match="expected a modulus"):
            units.MODULUS.value(wrong)
    assert units.TIME.value("5 ms") == 5e-3
    assert units.TIME.value("2 minutes") == 120.0
    assert units.VISCOSITY.value("5 mPa s") == 5e-3


def test_a_particle_that_is_larger_than_its_region_is_said_to_be():
    with pytest.raises(ValueError, match=r"a sphere of diameter 4 m in a region that is 0.03 m wide: is a unit wrong"):
        dem.pack(dem.Sphere(diameter=4.0), GLASS, SMALL, number=1)
    round_it = dem.Box((0, 0, 0), (0.03, 0.03, 0.03), GLASS, periodic=["x", "y", "z"])
    assert len(dem.pack(dem.Sphere(diameter=0.03), GLASS, round_it, number=1)) == 1


def test_a_density_that_no_solid_has_is_named_where_contacts_are_soft():
    heavy = dem.Material(young=1e5, poisson=0.3, density=2.5e6)
    high = dem.Particles(BALL, heavy, position=[[0.01, 0.01, 0.02]])
    sim = dem.Simulation(high, SMALL, time_step=1e-6, threads=1)
    with pytest.raises(ValueError, match=r"soft-contacts: .*lower density, 2.5e\+06 kg/m3, .*more than any solid"):
        sim.run(1e-3)


def test_a_check_says_densities_and_which_may_be_the_default():
    water = dem.Material(young=1e5, poisson=0.3, name="beads")
    both = dem.Particles.concatenate(
        [dem.Particles(BALL, m, position=[[0.01, 0.01, z]]) for m, z in ((GLASS, 0.01), (water, 0.02))]
    )
    sim = dem.Simulation(both, SMALL, time_step=1e-6, threads=1)
    told = dict(rows(sim, measure_progress(sim, 1e-6), 1e-6))
    assert told["density"] == "glass 2500 kg/m3, beads 1000 kg/m3 (the default, if none was given)"


def test_the_names_that_dem_shows_are_public():
    assert [name for name in dir(dem) if not name.startswith("__")] == sorted(dem.__all__)
