"""Random numbers against numpy's Philox and their distributions; rough walls against the effective distribution.

Statistical tests are run at fixed seeds: they say the same for ever. Each asks for a p-value above 0.01 divided by the
number of like tests, so that a right generator had one chance in a hundred of a seed that fails; the sample sizes
are those at which the errors named beside them would fail.
"""

import numpy as np
import pytest
from dem.kernels.compiler import jit
from dem.kernels.domain.roughness import ATTEMPTS, draw_transverse_inclination, tilted_normal
from dem.kernels.numerics import random as kr
from dem.kernels.numerics.vector import dot
from scipy import stats
from scipy.integrate import quad
from scipy.special import erf

from dem.model.domain.roughness import effective_density

COMPILED = not jit.numba.config.DISABLE_JIT
DRAWS = 40_000 if COMPILED else 1500  # the interpreter takes a tenth of a millisecond for four words
UP = (0.0, 0.0, 1.0)


def words(rng, *shape):
    return rng.integers(0, 2**64, size=shape, dtype=np.uint64)


def unit(v):
    return np.array(v) / np.linalg.norm(v)


# Random numbers


def test_philox_gives_the_words_of_numpy(rng):
    ends = np.array([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1], dtype=np.uint64)
    keys = np.vstack([words(rng, 300, 2), rng.choice(ends, (100, 2))])
    counters = np.vstack([words(rng, 300, 4), rng.choice(ends, (100, 4))])
    for key, counter in zip(keys, counters, strict=True):
        theirs = np.random.Philox(key=key, counter=counter).random_raw(4)
        number = sum(int(c) << 64 * i for i, c in enumerate(counter)) + 1  # numpy counts before it draws
        ours = kr.philox(tuple(np.uint64(number >> 64 * i & 2**64 - 1) for i in range(4)), tuple(key))
        assert np.array_equal(np.array(ours, dtype=np.uint64), theirs)


def test_products_and_sums_of_words_are_those_of_integers(rng):
    for a, b in words(rng, 200, 2):
        high, low = kr.multiply_words(a, b)
        assert (int(high) << 64) + int(low) == int(a) * int(b)
        assert int(kr.add_words(a, b)) == (int(a) + int(b)) % 2**64


def test_uniform_numbers_never_reach_zero_or_one():
    assert kr.uniform(np.uint64(0)) == 2.0**-53
    assert kr.uniform(np.uint64(2**64 - 1)) == 1 - 2.0**-53


def test_each_argument_matters_and_nothing_else():
    asked = [(s, p, c, d) for s in range(4) for p in range(4) for c in range(4) for d in range(4)]
    forwards = [kr.uniforms(*a) for a in asked]
    assert len({number for four in forwards for number in four}) == 4 * len(asked)
    assert [kr.uniforms(*a) for a in reversed(asked)] == forwards[::-1]
    assert kr.uniforms(np.int64(3), np.int64(2), np.int64(1), np.int64(0)) == kr.uniforms(3, 2, 1, 0)


NEIGHBOURS = {
    "particles": [(7, i, 5, 0) for i in range(DRAWS)],
    "contacts": [(7, 5, i, 0) for i in range(DRAWS)],
    "draws": [(7, 5, 5, i) for i in range(DRAWS)],
    "seeds": [(i, 7, 5, 0) for i in range(DRAWS)],
}


@pytest.mark.parametrize("kind", NEIGHBOURS)
@pytest.mark.few(1)
def test_neighbours_are_uniform_and_independent(kind):
    """Kolmogorov-Smirnov for each of the four words, chi-square for pairs of words, correlation of neighbours.

    40000 draws see an error of the distribution function of 1 %, and a correlation of 0.02.
    """
    u = np.array([kr.uniforms(*a) for a in NEIGHBOURS[kind]])
    for word in u.T:
        assert stats.kstest(word, "uniform").pvalue > 0.01 / 16
    for i in range(4):
        for j in range(4):
            pairs = (u[:, i], u[:, j]) if i < j else (u[:-1, i], u[1:, j])  # at i >= j: with the next key or counter
            counts = np.histogram2d(*pairs, bins=12, range=[(0, 1), (0, 1)])[0]
            assert stats.chisquare(counts.ravel()).pvalue > 0.01 / 64
            assert abs(stats.pearsonr(*pairs).statistic) * np.sqrt(len(pairs[0])) < stats.norm.isf(0.005 / 64)


