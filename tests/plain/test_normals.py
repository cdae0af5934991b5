"""Normal forces and their damping against closed forms, and second order in the time step."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels import laws
from scipy.integrate import solve_ivp
from single_impact import BALL, GLASS, PHASES, impact, order, rms

import dem
from dem.model.contact.contact_law import law
from dem.model.contact.restitution import ratio
from dem.validation.contacts.reference_solution import ReferenceBall, stiffness

M, K, V = 1.3e-6, 1000.0, 0.5  # of the digits below: mpmath
POINT = ReferenceBall(
    BALL.radius, dem.Material(young=7e7, poisson=0.22, density=M / (4 / 3 * math.pi * BALL.radius**3))
)
COUNTS = (25, 50, 100)


def linear(**options):
    options = {"stiffness": K, **options}
    return dem.Linear(**{name: value for name, value in options.items() if value is not None})


@pytest.mark.parametrize(("e", "tension", "zeta", "time"), [
    (0.5, True, 0.215453761966247, 1.15996011309e-4), (0.5, False, 0.255275637648652, 9.79011441896e-5),
    *(pytest.param(*row, marks=pytest.mark.slow) for row in [
        (0.9, True, 0.0335184491056764, 1.13335417285e-4), (0.9, False, 0.0342652041262328, 1.10865454125e-4),
        (0.1, True, 0.591155033798898, 1.40438432293e-4), (0.1, False, 1.24318785101378, 6.67806447122e-5),
    ]),
])  # fmt: skip
@pytest.mark.few(1)
def test_linear_contacts_have_restitution_and_duration_of_their_closed_forms(e, tension, zeta, time):
    """For both conventions of the end; errors fall by four when the step is halved."""
    assert ratio(e, tension=tension) == pytest.approx(zeta, rel=1e-12)
    contact, errors = dem.Contact(restitution=e, normal=linear(tension=tension)), []
    for n in COUNTS:
        paths = [impact(contact, speed=V, dt=time / n, steps=int(1.6 * n), phase=p, ball=POINT) for p in PHASES]
        ends = [path.parted() if tension else path.slack() for path in paths]
        errors.append((rms([path.restitution() - e for path in paths]), rms([end / time - 1 for end in ends])))
    of_e, of_time = zip(*errors, strict=True)
    assert of_e[-1] < 3e-4
    assert of_time[-1] < 3e-3
    assert order(COUNTS, of_e) > 1.7
    assert order(COUNTS, of_time) > 1.7


@pytest.mark.parametrize("pair", [False, True])
def test_impacts_from_touch_itself_are_as_exact_as_from_just_before(pair):
    """The first sample of a force is then a whole step after it set in, but for rounding, which falls either way.

    Taken for a later one it makes errors of 7e-3, of first order. A millionth of a step makes 1e-8 of restitution."""
    for dt in (2.4e-6, 2.7e-6, 3e-6, 3.3e-6, 3.6e-6, 4e-6):
        touching, before = (
            impact(dem.Contact(restitution=0.5), speed=V, dt=dt, steps=40, phase=phase, pair=pair).restitution()
            for phase in (0.0, 1e-6)
        )
        assert touching == pytest.approx(before, abs=1e-7)


@pytest.mark.slow
def test_the_last_step_of_a_contact_in_tension_is_known_for_it():
    """Strong damping changes the velocity within it: by that before it, errors would be 3e-4, and of first order."""
    contact, time = dem.Contact(restitution=0.1, normal=linear(tension=True)), 1.40438432293e-4
    paths = [impact(contact, speed=V, dt=time / 200, steps=220, phase=p, ball=POINT) for p in np.arange(0.025, 1, 0.05)]
    assert rms([path.restitution() - 0.1 for path in paths]) < 1e-4


def test_the_deepest_of_a_linear_contact():
    """(v/ω₀) exp(-ζ acos ζ/√(1 - ζ²)), and restitution, at ζ = 0.2."""
    contact = dem.Contact(restitution=0.571740027584777, normal=linear())
    path = impact(contact, speed=V, dt=2.5e-7, steps=450, ball=POINT)
    assert path.deepest() == pytest.approx(1.36314162494237e-5, rel=1e-5)


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("tension", [False, True])
@pytest.mark.few(1)
def test_a_linear_contact_of_given_time_takes_that_time(tension, pair):
    """Whatever the masses, damping included."""
    for radius in (0.0005, 0.002):
        contact = dem.Contact(restitution=0.7, normal=linear(stiffness=None, collision_time=1e-4, tension=tension))
        path = impact(contact, speed=V, dt=5e-7, steps=250, ball=ReferenceBall(radius, GLASS), pair=pair)
        assert (path.parted() if tension else path.slack()) == pytest.approx(1e-4, rel=1e-3)
        assert path.restitution() == pytest.approx(0.7, abs=1e-4)


@pytest.mark.parametrize("pair", [False, True])
def test_a_linear_contact_likened_to_hertz_is_as_deep_at_that_speed(pair):
    """(15 m* v²/(16 E* √R*))^(2/5) at the speed it is likened for, with any m* and R*, and in proportion at others."""
    word, ball = dem.Linear(speed=0.3), ReferenceBall(0.001, GLASS)
    reduced, radius = (ball.mass / 2, 0.0005) if pair else (ball.mass, 0.001)
    modulus = GLASS.effective_modulus(GLASS)
    stiffness = (
        16 / 15 * math.sqrt(radius) * modulus * (15 * reduced * 0.3**2 / (16 * math.sqrt(radius) * modulus)) ** 0.2
    )
    time = math.pi * math.sqrt(reduced / stiffness)
    for speed in (0.3, 0.6):
        path = impact(dem.Contact(normal=word), speed=speed, dt=time / 200, steps=220, ball=ball, pair=pair)
        hertz = (15 * reduced * 0.3**2 / (16 * modulus * math.sqrt(radius))) ** 0.4
        assert path.deepest() == pytest.approx(hertz * speed / 0.3, rel=2e-4)
        assert path.sim.energy_departure < 1e-3 * reduced * speed**2
    pressed = path.sim._engine.springs.between(*np.zeros((2, 1), int), np.array([radius]), np.array([reduced]))
    assert pressed.stiffness[0] == pytest.approx(stiffness, rel=1e-12)


def test_a_linear_contact_of_given_overlap_is_as_deep_at_that_speed():
    contact = dem.Contact(normal=linear(stiffness=None, overlap=1e-5, speed=2.0))
    for speed in (2.0, 0.5):
        path = impact(contact, speed=speed, dt=1e-7, steps=180)
        assert path.deepest() == pytest.approx(1e-5 * speed / 2, rel=1e-5)


def test_a_slip_is_exactly_reversed_by_springs_of_two_sevenths():
    """k_t = 2/7 k makes both oscillations equally fast; the arm, less half the overlap, is 1e-6 of the radius."""
    contact = dem.Contact(friction=1.0, normal=linear(stiffness=1e9))
    duration = math.pi * math.sqrt(BALL.mass / 1e9)
    errors = []
    for n in COUNTS:
        sims = [
            impact(contact, speed=V, sideways=0.6, dt=duration / n, steps=int(1.2 * n), phase=p).sim for p in PHASES
        ]
        slips = [s.particles.velocity[0, 0] - BALL.radius * s.particles.angular_velocity[0, 1] for s in sims]
        errors.append(rms([slip / 0.6 + 1 for slip in slips]))
    assert errors[-1] < 2e-4
    assert order(COUNTS, errors) > 1.7


# Hysteretic springs

SPRING = {"loading": K, "unloading": 1600.0}


def hysteretic(**options):
    return dem.Contact(normal=dem.Hysteretic(**{**SPRING, **options}))


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize(("cohesion", "e"), [(0.0, 0.790569415042095), (400.0, 0.761577310586391)])
@pytest.mark.slow
def test_hysteretic_restitution_and_losses_are_those_of_the_closed_form(cohesion, e, pair):
    """At any speed; what the account has lost is 1 - e² of the energy, and its total departs at second order."""
    contact, mass = hysteretic(cohesion=cohesion), M / 2 if pair else M
    assert contact.normal.restitution() == pytest.approx(e, rel=1e-12)
    duration = math.pi / 2 * (math.sqrt(mass / K) + math.sqrt(mass / 1600))
    for speed in (V, 0.01):
        errors = []
        for n in COUNTS:
            paths = [impact(contact, speed=speed, dt=duration / n, steps=2 * n, phase=p, pair=pair, ball=POINT)
                     for p in PHASES]  # fmt: skip
            energy = 0.5 * mass * speed**2
            found = ([p.restitution() - e for p in paths], [p.lost / energy - (1 - e**2) for p in paths],
                     [p.departure / energy for p in paths])  # fmt: skip
            errors.append([rms(each) for each in found])
        assert errors[-1] == pytest.approx([0, 0, 0], abs=1e-3)
        for each in zip(*errors, strict=True):
            assert order(COUNTS, each) > 1.6


def test_hysteretic_depth_pull_and_duration():
    n, duration = 400, 1.01410451237e-4
    path = impact(hysteretic(), speed=V, dt=duration / n, steps=int(1.2 * n), ball=POINT)
    assert path.slack() == pytest.approx(duration, rel=1e-4)
    path = impact(hysteretic(cohesion=400.0), speed=V, dt=duration / n, steps=2 * n, ball=POINT)
    assert path.deepest() == pytest.approx(1.80277563773e-5, rel=1e-5)
    assert path.force.min() == pytest.approx(-2.16333076528e-3, rel=0.01)  # within a step of the kink
    assert path.overlap[1:-1][path.force.argmin()] == pytest.approx(5.4083269132e-6, rel=0.02)


@pytest.mark.slow
def test_contacts_that_pull_enough_stick_for_ever():
    """If k_c ≥ k_1²/(k_2 - 2 k_1), which is k_1 here."""
    for cohesion, sticks in ((1001.0, True), (999.0, False)):
        contact = hysteretic(unloading=3000.0, cohesion=cohesion)
        assert contact.normal.sticks() == sticks
        path = impact(contact, speed=V, dt=2.5e-7, steps=2400, ball=POINT)
        assert (path.overlap[-1] > 0) == sticks


@pytest.mark.parametrize("cohesion", [0.0, 300.0])
@pytest.mark.parametrize("share", [0.5, 2.0])
@pytest.mark.few(1)
def test_a_depth_makes_shallow_contacts_softer_and_deep_ones_elastic(share, cohesion):
    """Up to δ_p, restitution of springs k_1 and k_2(δ_max); beyond, nothing more is lost than at δ_p."""
    k_p, phi, radius = 1600.0, 0.02, POINT.radius
    depth = k_p / (k_p - K) * phi * 2 * radius
    speed = share * depth * math.sqrt(K / M)
    k_2 = K + (k_p - K) * min(share, 1)
    deepest = min(share, 1) * depth
    least = (k_2 - K) / (k_2 + cohesion) * deepest
    lost = 0.5 * K * (1 - K / k_2) * deepest**2 + 0.5 * cohesion * (1 + cohesion / k_2) * least**2
    e = math.sqrt(1 - lost / (0.5 * M * speed**2))
    duration = math.pi * math.sqrt(M / K)
    path = impact(hysteretic(cohesion=cohesion, depth=phi), speed=speed, dt=duration / 800, steps=1100, ball=POINT)
    assert path.restitution() == pytest.approx(e, abs=1e-4)
    assert path.lost == pytest.approx(lost, rel=1e-3)


def follow(word, path, radius=0.0005):
    """Forces, energies and losses of a contact that is moved along a path of overlaps."""
    material = dem.Material(young=7e7, poisson=0.22, normal=word)
    composed = law(dem.Contacts(), [material], None)
    history, found = laws.initial_history(composed), []
    for overlap in path:
        touch = laws.ContactKinematics(
            1e6, 1e-6, overlap, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.0, (0.0,) * 3, radius, 1e-6, 1e-12
        )
        outcome, history = laws.contact(composed, 0, 0, touch, history, 1e-7, 1.0)
        found.append((outcome.force[2], outcome.elastic, outcome.instantaneous_dissipation))
    return np.array(found).T


@pytest.mark.parametrize("options", [{}, {"cohesion": 400.0}, {"cohesion": 900.0, "depth": 0.01}], ids=str)
@pytest.mark.few(1)
def test_hysteretic_forces_do_the_work_that_the_account_says(options):
    """Over a path that loads, unloads and loads again: ∫F dδ is what is held more, and lost; no loss is negative."""
    turns = np.array([0, 10, 3, 12, 8, 9, 2, 7, 1, 20, 0.5, 5, 0.001]) * 1e-6
    path = np.concatenate([np.linspace(a, b, 4000, endpoint=False) for a, b in itertools.pairwise(turns)])[1:]
    force, held, lost = follow(dem.Hysteretic(**{**SPRING, **options}), path)
    work = np.concatenate([[0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(path))])
    assert (lost >= -1e-22).all()
    np.testing.assert_allclose(held - held[0] + lost.cumsum() - lost[0], work, rtol=0, atol=1e-6 * held.max())
    limit = -options.get("cohesion", 0.0) * path
    assert (force >= limit - 1e-12).all()
    assert (force == limit).any()


def test_without_cohesion_a_plastic_contact_stays_flat():
    """Once loaded to m it bears nothing below m (1 - k_1/k_2), however often; with cohesion it forms anew there."""
    path = np.array([8, 2, 2.9, 3.1]) * 1e-6
    force, _, _ = follow(dem.Hysteretic(**SPRING), path)
    np.testing.assert_allclose(force, [8e-3, 0, 0, 1600 * 0.1e-6], atol=1e-12)
    force, _, _ = follow(dem.Hysteretic(**SPRING, cohesion=400.0), path)
    np.testing.assert_allclose(force, [8e-3, -8e-4, -8e-4 + 1600 * 0.9e-6, -8e-4 + 1600 * 1.1e-6], atol=1e-12)


def test_forces_wanted_once_more_are_the_same_and_lose_nothing():
    """As after a save: what is remembered is the last step's."""
    for cohesion in (0.0, 400.0):
        path = np.array([8, 3, 2.5, 2.5]) * 1e-6
        force, held, lost = follow(dem.Hysteretic(**SPRING, cohesion=cohesion), path)
        assert (force[-1], held[-1], lost[-1]) == pytest.approx((force[-2], held[-2], 0.0), abs=1e-20)


