"""Shapes of particles: rigid bodies made of spheres, with the mass properties of the union of those spheres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from dem.base import checks, portable
from dem.base.text import counted, shown, with_article
from dem.base.user_classes import frozen, hinted

# in one particle: two such touching make 2^24 pairs, what kernels/soft/neighbours/candidate_pairs.py can count
MAX_SPHERES = 4000


class MassProperties(NamedTuple):
    """Mass and inertia of one rigid body.

    Attributes
    ----------
    volume : float
        [m³].
    mass : float
        [kg].
    centre : (3,) floats
        Centre of mass in the frame of the offsets [m].
    inertia : (3,) floats
        Principal moments of inertia about the centre of mass [kg m²].
    axes : (4,) floats
        Unit quaternion, scalar first, from the principal frame to the frame of the offsets.

    Examples
    --------
    >>> import dem
    >>> ball = dem.Sphere(diameter=0.01).mass_properties(density=2500.0)  # π/6 ρ d³, and m d²/10 about any axis
    >>> round(ball.mass, 9), [round(moment, 12) for moment in ball.inertia]
    (0.001308997, [1.309e-08, 1.309e-08, 1.309e-08])
    """

    volume: float
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float]
    axes: tuple[float, float, float, float]

    @classmethod
    def centred(cls, volume: float, density: float, inertia: tuple[float, float, float]) -> MassProperties:
        """Mass properties of a body whose offsets are about its centre of mass and in principal axes."""
        return cls(volume, density * volume, (0.0, 0.0, 0.0), inertia, (1.0, 0.0, 0.0, 0.0))


AS_GIVEN = "as-given"  # an orientation: spheres or vertices stand as they were given


def standing(shape: Shape) -> tuple[float, float, float, float]:
    """Orientation that restores the given pose of a shape: the `axes` of a clump or a polyhedron.

    Of all other shapes it is (1, 0, 0, 0), as their offsets are in the body frame already.

    Examples
    --------
    >>> import dem
    >>> standing(dem.Fibre(diameter=0.01, aspect_ratio=3))
    (1.0, 0.0, 0.0, 0.0)
    >>> clump = dem.Clump(offsets=[[0, 0, 0], [0, 0, 0.01]], radii=[0.01, 0.01])
    >>> standing(clump) == clump.axes
    True
    """
    return getattr(shape, "as_given", (1.0, 0.0, 0.0, 0.0))


def kind_of_shape(shape: object) -> str:
    """Class of a shape with its article, for messages: its values can be arrays of hundreds of points.

    Examples
    --------
    >>> kind_of_shape(Fibre(diameter=0.01, aspect_ratio=3))
    'a Fibre'
    """
    return with_article(type(shape).__name__)


class Shape(Protocol):
    """Properties of a shape that the engine uses; sphere centres are about the centre of mass, in principal axes.

    Examples
    --------
    >>> import dem
    >>> fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)  # is one
    >>> fibre.offsets[:, 0].tolist(), fibre.radii.tolist()
    ([-0.01, -0.005, 0.0, 0.005, 0.01], [0.005, 0.005, 0.005, 0.005, 0.005])
    """

    @property
    def offsets(self) -> np.ndarray:
        """Sphere centres (K, 3) in the body frame [m]."""

    @property
    def radii(self) -> np.ndarray:
        """Sphere radii (K,) [m]."""

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""


@hinted
@dataclass(frozen=True, kw_only=True)
class Fibre:
    r"""Equal spheres on a line, body x: overlapping, touching or with gaps.

    Two of `aspect_ratio`, `spheres` and `spacing` fix the third; with `spheres` alone they stand half a diameter
    apart, with `aspect_ratio` alone likewise, or as little less as makes their number whole.

    Parameters
    ----------
    diameter : float
        Diameter of the spheres [m].
    aspect_ratio : float, optional
        Overall length over diameter, at least 1.
    spheres : int, optional
        Number of spheres.
    spacing : float, optional
        Distance of neighbouring centres [m].

    Raises
    ------
    ValueError
        If a size is not positive, the three contradict each other, or there are more than 4000 spheres.

    Notes
    -----
    With radius r, spacing s and n spheres at c_i = (i - (n-1)/2) s, a point of the union belongs to its nearest
    centre: slabs |u| <= h = min(s/2, r) about each centre, plus the two end caps. With u along the axis,

    V = π ∫ (r² - u²) du,  I_axial = ρ π/2 ∫ (r² - u²)² du,  I_transverse = I_axial/2 + ρ π ∫ (r² - u²)(c_i + u)² du

    over all slabs: polynomials, evaluated exactly. For n = 5, s = r (the fibre of Zhao & van Wachem 2013, Table 1):
    V = 5 π r³, I_axial = 89/40 ρ π r⁵, I_transverse = 3269/240 ρ π r⁵.

    Examples
    --------
    >>> fibre = Fibre(diameter=0.01, aspect_ratio=3)
    >>> fibre.spheres, fibre.spacing
    (5, 0.005)
    >>> fibre.mass_properties(1100.0).mass
    0.002159844949342983
    """

    diameter: float
    aspect_ratio: float | None = None
    spheres: int | None = None
    spacing: float | None = None

    def __post_init__(self) -> None:
        """Compute the missing one of the three sizes."""
        d = checks.number("diameter", self.diameter, above=0, unit="m")
        ratio, n, s = self.aspect_ratio, self.spheres, self.spacing
        if ratio is not None:
            ratio = checks.number("aspect_ratio", ratio, least=1, most=MAX_SPHERES)
        if n is not None:
            n = checks.whole("spheres", n, least=1)
        if s is not None:
            s = checks.number("spacing", s, above=0, unit="m")
        if n is None and ratio is None:
            raise ValueError("a fibre needs its aspect_ratio or its number of spheres: give one of them")
        if n is None:
            n = 1 + math.ceil((ratio - 1) * d / (s if s is not None else d / 2) - 1e-9)
        if s is None:
            length = d / 2 * (n - 1) if ratio is None else (ratio - 1) * d
            s = length / (n - 1) if n > 1 else d / 2
        implied = 1 + (n - 1) * s / d
        if ratio is None:
            ratio = implied
        elif abs(ratio - implied) > 1e-9 * ratio:
            raise ValueError(
                f"{counted(n, 'sphere')} of diameter {d:g} m every {s:g} m make an aspect ratio of {implied:g}, "
                f"not {ratio:g}: leave one of the three out"
            )
        if s <= 0:
            raise ValueError(f"{n} spheres in an aspect ratio of {ratio:g} coincide: use one sphere or a larger ratio")
        if not math.isfinite(implied * d):
            raise ValueError(f"a fibre of {n} spheres every {s:g} m is too long to measure: lower the spacing")
        if n > MAX_SPHERES:
            raise ValueError(f"a fibre of {n} spheres, expected {MAX_SPHERES} at most: give fewer, or a larger spacing")
        for name, value in (("diameter", d), ("aspect_ratio", ratio), ("spheres", n), ("spacing", s)):
            object.__setattr__(self, name, value)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Sphere centres (n, 3) in the body frame [m]."""
        x = (np.arange(self.spheres) - 0.5 * (self.spheres - 1)) * self.spacing
        return frozen(np.column_stack([x, np.zeros_like(x), np.zeros_like(x)]))

    @cached_property
    def radii(self) -> np.ndarray:
        """Sphere radii (n,) [m]."""
        return frozen(np.full(self.spheres, 0.5 * self.diameter))

    def scaled(self, factor: float) -> Fibre:
        """Fibre scaled by a factor."""
        factor = checks.number("factor", factor, above=0)
        return Fibre(diameter=factor * self.diameter, spheres=self.spheres, spacing=factor * self.spacing)

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties of the union of the spheres for a density [kg/m³]."""
        checks.number("density", density, above=0, unit="kg/m3")
        r = 0.5 * self.diameter
        h = min(0.5 * self.spacing, r)
        centres = self.offsets[:, 0].tolist()
        volume = axial = second_moment = 0.0
        for c in centres:
            low = -r if c == centres[0] else -h
            high = r if c == centres[-1] else h
            v, a, m = (f(r, c, high) - f(r, c, low) for f in (_slab_volume, _slab_axial, _slab_second_moment))
            volume, axial, second_moment = volume + v, axial + a, second_moment + m
        axial *= density
        transverse = 0.5 * axial + density * second_moment
        return MassProperties.centred(volume, density, (axial, transverse, transverse))


def _slab_volume(r: float, c: float, u: float) -> float:
    """Antiderivative of π (r² - u²)."""
    return math.pi * (r**2 * u - u**3 / 3)


def _slab_axial(r: float, c: float, u: float) -> float:
    """Antiderivative of π/2 (r² - u²)²."""
    return math.pi / 2 * (r**4 * u - 2 * r**2 * u**3 / 3 + u**5 / 5)


def _slab_second_moment(r: float, c: float, u: float) -> float:
    """Antiderivative of π (r² - u²)(c + u)²."""
    return math.pi * (
        c**2 * (r**2 * u - u**3 / 3) + 2 * c * (r**2 * u**2 / 2 - u**4 / 4) + (r**2 * u**3 / 3 - u**5 / 5)
    )


@hinted
@dataclass(frozen=True, kw_only=True)
class Sphere:
    """A ball.

    Parameters
    ----------
    diameter : float
        Diameter [m], positive.

    Raises
    ------
    ValueError
        If the diameter is not positive.

    Examples
    --------
    >>> ball = Sphere(diameter=0.01)
    >>> volume, mass, *_ = ball.mass_properties(1100.0)
    >>> round(mass, 9)
    0.000575959
    """

    diameter: float

    def __post_init__(self) -> None:
        """Check the diameter."""
        object.__setattr__(self, "diameter", checks.number("diameter", self.diameter, above=0, unit="m"))

    @property
    def offsets(self) -> np.ndarray:
        """The centre, (1, 3) [m]."""
        return frozen(np.zeros((1, 3)))

    @property
    def radii(self) -> np.ndarray:
        """The radius, (1,) [m]."""
        return frozen(np.array([0.5 * self.diameter]))

    def scaled(self, factor: float) -> Sphere:
        """Sphere scaled by a factor."""
        factor = checks.number("factor", factor, above=0)
        return Sphere(diameter=factor * self.diameter)

    def expanded(self, factor: float) -> ExpandedSphere:
        """Sphere of the same mass with `factor` times the diameter."""
        return ExpandedSphere(diameter=factor * self.diameter, cold=self.diameter)

    def mass_properties(self, density: float) -> MassProperties:
        """V = π D³/6, m = ρ V, I = m D²/10 about any axis."""
        checks.number("density", density, above=0, unit="kg/m3")
        volume = math.pi / 6 * self.diameter**3
        mass = density * volume
        inertia = 0.1 * mass * self.diameter**2
        return MassProperties.centred(volume, density, (inertia,) * 3)


@dataclass(frozen=True, kw_only=True)
class ExpandedSphere(Sphere):
    """Sphere that has grown from the diameter `cold` [m] at the same mass; its volume is that of the cold sphere."""

    cold: float

    def mass_properties(self, density: float) -> MassProperties:
        """Mass and volume of the cold sphere, I = m D²/10."""
        before = Sphere(diameter=self.cold).mass_properties(density)
        return MassProperties.centred(before.volume, density, (0.1 * before.mass * self.diameter**2,) * 3)


class ConvexShape:
    """A convex shape given by a support function; its only sphere is the bounding one.

    Derived classes have ``volume`` [m³], ``area`` [m²], ``radii`` and ``convex_numbers``, which the support function of
    their kind reads.
    """

    CONVEX_KIND: ClassVar[str]  # name of its class in `dem.kernels.convex.shape_registry`

    @property
    def convex_kind(self) -> type:
        """Kind of the convex shape, see `dem.kernels.convex.shape_registry`."""
        return getattr(
            import_module("dem.kernels.convex.shape_registry"), self.CONVEX_KIND
        )  # runs are read without numba

    @property
    def offsets(self) -> np.ndarray:
        """Centre of its bounding sphere (1, 3) [m]."""
        return frozen(np.zeros((1, 3)))

    @cached_property
    def sphericity(self) -> float:
        """Surface of a sphere of equal volume over that of the shape (H. Wadell, J. Geol. 40 (1932) 443)."""
        return float(portable.cube_root(36.0 * math.pi * self.volume**2)) / self.area


def checked_contact_radius(radius: float | None, volume: float) -> float:
    """Radius in contact laws [m]: as given, or that of the sphere of this volume [m³]."""
    if radius is None:
        return float(portable.cube_root(3.0 * volume / (4.0 * math.pi)))
    return checks.number("contact_radius", radius, above=0, unit="m")


def check_shape(shape: Shape, density: float) -> None:
    """Refuse a shape that the engine does not support; raises ValueError or TypeError with the reason.

    Offsets are about the centre of mass and in principal axes, so `mass_properties` must say so: centre (0, 0, 0),
    axes (1, 0, 0, 0).
    """
    if isinstance(shape, type) or not all(hasattr(shape, name) for name in ("offsets", "radii", "mass_properties")):
        raise TypeError(f"shape is {shown(shape)}, expected a shape such as dem.Fibre(diameter=0.01, aspect_ratio=3)")
    for name in ("offsets", "radii"):
        if not isinstance(getattr(shape, name), np.ndarray):
            raise TypeError(f"{name} of the shape is {shown(getattr(shape, name))}, expected a numpy array")
    count = max(1, np.size(shape.radii))
    radii = checks.array("radii of the shape", shape.radii, (count,), "of its spheres [m]", rows="N")
    checks.array(
        "offsets of the shape", shape.offsets, (count, 3), "sphere centres about the centre of mass [m]", rows="N"
    )
    checks.number("smallest radius of the shape", radii.min(), above=0, unit="m")
    properties = shape.mass_properties(density)
    if not isinstance(properties, MassProperties):
        message = f"mass_properties of the shape returns {type(properties).__name__}, expected dem.MassProperties"
        raise TypeError(message)
    checks.number("mass of the shape", properties.mass, above=0, unit="kg")
    inertia = np.sort(checks.array("inertia of the shape", properties.inertia, (3,), "principal moments [kg m2]"))
    checks.number("smallest moment of inertia of the shape", inertia[0], above=0, unit="kg m2")
    if inertia[2] > (inertia[0] + inertia[1]) * (1 + 1e-9):
        message = (
            f"inertia of the shape is {tuple(properties.inertia)}, but no moment can exceed the sum of the other two: "
            "let mass_properties return principal moments"
        )
        raise ValueError(message)
    size = np.abs(shape.offsets).max() + radii.max()
    if np.abs(properties.centre).max() > 1e-9 * size or abs(abs(properties.axes[0]) - 1) > 1e-9:
        raise ValueError("the shape is not centred or turned: give offsets about the centre of mass, in principal axes")