def test_normal_numbers_are_normal_and_independent():
    z = np.array([kr.standard_normals(3, i, 1, 2) for i in range(DRAWS)])
    for column in z.T:
        assert stats.kstest(column, "norm").pvalue > 0.01 / 4
    # squares would be correlated in a Box-Muller transformation gone wrong, the numbers themselves would not
    for power in (1, 2):
        off_diagonal = np.corrcoef(z.T**power)[np.triu_indices(4, 1)]
        assert np.abs(off_diagonal).max() * np.sqrt(DRAWS) < stats.norm.isf(0.005 / 12)


# The effective distribution


@pytest.mark.parametrize("sigma", np.radians([0.1, 1, 5, 20, 45]))
@pytest.mark.parametrize("alpha", np.radians([0, 0.01, 1, 10, 45, 90]))
@pytest.mark.few(3)
def test_effective_density_is_that_of_the_closed_form(alpha, sigma):
    """∫ exp(-γ²/2σ²) sin(α + γ) dγ = σ √(π/2) e^(-σ²/2) Im[e^(iα) erf((γ - iσ²)/(σ √2))]."""

    def integral(gamma):
        return np.exp(-(sigma**2) / 2) * (np.exp(1j * alpha) * erf((gamma - 1j * sigma**2) / sigma / 2**0.5)).imag

    gamma = np.linspace(max(-alpha, -6 * sigma), min(6 * sigma, np.pi / 2), 20)[1:-1]
    total = sigma * np.sqrt(np.pi / 2) * (integral(np.pi / 2) - integral(-alpha))
    expected = np.exp(-(gamma**2) / 2 / sigma**2) * np.sin(alpha + gamma) / total
    # the two ends of the integral differ by about α + σ of their size, which costs these digits at grazing incidence
    np.testing.assert_allclose(effective_density(gamma, alpha, sigma), expected, rtol=1e-13 / (alpha + sigma) ** 2)


@pytest.mark.slow
def test_effective_density_is_one_in_all_and_zero_where_walls_are_not_seen():
    alpha, sigma = np.radians(15), np.radians(10)
    assert quad(effective_density, -alpha, np.pi / 2, (alpha, sigma))[0] == pytest.approx(1, rel=1e-9)
    assert not effective_density([-alpha - 1e-9, -np.pi / 2, np.pi / 2, 3.0], alpha, sigma).any()
    with pytest.raises(ValueError, match="sigma is 0"):
        effective_density(0.0, alpha, 0.0)


# The walls that particles meet


def incidence(n, alpha, azimuth):
    """Unit velocity at the angle alpha to the wall n, its tangent, and the direction across both."""
    n = np.array(n)
    u = unit(np.cross(n, [0.6, 0.0, 0.8] if abs(n[1]) > 0.9 else [0.0, 1.0, 0.0]))
    t = np.cos(azimuth) * u + np.sin(azimuth) * np.cross(n, u)
    return np.cos(alpha) * t - np.sin(alpha) * n, t, np.cross(n, t)


def angles(alpha, sigma, draws, *, n=UP, azimuth=0.0, seed=11):
    """Inclinations in the plane of incidence and across it, of many particles."""
    v, t, b = incidence(n, alpha, azimuth)
    m = np.array([tilted_normal(n, tuple(3.5 * v), sigma, seed, i, i % 7) for i in range(draws)])
    np.testing.assert_allclose(np.linalg.norm(m, axis=1), 1, rtol=0, atol=1e-15)
    return np.arctan2(-m @ t, m @ n), np.arcsin(m @ b)


