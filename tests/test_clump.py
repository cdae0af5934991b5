"""Clumps: mass properties of unions of spheres against closed forms, Monte Carlo, and in the engine."""

import itertools
import math

import numpy as np
import pytest
from sample_runs import random_quaternions
from scipy.spatial.transform import Rotation

import dem
from dem.model.shapes.bodies import place
from dem.model.shapes.clump import union_moments


def properties(offsets, radii):
    clump = dem.Clump(offsets=offsets, radii=radii)
    return clump, clump.mass_properties(1.0)


@pytest.mark.parametrize(("a", "b", "d"), [(1.0, 1.0, 1.2), (1.0, 0.4, 0.9), (1.0, 0.4, 0.61), (1.0, 1.0, 1e-3)])
def test_two_overlapping_spheres(a, b, d, rng):
    """Volume of both less the lens, π (a + b - d)² (d² + 2d(a + b) - 3(a - b)²)/12d; any direction; 1e-9 of it."""
    u = Rotation.from_quat(random_quaternions(rng, 1)[0], scalar_first=True).apply([0, 0, 1.0])
    lens = math.pi * (a + b - d) ** 2 * (d * d + 2 * d * (a + b) - 3 * (a - b) ** 2) / (12 * d)
    _, p = properties([[0.3, 0.1, 0], np.array([0.3, 0.1, 0]) + d * u], [a, b])
    assert p.volume == pytest.approx(4 / 3 * math.pi * (a**3 + b**3) - lens, rel=1e-9)
    assert p.inertia[1] == pytest.approx(p.inertia[2], rel=1e-9)


@pytest.mark.parametrize(("spheres", "aspect_ratio"), [(5, 3), (2, 1.5), (9, 4)])
def test_a_chain_is_a_fibre_however_it_lies(spheres, aspect_ratio, rng):
    """Against the exact sums of slabs."""
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=aspect_ratio, spheres=spheres)
    exact = fibre.mass_properties(1100.0)
    turned = Rotation.from_quat(random_quaternions(rng, 1)[0], scalar_first=True)
    clump = dem.Clump(offsets=turned.apply(np.array(fibre.offsets)) + np.array([0.02, -0.01, 0.03]), radii=fibre.radii)
    p = clump.mass_properties(1100.0)
    assert p.mass == pytest.approx(exact.mass, rel=1e-9)
    np.testing.assert_allclose(p.inertia, exact.inertia, rtol=1e-9)
    np.testing.assert_allclose(clump.centre, (0.02, -0.01, 0.03), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.abs(clump.offsets), np.abs(fibre.offsets), rtol=0, atol=1e-10)


def test_spheres_apart_add_up_by_the_parallel_axis_theorem(rng):
    offsets, radii = np.array([[0, 0, 0], [5, 0, 0], [0, 7, 1], [2, 3, 9.0]]), np.array([1, 2, 0.5, 1.5])
    mass = 4 / 3 * math.pi * radii**3
    centre = mass @ offsets / mass.sum()
    clump, p = properties(offsets, radii)
    x = offsets - centre
    tensor = sum(
        m * (0.4 * r * r * np.eye(3) + xi @ xi * np.eye(3) - np.outer(xi, xi))
        for m, r, xi in zip(mass, radii, x, strict=True)
    )
    assert p.volume == pytest.approx(mass.sum(), rel=1e-12)
    np.testing.assert_allclose(clump.centre, centre, rtol=1e-12)
    np.testing.assert_allclose(sorted(p.inertia), np.linalg.eigvalsh(tensor), rtol=1e-11)


def test_hidden_and_repeated_spheres_count_once():
    offsets, radii = [[0, 0, 0], [0.1, 0, 0], [0, 0, 0]], [1.0, 0.5, 1.0]
    assert properties(offsets, radii)[1].volume == pytest.approx(4 / 3 * math.pi, rel=1e-12)


def turned_moments(x, r, turn):
    """Moments of a clump that was turned, turned back."""
    m, q = union_moments(x @ turn.T, r), turn
    second = np.array([[m[4], m[7], m[9]], [m[7], m[5], m[8]], [m[9], m[8], m[6]]])
    back = q.T @ second @ q
    return np.array([m[0], *(q.T @ m[1:4]), *np.diag(back), back[0, 1], back[1, 2], back[2, 0]])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.few(3)
