"""A kind of wall of one's own: the inside of a paraboloid of revolution. This file is all of it."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract
from dem.kernels.walls.primitives import cylindrical
from dem.kernels.walls.wall_registry import CONVEX, WallKind

import dem
from dem.base import checks
from dem.model.contact.law_component import number, vector
from dem.model.walls.mesh_builders import turned
from dem.model.walls.wall import Wall
from dem.model.walls.wall_shapes import WallShape, across, unit

STEPS = 60


@inline
def distance(x, numbers, k):
    """Distance of x from z = a r², positive inside, and its gradient, the normal at the nearest point.

    That is at the largest ρ with 2 a² ρ³ + (1 - 2 a z) ρ = r, the nearest on the same side of the axis: Newton's
    method comes to it from above, where the cubic is convex. Numbers: apex (3), axis (3), a direction across it (3), a.
    """
    r, z, radial, axis = cylindrical(x, numbers, k)
    a = numbers[k + 9]
    linear = 1.0 - 2.0 * a * z
    rho = (r / (2.0 * a * a)) ** (1.0 / 3.0) + math.sqrt(max(-linear, 0.0) / (2.0 * a * a))
    for _ in range(STEPS):
        slope = 6.0 * a * a * rho * rho + linear
        if slope > 0.0:
            rho = max(rho - (2.0 * a * a * rho * rho * rho + linear * rho - r) / slope, 0.0)
    tilt = 2.0 * a * rho
    size = math.sqrt(1.0 + tilt * tilt)
    normal = add_scaled(scale(1.0 / size, axis), -tilt / size, radial)
    apex = (numbers[k], numbers[k + 1], numbers[k + 2])
    nearest = add_scaled(scale(rho, radial), a * rho * rho, axis)
    return dot(subtract(subtract(x, apex), nearest), normal), normal


def triangles(numbers):
    """Of the part within a radius of 1/a, for pictures."""
    r = np.linspace(0.0, 1.0, 13) / numbers[9]
    vertices, faces = turned(np.column_stack([r, numbers[9] * r * r]), segments=24)
    axis, first = numbers[3:6], numbers[6:9]
    return numbers[:3] + vertices @ np.array([first, np.cross(axis, first), axis]), faces


class ParaboloidKind(NamedTuple):
    """The inside of a paraboloid, from which the distance is concave."""


@dataclass(frozen=True, repr=False)
class Paraboloid(Wall):
    """A bowl z = a r² about an axis through its apex; particles are inside."""

    apex: tuple[float, float, float] = vector("of the bowl", unit="m", example=(0.0, 0.0, 0.0))
    axis: tuple[float, float, float]
    curvature: float = number("a", unit="1/m", above=0, example=10.0)

    def build_shape(self, shapes):
        """Its shape."""
        apex, axis = np.array(checks.vector("apex", self.apex, "of the bowl [m]")), unit("axis", self.axis)
        a = checks.number("curvature", self.curvature, above=0, unit="1/m")
        endless = np.full(3, np.inf)
        return WallShape(ParaboloidKind, np.array([*apex, *axis, *across(axis), a]), -endless, endless)


dem.register_wall(Paraboloid, ParaboloidKind, WallKind(distance=distance, sides=CONVEX, triangles=triangles))
