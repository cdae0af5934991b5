"""Rolling and twisting resistance against closed forms: a sphere on a floor, and pairs."""

import math

import numpy as np
import pytest
from dem.kernels import laws

import dem
from dem.model.contact.contact_law import law
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall, stiffness

GLASS = dem.Material(young=7e7, poisson=0.22, density=2500)
BALL = ReferenceBall(0.005, GLASS)
G, MASS, RADIUS = 9.81, BALL.mass, BALL.radius
INERTIA = 0.4 * MASS * RADIUS**2
SAG = (MASS * G / stiffness(BALL, GLASS)) ** (2 / 3)
LEVER = RADIUS - SAG / 2
SHEAR = 6 * GLASS.effective_shear_modulus(GLASS) / GLASS.effective_modulus(GLASS)  # k_t over F/δ
MU, ROLLS, DT = 0.3, 0.05, 2e-5  # the normal oscillation lasts 120 steps
WHOLE = INERTIA + MASS * LEVER**2  # about the point of contact
ANGLE = SAG / (2.25 * ROLLS * RADIUS)  # at which a rolling spring gives way: μ_r R F_n/(2.25 μ_r² R² F_n/δ)


def contact(e=0.3, mu=MU, **parts):
    return dem.Contact(restitution=e, friction=mu, **parts)


def on_floor(contact, *, velocity=0.0, spin=(0.0, 0.0, 0.0), slope=0.0):
    """The ball at rest on the floor, tilted weight; or rolling along x."""
    sag = SAG * math.cos(slope) ** (2 / 3)
    turning = spin if velocity == 0 else (0, velocity / (RADIUS - sag / 2), 0)
    gravity = (G * math.sin(slope), 0, -G * math.cos(slope))
    return start(BALL, GLASS, contact, DT, velocity=(velocity, 0, 0), spin=turning, lift=-sag, gravity=gravity)


def speeds(sim, *times):
    """Velocity along x at some times, of a ball that goes on."""
    found = []
    for time in times:
        sim.step(round(time / DT) - sim.step_count)
        found.append(sim.particles.velocity[0, 0])
    return found


def test_numbers_of_the_sphere_on_the_floor():
    """Against digits worked out by other means (mpmath)."""
    assert MASS == pytest.approx(1.3089969389957472e-3, rel=1e-14, abs=0)
    assert SAG == pytest.approx(2.393574001903564e-6, rel=1e-12, abs=0)
    assert pytest.approx(1.3146067, rel=1e-7) == SHEAR
    assert ROLLS * RADIUS * MASS * G * LEVER / WHOLE == pytest.approx(0.3503930810531069, rel=1e-12)
    assert RADIUS * ANGLE == pytest.approx(2.1276213e-5, rel=1e-7, abs=0)


@pytest.mark.parametrize("model", ["spring", "constant"])
@pytest.mark.slow
def test_a_rolling_ball_slows_down_evenly_and_stops(model):
    """a = μ_r R m g l/(I + m l²), for both models; all of its energy is lost."""
    v, exact = 0.02, ROLLS * RADIUS * MASS * G * LEVER / WHOLE
    sim = on_floor(contact(rolling=dem.Rolling(friction=ROLLS, model=model, damping=1.0)), velocity=v)
    early, late = speeds(sim, 0.01, 0.04)
    assert (early - late) / 0.03 == pytest.approx(exact, rel=1e-4)
    (end,) = speeds(sim, 0.15)
    assert abs(end) < 1e-6
    assert sim.energy().dissipated == pytest.approx(0.5 * MASS * v**2 + 0.5 * INERTIA * (v / LEVER) ** 2, rel=1e-5)
    assert sim.energy_departure < 1e-5 * sim.energy().dissipated


@pytest.mark.slow
def test_a_rolling_spring_turns_the_ball_back():
    """Undamped it goes (I + m l²) v²/(2 l μ_r R m g) + l θ/2, while the spring still takes up the last; damped it comes

    back by l θ from where it turns, to rest."""
    v = 0.02
    way = WHOLE * v**2 / (2 * LEVER * ROLLS * RADIUS * MASS * G)
    sim = on_floor(contact(rolling=dem.Rolling(friction=ROLLS, damping=0)), velocity=v)
    x = []
    while sim.particles.velocity[0, 0] > 0:
        sim.step()
        x.append(sim.particles.position[0, 0])
    assert x[-1] - way == pytest.approx(LEVER * ANGLE / 2, rel=0.01)
    sim = on_floor(contact(rolling=dem.Rolling(friction=ROLLS, damping=0.5)), velocity=v)
    while sim.particles.velocity[0, 0] > 0:
        sim.step()
    turned = sim.particles.position[0, 0]
    sim.step(round(0.12 / DT))
    assert abs(sim.particles.velocity[0, 0]) < 1e-5
    assert turned - sim.particles.position[0, 0] == pytest.approx(LEVER * ANGLE, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.95, 1.05])
