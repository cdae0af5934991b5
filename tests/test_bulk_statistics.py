"""Contacts, mixing, slopes and flow rates, whose values are known in closed form or by counting."""

import itertools
import math

import numpy as np
import pytest

from dem import statistics
from dem.statistics import ContactForces, Profile, Spheres

GOLDEN = (1 + math.sqrt(5)) / 2


def network(pairs, normal=None, force=None):
    """Contacts between numbered bodies; -1 - face is a wall."""
    i, j = np.array(pairs).T
    normal = np.tile([1.0, 0, 0], (len(i), 1)) if normal is None else np.asarray(normal, float)
    force = normal if force is None else np.asarray(force, float)
    return ContactForces(i, j, np.zeros(len(i)), normal, force, normal, normal, normal)


# contacts


def test_rattlers_fall_away_one_after_the_other():
    """A tetrahedron, a chain of two on it, one alone, and one that lies on two walls; twice in contact is once."""
    tetrahedron = list(itertools.combinations(range(4), 2))
    held = network([*tetrahedron, (0, 1), (3, 4), (4, 5), (7, -1), (7, -5)])
    found = statistics.coordination(held, 8)
    assert found.geometric == (12 + 1 + 2 + 1 + 2) / 8
    assert found.rattlers.tolist() == [False] * 4 + [True] * 3 + [False]
    assert found.mechanical == (4 * 3 + 2) / 5
    assert found.share == 3 / 8
    assert statistics.coordination(held, 8, least=3).mechanical == 3
    assert np.isnan(statistics.coordination(held, 8, least=4).mechanical)


def test_contacts_with_walls_of_few_bodies():
    """A wall has a number below zero, which is no place in a list of three bodies."""
    lying = network([(0, 1), (1, 2), (0, -5), (1, -5), (2, -9)])
    found = statistics.coordination(lying, 3)
    assert found.geometric == (2 * 2 + 3) / 3
    assert not found.rattlers.any()


@pytest.mark.parametrize("function", [statistics.coordination, statistics.coordination_numbers, statistics.body_loads])
def test_a_number_of_bodies_that_is_too_small_is_refused(function):
    with pytest.raises(ValueError, match="count is 2, and a contact is of body 2: give the number of all bodies"):
        function(network([(0, 1), (1, 2)]), 2)
    with pytest.raises(TypeError, match="count is 'all'"):
        function(network([(0, 1)]), "all")


def refusals():
    """Calls with arrays that do not belong together, or values beyond a law, and what is wrong with them."""
    x, v, m, box = np.zeros((4, 3)), np.zeros((4, 3)), np.ones(4), ((0, 0, 0), (1, 1, 1))
    touch = network([(0, 1)])
    yield lambda: statistics.stress_profile(touch, x, m, v, *box), r"velocity has shape \(4,\), expected \(N, 3\)"
    yield lambda: statistics.stress(touch, 1.0, mass=m[1:], velocity=v), r"velocity has shape \(4, 3\)"
    yield lambda: statistics.velocity_profile(x, v, 1.0, *box), r"mass has shape \(\), expected \(N,\) with N = 4"
    yield lambda: statistics.velocity_profile(x, v, m, (0, 0, 0), 1.0), r"upper has shape \(\), expected \(3,\)"
    yield lambda: statistics.coarse_fields(x[1:], v, m, *box, width=0.1), r"velocity has shape \(4, 3\)"
    yield lambda: statistics.drum_angle(x - 1, m, 0.0), r"centre has shape \(\), expected \(3,\)"
    yield lambda: statistics.drum_angle(x[:0], m[:0], (0, 0, 0)), "mass is of 0 bodies"
    yield lambda: statistics.grading([1e-3, 2e-3], [1.0]), r"mass has shape \(1,\), expected \(N,\) with N = 2"
    yield lambda: statistics.beverloo_rate(-0.1, 1e-3, 1500.0), "orifice goes down to -0.1"
    yield lambda: statistics.beverloo_rate(0.1, 1e-3, 1500.0, coefficient=-1), "coefficient is -1"
    yield lambda: statistics.janssen_stress([-1.0, 1.0], 0.1, 1500.0, 0.5, 0.4), "depth goes down to -1"
    yield lambda: statistics.janssen_stress(1.0, 0.1, 1500.0, 0.5, 0.4, surcharge=-1), "surcharge is -1 Pa"
    yield lambda: statistics.excluded_volume(0.5, 1.0), "length is 0.5 m, expected a finite number at least 1"
    yield lambda: statistics.incline_friction([0, 1, 2], [0, 1, 4], 0.5, gravity=0.0), "gravity is 0"


