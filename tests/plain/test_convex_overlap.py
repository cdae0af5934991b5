"""Overlaps of convex bodies: published digits, closed forms, and derivatives by the envelope theorem."""

import math
import re
from typing import NamedTuple

import numpy as np
import pytest
from dem.kernels.convex import newton_batches, shape_registry, supports
from dem.kernels.convex.overlap import BY_SHIFTS, overlap
from dem.kernels.convex.shape_registry import CONVEX_KINDS, ConvexBody, ConvexKind, convex_kinds, support_of
from dem.kernels.numerics import elementary
from dem.kernels.numerics.columns import BLOCK, flat, put, write_quaternion
from dem.kernels.numerics.quaternion import product

import dem

ALL = convex_kinds(list(CONVEX_KINDS))
NUMBER = {row.name: k for k, row in enumerate(CONVEX_KINDS.values())}
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
AXES_AND_BESIDE = [
    *((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8)),
    *((1e-17, 1.0, 0.0), (1e-300, 0.0, -1.0)),
]
NO_NORMAL = (0.0, 0.0, 0.0)
CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def random_quaternions(rng, n):
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def unit_vectors(rng, n):
    u = rng.normal(size=(n, 3))
    return u / np.linalg.norm(u, axis=1)[:, None]


def superellipsoid(a, b, c, n_1, n_2):
    return "superellipsoid", [a, b, c, n_1, n_2, n_1 / (n_1 - 1), n_2 / (n_2 - 1)]


def polyhedron(vertices, rounding):
    return "polyhedron", [rounding, len(vertices), *np.ravel(vertices).astype(float)]


def body(shape, q=UPRIGHT):
    name, numbers = shape
    return ConvexBody(ALL, NUMBER[name], np.array([math.nan, *numbers]), 1, tuple(map(float, q)))


def turned(angle, axis):
    return (math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis, dtype=float)))


def found(a, b, r, start=NO_NORMAL, reach=math.inf):
    """Overlap, normal, points on A and B about their centres, steps."""
    g, n, x_a, x_b, steps, _ = overlap(a, b, tuple(map(float, r)), start, reach)
    return g, np.array(n), np.array(x_a), np.array(x_b), steps


Q_A = np.array([1, 0.2, -0.3, 0.4]) / math.sqrt(1.29)
Q_B = np.array([0.5, -0.6, 0.1, 0.7]) / math.sqrt(1.11)
DIGITS = [  # by golden section in extended precision; normals and places from it have half the digits of the overlap
    ((3, 2, 1.5, 2, 2), (2, 2.5, 1, 2, 2), (3.4, 2.6, 1.1), 6.461697142349e-04,
     (0.83544581656856, 0.50435072856471, -0.21831314704876),
     (1.876127308221e-03, 1.198412854347e-03, 9.584646210960e-04)),
    ((3, 2, 1.5, 4, 3), (2, 2.5, 1, 2, 2), (4.0, 2.7, 1.1), 5.177169743042e-04,
     (0.81967356224389, 0.57114343067445, -0.04393669259101),
     (2.367805714334e-03, 1.291999815081e-03, 7.384025224260e-04)),
    ((2, 2, 2, 4, 4), (2, 2, 2, 4, 4), (3.0, 2.2, 1.4), 2.129657312327e-04,
     (0.71450334419944, 0.55219512387401, 0.42961088940760),
     (2.070546149783e-03, 9.357574105077e-04, 1.236845102893e-04)),
    ((3, 2, 1.5, 8, 6), (2, 2.5, 1, 8, 6), (3.9, 2.9, 1.3), 7.413566628417e-04,
     (0.70335978305972, 0.56569024385747, 0.43044112672777),
     (2.654075096773e-03, 1.162290658148e-03, 6.195102841173e-04)),
]  # fmt: skip


def in_mm(a, b, c, n_1, n_2):
    return superellipsoid(1e-3 * a, 1e-3 * b, 1e-3 * c, n_1, n_2)


