"""Law components: refusals, mixing rules of two materials, and form in files."""

import math

import pytest
from pydantic import ValidationError

import dem
from dem.casefile.schema.case_tables import ContactTable, MaterialTable
from dem.casefile.schema.key_types import meaning, table_in
from dem.model.contact.contact_law import law
from dem.model.contact.law_component import keys
from dem.model.contact.law_registry import OWN_PARTS, plain
from dem.soft.checks import rolling_shapes

SPRING = dem.Hysteretic(loading=1000.0, unloading=1600.0, cohesion=400.0, depth=0.05)
CONTACTS = [
    dem.Contact(),
    dem.Contact(restitution=0.5, friction=0.3, normal=dem.Hertz(), rolling=dem.Rolling(friction=0.1)),
    dem.Contact(restitution=0.5, normal=dem.Linear(collision_time=1e-4, tension=True)),
    dem.Contact(normal=dem.Linear(overlap=1e-5, speed=2, tangential=0.5), damping=dem.Dashpot(coefficient=0.02)),
    dem.Contact(damping=dem.Viscoelastic(time=1e-6), adhesion=dem.DMT(work=0.1)),
    dem.Contact(friction=0.2, normal=SPRING, twisting=dem.Twisting(model="marshall")),
    dem.Contact(
        restitution=0.4, friction=0.2, normal=dem.PowerLaw(stiffness=1e8, exponent=2),
        rolling=dem.Rolling(friction=0.1, model="constant", stiffness=0.3, damping=0.1),
    ),
]  # fmt: skip


@pytest.mark.parametrize("contact", CONTACTS, ids=str)
def test_a_contact_is_again_what_files_tell_of_it(contact):
    """In trajectories and checkpoints as plain values; in case files as tables; and as Python says it."""
    assert dem.Contact(**plain(contact)) == contact
    rows = plain(contact)
    assert ContactTable.model_validate({"materials": ["a", "b"], **rows}).build() == contact
    assert MaterialTable.model_validate({"young": 1e7, "poisson": 0.3, **rows}).build("a") == dem.Material(
        young=1e7, poisson=0.3, density=1000, name="a", **rows
    )
    assert eval(repr(contact), {name: getattr(dem, name) for name in dem.__all__}) == contact


def test_keys_of_case_files_are_those_of_the_parts():
    """With their units, which strings may name; a key of several kinds is told and limited as they agree."""
    for slot, parts in ((slot, parts) for slot, parts in OWN_PARTS.items() if parts):
        table = table_in(MaterialTable.model_fields[slot].annotation)
        assert {"type", *(name for part in parts for name in keys(part))} == set(table.model_fields)
        for name, key in (pair for part in parts for pair in keys(part).items()):
            assert key.about in table.model_fields[name].description
    bridge = {"type": "bridge", "volume": 1e-13, "tension": 0.07, "angle": "30 deg"}
    rows = {"materials": ["a", "b"], "adhesion": bridge, "normal": {"type": "linear", "collision_time": "20 us"}}
    made = ContactTable.model_validate(rows).build()
    assert made.adhesion.angle == pytest.approx(math.pi / 6, rel=1e-15)
    assert made.normal.collision_time == 2e-5
    normal = table_in(MaterialTable.model_fields["normal"].annotation)
    assert meaning(normal.model_fields["stiffness"]) == (
        "linear: k [N/m]; eepa: k_1, if not that of Hertz [N/m^n]; power: k [N/m^n] (above 0)"
    )


