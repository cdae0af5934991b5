"""Capsules: smooth fibres, cylinders with half spheres for ends; and the segments of flexible fibres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.user_classes import frozen, hinted
from dem.model.shapes.convex import filling, is_convex
from dem.model.shapes.shape import MassProperties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

LONGEST = 1e6  # length over diameter
SAME = 1e-9  # relative; two sizes closer than this say the same
MIN_DIVISOR = 1e-300  # in place of a length of zero


@hinted
@dataclass(frozen=True, kw_only=True)
class Capsule:
    r"""A cylinder with half spheres for ends, its axis body x: all points within a radius of a segment.

    One of `length` and `aspect_ratio` fixes the other.

    Parameters
    ----------
    diameter : float
        Diameter of the cylinder and of its ends [m].
    aspect_ratio : float, optional
        Length of the whole over diameter, above 1.
    length : float, optional
        Length with both ends [m]; above the diameter.

    Raises
    ------
    ValueError
        If a size is not positive, the capsule would be a ball or less, or the two lengths contradict each other.

    Notes
    -----
    With radius R, length L of the cylinder alone, and density ρ,

    V = π R² L + 4/3 π R³,  I_axial = ρ π (R⁴ L/2 + 8 R⁵/15),
    I_transverse = ρ π [R² L (L²/12 + R²/4) + 4/3 R³ (2 R²/5 + L²/4 + 3 L R/8)].

    Two capsules touch at the closest points of their segments, and at two ends where they are nearly parallel; walls
    touch their ends, and edges and bulges their sides. See docs/capsules.md.

    Examples
    --------
    >>> capsule = Capsule(diameter=0.01, aspect_ratio=3)
    >>> capsule.length
    0.03
    >>> capsule.mass_properties(1100.0).mass
    0.0023038346126325153
    """

    diameter: float
    aspect_ratio: float | None = None
    length: float | None = None

    def __post_init__(self) -> None:
        """Compute the missing one of the two lengths."""
        d = checks.number("diameter", self.diameter, above=0, unit="m")
        ratio, length = self.aspect_ratio, self.length
        if ratio is None and length is None:
            raise ValueError("a capsule needs its length, of the whole with both ends, or its aspect_ratio: give one")
        if ratio is not None:
            ratio = checks.number("aspect_ratio", ratio, least=0)
        if length is not None:
            length = checks.number("length", length, above=0, unit="m")
        ratio = length / d if ratio is None else ratio
        length = ratio * d if length is None else length
        if abs(length - ratio * d) > SAME * length:
            message = f"length {length:g} m over diameter {d:g} m is {length / d:g}, not aspect_ratio {ratio:g}: "
            raise ValueError(message + "leave one of the two out")
        if not (ratio > 1 and length > d):
            raise ValueError(
                f"a capsule of length {length:g} m and diameter {d:g} m, aspect_ratio {ratio:.3g}, has no cylinder "
                "between its ends: its length, ends included, has to be above its diameter; take dem.Sphere for a ball"
            )
        if ratio > LONGEST:
            message = f"aspect_ratio is {ratio:g}, expected {LONGEST:g} at most: shorten the capsule, or thicken it"
            raise ValueError(message)
        for name, value in (("diameter", d), ("aspect_ratio", ratio), ("length", length)):
            object.__setattr__(self, name, value)

    @property
    def half_length(self) -> float:
        """Distance from the centre to the centre of either end [m]."""
        return 0.5 * (self.length - self.diameter)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Centres of its two ends (2, 3) in the body frame [m]."""
        return frozen(np.array([[-self.half_length, 0.0, 0.0], [self.half_length, 0.0, 0.0]]))

    @cached_property
    def radii(self) -> np.ndarray:
        """Radii of its two ends (2,) [m]."""
        return frozen(np.full(2, 0.5 * self.diameter))

    def scaled(self, factor: float) -> Capsule:
        """Capsule scaled by a factor."""
        factor = checks.number("factor", factor, above=0)
        return Capsule(diameter=factor * self.diameter, length=factor * self.length)

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties for a density [kg/m³]."""
        checks.number("density", density, above=0, unit="kg/m3")
        r, l = 0.5 * self.diameter, 2 * self.half_length
        volume = math.pi * (r**2 * l + 4 / 3 * r**3)
        axial = density * math.pi * (r**4 * l / 2 + 8 * r**5 / 15)
        transverse = (
            density * math.pi
            * (r**2 * l * (l**2 / 12 + r**2 / 4) + 4 / 3 * r**3 * (2 * r**2 / 5 + l**2 / 4 + 3 * l * r / 8))
        )  # fmt: skip
        return MassProperties.centred(volume, density, (axial, transverse, transverse))


def chain(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Spheres that represent a shape, centres (S, 3) and radii (S,) [m]: its own; a chain for a capsule, to 0.8 % of R.

    Of a convex shape, balls inside it.
    """
    if is_convex(shape):
        return filling(shape)
    if not half_length_of(shape):
        return shape.offsets, shape.radii
    centres, radii = hull_of(shape.half_length, 0.5 * shape.diameter)
    return centres, np.full_like(radii, 0.5 * shape.diameter)