def distribution(alpha, sigma):
    """Distribution function of the effective density, by the trapezium rule on a fine grid."""
    gamma = np.linspace(max(-alpha, -9 * sigma), min(9 * sigma, np.pi / 2), 20001)
    density = effective_density(gamma, alpha, sigma)
    total = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(gamma))])
    return lambda x: np.interp(x, gamma, total, left=0, right=1)


ALPHAS = (1e-6, 0.5, 2, 5, 15, 40, 75, 90)
SIGMAS = (1, 3, 8, 20)
WALLS = (UP, (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-2 / 7, 3 / 7, -6 / 7))


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.few(2)
def test_inclinations_follow_the_effective_distribution(alpha, sigma):
    """10000 draws see an error of the distribution function of 2.3 %; the plain normal one is off by more up to
    α = 15° at σ = 1° and 75° at σ = 20°.
    """
    draws = DRAWS // 4
    case = ALPHAS.index(alpha) * len(SIGMAS) + SIGMAS.index(sigma)
    alpha, sigma = np.radians(alpha), np.radians(sigma)
    gamma, across = angles(alpha, sigma, draws, n=WALLS[case % len(WALLS)], azimuth=float(case), seed=case)
    significance = 0.01 / (3 * len(ALPHAS) * len(SIGMAS))
    assert stats.kstest(gamma, distribution(alpha, sigma)).pvalue > significance
    assert (
        stats.kstest(across, stats.truncnorm(-np.pi / 2 / sigma, np.pi / 2 / sigma, 0, sigma).cdf).pvalue > significance
    )
    # no odd correlation, and none of the sizes: the two inclinations are independent
    assert stats.spearmanr(abs(gamma), abs(across)).pvalue > significance