@pytest.mark.parametrize(("wrong", "told"), [
    ({"rolling": dem.Rolling(friction=0.1)}, r"rolling is Rolling\(friction=0.1.* only with friction: give fric"),
    ({"twisting": dem.Twisting()}, "twisting is .* only with friction: give friction"),
    ({"restitution": 0.9, "damping": dem.Dashpot(coefficient=1)},
     r"restitution is 0.9, but follows from damping, which is Dashpot\(coefficient=1.0\): leave one out"),
    ({"restitution": 0.9, "normal": SPRING}, r"restitution is 0.9, but follows from normal, which is Hysteretic\(.*"),
    ({"normal": SPRING, "damping": dem.Viscoelastic(time=1e-6)},
     r"damping is Viscoelastic\(time=1e-06\), which is of dem.Hertz\(\), but normal is Hyst.*: take dem.Dashpot"),
])  # fmt: skip
def test_parts_that_lack_what_they_need_or_say_it_twice_are_refused(wrong, told):
    """In contacts, for materials, for what follows from two of them, and in case files."""
    with pytest.raises(ValueError, match=told):
        dem.Contact(**wrong)
    with pytest.raises(ValueError, match=told):
        dem.Material(young=1e7, poisson=0.3, **wrong)
    rows = {name: value.arguments() if hasattr(value, "arguments") else value for name, value in wrong.items()}
    with pytest.raises(ValidationError, match=told):
        ContactTable.model_validate({"materials": ["a", "b"], **rows})


@pytest.mark.parametrize(("word", "options", "told"), [
    (dem.Hysteretic, {"loading": 1000.0, "unloading": 900.0}, "unloading is 900 N/m, expected .* at least 1000"),
    (dem.Hysteretic, {"loading": 0, "unloading": 900.0}, "loading is 0 N/m, expected .* above 0"),
    (dem.Hysteretic, {"loading": 1.0, "unloading": 1.0, "depth": 0.1}, "depth is 0.1, which needs unloading"),
    (dem.Hysteretic, {"loading": 1.0, "unloading": 1.0, "cohesion": -1}, "cohesion is -1 N/m, expected .* at least 0"),
    (dem.PowerLaw, {"stiffness": 1.0, "exponent": 0.9}, "exponent is 0.9, expected .* at least 1"),
    (dem.Viscoelastic, {"time": -1e-6}, "time is -1e-06 s, expected .* at least 0"),
    (dem.Dashpot, {"coefficient": float("inf")}, "coefficient is inf N s/m, expected a finite number"),
    (dem.Linear, {}, "dem.Linear has no stiffness, expected stiffness, or collision_time, or overlap and speed"),
    (dem.Linear, {"stiffness": 1, "speed": 1}, "dem.Linear has stiffness and speed, expected"),
    (dem.Rolling, {"friction": 0.1, "model": "viscous"}, "unknown model 'viscous': known are spring, constant"),
])  # fmt: skip
def test_numbers_out_of_range_are_refused(word, options, told):
    with pytest.raises(ValueError, match=told):
        word(**options)


def test_the_restitution_of_a_hysteretic_spring_with_a_depth_is_not_told():
    with pytest.raises(ValueError, match="depends on speed"):
        SPRING.restitution()


def test_the_pull_off_of_hertzian_plastic_contacts_needs_a_modulus():
    """With k_1 = 4/3 E* √R* the pull is 3/2 π Δγ √(2 R* δ_p), δ_p = δ/2^(2/3) for λ = 1/2; without E* it is unknown."""
    powder = dem.EEPA(plasticity=0.5, surface_energy=0.2)
    pull = 1.5 * math.pi * 0.2 * math.sqrt(2e-3 * 1e-5 * 0.5 ** (2 / 3))
    assert powder.pull_off(1e-3, 1e-5, 1e8) == pytest.approx(pull, rel=1e-14)  # 1.5e8 N/m^1.5: not the other limit
    with pytest.raises(ValueError, match=r"modulus is 0 Pa, expected E\* of the two bodies"):
        powder.pull_off(1e-3, 1e-5)
    assert dem.EEPA(surface_energy=0.2, stiffness=1e9).pull_off(1e-3, 1e-5) > 0


def made(**parts):
    return dem.Material(young=1e7, poisson=0.3, **{"friction": 0.2, **parts})


