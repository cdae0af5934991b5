"""Laminar flow between plates or in a pipe: u = U (1 - s²/R²) along e, zero in the walls.

s is the distance from the midplane, whose normal is given, or from the axis.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


class PlaneChannel(NamedTuple):
    """Laminar flow between two plates."""

    peak: float  # U, in the middle [m/s]
    direction: tuple[float, float, float]  # e, of unit length
    normal: tuple[float, float, float]  # of the plates, of unit length
    centre: tuple[float, float, float]  # a point of the midplane [m]
    radius: float  # R, half the gap [m]


class Pipe(NamedTuple):
    """Laminar flow in a round pipe."""

    peak: float  # U, on the axis [m/s]
    direction: tuple[float, float, float]  # e, of unit length: the axis
    centre: tuple[float, float, float]  # a point of the axis [m]
    radius: float  # R [m]


@inline
def parabola(peak, radius, e, s):
    """Sample a parabolic profile at the distance s from the midplane or axis."""
    inside = 1.0 - dot(s, s) / (radius * radius)
    flows = 1.0 if inside > 0.0 else 0.0
    g = scale(-2.0 * flows * peak / (radius * radius), s)  # gradient of the speed
    gradient = (
        e[0] * g[0], e[0] * g[1], e[0] * g[2], e[1] * g[0], e[1] * g[1], e[1] * g[2], e[2] * g[0], e[2] * g[1],
        e[2] * g[2],
    )  # fmt: skip
    return Sample(scale(flows * peak * inside, e), gradient, (0.0, 0.0, 0.0), 0)


@inline
def sample_channel(field, t, x):
    """Sample the flow between plates at time t [s] and place x [m]."""
    s = scale(dot(subtract(x, field.centre), field.normal), field.normal)
    return parabola(field.peak, field.radius, field.direction, s)


@inline
def sample_pipe(field, t, x):
    """Sample the flow in a pipe at time t [s] and place x [m]."""
    d = subtract(x, field.centre)
    return parabola(field.peak, field.radius, field.direction, add_scaled(d, -dot(d, field.direction), field.direction))
