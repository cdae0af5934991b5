"""The reference solution of impacts against closed forms, conservation laws and the rules of a time step."""

import math

import numpy as np
import pytest
from impact_oracle import (
    Ball,
    damping,
    effective,
    elastic_duration,
    elastic_overlap,
    impact,
    restitution,
    sliding_impulse,
)
from scipy.spatial.transform import Rotation

BALL, OTHER, WALL = Ball(0.01), Ball(0.016, 2000.0, 5e6, 0.45), Ball(math.inf, young=3e7, poisson=0.2)
AT_REST = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("alpha", [1e-9, 0.1, 1.0, 1.58, 2.0, 2.2360, 2.2361, 2.24, 3.0, 20.0])
def test_restitution_is_that_of_the_published_branches(alpha):
    """Schwager & Pöschel (2007): Ω > β, Ω < β, and overdamped."""
    beta, square = alpha / 2, 5 / 4 - alpha**2 / 4
    omega = math.sqrt(abs(square))
    if square < 0:
        expected = math.exp(-beta / omega * math.log((beta + omega) / (beta - omega)))
    else:
        angle = math.atan(2 * beta * omega / (omega**2 - beta**2))
        expected = math.exp(-beta / omega * (math.pi - angle if omega > beta else -angle))
    assert restitution(alpha) == pytest.approx(expected, rel=1e-11)
    assert damping(expected) == pytest.approx(alpha, rel=1e-9, abs=1e-12)


def test_restitution_is_smooth_at_critical_damping():
    assert restitution(math.sqrt(5)) == pytest.approx(math.exp(-2), rel=1e-14)
    assert damping(1) == 0


@pytest.mark.parametrize("e", [1.0, 0.999, 0.9, 0.7, 0.5, 0.2, math.exp(-2), 0.1, 0.05])
@pytest.mark.parametrize(("two", "speed"), [(WALL, 1.0), (WALL, 0.01), (OTHER, 3.0)])
def test_the_damping_gives_the_restitution(e, two, speed):
    after = impact(BALL, two, velocity=[(0, 0, -speed), AT_REST], e=e)
    assert after.velocity[0, 2] - after.velocity[1, 2] == pytest.approx(e * speed, rel=1e-9)
    mass = effective(BALL, two)[1]
    assert after.dissipated == pytest.approx(mass * speed**2 * (1 - e**2) / 2, abs=1e-9 * mass * speed**2)


@pytest.mark.parametrize(("two", "speed"), [(WALL, 1.0), (OTHER, 0.02)])
def test_elastic_impact_has_the_overlap_and_duration_of_hertz(two, speed):
    after = impact(BALL, two, velocity=[(0, 0, -speed), AT_REST])
    assert after.overlap == pytest.approx(elastic_overlap(BALL, two, speed), rel=1e-10)
    assert after.duration == pytest.approx(elastic_duration(BALL, two, speed), rel=1e-10)
    assert after.separation == pytest.approx(after.duration, rel=1e-6)
    radius, mass, young, _ = effective(BALL, two)
    assert after.duration == pytest.approx(2.868 * (mass**2 / (radius * young**2 * speed)) ** 0.2, rel=1e-4)


@pytest.mark.parametrize("e", [1.0, 0.8, 0.3])
def test_sliding_impulse_and_energy_at_a_wall(e):
    """The impulse acts at the end of the lever R - d/2, between R - largest overlap/2 and R."""
    after = impact(BALL, WALL, velocity=[(3.0, 4.0, -1.0), AT_REST], e=e, friction=0.2)
    impulse = sliding_impulse(BALL, WALL, 1.0, e, 0.2)
    assert after.pieces == ["slip", "slip"]
    np.testing.assert_allclose(BALL.mass * ([3, 4] - after.velocity[0, :2]), [0.6 * impulse, 0.8 * impulse], rtol=1e-9)
    lever = BALL.inertia * after.spin[0] / impulse
    assert lever[2] == 0
    assert BALL.radius - after.overlap / 2 < np.linalg.norm(lever) < BALL.radius
    np.testing.assert_allclose(lever / np.linalg.norm(lever), [-0.8, 0.6, 0], atol=1e-12)
    # work of friction: impulse times mean slip velocity, with the lever R up to the overlap
    slip = (5 + np.linalg.norm(after.velocity[0, :2]) - BALL.radius * np.linalg.norm(after.spin[0])) / 2
    normal = BALL.mass * (1 - e**2) / 2
    assert after.dissipated - normal == pytest.approx(impulse * slip, rel=after.overlap / BALL.radius)


