"""Statistics of configurations whose values are known in closed form, or by another way of counting."""

import itertools
import math
import sys

import numpy as np
import pytest
from sample_runs import random_quaternions
from scipy import stats
from scipy.spatial.transform import Rotation

import dem
from dem import statistics
from dem.model.shapes.bodies import Surfaces, Variant, body_axis, place
from dem.statistics import Spheres

DELTA = np.eye(3)
# all pairings of four indices, whose mean over isotropic directions is 1/15 of their sum
PAIRED = sum(np.einsum(f"ij,kl->{order}", DELTA, DELTA) for order in ("ijkl", "ikjl", "iklj"))
GOLDEN = (1 + math.sqrt(5)) / 2
# a spherical 5-design: moments up to the fifth are those of isotropic directions
ICOSAHEDRON = np.array(
    [np.roll([0, a, b * GOLDEN], k) for a, b, k in itertools.product((-1, 1), (-1, 1), range(3))]
) / math.hypot(1, GOLDEN)
HEPTAGON = np.array([[math.cos(a), math.sin(a), 0] for a in 2 * math.pi / 7 * np.arange(7)])


def scipy_rotation(q):
    return Rotation.from_quat(q[:, [1, 2, 3, 0]])


def single(centres, radius):
    """Spheres that are bodies of their own."""
    return Spheres(np.asarray(centres, float), np.full(len(centres), radius), np.arange(len(centres)))


def lattice(n, pitch):
    return (np.stack(np.meshgrid(*[np.arange(n)] * 3), -1).reshape(-1, 3) + 0.5) * pitch


# axes and spheres of bodies


@pytest.mark.parametrize("k", range(3))
def test_body_axes_are_columns_of_the_rotation(rng, k):
    q = random_quaternions(rng, 100)
    np.testing.assert_allclose(body_axis(q, k), scipy_rotation(q).as_matrix()[:, :, k], atol=1e-15)
    single_precision = body_axis(q.astype(np.float32), k)
    np.testing.assert_allclose(np.linalg.norm(single_precision, axis=1), 1, atol=1e-15)
    np.testing.assert_allclose(single_precision, body_axis(q, k), atol=1e-6)  # what 24 bits hold


def test_spheres_stand_where_their_bodies_carry_them(rng):
    kinds = [
        Variant(rng.normal(size=(s, 3)) * [1, on, on], rng.uniform(1, 2, s), 1, 1, 1)
        for s, on in ((5, 0), (1, 1), (3, 1))
    ]
    kind, x, q = rng.integers(0, 3, 50), rng.normal(size=(50, 3)), random_quaternions(rng, 50)
    spheres = place(x, q, kind, kinds)
    expected = [
        (x[b] + scipy_rotation(q)[b].apply(offset), radius, b)
        for b in range(50)
        for offset, radius in zip(kinds[kind[b]].offsets, kinds[kind[b]].radii, strict=True)
    ]
    centres, radii, owner = zip(*expected, strict=True)
    np.testing.assert_allclose(spheres.centres, centres, atol=1e-14)
    np.testing.assert_array_equal(spheres.radii, radii)
    np.testing.assert_array_equal(spheres.owner, owner)


# orientation


def test_tensors_of_aligned_fibres():
    a2, a4 = statistics.orientation_tensors([[1, 0, 0], [-1, 0, 0]])
    np.testing.assert_array_equal(a2, np.diag([1, 0, 0]))
    assert a4[0, 0, 0, 0] == a4.sum() == 1


def test_tensors_of_isotropic_fibres():
    a2, a4 = statistics.orientation_tensors(ICOSAHEDRON)
    np.testing.assert_allclose(a2, DELTA / 3, atol=1e-15)
    np.testing.assert_allclose(a4, PAIRED / 15, atol=1e-15)


def test_tensors_of_fibres_in_a_plane():
    a2, a4 = statistics.orientation_tensors(HEPTAGON)
    flat = np.diag([1, 1, 0])
    np.testing.assert_allclose(a2, flat / 2, atol=1e-15)
    pairings = sum(np.einsum(f"ij,kl->{order}", flat, flat) for order in ("ijkl", "ikjl", "iklj"))
    np.testing.assert_allclose(a4, pairings / 8, atol=1e-15)


