"""Mass properties, sizes and surfaces of convex shapes, against closed forms and random points."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels.convex.shape_registry import CONVEX_KINDS
from scipy.spatial.transform import Rotation

from dem.model.shapes import ellipsoid
from dem.model.shapes.convex_hull import convex_hull, mesh_moments
from dem.model.shapes.ellipsoid import Ellipsoid, Superellipsoid
from dem.model.shapes.polyhedron import Polyhedron
from dem.model.shapes.rounded_cylinder import RoundedCylinder
from dem.model.walls import stl

IN_MM = [((3, 2, 1.5), (4, 3)), ((2, 2, 2), (4, 4)), ((3, 2, 1.5), (8, 6))]
VOLUMES = [5.558674177069e-08, 5.185589881429e-08, 6.663739741172e-08]  # m³, by 30 digits of the beta function


def in_mm(semi_axes, exponents):
    return Superellipsoid(semi_axes=1e-3 * np.array(semi_axes), exponents=exponents)


def surface_moments(vertices, triangles):
    """Volume, centre and area of a closed surface."""
    p, q, s = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(q - p, s - p)
    volumes = (p * normal).sum(1) / 6
    centre = (volumes[:, None] * (p + q + s)).sum(0) / 4 / volumes.sum()
    return volumes.sum(), centre, 0.5 * np.linalg.norm(normal, axis=1).sum()


def check_closed(triangles):
    """Every edge is shared by two triangles that run along it in opposite directions."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert {tuple(edge) for edge in edges.tolist()} == {tuple(edge[::-1]) for edge in edges.tolist()}


@pytest.mark.parametrize(("sizes", "volume"), list(zip(IN_MM, VOLUMES, strict=True)))
def test_volumes_of_superellipsoids(sizes, volume):
    assert in_mm(*sizes).volume == pytest.approx(volume, rel=1e-12)


def test_exponents_of_two_make_an_ellipsoid():
    semi_axes = (3e-3, 2e-3, 1.5e-3)
    one, other = Ellipsoid(semi_axes=semi_axes), Superellipsoid(semi_axes=semi_axes, exponents=(2, 2))
    np.testing.assert_allclose(one.mass_properties(1e3).inertia, other.mass_properties(1e3).inertia, rtol=1e-13)
    assert one.volume == pytest.approx(other.volume, rel=1e-14)
    assert one.radii == other.radii
    assert one.sphericity == other.sphericity


def test_the_sphericity_of_spheroids_in_closed_form():
    """Areas of a sphere, and of a prolate spheroid 2 π b² (1 + a/(b e) asin e), e² = 1 - b²/a²; quadrature: 1e-9."""
    assert Ellipsoid(semi_axes=(2.0, 2.0, 2.0)).sphericity == pytest.approx(1.0, rel=1e-12)
    a, b = 3.0, 1.2
    e = math.sqrt(1 - b * b / (a * a))
    area = 2 * math.pi * b * b * (1 + a / (b * e) * math.asin(e))
    shape = Ellipsoid(semi_axes=(b, a, b))
    assert shape.sphericity == pytest.approx((36 * math.pi * shape.volume**2) ** (1 / 3) / area, rel=1e-9)


@pytest.mark.parametrize("exponents", [(1.2, 1.5), (2.0, 4.0), (8.0, 6.0), (20.0, 20.0)])
def test_mass_properties_of_superellipsoids_by_random_points(exponents, rng):
    """Means of 2e5 points of the box about it; five standard errors, the chance of which is 6e-7 each."""
    shape = Superellipsoid(semi_axes=(1.3, 1.0, 0.7), exponents=exponents)
    n_1, n_2 = exponents
    half = np.array(shape.semi_axes)
    x = rng.uniform(-half, half, (200_000, 3))
    u = np.abs(x / half)
    inside = (u[:, 0] ** n_2 + u[:, 1] ** n_2) ** (n_1 / n_2) + u[:, 2] ** n_1 <= 1
    box = 8 * half.prod()
    squares = x**2
    moments = squares.sum(1)[:, None] - squares
    properties = shape.mass_properties(1.0)
    for exact, sample in ((shape.volume, inside), *zip(properties.inertia, (moments * inside[:, None]).T, strict=True)):
        assert exact == pytest.approx(box * sample.mean(), abs=5 * box * sample.std() / math.sqrt(len(sample)))