# Edinburgh elasto-plastic adhesive contacts

STICKY = {"plasticity": 0.6, "surface_energy": 0.5}
EEPA_LAWS = (
    STICKY, {"plasticity": 0.6}, {**STICKY, "surface_energy": 500.0}, {**STICKY, "adhesive_exponent": 3.0},
    {**STICKY, "exponent": 1.0, "adhesive_exponent": 1.0, "stiffness": 1000.0},
)  # fmt: skip


def branches(word, most):
    """k_1, k_2, plastic overlap, largest pull and the overlap at which it acts, of a contact pressed to `most`."""
    k_1 = word.stiffness or 1e6  # of `follow`
    k_2, plastic = k_1 / (1 - word.plasticity), word.plasticity ** (1 / word.exponent) * most
    pull = min(
        1.5 * math.pi * word.surface_energy * math.sqrt(2 * BALL.radius * plastic), 0.5 * k_2 * plastic**word.exponent
    )
    return k_1, k_2, plastic, pull, (plastic**word.exponent - pull / k_2) ** (1 / word.exponent)


@pytest.mark.parametrize("options", EEPA_LAWS, ids=str)
def test_branches_of_a_cohesive_powder_and_their_losses_are_those_of_the_closed_form(options):
    """Pressed to 10 um, parted to the largest pull and on to touching: forces, and the area of the cycle."""
    word = dem.EEPA(**options)
    n, chi = word.exponent, word.adhesive_exponent
    for most in (4e-6, 1e-5):
        k_1, k_2, plastic, pull, weakest = branches(word, most)
        path = np.array([most / 2, most, (most + weakest) / 2, weakest, weakest / 2, 0.0])
        force, held, lost = follow(word, path)
        limit = -pull * (path / weakest) ** chi
        line = k_2 * (path**n - plastic**n)
        np.testing.assert_allclose(force, [*k_1 * path[:2] ** n, *line[2:4], *limit[4:]], atol=1e-13 * k_1 * most**n)
        area = k_1 * most ** (n + 1) / (n + 1)  # of loading, less the work of what follows
        area -= k_2 * ((most ** (n + 1) - weakest ** (n + 1)) / (n + 1) - plastic**n * (most - weakest))
        area += pull * weakest / (chi + 1)
        assert lost.sum() == pytest.approx(area, rel=1e-11)
        assert held[-1] == 0.0
        assert word.pull_off(BALL.radius, most, 0.75e6 / math.sqrt(BALL.radius)) == pytest.approx(pull, rel=1e-12)


