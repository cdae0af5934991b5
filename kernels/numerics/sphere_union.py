"""Moments of the union of spheres, slice by slice.

A slice at height z is a union of discs; its moments are integrals along those arcs of the circles that no other disc
covers (Green's theorem): A = ∮ x dy, ∫x = 1/2 ∮ x² dy, ∫x² = 1/3 ∮ x³ dy, ∫xy = 1/2 ∮ x² y dy, ∫y = ∮ x y dy,
∫y² = ∮ x y² dy, all counter-clockwise.
"""

import math

from dem.kernels.compiler.jit import func, inline, kernel

TWO_PI = 2.0 * math.pi
MOMENTS = 6  # 1, x, y, x², y², xy


@kernel
def slice_moments(z, centres, radii, nodes, weights, starts, ends, moments):
    """Moments of the slice at one height.

    z: height [m].
    centres, radii: (K, 3), (K,) of the spheres [m].
    nodes, weights: (Q,) of Gauss quadrature on [-1, 1].
    Writes starts, ends: (2 K,) scratch.
    Writes moments: (6,) integrals of 1, x, y, x², y², xy over the slice [m² to m⁴].
    """
    for m in range(MOMENTS):
        moments[m] = 0.0
    for i in range(radii.size):
        rho = disc_radius(i, z, centres, radii)
        if rho > 0.0:
            covered = covered_arcs(i, rho, z, centres, radii, starts, ends)
            if covered >= 0:
                add_free_arcs(centres[i, 0], centres[i, 1], rho, covered, starts, ends, nodes, weights, moments)


@inline
def disc_radius(i, z, centres, radii):
    """Radius of sphere i at height z, 0 where it does not reach."""
    return math.sqrt(max(radii[i] * radii[i] - (z - centres[i, 2]) * (z - centres[i, 2]), 0.0))


@func
def covered_arcs(i, rho, z, centres, radii, starts, ends):
    """Intervals of angle within [0, 2π] at which other discs cover circle i, by start; -1 if it is covered whole."""
    n = 0
    for j in range(radii.size):
        other = disc_radius(j, z, centres, radii)
        if j == i or other == 0.0:
            continue
        dx, dy = centres[j, 0] - centres[i, 0], centres[j, 1] - centres[i, 1]
        d = math.sqrt(dx * dx + dy * dy)
        if d + rho <= other and (d + rho < other or j < i):  # of two equal discs the first one counts
            return -1
        if d >= rho + other or d + other <= rho:
            continue
        half = math.acos(min(max((d * d + rho * rho - other * other) / (2.0 * d * rho), -1.0), 1.0))
        start = (math.atan2(dy, dx) - half) % TWO_PI
        n = insert(n, start, min(start + 2.0 * half, TWO_PI), starts, ends)
        if start + 2.0 * half > TWO_PI:
            n = insert(n, 0.0, start + 2.0 * half - TWO_PI, starts, ends)
    return n


@inline
def insert(n, start, end, starts, ends):
    """Insert an interval into n sorted ones; returns their new number."""
    k = n
    while k > 0 and starts[k - 1] > start:
        starts[k], ends[k] = starts[k - 1], ends[k - 1]
        k -= 1
    starts[k], ends[k] = start, end
    return n + 1


@func
def add_free_arcs(x, y, rho, covered, starts, ends, nodes, weights, moments):
    """Add the integrals along the arcs of a circle that the covered intervals leave free.

    x, y, rho: centre and radius of the circle [m].
    covered: number of intervals.
    starts, ends: their ends [rad], by start.
    nodes, weights: of Gauss quadrature.
    Writes moments: (6,), added to.
    """
    at = 0.0
    for k in range(covered + 1):
        start = starts[k] if k < covered else TWO_PI
        if start > at:
            add_arc(x, y, rho, at, start, nodes, weights, moments)
        if k < covered:
            at = max(at, ends[k])


@inline
def add_arc(x, y, rho, start, end, nodes, weights, moments):
    """Add the integrals along one arc, by Gauss quadrature: trigonometric polynomials of degree four.

    x, y, rho: centre and radius of the circle [m].
    start, end: of the arc [rad].
    nodes, weights: of Gauss quadrature.
    Writes moments: (6,), added to.
    """
    half = 0.5 * (end - start)
    for k in range(nodes.size):
        t = start + half * (1.0 + nodes[k])
        px, py = x + rho * math.cos(t), y + rho * math.sin(t)
        dy = half * weights[k] * rho * math.cos(t)
        moments[0] += px * dy
        moments[1] += 0.5 * px * px * dy
        moments[2] += px * py * dy
        moments[3] += px * px * px / 3.0 * dy
        moments[4] += px * py * py * dy
        moments[5] += 0.5 * px * px * py * dy