@pytest.mark.parametrize(
    "shape",
    [
        Ellipsoid(semi_axes=(1.0, 3.0, 0.5)),
        Superellipsoid(semi_axes=(1.3, 1.0, 0.7), exponents=(1.2, 1.5)),
        Superellipsoid(semi_axes=(1.3, 1.0, 0.7), exponents=(8.0, 3.0)),
    ],
)
@pytest.mark.few(1, long=99)
def test_surfaces_are_closed_outward_and_on_the_body(shape, rng):
    check_surface(shape, rng)


def check_surface(shape, rng):
    """Volume and area of the mesh go to those of the body; no place is beyond the bounding sphere or the support."""
    vertices, triangles = shape.surface_mesh(cells=40)
    check_closed(triangles)
    volume, centre, area = surface_moments(vertices, triangles)
    assert volume == pytest.approx(shape.volume, rel=5e-3)
    assert volume < shape.volume  # chords of a convex body
    np.testing.assert_allclose(centre, 0, atol=1e-4)
    assert (36 * math.pi * shape.volume**2) ** (1 / 3) / area == pytest.approx(shape.sphericity, rel=5e-3)
    distance = np.linalg.norm(vertices, axis=1).max()
    assert distance <= shape.radii[0] * (1 + 1e-12)
    assert distance == pytest.approx(shape.radii[0], rel=2e-3)
    support = CONVEX_KINDS[shape.convex_kind].support
    for n in rng.normal(size=(20, 3)):
        h, _ = support(np.array(shape.convex_numbers), 0, tuple(n / np.linalg.norm(n)))
        assert (vertices @ n).max() / np.linalg.norm(n) <= h * (1 + 1e-12)
        assert (vertices @ n).max() / np.linalg.norm(n) == pytest.approx(h, rel=1e-2)


def test_contact_radii_and_scaling():
    shape = Superellipsoid(semi_axes=(1.3, 1.0, 0.7), exponents=(8.0, 3.0))
    assert shape.contact_radius == pytest.approx((3 * shape.volume / (4 * math.pi)) ** (1 / 3), rel=1e-14)
    larger = shape.scaled(2.0)
    assert larger.contact_radius == pytest.approx(2 * shape.contact_radius, rel=1e-15)
    np.testing.assert_allclose(larger.mass_properties(1.0).inertia, 32 * np.array(shape.mass_properties(1.0).inertia))
    assert Ellipsoid(semi_axes=(1, 1, 2), contact_radius=0.5).scaled(3.0).contact_radius == 1.5


def test_sizes_share_what_depends_on_exponents_alone(monkeypatch):
    """A distribution has a thousand sizes; each call of `cube_norm` takes some 20 ms."""
    calls, cube_norm = [], ellipsoid.cube_norm
    monkeypatch.setattr(ellipsoid, "cube_norm", lambda *given: calls.append(given) or cube_norm(*given))
    for cached in (ellipsoid.area_nodes, ellipsoid.superball_mesh):
        cached.cache_clear()
    grains = [Superellipsoid(semi_axes=(k, 2 * k, 3 * k), exponents=(3.0, 5.0)) for k in (1e-3, 2e-3, 4e-3)]
    meshes = [(grain.sphericity, *grain.surface_mesh(2)) for grain in grains]
    assert len(calls) == 6  # three faces of a cube, for the area and for the mesh
    meshes[0][1][:], meshes[0][2][:] = 0, 0  # of the user
    vertices, triangles = grains[0].surface_mesh(2)
    np.testing.assert_array_equal(2 * vertices, meshes[1][1])
    np.testing.assert_array_equal(triangles, meshes[1][2])


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"semi_axes": (1, 0, 1)}, r"semi_axes\[1\] is 0 m, expected a finite number at least|above 0"),
        ({"semi_axes": (1, 1)}, "semi_axes has shape"),
        ({"semi_axes": (1, 1e-4, 1)}, "the longest is more than 1000 times the shortest"),
        ({"semi_axes": (1, 1, 1), "contact_radius": -1.0}, "contact_radius is -1 m"),
    ],
)
def test_sizes_of_ellipsoids_that_make_no_sense(keywords, message):
    with pytest.raises(ValueError, match=message):
        Ellipsoid(**keywords)