@pytest.mark.parametrize("options", EEPA_LAWS, ids=str)
def test_forces_of_a_cohesive_powder_do_the_work_that_the_account_says(options):
    """Over a path that loads, unloads and loads again: no force jumps, ∫F dδ is what is held more, and lost.

    The integral by trapezia of 400 steps a branch is within 2e-4, a hundred times less with ten times the steps."""
    turns = np.array([0, 10, 3, 12, 8, 9, 2, 7, 1, 20, 0.5, 5, 0.001]) * 1e-6
    path = np.concatenate([np.linspace(a, b, 400, endpoint=False) for a, b in itertools.pairwise(turns)])[1:]
    word = dem.EEPA(**options)
    force, held, lost = follow(word, path)
    work = np.concatenate([[0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(path))])
    assert (lost >= -1e-12 * held.max()).all()
    np.testing.assert_allclose(held - held[0] + lost.cumsum() - lost[0], work, rtol=0, atol=2e-4 * held.max())
    # the steepest that a branch can be
    slope = word.exponent * branches(word, path.max())[1] * path.max() ** (word.exponent - 1)
    assert np.abs(np.diff(force)).max() <= 1.1 * slope * np.abs(np.diff(path)).max()


def test_a_dry_plastic_impact_has_the_restitution_of_its_closed_form():
    """The same at any speed, second order in the step; the energy lost is in the account."""
    word = dem.EEPA(plasticity=0.5)
    errors = []
    for n in COUNTS:
        paths = [
            impact(dem.Contact(normal=word), speed=V, dt=1.2e-4 / n, steps=3 * n, phase=p, ball=POINT) for p in PHASES
        ]
        errors.append(rms([path.restitution() - word.restitution() for path in paths]))
    assert errors[-1] < 1e-3
    assert order(COUNTS, errors) > 1.7
    lost = paths[-1].sim.energy().dissipated / (0.5 * M * V * V)
    assert lost == pytest.approx(1 - word.restitution() ** 2, abs=2e-3)


