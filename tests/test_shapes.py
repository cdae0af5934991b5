"""Mass properties of the union of spheres."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import dem
from dem.model.particles.fields import MOTION, STATE

PUBLISHED = dem.Fibre(diameter=0.01, aspect_ratio=3)


def test_published_fibre_to_twelve_digits():
    """V = 5 π r³, I = 89/40 ρ π r⁵ and 3269/240 ρ π r⁵ (the integrals of the union by hand for n = 5, s = r)."""
    p = PUBLISHED.mass_properties(1100.0)
    assert p.volume == pytest.approx(1.963495408493621e-6, rel=1e-12)
    assert p.mass == pytest.approx(2.159844949342983e-3, rel=1e-12)
    assert p.inertia[0] == pytest.approx(2.402827506144068e-8, rel=1e-12)
    assert p.inertia[1] == p.inertia[2] == pytest.approx(1.470944404042127e-7, rel=1e-12)
    assert p.centre == (0, 0, 0)
    assert p.axes == (1, 0, 0, 0)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12])
@pytest.mark.parametrize("spacing", [0.001, 0.005, 0.0099, 0.01, 0.013])
def test_agrees_with_quadrature_of_the_outline(n, spacing):
    """Independent of the slabs: the outline is the upper envelope of circles, integrated numerically."""
    fibre = dem.Fibre(diameter=0.01, spheres=n, spacing=spacing)
    centres = (np.arange(n) - (n - 1) / 2) * spacing
    end = centres[-1] + 0.005
    kinks = sorted({*centres, *(centres - 0.005), *(centres + 0.005), *((centres[1:] + centres[:-1]) / 2)})

    def outline(x):
        return max(0.0, (0.005**2 - (x - centres) ** 2).max())

    def integral(f):
        edges = [-end, *(k for k in kinks if -end < k < end), end]
        return sum(quad(f, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(edges) if b > a)

    p = fibre.mass_properties(1.0)
    assert p.volume == pytest.approx(np.pi * integral(outline), rel=1e-10)  # quad to 1e-12 a piece
    assert p.inertia[0] == pytest.approx(np.pi / 2 * integral(lambda x: outline(x) ** 2), rel=1e-10)
    transverse = p.inertia[0] / 2 + np.pi * integral(lambda x: outline(x) * x**2)
    assert p.inertia[1] == pytest.approx(transverse, rel=1e-10)


def test_one_sphere_fibre_is_a_sphere():
    a = dem.Fibre(diameter=0.02, aspect_ratio=1).mass_properties(900.0)
    b = dem.Sphere(diameter=0.02).mass_properties(900.0)
    np.testing.assert_allclose(np.hstack(a), np.hstack(b), rtol=1e-14)


def test_gapped_spheres_add_up():
    """Parallel axes: I = Σ (2/5 m r² + m c²)."""
    p = dem.Fibre(diameter=0.01, spheres=3, spacing=0.03).mass_properties(1000.0)
    one = dem.Sphere(diameter=0.01).mass_properties(1000.0)
    assert p.mass == pytest.approx(3 * one.mass, rel=1e-14)
    assert p.inertia[1] == pytest.approx(3 * one.inertia[0] + 2 * one.mass * 0.03**2, rel=1e-14)


def test_two_of_three_sizes_fix_the_third():
    assert dem.Fibre(diameter=0.01, aspect_ratio=3, spheres=3).spacing == pytest.approx(0.01)
    assert dem.Fibre(diameter=0.01, spheres=5, spacing=0.005).aspect_ratio == pytest.approx(3)
    assert dem.Fibre(diameter=0.01, aspect_ratio=10).spheres == 19
    assert dem.Fibre(diameter=0.01, aspect_ratio=2.3).spacing <= 0.005


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"diameter": 0, "aspect_ratio": 3}, "diameter is 0 m, expected a finite number above 0"),
        ({"diameter": float("nan"), "aspect_ratio": 3}, "diameter is nan m"),
        ({"diameter": 0.01, "aspect_ratio": 0.5}, "aspect_ratio is 0.5, expected .* at least 1"),
        ({"diameter": 0.01}, "needs its aspect_ratio"),
        ({"diameter": 0.01, "spheres": 0}, "spheres is 0, expected at least 1"),
        ({"diameter": 0.01, "spheres": 5, "spacing": -1}, "spacing is -1 m"),
        ({"diameter": 0.01, "spheres": 5, "spacing": 0.005, "aspect_ratio": 4}, "make an aspect ratio of 3, not 4"),
        ({"diameter": 0.01, "spheres": 5, "spacing": 9e307}, "at most 1e\\+50"),
        ({"diameter": 0.01, "spheres": 2, "aspect_ratio": 1}, "coincide"),
        ({"diameter": 0.01, "spheres": 1, "aspect_ratio": 3}, "make an aspect ratio of 1, not 3"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        dem.Fibre(**arguments)


CLUMP = dem.Clump(offsets=[[0, 0, 0], [0.01, 0, 0]], radii=[0.01, 0.01])
STONE = dem.Material(young=5e7, poisson=0.35)
GROUP = dem.Particles(CLUMP, STONE, position=[[0, 0, 0], [1, 0, 0]])
SCALED = [
    dem.Sphere(diameter=0.01),
    dem.Fibre(diameter=0.01, spheres=3),
    dem.Capsule(diameter=0.01, length=0.03),
    CLUMP,
    dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)),
    dem.Superellipsoid(semi_axes=(0.003, 0.002, 0.001), exponents=(3, 3)),
    dem.RoundedCylinder(diameter=0.01, length=0.02, rounding=0.001),
    dem.FlexibleFibre(diameter=0.01, length=0.1, segments=4),
    dem.Polyhedron(vertices=[[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], rounding=1e-3),
]
KEPT = {
    "sphere": (dem.Sphere(diameter=0.01), ("offsets", "radii")),
    "fibre": (dem.Fibre(diameter=0.01, aspect_ratio=3), ("offsets", "radii")),
    "clump": (CLUMP, ("offsets", "radii")),
    "clump made larger": (CLUMP.scaled(2.0), ("offsets", "radii")),
    "particles": (GROUP, ("kind", *STATE)),
    "copies": (GROUP.copy(), ("kind", *STATE)),
}


@pytest.mark.parametrize(("thing", "names"), KEPT.values(), ids=KEPT)
def test_arrays_cannot_be_changed_in_place(thing, names):
    for name in names:
        array = getattr(thing, name)
        before = array.copy()
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.T.setflags(write=True)
        np.testing.assert_array_equal(getattr(thing, name), before)


@pytest.mark.parametrize(
    "value", [3.0, [1.0], [1, 2, 3], [[1, 2, 3]], [[1], [2]], np.zeros((2, 2)), np.zeros((1, 2, 3))]
)
@pytest.mark.parametrize("name", MOTION)
def test_a_state_of_another_shape_is_refused(name, value):
    """Rather than spread over all particles."""
    group = GROUP.copy()
    with pytest.raises(ValueError, match=f"{name} has shape"):
        setattr(group, name, value)
    assert group.revision == 0


@pytest.mark.parametrize("factor", ["a", 0.0, -2.0, math.nan], ids=str)
@pytest.mark.parametrize("shape", SCALED, ids=lambda shape: type(shape).__name__)
def test_a_scale_that_is_no_positive_number_is_refused(shape, factor):
    with pytest.raises((TypeError, ValueError), match=r"^factor is .*, expected a .*number"):
        shape.scaled(factor)