@pytest.mark.parametrize(("a", "b", "r", "depth", "normal", "middle"), DIGITS)
def test_digits_of_superellipsoids(a, b, r, depth, normal, middle):
    r = 1e-3 * np.array(r)
    g, n, x_a, x_b, _ = found(body(in_mm(*a), Q_A), body(in_mm(*b), Q_B), r)
    assert g == pytest.approx(depth, rel=1e-12)
    np.testing.assert_allclose(n, normal, rtol=0, atol=1e-9)
    np.testing.assert_allclose(0.5 * (x_a + r + x_b), middle, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x_a - r - x_b, g * n, rtol=0, atol=1e-15)


def test_an_ellipsoid_is_a_superellipsoid_of_exponent_two(rng):
    for q_a, q_b in random_quaternions(rng, 20).reshape(10, 2, 4):
        r = (3e-3, 1e-3, 2e-3)
        first = found(body(in_mm(3, 2, 1.5, 2, 2), q_a), body(in_mm(2, 2.5, 1, 2, 2), q_b), r)
        second = found(
            body(("ellipsoid", [3e-3, 2e-3, 1.5e-3]), q_a), body(("ellipsoid", [2e-3, 2.5e-3, 1e-3]), q_b), r
        )
        for one, other in zip(first[:4], second[:4], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_superellipsoids_of_exponent_four_by_roots_and_by_powers(rng):
    """A shape picks the rows of its exponents; support points and curvatures agree to the rounding of powers."""
    numbers = np.array(SHAPES["even"][1])
    for n in (*unit_vectors(rng, 40).tolist(), *AXES_AND_BESIDE):
        h, x = supports.quartic_support(numbers, 0, n)
        h_0, x_0 = supports.even_support(numbers, 0, n)
        assert h == pytest.approx(h_0, rel=4e-15)
        np.testing.assert_allclose(x, x_0, rtol=4e-15, atol=1e-30)
        found_4, found_even = supports.quartic_curvature(numbers, 0, n), supports.even_curvature(numbers, 0, n)
        for one, other in zip(found_4, found_even, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-30)
    for exponents, kind in (
        ((4, 4), "QuarticKind"),
        ((5, 5), "EvenSuperellipsoidKind"),
        ((4, 3), "SuperellipsoidKind"),
    ):
        grain = dem.Superellipsoid(semi_axes=(1.4e-3, 1e-3, 0.9e-3), exponents=exponents)
        assert grain.convex_kind.__name__ == kind


@pytest.mark.parametrize("x", [1e-299, 3e-300, 1e-17, 0.1, 0.5, 0.99999, 1.0, 1.7, 2.9999, 8.0, 1e200])
def test_roots_are_those_of_the_c_library(x):
    """To 4 units in the last place, wherever the bits of x are between powers of 2."""
    for by in (1.0, 1.1, 1.3, 1.6, 1.9):
        y = by * x
        assert elementary.cube_root(y) == pytest.approx(math.cbrt(y), rel=9e-16)
        assert elementary.inverse_fourth_root(y) == pytest.approx(1 / math.sqrt(math.sqrt(y)), rel=9e-16)


def test_balls_overlap_by_their_radii_less_their_distance(rng):
    for r in rng.normal(0, 1e-3, (10, 3)):
        g, n, x_a, x_b, steps = found(body(("ball", [2e-3])), body(("ball", [1e-3]), Q_B), r)
        distance = np.linalg.norm(r)
        assert g == pytest.approx(3e-3 - distance, rel=1e-13)
        np.testing.assert_allclose(n, r / distance, rtol=0, atol=1e-15)
        np.testing.assert_allclose(x_a, 2e-3 * n, rtol=0, atol=1e-17)
        np.testing.assert_allclose(x_b, -1e-3 * n, rtol=0, atol=1e-17)
        assert steps == 1


def cube(half, rounding):
    """A cube of half an edge from its centre to its faces, rounding included."""
    return polyhedron((half - rounding) * np.array(CUBE), rounding)


@pytest.mark.parametrize("rounding", [1e-4, 3e-5])
def test_faces_edges_and_vertices_of_cubes(rounding):
    """Overlaps of 20 micrometres of cubes with edges of 2 mm: closed forms with the rounding of each."""
    half, depth = 1e-3, 2e-5
    core = half - rounding
    fixed = body(cube(half, rounding))
    # a face of B on a face of A, beside it
    g, n, x_a, x_b, _ = found(fixed, body(cube(half, rounding)), (2 * half - depth, 4e-4, -3e-4))
    assert g == pytest.approx(depth, rel=1e-10)
    np.testing.assert_allclose(n, (1, 0, 0), rtol=0, atol=1e-12)
    # an edge of B on a face of A
    reach = half + math.sqrt(2) * core + rounding
    g, n, _, x_b, _ = found(fixed, body(cube(half, rounding), turned(math.pi / 4, (0, 0, 1))), (reach - depth, 1e-4, 0))
    assert g == pytest.approx(depth, rel=1e-10)
    np.testing.assert_allclose(n, (1, 0, 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(x_b[:2], (-math.sqrt(2) * core - rounding, 0), rtol=0, atol=1e-12)
    # a vertex of B on a face of A
    axis = np.array([0, 1, -1]) / math.sqrt(2)
    q = turned(math.acos(1 / math.sqrt(3)), axis)
    reach = half + math.sqrt(3) * core + rounding
    g, n, x_a, x_b, _ = found(fixed, body(cube(half, rounding), q), (reach - depth, 2e-4, 1e-4))
    assert g == pytest.approx(depth, rel=1e-10)
    np.testing.assert_allclose(n, (1, 0, 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(x_a, (half, 2e-4, 1e-4), rtol=0, atol=1e-12)
    # an edge of B along x + z across an edge of A along y: both are core √2 from the centres, along (1, 0, -1)
    a, b = body(cube(half, rounding)), body(cube(half, rounding), turned(math.pi / 2, np.array([1, 0, -1]) / 2**0.5))
    direction = np.array([1, 0, -1]) / math.sqrt(2)
    reach = 2 * (math.sqrt(2) * core + rounding)
    g, n, x_a, x_b, _ = found(a, b, (reach - depth) * direction)
    assert g == pytest.approx(depth, rel=1e-10)
    np.testing.assert_allclose(n, direction, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x_a, reach / 2 * direction, rtol=0, atol=1e-12)


GOLDEN = (1 + math.sqrt(5)) / 2
OCTAHEDRON = [tuple(sign * row) for row in np.eye(3) for sign in (-1, 1)]
RINGS = {
    (a, b): [np.roll((0.0, s * a, t * b), k) for k in range(3) for s in (-1, 1) for t in (-1, 1)]
    for a, b in ((1 / GOLDEN, GOLDEN), (1.0, GOLDEN))
}
LATTICES = {  # vertices, volume, radius of the ball inside, rows of the basis, density, bodies that touch one
    "octahedra": (
        OCTAHEDRON, 4 / 3, 1 / math.sqrt(3),
        np.array([(-2, 3, 1), (1, -2, 3), (3, 1, -2)]) / 3, 18 / 19, 14,
    ),
    "dodecahedra": (
        [*CUBE, *RINGS[1 / GOLDEN, GOLDEN]], 2 * (5 + math.sqrt(5)), GOLDEN**2 / math.sqrt(1 + GOLDEN**2),
        [(-1 / GOLDEN, -math.sqrt(5), -GOLDEN), (GOLDEN, -1 / GOLDEN, -math.sqrt(5)), (1, -(GOLDEN**-2), GOLDEN**2)],
        (5 + math.sqrt(5)) / 8, 12,
    ),
    "icosahedra": (
        RINGS[1.0, GOLDEN], 20 * GOLDEN**2 / 3, GOLDEN**2 / math.sqrt(3),
        [(-2.9204224193811577, -0.826370799452163, 0.06770388246897376),
         (0.4704584291587361, -2.7407551234841665, -1.2967458867605697),
         (-1.3715856769566754, 0.04533061615402986, 2.7121688673391504)],
        0.836357, 12,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LATTICES)
def test_the_densest_lattices_of_platonic_solids(name):
    """Bodies with sharp edges touch just above the published density, face on face, and not just below.

    Octahedra: H. Minkowski (1904); the others: U. Betke, M. Henk, Comput. Geom. 16 (2000) 157. Linear programs found
    the basis of icosahedra.
    """
    vertices, volume, inner, basis, density, neighbours = LATTICES[name]
    solid = body(polyhedron(vertices, 0.0))
    assert volume / abs(np.linalg.det(basis)) == pytest.approx(density, rel=1e-6)  # digits of the published one
    places = np.array([k for k in np.ndindex(7, 7, 7) if k != (3, 3, 3)]) - 3
    for change, touching in ((-1e-5, 0), (1e-5, neighbours)):
        stretch = (1 + change) ** (-1 / 3)
        r = places @ (stretch * np.array(basis))
        r = r[np.linalg.norm(r, axis=1) < 2 * np.linalg.norm(vertices, axis=1).max()]
        depth = np.array([found(solid, solid, each)[0] for each in r])
        assert (depth > 0).sum() == touching
        np.testing.assert_allclose(
            depth[depth > 0], 2 * inner * (1 - stretch), rtol=0, atol=1e-6 * abs(1 - stretch) + 1e-9
        )


def test_capsules_and_cylinders_in_closed_form():
    """Crossed capsules; a cylinder's rim, side and end on a face of a cube."""
    capsule = ("capsule", [2e-3, 5e-4])
    g, n, x_a, x_b, _ = found(body(capsule), body(capsule, turned(math.pi / 2, (0, 0, 1))), (3e-4, -5e-4, 9e-4))
    assert g == pytest.approx(1e-4, rel=1e-10)
    np.testing.assert_allclose(n, (0, 0, 1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(x_a, (3e-4, 0, 5e-4), rtol=0, atol=1e-12)
    cylinder, wall = ("cylinder", [9e-4, 4e-4, 1e-4]), body(cube(3e-3, 1e-4))
    for angle in (0.0, 0.3, math.pi / 2):  # of its axis from that of the face
        reach = 9e-4 * math.sin(angle) + 4e-4 * math.cos(angle) + 1e-4
        g, n, _, x_b, _ = found(wall, body(cylinder, turned(angle, (0, 0, 1))), (3e-3 + reach - 2e-5, 1e-4, 2e-4))
        assert g == pytest.approx(2e-5, rel=1e-9)
        np.testing.assert_allclose(n, (1, 0, 0), rtol=0, atol=1e-9)
        assert x_b[0] == pytest.approx(-reach, rel=1e-12)


SHAPES = {
    "ball": ("ball", [1.1e-3]),
    "ellipsoid": ("ellipsoid", [1.5e-3, 1e-3, 0.8e-3]),
    "superellipsoid": superellipsoid(1.4e-3, 1e-3, 0.9e-3, 5.0, 3.0),
    "even": ("even superellipsoid", superellipsoid(1.4e-3, 1e-3, 0.9e-3, 4.0, 4.0)[1]),
    "quartic": ("quartic superellipsoid", superellipsoid(1.4e-3, 1e-3, 0.9e-3, 4.0, 4.0)[1]),
    "pointed": superellipsoid(1.4e-3, 1e-3, 0.9e-3, 1.5, 1.8),
    "capsule": ("capsule", [1e-3, 5e-4]),
    "polyhedron": polyhedron(1e-3 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1), (1.2, 0, 0.1)]), 2e-4),
    "cylinder": ("cylinder", [9e-4, 5e-4, 2e-4]),
}
PAIRS = [
    (a, b)
    for k, a in enumerate(SHAPES)
    for b in list(SHAPES)[k:]
    # other superellipsoids have the rest
    if a not in ("even", "quartic") or b in (a, "polyhedron")
    if b != "quartic" or a == b
]


def touching(a, b, direction, depth):
    """Distance of the centres in a direction, at which the overlap is nearly this."""
    low, high = 0.0, 8e-3
    for _ in range(6):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if found(a, b, middle * direction)[0] > depth else (low, middle)
    distance = 0.5 * (low + high)
    for _ in range(4):  # Newton's method: the overlap falls by the normal's share
        g, n, *_ = found(a, b, distance * direction)
        distance += (g - depth) / (n @ direction)
    return distance


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.few(10, long=99)
def test_derivatives_of_the_overlap_are_the_normal_and_the_levers(first, second, rng):
    """∂δ/∂r = -n, ∂δ/∂(turn of A) = x_A × n, of B -(x_B × n), and A and B may be exchanged."""
    for q_a, q_b in random_quaternions(rng, 6).reshape(3, 2, 4):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        a, b = body(SHAPES[first], q_a), body(SHAPES[second], q_b)
        r = touching(a, b, direction, 3e-5) * direction
        g, n, x_a, x_b, _ = found(a, b, r)
        assert g == pytest.approx(3e-5, abs=1e-8)
        np.testing.assert_allclose(x_a - r - x_b, g * n, rtol=0, atol=1e-13)
        start, h = tuple(n), 1e-5
        e = np.array([0.48, -0.6, 0.64])  # a unit vector that no symmetry shares: all components show
        plus, minus = (found(a, b, r + s * h * 1e-3 * e, start)[0] for s in (1, -1))
        assert (plus - minus) / (2 * h * 1e-3) == pytest.approx(-n @ e, abs=2e-6)
        turns = [(math.cos(h / 2), *(s * math.sin(h / 2) * e)) for s in (1, -1)]
        plus, minus = (found(a._replace(q=product(turn, a.q)), b, r, start)[0] for turn in turns)
        assert (plus - minus) / (2 * h) == pytest.approx(np.cross(x_a, n) @ e, abs=2e-9)
        plus, minus = (found(a, b._replace(q=product(turn, b.q)), r, start)[0] for turn in turns)
        assert (plus - minus) / (2 * h) == pytest.approx(-np.cross(x_b, n) @ e, abs=2e-9)
        exchanged = found(b, a, -r)
        assert exchanged[0] == pytest.approx(g, abs=1e-15)
        np.testing.assert_allclose(exchanged[1], -n, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in ("polyhedron", "capsule")])
def test_support_points_and_curvatures_are_derivatives(name, rng):
    """Of the support function, continued as homogeneous of degree one; by central differences."""
    kind, numbers = SHAPES[name]
    row, numbers = list(CONVEX_KINDS.values())[NUMBER[kind]], np.array(numbers)
    h = 1e-5
    for n in unit_vectors(rng, 10):
        value, x = row.support(numbers, 0, tuple(n))
        assert np.dot(x, n) == pytest.approx(value, rel=1e-13)
        t_1 = np.cross(n, rng.normal(size=3))
        t_1 /= np.linalg.norm(t_1)
        t_2 = np.cross(n, t_1)

        def homogeneous(m):
            length = np.linalg.norm(m)
            at, place = row.support(numbers, 0, tuple(m / length))
            return length * at, np.array(place)

        for t in (t_1, t_2):
            up, down = homogeneous(n + h * t), homogeneous(n - h * t)
            assert (up[0] - down[0]) / (2 * h) == pytest.approx(np.dot(x, t), abs=1e-11)
        k = shape_registry.along_two(row.curvature(numbers, 0, tuple(n)), tuple(t_1), tuple(t_2))
        slope_1, slope_2 = ((homogeneous(n + h * t)[1] - homogeneous(n - h * t)[1]) / (2 * h) for t in (t_1, t_2))
        expected = slope_1 @ t_1, slope_1 @ t_2, slope_2 @ t_2
        np.testing.assert_allclose(k, expected, rtol=1e-6, atol=1e-9)


def test_the_normal_of_a_superellipsoid_is_the_inverse_of_its_support_point(rng):
    _, numbers = SHAPES["superellipsoid"]
    for n in unit_vectors(rng, 10):
        _, x = supports.superellipsoid_support(np.array(numbers), 0, tuple(n))
        m = np.array(supports.superellipsoid_normal(np.array(numbers), 0, x))
        np.testing.assert_allclose(m / np.linalg.norm(m), n, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [1.2, 2.0, 3.0, 4.0, 8.0, 20.0])
def test_superellipsoids_of_one_exponent_are_those_of_two_that_are_equal(n, rng):
    numbers = np.array(superellipsoid(3e-3, 2e-3, 1.5e-3, n, n)[1])
    for m in [*unit_vectors(rng, 10), np.array([1e-9, 1.0, -1e-9]), np.array([0.6, -0.8, 1e-9])]:
        h, x = supports.superellipsoid_support(numbers, 0, tuple(m))
        again, place = supports.even_support(numbers, 0, tuple(m))
        assert again == pytest.approx(h, rel=1e-14)
        np.testing.assert_allclose(place, x, rtol=1e-13)
        axes = (1.0, 0.0, 0.0), (0.0, 0.6, 0.8)
        k = shape_registry.along_two(supports.superellipsoid_curvature(numbers, 0, tuple(m)), *axes)
        one = shape_registry.along_two(supports.even_curvature(numbers, 0, tuple(m)), *axes)
        np.testing.assert_allclose(one, k, rtol=1e-10, atol=1e-11 * max(abs(k[0]), abs(k[2])))


@pytest.mark.parametrize("exponents", [(1.2, 1.2), (20.0, 20.0), (1.2, 20.0), (20.0, 1.2)])
def test_extreme_exponents_stay_finite(exponents):
    """On the axes and beside them, of sizes from a nanometre to a kilometre."""
    for size in (1e-9, 1.0, 1e3):
        _, numbers = superellipsoid(size, 2 * size, 3 * size, *exponents)
        for n in AXES_AND_BESIDE:
            h, x = supports.superellipsoid_support(np.array(numbers), 0, n)
            assert size * 0.999 < h < 6 * size
            inside = (abs(x[0] / size) ** exponents[1] + abs(x[1] / 2 / size) ** exponents[1]) ** (
                exponents[0] / exponents[1]
            ) + abs(x[2] / 3 / size) ** exponents[0]
            assert inside == pytest.approx(1.0, rel=1e-12)
            k_1, w, k_2, v = supports.superellipsoid_curvature(np.array(numbers), 0, n)
            assert np.isfinite([k_1, *w, k_2, *v]).all()


def test_a_bound_ends_the_search_for_bodies_that_are_far_apart():
    a, b = body(SHAPES["ellipsoid"], Q_A), body(SHAPES["superellipsoid"], Q_B)
    full, early = found(a, b, (4e-3, 1e-3, 0)), found(a, b, (4e-3, 1e-3, 0), reach=0.0)
    assert early[0] < 0.0
    assert early[0] >= full[0]
    assert early[4] < full[4]


def solved_in_batch(pairs, start):
    """Results of `newton_batches` for pairs (A, B, r), which may take as many steps as they need."""
    rows = np.full(newton_batches.ROWS * BLOCK, math.nan)
    integers, numbers = np.zeros((newton_batches.INTEGERS, BLOCK), np.int64), []
    for t, (a, b, r) in enumerate(pairs):
        for one, kind, first, turn in (
            (a, newton_batches.KIND_A, newton_batches.FIRST_A, newton_batches.TURN_A),
            (b, newton_batches.KIND_B, newton_batches.FIRST_B, newton_batches.TURN_B),
        ):
            integers[kind, t], integers[first, t] = one.number, len(numbers)
            numbers += one.numbers[one.at :].tolist()
            write_quaternion(rows, turn, t, one.q)
        put(rows, newton_batches.WAY, t, r)
        newton_batches.begin_at(t, start[t], -math.inf, 0.0, rows)
    count = newton_batches.fill_to_width(len(pairs), integers, rows)
    results = [None] * len(pairs)
    for _ in range(newton_batches.MAX_STEPS):
        newton_batches.evaluate_normals(count, ALL, np.array(numbers), integers, rows, rows)
        for t in range(len(pairs)):
            if results[t] is None and rows[flat(newton_batches.STATUS, t)] == newton_batches.FOUND:
                results[t] = newton_batches.result_of(t, rows)
            newton_batches.begin_next_step(t, integers, rows)
    return results


def test_a_batch_finds_what_the_solver_of_one_pair_does():
    """From a normal that is off by a thousandth; to the bit the same in any column, whatever is in the others."""
    pairs, start, alone = [], [], []
    for first, second, way, *_ in DIGITS:
        a, b = (
            body(superellipsoid(*1e-3 * np.array(row[:3]), *row[3:]), q) for row, q in ((first, Q_A), (second, Q_B))
        )
        r = tuple((1e-3 * np.array(way)).tolist())
        g, n, x_a, x_b, _ = found(a, b, r)
        alone.append((g, n, 0.5 * (x_a + np.array(r) + x_b)))
        near = n + np.array([1e-3, -5e-4, 2e-4])
        pairs.append((a, b, r))
        start.append(tuple((near / np.linalg.norm(near)).tolist()))
    together = solved_in_batch(pairs, start)
    for (g, n, middle), (g_0, n_0, middle_0) in zip(together, alone, strict=True):
        assert g == pytest.approx(g_0, abs=1e-17)
        # of second order in the last step, of up to 1e-5; of third order in the overlap
        np.testing.assert_allclose(n, n_0, rtol=0, atol=1e-10)
        np.testing.assert_allclose(middle, middle_0, rtol=0, atol=3e-13)
    assert solved_in_batch(pairs[::-1], start[::-1])[::-1] == together


SHARP_A = dem.Superellipsoid(
    semi_axes=(0.0010773452352152576, 0.0006321894243327178, 0.0010787559897541966), exponents=(20, 20)
)
SHARP_B = dem.Superellipsoid(
    semi_axes=(0.001112760842068095, 0.0016841854949890083, 0.0009570452136789815), exponents=(20, 20)
)
Q_SHARP = [
    (0.4886310977316756, -0.796936873109883, 0.2411570023715568, -0.26071933341151493),
    (-0.15241567953191842, -0.45093363658267976, 0.7309173254052449, 0.4890686858239718),
]
R_SHARP = np.array([-0.002648537637213909, -0.0006085224101460232, -0.0010262221159124437])


def test_edges_that_are_hard_to_find_are_found_by_shifts_and_counted(rng):
    """The worst of 10 000 random pairs: its edges are so sharp that Newton's method does not end."""
    a, b = (
        body(("even superellipsoid", shape.convex_numbers), q)
        for shape, q in zip((SHARP_A, SHARP_B), Q_SHARP, strict=True)
    )
    g, n, x_a, x_b, steps, ending = overlap(a, b, tuple(R_SHARP.tolist()), NO_NORMAL, math.inf)
    assert ending == BY_SHIFTS
    assert steps > 100
    np.testing.assert_allclose(np.array(x_a) - R_SHARP - x_b, g * np.array(n), rtol=0, atol=1e-12)

    def value(m):
        return support_of(a, tuple(m))[0] + support_of(b, tuple(-m))[0] - m @ R_SHARP

    assert g == pytest.approx(value(np.array(n)), abs=1e-14)
    for width in (0.1, 1e-2, 1e-3, 1e-4):
        for away in width * rng.normal(size=(50, 3)):
            m = n + away
            assert value(m / np.linalg.norm(m)) >= g - 1e-14
    stuff = dem.Material(young=5e6, poisson=0.3, density=1500.0)
    positions = [[[0, 0, 0]], [R_SHARP]]
    pair = dem.Particles.concatenate(
        [
            dem.Particles(shape, stuff, position=x, orientation=[q])
            for shape, x, q in zip((SHARP_A, SHARP_B), positions, Q_SHARP, strict=True)
        ]
    )
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-7, threads=1)
    sim.step(1)
    line = str(sim.verdict())
    assert re.search(
        r"; contacts of convex shapes found in [\d.]+ steps, \d{3} at most, 1 of 2 by the slower search", line
    )


def test_concentric_bodies_have_an_overlap():
    g, n, *_ = found(body(SHAPES["ellipsoid"]), body(SHAPES["ellipsoid"]), (0, 0, 0))
    assert g == pytest.approx(1.6e-3, rel=1e-12)
    np.testing.assert_allclose(np.abs(n), (0, 0, 1), rtol=0, atol=1e-12)


def test_a_kind_of_ones_own_needs_a_row_only():
    class EggKind(NamedTuple):
        """A ball."""

    with pytest.raises(KeyError, match=r"no convex shape is registered for .*EggKind"):
        convex_kinds([EggKind])
    CONVEX_KINDS[EggKind] = ConvexKind("egg", supports.ball_support, supports.ball_curvature)
    try:
        kinds = convex_kinds([shape_registry.EllipsoidKind, EggKind])
        a = ConvexBody(kinds, 1, np.array([2e-3]), 0, UPRIGHT)
        b = ConvexBody(kinds, 0, np.array([1e-3, 1e-3, 1e-3]), 0, UPRIGHT)
        assert found(a, b, (2.5e-3, 0, 0))[0] == pytest.approx(5e-4, rel=1e-12)
    finally:
        del CONVEX_KINDS[EggKind]
