"""Mass properties, sizes and surfaces of convex shapes, against closed forms and random points."""

import math

import numpy as np
import pytest
from dem.kernels.convex.shape_kinds import CONVEX_KINDS

from dem.model.shapes.ellipsoid import Ellipsoid, Superellipsoid

IN_MM = [((3, 2, 1.5), (4, 3)), ((2, 2, 2), (4, 4)), ((3, 2, 1.5), (8, 6))]
VOLUMES = [5.558674177069e-08, 5.185589881429e-08, 6.663739741172e-08]  # m³, by 30 digits of the beta function


def in_mm(semi_axes, exponents):
    return Superellipsoid(semi_axes=1e-3 * np.array(semi_axes), exponents=exponents)


def mesh_moments(vertices, triangles):
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
def test_surfaces_are_closed_outward_and_on_the_body(shape, rng):
    """Volume and area of the mesh go to those of the body; no place is beyond the bounding sphere or the support."""
    vertices, triangles = shape.surface_mesh(cells=40)
    check_closed(triangles)
    volume, centre, area = mesh_moments(vertices, triangles)
    assert volume == pytest.approx(shape.volume, rel=5e-3)
    assert volume < shape.volume  # chords of a convex body
    np.testing.assert_allclose(centre, 0, atol=1e-12)
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