def test_exponents_out_of_range():
    with pytest.raises(
        ValueError, match=r"n1 of exponents is 1, expected a finite number at least 1\.2 and at most 20"
    ):
        Superellipsoid(semi_axes=(1, 1, 1), exponents=(1, 2))


CUBE = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
GOLDEN = (1 + math.sqrt(5)) / 2
ICOSAHEDRON = np.array(
    [p for k in range(3) for a in (-1, 1) for b in (-GOLDEN, GOLDEN) for p in [np.roll((0, a, b), k)]]
)


def test_hulls_of_platonic_solids_have_their_faces():
    for vertices, faces, corners in ((CUBE, 6, 4), (ICOSAHEDRON, 20, 3), (dodecahedron(), 12, 5)):
        extra = np.concatenate([vertices, vertices.mean(0) + 0.5 * (vertices - vertices.mean(0))])
        hull = convex_hull(extra)
        assert len(hull.vertices) == len(vertices)
        assert [len(face) for face in hull.faces] == faces * [corners]
        check_closed(hull.triangles)
        inside = (hull.vertices @ hull.normals.T - hull.heights).max()
        assert abs(inside) < 1e-12
        assert len(hull.vertices) - sum(map(len, hull.faces)) / 2 + faces == 2  # Euler


def dodecahedron():
    a, b = 1 / GOLDEN, GOLDEN
    return np.concatenate(
        [2 * CUBE - 1, [np.roll((0, s * a, t * b), k) for k in range(3) for s in (-1, 1) for t in (-1, 1)]]
    )


def test_a_rounded_cube_in_closed_form():
    """Core e³, slabs 6 e² R, wedges 3 π e R², a ball; its moments as those of slabs, rods and eighths of a ball."""
    r, edge = 0.1, 0.8
    die = Polyhedron(vertices=CUBE, rounding=r)
    ball = 4 / 3 * math.pi * r**3
    volume = edge**3 + 6 * edge**2 * r + 3 * math.pi * edge * r**2 + ball
    assert die.volume == pytest.approx(volume, rel=1e-13)
    np.testing.assert_allclose(die.centre, 0.5, rtol=1e-13)
    square = edge**5 / 12 + 4 * edge**2 * r * edge**2 / 12 + 2 * edge**2 * r * ((edge / 2 + r / 2) ** 2 + r**2 / 12)
    square += math.pi * r**2 * edge * (edge**2 / 12 + 2 * (edge**2 / 4 + edge * 4 * r / (3 * math.pi) + r**2 / 4))
    square += ball * (edge**2 / 4 + edge * 3 * r / 8 + r**2 / 5)
    np.testing.assert_allclose(die.mass_properties(1.0).inertia, 2 * square, rtol=1e-12)
    area = 6 * edge**2 + 6 * math.pi * edge * r + 4 * math.pi * r**2
    assert die.sphericity == pytest.approx((36 * math.pi * volume**2) ** (1 / 3) / area, rel=1e-12)
    assert die.radii[0] == pytest.approx(math.sqrt(3) * edge / 2 + r, rel=1e-13)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.few(0, long=99)
