"""Quaternion algebra against scipy's rotations and the multiplication table."""

import math

import numpy as np
import pytest
from dem.kernels.numerics import quaternion as kq
from sample_runs import random_quaternions
from scipy.spatial.transform import Rotation

ONE, I, J, K = np.eye(4)
ROUNDING = 1e-14  # a few tens of roundings of numbers of order one to ten


def test_multiplication_table():
    table = {("i", "j"): K, ("j", "k"): I, ("k", "i"): J, ("j", "i"): -K, ("i", "i"): -ONE, ("j", "j"): -ONE,
             ("k", "k"): -ONE}  # fmt: skip
    unit = {"i": I, "j": J, "k": K}
    for (a, b), expected in table.items():
        assert kq.product(tuple(unit[a]), tuple(unit[b])) == tuple(expected)


def test_product_is_composition_of_rotations(rng):
    for p, q in zip(random_quaternions(rng, 50), random_quaternions(rng, 50), strict=True):
        both = Rotation.from_quat(p, scalar_first=True) * Rotation.from_quat(q, scalar_first=True)
        ours = np.array(kq.product(tuple(p), tuple(q)))
        theirs = both.as_quat(scalar_first=True)
        assert min(np.abs(ours - theirs).max(), np.abs(ours + theirs).max()) < ROUNDING


def test_rotate_agrees_with_scipy_and_rotate_back_undoes_it(rng):
    for q in random_quaternions(rng, 50):
        u = rng.normal(size=3)
        turned = kq.rotate(tuple(q), tuple(u))
        np.testing.assert_allclose(turned, Rotation.from_quat(q, scalar_first=True).apply(u), rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(kq.rotate_back(tuple(q), turned), u, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(kq.rotate(tuple(-q), tuple(u)), turned, rtol=0, atol=ROUNDING)


def test_body_x_is_the_rotated_x_axis(rng):
    for q in random_quaternions(rng, 20):
        np.testing.assert_allclose(kq.body_x(tuple(q)), kq.rotate(tuple(q), (1.0, 0.0, 0.0)), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-12, 1e-4, 0.1, 0.999999, 1.0, 1.0000001, 2.0, 3.0, 50.0])
def test_exponential_is_exact_on_both_sides_of_the_series_limit(angle):
    axis = np.array([2.0, -3.0, 6.0]) / 7
    u = tuple(angle * axis)
    expected = [math.cos(angle), *(math.sin(angle) * axis)]
    # the angle is known to one rounding; sin and cos then differ by a few units in the last place
    np.testing.assert_allclose(kq.exponential(u), expected, rtol=0, atol=4e-16 * max(1, angle))
    if angle <= 1:
        np.testing.assert_allclose(kq.exponential_series(u), expected, rtol=4e-16, atol=4e-16)


def test_exponential_keeps_unit_length(rng):
    for u in rng.normal(0, 1, (100, 3)):
        assert abs(kq.norm_squared(kq.exponential(tuple(u))) - 1) < 2e-15


def test_renormalise_removes_a_small_norm_error_to_second_order():
    q = tuple(1.0001 * np.array([0.5, -0.5, 0.5, 0.5]))
    # one Newton step from 1 + e leaves 3/2 e²
    assert abs(math.sqrt(kq.norm_squared(kq.renormalise(q))) - 1) == pytest.approx(1.5e-8, rel=1e-3)


def test_a_torque_is_the_rate_of_change_of_the_angular_momentum(rng):
    """Euler's equation against R I ω a little earlier and later, R by scipy; central differences leave h² = 1e-8."""
    h, inertia = 1e-4, np.array([1.0, 1.7, 2.3])
    for q in random_quaternions(rng, 20):
        omega, torque = rng.normal(size=(2, 3))
        rate = np.array(kq.angular_acceleration(tuple(omega), tuple(torque), tuple(inertia)))
        now = Rotation.from_quat(q, scalar_first=True)
        before, after = ((now * Rotation.from_rotvec(t * omega)).apply(inertia * (omega + t * rate)) for t in (-h, h))
        np.testing.assert_allclose(
            (after - before) / (2 * h), now.apply(torque), rtol=0, atol=1e-6
        )  # third derivatives of 100