def test_rolling_resistance_holds_on_a_slope_up_to_its_angle(share):
    """tan θ = μ_r R/l."""
    slope = math.atan(share * ROLLS * RADIUS / LEVER)
    sim = on_floor(contact(rolling=dem.Rolling(friction=ROLLS, damping=1.0)), slope=slope)
    early, late = speeds(sim, 0.15, 0.2)
    if share < 1:
        assert abs(late) < 1e-6
    else:
        couple = MASS * G * (math.sin(slope) * LEVER - ROLLS * RADIUS * math.cos(slope))
        assert (late - early) / 0.05 == pytest.approx(couple * LEVER / WHOLE, rel=1e-2)


@pytest.mark.slow
def test_on_a_steep_slope_it_rolls_down_more_slowly():
    """5/7 g (sin θ - μ_r cos θ) with the lever in it."""
    slope = math.radians(10)
    lever = RADIUS - SAG * math.cos(slope) ** (2 / 3) / 2
    couple = MASS * G * (math.sin(slope) * lever - ROLLS * RADIUS * math.cos(slope))
    sim = on_floor(contact(rolling=dem.Rolling(friction=ROLLS)), slope=slope)
    early, late = speeds(sim, 0.02, 0.05)
    exact = couple * lever / (INERTIA + MASS * lever**2)
    assert exact == pytest.approx(0.8717431571857848, rel=1e-3)
    assert (late - early) / 0.03 == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("share", [0.9, 1.1])
@pytest.mark.few(1)
def test_friction_has_to_be_five_sevenths_of_rolling_friction(share):
    """With less the ball slides while it slows down."""
    sim = on_floor(contact(mu=share * 5 / 7 * ROLLS, rolling=dem.Rolling(friction=ROLLS)), velocity=0.1)
    sim.step(2000)
    slip = sim.particles.velocity[0, 0] - LEVER * sim.particles.angular_velocity[0, 1]
    assert (abs(slip) > 1e-3) == (share < 1)


@pytest.mark.slow
def test_rocking_has_the_period_of_its_spring():
    """Two modes of a ball on a spring of rotation, k_r about the contact, and one along the floor, k_t."""
    k_n = MASS * G / SAG
    k_r, k_t = 2.25 * ROLLS**2 * RADIUS**2 * k_n, SHEAR * k_n
    assert k_r == pytest.approx(7.544375824866318e-4, rel=1e-9, abs=0)
    # m x'' = -k_t (x - l φ), I φ'' = k_t l (x - l φ) - k_r φ
    matrix = np.array([[k_t / MASS, -k_t * LEVER / MASS], [-k_t * LEVER / INERTIA, (k_t * LEVER**2 + k_r) / INERTIA]])
    period = 2 * math.pi / math.sqrt(np.linalg.eigvals(matrix).min())
    assert period == pytest.approx(0.0490085, abs=1e-6)
    sim = on_floor(contact(e=1.0, rolling=dem.Rolling(friction=ROLLS, damping=0)), velocity=1e-4)
    crossings, before = [], 1.0
    for n in range(1, 4500):
        sim.step()
        now = sim.particles.position[0, 0]
        if before < 0 <= now:
            crossings.append((n - now / (now - before)) * DT)
        before = now if n > 100 else 1.0
    # fast swinging of the tangential spring on top, of a hundredth of the amplitude
    assert crossings[0] == pytest.approx(period, rel=3e-3)
    assert abs(sim.energy().dissipated) < 1e-5 * 0.5 * WHOLE * (1e-4 / LEVER) ** 2  # of second order


@pytest.mark.parametrize(("model", "share"), [("hertz", 3 * math.pi / 16), ("marshall", 2 / 3)])
@pytest.mark.few(1)
def test_a_twist_decays_evenly(model, share):
    """I dω/dt = -c μ a F_n, a² = R δ."""
    sim = on_floor(contact(twisting=dem.Twisting(model=model)), spin=(0, 0, 10.0))
    rates = []
    for steps in (500, 1000):
        sim.step(steps)
        rates.append(sim.particles.angular_velocity[0, 2])
    exact = share * MU * math.sqrt(RADIUS * SAG) * MASS * G / INERTIA
    assert 100 / exact == pytest.approx({"hertz": 5.272907604583, "marshall": 4.658998442398}[model], rel=1e-9)
    assert (rates[0] - rates[1]) / (1000 * DT) == pytest.approx(exact, rel=1e-6)
    assert np.abs(sim.particles.velocity).max() < 1e-12