@pytest.mark.parametrize(("call", "error"), list(refusals()))
def test_arrays_of_other_bodies_and_values_beyond_a_law_are_refused(call, error):
    with pytest.raises(ValueError, match=error):
        call()


def test_mechanical_numbers_are_thorntons_where_only_single_contacts_fall_away():
    """(2 N_c - N_1)/(N - N_0 - N_1): an octahedron, each corner with a loose one, and two alone."""
    octahedron = [(a, b) for a, b in itertools.combinations(range(6), 2) if a + b != 5]
    pairs = [*octahedron, *((k, 6 + k) for k in range(6))]
    found = statistics.coordination(network(pairs), 14)
    contacts, single = len(pairs), 6
    assert found.mechanical == (2 * contacts - single - single) / (14 - 2 - single)  # those they leave lose one each
    assert found.geometric == 2 * contacts / 14


def test_fabric_of_directions():
    """Alike over a spherical 5-design; (1 + a P_2)/4π gives back a; one direction only has 5."""
    ico = np.array([np.roll([0, a, b * GOLDEN], k) for a, b, k in itertools.product((-1, 1), (-1, 1), range(3))])
    ico = ico / math.hypot(1, GOLDEN)
    pairs = [(0, 1)] * 12
    alike = statistics.fabric(network(pairs, ico))
    np.testing.assert_allclose(alike.tensor, np.eye(3) / 3, atol=1e-15)
    assert alike.anisotropy < 1e-14
    a = np.diag([0.6, -0.3, -0.3])
    weighted = statistics.fabric(network(pairs, ico), weight=1 + np.einsum("ki,ij,kj->k", ico, a, ico))
    np.testing.assert_allclose(7.5 * (weighted.tensor - np.eye(3) / 3), a, atol=1e-14)  # a 5-design, of degree 4
    assert weighted.anisotropy == pytest.approx(0.6, rel=1e-13)
    one = statistics.fabric(network([(0, 1), (0, -2)], [[0, 0, 1.0], [1, 0, 0]]))
    np.testing.assert_array_equal(one.tensor, np.diag([0, 0, 1]))
    assert (one.anisotropy, one.number) == (pytest.approx(5), 1)
    with pytest.raises(ValueError, match="no contacts between bodies"):
        statistics.fabric(network([(0, -2)]))


def test_forces_of_an_exponential_law():
    """Quantiles of exp(-f): in each bin its share, to one of 20 000; pulls and friction as they are."""
    n = 20_000
    f = -3.0 * np.log1p(-(np.arange(n) + 0.5) / n)
    force = np.column_stack([f, np.full(n, 99.0), np.zeros(n)])
    found = statistics.force_histogram(network([(0, 1)] * n, force=force), bins=40)
    share = -np.diff(np.exp(-found.edges * found.mean / 3.0))
    np.testing.assert_allclose(found.density * np.diff(found.edges), share, atol=1.01 / n)
    assert found.mean == pytest.approx(3.0, rel=1e-4)  # of midpoints of quantiles: the last one is short
    mixed = network([(0, 1), (0, 1), (0, -1)], force=[[-1, 0, 0], [3, 0, 0], [9, 0, 0]])
    assert statistics.force_histogram(mixed, 2).edges[0] == -1
    assert statistics.force_histogram(mixed, 2, walls=True).mean == pytest.approx(11 / 3)
    with pytest.raises(ValueError, match="0 contacts push with 0 N"):
        statistics.force_histogram(network([(0, -1)]))