def test_the_plain_normal_distribution_would_be_noticed():
    alpha, sigma = np.radians(15), np.radians(10)
    gamma, _ = angles(alpha, sigma, DRAWS // 4)
    assert stats.kstest(gamma, stats.norm(0, sigma).cdf).pvalue < 1e-6


def test_particles_never_see_a_wall_they_could_not_hit():
    """A tenth of a million and more draws, most of them at grazing incidence on very rough walls."""
    rng = np.random.default_rng(5)
    n = 3 * DRAWS
    alpha = np.concatenate([10.0 ** -rng.uniform(0, 18, n // 2), rng.uniform(0, np.pi / 2, n - n // 2)])
    sigma = np.radians(rng.uniform(1, 60, n))
    which = rng.integers(0, len(WALLS), n)
    wall = np.array(WALLS)[which]
    tangent = np.array([incidence(w, 0.0, azimuth)[1] for w, azimuth in zip(WALLS, range(9), strict=False)])[which]
    velocity = np.cos(alpha)[:, None] * tangent - np.sin(alpha)[:, None] * wall
    count = 0
    for i, (normal, v, s) in enumerate(zip(map(tuple, wall), map(tuple, velocity), sigma, strict=True)):
        if dot(v, normal) < 0:  # not so for some of the smallest angles, of the order of rounding
            m = tilted_normal(normal, v, s, 1, i, 0)
            assert dot(m, v) < 0
            assert dot(m, normal) > 0
            assert m != normal  # the last resort
            count += 1
    assert count > 0.9 * n


@pytest.mark.parametrize("size", [1e-150, 1e-3, 1.0, 1e150])
def test_extreme_incidence_is_well_defined(size):
    normal, grazing = (0.0, 0.0, -size), (size, 0.0, -1e-150 * size)
    for i in range(200):
        for v in (normal, grazing):
            m = np.array(tilted_normal(UP, v, 0.2, 0, i, 0))
            assert np.isfinite(m).all()
            assert np.dot(m, v) < 0
            assert abs(m @ m - 1) < 1e-15
    assert {tilted_normal(UP, (0.0, 0.0, -s), 0.2, 0, 4, 0) for s in (1e-150, 0.5, 1.0, 1e150)} == {
        tilted_normal(UP, normal, 0.2, 0, 4, 0)
    }


def test_smooth_walls_and_particles_that_leave_keep_the_flat_normal():
    n = tuple(unit([0.3, -0.2, 0.9]))
    assert tilted_normal(n, (1.0, 0.0, -1.0), 0.0, 1, 2, 3) == n
    assert tilted_normal(n, (0.0, 0.0, 1.0), 0.1, 1, 2, 3) == n
    assert tilted_normal(n, (0.0, 0.0, 0.0), 0.1, 1, 2, 3) == n


def test_at_grazing_incidence_walls_seem_to_face_the_particle():
    """As α -> 0 the density tends to γ exp(-γ²/2σ²), whose mean is σ √(π/2); at normal incidence the mean vanishes."""
    sigma = np.radians(2)
    grazing, _ = angles(1e-8, sigma, DRAWS)
    spread = sigma * np.sqrt(2 - np.pi / 2) / np.sqrt(DRAWS)
    assert abs(grazing.mean() - sigma * np.sqrt(np.pi / 2)) < 3.3 * spread  # a thousandth outside; σ²/2 of bias is less
    normal, _ = angles(np.pi / 2, sigma, DRAWS)
    assert abs(normal.mean()) < 3.3 * sigma / np.sqrt(DRAWS)


@pytest.mark.parametrize("alpha", [2, 10, 30, 60])
@pytest.mark.few(1)
def test_elastic_rebound_angles_are_those_of_the_transformed_density(alpha):
    """A smooth ball leaves at α + 2γ to the flat wall, in the plane of incidence."""
    alpha, sigma = np.radians(alpha), np.radians(6)
    v, t, b = incidence(UP, alpha, 0.7)
    rebound = []
    for i in range(DRAWS // 4):
        m = np.array(tilted_normal(UP, tuple(v), sigma, 21, i, 0))
        m = unit(m - (m @ b) * b)
        after = v - 2 * (v @ m) * m
        rebound.append(np.arctan2(after @ UP, after @ t))
    turned = np.where(np.array(rebound) < -alpha, np.array(rebound) + 2 * np.pi, rebound)  # from -α to α + π
    cdf = distribution(alpha, sigma)
    assert stats.kstest(turned, lambda angle: cdf((angle - alpha) / 2)).pvalue > 0.01 / 4


def test_walls_depend_on_seed_particle_and_contact_alone():
    asked = [(s, p, c) for s in range(5) for p in range(5) for c in range(5)]
    v = (1.0, 0.2, -0.3)
    walls = {a: tilted_normal(UP, v, 0.1, *a) for a in asked}
    assert len(set(walls.values())) == len(asked)
    assert all(tilted_normal(UP, v, 0.1, *a) == walls[a] for a in reversed(asked))


def test_a_turned_wall_gives_the_turned_inclination():
    """The inclinations hang on the angle of incidence, not on the directions of wall and velocity."""
    seen = []
    for wall in WALLS:
        for azimuth in (0.0, 1.0, 4.0):
            gamma, across = angles(0.4, 0.2, 3, n=wall, azimuth=azimuth)
            seen.append([gamma, across])
    np.testing.assert_allclose(seen, np.broadcast_to(seen[0], np.shape(seen)), rtol=0, atol=1e-14)


def test_no_random_number_serves_twice_at_one_contact():
    """The inclination across the plane takes its draws from beyond those in the plane."""
    used = {kr.uniforms(1, 2, 3, draw) for draw in range(2 * ATTEMPTS)}
    assert len(used) == 2 * ATTEMPTS
    assert draw_transverse_inclination(0.1, 1, 2, 3) == 0.1 * kr.standard_normals(1, 2, 3, ATTEMPTS)[0]