# Damping

HERTZ = stiffness(BALL, GLASS)


def rebound(elastic, eta, speed, mass=BALL.mass):
    """Restitution of m δ'' = -F(δ) - η(δ) δ', up to where the sum vanishes (Runge-Kutta of order 8)."""

    def rates(_, y):
        depth = max(y[0], 0.0)
        return [y[1], -(elastic(depth) + eta(depth) * y[1]) / mass]

    def ends(t, y):
        return elastic(max(y[0], 0.0)) + eta(max(y[0], 0.0)) * y[1] if y[1] < 0 else 1.0

    ends.terminal = True
    done = solve_ivp(rates, (0, 1), [0, speed], "DOP853", events=ends, rtol=1e-11, atol=1e-18, max_step=1e-6)
    return -done.y[1, -1] / speed


@pytest.mark.slow
@pytest.mark.parametrize("time", [1e-6, 6e-6])
def test_viscoelastic_restitution_is_that_of_its_equation(time):
    """Less the faster; second order."""
    contact, found = dem.Contact(damping=dem.Viscoelastic(time=time)), []
    for speed in (0.02, 0.5):
        exact = rebound(lambda d: HERTZ * d**1.5, lambda d: 1.5 * time * HERTZ * math.sqrt(d), speed)
        duration = 2.94 * (1.25 * BALL.mass * speed**2 / HERTZ) ** 0.4 / speed
        errors = [
            rms([impact(contact, speed=speed, dt=duration / n, steps=2 * n, phase=p).restitution() - exact
                 for p in PHASES]) for n in COUNTS
        ]  # fmt: skip
        assert errors[-1] < 5e-4
        assert order(COUNTS, errors) > 1.7
        found.append(exact)
    assert found[1] < found[0]


