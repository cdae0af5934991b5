"""A convex shape of one's own: a lens of two equal spherical caps. This file is all of it."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.convex.shape_registry import CONVEX_KINDS, ConvexKind
from dem.kernels.convex.supports import round_curvature

import dem


@inline
def support(numbers, at, n):
    """h = R - d |n_x| on the caps, r √(n_y² + n_z²) on the rim: numbers are R, d, r."""
    ball, off, rim = numbers[at], numbers[at + 1], numbers[at + 2]
    across = math.sqrt(n[1] * n[1] + n[2] * n[2])
    if abs(n[0]) * ball >= off:
        return ball - off * abs(n[0]), (ball * n[0] - math.copysign(off, n[0]), ball * n[1], ball * n[2])
    return rim * across, (0.0, rim * n[1] / across, rim * n[2] / across)


@inline
def curvature(numbers, at, n):
    """That of a ball on the caps; on the rim, along it only."""
    if abs(n[0]) * numbers[at] >= numbers[at + 1]:
        return round_curvature(numbers[at], n)
    across = math.sqrt(n[1] * n[1] + n[2] * n[2])
    return numbers[at + 2] / across, (0.0, -n[2] / across, n[1] / across), 0.0, (0.0, 0.0, 0.0)


class LensKind(NamedTuple):
    """Lenses of two equal spherical caps about body x."""


CONVEX_KINDS[LensKind] = ConvexKind("lens", support, curvature, parameters=("ball", "offset", "rim"))


@dataclass(frozen=True)
class Lens:
    """What two balls of one radius have in common, of some thickness along body x [m]."""

    ball_radius: float
    thickness: float

    convex_kind: ClassVar[type] = LensKind
    offsets: ClassVar[np.ndarray] = np.zeros((1, 3))  # of the bounding sphere, about the centre of mass

    @property
    def convex_numbers(self):
        """Radius of the balls, distance of their centres from the middle, radius of the rim."""
        off = self.ball_radius - 0.5 * self.thickness
        return self.ball_radius, off, math.sqrt(self.ball_radius**2 - off**2)

    @property
    def radii(self):
        """Radius of the bounding sphere (1,) [m]."""
        return np.array([self.convex_numbers[2]])

    @property
    def contact_radius(self):
        """R in contact laws [m]: that of the sphere of its volume."""
        return (3 * self.mass_properties(1.0).volume / (4 * math.pi)) ** (1 / 3)

    def mass_properties(self, density):
        """Of a body of revolution: ∫ π ρ² dx, ∫ π/2 ρ⁴ dx about its axis, and half of that with ∫ π ρ² x² dx across."""
        ball, off, _ = self.convex_numbers
        node, weight = np.polynomial.legendre.leggauss(5)  # exact for polynomials of x of the degree 9
        x, step = 0.25 * self.thickness * (node + 1), 0.5 * self.thickness * weight  # both halves alike
        square = ball**2 - (x + off) ** 2
        volume = float((math.pi * square * step).sum())
        axial = density * float((math.pi / 2 * square**2 * step).sum())
        across = axial / 2 + density * float((math.pi * square * x**2 * step).sum())
        return dem.MassProperties(
            volume, density * volume, (0.0, 0.0, 0.0), (axial, across, across), (1.0, 0.0, 0.0, 0.0)
        )
