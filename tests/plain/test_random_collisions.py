"""Formulae of collisions at random: contact values, drawn normals and partners, turbulence over a step of any length.

Statistical tests have fixed seeds: they say the same for ever. Bounds are so many standard errors of what is measured.
"""

import math

import numpy as np
import pytest
from dem.kernels.domain.roughness import perpendicular
from dem.kernels.dsmc.gas import contact_value, rate_in_cell, sort
from dem.kernels.dsmc.impacts import random_normal
from dem.kernels.dsmc.pairs import random_pair
from dem.kernels.dsmc.partners import component, sum_partner_moments, weights
from dem.kernels.numerics.random import standard_normals, standard_normals_for, uniforms, uniforms_for
from scipy.linalg import expm

import dem
from dem.dsmc.engine import relaxation_times


@pytest.mark.parametrize(
    ("phi", "chi"), [(0.05, 1.1371920104971571), (0.1, 1.3031550068587103), (0.3, 2.4781341107871726), (0.5, 6.0)]
)
def test_contact_value_of_equal_spheres_is_carnahan_and_starlings(phi, chi):
    """(1 - φ/2)/(1 - φ)³, from φ = π/6 n d³ for any d."""
    for d in (1e-4, 3.0):
        volume = phi * 6 / math.pi
        assert contact_value(d, d, volume / d, volume) == pytest.approx(chi, rel=1e-14)


def test_contact_value_of_a_point_is_the_room_there_is():
    """A point meets spheres as often as there is room for it: χ -> 1/(1 - φ), for any sizes of the others."""
    area, volume = 300.0, 0.3
    assert contact_value(1e-12, 2e-3, area, volume) == pytest.approx(1 / (1 - math.pi / 6 * volume), rel=1e-9)


def test_rate_is_that_of_a_gas_of_maxwell():
    """φ = 0.05, d = 2 mm, v_rms = 1 m/s: 222.2539491379371 collisions of a sphere a second; two of a pair for each."""
    n, d = 10**7, 2e-3
    volume = n * math.pi / 6 * d**3 / 0.05
    per_particle = rate_in_cell(n, 1 / 3, d * d, 1.1371920104971571, volume) / n
    assert per_particle == pytest.approx(222.2539491379371 * (1 - 1 / n), rel=1e-13)


def test_every_pair_is_drawn_alike():
    """The middle of each of n (n - 1) equal parts of (0, 1) gives another pair; the ends give some as well."""
    n = 7
    parts = n * (n - 1)
    found = {random_pair((k + 0.5) / parts, n) for k in range(parts)}
    assert found == {(i, j) for i in range(n) for j in range(n) if i != j}
    for u in (2.0**-53, 1 - 2.0**-53):
        i, j = random_pair(u, n)
        assert i != j
        assert max(i, j) < n


def test_perpendicular_is_so_on_both_sides(rng):
    for vector in rng.normal(size=(50, 3)):
        n = vector / np.linalg.norm(vector)
        side = np.array(perpendicular(tuple(n)))
        assert abs(side @ n) < 1e-15
        assert np.linalg.norm(side) == pytest.approx(1, abs=1e-15)


def test_drawn_normals_are_those_of_a_parallel_beam(rng):
    """n·g = -√(1 - L²) |g| exactly; around g all azimuths alike, so that elastic spheres part in all directions.

    g' = g - 2 (g·n) n of 4000 draws: each component has the mean 0 and the variance 1/3; four standard errors."""
    g = (0.3, -2.0, -0.4)
    size = np.linalg.norm(g)
    after = []
    for offset, turn in rng.uniform(size=(4000, 2)):
        n = np.array(random_normal(g, offset, turn))
        assert n @ g == pytest.approx(-math.sqrt(1 - offset) * size, abs=1e-14)
        after.append((g - 2 * (n @ g) * n) / size)
    after = np.array(after)
    np.testing.assert_allclose(after.mean(0), 0, atol=4 * math.sqrt(1 / 3 / 4000))
    np.testing.assert_allclose((after**2).mean(0), 1 / 3, atol=4 * math.sqrt(4 / 45 / 4000))