@pytest.mark.slow
def test_viscoelastic_restitution_begins_with_its_series():
    """1 - C x + 3/5 C² x² and terms of x^(5/2), x = 3/2 A κ^(2/5) v^(1/5)."""
    c = math.sqrt(math.pi) * math.gamma(0.6) / (2**0.2 * 5**0.4 * math.gamma(2.1))
    assert c == pytest.approx(1.15344, abs=1e-5)
    for x in (0.01, 0.04):
        time = x / 1.5 / ((HERTZ / BALL.mass) ** 0.4 * V**0.2)
        duration = 2.94 * (1.25 * BALL.mass * V**2 / HERTZ) ** 0.4 / V
        path = impact(dem.Contact(damping=dem.Viscoelastic(time=time)), speed=V, dt=duration / 400, steps=600)
        assert path.restitution() == pytest.approx(1 - c * x + 0.6 * c**2 * x**2, abs=x**2.5)
        assert path.restitution() != pytest.approx(1 - c * x, abs=x**2.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "normal", [linear(tension=True), None, linear(), dem.PowerLaw(stiffness=1e8, exponent=2)], ids=str
)
def test_a_dashpot_of_constant_coefficient(normal):
    """Against the equation, or a linear oscillator's closed form; second order, though it sets in with a jump."""
    eta = 0.2 * 2 * math.sqrt(K * BALL.mass)
    contact = dem.Contact(normal=normal, damping=dem.Dashpot(coefficient=eta))
    force = {"power": lambda d: 1e8 * d**2, "linear": lambda d: K * d}.get(
        normal and normal.type, lambda d: HERTZ * d**1.5
    )
    if normal and normal.type == "linear" and normal.tension:
        exact = math.exp(-math.pi * 0.2 / math.sqrt(1 - 0.04))
    else:
        exact = rebound(force, lambda d: eta, V)
    errors = [
        rms([impact(contact, speed=V, dt=1.2e-4 / n, steps=4 * n, phase=p).restitution() - exact for p in PHASES])
        for n in COUNTS
    ]
    assert errors[-1] < 2e-3
    assert order(COUNTS, errors) > 1.6