def test_tensors_of_random_fibres(rng):
    n = 100_000
    p = body_axis(random_quaternions(rng, n))
    a2, a4 = statistics.orientation_tensors(p)
    # variances of p_x² and p_x⁴ over the sphere: 1/5 - 1/9 and 1/9 - 1/25; those of mixed products are smaller
    assert np.abs(a2 - DELTA / 3).max() < 5 * math.sqrt(4 / 45 / n)
    assert np.abs(a4 - PAIRED / 15).max() < 5 * math.sqrt(16 / 225 / n)
    np.testing.assert_allclose(np.einsum("ijkk->ij", a4), a2, atol=1e-14)
    # an eigenvalue of a matrix is at most three times its largest element
    assert statistics.order_parameter(p).parameter < 1.5 * 3 * 5 * math.sqrt(4 / 45 / n)


def test_tensors_turn_with_the_fibres_and_take_times_together(rng):
    p = body_axis(random_quaternions(rng, 60)).reshape(3, 20, 3)
    a2, a4 = statistics.orientation_tensors(p)
    assert (a2.shape, a4.shape) == ((3, 3, 3), (3, 3, 3, 3, 3))
    r = scipy_rotation(random_quaternions(rng, 1)).as_matrix()[0]
    turned2, turned4 = statistics.orientation_tensors(p[1] @ r.T)
    np.testing.assert_allclose(turned2, r @ a2[1] @ r.T, atol=1e-15)
    np.testing.assert_allclose(turned4, np.einsum("ia,jb,kc,ld,abcd", r, r, r, r, a4[1]), atol=1e-15)


@pytest.mark.parametrize(
    ("directions", "expected"), [([[0, 0, -1.0]], 1), (ICOSAHEDRON, 0), (HEPTAGON, 0.25)], ids=["line", "all", "plane"]
)
def test_order_parameter(directions, expected):
    assert abs(statistics.order_parameter(directions).parameter - expected) < 1e-14


def test_the_director_is_the_axis_of_a_cone(rng):
    """Directions at the angle θ about an axis: S = P_2(cos θ) and the axis itself."""
    axis, theta = np.array([2, -3, 6]) / 7, 0.3
    e = np.linalg.svd(axis[None])[2][1:]
    around = 2 * np.pi / 5 * np.arange(5)[:, None]
    p = math.cos(theta) * axis + math.sin(theta) * (np.cos(around) * e[0] + np.sin(around) * e[1])
    p *= rng.choice([-1, 1], 5)[:, None]
    parameter, director = statistics.order_parameter(np.stack([p, p]))
    np.testing.assert_allclose(parameter, 1.5 * math.cos(theta) ** 2 - 0.5, atol=1e-14)
    np.testing.assert_allclose(director, [axis, axis], atol=1e-14)


def test_what_is_no_direction_is_refused():
    with pytest.raises(ValueError, match="off unit length by up to 1: divide"):
        statistics.orientation_tensors([[2.0, 0, 0]])
    with pytest.raises(ValueError, match="off unit length by up to nan"):
        statistics.order_parameter([[np.nan, 0, 0]])
    with pytest.raises(ValueError, match=r"shape \(0, 3\), expected \(..., N, 3\)"):
        statistics.orientation_tensors(np.zeros((0, 3)))


# profiles


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("bins", [1, 4, 8])
def test_a_cubic_lattice_is_solid_by_the_sixth_of_pi(axis, bins):
    """Slabs of whole and of half layers hold the same share of touching spheres."""
    spheres = single(lattice(4, 0.25), 0.125)
    profile = statistics.solid_fraction(spheres, (0, 0, 0), (1, 1, 1), axis=axis, bins=bins)
    np.testing.assert_allclose(profile.value, math.pi / 6, rtol=1e-13)
    np.testing.assert_allclose(profile.middle, (np.arange(bins) + 0.5) / bins)


