"""Distances of points from planes, balls, rectangles, blocks, capsules and tori; negative inside the solid.

They are in the frame of the wall. Cylinders, cones and discs are surfaces of revolution: ``revolution``.

Each is a formula of (x, numbers, k): the distance of a place x from the surface [m] and its gradient, a unit vector.
The numbers of the wall begin at ``numbers[k]``; the first line of each formula says what they are, how many of each.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract


@inline
def plane_distance(x, numbers, k):
    """Distance of a plane: n (3), a, with n · x = a on the surface; particles are on the side of n.

    n · x - a, negative behind the plane, and its gradient n.
    """
    n = numbers[k], numbers[k + 1], numbers[k + 2]
    return n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - numbers[k + 3], n


@inline
def ball_distance(x, numbers, k):
    """A ball that particles are outside of (side 1) or inside of (side -1): centre (3), radius, side.

    ± (|x - c| - R) and its gradient. In the centre, where all directions are as good, the normal is along x.
    """
    side = numbers[k + 4]
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    length = math.sqrt(dot(p, p))
    n = scale(side / length, p) if length > 0.0 else (side, 0.0, 0.0)
    return side * (length - numbers[k + 3]), n


@inline
def rectangle_distance(x, numbers, k):
    """A rectangle touched on both sides: centre (3), unit vectors along edges (6) and across (3), half lengths (2).

    Distance from its nearest point, which may be on the rim, and the gradient; on the rectangle the unit vector across.
    """
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    u = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    v = numbers[k + 6], numbers[k + 7], numbers[k + 8]
    n = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    along, sideways, across = dot(p, u), dot(p, v), dot(p, n)
    along -= min(max(along, -numbers[k + 12]), numbers[k + 12])
    sideways -= min(max(sideways, -numbers[k + 13]), numbers[k + 13])
    if along == 0.0 and sideways == 0.0:
        return abs(across), scale(-1.0 if across < 0.0 else 1.0, n)
    length = math.sqrt(along * along + sideways * sideways + across * across)
    q = add_scaled(add_scaled(scale(along, u), sideways, v), across, n)
    return length, scale(1.0 / length, q)


@inline
def block_distance(x, numbers, k):
    """A block that particles are outside of: centre (3), unit vectors along its edges (9), half its lengths (3).

    Distance from its nearest point and the gradient; within, less than zero, to the nearest face.
    """
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    u = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    v = numbers[k + 6], numbers[k + 7], numbers[k + 8]
    w = numbers[k + 9], numbers[k + 10], numbers[k + 11]
    a, b, c = dot(p, u), dot(p, v), dot(p, w)
    over_a, over_b, over_c = abs(a) - numbers[k + 12], abs(b) - numbers[k + 13], abs(c) - numbers[k + 14]
    a, b, c = math.copysign(1.0, a), math.copysign(1.0, b), math.copysign(1.0, c)
    deepest = max(over_a, over_b, over_c)
    if deepest <= 0.0:
        n = scale(a, u) if over_a == deepest else scale(b, v) if over_b == deepest else scale(c, w)
        return deepest, n
    over_a, over_b, over_c = max(over_a, 0.0), max(over_b, 0.0), max(over_c, 0.0)
    length = math.sqrt(over_a * over_a + over_b * over_b + over_c * over_c)
    q = add_scaled(add_scaled(scale(a * over_a, u), b * over_b, v), c * over_c, w)
    return length, scale(1.0 / length, q)


@inline
def capsule_distance(x, numbers, k):
    """Distance of a capsule with particles outside: centre (3), vector to the centre of one cap (3), radius.

    Distance from the segment less the radius, and its gradient; along x on the segment itself.
    """
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    half = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    along = dot(p, half) / dot(half, half)
    p = add_scaled(p, -min(max(along, -1.0), 1.0), half)
    length = math.sqrt(dot(p, p))
    return length - numbers[k + 6], scale(1.0 / length, p) if length > 0.0 else (1.0, 0.0, 0.0)


@inline
def torus_distance(x, numbers, k):
    """A torus that particles are outside of (side 1), or inside of its tube (side -1).

    Centre (3), axis (3), a direction across it (3), radius R of the ring in the tube's middle, radius a of the tube,
    side. ± (√((r - R)² + z²) - a), r and z about the axis, and its gradient; outward from the axis on the ring itself.
    """
    r, z, radial, axis = cylindrical(x, numbers, k)
    side = numbers[k + 11]
    across = r - numbers[k + 9]
    length = math.hypot(across, z)
    cosine, sine = (side * across / length, side * z / length) if length > 0.0 else (side, 0.0)
    return side * (length - numbers[k + 10]), add_scaled(scale(cosine, radial), sine, axis)


@inline
def cylindrical(x, numbers, k):
    """Cylindrical coordinates r, z of x about an axis, the unit vector away from it, and the axis.

    Numbers: origin (3), axis (3), a direction across it (3), which is the unit vector of places on the axis.
    """
    p = subtract(x, (numbers[k], numbers[k + 1], numbers[k + 2]))
    axis = numbers[k + 3], numbers[k + 4], numbers[k + 5]
    z = dot(p, axis)
    p = add_scaled(p, -z, axis)
    r = math.sqrt(dot(p, p))
    if r > 0.0:
        return r, z, scale(1.0 / r, p), axis
    return r, z, (numbers[k + 6], numbers[k + 7], numbers[k + 8]), axis