def hull(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Centres (S, 3) and radii (S,) [m] of spheres that cover a shape; those of a capsule are slightly thicker."""
    half = half_length_of(shape)
    return hull_of(half, 0.5 * shape.diameter) if half else (shape.offsets, shape.radii)


def hull_of(half: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Centres (S, 3) and radii (S,) [m] of spheres that cover a capsule, from half its axis and its radius [m]."""
    x = np.linspace(-half, half, 1 + math.ceil(8 * half / radius))
    thicker = np.hypot(radius, 0.5 * (x[1] - x[0])) if x.size > 1 else radius
    return np.column_stack([x, np.zeros_like(x), np.zeros_like(x)]), np.full(x.size, thicker)


def half_length_of(shape: Shape) -> float:
    """Half the length of the segment on the axis of a capsule [m]; 0 for other shapes."""
    return shape.half_length if isinstance(shape, (Capsule, FibreSegment)) else 0.0


def has_capsules(variants: Sequence[tuple[Shape, Material]]) -> bool:
    """Whether there are capsules among the shapes and materials."""
    return any(half_length_of(shape) for shape, _ in variants)


def has_clusters(variants: Sequence[tuple[Shape, Material]]) -> bool:
    """Whether a variant has several spheres, or one that is off the centre of mass."""
    return any(
        not half_length_of(shape) and (len(shape.radii) > 1 or bool(np.any(shape.offsets))) for shape, _ in variants
    )


def closest(x: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Parameters of the closest points of segments.

    See `dem.kernels.soft.contact.capsule_blending.closest_parameters`, for (3, K) each.
    """
    a, b, e = (u * u).sum(0), (u * v).sum(0), (v * v).sum(0)
    c, f = (u * x).sum(0), (v * x).sum(0)
    s = np.clip((b * f - c * e) / np.maximum(a * e - b * b, MIN_DIVISOR), -1.0, 1.0)
    t = np.clip((b * s + f) / np.maximum(e, MIN_DIVISOR), -1.0, 1.0)
    return np.clip((b * t - c) / np.maximum(a, MIN_DIVISOR), -1.0, 1.0), t


@dataclass(frozen=True, kw_only=True)
class FibreSegment:
    """Slice of a round rod, whose contact shape is a sphere or a capsule of its diameter.

    Parameters
    ----------
    diameter : float
        Diameter of the rod and of the sphere [m].
    length : float
        Length of the slice [m].
    axis : float
        Length of the segment of a line about which the capsule is, without its half balls [m]; 0: a sphere.

    Examples
    --------
    >>> round(FibreSegment(diameter=0.001, length=0.002).mass_properties(1000.0).mass, 12)  # ρ π D²/4 l
    1.570796e-06
    """

    diameter: float
    length: float
    axis: float = 0.0

    def __post_init__(self) -> None:
        """Check the sizes."""
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit="m"))
        object.__setattr__(self, "axis", checks.number("axis", self.axis, least=0, unit="m"))

    @property
    def half_length(self) -> float:
        """Distance from the centre to the centre of either end of a capsule, 0 for a sphere [m]."""
        return 0.5 * self.axis

    @property
    def offsets(self) -> np.ndarray:
        """The centre, (1, 3), or both ends of a capsule (2, 3) [m]."""
        x = np.array([-self.half_length, self.half_length] if self.axis else [0.0])
        return frozen(np.column_stack([x, 0 * x, 0 * x]))

    @property
    def radii(self) -> np.ndarray:
        """The radius of each, (1,) or (2,) [m]."""
        return frozen(np.full(2 if self.axis else 1, 0.5 * self.diameter))

    def mass_properties(self, density: float) -> MassProperties:
        """Mass and moments of the cylinder along x: m r²/2 about its axis, m (r²/4 + l²/12) across."""
        checks.number("density", density, above=0, unit="kg/m3")
        r = 0.5 * self.diameter
        volume = math.pi * r**2 * self.length
        mass = density * volume
        across = mass * (r**2 / 4 + self.length**2 / 12)
        return MassProperties.centred(volume, density, (0.5 * mass * r**2, across, across))