def test_parts_of_two_materials_have_means_where_that_makes_sense():
    contacts = dem.Contacts()
    soft, hard = (made(normal=dem.Linear(stiffness=k), rolling=dem.Rolling(friction=0.1)) for k in (100.0, 400.0))
    assert contacts.between(soft, hard).normal == dem.Linear(stiffness=200.0)
    plain_one = made(normal=dem.Linear(stiffness=1.0))
    assert contacts.between(soft, plain_one).rolling is None
    for other, told in (
        (made(), r"normal is Linear\(.* of one of .* only: give them an entry in contacts"),
        (made(normal=SPRING), r"nothing follows from Linear\(.*\) and Hysteretic\(.*: give the two materials an entry"),
        (made(normal=dem.Linear(stiffness=1.0, tension=True)), "differ in tension: give the two materials an entry"),
    ):
        with pytest.raises(ValueError, match=told):
            contacts.between(soft, other)
    two = (made(normal=dem.PowerLaw(stiffness=1.0, exponent=n)) for n in (1.5, 2.0))
    with pytest.raises(ValueError, match="differ in exponent: give the two materials an entry in contacts"):
        contacts.between(*two)
    smooth, rolls = made(friction=0.0), made(rolling=dem.Rolling(friction=0.1))
    assert contacts.between(smooth, rolls).rolling is None


def test_one_form_of_each_part_is_possible_in_a_run():
    one, other = made(normal=dem.Linear(stiffness=1.0)), made()
    contacts = dem.Contacts({(one, other): dem.Contact(normal=dem.Linear(stiffness=2.0))})
    with pytest.raises(ValueError, match=r"have the same normal law, got .* Hertz\(\) of material 1 and material 1"):
        law(contacts, [one, other], None)
    one, other = made(damping=dem.Dashpot(coefficient=1.0)), made(damping=dem.Viscoelastic(time=1e-6))
    contacts = dem.Contacts({(one, other): dem.Contact()})
    with pytest.raises(ValueError, match=r"all pairs of a run have the same damping law, got Dashpot"):
        law(contacts, [one, other], None)


def test_a_restitution_beside_another_form_of_damping_is_refused():
    """It would have no effect: the table of the other form has no damping for that pair."""
    one, other = made(name="sand", restitution=0.5), made(name="gel", damping=dem.Viscoelastic(time=1e-6))
    viscous = dem.Contact(damping=dem.Viscoelastic(time=1e-6))
    with pytest.raises(
        ValueError, match=r"sand and sand have restitution 0\.5, and other pairs of this run Viscoelastic"
    ):
        law(dem.Contacts({(one, other): viscous}), [one, other], None)
    undamped = dem.Contact(restitution=1.0)
    law(dem.Contacts({(one, other): viscous, (one, one): undamped}), [one, other], None)


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        (dem.Sphere(diameter=0.01), []),
        (dem.Ellipsoid(semi_axes=(0.005, 0.005, 0.005)), []),
        (dem.Ellipsoid(semi_axes=(0.005, 0.005, 0.004)), ["rolling-shape"]),
        (dem.Fibre(diameter=0.005, aspect_ratio=3, spheres=3), ["rolling-shape"]),
    ],
    ids=["sphere", "round", "flat", "fibre"],
)
def test_rolling_resistance_of_shapes_that_resist_by_themselves_is_warned_of(shape, names):
    """Spheres roll; for fibres it is named which pair of materials asks for it."""
    rolls, wall = (made(rolling=dem.Rolling(friction=0.1)), made())
    particles = dem.Particles(shape, rolls, position=[[0.5, 0.5, 0.5]])
    contacts = dem.Contacts({(rolls, wall): dem.Contact(friction=0.3, rolling=dem.Rolling(friction=0.2))})
    told = list(rolling_shapes(particles, dem.Box((0, 0, 0), (1, 1, 1), wall), contacts))
    assert [notice.name for notice in told] == names
    table = {(rolls, rolls): dem.Contact(), (rolls, wall): dem.Contact(friction=0.3, rolling=dem.Rolling(friction=0.2))}
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=wall)  # of a wall beside the box alone, too
    assert len(list(rolling_shapes(particles, None, dem.Contacts(table), [floor]))) == len(told)
    assert not list(rolling_shapes(particles, None, dem.Contacts({(rolls, rolls): dem.Contact()})))
