"""Any combination of law components: exact energy ledger, conserved momenta, no energy gain."""

import itertools
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from dem.kernels import laws
from hypothesis import given, settings
from single_impact import GLASS, order, rms

import dem
from dem.model.contact.contact_law import law
from dem.model.contact.law_registry import OWN_PARTS
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall

LARGE, SMALL = ReferenceBall(0.0005, GLASS), ReferenceBall(0.0003, GLASS)
LASTS = 1e-4  # about as long as contacts [s]
SAMPLES = {
    "normal": [
        None, dem.Linear(stiffness=1000.0), dem.Linear(collision_time=8e-5, tension=True),
        dem.Hysteretic(loading=1000.0, unloading=1600.0), dem.PowerLaw(stiffness=3e8, exponent=2.0),
        dem.Hysteretic(loading=1000.0, unloading=1500.0, cohesion=300.0, depth=0.02), dem.Hertz(),
        dem.EEPA(plasticity=0.5, surface_energy=0.2),
    ],
    "damping": [None, dem.Viscoelastic(time=3e-6), dem.Dashpot(coefficient=0.01)],
    "tangential": [None],
    "rolling": [None, dem.Rolling(friction=0.1), dem.Rolling(friction=0.1, model="constant")],
    "twisting": [None, dem.Twisting(), dem.Twisting(model="marshall")],
    "adhesion": [None, dem.DMT(work=0.05), dem.JKR(work=0.05), dem.Bridge(volume=1e-12, tension=0.07)],
}  # fmt: skip


def test_every_part_there_is_has_a_sample():
    for slot, parts in OWN_PARTS.items():
        assert {type(sample) for sample in SAMPLES[slot]} - {type(None)} == set(parts)


@st.composite
def contacts(draw):
    """Any parts that fit each other."""
    parts = {slot: draw(st.sampled_from(samples), label=slot) for slot, samples in SAMPLES.items()}
    friction, restitution = draw(st.sampled_from([0.0, 0.3])), draw(st.sampled_from([1.0, 0.6]))
    if friction == 0:
        parts |= {"rolling": None, "twisting": None}
    if isinstance(parts["adhesion"], dem.JKR) and not isinstance(parts["normal"], dem.Hertz | None):
        parts["adhesion"] = None
    if isinstance(parts["damping"], dem.Viscoelastic) and not isinstance(parts["normal"], dem.Hertz | None):
        parts["damping"] = None
    if parts["damping"] or isinstance(parts["normal"], dem.Hysteretic | dem.EEPA):
        restitution = 1.0
    return dem.Contact(restitution=restitution, friction=friction, **parts)


def meet(contact, n, *, pair, lift=0.01):
    """An oblique impact of bodies that spin about all axes, n steps a contact; before it, by a share of a contact."""
    dt = LASTS / n
    ours = {"velocity": (0.3, 0.1, -0.4), "spin": (300.0, 800.0, -600.0), "lift": lift * 0.4 * LASTS}
    theirs = {"other_velocity": (0.0, 0.1, 0.0), "other_spin": (-200.0, 500.0, 700.0)} if pair else {}
    return start(LARGE, SMALL if pair else GLASS, contact, dt, **ours, **theirs)


def energy_of_impact(*, pair):
    mass = LARGE.mass * SMALL.mass / (LARGE.mass + SMALL.mass) if pair else LARGE.mass
    return 0.5 * mass * 0.4**2


@pytest.mark.parametrize("count", [5, 60])
@pytest.mark.slow
def test_account_and_momenta_are_kept_by_any_combination(count):
    """Momenta to rounding at any time; the account's departures are of second order."""
    draw = given(contact=contacts(), pair=st.booleans())
    settings(max_examples=count, deadline=None, derandomize=True, database=None)(draw(keeps_account_and_momenta))()


