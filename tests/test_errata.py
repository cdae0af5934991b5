"""Misprints and mistakes in the sources: the printed formula fails, and that of the engine holds.

Z: Zhao & van Wachem, Acta Mech. 224 (2013) 3091. S: Seelen, Padding & Kuipers, Acta Mech. 227 (2016) 3565. RK: a common
online description of the algorithm of Rozmanov & Kusalik (2010). M: a note with PCDM for one torque at the half step.
L: lecture notes on particles in flows. WRONG is far above rounding, RIGHT far below any misprint.
"""

import itertools
import math

import numpy as np
import oracle
import pytest
from dem.kernels.numerics import quaternion as kq
from dem.kernels.rotation.direct_multiplication import multiply_by_factor
from dem.kernels.rotation.problems import SPRING, Problem, torque
from sample_runs import random_quaternions
from scipy.spatial.transform import Rotation

import dem

RIGHT, WRONG = 1e-13, 1e-3
ASYMMETRIC = (1.0, 1.7, 2.3)


def times(p, q):
    return np.array(kq.product(tuple(p), tuple(q)))


@pytest.fixture
def p(rng):
    return random_quaternions(rng, 1)[0] * 1.5  # not of unit length


@pytest.fixture
def q(rng):
    return random_quaternions(rng, 1)[0]


@pytest.fixture
def omega(rng):
    return rng.normal(size=3)


def test_z12_inverse(p):
    """Z (12): q^-1 is q* over the square of the norm."""
    star = np.array(kq.conjugate(tuple(p)))
    assert np.abs(times(p, star / np.linalg.norm(p)) - [1, 0, 0, 0]).max() > WRONG
    assert np.abs(times(p, star / (p @ p)) - [1, 0, 0, 0]).max() < RIGHT


def test_z15_product_as_a_matrix(p, q):
    """Z (15): as printed the matrix is that of q p."""

    def matrix(sign):
        a, b, c, d = p
        s = sign
        return np.array([[a, -b, -c, -d], [b, a, -s * d, s * c], [c, s * d, a, -s * b], [d, -s * c, s * b, a]])

    np.testing.assert_allclose(matrix(-1) @ q, times(q, p), rtol=0, atol=RIGHT)
    assert np.abs(matrix(-1) @ q - times(p, q)).max() > WRONG
    np.testing.assert_allclose(matrix(1) @ q, times(p, q), rtol=0, atol=RIGHT)


def test_z30_rate_of_change(q, omega):
    """Z (30) and the matrix below (46): the rows for the world angular velocity."""
    x, y, z = omega
    printed = 0.5 * np.array([[0, -x, -y, z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]])
    below_46 = 0.5 * np.array([[0, -x, -y, z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -z, 0]])
    sign_only = 0.5 * np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]])
    corrected = 0.5 * np.array([[0, -x, -y, -z], [x, 0, -z, y], [y, z, 0, -x], [z, -y, x, 0]])
    truth = 0.5 * times([0, *omega], q)
    assert np.abs(printed @ q - truth).max() > WRONG
    assert np.abs(below_46 @ q - truth).max() > WRONG
    np.testing.assert_allclose(
        sign_only @ q, kq.derivative(tuple(q), tuple(omega)), rtol=0, atol=RIGHT
    )  # omega in the body
    np.testing.assert_allclose(corrected @ q, truth, rtol=0, atol=RIGHT)


def test_z37_scale_of_the_leap_frog_product(omega):
    """Z (37, 38): with f = 1/|beta|² no normalisation is required; the printed one errs by b⁴/(1 + 2 b²)."""
    beta = np.array([1.0, *(0.25 * omega)])
    b2 = beta[1:] @ beta[1:]
    product = times(beta, beta)
    printed = np.linalg.norm((1 + b2) / (1 + 2 * b2) * product)
    assert printed - 1 == pytest.approx(b2**2 / (1 + 2 * b2), rel=1e-9)
    assert abs(np.linalg.norm(product / (1 + b2)) - 1) < RIGHT