def test_slabs_cut_spheres_as_their_discs_add_up(rng):
    """Discs π (R² - z²) by Gauss quadrature, exact for them where no sphere ends in a piece."""
    centres, radii = rng.uniform(-0.2, 1.2, (40, 3)), rng.uniform(0.01, 0.3, 40)
    spheres = Spheres(centres, radii, np.arange(40))
    profile = statistics.solid_fraction(spheres, (0, 0, 0), (2, 1, 1), bins=7)
    nodes, weights = np.polynomial.legendre.leggauss(2)
    volume = np.zeros(7)
    for (_, _, z), r in zip(centres, radii, strict=True):
        for b in range(7):
            low, high = np.clip([profile.edges[b], profile.edges[b + 1]], z - r, z + r)
            u = 0.5 * (high + low) + 0.5 * (high - low) * nodes - z
            volume[b] += 0.5 * (high - low) * weights @ (math.pi * (r**2 - u**2))
    np.testing.assert_allclose(profile.value, volume / (2 / 7), atol=1e-14)


def test_a_periodic_lattice_may_lie_anywhere(rng):
    centres = lattice(4, 0.25) + np.array([0.1, 0.2, 0.37]) + rng.integers(-3, 3, (64, 3))
    profile = statistics.solid_fraction(single(centres, 0.125), (0, 0, 0), (1, 1, 1), bins=4, periodic=True)
    np.testing.assert_allclose(profile.value, math.pi / 6, rtol=1e-13)


def test_a_fibre_counts_with_the_volume_of_its_union(rng):
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)
    volume = fibre.mass_properties(1.0).volume
    kind = Variant(fibre.offsets, fibre.radii, volume, 1, 1)
    q = random_quaternions(rng, 20)
    spheres = place(rng.uniform(0.1, 0.9, (20, 3)), q, np.zeros(20, int), [kind])
    profile = statistics.solid_fraction(spheres, (0, 0, 0), (1, 1, 1), bins=50, volume=np.full(20, volume))
    assert profile.value.sum() / 50 == pytest.approx(20 * volume, rel=1e-12)
    apart = statistics.solid_fraction(spheres, (0, 0, 0), (1, 1, 1), bins=50)
    assert apart.value.sum() / 50 == pytest.approx(20 * 5 * math.pi / 6 * 1e-6, rel=1e-12)


def test_slabs_cut_surfaces_as_they_do_simplices(rng):
    """A tetrahedron of corners z_i has below t the share Σ_i max(t - z_i, 0)³/Π_j (z_j - z_i); some are level."""
    corners = rng.uniform(0, 1, (30, 4, 3))
    corners[::3, 1, 2] = corners[::3, 0, 2]  # for which the share is a limit: corners that lie a little apart
    faces = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    a, b, c, d = corners.transpose(1, 0, 2)
    volume = np.einsum("na,na->n", b - a, np.cross(c - a, d - a)) / 6
    corners[volume < 0] = corners[volume < 0][:, [0, 2, 1, 3]]
    volume = np.abs(volume)
    owner = np.repeat(np.arange(0, 60, 2), 4)  # a sphere each between them
    surfaces = Surfaces(corners.reshape(-1, 3), (faces + 4 * np.arange(30)[:, None, None]).reshape(-1, 3), owner)
    edges, below = np.linspace(0, 1, 8), np.zeros(8)
    for z, v in zip(corners[:, :, 2] + 1e-5 * np.arange(4), volume, strict=True):
        for i in range(4):
            below += v * np.maximum(edges - z[i], 0) ** 3 / np.prod(np.delete(z, i) - z[i])
    expected = np.diff(below) * 7
    balls = Spheres(np.full((60, 3), 0.5), np.full(60, 0.1), np.arange(60))
    odd = Spheres(*(part[1::2] for part in balls))
    of_balls = statistics.solid_fraction(odd, (0, 0, 0), (1, 1, 1), bins=7).value
    found = statistics.solid_fraction(balls, (0, 0, 0), (1, 1, 1), bins=7, surfaces=surfaces).value - of_balls
    np.testing.assert_allclose(found, expected, atol=2e-4 * expected.max())
    whole = np.zeros(60)
    whole[::2], whole[1::2] = 2 * volume, 4 / 3 * np.pi * 1e-3
    given = {"bins": 7, "volume": whole, "surfaces": surfaces}
    scaled = statistics.solid_fraction(balls, (0, 0, 0), (1, 1, 1), **given).value - of_balls
    np.testing.assert_allclose(scaled, 2 * found, rtol=0, atol=1e-12)
    moved = surfaces._replace(
        vertices=surfaces.vertices + np.array([0, 0, 2 / 7 - 5.0])
    )  # by two slabs, and five periods
    repeated = statistics.solid_fraction(balls, (0, 0, 0), (1, 1, 1), periodic=True, **given | {"surfaces": moved})
    np.testing.assert_allclose(repeated.value - of_balls, np.roll(scaled, 2), rtol=0, atol=1e-12)