# Power law


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.few(1)
def test_a_power_law_has_duration_and_depth_of_its_closed_form(exponent):
    """δ_max = ((n + 1) m v²/(2 k))^(1/(n+1)), T = 2 √π Γ(1 + 1/(n+1))/Γ(1/2 + 1/(n+1)) δ_max/v."""
    k = 0.5 * (exponent + 1) * BALL.mass * V**2 / 1e-5 ** (exponent + 1)
    share = 1 / (exponent + 1)
    duration = 2 * math.sqrt(math.pi) * math.gamma(1 + share) / math.gamma(0.5 + share) * 1e-5 / V
    contact = dem.Contact(normal=dem.PowerLaw(stiffness=k, exponent=exponent))
    path = impact(contact, speed=V, dt=duration / 400, steps=440)
    assert path.deepest() == pytest.approx(1e-5, rel=2e-5)
    assert path.parted() == pytest.approx(duration, rel=1e-4)
    assert path.departure < 1e-4 * 0.5 * BALL.mass * V**2


@pytest.mark.parametrize("exponent", [1.0, 2.5, 1.5])
@pytest.mark.slow
def test_a_power_law_has_the_restitution_wanted(exponent):
    """At any speed, of second order."""
    contact = dem.Contact(restitution=0.6, normal=dem.PowerLaw(stiffness=100.0 ** (2 * exponent), exponent=exponent))
    for speed in (0.01, 1.0):
        k, share = contact.normal.stiffness, 1 / (exponent + 1)
        depth = (0.5 * (exponent + 1) * BALL.mass * speed**2 / k) ** share
        errors = [
            rms([impact(contact, speed=speed, dt=3 * depth / speed / n, steps=2 * n, phase=p).restitution() - 0.6
                 for p in PHASES]) for n in COUNTS
        ]  # fmt: skip
        assert errors[-1] < 5e-4
        assert order(COUNTS, errors) > 1.7


def test_a_power_law_of_three_halves_is_hertz():
    found = [
        impact(dem.Contact(restitution=0.7, normal=normal), speed=V, dt=2e-6, steps=100)
        for normal in (None, dem.PowerLaw(stiffness=HERTZ, exponent=1.5))
    ]
    np.testing.assert_allclose(found[1].velocity, found[0].velocity, rtol=0, atol=5e-4 * V)  # onset's polynomials


@pytest.mark.parametrize("e", [0.3, 0.8])
def test_a_ball_that_meets_the_middle_of_a_fibre_has_the_restitution_wanted(e):
    """Of both masses together, as two balls have it: the fibre does not turn. At 200 steps a contact to 0.1 %."""
    nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=e)
    ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0.0100001]], velocity=[[0, 0, -1.0]])
    fibre = dem.Particles(dem.Fibre(diameter=0.01, aspect_ratio=2, spheres=3), nylon, position=[[0, 0, 0]])
    sim = dem.Simulation(dem.Particles.concatenate([ball, fibre]), gravity=(0, 0, 0), time_step=2e-6, threads=1)
    sim.step(400)
    parting = sim.particles.velocity[:, 2] @ (1, -1)
    assert sim.energy().elastic == 0
    assert parting == pytest.approx(e, abs=0.001)
    assert not sim.particles.angular_velocity.any()