def test_moments_of_rounded_polyhedra_by_random_points(seed):
    """2e5 points of a box about it, by the distance from the core; five standard errors, a chance of 6e-7 each."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3)) * (1.0, 0.7, 0.5)
    shape = Polyhedron(vertices=points, rounding=0.15)
    core = np.array(shape.convex_numbers[2 : 2 + 3 * int(shape.convex_numbers[1])]).reshape(-1, 3)
    half = np.abs(core).max(0) + shape.rounding
    x = rng.uniform(-half, half, (200_000, 3))
    hull = convex_hull(core)
    beyond = (x @ hull.normals.T - hull.heights).max(1)
    inside = beyond <= 0
    open_ = np.flatnonzero(~inside & (beyond <= shape.rounding))  # others are further away than a plane of a face
    near = [distance_from_triangle(x[open_], *corners) for corners in hull.vertices[hull.triangles]]
    inside[open_] = np.min(near, axis=0) <= shape.rounding
    box, squares = 8 * half.prod(), x**2
    properties = shape.mass_properties(1.0)
    products = [x[:, 0] * x[:, 1], x[:, 1] * x[:, 2], x[:, 2] * x[:, 0], *x.T]
    for exact, values in (
        (shape.volume, np.ones(len(x))),
        *zip(properties.inertia, (squares.sum(1)[:, None] - squares).T, strict=True),
        *((0.0, values) for values in products),  # about the centre of mass, in principal axes
    ):
        sample = values * inside
        assert exact == pytest.approx(box * sample.mean(), abs=5 * box * sample.std() / math.sqrt(len(sample)))


def distance_from_triangle(x, p, q, s):
    """Distances of places (N, 3) from a triangle: from its plane where they are above it, else from its edges."""
    least = np.full(len(x), np.inf)
    normal = np.cross(q - p, s - p)
    above = np.ones(len(x), dtype=bool)
    for a, b in ((p, q), (q, s), (s, p)):
        share = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        least = np.minimum(least, np.linalg.norm(x - a - share[:, None] * (b - a), axis=1))
        above &= (x - a) @ np.cross(normal, b - a) >= 0
    return np.where(above, np.abs((x - p) @ normal) / np.linalg.norm(normal), least)


def test_a_turned_polyhedron_is_the_same_body(rng):
    """Vertices in any frame; the frame of the body is that of its principal axes."""
    vertices = rng.normal(size=(10, 3)) * (1.0, 0.7, 0.5)
    turn = Rotation.random(rng=rng)
    one = Polyhedron(vertices=vertices, rounding=0.05)
    other = Polyhedron(vertices=turn.apply(vertices) + np.array([1.0, 2.0, 3.0]), rounding=0.05)
    np.testing.assert_allclose(other.mass_properties(1.0).inertia, one.mass_properties(1.0).inertia, rtol=1e-11)
    stands = Rotation.from_quat(other.axes, scalar_first=True).apply(np.array(other.vertices)) + other.centre
    given = turn.apply(
        Rotation.from_quat(one.axes, scalar_first=True).apply(np.array(one.vertices)) + one.centre
    ) + np.array([1, 2, 3])
    np.testing.assert_allclose(sorted(stands.tolist()), sorted(given.tolist()), atol=1e-10)
    again = Polyhedron.restored(other.saved())
    assert again == other
    assert hash(again) == hash(other)
    assert other.scaled(2.0).volume == pytest.approx(8 * other.volume, rel=1e-14)
    assert other.scaled(2.0).radii[0] == pytest.approx(2 * other.radii[0], rel=1e-14)


def test_a_rounded_cylinder_by_quadrature():
    """Volume, moments and area of a solid of revolution, by Simpson's rule on the angle of the rounded edge."""
    shape = RoundedCylinder(diameter=2.4, length=1.4, rounding=0.3)
    r, l = shape.core
    a = np.linspace(0, math.pi / 2, 4001)
    weights = np.full(4001, 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    weights *= a[1] / 3
    t, s = 0.3 * np.sin(a), 0.3 * np.cos(a)
    dt = 0.3 * np.cos(a) * weights
    properties = shape.mass_properties(1.0)
    volume = 2 * math.pi * (l * 1.2**2 + ((r + s) ** 2 * dt).sum())
    axial = math.pi * (l * 1.2**4 + ((r + s) ** 4 * dt).sum())
    across = axial / 2 + 2 * math.pi * (1.2**2 * l**3 / 3 + ((r + s) ** 2 * (l + t) ** 2 * dt).sum())
    assert shape.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(properties.inertia, (axial, across, across), rtol=1e-12)
    area = 2 * math.pi * r**2 + 4 * math.pi * 1.2 * l + 4 * math.pi * 0.3 * ((r + s) * weights).sum()
    assert shape.sphericity == pytest.approx((36 * math.pi * volume**2) ** (1 / 3) / area, rel=1e-12)


@pytest.mark.parametrize(
    "shape",
    [
        RoundedCylinder(diameter=2.0, length=1.0, rounding=0.2),
        Polyhedron(vertices=CUBE, rounding=0.1),
        Polyhedron(vertices=ICOSAHEDRON, rounding=0.3),
    ],
)
@pytest.mark.few(1, long=99)
def test_surfaces_with_faces_are_closed_outward_and_on_the_body(shape, rng):
    check_surface(shape, rng)


def test_polyhedra_that_make_no_sense():
    with pytest.raises(ValueError, match="all points are in one plane"):
        Polyhedron(vertices=CUBE[:4], rounding=0.1)
    with pytest.raises(ValueError, match="no ball of this radius fits into the polyhedron"):
        Polyhedron(vertices=CUBE, rounding=0.5)
    with pytest.raises(ValueError, match="a polyhedron has 3 vertices"):
        Polyhedron(vertices=CUBE[:3], rounding=0.1)
    u = np.random.default_rng(1).normal(size=(401, 3))
    with pytest.raises(ValueError, match="the hull has 401 corners, at most 400"):
        Polyhedron(vertices=u / np.linalg.norm(u, axis=1)[:, None], rounding=0.1)
    u = u[:110]  # of these, some six faces meet in a corner of the hull, and three in each of the core
    with pytest.raises(ValueError, match=r"the hull less its rounding has 4.. corners, at most 400"):
        Polyhedron(vertices=u / np.linalg.norm(u, axis=1)[:, None], rounding=0.1)
    with pytest.raises(ValueError, match=r"take dem\.Capsule"):
        RoundedCylinder(diameter=1.0, length=1.0, rounding=0.5)
    with pytest.raises(ValueError, match="a polyhedron lacks _area"):
        Polyhedron.restored({k: v for k, v in Polyhedron(vertices=CUBE, rounding=0.1).saved().items() if k != "_area"})


def test_a_polyhedron_from_a_file(tmp_path):
    """The hull of a mesh in millimetres."""
    hull = convex_hull(CUBE)
    stl.write_stl(tmp_path / "die.stl", hull.vertices, hull.triangles)
    shape = Polyhedron.from_mesh(tmp_path / "die.stl", rounding=1e-4, scale=1e-3)
    assert shape.volume == pytest.approx(Polyhedron(vertices=1e-3 * CUBE, rounding=1e-4).volume, rel=1e-6)


@pytest.mark.parametrize(("count", "seed"), [(50, 0), (100, 4)])
def test_a_rounding_that_is_too_small_for_an_irregular_hull_is_refused(count, seed):
    """Each corner of many faces has several of the core, as close as the rounding is small."""
    points = np.random.default_rng(seed).normal(size=(count, 3))
    with pytest.raises(ValueError, match=r"rounding is 0\.01 m, too small for a hull of \d+ corners and .* m or more"):
        Polyhedron(vertices=points, rounding=0.01)
    sharp = mesh_moments(*convex_hull(points)[:2]).volume
    shape = Polyhedron(vertices=points, rounding=0.06)
    assert 0 < 1 - shape.volume / sharp < 0.06**2  # what edges lose
    core = convex_hull(shape._core)
    edges = [edge for face in core.faces for edge in zip(face, face[1:] + face[:1], strict=True)]
    assert sorted(edges) == sorted((b, a) for a, b in edges)