# mixing


def test_lacey_is_zero_apart_and_one_on_average_when_shuffled():
    """Over all ways to choose 3 of 9 bodies for the kind, in samples of 2, 3 and 4: S² is S_R² on average, exactly."""
    sample = np.repeat([5, 7, 9], [2, 3, 4])
    found = [statistics.mixing(sample, np.isin(np.arange(9), chosen)) for chosen in itertools.combinations(range(9), 3)]
    assert np.mean([each.variance for each in found]) == pytest.approx(found[0].random, rel=1e-13)
    assert np.mean([each.lacey for each in found]) == pytest.approx(1, rel=1e-13)
    apart = statistics.mixing(sample, sample == 7)
    assert apart.lacey == pytest.approx(0, abs=1e-15)
    assert apart.intensity == pytest.approx(1, rel=1e-15)
    assert (apart.fraction, apart.samples) == (1 / 3, 3)


def test_lacey_of_unequal_weights(rng):
    """Few heavy ones among many light ones: shuffled, 1 on average to the errors of the mean; apart 0."""
    sample = np.repeat(np.arange(40), 50)
    chosen = np.arange(2000) % 5 == 0
    weight = np.where(chosen, 8.0, 1.0)
    found = [statistics.mixing(rng.permutation(sample), chosen, weight).lacey for _ in range(200)]
    error = np.std(found) / math.sqrt(200)
    neglected = 8 / weight.sum() * 40  # second order: a body's weight over a sample's
    assert abs(np.mean(found) - 1) < 4 * error + neglected**2
    unweighted = statistics.mixing(sample, chosen).random
    assert statistics.mixing(sample, chosen, weight).random > 1.5 * unweighted
    alike = statistics.mixing(sample, chosen, np.full(2000, 3.0))
    assert alike.random == pytest.approx(unweighted, rel=1e-13)
    assert statistics.mixing(np.where(chosen, 0, sample + 1), chosen, weight).lacey == pytest.approx(0, abs=1e-12)


def test_samples_in_a_box(rng):
    x = rng.uniform(-0.5, 1.5, (500, 3))
    found = statistics.samples_in_box(x, (0, 0, 0), (1, 1, 1), (2, 3, 4))
    inside = ((x >= 0) & (x < 1)).all(1)
    assert ((found >= 0) == inside).all()
    expected = [int(a * 2) * 12 + int(b * 3) * 4 + int(c * 4) for a, b, c in x[inside]]
    assert found[inside].tolist() == expected
    for sample, chosen in (([0, 0, 0], [1, 0, 0]), ([0, 1, 2], [1, 0, 0]), ([0, 0, 1], [1, 1, 1]), ([-1], [1])):
        with pytest.raises(ValueError, match="expected two samples at least"):
            statistics.mixing(sample, chosen)


@pytest.mark.parametrize(
    ("weight", "words"),
    [([1, 1, -1, 1], "from -1 to 1"), ([1, 1, 0, 1], "from 0 to 1"), ([1, 1, np.nan, 1], "from nan"),
     ([1, 1, 1], r"weight has shape \(3,\)")],
)  # fmt: skip
def test_weights_of_mixing_are_positive(weight, words):
    with pytest.raises(ValueError, match=words):
        statistics.mixing([0, 0, 1, 1], [True, False, True, False], weight)


def test_weights_of_a_fabric_have_a_sum():
    both = network([(0, 1), (1, 2)], [[0, 0, 1.0], [1, 0, 0]])
    for weight, words in (([1, -1], "sum to 0"), ([1], "weight has shape"), ([1, np.nan], "weight")):
        with pytest.raises(ValueError, match=words):
            statistics.fabric(both, weight)


# slopes