def test_z45_scalar_factor_is_direct_multiplication(q, omega):
    """Z blames the scalar factor's normalisation; the two are the same map, of unit length already."""
    one = multiply_by_factor(tuple(q), tuple(omega), 0.3)
    np.testing.assert_allclose(one, kq.turn_body(tuple(q), tuple(omega), 0.3), rtol=0, atol=RIGHT)
    assert abs(np.linalg.norm(one) - 1) < RIGHT


def test_z48_exponential(q, omega):
    """Z (48): dt belongs into the angles, not outside."""
    dt, w = 0.3, np.linalg.norm(omega)
    rate = 0.5 * times([0, *omega], q)
    printed = (math.cos(w / 2) * q + 2 / w * math.sin(w / 2) * rate) * dt
    corrected = math.cos(w * dt / 2) * q + 2 / w * math.sin(w * dt / 2) * rate
    truth = kq.product(kq.exponential(tuple(0.5 * dt * omega)), tuple(q))
    assert np.abs(printed - truth).max() > WRONG
    np.testing.assert_allclose(corrected, truth, rtol=0, atol=RIGHT)


def test_z51_product_of_all_steps(q, rng):
    """Z (51): the product of all turns must act on q_0."""
    turns = random_quaternions(rng, 3)
    all_turns = times(turns[2], times(turns[1], turns[0]))
    stepwise = q
    for turn in turns:
        stepwise = times(turn, stepwise)
    assert np.abs(all_turns - stepwise).max() > WRONG
    np.testing.assert_allclose(times(all_turns, q), stepwise, rtol=0, atol=RIGHT)


def test_z64_energy_without_the_elastic_part():
    """Z (64): without the energy in contacts the total drops by 47 % in the first impact, with it by 0.2 %."""
    sim = dem.cases()["single-fibre"](time_step=1e-5, threads=1).simulation()
    start = sim.energy().total
    sim.step(31_600)
    without, whole = 0.0, 0.0
    for _ in range(60):
        sim.step(1)
        e = sim.energy()
        without, whole = max(without, abs(e.total - e.elastic - start)), max(whole, abs(e.total - start))
    assert without / start > 0.4
    assert whole / start < 2e-3


def test_z_table_2_theory():
    """Z Table 2, S Table 1: the printed theoretical orientation is 1.95e-5 rad from the exact one, S's result on it."""
    exact = np.array(kq.body_x(oracle.sphere_orientation(1.0)))
    angle = [math.atan2(-z, x) for x, z in ((0.2934253, -0.955982), exact[[0, 2]], (0.293444, -0.955976))]
    assert abs(angle[0] - angle[1]) == pytest.approx(1.95e-5, abs=2e-6)  # the printed z has six digits
    np.testing.assert_allclose(exact[[0, 2]], (0.293444, -0.955976), rtol=0, atol=5e-7)