@pytest.mark.parametrize(("parts", "stiffness"), [
    ({"twisting": dem.Twisting()}, lambda a, k_n: 8 / 3 * GLASS.young / (2 * 1.22) * a**3),
    ({"twisting": dem.Twisting(model="marshall")}, lambda a, k_n: 0.5 * SHEAR * k_n * a**2),
    ({"twisting": dem.Twisting(model="marshall"), "normal": dem.Linear(stiffness=2000.0)},
     lambda a, k_n: 0.5 * 2 / 7 * k_n * a**2),
], ids=["hertz", "marshall", "linear"])  # fmt: skip
def test_a_twisting_spring_has_the_stiffness_of_its_model(parts, stiffness):
    """And shrinks with it while the contact unloads, so that nothing is gained."""
    composed = law(dem.Contacts({(GLASS, GLASS): contact(e=1.0, **parts)}), [GLASS], None)
    k, radius, half = 4 / 3 * GLASS.effective_modulus(GLASS) * math.sqrt(0.0025), 0.0025, 5e-7
    history, seen = laws.initial_history(composed), []
    for overlap in (1e-5, 1e-5, 1e-5, 4e-6):
        touch = laws.ContactKinematics(
            k, MASS, overlap, (0.0, 0.0, 1.0), (0.0,) * 3, 0.0, (0.0, 0.0, 1e-3), radius, MASS, 1e-9
        )
        outcome, history = laws.contact(composed, 0, 0, touch, history, half, 1.0)
        seen.append((outcome.couple[2], outcome.spring_energy, outcome.force[2] / overlap))
    (_, _, k_n), (couple, spring_energy, k_small) = seen[2], seen[3]
    angle = seen[2][0] / -stiffness(math.sqrt(radius * 1e-5), k_n)
    assert angle == pytest.approx(2.5 * 2 * half * 1e-3, rel=1e-9, abs=0)  # half a step in the first, then two
    assert couple == pytest.approx(
        -(angle + 2 * half * 1e-3) * stiffness(math.sqrt(radius * 4e-6), k_small), rel=1e-9, abs=0
    )
    assert spring_energy == pytest.approx(-0.5 * couple * (angle + 2 * half * 1e-3), rel=1e-9, abs=0)


def pair(turn, *, spin=0.0, drift=0.0):
    """Couples on two balls pressed together along x, that turn about y and their own axis as told."""
    composed = contact(e=1.0, mu=0.5, rolling=dem.Rolling(friction=0.1), twisting=dem.Twisting())
    ball = ReferenceBall(RADIUS, GLASS)
    return start(ball, ball, composed, 1e-6, velocity=(drift, 0, 0), other_velocity=(-drift, 0, 0),
                spin=(0, turn[0], spin), other_spin=(0, turn[1], spin), lift=-1e-5)  # fmt: skip


def test_gears_are_resisted():
    """Equal balls that roll on each other: no slip, and each is braked by μ_r R/2 F_n."""
    sim = pair((10.0, -10.0))
    for _ in range(400):  # until rolling has used up its spring
        sim.step()
    before = sim.particles.angular_velocity.copy()
    sim.step()
    overlap = 2 * RADIUS - np.linalg.norm(sim.particles.position[0] - sim.particles.position[1])
    force = stiffness(BALL, BALL) * overlap**1.5
    sim.step()
    braking = (sim.particles.angular_velocity - before)[:, 1] / 2e-6
    most = 0.1 * RADIUS / 2 * force / INERTIA
    np.testing.assert_allclose(braking, [-most, most], rtol=1e-3)


@pytest.mark.slow
def test_a_pair_that_turns_as_a_whole_is_not_resisted():
    """Held together by adhesion, it goes round as a rigid body: friction, rolling and twisting take nothing."""
    work, turn = 5.0, 20.0
    parts = {"rolling": dem.Rolling(friction=0.1), "twisting": dem.Twisting(), "adhesion": dem.DMT(work=work)}
    pull = 2 * math.pi * work * RADIUS / 2 - MASS * turn**2 * RADIUS
    sag = (pull / stiffness(BALL, BALL)) ** (2 / 3)
    half = RADIUS - sag / 2
    sim = start(BALL, BALL, contact(e=1.0, **parts), 2e-6, velocity=(turn * half, 0, 0),
                other_velocity=(-turn * half, 0, 0), spin=(0, turn, 0), other_spin=(0, turn, 0), lift=-sag)  # fmt: skip
    momentum = sim.momentum()[1]
    kinetic = sim.energy().kinetic
    sim.step(4000)  # a sixth of a turn
    assert sim.energy().dissipated == pytest.approx(0, abs=1e-9 * kinetic)
    np.testing.assert_allclose(sim.particles.angular_velocity, [[0, turn, 0]] * 2, rtol=0, atol=1e-4 * turn)
    np.testing.assert_allclose(sim.momentum()[1], momentum, rtol=0, atol=1e-12 * np.abs(momentum).max())