def test_slopes_and_their_errors(rng):
    """Against numpy's covariance; over many noisy lines the error is what angles scatter by."""
    x = np.linspace(0, 1, 40)
    true = math.radians(25)
    found = [statistics.fitted_slope(x, 0.2 + math.tan(true) * x + 0.02 * rng.normal(size=40)) for _ in range(400)]
    (b, a), covariance = np.polyfit(x, z := 0.3 + 0.4 * x + 0.02 * rng.normal(size=40), 1, cov=True)
    one = statistics.fitted_slope(x, z)
    assert one.angle == pytest.approx(math.atan(b), rel=1e-10)
    assert one.height == pytest.approx(a, rel=1e-10)
    assert one.error == pytest.approx(math.sqrt(covariance[0, 0]) / (1 + b * b), rel=1e-8)
    angles = np.array([each.angle for each in found])
    assert abs(angles.mean() - true) < 4 * angles.std() / 20
    assert np.mean([each.error for each in found]) == pytest.approx(angles.std(), rel=0.15)  # 4 errors of 400 samples
    with pytest.raises(ValueError, match="at least two points beside each other, there are 1"):
        statistics.fitted_slope([0, 1], [math.nan, 1])


def test_angle_of_repose_of_heaps():
    """A cone of small spheres under a slope of 30°, rounded at the top and with a foot, on a base; and a roof."""
    r, tan = 1e-3, math.tan(math.radians(30))
    grid = np.arange(-0.1, 0.1, 1e-3)
    x, y = (side.ravel() for side in np.meshgrid(grid, grid))
    height = np.minimum(0.01 + np.maximum(0.05 - tan * np.hypot(x, y), 0.002), 0.055)
    cone = Spheres(np.column_stack([x + 0.5, y, height - r]), np.full(len(x), r), np.arange(len(x)))
    profile = statistics.cone_profile(cone, np.arange(0, 0.1, 2e-3), centre=(0.5, 0))
    found = statistics.angle_of_repose(profile, base=0.01)
    assert found.angle == pytest.approx(math.radians(30), abs=0.02)  # grains and rings of some 1/30 of the flank
    assert abs(found.angle - math.radians(30)) < 0.02
    assert found.error < 0.02
    sides = np.arange(-50.0, 51)
    roof = Profile(sides, 1 + np.maximum(40 - 0.5 * np.abs(0.5 * (sides[1:] + sides[:-1])), 0))
    assert statistics.angle_of_repose(roof, base=1).angle == pytest.approx(math.atan(0.5), rel=1e-12)
    mirrored = Profile(-roof.edges[::-1], roof.value[::-1])
    assert statistics.angle_of_repose(mirrored, base=1).angle == pytest.approx(math.atan(0.5), rel=1e-12)
    for between in ((0.8, 0.2), (-0.1, 0.5)):
        with pytest.raises(ValueError, match="expected two shares of the height"):
            statistics.angle_of_repose(roof, between=between)
    with pytest.raises(ValueError, match="no height anywhere"):
        statistics.angle_of_repose(Profile(np.arange(3.0), np.full(2, np.nan)))


@pytest.mark.parametrize("angle", [-0.5, 0.0, 0.6])
def test_a_segment_in_a_drum(angle):
    """Points of a circle below a chord that is inclined; both ways of looking at it agree with the chord."""
    grid = np.linspace(-0.1, 0.1, 301)
    x, z = (side.ravel() for side in np.meshgrid(grid, grid))
    below = (np.hypot(x, z) < 0.1) & (-math.sin(angle) * x + math.cos(angle) * z < -0.03)
    x, z = x[below], z[below]
    place = np.column_stack([x + 1, 0 * x, z + 2])
    assert statistics.drum_angle(place, np.ones(len(x)), (1, 7, 2)) == pytest.approx(angle, abs=2e-3)  # 300 points
    spheres = Spheres(place, np.full(len(x), 1e-4), np.arange(len(x)))
    surface = statistics.height_profile(spheres, np.linspace(0.95, 1.05, 31))
    assert statistics.fitted_slope(surface.middle, surface.value).angle == pytest.approx(angle, abs=0.02)
    with pytest.raises(ValueError, match="no free surface"):
        statistics.drum_angle([[0, 0, 0]], [1], (0, 0, 0))
    with pytest.raises(ValueError, match="both 'z', expected a drum that lies"):
        statistics.drum_angle(place, np.ones(len(x)), (1, 7, 2), axis="z")