@pytest.mark.parametrize("own", [0.0, 0.3, -0.6, 0.9])
@pytest.mark.parametrize("others", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("wanted", [0.0, 0.3, 0.8])
def test_partners_have_the_correlations_that_they_should(own, others, wanted):
    """Of v_f = a v + b u + c ξ: variance 1, <v_f u> = ρ_f, <v_f v> = R where there is such a distribution at all."""
    a, b, c = weights(wanted, own, others)
    assert a * a + b * b + 2 * a * b * own + c * c == pytest.approx(1, abs=1e-12)
    assert a * own + b == pytest.approx(others, abs=1e-12)
    found = a + b * own
    matrix = np.array([[1, own, wanted], [own, 1, others], [wanted, others, 1]])
    if np.linalg.eigvalsh(matrix)[0] > 1e-9:
        assert found == pytest.approx(wanted, abs=1e-12)
    else:  # the nearest that there is
        assert abs(found - own * others) == pytest.approx(math.sqrt((1 - own**2) * (1 - others**2)), abs=1e-12)


def test_partners_of_tracers_move_as_the_fluid_does():
    assert weights(0.3, 1.0, 1.0) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("step", [1e-3, 0.1, pytest.param(3.0, marks=pytest.mark.slow), 50.0])
@pytest.mark.parametrize("stokes", [pytest.param(0.01, marks=pytest.mark.slow), 0.7, 1.0, 30.0])
@pytest.mark.few(5)
def test_a_step_in_turbulence_is_exact_whatever_its_length(step, stokes):
    """Of d(u, v) = M (u, v) dt + noise: exp(M dt), and the covariance ∫ exp(M s) D exp(M s)^T ds by quadrature."""
    fluid = dem.Turbulence(rms=2.0, time_scale=1.0, viscosity=1e-5)
    kept, taken, own, c11, c21, c22 = fluid.step(stokes, step)
    matrix = np.array([[-1.0, 0.0], [1 / stokes, -1 / stokes]])
    np.testing.assert_allclose([[kept, 0], [taken, own]], expm(matrix * step), atol=1e-13)
    noise = np.array([[2.0 * 4.0, 0], [0, 0]])
    edges, (x, weights) = (
        np.unique([0, *np.minimum(0.01 * 2.0 ** np.arange(14), step)]),
        np.polynomial.legendre.leggauss(30),
    )
    wide = 0.5 * np.diff(edges)
    moved = expm(matrix * (edges[:-1] + wide * (x[:, None] + 1)).reshape(-1, 1, 1))
    expected = np.einsum("s,sij,jk,slk->il", np.outer(weights, wide).ravel(), moved, noise, moved)
    root = np.array([[c11, 0], [c21, c22]])
    np.testing.assert_allclose(root @ root.T, expected, atol=1e-10)  # what the quadrature leaves


@pytest.mark.parametrize("collisions", ["pairs", "partners"])
def test_a_few_collisions_keep_their_books(collisions, rng):
    """Sixty rough spheres of two sizes: momentum and energy are what they were, but for what is booked; to rounding."""
    d = np.where(np.arange(60) % 2, 2e-3, 3e-3)
    sand = dem.Material(young=5e7, poisson=0.3, density=1000.0)
    grains = dem.Particles(
        [dem.Sphere(diameter=each) for each in d.tolist()],
        sand,
        position=rng.uniform(0, 0.02, (60, 3)),
        velocity=rng.normal(size=(60, 3)),
        angular_velocity=300 * rng.normal(size=(60, 3)),
    )
    box = dem.Box((0, 0, 0), (0.02,) * 3, sand, periodic=["x", "y", "z"])
    sim = dem.StochasticSpheres(
        grains, box, gravity=(0, 0, 0), time_step="auto", cell=0.02, collisions=collisions, restitution=0.7,
        tangential_restitution=0.3,
    )  # fmt: skip
    before = sim.momentum()[0]
    sim.step(4)
    verdict = sim.verdict()
    assert sim.collisions.pair > 5
    assert verdict.energy_error < 1e-14
    assert verdict.momentum_error < 1e-15
    assert sim.energy().dissipated > 0
    if collisions == "pairs":
        np.testing.assert_allclose(sim.momentum()[0], before, atol=1e-18)


def test_random_numbers_of_a_purpose_are_its_own():
    """Purpose 0 is that of rough walls; others share nothing with it."""
    assert uniforms_for(0, 3, 5, 7, 2) == uniforms(3, 5, 7, 2)
    assert standard_normals_for(0, 3, 5, 7, 2) == standard_normals(3, 5, 7, 2)
    drawn = [uniforms_for(purpose, 3, 5, 7, 2) for purpose in range(5)]
    assert len({u for four in drawn for u in four}) == 20


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rms": 0.0}, "rms is 0 m/s, expected a finite number above 0"),
        ({"time_scale": -1.0}, "time_scale is -1 s"),
        ({"viscosity": math.nan}, "viscosity is nan Pa s"),
        ({"velocity": (0, 1)}, r"velocity has shape \(2,\)"),
    ],
)
def test_turbulence_that_there_is_not(given, said):
    with pytest.raises(ValueError, match=said):
        dem.Turbulence(**{"rms": 1.0, "time_scale": 1.0, "viscosity": 1e-5, **given})