def test_a_clump_has_the_same_moments_however_it_lies(seed):
    """Three to fourteen spheres in a heap: 1e-9 is what the docstring promises."""
    rng = np.random.default_rng(seed)
    count = 3 + seed
    x, r = rng.normal(size=(count, 3)) * 0.5, rng.uniform(0.3, 1, count)
    m, turn = union_moments(x, r), Rotation.from_quat(random_quaternions(rng, 1)[0], scalar_first=True).as_matrix()
    np.testing.assert_allclose(turned_moments(x, r, turn), m, rtol=0, atol=1e-9 * m[0])


@pytest.mark.parametrize("seed", range(4))
def test_a_volume_grows_with_a_radius_by_the_free_surface(seed):
    """dV/dr of all radii is the free surface: in a heap the parts of spheres that no other one covers."""
    rng = np.random.default_rng(seed)
    x, r, h = rng.normal(size=(8, 3)) * 0.5, rng.uniform(0.3, 1, 8), 1e-5
    grown = (union_moments(x, r + h)[0] - union_moments(x, r - h)[0]) / (2 * h)
    n = rng.normal(size=(40000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    free, error = 0.0, 0.0
    for i in range(8):
        points, others = x[i] + r[i] * n, np.arange(8) != i
        share = (((points[:, None] - x[others]) ** 2).sum(-1) > r[others] ** 2).all(1).mean()
        free += 4 * math.pi * r[i] ** 2 * share
        error += (4 * math.pi * r[i] ** 2) ** 2 * share * (1 - share) / len(n)
    assert abs(grown - free) < 4 * 8**0.5 * math.sqrt(error)  # the same directions for all: errors may add up


@pytest.mark.parametrize("radius", [0.5, 0.55, 0.5**0.5])
def test_a_lattice_of_spheres_that_touch_or_overlap_in_pairs(radius):
    """Each bond takes one lens. At √½ circles on a sphere touch, and so do spheres across the diagonal of a face."""
    x = np.array(list(itertools.product(range(4), repeat=3)), float)
    lens = math.pi * (2 * radius - 1) ** 2 * (1 + 4 * radius) / 12
    m = union_moments(x, np.full(64, radius))
    assert m[0] == pytest.approx(64 * 4 / 3 * math.pi * radius**3 - 144 * lens, rel=1e-12)
    np.testing.assert_allclose(m[1:4] / m[0], 1.5, rtol=1e-12)
    turn = Rotation.from_euler("xyz", [0.3, 0.5, 0.7]).as_matrix()
    np.testing.assert_allclose(turned_moments(x, np.full(64, radius), turn), m, rtol=0, atol=1e-9 * m[0])


def test_a_chain_of_a_thousand_spheres_has_the_volume_of_its_slabs():
    """Along a helix of small pitch angle to next ones only: each pair takes one lens."""
    t = 0.002 * np.arange(1000)
    x = np.stack([np.cos(t), np.sin(t), 0.1 * t], axis=1)
    d, r = np.linalg.norm(x[1] - x[0]), 0.0015
    lens = math.pi * (2 * r - d) ** 2 * (d * d + 4 * d * r) / (12 * d)
    assert union_moments(x, np.full(1000, r))[0] == pytest.approx(4000 / 3 * math.pi * r**3 - 999 * lens, rel=1e-9)


def test_monte_carlo_converges_to_the_same_like_one_over_root_n(rng):
    """Points in a box, as in lecture notes on clumps: the error of the volume, over 200 counts, falls as n^-1/2."""
    x, r = rng.normal(size=(5, 3)) * 0.5, rng.uniform(0.4, 1, 5)
    exact = union_moments(x, r)[0]
    low, high = (x - r[:, None]).min(0), (x + r[:, None]).max(0)
    box = np.prod(high - low)
    counts, errors = [300, 1200, 4800], []
    for n in counts:
        points = rng.uniform(low, high, (200, n, 3))
        inside = (((points[:, :, None] - x) ** 2).sum(-1) < r**2).any(-1).mean(1)
        assert abs(box * inside.mean() - exact) < 4 * box * inside.std() / math.sqrt(200)  # four standard errors
        errors.append(np.sqrt(((box * inside - exact) ** 2).mean()))
    # each of the three errors is known to 1/√400 = 5 %, so the slope over a factor of 16 to 0.03; three times that
    assert np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(-0.5, abs=0.09)


def test_axes_lead_back_to_the_frame_that_was_given(rng):
    offsets, radii = rng.normal(size=(6, 3)), rng.uniform(0.5, 1, 6)
    clump = dem.Clump(offsets=offsets, radii=radii)
    back = Rotation.from_quat(clump.axes, scalar_first=True).apply(np.array(clump.offsets)) + clump.centre
    np.testing.assert_allclose(back, offsets, rtol=0, atol=1e-12)
    products = union_moments(clump.offsets, radii)
    np.testing.assert_allclose(products[1:4], 0, rtol=0, atol=1e-9)  # about its centre
    np.testing.assert_allclose(products[7:], 0, rtol=0, atol=1e-9)  # in principal axes


@pytest.mark.long
def test_a_mixture_with_clumps_keeps_its_energy(nylon, wall, tmp_path):
    """Spheres, fibres and clumps in one box: energy to 0.5 %, as fibres at this step; opens as a trajectory."""
    clump = dem.Clump(offsets=[[0, 0, 0], [0.006, 0, 0], [0, 0.005, 0.002]], radii=[0.005, 0.004, 0.003])
    shapes = (clump, dem.Fibre(diameter=0.01, aspect_ratio=3), dem.Sphere(diameter=0.012))
    sites = 0.04 * (np.stack(np.meshgrid(*[range(3)] * 3), -1).reshape(-1, 3) + 0.5)
    rng = np.random.default_rng(4)
    parts = [
        dem.Particles(s, nylon, position=sites[k::3], velocity=rng.normal(0, 1, (9, 3)),
                      angular_velocity=rng.normal(0, 20, (9, 3)), orientation=random_quaternions(rng, 9))
        for k, s in enumerate(shapes)
    ]  # fmt: skip
    box = dem.Box((0, 0, 0), (0.12, 0.12, 0.12), material=wall)
    sim = dem.Simulation(dem.Particles.concatenate(parts), box, time_step=5e-6, integrator="splitting")
    verdict = sim.run(0.2, output=tmp_path / "run.h5", frames=4)
    assert verdict.largest_overlap > 0
    assert verdict.energy_error < 5e-3
    with dem.Trajectory(tmp_path / "run.h5") as run:
        np.testing.assert_array_equal(run.orientation[-1], sim.particles.orientation)


@pytest.mark.parametrize(
    ("offsets", "radii", "message"),
    [
        ([[0, 0, 0]], [0.0], "smallest of the radii of the clump is 0 m, expected a finite number above 0"),
        ([[0, 0, 0]], [-1.0], "smallest of the radii of the clump is -1 m"),
        ([[0, 0]], [1.0], r"offsets has shape \(1, 2\), expected \(N, 3\) with N = 1"),
        ([[0, 0, math.nan]], [1.0], "offsets is not finite in 1 place"),
        ([], [], "a clump has 0 radii, expected 1 to 4000"),
    ],
)
def test_bad_clumps_are_refused(offsets, radii, message):
    with pytest.raises(ValueError, match=message):
        dem.Clump(offsets=offsets, radii=radii)


def test_a_scaled_clump_keeps_its_axes():
    """A regular tetrahedron has no axes of its own; volume goes with the cube of the scale, inertia with m l²."""
    rows = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    turned = rows @ np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    clump = dem.Clump(offsets=0.0015 * turned, radii=[0.002] * 4)
    large, known = clump.scaled(2.0), dem.Clump(offsets=0.003 * turned, radii=[0.004] * 4)
    np.testing.assert_array_equal(large.offsets, 2 * clump.offsets)
    assert large.axes == clump.axes
    ours, expected = large.mass_properties(1000.0), known.mass_properties(1000.0)
    assert ours.mass == pytest.approx(expected.mass, rel=1e-12)  # rounding
    assert ours.inertia == pytest.approx(expected.inertia, rel=1e-9)  # quadrature's own rounding, three equal moments


L = [[0, 0, 0], [0.006, 0, 0], [0, 0, 0.006], [0, 0, 0.012]]  # [m]
PIN = [[0, 0, -0.004], [0, 0, 0.004]]
HALF = 0.5**0.5


def as_they_stand(particles):
    """Centres of spheres about the first one of each particle, which all have as many."""
    shape = particles.variants[0][0]
    centres = place(particles.position, particles.orientation, particles.variant, [s for s, _ in particles.variants])
    each = centres.centres.reshape(len(particles), len(shape.radii), 3)
    return each - each[:, :1]


@pytest.mark.parametrize("offsets", [L, PIN, np.roll(PIN, 1, axis=1)])
def test_a_clump_stands_as_it_was_given(offsets, nylon):
    """Where no orientation is said, or "as-given"; also packed, scaled, and turned from there."""
    offsets = np.array(offsets, float)
    clump = dem.Clump(offsets=offsets, radii=[0.003] * len(offsets))
    for words in ({}, {"orientation": "as-given"}):
        made = dem.Particles(clump, nylon, position=[clump.centre], **words)
        centres = dem.Simulation(made, gravity=(0, 0, 0), time_step=1e-5).sphere_centres()
        np.testing.assert_allclose(centres, offsets, rtol=0, atol=1e-12)
    packed = dem.pack(
        clump, nylon, lower=(0, 0, 0), upper=(0.1, 0.1, 0.1), number=5, scale=(1, 2), orientation="as-given"
    )
    size = np.array([max(s.radii) / 0.003 for s, _ in packed.variants])[packed.variant]
    np.testing.assert_allclose(as_they_stand(packed), size[:, None, None] * (offsets - offsets[0]), rtol=0, atol=1e-12)
    turns = np.array([(HALF, HALF, 0, 0), (0.5, 0.5, 0.5, 0.5)])
    tilted = dem.Particles(clump, nylon, position=[(0, 0, 0), (1, 0, 0)], orientation=clump.turned(turns))
    expected = [Rotation.from_quat(q, scalar_first=True).apply(offsets - offsets[0]) for q in turns]
    np.testing.assert_allclose(as_they_stand(tilted), expected, rtol=0, atol=1e-12)


def test_a_clump_in_a_polyhedron_stands_as_the_polyhedron(nylon):
    """Of neither an orientation is said: spheres lie inside of the faces of the hull of the vertices as given."""
    vertices = np.array([[0, 0, 0], [0.03, 0, 0], [0, 0.02, 0], [0, 0, 0.01]])
    grain = dem.Polyhedron(vertices=vertices, rounding=0.001)
    clump = dem.Clump.from_shape(grain, spheres=6)
    assert (clump.axes, clump.centre) == (grain.axes, grain.centre)
    stands = dem.Particles(clump, nylon, position=[grain.centre])
    spheres = place(stands.position, stands.orientation, stands.variant, [clump])
    outward = np.array([[-1, 0, 0], [0, -1, 0], [0, 0, -1], np.array([1, 1.5, 3]) / 3.5])
    heights = np.array([0, 0, 0, 0.03 / 3.5])
    assert (spheres.centres @ outward.T + spheres.radii[:, None] <= heights + 1e-9).all()


@pytest.mark.parametrize(
    ("shape", "radius"),
    [
        (dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)), 0.001),
        (dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001), 0.002),
        (dem.Polyhedron(vertices=[[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], rounding=1e-4), 3**-0.5),
    ],
    ids=["ellipsoid", "cylinder", "tetrahedron"],
)
def test_a_single_sphere_in_a_shape_is_about_its_centre_of_mass(shape, radius):
    """It touches the surface, or the triangles that stand for it."""
    clump = dem.Clump.from_shape(shape, spheres=1)
    np.testing.assert_array_equal(clump.offsets, np.zeros((1, 3)))
    assert 0.99 * radius < clump.radii[0] <= radius * (1 + 1e-12)