def test_rk_product(p, q):
    """RK: the vector part is s1 w2 + s2 w1 + w1 × w2, with the scalar parts, not q1 w2 + q2 w1."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    np.testing.assert_allclose(times(p, q)[1:], vector, rtol=0, atol=RIGHT)


def test_rk_frame_of_a_quaternion_that_is_not_unit(q, omega):
    """RK: L_body = q* L q must be divided by |q|², which is not 1 at the half step."""
    half = np.array(kq.step(tuple(q), 0.25, kq.derivative(tuple(q), tuple(omega))))
    printed = times(kq.conjugate(tuple(half)), times([0, *omega], half))[1:]
    truth = Rotation.from_quat(half, scalar_first=True).inv().apply(omega)
    assert np.abs(printed - truth).max() > WRONG
    np.testing.assert_allclose(printed / (half @ half), truth, rtol=0, atol=RIGHT)


def test_rk_positions_of_a_body(q, omega):
    """RK: a member of a body is at q r q* + the centre of mass."""
    centre = np.array([1.0, 2.0, 3.0])
    member = kq.rotate(tuple(q), tuple(omega)) + centre
    assert np.linalg.norm(member - centre) == pytest.approx(np.linalg.norm(omega))


def midpoint_step(q, omega, dt, *, quarter, half, late):
    """One step of M with the factors of its two predictions and the torque at the start or at the half step."""
    law, still = Problem(SPRING), (0.0, 0.0, 0.0)

    def body_torque(at):
        return np.array(kq.rotate_back(at, torque(law, 0.0, at, still)))

    def rate(w, tau):
        return np.array(kq.angular_acceleration(tuple(w), tuple(tau), ASYMMETRIC))

    first = rate(omega, body_torque(q))
    q_half = kq.turn(kq.rotate(q, tuple(omega + quarter * dt * first)), 0.5 * dt, q)
    omega_half = omega + half * dt * first
    second = rate(omega_half, body_torque(q_half) if late else body_torque(q))
    return kq.turn(kq.rotate(q_half, tuple(omega_half)), dt, q), omega + dt * second


@pytest.mark.parametrize(
    ("quarter", "half", "late", "order"),
    [(0.5, 0.25, True, 1), (0.25, 0.5, False, 1), (0.5, 0.25, False, 1), (0.25, 0.5, True, 2)],
    ids=["factors swapped", "old torque", "as printed", "corrected"],
)
def test_m_predictions_and_torque(quarter, half, late, order):
    """M: omega_1/4 and omega_1/2 are swapped and the torque is turned by q_0; either makes it first order."""
    ends = []
    for steps in (200, 400, 800):
        q, omega = (1.0, 0.0, 0.0, 0.0), np.array([1.2, -0.8, 2.1])
        for _ in range(steps):
            q, omega = midpoint_step(q, omega, 1.0 / steps, quarter=quarter, half=half, late=late)
        ends.append(np.array(q))
    coarse, fine = (np.linalg.norm(a - b) for a, b in itertools.pairwise(ends))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_l_rotation_matrix(q, omega):
    """L: the image of (1, 0, 0) is the first column of R, not its first row; R takes body to world, so v_b = R^T v."""
    matrix = Rotation.from_quat(q, scalar_first=True).as_matrix()
    np.testing.assert_allclose(matrix @ [1, 0, 0], kq.body_x(tuple(q)), rtol=0, atol=RIGHT)
    assert np.abs([1, 0, 0] @ matrix - kq.body_x(tuple(q))).max() > WRONG
    np.testing.assert_allclose(matrix.T @ omega, kq.rotate_back(tuple(q), tuple(omega)), rtol=0, atol=RIGHT)


def test_l_inertia_about_z(rng):
    """L: the third moment of points is m (r_x² + r_y²), not r_y² + r_z² without the mass."""
    r, m = rng.normal(size=(5, 3)), rng.uniform(1, 2, 5)
    tensor = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for ri, mi in zip(r, m, strict=True))
    assert abs(tensor[2, 2] - (r[:, 1] ** 2 + r[:, 2] ** 2).sum()) > WRONG
    assert tensor[2, 2] == pytest.approx((m * (r[:, 0] ** 2 + r[:, 1] ** 2)).sum(), rel=1e-12)


@pytest.mark.parametrize(("sign", "conserved"), [(1, True), (-1, False)])
def test_l_spins_after_a_hard_collision(sign, conserved, rng):
    """L: both spins change by -n × J d/2I; with the printed sign for the second angular momentum is not conserved."""
    n = np.array([1.0, 0.0, 0.0])  # from 2 to 1
    impulse = rng.normal(size=3)  # on 1
    radius = np.array([0.4, 0.7])
    x = np.array([radius[0] * n, -radius[1] * n])
    orbital = np.cross(x[0], impulse) - np.cross(x[1], impulse)
    spins = radius[0] * -np.cross(n, impulse) + sign * radius[1] * -np.cross(n, impulse)
    assert (np.abs(orbital + spins).max() < RIGHT) == conserved


def test_l_sliding_friction(rng):
    """L: F_t = -mu |F_n| q_t/|q_t|: only the tangential part of the slip q gives a force in the plane."""
    n, q = np.array([0.0, 0.0, 1.0]), rng.normal(size=3)
    tangential = q - (q @ n) * n
    assert abs(q / np.linalg.norm(q) @ n) > WRONG
    assert abs(tangential / np.linalg.norm(tangential) @ n) < RIGHT