def test_a_heap_is_as_high_as_its_highest_sphere_in_each_slab(rng):
    """The surface max_i (z_i + √(R_i² - (x - x_i)²)) is highest over a centre or at an edge."""
    x, z, r = rng.uniform(0, 10, 30), rng.uniform(0, 1, 30), rng.uniform(0.05, 0.7, 30)
    edges = np.sort(rng.uniform(-2, 12, 15))
    spheres = Spheres(np.stack([0 * x, z, x], 1), r, np.arange(30))
    profile = statistics.height_profile(spheres, edges, axis="z", up="y")
    for a, b, value in zip(edges[:-1], edges[1:], profile.value, strict=True):
        places = np.array([a, b, *x[(x > a) & (x < b)]])
        with np.errstate(invalid="ignore"):
            surface = z + np.sqrt(r**2 - (places[:, None] - x) ** 2)
        expected = np.nan if np.isnan(surface).all() else np.nanmax(surface)
        np.testing.assert_allclose(value, expected, atol=1e-14)
    assert np.isnan(profile.value).any()
    with pytest.raises(ValueError, match="at least two numbers that ascend"):
        statistics.height_profile(spheres, [1.0, 0.0])


# contacts


def test_lattices_have_their_coordination_numbers():
    cubic = single(lattice(4, 1.0), 0.5)
    free = statistics.contact_numbers(cubic, 1e-9, walls=((0, 0, 0), (4, 4, 4)))
    assert np.bincount(free.bodies + free.walls).tolist() == [0] * 6 + [64]  # each of six sides has one or the other
    assert np.bincount(free.walls).tolist() == [8, 24, 24, 8]  # inside, faces, edges, corners
    assert (statistics.contact_numbers(cubic, 1e-9, period=(4, 4, 4)).bodies == 6).all()
    corners = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]) / 2
    face_centred = (lattice(4, 1.0)[:, None] + corners).reshape(-1, 3)
    assert (statistics.contact_numbers(single(face_centred, 0.125**0.5), 1e-9, period=(4, 4, 4)).bodies == 12).all()


def test_bodies_count_once_however_many_spheres_meet(rng):
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)
    kind = Variant(fibre.offsets, fibre.radii, 1, 1, 1)
    side_by_side = np.array([[0, 0.01 * k, 0] for k in range(4)])
    along_x = np.tile([1.0, 0, 0, 0], (4, 1))
    numbers = statistics.contact_numbers(place(side_by_side, along_x, np.zeros(4, int), [kind]), 1e-9)
    assert numbers.bodies.tolist() == [1, 2, 2, 1]
    assert statistics.contact_numbers(place(2 * side_by_side, along_x, np.zeros(4, int), [kind])).bodies.sum() == 0


