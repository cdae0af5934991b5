"""Spheroids in Stokes flow, and equivalent spheroids of other bodies.

S. Kim, S. J. Karrila, Microhydrodynamics (1991), table 3.4. A chain or a capsule counts as the spheroid of equal volume
and equal length over diameter: against cylinders of 5 diameters (Tirado & García de la Torre 1979) its resistance is
off by -2 % along, +2 % across and -6 % against tumbling. Convex shapes count as the spheroid of equal volume and the
same ratio of their moments of inertia; their surface and what is seen of them, for drag by sphericities, are their own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.model.shapes.convex import is_convex, surface_of

if TYPE_CHECKING:
    from dem.model.shapes.shape import MassProperties, Shape

ROUND = 1e-3  # aspect ratios so near to 1 are interpolated: the formulae cancel there
ROUNDING = 1e-12  # of the sphericity of a sphere; the law's fifth root would make it a change of drag by thousandths
FINE, AROUND = 24, 48  # cells of surfaces, along an edge of a cube; directions around an axis
FLATTEST = 1e-3  # aspect ratio of a body whose moments are those of a disc without thickness


class Resistance(NamedTuple):
    """Resistance functions of a spheroid: drag over 6πμa, torque over 8πμa³, with a the larger semi-axis."""

    x_a: float  # along the axis
    y_a: float  # across
    x_c: float  # turning about the axis
    y_c: float  # tumbling
    y_h: float  # in strain


def resistance(ratio: float) -> Resistance:
    """Resistance functions of a spheroid of an aspect ratio, the axis over the diameter across it.

    Examples
    --------
    >>> [round(value, 12) for value in resistance(5.0)]
    [0.356961744922, 0.474193311081, 0.028243231224, 0.185620107359, 0.171341637562]
    >>> resistance(1.0)
    Resistance(x_a=1.0, y_a=1.0, x_c=1.0, y_c=1.0, y_h=0.0)
    """
    if abs(ratio - 1.0) < ROUND:
        end, share = _exact(1.0 + math.copysign(ROUND, ratio - 1.0)), abs(ratio - 1.0) / ROUND
        ball = Resistance(1.0, 1.0, 1.0, 1.0, 0.0)
        return Resistance(*(b + share * (e - b) for b, e in zip(ball, end, strict=True)))
    return _exact(ratio)


def _exact(ratio: float) -> Resistance:
    """Resistance functions from the closed forms for prolate and oblate spheroids."""
    if ratio > 1.0:
        e = math.sqrt(1.0 - 1.0 / ratio**2)
        log, e3 = math.log((1.0 + e) / (1.0 - e)), e**3
        bent = -2.0 * e + (1.0 + e * e) * log
        return Resistance(
            8.0 / 3.0 * e3 / bent, 16.0 / 3.0 * e3 / (2.0 * e + (3.0 * e * e - 1.0) * log),
            4.0 / 3.0 * e3 * (1.0 - e * e) / (2.0 * e - (1.0 - e * e) * log),
            4.0 / 3.0 * e3 * (2.0 - e * e) / bent, 4.0 / 3.0 * e3 * e * e / bent,
        )  # fmt: skip
    e, s = math.sqrt(1.0 - ratio**2), ratio
    c, e3 = math.atan2(e, s), e**3
    bent = e * s - (1.0 - 2.0 * e * e) * c
    return Resistance(
        4.0 / 3.0 * e3 / ((2.0 * e * e - 1.0) * c + e * s), 8.0 / 3.0 * e3 / ((2.0 * e * e + 1.0) * c - e * s),
        2.0 / 3.0 * e3 / (c - e * s), 2.0 / 3.0 * e3 * (2.0 - e * e) / bent, -2.0 / 3.0 * e3 * e * e / bent,
    )  # fmt: skip


class Spheroid(NamedTuple):
    """The equivalent spheroid of a body in a fluid."""

    volume: float  # [m³]
    ratio: float  # the axis over the diameter across it
    axis: int  # of the body frame

    @classmethod
    def of(cls, shape: Shape, properties: MassProperties) -> Spheroid:
        """Spheroid of equal volume: of a fibre by its aspect ratio, of other bodies by their moments of inertia."""
        moments = np.array(properties.inertia)
        axis = _axis(moments)
        ratio = getattr(shape, "aspect_ratio", None)
        if is_ball(shape):
            ratio = 1.0
        elif ratio is None:
            across = (moments.sum() - moments[axis]) / 2
            ratio = math.sqrt(max(2 * across / moments[axis] - 1, FLATTEST**2))
        return cls(properties.volume, float(ratio), axis)

    @property
    def diameter(self) -> float:
        """Diameter of the sphere of equal volume [m]."""
        return (6.0 * self.volume / math.pi) ** (1 / 3)

    @property
    def longest(self) -> float:
        """The larger semi-axis a [m]."""
        return 0.5 * self.diameter * max(self.ratio ** (2 / 3), self.ratio ** (-1 / 3))

    @property
    def shape(self) -> float:
        """Bretherton parameter (r² - 1)/(r² + 1): share of the strain rate in the rotation of the spheroid."""
        return (self.ratio**2 - 1.0) / (self.ratio**2 + 1.0)

    def along_axes(self, axial: float, across: float) -> list[float]:
        """Values along the axes of the body frame, from one along the spheroid's axis and one across it."""
        return [axial if k == self.axis else across for k in range(3)]

    @property
    def translation(self) -> list[float]:
        """Resistance to translation along the axes of the body, over the viscosity [m]."""
        r, a = resistance(self.ratio), 6.0 * math.pi * self.longest
        return self.along_axes(a * r.x_a, a * r.y_a)

    @property
    def rotation(self) -> list[float]:
        """Resistance to rotation along the axes of the body, over the viscosity [m³]."""
        r, a = resistance(self.ratio), 8.0 * math.pi * self.longest**3
        return self.along_axes(a * r.x_c, a * r.y_c)