def march(ball, two, speed, slip, e, friction, steps):
    """Planar impact at a wall by the rules of a time step, first order; returns v_x and ω_y afterwards."""
    radius, mass, young, shear = effective(ball, two)
    k_n, eta_n = 4 / 3 * young * math.sqrt(radius), damping(e)
    dt = elastic_duration(ball, two, speed) / steps
    d = f = k_before = spin = 0.0
    rate, v = speed, slip
    while True:
        d += dt / 2 * rate
        eta = eta_n * math.sqrt(mass * k_n) * max(d, 0) ** 0.25
        push = k_n * max(d, 0) ** 1.5 + eta * rate
        if push <= 0:
            return v, spin
        k, lever = 8 * shear * math.sqrt(radius * d), ball.radius - d / 2
        contact = v - lever * spin
        f = f * min(1.0, k / k_before if k_before else 1.0) - k * contact * dt
        k_before = k
        force = f - eta * math.sqrt(4 * shear / young) * contact
        if abs(force) > friction * push:
            force = f = math.copysign(friction * push, force)
        v += force / mass * dt
        spin -= lever * force / ball.inertia * dt
        rate -= push / mass * dt
        d += dt / 2 * rate


@pytest.mark.parametrize("e", [1.0, 0.9, 0.5, 0.1])
@pytest.mark.parametrize("friction", [0.1, 0.5])
@pytest.mark.parametrize("slip", [0.1, 0.3, 1.0, 3.0])
def test_stick_and_slip_follow_the_rules_of_a_time_step(e, friction, slip):
    """The error of 16000 steps, up to 5e-5 of the slip velocity; a quarter of it with four times as many."""
    after = impact(BALL, WALL, velocity=[(slip, 0, -1.0), AT_REST], e=e, friction=friction)
    v, spin = march(BALL, WALL, 1.0, slip, e, friction, 16_000)
    assert after.velocity[0, 0] == pytest.approx(v, abs=1e-4 * slip)
    assert after.spin[0, 1] == pytest.approx(spin, abs=2.5e-4 * slip / BALL.radius)
    assert after.dissipated >= 0


def momentum(velocity, spin, arm):
    """Angular momentum about the centre of mass."""
    spins = BALL.inertia * spin[0] + OTHER.inertia * spin[1]
    return effective(BALL, OTHER)[1] * np.cross(arm, velocity[0] - velocity[1]) + spins


@pytest.mark.parametrize(("e", "friction"), [(1.0, 0.6), (0.9, 0.2), (0.6, 0.6), (0.3, 0.05)])
def test_momenta_are_conserved_and_directions_do_not_matter(e, friction):
    rng = np.random.default_rng(8)
    velocity, spin, normal = rng.normal(0, 0.4, (2, 3)), rng.normal(0, 50, (2, 3)), np.array([0.0, 0.0, 1.0])
    velocity[:, 2] = -1.0, 0.4
    after = impact(BALL, OTHER, velocity=velocity, spin=spin, e=e, friction=friction)
    mass = np.array([BALL.mass, OTHER.mass])
    np.testing.assert_allclose(mass @ after.velocity, mass @ velocity, rtol=1e-12)
    gone = (after.velocity[0] - after.velocity[1]) @ after.normal
    distance = BALL.radius + OTHER.radius - (after.separation - after.duration) * gone
    before = momentum(velocity, spin, (BALL.radius + OTHER.radius) * normal)
    np.testing.assert_allclose(momentum(after.velocity, after.spin, distance * after.normal), before, rtol=1e-11)
    assert after.dissipated > 0

    turn = Rotation.random(random_state=4)
    turned = impact(BALL, OTHER, velocity=turn.apply(velocity), spin=turn.apply(spin), normal=turn.apply(normal), e=e,
                    friction=friction)  # fmt: skip
    np.testing.assert_allclose(turned.velocity, turn.apply(after.velocity), rtol=0, atol=1e-8)
    np.testing.assert_allclose(turned.spin, turn.apply(after.spin), rtol=0, atol=1e-6)
    swapped = impact(OTHER, BALL, velocity=velocity[::-1], spin=spin[::-1], normal=-normal, e=e, friction=friction)
    np.testing.assert_allclose(swapped.velocity[::-1], after.velocity, rtol=0, atol=1e-8)
    np.testing.assert_allclose(swapped.spin[::-1], after.spin, rtol=0, atol=1e-6)


def test_a_wall_is_a_very_large_sphere():
    large = Ball(1e4, young=WALL.young, poisson=WALL.poisson)
    conditions = {
        "velocity": [(0.4, 0.1, -1.0), AT_REST],
        "spin": [(5.0, 20.0, 3.0), AT_REST],
        "e": 0.8,
        "friction": 0.3,
    }
    wall, sphere = impact(BALL, WALL, **conditions), impact(BALL, large, **conditions)
    np.testing.assert_allclose(sphere.velocity[0], wall.velocity[0], rtol=1e-5)  # R*, and normals that turn by d/R
    np.testing.assert_allclose(sphere.spin[0], wall.spin[0], rtol=1e-5)


def test_bodies_that_do_not_meet_are_refused():
    with pytest.raises(ValueError, match="move apart"):
        impact(BALL, WALL, velocity=[(1, 0, 1), AT_REST])
    with pytest.raises(ValueError, match="walls do not move"):
        impact(BALL, WALL, velocity=[(1, 0, -1), (0, 0, 1)])