@pytest.mark.parametrize("period", [(0, 0, 0), (0.3, 0, 0.4), (0.3, 0.3, 0.3)])
def test_contacts_are_those_of_a_double_loop(rng, period):
    n, length = 80, np.array(period)
    owner = np.sort(np.concatenate([np.arange(30), rng.integers(0, 30, n - 30)]))
    spheres = Spheres(rng.uniform(-0.25, 0.3, (n, 3)), rng.uniform(0.005, 0.04, n), owner)
    walls = ((-0.2, -np.inf, -np.inf), (np.inf, 0.28, np.inf))
    tolerance = 0.003
    numbers = statistics.contact_numbers(spheres, tolerance, walls=walls, period=period)
    met = [set() for _ in range(30)]
    for i, j in itertools.permutations(range(n), 2):
        gap = spheres.centres[i] - spheres.centres[j]
        gap -= length * np.round(np.divide(gap, length, out=np.zeros(3), where=length > 0))
        if owner[i] != owner[j] and np.linalg.norm(gap) <= spheres.radii[i] + spheres.radii[j] + tolerance:
            met[owner[i]].add(int(owner[j]))
    assert numbers.bodies.tolist() == [len(others) for others in met]
    assert max(numbers.bodies) > 1
    low, high = (
        [
            (s * (spheres.centres[owner == b, axis] - at) - spheres.radii[owner == b]).min() <= tolerance
            for b in range(30)
        ]
        for s, axis, at in ((1, 0, -0.2), (-1, 1, 0.28))
    )
    assert numbers.walls.tolist() == np.add(low, high, dtype=int).tolist()


def test_periods_too_short_for_single_contacts_are_refused():
    with pytest.raises(ValueError, match=r"period of 1\.5 m is short, expected at least 2 m"):
        statistics.contact_numbers(single([[0, 0, 0]], 0.5), period=(0, 1.5, 0))


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match=r"contact numbers needs scipy.* pip install 'pcdm-dem\[tables\]'"):
        statistics.contact_numbers(single([[0, 0, 0]], 0.5))


# motion


def test_ballistic_motion(rng):
    """<Δr²> = <v²> t², to rounding of the largest distance."""
    v, t = rng.normal(size=(50, 3)), 0.01 * np.arange(40)
    msd = statistics.mean_square_displacement(1e3 + t[:, None, None] * v)
    expected = (v**2).sum(1).mean() * statistics.lags(t) ** 2
    np.testing.assert_allclose(msd, expected, atol=1e-12 * expected[-1])


def test_random_walk(rng):
    """<Δr²> = 3 σ² per step. Origins only lower the variance that N walkers have from one: 2/(3 N) of the square."""
    n, sigma = 2000, 0.3
    walk = np.cumsum(rng.normal(0, sigma, (100, n, 3)), axis=0)
    msd = statistics.mean_square_displacement(walk)
    ratio = msd[1:] / (3 * sigma**2 * np.arange(1, 100))
    assert np.abs(ratio - 1).max() < 5 * math.sqrt(2 / (3 * n))


def test_displacements_and_correlations_are_those_of_all_pairs_of_times(rng, monkeypatch):
    monkeypatch.setattr("dem.statistics.motion.BLOCK", 3)
    monkeypatch.setattr("dem.statistics.motion.FEW", 4)
    x = np.cumsum(rng.normal(size=(17, 8, 3)), axis=0)
    p = x / np.linalg.norm(x, axis=-1, keepdims=True)
    for lag in range(17):
        later, earlier = slice(lag, None), slice(0, 17 - lag)
        square = ((x[later] - x[earlier]) ** 2).sum(-1).mean()
        cosine = (p[later] * p[earlier]).sum(-1)
        assert statistics.mean_square_displacement(x)[lag] == pytest.approx(square, abs=1e-12)
        assert statistics.orientation_correlation(p)[lag] == pytest.approx(cosine.mean(), abs=1e-14)
        second = (1.5 * cosine**2 - 0.5).mean()
        assert statistics.orientation_correlation(p, degree=2)[lag] == pytest.approx(second, abs=1e-14)
    with pytest.raises(ValueError, match="degree is 3, expected 1 or 2"):
        statistics.orientation_correlation(p, degree=3)