def test_a_clump_in_a_shape_has_no_more_spheres_than_a_particle_may():
    with pytest.raises(ValueError, match="spheres is 5000, expected at most the 4000 that one particle may have"):
        dem.Clump.from_shape(dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)), spheres=5000)


@pytest.mark.parametrize("shape", [dem.Sphere(diameter=0.01), dem.Capsule(diameter=0.01, length=0.03)])
def test_a_clump_in_a_shape_needs_its_support_function(shape):
    with pytest.raises(TypeError, match="expected a convex shape with a support function"):
        dem.Clump.from_shape(shape, spheres=4)


def test_inserted_clumps_stand_as_given_and_survive_a_checkpoint(nylon, tmp_path):
    """Pins and Ls from one inserter, before and after the run goes on from its file."""
    shapes = [dem.Clump(offsets=offsets, radii=[0.003] * len(offsets)) for offsets in (PIN, L)]
    region = dem.Block((0, 0, 0), (0.2, 0.2, 0.2))
    rain = dem.Inserter(shapes, nylon, region=region, number=8, rate=4000, orientation="as-given", sizes=None)
    sim = dem.Simulation(None, inserters=[rain], gravity=(0, 0, 0), time_step=1e-5)
    sim.run(1e-3, output=tmp_path / "rain.h5", frames=1, progress=False)
    dem.resume(tmp_path / "rain.h5", duration=2e-3)
    with dem.Trajectory(tmp_path / "rain.h5") as run:
        assert [len(run[k].variant) for k in (1, 2)] == [4, 8]
        for k in (1, 2):
            spheres = run[k].spheres()
            for body in range(len(run[k].variant)):
                found = spheres.centres[spheres.owner == body]
                given = np.array(L if len(found) > 2 else PIN, float)
                np.testing.assert_allclose(found - found[0], given - given[0], rtol=0, atol=1e-12)