def test_no_heap_has_no_height():
    """Such as in the first frame of a run that begins without particles."""
    nothing = Spheres(np.zeros((0, 3)), np.zeros(0), np.zeros(0, int))
    assert np.isnan(statistics.cone_profile(nothing, np.linspace(0, 0.1, 4)).value).all()


# flow


def test_what_goes_through_a_disc():
    """One through, one beside, one there and back, one that is not there at first; a balance of masses."""
    time = np.array([0.0, 0.5, 2.0])
    gone = math.nan
    x = np.array([
        [[0, 0, 1.0], [3, 0, 1], [0, 0, 0.1], [gone] * 3],
        [[0, 0, -1], [3, 0, -1], [0, 0, -0.1], [0, 0, 1]],
        [[0, 0, -3], [3, 0, -3], [0, 0, 0.2], [0.4, 0, -1]],
    ])  # fmt: skip
    mass = np.array([1.0, 2.0, 4.0, 8.0])
    disc = statistics.mass_flow(time, x, mass, (0, 0, 0), (0, 0, -2), radius=1)
    assert disc.forward.tolist() == [2, 1]
    assert disc.backward.tolist() == [0, 1]
    np.testing.assert_allclose(disc.rate, [5 / 0.5, (8 - 4) / 1.5], rtol=1e-15)
    assert disc.total.tolist() == [0, 5, 9]
    assert disc.time.tolist() == [0.25, 1.25]
    plane = statistics.mass_flow(time, x, mass, (0, 0, 0), (0, 0, 1))
    np.testing.assert_allclose(plane.total, [0, -7, -11])
    for times, normal, error in (([0.0, 0, 1], (0, 0, 1), "at least two that ascend"), (time, (0, 0, 0), "normal")):
        with pytest.raises(ValueError, match=error):
            statistics.mass_flow(times, x, mass, (0, 0, 0), normal)


def test_laws_of_silos_and_slopes():
    """Each by the differential equation or the integral that it solves."""
    ratio = statistics.beverloo_rate([0.06, 0.04], 4e-3, 1500.0)
    assert ratio[0] / ratio[1] == pytest.approx(((0.06 - 0.0056) / (0.04 - 0.0056)) ** 2.5, rel=1e-14)
    assert statistics.beverloo_rate(5.6e-3, 4e-3, 1500.0) == 0
    z, h = np.linspace(0.1, 2, 7), 1e-4
    stress = lambda z: statistics.janssen_stress(z, 0.1, 1500.0, 0.5, 0.4, surcharge=700.0)  # noqa: E731
    slope = (stress(z + h) - stress(z - h)) / (2 * h)
    np.testing.assert_allclose(slope, 1500 * 9.81 - 2 * 0.5 * 0.4 / 0.1 * stress(z), rtol=1e-6, atol=1e-3)
    assert stress(0.0) == 700
    up = np.linspace(0.001, 0.039, 5)
    velocity = lambda z: statistics.bagnold_velocity(z, 0.04, 1e-3, 0.1, 0.4, 0.58)  # noqa: E731
    rate = (velocity(up + 1e-6) - velocity(up - 1e-6)) / 2e-6
    pressure = 0.58 * 2500 * 9.81 * (0.04 - up) * math.cos(0.4)
    np.testing.assert_allclose(rate * 1e-3 / np.sqrt(pressure / 2500), 0.1, rtol=1e-6)  # the inertial number everywhere
    nodes, weights = np.polynomial.legendre.leggauss(60)
    mean = 0.5 * weights @ velocity(0.02 * (nodes + 1))
    assert mean == pytest.approx(0.6 * velocity(0.04), rel=1e-6)
    with pytest.raises(ValueError, match="height goes from 0 to 1 m"):
        velocity(np.array([0.0, 1.0]))