def test_steady_rotation(rng):
    """About any axis the angle adds up past whole turns, whichever sign quaternions have; fibres turn as cos ω t."""
    t, omega = 0.5 * np.arange(30), rng.normal(0, 2, (6, 3))
    half = 0.5 * t[:, None] * np.linalg.norm(omega, axis=1)
    unit = omega / np.linalg.norm(omega, axis=1)[:, None]
    q = np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * unit], axis=-1)
    angle = statistics.turned(q * rng.choice([-1, 1], (30, 6, 1)))
    assert np.linalg.norm(omega, axis=1).max() * 0.5 < math.pi
    np.testing.assert_allclose(angle, t[:, None, None] * omega, atol=1e-12)
    about_z = np.stack([np.cos(t), 0 * t, 0 * t, np.sin(t)], -1)[:, None]
    np.testing.assert_allclose(statistics.orientation_correlation(body_axis(about_z)), np.cos(2 * t), atol=1e-14)
    np.testing.assert_allclose(statistics.turned(np.repeat(about_z[:1], 3, 0)), 0)


def test_uneven_frames_have_no_lags():
    with pytest.raises(ValueError, match=r"frames are 0\.1 to 0\.2 s apart, expected evenly spaced ones"):
        statistics.lags([0, 0.1, 0.3])


# energies


@pytest.mark.parametrize("degrees", [2, 3])
def test_energies_in_equilibrium_follow_the_gamma_law(rng, degrees):
    """Kolmogorov-Smirnov at the edges of the bins; 1.95/√n is exceeded by one sample in a thousand."""
    n, theta = 20_000, 0.7
    inertia = np.tile([1e-3, 2.0, 3.0], (n, 1))
    spin = rng.normal(size=(n, 3)) * np.sqrt(theta / inertia) * [degrees == 3, 1, 1]  # body frame
    q = random_quaternions(rng, n)
    velocity = rng.normal(0, math.sqrt(theta / 5.0), (n, 3))
    energies = statistics.kinetic_energies(np.full(n, 5.0), inertia, velocity, q, scipy_rotation(q).apply(spin))
    for energy, d in ((energies.translational, 3), (energies.rotational, degrees)):
        edges, density, mean = statistics.energy_histogram(energy, bins=200)
        assert mean == pytest.approx(d / 2 * theta, rel=5 * math.sqrt(2 / d / n))
        cumulative = np.concatenate([[0], np.cumsum(density * np.diff(edges))])
        assert cumulative[-1] == pytest.approx(1)
        assert np.abs(cumulative - stats.gamma(d / 2, scale=theta).cdf(edges)).max() < 1.95 / math.sqrt(n)


@pytest.mark.parametrize("degrees", [1, 2, 3, 5])
def test_maxwellian_is_the_gamma_density(degrees):
    energy = np.linspace(0.1, 9, 30)
    expected = stats.gamma(degrees / 2, scale=2 * 1.3 / degrees).pdf(energy)
    np.testing.assert_allclose(statistics.maxwellian(energy, 1.3, degrees), expected, rtol=1e-12)


def test_what_are_no_energies_is_refused():
    with pytest.raises(ValueError, match="finite and not negative"):
        statistics.energy_histogram([1.0, -1e-9])
    with pytest.raises(ValueError, match="0 values, expected at least one"):
        statistics.energy_histogram([])
    assert statistics.energy_histogram([0.0, 0.0], bins=4).mean == 0


@pytest.mark.parametrize("shape", [(0, 3, 3), (4, 0, 3), (0, 0, 3), (3,), (4, 3)])
@pytest.mark.parametrize("measure", [statistics.mean_square_displacement, statistics.orientation_correlation])
def test_motion_of_nothing_is_refused(measure, shape):
    with pytest.raises(ValueError, match="expected"):
        measure(np.zeros(shape))


def test_motion_of_lists_is_that_of_arrays(rng):
    walk = rng.normal(size=(5, 2, 3)).cumsum(0)
    listed = statistics.mean_square_displacement(walk.tolist())
    np.testing.assert_array_equal(listed, statistics.mean_square_displacement(walk))