def is_ball(shape: Shape) -> bool:
    """Whether a shape is a single sphere, which needs no spheroid."""
    return len(shape.radii) == 1 and not is_convex(shape)


def _axis(moments: np.ndarray) -> int:
    """Axis whose moment differs from the two others; x if all are equal."""
    apart = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) for k in range(3)]
    return int(np.argmin(apart))


class ProjectedAreas(NamedTuple):
    """Surface and projected areas of a body, for drag by sphericities."""

    surface: float  # [m²]
    along: float  # projected area seen along its axis [m²]
    across: float  # seen from the side
    aslant: float  # mean of what is seen from directions perpendicular to one across the axis

    @classmethod
    def capsule(cls, length: float, diameter: float) -> ProjectedAreas:
        """Surface and projected areas of a cylinder with caps, of this total length."""
        disc, side = math.pi * diameter**2 / 4, diameter * (length - diameter)
        return cls(math.pi * diameter * length, disc, disc + side, disc + 2 / math.pi * side)

    @classmethod
    def spheroid(cls, body: Spheroid) -> ProjectedAreas:
        """Surface and projected areas of a spheroid."""
        b = 0.5 * body.diameter * body.ratio ** (-1 / 3)
        a = body.ratio * b
        turned = np.sin(math.pi * (np.arange(256) + 0.5) / 256) ** 2
        seen = math.pi * b * np.sqrt(a**2 * turned + b**2 * (1 - turned))
        e = math.sqrt(abs(1.0 - min(a, b) ** 2 / max(a, b) ** 2))
        rim = a / b * (math.asin(e) / e if a >= b else a / b * math.atanh(e) / e) if e > 0 else 1.0
        return cls(2 * math.pi * b * b * (1 + rim), math.pi * b * b, math.pi * a * b, float(seen.mean()))

    @classmethod
    def convex(cls, shape: Shape, body: Spheroid) -> ProjectedAreas:
        """Projected areas of a convex shape by its triangles (areas A, normals n): Σ A |n·d|/2 along d.

        Directions across the axis of its spheroid count alike.
        """
        vertices, triangles = surface_of(shape, FINE)
        a, b, c = vertices[triangles].transpose(1, 0, 2)
        areas = 0.5 * np.cross(b - a, c - a)
        x, y, z = np.ascontiguousarray(areas.T)
        whole = surface = float(np.sqrt((areas * areas).sum(1)).sum())
        if hasattr(shape, "sphericity"):
            surface = math.pi * body.diameter**2 / shape.sphericity

        axis = np.eye(3)[body.axis]
        along = 0.5 * float(np.abs((areas * axis).sum(1)).sum())
        turns = [2 * math.pi * (k + 0.5) / AROUND for k in range(AROUND)]
        u, v = np.eye(3)[(body.axis + 1) % 3], np.eye(3)[(body.axis + 2) % 3]
        ring = [math.cos(turn) * u + math.sin(turn) * v for turn in turns]

        def beside(direction: np.ndarray) -> float:
            """Projected area averaged over the directions normal to d: the mean of |n·d'| is 2/π |n × d|."""
            u, v, w = direction
            return float(np.sqrt((y * w - z * v) ** 2 + (z * u - x * w) ** 2 + (x * v - y * u) ** 2).sum()) / math.pi

        across, aslant = beside(axis), float(np.mean([beside(d) for d in ring]))
        return cls(surface, *(surface / whole * each for each in (along, across, aslant)))

    @classmethod
    def of(cls, shape: Shape, body: Spheroid) -> ProjectedAreas:
        """Areas of a body: a fibre as a capsule, a convex shape by its surface, other bodies as their spheroid."""
        if is_convex(shape):
            return cls.convex(shape, body)
        if len(shape.radii) > 1 and getattr(shape, "aspect_ratio", None) is not None:
            return cls.capsule(shape.aspect_ratio * shape.diameter, shape.diameter)
        return cls.spheroid(body)

    def coefficients(self, volume: float) -> tuple[list[float], list[float]]:
        """Coefficients a, b, c of Hölzer and Sommerfeld's C_D Re = a + b √Re + c Re, along the axis and across it."""
        d = (6.0 * volume / math.pi) ** (1 / 3)
        disc, sphericity = math.pi * d**2 / 4, math.pi * d**2 / self.surface
        unlike = -math.log10(sphericity) if 1.0 - sphericity > ROUNDING else 0.0
        last = 0.42 * 10 ** (0.4 * unlike**0.2)
        found = []
        for seen, beside in ((self.along, self.across), (self.across, self.aslant)):
            lengthwise, crosswise = disc / (self.surface / 2 - beside), disc / seen
            found.append(
                [8 / math.sqrt(lengthwise) + 16 / math.sqrt(sphericity), 3 / sphericity**0.75, last / crosswise]
            )
        return found[0], found[1]