def test_a_case_file_has_a_word_for_it(tmp_path):
    """By default, by the word at random places, and in an inserter; other words are refused."""
    text = """
duration = 1e-3
time_step = 1e-5
materials.m = { young = 5e6, poisson = 0.3, density = 1000.0 }
shapes.pin = { type = "clump", offsets = [[0.0, 0.0, -0.004], [0.0, 0.0, 0.004]], radii = [0.003, 0.003] }
box = { upper = [0.04, 0.04, 0.04], material = "m" }
[[particles]]
shape = "pin"
material = "m"
"""
    for k, said in enumerate(
        (
            "position = [[0.02, 0.02, 0.02]]",
            'position = [[0.02, 0.02, 0.02]]\norientation = "as-given"',
            'random = { number = 3 }\norientation = "as-given"',
        )
    ):
        path = tmp_path / f"{k}.toml"
        path.write_text(text + said)
        centres = dem.load(path).sphere_centres().reshape(-1, 2, 3)
        np.testing.assert_allclose(np.ptp(centres, axis=1), [[0, 0, 0.008]] * len(centres), rtol=0, atol=1e-12)
    path.write_text(text + 'position = [[0.02, 0.02, 0.02]]\norientation = "upright"')
    with pytest.raises(ValueError, match="as-given"):
        dem.load(path)


def test_the_identity_is_warned_of_where_it_turns_a_clump(nylon):
    """By its exact numbers only, and not of clumps whose offsets were given in principal axes."""
    for offsets, orientation, warned in (
        (PIN, [[1, 0, 0, 0]], True), (PIN, None, False), (PIN, [[HALF, HALF, 0, 0]], False),
        (np.roll(PIN, 1, axis=1), [[1, 0, 0, 0]], False),
    ):  # fmt: skip
        clump = dem.Clump(offsets=offsets, radii=[0.003] * 2)
        made = dem.Particles(clump, nylon, position=[(0, 0, 0)], orientation=orientation)
        sim = dem.Simulation(made, gravity=(0, 0, 0), time_step=1e-5)
        assert ("turned-clump" in [notice.name for notice in sim.foreseen()]) == warned