def keeps_account_and_momenta(contact, pair):
    impact, found = energy_of_impact(pair=pair), []
    for n in (40, 160):
        sim = meet(contact, n, pair=pair)
        before, momenta = sim.energy(), sim.momentum()
        for steps in (n // 3, n // 3, 2 * n):
            sim.step(steps)
            if pair:
                sizes = [LARGE.mass * 0.5, LARGE.mass * 0.5 * LARGE.radius]
                for was, now, size in zip(momenta, sim.momentum(), sizes, strict=True):
                    np.testing.assert_allclose(now, was, rtol=0, atol=1e-11 * size)
        found.append(sim.energy_departure / impact)
        assert sim.energy().dissipated > -0.5 / n**2 * impact
        assert sim.energy().mechanical < before.mechanical + 5 / n**2 * impact
    assert found[0] < 0.05
    lives_on = isinstance(contact.adhesion, dem.JKR | dem.Bridge)  # whose ends are jumps of force within a step
    assert found[1] < max((0.5 if lives_on else 0.2) * found[0], 1e-5)  # of second order 1/16, of first 1/4


SMOOTH = [
    dem.Contact(restitution=0.6, friction=0.3, rolling=dem.Rolling(friction=0.1), twisting=dem.Twisting()),
    dem.Contact(friction=0.3, damping=dem.Viscoelastic(time=3e-6), rolling=dem.Rolling(friction=0.1, model="constant")),
    dem.Contact(restitution=0.6, friction=0.3, normal=SAMPLES["normal"][2], twisting=dem.Twisting(model="marshall")),
    dem.Contact(restitution=0.6, friction=0.3, normal=SAMPLES["normal"][4], rolling=dem.Rolling(friction=0.1)),
    dem.Contact(friction=0.3, normal=dem.Linear(stiffness=1000.0), damping=dem.Dashpot(coefficient=0.01),
                adhesion=dem.DMT(work=0.05)),
    dem.Contact(friction=0.3, normal=SAMPLES["normal"][5], twisting=dem.Twisting()),
]  # fmt: skip


SELDOM = (1, 2, 3, 4, 5)  # run with the long tests


@pytest.mark.parametrize(
    "contact", [pytest.param(one, marks=[pytest.mark.slow] * (n in SELDOM), id=str(n)) for n, one in enumerate(SMOOTH)]
)
@pytest.mark.few(1)
@pytest.mark.long
def test_outcomes_of_combinations_are_of_second_order(contact):
    """Velocities and spins of the surfaces after an impact of two: what halving the step changes, each time less.

    Root mean squares over starts at different places within a step."""
    counts, found = (30, 60, 120, 240), {}
    for n in counts:
        for lift in (0.0523, 0.0771, 0.0934, 0.1187):
            sim = meet(contact, n, pair=True, lift=lift)
            sim.step(2 * n)
            p = sim.particles
            found.setdefault(n, []).append(np.concatenate([p.velocity, LARGE.radius * p.angular_velocity]))
    changes = [rms(np.subtract(found[n], found[2 * n])) / 0.5 for n in counts[:-1]]
    assert changes[-1] < 2e-3
    assert order(counts[:-1], changes) > 1.7


def every_composition():
    """Contacts of every form of every part, one by one and with all others there are, that go together."""
    for normal, damping, adhesion in itertools.product(*(SAMPLES[slot] for slot in ("normal", "damping", "adhesion"))):
        try:
            more = {"rolling": SAMPLES["rolling"][1], "twisting": SAMPLES["twisting"][1], "friction": 0.3}
            yield dem.Contact(normal=normal, damping=damping, adhesion=adhesion, **more)
        except ValueError:
            continue  # refused, see `tests/test_refusals.py`


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("contact", list(every_composition()), ids=str)
def test_contacts_that_do_not_approach_are_numbers(contact):
    """At the first step and later, at rest, sliding, or approaching by the least there is; also where nothing overlaps.

    A law may divide by no speed, overlap or memory that can be zero; numpy's numbers warn, which compiled ones do not.
    """
    contacts = dem.Contacts({(GLASS, GLASS): contact})
    composed, none = law(contacts, [GLASS], None), np.zeros(3)
    least = 0.0 if not laws.has_range(composed) else -1e-9
    for overlap, along, across, spin in itertools.product(
        (least, 0.0, 1e-300, 1e-12, 1e-6), (0.0, -0.0, 1e-300, -1e-300, -1e-9), (0.0, 0.1), (0.0, 10.0)
    ):
        velocity, turning = np.array([across, 0.0, along]), np.array([spin, 0.0, spin])
        numbers = map(np.float64, (2e6, 1e-3, overlap, spin, 0.01, 1e-3, 1e-7))
        k, mass, overlap_, twist, radius, reduced, rolling = numbers
        touch = laws.ContactKinematics(k, mass, overlap_, (0.0, 0.0, 1.0), tuple(velocity), twist, tuple(turning),
        radius, reduced,
                           rolling)  # fmt: skip
        history = laws.initial_history(composed)
        for _ in range(2):
            outcome, history = laws.contact(composed, 0, 0, touch, history, 5e-7, 1.0)
            said = np.concatenate([*(np.ravel(each) for each in (*outcome, *history)), none])
            assert np.isfinite(said).all(), (overlap, along, across, spin, outcome, history)


ALIGNED_APART = (laws.Hertz, laws.Linear, laws.Hysteretic)  # whose `contact_area_measure` needs the overlap at most


@pytest.mark.parametrize("normal", SAMPLES["normal"], ids=str)
def test_a_spring_that_is_aligned_beforehand_gives_the_same_contact(normal):
    """Batches align springs in a loop of their own, single contacts within the law: to the bit the same."""
    composed = law(dem.Contacts({(GLASS, GLASS): dem.Contact(normal=normal, friction=0.3)}), [GLASS], None)
    assert bool(laws.can_align_spring(composed)) == isinstance(composed.normal, ALIGNED_APART)
    if not laws.can_align_spring(composed):
        return
    k, mass, radius, rolling = map(np.float64, (2e6, 1e-3, 0.01, 1e-7))
    history = laws.initial_history(composed)
    for overlap, tilt, time_sign in ((2e-6, 0.0, 1.0), (3e-6, 0.01, 1.0), (1e-6, 0.02, 1.0), (1e-6, 0.02, -1.0)):
        normal_vector = (math.sin(tilt), 0.0, math.cos(tilt))
        touch = laws.ContactKinematics(k, mass, np.float64(overlap), normal_vector, (0.01, 0.02, -0.03), 5.0,
                                       (1.0, 2.0, 5.0), radius, mass, rolling)  # fmt: skip
        whole = laws.contact(composed, 0, 0, touch, history, 5e-7, time_sign)
        aligned = laws.align_spring(composed, touch, history, 5e-7, time_sign)
        apart = laws.contact(composed, 0, 0, touch._replace(spring_aligned=True), aligned, 5e-7, time_sign)
        assert repr(whole) == repr(apart)
        history = whole[1]
    assert any(history[1])