def of_two_kinds(knows):
    """Light and heavy beads in turbulence, in one cell, each with the velocity and fluid of the steady state."""
    n, rng = 3000, np.random.default_rng(8)
    kinds = [dem.Material(young=5e7, poisson=0.3, density=density) for density in (500.0, 5000.0)]
    box = dem.Box((0, 0, 0), (0.05,) * 3, kinds[0], periodic=["x", "y", "z"])
    air = dem.Turbulence(rms=0.5, time_scale=0.05, viscosity=1.8e-5)
    groups = []
    for kind in kinds:
        groups.append(dem.Particles(dem.Sphere(diameter=1e-4), kind, position=rng.uniform(0, 0.05, (n, 3))))
    beads = dem.Particles.concatenate(groups)
    sim = dem.StochasticSpheres(
        beads, box, time_step=1e-4, collisions="partners", turbulence=air, cell=0.05, gravity=(0, 0, 0),
        correlation="full" if knows else "particle",
    )  # fmt: skip
    engine, times = sim._engine, relaxation_times(beads, air)
    for k, time in enumerate(times):
        follows = 1 / (1 + time / air.time_scale)
        u, xi = (rng.normal(size=(n, 3)) for _ in range(2))
        part = slice(k * n, (k + 1) * n)
        engine.carrier.seen[:, part] = 0.5 * u.T
        engine.spheres.row[part, 3:6] = 0.5 * (follows * u + math.sqrt(follows - follows**2) * xi)
    sort(engine.spheres, engine.space, engine.gas)
    sum_partner_moments(engine.spheres, engine.gas, engine.moments, engine.carrier.seen)
    return engine, air, times, n


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.few(1)
def test_partners_of_two_kinds_are_correlated_both_ways_alike(knows):
    """√(R_1 R_2), or as near as can be with what both know of the fluid; four standard errors of n numbers are 0.07."""
    engine, air, times, n = of_two_kinds(knows)
    rng, found = np.random.default_rng(9), []
    for mine, theirs in ((0, 1), (1, 0)):
        v = engine.spheres.row[mine * n : (mine + 1) * n, 3]
        drawn = [
            component(0, mine * n + i, theirs * n, mine, theirs, engine.spheres, engine.moments, engine.carrier.seen, x)
            for i, x in enumerate(rng.normal(size=n))
        ]
        found.append(np.corrcoef(v, drawn)[0, 1])
        assert np.std(drawn) == pytest.approx(np.std(engine.spheres.row[theirs * n : (theirs + 1) * n, 3]), rel=0.06)
    expected = air.correlation(*times)
    if knows:
        follow = [1 / (1 + time / air.time_scale) for time in times]  # ρ² of each
        middle, room = math.sqrt(follow[0] * follow[1]), math.sqrt((1 - follow[0]) * (1 - follow[1]))
        expected = min(max(expected, middle - room), middle + room)
    assert found == pytest.approx([expected, expected], abs=0.07)
    assert abs(air.correlation(times[0]) - air.correlation(times[1])) > 0.25  # what each alone would have


def test_correlations_of_many_kinds_are_those_of_velocities_that_there_can_be():
    """Symmetric, R of each on the diagonal to the bit, and no eigenvalue of the matrix below 0."""
    air = dem.Turbulence(rms=0.5, time_scale=0.05, viscosity=1.8e-5)
    times = np.geomspace(1e-5, 10, 12)
    matrix = np.array([[air.correlation(a, b) for b in times] for a in times])
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(matrix.diagonal(), [air.correlation(a) for a in times])
    np.fill_diagonal(matrix, 1.0)
    assert np.linalg.eigvalsh(matrix).min() > 0
