"""A convex shape of one's own: a box with rounded edges. This file is all of it."""

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
    """h = a |n_x| + b |n_y| + c |n_z| + R, and the corner on that side, rounded: numbers are a, b, c, R."""
    a, b, c, radius = numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]
    corner = math.copysign(a, n[0]), math.copysign(b, n[1]), math.copysign(c, n[2])
    h = a * abs(n[0]) + b * abs(n[1]) + c * abs(n[2]) + radius
    return h, (corner[0] + radius * n[0], corner[1] + radius * n[1], corner[2] + radius * n[2])


@inline
def curvature(numbers, at, n):
    """Curvature of a corner."""
    return round_curvature(numbers[at + 3], n)


@inline
def rounding(numbers, at):
    """R."""
    return numbers[at + 3]


class RoundedBoxKind(NamedTuple):
    """Boxes with rounded edges."""


CONVEX_KINDS[RoundedBoxKind] = ConvexKind(
    "rounded box", support, curvature, rounding, is_smooth=False, parameters=("a", "b", "c", "radius")
)


@dataclass(frozen=True)
class RoundedBox:
    """All points within a radius of a box with half edges a, b, c [m]."""

    half_edges: tuple[float, float, float]
    radius: float

    convex_kind: ClassVar[type] = RoundedBoxKind
    offsets: ClassVar[np.ndarray] = np.zeros((1, 3))  # of the bounding sphere, about the centre of mass

    @property
    def radii(self):
        """Radius of the bounding sphere (1,) [m]."""
        return np.array([math.hypot(*self.half_edges) + self.radius])

    @property
    def convex_numbers(self):
        """Numbers of its support function."""
        return (*self.half_edges, self.radius)

    @property
    def contact_radius(self):
        """R in contact laws [m]: that of the sphere of its volume."""
        return (3 * self.mass_properties(1.0).volume / (4 * math.pi)) ** (1 / 3)

    def mass_properties(self, density):
        """Those of the box, its slabs, quarter cylinders and eighths of a ball: ∫ x² of each, in closed form."""
        edges, r = 2 * np.array(self.half_edges), self.radius
        moments, volume = np.zeros(3), edges.prod()
        moments += edges.prod() * edges**2 / 12
        ball, eighth = 4 / 3 * math.pi * r**3, 3 * r / 8
        volume += ball
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            slab, rod = edges[i] * edges[j] * 2 * r, math.pi * r**2 * edges[k]
            volume += slab + rod
            moments[i] += slab * edges[i] ** 2 / 12
            moments[j] += slab * edges[j] ** 2 / 12
            moments[k] += slab * ((edges[k] / 2 + r / 2) ** 2 + r**2 / 12)
            moments[k] += rod * edges[k] ** 2 / 12
            for across in (i, j):  # of a quarter disc: centroid 4 r/3π, ∫ x² = r²/4 of its area
                centroid = 4 * r / (3 * math.pi)
                moments[across] += rod * (edges[across] ** 2 / 4 + edges[across] * centroid + r**2 / 4)
            moments[k] += ball * (edges[k] ** 2 / 4 + edges[k] * eighth + r**2 / 5)
        inertia = density * (moments.sum() - moments)
        return dem.MassProperties(volume, density * volume, (0.0, 0.0, 0.0), tuple(inertia.tolist()), (1.0, 0, 0, 0))
